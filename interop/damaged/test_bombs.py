"""Gives files of a few kilobytes that claim huge arrays to every function of the command and of the Python package, in
processes of little memory. None may abort, panic or run for long."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bombs import KINDS, bombs, of_codecs

FUNCTIONS = Path(__file__).with_name("bomb_functions.py")

# Address spaces in GiB.
SPACES = [int(space) for space in os.environ.get("BYTELANE_BOMB_SPACES", "1,2,4").split(",")]

# Part of the names of the files to try: empty for all of them, `None` for none of them.
ONLY = os.environ.get("BYTELANE_BOMBS")

# Seconds of a processor that one call may take in the build for tests.
LONGEST = 30

# Number of files that are tried at the same time.
WORKERS = 2

# Files of each kind that are refused or read quickly, and once aborted or came close to it.
SAMPLE = [
    "nulls_int64",
    "nulls_string",
    "nulls_fixed_100000",
    "nulls_string_v2",
    "runs_boolean",
    "empty_string_1073741824",
    "split_double",
    "list_of_nulls_int32_2147483647",
    "empty_lists_binary_2147483647",
    "fixed_size_list_2147483647",
    "children_of_many",
    "deep",
    "bloom_of_many",
    "page_of_2147483647",
    "arrow_wide",
]


def limited(gibibytes: int) -> Callable[[], None]:
    """Returns a function that limits the address space of a process."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (gibibytes << 30, gibibytes << 30))


def faults(paths: list[Path], new: Path, space: int) -> list[str]:
    """Calls everything with these files in an address space. Prints the faults at once, and returns them."""
    with subprocess.Popen(
        [sys.executable, FUNCTIONS, new, str(LONGEST)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=limited(space),
        env={**os.environ, "RUST_BACKTRACE": "0"},
    ) as run:
        assert run.stdin and run.stdout
        run.stdin.write("".join(f"{path}\n" for path in paths))
        run.stdin.close()
        lines = []
        for line in run.stdout:
            lines.append(line.rstrip())
            if not line.endswith(" calls\n"):
                print(f"{space} GiB: {lines[-1]}", file=sys.stderr, flush=True)
    calls = int(lines.pop().removesuffix(" calls"))
    assert run.returncode == 0 and calls > 50 * len(paths)
    return lines


class Bombs(unittest.TestCase):
    """Files that claim more than memory holds."""

    def check(self, files: dict[str, bytes], spaces: list[int]) -> None:
        """Calls everything with these files in each address space, and fails with all faults."""
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, content in files.items():
                # A data set of its own.
                path = Path(folder) / name / f"{name}.parquet"
                path.parent.mkdir()
                path.write_bytes(content)
                paths.append(path)
            self.assertGreater(len(paths), 0)
            with ThreadPoolExecutor(WORKERS) as pool:
                runs = [
                    pool.submit(faults, paths[worker::WORKERS], Path(folder) / f"new {space} {worker}", space)
                    for space in spaces
                    for worker in range(WORKERS)
                ]
                found = [fault for run in runs for fault in run.result()]
        self.assertEqual(found, [])

    @unittest.skipIf(ONLY is None, "cargo xtask extended --only hostile-files")
    def test_all(self) -> None:
        """All files in all spaces."""
        self.check({name: content for name, content in bombs() if str(ONLY) in name}, SPACES)

    @unittest.skipIf(sys.platform != "linux", "only Linux limits the address space")
    def test_sample(self) -> None:
        """A few files in the smallest space."""
        quick = [kind for kind in KINDS if kind is not of_codecs]
        files = {name: content for name, content in bombs(quick) if name in SAMPLE}
        self.assertEqual(sorted(files), sorted(SAMPLE))
        self.check(files, [1])


if __name__ == "__main__":
    unittest.main()
