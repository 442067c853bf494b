"""Compares the speed of libraries that read the rows of TPC-H's lineitem that satisfy a condition, on one core.

    queries.py READER FILE.. [--rounds COUNT] [--only QUERY,..]

READER is the example `time_queries` of bytelane-parquet, built with `--release`; it runs both crates. Each library has
a process of its own for each file and query. Each read ends with all results in memory, as Arrow arrays or as the
library's own rows. All must find the same number of rows. The table shows the medians of CPU seconds in the steady
state, and in brackets the time of the fastest other library divided by bytelane's. `plain` is a read without a
condition, for `everything` and `most`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

ORDER = 3_000_000
RETURNED = ["l_extendedprice", "l_discount"]
Q6: list[tuple[str, str, Any]] = [
    ("l_shipdate", ">=", date(1994, 1, 1)),
    ("l_shipdate", "<", date(1995, 1, 1)),
    ("l_discount", ">=", Decimal("0.05")),
    ("l_discount", "<=", Decimal("0.07")),
    ("l_quantity", "<", Decimal(24)),
]
# Columns, or all, and conditions that must all be true.
QUERIES: dict[str, tuple[list[str] | None, list[tuple[str, str, Any]]]] = {
    "q6": (RETURNED, Q6),
    "lookup": (None, [("l_orderkey", "==", ORDER)]),
    "modes": (RETURNED, [("l_shipmode", "in", ["AIR", "REG AIR"])]),
    "everything": (None, [("l_quantity", ">", Decimal(0))]),
    "most": (None, [("l_quantity", ">", Decimal(1))]),
    "plain": (None, []),
}
LIBRARIES = ["bytelane", "parquet", "pyarrow", "polars", "duckdb"]
# glibc would return memory to the system after each read. The allocators of the other libraries keep it.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
# Reads of a process before the steady state.
FIRST = 2


def with_pyarrow(path: str, query: str) -> Callable[[], int]:
    import pyarrow
    import pyarrow.parquet

    pyarrow.set_cpu_count(1)
    columns, conditions = QUERIES[query]
    read = pyarrow.parquet.read_table
    return lambda: read(path, columns=columns, filters=conditions or None, use_threads=False).num_rows


def with_polars(path: str, query: str) -> Callable[[], int]:
    os.environ["POLARS_MAX_THREADS"] = "1"
    import operator

    import polars

    columns, conditions = QUERIES[query]
    operators: dict[str, Callable[[Any, Any], Any]] = {
        "==": operator.eq, ">=": operator.ge, "<=": operator.le, "<": operator.lt, ">": operator.gt,
        "in": lambda column, values: column.is_in(values),
    }
    tests = [operators[name](polars.col(column), value) for column, name, value in conditions]

    def read() -> int:
        frame = polars.scan_parquet(path).filter(*tests) if tests else polars.scan_parquet(path)
        return frame.select(columns or polars.all()).collect().height

    return read


def with_duckdb(path: str, query: str) -> Callable[[], int]:
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    columns, conditions = QUERIES[query]
    tests = " and ".join(f"{column} {'=' if name == '==' else name} {literal(value)}" for column, name, value in conditions)
    text = f"select {', '.join(columns or ['*'])} from '{path}' {'where ' + tests if tests else ''}"
    return lambda: connection.sql(text).to_arrow_table().num_rows


def literal(value: Any) -> str:
    if isinstance(value, list):
        return "(" + ", ".join(f"'{text}'" for text in value) + ")"
    return f"date '{value}'" if isinstance(value, date) else str(value)


def serve(library: str, path: str) -> None:
    """Reads on command, in a process of its own."""
    openers = {"pyarrow": with_pyarrow, "polars": with_polars, "duckdb": with_duckdb}
    readers: dict[str, Callable[[], int]] = {}
    for line in sys.stdin:
        query = line.rstrip("\n")
        if query not in readers:
            readers[query] = openers[library](path, query)
        print(readers[query](), flush=True)


def measure(reader: Path, library: str, path: str, query: str, rounds: int) -> tuple[int, float] | None:
    """Returns the number of rows, and CPU seconds; None if the library cannot answer."""
    command = [reader, library, path]
    if library not in ("bytelane", "parquet"):
        command = [sys.executable, __file__, "serve", library, path]
    core = max(os.sched_getaffinity(0))
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | KEEP_MEMORY,
        preexec_fn=lambda: os.sched_setaffinity(0, [core]),
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        # Linux's clock of the CPU time of that process.
        clock = ~process.pid << 3 | 2
        times = []
        for _ in range(FIRST + rounds):
            start = time.clock_gettime(clock)
            print(query, file=process.stdin, flush=True)
            answer = process.stdout.readline()
            if not answer:
                return None
            rows = int(answer)
            times.append(time.clock_gettime(clock) - start)
        process.stdin.close()
    return rows, median(times[FIRST:])


def main() -> None:
    if sys.argv[1:2] == ["serve"]:
        return serve(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reader", type=Path)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--rounds", type=int, default=7, help="[default: 7]")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(QUERIES))
    arguments = parser.parse_args()
    for path in arguments.files:
        print(path)
        for query in arguments.only:
            answers = {
                library: measure(arguments.reader, library, path, query, arguments.rounds) for library in LIBRARIES
            }
            measured = {library: answer for library, answer in answers.items() if answer is not None}
            counts = {rows for rows, _ in measured.values()}
            assert len(counts) == 1, f"{query}: {measured}"
            seconds = {library: seconds for library, (_, seconds) in measured.items()}
            best = min(seconds[library] for library in seconds if library != "bytelane")
            shown = ", ".join(f"{library} {taken:.4f}" for library, taken in seconds.items())
            print(f"  {query:10} {counts.pop():8} rows: {shown} ({best / seconds['bytelane']:.2f})", flush=True)


if __name__ == "__main__":
    main()
