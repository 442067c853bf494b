"""The work of one commit to a table of Delta Lake: its current files, those that are replaced, and the new ones."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypedDict
from urllib.parse import quote, unquote, urlparse

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import CommitProperties, DeltaTable
from deltalake.exceptions import CommitFailedError
from deltalake.transaction import AddAction, RemoveAction

from .. import parquet
from .._protocols import Executor, Path
from .._sorting import Key
from .._tables import NewFiles, count_of_new, remove
from .._units import Merging, Sorting, Source, done
from . import _log
from ._columns import Columns
from ._deletion import Deletion
from ._statistics import Statistics, joined, of_new_file

# Features with which deltalake does not write tables.
_NOT_WRITTEN = frozenset(["columnMapping", "typeWidening"])

# Features of tables whose files can be replaced like those of any other.
_HARMLESS = frozenset(
    [
        "appendOnly",
        "changeDataFeed",
        "checkConstraints",
        "columnMapping",
        "deletionVectors",
        "generatedColumns",
        "identityColumns",
        "invariants",
        "timestampNtz",
        "typeWidening",
    ]
)


class Committed(TypedDict):
    """What a function has changed."""

    version: int
    """Version of the table afterwards."""
    files_added: int
    files_removed: int
    bytes_added: int
    bytes_removed: int
    deleted_rows: int
    """Number of rows that `delete` has deleted; otherwise, that of deletion vectors which were applied."""


@dataclass
class File:
    """Current file of a table."""

    path: str
    name: str
    """Path in the log, which is percent-encoded."""
    bytes: int
    partition: dict[str, str | None]
    statistics: Statistics
    """Statistics of all rows, with those that its deletion vector names."""
    vector: _log.Descriptor | None

    @property
    def deleted_rows(self) -> int:
        return self.vector["cardinality"] if self.vector else 0


@dataclass
class _New:
    path: str
    bytes: int
    partition: dict[str, str | None]
    statistics: str


@dataclass
class Work(NewFiles):
    table: DeltaTable
    root: str
    columns: Columns
    old: list[File] = field(default_factory=list)
    new: list[_New] = field(default_factory=list)
    deleted_rows: int = 0
    _schemas: dict[str, pa.Schema] = field(default_factory=dict)

    @classmethod
    def of(cls, table: DeltaTable | Path) -> Work:
        if not isinstance(table, DeltaTable):
            table = DeltaTable(table)
        if others := sorted(_features(table) - _HARMLESS):
            raise ValueError(f"the table has features that are not supported: {', '.join(others)}")
        url = urlparse(table.table_uri)
        if url.scheme not in ("", "file"):
            raise ValueError(f"{table.table_uri}: only tables on a file system are supported")
        return cls(table, unquote(url.path), Columns.of(table))

    def path(self, path: str) -> str:
        return os.path.join(self.root, path)

    def schema(self, file: File) -> pa.Schema:
        """Returns the columns that a file has."""
        if file.path in self._schemas:
            return self._schemas[file.path]
        path = self.path(file.path)
        schema = pa.schema(parquet.read_schema(path))
        if not self.columns.has_ids(schema):
            raise ValueError(f"{path}: its columns have no IDs, by which this table finds columns; rewrite it with the program that wrote it")
        self._schemas[file.path] = schema
        return schema

    def promoted(self, file: File) -> dict[str, str]:
        """Returns the columns of a file whose type has become a wider one in the table, and these types."""
        try:
            return self.columns.promoted(self.schema(file))
        except ValueError as error:
            raise ValueError(f"{self.path(file.path)}: {error}") from None

    def dropped(self, files: Iterable[File]) -> list[str]:
        """Returns the columns of files that the table no longer has."""
        return sorted({name for file in files for name in self.columns.dropped(self.schema(file))})

    def files(self) -> list[File]:
        actions = pa.table(self.table.get_add_actions())
        partitions: list[dict[str, str | None]] = [{}] * len(actions)
        columns = self.table.metadata().partition_columns
        if columns:
            texts = pa.struct([(name, pa.string()) for name in columns])
            partitions = actions["partition"].cast(texts).to_pylist()
        vectors = self._vectors()
        return [
            File(
                # Paths are percent-encoded here, and actions encode them again.
                path=unquote(action["path"]),
                name=action["path"],
                bytes=action["size_bytes"],
                partition=partition,
                statistics=Statistics(
                    rows=action["num_records"] or 0,
                    null_count=action.get("null_count") or {},
                    least=action.get("min") or {},
                    most=action.get("max") or {},
                ),
                vector=vectors.get(action["path"]),
            )
            for action, partition in zip(actions.to_pylist(), partitions, strict=True)
        ]

    def _vectors(self) -> dict[str, _log.Descriptor]:
        if "deletionVectors" not in _features(self.table):
            return {}
        vectors = _log.deletion_vectors(self.path("_delta_log"), self.table.version())
        if vectors and "typeWidening" in _features(self.table):
            raise ValueError("the table has deletion vectors and type widening, and deltalake does not read such vectors; apply them with Spark")
        return vectors

    @cached_property
    def _deleted(self) -> dict[str, list[int]]:
        """Numbers of the rows that deletion vectors name, by the paths of the files."""
        return {
            os.path.normpath(unquote(urlparse(uri.as_py()).path)): pc.indices_nonzero(pc.invert(kept.values)).to_pylist()
            for batch in self.table.deletion_vectors()
            for uri, kept in zip(*pa.record_batch(batch).columns, strict=True)
        }

    def deleted(self, file: File) -> list[int]:
        """Returns the numbers of the rows of a file that its deletion vector names."""
        if not file.vector:
            return []
        rows = self._deleted.get(os.path.normpath(self.path(file.path)), [])
        if len(rows) != file.deleted_rows:
            raise ValueError(
                f"{self.path(file.path)}: its deletion vector has {len(rows)} rows, but the log says {file.deleted_rows}; "
                "rewrite the file with the program that wrote the vector"
            )
        return rows

    def new_path(self, like: File, kind: str) -> str:
        """Returns a path beside an old file: some readers take the values of a partition from it."""
        path = os.path.join(os.path.dirname(like.path), f"{kind}-{uuid.uuid4()}.parquet")
        self.paths.append(self.path(path))
        return path

    def source(self, file: File) -> Source:
        """Returns a file for a unit of work: without rows that its deletion vector names, and columns that were dropped, and with those
        that have a wider type now."""
        whole = self.path(self.new_path(file, "whole"))
        return Source(self.path(file.path), whole, self.deleted(file), self.dropped([file]), self.promoted(file))

    def merge(self, groups: list[list[File]], kind: str, executor: Executor | None, **options: Any) -> None:
        """Replaces the files of each group by one with their rows."""
        new = [self.new_path(old[0], kind) for old in groups]
        units = [
            Merging([self.source(file) for file in old], self.path(path), options)
            for old, path in zip(groups, new, strict=True)
        ]
        for old, path, merged in zip(groups, new, done(units, executor), strict=True):
            self.deleted_rows += merged["deleted_rows"]
            statistics = joined([file.statistics for file in old], merged["rows"])
            if any(file.vector for file in old):
                statistics = self.statistics(path, statistics, merged["rows"])
            self.replace(old, path, merged["bytes_after"], statistics)

    def delete(self, where: str, executor: Executor | None, **options: Any) -> None:
        """Replaces each file with rows that satisfy a condition by one without them."""
        files = self.files()
        new = [self.new_path(file, "edited") for file in files]
        units = [
            Deletion(self.source(file), self.path(path), self.columns.condition(where, self.schema(file), file.partition), options)
            for file, path in zip(files, new, strict=True)
        ]
        for file, path, edited in zip(files, new, done(units, executor), strict=True):
            if edited is not None:
                self.deleted_rows += edited["deleted_rows"] - file.deleted_rows
                statistics = self.statistics(path, file.statistics, edited["rows"])
                self.replace([file], path, edited["bytes_after"], statistics)

    def keys(self, keys: list[Key], old: list[File]) -> list[Key]:
        """Returns the columns to sort by that files with the same columns have, under the names that they have there."""
        return self.columns.keys(keys, self.schema(old[0]))

    def sort(
        self,
        groups: list[list[File]],
        keys: list[Key],
        executor: Executor | None,
        *,
        z_order: bool,
        target: int,
        **options: Any,
    ) -> None:
        """Replaces the files of each group by some with their rows, sorted."""
        new = [[self.new_path(old[0], "sorted") for _ in range(count_of_new(self._bytes(old), target))] for old in groups]
        units = [
            Sorting([self.source(file) for file in old], [*map(self.path, paths)], self.keys(keys, old), z_order, options)
            for old, paths in zip(groups, new, strict=True)
        ]
        for old, paths, written in zip(groups, new, done(units, executor), strict=True):
            self.old += old
            self.deleted_rows += sum(file.deleted_rows for file in old)
            former = joined([file.statistics for file in old], 0)
            for path in paths[: len(written)]:
                there = self.path(path)
                statistics = self.statistics(path, former, parquet.read_metadata(there).num_rows)
                self.new.append(_New(path, os.path.getsize(there), old[0].partition, statistics.to_json()))

    @staticmethod
    def _bytes(files: list[File]) -> int:
        return sum(file.bytes for file in files)

    def statistics(self, path: str, former: Statistics, rows: int) -> Statistics:
        """Returns the statistics of a new file: those that there were before, for the rows that it has."""
        there = self.path(path)
        return of_new_file(there, former, rows, self.columns.paths(pa.schema(parquet.read_schema(there))))

    def replace(self, old: list[File], new: str, size: int, statistics: Statistics) -> None:
        self.old += old
        if statistics.rows == 0:
            remove(self.path(new))
        else:
            self.new.append(_New(new, size, old[0].partition, statistics.to_json()))

    def commit(self, operation: str, *, data_change: bool, retries: int) -> Committed:
        if self.old:
            self._try(operation, data_change, retries)
        self.keep()
        return Committed(
            version=self.table.version(),
            files_added=len(self.new),
            files_removed=len(self.old),
            bytes_added=sum(file.bytes for file in self.new),
            bytes_removed=sum(file.bytes for file in self.old),
            deleted_rows=self.deleted_rows,
        )

    def _try(self, operation: str, data_change: bool, retries: int) -> None:
        layout = self._layout()
        while True:
            try:
                self._commit_once(operation, data_change)
                break
            except (CommitFailedError, FileExistsError) as error:
                self.table.update_incremental()
                current = {file.name: file.vector for file in self.files()}
                lost = [file.path for file in self.old if current.get(file.name, ()) != file.vector]
                if retries == 0 or lost or self._layout() != layout:
                    raise CommitFailedError(_why(lost)) from error
                retries -= 1
            except BaseException:
                # The commit may have been made, as when a checkpoint fails after it.
                self.keep()
                raise
        self.keep()
        self.table.update_incremental()

    def _commit_once(self, operation: str, data_change: bool) -> None:
        now = int(time.time() * 1000)
        is_written = not _features(self.table) & _NOT_WRITTEN and self.columns.mode == "none"
        if not is_written or any(file.vector for file in self.old):
            # A `RemoveAction` of deltalake has no deletion vector, so the file with one would stay.
            _log.commit(self.path("_delta_log"), self.table.version() + 1, self._lines(operation, data_change, now))
            return
        actions: list[AddAction | RemoveAction] = []
        for new in self.new:
            actions.append(AddAction(new.path, new.bytes, new.partition, now, data_change, new.statistics))
        for file in self.old:
            actions.append(RemoveAction(file.path, data_change, now, None, file.partition))
        columns = self.table.metadata().partition_columns
        # Retries of the library would accept two compactions of the same files.
        once = CommitProperties(max_commit_retries=0)
        self.table.create_write_transaction(actions, "append", self.table.schema(), columns, commit_properties=once)

    def _lines(self, operation: str, data_change: bool, now: int) -> list[Mapping[str, Any]]:
        """Returns the actions of a commit as the protocol of Delta Lake writes them."""
        commit = {
            "timestamp": now,
            "operation": operation,
            "operationParameters": {},
            "readVersion": self.table.version(),
            "isBlindAppend": False,
            "engineInfo": "bytelane",
        }
        lines: list[Mapping[str, Any]] = [{"commitInfo": commit}]
        for file in self.old:
            removed = {
                "path": file.name,
                "deletionTimestamp": now,
                "dataChange": data_change,
                "extendedFileMetadata": True,
                "partitionValues": self.columns.partition(file.partition),
                "size": file.bytes,
            }
            lines.append({"remove": {**removed, "deletionVector": file.vector} if file.vector else removed})
        for new in self.new:
            added = {
                "path": quote(new.path, safe="/=+,;@:!$&'()*~"),
                "partitionValues": self.columns.partition(new.partition),
                "size": new.bytes,
                "modificationTime": now,
                "dataChange": data_change,
                "stats": new.statistics,
            }
            lines.append({"add": added})
        return lines

    def _layout(self) -> tuple[object, ...]:
        """Returns what must not change in the meantime."""
        metadata = self.table.metadata()
        # As a text, the metadata of columns are in any order.
        schema = json.loads(self.table.schema().to_json())
        return schema, metadata.partition_columns, metadata.configuration, _features(self.table)


def _features(table: DeltaTable) -> set[str]:
    protocol = table.protocol()
    return {*(protocol.reader_features or []), *(protocol.writer_features or [])}


def _why(lost: list[str]) -> str:
    if lost:
        return f"another commit has replaced or removed {lost[0]}; nothing was changed, try again"
    return "other commits came first each time, or have changed the columns; nothing was changed, try again"
