"""Edits random tables of pyarrow, DuckDB and Polars with bytelane, and compares what all three read."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from test_parquet_merge import run, table, write

BYTELANE = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane"


def kept(rows: pa.Table, seed: int, folder: Path) -> tuple[pa.Table, list[object]]:
    """Returns the rows that are left, and the options that delete the others."""
    random.seed(seed)
    match random.choice(["numbers", "bitmap", "condition"]):
        case "condition":
            return rows.filter(pc.invert(pc.fill_null(pc.less(rows["price"], 0.5), False))), ["--delete-where", "price < 0.5"]
        case kind:
            share = random.choice([0.01, 0.3, 0.95])
            deleted = [row for row in range(rows.num_rows) if random.random() < share]
            gone = set(deleted)
            mask = pa.array([row not in gone for row in range(rows.num_rows)])
            path = folder / "deleted"
            if kind == "numbers" or not deleted:
                path.write_text("".join(f"{row}\n" for row in deleted))
            else:
                # A Roaring bitmap with one container, a sorted array or bits.
                many = len(deleted) > 4096
                header = struct.pack("<IIHHI", 12346, 1, 0, len(deleted) - 1, 16)
                bits = sum(1 << row for row in deleted).to_bytes(8192, "little")
                path.write_bytes(header + (bits if many else struct.pack(f"<{len(deleted)}H", *deleted)))
            return rows.filter(mask), ["--delete-rows", path]


class Edit(unittest.TestCase):
    def test_random_files_lose_only_these_rows(self) -> None:
        for seed in range(30):
            with self.subTest(seed), tempfile.TemporaryDirectory() as directory:
                folder = Path(directory)
                old, new = folder / "old.parquet", folder / "new.parquet"
                rows = table(seed)
                write(rows, old, seed)
                wanted, options = kept(pq.read_table(old).cast(rows.schema), seed, folder)
                if seed % 3 == 0:
                    options.append("--scrub")
                done = json.loads(run("edit", old, new, *options, "--verify", "--format", "json"))
                self.assertEqual(done["deleted_rows"], rows.num_rows - wanted.num_rows)
                self.assertEqual(pq.read_table(new).cast(rows.schema), wanted)
                self.assertEqual(duckdb.read_parquet(str(new)).fetchall(), duckdb.sql("from wanted").fetchall())
                self.assertEqual(polars.read_parquet(new).to_arrow().cast(rows.schema), wanted)
                checked = subprocess.run([BYTELANE, "check", "--values", new], capture_output=True, check=False)
                self.assertEqual(checked.returncode, 0, checked.stdout)
                self.bounds_are_tight(pq.ParquetFile(new))

    def bounds_are_tight(self, file: pq.ParquetFile) -> None:
        names = ["id", "price", "time", "day"]
        for number in range(file.metadata.num_row_groups):
            found = file.read_row_group(number)
            described = file.metadata.row_group(number)
            columns = [described.column(at) for at in range(described.num_columns)]
            for column in columns:
                if column.path_in_schema in names and column.statistics and column.statistics.has_min_max:
                    bounds = pc.min_max(found[column.path_in_schema]).as_py()
                    self.assertEqual((column.statistics.min, column.statistics.max), (bounds["min"], bounds["max"]))

    def test_columns_change_for_all_readers(self) -> None:
        for seed in range(12):
            with self.subTest(seed), tempfile.TemporaryDirectory() as directory:
                folder = Path(directory)
                old, new = folder / "old.parquet", folder / "new.parquet"
                rows = table(seed)
                write(rows, old, seed)
                added = "country string = 'DE'"
                changes = ["--rename", "price=amount,struct.b=name", "--drop", "text,flag", "--order", "amount", "--add", added]
                run("edit", old, new, *changes, "--promote", "day=timestamp[us]", "--verify")
                before = pq.read_table(old).cast(rows.schema)
                found = pq.read_table(new)
                self.assertEqual(found.column_names, ["amount", "id", "kind", "time", "day", "list", "struct", "country"])
                self.assertEqual(found["amount"].combine_chunks(), before["price"].combine_chunks())
                self.assertEqual(found["day"].to_pylist(), before["day"].cast(pa.timestamp("us")).to_pylist())
                names = [None if it is None else it["name"] for it in found["struct"].to_pylist()]
                self.assertEqual(names, [None if it is None else it["b"] for it in before["struct"].to_pylist()])
                self.assertEqual(set(found["country"].to_pylist()), {"DE"})
                self.assertEqual(duckdb.read_parquet(str(new)).fetchall(), duckdb.sql("from found").fetchall())
                self.assertEqual(polars.read_parquet(new).rows(), polars.from_arrow(found).rows())


if __name__ == "__main__":
    unittest.main()
