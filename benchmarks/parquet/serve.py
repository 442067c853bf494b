"""Reads, writes or queries a Parquet file on each command, with one library. `compare.py` starts and measures this program.

    serve.py read LIBRARY FILE THREADS
    serve.py write LIBRARY TABLE THREADS COMPRESSION
    serve.py query LIBRARY FILE THREADS
    serve.py take LIBRARY FILE THREADS

`read` takes lines with `read`, or with `write` and a path; the latter writes the last result to an Arrow IPC file. `write` takes
lines with the path to write to. TABLE is a Parquet file; the library gets the rows in its own kind of table before anything is
measured. COMPRESSION is `none` or `zstd:1`, the default of bytelane; otherwise, all libraries have their defaults. `query` takes
lines with names of queries, and answers with the number of rows. `take` takes lines with numbers of rows, ascending and separated
by spaces, and answers with the number of rows. FILE is one of Lance or Vortex for these libraries, for which `zstd` stands for
the smaller files of Vortex, too. Output: a line at the start, and one when each command is done.
"""

from __future__ import annotations

import functools
import operator
import os
import sys
from collections.abc import Callable
from datetime import date
from typing import Any, ClassVar

from queries import QUERIES

# Each class imports its library, so that a process has only the one that it measures, and pyarrow where that holds the rows.


class Bytelane:
    choice: ClassVar[dict[str, str]] = {}

    def __init__(self, threads: int) -> None:
        from bytelane import parquet

        self.parquet, self.threads = parquet, threads

    def reader(self, path: str) -> Callable[[], Any]:
        return lambda: self.parquet.read_table(path, threads=self.threads)

    def taker(self, path: str) -> Callable[[list[int]], int]:
        import pyarrow

        return lambda rows: pyarrow.table(self.parquet.read_table(path, threads=self.threads)).take(rows).num_rows

    def writer(self, path: str, codec: str, level: int | None) -> Callable[[str], Any]:
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        options: Any = {"compression": codec, "compression_level": level, "threads": self.threads}
        return lambda to: self.parquet.write_table(table, to, **options, **self.choice)


class Size(Bytelane):
    """Chooses the smallest encodings."""

    choice: ClassVar = {"goal": "size"}


class Previews(Bytelane):
    """Chooses the smallest encodings, also among previews, which few programs can read."""

    choice: ClassVar = {"goal": "size", "encodings": "+alp,+fsst", "readers": "any"}


class Views(Bytelane):
    """Has strings as Polars returns them, whatever the file asks for."""

    def reader(self, path: str) -> Callable[[], Any]:
        return lambda: self.parquet.read_table(path, threads=self.threads, string_type="string_view")


class Memcpy(Bytelane):
    """Copies the buffers of bytelane's table to existing memory: no library can produce the table faster."""

    def reader(self, path: str) -> Callable[[], Any]:
        from concurrent.futures import ThreadPoolExecutor

        import numpy
        import pyarrow

        # Copy in parts, so that all threads are busy until the end.
        part = 1 << 20
        table = pyarrow.table(self.parquet.read_table(path))
        chunks = [chunk for column in table.columns for chunk in column.chunks]
        buffers = {buffer.address: buffer for chunk in chunks for buffer in chunk.buffers() if buffer is not None}
        sources = [numpy.frombuffer(buffer, numpy.uint8) for buffer in buffers.values() if buffer.size > 0]
        sources = [source[start : start + part] for source in sources for start in range(0, len(source), part)]
        copies = [numpy.empty_like(source) for source in sources]
        pool = ThreadPoolExecutor(self.threads)

        def copy(place: int) -> None:
            for to, source in zip(copies[place :: self.threads], sources[place :: self.threads], strict=True):
                numpy.copyto(to, source)

        def read() -> Any:
            list(pool.map(copy, range(self.threads)))
            return table

        return read


