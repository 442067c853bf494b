"""Tables for the tests of `bytelane.parquet`."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS = 3000


def numbers(rows: int = ROWS) -> Any:
    """Returns a table without nested columns."""
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "price": pa.array([100 + 0.25 * (i * i % 977) for i in range(rows)], pa.float64()),
            "ratio": pa.array([None if i % 7 == 0 else i / 3 for i in range(rows)], pa.float32()),
            "name": pa.array([None if i % 5 == 0 else f"name {i % 50}" for i in range(rows)]),
            "flag": pa.array([i % 3 == 0 for i in range(rows)]),
        }
    )


def nested(rows: int = ROWS) -> Any:
    return pa.table(
        {
            "list": pa.array([None if i % 9 == 0 else [i, None] for i in range(rows)]),
            "struct": pa.array([{"a": i, "b": [str(i)]} for i in range(rows)]),
            "map": pa.array([[("k", i)] for i in range(rows)], pa.map_(pa.string(), pa.int32())),
            "kind": pa.array([f"k{i % 3}" for i in range(rows)]).dictionary_encode(),
            "time": pa.array(range(rows), pa.timestamp("us", "UTC")),
            "view": pa.array([f"a text of many letters {i}" for i in range(rows)], pa.string_view()),
            "half": pa.array([float(i % 100) for i in range(rows)], pa.float16()),
        }
    )


def same(one: Any, other: Any) -> bool:
    """Returns whether two tables have the same types and values. Dictionaries may have another
    order."""
    return bool(one.schema == other.schema and one.to_pylist() == other.to_pylist())


def encodings(path: str) -> dict[str, set[str]]:
    """Returns the encodings of values in the first row group."""
    group = pq.read_metadata(path).row_group(0)
    columns = [group.column(index) for index in range(group.num_columns)]
    return {it.path_in_schema: set(it.encodings) - {"RLE", "BIT_PACKED"} for it in columns}


def kinds_of_pages(path: str) -> list[str]:
    """Returns the kind of each page of the first column, as the command shows it."""
    line = [sys.executable, "-m", "bytelane", "inspect", path, "--format", "json"]
    shown = json.loads(subprocess.run(line, capture_output=True, check=True, text=True).stdout)
    return [page["kind"] for page in shown["row_groups"][0]["columns"][0]["pages"]]
