"""The work of one commit to a table of Apache Iceberg: the files that are replaced, and the new ones."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

import pyarrow.parquet as pq
from pyiceberg.exceptions import CommitFailedException, ValidationException
from pyiceberg.io import pyarrow as footers
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation

from .. import parquet
from .._protocols import Executor
from .._sorting import Key
from .._tables import NewFiles, count_of_new, remove
from .._units import Editing, Merging, Sorting, Source, done
from ._files import CurrentFile, current_files, deleted_rows, ids_of, local
from ._snapshot import Replacement


class Committed(TypedDict):
    """What a function has changed."""

    files_added: int
    files_removed: int
    """Number of data files that were removed."""
    delete_files_removed: int
    bytes_added: int
    bytes_removed: int
    deleted_rows: int
    """Number of rows that were deleted, those of delete files included."""


@dataclass
class Work(NewFiles):
    table: Table
    plan: dict[int, Any]
    old: list[CurrentFile] = field(default_factory=list)
    new: list[DataFile] = field(default_factory=list)
    deleted_rows: int = 0

    @classmethod
    def of(cls, table: Table) -> Work:
        if table.format_version > 2:
            raise ValueError(
                f"tables of version {table.format_version}, whose rows have IDs, are not supported: "
                "pyiceberg 0.12 cannot write their manifests"
            )
        return cls(table, footers.compute_statistics_plan(table.schema(), table.properties))

    def files(self) -> list[CurrentFile]:
        return current_files(self.table)[0]

    def _new_location(self, kind: str) -> str:
        location: str = self.table.location_provider().new_data_location(f"{kind}-{uuid.uuid4()}.parquet")
        self.paths.append(local(location))
        return location

    def _source(self, it: CurrentFile) -> Source:
        """Returns a file for a unit of work, without the rows that its delete files name."""
        return Source(it.path, local(self._new_location("whole")), deleted_rows(self.table, it))

    def replace(
        self, groups: list[list[CurrentFile]], executor: Executor | None, where: str | None = None, **options: Any
    ) -> None:
        """Writes the rows of each group of files, without those that are deleted, to a new file. Files without rows that satisfy the
        condition stay, if there is one."""
        locations = [self._new_location("edited" if where else "compacted") for _ in groups]
        units: list[Callable[[], parquet.Edited | parquet.Merged | None]] = []
        for old, location in zip(groups, locations, strict=True):
            sources, new = [self._source(it) for it in old], local(location)
            units.append(Merging(sources, new, options) if len(old) > 1 else Editing(sources[0], new, options, where))
        for old, location, outcome in zip(groups, locations, done(units, executor), strict=True):
            if outcome is None:
                continue
            self.deleted_rows += outcome["deleted_rows"]
            self.old += old
            if outcome["rows"] == 0:
                remove(local(location))
            else:
                self._add(location, old[0])

    def sort(
        self,
        groups: Sequence[tuple[list[CurrentFile], list[Key], int | None]],
        executor: Executor | None,
        *,
        z_order: bool,
        target: int,
        **options: Any,
    ) -> None:
        """Writes the rows of each group of files, sorted by columns, and without those that are deleted, to some new files, which have
        the number of a sort order of the table."""
        new = [
            [self._new_location("sorted") for _ in range(count_of_new(sum(it.file.file_size_in_bytes for it in old), target))]
            for old, *_ in groups
        ]
        units = [
            Sorting([self._source(it) for it in old], [*map(local, locations)], keys, z_order, options)
            for (old, keys, _), locations in zip(groups, new, strict=True)
        ]
        for (old, _, order_id), locations, unit, written in zip(groups, new, units, done(units, executor), strict=True):
            self.old += old
            self.deleted_rows += sum(len(it.deleted) for it in unit.sources)
            for location in locations[: len(written)]:
                self._add(location, old[0], order_id)

    def _add(self, location: str, like: CurrentFile, order_id: int | None = None) -> None:
        """Adds a new file to the commit, of the same partition and with the same field IDs as another one."""
        path = local(location)
        first = like.file
        statistics = footers.data_file_statistics_from_parquet_metadata(
            pq.read_metadata(path), self.plan, ids_of(self.table, like.path)
        )
        new = DataFile.from_args(
            content=DataFileContent.DATA,
            file_path=location,
            file_format=FileFormat.PARQUET,
            partition=first.partition,
            file_size_in_bytes=os.path.getsize(path),
            sort_order_id=order_id,
            **statistics.to_serialized_dict(),
        )
        new.spec_id = first.spec_id
        self.new.append(new)

    def commit(self, operation: Operation, retries: int) -> Committed:
        layout = self._layout()
        obsolete: set[DataFile] = set()
        while self.old:
            current, deletes = current_files(self.table)
            # Delete files that still apply to a file stay.
            replaced = {it.file for it in self.old}
            obsolete = deletes.difference(*(it.deletes for it in current if it.file not in replaced))
            try:
                with self.table.transaction() as transaction, Replacement(transaction, operation, obsolete) as snapshot:
                    for new in self.new:
                        snapshot.append_data_file(new)
                    for old in self.old:
                        snapshot.delete_data_file(old.file)
                break
            except (CommitFailedException, ValidationException):
                self.table.refresh()
                now = {it.file.file_path: it.deletes for it in self.files()}
                is_same = all(now.get(it.file.file_path) == it.deletes for it in self.old)
                if retries == 0 or not is_same or self._layout() != layout:
                    raise
                retries -= 1
            except BaseException:
                # The commit may have been made, as when the answer of the catalog is lost.
                self.keep()
                raise
        self.keep()
        return Committed(
            files_added=len(self.new),
            files_removed=len(self.old),
            delete_files_removed=len(obsolete),
            bytes_added=sum(file.file_size_in_bytes for file in self.new),
            bytes_removed=sum(it.file.file_size_in_bytes for it in self.old),
            deleted_rows=self.deleted_rows,
        )

    def _layout(self) -> tuple[object, object]:
        """Returns what must not change in the meantime."""
        return self.table.schema(), self.table.spec()
