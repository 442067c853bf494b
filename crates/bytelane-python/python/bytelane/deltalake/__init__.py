"""Tables of Delta Lake, compacted and edited by moving pages: only pages that lose rows are decoded. Sorting encodes rows again.

This needs `pip install "bytelane[deltalake]"`, and tables on a local or shared file system.

```python
from bytelane import deltalake

deltalake.compact("events")
deltalake.delete("events", "user_id = 17", scrub=True)
deltalake.purge("events")
deltalake.sort("events", ["user_id", "time"])
```

Each function makes one commit, so readers see either the old files or the new ones. Old files stay, so that earlier versions can
be read, until `DeltaTable.vacuum` removes them. If another commit came in between, the work is committed after it, unless
that one has replaced or removed one of the same files: then, `CommitFailedError` says so, the new files are removed, and the table is as the
other commit left it.

Rows that deletion vectors name are absent from the new files, and so are columns that were dropped. Conditions and orders have the names
of columns in the table, also if column mapping gives them others in files, and new files have the types of the table, also after type
widening. Tables with row tracking, liquid clustering or other features that need more than this are refused, and so are deletions in
tables with a change data feed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from deltalake import DeltaTable

from .._protocols import Executor, Path
from .._sorting import By, Key, keys_of
from .._tables import READERS, UNFINISHED, Group, Reason, found_below, group, groups, remove
from .._units import Clusters, done
from ._work import Committed, File, Work

__all__ = ["Committed", "Group", "compact", "delete", "plan", "purge", "remove_unfinished", "sort", "zorder"]


def compact(
    table: DeltaTable | Path,
    *,
    small: int = 64 << 20,
    target: int = 256 << 20,
    verify: bool = True,
    readers: str | Iterable[str] = READERS,
    retries: int = 5,
    executor: Executor | None = None,
) -> Committed:
    """Merges small files of each partition into larger ones, and copies their pages.

    Files below `small` bytes are merged to some `target` bytes, without the rows that their deletion vectors name; files with other
    columns are not merged with each other. `verify` compares every value before the commit. The commit says that no data have changed
    (`dataChange` is false), so streams that read the table do not process the rows again. `readers` are the programs that must be able
    to read the new files, optionally with the oldest version in use. `retries` is the number of times that the commit is repeated after
    another one. `executor` does the work on files in other processes, as that of `bytelane.dataset.run`; this one makes the commit.

    The statistics are those of the old files, joined.
    """
    work = Work.of(table)
    with work:
        groups_of_files = _small(work, work.files(), small, target)
        work.merge(groups_of_files, "compacted", executor, verify=verify, readers=readers)
        return work.commit("OPTIMIZE", data_change=False, retries=retries)


def sort(
    table: DeltaTable | Path,
    by: By,
    *,
    target: int = 256 << 20,
    memory_limit: int = 1 << 30,
    verify: bool = True,
    readers: str | Iterable[str] = READERS,
    retries: int = 5,
    executor: Executor | None = None,
) -> Committed:
    """Sorts the rows of each partition by columns, as in `["place", ("day", "descending")]`, so that readers can skip files and pages.

    Files stay if they say that their rows are sorted so, and overlap with no other file. The rows of all others are encoded again, into
    files of some `target` bytes that record their order; nulls are last, and rows with equal values keep their order. Files with other
    columns are sorted apart. The columns of `by` are in memory as a whole; for the others, `memory_limit` is about the number of bytes
    that are in memory at a time, and rows that take more are written to temporary files in the table's directory. `dataChange` is
    false. `verify`, `readers`, `retries` and `executor` are those of `compact`.
    """
    work = Work.of(table)
    keys = _keys(work, by)
    options: dict[str, Any] = {"memory_limit": memory_limit, "verify": verify, "readers": readers}
    with work:
        work.sort(_unsorted(work, keys, executor), keys, executor, z_order=False, target=target, **options)
        return work.commit("OPTIMIZE", data_change=False, retries=retries)


def zorder(
    table: DeltaTable | Path,
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
    keys = _keys(work, by)
    options: dict[str, Any] = {"memory_limit": memory_limit, "verify": verify, "readers": readers}
    with work:
        work.sort(_alike(work, work.files()), keys, executor, z_order=True, target=target, **options)
        return work.commit("OPTIMIZE", data_change=False, retries=retries)


def _keys(work: Work, by: By) -> list[Key]:
    return keys_of(by, work.columns.schema.names, work.table.metadata().partition_columns)


def _alike(work: Work, files: list[File]) -> list[list[File]]:
    """Returns the files of each partition with the same columns, in the same types."""
    return groups(files, lambda file: (_kind(work, file), *sorted(work.promoted(file))), lambda file: 0, 1)


def _unsorted(work: Work, keys: list[Key], executor: Executor | None = None) -> list[list[File]]:
    """Returns the groups of files whose rows must be sorted."""
    alike = _alike(work, work.files())
    units = [Clusters([work.path(file.path) for file in old], work.keys(keys, old)) for old in alike]
    return [[old[at] for at in cluster] for old, found in zip(alike, done(units, executor), strict=True) for cluster in found]


def plan(
    table: DeltaTable | Path, *, small: int = 64 << 20, target: int = 256 << 20, sort_by: By | None = None
) -> list[Group]:
    """Returns the groups of files that `compact` would merge, and then each other file that `purge` would replace, and what each would
    save. With `sort_by`, they are those that `sort` would replace: files whose rows are not sorted, and files that overlap.

    Nothing is written. `small` and `target` are those of `compact`.
    """
    work = Work.of(table)
    files = work.files()

    def of(reason: Reason, old: list[File]) -> Group:
        rows, deleted = sum(file.statistics.rows for file in old), sum(file.deleted_rows for file in old)
        return group(reason, [work.path(file.path) for file in old], sum(file.bytes for file in old), rows, deleted, target)

    if sort_by is not None:
        return [of("unsorted rows", old) for old in _unsorted(work, _keys(work, sort_by))]
    merged = _small(work, files, small, target)
    there = {file.name for old in merged for file in old}
    purged = [file for file in files if file.name not in there and _has_leftovers(work, file)]
    return [
        *(of("small files", old) for old in merged),
        *(of("deleted rows" if file.vector else "dropped columns", [file]) for file in purged),
    ]


def _small(work: Work, files: list[File], small: int, target: int) -> list[list[File]]:
    """Returns the groups of small files that can be merged."""
    wanted = [file for file in files if file.bytes < small]
    found = groups(wanted, lambda file: _kind(work, file), lambda file: file.bytes, target)
    return [old for old in found if len(old) > 1]


def _has_leftovers(work: Work, file: File) -> bool:
    """Returns whether a file has rows that a deletion vector names, or columns that the table no longer has."""
    return file.vector is not None or bool(work.dropped([file]))


def _kind(work: Work, file: File) -> object:
    """Returns the partition and the columns of a file, which are those of the files that it is merged with."""
    return tuple(file.partition.items()), work.columns.kind(work.schema(file))


def purge(
    table: DeltaTable | Path,
    *,
    verify: bool = True,
    readers: str | Iterable[str] = READERS,
    retries: int = 5,
    executor: Executor | None = None,
) -> Committed:
    """Applies deletion vectors, and the dropping of columns: replaces each file that has some by a file without these rows and columns.

    Only pages that lose rows are decoded. Deleted values may remain in dictionaries and Bloom filters of the new files, and remain in the
    old ones until `DeltaTable.vacuum` removes them. `dataChange` is false. `verify`, `readers`, `retries` and `executor` are those of
    `compact`.
    """
    work = Work.of(table)
    with work:
        old = [[file] for file in work.files() if _has_leftovers(work, file)]
        work.merge(old, "purged", executor, verify=verify, readers=readers)
        return work.commit("REORG", data_change=False, retries=retries)


def delete(
    table: DeltaTable | Path,
    where: str,
    *,
    scrub: bool = False,
    verify: bool = False,
    readers: str | Iterable[str] = READERS,
    retries: int = 5,
    executor: Executor | None = None,
) -> Committed:
    """Deletes the rows that satisfy a condition in SQL, as in `bytelane.parquet.edit`; columns of partitions may be named.

    Files without such rows stay. In the others, only pages that lose rows are decoded, unless `scrub` leaves no trace of deleted values
    in the new files; the old ones are part of earlier versions until `DeltaTable.vacuum` removes them. Rows that another commit adds
    in the meantime are not deleted. `verify`, `readers`, `retries` and `executor` are those of `compact`.
    """
    work = Work.of(table)
    configuration = work.table.metadata().configuration
    if configuration.get("delta.enableChangeDataFeed") == "true":
        raise ValueError("the table has a change data feed, which this function does not write; use DeltaTable.delete")
    if configuration.get("delta.appendOnly") == "true":
        raise ValueError("the table only accepts new rows; set delta.appendOnly to false to delete some")
    with work:
        work.delete(where, executor, scrub=scrub, verify=verify, readers=readers)
        return work.commit("DELETE", data_change=True, retries=retries)


def remove_unfinished(
    table: DeltaTable | Path, *, older_than: timedelta = timedelta(days=3), dry_run: bool = True
) -> list[str]:
    """Returns the temporary files that killed processes have left in the table's directory, and removes them without `dry_run`.

    Some have names that begin with a dot, so `DeltaTable.vacuum` leaves them. With `full=True`, that removes the complete files that no
    commit names. Files that were changed in the last `older_than` stay, because a process may be writing them.
    """
    found = found_below(Work.of(table).root, re.compile(UNFINISHED).fullmatch, older_than)
    if not dry_run:
        for path in found:
            remove(path)
    return found
