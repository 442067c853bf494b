"""Tests `sort` and `zorder` of `bytelane.deltalake` and `bytelane.iceberg`, and what a process leaves that is killed before its commit."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from bytelane import deltalake, iceberg, parquet
from delta_vectors import adds, attach, check_counts, rows_with_vectors, write_with_vectors
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError
from on_delta import check_delta_statistics, delta_rows, write_delta
from table_rows import FILES, ROWS, outcomes, refused, rows_of, sorted_rows

Row = dict[str, Any]


def sorting_of_delta(directory: Path, _: int) -> None:
    """Fails if rows are lost or not sorted, if files do not say so, or if a commit undoes another one."""
    path = directory / "sorted"
    before, version = write_delta(path), DeltaTable(path).version()
    planned = deltalake.plan(path, sort_by=["name", "id"])
    assert len(planned) == 6 and {it["reason"] for it in planned} == {"unsorted rows"}, planned
    done = deltalake.sort(path, ["name", ("id", "descending")], target=4000)
    assert done["files_removed"] == sum(len(it["files"]) for it in planned) and done["files_added"] > 12, done
    assert delta_rows(path) == before == delta_rows(path, version)
    check_delta_statistics(path)
    files = [path / unquote(name) for name in adds(path)]
    assert duckdb.read_parquet([*map(str, files)]).aggregate("count(*)").fetchall() == [(len(before),)]
    check_order({it: str(it.parent) for it in files}, lambda row: (row["name"] is None, row["name"] or "", -row["id"]), 2)
    log = (path / "_delta_log" / f"{version + 1:020}.json").read_text()
    assert log.count('"dataChange":false') == log.count('"dataChange"') > 20

    # What is sorted stays, also beside other files; another order is another one.
    assert deltalake.plan(path, sort_by=["name", ("id", "descending")]) == []
    assert deltalake.sort(path, ["name", ("id", "descending")])["version"] == version + 1
    assert deltalake.plan(path, sort_by=["name"]) == [] != deltalake.plan(path, sort_by=["name", "id"])
    later = rows_of(FILES + 1).set_column(3, "name", pa.array(["zz"] * ROWS)).take(list(range(ROWS))[::-1])
    write_deltalake(path, later, mode="append")
    assert [len(it["files"]) for it in deltalake.plan(path, sort_by=["name"])] == [2, 2, 2], "with the nulls after them"

    z_orders(directory / "z-order")
    memory_limits(directory)
    sorting_with_vectors(directory / "vectors")
    sorting_races(directory)
    sorting_refusals(path)


def check_order(partitions: dict[Path, str], key: Callable[[Row], Any], columns: int) -> None:
    """Fails if rows of a file are not sorted, if files of a partition overlap, or if a footer does not say so."""
    ends: dict[str, list[tuple[Any, Any]]] = {}
    for file, partition in partitions.items():
        keys = [key(row) for row in pq.ParquetFile(file).read().to_pylist()]
        assert keys == sorted(keys), file
        assert not parquet.check(file, values=True, as_files=True)["findings"]
        assert len(pq.read_metadata(file).row_group(0).sorting_columns) == columns
        ends.setdefault(partition, []).append((keys[0], keys[-1]))
    for of_partition in ends.values():
        of_partition.sort()
        assert all(one[1] <= other[0] for one, other in zip(of_partition, of_partition[1:]))


def z_orders(path: Path) -> None:
    """Fails if files in Z-order cannot be skipped by each of the columns, or have other rows."""
    places = [(x, y) for x in range(64) for y in range(64)]
    random.Random(1).shuffle(places)
    for start in range(0, len(places), 1024):
        part = places[start : start + 1024]
        write_deltalake(path, pa.table({"x": [x for x, _ in part], "y": [y * y for _, y in part]}), mode="append")
    before = sorted_rows(DeltaTable(path).to_pyarrow_table())
    size = sum(add["size"] for add in adds(path).values())

    def touched(name: str, value: int) -> int:
        found = pa.table(DeltaTable(path).get_add_actions()).to_pylist()
        return sum(it["min"][name] <= value <= it["max"][name] for it in found)

    deltalake.sort(path, ["x"], target=size // 16)
    assert (touched("x", 20), touched("y", 400)) == (1, 16)
    deltalake.zorder(path, ["x", "y"], target=size // 16)
    assert len(adds(path)) >= 16
    assert max(touched("x", 20), touched("y", 400)) < len(adds(path)) / 2
    assert sorted_rows(DeltaTable(path).to_pyarrow_table()) == before


def memory_limits(directory: Path) -> None:
    """Fails if rows have another order when they do not fit into the memory."""
    found = []
    for limit in [1 << 30, 1 << 16, 1]:
        path = directory / f"limit-{limit}"
        write_delta(path)
        deltalake.sort(path, ["value"], memory_limit=limit)
        files = sorted(path / unquote(name) for name in adds(path))
        found.append([sorted_by for file in files for sorted_by in pq.ParquetFile(file).read()["id"].to_pylist()])
        assert not list(path.rglob("sorting-*"))
    assert sorted(found[0]) == sorted(found[1]) == sorted(found[2])
    assert len(found[0]) == len(set(found[0])) == (FILES + 1) * ROWS - 30


def sorting_with_vectors(path: Path) -> None:
    """Fails if rows come back that a deletion vector names."""
    sorts: list[Callable[[], deltalake.Committed]] = [
        lambda: deltalake.sort(path, ["value"]),
        lambda: deltalake.zorder(path, ["value", "id"]),
    ]
    for sort in sorts:
        write_with_vectors(path, 3)
        names = sorted(adds(path))
        attach(path, names[0], [0, 7], "file")
        attach(path, names[1], list(range(adds(path)[names[1]]["rows"])), "inline")
        before = rows_with_vectors(path)
        deleted = 2 + adds(path)[names[1]]["rows"]
        assert sort()["deleted_rows"] == deleted
        assert rows_with_vectors(path) == before
        check_counts(path)
        assert not any("deletionVector" in add for add in adds(path).values())
        assert not list(path.rglob("whole-*"))
        DeltaTable(path).delete()


def sorting_races(directory: Path) -> None:
    """Fails if rows are lost or doubled by commits that race with sorting, or if a killed process leaves some."""
    calls: dict[str, Callable[[DeltaTable], object]] = {
        "sort": lambda table: deltalake.sort(table, ["value"]),
        "zorder": lambda table: deltalake.zorder(table, ["value", "id"]),
    }
    for name, call in calls.items():
        path = directory / f"raced-{name}"
        write_delta(path)
        stale = DeltaTable(path)
        write_deltalake(path, rows_of(9), mode="append")
        after = delta_rows(path)
        call(stale)
        assert delta_rows(path) == after
        write_deltalake(path, rows_of(10), mode="append")
        stale, other = DeltaTable(path), DeltaTable(path)
        deltalake.delete(path, "id >= 200 and id < 300")
        after, kept = delta_rows(path), set(path.rglob("sorted-*"))
        (error,) = outcomes([lambda: call(stale)])
        assert isinstance(error, CommitFailedError), error
        deltalake.compact(path)
        (error,) = outcomes([lambda: call(other)])
        assert isinstance(error, CommitFailedError), error
        assert delta_rows(path) == after and set(path.rglob("sorted-*")) == kept
        write_deltalake(path, rows_of(11), mode="append")
        after, tables = delta_rows(path), [DeltaTable(path), DeltaTable(path)]
        errors = outcomes([lambda: call(tables[0]), lambda: call(tables[1])])
        assert sorted(type(error).__name__ for error in errors) == ["CommitFailedError", "NoneType"], errors
        assert delta_rows(path) == after
    for text in ["compact(path)", "sort(path, ['value'])", "zorder(path, ['value'])", "delete(path, 'id < 150')"]:
        killed_delta(directory / f"killed-{text[:4]}", text)


def killed_delta(path: Path, call: str) -> None:
    """Fails if a process that is killed before its commit does harm, or if a second run finds something twice."""
    before, version = write_delta(path), DeltaTable(path).version()
    there = set(path.rglob("*.parquet"))
    code = (
        "import os, sys; from bytelane import deltalake; from bytelane.deltalake._work import Work; "
        f"Work.commit = lambda *_, **__: os._exit(7); path = sys.argv[1]; deltalake.{call}"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path)]).returncode == 7
    left = set(path.rglob("*.parquet")) - there
    assert left and delta_rows(path) == before and DeltaTable(path).version() == version
    done = eval(f"deltalake.{call}", {"deltalake": deltalake, "path": path})
    assert done["version"] == version + 1 and done["files_added"] == len(left), (done, left)
    kept = [row for row in before if call[:6] != "delete" or not any(f"('id', {i})" in row for i in range(150))]
    assert delta_rows(path) == kept
    orphans = DeltaTable(path).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=True, full=True)
    assert {str(file.relative_to(path)) for file in left} <= {*map(unquote, orphans), *orphans}


def sorting_refusals(path: Path) -> None:
    for by, text in [
        (["place"], "place has one value in each partition"),
        (["nothing"], "the table has no column 'nothing' to sort by; its columns are id, place, day"),
        (["parts"], "rows cannot be sorted by parts, whose type is list"),
        ([("id", "down")], "the order of id is 'ascending' or 'descending'"),
        ([], "name the columns to sort by"),
        ("id", "name the columns to sort by"),
    ]:
        refused(lambda: deltalake.sort(path, by), ValueError, text)  # type: ignore[arg-type]
    assert not list(path.rglob("sorting-*"))


def sorting_of_iceberg(new_table: Callable[..., Any], load: Callable[[str], Any], delete_equal: Callable[..., None]) -> None:
    """Fails if rows are lost or not sorted, or if files have the number of another order."""
    from pyiceberg.exceptions import CommitFailedException, ValidationException
    from pyiceberg.table.sorting import NullOrder
    from pyiceberg.transforms import BucketTransform, IdentityTransform

    table = new_table("sorted", ["place"])
    for number in range(4):
        table.append(rows_of(number))
    refused(lambda: iceberg.sort(table), ValueError, "the table has no sort order; name the columns")
    refused(lambda: iceberg.sort(table, ["place"]), ValueError, "place has one value in each partition")
    with table.update_sort_order() as order:
        order.asc("value", IdentityTransform(), NullOrder.NULLS_LAST).desc("id", IdentityTransform())
    rows = [row for number in range(4) for row in rows_of(number).to_pylist()]
    planned = iceberg.plan(table, sort_by="table")
    assert [(it["reason"], len(it["files"])) for it in planned] == [("unsorted rows", 4)] * 3, planned
    done = iceberg.sort(table, target=6000)
    assert done["files_removed"] == 12 and done["files_added"] > 6, done
    assert sorted_rows(table.scan().to_arrow()) == sorted(str(sorted(row.items())) for row in rows)
    assert iceberg.plan(table, sort_by="table") == [] != iceberg.plan(table, sort_by=["value"])

    def files() -> list[Any]:
        return [task.file for task in table.scan().plan_files()]

    def partitions() -> dict[Path, str]:
        return {Path(file.file_path.removeprefix("file://")): str(file.partition) for file in files()}

    def is_nan_last(row: Row) -> tuple[bool, float, int]:
        return math.isnan(row["value"]), 0 if math.isnan(row["value"]) else row["value"], -row["id"]

    assert {file.sort_order_id for file in files()} == {1}
    check_order(partitions(), is_nan_last, 2)
    assert len(table.scan("value >= 40.0").to_arrow()) == sum(row["value"] >= 40 for row in rows)

    # Another order, after a deletion: nulls are first, and the file has no number of an order.
    delete_equal(table, ["id"], [{"id": i} for i in range(0, 400, 3)])
    rows = [row for row in rows if row["id"] % 3]
    done = iceberg.sort(table, ["name", "id"])
    assert done["deleted_rows"] == 400 - len(rows) and done["delete_files_removed"] == 1, done
    assert sorted_rows(table.scan().to_arrow()) == sorted(str(sorted(row.items())) for row in rows)
    assert {file.sort_order_id for file in files()} == {None}
    check_order(partitions(), lambda row: (row["name"] is not None, row["name"] or "", row["id"]), 2)
    root = Path(table.location().removeprefix("file://"))
    assert not list(root.rglob("whole-*")) and not list(root.rglob("sorting-*"))
    iceberg.zorder(table, ["id", "value"], target=6000)
    assert sorted_rows(table.scan().to_arrow()) == sorted(str(sorted(row.items())) for row in rows)

    # After a column gets another name, files with the old one are sorted by it.
    with table.update_schema() as schema:
        schema.rename_column("name", "title")
    table.append(rows_of(4).rename_columns({"name": "title"}))
    before = sorted_rows(table.scan().to_arrow())
    iceberg.sort(table, ["title"])
    assert sorted_rows(table.scan().to_arrow()) == before and iceberg.plan(table, sort_by=["title"]) == []

    # Races: with an append, with a deletion, and with a compaction at the same time.
    conflicts = (CommitFailedException, ValidationException)
    calls: list[Callable[[Any], object]] = [
        lambda it: iceberg.sort(it, ["day", "id"]),
        lambda it: iceberg.zorder(it, ["day", "id"]),
    ]
    for call in calls:
        stale = load("sorted")
        load("sorted").append(rows_of(5).rename_columns({"name": "title"}))
        before = sorted_rows(load("sorted").scan().to_arrow())
        call(stale)
        assert sorted_rows(load("sorted").scan().to_arrow()) == before
        stale = load("sorted")
        load("sorted").append(rows_of(6).rename_columns({"name": "title"}))
        iceberg.delete(load("sorted"), "id >= 100 and id < 300 or id > 580")
        before = sorted_rows(load("sorted").scan().to_arrow())
        (error,) = outcomes([lambda: call(stale)])
        assert isinstance(error, conflicts), error
        tables = [load("sorted"), load("sorted")]
        errors = outcomes([lambda: call(tables[0]), lambda: iceberg.rewrite_data_files(tables[1])])
        assert errors.count(None) == 1 and all(error is None or isinstance(error, conflicts) for error in errors), errors
        assert sorted_rows(load("sorted").scan().to_arrow()) == before
    with load("sorted").update_sort_order() as order:
        order.asc("id", BucketTransform(4))
    refused(lambda: iceberg.sort(load("sorted")), ValueError, "the table is sorted by bucket[4](id), which is not supported")
    killed_iceberg(load)


def killed_iceberg(load: Callable[[str], Any]) -> None:
    """Fails if a process that is killed before its commit does harm, or if a second run finds something twice."""
    before, snapshot = sorted_rows(load("sorted").scan().to_arrow()), load("sorted").current_snapshot().snapshot_id
    for call in ["sort(table, ['value'])", "zorder(table, ['value'])"]:
        code = (
            "import os; from bytelane import iceberg; from bytelane.iceberg._work import Work; "
            "from pyiceberg.catalog import load_catalog; Work.commit = lambda *_: os._exit(7); "
            f"table = load_catalog('default').load_table('weather.sorted'); iceberg.{call}"
        )
        assert subprocess.run([sys.executable, "-c", code]).returncode == 7
        assert load("sorted").current_snapshot().snapshot_id == snapshot
        left = iceberg.remove_orphans(load("sorted"), older_than=timedelta(0))
        done = eval(f"iceberg.{call}", {"iceberg": iceberg, "table": load("sorted")})
        assert done["files_added"] == len(left) > 0, (done, left)
        assert sorted_rows(load("sorted").scan().to_arrow()) == before
        assert iceberg.remove_orphans(load("sorted"), older_than=timedelta(0), dry_run=False) == left
        snapshot = load("sorted").current_snapshot().snapshot_id
