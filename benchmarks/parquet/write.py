"""Writes a table to a Parquet file on each command. `compare.py` starts and measures this program.

    write.py LIBRARY TABLE THREADS COMPRESSION

TABLE is a Parquet file; the library gets the rows in its own kind of table before anything is measured. COMPRESSION is `none` or
`zstd:1`, the default of bytelane. Input: lines with the path
to write to. Output: a line at the start, and one for each file that is complete.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

# Each function imports its library, so that a process has only the one that it measures, and pyarrow where that holds the rows.
# But for the compression, all have their defaults.

Write = Callable[[str], object]


def with_bytelane(path: str, threads: int, codec: str, level: int | None) -> Write:
    import pyarrow.parquet
    from bytelane import parquet

    table = pyarrow.parquet.read_table(path)
    return lambda to: parquet.write_table(table, to, compression=codec, compression_level=level, threads=threads)


def with_pyarrow(path: str, threads: int, codec: str, level: int | None) -> Write:
    import pyarrow
    import pyarrow.parquet

    # It writes with one thread, whatever this number.
    pyarrow.set_cpu_count(threads)
    table = pyarrow.parquet.read_table(path)
    return lambda to: pyarrow.parquet.write_table(table, to, compression=codec, compression_level=level)


def with_duckdb(path: str, threads: int, codec: str, level: int | None) -> Write:
    import duckdb

    connection = duckdb.connect(config={"threads": threads})
    connection.execute(f"create table rows as from '{path}'")
    codec = "uncompressed" if codec == "none" else codec
    options = f"format parquet, compression {codec}" + ("" if level is None else f", compression_level {level}")
    return lambda to: connection.execute(f"copy rows to '{to}' ({options})")


def with_polars(path: str, threads: int, codec: str, level: int | None) -> Write:
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars

    assert polars.thread_pool_size() == threads
    table = polars.read_parquet(path)
    codec = "uncompressed" if codec == "none" else codec
    return lambda to: table.write_parquet(to, compression=codec, compression_level=level)


def main() -> None:
    library, path, threads, compression = sys.argv[1:]
    codec, _, level = compression.partition(":")
    openers = {"bytelane": with_bytelane, "pyarrow": with_pyarrow, "duckdb": with_duckdb, "polars": with_polars}
    write = openers[library](path, int(threads), codec, int(level) if level else None)
    print("ready", flush=True)
    for line in sys.stdin:
        write(line.rstrip("\n"))
        print("done", flush=True)


if __name__ == "__main__":
    main()
