"""Reads a whole Parquet file on each command. `compare.py` starts and measures this program.

    read.py LIBRARY FILE THREADS

Input: lines with `read`, or with `write` and a path; the latter writes the last result to an Arrow IPC file. Output: a
line at the start, and one when each command is done.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

# Each function imports its library, so that a process has only the one that it measures.


def with_bytelane(path: str, threads: int) -> Callable[[], Any]:
    from bytelane import parquet

    return lambda: parquet.read_table(path, threads=threads)


def with_views(path: str, threads: int) -> Callable[[], Any]:
    """Has strings as Polars returns them, whatever the file asks for."""
    from bytelane import parquet

    return lambda: parquet.read_table(path, threads=threads, string_type="string_view")


def with_pyarrow(path: str, threads: int) -> Callable[[], Any]:
    import pyarrow
    import pyarrow.parquet

    pyarrow.set_cpu_count(threads)
    return lambda: pyarrow.parquet.read_table(path, use_threads=threads > 1)


def with_duckdb(path: str, threads: int) -> Callable[[], Any]:
    import duckdb

    connection = duckdb.connect(config={"threads": threads})
    return lambda: connection.sql(f"from '{path}'").to_arrow_table()


def with_polars(path: str, threads: int) -> Callable[[], Any]:
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars

    assert polars.thread_pool_size() == threads
    return lambda: polars.read_parquet(path)


def with_memcpy(path: str, threads: int) -> Callable[[], Any]:
    """Copies the buffers of bytelane's table to existing memory: no library can produce the table faster."""
    from concurrent.futures import ThreadPoolExecutor

    import numpy
    import pyarrow
    from bytelane import parquet

    # Copy in parts, so that all threads are busy until the end.
    part = 1 << 20
    table = pyarrow.table(parquet.read_table(path))
    chunks = [chunk for column in table.columns for chunk in column.chunks]
    buffers = {buffer.address: buffer for chunk in chunks for buffer in chunk.buffers() if buffer is not None}
    sources = [numpy.frombuffer(buffer, numpy.uint8) for buffer in buffers.values() if buffer.size > 0]
    sources = [source[start : start + part] for source in sources for start in range(0, len(source), part)]
    copies = [numpy.empty_like(source) for source in sources]
    pool = ThreadPoolExecutor(threads)
    places = range(threads)

    def copy(place: int) -> None:
        for to, source in zip(copies[place::threads], sources[place::threads], strict=True):
            numpy.copyto(to, source)

    def read() -> Any:
        list(pool.map(copy, places))
        return table

    return read


def write(table: Any, path: str) -> None:
    import pyarrow.ipc

    for method in ("to_arrow", "to_pyarrow"):
        table = getattr(table, method)() if hasattr(table, method) else table
    with pyarrow.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def main() -> None:
    library, path, threads = sys.argv[1:]
    openers = {
        "bytelane": with_bytelane,
        "bytelane-views": with_views,
        "pyarrow": with_pyarrow,
        "duckdb": with_duckdb,
        "polars": with_polars,
        "memcpy": with_memcpy,
    }
    read = openers[library](path, int(threads))
    print("ready", flush=True)
    for line in sys.stdin:
        match line.rstrip("\n").split(" ", 1):
            case ["read"]:
                read()
            case ["write", to]:
                write(read(), to)
            case _:
                sys.exit(f"expected `read` or `write PATH`, got {line!r}")
        print("done", flush=True)


if __name__ == "__main__":
    main()
