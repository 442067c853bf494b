"""Parquet files as data frames of Dask.

This needs `pip install "bytelane[dask]"`.

```python
from bytelane.dask import read_parquet

read_parquet("lake", columns=["price"], filters="year = 2024").price.mean().compute()
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.dataframe as dd
import pandas
import pyarrow as pa

from ._engines.parts import Reader, opened_parts
from ._engines.scan import Part
from ._filters import Filters
from ._protocols import Path
from .parquet._read import with_index

__all__ = ["read_parquet"]


def read_parquet(
    source: Path | Sequence[Path],
    columns: Sequence[str] | None = None,
    filters: Filters | None = None,
    **options: Any,
) -> dd.DataFrame:
    """Reads Parquet files with a partition for each row group: all columns or these, and the rows for which `filters` are true, as in
    `bytelane.parquet.read_table`. Partitions without such rows are empty.

    Dask asks for the columns that a computation needs. An index of pandas is restored. The options are `partition_types`,
    `partitioning`, `strict_schema`, `as_files`, `ignore_prefixes`, `memory_limit` and `row_limit` of `read_table`; a partition is read by one thread.
    """
    reader, parts = opened_parts(source, filters, options)
    chosen = None if columns is None else list(columns)
    read = _Read(reader, chosen)
    # Dask has no types for it.
    from_map: Any = dd.from_map
    frame: dd.DataFrame = from_map(read, parts, meta=read.empty(), label="read-bytelane", enforce_metadata=False)
    return frame


class _Read:
    """Function of a partition; Dask sets `columns` to those that a computation needs."""

    def __init__(self, reader: Reader, chosen: list[str] | None) -> None:
        self._reader = reader
        self._chosen = chosen

    def _names(self, columns: Sequence[str] | None) -> list[str] | None:
        wanted = self._chosen if columns is None else columns
        return None if wanted is None else with_index(list(wanted), self._reader.schema.metadata)

    def empty(self) -> Any:
        """Returns a data frame without rows."""
        names = self._names(None)
        schema = self._reader.schema
        table = schema.empty_table() if names is None else schema.empty_table().select(names)
        return _to_pandas(table)

    def __call__(self, part: Part, columns: Sequence[str] | None = None) -> Any:
        frame = _to_pandas(self._reader.read(part, self._names(columns)))
        # The order of the columns is that of the request.
        return frame if columns is None else frame[list(columns)]


def _to_pandas(table: pa.Table) -> Any:
    """Converts a table. Dask takes Python objects for texts, so types without one of NumPy stay those of Arrow."""
    is_object = (pa.types.is_date, pa.types.is_time, pa.types.is_decimal, pa.types.is_nested)
    is_bytes = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)

    def kept(data_type: pa.DataType) -> Any:
        return pandas.ArrowDtype(data_type) if any(it(data_type) for it in (*is_object, *is_bytes)) else None

    return table.to_pandas(types_mapper=kept)
