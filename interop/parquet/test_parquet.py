"""bytelane-parquet reads files of pyarrow, DuckDB and polars, and these read its files."""

import itertools
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import duckdb
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet

from test_parquet_rewrite import table

PROGRAM = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane-interop-parquet"

# DuckDB and polars do not read FIXED_LEN_BYTE_ARRAY in BYTE_STREAM_SPLIT.
FIXED_LENGTH = ["f16", "fixed", "large"]
SPLIT = ["f64", "f32", "nulls", "odd", "zeros", "i32", "i64", "u32", "time", "date", "small", *FIXED_LENGTH]


class Exchange(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = table()

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.given = Path(directory.name) / "given.parquet"
        self.written = Path(directory.name) / "written.parquet"

    def copy(self, *options):
        line = [PROGRAM, "copy", self.given, self.written, *options]
        done = subprocess.run(line, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def assert_same(self, one, other):
        """Checks that the values are the same, bit for bit."""
        self.assertEqual(one.column_names, other.column_names)
        for name in one.column_names:
            columns = [whole[name].combine_chunks() for whole in (one, other)]
            if pyarrow.types.is_floating(columns[0].type):
                self.assertTrue(columns[0].is_null().equals(columns[1].is_null()), name)
                columns = [column.drop_null().to_numpy() for column in columns]
                # Compare bits: NaN equals NaN, zeros have signs.
                self.assertEqual(*(column.tobytes() for column in columns), name)
            else:
                self.assertTrue(columns[0].equals(columns[1]), name)

    def test_what_it_writes(self):
        pyarrow.parquet.write_table(self.table, self.given)
        split = itertools.product(["byte_stream_split"], ["none", "zstd:1", "snappy", "gzip:6", "brotli:3", "lz4_raw"])
        others = itertools.product(["plain", "dictionary", "auto"], ["zstd:1"])
        for number, (encoding, compression) in enumerate([*split, *others]):
            version = ["--v2"] if number % 2 else []
            with self.subTest(encoding=encoding, version=version, compression=compression):
                self.copy("--encoding", encoding, "--compression", compression, *version)
                self.assert_same(self.table, pyarrow.parquet.read_table(self.written))
                self.check_other_readers(encoding)
                self.check_statistics()

    def check_other_readers(self, encoding):
        names = [
            name for name in self.table.column_names
            if encoding != "byte_stream_split" or name not in FIXED_LENGTH
        ]
        quoted = ", ".join(f'"{name}"' for name in names)
        query = "select {} from '{}'"
        read = [
            duckdb.sql(query.format(quoted, path)).to_arrow_table() for path in (self.given, self.written)
        ]
        self.assert_same(*read)
        read = [polars.read_parquet(path, columns=names) for path in (self.given, self.written)]
        self.assertTrue(read[0].equals(read[1]))

    def check_statistics(self):
        """Checks that readers see the bounds of floats, and prune row groups by them."""
        file = pyarrow.parquet.ParquetFile(self.written)
        index = file.schema_arrow.get_field_index("f64")
        start = 0
        for group in range(file.num_row_groups):
            statistics = file.metadata.row_group(group).column(index).statistics
            values = self.table["f64"].to_numpy()[start:][: file.metadata.row_group(group).num_rows]
            start += len(values)
            self.assertEqual((statistics.min, statistics.max), (values.min(), values.max()))
            # NaN is never a bound; a bound of zero covers both signs.
            self.assertFalse(math.isnan(self.bounds(file, group, "odd").min))
            zeros = self.bounds(file, group, "zeros")
            self.assertEqual([math.copysign(1, zeros.min), math.copysign(1, zeros.max)], [-1, 1])
        beyond = pyarrow.dataset.field("f64") > self.table["f64"].to_numpy().max() + 1
        fragments = pyarrow.dataset.dataset(self.written).get_fragments(beyond)
        self.assertEqual([part for whole in fragments for part in whole.split_by_row_group(beyond)], [])
        bounds = f"select stats_min_value from parquet_metadata('{self.written}') where path_in_schema = 'f64'"
        self.assertTrue(all(least is not None for (least,) in duckdb.sql(bounds).fetchall()))

    def bounds(self, file, group, name):
        return file.metadata.row_group(group).column(file.schema_arrow.get_field_index(name)).statistics

    def test_bloom_filters(self):
        """That DuckDB finds all values in them, and few others."""
        numbers = list(range(0, 40_000, 2))
        names = [f"name {number}" for number in numbers]
        pyarrow.parquet.write_table(pyarrow.table({"number": numbers, "name": names}), self.given)
        for encoding in ["plain", "dictionary"]:
            self.copy("--encoding", encoding, "--bloom-filters")
            for number in range(0, 40_000, 4001):
                with self.subTest(encoding=encoding, number=number):
                    excluded = [self.probe("number", f"{number}::bigint"), self.probe("name", f"'name {number}'")]
                    for groups in excluded:
                        self.assertEqual(len(groups), 5)
                        if number % 2 == 0:
                            self.assertFalse(groups[number // 8000])
                        self.assertGreater(sum(groups), 2)

    def probe(self, column, value):
        """Whether the filter of each row group excludes a value."""
        query = f"from parquet_bloom_probe('{self.written}', '{column}', {value}) order by row_group_id"
        return [excludes for _, _, excludes in duckdb.sql(query).fetchall()]

    def test_what_pyarrow_writes(self):
        split = {name: "BYTE_STREAM_SPLIT" for name in SPLIT}
        split |= {"list.list.element": "BYTE_STREAM_SPLIT", "group.x": "BYTE_STREAM_SPLIT"}
        compressions = itertools.cycle(["none", "zstd", "snappy", "gzip", "brotli", "lz4"])
        for version, page_size in itertools.product(["1.0", "2.0"], [100, 5000, 1 << 20]):
            compression = next(compressions)
            with self.subTest(version=version, page_size=page_size, compression=compression):
                pyarrow.parquet.write_table(
                    self.table, self.given, use_dictionary=False, column_encoding=split, data_page_version=version,
                    data_page_size=page_size, compression=compression, row_group_size=5000,
                )
                self.copy("--encoding", "plain")
                self.assert_same(self.table, pyarrow.parquet.read_table(self.written))

    def test_checksums_of_pages(self):
        split = {name: "BYTE_STREAM_SPLIT" for name in SPLIT}
        for version in ["1.0", "2.0"]:
            with self.subTest(version=version):
                pyarrow.parquet.write_table(
                    self.table, self.given, use_dictionary=["text"], column_encoding=split, data_page_version=version,
                    compression="zstd", write_page_checksum=True,
                )
                self.copy("--encoding", "plain")
                self.assert_same(self.table, pyarrow.parquet.read_table(self.written))
                for name in ["f64", "text"]:
                    self.check_changed_page(name)

    def check_changed_page(self, name):
        """Checks that the checksum reveals a changed byte at the end of a column chunk, as in pyarrow."""
        file = pyarrow.parquet.ParquetFile(self.given)
        chunk = file.metadata.row_group(0).column(file.schema_arrow.get_field_index(name))
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        changed = bytearray(self.given.read_bytes())
        changed[start + chunk.total_compressed_size - 1] ^= 1
        damaged = self.given.with_name("damaged.parquet")
        damaged.write_bytes(changed)
        with self.assertRaises(OSError):
            pyarrow.parquet.read_table(damaged, columns=[name], page_checksum_verification=True)
        done = subprocess.run([PROGRAM, "copy", damaged, self.written], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, f"row group 0, column {name}.*checksum")

    def test_what_duckdb_writes(self):
        columns = self.table.select(["f64", "f32", "nulls", "odd", "i32", "i64", "text", "flag", "list", "group"])
        for version in ["V1", "V2"]:
            with self.subTest(version=version):
                duckdb.from_arrow(columns).query(
                    "rows", f"copy rows to '{self.given}' (format parquet, parquet_version {version}, "
                    "compression zstd, dictionary_size_limit 1)",
                )
                self.copy("--encoding", "byte_stream_split")
                self.assert_same(*map(pyarrow.parquet.read_table, (self.given, self.written)))

    def test_what_polars_writes(self):
        columns = self.table.select(["f64", "f32", "nulls", "odd", "i32", "i64", "text", "flag", "list", "group"])
        polars.from_arrow(columns).write_parquet(self.given, row_group_size=3500, data_page_size=9000)
        self.copy("--encoding", "byte_stream_split", "--v2")
        self.assert_same(*map(pyarrow.parquet.read_table, (self.given, self.written)))


if __name__ == "__main__":
    unittest.main()
