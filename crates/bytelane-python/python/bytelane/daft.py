"""Parquet files as data frames of Daft, and its data frames as files with the best encodings.

This needs `pip install "bytelane[daft]"`.

```python
from bytelane.daft import read, write_parquet

write_parquet(read("lake", filters="year = 2024").select("price"), "prices")
```
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import chain
from typing import Any

import daft
import pyarrow as pa
from daft.io.sink import DataSink, WriteResult
from daft.io.source import DataSource, DataSourceTask
from daft.recordbatch import MicroPartition, RecordBatch

from ._engines.output import Mode, Output, started
from ._engines.parts import Reader, opened_parts
from ._engines.scan import Part
from ._filters import Filters
from ._protocols import Path

__all__ = ["read", "write_parquet"]


def read(
    source: Path | Sequence[Path],
    columns: Sequence[str] | None = None,
    filters: Filters | None = None,
    **options: Any,
) -> daft.DataFrame:
    """Reads Parquet files lazily, with a task for each row group: all columns or these, and the rows for which `filters` are
    true, as in `bytelane.parquet.read_table`.

    Daft asks for the columns that a query needs, and evaluates the conditions of the query itself: pass those that prune as `filters`.
    The options are `partition_types`, `partitioning`, `strict_schema`, `as_files`, `ignore_prefixes`, `memory_limit` and
    `row_limit` of `read_table`.
    """
    reader, parts = opened_parts(source, filters, options)
    frame: daft.DataFrame = _Source(reader, parts, None if columns is None else list(columns)).read()
    return frame


class _Source(DataSource):  # type: ignore[misc, unused-ignore]
    """Row groups of files."""

    def __init__(self, reader: Reader, parts: list[Part], columns: list[str] | None) -> None:
        self._reader = reader
        self._parts = parts
        self._columns = reader.schema.names if columns is None else columns

    @property
    def name(self) -> str:
        """Name in plans."""
        return "bytelane"

    @property
    def schema(self) -> Any:
        """Columns in the types of Daft."""
        return _schema(self._reader, self._columns)

    async def get_tasks(self, pushdowns: Any) -> AsyncIterator[DataSourceTask]:
        """Returns a task for each row group, with the columns that are needed."""
        wanted = pushdowns.columns
        columns = self._columns if wanted is None else [name for name in self._columns if name in wanted]
        # Conditions of Daft may need other columns.
        needed = pushdowns.filter_required_column_names()
        columns = [*columns, *(name for name in self._columns if name in needed and name not in columns)]
        for part in self._parts:
            yield _Task(self._reader, part, columns)


class _Task(DataSourceTask):  # type: ignore[misc, unused-ignore]
    """Row group."""

    def __init__(self, reader: Reader, part: Part, columns: list[str]) -> None:
        self._reader = reader
        self._part = part
        self._columns = columns

    @property
    def schema(self) -> Any:
        """Columns in the types of Daft."""
        return _schema(self._reader, self._columns)

    async def read(self) -> AsyncIterator[RecordBatch]:
        """Reads the rows."""
        yield RecordBatch.from_arrow_table(self._reader.read(self._part, self._columns))


def _schema(reader: Reader, columns: list[str]) -> Any:
    schema: Any = daft.Schema
    return schema.from_pyarrow_schema(reader.schema.empty_table().select(columns).schema)


def write_parquet(
    frame: daft.DataFrame,
    directory: Path,
    *,
    mode: Mode = "error",
    partition_cols: Sequence[str] | None = None,
    **options: Any,
) -> None:
    """Writes a data frame to a directory on a disk that all workers share, with a file for each batch of rows that Daft hands over, each
    column in the best encoding. `daft.DataFrame.into_batches` sets the size of these.

    The files appear when all batches are complete: after an error, none of them does. A directory that is not empty is an error, or gets
    more files with `mode="append"`, or is replaced with `mode="overwrite"`. With `partition_cols`, there is a directory such as
    `year=2024` for each combination of values. All other arguments are those of `bytelane.parquet.write_table`.
    """
    output = started(directory, mode, partition_cols, {"threads": 1} | options)
    try:
        frame.write_sink(_Sink(output, frame.schema().to_pyarrow_schema()))
    finally:
        output.abort()


class _Sink(DataSink[list[str]]):  # type: ignore[misc, unused-ignore]
    """Directory of files."""

    def __init__(self, output: Output, schema: pa.Schema) -> None:
        self._output = output
        self._schema = schema

    def name(self) -> str:
        """Name in plans."""
        return "bytelane"

    def schema(self) -> Any:
        """Column of the result: the names of the files."""
        return self._result([]).schema()

    def _result(self, names: list[str]) -> Any:
        return MicroPartition.from_pydict({"file": pa.array(names, pa.large_string())})

    def write(self, micropartitions: Iterator[Any]) -> Iterator[WriteResult[list[str]]]:
        """Writes the batches of a task."""
        for number, batch in enumerate(micropartitions):
            names = self._output.write([batch.to_arrow()], number)
            yield WriteResult(names, bytes_written=batch.size_bytes() or 0, rows_written=len(batch))

    def finalize(self, write_results: list[WriteResult[list[str]]]) -> Any:
        """Publishes the files of all batches."""
        names = [*chain.from_iterable(it.result for it in write_results)]
        self._output.commit(names, self._schema)
        return self._result(names)
