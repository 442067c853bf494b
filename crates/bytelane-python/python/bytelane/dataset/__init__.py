"""Data sets of many Parquet files: merged, split and rewritten exactly once, into a new directory.

>>> import pyarrow as pa, pyarrow.parquet as pq, os
>>> from bytelane import dataset
>>> os.mkdir("lake")
>>> for number in range(10):
...     pq.write_table(pa.table({"id": range(1000)}), f"lake/{number}.parquet")
>>> plan = dataset.plan("lake")
>>> run = dataset.run(plan, "lake.new")
>>> run["complete"], dataset.verify("lake", "lake.new").same
(True, True)
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict

from .. import _dataset
from .._options import Goal as Goal
from .._options import given
from .._protocols import Executor

__all__ = ["FailedUnit", "Plan", "Run", "Verified", "delete", "plan", "run", "swap", "verify"]

Path: TypeAlias = str | os.PathLike[str]
Plan: TypeAlias = dict[str, Any]
Progress: TypeAlias = Callable[[int, int], object]


class FailedUnit(TypedDict):
    """Failed unit of a plan."""

    unit: str
    source: str
    sources: int
    error: str


class Run(TypedDict):
    """Outcome of a run."""

    units: int
    published: int
    published_before: int
    failed: list[FailedUnit]
    remaining: int
    bytes_before: int
    bytes_after: int
    unplanned: list[str]
    unreadable: int
    complete: bool


class Verified(NamedTuple):
    """Outcome of a comparison. If it is not `same`, `details` has the directories whose rows differ."""

    same: bool
    details: dict[str, Any]


def plan(
    root: Path,
    output: Path | None = None,
    *,
    file_size: int | str = "256MiB",
    row_group_size: int = 1048576,
    min_saving: float = 0.05,
    sample_files: int = 8,
    sample_rows: int = 65536,
    seed: int = 0,
    goal: Goal = "balanced",
    readers: str | Iterable[str] | None = None,
    encodings: str | Iterable[str] | None = None,
    compression: str | None = None,
    sort_by: Literal["auto"] | None = None,
    compression_level: int | None = None,
    files: Iterable[str] | None = None,
    force: bool = False,
    as_files: bool = False,
    progress: Progress | None = None,
) -> Plan:
    """Decides which files below a directory or a URL to merge, split or rewrite, as `bytelane dataset plan` does.

    Returns the plan, and also writes it to `output`, if given; an existing file is only replaced with `force`. Directories
    of a table format are refused, except with `as_files`, which takes all of their files. `files` are paths below `root`, such as the current
    files of a table. With `sort_by="auto"`, `plan["sort_orders"]` says how much a sort order would save, measured on the
    sample, and whether the orders that its files promise are true. `compression_level` is the level of `compression`. `progress` is called
    with the number of footers and samples read, and their total.

    Options:

    - `file_size`: The size that files should have: those below a quarter of it are merged, those above twice of it are
      split.
    - `row_group_size`: Maximum number of rows of a joined row group.
    - `min_saving`: The share of the bytes that better encodings must save.
    - `sample_files`: The number of files of each schema to try encodings on; 0: do not re-encode.
    - `sample_rows`: The number of rows of each of these files.
    - `seed`: Seed that selects these files.
    - `goal`: Goal of the encodings.
    - `readers`: Programs that must be able to read re-encoded columns, optionally with the oldest version in use; any:
      no restriction.
    - `encodings`: Encodings to choose from: names, or +alp to add a preview to the usual ones, which `readers` must all
      know.
    - `compression`: Compress the columns of re-encoded files with this codec [default: unchanged].
    - `sort_by`: Say how much a sort order would save, measured on the sample, and check the orders that its files
      promise.
    """
    options = given(locals(), "root", "output", "files", "force")
    chosen = None if files is None else list(files)
    text = _dataset.plan(root, output, force, as_files, chosen, options, progress)
    result: Plan = json.loads(text)
    return result


def run(
    plan: Plan | Path,
    out: Path,
    *,
    jobs: int = 1,
    shard: tuple[int, int] = (0, 1),
    retry_failed: bool = False,
    progress: Progress | None = None,
    executor: Executor | None = None,
    shards: int | None = None,
) -> Run:
    """Runs a plan, given directly or as a file: writes the directory `out`, and leaves the old one unchanged.

    To continue an interrupted run, repeat the call. `shard` is the index of this process's share, counted from 0, and
    the number of shares. `progress` is called with the processed bytes of the sources, and their total; an exception of
    it, or Ctrl-C, stops the work.

    `executor` runs the shards in other processes or on other machines, which share the disk or the store of both directories: it is a
    `concurrent.futures.Executor` or any object with such a `map`, as `bytelane.ray.Executor`, `bytelane.spark.Executor` and
    `distributed.Client.get_executor()`. `shards` is their number, by default up to 32. Each has a journal of its own: where the engine
    repeats the task of a killed worker, it resumes where the worker stopped. No rows pass through the engine.

    Options:

    - `jobs`: The number of units to process at the same time; each holds a row group in memory twice.
    - `shard`: Process only this share of the units, counted from 0: for several processes or machines.
    - `retry_failed`: Retry units that failed in an earlier run.
    """
    options = given(locals(), "plan", "out", "executor", "shards")
    text = _text(plan)
    if executor is None:
        if shards is not None:
            raise ValueError("shards is the number of tasks of an executor; a process runs one of several with shard")
        return _run(text, out, options, progress)
    if progress is not None or shard != (0, 1):
        raise ValueError("an executor runs all shards elsewhere; leave out shard and progress")
    count = shards or max(1, min(32, len(json.loads(text)["units"])))
    tasks = [json.dumps({**json.loads(options), "shard": (index, count)}) for index in range(count)]
    done = [*executor.map(partial(_run, text, os.fspath(out)), tasks)]
    # Nothing is left to do: this reads the journals of all shards to find out what is complete.
    whole = _run(text, out, "{}")
    whole["published"] += sum(it["published"] for it in done)
    whole["published_before"] = whole["units"] - whole["published"] - len(whole["failed"])
    for key in ("bytes_before", "bytes_after"):
        whole[key] += sum(it[key] for it in done)
    return whole


def _run(plan: str, out: Path, options: str, progress: Progress | None = None) -> Run:
    outcome: Run = json.loads(_dataset.run(plan, out, options, progress))
    return outcome


def verify(old: Path, new: Path) -> Verified:
    """Compares the rows of two directories, bit for bit. If they are the same, `swap` and `delete` may be used."""
    same, text = _dataset.verify(old, new)
    return Verified(same, json.loads(text))


def swap(one: Path, other: Path) -> None:
    """Exchanges two verified directories atomically. To undo it, repeat the call."""
    _dataset.swap(one, other)


def delete(old: Path, *, verified_by: Path) -> dict[str, int]:
    """Deletes the Parquet files of a directory whose rows the other one has. This cannot be undone."""
    deleted: dict[str, int] = json.loads(_dataset.delete(old, verified_by))
    return deleted


def _text(plan: Plan | Path) -> str:
    if isinstance(plan, dict):
        return json.dumps(plan)
    with open(plan, encoding="utf-8") as file:
        return file.read()
