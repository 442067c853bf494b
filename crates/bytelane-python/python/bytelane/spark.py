"""Parquet files as a data source of Spark, and its data frames as files with the best encodings.

This needs `pip install "bytelane[spark]"`, also for the Python of the executors, which `PYSPARK_PYTHON` names.

```python
from bytelane.spark import ParquetDataSource

spark.dataSource.register(ParquetDataSource)
trades = spark.read.format("bytelane").option("columns", "id,price").option("filters", "price > 100").load("lake")
trades.write.format("bytelane").mode("append").save("expensive")
```
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql.datasource import DataSource, DataSourceArrowWriter, DataSourceReader, InputPartition, WriterCommitMessage
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructField, StructType

from ._engines.output import Output, started
from ._engines.parts import Reader, bundled, opened_parts
from ._engines.scan import BATCH_ROWS, Part, Reading
from ._engines.spark_types import spark_type, with_instants

__all__ = ["Executor", "ParquetDataSource"]

T = TypeVar("T")

# Bytes before compression that a task reads by default.
_BYTES_OF_A_TASK = 64 << 20
# Options that are no arguments of `Reading`.
_OPTIONS = {"columns", "filters", "num_partitions"}


class Executor:
    """Runs functions as tasks of a session, one for each call: an `executor` for `bytelane.dataset.run`, and for
    the functions of `bytelane.deltalake` and `bytelane.iceberg`.

    Spark repeats a failed task, as often as `spark.task.maxFailures` says.
    """

    def __init__(self, spark: Any) -> None:
        self._context = spark.sparkContext

    def map(self, fn: Callable[..., T], /, *iterables: Iterable[Any]) -> Iterator[T]:
        """Calls a function with the items of each iterable, and returns the results in their order."""
        calls = [*zip(*iterables, strict=False)]
        results: list[T] = self._context.parallelize(calls, max(1, len(calls))).map(lambda items: fn(*items)).collect()
        return iter(results)


class ParquetDataSource(DataSource):  # type: ignore[misc, unused-ignore]
    """Format `bytelane`, which reads and writes Parquet files.

    A task reads neighbouring row groups. Spark asks Python data sources for all columns: choose them with the option `columns`, names
    separated by commas or as JSON, or with a schema, whose columns are null where the files lack them. Spark tests the conditions of a query
    itself: pass those that prune as `filters`, a condition in SQL as in `bytelane.parquet.read_table`. `num_partitions` is the number of
    tasks. The other options for reading are `partition_types`, `partitioning`, `strict_schema`, `as_files`, `ignore_prefixes`,
    `memory_limit` and `row_limit` of `read_table`, as JSON.

    Tasks write to a directory on a disk that all executors share, and the driver publishes their files when all are complete.
    `partition_cols` makes a directory such as `year=2024` for each combination of values. The other options for writing are those of
    `bytelane.parquet.write_table`, as JSON or text.
    """

    @classmethod
    def name(cls) -> str:
        """Name of the format."""
        return "bytelane"

    def schema(self) -> StructType:
        """Returns the chosen columns, all of which may be null."""
        files = self._files
        chosen = self.options.get("columns")
        names = files.schema.names if chosen is None else _names("columns", chosen)
        return StructType([files.field(name) for name in names])

    def reader(self, schema: StructType) -> DataSourceReader:
        """Returns what reads columns."""
        count = self.options.get("num_partitions")
        return _Reader(self._files, schema, None if count is None else int(count))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        """Returns what writes rows."""
        options = dict(self.options)
        directory = _paths(options)[0]
        columns = options.pop("partition_cols", None)
        partition_cols = None if columns is None else _names("partition_cols", columns)
        others = {name: _value(text) for name, text in options.items()}
        return _Writer(started(directory, "overwrite" if overwrite else "append", partition_cols, {"threads": 1} | others), schema)

    @cached_property
    def _files(self) -> _Files:
        """Files, which Spark hands on with this object."""
        options = dict(self.options)
        paths = _paths(options)
        known = {it.name for it in fields(Reading)} - {"threads", "string_type", "coerce_int96_timestamp_unit"}
        unknown = sorted(options.keys() - known - _OPTIONS)
        if unknown:
            names = ", ".join(sorted(known | _OPTIONS))
            raise ValueError(f"there is no option {unknown[0]!r} for reading; the options are {names}")
        reading = {name: _value(text) for name, text in options.items() if name in known}
        return _Files.opened(paths, options.get("filters"), reading)


def _paths(options: dict[str, str]) -> list[str]:
    """Takes the paths from options. Executors may run in other directories."""
    several = json.loads(options.pop("paths", "[]"))
    path = options.pop("path", None)
    paths = several if path is None else [path, *several]
    if not paths:
        raise ValueError("which files? pass a path to load() or save()")
    return [it if "://" in it else os.path.abspath(it) for it in paths]


def _names(option: str, text: str) -> list[str]:
    names = json.loads(text) if text.startswith("[") else [name.strip() for name in text.split(",")]
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f'{option} are names, such as "id,price" or ["id", "price"], not {text}')
    return list(names)


def _value(text: str) -> Any:
    """Returns the value of an option, which is text if it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text


