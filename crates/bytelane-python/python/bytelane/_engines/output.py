"""Directories of files that tasks write and a driver publishes.

Tasks write beside the directory, each to a file with a name of its own. The driver publishes exactly those that successful tasks have
returned: what a failed or repeated task leaves is deleted with the directory of the job.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path as LocalPath
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from .. import _parquet
from .._protocols import Path
from ..parquet import ParquetWriter, write_to_dataset
from ..parquet._filesystem import local_path

Mode: TypeAlias = Literal["error", "append", "overwrite"]


@dataclass(frozen=True)
class Output:
    """Directory to write, which tasks in other processes can use."""

    directory: LocalPath
    job: LocalPath
    """Directory beside it, for the files that are not published yet."""
    mode: Mode
    partition_cols: Sequence[str]
    options: Mapping[str, Any]
    """Arguments of `write_table`."""

    def write(self, tables: Iterable[pa.Table | pa.RecordBatch], number: int) -> list[str]:
        """Writes the rows of a task, in the schema of the first table, and returns the names of its files; none if there are no rows.

        Readers order files by their names, which begin with the number of the task.
        """
        filled = (table for table in tables if table.num_rows > 0)
        first = next(filled, None)
        if first is None:
            return []
        name = f"part-{number:05}-{uuid.uuid4().hex}"
        tasks = self.job / "tasks"
        rest = (table.cast(first.schema) for table in filled)
        if self.partition_cols:
            whole = pa.concat_tables([pa.table(table) for table in chain([first], rest)])
            write_to_dataset(whole, tasks / name, self.partition_cols, basename_template=f"{name}-{{i}}.parquet", **self.options)
            return [str(file.relative_to(tasks)) for file in sorted((tasks / name).rglob("*.parquet"))]
        with ParquetWriter(tasks / f"{name}.parquet", first.schema, **self.options) as writer:
            for table in chain([first], rest):
                writer.write_table(table)
        return [f"{name}.parquet"]

    def commit(self, names: Iterable[str], schema: pa.Schema | None = None) -> None:
        """Publishes the files of tasks. If there are none, publishes a file without rows, if the schema is known."""
        tasks, complete = self.job / "tasks", self.job / "complete"
        complete.mkdir()
        published = list(names)
        if not published and schema is not None and not self.partition_cols:
            published = ["part-00000.parquet" if self.mode != "append" else f"part-00000-{uuid.uuid4().hex}.parquet"]
            ParquetWriter(tasks / published[0], schema, **self.options).close()
        target = self.directory if self.mode == "append" else complete
        for name in published:
            # Of a partition, the first directory is that of the task.
            path = target / (name.split("/", 1)[1] if self.partition_cols else name)
            path.parent.mkdir(parents=True, exist_ok=True)
            os.rename(tasks / name, path)
        if self.mode == "overwrite" and self.directory.exists():
            os.rename(self.directory, self.job / "replaced")
        if self.mode != "append":
            # Fails if another job has published files in the meantime.
            os.rename(complete, self.directory)
        self.abort()

    def abort(self) -> None:
        """Deletes what is not published."""
        shutil.rmtree(self.job, ignore_errors=True)


def started(directory: Path, mode: Mode, partition_cols: Sequence[str] | None, options: Mapping[str, Any]) -> Output:
    """Returns a directory for the files of a job."""
    local = local_path(directory, None)
    if local is None or "://" in os.fspath(local):
        raise NotImplementedError(f"{directory}: tasks write to a disk that all of them share, not to an object store")
    if mode not in ("error", "append", "overwrite"):
        raise ValueError(f'mode is "error", "append" or "overwrite", not {mode!r}')
    target = LocalPath(local).absolute()
    if target.exists():
        if not target.is_dir():
            raise NotADirectoryError(f"{target} is a file; tasks write to a directory")
        if any(target.iterdir()):
            if mode == "error":
                raise FileExistsError(f'{target} is not empty; set mode="append" or mode="overwrite"')
            # Refuses directories of table formats, whose metadata lists the files.
            _parquet.find_files([str(target)], False, None)
    job = target.parent / f".{target.name}.bytelane-{uuid.uuid4().hex}"
    (job / "tasks").mkdir(parents=True)
    return Output(target, job, mode, tuple(partition_cols or ()), dict(options))
