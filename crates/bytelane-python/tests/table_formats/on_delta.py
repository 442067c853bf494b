"""Tests `bytelane.deltalake` with tables that deltalake writes, which Polars and DuckDB read as well."""

from __future__ import annotations

import random
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from decimal import Decimal
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from bytelane import deltalake
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError
from table_rows import FILES, ROWS, outcomes, refused, refuses_in_place, rows_of, sorted_rows


def write_delta(path: Path) -> list[str]:
    """Writes a table of Delta Lake, deletes some rows and adds others. Returns its rows."""
    for number in range(FILES):
        write_deltalake(path, rows_of(number), mode="append", partition_by=["place", "day"])
    DeltaTable(path).delete("id >= 130 and id < 160")
    write_deltalake(path, rows_of(FILES), mode="append")
    return delta_rows(path)


def delta_rows(path: Path, version: int | None = None) -> list[str]:
    table = DeltaTable(path, version=version)
    rows = sorted_rows(table.to_pyarrow_table())
    assert rows == sorted_rows(pl.read_delta(str(path), version=version).to_arrow().select(table_names(table)))
    return rows


def table_names(table: DeltaTable) -> list[str]:
    return [field.name for field in table.schema().fields]


def delta_adds(path: Path) -> list[dict[str, Any]]:
    adds: list[dict[str, Any]] = pa.table(DeltaTable(path).get_add_actions()).to_pylist()
    return adds


def check_delta_statistics(path: Path) -> None:
    """Fails if bounds or counts are missing, or do not hold for the rows of the file."""
    for add in delta_adds(path):
        rows = pq.ParquetFile(path / unquote(add["path"])).read()
        assert add["num_records"] == len(rows)
        for name in ["id", "name", "time", "local"]:
            values = [value for value in rows[name].to_pylist() if value is not None]
            assert add["null_count"][name] == rows[name].null_count
            if not values:
                assert add["max"][name] is None, (name, add)
                continue
            # Some writers cut bounds of times to milliseconds.
            slack = timedelta(milliseconds=1) if name in ("time", "local") else None
            greatest = add["max"][name] + slack if slack else add["max"][name]
            assert add["min"][name] <= min(values) and max(values) <= greatest, (name, add)
        xs = [point["x"] for point in rows["point"].to_pylist()]
        assert (add["min"]["point"]["x"], add["max"]["point"]["x"]) == (min(xs), max(xs))


def on_delta(directory: Path, histories: int) -> None:
    """Fails if a compaction changes rows, loses statistics, or is accepted after another commit."""
    path = directory / "table"
    before = write_delta(path)
    version = DeltaTable(path).version()
    stale = DeltaTable(path)
    adds = delta_adds(path)
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        done = deltalake.compact(path, executor=processes)
    assert DeltaTable(path).version() == version + 1 == done["version"]
    assert done["files_removed"] > 20 and done["files_added"] == 6, done
    assert delta_rows(path) == before == delta_rows(path, version)
    # One file for each of three places and two days, although lists of the first commit have another name for their members.
    assert len(adds) > 20 and len(delta_adds(path)) == 6, (len(adds), len(delta_adds(path)))
    check_delta_statistics(path)
    files = [uri.removeprefix("file://") for uri in DeltaTable(path).file_uris()]
    counted = duckdb.read_parquet(files).aggregate("count(*), sum(id)").fetchall()
    ids = DeltaTable(path).to_pyarrow_table(columns=["id"])["id"].to_pylist()
    assert counted == [(len(before), sum(ids))]
    log = (path / "_delta_log" / f"{version + 1:020}.json").read_text()
    assert log.count('"dataChange":false') == log.count('"dataChange"') > 20
    assert len(DeltaTable(path).to_pyarrow_table(filters=[("id", ">=", FILES * ROWS)])) == ROWS

    refused(lambda: deltalake.compact(stale), CommitFailedError, "another commit has replaced or removed")
    assert delta_rows(path) == before
    deltalake.compact(path)
    assert DeltaTable(path).version() == version + 1, "there was nothing left to do"
    delta_columns(directory)
    delta_races(directory)
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        for seed in range(histories):
            delta_history(directory / f"history-{seed}", seed, processes)
    delta_refusals(directory)
    refuses_in_place(path, "Delta Lake", directory)


