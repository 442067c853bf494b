"""Measures how fast bytelane, pyarrow and DuckDB merge many small Parquet files into one, for `compare.py`.

In each round, each way has a process of its own on one core, in turns with the others, which writes row groups of up to
a million rows with Snappy. The inputs are in the system's cache. The results are the median CPU time after all imports,
the memory beyond what the process had before, and the size of the output.

`merge` moves pages; `merge, fresh` decodes and encodes all values, so that the output is as small as if all rows had
been written at once. `read and write` reads all files into one table and writes it. Before anything is measured, every
output must have the same rows as the inputs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from process import Measured, medians

START = """
import os, resource, sys, time
from pathlib import Path
def memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(field))
source, output = sys.argv[1:]
files = sorted(str(path) for path in Path(source).iterdir())
"""

END = """
before = memory("VmRSS:")
time.sleep(0.05)
cpu, wall = time.process_time(), time.perf_counter()
run()
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
print(cpu, wall, memory("VmHWM:") - before)
"""

MERGE = """
from bytelane import parquet
def run():
    parquet.merge(files, output)
"""

FRESH = """
from bytelane import parquet
def run():
    parquet.merge(files, output, pages="fresh")
"""

READ_AND_WRITE = """
from bytelane import parquet
def run():
    parquet.write_table(parquet.read_table(files, threads=1), output, compression="snappy", threads=1)
"""

PYARROW = """
import pyarrow as pa, pyarrow.dataset as ds, pyarrow.parquet as pq
pa.set_cpu_count(1); pa.set_io_thread_count(1)
def run():
    dataset = ds.dataset(files, format="parquet")
    with pq.ParquetWriter(output, dataset.schema) as writer:
        batches, rows = [], 0
        for batch in dataset.to_batches(use_threads=False, batch_size=1 << 17):
            if rows + batch.num_rows > 1 << 20:
                writer.write_table(pa.Table.from_batches(batches), row_group_size=1 << 20)
                batches, rows = [], 0
            batches.append(batch); rows += batch.num_rows
        writer.write_table(pa.Table.from_batches(batches), row_group_size=1 << 20)
"""

DUCKDB = """
import duckdb
duckdb.sql("set threads = 1")
def run():
    duckdb.sql(
        f"copy (from read_parquet('{source}/*.parquet')) to '{output}' "
        "(format parquet, compression snappy, row_group_size 1048576)"
    )
"""


# Number of columns of the files, counting members of nested ones.
COLUMNS = 10


class Way(NamedTuple):
    """Program that merges files; the first one is compared with the others."""

    library: str
    name: str
    program: str


WAYS = [
    Way("bytelane", "merge", MERGE),
    Way("bytelane", "merge, fresh", FRESH),
    Way("bytelane", "read and write", READ_AND_WRITE),
    Way("pyarrow", "dataset", PYARROW),
    Way("duckdb", "COPY", DUCKDB),
]


class Set(NamedTuple):
    """Files to merge."""

    key: str
    name: str
    count: int
    size: int
    dictionaries: bool


SETS = [
    Set("small", "1,000 files of 100 kB", 1000, 100_000, True),
    Set("medium", "100 files of 1 MB", 100, 1_000_000, True),
    Set("plain", "200 files of 200 kB without dictionaries", 200, 200_000, False),
]


def table(rows: int, seed: int) -> pa.Table:
    """Returns numbers with few and many distinct values, strings, times, lists and structs."""
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


def make(directory: Path, of: Set) -> None:
    """Writes the files of a set."""
    directory.mkdir()
    probe = directory / "probe"
    pq.write_table(table(4000, 0), probe, use_dictionary=of.dictionaries)
    rows = max(1, 4000 * of.size // probe.stat().st_size)
    probe.unlink()
    for number in range(of.count):
        path = directory / f"{number:05}.parquet"
        pq.write_table(table(rows, number), path, use_dictionary=of.dictionaries, write_page_index=not of.dictionaries)


def command(program: str, directory: Path, output: Path) -> list[str]:
    """Returns a command that merges the files of a directory and prints how long it took."""
    return [sys.executable, "-c", START + program + END, str(directory), str(output)]


def on_one_core() -> None:
    os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])


def measured(arguments: list[str]) -> tuple[float, int]:
    """Runs a process on one core, and returns its CPU time in seconds and peak memory in bytes."""
    process = subprocess.Popen(arguments, preexec_fn=on_one_core, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{arguments[:2]} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def run(way: Way, directory: Path, output: Path) -> tuple[Measured, int]:
    """Merges the files of a directory in a process on one core. Returns what it took, and the size of the output."""
    output.unlink(missing_ok=True)
    arguments = command(way.program, directory, output)
    process = subprocess.run(arguments, preexec_fn=on_one_core, stdout=subprocess.PIPE, text=True, check=True)
    return Measured(*map(float, process.stdout.split())), output.stat().st_size


def check(way: Way, output: Path, expected: pa.Table) -> None:
    """Exits if an output has other rows."""
    if not pq.read_table(output).cast(expected.schema).equals(expected):
        sys.exit(f"{way.library}, {way.name}: the output has other rows than the inputs")


def measure(of: Set, directory: Path, rounds: int) -> tuple[int, int, list[tuple[Measured, int]]]:
    """Returns the number of rows and the size of the inputs, and the medians and the size of the output of all ways."""
    inputs, output = directory / of.key, directory / "out.parquet"
    make(inputs, of)
    paths = sorted(inputs.iterdir())
    expected = pa.concat_tables([pq.read_table(path) for path in paths])
    sizes = []
    for way in WAYS:
        sizes.append(run(way, inputs, output)[1])
        check(way, output, expected)
    rows = expected.num_rows
    del expected
    results = [[run(way, inputs, output)[0] for way in WAYS] for _ in range(rounds)]
    measured = [medians(list(runs)) for runs in zip(*results, strict=True)]
    return rows, sum(path.stat().st_size for path in paths), list(zip(measured, sizes, strict=True))


def quick(of: Set) -> Set:
    """Returns a set of a few small files."""
    return of._replace(count=3, size=20_000)
