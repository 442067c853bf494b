"""Readers prune row groups and pages of bytelane's files by statistics, indexes and Bloom filters, and find every row.

Row groups that a filter excludes are damaged: a reader that opened them would fail.
"""

import math
import struct
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

import duckdb
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet

from bytelane import parquet

ROWS = 4000
GROUP = 1000
PAGE = 100


def with_pyarrow(path, column, operator, value):
    field = pyarrow.dataset.field(column)
    tests = {"=": field == value, ">=": field >= value, "<": field < value}
    return pyarrow.dataset.dataset(path).to_table(columns=["id"], filter=tests[operator])["id"].to_pylist()


def with_duckdb(path, column, operator, value):
    query = f"select id from '{path}' where \"{column}\" {operator} $1 order by id"
    return [row for (row,) in duckdb.connect().execute(query, [value]).fetchall()]


def with_polars(path, column, operator, value):
    field = polars.col(column)
    tests = {"=": field == value, ">=": field >= value, "<": field < value}
    return polars.scan_parquet(path).filter(tests[operator]).select("id").collect()["id"].to_list()


def with_bytelane(path, column, operator, value):
    operator = {"=": "=="}.get(operator, operator)
    table = parquet.read_table(path, columns=["id"], filters=[(column, operator, value)])
    return pyarrow.table(table)["id"].to_pylist()


Read = Callable[[Path, str, str, object], list[int]]
READERS: dict[str, Read] = {
    "pyarrow": with_pyarrow,
    "duckdb": with_duckdb,
    "polars": with_polars,
    "bytelane": with_bytelane,
}


def columns():
    """Columns that are sorted, so that row groups and pages have bounds of their own, and two whose bounds exclude nothing."""
    rows = range(ROWS)
    return {
        "id": pyarrow.array(rows),
        "small": pyarrow.array(rows, pyarrow.int16()),
        "float": pyarrow.array([row / 4 - 500 for row in rows]),
        "single": pyarrow.array([row / 4 - 500 for row in rows], pyarrow.float32()),
        "text": pyarrow.array([f"name {row:05}" for row in rows]),
        "nullable": pyarrow.array([None if row % 7 == 3 else row for row in rows]),
        "key": pyarrow.array([(row * 7919) % 100_003 * 2 for row in rows]),
        "name": pyarrow.array([f"key {(row * 7919) % 100_003 * 2}" for row in rows]),
    }


