"""Parquet files as data sets of Ray, and its data sets as files with the best encodings.

This needs `pip install "bytelane[ray]"`.

```python
from bytelane.ray import read_parquet, write_parquet
from ray.data.expressions import col

trades = read_parquet("lake").filter(expr=col("price") > 100)
write_parquet(trades, "expensive")
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import pyarrow as pa
import ray.data
from ray.data import Datasink, Datasource, ReadTask
from ray.data.block import BlockAccessor, BlockMetadata

from ._engines.output import Mode, Output, started
from ._engines.parts import Reader, bundled, opened_parts
from ._engines.scan import Part
from ._filters import Filters
from ._protocols import Path

__all__ = ["Executor", "datasource", "read_parquet", "write_parquet"]

T = TypeVar("T")


class Executor:
    """Runs functions as tasks of the cluster that this process is connected to, each on one processor: an `executor` for
    `bytelane.dataset.run`, and for the functions of `bytelane.deltalake` and `bytelane.iceberg`.

    Ray repeats the task of a killed worker up to `max_retries` times.
    """

    def __init__(self, max_retries: int = 3) -> None:
        self._max_retries = max_retries

    def map(self, fn: Callable[..., T], /, *iterables: Iterable[Any]) -> Iterator[T]:
        """Calls a function with the items of each iterable, and returns the results in their order."""
        # Ray has no types for it.
        cluster: Any = ray
        task = cluster.remote(num_cpus=1, max_retries=self._max_retries)(_call)
        shared = cluster.put(fn)
        pending = [task.remote(shared, *items) for items in zip(*iterables, strict=False)]
        return iter(cluster.get(pending))


def _call(fn: Callable[..., T], *items: Any) -> T:
    return fn(*items)


def read_parquet(
    source: Path | Sequence[Path],
    columns: Sequence[str] | None = None,
    filters: Filters | None = None,
    *,
    concurrency: int | None = None,
    override_num_blocks: int | None = None,
    ray_remote_args: dict[str, Any] | None = None,
    **options: Any,
) -> ray.data.Dataset:
    """Reads Parquet files with tasks for row groups: all columns or these, and the rows for which `filters` are true, as in
    `bytelane.parquet.read_table`.

    `concurrency`, `override_num_blocks` and `ray_remote_args` are those of `ray.data.read_datasource`. All other arguments are those of
    `datasource`.
    """
    dataset: ray.data.Dataset = ray.data.read_datasource(
        datasource(source, columns, filters, **options),
        concurrency=concurrency,
        override_num_blocks=override_num_blocks,
        **(ray_remote_args or {}),
    )
    return dataset


def datasource(
    source: Path | Sequence[Path],
    columns: Sequence[str] | None = None,
    filters: Filters | None = None,
    **options: Any,
) -> Datasource:
    """Opens Parquet files for `ray.data.read_datasource`.

    Ray pushes columns, limits and, without `filters`, conditions: row groups and pages that they exclude are not decoded. The options are
    `partition_types`, `partitioning`, `strict_schema`, `as_files`, `ignore_prefixes`, `memory_limit` and `row_limit` of `read_table`;
    a task has one thread.
    """
    reader, parts = opened_parts(source, filters, options)
    return _Source(reader, parts, reader.chosen(columns).names)


class _Source(Datasource):  # type: ignore[misc, unused-ignore]
    """Row groups of files."""

    def __init__(self, reader: Reader, parts: list[Part], columns: list[str]) -> None:
        super().__init__()  # type: ignore[no-untyped-call, unused-ignore]
        self._reader = reader
        self._parts = parts
        self._columns = columns
        self._projection_map = None

    def get_name(self) -> str:
        """Name in plans."""
        return "Bytelane"

    def supports_projection_pushdown(self) -> bool:
        """True: only the columns that are needed are read."""
        return True

    def supports_predicate_pushdown(self) -> bool:
        """True if there is no other condition."""
        return self._reader.filters is None

    def estimate_inmemory_data_size(self) -> int:
        """Returns the size before compression."""
        return sum(part.bytes for part in self._parts)

    def get_read_tasks(
        self, parallelism: int, per_task_row_limit: int | None = None, data_context: object = None
    ) -> list[ReadTask]:
        """Returns tasks of row groups that follow each other, with about as many bytes each."""
        wanted = self._get_data_columns()
        # Ray counts the rows of blocks with columns only.
        columns = self._columns if wanted is None else wanted or self._columns[:1]
        predicate = self.get_current_predicate()
        reader = self._reader if predicate is None else Reader(self._reader.scan, predicate.to_pyarrow())
        schema = reader.chosen(columns)
        return [
            ReadTask(_Read(reader, columns, parts, per_task_row_limit), _metadata(reader, parts), schema, per_task_row_limit)
            for parts in bundled(self._parts, parallelism)
        ]


class _Read:
    """Function of a task."""

    def __init__(self, reader: Reader, columns: list[str], parts: list[Part], limit: int | None) -> None:
        self._arguments = (parts, columns, limit)
        self._reader = reader
        self.__name__ = "read-bytelane"

    def __call__(self) -> Iterable[pa.Table]:
        return self._reader.tables(*self._arguments)


def _metadata(reader: Reader, parts: list[Part]) -> BlockMetadata:
    rows = sum(part.rows for part in parts) if reader.filters is None else None
    paths = tuple(dict.fromkeys(part.path for part in parts))
    return BlockMetadata(num_rows=rows, size_bytes=sum(part.bytes for part in parts), exec_stats=None, input_files=paths)


def write_parquet(
    dataset: ray.data.Dataset,
    directory: Path,
    *,
    mode: Mode = "error",
    partition_cols: Sequence[str] | None = None,
    min_rows_per_file: int | None = None,
    concurrency: int | None = None,
    ray_remote_args: dict[str, Any] | None = None,
    **options: Any,
) -> None:
    """Writes a data set to a directory on a disk that all nodes share, with a file for each task, each column in the best encoding.

    The files appear when all tasks are complete: after an error, none of them does. A directory that is not empty is an error, or
    gets more files with `mode="append"`, or is replaced with `mode="overwrite"`. With `partition_cols`, there is a directory such as
    `year=2024` for each combination of values. A file has at least `min_rows_per_file` rows, if there are as many. `concurrency` and
    `ray_remote_args` are those of `Dataset.write_datasink`. All other arguments are those of `bytelane.parquet.write_table`.
    """
    output = started(directory, mode, partition_cols, {"threads": 1} | options)
    try:
        sink = _Sink(output, min_rows_per_file)
        dataset.write_datasink(sink, concurrency=concurrency, ray_remote_args=ray_remote_args)
        output.commit(sink.names, None if sink.names else _arrow_schema(dataset))
    finally:
        output.abort()


class _Sink(Datasink[list[str]]):  # type: ignore[misc, unused-ignore]
    """Directory of files."""

    def __init__(self, output: Output, min_rows: int | None) -> None:
        self._output = output
        self._min_rows = min_rows
        self.names: list[str] = []

    def get_name(self) -> str:
        """Name in plans."""
        return "Bytelane"

    @property
    def min_rows_per_write(self) -> int | None:
        """Rows for a task to wait for."""
        return self._min_rows

    def write(self, blocks: Iterable[Any], ctx: Any) -> list[str]:
        """Writes the rows of a task, which Ray repeats if its worker is killed."""
        return self._output.write((BlockAccessor.for_block(block).to_arrow() for block in blocks), ctx.task_idx)

    def on_write_complete(self, write_result: Any) -> None:
        """Keeps the names of the files."""
        self.names = [name for names in write_result.write_returns for name in names]


def _arrow_schema(dataset: ray.data.Dataset) -> pa.Schema | None:
    schema = dataset.schema()
    base = None if schema is None else schema.base_schema
    return base if isinstance(base, pa.Schema) else None
