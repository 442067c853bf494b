"""Creates the files that `compare.py` reads: one column of 4 million values each, and TPC-H's table lineitem."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

VALUES = 4_000_000
LIST_LENGTH = 16
STRING_LENGTH = 12
COMPRESSIONS = ["none", "snappy", "zstd:1"]

LINEITEM_ROWS = {1.0: 6_001_215, 0.01: 60_175}
TABLES = ["lineitem", "orders"]


class Column(NamedTuple):
    """Column with pyarrow's options for it."""

    name: str
    encoding: str
    values: Callable[[np.random.Generator, int], Any]


def walk(random: np.random.Generator, count: int) -> Any:
    """Returns a random walk with two decimal digits, like measurements."""
    return random.normal(size=count).cumsum().round(2)


def with_nulls(random: np.random.Generator, count: int) -> Any:
    return pa.array(walk(random, count), mask=random.random(count) < 0.1)


def entries(random: np.random.Generator, count: int, entries: Any) -> Any:
    return entries[random.integers(0, len(entries), count)]


def timestamps(random: np.random.Generator, count: int) -> Any:
    """Returns timestamps that are a millisecond apart on average."""
    return pa.array(random.integers(0, 2000, count).cumsum() + 1_700_000_000_000_000, pa.timestamp("us"))


def lists(random: np.random.Generator, count: int) -> Any:
    values = random.normal(size=count).astype("f4")
    offsets = np.arange(0, count + 1, LIST_LENGTH, dtype="i4")
    return pa.ListArray.from_arrays(offsets, values)


def strings(letters: Any) -> Any:
    """Returns the rows of an array of bytes as strings."""
    count, length = letters.shape
    offsets = np.arange(0, (count + 1) * length, length, dtype="i4")
    return pa.StringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(letters.tobytes()))


def random_letters(random: np.random.Generator, count: int) -> Any:
    return random.integers(ord("a"), ord("z"), (count, STRING_LENGTH), "u1", endpoint=True)


def sorted_strings(random: np.random.Generator, count: int) -> Any:
    unsorted = random_letters(random, count).view(f"S{STRING_LENGTH}")
    return strings(np.sort(unsorted, axis=0).view("u1").reshape(count, STRING_LENGTH))


COLUMNS = [
    Column("f64", "PLAIN", walk),
    Column("f64", "BYTE_STREAM_SPLIT", walk),
    Column("f64, 10% nulls", "PLAIN", with_nulls),
    Column("f64, 1000 distinct", "dictionary", lambda random, count: entries(random, count, random.normal(size=1000))),
    Column("i32, 100 distinct", "dictionary", lambda random, count: random.integers(0, 100, count, "i4")),
    Column("i64, sorted, 1000 distinct", "dictionary", lambda random, count: np.sort(random.integers(0, 1000, count))),
    Column("timestamps", "DELTA_BINARY_PACKED", timestamps),
    Column("i32, 20 random bits", "DELTA_BINARY_PACKED", lambda random, count: random.integers(0, 1 << 20, count, "i4")),
    Column("i64, constant step", "DELTA_BINARY_PACKED", lambda _, count: np.arange(count) * 10),
    Column("bool", "PLAIN", lambda random, count: random.random(count) < 0.5),
    Column(f"list<f32>[{LIST_LENGTH}]", "PLAIN", lists),
    Column("strings", "PLAIN", lambda random, count: strings(random_letters(random, count))),
    Column("strings", "DELTA_LENGTH_BYTE_ARRAY", lambda random, count: strings(random_letters(random, count))),
    Column("strings, sorted", "DELTA_BYTE_ARRAY", sorted_strings),
    Column(
        "strings, 1000 distinct",
        "dictionary",
        lambda random, count: strings(entries(random, count, random_letters(random, 1000))),
    ),
]


def write_column(column: Column, values: Any, compression: str, path: Path) -> None:
    codec, _, level = compression.partition(":")
    dictionary = column.encoding == "dictionary"
    leaf = "x.list.element" if pa.types.is_list(values.type) else "x"
    pq.write_table(
        pa.table({"x": values}),
        path,
        compression=codec,
        compression_level=int(level) if level else None,
        use_dictionary=dictionary,
        column_encoding=None if dictionary else {leaf: column.encoding},
    )
    check_encoding(column, path)


def check_encoding(column: Column, path: Path) -> None:
    """Checks the encoding: pyarrow falls back to PLAIN if a dictionary becomes too large."""
    wanted = {"dictionary": "RLE_DICTIONARY"}.get(column.encoding, column.encoding)
    chunk = pq.read_metadata(path).row_group(0).column(0)
    found = set(chunk.encodings) - {"RLE"}
    assert wanted in found and found <= {wanted, "PLAIN"}, f"{path}: {column.encoding} became {chunk.encodings}"


def generate(table: str, scale: float, directory: Path, *options: str) -> Path:
    """Generates a table of TPC-H with the program tpchgen-cli."""
    path = directory / f"{table}.parquet"
    # The program leaves existing files unchanged.
    path.unlink(missing_ok=True)
    generator = Path(sys.executable).with_name("tpchgen-cli")
    options = (f"--tables={table}", f"--scale-factor={scale}", f"--output-dir={directory}", "--quiet", *options)
    subprocess.run([generator, "parquet", *options], check=True)
    return path


def write_tables(scale: float, directory: Path) -> Iterator[tuple[str, str, Path]]:
    """Writes tables of TPC-H with the defaults of several programs. Yields the name, the writer and the file of
    each."""
    import duckdb
    import polars

    for name in TABLES:
        generated = generate(name, scale, directory)
        written = directory / "written.parquet"
        yield name, "tpchgen", generated
        pq.write_table(without_views(pq.read_table(generated)), written)
        yield name, "pyarrow", written
        polars.read_parquet(generated).write_parquet(written)
        yield name, "Polars", written
        duckdb.sql(f"copy (from '{generated}') to '{written}' (format parquet)")
        yield name, "DuckDB", written
        yield name, "tpchgen", generate(name, scale, directory, "--compression=UNCOMPRESSED")


def write_lineitem(scale: float, directory: Path) -> Path:
    """Writes TPC-H's lineitem with pyarrow's defaults. The program tpchgen-cli generates the rows."""
    generated, written = generate("lineitem", scale, directory), directory / "lineitem-pyarrow.parquet"
    table = pq.read_table(generated)
    generated.unlink()
    assert table.num_rows == LINEITEM_ROWS[scale], table.num_rows
    pq.write_table(without_views(table), written)
    return written


def without_views(table: Any) -> Any:
    """Converts views to the string type that pyarrow and most programs use."""
    fields = [
        field.with_type(pa.string()) if pa.types.is_string_view(field.type) else field for field in table.schema
    ]
    return table.cast(pa.schema(fields))
