"""Parquet files as data frames of Daft.

This needs `pip install "bytelane[daft]"`.

```python
from bytelane.daft import read

read("lake", filters="year = 2024").select("price").limit(10).show()
```
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import daft
from daft.io.source import DataSource, DataSourceTask
from daft.recordbatch import RecordBatch

from ._engines.parts import Reader, opened_parts
from ._engines.scan import Part
from ._filters import Filters
from ._protocols import Path

__all__ = ["read"]


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
