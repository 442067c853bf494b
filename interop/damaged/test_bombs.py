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
from pathlib import Path

from bombs import bombs

FUNCTIONS = Path(__file__).with_name("bomb_functions.py")

# Address spaces in GiB.
SPACES = [1, 2, 4]

# Part of the names of the files to try: empty for all of them, `None` for none of them.
ONLY = os.environ.get("BYTELANE_BOMBS")

# Seconds of a processor that one call may take.
LONGEST = 60


def limited(gibibytes: int) -> Callable[[], None]:
    """Returns a function that limits the address space of a process."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (gibibytes << 30, gibibytes << 30))


class Bombs(unittest.TestCase):
    """Files that claim more than memory holds."""

    def check(self, names: Callable[[str], bool], spaces: list[int]) -> None:
        """Calls everything with these files in each address space, and fails with all faults."""
        with tempfile.TemporaryDirectory() as folder:
            for name, content in bombs():
                if names(name):
                    # A data set of its own.
                    path = Path(folder) / name / f"{name}.parquet"
                    path.parent.mkdir()
                    path.write_bytes(content)
            files = len(list(Path(folder).iterdir()))
            self.assertGreater(files, 0)
            faults = []
            for space in spaces:
                run = subprocess.Popen(
                    [sys.executable, FUNCTIONS, folder, Path(folder) / "new", str(LONGEST)],
                    stdout=subprocess.PIPE,
                    text=True,
                    preexec_fn=limited(space),
                    env={**os.environ, "RUST_BACKTRACE": "0"},
                )
                assert run.stdout
                *found, last = [line.rstrip() for line in run.stdout]
                self.assertEqual(run.wait(), 0)
                self.assertRegex(last, "^[0-9]+ calls$")
                self.assertGreater(int(last.split()[0]), 50 * files)
                for fault in found:
                    print(f"{space} GiB: {fault}", file=sys.stderr, flush=True)
                faults += found
        self.assertEqual(faults, [])

    @unittest.skipIf(ONLY is None, "cargo xtask extended --only hostile-files")
    def test_all(self) -> None:
        """All files in all spaces."""
        self.check(lambda name: str(ONLY) in name, SPACES)


if __name__ == "__main__":
    unittest.main()
