"""Writes a table to a Parquet file on each command. `compare.py` starts and measures this program.

    write.py LIBRARY TABLE THREADS

TABLE is a Parquet file; the library gets the rows in its own kind of table before anything is measured. Input: lines with the path
to write to. Output: a line at the start, and one for each file that is complete.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

# Each function imports its library, so that a process has only the one that it measures, and pyarrow where that holds the rows.
# bytelane has its defaults, which are zstd at level 1; the others write with the same compression.

Write = Callable[[str], object]


def with_bytelane(path: str, threads: int) -> Write:
    import pyarrow.parquet
    from bytelane import parquet

    table = pyarrow.parquet.read_table(path)
    return lambda to: parquet.write_table(table, to, threads=threads)


def with_pyarrow(path: str, threads: int) -> Write:
    import pyarrow
    import pyarrow.parquet

    # It writes with one thread, whatever this number.
    pyarrow.set_cpu_count(threads)
    table = pyarrow.parquet.read_table(path)
    return lambda to: pyarrow.parquet.write_table(table, to, compression="zstd", compression_level=1)


def with_duckdb(path: str, threads: int) -> Write:
    import duckdb

    connection = duckdb.connect(config={"threads": threads})
    connection.execute(f"create table rows as from '{path}'")
    options = "format parquet, compression zstd, compression_level 1"
    return lambda to: connection.execute(f"copy rows to '{to}' ({options})")


def with_polars(path: str, threads: int) -> Write:
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars

    assert polars.thread_pool_size() == threads
    table = polars.read_parquet(path)
    return lambda to: table.write_parquet(to, compression="zstd", compression_level=1)


def main() -> None:
    library, path, threads = sys.argv[1:]
    openers = {"bytelane": with_bytelane, "pyarrow": with_pyarrow, "duckdb": with_duckdb, "polars": with_polars}
    write = openers[library](path, int(threads))
    print("ready", flush=True)
    for line in sys.stdin:
        write(line.rstrip("\n"))
        print("done", flush=True)


if __name__ == "__main__":
    main()
