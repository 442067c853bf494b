"""Merges and rewrites columns that mean more than their bytes, and compares what other readers make of the outcome."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

BYTELANE = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane"


class Meaning(unittest.TestCase):
    """Each test has a directory of its own."""

    def setUp(self) -> None:
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = Path(self.directory.name)
        self.out = self.path / "out.parquet"

    def run_command(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([BYTELANE, *map(str, arguments)], capture_output=True, text=True, check=False)

    def merged(self, tables: list[pa.Table], *options: str) -> pa.Table:
        """Merges files of these tables, and compares the rows that pyarrow, Polars and DuckDB read."""
        paths = []
        for index, table in enumerate(tables):
            paths.append(self.path / f"{index}.parquet")
            pq.write_table(table, paths[-1])
        result = self.run_command("merge", *paths, self.out, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.compared(paths)

    def compared(self, paths: list[Path]) -> pa.Table:
        merged = pq.read_table(self.out)
        rows = [row for path in paths for row in pq.read_table(path).to_pylist()]
        self.assertEqual(merged.to_pylist(), rows)
        before = [row for path in paths for row in pl.read_parquet(path).rows()]
        self.assertEqual(pl.read_parquet(self.out).rows(), before)
        counted = duckdb.sql(f"select count(*) from '{self.out}'").fetchall()
        self.assertEqual(counted, [(len(rows),)])
        merged.to_pandas()
        return merged

    def refused(self, tables: list[pa.Table], *words: str) -> None:
        for index, table in enumerate(tables):
            pq.write_table(table, self.path / f"{index}.parquet")
        result = self.run_command("merge", self.path / "0.parquet", self.path / "1.parquet", self.out)
        self.assertNotEqual(result.returncode, 0)
        for word in ("1.parquet", *words):
            self.assertIn(word, result.stderr)
        self.assertFalse(self.out.exists())

    def test_categories_of_pandas_get_wider_keys(self) -> None:
        def frame(index: int) -> pa.Table:
            values = [f"k{index}_{number}" for number in range(100)] * 3
            return pa.Table.from_pandas(pd.DataFrame({"c": pd.Categorical(values)}))

        for options in ([], ["--pages", "fresh"], ["--row-group-size", "150"]):
            merged = self.merged([frame(0), frame(1)], *options)
            self.assertEqual(merged.schema.field("c").type.index_type, pa.int16())
            self.assertEqual(len(pd.read_parquet(self.out)), 600)
            self.out.unlink()

    def test_dictionaries_that_are_encoded_again_stay_readable(self) -> None:
        def distinct(start: int) -> pa.Table:
            values = [f"text {number} {number * 7919 % 1000003}" for number in range(start, start + 2500)]
            return pa.table({"c": pa.array(values).dictionary_encode()})

        for options in ([], ["--pages", "fresh"], ["--row-group-size", "100"]):
            self.merged([distinct(0), distinct(2500)], *options)
            self.out.unlink()

    def test_finer_units_and_wider_numbers_hold_both(self) -> None:
        pairs = [
            (pa.array([1, None], pa.duration("s")), pa.array([2500], pa.duration("ms")), pa.duration("ms")),
            (pa.array([1, None], pa.int32()), pa.array([2**40], pa.int64()), pa.int64()),
            (pa.array([1, None], pa.int8()), pa.array([300], pa.int16()), pa.int16()),
            (pa.array([1], pa.timestamp("ms", "UTC")), pa.array([2], pa.timestamp("ns", "UTC")), pa.timestamp("ns", "UTC")),
            (pa.array(["a"], pa.string()), pa.array(["b"], pa.large_string()), pa.large_string()),
        ]
        for one, other, united in pairs:
            merged = self.merged([pa.table({"x": one}), pa.table({"x": other})])
            self.assertEqual(merged.schema.field("x").type, united)
            self.out.unlink()

    def test_other_meanings_are_refused_with_both_types(self) -> None:
        ints = pa.array([1], pa.int64())
        self.refused([pa.table({"x": ints}), pa.table({"x": ints.cast(pa.duration("s"))})], "x", "duration[s]", "int64")
        lists = [pa.table({"x": pa.array([[1] * size], pa.list_(pa.int64(), size))}) for size in (2, 3)]
        self.refused(lists, "fixed_size_list<element: int64>[3]", "fixed_size_list<element: int64>[2]")
        flag = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1], pa.int8()))
        self.refused([pa.table({"x": pa.array([1], pa.int8())}), pa.table({"x": flag})], "arrow.bool8")
        zones = [pa.table({"x": pa.array([1], pa.timestamp("us", zone))}) for zone in ("UTC", "Asia/Tokyo")]
        self.refused(zones, "tz=UTC", "tz=Asia/Tokyo")

    def test_enums_of_polars_are_united(self) -> None:
        paths = []
        for index, categories in enumerate((["a", "c"], ["b", "c"])):
            paths.append(self.path / f"{index}.parquet")
            pl.DataFrame({"e": pl.Series(["c"], dtype=pl.Enum(categories))}).write_parquet(paths[-1])
        result = self.run_command("merge", *paths, self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        merged = pl.read_parquet(self.out)
        self.assertEqual(merged["e"].to_list(), ["c", "c"])
        self.assertEqual(merged.schema["e"], pl.Enum(["a", "b", "c"]))

    def test_ordered_categories_keep_order_and_unused_entries(self) -> None:
        values = pd.Categorical(["high", "low"], categories=["low", "mid", "high"], ordered=True)
        source = self.path / "ordered.parquet"
        pd.DataFrame({"c": values}).to_parquet(source)
        for arguments in (["rewrite", "--goal", "size"], ["rewrite", "--compression", "zstd:9"], ["merge"]):
            result = self.run_command(arguments[0], source, self.out, *arguments[1:])
            self.assertEqual(result.returncode, 0, result.stderr)
            frame = pd.read_parquet(self.out)
            self.assertEqual(frame["c"].max(), "high")
            self.assertEqual(list(frame["c"].cat.categories), ["low", "mid", "high"])
            self.out.unlink()

    def test_ordered_categories_keep_their_order_beside_pages_without_a_dictionary(self) -> None:
        values = pa.DictionaryArray.from_arrays(pa.array([2], pa.int8()), ["low", "mid", "high"], ordered=True)
        # The column of the second file becomes a page of nulls.
        inputs = [self.path / "one.parquet", self.path / "other.parquet"]
        pq.write_table(pa.table({"x": [1], "c": values}), inputs[0])
        pq.write_table(pa.table({"x": [2]}), inputs[1])
        self.assertEqual(self.run_command("merge", *inputs, self.out).returncode, 0)
        for options in (["--goal", "write"], ["--goal", "size"], ["--compression", "none"]):
            new = self.path / "rewritten.parquet"
            result = self.run_command("rewrite", self.out, new, "--verify", "--force", *options)
            self.assertEqual(result.returncode, 0, result.stderr)
            column = pq.read_table(new)["c"]
            self.assertEqual(column.to_pylist(), ["high", None])
            self.assertEqual(column.chunk(0).dictionary.to_pylist(), ["low", "mid", "high"])

    def test_boxes_of_geometries_hold_those_of_all_files(self) -> None:
        def points(x: int, **more: object) -> pa.Table:
            column = {"encoding": "WKB", "geometry_types": ["Point"], "bbox": [x, x, x, x], **more}
            geo = {"version": "1.1.0", "primary_column": "g", "columns": {"g": column}}
            table = pa.table({"g": pa.array([b"wkb"])})
            return table.replace_schema_metadata({"geo": json.dumps(geo)})

        merged = self.merged([points(0), points(9)])
        geo = json.loads((merged.schema.metadata or {})[b"geo"])
        self.assertEqual(geo["columns"]["g"]["bbox"], [0, 0, 9, 9])
        self.out.unlink()
        self.refused([points(0), points(9, crs={"id": 1})], "crs")

    def test_metadata_that_is_not_text_is_kept(self) -> None:
        odd = {b"field\xff": b"\xfe\x00value", b"text": b"value"}
        schema = {b"schema\xff": b"\xfd"}
        number, member = pa.field("n", pa.int32(), metadata=odd), pa.field("m", pa.int32(), metadata=odd)
        tables = [
            pa.table([[1], [{"m": 2}]], pa.schema([number, pa.field("s", pa.struct([member]))], schema)),
            # Another order and another type, so that the types are united.
            pa.table([[{"m": 3}], [4]], pa.schema([pa.field("s", pa.struct([member])), ("n", pa.int64())], schema)),
        ]
        paths = [self.path / "0.parquet", self.path / "1.parquet"]
        for table, path in zip(tables, paths, strict=True):
            pq.write_table(table, path)
        result = self.run_command("merge", *paths, self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        # Polars reads no such metadata.
        table = pq.read_table(self.out)
        self.assertEqual(table.to_pylist(), [row for it in tables for row in it.select(["n", "s"]).to_pylist()])
        merged = table.schema
        self.assertEqual(merged.field("n").type, pa.int64())
        for field in (merged.field("n"), merged.field("s").type.field("m")):
            found = {key: value for key, value in (field.metadata or {}).items() if not key.startswith(b"PARQUET:")}
            self.assertEqual(found, odd)
        self.assertEqual(merged.metadata, schema)

    def test_a_level_of_compression_is_kept(self) -> None:
        values = [f"{number * 7919 % 10007} of {number % 13}" for number in range(200_000)]
        source = self.path / "level.parquet"
        pq.write_table(
            pa.table({"x": values}), source, compression="zstd", compression_level=19, use_dictionary=False
        )
        result = self.run_command("rewrite", source, self.out, "--goal", "size", "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLessEqual(self.out.stat().st_size, source.stat().st_size)
        after = json.loads(result.stdout)["columns"][0]["after"]["compressions"]
        self.assertNotIn("zstd:1", after)


if __name__ == "__main__":
    unittest.main()
