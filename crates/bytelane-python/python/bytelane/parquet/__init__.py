"""Parquet: the best encoding for each column, merging and comparing files, writing and reading.

Tables are objects with `__arrow_c_stream__`: those of pyarrow, polars, DuckDB, pandas (which needs pyarrow for it),
nanoarrow and many others. None of these libraries is required. The GIL is released while files are read and written,
and Ctrl-C stops the work.

>>> import pyarrow as pa
>>> from bytelane import parquet
>>> table = pa.table({"price": [100 + 0.25 * (i % 777) for i in range(20_000)]})
>>> parquet.write_table(table, "trades.parquet")
>>> parquet.read_table("trades.parquet").to_pyarrow() == table
True
"""

from __future__ import annotations

from .._errors import ParquetError
from .._options import AnySortingColumn as AnySortingColumn
from .._options import BloomFilterOptions as BloomFilterOptions
from .._options import Compression as Compression
from .._options import DataPageVersion as DataPageVersion
from .._options import Encoding as Encoding
from .._options import Goal as Goal
from .._options import SortingColumn
from .._options import StringType as StringType
from .._parquet import (
    Batches,
    Column,
    ColumnChunkMetaData,
    ColumnSchema,
    Field,
    FileMetaData,
    Metrics,
    ParquetSchema,
    RowGroupMetaData,
    Schema,
    Statistics,
    Table,
)
from .._protocols import ArrowSchema as ArrowSchema
from .._protocols import ArrowStream as ArrowStream
from .._protocols import BinaryFile as BinaryFile
from .._protocols import BinarySink as BinarySink
from .._protocols import Path as Path
from .._protocols import Value as Value
from ._dataset import ParquetDataset, write_to_dataset
from ._file import ParquetFile, read_metadata, read_schema
from ._read import read_pandas, read_table
from ._reports import Advice, Rewritten
from ._results import Checked, Difference, Edited, Merged
from ._verbs import advise, check, diff, edit, merge, repair, rewrite, salvage
from ._writer import ParquetWriter, write_metadata, write_table

__all__ = [
    "Advice",
    "Batches",
    "Checked",
    "Column",
    "ColumnChunkMetaData",
    "ColumnSchema",
    "Difference",
    "Edited",
    "Field",
    "FileMetaData",
    "Merged",
    "Metrics",
    "ParquetDataset",
    "ParquetError",
    "ParquetFile",
    "ParquetSchema",
    "ParquetWriter",
    "Rewritten",
    "RowGroupMetaData",
    "Schema",
    "SortingColumn",
    "Statistics",
    "Table",
    "advise",
    "check",
    "diff",
    "edit",
    "merge",
    "read_metadata",
    "read_pandas",
    "read_schema",
    "read_table",
    "repair",
    "rewrite",
    "salvage",
    "write_metadata",
    "write_table",
    "write_to_dataset",
]


def __dir__() -> list[str]:
    """Returns the public names."""
    return sorted(__all__)


def _publish() -> None:
    """Gives classes and functions the name of this module, where users find them."""
    for name in __all__:
        public = globals()[name]
        if public.__module__.startswith(f"{__name__}._"):
            public.__module__ = __name__


_publish()
