"""Tables of Apache Iceberg, compacted and edited by moving pages: only pages that lose rows are decoded.

This needs `pip install "bytelane[iceberg]"`, with the extra of the catalog, such as `pyiceberg[sql-sqlite]`, and tables on a local or shared file
system.

```python
from bytelane import iceberg
from pyiceberg.catalog import load_catalog

table = load_catalog("default").load_table("weather.hours")
iceberg.rewrite_data_files(table)
iceberg.delete(table, "place = 'Berlin' and hour < 100")
```

Each function makes one commit. If another commit came in between, the work is committed after it, unless that one has replaced or
removed one of the same files, or has changed the schema: then, the exception of pyiceberg says so, the new files are removed, and the table is as
the other commit left it. Positions in delete files are applied to the files that are replaced.

Tables of version 3 are refused, because their rows have IDs that a new file must keep, and so are equality deletes.
"""

from __future__ import annotations

import os
import uuid
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any, TypedDict

import pyarrow.parquet as pq
from pyiceberg.exceptions import CommitFailedException, ValidationException
from pyiceberg.io import pyarrow as footers
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table import FileScanTask, Table

from . import parquet

__all__ = ["Committed", "delete", "rewrite_data_files"]


class Committed(TypedDict):
    """What a function has changed."""

    files_added: int
    files_removed: int
    bytes_added: int
    bytes_removed: int
    deleted_rows: int
    """Number of rows that were deleted, those of delete files included."""


