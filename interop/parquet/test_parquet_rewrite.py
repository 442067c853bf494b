"""Rewrites files of pyarrow, DuckDB and polars, and reads them again with all three.

Everything except the pages must be unchanged, including the statistics by which readers prune row groups.
"""

import decimal
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import duckdb
import numpy
import polars
import pyarrow
import pyarrow.compute
import pyarrow.dataset
import pyarrow.parquet

PROGRAM = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane"
ROWS = 9000
GROUP = 4000


def table():
    random = numpy.random.default_rng(1)
    walk = numpy.cumsum(random.normal(size=ROWS))
    odd = walk.copy()
    odd[::5], odd[1::5], odd[2::7] = numpy.nan, -0.0, numpy.inf
    floats = [None if row % 7 == 0 else value for row, value in enumerate(walk.tolist())]
    whole = random.integers(0, 50, ROWS)
    columns = {
        "f64": walk,
        "f32": walk.astype("f4"),
        "f16": walk.astype("f2"),
        "nulls": pyarrow.array(floats, pyarrow.float64()),
        "odd": odd,
        "zeros": numpy.where(whole % 2, 0.0, -0.0),
        "i8": pyarrow.array(whole, pyarrow.int8()),
        "i32": whole.astype("i4"),
        "i64": numpy.cumsum(whole),
        "u32": random.integers(0, 2**32, ROWS).astype("u4"),
        "time": pyarrow.array(numpy.cumsum(whole), pyarrow.timestamp("us", tz="UTC")),
        "date": pyarrow.array(whole.astype("i4"), pyarrow.date32()),
        "small": pyarrow.array([decimal.Decimal(n) / 100 for n in whole.tolist()], pyarrow.decimal128(7, 2)),
        "large": pyarrow.array([decimal.Decimal(n) ** 9 for n in whole.tolist()], pyarrow.decimal128(30, 3)),
        "fixed": pyarrow.array([random.bytes(5) for _ in range(ROWS)], pyarrow.binary(5)),
        "text": [f"name {n}" for n in whole],
        "flag": whole % 3 == 0,
        "list": pyarrow.array(
            [None if n % 5 == 0 else [value] * (n % 4) for n, value in zip(whole.tolist(), walk.tolist())],
            pyarrow.list_(pyarrow.float64()),
        ),
        "group": pyarrow.array(
            [None if n % 11 == 0 else {"x": value, "n": n} for n, value in zip(whole.tolist(), walk.tolist())],
            pyarrow.struct([("x", pyarrow.float32()), ("n", pyarrow.int64())]),
        ),
    }
    return pyarrow.table(columns).replace_schema_metadata({"station": "north"})


