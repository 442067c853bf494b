"""Parquet files as data frames of Dask, and its data frames as files with the best encodings.

This needs `pip install "bytelane[dask]"`.

```python
from bytelane.dask import read_parquet, write_parquet

trades = read_parquet("lake", filters="year = 2024")
write_parquet(trades[trades.price > 100], "expensive")
```
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import dask
import dask.dataframe as dd
import pandas
import pyarrow as pa

from ._engines.output import Mode, Output, started
from ._engines.parts import Reader, opened_parts
from ._engines.scan import Part
from ._filters import Filters
from ._protocols import Path
from .parquet._read import with_index

__all__ = ["read_parquet", "write_parquet"]


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


def write_parquet(
    frame: dd.DataFrame,
    directory: Path,
    *,
    mode: Mode = "error",
    partition_cols: Sequence[str] | None = None,
    **options: Any,
) -> None:
    """Writes a data frame to a directory on a disk that all workers share, with a file for each partition that has rows, each column in
    the best encoding. An index with a name is written as a column, which `read_parquet` restores.

    The files appear when all partitions are complete: after an error, none of them does. A directory that is not empty is an error, or
    gets more files with `mode="append"`, or is replaced with `mode="overwrite"`. With `partition_cols`, there is a directory such as
    `year=2024` for each combination of values. All other arguments are those of `bytelane.parquet.write_table`.
    """
    output = started(directory, mode, partition_cols, {"threads": 1} | options)
    try:
        # Dask has no types for its frames.
        library: Any = dask
        whole: Any = frame
        write = _Write(output, whole.index.name is not None, whole._meta)
        task = library.delayed(write, pure=False)
        names = library.compute(*(task(partition, number) for number, partition in enumerate(whole.to_delayed())))
        output.commit(chain.from_iterable(names), write.schema)
    finally:
        output.abort()


class _Write:
    """Function that writes a partition."""

    def __init__(self, output: Output, has_index: bool, empty: Any) -> None:
        self._output = output
        self._has_index = has_index
        self.schema = self._table(empty).schema

    def _table(self, frame: Any) -> pa.Table:
        return pa.Table.from_pandas(frame, preserve_index=self._has_index)

    def __call__(self, frame: Any, number: int) -> list[str]:
        table = self._table(frame)
        # Types of Python objects are those of the values: without rows, they are null.
        types = [own if pa.types.is_null(it.type) else it for own, it in zip(table.schema, self.schema, strict=True)]
        return self._output.write([table.cast(pa.schema(types, table.schema.metadata))], number)
