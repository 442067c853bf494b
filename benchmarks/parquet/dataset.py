"""Compares the speed of `bytelane dataset`, pyarrow, DuckDB and deltalake with data sets of many Parquet files.

    dataset.py BYTELANE [--files COUNT] [--bytes SIZE] [--rounds COUNT] [--keep DIRECTORY] [--only NAME..]

BYTELANE is the command, built with `cargo build --release -p bytelane-cli`, or "python -m bytelane". Each program runs
on one core, in a process of its own; the files are those of merge.py and in the system's cache. Prints the best CPU
time of all rounds and the peak memory, as a Markdown table. `--only` measures the rows with these names;
a run needs its plan.

`bytelane merge` is one call of the library, which compares nothing by default, and every value with --verify. The rows
`run, rewritten` and `rewrite in a loop` re-encode each file, and compare every value; the second is a loop over the
functions of the library, without a journal, and needs the Python package. deltalake compacts a table of the same files.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from merge import DUCKDB, PYARROW, Set, command, make, measured

DELTALAKE = """
from deltalake import DeltaTable
def run():
    DeltaTable(source).optimize.compact(target_size=256 << 20, max_concurrent_tasks=1)
"""

LOOP = """
from bytelane import parquet
def run():
    os.mkdir(output)
    for file in files:
        parquet.rewrite(file, os.path.join(output, os.path.basename(file)), verify=True)
"""

# Makes a table of Delta Lake of the files in a directory, in a process of its own.
CONVERT = "import sys, deltalake; deltalake.convert_to_deltalake(sys.argv[1])"


class Way(NamedTuple):
    """Program to measure."""

    name: str
    arguments: list[str]
    before: Callable[[], None] = lambda: None


def removed(path: Path) -> None:
    """Removes a file or a directory, if it exists."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def make_table(directory: Path, table: Path) -> None:
    """Makes a table of links to files."""
    removed(table)
    table.mkdir()
    for file in directory.iterdir():
        os.link(file, table / file.name)
    subprocess.run([sys.executable, "-c", CONVERT, str(table)], check=True)


def ways(bytelane: list[str], directory: Path, temporary: Path, size: int) -> list[Way]:
    """Returns the programs, in an order in which each finds what it needs."""
    new, output, table = temporary / "new", temporary / "out.parquet", temporary / "table"
    each = temporary / "each"
    plans = {name: temporary / f"{name}.json" for name in ["merged", "encoded", "rewritten"]}

    def plan(name: str, *options: str) -> list[str]:
        return [*bytelane, "dataset", "plan", str(directory), "--output", str(plans[name]), *options]

    def run(name: str) -> list[str]:
        return [*bytelane, "dataset", "run", "--out", str(new), str(plans[name])]

    merge = [*bytelane, "merge", str(directory), str(output), "--force"]
    start = lambda: removed(new)  # noqa: E731
    return [
        Way("plan without a sample", plan("merged", "--sample-files", "0")),
        Way("run, merged", run("merged"), start),
        Way("run again", run("merged")),
        Way("verify", [*bytelane, "dataset", "verify", str(directory), str(new)]),
        Way("plan", plan("encoded")),
        Way("run, merged and re-encoded", run("encoded"), start),
        Way("plan for files of this size", plan("rewritten", "--file-size", str(size))),
        Way("run, rewritten", run("rewritten"), start),
        Way("rewrite in a loop", command(LOOP, directory, each), lambda: removed(each)),
        Way("bytelane merge", merge),
        Way("bytelane merge --verify", [*merge, "--verify"]),
        Way("pyarrow, dataset", command(PYARROW, directory, output)),
        Way("DuckDB, COPY", command(DUCKDB, directory, output)),
        Way("deltalake, compact", command(DELTALAKE, table, output), lambda: make_table(directory, table)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bytelane", type=shlex.split)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--bytes", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", nargs="+", default=[])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.keep and arguments.keep.parent) as temporary:
        directory = arguments.keep or Path(temporary) / "in"
        if not directory.exists():
            make(directory, Set("", "", arguments.files, arguments.bytes, dictionaries=True))
        count = len(list(directory.iterdir()))
        before = sum(path.stat().st_size for path in directory.iterdir())
        print(f"{count} files, {before / 1e6:.1f} MB\n")
        print("| | CPU time, s | per file, ms | peak, MB |\n|---|--:|--:|--:|")
        all_ways = ways(arguments.bytelane, directory, Path(temporary), arguments.bytes)
        for name, way, start in all_ways:
            if arguments.only and name not in arguments.only:
                continue
            runs = []
            for _ in range(arguments.rounds):
                start()
                runs.append(measured(way))
            seconds, peak = min(runs)[0], max(run[1] for run in runs)
            print(f"| {name} | {seconds:.2f} | {1000 * seconds / count:.2f} | {peak / 1e6:.0f} |", flush=True)


if __name__ == "__main__":
    main()
