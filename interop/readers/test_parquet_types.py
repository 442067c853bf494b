"""Files with all types, encodings, patterns of nulls, nestings, page versions and compressions: the Python package
reads those of pyarrow, DuckDB and Polars, and these read those of bytelane."""

import itertools
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import duckdb
import polars
import pyarrow
import pyarrow.parquet
from bytelane import parquet

import exchange_tables
import reader_files
from exchange_tables import assert_same

PROGRAM = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane-interop-parquet"

# pyarrow's encodings for the values of each physical type; PLAIN for the others.
ENCODINGS = {
    "plain": {},
    "delta": {
        "BOOLEAN": "RLE",
        "INT32": "DELTA_BINARY_PACKED",
        "INT64": "DELTA_BINARY_PACKED",
        "BYTE_ARRAY": "DELTA_LENGTH_BYTE_ARRAY",
        "FIXED_LEN_BYTE_ARRAY": "DELTA_BYTE_ARRAY",
    },
    "split": {
        "INT32": "BYTE_STREAM_SPLIT",
        "INT64": "BYTE_STREAM_SPLIT",
        "FLOAT": "BYTE_STREAM_SPLIT",
        "DOUBLE": "BYTE_STREAM_SPLIT",
        "BYTE_ARRAY": "DELTA_BYTE_ARRAY",
        "FIXED_LEN_BYTE_ARRAY": "BYTE_STREAM_SPLIT",
    },
}
DICTIONARIES = {"whole": {}, "up to 300 bytes, then plain": {"dictionary_pagesize_limit": 300}}

PYARROW = ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]
DUCKDB = ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"]
POLARS = ["uncompressed", "snappy", "gzip", "brotli", "lz4", "zstd"]
OURS = ["none", "snappy", "gzip:6", "brotli:3", "lz4_raw", "zstd:1"]

OUR_ENCODINGS = [
    "plain", "dictionary", "auto", "byte_stream_split", "delta_binary_packed", "delta_length_byte_array",
    "delta_byte_array", "rle",
]
OUR_SIZES = ["--page-rows", "150", "--row-group-rows", "700"]

# Names of physical types in the table of readers.
VALUES = {
    "BOOLEAN": "boolean",
    "INT32": "int32",
    "INT64": "int64",
    "FLOAT": "float",
    "DOUBLE": "double",
    "BYTE_ARRAY": "bytes",
    "FIXED_LEN_BYTE_ARRAY": "fixed",
}

# Types that libraries do not support.
UNREAD = {"pyarrow": [], "duckdb": ["decimal76"], "polars": ["decimal76"]}
UNWRITTEN = {
    # Neither pyarrow nor bytelane reads DuckDB's differences of 33 bits between values of 32 bits, and pyarrow reads
    # neither its intervals nor its nulls of lists of a fixed length.
    "duckdb": ["f2", "decimal76", "i4", "u4", "duration", "fixed list"],
    "polars": ["decimal76"],
}

# Bytes of a page, and rows of a row group.
SIZES = [(100, 990), (300, 400), (1 << 20, 999)]
BATCH_SIZES = [7, 130, 65_536]


def in_turn(compressions, *options):
    """Returns each compression with one combination of the other options: all combinations would take minutes."""
    return zip(compressions, itertools.cycle(itertools.product(*options)))


