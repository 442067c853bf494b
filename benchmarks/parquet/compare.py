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
two regimes, uncompressed and with zstd at level 1: `write.py`. The size is that of the file that each writes, and the peak memory is
beyond that of the table. Each library has one process per table, and writes of two seconds, or seven writes, are enough for the
steady state, so that this part takes six minutes.

In the part `merging`, the Python packages merge many small files into one, each time in a new process: `merge.py`.

The part `queries` reads the rows of lineitem that satisfy a condition, in the steady state: `queries.py`. PROGRAM is the
example `time_queries` of bytelane-parquet.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import files
import merge
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import queries

ROOT = Path(__file__).parents[2]
PYTHON_READER = Path(__file__).with_name("read.py")
PYTHON_WRITER = Path(__file__).with_name("write.py")

# Names of the libraries here, and of their packages.
OF_RUST = {"bytelane": "bytelane-parquet", "parquet": "parquet", "pages": "parquet"}
OF_PYTHON = {"pyarrow": "pyarrow", "duckdb": "duckdb", "polars": "polars"}
# The crate `parquet` reads with one thread.
WITH_THREADS = ["bytelane", "pyarrow", "duckdb", "polars"]

# Not a library but an upper limit: copies an existing table with numpy.
ROOF = "memcpy"

# The Python package, with strings as views.
VIEWS = "bytelane-views"

# glibc would return memory to the system after each read. The allocators of the other libraries keep it.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}

HEADER = [
    "column", "encoding", "compression", "rows", "values", "file_bytes", "threads", "library", "version",
    "cpu_seconds", "wall_seconds", "peak_bytes", "cpu", "regime",
]

# Reads and writes of a process after its first one, in its steady state.
STEADY = 7
# Minimum number of writes in the steady state, and seconds after which they are enough.
FEWEST_WRITES = 2
SECONDS_OF_WRITES = 2.0
# What the record adds to the name of a table that is written, not read.
WRITTEN = ", written"
# What the record adds to the name of files that are merged.
MERGED = ", merged"
# What the record adds to the name of a query.
QUERIED = ", query"


class Workload(NamedTuple):
    """File with its description in the record."""

    column: str
    encoding: str
    compression: str
    path: Path
    rows: int
    values: int


class Measured(NamedTuple):
    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int


