"""Tests `bytelane.deltalake` with deletion vectors, which this module writes as the protocol of Delta Lake says."""

from __future__ import annotations

import json
import random
import struct
import time
import uuid
import zlib
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from bytelane import deltalake
from deltalake import DeltaTable, TableFeatures, write_deltalake
from deltalake.exceptions import CommitFailedError
from pyroaring import BitMap
from table_rows import ROWS, outcomes, refused, rows_of, sorted_rows

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def vectors_of_delta(directory: Path, histories: int) -> None:
    """Fails if rows come back that a deletion vector names, or if others are lost."""
    path = directory / "vectors"
    write_with_vectors(path, 3)
    assert rows_with_vectors(path) == sorted_rows(pa.concat_tables(map(rows_of, range(3))))
    # One of each place.
    names = sorted(adds(path))[::3]
    attach(path, names[0], [0, 7], "file")
    attach(path, names[1], list(range(3, 9)), "inline")
    # All rows of a file, in a vector that replaces another one.
    attach(path, names[2], [1], "inline")
    attach(path, names[2], list(range(adds(path)[names[2]]["rows"])), "file")
    before, version = rows_with_vectors(path), DeltaTable(path).version()
    deleted = sum(add["deletionVector"]["cardinality"] for add in adds(path).values() if "deletionVector" in add)
    assert len(before) == 3 * ROWS - deleted

    planned = [it for it in deltalake.plan(path, small=0) if it["reason"] == "deleted rows"]
    assert (len(planned), sum(it["deleted_rows"] for it in planned)) == (3, deleted), planned
    assert [(it["reason"], len(it["files"])) for it in deltalake.plan(path)] == 3 * [("small files", 2)]
    done = deltalake.purge(path)
    assert deltalake.plan(path, small=0) == []
    assert (done["files_removed"], done["files_added"], done["deleted_rows"]) == (3, 2, deleted), done
    assert sum(it["saved_files"] for it in planned) == 1 and all(it["saved_bytes"] > 0 for it in planned), planned
    assert done["version"] == DeltaTable(path).version() == version + 1
    assert rows_with_vectors(path) == before == rows_with_vectors(path, version)
    check_counts(path)
    assert not any("deletionVector" in add for add in adds(path).values())
    removed = [it["remove"] for it in lines(path, version + 1) if "remove" in it]
    assert all(it["deletionVector"]["cardinality"] and not it["dataChange"] for it in removed), removed
    assert deltalake.purge(path)["version"] == version + 1, "there was nothing left to do"
    on_vectors_after_a_checkpoint(directory)
    on_races_with_vectors(directory)
    on_wrong_vectors(directory)
    for seed in range(histories):
        history(directory / f"vectors-{seed}", seed)


def on_vectors_after_a_checkpoint(directory: Path) -> None:
    """Fails if vectors in a checkpoint are not found, or if `compact` or `delete` bring rows back."""
    path = directory / "checkpoint"
    write_with_vectors(path, 4)
    names = sorted(adds(path))
    attach(path, names[0], [2], "inline")
    attach(path, names[1], [4, 5], "file")
    DeltaTable(path).create_checkpoint()
    attach(path, names[1], [4, 5, 6], "file")
    attach(path, names[3], [0], "inline")
    # What a checkpoint has is not read from the log, which may be gone.
    for number in range(DeltaTable(path).version() - 2):
        (path / "_delta_log" / f"{number:020}.json").unlink()
    before = rows_with_vectors(path)
    done = deltalake.delete(path, "id >= 10 and id < 20 and place = 'plain'", verify=True)
    after = [row for row in before if not any(f"'id', {i})" in row for i in range(10, 20)) or "('place', 'plain')" not in row]
    assert done["deleted_rows"] == len(before) - len(after) > 0, done
    assert rows_with_vectors(path) == after
    done = deltalake.compact(path)
    assert done["files_added"] == 6 and done["deleted_rows"] > 0, done
    assert rows_with_vectors(path) == after
    check_counts(path)


