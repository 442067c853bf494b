"""Tests of the page on who reads Parquet, with the programs that are installed."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bytelane import parquet

PAGE = Path(__file__).parents[3] / "docs" / "who-reads-parquet.md"


def by_pyarrow(file: str) -> pa.Table:
    return pq.read_table(file)


def by_duckdb(file: str) -> pa.Table:
    duckdb = pytest.importorskip("duckdb")
    return duckdb.sql(f"from '{file}'").to_arrow_table()


def by_polars(file: str) -> pa.Table:
    polars = pytest.importorskip("polars")
    return polars.read_parquet(file).to_arrow()


READERS: dict[str, Callable[[str], pa.Table]] = {"pyarrow": by_pyarrow, "duckdb": by_duckdb, "polars": by_polars}


def version(program: str) -> tuple[int, ...]:
    module = pytest.importorskip(program)
    return tuple(int(number) for number in module.__version__.split(".")[:3])


def rows(first: str) -> Iterator[list[str]]:
    """Returns the rows of the table whose first column has this title, with its title."""
    lines = iter(PAGE.read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line.startswith(f"| {first} |"):
            yield [cell.strip() for cell in line.strip("|").split("|")]
            next(lines)
            break
    for line in lines:
        if not line.startswith("|"):
            break
        yield [cell.strip() for cell in line.strip("|").split("|")]


def reads(program: str, file: str, expected: pa.Table) -> bool:
    """Returns whether a program reads the values of a file."""
    try:
        found = READERS[program](file)
    # Polars panics with an exception that is no `Exception`.
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | pytest.skip.Exception):
            raise
        return False
    return bool(found["x"].to_pylist() == expected["x"].to_pylist())


IDS = [uuid.UUID(int=7), None, uuid.UUID(int=2**100)]
TYPES: dict[str, pa.Array] = {
    "BOOLEAN": pa.array([True, None, False]),
    "INT of 8, 16, 32 and 64 bits": pa.array(
        [{"a": -128, "b": -(2**15), "c": -(2**31), "d": -(2**63)}],
        pa.struct({"a": pa.int8(), "b": pa.int16(), "c": pa.int32(), "d": pa.int64()}),
    ),
    "INT without a sign": pa.array(
        [{"a": 2**8 - 1, "b": 2**16 - 1, "c": 2**32 - 1, "d": 2**64 - 1}],
        pa.struct({"a": pa.uint8(), "b": pa.uint16(), "c": pa.uint32(), "d": pa.uint64()}),
    ),
    "FLOAT16": pa.array([0.25, None, -7.5], pa.float16()),
    "FLOAT, DOUBLE": pa.array([{"a": 0.5, "b": 0.1}, None], pa.struct({"a": pa.float32(), "b": pa.float64()})),
    "DECIMAL of up to 38 digits": pa.array(
        [{"a": Decimal("-9999999.99"), "b": Decimal("9" * 16 + ".99"), "c": Decimal("-" + "9" * 36 + ".99")}],
        pa.struct({"a": pa.decimal128(9, 2), "b": pa.decimal128(18, 2), "c": pa.decimal128(38, 2)}),
    ),
    "DECIMAL of up to 76 digits": pa.array([Decimal("1.23"), None, Decimal("-" + "9" * 74 + ".99")], pa.decimal256(76, 2)),
    "DATE": pa.array([datetime.date(1970, 1, 2), None, datetime.date(9999, 12, 31)]),
    "TIME in ms and us": pa.array(
        [{"a": datetime.time(1, 2, 3, 4000), "b": datetime.time(1, 2, 3, 4)}, None],
        pa.struct({"a": pa.time32("ms"), "b": pa.time64("us")}),
    ),
    "TIME in ns": pa.array([3_723_000_000_000, None, 7000], pa.time64("ns")),
    "TIMESTAMP in ms and us": pa.array([{"a": 1, "b": 10**15}, None], pa.struct({"a": pa.timestamp("ms"), "b": pa.timestamp("us")})),
    "TIMESTAMP in ns": pa.array([1000, None, 10**18], pa.timestamp("ns")),
    "TIMESTAMP in UTC": pa.array([1, None, 10**15], pa.timestamp("us", "UTC")),
    "STRING, BYTE_ARRAY": pa.array([{"a": "ü", "b": b"\xff"}, None], pa.struct({"a": pa.string(), "b": pa.binary()})),
    "FIXED_LEN_BYTE_ARRAY": pa.array([b"abc", None, b"\xff\0\1"], pa.binary(3)),
    "UUID": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([it and it.bytes for it in IDS], pa.binary(16))),
    "JSON": pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a":1}', None, "[]"])),
    "LIST, MAP": pa.array(
        [{"a": [1, None], "b": [("k", 1)]}, None, {"a": [], "b": None}],
        pa.struct({"a": pa.list_(pa.int32()), "b": pa.map_(pa.string(), pa.int32())}),
    ),
    "lists of structs with lists": pa.array(
        [[{"a": [1, 2]}], None, [{"a": None}, None]], pa.list_(pa.struct({"a": pa.list_(pa.int64())}))
    ),
}


@pytest.mark.parametrize("program", READERS)
def test_types(program: str, tmp_path: Path) -> None:
    title, *table = rows("type")
    assert [row[0] for row in table] == list(TYPES)
    for row in table:
        expected = pa.table({"x": TYPES[row[0]]})
        file = str(tmp_path / "types.parquet")
        parquet.write_table(expected, file)
        assert parquet.read_table(file).to_pyarrow().equals(expected), row[0]
        cell = row[title.index(program)]
        assert reads(program, file, expected) == (cell == "yes"), f"{program} {version(program)}: {row[0]}, {cell}"


STORED: dict[str, dict[str, Any]] = {
    **{f"compression {it}": {"compression": it} for it in ("none", "snappy", "gzip", "zstd", "lz4_raw", "brotli")},
    "data pages of version 1": {"data_page_version": "1.0"},
    "data pages of version 2": {"data_page_version": "2.0"},
    "checksums of pages": {"write_page_checksum": True},
    "page indexes": {"write_page_index": True},
    "Bloom filters": {"bloom_filter_options": {"x": True}},
}


@pytest.mark.parametrize("program", READERS)
def test_parts_of_files(program: str, tmp_path: Path) -> None:
    title, *table = rows("part of a file")
    assert [row[0] for row in table] == list(STORED)
    expected = pa.table({"x": pa.array(["https://example.com/1", None, "https://example.com/2", ""] * 50)})
    for row in table:
        file = str(tmp_path / "parts.parquet")
        parquet.write_table(expected, file, **STORED[row[0]])
        cell = row[title.index(program)]
        assert reads(program, file, expected) == (cell == "yes"), f"{program} {version(program)}: {row[0]}, {cell}"
