"""Tables of Apache Iceberg, compacted and edited by moving pages: only pages that lose rows are decoded. Sorting encodes rows again.

This needs `pip install "bytelane[iceberg]"`, with the extra of the catalog, such as `pyiceberg[sql-sqlite]`, and tables on a local or shared file
system.

```python
from bytelane import iceberg
from pyiceberg.catalog import load_catalog

table = load_catalog("default").load_table("weather.hours")
iceberg.rewrite_data_files(table)
iceberg.delete(table, "place = 'Berlin' and hour < 100")
iceberg.sort(table, ["place", "hour"])
```

Each function makes one commit. If another commit came in between, the work is committed after it, unless that one has replaced or
removed one of the same files, or has changed the schema: then, the exception of pyiceberg says so, the new files are removed, and the table is as
the other commit left it. Rows that delete files name, by position or by values, are absent from the new files, and delete files that no
file needs any more are removed.

Tables of version 3 are refused, because their rows have IDs, and pyiceberg 0.12 cannot write their manifests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation

from .. import parquet
from .._protocols import Executor
from .._tables import READERS, Group, Reason, group, groups
from ._files import CurrentFile, deleted_rows, ids_of
from ._orders import Order, alike, keys_for, order_id_of, unsorted
from ._orphans import remove_orphans
from ._work import Committed, Work

__all__ = ["Committed", "Group", "delete", "plan", "remove_orphans", "rewrite_data_files", "sort", "zorder"]


def rewrite_data_files(
    table: Table,
    *,
    small: int = 64 << 20,
    target: int = 256 << 20,
    verify: bool = True,
    readers: str | Iterable[str] = READERS,
    retries: int = 5,
    executor: Executor | None = None,
) -> Committed:
    """Merges small files of each partition into larger ones, and copies their pages.

    Files below `small` bytes are merged to some `target` bytes, and files with deleted rows are merged without these, even if they are
    alone. `verify` compares every value before the commit. Files whose columns have other names or IDs, or with another partition spec,
    are not merged with each other; those with columns that were dropped stay. `readers` are the programs that must be able to read
    the new files, optionally with the oldest version in use. `retries` is the number of times that the commit is repeated after another
    one. `executor` does the work on files in other processes, as that of `bytelane.dataset.run`; this one makes the commit.
    """
    work = Work.of(table)
    with work:
        work.replace(_wanted(work, small, target), executor, verify=verify, readers=readers)
        return work.commit(Operation.REPLACE, retries)


def sort(
    table: Table,
    by: Order = "table",
    *,
    target: int = 256 << 20,
    memory_limit: int = 1 << 30,
    verify: bool = True,
    readers: str | Iterable[str] = READERS,
    retries: int = 5,
    executor: Executor | None = None,
) -> Committed:
    """Sorts the rows of each partition by the table's sort order, or by columns, as in `["place", ("day", "descending")]`.

    Readers can then skip files and pages. Files stay if they say that their rows are sorted so, and overlap with no other file. The rows
    of all others are encoded again, without those that delete files name, into files of some `target` bytes that record their order, by
    the number of the table's sort order if it has such a one. Nulls are first in ascending order and last in descending order, unless the
    table's sort order says otherwise; rows with equal values keep their order. Files whose columns have other names or IDs, or with another
    partition spec, are sorted apart. The columns of `by` are in memory as a whole; for the others, `memory_limit` is about the number of
    bytes that are in memory at a time, and rows that take more are written to temporary files among the data files. `verify`, `readers`,
    `retries` and `executor` are those of `rewrite_data_files`.
    """
    work = Work.of(table)
    keys = keys_for(table, by)
    options: dict[str, Any] = {"memory_limit": memory_limit, "verify": verify, "readers": readers}
    with work:
        order_id = order_id_of(table, keys)
        found = unsorted(work, keys, executor)
        ordered = [(old, there, order_id if len(there) == len(keys) else None) for old, there in found]
        work.sort(ordered, executor, z_order=False, target=target, **options)
        return work.commit(Operation.REPLACE, retries)


def zorder(
    table: Table,
    by: Sequence[str],
    *,
    target: int = 256 << 20,
    memory_limit: int = 1 << 30,
    verify: bool = True,
    readers: str | Iterable[str] = READERS,
    retries: int = 5,
    executor: Executor | None = None,
) -> Committed:
    """Sorts the rows of each partition in Z-order, so that readers can skip files by each of the columns.

    Rows with similar values of all columns come together: they are sorted by a number in which the bits of the values' ranks
    alternate. Each call encodes all files again, since the order of a file cannot be recorded. The other arguments are those of `sort`.
    """
    work = Work.of(table)
    keys = keys_for(table, by)
    options: dict[str, Any] = {"memory_limit": memory_limit, "verify": verify, "readers": readers}
    with work:
        ordered = [(old, there, None) for old, there in alike(work, keys)]
        work.sort(ordered, executor, z_order=True, target=target, **options)
        return work.commit(Operation.REPLACE, retries)


def plan(
    table: Table, *, small: int = 64 << 20, target: int = 256 << 20, sort_by: Order | None = None
) -> list[Group]:
    """Returns the groups of files that `rewrite_data_files` would replace, and what each would save. With `sort_by`, they are those that
    `sort` would replace: files whose rows are not sorted, and files that overlap.

    Nothing is written, and delete files are read to count the rows that they name. `small` and `target` are those of
    `rewrite_data_files`.
    """
    work = Work.of(table)
    if sort_by is None:
        found = _wanted(work, small, target)
    else:
        found = [old for old, _ in unsorted(work, keys_for(table, sort_by))]

    def of(old: list[CurrentFile]) -> Group:
        reason: Reason = "unsorted rows" if sort_by is not None else "small files" if len(old) > 1 else "deleted rows"
        size, rows = (sum(getattr(it.file, name) for it in old) for name in ("file_size_in_bytes", "record_count"))
        return group(reason, [it.path for it in old], size, rows, sum(len(deleted_rows(table, it)) for it in old), target)

    return [of(old) for old in found]


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
    executor: Executor | None = None,
) -> Committed:
    """Deletes the rows that satisfy a condition in SQL, as in `bytelane.parquet.edit`.

    Files without such rows stay. In the others, only pages that lose rows are decoded, unless `scrub` leaves no trace of deleted values
    in the new files; the old ones are part of earlier snapshots until these expire. Columns have the names of the table's schema; a file
    that has others, because the schema has changed, is refused with its name: rewrite it before. `verify`, `readers`,
    `retries` and `executor` are those of `rewrite_data_files`.
    """
    work = Work.of(table)
    with work:
        files = work.files()
        for it in files:
            names = {field.name for field in table.schema().fields}
            others = names.symmetric_difference(parquet.read_schema(it.path).names)
            if any(name in where for name in others):
                raise ValueError(f"{it.path}: its columns have other names than those of the table; rewrite it before")
        work.replace([[it] for it in files], executor, where, scrub=scrub, verify=verify, readers=readers)
        return work.commit(Operation.OVERWRITE, retries)
