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
    options: str,
    progress: Callable[[int, int], object] | None,
) -> str: ...
def run(
    plan: str,
    out: _Path,
    options: str,
    progress: Callable[[int, int], object] | None,
) -> str: ...
def verify(old: _Path, new: _Path) -> tuple[bool, str]: ...
def swap(one: _Path, other: _Path) -> None: ...
def delete(old: _Path, verified_by: _Path) -> str: ...