class Pruned(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name) / "rows.parquet"
        self.table = pyarrow.table(columns())

    def write(self, **options):
        options = {"row_group_size": GROUP, "compression": "none"} | options
        parquet.write_table(self.table, self.path, **options)

    def damage(self, groups):
        """Overwrites all pages of some row groups."""
        metadata = pyarrow.parquet.read_metadata(self.path)
        bytes_ = bytearray(self.path.read_bytes())
        for group in groups:
            for index in range(metadata.num_columns):
                chunk = metadata.row_group(group).column(index)
                start = chunk.data_page_offset
                if chunk.has_dictionary_page:
                    start = min(start, chunk.dictionary_page_offset)
                bytes_[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
        self.path.write_bytes(bytes_)

    def test_row_groups_by_statistics(self):
        for encoding in ["auto", "plain"]:
            self.write(encoding=encoding)
            self.damage([0, 1, 3])
            values = {name: self.table[name][2500].as_py() for name in self.table.column_names[:6]}
            for library, read in READERS.items():
                for column, value in values.items():
                    # pyarrow keeps row groups that have nulls.
                    if (library, column) == ("pyarrow", "nullable"):
                        continue
                    with self.subTest(library=library, column=column, encoding=encoding):
                        self.assertEqual(read(self.path, column, "=", value), [2500])
        for library, read in READERS.items():
            # All row groups would be needed.
            with self.subTest(library=library), self.assertRaises(Exception):
                read(self.path, "id", ">=", 0)

    def test_row_groups_by_bloom_filters(self):
        """Bounds of the keys exclude nothing. pyarrow and Polars do not use Bloom filters."""
        for encoding in ["plain", "dictionary"]:
            filters = {name: {"fpp": 0.001} for name in ("key", "name")}
            self.write(encoding=encoding, bloom_filter_options=filters)
            self.damage([0, 2, 3])
            found = {name: self.table[name][1234].as_py() for name in filters}
            for library in ("duckdb", "bytelane"):
                for column, value in found.items():
                    with self.subTest(library=library, column=column, encoding=encoding):
                        self.assertEqual(READERS[library](self.path, column, "=", value), [1234])

    def test_every_row_is_found_by_every_reader(self):
        options = [{}, {"encoding": "plain"}, {"content_defined_pages": (1000, 4000)}, {"total_order": True}]
        for option in options:
            self.write(bloom_filter_options={name: True for name in self.table.column_names}, **option)
            for library, read in READERS.items():
                for column in self.table.column_names:
                    for row in (0, 999, 1000, 2601):
                        value = self.table[column][row].as_py()
                        with self.subTest(library=library, column=column, row=row, option=option):
                            self.assertEqual(read(self.path, column, "=", value), [row])


def bits(number):
    return struct.pack("<d", number)


class TotalOrder(unittest.TestCase):
    """Files whose floats have the IEEE 754 total order, and what each reader makes of their bounds."""

    # Row groups of two rows: numbers, zeros of both signs, one zero each, numbers and NaN, and NaN alone.
    GROUPS = [[1.0, 3.0], [-0.0, 0.0], [0.0, 0.0], [-0.0, -0.0], [2.0, math.nan], [math.nan, -math.nan]]

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name) / "floats.parquet"
        values = [value for group in self.GROUPS for value in group]
        self.values = values
        self.table = pyarrow.table({"id": range(len(values)), "x": values})
        options = {"row_group_size": 2, "compression": "none", "encoding": "plain"}
        parquet.write_table(self.table, self.path, total_order=True, **options)

    def test_values_are_the_same_bit_for_bit(self):
        read = {
            "pyarrow": pyarrow.parquet.read_table(self.path)["x"].to_pylist(),
            "duckdb": [x for (x,) in duckdb.sql(f"select x from '{self.path}' order by id").fetchall()],
            "polars": polars.read_parquet(self.path)["x"].to_list(),
            "bytelane": pyarrow.table(parquet.read_table(self.path))["x"].to_pylist(),
        }
        for library, values in read.items():
            with self.subTest(library=library):
                self.assertEqual([*map(bits, values)], [*map(bits, self.values)])

    def test_no_reader_loses_rows(self):
        """Comparisons are those of IEEE 754 in pyarrow and bytelane; in DuckDB and Polars, NaN is the largest number."""
        for value in (0.0, -0.0, 1.0, 2.0, 3.0):
            for operator in ("=", ">=", "<"):
                tests = {"=": lambda it: it == value, ">=": lambda it: it >= value, "<": lambda it: it < value}
                numbers = [row for row, it in enumerate(self.values) if tests[operator](it)]
                with_nan = sorted(numbers + [row for row, it in enumerate(self.values) if math.isnan(it)])
                for library, read in READERS.items():
                    has_nan = library in ("duckdb", "polars") and operator == ">="
                    with self.subTest(library=library, operator=operator, value=value):
                        self.assertEqual(read(self.path, "x", operator, value), with_nan if has_nan else numbers)

    def test_bounds_that_readers_see(self):
        """pyarrow ignores bounds of an order that it does not know. DuckDB takes them, except those of NaN."""
        metadata = pyarrow.parquet.read_metadata(self.path)
        groups = [metadata.row_group(group).column(1).statistics for group in range(len(self.GROUPS))]
        self.assertEqual([group.has_min_max for group in groups], [False] * len(self.GROUPS))
        query = f"select stats_min_value, stats_max_value from parquet_metadata('{self.path}') where path_in_schema = 'x'"
        expected = [("1.0", "3.0"), ("-0.0", "0.0"), ("0.0", "0.0"), ("-0.0", "-0.0"), ("2.0", "2.0"), (None, None)]
        self.assertEqual(duckdb.sql(query).fetchall(), expected)
        self.assertEqual(parquet.check(self.path, values=True)["findings"], [])


if __name__ == "__main__":
    unittest.main()
