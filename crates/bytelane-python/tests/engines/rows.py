"""Rows with every type and special values, and files of them with many row groups and pages."""

from __future__ import annotations

import datetime
import decimal
import math
import pathlib
import random
from typing import Any

from bytelane import parquet

pa: Any = __import__("pyarrow")

ROWS = 1200
DAY = datetime.date(2024, 2, 28)
MOMENT = datetime.datetime(2024, 2, 28, 23, 59, 59, 999_999)

# Values by column: conditions compare with these, and with values beside them.
VALUES: dict[str, list[Any]] = {
    "small": [-128, -5, 0, 1, 5, 127],
    "unsigned": [0, 1, 255, 65_535],
    "long": [-(1 << 63), -(1 << 53) - 1, -1, 0, 7, 1 << 53, (1 << 53) + 1, (1 << 63) - 1],
    "single": [-math.inf, -0.1, -0.0, 0.0, 0.1, 16_777_216.0, math.inf, math.nan],
    "double": [-math.inf, -1e300, -0.1, -0.0, 0.0, 0.1, 0.30000000000000004, 1e300, math.inf, math.nan],
    "cents": [decimal.Decimal(it) for it in ("-99999.99", "-0.01", "0.00", "0.05", "0.07", "12.50", "99999.99")],
    "digits": [decimal.Decimal(it) for it in ("-12345678901234567890.1234", "0.0000", "0.1000", "98765432109876543210.9999")],
    "text": ["", "a", "a%", "a_b", "ab", "b'c", "B", "é", "\U0001f600", "z" * 70, "z" * 71],
    "bytes": [b"", b"\0", b"a", b"ab", b"\xff\xfe"],
    "flag": [False, True],
    "date": [DAY + datetime.timedelta(days=it) for it in (-20_000, -1, 0, 1, 2, 400)],
    "time": [datetime.time(0), datetime.time(11, 59, 59, 999_999), datetime.time(12), datetime.time(23, 59, 59, 999_999)],
    "local": [MOMENT + datetime.timedelta(microseconds=it) for it in (-(10**15), -1, 0, 1, 2, 10**9)],
    "moment": [(MOMENT + datetime.timedelta(microseconds=it)).replace(tzinfo=datetime.timezone.utc) for it in (-(10**15), -1, 0, 1, 2)],
    "duration": [datetime.timedelta(microseconds=it) for it in (-(10**12), -1, 0, 1, 86_400_000_000, 10**15)],
    "category": ["a", "b", "c", "é"],
}

TYPES = {
    "small": pa.int8(),
    "unsigned": pa.uint16(),
    "long": pa.int64(),
    "single": pa.float32(),
    "double": pa.float64(),
    "cents": pa.decimal128(7, 2),
    "digits": pa.decimal128(38, 4),
    "text": pa.string(),
    "bytes": pa.binary(),
    "flag": pa.bool_(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "local": pa.timestamp("us"),
    "moment": pa.timestamp("us", "Europe/Berlin"),
    "duration": pa.duration("us"),
    "category": pa.dictionary(pa.int32(), pa.string()),
}


# Columns with NaN, which equals nothing in Python.
WITH_NAN = ["single", "double", "other_single", "other_double"]


def table(rows: int = ROWS, seed: int = 1) -> Any:
    """Returns rows in runs of equal values, so that many pages have few of them, and some nulls. Beside each column is another one of its
    type, with the prefix `other_`."""
    chance = random.Random(seed)
    columns: dict[str, Any] = {"id": pa.array(range(rows), pa.int32())}
    for name in [*VALUES, *(f"other_{name}" for name in VALUES)]:
        of = name.removeprefix("other_")
        column: list[Any] = []
        while len(column) < rows:
            run = chance.choice([1, 2, 30, 150])
            value = None if chance.random() < 0.15 else chance.choice(VALUES[of])
            column += [value] * run
        columns[name] = pa.array(column[:rows], TYPES[of])
    columns["inner"] = pa.array(
        [None if it % 11 == 0 else {"x": None if it % 7 == 0 else it % 50, "y": f"t{it % 5}"} for it in range(rows)],
        pa.struct([("x", pa.int64()), ("y", pa.string())]),
    )
    columns["list"] = pa.array([None if it % 13 == 0 else [it, None] for it in range(rows)], pa.list_(pa.int64()))
    return pa.table(columns)


def write(path: str, rows: Any) -> None:
    """Writes a file with row groups of 300 rows and pages of 50."""
    parquet.write_table(rows, path, row_group_size=300, max_rows_per_page=50)


COUNT = 1200


def plain() -> Any:
    """Returns rows with types that all engines have."""
    return pa.table(
        {
            "id": pa.array(range(COUNT), pa.int64()),
            "price": pa.array([None if it % 7 == 0 else it / 4 for it in range(COUNT)], pa.float64()),
            "name": pa.array([None if it % 5 == 0 else f"n{it % 11}" for it in range(COUNT)]),
            "flag": pa.array([it % 3 == 0 for it in range(COUNT)]),
            "day": pa.array(range(COUNT), pa.int32()).cast(pa.date32()),
            "cents": pa.array(range(COUNT), pa.int32()).cast(pa.decimal128(12, 2)),
            "list": pa.array([[it, None] for it in range(COUNT)], pa.list_(pa.int64())),
        }
    )


def write_plain(directory: pathlib.Path) -> str:
    """Writes a file with four row groups, and returns its path."""
    path = str(directory / "rows.parquet")
    write(path, plain())
    return path


def write_lake(directory: pathlib.Path) -> str:
    """Writes a directory with a file for each of two years, and returns its path."""
    years = pa.array([2023 + it % 2 for it in range(COUNT)], pa.int32())
    parquet.write_to_dataset(plain().select(["id", "name"]).append_column("year", years), directory, partition_cols=["year"])
    return str(directory)
