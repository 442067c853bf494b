"""Parquet files as relations of DuckDB.

This needs `pip install "bytelane[duckdb]"`.

>>> import pyarrow as pa
>>> from bytelane import duckdb, parquet
>>> parquet.write_table(pa.table({"id": range(1000), "price": [0.25 * i for i in range(1000)]}), "trades.parquet")
>>> duckdb.relation("trades.parquet").filter("price > 249").aggregate("sum(id)").fetchall()
[(2994,)]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from ._engines.arrow_dataset import ArrowDataset
from ._engines.scan import Reading, Scan
from ._protocols import BinaryFile, Path

__all__ = ["dataset", "relation"]


def dataset(
    source: Path | Sequence[Path] | bytes | bytearray | memoryview | BinaryFile,
    *,
    partition_types: Mapping[str, str] | None = None,
    partitioning: object = "hive",
    strict_schema: bool = False,
    as_files: bool = False,
    threads: int | None = None,
    memory_limit: int | None = None,
    row_limit: int | None = None,
    filesystem: object = None,
) -> ArrowDataset:
    """Opens Parquet files as an object that queries of DuckDB can name as a table. The arguments are those of
    `bytelane.parquet.read_table`.

    Each scan reads the columns of the query, and its conditions prune row groups and pages.

    >>> import duckdb, pyarrow as pa
    >>> from bytelane import parquet
    >>> from bytelane.duckdb import dataset
    >>> parquet.write_table(pa.table({"id": range(1000)}), "ids.parquet")
    >>> ids = dataset("ids.parquet")
    >>> duckdb.sql("select count(*) from ids where id >= 990").fetchall()
    [(10,)]
    """
    reading = Reading(
        partition_types=partition_types,
        partitioning=partitioning,
        strict_schema=strict_schema,
        as_files=as_files,
        threads=threads,
        memory_limit=memory_limit,
        row_limit=row_limit,
    )
    return ArrowDataset(Scan(source, reading, filesystem))


def relation(
    source: Path | Sequence[Path] | bytes | bytearray | memoryview | BinaryFile,
    columns: Sequence[str] | None = None,
    filter: str | None = None,
    *,
    connection: Any = None,
    **options: Any,
) -> duckdb.DuckDBPyRelation:
    """Returns Parquet files as a relation of a connection, by default the one of the module `duckdb`: all columns or these, and
    the rows for which a condition in DuckDB's SQL is true. The other arguments are those of `dataset`.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> from bytelane.duckdb import relation
    >>> parquet.write_table(pa.table({"id": range(1000), "name": ["a", "b"] * 500}), "names.parquet")
    >>> relation("names.parquet", ["id"], "name = 'b' and id > 995").fetchall()
    [(997,), (999,)]
    """
    rows: duckdb.DuckDBPyRelation = (connection or duckdb).from_arrow(dataset(source, **options))
    if filter is not None:
        rows = rows.filter(filter)
    if columns is not None:
        rows = rows.project(", ".join('"' + name.replace('"', '""') + '"' for name in columns))
    return rows
