"""Runs the commands of the guides that need Python libraries."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parent.parent
PROGRAMS = pathlib.Path(os.environ["BYTELANE_PROGRAMS"])


class Guides(unittest.TestCase):
    def test_the_line_of_the_parquet_guide_creates_the_sample_file(self):
        guide = (ROOT / "docs/getting-started/parquet.md").read_text()
        block = guide.split("\n```sh\n")[1].split("```")[0]
        self.assertIn("pyarrow", block)
        path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
        with tempfile.TemporaryDirectory() as directory:
            run = ["bash", "-euc", block]
            subprocess.run(run, cwd=directory, env={**os.environ, "PATH": path}, check=True)
            inspect = [PROGRAMS / "bytelane", "inspect", "weather.parquet"]
            shown = subprocess.run(inspect, cwd=directory, check=True, capture_output=True, text=True)
        for column in ["hour", "temperature"]:
            self.assertIn(column, shown.stdout)
        self.assertIn("5000 rows", shown.stdout)

    def test_the_first_example_prints_what_the_readme_shows(self):
        section = (ROOT / "README.md").read_text().split("\n### Parquet\n")[1]
        block, rest = section.split("```sh\n")[1].split("```\n", 1)
        shown = "".join(line.removeprefix("    ") for line in rest.split("The current size")[0].splitlines(keepends=True))
        environment = {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "COLUMNS": "120"}
        with tempfile.TemporaryDirectory() as directory:
            run = ["bash", "-euc", block]
            ran = subprocess.run(run, cwd=directory, env=environment, check=True, capture_output=True, text=True)
        self.assertIn("walk.f32", shown)
        self.assertEqual(ran.stdout[: len(shown.strip())], shown.strip())

    def test_nothing_links_to_registries_before_it_is_published(self):
        self.assertIn("Nothing has been published yet", (ROOT / "README.md").read_text())
        files = subprocess.run(["git", "ls-files", "*.md", "*.toml"], cwd=ROOT, check=True, capture_output=True, text=True)
        names = files.stdout.split()
        self.assertIn("README.md", names)
        for name in names:
            text = (ROOT / name).read_text()
            for address in [
                "crates.io/crates/bytelane",
                "docs.rs/bytelane",
                "pypi.org/project/bytelane",
                "pkg.go.dev/github.com/bytelane",
            ]:
                self.assertNotIn(address, text, name)


if __name__ == "__main__":
    unittest.main()