class Pyarrow:
    def __init__(self, threads: int) -> None:
        import pyarrow
        import pyarrow.parquet

        # It writes with one thread, whatever this number.
        pyarrow.set_cpu_count(threads)
        self.parquet, self.use_threads = pyarrow.parquet, threads > 1

    def reader(self, path: str) -> Callable[[], Any]:
        return lambda: self.parquet.read_table(path, use_threads=self.use_threads)

    def writer(self, path: str, codec: str, level: int | None) -> Callable[[str], Any]:
        table = self.parquet.read_table(path)
        return lambda to: self.parquet.write_table(table, to, compression=codec, compression_level=level)

    def taker(self, path: str) -> Callable[[list[int]], int]:
        return lambda rows: self.parquet.read_table(path, use_threads=self.use_threads).take(rows).num_rows

    def query(self, path: str, name: str) -> Callable[[], int]:
        columns, conditions = QUERIES[name]
        options: Any = {"columns": columns, "filters": conditions or None, "use_threads": self.use_threads}
        return lambda: self.parquet.read_table(path, **options).num_rows


class Duckdb:
    def __init__(self, threads: int) -> None:
        import duckdb

        self.connection = duckdb.connect(config={"threads": threads})

    def reader(self, path: str) -> Callable[[], Any]:
        return lambda: self.connection.sql(f"from '{path}'").to_arrow_table()

    def writer(self, path: str, codec: str, level: int | None) -> Callable[[str], Any]:
        self.connection.execute(f"create table rows as from '{path}'")
        options = f"format parquet, compression {'uncompressed' if codec == 'none' else codec}"
        options += "" if level is None else f", compression_level {level}"
        return lambda to: self.connection.execute(f"copy rows to '{to}' ({options})")

    def taker(self, path: str) -> Callable[[list[int]], int]:
        source = f"from read_parquet('{path}', file_row_number = true) where file_row_number"
        return lambda rows: self.connection.sql(f"{source} in ({', '.join(map(str, rows))})").to_arrow_table().num_rows

    def query(self, path: str, name: str) -> Callable[[], int]:
        columns, conditions = QUERIES[name]
        tests = " and ".join(f"{column} {'=' if test == '==' else test} {literal(value)}" for column, test, value in conditions)
        text = f"select {', '.join(columns or ['*'])} from '{path}' {'where ' + tests if tests else ''}"
        return lambda: self.connection.sql(text).to_arrow_table().num_rows


def literal(value: Any) -> str:
    if isinstance(value, list):
        return "(" + ", ".join(f"'{text}'" for text in value) + ")"
    return f"date '{value}'" if isinstance(value, date) else str(value)


class Polars:
    def __init__(self, threads: int) -> None:
        os.environ["POLARS_MAX_THREADS"] = str(threads)
        import polars

        assert polars.thread_pool_size() == threads
        self.polars = polars

    def reader(self, path: str) -> Callable[[], Any]:
        return lambda: self.polars.read_parquet(path)

    def writer(self, path: str, codec: str, level: int | None) -> Callable[[str], Any]:
        table = self.polars.read_parquet(path)
        options: Any = {"compression": "uncompressed" if codec == "none" else codec, "compression_level": level}
        return lambda to: table.write_parquet(to, **options)

    def taker(self, path: str) -> Callable[[list[int]], int]:
        everything = self.polars.all()
        return lambda rows: self.polars.scan_parquet(path).select(everything.gather(rows)).collect().height

    def query(self, path: str, name: str) -> Callable[[], int]:
        columns, conditions = QUERIES[name]
        operators: dict[str, Callable[[Any, Any], Any]] = {
            "==": operator.eq, ">=": operator.ge, "<=": operator.le, "<": operator.lt, ">": operator.gt,
            "in": lambda column, values: column.is_in(values),
        }
        tests = [operators[test](self.polars.col(column), value) for column, test, value in conditions]

        def read() -> int:
            frame = self.polars.scan_parquet(path).filter(*tests) if tests else self.polars.scan_parquet(path)
            return frame.select(columns or self.polars.all()).collect().height

        return read


