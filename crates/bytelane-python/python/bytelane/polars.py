"""Parquet files as a source of Polars, and its frames as files with the best encodings.

This needs `pip install "bytelane[polars]"`.

>>> import polars as pl
>>> from bytelane.polars import scan_parquet, write_parquet
>>> write_parquet(pl.DataFrame({"id": range(1000), "price": [0.25 * i for i in range(1000)]}), "trades.parquet")
>>> scan_parquet("trades.parquet").filter(pl.col("price") > 249).select(pl.col("id").sum()).collect().item()
2994
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

import polars as pl
from polars.io.plugins import register_io_source

from . import parquet
from ._engines.from_polars import steps, translated
from ._engines.scan import BATCH_ROWS, Pushed, Reading, Scan
from ._parquet import Schema, Table
from ._protocols import BinaryFile, BinarySink, Path

__all__ = ["scan_parquet", "write_parquet"]

# Names of `partition_types` by the types of Polars.
_PARTITION_TYPES = {
    pl.Boolean: "bool",
    pl.Int8: "int8",
    pl.Int16: "int16",
    pl.Int32: "int32",
    pl.Int64: "int64",
    pl.UInt8: "uint8",
    pl.UInt16: "uint16",
    pl.UInt32: "uint32",
    pl.UInt64: "uint64",
    pl.Float32: "float32",
    pl.Float64: "float64",
    pl.String: "string",
    pl.Date: "date",
    pl.Datetime: "timestamp",
}


def scan_parquet(
    source: Path | Sequence[Path] | bytes | bytearray | memoryview | BinaryFile,
    *,
    n_rows: int | None = None,
    row_index_name: str | None = None,
    row_index_offset: int = 0,
    batch_size: int | None = None,
    hive_partitioning: bool | None = None,
    hive_schema: Mapping[str, Any] | None = None,
    try_parse_hive_dates: bool = True,
    strict_schema: bool = False,
    as_files: bool = False,
    threads: int | None = None,
    memory_limit: int | None = None,
    row_limit: int | None = None,
    filesystem: object = None,
) -> pl.LazyFrame:
    """Reads Parquet files lazily, with the types that Polars gives them. Polars asks for the columns, the rows and the number of rows
    that a query needs.

    Conditions that have the same meaning here prune row groups and pages, and only the columns of the condition are read where no
    row remains. Polars evaluates all others on the rows that are read; docs/getting-started/engines.md lists both.

    `source`, `strict_schema`, `as_files`, `threads`, `memory_limit`, `row_limit` and `filesystem` are those of
    `bytelane.parquet.read_table`. A batch has up to `batch_size` rows.

    The other arguments are those of `polars.scan_parquet`: `n_rows` is the number of rows to read; `row_index_name` adds a column
    with the numbers of the rows, from `row_index_offset` on. By default, names of directories below a directory are
    columns, such as `year=2024`; with `hive_partitioning`, those that match a pattern as well. They have the types in
    `hive_schema`, or are integers, dates with `try_parse_hive_dates`, or text.

    >>> import polars as pl
    >>> from bytelane.polars import scan_parquet, write_parquet
    >>> write_parquet(pl.DataFrame({"id": [1, 2, 3]}), "ids.parquet")
    >>> scan_parquet("ids.parquet").filter(pl.col("id") > 1).collect()["id"].to_list()
    [2, 3]
    """
    reading = Reading(
        string_type="string_view",
        partitioning="hive" if _is_partitioned(source, hive_partitioning) else None,
        strict_schema=strict_schema,
        as_files=as_files,
        threads=threads,
        memory_limit=memory_limit,
        row_limit=row_limit,
    )
    scan, names = _scan(source, reading, filesystem, dict(hive_schema or {}), try_parse_hive_dates)
    schema = _schema(scan.schema, names)

    def read(
        with_columns: list[str] | None, predicate: pl.Expr | None, limit: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        # With a limit, Polars means the rows before the predicate.
        condition = None if predicate is None or limit is not None else translated(predicate, schema)
        pushed = None if condition is None else Pushed(condition.text, condition.columns)
        is_exact = condition is not None and condition.is_exact
        tests = [] if predicate is None else steps(predicate, schema)
        is_empty = True
        chosen = names if with_columns is None else with_columns
        for table, is_filtered in scan.batches(chosen, pushed, limit, batch_size or BATCH_ROWS):
            frame = pl.DataFrame(table)
            for test in () if is_filtered and is_exact else tests:
                frame = frame.filter(test)
            if frame.height > 0:
                is_empty = False
                yield frame
        if is_empty:
            yield pl.DataFrame(schema=schema).select(chosen)

    frame = register_io_source(read, schema=schema, is_pure=True, explain_name="bytelane")
    if n_rows is not None:
        frame = frame.head(n_rows)
    return frame if row_index_name is None else frame.with_row_index(row_index_name, row_index_offset)


def write_parquet(frame: pl.DataFrame, file: Path | BinarySink, **options: Any) -> None:
    """Writes a frame to a Parquet file, each column in the best encoding. The options are those of
    `bytelane.parquet.write_table`.

    >>> import polars as pl
    >>> from bytelane.polars import write_parquet
    >>> write_parquet(pl.DataFrame({"id": [1, 2, 3]}), "ids.parquet", goal="size")
    >>> pl.read_parquet("ids.parquet")["id"].to_list()
    [1, 2, 3]
    """
    if not isinstance(frame, pl.DataFrame):
        raise TypeError(f"write_parquet writes a polars.DataFrame, but this is of type {type(frame).__name__}; collect a LazyFrame first")
    parquet.write_table(frame, file, **options)


def _is_partitioned(source: Any, wanted: bool | None) -> bool:
    if wanted is not None:
        return wanted
    if not isinstance(source, str | os.PathLike):
        return False
    return os.path.isdir(source) or not set(os.fspath(source)) & set("*?[")


def _scan(
    source: Any, reading: Reading, filesystem: object, types: dict[str, Any], parses_dates: bool
) -> tuple[Scan, list[str]]:
    """Opens a source, chooses the types of the columns in the names of directories, and returns the columns in order."""
    scan = Scan(source, reading, filesystem)
    chosen = {name: _named_type(name, it) for name, it in types.items()}
    stored = scan.stored()
    for field in scan.schema:
        if field.name in chosen:
            continue
        if field.name not in stored.names:
            chosen[field.name] = _inferred(scan, field.name, parses_dates)
        elif stored.field(field.name).type != field.type:
            # A column that the files have as well has its type there.
            dtype = pl.DataFrame(Table.empty(stored).select([field.name])).schema[field.name]
            chosen[field.name] = _named_type(field.name, dtype)
    names = [*stored.names, *(name for name in scan.schema.names if name not in stored.names)]
    return scan.with_partition_types(chosen) if chosen else scan, names


# Types of partitions by their values, the first that all values have.
_VALUES = {
    "int64": r"[-+]?\d+",
    "float64": r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?",
    "bool": r"true|false",
    "date": r"\d{4}-\d\d-\d\d",
    "timestamp": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?",
}


def _inferred(scan: Scan, name: str, parses_dates: bool) -> str:
    """Returns the type of a column in the names of directories. Values that look alike may be too large for it."""
    directory = re.compile(f"(?:^|/){re.escape(quote(name, safe=''))}=([^/]*)/")
    found = (directory.search(path) for path in scan.paths())
    values = {unquote(it[1]) for it in found if it is not None} - {"__HIVE_DEFAULT_PARTITION__"}
    for kind, pattern in _VALUES.items():
        is_date = kind in ("date", "timestamp")
        if (is_date and not parses_dates) or not all(re.fullmatch(pattern, it) for it in values):
            continue
        try:
            scan.with_partition_types({name: kind})
        except parquet.ParquetError:
            continue
        return kind
    return "string"


def _named_type(name: str, dtype: Any) -> str:
    base = dtype.base_type() if hasattr(dtype, "base_type") else dtype
    found = _PARTITION_TYPES.get(base)
    if found is None:
        known = ", ".join(str(it) for it in _PARTITION_TYPES)
        raise NotImplementedError(f"the partition {name} is of type {dtype}; set another one with hive_schema: {known}")
    return found


def _schema(schema: Schema, names: list[str]) -> dict[str, pl.DataType]:
    for field in schema:
        if "interval" in field.type:
            raise NotImplementedError(f"column {field.name}: Polars has no type for {field.type}; read the file with bytelane.parquet")
    return dict(pl.DataFrame(Table.empty(schema).select(names)).schema)
