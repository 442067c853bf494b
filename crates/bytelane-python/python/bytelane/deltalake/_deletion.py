"""Deletes the rows of a file that satisfy a condition on columns of a table of Delta Lake."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .. import parquet
from .._tables import remove
from .._units import Editing, Source
from ._columns import Condition


@dataclass(frozen=True)
class Deletion:
    """Unit of work, as those of `bytelane._units`."""

    source: Source
    new: str
    where: Condition
    options: dict[str, Any]

    def __call__(self) -> parquet.Edited | None:
        """Returns `None`, and leaves no file, if no row satisfies the condition that was not deleted before."""
        done = self._edited()
        if done is None or done["deleted_rows"] > len(self.source.deleted):
            return done
        remove(self.new)
        return None

    def _edited(self) -> parquet.Edited | None:
        """Edits the file, which first gets the columns that it lacks, and those of the condition in the types of the table."""
        old, where = self.source, self.where
        added = dict(where.added.values())
        first = {name: to for name, to in old.promote.items() if name in where.columns}
        if not added and not first:
            return Editing(old, self.new, self.options, where.text)()
        later = {name: to for name, to in old.promote.items() if name not in first}
        try:
            whole = old.changed(add=[*added.values()], promote=first)
            wanted = replace(old, path=whole, drop=[*old.drop, *added], promote=later)
            return Editing(wanted, self.new, self.options, where.text)()
        finally:
            remove(old.whole)
