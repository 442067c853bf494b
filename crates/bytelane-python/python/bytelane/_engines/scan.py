"""Rows of files in parts, as sources of engines read them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from .. import _parquet
from .._options import Int96Unit, StringType, reader_types
from .._parquet import Schema, Table
from .._protocols import ArrowSchema
from ..parquet._filesystem import opened
from ..parquet._read import Files, Rows

# Rows of a batch: large enough for the cost of a call to vanish.
BATCH_ROWS = 1 << 17


@dataclass(frozen=True)
class Reading:
    """Arguments of `read_table` that a source of an engine has as well. Other processes can use them."""

    string_type: StringType | None = None
    partition_types: Mapping[str, str] | None = None
    partitioning: object = "hive"
    strict_schema: bool = False
    as_files: bool = False
    ignore_prefixes: Sequence[str] | None = None
    threads: int | None = None
    memory_limit: int | None = None
    row_limit: int | None = None
    coerce_int96_timestamp_unit: Int96Unit | None = None

    def files(self, source: Any) -> Files:
        """Returns the files of a source."""
        return Files(source, self.__dict__)

    def file(self, source: Any) -> _parquet.ParquetFile:
        """Opens a file."""
        return _parquet.ParquetFile(source, reader_types(self.__dict__))


class Part(NamedTuple):
    """Rows of a file: those of some row groups, or all."""

    path: Any
    """Path, bytes or open file."""
    pattern: str | None
    """Pattern that only this file matches, if the names of its directories are columns."""
    row_groups: Sequence[int] | None
    rows: int = -1
    """Number of rows; -1 if unknown."""
    bytes: int = -1
    """Size before compression; -1 if unknown."""


class Pushed(NamedTuple):
    """Condition that the reader tests."""

    filters: Any
    """Condition in a form of `filters`, or of the native half."""
    columns: frozenset[str]
    """Names of its columns, without members of structs."""


class Batch(NamedTuple):
    """Rows that were read."""

    table: Table
    is_filtered: bool
    """Whether the condition was tested. It is not if a file lacks its columns or has other types."""


class Scan:
    """Source that is read column by column and part by part. Other processes can use it, if it consists of paths."""

    def __init__(self, source: Any, reading: Reading, filesystem: object = None) -> None:
        source = opened(source, filesystem)
        self.reading = reading
        self._is_paths = isinstance(source, str | os.PathLike) or (
            isinstance(source, Sequence) and not isinstance(source, bytes | bytearray | memoryview)
        )
        self._source: Any = source
        self._files = reading.files(source)
        self.schema: Schema = self._files.schema()
        self._parts: list[Part] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_files": None, "_parts": None, "schema": self.schema.to_pyarrow()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._files = self.reading.files(self._source)
        self.schema = Table.empty(state["schema"]).schema

    def paths(self) -> list[str]:
        """Returns the paths of the files; none if the source is open or in memory."""
        return self._files.paths() if self._is_paths else []

    def stored(self) -> Schema:
        """Returns the columns that are in the files, and not only in the names of directories."""
        if self.reading.partitioning is None or not self._is_paths:
            return self.schema
        return replace(self.reading, partitioning=None, partition_types=None).files(self._source).schema()

    def with_partition_types(self, types: Mapping[str, str]) -> Scan:
        """Returns the same rows, with types for the columns in the names of directories."""
        return Scan(self._source, replace(self.reading, partition_types=types))

    def with_schema(self, schema: ArrowSchema) -> Scan:
        """Returns the same rows, with other types for the columns."""
        other = copy(self)
        other.schema = Table.empty(schema).schema
        return other

    def files(self) -> list[Part]:
        """Returns a part for each file."""
        if self._parts is None:
            self._parts = [self._part(path) for path in (self.paths() if self._is_paths else [self._source])]
        return self._parts

    def _part(self, path: Any) -> Part:
        pattern = self._pattern(path) if self._is_paths and self.reading.partitioning is not None else None
        return Part(path, pattern, None)

    def row_groups(self) -> list[Part]:
        """Returns a part for each row group."""
        return [
            Part(part.path, part.pattern, [index], group.num_rows, group.total_byte_size)
            for part in self.files()
            for index, group in enumerate(self.reading.file(part.path).row_groups)
        ]

    def _pattern(self, path: str) -> str | None:
        """Returns a pattern for a file, so that the names of directories below the source are columns."""
        sources = [self._source] if isinstance(self._source, str | os.PathLike) else self._source
        for source in map(os.fspath, sources):
            root = _directory(source)
            if root is None or not path.startswith(root):
                continue
            below = path[len(root) :]
            directories = below.split("/")[:-1]
            named = directories if self.reading.partitioning != "hive" else [it for it in directories if "=" in it]
            if not named:
                return None
            # The pattern begins below the root, with a set of one character. Names that begin with `_` must begin
            # with it.
            at = 1 if below.startswith("_") else 0
            return f"{root}{below[:at]}[{below[at]}]{_literal(below[at + 1 :])}"
        return None

    def batches(
        self,
        columns: Sequence[str] | None,
        pushed: Pushed | None = None,
        limit: int | None = None,
        batch_rows: int = BATCH_ROWS,
        parts: Sequence[Part] | None = None,
    ) -> Iterator[Batch]:
        """Reads rows in their order, in the types of the schema: all columns or these. Without a condition, reading ends after
        `limit` rows."""
        names = self.schema.names if columns is None else list(columns)
        wanted = Table.empty(self.schema).select(names).schema
        for part in self.files() if parts is None else parts:
            for batch in self._read(part, names, pushed, limit, batch_rows):
                table = batch.table if batch.table.schema.equals(wanted) else batch.table.cast(wanted)
                if limit is not None and pushed is None:
                    table = table.slice(0, limit)
                    limit -= table.num_rows
                yield Batch(table, batch.is_filtered)
            if limit is not None and limit <= 0:
                return

    def _read(
        self, part: Part, names: list[str], pushed: Pushed | None, limit: int | None, batch_rows: int
    ) -> Iterator[Batch]:
        """Reads the columns of a file that it has."""
        file = self.reading.file(part.path)
        files = None if part.pattern is None else self.reading.files([part.pattern])
        own = file.schema if files is None else files.schema()
        is_filtered = pushed is not None and self._has(own, pushed.columns)
        filters = pushed.filters if pushed is not None and is_filtered else None
        groups = part.row_groups
        if limit is not None and pushed is None:
            batch_rows = max(1, min(batch_rows, limit))
            groups = _enough(file, groups, limit)
        # Rows have a number even where all columns are null.
        present = [name for name in names if name in own.names] or own.names[: len(names)][:1]
        limits = (self.reading.threads, self.reading.memory_limit, self.reading.row_limit)
        if files is None:
            for table in file.iter_batches(batch_rows, present, groups, filters, *limits, None):
                yield Batch(table, is_filtered)
            return
        for group in range(file.num_row_groups) if groups is None else groups:
            yield Batch(files.read(present, Rows([group], filters, *limits)), is_filtered)

    def _has(self, own: Schema, columns: frozenset[str]) -> bool:
        """Returns whether a file has columns in the types of the table: comparisons depend on the type."""
        names = own.names
        return all(name in names and own.field(name).type == self.schema.field(name).type for name in columns)


def _enough(file: _parquet.ParquetFile, groups: Sequence[int] | None, limit: int) -> list[int] | None:
    """Returns the first row groups, with at least `limit` rows if there are as many."""
    chosen = []
    all_groups = file.row_groups
    for index in range(len(all_groups)) if groups is None else groups:
        if limit <= 0:
            break
        chosen.append(index)
        limit -= all_groups[index].num_rows
    return chosen


def _directory(source: str) -> str | None:
    """Returns the directory that names of directories are relative to, with a slash; `None` for a file."""
    wildcard = min((source.find(it) for it in "*?[" if it in source), default=-1)
    if wildcard >= 0:
        return source[: source.rfind("/", 0, wildcard) + 1]
    if not os.path.isfile(source):
        return source if source.endswith("/") else source + "/"
    return None


def _literal(path: str) -> str:
    """Returns a pattern that matches only this path."""
    return "".join(f"[{it}]" if it in "*?[]" else it for it in path)
