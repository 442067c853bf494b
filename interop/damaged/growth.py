"""Counts the instructions of every command under valgrind while columns, row groups, pages, key-value pairs and files
double. Twice the size may take at most 2.3 times the instructions; a square takes four times."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

PROGRAM = Path(os.environ.get("BYTELANE_PROGRAMS", "target/debug")) / "bytelane"

COUNTING = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]

# Growth of the instructions that twice the size may take.
MOST = 2.3

# Part of the names of the commands or directions to try.
ONLY = os.environ.get("BYTELANE_GROWTH", "")

# Number of commands that run at the same time.
WORKERS = 2

WHERE = ["--where", '"column 1" >= 0']

# Arguments: `INPUT` is a file or a directory, `OTHER` one with the same rows, and `NEW` does not exist.
COMMANDS = [
    ["head", "INPUT"],
    ["cat", "INPUT", "--format", "csv"],
    ["cat", "INPUT", "--columns", "ALL"],
    ["cat", "INPUT", *WHERE],
    ["count", "INPUT"],
    ["count", "INPUT", *WHERE],
    ["sample", "INPUT"],
    ["inspect", "INPUT"],
    ["inspect", "INPUT", "--by", "pages"],
    ["advise", "INPUT", "--threads", "1"],
    ["check", "INPUT"],
    ["check", "INPUT", "--values"],
    ["check", "INPUT", "--salvage", "NEW"],
    ["diff", "INPUT", "OTHER"],
    ["diff", "INPUT", "OTHER", "--any-order"],
    ["merge", "INPUT", "INPUT", "NEW"],
    ["merge", "INPUT", "NEW", "--pages", "fresh"],
    ["merge", "INPUT", "NEW", "--row-group-size", "2", "--verify"],
    ["merge", "INPUT", "NEW", "--file-size", "1"],
    ["repair", "INPUT", "NEW"],
    ["repair", "INPUT", "NEW", "--verify"],
    ["rewrite", "INPUT", "NEW", "--threads", "1"],
    ["rewrite", "INPUT", "NEW", "--threads", "1", "--verify"],
    ["dataset", "plan", "INPUT", "--output", "NEW"],
]

# Commands that take one file, and one that takes a directory.
OF_A_FILE = ("inspect", "repair", "--salvage")
OF_A_DIRECTORY = "dataset"


class Shape(NamedTuple):
    """Size of a file in each direction."""

    columns: int = 2
    row_groups: int = 1
    pages: int = 1
    pairs: int = 0


def write(path: Path, shape: Shape) -> None:
    """Writes a file with one row per page."""
    rows = shape.row_groups * shape.pages
    values = {f"column {column}": pa.array(range(rows), pa.int64()) for column in range(shape.columns)}
    pairs = {f"key {pair}": f"value {pair}" for pair in range(shape.pairs)}
    table = pa.table(values).replace_schema_metadata(pairs)
    pq.write_table(
        table,
        path,
        row_group_size=shape.pages,
        data_page_size=1,
        write_batch_size=1,
        use_dictionary=False,
        write_page_index=True,
    )


def write_columns(path: Path, size: int) -> None:
    """Writes a file of columns."""
    write(path, Shape(columns=size))


def write_row_groups(path: Path, size: int) -> None:
    """Writes a file of row groups."""
    write(path, Shape(row_groups=size))


def write_pages(path: Path, size: int) -> None:
    """Writes a file of pages."""
    write(path, Shape(pages=size))


def write_pairs(path: Path, size: int) -> None:
    """Writes a file of key-value pairs."""
    write(path, Shape(pairs=size))


def write_files(path: Path, size: int) -> None:
    """Writes a directory of files."""
    path.mkdir()
    for number in range(size):
        write(path / f"{number}.parquet", Shape())


Writer = Callable[[Path, int], None]

DIRECTIONS: dict[str, tuple[int, Writer]] = {
    "columns": (400, write_columns),
    "row groups": (400, write_row_groups),
    "pages": (2000, write_pages),
    "key-value pairs": (4000, write_pairs),
    "files": (60, write_files),
}


def instructions(arguments: list[str], path: Path) -> int:
    """Returns the number of instructions that a command takes for a file or a directory."""
    new = path.with_suffix(f".new-{abs(hash(tuple(arguments)))}")
    names = ",".join(f"column {column}" for column in range(count_of_columns(path)))
    meant = {"INPUT": path, "OTHER": path.with_suffix(".other"), "NEW": new, "ALL": names}
    command = [str(meant.get(argument, argument)) for argument in arguments]
    # One thread, because threads that wait for work count as well.
    environment = {**os.environ, "RAYON_NUM_THREADS": "1", "BYTELANE_BACKEND": "avx2"}
    run = subprocess.run([*COUNTING, PROGRAM, *command], capture_output=True, text=True, env=environment)
    counted = re.search(r"I +refs: +([0-9,]+)", run.stderr)
    assert run.returncode in (0, 1) and counted, f"{command}: {run.stderr[-2000:]}"
    if new.is_dir():
        shutil.rmtree(new)
    new.unlink(missing_ok=True)
    return int(counted[1].replace(",", ""))


def count_of_columns(path: Path) -> int:
    """Returns the number of columns of a file, or of the files of a directory."""
    return int(pq.read_metadata(path / "0.parquet" if path.is_dir() else path).num_columns)


class Growth(unittest.TestCase):
    """The instructions of commands."""

    def test_all(self) -> None:
        """All commands in all directions."""
        wrong = []
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(WORKERS) as pool:
            for direction, (size, writer) in DIRECTIONS.items():
                # What takes the same time for any size does not count.
                paths = [Path(folder) / f"{direction} {times}.parquet" for times in (0, 1, 2)]
                for times, path in enumerate(paths):
                    for of in (path, path.with_suffix(".other")):
                        writer(of, max(size * times, 2))
                commands = [of for of in COMMANDS if ONLY in " ".join([direction, *of]) and fits(of, direction)]
                runs = [[pool.submit(instructions, command, path) for path in paths] for command in commands]
                for command, run in zip(commands, runs, strict=True):
                    none, one, two = [count.result() for count in run]
                    growth = (two - none) / max(one - none, 1)
                    name = f"{direction}: {' '.join(command)}"
                    print(f"{name}: {growth:.2f}, {(one - none) / size:,.0f} each", file=sys.stderr, flush=True)
                    # Less than a thousandth of what the start takes is noise.
                    if growth > MOST and one - none > none / 1000:
                        wrong.append(f"{name}: {growth:.2f}")
        self.assertEqual(wrong, [])


def fits(command: list[str], direction: str) -> bool:
    """Returns whether a command takes such an input."""
    if direction == "files":
        return not any(of in command for of in OF_A_FILE)
    return OF_A_DIRECTORY not in command


if __name__ == "__main__":
    unittest.main()