def on_races_with_vectors(directory: Path) -> None:
    """Fails if a commit undoes a vector that another one has added."""
    path = directory / "raced-vectors"
    write_with_vectors(path, 3)
    name, other = sorted(adds(path))[:2]
    attach(path, name, [1], "file")
    version = DeltaTable(path).version()
    attach(path, name, [1, 2], "file")
    after = rows_with_vectors(path)
    for call in [deltalake.purge, deltalake.compact]:
        stale = DeltaTable(path, version=version)
        (error,) = outcomes([lambda: call(stale)])
        assert isinstance(error, CommitFailedError) and "another commit has replaced or removed" in str(error), error
        assert rows_with_vectors(path) == after
    # A file whose first vector came later.
    stale = DeltaTable(path)
    attach(path, other, [0], "inline")
    after = rows_with_vectors(path)
    refused(lambda: deltalake.compact(stale), CommitFailedError, "another commit has replaced or removed")
    # Rows that were added in the meantime stay.
    stale = DeltaTable(path)
    write_deltalake(path, rows_of(5), mode="append")
    after = rows_with_vectors(path)
    assert deltalake.purge(stale)["files_removed"] == 2
    assert rows_with_vectors(path) == after
    attach(path, sorted(adds(path))[0], [3], "inline")
    after = rows_with_vectors(path)
    tables = [DeltaTable(path), DeltaTable(path)]
    errors = outcomes([lambda: deltalake.purge(tables[0]), lambda: deltalake.purge(tables[1])])
    assert sorted(type(error).__name__ for error in errors) == ["CommitFailedError", "NoneType"], errors
    assert rows_with_vectors(path) == after
    assert len(set(path.rglob("purged-*"))) == 3
    assert not list((path / "_delta_log").glob("*.tmp"))


def on_wrong_vectors(directory: Path) -> None:
    """Fails if a vector is applied that has another number of rows than the log says."""
    path = directory / "wrong-vectors"
    write_with_vectors(path, 1)
    attach(path, sorted(adds(path))[0], [1, 2], "inline", cardinality=3)
    refused(lambda: deltalake.purge(path), ValueError, "its deletion vector has 2 rows, but the log says 3")
    assert not list(path.rglob("purged-*"))


def history(path: Path, seed: int) -> None:
    """Fails if a random history with deletion vectors has other rows than a list of them."""
    random.seed(seed)
    write_with_vectors(path, 1)
    rows = {row["id"]: row for row in rows_of(0).to_pylist()}
    for step in range(1, 9):
        stale = DeltaTable(path)
        kinds = ["append", "vector", "vector", "vector", "delete", "compact", "purge", "sort", "zorder", "race", "checkpoint"]
        match random.choice(kinds):
            case "append":
                write_deltalake(path, rows_of(step), mode="append")
                rows |= {row["id"]: row for row in rows_of(step).to_pylist()}
            case "vector":
                name = random.choice(sorted(adds(path)))
                for number in more_deleted(path, name):
                    del rows[number]
            case "delete":
                least = random.randrange(step * ROWS)
                done = deltalake.delete(path, f"id >= {least} and id < {least + 30}", scrub=random.random() < 0.3)
                kept = {number: row for number, row in rows.items() if not least <= number < least + 30}
                assert done["deleted_rows"] == len(rows) - len(kept), (seed, step, done)
                rows = kept
            case "compact":
                deltalake.compact(path)
            case "purge":
                deltalake.purge(path)
                assert not any("deletionVector" in add for add in adds(path).values())
            case "sort":
                deltalake.sort(path, ["value", ("id", "descending")], memory_limit=random.choice([1 << 30, 1]))
                assert deltalake.plan(path, sort_by=["value", ("id", "descending")]) == [], (seed, step)
            case "zorder":
                deltalake.zorder(path, ["value", "id"])
                assert not any("deletionVector" in add for add in adds(path).values())
            case "race":
                write_deltalake(path, rows_of(step), mode="append")
                rows |= {row["id"]: row for row in rows_of(step).to_pylist()}
                random.choice([deltalake.compact, deltalake.purge, lambda it: deltalake.sort(it, ["value"])])(stale)
            case "checkpoint":
                DeltaTable(path).create_checkpoint()
        assert rows_with_vectors(path) == sorted(str(sorted(row.items())) for row in rows.values()), (seed, step)
        check_counts(path)
        if not adds(path):
            break


def write_with_vectors(path: Path, files: int) -> None:
    for number in range(files):
        write_deltalake(path, rows_of(number), mode="append", partition_by=["place", "day"])
    DeltaTable(path).alter.add_feature(TableFeatures.DeletionVectors, allow_protocol_versions_increase=True)