class Lance:
    """Newest stable version of Lance's files."""

    def __init__(self, threads: int) -> None:
        os.environ["LANCE_CPU_THREADS"] = str(threads)
        import lance.file

        self.file = lance.file

    def reader(self, path: str) -> Callable[[], Any]:
        return lambda: self.file.LanceFileReader(path).read_all().to_table()

    def writer(self, path: str, codec: str, level: int | None) -> Callable[[str], Any]:
        import pyarrow
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        if codec != "none":
            options = {"lance-encoding:compression": codec, "lance-encoding:compression-level": str(level)}
            table = table.cast(pyarrow.schema([field.with_metadata(options) for field in table.schema]))

        def write(to: str) -> None:
            with self.file.LanceFileWriter(to, table.schema, version="stable") as writer:
                writer.write_batch(table)

        return write

    def taker(self, path: str) -> Callable[[list[int]], int]:
        return lambda rows: self.file.LanceFileReader(path).take_rows(rows).to_table().num_rows


class Vortex:
    def __init__(self, threads: int) -> None:
        import vortex

        self.vortex = vortex
        vortex.set_worker_threads(threads)

    def reader(self, path: str) -> Callable[[], Any]:
        return lambda: self.vortex.open(path).to_arrow().read_all()

    def writer(self, path: str, codec: str, level: int | None) -> Callable[[str], Any]:
        import pyarrow.parquet

        table, options = pyarrow.parquet.read_table(path), self.vortex.io.VortexWriteOptions
        write = options.default() if codec == "none" else options.compact()
        return lambda to: write.write(table, to)

    def taker(self, path: str) -> Callable[[list[int]], int]:
        import pyarrow

        def take(rows: list[int]) -> int:
            indices = self.vortex.array(pyarrow.array(rows, pyarrow.uint64()))
            return self.vortex.open(path).to_arrow(indices=indices).read_all().num_rows

        return take


LIBRARIES: dict[str, Callable[[int], Any]] = {
    "bytelane": Bytelane,
    "bytelane-views": Views,
    "bytelane-size": Size,
    "bytelane-previews": Previews,
    "memcpy": Memcpy,
    "pyarrow": Pyarrow,
    "duckdb": Duckdb,
    "polars": Polars,
    "lance": Lance,
    "vortex": Vortex,
}


def write_arrow(table: Any, path: str) -> None:
    import pyarrow.ipc

    for method in ("to_arrow", "to_pyarrow"):
        table = getattr(table, method)() if hasattr(table, method) else table
    with pyarrow.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def reads(library: Any, path: str) -> Callable[[str], str]:
    read = library.reader(path)

    def answer(line: str) -> str:
        match line.split(" ", 1):
            case ["read"]:
                read()
            case ["write", to]:
                write_arrow(read(), to)
            case _:
                sys.exit(f"expected `read` or `write PATH`, got {line!r}")
        return "done"

    return answer


def writes(library: Any, path: str, compression: str) -> Callable[[str], str]:
    codec, _, level = compression.partition(":")
    write = library.writer(path, codec, int(level) if level else None)

    def answer(line: str) -> str:
        write(line)
        return "done"

    return answer


def queries(library: Any, path: str) -> Callable[[str], str]:
    query = functools.cache(lambda name: library.query(path, name))
    return lambda line: str(query(line)())


def takes(library: Any, path: str) -> Callable[[str], str]:
    take = library.taker(path)
    return lambda line: str(take([*map(int, line.split())]))


def main() -> None:
    work, library, path, threads, *compression = sys.argv[1:]
    works: dict[str, Callable[..., Callable[[str], str]]] = {"read": reads, "write": writes, "query": queries, "take": takes}
    answer = works[work](LIBRARIES[library](int(threads)), path, *compression)
    print("ready", flush=True)
    for line in sys.stdin:
        print(answer(line.rstrip("\n")), flush=True)


if __name__ == "__main__":
    main()