def rewrite_data_files(
    table: Table,
    *,
    small: int = 64 << 20,
    target: int = 256 << 20,
    verify: bool = True,
    retries: int = 5,
) -> Committed:
    """Merges small files of each partition into larger ones, and copies their pages.

    Files below `small` bytes are merged to some `target` bytes, and files with positions of deleted rows are merged without these, even
    if they are alone. `verify` compares every value before the commit. Files whose columns have other names or IDs are not merged with
    each other; those of an earlier partition spec, or with columns that were dropped, stay. `retries` is the number of times that
    the commit is repeated after another one.
    """
    work = _Work.of(table)
    groups: dict[object, list[FileScanTask]] = defaultdict(list)
    total: Counter[object] = Counter()
    for task in work.tasks():
        file, ids = task.file, work.ids(task)
        is_wanted = file.file_size_in_bytes < small or task.delete_files
        if is_wanted and file.spec_id == table.spec().spec_id and work.plan.keys() >= set(ids.values()):
            key = file.partition, tuple(ids.items())
            total[key] += file.file_size_in_bytes
            groups[key, total[key] // target].append(task)
    with work:
        for tasks in groups.values():
            if len(tasks) > 1 or tasks[0].delete_files:
                work.replace(tasks, verify=verify)
        return work.commit(retries)


def delete(table: Table, where: str, *, scrub: bool = False, verify: bool = False, retries: int = 5) -> Committed:
    """Deletes the rows that satisfy a condition in SQL, as in `bytelane.parquet.edit`.

    Files without such rows stay. In the others, only pages that lose rows are decoded, unless `scrub` leaves no trace of deleted values
    in the new files; the old ones are part of earlier snapshots until these expire. Columns have the names of the table's schema; a file
    that has others, because the schema has changed, is refused with its name: rewrite it before.
    """
    work = _Work.of(table)
    with work:
        for task in work.tasks():
            path = _local(task.file.file_path)
            names = {field.name for field in table.schema().fields}
            others = names.symmetric_difference(parquet.read_schema(path).names)
            if any(name in where for name in others):
                raise ValueError(f"{path}: its columns have other names than those of the table; rewrite it before")
            if parquet.read_table(path, [], filters=where, as_files=True).num_rows:
                if task.file.spec_id != table.spec().spec_id:
                    raise ValueError(f"{path}: it has an earlier partition spec, which is not written; use Table.delete")
                work.replace([task], where=where, scrub=scrub, verify=verify)
        return work.commit(retries)


def _local(location: str) -> str:
    if "://" in location and not location.startswith("file://"):
        raise ValueError(f"{location}: only tables on a file system are supported")
    return location.removeprefix("file://")


def _delete_files(task: FileScanTask) -> set[str]:
    return {file.file_path for file in task.delete_files}


@dataclass
class _Work:
    """Files that are replaced in one commit. Without a commit, the new ones are removed."""

    table: Table
    plan: dict[int, Any]
    old: list[DataFile] = field(default_factory=list)
    new: list[DataFile] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    deletes: dict[str, set[str]] = field(default_factory=dict)
    deleted_rows: int = 0
    is_committed: bool = False

    @classmethod
    def of(cls, table: Table) -> _Work:
        if table.format_version > 2:
            raise ValueError(f"tables of version {table.format_version}, whose rows have IDs, are not supported")
        return cls(table, footers.compute_statistics_plan(table.schema(), table.properties))

    def tasks(self) -> list[FileScanTask]:
        tasks = list(self.table.scan().plan_files())
        for task in tasks:
            for file in task.delete_files:
                if file.content != DataFileContent.POSITION_DELETES:
                    raise ValueError(f"{file.file_path}: equality deletes are not supported")
        return tasks

    def ids(self, task: FileScanTask) -> dict[str, int]:
        """Returns the field IDs of the columns of a file, by their paths."""
        schema = footers.pyarrow_to_schema(pq.read_schema(_local(task.file.file_path)))
        ids: dict[str, int] = footers.parquet_path_to_id_mapping(schema)
        return ids

    def positions(self, task: FileScanTask) -> list[int]:
        """Returns the numbers of the rows of a file that delete files name."""
        rows: set[int] = set()
        for file in task.delete_files:
            found = footers._read_deletes(self.table.io, file).get(task.file.file_path)
            rows.update([] if found is None else found.to_pylist())
        return sorted(rows)

    def replace(
        self, tasks: list[FileScanTask], *, where: str | None = None, scrub: bool = False, verify: bool = False
    ) -> None:
        """Writes the rows of files, without those that are deleted, to a new file."""
        first = tasks[0]
        kind = "edited" if where else "compacted"
        location = self.table.location_provider().new_data_location(f"{kind}-{uuid.uuid4()}.parquet")
        path = _local(location)
        self.paths.append(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        sources = [_local(task.file.file_path) for task in tasks]
        positions = {source: self.positions(task) for source, task in zip(sources, tasks, strict=True) if task.delete_files}
        merged = parquet.merge(
            sources,
            path,
            delete_rows=positions or None,
            delete_where=where,
            scrub=scrub,
            verify=verify,
            as_files=True,
        )
        self.deleted_rows += merged["deleted_rows"]
        self.old += [task.file for task in tasks]
        self.deletes |= {task.file.file_path: _delete_files(task) for task in tasks}
        if merged["rows"] == 0:
            os.remove(path)
            return
        ids = self.ids(first)
        statistics = footers.data_file_statistics_from_parquet_metadata(pq.read_metadata(path), self.plan, ids)
        self.new.append(
            DataFile.from_args(
                content=DataFileContent.DATA,
                file_path=location,
                file_format=FileFormat.PARQUET,
                partition=first.file.partition,
                spec_id=first.file.spec_id,
                file_size_in_bytes=merged["bytes_after"],
                **statistics.to_serialized_dict(),
            )
        )

    def commit(self, retries: int) -> Committed:
        schema, spec = self.table.schema(), self.table.spec()
        while self.old:
            try:
                with self.table.transaction() as transaction, transaction.update_snapshot().overwrite() as snapshot:
                    for new in self.new:
                        snapshot.append_data_file(new)
                    for old in self.old:
                        snapshot.delete_data_file(old)
                break
            except (CommitFailedException, ValidationException):
                self.table.refresh()
                current = {task.file.file_path: _delete_files(task) for task in self.table.scan().plan_files()}
                is_same = all(current.get(path) == deletes for path, deletes in self.deletes.items())
                if retries == 0 or not is_same or self.table.schema() != schema or self.table.spec() != spec:
                    raise
                retries -= 1
        self.is_committed = True
        return Committed(
            files_added=len(self.new),
            files_removed=len(self.old),
            bytes_added=sum(file.file_size_in_bytes for file in self.new),
            bytes_removed=sum(file.file_size_in_bytes for file in self.old),
            deleted_rows=self.deleted_rows,
        )

    def __enter__(self) -> _Work:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.is_committed:
            for path in self.paths:
                if os.path.exists(path):
                    os.remove(path)
