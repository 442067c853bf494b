"""Parts that `bytelane.deltalake` and `bytelane.iceberg` share: new files that vanish without a commit, and groups of small files."""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, Self, TypeAlias, TypedDict, TypeVar

File = TypeVar("File")

UNFINISHED = r"\.bytelane-\w+|sorting-\d+\.arrow"
"""Pattern of the names of files that a process has while it works, and leaves if it is killed."""

READERS = ("pyarrow", "duckdb", "polars", "spark>=3.5", "trino")
"""Programs that read such tables. Spark returns wrong values of some files that the others read."""


Reason: TypeAlias = Literal["small files", "deleted rows", "dropped columns", "unsorted rows"]


class Group(TypedDict):
    """Files that would be replaced by one file, or, sorted, by some."""

    reason: Reason
    files: list[str]
    bytes: int
    rows: int
    """Number of rows, with those that are deleted."""
    deleted_rows: int
    saved_files: int
    """Number of files that there would be fewer."""
    saved_bytes: int
    """Size of the deleted rows, if all rows are alike. What sorting saves is known afterwards."""


def group(reason: Reason, files: list[str], size: int, rows: int, deleted_rows: int, target: int) -> Group:
    """Returns a group of files, and what replacing them would save."""
    left = rows - deleted_rows
    new = 0 if left == 0 else count_of_new(size, target) if reason == "unsorted rows" else 1
    return Group(
        reason=reason,
        files=files,
        bytes=size,
        rows=rows,
        deleted_rows=deleted_rows,
        saved_files=len(files) - min(new, left),
        saved_bytes=size * deleted_rows // max(1, rows),
    )


def count_of_new(size: int, target: int) -> int:
    """Returns the number of new files of some `target` bytes for rows that had a size, if there are as many rows."""
    return max(1, round(size / target))


@dataclass
class NewFiles:
    """Files that a commit will add. Without a commit, they are removed."""

    paths: list[str] = field(default_factory=list, kw_only=True)

    def keep(self) -> None:
        """Lets the files stay: they are part of a commit, or may be, if its outcome is unknown."""
        self.paths = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for path in self.paths:
            remove(path)


def remove(path: str) -> None:
    """Removes a file, if there is one."""
    if os.path.exists(path):
        os.remove(path)


def groups(
    files: Iterable[File], key: Callable[[File], object], size: Callable[[File], int], target: int
) -> list[list[File]]:
    """Returns the files of each key in groups of some `target` bytes."""
    found: dict[object, list[File]] = defaultdict(list)
    total: Counter[object] = Counter()
    for file in files:
        name = key(file)
        total[name] += size(file)
        found[name, total[name] // target].append(file)
    return list(found.values())


def found_below(directory: str, is_wanted: Callable[[str], object], older_than: timedelta) -> list[str]:
    """Returns the files with wanted names in and below a directory that were not changed in the last `older_than`."""
    if older_than < timedelta(0):
        raise ValueError(f"older_than must not be negative, but it is {older_than}")
    latest = time.time() - older_than.total_seconds()
    found = [os.path.join(below, name) for below, _, names in os.walk(directory) for name in names if is_wanted(name)]
    return sorted(path for path in found if _changed(path) < latest)


def _changed(path: str) -> float:
    """Returns the time of the last change of a file; the end of time if it is gone by now."""
    try:
        return os.path.getmtime(path)
    except FileNotFoundError:
        return float("inf")
