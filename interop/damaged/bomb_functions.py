"""Calls every function of the Python package with one Parquet file, and tells what each did."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bytelane import dataset, parquet

Function = tuple[str, Callable[[], Any]]


def some(batches: Any) -> None:
    """Reads a few batches."""
    for _ in zip(batches, range(5), strict=False):
        pass


def attributes(source: Path) -> None:
    """Reads all facts of the footer."""
    with parquet.ParquetFile(source) as file:
        facts = [file.num_rows, file.created_by, file.schema, file.metadata, file.metadata.num_columns]
        facts += [(it.num_rows, it.total_byte_size) for it in file.row_groups]
        for row_group in file.row_groups[:100]:
            facts += [(it.path_in_schema, it.null_count, it.encodings) for it in row_group.columns]


def functions(path: Path, new: Path) -> list[Function]:
    """Returns all functions."""
    read = parquet.read_table
    name = "x" if "list" in path.name else "c0"
    found: list[Function] = [
        ("read_table", lambda: read(path)),
        ("read_table of bytes", lambda: read(path.read_bytes())),
        ("read_table of columns", lambda: read(path, [name])),
        ("read_table with one thread", lambda: read(path, threads=1)),
        ("read_table of dictionaries", lambda: read(path, read_dictionary=[name])),
        ("read_table with filters", lambda: read(path, filters=[(name, "is not", None)])),
        ("read_table with a condition", lambda: read(path, filters=f"{name} is null")),
        ("read_table of several", lambda: read([path, path])),
        ("read", lambda: parquet.ParquetFile(path).read()),
        ("iter_batches", lambda: some(parquet.ParquetFile(path).iter_batches())),
        ("iter_batches of many rows", lambda: some(parquet.ParquetFile(path).iter_batches(2**31))),
        ("metadata", lambda: attributes(path)),
        ("advise", lambda: parquet.advise(path)),
        ("check", lambda: parquet.check(path)),
        ("check of values", lambda: parquet.check(path, values=True)),
        ("diff", lambda: parquet.diff(path, path)),
        ("diff in any order", lambda: parquet.diff(path, path, any_order=True)),
        ("merge", lambda: parquet.merge([path, path], new, force=True)),
        ("merge with fresh pages", lambda: parquet.merge([path, path], new, pages="fresh", force=True)),
        ("merge that splits", lambda: parquet.merge(path, new, row_group_rows=1000, verify=True, force=True)),
        ("repair", lambda: parquet.repair(path, new, bloom_filters=[name], verify=True, force=True)),
        ("salvage", lambda: parquet.salvage(path, new, force=True)),
        ("rewrite", lambda: parquet.rewrite(path, new, verify=True, force=True)),
        ("plan of a data set", lambda: dataset.plan(path.parent, files=[path.name], sort_by="auto")),
    ]
    for kind in ("string", "large_string", "string_view"):
        found.append((f"read_table of {kind}", lambda kind=kind: read(path, string_type=kind)))
        file = parquet.ParquetFile
        found.append((f"iter_batches of {kind}", lambda kind=kind: some(file(path, string_type=kind).iter_batches())))
    return found


def call(name: str, function: Callable[[], Any]) -> None:
    """Calls a function. Errors are fine; anything that is not an `Exception` ends the process."""
    start, outcome = time.monotonic(), "fine"
    try:
        function()
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
    print(f"{name}: {time.monotonic() - start:.1f} s, {outcome}", flush=True)


def main(path: Path, new: Path, seconds: int) -> None:
    """Calls each function in a process of its own, for a limited time."""
    for name, function in functions(path, new):
        child = os.fork()
        if child == 0:
            signal.alarm(seconds)
            call(name, function)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            print(f"{name}: status {os.waitstatus_to_exitcode(status)}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