@dataclass(frozen=True)
class _Files:
    reader: Reader
    parts: list[Part]

    @classmethod
    def opened(cls, paths: list[str], filters: str | None, options: Mapping[str, Any]) -> _Files:
        source = paths[0] if len(paths) == 1 else paths
        reader, parts = opened_parts(source, filters, {"coerce_int96_timestamp_unit": "us", **options})
        scan = reader.scan
        paths = list(dict.fromkeys(part.path for part in parts))
        return cls(Reader(scan.with_schema(_with_instants(scan.reading, paths, reader.schema)), filters), parts)

    @property
    def schema(self) -> pa.Schema:
        """Types of all columns, with INT96 timestamps in UTC."""
        return self.reader.schema

    def field(self, name: str) -> StructField:
        """Returns a column in its type of Spark."""
        found = self.stored_name(name)
        if found is None:
            raise KeyError(f"there is no column {name!r}; the columns are {', '.join(self.schema.names)}")
        return StructField(found, spark_type(self.schema.field(found)))

    def stored_name(self, name: str) -> str | None:
        """Returns the name of a column in the files, which may differ in case; `None` if they lack it."""
        if name in self.schema.names:
            return name
        similar = [it for it in self.schema.names if it.lower() == name.lower()]
        return similar[0] if len(similar) == 1 else None


def _with_instants(reading: Reading, paths: Sequence[str], schema: pa.Schema) -> pa.Schema:
    """Returns a schema with INT96 timestamps in UTC."""
    unknown = {field.name for field in schema if "timestamp" in str(field.type)}
    for path in paths:
        if not unknown:
            break
        files = [replace(reading, coerce_int96_timestamp_unit=unit).file(path).schema.to_pyarrow() for unit in ("us", "s")]
        for one, other in zip(*files, strict=True):
            if one.name in unknown:
                unknown.remove(one.name)
                if one.type != other.type:
                    schema = schema.set(schema.get_field_index(one.name), pa.field(one.name, with_instants(one.type, other.type)))
    return schema


class _Reader(DataSourceReader):  # type: ignore[misc, unused-ignore]
    """Columns of files in the types of a schema."""

    def __init__(self, files: _Files, schema: StructType, count: int | None) -> None:
        self._files = files
        self._schema = schema
        self._count = count

    def __getstate__(self) -> dict[str, Any]:
        # Each task gets its own parts.
        return {**self.__dict__, "_files": replace(self._files, parts=[])}

    def partitions(self) -> list[InputPartition]:
        """Returns lists of row groups."""
        parts = self._files.parts
        count = self._count or -(-sum(part.bytes for part in parts) // _BYTES_OF_A_TASK) or 1
        return [InputPartition(it) for it in bundled(parts, count)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Reads the rows of a task."""
        wanted = to_arrow_schema(self._schema, timezone="UTC")
        stored = [self._files.stored_name(name) for name in wanted.names]
        # Rows have a number even where no column is stored.
        names = [name for name in stored if name is not None] or self._files.schema.names[:1]
        for table in self._files.reader.tables(partition.value or [], names):
            columns = [
                pa.nulls(table.num_rows, field.type) if name is None else _cast(table.column(name), field.type)
                for name, field in zip(stored, wanted, strict=True)
            ]
            yield from pa.Table.from_arrays(columns, schema=wanted).to_batches(BATCH_ROWS)


def _cast(column: pa.ChunkedArray, data_type: pa.DataType) -> pa.ChunkedArray:
    # Spark has microseconds.
    return column if column.type == data_type else pc.cast(column, options=pc.CastOptions(data_type, allow_time_truncate=True))


class _Writer(DataSourceArrowWriter):  # type: ignore[misc, unused-ignore]
    """Directory of files."""

    def __init__(self, output: Output, schema: StructType) -> None:
        self._output = output
        self._schema = to_arrow_schema(schema, timezone="UTC")

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        """Writes the rows of a task, which Spark may repeat."""
        task: Any = TaskContext.get()
        tables = (pa.Table.from_batches([batch]).cast(self._schema) for batch in iterator)
        return _Written(self._output.write(tables, task.partitionId()))

    def commit(self, messages: Sequence[Any]) -> None:
        """Publishes the files of all tasks."""
        self._output.commit([name for message in messages for name in message.names], self._schema)

    def abort(self, messages: Sequence[Any]) -> None:
        """Deletes the files of all tasks."""
        self._output.abort()


@dataclass
class _Written(WriterCommitMessage):  # type: ignore[misc, unused-ignore]
    names: list[str]
