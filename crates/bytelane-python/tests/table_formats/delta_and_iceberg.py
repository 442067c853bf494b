"""Tests `bytelane.deltalake` and `bytelane.iceberg`: `cargo xtask extended --only table-formats`.

Tables of many small files are compacted, and rows are deleted. Their rows are read before and after it, in the version before it, and after
commits that race with it.
"""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from glob import glob
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from bytelane import dataset, deltalake
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError

FILES = 6
ROWS = 100


def rows_of(number: int) -> pa.Table:
    """Returns rows of three partitions, two of which have names that are encoded in paths."""
    ids = range(number * ROWS, (number + 1) * ROWS)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    times = [start + timedelta(hours=i, microseconds=i) for i in ids]
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "place": [("a b/%c", None, "plain")[i % 3] for i in ids],
            "day": [date(2026, 1, 1 + number % 2)] * ROWS,
            "name": [None if i % 7 == 0 else f"name {i}" for i in ids],
            "value": [float("nan") if i % 11 == 0 else i / 8 for i in ids],
            "price": pa.array([Decimal(i).scaleb(-2) for i in ids], pa.decimal128(9, 2)),
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "local": pa.array([time.replace(tzinfo=None) for time in times], pa.timestamp("us")),
            "data": [str(i).encode() for i in ids],
            "parts": [list(range(i % 4)) for i in ids],
            "point": [{"x": i, "y": -i} for i in ids],
        }
    )


def sorted_rows(table: pa.Table) -> list[str]:
    """Returns the rows as texts, in which NaN is equal to itself."""
    return sorted(str(sorted(row.items())) for row in table.to_pylist())


def refused(call: Callable[[], object], error: type[Exception], text: str) -> None:
    """Fails if the call does not raise an error with that text."""
    try:
        call()
    except error as found:
        assert text in str(found), found
    else:
        raise AssertionError(f"not refused: {text}")


def outcomes(calls: list[Callable[[], object]]) -> list[BaseException | None]:
    """Makes the calls at the same time, and returns their exceptions."""
    with ThreadPoolExecutor(len(calls)) as threads:
        return [future.exception() for future in [threads.submit(call) for call in calls]]


def refuses_in_place(table: Path, format_name: str, directory: Path) -> None:
    """Fails if `bytelane dataset` plans for a table, or exchanges or deletes its files."""
    other = directory / "other"
    other.mkdir(exist_ok=True)
    files = sorted(glob(f"{table}/**", recursive=True))
    refused(lambda: dataset.plan(table), ValueError, format_name)
    refused(lambda: dataset.swap(table, other), ValueError, format_name)
    refused(lambda: dataset.delete(table, verified_by=other), ValueError, format_name)
    assert sorted(glob(f"{table}/**", recursive=True)) == files


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
            # Some writers cut bounds of times to milliseconds.
            slack = timedelta(milliseconds=1) if name in ("time", "local") else None
            greatest = add["max"][name] + slack if slack else add["max"][name]
            assert add["min"][name] <= min(values) and max(values) <= greatest, (name, add)
            assert add["null_count"][name] == rows[name].null_count
        xs = [point["x"] for point in rows["point"].to_pylist()]
        assert (add["min"]["point"]["x"], add["max"]["point"]["x"]) == (min(xs), max(xs))


def on_delta(directory: Path) -> None:
    """Fails if a compaction changes rows, loses statistics, or is accepted after another commit."""
    path = directory / "table"
    before = write_delta(path)
    version = DeltaTable(path).version()
    stale = DeltaTable(path)
    adds = delta_adds(path)
    done = deltalake.compact(path)
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
    delta_histories(directory)
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


def delta_histories(directory: Path) -> None:
    """Fails if random histories of appends, deletions, compactions and races have other rows than a list of them."""
    for seed in range(40):
        random.seed(seed)
        path = directory / f"history-{seed}"
        write_deltalake(path, rows_of(0), partition_by=["place", "day"])
        rows = rows_of(0).to_pylist()
        for step in range(1, 9):
            stale = DeltaTable(path)
            match random.choice(["append", "delete", "delete", "compact", "race"]):
                case "append":
                    write_deltalake(path, rows_of(step), mode="append")
                    rows += rows_of(step).to_pylist()
                case "delete":
                    least = random.randrange(step * ROWS)
                    place = random.choice(["plain", "a b/%c"])
                    where = random.choice([f"id >= {least} and id < {least + 40}", f"place = '{place}' and value < {least / 8}"])
                    done = deltalake.delete(path, where, scrub=random.random() < 0.3, verify=True)
                    by_id = where.startswith("id")
                    kept = [it for it in rows if not (least <= it["id"] < least + 40)]
                    if not by_id:
                        kept = [it for it in rows if it["place"] != place or not it["value"] < least / 8]
                    assert done["deleted_rows"] == len(rows) - len(kept), (seed, step, where, done)
                    rows = kept
                case "compact":
                    deltalake.compact(path)
                case "race":
                    write_deltalake(path, rows_of(step), mode="append")
                    rows += rows_of(step).to_pylist()
                    deltalake.compact(stale)
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


def on_iceberg(directory: Path) -> None:
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
    done = compact(load())
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
    refuses_in_place(Path(load().location().removeprefix("file://")), "Apache Iceberg", directory)


def iceberg_deletions(load: Callable[[], Any], rows: Callable[[], list[str]]) -> None:
    """Fails if a deletion leaves rows or takes others, or if positions in delete files are not found."""
    from bytelane import iceberg
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

    work = iceberg._Work.of(load())
    task = work.tasks()[0]
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/deletes.parquet"
        pq.write_table(pa.table({"file_path": ["other", *[task.file.file_path] * 2], "pos": [3, 5, 1]}), path)
        kind = {"content": DataFileContent.POSITION_DELETES, "file_format": FileFormat.PARQUET}
        task.delete_files.add(DataFile.from_args(file_path=f"file://{path}", **kind))
        assert work.positions(task) == [1, 5]


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


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        for test in [on_delta, on_iceberg]:
            below = Path(directory).resolve() / test.__name__
            below.mkdir()
            test(below)
            print(f"{test.__name__}: passed")


if __name__ == "__main__":
    main()
