"""Measures libraries that read the rows of TPC-H's lineitem that satisfy a condition, on one core, for `compare.py`.

The example `time_queries` of bytelane-parquet runs both crates; this file, started with `serve LIBRARY FILE`, runs the
Python packages. Each library has a process of its own for each query. Each read ends with all results in memory, as
Arrow arrays or as the library's own rows. The result is the median of CPU seconds in the steady state. `plain` is a read
without a condition, for `everything` and `most`.
"""

from __future__ import annotations

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


if __name__ == "__main__":
    serve(*sys.argv[2:])
