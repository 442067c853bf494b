"""Tables of Delta Lake, compacted and edited by moving pages: only pages that lose rows are decoded.

This needs `pip install "bytelane[deltalake]"`, and tables on a local or shared file system.

```python
from bytelane import deltalake

deltalake.compact("events")
deltalake.delete("events", "user_id = 17", scrub=True)
```

Each function makes one commit, so readers see either the old files or the new ones. Old files stay, so that earlier versions can
be read, until `DeltaTable.vacuum` removes them. If another commit came in between, the work is committed after it, unless
that one has replaced or removed one of the same files: then, `CommitFailedError` says so, the new files are removed, and the table is as the
other commit left it.

Tables with deletion vectors, column mapping, row tracking, type widening, liquid clustering or other features that need more than
this are refused, and so are deletions in tables with a change data feed.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, time as time_of_day
from decimal import Decimal
from typing import Any, TypedDict
from urllib.parse import unquote, urlparse

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable
from deltalake.exceptions import CommitFailedError
from deltalake.transaction import AddAction, RemoveAction

from . import parquet
from ._protocols import Path

__all__ = ["Committed", "compact", "delete"]

# Features of tables whose files can be replaced like those of any other.
_HARMLESS = frozenset(["appendOnly", "changeDataFeed", "checkConstraints", "invariants", "timestampNtz"])


class Committed(TypedDict):
    """What a function has changed."""

    version: int
    """Version of the table afterwards."""
    files_added: int
    files_removed: int
    bytes_added: int
    bytes_removed: int
    deleted_rows: int


def compact(
    table: DeltaTable | Path,
    *,
    small: int = 64 << 20,
    target: int = 256 << 20,
    verify: bool = True,
    retries: int = 5,
) -> Committed:
    """Merges small files of each partition into larger ones, and copies their pages.

    Files below `small` bytes are merged to some `target` bytes; files with other columns are not merged with each other. `verify` compares
    every value before the commit. The commit says that no data have changed (`dataChange` is false), so streams
    that read the table do not process the rows again. `retries` is the number of times that the commit is repeated after another one.

    The statistics are those of the old files, joined.
    """
    work = _Work.of(table)
    groups: dict[object, list[_File]] = defaultdict(list)
    total: Counter[object] = Counter()
    for file in work.files():
        if file.bytes < small:
            key = tuple(file.partition.items()), tuple(sorted(parquet.read_schema(work.path(file.path)).names))
            total[key] += file.bytes
            groups[key, total[key] // target].append(file)
    with work:
        for old in groups.values():
            if len(old) > 1:
                new = work.new_path(old[0], "compacted")
                sources = [work.path(file.path) for file in old]
                merged = parquet.merge(sources, work.path(new), verify=verify, as_files=True)
                work.replace(old, new, merged["bytes_after"], _joined_statistics(old, merged["rows"]))
        return work.commit(data_change=False, retries=retries)


def delete(
    table: DeltaTable | Path,
    where: str,
    *,
    scrub: bool = False,
    verify: bool = False,
    retries: int = 5,
) -> Committed:
    """Deletes the rows that satisfy a condition in SQL, as in `bytelane.parquet.edit`; columns of partitions may be named.

    Files without such rows stay. In the others, only pages that lose rows are decoded, unless `scrub` leaves no trace of deleted values
    in the new files; the old ones are part of earlier versions until `DeltaTable.vacuum` removes them. Rows that another commit adds
    in the meantime are not deleted.
    """
    work = _Work.of(table)
    if work.table.metadata().configuration.get("delta.enableChangeDataFeed") == "true":
        raise ValueError("the table has a change data feed, which this function does not write; use DeltaTable.delete")
    with work:
        for file in work.files():
            added = _columns_of_table(work, file, where)
            if not added and not parquet.read_table(work.path(file.path), [], filters=where, as_files=True).num_rows:
                continue
            new = work.new_path(file, "edited")
            edited = _edited(work, file, new, where, added, scrub=scrub, verify=verify)
            work.deleted_rows += edited["deleted_rows"]
            if edited["deleted_rows"] == 0 or edited["rows"] == 0:
                os.remove(work.path(new))
            if edited["rows"] == 0 and edited["deleted_rows"] > 0:
                work.remove([file])
            elif edited["deleted_rows"] > 0:
                statistics = _statistics_of(work.path(new), file, edited["rows"])
                work.replace([file], new, edited["bytes_after"], statistics)
        return work.commit(data_change=True, retries=retries)


@dataclass
class _File:
    """Current file of a table."""

    path: str
    bytes: int
    rows: int
    partition: dict[str, str | None]
    null_count: dict[str, Any]
    least: dict[str, Any]
    most: dict[str, Any]


@dataclass
class _Work:
    """Files that are replaced in one commit. Without a commit, the new ones are removed."""

    table: DeltaTable
    root: str
    old: list[_File] = field(default_factory=list)
    new: list[tuple[str, int, dict[str, str | None], str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    deleted_rows: int = 0
    is_committed: bool = False

    @classmethod
    def of(cls, table: DeltaTable | Path) -> _Work:
        if not isinstance(table, DeltaTable):
            table = DeltaTable(table)
        protocol = table.protocol()
        features = {*(protocol.reader_features or []), *(protocol.writer_features or [])}
        others = sorted(features - _HARMLESS)
        if protocol.min_reader_version == 2 and not features:
            others = ["columnMapping"]
        if others:
            raise ValueError(f"the table has features that are not supported: {', '.join(others)}")
        url = urlparse(table.table_uri)
        if url.scheme not in ("", "file"):
            raise ValueError(f"{table.table_uri}: only tables on a file system are supported")
        return cls(table, unquote(url.path))

    def path(self, path: str) -> str:
        return os.path.join(self.root, path)

    def files(self) -> Iterator[_File]:
        actions = pa.table(self.table.get_add_actions())
        partitions: list[dict[str, str | None]] = [{}] * len(actions)
        columns = self.table.metadata().partition_columns
        if columns:
            texts = pa.struct([(name, pa.string()) for name in columns])
            partitions = actions["partition"].cast(texts).to_pylist()
        for action, partition in zip(actions.to_pylist(), partitions, strict=True):
            yield _File(
                # Paths are percent-encoded here, and actions encode them again.
                path=unquote(action["path"]),
                bytes=action["size_bytes"],
                rows=action["num_records"] or 0,
                partition=partition,
                null_count=action.get("null_count") or {},
                least=action.get("min") or {},
                most=action.get("max") or {},
            )

    def new_path(self, like: _File, kind: str) -> str:
        """Returns a path beside an old file: some readers take the values of a partition from it."""
        path = os.path.join(os.path.dirname(like.path), f"{kind}-{uuid.uuid4()}.parquet")
        self.paths.append(self.path(path))
        return path

    def remove(self, old: list[_File]) -> None:
        self.old += old

    def replace(self, old: list[_File], new: str, size: int, statistics: Mapping[str, Any]) -> None:
        self.remove(old)
        self.new.append((new, size, old[0].partition, _to_json(statistics)))

    def commit(self, *, data_change: bool, retries: int) -> Committed:
        now = int(time.time() * 1000)
        actions: list[AddAction | RemoveAction] = []
        for path, size, partition, statistics in self.new:
            actions.append(AddAction(path, size, partition, now, data_change, statistics))
        for file in self.old:
            actions.append(RemoveAction(file.path, data_change, now, None, file.partition))
        if actions:
            self._try(actions, retries)
        self.is_committed = True
        return Committed(
            version=self.table.version(),
            files_added=len(self.new),
            files_removed=len(self.old),
            bytes_added=sum(size for _, size, _, _ in self.new),
            bytes_removed=sum(file.bytes for file in self.old),
            deleted_rows=self.deleted_rows,
        )

    def _try(self, actions: list[AddAction | RemoveAction], retries: int) -> None:
        # Retries of the library would accept two compactions of the same files.
        once = CommitProperties(max_commit_retries=0)
        columns = self.table.metadata().partition_columns
        layout = self._layout()
        while True:
            try:
                self.table.create_write_transaction(actions, "append", self.table.schema(), columns, commit_properties=once)
                self.table.update_incremental()
                return
            except CommitFailedError as error:
                self.table.update_incremental()
                current = {file.path for file in self.files()}
                lost = [file.path for file in self.old if file.path not in current]
                if retries == 0 or lost or self._layout() != layout:
                    raise CommitFailedError(_why(lost)) from error
                retries -= 1

    def _layout(self) -> tuple[str, str, str]:
        """Returns what must not change in the meantime."""
        metadata = self.table.metadata()
        return self.table.schema().to_json(), str(metadata.partition_columns), str(metadata.configuration)

    def __enter__(self) -> _Work:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.is_committed:
            for path in self.paths:
                if os.path.exists(path):
                    os.remove(path)


def _why(lost: list[str]) -> str:
    if lost:
        return f"another commit has replaced or removed {lost[0]}; nothing was changed, try again"
    return "other commits came first each time, or have changed the columns; nothing was changed, try again"


def _columns_of_table(work: _Work, file: _File, where: str) -> dict[str, str]:
    """Returns the columns of a condition that only the table has, as `parquet.edit` adds them: those of partitions, and those
    that are newer than the file."""
    there = set(parquet.read_schema(work.path(file.path)).names)
    added = {}
    for column in pa.schema(work.table.schema()):
        if column.name not in there and column.name in where:
            value = file.partition.get(column.name)
            constant = "" if value is None else " = '" + value.replace("'", "''") + "'"
            added[column.name] = f'"{column.name}" {column.type}{constant}'
    return added


def _edited(
    work: _Work, file: _File, new: str, where: str, added: dict[str, str], *, scrub: bool, verify: bool
) -> parquet.Edited:
    """Deletes rows of a file, which has these further columns for the condition."""
    old, to = work.path(file.path), work.path(new)
    if not added:
        return parquet.edit(old, to, delete_where=where, scrub=scrub, verify=verify, as_files=True)
    whole = work.path(work.new_path(file, "whole"))
    try:
        parquet.edit(old, whole, add=list(added.values()), as_files=True)
        return parquet.edit(
            whole, to, delete_where=where, drop=list(added), scrub=scrub, verify=verify, as_files=True
        )
    finally:
        if os.path.exists(whole):
            os.remove(whole)


# Marks a column that is null in all rows of a file, which therefore has no bounds.
_ALL_NULL = object()


def _bounds_of(bounds: Any, nulls: Any, rows: int) -> Any:
    if isinstance(bounds, dict) and isinstance(nulls, dict):
        return {name: _bounds_of(bound, nulls.get(name), rows) for name, bound in bounds.items()}
    return _ALL_NULL if bounds is None and nulls == rows else bounds


def _joined(values: list[Any], join: Callable[[list[Any]], Any]) -> Any:
    """Joins a statistic of several files: a value, or a dictionary of values by column."""
    if all(isinstance(value, dict) for value in values):
        pairs = {name: _joined([value.get(name) for value in values], join) for name in values[0]}
        return {name: value for name, value in pairs.items() if value is not None}
    values = [value for value in values if value is not _ALL_NULL]
    known = values and all(isinstance(value, int | float | str | date | Decimal) for value in values)
    return join(values) if known else None


def _joined_statistics(files: list[_File], rows: int) -> dict[str, Any]:
    """Returns the statistics of all rows of several files."""
    least = [_bounds_of(file.least, file.null_count, file.rows) for file in files]
    most = [_bounds_of(file.most, file.null_count, file.rows) for file in files]
    return {
        "numRecords": rows,
        "minValues": _joined(least, min),
        "maxValues": _joined(most, max),
        "nullCount": _joined([file.null_count for file in files], sum),
        "tightBounds": False,
    }


def _statistics_of(path: str, old: _File, rows: int) -> dict[str, Any]:
    """Returns the statistics of a new file: those that the old one had, with the values that are left."""
    metadata = parquet.read_metadata(path)
    found: dict[str, list[Any]] = defaultdict(list)
    for number in range(metadata.num_row_groups):
        row_group = metadata.row_group(number)
        for at in range(row_group.num_columns):
            column = row_group.column(at)
            found[column.path_in_schema].append(column.statistics)

    def look(former: Any, take: Callable[[Any], Any], join: Callable[[list[Any]], Any], path: str = "") -> Any:
        if isinstance(former, dict):
            members = {name: look(it, take, join, f"{path}.{name}" if path else name) for name, it in former.items()}
            return {name: it for name, it in members.items() if it is not None}
        values = [None if it is None else take(it) for it in found.get(path, [None])]
        values = [value for value in values if value is not _ALL_NULL]
        if not values:
            return None
        if any(value is None or type(value) is not type(former) for value in values):
            # Bounds of all rows hold for some of them.
            return None if join is sum else former
        return join(values)

    def bound(name: str) -> Callable[[Any], Any]:
        return lambda it: getattr(it, name) if it.has_min_max else _ALL_NULL if it.num_values == 0 else None

    return {
        "numRecords": rows,
        "minValues": look(old.least, bound("min"), min),
        "maxValues": look(old.most, bound("max"), max),
        "nullCount": look(old.null_count, lambda it: it.null_count, sum),
        "tightBounds": False,
    }


def _to_json(statistics: Mapping[str, Any]) -> str:
    """Writes statistics, with all digits of decimals."""
    mark = uuid.uuid4().hex

    def text_of(value: object) -> str:
        if isinstance(value, Decimal):
            return f"{mark}{value:f}{mark}"
        if isinstance(value, date | time_of_day):
            return value.isoformat()
        raise TypeError(f"unexpected type {type(value).__name__}")

    return json.dumps(statistics, default=text_of).replace(f'"{mark}', "").replace(f'{mark}"', "")
