"""Kills workers and drivers that change tables of Delta Lake and Apache Iceberg with an executor: `killed_tables.py drive EXECUTOR FORMAT`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow as pa
from bytelane import deltalake
from bytelane._tables import NewFiles
from clusters import REPEATING, STARTS, kill_a_worker

PARTITIONS = 4
ROWS = 100_000


class Format(NamedTuple):
    """Calls for the tables of a format, at a path."""

    write: Callable[[Path], None]
    sort: Callable[[Path, Any], Any]
    ids: Callable[[Path], list[int]]
    commits: Callable[[Path], int]
    orphans: Callable[[Path], list[str]]
    """Data files that are part of no version."""
    unfinished: Callable[[Path], list[str]]
    """Temporary files, which are removed."""


def rows_of(number: int) -> pa.Table:
    ids = range(number * ROWS, (number + 1) * ROWS)
    return pa.table({"id": ids, "p": [i % PARTITIONS for i in ids], "name": [str(i * 7919 % 99991) for i in ids]})


def write_delta(path: Path) -> None:
    for number in range(3):
        deltalake_library().write_deltalake(path, rows_of(number), mode="append", partition_by=["p"])


def deltalake_library() -> Any:
    import deltalake as library

    return library


def orphans_of_delta(path: Path) -> list[str]:
    table = deltalake_library().DeltaTable(path)
    there = {str(file.relative_to(path)) for file in path.rglob("*.parquet")}
    found = table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=True, full=True)
    return sorted({unquote(name) for name in found} & there)


def catalog(path: Path) -> Any:
    from pyiceberg.catalog.sql import SqlCatalog

    path.mkdir(exist_ok=True)
    return SqlCatalog("default", uri=f"sqlite:///{path}/catalog.db", warehouse=f"file://{path}")


def write_iceberg(path: Path) -> None:
    own = catalog(path)
    own.create_namespace_if_not_exists("a")
    table = own.create_table("a.table", rows_of(0).schema)
    with table.update_spec() as spec:
        spec.add_identity("p")
    for number in range(3):
        table.append(rows_of(number))


def iceberg_table(path: Path) -> Any:
    return catalog(path).load_table("a.table")


def sort_iceberg(path: Path, executor: Any) -> Any:
    from bytelane import iceberg

    return iceberg.sort(iceberg_table(path), ["name"], executor=executor)


def orphans_of_iceberg(path: Path, dry_run: bool = True) -> list[str]:
    from bytelane import iceberg

    return iceberg.remove_orphans(iceberg_table(path), older_than=timedelta(0), dry_run=dry_run)


FORMATS = {
    "delta": Format(
        write_delta,
        lambda path, executor: deltalake.sort(path, ["name"], executor=executor),
        lambda path: sorted(deltalake_library().DeltaTable(path).to_pyarrow_table(columns=["id"])["id"].to_pylist()),
        lambda path: int(deltalake_library().DeltaTable(path).version()),
        orphans_of_delta,
        lambda path: deltalake.remove_unfinished(path, older_than=timedelta(0), dry_run=False),
    ),
    "iceberg": Format(
        write_iceberg,
        sort_iceberg,
        lambda path: sorted(iceberg_table(path).scan(selected_fields=("id",)).to_arrow()["id"].to_pylist()),
        lambda path: len(iceberg_table(path).snapshots()),
        orphans_of_iceberg,
        lambda path: orphans_of_iceberg(path, dry_run=False),
    ),
}


def drive(name: str, kind: str, path: str) -> None:
    """Sorts a table in a process that ends when all files are written, before the commit."""
    from bytelane.deltalake._work import Work as DeltaWork
    from bytelane.iceberg._work import Work as IcebergWork

    def end(work: NewFiles, *_: object, **__: object) -> Any:
        os.killpg(0, signal.SIGKILL)

    for work in (DeltaWork, IcebergWork):
        setattr(work, "commit", end)  # noqa: B010
    with STARTS[name]() as executor:
        FORMATS[kind].sort(Path(path), executor)


def with_a_killed_driver(name: str, kind: str, path: Path) -> None:
    """Fails if what a driver has written before its commit is read, or if a second run does not do all of it once."""
    form = FORMATS[kind]
    before, commits = form.ids(path), form.commits(path)
    driver = subprocess.run([sys.executable, __file__, "drive", name, kind, str(path)], start_new_session=True)
    assert driver.returncode == -signal.SIGKILL, driver
    left = form.orphans(path)
    assert len(left) == PARTITIONS and form.ids(path) == before and form.commits(path) == commits, left
    with STARTS[name]() as executor:
        done = form.sort(path, executor)
    assert done["files_added"] == PARTITIONS and form.commits(path) == commits + 1, done
    assert form.ids(path) == before
    assert set(left) <= set(form.orphans(path)), "the files of the killed driver are known as orphans"


def with_a_killed_worker(name: str, kind: str, path: Path) -> None:
    """Fails if a table loses rows with a worker, or has some twice."""
    form = FORMATS[kind]
    before, commits = form.ids(path), form.commits(path)
    killed: list[int] = []
    killer = threading.Thread(target=kill_a_worker, args=(path, killed))
    problem = None
    try:
        with STARTS[name]() as executor:
            killer.start()
            form.sort(path, executor)
    except Exception as error:
        problem = error
    killer.join()
    assert killed and (name in REPEATING) == (problem is None), problem
    assert form.ids(path) == before and form.commits(path) == commits + (problem is None)
    with STARTS[name]() as executor:
        form.sort(path, executor)
    assert form.unfinished(path) and not list(path.rglob(".bytelane-*")), "the files of the killed worker are found"
    assert form.ids(path) == before and form.commits(path) == commits + 1


def with_killed_tables(name: str, directory: Path) -> None:
    """Sorts tables with an executor, of which first a worker and then the driver is killed."""
    for kind, form in FORMATS.items():
        for kill in (with_a_killed_worker, with_a_killed_driver):
            path = directory / f"{name}-{kind}-{kill.__name__}"
            form.write(path)
            kill(name, kind, path)


if __name__ == "__main__":
    drive(*sys.argv[2:])
