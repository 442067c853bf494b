"""Native half of `bytelane.dataset`."""

import os
from collections.abc import Callable, Sequence
from typing import TypeAlias

__all__ = ["delete", "plan", "run", "swap", "verify"]

_Path: TypeAlias = str | os.PathLike[str]

def plan(
    root: _Path,
    output: _Path | None,
    force: bool,
    as_files: bool,
    files: Sequence[str] | None,
    target_size: int,
    row_group_rows: int,
    min_saving: float,
    sample: tuple[int, int, int],
    goal: str,
    readers: str | None,
    compression: str | None,
    sort_by: str | None,
    progress: Callable[[int, int], object] | None,
) -> str: ...
def run(
    plan: str,
    out: _Path,
    jobs: int,
    shard: str,
    retry_failed: bool,
    progress: Callable[[int, int], object] | None,
) -> str: ...
def verify(old: _Path, new: _Path) -> tuple[bool, str]: ...
def swap(one: _Path, other: _Path) -> None: ...
def delete(old: _Path, verified_by: _Path) -> str: ...
