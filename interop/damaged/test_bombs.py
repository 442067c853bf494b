"""Gives files of a few kilobytes that claim huge arrays to every function of the command and of the Python package, in
processes of little memory. None may abort or panic, or run for long unless it returns or counts rows one after the other."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from collections.abc import Callable
from pathlib import Path

from bombs import bombs

BYTELANE = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane"

FUNCTIONS = Path(__file__).with_name("bomb_functions.py")

# Address spaces in GiB.
SPACES = [1, 2, 4]

# Part of the names of the files to try: empty for all of them, which take hours; `None` for none of them.
ONLY = os.environ.get("BYTELANE_BOMBS")

# Seconds that one call may take.
LONGEST = 60

# Commands and functions that go through all rows, however many a file claims.
ENDLESS = ("cat", "count", "read_table with filters", "read_table with a condition")


def commands(path: Path, new: Path) -> list[list[str]]:
    """Returns the arguments of all commands."""
    name = "x" if "list" in path.name else "c0"
    where = ["--where", f"{name} is not null"]
    file, output = str(path), [str(new), "--force"]
    return [
        ["inspect", file],
        ["inspect", file, "--by", "pages"],
        ["inspect", file, "--schema"],
        ["head", file],
        ["cat", file, "--format", "csv"],
        ["cat", file, *where],
        ["sample", file],
        ["count", file],
        ["count", file, *where],
        ["advise", file],
        ["check", file],
        ["check", file, "--values"],
        ["check", file, "--salvage", *output],
        ["diff", file, file],
        ["diff", file, file, "--any-order"],
        ["merge", file, file, *output],
        ["merge", file, file, *output, "--pages", "fresh"],
        ["merge", file, *output, "--row-group-rows", "1000", "--verify"],
        ["merge", file, *output, "--file-size", "1000"],
        ["repair", file, *output, "--verify", "--bloom-filter", name],
        ["rewrite", file, *output, "--verify"],
        ["rewrite", file, *output, "--compression", "zstd"],
    ]


def limited(gibibytes: int) -> Callable[[], None]:
    """Returns a function that limits the address space of a process."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (gibibytes << 30, gibibytes << 30))


def run(arguments: list[str | Path], gibibytes: int, seconds: int) -> tuple[int | None, str]:
    """Runs a program. Returns its exit status, `None` if it ran too long, and the start of what it wrote."""
    # A command that writes rows without end is not stopped by its time, but by a closed pipe.
    head = subprocess.Popen(
        ["head", "--bytes", "4000000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    process = subprocess.Popen(
        arguments,
        stdout=head.stdin,
        stderr=subprocess.STDOUT,
        preexec_fn=limited(gibibytes),
        env={**os.environ, "RUST_BACKTRACE": "0"},
    )
    assert head.stdin and head.stdout
    head.stdin.close()
    watch = threading.Timer(seconds, process.kill)
    watch.start()
    output = head.stdout.read()
    head.stdout.close()
    head.wait()
    status = process.wait()
    is_late = not watch.is_alive()
    watch.cancel()
    return None if is_late else status, output.decode(errors="replace")


@unittest.skipIf(ONLY is None, "cargo xtask extended --only hostile-files")
class Bombs(unittest.TestCase):
    """Files that claim more than memory holds."""

    def each(self, check: Callable[[Path, Path, int], list[str]]) -> None:
        """Checks each file in each address space, and fails with all faults."""
        faults = []
        with tempfile.TemporaryDirectory() as folder:
            for name, content in bombs():
                if str(ONLY) not in name:
                    continue
                path = Path(folder) / f"{name}.parquet"
                path.write_bytes(content)
                for gibibytes in SPACES:
                    found = check(path, Path(folder) / "new.parquet", gibibytes)
                    for fault in found:
                        print(f"{name}, {gibibytes} GiB: {fault}", file=sys.stderr, flush=True)
                    faults += [f"{name}, {gibibytes} GiB: {fault}" for fault in found]
                path.unlink()
        self.assertEqual(faults, [])

    def test_the_command(self) -> None:
        """Each command succeeds, or names the file in its error."""

        def check(path: Path, new: Path, gibibytes: int) -> list[str]:
            faults = []
            for arguments in commands(path, new):
                status, output = run([BYTELANE, *arguments], gibibytes, LONGEST)
                if status is None and arguments[0] in ENDLESS and "--where" in arguments:
                    continue
                is_named = status == 0 or path.name in output
                if status not in (0, 1, 2) or not is_named or "panicked" in output:
                    text = " ".join(arguments).replace(f"{path.parent}/", "")
                    faults.append(f"{text}: status {status}: {output[-300:]!r}")
            return faults

        self.each(check)

    def test_the_package(self) -> None:
        """Each function returns, or raises an error that names the file."""

        def check(path: Path, new: Path, gibibytes: int) -> list[str]:
            _, output = run([sys.executable, FUNCTIONS, path, new, str(LONGEST)], gibibytes, 100 * LONGEST)
            return [line for line in output.splitlines() if not is_fine(line, path.name)]

        self.each(check)


def is_fine(line: str, name: str) -> bool:
    """Returns whether a line tells of a function that succeeded, or whose error names the file."""
    function, _, outcome = line.partition(": ")
    if function in ENDLESS and outcome == f"status -{signal.SIGALRM}":
        return True
    _, _, result = outcome.partition(" s, ")
    return result == "fine" or name in result or ("of bytes" in function and "Error: " in result)


if __name__ == "__main__":
    unittest.main()
