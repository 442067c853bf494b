"""Rows, and expectations, of the tests of `bytelane.deltalake` and `bytelane.iceberg`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from glob import glob
from pathlib import Path

import pyarrow as pa
from bytelane import dataset

FILES = 6
ROWS = 100


def rows_of(number: int) -> pa.Table:
    """Returns rows of three partitions, two of which have names that are encoded in paths."""
    ids = range(number * ROWS, (number + 1) * ROWS)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    times = [start + timedelta(hours=i, microseconds=i) for i in ids]
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "place": [("a b/%c", None, "plain")[i % 3] for i in ids],
            "day": [date(2026, 1, 1 + number % 2)] * ROWS,
            "name": [None if i % 7 == 0 else f"name {i}" for i in ids],
            "value": [float("nan") if i % 11 == 0 else i / 8 for i in ids],
            "price": pa.array([Decimal(i).scaleb(-2) for i in ids], pa.decimal128(9, 2)),
            "time": pa.array(times, pa.timestamp("us", "UTC")),
            "local": pa.array([time.replace(tzinfo=None) for time in times], pa.timestamp("us")),
            "data": [str(i).encode() for i in ids],
            "parts": [list(range(i % 4)) for i in ids],
            "point": [{"x": i, "y": -i} for i in ids],
        }
    )


def sorted_rows(table: pa.Table) -> list[str]:
    """Returns the rows as texts, in which NaN is equal to itself."""
    return sorted(str(sorted(row.items())) for row in table.to_pylist())


def refused(call: Callable[[], object], error: type[Exception], text: str) -> None:
    """Fails if the call does not raise an error with that text."""
    try:
        call()
    except error as found:
        assert text in str(found), found
    else:
        raise AssertionError(f"not refused: {text}")


def outcomes(calls: list[Callable[[], object]]) -> list[BaseException | None]:
    """Makes the calls at the same time, and returns their exceptions."""
    with ThreadPoolExecutor(len(calls)) as threads:
        return [future.exception() for future in [threads.submit(call) for call in calls]]


def refuses_in_place(table: Path, format_name: str, directory: Path) -> None:
    """Fails if `bytelane dataset` plans for a table, or exchanges or deletes its files."""
    other = directory / "other"
    other.mkdir(exist_ok=True)
    files = sorted(glob(f"{table}/**", recursive=True))
    module = {"Delta Lake": "bytelane.deltalake", "Apache Iceberg": "bytelane.iceberg"}[format_name]
    refused(lambda: dataset.plan(table), ValueError, f"the Python module {module} compacts")
    refused(lambda: dataset.plan(table), ValueError, format_name)
    refused(lambda: dataset.swap(table, other), ValueError, format_name)
    refused(lambda: dataset.delete(table, verified_by=other), ValueError, format_name)
    assert sorted(glob(f"{table}/**", recursive=True)) == files