def delta_columns(directory: Path) -> None:
    """Fails if filters lose rows after a compaction: by a decimal, by a column that is null in some files, or by one that was
    added later."""
    path = directory / "added"
    for number in range(4):
        rows = rows_of(number).drop_columns(["place", "day"])
        sparse = pa.array([None if number < 1 else i for i in range(ROWS)], pa.int64())
        rows = rows.append_column("sparse", sparse)
        if number >= 2:
            rows = rows.append_column("more", rows["id"])
        write_deltalake(path, rows, mode="append", schema_mode="merge")
    filters = [
        ("price", ">=", Decimal("3.00"), ROWS),
        ("sparse", "<", 10, 30),
        ("more", ">=", 250, 150),
        ("name", "==", "name 399", 0),
        ("id", "<", 50, 50),
    ]

    def found() -> list[int]:
        table = DeltaTable(path)
        return [len(table.to_pyarrow_table(filters=[(name, by, value)])) for name, by, value, _ in filters]

    expected = [rows for *_, rows in filters]
    before = delta_rows(path)
    assert found() == expected, found()
    deltalake.compact(path)
    assert len(delta_adds(path)) == 2
    assert delta_rows(path) == before
    assert found() == expected, found()
    bounds = [(add["min"]["price"], add["max"]["price"]) for add in delta_adds(path)]
    assert sorted(bounds) == [(Decimal("0.00"), Decimal("1.99")), (Decimal("2.00"), Decimal("3.99"))], bounds


def delta_races(directory: Path) -> None:
    """Fails if a compaction undoes or repeats the work of another commit."""
    path = directory / "raced"
    before = write_delta(path)
    tables = [DeltaTable(path), DeltaTable(path)]
    errors = outcomes([lambda: deltalake.compact(tables[0]), lambda: deltalake.compact(tables[1])])
    assert sorted(type(error).__name__ for error in errors) == ["CommitFailedError", "NoneType"], errors
    assert delta_rows(path) == before
    # The new files of the one that came second are gone.
    assert len(set(path.rglob("compacted-*"))) == 6

    path = directory / "appended"
    write_delta(path)
    stale = DeltaTable(path)
    write_deltalake(path, rows_of(9), mode="append")
    after = delta_rows(path)
    deltalake.compact(stale)
    assert delta_rows(path) == after

    path = directory / "deleted"
    write_delta(path)
    stale = DeltaTable(path)
    DeltaTable(path).delete("id < 250")
    after = delta_rows(path)
    (error,) = outcomes([lambda: deltalake.compact(stale)])
    assert isinstance(error, CommitFailedError), error
    assert delta_rows(path) == after


def delta_history(path: Path, seed: int, processes: ProcessPoolExecutor) -> None:
    """Fails if a random history of appends, deletions, compactions and races has other rows than a list of them, where half of the
    calls are done in other processes."""
    random.seed(seed)
    write_deltalake(path, rows_of(0), partition_by=["place", "day"])
    rows = rows_of(0).to_pylist()
    for step in range(1, 9):
        stale, executor = DeltaTable(path), random.choice([None, processes])
        match random.choice(["append", "delete", "delete", "compact", "sort", "zorder", "race"]):
            case "append":
                write_deltalake(path, rows_of(step), mode="append")
                rows += rows_of(step).to_pylist()
            case "delete":
                least = random.randrange(step * ROWS)
                place = random.choice(["plain", "a b/%c"])
                where = random.choice([f"id >= {least} and id < {least + 40}", f"place = '{place}' and value < {least / 8}"])
                done = deltalake.delete(path, where, scrub=random.random() < 0.3, verify=True, executor=executor)
                by_id = where.startswith("id")
                kept = [it for it in rows if not (least <= it["id"] < least + 40)]
                if not by_id:
                    kept = [it for it in rows if it["place"] != place or not it["value"] < least / 8]
                assert done["deleted_rows"] == len(rows) - len(kept), (seed, step, where, done)
                rows = kept
            case "compact":
                deltalake.compact(path, executor=executor)
            case "sort":
                target, limit = random.choice([1 << 28, 4000]), random.choice([1 << 30, 1])
                deltalake.sort(path, ["value", ("id", "descending")], target=target, memory_limit=limit, executor=executor)
                assert deltalake.plan(path, sort_by=["value", ("id", "descending")]) == [], (seed, step)
            case "zorder":
                deltalake.zorder(path, ["value", "id"], executor=executor)
            case "race":
                write_deltalake(path, rows_of(step), mode="append")
                rows += rows_of(step).to_pylist()
                if random.random() < 0.5:
                    deltalake.compact(stale)
                else:
                    deltalake.sort(stale, ["id"])
        assert delta_rows(path) == sorted(str(sorted(it.items())) for it in rows), (seed, step)
        check_delta_statistics(path)


def delta_refusals(directory: Path) -> None:
    """Fails if a table that needs more is changed, or if files of a failed commit remain."""
    path = directory / "feed"
    write_deltalake(path, rows_of(0), configuration={"delta.enableChangeDataFeed": "true"})
    refused(lambda: deltalake.delete(path, "id < 5"), ValueError, "change data feed")
    deltalake.compact(path)
    path = directory / "append-only"
    write_deltalake(path, rows_of(0), configuration={"delta.appendOnly": "true"})
    before = set(path.rglob("*.parquet"))
    (error,) = outcomes([lambda: deltalake.delete(path, "id < 5")])
    assert error is not None
    assert set(path.rglob("*.parquet")) == before
