"""Units of work on tables, for `bytelane.deltalake` and `bytelane.iceberg`: functions of their fields, which any process can call.

The process that plans the units names the files that they write, and makes one commit of all of them. A unit that is done again, as
after a worker was killed, writes the same files again; without the commit, nobody reads them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from . import parquet
from ._protocols import Executor
from ._sorting import Key, Rows, write_sorted
from ._tables import remove

T = TypeVar("T")


def done(units: Iterable[Callable[[], T]], executor: Executor | None) -> Iterator[T]:
    """Does units in this process, or where an executor does them, and returns their results in the same order."""
    return map(_call, units) if executor is None else executor.map(_call, units)


def _call(unit: Callable[[], T]) -> T:
    return unit()


@dataclass(frozen=True)
class Source:
    """File whose rows are read, and what the new files lack of it."""

    path: str
    whole: str
    """Path of a temporary file with what is left of it, if one is needed."""
    deleted: list[int] = field(default_factory=list)
    """Numbers of rows."""
    drop: list[str] = field(default_factory=list)
    promote: dict[str, str] = field(default_factory=dict)
    """Columns that get a wider type."""

    def changed(self, **changes: Any) -> str:
        """Writes the temporary file, and returns its path."""
        _make_directory(self.whole)
        parquet.edit(self.path, self.whole, as_files=True, **changes)
        return self.whole


def _make_directory(new: str) -> None:
    os.makedirs(os.path.dirname(new), exist_ok=True)


@dataclass(frozen=True)
class Merging:
    """Merges files, whose pages are copied where nothing is deleted."""

    sources: list[Source]
    new: str
    options: dict[str, Any]

    def __call__(self) -> parquet.Merged:
        promote = self.sources[0].promote
        is_alike = all(it.promote == promote for it in self.sources)
        try:
            paths = [it.path if is_alike or not it.promote else it.changed(promote=it.promote) for it in self.sources]
            changes: dict[str, Any] = {
                "delete_rows": {path: it.deleted for path, it in zip(paths, self.sources, strict=True) if it.deleted} or None,
                "drop": sorted({name for it in self.sources for name in it.drop}),
                "promote": promote if is_alike else {},
            }
            _make_directory(self.new)
            return parquet.merge(paths, self.new, as_files=True, **changes, **self.options)
        finally:
            for it in self.sources:
                remove(it.whole)


@dataclass(frozen=True)
class Editing:
    """Writes a file without its deleted rows, and without those that satisfy a condition. Its row groups stay."""

    source: Source
    new: str
    options: dict[str, Any]
    where: str | None = None

    def __call__(self) -> parquet.Edited | None:
        """Returns `None`, and writes nothing, if no row satisfies the condition."""
        if self.where and not _has_rows(self.source.path, self.where):
            return None
        it = self.source
        # A file may be written again only because delete files apply to it that name none of its rows.
        changes: dict[str, Any] = {"delete_rows": {it.path: it.deleted}, "drop": it.drop, "promote": it.promote}
        _make_directory(self.new)
        return parquet.edit(it.path, self.new, delete_where=self.where, as_files=True, **changes, **self.options)


def _has_rows(path: str, where: str) -> bool:
    return parquet.read_table(path, [], filters=where, as_files=True).num_rows > 0


@dataclass(frozen=True)
class Clusters:
    """Finds the files whose rows must be sorted, among those with the same columns."""

    paths: list[str]
    keys: list[Key]

    def __call__(self) -> list[list[int]]:
        """Returns their indices, in groups of files that overlap."""
        return Rows.of(self.paths, self.keys).clusters()


@dataclass(frozen=True)
class Sorting:
    """Sorts the rows of files."""

    sources: list[Source]
    new: list[str]
    """Paths of the new files, of which the first are written if there are fewer rows than paths."""
    keys: list[Key]
    is_z_order: bool
    options: dict[str, Any]

    def __call__(self) -> list[str]:
        """Returns the paths of the files that were written."""
        try:
            rows = Rows.of([self._prepared(it) for it in self.sources], self.keys, z_order=self.is_z_order)
            new = self.new[: sum(rows.counts)]
            if new:
                _make_directory(new[0])
                write_sorted(rows, new, is_declared=not self.is_z_order, **self.options)
            return new
        finally:
            for it in self.sources:
                remove(it.whole)

    @staticmethod
    def _prepared(source: Source) -> str:
        changes = {"delete_rows": source.deleted or None, "drop": source.drop, "promote": source.promote}
        return source.changed(**changes) if any(changes.values()) else source.path
