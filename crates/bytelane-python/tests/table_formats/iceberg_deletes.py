"""Tests `bytelane.iceberg` with delete files and with several partition specs. pyiceberg writes no delete files, so this module does."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import uuid
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from bytelane import iceberg
from bytelane.iceberg._files import current_files
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    ManifestWriterV2,
)
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, SnapshotSummaryCollector, Summary, update_snapshot_summaries
from pyiceberg.table.update.snapshot import _FastAppendFiles
from pyiceberg.typedef import Record
from pyiceberg.types import LongType
from sorted_tables import sorting_of_iceberg
from table_rows import outcomes, refused, rows_of, sorted_rows

Row = dict[str, Any]


def deletes_of_iceberg(directory: Path, histories: int) -> None:
    """Fails if deleted rows come back, or if others are lost."""
    on_equality(directory)
    on_members(directory)
    on_position(directory)
    on_specs()
    on_a_race(directory)
    on_refusals(directory)
    on_orphans()
    sorting_of_iceberg(new_table, load, partial(delete_equal, directory))
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        for seed in range(histories):
            history(directory, seed, processes)


def on_equality(directory: Path) -> None:
    """Fails if rows are compared in another way than the specification of Iceberg says."""
    table = new_table("equality", ["place"])
    table.append(rows_of(0))
    # Nulls are equal, and so are NaNs; without a partition, a file of deletes applies to all.
    delete_equal(directory, table, ["name"], [{"name": None}, {"name": "name 5"}])
    delete_equal(directory, table, ["value", "place"], [{"value": float("nan"), "place": "plain"}, {"value": 0.25, "place": None}])
    # Rows that are added later stay, also if they are equal.
    table.append(rows_of(0))
    # In the partition of one place only.
    delete_equal(directory, table, ["id"], [{"id": i} for i in range(40)], place="plain")
    rows = [*filter(lambda it: not is_equal_to_one(it), rows_of(0).to_pylist()), *rows_of(0).to_pylist()]
    rows = [it for it in rows if not (it["place"] == "plain" and it["id"] < 40)]
    refused(lambda: table.scan().to_arrow(), ValueError, "does not yet support equality deletes")

    planned = iceberg.plan(table)
    done = iceberg.rewrite_data_files(table)
    assert (len(planned), sum(it["deleted_rows"] for it in planned)) == (done["files_added"], done["deleted_rows"])
    assert sum(it["saved_files"] for it in planned) == done["files_removed"] - done["files_added"]
    assert iceberg.plan(table) == []
    assert done["delete_files_removed"] == 3 and done["deleted_rows"] == 2 * rows_of(0).num_rows - len(rows), done
    check(table, rows)
    assert current_files(table)[1] == set()
    summary = table.current_snapshot().summary
    assert summary.operation == Operation.REPLACE and summary["total-delete-files"] == "0", summary
    assert summary["total-records"] == str(len(rows)) and summary["total-equality-deletes"] == "0", summary


def is_equal_to_one(it: Row) -> bool:
    is_nan = it["value"] != it["value"]
    by_value = (is_nan and it["place"] == "plain") or (it["value"] == 0.25 and it["place"] is None)
    return it["name"] in (None, "name 5") or by_value


def on_members(directory: Path) -> None:
    """Fails if members of structs are compared in another way than the specification says: they are null where a struct is."""
    spot = pa.struct({"x": pa.int64(), "y": pa.int64()})
    schema = pa.schema({"id": pa.int64(), "city": pa.string(), "place": pa.struct({"city": pa.string(), "spot": spot})})
    names, spots = [None, "Ulm", "Köln", "Bern"], [None, {"x": 1, "y": 2}, {"x": None, "y": 2}, {"x": 3, "y": None}]

    def rows_from(start: int) -> list[Row]:
        places = [{"city": name, "spot": there} for name in names for there in spots]
        return [{"id": start + at, "city": "Ulm", "place": it} for at, it in enumerate([None, *places])]

    table = load_catalog("default").create_table("weather.members", schema)
    table.append(pa.Table.from_pylist(rows_from(0), schema))
    delete_equal(directory, table, ["place.city"], [{"place": {"city": "Köln"}}])
    pairs = [(5, {"spot": None}), (6, {"spot": {"x": None}}), (7, {"spot": {"x": None}})]
    delete_equal(directory, table, ["place.spot.x", "id"], [{"id": number, "place": it} for number, it in pairs])
    # By IDs: a file from before has the member under its former name.
    with table.update_schema() as update:
        update.rename_column("place.city", "town")
        update.add_column(("place", "zone"), LongType())
    table = load("members")
    delete_equal(directory, table, ["place.town", "place.spot.y"], [{"place": {"town": None, "spot": {"y": None}}}])
    delete_equal(directory, table, ["place.zone", "id"], [{"id": 8, "place": {"zone": None}}])

    def renamed(it: Row, zone: int | None) -> Row:
        place = it["place"]
        return {**it, "place": place and {"town": place["city"], "spot": place["spot"], "zone": zone}}

    later = [renamed(it, zone=1) for it in rows_from(50)]
    table.append(pa.Table.from_pylist(later, schema_to_pyarrow(table.schema())))
    by_city, by_number, by_zone, without_town_and_y = {9, 10, 11, 12}, {5, 7}, {8}, {0, 1, 4}
    deleted = by_city | by_number | by_zone | without_town_and_y
    done = iceberg.rewrite_data_files(table)
    assert done["deleted_rows"] == len(deleted) and done["delete_files_removed"] == 4, done
    check(table, [renamed(it, zone=None) for it in rows_from(0) if it["id"] not in deleted] + later)


def on_position(directory: Path) -> None:
    """Fails if files of positions are not applied, or stay when no file needs them any more."""
    table = new_table("position", ["place"])
    for number in range(3):
        table.append(rows_of(number))
    tasks = list(table.scan("place = 'plain'").plan_files())
    delete_at(directory, table, {tasks[0].file.file_path: [0, 3], tasks[1].file.file_path: [5]})
    before = sorted_rows(table.scan().to_arrow())
    assert len(before) == 297
    # One of two files is replaced, so the other one still needs the deletes.
    gone = pq.read_table(tasks[0].file.file_path.removeprefix("file://"))["id"][1].as_py()
    done = iceberg.delete(table, f"id = {gone}")
    assert done["delete_files_removed"] == 0 and len(current_files(table)[1]) == 1, done
    assert len(sorted_rows(table.scan().to_arrow())) == 296
    rows = sorted_rows(table.scan().to_arrow())
    done = iceberg.rewrite_data_files(table)
    assert done["delete_files_removed"] == 1 and current_files(table)[1] == set(), done
    assert sorted_rows(table.scan().to_arrow()) == rows


def on_specs() -> None:
    """Fails if files get the partition spec of the table, or are merged with those of another one."""
    table = new_table("specs", ["place"])
    for number in range(3):
        table.append(rows_of(number))
    with table.update_spec() as spec:
        spec.add_identity("day")
    table.append(rows_of(3))
    table.append(rows_of(4))
    with table.update_spec() as spec:
        spec.remove_field("place")
    table.append(rows_of(5))
    table.append(rows_of(7))
    rows = [row for number in (0, 1, 2, 3, 4, 5, 7) for row in rows_of(number).to_pylist()]
    before = current_files(table)[0]
    done = iceberg.rewrite_data_files(table)
    assert done["files_added"] == 3 + 1 and done["files_removed"] == 9 + 2, done
    check(table, rows)
    kept = {spec for spec in (it.file.spec_id for it in current_files(table)[0])}
    assert kept == {it.file.spec_id for it in before} == {1, 2, 3}
    for manifest in table.current_snapshot().manifests(table.io):
        for entry in manifest.fetch_manifest_entry(table.io):
            fields = table.specs()[manifest.partition_spec_id].fields
            assert len(entry.data_file.partition) == len(fields), manifest
    for where, is_there in conditions():
        found = table.scan(where).to_arrow()
        assert sorted_rows(found) == texts([it for it in rows if is_there(it)]), where
    done = iceberg.delete(table, "id >= 250 and id < 560")
    rows = [it for it in rows if not 250 <= it["id"] < 560]
    assert done["deleted_rows"] == 700 - len(rows), done
    check(table, rows)


def conditions() -> list[tuple[str, Callable[[Row], bool]]]:
    return [
        ("place = 'plain'", lambda it: it["place"] == "plain"),
        ("place is null and id < 300", lambda it: it["place"] is None and it["id"] < 300),
        ("day = '2026-01-02'", lambda it: str(it["day"]) == "2026-01-02"),
        ("day = '2026-01-01' and place = 'a b/%c'", lambda it: it["day"].day == 1 and it["place"] == "a b/%c"),
    ]


def on_a_race(directory: Path) -> None:
    """Fails if a rewrite undoes deletes that were committed after it was planned."""
    table = new_table("raced", [])
    table.append(rows_of(0))
    table.append(rows_of(1))
    stale = load("raced")
    delete_equal(directory, table, ["id"], [{"id": 5}])
    (error,) = outcomes([lambda: iceberg.rewrite_data_files(stale)])
    assert isinstance(error, CommitFailedException), error
    iceberg.rewrite_data_files(table)
    check(table, [it for number in range(2) for it in rows_of(number).to_pylist() if it["id"] != 5])


def on_refusals(directory: Path) -> None:
    """Fails if deletes that are not understood are ignored."""
    table = new_table("refused", [])
    table.append(rows_of(0))
    part = table.schema().find_field("parts.element")
    delete_equal(directory, table, ["parts"], [{"parts": [1]}], ids=[part.field_id])
    refused(lambda: iceberg.rewrite_data_files(table), ValueError, "a part of a list or map, are not supported")


def on_orphans() -> None:
    """Fails if a killed run does harm, if its files are not found, or if files that a snapshot names are."""
    table = new_table("orphans", ["place"])
    for number in range(3):
        table.append(rows_of(number))
    before = sorted_rows(table.scan().to_arrow())
    # The process ends when the new files are complete, and before they are committed.
    code = (
        "import os; from bytelane import iceberg; from bytelane.iceberg._work import Work; "
        "from pyiceberg.catalog import load_catalog; Work.commit = lambda *_: os._exit(7); "
        "iceberg.rewrite_data_files(load_catalog('default').load_table('weather.orphans'))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 7
    table = load("orphans")
    assert sorted_rows(table.scan().to_arrow()) == before
    now, never = timedelta(0), timedelta(days=1)
    left = iceberg.remove_orphans(table, older_than=now)
    assert len(left) == 3 and iceberg.remove_orphans(table, older_than=never) == [], left
    # A second run finds the same work, and its files are not taken for orphans.
    assert iceberg.rewrite_data_files(table)["files_added"] == 3
    assert sorted_rows(table.scan().to_arrow()) == before
    stranger = Path(left[0]).with_name("stranger.parquet")
    stranger.write_bytes(b"")
    assert iceberg.remove_orphans(table, older_than=now, dry_run=False) == left
    assert iceberg.remove_orphans(table, older_than=now) == [] and not any(map(os.path.exists, left))
    # Files of earlier snapshots stay as well.
    assert iceberg.remove_orphans(table, older_than=now, all=True, dry_run=False) == [str(stranger)]
    for snapshot in table.snapshots():
        assert sorted_rows(table.scan(snapshot_id=snapshot.snapshot_id).to_arrow())
    check(table, [row for number in range(3) for row in rows_of(number).to_pylist()])


def history(directory: Path, seed: int, processes: ProcessPoolExecutor) -> None:
    """Fails if a random history of a table has other rows than a list of them, where half of the calls are done in other processes."""
    random.seed(seed)
    table = new_table(f"history-{seed}", random.choice([[], ["place"], ["place", "day"]]))
    rows: list[Row] = []
    for step in range(8):
        stale, executor = load(f"history-{seed}"), random.choice([None, processes])
        least = random.randrange((step + 1) * 100)
        place = random.choice(["plain", "a b/%c"])
        kinds = ["append", "equal", "equal", "at", "delete", "rewrite", "sort", "zorder", "race", "spec"]
        match random.choice(kinds) if step else "append":
            case "append":
                number = random.choice([step, 0])
                table.append(rows_of(number))
                rows += rows_of(number).to_pylist()
            case "equal":
                deleted = [{"id": i, "point": {"x": i}, "place": place} for i in range(least, least + 30)]
                delete_equal(directory, table, [random.choice(["id", "point.x"]), "place"], deleted)
                rows = [it for it in rows if not (least <= it["id"] < least + 30 and it["place"] == place)]
            case "at":
                files = [it for it in current_files(table)[0] if not it.deletes]
                if files:
                    file = random.choice(files).file.file_path
                    ids = pq.ParquetFile(file.removeprefix("file://")).read()["id"].to_pylist()
                    at = sorted(random.sample(range(len(ids)), len(ids) // 3))
                    there = pq.ParquetFile(file.removeprefix("file://")).read().to_pylist()
                    delete_at(directory, table, {file: at})
                    for position in at:
                        rows.remove(next(it for it in rows if str(it) == str(there[position])))
            case "delete":
                where = f"id >= {least} and id < {least + 30} and place = '{place}'"
                left = [it for it in rows if not (least <= it["id"] < least + 30 and it["place"] == place)]
                iceberg.delete(table, where, scrub=random.random() < 0.3, verify=True, executor=executor)
                rows = left
            case "rewrite":
                iceberg.rewrite_data_files(table, executor=executor)
                assert not current_files(table)[1], (seed, step)
            case "sort":
                target, limit = random.choice([1 << 28, 4000]), random.choice([1 << 30, 1])
                iceberg.sort(table, ["value", ("id", "descending")], target=target, memory_limit=limit, executor=executor)
                assert iceberg.plan(table, sort_by=["value", ("id", "descending")]) == [], (seed, step)
            case "zorder":
                iceberg.zorder(table, ["value", "id"], executor=executor)
                assert not current_files(table)[1], (seed, step)
            case "race":
                table.append(rows_of(step))
                rows += rows_of(step).to_pylist()
                random.choice([iceberg.rewrite_data_files, lambda it: iceberg.sort(it, ["id"])])(stale)
            case "spec":
                with table.update_spec() as spec:
                    if any(field.name == "day" for field in table.spec().fields):
                        spec.remove_field("day")
                    else:
                        spec.add_identity("day")
        table = load(f"history-{seed}")
        if not any(it.content == DataFileContent.EQUALITY_DELETES for it in current_files(table)[1]):
            check(table, rows)
    iceberg.rewrite_data_files(table)
    check(table, rows)


def new_table(name: str, partitioned_by: list[str]) -> Any:
    table = load_catalog("default").create_table(f"weather.{name}", rows_of(0).schema)
    with table.update_spec() as spec:
        for column in partitioned_by:
            spec.add_identity(column)
    return load(name)


def load(name: str) -> Any:
    return load_catalog("default").load_table(f"weather.{name}")


def texts(rows: list[Row]) -> list[str]:
    return sorted(str(sorted(row.items())) for row in rows)


def check(table: Table, rows: list[Row]) -> None:
    assert sorted_rows(table.scan().to_arrow()) == texts(rows)


def delete_equal(
    directory: Path,
    table: Table,
    columns: list[str],
    rows: list[Row],
    *,
    ids: list[int] | None = None,
    place: str | None = None,
) -> None:
    """Commits a file of equality deletes, for all partitions or for one of place."""
    schema = table.schema().select(*columns)
    path = directory / f"equality-{uuid.uuid4()}.parquet"
    written = pa.Table.from_pylist(rows, schema_to_pyarrow(schema))
    pq.write_table(written, path)
    numbers = ids or [schema.find_field(column).field_id for column in columns]
    # The spec without partitions has the number 0, also in a table that is partitioned now.
    spec = table.spec().spec_id if place else 0
    file = delete_file(path, DataFileContent.EQUALITY_DELETES, len(rows), Record(place) if place else Record(), numbers)
    file.spec_id = spec
    commit(table, file)


def delete_at(directory: Path, table: Table, positions: dict[str, list[int]]) -> None:
    """Commits a file with positions of deleted rows, for files of one partition."""
    path = directory / f"position-{uuid.uuid4()}.parquet"
    pairs = sorted((file, at) for file, all_of_it in positions.items() for at in all_of_it)
    pq.write_table(pa.table({"file_path": [file for file, _ in pairs], "pos": [at for _, at in pairs]}), path)
    of = {it.file.file_path: it.file for it in current_files(table)[0]}[pairs[0][0]]
    file = delete_file(path, DataFileContent.POSITION_DELETES, len(pairs), of.partition, None)
    file.spec_id = of.spec_id
    commit(table, file)


def delete_file(path: Path, content: DataFileContent, rows: int, partition: Record, ids: list[int] | None) -> DataFile:
    return DataFile.from_args(
        content=content,
        file_path=f"file://{path}",
        file_format=FileFormat.PARQUET,
        partition=partition,
        record_count=rows,
        file_size_in_bytes=path.stat().st_size,
        equality_ids=ids,
    )


class _Writer(ManifestWriterV2):  # type: ignore[misc, unused-ignore]
    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return {**super()._meta, "content": "deletes"}


class _Append(_FastAppendFiles):  # type: ignore[misc, unused-ignore]
    """Adds a file of deletes."""

    delete_file: DataFile

    def _manifests(self) -> list[ManifestFile]:
        spec = self.spec(self.delete_file.spec_id)
        with _Writer(spec, self.schema(), self.new_manifest_output(), self._snapshot_id, self._compression) as writer:
            writer.add(
                ManifestEntry.from_args(
                    status=ManifestEntryStatus.ADDED,
                    snapshot_id=self._snapshot_id,
                    sequence_number=None,
                    file_sequence_number=None,
                    data_file=self.delete_file,
                )
            )
        return [writer.to_manifest_file(), *self._existing_manifests()]

    def _summary(self, snapshot_properties: Any = None) -> Summary:
        """Sums up the file with its own partition spec: the library takes the one of the table."""
        collector = SnapshotSummaryCollector()
        collector.add_file(self.delete_file, self.schema(), self.spec(self.delete_file.spec_id))
        metadata = self._transaction.table_metadata
        parent = metadata.snapshot_by_id(self._parent_snapshot_id) if self._parent_snapshot_id is not None else None
        return update_snapshot_summaries(
            summary=Summary(operation=self._operation, **collector.build()),
            previous_summary=parent.summary if parent else None,
        )


def commit(table: Table, file: DataFile) -> None:
    with table.transaction() as transaction:
        append = _Append(operation=Operation.APPEND, transaction=transaction, io=table.io)
        append.delete_file = file
        append.commit()