class Rewrite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = table()

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.before = Path(directory.name) / "before.parquet"
        self.after = Path(directory.name) / "after.parquet"

    def rewrite(self, *options):
        line = [PROGRAM, "rewrite", self.before, self.after, "--verify", "--format", "json", "--force", *options]
        done = subprocess.run(line, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check(self):
        """Checks everything that must be unchanged."""
        files = [pyarrow.parquet.ParquetFile(path) for path in (self.before, self.after)]
        self.assert_same(*(file.read() for file in files))
        before, after = (file.metadata for file in files)
        self.assertTrue(before.schema.equals(after.schema))
        self.assertTrue(files[0].schema_arrow.equals(files[1].schema_arrow, check_metadata=True))
        self.assertEqual(before.metadata, after.metadata)
        self.assertEqual(before.created_by, after.created_by)
        self.assertEqual(before.num_row_groups, after.num_row_groups)
        for group in range(before.num_row_groups):
            one, other = before.row_group(group), after.row_group(group)
            self.assertEqual(one.num_rows, other.num_rows)
            self.assertEqual(list(one.sorting_columns), list(other.sorting_columns))
            for column in range(one.num_columns):
                self.check_chunk(one.column(column), other.column(column))
        self.check_other_readers()
        self.check_pruning()

    def check_chunk(self, before, after):
        name = before.path_in_schema
        self.assertEqual(name, after.path_in_schema)
        for what in ("num_values", "is_stats_set", "has_column_index", "has_offset_index"):
            self.assertEqual(getattr(before, what), getattr(after, what), f"{what} of {name}")
        if before.is_stats_set:
            statistics = [str(chunk.statistics.to_dict()) for chunk in (before, after)]
            self.assertEqual(*statistics, name)

    def assert_same(self, before, after):
        """Checks that the values are the same, bit for bit."""
        self.assertTrue(before.schema.equals(after.schema))
        for name in before.column_names:
            one, other = before[name].combine_chunks(), after[name].combine_chunks()
            if pyarrow.types.is_floating(one.type):
                self.assertTrue(one.is_null().equals(other.is_null()), name)
                bits = [column.drop_null().to_numpy().tobytes() for column in (one, other)]
                self.assertEqual(*bits, name)
            else:
                self.assertTrue(one.equals(other), name)

    def check_other_readers(self):
        read = [duckdb.read_parquet(str(path)).to_arrow_table() for path in (self.before, self.after)]
        self.assert_same(*read)
        self.assertTrue(polars.read_parquet(self.before).equals(polars.read_parquet(self.after)))

    def check_pruning(self):
        """Checks that the same number of row groups is pruned as before, and never one with a wanted row."""
        statistics = "select path_in_schema, stats_min_value, stats_max_value, stats_null_count, " \
            "bloom_filter_offset is null from parquet_metadata('{}')"
        one, other = (duckdb.sql(statistics.format(path)).fetchall() for path in (self.before, self.after))
        self.assertEqual(one, other)
        field = pyarrow.compute.field
        highest = pyarrow.compute.max(self.table["f64"]).as_py()
        for name, wanted in {
            "f64 at its highest": field("f64") == highest,
            "no such f64": field("f64") > highest + 1,
            "i64 below 100": field("i64") < 100,
            "zeros": field("zeros") == 0.0,
        }.items():
            files = [pyarrow.dataset.dataset(path) for path in (self.before, self.after)]
            groups = [
                [len(part.row_groups) for part in file.get_fragments(wanted) for part in part.split_by_row_group(wanted)]
                for file in files
            ]
            self.assertEqual(*groups, name)
            if name.startswith("no such") and len(self.table) == files[0].count_rows():
                self.assertEqual(groups[0], [], "nothing can be left out")
            rows = [file.count_rows(filter=wanted) for file in files]
            self.assertEqual(*rows, name)
        count = "select count(*) from '{}' where f64 = {!r} or zeros = -0.0 and i64 < 100"
        one, other = (duckdb.sql(count.format(path, highest)).fetchall() for path in (self.before, self.after))
        self.assertEqual(one, other)

    def test_pyarrow_as_it_is_mostly_called(self):
        pyarrow.parquet.write_table(self.table, self.before, row_group_size=GROUP)
        rewritten = self.rewrite()
        self.assertLess(rewritten["bytes_after"], rewritten["bytes_before"])
        self.check()

    def test_pyarrow_with_everything(self):
        pyarrow.parquet.write_table(
            self.table,
            self.before,
            row_group_size=GROUP,
            compression="zstd",
            data_page_version="2.0",
            write_page_index=True,
            write_page_checksum=True,
            store_decimal_as_integer=True,
            store_schema=False,
            sorting_columns=[pyarrow.parquet.SortingColumn(8)],
        )
        self.rewrite("--compression", "zstd:3", "--goal", "size")
        self.check()

    def test_pyarrow_in_every_encoding(self):
        pyarrow.parquet.write_table(self.table, self.before, row_group_size=GROUP, write_page_index=True)
        for encoding, names in {
            "byte_stream_split": ["f64", "f32", "nulls", "odd", "zeros", "i8", "i32", "i64", "u32", "time", "date"],
            "dictionary": self.table.column_names[:-3],
            "plain": self.table.column_names,
            "delta_binary_packed": ["i8", "i32", "i64", "u32", "time", "date"],
            "delta_byte_array": ["text"],
            "delta_length_byte_array": ["text"],
        }.items():
            with self.subTest(encoding=encoding):
                names = [name for name in names if encoding != "dictionary" or name != "flag"]
                options = [word for name in names for word in ("--column-encoding", f"{name}={encoding}")]
                rewritten = self.rewrite(*options)
                states = {column["path"]: column["after"]["encodings"] for column in rewritten["columns"]}
                for name in set(names) & set(states):
                    wanted = "rle_dictionary" if encoding == "dictionary" else encoding
                    self.assertIn(wanted, states[name], name)
                self.check()

    def test_duckdb(self):
        rows = self.table.drop_columns(["f16"])  # DuckDB does not support it
        duckdb.sql(
            f"copy (select * from rows) to '{self.before}' (format parquet, row_group_size {GROUP}, "
            "string_dictionary_page_size_limit 100000, bloom_filter_false_positive_ratio 0.01)"
        )
        self.rewrite()
        self.check()

    def test_polars(self):
        rows = polars.from_arrow(self.table.drop_columns(["f16", "fixed"]))  # polars does not write these
        rows.write_parquet(self.before, row_group_size=GROUP)
        self.rewrite()
        self.check()

    def test_a_file_without_rows(self):
        pyarrow.parquet.write_table(self.table.slice(0, 0), self.before)
        self.rewrite()
        self.check()


if __name__ == "__main__":
    unittest.main()