class Process:
    """Process of a library that reads one file, or writes its rows."""

    def __init__(
        self, library: str, reader: Path, path: Path, threads: int, *, as_package: bool = False, writes: str = ""
    ) -> None:
        arguments = [library, path, str(threads), *([writes] if writes else [])]
        command = [reader, *arguments]
        if library in OF_PYTHON or as_package and library in ("bytelane", VIEWS, ROOF):
            command = [sys.executable, PYTHON_WRITER if writes else PYTHON_READER, *arguments]
        cores = sorted(os.sched_getaffinity(0), reverse=True)[:threads]
        assert len(cores) == threads, f"{threads} threads need as many cores"
        self.library = library
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | ({} if as_package else KEEP_MEMORY),
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        self.wait_for("ready")
        self.times: list[tuple[float, float]] = []
        self.peak_bytes = 0

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        with self.process:
            assert self.process.stdin is not None
            self.process.stdin.close()

    def wait_for(self, answer: str) -> None:
        assert self.process.stdout is not None
        got = self.process.stdout.readline().rstrip("\n")
        if got != answer:
            sys.exit(f"{self.library} stopped: see its message above")

    def ask(self, line: str) -> None:
        assert self.process.stdin is not None
        print(line, file=self.process.stdin, flush=True)
        self.wait_for("done")

    def memory(self, field: str) -> int:
        """Returns bytes of memory: `VmRSS` is the current amount, `VmHWM` the peak."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        [kibibytes] = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
        return int(kibibytes) << 10

    def read_first(self) -> None:
        before = self.memory("VmRSS")
        self.ask("read")
        self.peak_bytes = self.memory("VmHWM") - before

    def read(self) -> None:
        self.time("read")

    def time(self, line: str) -> None:
        # Linux's clock of the CPU time of that process.
        clock = ~self.process.pid << 3 | 2
        start = time.clock_gettime(clock), time.perf_counter()
        self.ask(line)
        self.times.append((time.clock_gettime(clock) - start[0], time.perf_counter() - start[1]))

    def measured(self) -> Measured:
        cpu, wall = (median(column) for column in zip(*self.times, strict=True))
        return Measured(cpu, wall, self.peak_bytes)


def check(process: Process, path: Path, expected: Any) -> None:
    """Checks that the library reads the same values, in any Arrow types."""
    written = path.with_suffix(".arrow")
    process.ask(f"write {written}")
    with pa.memory_map(str(written)) as source:
        read = pa.ipc.open_file(source).read_all()
        assert read.column_names == expected.column_names, process.library
        for name, column in zip(expected.column_names, expected.columns, strict=True):
            assert read[name].cast(column.type).equals(column), f"{process.library} reads other values of {name}"
    written.unlink()


Subject = tuple[str, int]
"""Library and number of threads."""

ALONE: list[Subject] = [(library, 1) for library in [*OF_RUST, *OF_PYTHON]]


def measure(path: Path, subjects: list[Subject], reader: Path, rounds: int) -> list[Measured]:
    expected = pq.read_table(path)
    with ExitStack() as stack:
        processes = [stack.enter_context(Process(library, reader, path, threads)) for library, threads in subjects]
        for process in processes:
            process.read_first()
        for process in processes:
            if process.library != "pages":
                check(process, path, expected)
        for _ in range(rounds):
            for process in processes:
                process.read()
        return [process.measured() for process in processes]


def measure_regimes(
    path: Path, subjects: list[Subject], reader: Path, rounds: int
) -> dict[str, list[Measured]]:
    """Measures the first read and the steady state of each subject, as users start it."""
    expected = pq.read_table(path)
    first: list[list[Measured]] = [[] for _ in subjects]
    steady: list[list[Measured]] = [[] for _ in subjects]
    for number in range(rounds):
        for (library, threads), firsts, steadies in zip(subjects, first, steady, strict=True):
            with Process(library, reader, path, threads, as_package=True) as process:
                before = process.memory("VmRSS")
                for read in range(1 + STEADY):
                    process.read()
                    if read == 0:
                        first_peak = process.memory("VmHWM") - before
                firsts.append(Measured(*process.times[0], first_peak))
                best = [min(column) for column in zip(*process.times[1:], strict=True)]
                steadies.append(Measured(*best, process.memory("VmHWM") - before))
                if number == 0:
                    check(process, path, expected)
    regimes = {"first": first, "steady": steady}
    return {name: [medians(of_one) for of_one in measured] for name, measured in regimes.items()}


def measure_writing(
    path: Path, compression: str, subjects: list[Subject], writer: Path, directory: Path
) -> Iterator[tuple[Subject, int, dict[str, Measured]]]:
    """The size of the file of each subject, and its first write and steady state. All files have the same rows."""
    expected = pq.read_table(path)
    written = directory / "new.parquet"
    for library, threads in subjects:
        with Process(library, writer, path, threads, as_package=True, writes=compression) as process:
            # The peak so far is that of reading the table.
            Path(f"/proc/{process.process.pid}/clear_refs").write_text("5")
            before = process.memory("VmRSS")
            process.time(str(written))
            first = Measured(*process.times[0], process.memory("VmHWM") - before)
            start = time.perf_counter()
            for number in range(STEADY):
                if number >= FEWEST_WRITES and time.perf_counter() - start > SECONDS_OF_WRITES:
                    break
                process.time(str(written))
            best = [min(column) for column in zip(*process.times[1:], strict=True)]
            steady = Measured(*best, process.memory("VmHWM") - before)
        check_written(library, written, expected)
        yield (library, threads), written.stat().st_size, {"first": first, "steady": steady}
    written.unlink()


def check_written(library: str, path: Path, expected: Any) -> None:
    read = pq.read_table(path)
    assert read.column_names == expected.column_names, library
    for name, column in zip(expected.column_names, expected.columns, strict=True):
        assert read[name].cast(column.type).equals(column), f"{library} writes other values of {name}"


def medians(measured: list[Measured]) -> Measured:
    return Measured(*map(median, zip(*measured, strict=True)))


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


Report = Callable[[Workload, list[Subject]], None]


def compare_columns(directory: Path, values: int, report: Report) -> None:
    path = directory / "column.parquet"
    for number, column in enumerate(files.COLUMNS):
        array = column.values(np.random.default_rng(number), values)
        array = array if isinstance(array, pa.Array) else pa.array(array)
        for compression in files.COMPRESSIONS:
            files.write_column(column, array, compression, path)
            report(Workload(column.name, column.encoding, compression, path, len(array), values), ALONE)


def compare_tables(directory: Path, scale: float, report: Report) -> None:
    cores = len(os.sched_getaffinity(0))
    for name, writer, path in files.write_tables(scale, directory):
        footer = pq.read_metadata(path)
        rows, values = footer.num_rows, footer.num_rows * footer.num_columns
        compression = footer.row_group(0).column(0).compression.lower()
        compression = "none" if compression == "uncompressed" else compression
        workload = Workload(name, f"{writer}'s defaults", compression, path, rows, values)
        report(workload, [*(subject for subject in ALONE if subject[0] != "pages"), (VIEWS, 1), (ROOF, 1)])
        if cores > 1:
            report(workload, [(library, cores) for library in [*WITH_THREADS, VIEWS, ROOF]])


def compare_queries(directory: Path, scale: float, program: Path, rounds: int) -> list[tuple[str, int, int, str, float]]:
    """Returns the name of each query, the size of the file, the number of rows, and the CPU time of each library."""
    path = files.write_lineitem(scale, directory)
    measured = []
    for query in queries.QUERIES:
        print(query, file=sys.stderr, flush=True)
        answers = {library: queries.measure(program, library, str(path), query, rounds) for library in queries.LIBRARIES}
        assert len({answer and answer[0] for answer in answers.values()}) == 1, f"{query}: {answers}"
        for library, answer in answers.items():
            assert answer is not None, f"{library} stopped at {query}"
            measured.append((query, path.stat().st_size, answer[0], library, answer[1]))
    return measured


ReportWriting = Callable[[str, str, Path, list[Subject]], None]

WRITTEN_COMPRESSIONS = ["none", "zstd:1"]
WRITERS: list[Subject] = [subject for subject in ALONE if subject[0] != "pages"]


def compare_writing(directory: Path, scale: float, values: int, report: ReportWriting) -> None:
    cores = len(os.sched_getaffinity(0))
    path = directory / "rows.parquet"
    for name in files.TABLES:
        pq.write_table(files.without_views(pq.read_table(files.generate(name, scale, directory))), path)
        for compression in WRITTEN_COMPRESSIONS:
            report(name, compression, path, WRITERS)
            if cores > 1:
                report(name, compression, path, [(library, cores) for library in WITH_THREADS])
    # Encodings of the columns play no part here.
    columns = {column.name: column for column in files.COLUMNS}
    for number, column in enumerate(columns.values()):
        array = column.values(np.random.default_rng(number), values)
        pq.write_table(pa.table({"x": array}), path)
        for compression in WRITTEN_COMPRESSIONS:
            report(column.name, compression, path, WRITERS)


ReportMerging = Callable[[merge.Set, int, int, list[merge.Merged]], None]


def compare_merging(directory: Path, rounds: int, report: ReportMerging) -> None:
    for of in merge.SETS:
        print(of.name, "merged", file=sys.stderr, sep=", ", flush=True)
        with TemporaryDirectory(dir=directory) as own:
            report(of, *merge.measure(of if rounds > 1 else merge.quick(of), Path(own), rounds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reader", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--queries", type=Path, metavar="PROGRAM", help="needed for the part `queries`, which is skipped otherwise")
    parser.add_argument("--rounds", type=int, default=11, help="of the columns [default: 11]")
    parser.add_argument("--quick", action="store_true", help="small files and one round, to see that everything runs")
    parser.add_argument("--only", choices=["columns", "tables", "writing", "merging", "queries"])
    arguments = parser.parse_args()
    known, cpu = versions(), cpu_name()
    # Has a line as soon as it is measured, so that an interruption keeps it.
    beside = arguments.output.with_suffix(".incomplete")
    with TemporaryDirectory() as directory, beside.open("w", newline="", buffering=1) as output:
        writer = csv.writer(output, lineterminator="\n")
        writer.writerow(HEADER)

        def add(workload: Workload, size: int, subject: Subject, measured: Measured, regime: str = "") -> None:
            """Writes a row for a file that has, or that was written with, this size."""
            about = [*workload[:3], workload.rows, workload.values, size, subject[1], subject[0], known[subject[0]]]
            writer.writerow([*about, *measured, cpu, regime])

        def report(workload: Workload, subjects: list[Subject]) -> None:
            print(*workload[:3], file=sys.stderr, sep=", ", flush=True)
            rounds = 1 if arguments.quick else arguments.rounds
            size = workload.path.stat().st_size
            results = measure(workload.path, subjects, arguments.reader, rounds)
            for subject, measured in zip(subjects, results, strict=True):
                add(workload, size, subject, measured)

        def report_regimes(workload: Workload, subjects: list[Subject]) -> None:
            print(*workload[:3], f"{subjects[0][1]} threads", file=sys.stderr, sep=", ", flush=True)
            size = workload.path.stat().st_size
            regimes = measure_regimes(workload.path, subjects, arguments.reader, 1 if arguments.quick else 3)
            for regime, results in regimes.items():
                for subject, measured in zip(subjects, results, strict=True):
                    add(workload, size, subject, measured, regime)

        def report_writing(name: str, compression: str, path: Path, subjects: list[Subject]) -> None:
            print(name, "written", compression, f"{subjects[0][1]} threads", file=sys.stderr, sep=", ", flush=True)
            footer = pq.read_metadata(path)
            rows, values = footer.num_rows, footer.num_rows * footer.num_columns
            workload = Workload(name + WRITTEN, "defaults", compression, path, rows, values)
            for subject, size, regimes in measure_writing(path, compression, subjects, arguments.reader, Path(directory)):
                for regime, measured in regimes.items():
                    add(workload, size, subject, measured, regime)

        def report_merging(of: merge.Set, rows: int, before: int, results: list[merge.Merged]) -> None:
            name = f"{of.name}, {before / 1e6:.1f} MB" + MERGED
            for way, merged in zip(merge.WAYS, results, strict=True):
                workload = Workload(name, way.name, "snappy", Path(directory), rows, rows * merge.COLUMNS)
                add(workload, round(merged.output_bytes), (way.library, 1), Measured(*merged[:3]), "first")

        def report_queries() -> None:
            if arguments.queries is None:
                return
            rounds = 1 if arguments.quick else 7
            for query, size, rows, library, seconds in compare_queries(Path(directory), scale, arguments.queries, rounds):
                workload = Workload(query + QUERIED, "pyarrow's defaults", "snappy", Path(directory), rows, rows)
                add(workload, size, (library, 1), Measured(seconds, seconds, 0), "steady")

        scale = 0.01 if arguments.quick else 1.0
        count = 40_000 if arguments.quick else files.VALUES
        parts = {
            "columns": lambda: compare_columns(Path(directory), count, report),
            "tables": lambda: compare_tables(Path(directory), scale, report_regimes),
            "writing": lambda: compare_writing(Path(directory), scale, count, report_writing),
            "merging": lambda: compare_merging(Path(directory), 1 if arguments.quick else 5, report_merging),
            "queries": report_queries,
        }
        for part, compare in parts.items():
            if arguments.only in (None, part):
                compare()
    # The record appears only when it is complete.
    beside.rename(arguments.output)


if __name__ == "__main__":
    main()
