"""Tests `bytelane.iceberg` with tables that pyiceberg writes, which Polars and DuckDB read as well."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import date
from glob import glob
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from table_rows import FILES, outcomes, refuses_in_place, rows_of, sorted_rows


def on_iceberg(directory: Path, histories: int) -> None:
    """Fails if a compaction changes rows, loses statistics, or is accepted after another commit."""
    warehouse = directory / "warehouse"
    warehouse.mkdir()
    # pyiceberg reads these when it is imported.
    os.environ |= {
        "PYICEBERG_CATALOG__DEFAULT__TYPE": "sql",
        "PYICEBERG_CATALOG__DEFAULT__URI": f"sqlite:///{directory}/catalog.db",
        "PYICEBERG_CATALOG__DEFAULT__WAREHOUSE": f"file://{warehouse}",
        "POLARS_ICEBERG_PLANNER": "pyiceberg",
    }
    from pyiceberg.catalog import load_catalog
    from pyiceberg.exceptions import CommitFailedException, ValidationException

    from bytelane import iceberg

    compact = iceberg.rewrite_data_files
    catalog = load_catalog("default")
    catalog.create_namespace("weather")

    def load() -> Any:
        return load_catalog("default").load_table("weather.hours")

    def rows(snapshot: int | None = None) -> list[str]:
        found = sorted_rows(load().scan(snapshot_id=snapshot).to_arrow())
        assert found == sorted_rows(pl.scan_iceberg(load(), snapshot_id=snapshot).collect().to_arrow())
        return found

    def files(**options: Any) -> list[Any]:
        return [task.file for task in load().scan(**options).plan_files()]

    def compacted() -> set[str]:
        return set(glob(f"{warehouse}/**/compacted-*", recursive=True))

    table = catalog.create_table("weather.hours", rows_of(0).schema)
    with table.update_spec() as spec:
        spec.add_identity("place")
        spec.add_identity("day")
    for number in range(FILES):
        table.append(rows_of(number))
    table.delete("id < 30")
    before, count = rows(), len(files())
    old, stale = load().current_snapshot(), load()
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        done = compact(load(), executor=processes)
    assert done["files_removed"] > 15 and done["files_added"] == 6, done
    assert rows() == before == rows(old.snapshot_id)
    assert count > 15 and len(files()) == 6, (count, len(files()))
    assert {file.file_path.removeprefix("file://") for file in files()} == compacted()
    check_iceberg_statistics(files())
    assert len(load().scan("id = 599").to_arrow()) == 1 and len(files(row_filter="id = 5999")) == 0
    paths = [file.file_path.removeprefix("file://") for file in files()]
    assert duckdb.read_parquet(paths).aggregate("count(*)").fetchall() == [(len(before),)]
    snapshot = load().current_snapshot().snapshot_id
    compact(load())
    assert load().current_snapshot().snapshot_id == snapshot, "there was nothing left to do"

    # Races: with a compaction before it, with an append, with a deletion, and with one at the same time.
    conflicts = (CommitFailedException, ValidationException)

    def is_refused(table: Any) -> None:
        now, kept = rows(), compacted()
        (error,) = outcomes([lambda: compact(table)])
        assert isinstance(error, conflicts), error
        assert rows() == now and compacted() == kept

    is_refused(stale)
    load().append(rows_of(FILES))
    stale = load()
    load().append(rows_of(FILES + 1))
    before = rows()
    assert compact(stale)["files_added"] > 0
    assert rows() == before
    load().append(rows_of(FILES + 2))
    stale = load()
    load().delete("id > 650")
    is_refused(stale)
    load().append(rows_of(FILES + 3))
    before = rows()
    tables = [load(), load()]
    errors = outcomes([lambda: compact(tables[0]), lambda: compact(tables[1])])
    assert errors.count(None) == 1 and all(error is None or isinstance(error, conflicts) for error in errors), errors
    assert rows() == before
    iceberg_deletions(load, rows)

    # Files before and after a column gets another name are compacted apart.
    with load().update_schema() as schema:
        schema.rename_column("name", "title")
    with load().update_schema() as schema:
        schema.add_column("name", load().schema().find_type("id"))
    for number in range(2):
        again = rows_of(number).rename_columns({"name": "title"})
        load().append(again.append_column("name", again["id"]))
    before = rows()
    compact(load())
    assert rows() == before and len(files()) < 20
    imported_files(catalog, directory / "imported")
    from iceberg_deletes import deletes_of_iceberg

    deletes_of_iceberg(directory, histories)
    refuses_in_place(Path(load().location().removeprefix("file://")), "Apache Iceberg", directory)


def iceberg_deletions(load: Callable[[], Any], rows: Callable[[], list[str]]) -> None:
    """Fails if a deletion leaves rows or takes others, or if positions in delete files are not found."""
    from bytelane import iceberg
    from bytelane.iceberg._files import current_files, deleted_rows
    from pyiceberg.manifest import DataFile, DataFileContent, FileFormat

    cases: list[tuple[str, Callable[[dict[str, Any]], bool]]] = [
        ("id >= 200 and id < 230", lambda it: 200 <= it["id"] < 230),
        ("place = 'plain' and value < 5", lambda it: it["place"] == "plain" and it["value"] < 5),
        ("id = 99999", lambda it: False),
        ("day = date '2026-01-02'", lambda it: it["day"] == date(2026, 1, 2)),
    ]
    for where, is_deleted in cases:
        before = load().scan().to_arrow().to_pylist()
        kept = [it for it in before if not is_deleted(it)]
        done = iceberg.delete(load(), where, verify=True)
        assert done["deleted_rows"] == len(before) - len(kept), (where, done)
        assert rows() == sorted(str(sorted(it.items())) for it in kept), where
    check_iceberg_statistics([task.file for task in load().scan().plan_files()])

    current = current_files(load())[0][0]
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/deletes.parquet"
        pq.write_table(pa.table({"file_path": ["other", *[current.file.file_path] * 2], "pos": [3, 5, 1]}), path)
        kind, stored = DataFileContent.POSITION_DELETES, FileFormat.PARQUET
        deletes = frozenset([DataFile.from_args(file_path=f"file://{path}", content=kind, file_format=stored)])
        assert deleted_rows(load(), replace(current, deletes=deletes)) == [1, 5]


def imported_files(catalog: Any, directory: Path) -> None:
    """Fails if files that were added to a table as they are, without field IDs, lose other rows or are not compacted."""
    from bytelane import iceberg

    directory.mkdir()
    paths = [str(directory / f"{number}.parquet") for number in range(3)]
    for number, path in enumerate(paths):
        pq.write_table(rows_of(number), path)
    table = catalog.create_table("weather.imported", rows_of(0).schema)
    table.add_files(paths)
    before = table.scan().to_arrow().to_pylist()
    kept = sorted(str(sorted(it.items())) for it in before if it["place"] != "plain" or it["id"] >= 150)
    assert 0 < len(kept) < len(before)
    done = iceberg.delete(table, "place = 'plain' and id < 150", verify=True)
    assert done["deleted_rows"] == len(before) - len(kept), done
    assert sorted_rows(table.scan().to_arrow()) == kept
    assert iceberg.rewrite_data_files(table)["files_added"] == 1
    assert sorted_rows(table.scan().to_arrow()) == kept
    check_iceberg_statistics([task.file for task in table.scan().plan_files()])


def check_iceberg_statistics(files: list[Any]) -> None:
    """Fails if bounds or counts of columns are missing, or do not hold for the rows of the file."""
    for file in files:
        path = file.file_path.removeprefix("file://")
        rows = pq.ParquetFile(path).read()
        ids = rows["id"].to_pylist()
        bounds = [int.from_bytes(file.lower_bounds[1], "little"), int.from_bytes(file.upper_bounds[1], "little")]
        assert bounds == [min(ids), max(ids)]
        names = [name.encode() for name in rows["name"].to_pylist() if name is not None]
        assert file.lower_bounds[4] <= min(names) and max(names)[:16] <= file.upper_bounds[4]
        assert file.null_value_counts[4] == rows["name"].null_count
        assert (file.record_count, file.file_size_in_bytes) == (len(rows), Path(path).stat().st_size)
