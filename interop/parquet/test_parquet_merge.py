"""Merges random tables of pyarrow, DuckDB and Polars with bytelane, and compares the rows."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

BYTELANE = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane"


def table(seed: int) -> pa.Table:
    """Returns rows with few and many distinct values, nulls, lists, structs and maps."""
    random.seed(seed)
    rows = random.choice([1, 7, 500, 3000])
    numbers = [random.randrange(1000) for _ in range(rows)]
    share = random.choice([2, 9, 1000])

    def some(number: int, value: object) -> object:
        return value if number % share else None

    return pa.table(
        {
            "id": pa.array(range(seed * 10_000, seed * 10_000 + rows), pa.int64()),
            "kind": pa.array([some(n, f"kind {n % 37}") for n in numbers], pa.string()),
            "price": pa.array([some(n, random.random()) for n in numbers], pa.float64()),
            "text": pa.array([f"{n} of {seed}" for n in numbers], pa.string()),
            "time": pa.array([n * 10**6 for n in numbers], pa.timestamp("us")),
            "day": pa.array([some(n, n) for n in numbers], pa.date32()),
            "flag": pa.array([some(n, n % 3 == 0) for n in numbers], pa.bool_()),
            "list": pa.array([some(n, [some(i + 1, i) for i in range(n % 5)]) for n in numbers], pa.list_(pa.int32())),
            "struct": pa.array(
                [some(n, {"a": n, "b": some(n + 1, str(n))}) for n in numbers],
                pa.struct({"a": pa.int64(), "b": pa.string()}),
            ),
        }
    )


def write(rows: pa.Table, path: Path, seed: int) -> None:
    """Writes a file with a random writer."""
    random.seed(seed)
    match random.choice(["pyarrow", "pyarrow", "duckdb", "polars"]):
        case "pyarrow":
            pq.write_table(
                rows,
                path,
                compression=random.choice(["none", "snappy", "zstd", "gzip", "brotli", "lz4"]),
                data_page_version=random.choice(["1.0", "2.0"]),
                use_dictionary=random.choice([True, True, False]),
                data_page_size=random.choice([500, 1 << 20]),
                row_group_size=random.choice([100, 1 << 20]),
                write_page_index=random.choice([True, False]),
                write_page_checksum=random.choice([True, False]),
            )
        case "duckdb":
            duckdb.sql("from rows").write_parquet(str(path), compression=random.choice(["snappy", "zstd"]))
        case "polars":
            polars.from_arrow(rows).write_parquet(path, compression=random.choice(["zstd", "snappy", "lz4"]))


def run(*arguments: object) -> str:
    done = subprocess.run([BYTELANE, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Merge(unittest.TestCase):
    def test_random_files_are_the_same_rows(self) -> None:
        for seed in range(40):
            with self.subTest(seed), tempfile.TemporaryDirectory() as directory:
                folder = Path(directory)
                tables = [table(seed * 20 + part) for part in range(random.Random(seed).randrange(1, 9))]
                paths = [folder / f"{part}.parquet" for part in range(len(tables))]
                for part, (rows, path) in enumerate(zip(tables, paths, strict=True)):
                    write(rows, path, seed * 20 + part)
                merged = folder / "merged"
                run("merge", *paths, merged, "--verify")
                wanted = pa.concat_tables([pq.read_table(path).cast(tables[0].schema) for path in paths])
                self.assertEqual(wanted, pa.concat_tables(tables))
                self.assertEqual(pq.read_table(merged).cast(wanted.schema), wanted)
                self.assertEqual(duckdb.read_parquet(str(merged)).fetchall(), duckdb.sql("from wanted").fetchall())
                self.assertEqual(polars.read_parquet(merged).to_arrow().cast(wanted.schema), wanted)
                before = sum(path.stat().st_size for path in paths)
                # A few rows take fewer bytes than the indexes, which the input files lack.
                if before > 10_000:
                    self.assertLessEqual(merged.stat().st_size, before)
                checked = subprocess.run([BYTELANE, "check", "--values", merged], capture_output=True, check=False)
                self.assertEqual(checked.returncode, 0, checked.stdout)
                file = pq.ParquetFile(merged)
                self.assertEqual(file.metadata.num_row_groups, 1)
                lowest, highest = wanted["id"][0].as_py(), wanted["id"][-1].as_py()
                if file.metadata.row_group(0).column(0).statistics is not None:
                    found = file.metadata.row_group(0).column(0).statistics
                    if found.has_min_max:
                        self.assertEqual((found.min, found.max), (lowest, highest))
                filtered = pq.read_table(merged, filters=[("id", "==", highest)])
                self.assertEqual(filtered["id"].to_pylist(), [highest])

    def test_random_splits_are_the_same_rows(self) -> None:
        for seed in range(30):
            with self.subTest(seed), tempfile.TemporaryDirectory() as directory:
                folder = Path(directory)
                rows = table(seed)
                write(rows, folder / "whole.parquet", seed)
                most = random.Random(seed).choice([1, 13, 99, 100, 101, 499, 2000])
                if most < rows.num_rows / 100:
                    most = 99
                parts = folder / "parts"
                run("merge", folder / "whole.parquet", parts, "--row-group-size", most, "--verify")
                wanted = pq.read_table(folder / "whole.parquet").cast(rows.schema)
                self.assertEqual(pq.read_table(parts).cast(rows.schema), wanted)
                self.assertEqual(duckdb.read_parquet(str(parts)).fetchall(), duckdb.sql("from wanted").fetchall())
                self.assertEqual(polars.read_parquet(parts).to_arrow().cast(rows.schema), wanted)
                groups = pq.ParquetFile(parts).metadata
                sizes = [groups.row_group(index).num_rows for index in range(groups.num_row_groups)]
                self.assertLessEqual(max(sizes), most)
                last = rows["id"][-1].as_py()
                filtered = pq.read_table(parts, filters=[("id", "==", last)])
                self.assertEqual(filtered["id"].to_pylist(), [last])
                checked = subprocess.run([BYTELANE, "check", "--values", parts], capture_output=True, check=False)
                self.assertEqual(checked.returncode, 0, checked.stdout)

    def test_required_columns_become_optional(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            folder = Path(directory)
            for seed, version in enumerate(["1.0", "2.0"]):
                numbers = pa.array(range(1000), pa.int64())
                structs = pa.array([{"a": n % 9} for n in range(1000)], pa.struct([pa.field("a", pa.int64(), nullable=False)]))
                required = pa.schema([pa.field("n", pa.int64(), nullable=False), pa.field("s", structs.type, nullable=False)])
                pq.write_table(pa.table([numbers, structs], schema=required), folder / "1", data_page_version=version)
                some = pa.table({"n": [None, 7, None], "s": [{"a": None}, None, {"a": 3}]})
                some = some.cast(pa.schema({"n": pa.int64(), "s": pa.struct({"a": pa.int64()})}))
                pq.write_table(some, folder / "2", data_page_version="1.0")
                merged = folder / f"merged{seed}"
                run("merge", folder / "1", folder / "2", merged, "--verify")
                wanted = numbers.to_pylist() + [None, 7, None], structs.to_pylist() + some["s"].to_pylist()
                for read in [pq.read_table(merged), polars.read_parquet(merged).to_arrow(), duckdb.read_parquet(str(merged)).to_arrow_table()]:
                    self.assertEqual((read["n"].to_pylist(), read["s"].to_pylist()), wanted)

    def test_repaired_and_salvaged_files_can_be_read(self) -> None:
        for seed in range(10):
            with self.subTest(seed), tempfile.TemporaryDirectory() as directory:
                folder = Path(directory)
                rows = table(seed * 7 + 3)
                write(rows, folder / "old", seed)
                run("repair", folder / "old", folder / "new", "--verify", "--bloom-filter", "kind")
                old, new = pq.read_table(folder / "old"), pq.read_table(folder / "new")
                self.assertEqual(new.cast(rows.schema), old.cast(rows.schema))
                self.assertEqual(pq.ParquetFile(folder / "new").metadata.created_by, pq.ParquetFile(folder / "old").metadata.created_by)
                found = duckdb.sql(f"select count(*) from read_parquet('{folder}/new') where kind = 'kind 3'").fetchall()
                self.assertEqual(found, [(old["kind"].to_pylist().count("kind 3"),)])
                subprocess.run([BYTELANE, "check", folder / "old", "--salvage", folder / "all"], capture_output=True, check=False)
                self.assertEqual(pq.read_table(folder / "all").cast(rows.schema), old.cast(rows.schema))


if __name__ == "__main__":
    unittest.main()
