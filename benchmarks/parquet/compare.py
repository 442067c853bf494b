"""Compares the speed and memory use of libraries that read whole Parquet files to Arrow arrays and write them.

    compare.py READER OUTPUT [--queries PROGRAM] [--rounds COUNT] [--quick]
               [--only {columns,tables,writing,merging,queries}]

READER is the program of `peers/parquet`, and OUTPUT is the CSV to write. `cargo xtask record CPU --only parquet` builds
the former and stores the latter.

For each file, each library has a process of its own on one core, which reads the file on command. Before anything is
measured, each process must have read the same values as pyarrow. In each round, every process reads the file once; the
medians count. The peak memory is that of the first read, minus the memory that the process had before.

All results are kept until the end of the file, and freed before the next round; allocators keep the memory. `pages` is
not a library: it reads and decompresses all pages with the crate `parquet`, but decodes none.

The tables are read as users read them: bytelane is the Python package, and allocators have their default settings. Each
library has several processes, one after the other, in turns with the other libraries. The first read of a process is
one regime; the best of the seven reads after it is the other, the steady state. Medians over the processes count.
`bytelane-views` is bytelane with strings as views, in which form Polars returns them. `memcpy` is not a library: it copies the table that bytelane reads to existing memory, which is the upper limit.

In the part `writing`, the Python packages and the crate `parquet` write the same tables and single columns from memory, in the same
two regimes, uncompressed and with zstd at level 1. The size is that of the file that each writes, and the peak memory is
beyond that of the table. Each library has one process per table, and writes of two seconds, or seven writes, are enough for the
steady state, so that this part takes six minutes.

In the part `merging`, the Python packages merge many small files into one, each time in a new process: `merge.py`.

The part `queries` reads the rows of lineitem that satisfy a condition, on one core: `queries.py`. Each library has a process of
its own for each query; the median of seven reads in the steady state counts. PROGRAM is the example `time_queries` of
bytelane-parquet.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import files
import merge
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
from process import Measured, Process, medians
from queries import QUERIES

ROOT = Path(__file__).parents[2]
SERVER = Path(__file__).with_name("serve.py")

# Names of the libraries here, and of their packages. `pages` decodes nothing.
OF_RUST = {"bytelane": "bytelane-parquet", "parquet": "parquet", "pages": "parquet"}
OF_PYTHON = {"pyarrow": "pyarrow", "duckdb": "duckdb", "polars": "polars"}
# The crate `parquet` reads with one thread.
WITH_THREADS = ["bytelane", "pyarrow", "duckdb", "polars"]

# Not a library but an upper limit: copies an existing table with numpy.
ROOF = "memcpy"

# The Python package, with strings as views.
VIEWS = "bytelane-views"

HEADER = [
    "column", "encoding", "compression", "rows", "values", "file_bytes", "threads", "library", "version",
    "cpu_seconds", "wall_seconds", "peak_bytes", "cpu", "regime",
]

# Reads and writes of a process after its first one, in its steady state.
STEADY = 7
# Reads of a query before the steady state.
FIRST = 2
# Minimum number of writes in the steady state, and seconds after which they are enough.
FEWEST_WRITES = 2
SECONDS_OF_WRITES = 2.0
WRITTEN_COMPRESSIONS = ["none", "zstd:1"]


class Workload(NamedTuple):
    """File with its description in the record."""

    column: str
    encoding: str
    compression: str
    rows: int
    values: int
    file_bytes: int


class Subject(NamedTuple):
    threads: int
    library: str


class Row(NamedTuple):
    workload: Workload
    subject: Subject
    measured: Measured
    regime: str = ""


ALONE = [Subject(1, library) for library in [*OF_RUST, *OF_PYTHON]]
WITHOUT_PAGES = [subject for subject in ALONE if subject.library != "pages"]


def with_all_cores(*libraries: str) -> list[Subject]:
    """Returns subjects with a thread for each core, if there are several."""
    cores = len(os.sched_getaffinity(0))
    return [Subject(cores, library) for library in libraries if cores > 1]


class Run(NamedTuple):
    """How to measure: each part yields its rows."""

    reader: Path
    queries: Path | None
    rounds: int
    quick: bool
    directory: Path

    @property
    def scale(self) -> float:
        return 0.01 if self.quick else 1.0

    @property
    def values(self) -> int:
        return 40_000 if self.quick else files.VALUES

    def start(self, subject: Subject, path: Path, *, as_package: bool, compression: str = "") -> Process:
        """Starts a library, which reads a file, or writes its rows with this compression."""
        arguments = [subject.library, path, str(subject.threads), *filter(None, [compression])]
        command: list[str | Path] = [self.reader, *arguments]
        if subject.library in OF_PYTHON or as_package and subject.library in ("bytelane", VIEWS, ROOF):
            command = [sys.executable, SERVER, "write" if compression else "read", *arguments]
        return Process(command, subject.threads, keeps_memory=not as_package)

    def columns(self) -> Iterator[Row]:
        path = self.directory / "column.parquet"
        for number, column in enumerate(files.COLUMNS):
            array = column.values(np.random.default_rng(number), self.values)
            array = array if isinstance(array, pa.Array) else pa.array(array)
            for compression in files.COMPRESSIONS:
                print(column.name, column.encoding, compression, file=sys.stderr, sep=", ", flush=True)
                files.write_column(column, array, compression, path)
                size = path.stat().st_size
                workload = Workload(column.name, column.encoding, compression, len(array), self.values, size)
                yield from (Row(workload, subject, measured) for subject, measured in self.rounds_of_reads(path))

    def rounds_of_reads(self, path: Path) -> list[tuple[Subject, Measured]]:
        """Returns the medians of all libraries, which take turns on one core."""
        expected = pq.read_table(path)
        with ExitStack() as stack:
            processes = [stack.enter_context(self.start(subject, path, as_package=False)) for subject in ALONE]
            peaks = []
            for process in processes:
                process.ask("read")
                peaks.append(process.peak())
            for subject, process in zip(ALONE, processes, strict=True):
                if subject.library != "pages":
                    check(subject.library, process, path, expected)
            for _ in range(self.rounds):
                for process in processes:
                    process.time("read")
            measured = [
                medians([Measured(*times, peak) for times in process.times])
                for process, peak in zip(processes, peaks, strict=True)
            ]
        return list(zip(ALONE, measured, strict=True))

    def tables(self) -> Iterator[Row]:
        for name, writer, path in files.write_tables(self.scale, self.directory):
            footer = pq.read_metadata(path)
            compression = footer.row_group(0).column(0).compression.lower()
            compression = "none" if compression == "uncompressed" else compression
            values, size = footer.num_rows * footer.num_columns, path.stat().st_size
            workload = Workload(name, f"{writer}'s defaults", compression, footer.num_rows, values, size)
            alone = [*WITHOUT_PAGES, Subject(1, VIEWS), Subject(1, ROOF)]
            for subjects in filter(None, [alone, with_all_cores(*WITH_THREADS, VIEWS, ROOF)]):
                yield from self.regimes(workload, path, subjects)

    def regimes(self, workload: Workload, path: Path, subjects: list[Subject]) -> Iterator[Row]:
        """Measures the first read and the steady state of each subject, as users start it."""
        print(*workload[:3], f"{subjects[0].threads} threads", file=sys.stderr, sep=", ", flush=True)
        expected = pq.read_table(path)
        measured: dict[str, list[list[Measured]]] = {"first": [[] for _ in subjects], "steady": [[] for _ in subjects]}
        for number in range(1 if self.quick else 3):
            for place, subject in enumerate(subjects):
                with self.start(subject, path, as_package=True) as process:
                    process.time("read")
                    measured["first"][place].append(process.first())
                    for _ in range(STEADY):
                        process.time("read")
                    measured["steady"][place].append(process.steady())
                    if number == 0:
                        check(subject.library, process, path, expected)
        for regime, results in measured.items():
            yield from (Row(workload, *row, regime) for row in zip(subjects, map(medians, results), strict=True))

    def writing(self) -> Iterator[Row]:
        path = self.directory / "rows.parquet"
        for name in files.TABLES:
            pq.write_table(files.without_views(pq.read_table(files.generate(name, self.scale, self.directory))), path)
            for compression in WRITTEN_COMPRESSIONS:
                yield from self.written(name, compression, path, [*WITHOUT_PAGES, *with_all_cores(*WITH_THREADS)])
        # Encodings of the columns play no part here.
        columns = {column.name: column for column in files.COLUMNS}
        for number, column in enumerate(columns.values()):
            pq.write_table(pa.table({"x": column.values(np.random.default_rng(number), self.values)}), path)
            for compression in WRITTEN_COMPRESSIONS:
                yield from self.written(column.name, compression, path, WITHOUT_PAGES)

    def written(self, name: str, compression: str, path: Path, subjects: list[Subject]) -> Iterator[Row]:
        """Measures the first write and the steady state of each subject. All files have the same rows."""
        print(name, "written", compression, file=sys.stderr, sep=", ", flush=True)
        expected = pq.read_table(path)
        written = self.directory / "new.parquet"
        for subject in subjects:
            with self.start(subject, path, as_package=True, compression=compression) as process:
                # The peak so far is that of reading the table.
                process.forget_peak()
                process.time(str(written))
                first = process.first()
                start = time.perf_counter()
                for number in range(STEADY):
                    if number >= FEWEST_WRITES and time.perf_counter() - start > SECONDS_OF_WRITES:
                        break
                    process.time(str(written))
                steady = process.steady()
            compare(subject.library, pq.read_table(written), expected)
            rows, size = expected.num_rows, written.stat().st_size
            workload = Workload(f"{name}, written", "defaults", compression, rows, expected.num_columns * rows, size)
            yield Row(workload, subject, first, "first")
            yield Row(workload, subject, steady, "steady")
        written.unlink()

    def merging(self) -> Iterator[Row]:
        for of in merge.SETS:
            print(of.name, "merged", file=sys.stderr, sep=", ", flush=True)
            with TemporaryDirectory(dir=self.directory) as own:
                of = merge.quick(of) if self.quick else of
                rows, before, results = merge.measure(of, Path(own), 1 if self.quick else 5)
            for way, (measured, size) in zip(merge.WAYS, results, strict=True):
                name = f"{of.name}, {before / 1e6:.1f} MB, merged"
                workload = Workload(name, way.name, "snappy", rows, rows * merge.COLUMNS, size)
                yield Row(workload, Subject(1, way.library), measured, "first")

    def querying(self) -> Iterator[Row]:
        if self.queries is None:
            return
        path = files.write_lineitem(self.scale, self.directory)
        for query in QUERIES:
            print(query, file=sys.stderr, flush=True)
            rows = [self.queried(self.queries, query, path, subject) for subject in WITHOUT_PAGES]
            assert len({row.workload.rows for row in rows}) == 1, f"{query}: {rows}"
            yield from rows

    def queried(self, program: Path, query: str, path: Path, subject: Subject) -> Row:
        command: list[str | Path] = [program, subject.library, path]
        if subject.library in OF_PYTHON:
            command = [sys.executable, SERVER, "query", subject.library, path, "1"]
        with Process(command, keeps_memory=True) as process:
            answers = [int(process.time(query)) for _ in range(FIRST + (1 if self.quick else STEADY))]
            cpu, *_ = medians([Measured(*times, 0) for times in process.times[FIRST:]])
        workload = Workload(f"{query}, query", "pyarrow's defaults", "snappy", answers[0], answers[0], path.stat().st_size)
        return Row(workload, subject, Measured(cpu, cpu, 0), "steady")


def check(library: str, process: Process, path: Path, expected: Any) -> None:
    """Checks that the library reads the same values, in any Arrow types."""
    written = path.with_suffix(".arrow")
    process.ask(f"write {written}")
    with pa.memory_map(str(written)) as source:
        compare(library, pa.ipc.open_file(source).read_all(), expected)
    written.unlink()


def compare(library: str, found: Any, expected: Any) -> None:
    assert found.column_names == expected.column_names, library
    for name, column in zip(expected.column_names, expected.columns, strict=True):
        assert found[name].cast(column.type).equals(column), f"{library} has other values of {name}"


def versions() -> dict[str, str]:
    lock = tomllib.loads((ROOT / "peers/Cargo.lock").read_text())
    of_crates = {package["name"]: package["version"] for package in lock["package"]}
    of_rust = {library: of_crates[crate] for library, crate in OF_RUST.items()}
    of_python = OF_PYTHON | {ROOF: "numpy"}
    of_rust[VIEWS] = of_rust["bytelane"]
    return of_rust | {library: version(package) for library, package in of_python.items()}


def cpu_name() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(": ", 1)[1] for line in lines if line.startswith("model name")), platform.machine())


PARTS = {
    "columns": Run.columns,
    "tables": Run.tables,
    "writing": Run.writing,
    "merging": Run.merging,
    "queries": Run.querying,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reader", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--queries", type=Path, metavar="PROGRAM", help="needed for the part `queries`, which is skipped otherwise")
    parser.add_argument("--rounds", type=int, default=11, help="of the columns [default: 11]")
    parser.add_argument("--quick", action="store_true", help="small files and one round, to see that everything runs")
    parser.add_argument("--only", choices=PARTS)
    arguments = parser.parse_args()
    known, cpu = versions(), cpu_name()
    # Has a line as soon as it is measured, so that an interruption keeps it.
    beside = arguments.output.with_suffix(".incomplete")
    with TemporaryDirectory() as directory, beside.open("w", newline="", buffering=1) as output:
        writer = csv.writer(output, lineterminator="\n")
        writer.writerow(HEADER)
        rounds = 1 if arguments.quick else arguments.rounds
        run = Run(arguments.reader, arguments.queries, rounds, arguments.quick, Path(directory))
        for part, measure in PARTS.items():
            if arguments.only in (None, part):
                for workload, subject, measured, regime in measure(run):
                    writer.writerow([*workload, *subject, known[subject.library], *measured, cpu, regime])
    # The record appears only when it is complete.
    beside.rename(arguments.output)


if __name__ == "__main__":
    main()
