"""Tests `bytelane.deltalake` with column mapping: columns that were renamed, dropped and added again, and files with other names."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from bytelane import deltalake, parquet
from bytelane._sorting import By
from delta_vectors import adds, attach, lines
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError
from mapped_table import TYPES, Column, MappedTable, Row, read_row
from table_rows import outcomes, refused


def mapping_of_delta(directory: Path, histories: int) -> None:
    """Fails if rows are changed, or if files or the log get names of the table."""
    modes: list[Literal["name", "id"]] = ["name", "id"]
    for mode in modes:
        changed_columns(directory / f"changed-{mode}", mode)
        conditions(directory / f"conditions-{mode}", mode)
        races(directory / f"raced-{mode}", mode)
        widened_types(directory / f"widened-{mode}", mode)
    swapped_names(directory / "swapped")
    foreign_names(directory / "foreign")
    without_ids(directory)
    for seed in range(histories):
        history(directory / f"mapped-{seed}", seed)


def changed_columns(path: Path, mode: Literal["name", "id"]) -> None:
    """Fails if files from before a change of columns are not merged as they are."""
    table = MappedTable(path, mode)
    # Small pages would be joined.
    table.append(6000)
    table.rename("name", "full name")
    table.rename("place", "where.it.is")
    table.rename("point.deep.z", "depth")
    table.append(6000)
    before = pages(table)
    done = deltalake.compact(path)
    assert (done["files_removed"], done["files_added"]) == (12, 6), done
    check(table)
    # Names do not change files: their pages are copied.
    merged = b"".join((path / unquote(name)).read_bytes() for name in adds(path))
    assert all(page in merged for page in before)
    table.drop("value")
    table.add("value", "string")
    table.append()
    table.drop("point.y")
    table.append()
    planned = deltalake.plan(path, small=0)
    assert {it["reason"] for it in planned} == {"dropped columns"}, planned
    assert deltalake.compact(path, small=0)["files_added"] == 0
    done = deltalake.purge(path)
    assert done["files_added"] == len(planned) == done["files_removed"] and done["deleted_rows"] == 0, done
    assert deltalake.plan(path, small=0) == [] and deltalake.purge(path)["version"] == done["version"]
    check(table)
    assert not any("dropped" in it["reason"] for it in deltalake.plan(path))
    orders: list[By] = [["id"], ["full name", ("value", "descending")]]
    for by in orders:
        deltalake.sort(path, by)
        check(table)
        assert deltalake.plan(path, sort_by=by) == []
    deltalake.zorder(path, ["id", "full name"])
    check(table)
    refused(lambda: deltalake.sort(path, ["name"]), ValueError, "the table has no column 'name' to sort by")
    refused(lambda: deltalake.sort(path, ["where.it.is"]), ValueError, "has one value in each partition")


def conditions(path: Path, mode: Literal["name", "id"]) -> None:
    """Fails if a condition is about other columns than those of the table."""
    table = MappedTable(path, mode)
    table.append()
    table.rename("point.x", "east")
    table.rename("value", "old value")
    table.rename("name", "value")
    table.drop("old value")
    table.add("old value", "long")
    table.add("point.up", "long")
    table.add("later", "struct", [Column("x", "long")])
    table.add("more", "array", [Column("x", "long")])
    table.rename("parts.k", "key")
    table.rename("day", "Tag")
    table.append(200)
    tests: list[tuple[str, Callable[[Row], Any]]] = [
        ("value = 'text 12'", lambda it: it["value"] == "text 12"),
        ("not (point.east < 200 or point.\"east\" >= 220)", lambda it: it["point"] and 200 <= (it["point"]["east"] or 0) < 220),
        ("\"old value\" between 100 and 110", lambda it: 100 <= (it["old value"] or 0) <= 110),
        ("point.up = 60 or point.deep.z = 70", lambda it: it["point"] and (it["point"]["up"] == 60 or (it["point"]["deep"] or {}).get("z") == 70)),
        ("parts[1].key = 80 or parts[*].v = 'text 95'", lambda it: any(part["key"] == 80 for part in it["parts"][:1]) or any(part["v"] == "text 95" for part in it["parts"])),
        ("place = 'plain' and Tag = date '2026-01-02' and id < 140", lambda it: it["place"] == "plain" and it["Tag"].day == 2 and it["id"] < 140),
        ("later.x = 150 or more[*].x = 160 or more[1].x = 170", lambda it: (it["later"] or {}).get("x") == 150 or any(part["x"] == 160 for part in it["more"] or []) or any(part["x"] == 170 for part in (it["more"] or [])[:1])),
        ("later is null and id > 200 and id < 240", lambda it: it["later"] is None and 200 < it["id"] < 240),
        ("more is null and point.up is null and id > 60 and id < 70", lambda it: it["more"] is None and 60 < it["id"] < 70),
        ("place is null and \"old value\" is null and id < 50", lambda it: it["place"] is None and it["old value"] is None and it["id"] < 50),
    ]  # fmt: skip
    for where, is_deleted in tests:
        left = [row for row in table.rows if not is_deleted(row)]
        done = deltalake.delete(path, where, verify=True, scrub=random.random() < 0.5)
        assert done["deleted_rows"] == len(table.rows) - len(left) > 0, (where, done)
        table.rows = left
        check(table)
    refused(lambda: deltalake.delete(path, "name = 'x'"), ValueError, 'has no column "name"')
    refused(lambda: deltalake.delete(path, "point.x = 1"), ValueError, 'has no column "point.x"')
    table.add("parts.more", "long")
    refused(lambda: deltalake.delete(path, "parts[*].more = 1"), ValueError, "has no member more, which is newer than a file")
    check(table)


def swapped_names(path: Path) -> None:
    """Fails if a column is taken for the one that has its name in files, in a table that was mapped after its first files."""
    table = MappedTable(path, "name", is_upgraded=True)
    table.append()
    assert not any(it.metadata for it in pq.read_schema(next(path.rglob("part-*"))))
    for old, new in [("id", "other"), ("value", "id"), ("other", "value")]:
        table.rename(old, new)
    table.append()
    table.drop("id")
    table.add("id", "string")
    table.append()
    done = deltalake.delete(path, "value < 10 or id = 'text 200'")
    left = [row for row in table.rows if row["value"] >= 10 and row["id"] != "text 200"]
    assert done["deleted_rows"] == len(table.rows) - len(left) > 10, done
    table.rows = left
    check(table)
    # Files without IDs are merged with those that have some.
    assert deltalake.compact(path)["files_added"] == 3
    check(table)
    assert all(it.metadata for file in path.rglob("compacted-*") for it in pq.read_schema(file))
    deltalake.sort(path, ["value", ("name", "descending")])
    check(table)


def foreign_names(path: Path) -> None:
    """Fails if files are merged by names, or if statistics are lost, where only IDs tell which column is which."""
    table = MappedTable(path, "id")
    random.seed(2)
    for _ in range(3):
        table.append(is_foreign=True)
    table.append()
    check(table)
    done = deltalake.delete(path, "id >= 40 and id < 60 and point.x < 55")
    left = [row for row in table.rows if not (40 <= row["id"] < 60 and row["point"] and (row["point"]["x"] or 99) < 55)]
    assert done["deleted_rows"] == len(table.rows) - len(left) > 0, done
    table.rows = left
    check(table)
    calls: list[Callable[[Path], object]] = [
        deltalake.compact,
        lambda it: deltalake.sort(it, ["value", "id"]),
        lambda it: deltalake.zorder(it, ["id"]),
    ]
    for call in calls:
        call(path)
        check(table)


def without_ids(directory: Path) -> None:
    """Fails if a file is taken for one without columns, or if an unknown mode is accepted."""
    path = directory / "without-ids"
    table = MappedTable(path, "id")
    table.append()
    for file in path.rglob("part-*"):
        rows = pq.ParquetFile(file).read()
        pq.write_table(pa.table(rows.columns, names=rows.column_names), file)
    refused(lambda: deltalake.compact(path), ValueError, "its columns have no IDs, by which this table finds columns")
    table = MappedTable(directory / "unknown", "future")  # type: ignore[arg-type]
    refused(lambda: deltalake.compact(table.path), Exception, "future")


def widened_types(path: Path, mode: Literal["name", "id"]) -> None:
    """Fails if files from before a type became a wider one are merged without a promotion, or if conditions compare their narrow values."""
    table = MappedTable(path, mode, more_features=["typeWidening", "timestampNtz"])
    wider = {"byte": "short", "short": "integer", "integer": "long", "float": "double", "date": "timestamp_ntz"}
    others = {"integer": "double", "short": "decimal(12,1)", "long": "decimal(23,3)", "decimal(6,2)": "decimal(10,4)"}
    for kind in wider:
        table.add(f"a {kind}", kind)
    for kind in others:
        table.add(f"another {kind}", kind)
    table.append()
    table.append()
    for kind, new in wider.items():
        table.widen(f"a {kind}", new)
    for kind, new in others.items():
        table.widen(f"another {kind}", new)
    table.append()
    tests: list[tuple[str, Callable[[Row], Any]]] = [
        ("\"a float\" = 15.125 or id = 7", lambda it: it["a float"] == 15.125 or it["id"] == 7),
        ("\"a date\" = timestamp '2026-02-10'", lambda it: it["a date"] == datetime(2026, 2, 10)),
        ("\"another integer\" = 62.0 or \"another decimal(6,2)\" = 0.8500", lambda it: it["another integer"] == 62 or it["another decimal(6,2)"] == Decimal("0.85")),
        ("\"a integer\" between 30 and 50 and \"a byte\" < 3000000000", lambda it: 30 <= (it["a integer"] or 0) <= 50 and it["a byte"] is not None),
    ]  # fmt: skip
    for where, is_deleted in tests:
        left = [row for row in table.rows if not is_deleted(row)]
        done = deltalake.delete(path, where, verify=True)
        assert done["deleted_rows"] == len(table.rows) - len(left) > 0, (where, done)
        table.rows = left
        check(table)
    deltalake.compact(path)
    check(table)
    # Now, all files have the same types.
    deltalake.compact(path)
    check(table)
    assert len(adds(path)) == 6
    table.append()
    table.add("one more", "integer")
    table.append()
    table.widen("one more", "long")
    deltalake.sort(path, ["a float", "one more", "another short"])
    check(table)
    deltalake.zorder(path, ["a date", "id"])
    check(table)
    more_deleted(table)
    refused(lambda: deltalake.purge(path), ValueError, "has deletion vectors and type widening")
    table = MappedTable(path / "refused", mode, more_features=["typeWidening"])
    table.add("point.small", "integer")
    table.append(30)
    table.append(30)
    table.widen("point.small", "long")
    calls: list[Callable[[Path], object]] = [
        deltalake.compact,
        lambda it: deltalake.delete(it, "id = 3"),
        lambda it: deltalake.sort(it, ["id"]),
    ]
    for call in calls:
        refused(lambda: call(table.path), ValueError, "a part of point has a wider type now, struct<")


def races(path: Path, mode: Literal["name", "id"]) -> None:
    """Fails if a commit undoes or repeats the work of another one."""
    table = MappedTable(path, mode)
    table.append()
    table.append()
    stale = DeltaTable(path)
    table.append(30)
    deltalake.compact(stale)
    check(table)
    table.append(30)
    stale = DeltaTable(path)
    table.rename("name", "title")
    (error,) = outcomes([lambda: deltalake.compact(stale)])
    assert isinstance(error, CommitFailedError) and "have changed the columns" in str(error), error
    tables = [DeltaTable(path), DeltaTable(path)]
    errors = outcomes([lambda: deltalake.compact(tables[0]), lambda: deltalake.compact(tables[1])])
    assert sorted(type(error).__name__ for error in errors) == ["CommitFailedError", "NoneType"], errors
    check(table)


def history(path: Path, seed: int) -> None:
    """Fails if a random history has other rows than the model of the table."""
    random.seed(seed)
    mode, is_widened = random.choice(["name", "id"]), random.random() < 0.3
    features = ["typeWidening"] if is_widened else []
    table = MappedTable(path, mode, is_upgraded=random.random() < 0.3 and not is_widened, more_features=features)  # type: ignore[arg-type]
    table.is_read_by_ids = is_widened
    table.append(90, is_foreign=mode == "id" and random.random() < 0.3)
    leaves = ["value", "name", "point.x", "point.deep.z", "parts.v", "parts.k"]
    kinds = ["append", "rename", "rename", "drop", "delete", "compact", "purge", "sort", "zorder", "checkpoint"]
    kinds += ["widen", "append", "append"] if is_widened else ["vector", "vector"]
    for step in range(1, 10):
        match random.choice(kinds):
            case "append":
                table.append(random.choice([90, 30]), is_foreign=mode == "id" and random.random() < 0.3)
            case "rename":
                at = random.randrange(len(leaves))
                table.rename(leaves[at], f"new {step}")
                leaves[at] = f"{leaves[at].rpartition('.')[0]}.new {step}".removeprefix(".")
            case "drop":
                at = random.choice([at for at, name in enumerate(leaves) if name.split(".")[0] != "parts"])
                kind = table.find(leaves[at]).kind
                table.drop(leaves[at])
                # Under the former name, it is another column.
                table.add(leaves[at], random.choice([kind, "string"]))
            case "widen":
                name = next((it for it in leaves if table.find(it).kind in ("integer", "float") and "." not in it), None)
                if name:
                    table.widen(name, {"integer": "long", "float": "double"}[table.find(name).kind])
                else:
                    leaves.append(f"added {step}")
                    table.add(leaves[-1], random.choice(["integer", "float"]))
            case "vector":
                more_deleted(table)
            case "delete":
                least = random.randrange(table.next_id)
                name = random.choice([name for name in leaves if not name.startswith("parts")])
                quoted = ".".join(f'"{it}"' for it in name.split("."))
                done = deltalake.delete(path, f"id >= {least} and id < {least + 40} and {quoted} is not null", scrub=random.random() < 0.3)
                left = [it for it in table.rows if not least <= it["id"] < least + 40 or value_of(it, name) is None]
                assert done["deleted_rows"] == len(table.rows) - len(left), (seed, step, name, done)
                table.rows = left
            case "compact":
                deltalake.compact(path)
            case "purge":
                deltalake.purge(path)
                assert not any("deletionVector" in add for add in adds(path).values())
            case "sort":
                by = [random.choice(["id", next(it for it in leaves if "." not in it)])]
                deltalake.sort(path, by, memory_limit=random.choice([1 << 30, 1]))
                assert deltalake.plan(path, sort_by=by) == [], (seed, step)
            case "zorder":
                deltalake.zorder(path, ["id", next(it for it in leaves if "." not in it)])
            case "checkpoint":
                DeltaTable(path).create_checkpoint()
        try:
            check(table)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, step {step}: {error}") from error
        if not adds(path):
            break


def value_of(row: Row, path: str) -> Any:
    value: Any = row
    for name in path.split("."):
        value = None if value is None else value[name]
    return value


def more_deleted(table: MappedTable) -> None:
    """Gives a file a deletion vector for random rows that are left."""
    name = random.choice(sorted(adds(table.path)))
    gone = adds(table.path)[name].get("positions", [])
    file = pq.ParquetFile(table.path / unquote(name)).read()
    number = table.columns[0].number
    ids = next(column for it, column in zip(file.schema, file.columns, strict=True) if is_column(it, table, number)).to_pylist()
    left = sorted({*range(len(ids))} - {*gone})
    new = random.sample(left, len(left) // 3)
    if new:
        attach(table.path, name, sorted([*gone, *new]), random.choice(["inline", "file"]))
        deleted = {ids[at] for at in new}
        table.rows = [row for row in table.rows if row["id"] not in deleted]


def is_column(there: pa.Field, table: MappedTable, number: int) -> bool:
    """Returns whether a field of a file is a column of the table."""
    if table.mode == "name":
        return bool(there.name == next(it for it in table.columns if it.number == number).physical)
    return bool((there.metadata or {}).get(b"PARQUET:field_id") == str(number).encode())


def check(table: MappedTable) -> None:
    """Fails if the table has other rows than its model, or if new files or their actions are not as the protocol says."""
    names = [it.name for it in table.columns]
    read = by_ids(table) if table.is_read_by_ids else pa.table(DeltaTable(table.path).scan()).select(names).to_pylist()
    found, expected = sorted_rows_of(read), sorted_rows_of(table.rows)
    assert found == expected, (len(found), len(expected), [(a, b) for a, b in zip(found, expected) if a != b][:2])
    log = table.path / "_delta_log"
    version = DeltaTable(table.path).version()
    last = lines(table.path, version) if (log / f"{version:020}.json").exists() else []
    partitions = {it.physical for it in table.partitioned_by}
    for add in [action["add"] for action in last if "add" in action]:
        if "deletionVector" in add or not any(it in add["path"] for it in ["compacted-", "edited-", "purged-", "sorted-"]):
            continue
        assert add["partitionValues"].keys() == partitions, add
        check_new_file(table, pq.ParquetFile(table.path / unquote(add["path"])).read(), json.loads(add["stats"]))
    removed = [action["remove"]["partitionValues"].keys() for action in last if "remove" in action]
    assert all(names == partitions for names in removed), removed


def by_ids(table: MappedTable) -> list[Row]:
    """Returns the rows of a table whose files are read by IDs."""
    rows: list[Row] = []
    for name, add in adds(table.path).items():
        file = pq.ParquetFile(table.path / unquote(name)).read()
        texts = {it.name: add["partitionValues"].get(it.physical) for it in table.partitioned_by}
        constants = {name: date.fromisoformat(text) if text and name == "day" else text for name, text in texts.items()}
        gone = add.get("positions", [])
        kept = [row for at, row in enumerate(file.to_pylist()) if at not in gone]
        rows += [{**read_row(table.columns, row, file.schema), **constants} for row in kept]
    return rows


def check_new_file(table: MappedTable, rows: pa.Table, statistics: dict[str, Any]) -> None:
    """Fails if a file has a column that was dropped, or if its statistics have other names or do not hold."""
    assert statistics["numRecords"] == len(rows)
    for column in table.columns:
        at = [at for at, it in enumerate(rows.schema) if is_column(it, table, column.number)]
        assert len(at) <= 1
        assert all(rows.schema.field(it).type == TYPES.get(column.kind, rows.schema.field(it).type) for it in at), rows.schema
        if at and column.name == "id" and column.kind == "long":
            ids = rows.column(at[0]).to_pylist()
            assert statistics["minValues"][column.physical] <= min(ids) and statistics["maxValues"][column.physical] >= max(ids)
            assert statistics["nullCount"][column.physical] == 0
    live = [it for it in rows.schema if any(is_column(it, table, column.number) for column in table.columns)]
    assert len(live) == len(rows.schema), rows.schema.names
    known = {column.physical for column in table.columns}
    assert all(statistics[kind].keys() <= known for kind in ["minValues", "maxValues", "nullCount"]), statistics


def sorted_rows_of(rows: list[Row]) -> list[str]:
    return sorted(str(sorted(row.items())) for row in rows)


def pages(table: MappedTable) -> list[bytes]:
    """Returns the beginning of a page of each current file."""
    found = []
    for name in adds(table.path):
        file = table.path / unquote(name)
        start = parquet.read_metadata(file).row_group(0).column(0).data_page_offset
        found.append(file.read_bytes()[start:][:100])
    return found