def leaves(path):
    schema = pyarrow.parquet.read_metadata(path).schema
    return [schema.column(index) for index in range(len(schema))]


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = exchange_tables.table()
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.path = Path(directory.name) / "a.parquet"
        cls.written = Path(directory.name) / "b.parquet"
        cls.sizes = itertools.cycle(SIZES)
        cls.batch_sizes = itertools.cycle(BATCH_SIZES)

    def check_reading(self):
        """Checks that bytelane reads the same values as pyarrow, as a whole and in batches."""
        expected = pyarrow.parquet.read_table(self.path)
        assert_same(parquet.read_table(self.path).to_pyarrow(), expected)
        batches = parquet.ParquetFile(self.path).iter_batches(next(self.batch_sizes))
        assert_same(pyarrow.concat_tables(batch.to_pyarrow() for batch in batches), expected)

    def columns(self, encoding, **options):
        """Returns the encoding of each leaf, by its path."""
        pyarrow.parquet.write_table(self.table, self.path, **options)
        # pyarrow reads its dictionaries only from PLAIN and dictionary pages.
        given = [leaf for leaf in leaves(self.path) if not leaf.path.startswith("category")]
        return {leaf.path: encoding.get(leaf.physical_type, "PLAIN") for leaf in given}

    def write(self, compression, **options):
        page_size, row_group_size = next(self.sizes)
        pyarrow.parquet.write_table(
            self.table, self.path, compression=compression, data_page_size=page_size, write_batch_size=64,
            row_group_size=row_group_size, **options,
        )

    def without(self, library):
        """Returns the columns that the library can write."""
        names = self.table.column_names
        return self.table.select([name for name in names if name.rsplit(", ", 1)[0] not in UNWRITTEN[library]])

    def test_what_pyarrow_writes(self):
        for name, encoding in ENCODINGS.items():
            for compression, (version, integers) in in_turn(PYARROW, ["1.0", "2.0"], [False, True]):
                with self.subTest(encoding=name, version=version, compression=compression, integers=integers):
                    self.write(
                        compression, data_page_version=version, use_dictionary=False,
                        column_encoding=self.columns(encoding, store_decimal_as_integer=integers),
                        store_decimal_as_integer=integers,
                    )
                    self.check_reading()

    def test_dictionaries_that_pyarrow_writes(self):
        for compression, (version, kind) in in_turn(PYARROW, ["1.0", "2.0"], DICTIONARIES):
            with self.subTest(dictionary=kind, version=version, compression=compression):
                self.write(compression, data_page_version=version, **DICTIONARIES[kind])
                self.check_reading()

    def test_timestamps_of_12_bytes(self):
        names = [name for name in self.table.column_names if name.startswith("timestamp")]
        for version in ["1.0", "2.0"]:
            pyarrow.parquet.write_table(
                self.table.select(names), self.path, use_deprecated_int96_timestamps=True, data_page_version=version,
            )
            # pyarrow reads nanoseconds, regardless of the stored unit.
            expected = pyarrow.parquet.read_table(self.path).cast(self.table.select(names).schema)
            assert_same(parquet.read_table(self.path).to_pyarrow(), expected)

    def test_what_duckdb_writes(self):
        given, starts = self.without("duckdb"), itertools.cycle(range(3))
        for compression, (version, dictionary) in in_turn(DUCKDB, ["V1", "V2"], [1, 1 << 20]):
            # DuckDB takes long for each column, with the window that it chooses for Brotli a tenth of a second.
            names = given.column_names[next(starts) :: 7 if compression == "brotli" else 3]
            with self.subTest(version=version, compression=compression, dictionary=dictionary):
                duckdb.from_arrow(given.select(names)).query(
                    "rows", f"copy rows to '{self.path}' (format parquet, parquet_version {version}, "
                    f"compression {compression}, dictionary_size_limit {dictionary})",
                )
                self.check_reading()

    def test_what_polars_writes(self):
        frame = polars.from_arrow(self.without("polars"))
        for compression in POLARS:
            page_size, row_group_size = next(self.sizes)
            with self.subTest(compression=compression, page_size=page_size):
                frame.write_parquet(
                    self.path, compression=compression, row_group_size=row_group_size, data_page_size=page_size,
                )
                self.check_reading()

    def test_what_bytelane_writes(self):
        pyarrow.parquet.write_table(self.table, self.path, use_dictionary=False, compression="none")
        readers = [Reader(name, read, self.path) for name, read in READERS.items()]
        compressions = itertools.cycle(OURS)
        for encoding, version in itertools.product(OUR_ENCODINGS, [[], ["--v2"]]):
            compression = next(compressions)
            with self.subTest(encoding=encoding, version=version, compression=compression):
                options = ["--encoding", encoding, "--compression", compression, *version, *OUR_SIZES]
                subprocess.run([PROGRAM, "copy", self.path, self.written, *options], check=True)
                for reader in readers:
                    reader.check(self.written, encoding)


def read_with_duckdb(path, names):
    quoted = ", ".join(f'"{name}"' for name in names)
    return duckdb.sql(f"select {quoted} from '{path}'").to_arrow_table()


def read_with_polars(path, names):
    return polars.read_parquet(path, columns=names).to_arrow()


def read_with_pyarrow(path, names):
    return pyarrow.parquet.read_table(path, columns=names)


READERS = {"pyarrow": read_with_pyarrow, "duckdb": read_with_duckdb, "polars": read_with_polars}


class Reader:
    """Another library, which must read the same values from PLAIN columns and others."""

    def __init__(self, name, read, plain):
        (program,) = [program for program in reader_files.table() if program["name"] == name]
        self.name = name
        self.read = read
        self.columns = program["columns"]
        self.leaves = leaves(plain)
        names = pyarrow.parquet.read_schema(plain).names
        self.names = [it for it in names if it.rsplit(", ", 1)[0] not in UNREAD[name]]
        self.expected = read(plain, self.names)

    def check(self, path, encoding):
        lacking = {it["values"] for it in self.columns if it["encoding"] == encoding and it["since"] is None}
        unread = {leaf.path.split(".")[0] for leaf in self.leaves if VALUES.get(leaf.physical_type) in lacking}
        names = [name for name in self.names if name not in unread]
        if self.name == "pyarrow" and encoding in ("delta_length_byte_array", "delta_byte_array"):
            names = [name for name in names if not name.startswith("category")]
        assert_same(self.read(path, names), self.expected.select(names))


if __name__ == "__main__":
    unittest.main()
