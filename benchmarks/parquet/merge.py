"""Compares how fast many small Parquet files become one, by `bytelane merge`, pyarrow and DuckDB.

    merge.py BYTELANE [--files COUNT] [--bytes SIZE] [--rounds COUNT] [--keep DIRECTORY]

BYTELANE is the command, built with `cargo build --release -p bytelane-cli`. Each program runs on one core, in a process of
its own, and writes row groups of up to a million rows with Snappy. The inputs are in the system's cache. Prints the best
CPU time of all rounds, the peak memory and the size of the output, as a Markdown table.

`--pages fresh` decodes and encodes all values with bytelane's reader and writer, and is as small as if all rows had been written at once. If
the Python package of bytelane is installed, its reader and writer make one table of all files as well.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 1 << 20

PYARROW = """
import sys, pyarrow as pa, pyarrow.dataset as ds
pa.set_cpu_count(1); pa.set_io_thread_count(1)
import pyarrow.parquet as pq
source = ds.dataset(sys.argv[1], format="parquet")
with pq.ParquetWriter(sys.argv[2], source.schema) as writer:
    batches, rows = [], 0
    def flush():
        global batches, rows
        if batches:
            writer.write_table(pa.Table.from_batches(batches), row_group_size=1 << 20)
        batches, rows = [], 0
    for batch in source.to_batches(use_threads=False, batch_size=1 << 17):
        if rows + batch.num_rows > 1 << 20:
            flush()
        batches.append(batch); rows += batch.num_rows
    flush()
"""

DUCKDB = """
import sys, duckdb
duckdb.sql("set threads = 1")
duckdb.sql(
    f"copy (from read_parquet('{sys.argv[1]}/*.parquet')) to '{sys.argv[2]}' "
    "(format parquet, compression snappy, row_group_size 1048576)"
)
"""

BYTELANE = """
import sys
from pathlib import Path
from bytelane import parquet
files = sorted(str(path) for path in Path(sys.argv[1]).iterdir())
parquet.write_table(parquet.read_table(files, threads=1), sys.argv[2], compression="snappy")
"""


def table(rows: int, seed: int) -> pa.Table:
    """Numbers with few and many distinct values, strings, times, lists and structs."""
    random = np.random.default_rng(seed)
    kinds = random.integers(0, 50, rows)
    lengths = random.integers(0, 4, rows)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    start = 1_700_000_000_000_000 + seed * rows * 1_000_000
    return pa.table(
        {
            "id": pa.array(np.arange(seed * rows, (seed + 1) * rows)),
            "time": pa.array(start + np.arange(rows) * 1_000_000, pa.timestamp("us")),
            "price": pa.array(np.round(random.normal(100, 15, rows), 2)),
            "count": pa.array(random.integers(0, 1000, rows).astype(np.int32)),
            "kind": pa.array([None if kind == 7 else f"kind {kind}" for kind in kinds]),
            "user": pa.array([f"user-{number:05}" for number in random.integers(0, 20_000, rows)]),
            "flag": pa.array(kinds % 3 == 0),
            "tags": pa.ListArray.from_arrays(offsets, pa.array(random.integers(0, 100, offsets[-1]).astype(np.int32))),
            "place": pa.StructArray.from_arrays(
                [pa.array(random.integers(0, 90, rows)), pa.array([f"city {kind}" for kind in kinds])], ["x", "city"]
            ),
        }
    )


def make(directory: Path, count: int, size: int) -> None:
    """Writes files of about so many bytes."""
    probe = directory / "probe"
    pq.write_table(table(4000, 0), probe)
    rows = max(1, 4000 * size // probe.stat().st_size)
    probe.unlink()
    for number in range(count):
        pq.write_table(table(rows, number), directory / f"{number:05}.parquet")


def measured(arguments: list[str]) -> tuple[float, int]:
    """CPU time in seconds, and peak memory in bytes, of a process on one core."""

    def on_one_core() -> None:
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])

    process = subprocess.Popen(arguments, preexec_fn=on_one_core, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{arguments[:2]} failed")
    assert isinstance(usage, resource.struct_rusage)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bytelane")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--bytes", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = arguments.keep or Path(temporary) / "in"
        if not directory.exists():
            directory.mkdir()
            make(directory, arguments.files, arguments.bytes)
        before = sum(path.stat().st_size for path in directory.iterdir())
        output = Path(temporary) / "out.parquet"
        ways: dict[str, list[str]] = {
            "bytelane merge": [arguments.bytelane, "merge", str(directory), str(output)],
            "bytelane merge --pages fresh": [
                *[arguments.bytelane, "merge", str(directory), str(output)],
                *["--pages", "fresh"],
            ],
            "pyarrow, dataset": [sys.executable, "-c", PYARROW, str(directory), str(output)],
            "DuckDB, COPY": [sys.executable, "-c", DUCKDB, str(directory), str(output)],
        }
        if importlib.util.find_spec("bytelane"):
            ways["bytelane, read and write"] = [sys.executable, "-c", BYTELANE, str(directory), str(output)]
        print(f"{len(list(directory.iterdir()))} files, {before / 1e6:.1f} MB\n")
        print("| | CPU time, s | times as fast | peak, MB | output, MB |\n|---|--:|--:|--:|--:|")
        first = None
        for name, command in ways.items():
            runs = [measured(command) for _ in range(arguments.rounds)]
            seconds, peak = min(runs)[0], max(run[1] for run in runs)
            first = first or seconds
            size = output.stat().st_size / 1e6
            print(f"| {name} | {seconds:.2f} | {seconds / first:.1f} | {peak / 1e6:.0f} | {size:.1f} |", flush=True)


if __name__ == "__main__":
    main()
