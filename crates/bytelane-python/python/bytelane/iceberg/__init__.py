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
the other commit left it. Rows that delete files name, by position or by values, are absent from the new files, and delete files that no
file needs any more are removed.

Tables of version 3 are refused, because their rows have IDs, and pyiceberg 0.12 cannot write their manifests.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation

from .. import parquet
from .._tables import READERS, Group, groups
from ._files import CurrentFile, deleted_rows, ids_of
from ._orphans import remove_orphans
from ._work import Committed, Work

__all__ = ["Committed", "Group", "delete", "plan", "remove_orphans", "rewrite_data_files"]


def rewrite_data_files(
    table: Table,
    *,
    small: int = 64 << 20,
    target: int = 256 << 20,
    verify: bool = True,
    readers: str | Iterable[str] = READERS,
    retries: int = 5,
) -> Committed:
    """Merges small files of each partition into larger ones, and copies their pages.

    Files below `small` bytes are merged to some `target` bytes, and files with deleted rows are merged without these, even if they are
    alone. `verify` compares every value before the commit. Files whose columns have other names or IDs, or with another partition spec,
    are not merged with each other; those with columns that were dropped stay. `readers` are the programs that must be able to read
    the new files, optionally with the oldest version in use. `retries` is the number of times that the commit is repeated after another
    one.
    """
    work = Work.of(table)
    with work:
        for old in _wanted(work, small, target):
            work.replace(old, verify=verify, readers=readers)
        return work.commit(Operation.REPLACE, retries)


def plan(table: Table, *, small: int = 64 << 20, target: int = 256 << 20) -> list[Group]:
    """Returns the groups of files that `rewrite_data_files` would replace.

    Nothing is written, and delete files are read to count the rows that they name. `small` and `target` are those of
    `rewrite_data_files`.
    """
    return [
        Group(
            reason="small files" if len(old) > 1 else "deleted rows",
            files=[it.path for it in old],
            bytes=sum(it.file.file_size_in_bytes for it in old),
            rows=sum(it.file.record_count for it in old),
            deleted_rows=sum(len(deleted_rows(table, it)) for it in old),
        )
        for old in _wanted(Work.of(table), small, target)
    ]


def _wanted(work: Work, small: int, target: int) -> list[list[CurrentFile]]:
    """Returns the groups of files that are small or have deleted rows."""
    files = work.files()
    ids = {it.path: ids_of(work.table, it.path) for it in files}

    def key(it: CurrentFile) -> object:
        return it.file.spec_id, it.file.partition, tuple(ids[it.path].items())

    wanted = [
        it
        for it in files
        if (it.file.file_size_in_bytes < small or it.deletes) and work.plan.keys() >= set(ids[it.path].values())
    ]
    found = groups(wanted, key, lambda it: it.file.file_size_in_bytes, target)
    return [old for old in found if len(old) > 1 or old[0].deletes]


def delete(
    table: Table,
    where: str,
    *,
    scrub: bool = False,
    verify: bool = False,
    readers: str | Iterable[str] = READERS,
    retries: int = 5,
) -> Committed:
    """Deletes the rows that satisfy a condition in SQL, as in `bytelane.parquet.edit`.

    Files without such rows stay. In the others, only pages that lose rows are decoded, unless `scrub` leaves no trace of deleted values
    in the new files; the old ones are part of earlier snapshots until these expire. Columns have the names of the table's schema; a file
    that has others, because the schema has changed, is refused with its name: rewrite it before. `verify`, `readers` and `retries` are those of `rewrite_data_files`.
    """
    work = Work.of(table)
    with work:
        for it in work.files():
            names = {field.name for field in table.schema().fields}
            others = names.symmetric_difference(parquet.read_schema(it.path).names)
            if any(name in where for name in others):
                raise ValueError(f"{it.path}: its columns have other names than those of the table; rewrite it before")
            if parquet.read_table(it.path, [], filters=where, as_files=True).num_rows:
                work.replace([it], where=where, scrub=scrub, verify=verify, readers=readers)
        return work.commit(Operation.OVERWRITE, retries)