def rows_with_vectors(path: Path, version: int | None = None) -> list[str]:
    """Returns the rows of a table, as two libraries read it."""
    table = DeltaTable(path, version=version)
    names = [field.name for field in table.schema().fields]
    rows = sorted_rows(pa.table(table.scan()).select(names).cast(rows_of(0).schema))
    # Polars 2.1 does not find the vectors of files whose paths are percent-encoded.
    files = pa.table(table.deletion_vectors())["filepath"].to_pylist()
    if not any("%" in file for file in files):
        read = pl.read_delta(str(path), version=version).to_arrow()
        assert rows == sorted_rows(read.select(names).cast(rows_of(0).schema))
    return rows


def check_counts(path: Path) -> None:
    """Fails if the log has other counts or bounds than the files."""
    for name, add in adds(path).items():
        rows = pq.ParquetFile(path / unquote(name)).read()
        statistics = json.loads(add["stats"])
        assert statistics["numRecords"] == len(rows)
        ids = rows["id"].to_pylist()
        assert statistics["minValues"]["id"] <= min(ids) and max(ids) <= statistics["maxValues"]["id"], name
        if "deletionVector" not in add:
            assert statistics["nullCount"]["name"] == rows["name"].null_count, name


def lines(path: Path, version: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (path / "_delta_log" / f"{version:020}.json").read_text().splitlines()]


def adds(path: Path) -> dict[str, dict[str, Any]]:
    """Returns the current files by their paths, with the number of their rows."""
    table = DeltaTable(path)
    found = {}
    for action in pa.table(table.get_add_actions()).to_pylist():
        for version in range(table.version(), -1, -1):
            log = path / "_delta_log" / f"{version:020}.json"
            here = [it["add"] for it in (lines(path, version) if log.exists() else []) if "add" in it]
            if match := [add for add in here if add["path"] == action["path"]]:
                found[action["path"]] = {**match[0], "rows": action["num_records"]}
                break
    return found


def more_deleted(path: Path, name: str) -> list[int]:
    """Deletes random rows of a file that are left, and returns their IDs."""
    add = adds(path)[name]
    ids = pq.ParquetFile(path / unquote(name)).read(columns=["id"])["id"].to_pylist()
    gone = add.get("positions", [])
    left = sorted({*range(len(ids))} - {*gone})
    new = random.sample(left, random.choice([min(1, len(left)), len(left) // 2, len(left)]))
    if new:
        attach(path, name, sorted([*gone, *new]), random.choice(["inline", "file"]))
    return [ids[row] for row in new]


def attach(
    path: Path, name: str, rows: list[int], kind: Literal["inline", "file"], cardinality: int | None = None
) -> None:
    """Makes a commit that gives a file a deletion vector, instead of the one that it may have."""
    bits = BitMap(rows).serialize()
    # The number of 32-bit bitmaps, and the upper half of the only one.
    vector = struct.pack("<IQI", 1681511377, 1, 0) + bits
    add = {key: value for key, value in adds(path)[name].items() if key != "rows" and value is not None}
    descriptor: dict[str, Any] = {"sizeInBytes": len(vector), "cardinality": cardinality or len(rows)}
    if kind == "inline":
        descriptor |= {"storageType": "i", "pathOrInlineDv": z85(vector + bytes(-len(vector) % 4))}
    else:
        number = uuid.uuid4()
        stored = b"\1" + struct.pack(">I", len(vector)) + vector + struct.pack(">I", zlib.crc32(vector))
        (path / f"deletion_vector_{number}.bin").write_bytes(stored)
        descriptor |= {"storageType": "u", "pathOrInlineDv": z85(number.bytes), "offset": 1}
    kept = {key: add[key] for key in ["path", "partitionValues", "size", "deletionVector"] if key in add}
    removed = {**kept, "deletionTimestamp": int(time.time() * 1000), "dataChange": True, "extendedFileMetadata": True}
    # The positions are for these tests, readers ignore them.
    added = {**add, "dataChange": True, "deletionVector": descriptor, "positions": rows}
    log = path / "_delta_log" / f"{DeltaTable(path).version() + 1:020}.json"
    log.write_text("".join(json.dumps(line) + "\n" for line in [{"remove": removed}, {"add": added}]))


def z85(data: bytes) -> str:
    """Encodes bytes in Z85, the base of 85 that Delta Lake uses."""
    text = ""
    for at in range(0, len(data), 4):
        number = int.from_bytes(data[at : at + 4], "big")
        text += "".join(_DIGITS[number // 85**power % 85] for power in range(4, -1, -1))
    return text
