"""Tests of `Table`, `Column` and `Schema`: values, parts, and how they are shown."""

from __future__ import annotations

import datetime
import decimal
import subprocess
import sys
import uuid
from typing import Any

import numpy as np
import pytest
from tables import numbers, pa, same

from bytelane import parquet

pytestmark = pytest.mark.usefixtures("in_new_directory")

DECIMALS = [decimal.Decimal("1.50"), None, decimal.Decimal("-99.99")]
TIMES = [datetime.datetime(2024, 2, 29, 12, 30, 15), None, datetime.datetime(1905, 1, 1)]
DAYS = [datetime.date(2024, 2, 29), None, datetime.date(1905, 1, 1)]
CLOCKS = [datetime.time(12, 30, 15), None, datetime.time(0)]
SPANS = [datetime.timedelta(days=2, seconds=3), None, datetime.timedelta(seconds=-1)]
POINT = pa.struct([("x", pa.int64()), pa.field("y", pa.string(), nullable=False)])

# Values by the types that they have in Arrow.
CASES: list[tuple[Any, list[Any]]] = [
    (pa.null(), [None, None]),
    (pa.bool_(), [True, None, False]),
    *((getattr(pa, f"{sign}int{bits}")(), [0, None, 2 ** (bits - 1) - 1]) for sign in ("", "u") for bits in (8, 16, 32, 64)),
    (pa.uint64(), [2**64 - 1]),
    (pa.float16(), [0.5, None, -2.0]),
    (pa.float32(), [0.5, None, float("inf")]),
    (pa.float64(), [0.1, None, -0.0]),
    *((kind, ["text", None, "", "Zürich"]) for kind in (pa.string(), pa.large_string(), pa.string_view())),
    *((kind, [b"bytes", None, b""]) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())),
    (pa.binary(3), [b"abc", None]),
    *((getattr(pa, f"decimal{bits}")(4, 2), DECIMALS) for bits in (32, 64, 128, 256)),
    (pa.decimal256(70, 3), [decimal.Decimal("1" * 60 + ".125"), None]),
    (pa.decimal128(5, -2), [decimal.Decimal("12300"), None]),
    (pa.date32(), DAYS),
    (pa.date64(), DAYS),
    *((pa.time32(unit), CLOCKS) for unit in ("s", "ms")),
    *((pa.time64(unit), CLOCKS) for unit in ("us", "ns")),
    *((pa.timestamp(unit, zone), TIMES) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC", "Europe/Berlin", "-03:30")),
    (pa.timestamp("ns"), [1, None, -1]),
    *((pa.duration(unit), SPANS) for unit in ("s", "ms", "us", "ns")),
    (pa.duration("ns"), [1, None]),
    (pa.month_day_nano_interval(), [(1, -2, 3), None]),
    *((kind, [[1, None], None, []]) for kind in (pa.list_(pa.int64()), pa.large_list(pa.int8()), pa.list_view(pa.int32()))),
    (pa.large_list_view(pa.int64()), [[1], None]),
    (pa.list_(pa.float64(), 2), [[0.5, None], None]),
    (pa.list_(pa.list_(pa.string())), [[["a"], None], None]),
    (POINT, [{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}]),
    (pa.list_(POINT), [[{"x": 1, "y": "a"}], None]),
    (pa.map_(pa.string(), pa.int64()), [[("a", 1), ("b", None)], None, []]),
    (pa.dictionary(pa.int8(), pa.string()), ["a", None, "b", "a"]),
    (pa.dictionary(pa.uint32(), pa.int64()), [1, None, 1]),
    (pa.run_end_encoded(pa.int32(), pa.string()), ["a", "a", None]),
    (pa.uuid(), [uuid.UUID(int=7).bytes, None]),
    (pa.json_(), ['{"a": 1}', None]),
]


def array(kind: Any, values: list[Any]) -> Any:
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))
    return pa.array(values, kind)


@pytest.mark.parametrize(("kind", "values"), CASES, ids=lambda it: str(it) if isinstance(it, pa.DataType) else "")
def test_values_are_those_of_pyarrow(kind: Any, values: list[Any]) -> None:
    one = array(kind, values)
    expected = pa.table({"x": pa.chunked_array([one, one.slice(0, 1), one.slice(1)])})
    table = parquet.Table(expected)
    assert table.schema.types == [str(kind)]
    assert table.schema.field("x").type == table["x"].type == str(kind)
    rows = expected.to_pylist()
    assert table.to_pylist() == rows
    assert table.to_pydict() == expected.to_pydict()
    for row, value in enumerate(expected["x"].to_pylist()):
        assert table["x"][row] == table["x"][row - len(rows)] == value
        assert type(table["x"][row]) is type(value) or isinstance(value, tuple | list | dict)
    assert table["x"].null_count == expected["x"].combine_chunks().to_pylist().count(None)
    assert len(repr(table).splitlines()) == 4 + min(len(rows), 11)
    assert pa.array(table["x"]).to_pylist() == expected["x"].to_pylist()


def test_values_have_a_type() -> None:
    table = parquet.Table(pa.table({"x": [1, None, 3], "y": [["a"], [], None]}))
    values: list[parquet.Value] = table["x"].to_pylist()
    assert sum(value for value in values if isinstance(value, int)) == 4
    columns: dict[str, list[parquet.Value]] = table.to_pydict()
    rows: list[dict[str, parquet.Value]] = table.to_pylist()
    first = rows[0]["y"]
    assert isinstance(first, list) and first == columns["y"][0] == table["y"][0] == ["a"]


def test_parts_of_a_table() -> None:
    whole = numbers()
    parquet.write_table(whole, "a.parquet", row_group_size=1000)
    table = parquet.read_table("a.parquet")
    rows, columns = table.shape
    assert (rows, columns) == whole.shape
    assert same(table[990:1010].to_pyarrow(), whole.slice(990, 20))
    assert table[-3:].num_rows == 3
    assert table[5:2].num_rows == table[rows:].num_rows == 0
    assert table.slice(10).num_rows == rows - 10
    assert table.select(["price", 0]).column_names == ["price", "id"]
    assert [column.name for column in table] == table.column_names == [field.name for field in table.schema]
    assert (table[0].name, table[-1].name) == (whole.column_names[0], whole.column_names[-1])
    mask = [row % 3 == 0 for row in range(rows)]
    for wanted in (mask, np.array(mask), pa.array(mask), parquet.Table(pa.table({"m": mask}))["m"]):
        assert same(table.filter(wanted).to_pyarrow(), whole.filter(pa.array(mask)))
    assert table.filter([None] * rows).num_rows == 0
    assert table.rename_columns([name.upper() for name in table.column_names])["ID"][3] == whole["id"][3].as_py()
    assert table == parquet.Table(whole) != table[1:]
    assert table.schema == parquet.Table(whole).schema
    wanted = pa.schema([("price", pa.float64()), ("new", pa.string()), ("id", pa.int64())])
    assert table.cast(wanted)["new"].null_count == rows
    stream, single = pa.table(table), pa.record_batch(table)
    assert stream.num_rows == single.num_rows == rows


def test_columns_as_numpy_arrays() -> None:
    table = parquet.Table(
        pa.table(
            {
                "id": pa.array([1, 2], "int32"),
                "gap": pa.array([1, None], "int64"),
                "ratio": pa.array([0.5, None], "float32"),
                "flag": [True, False],
                "maybe": [True, None],
                "day": pa.array([0, None], "date32"),
                "time": pa.array([0, 1], pa.timestamp("ns")),
                "name": ["a", None],
                "list": [[1], [2, 3]],
            }
        )
    )
    arrays = table.to_numpy()
    types = ["int32", "float64", "float32", "bool", "object", "datetime64[D]", "datetime64[ns]", "object", "object"]
    assert [str(array.dtype) for array in arrays.values()] == types
    assert np.isnan(arrays["gap"][1])
    assert np.isnan(arrays["ratio"][1])
    assert np.isnat(arrays["day"][1])
    assert arrays["time"][1] == np.datetime64(1, "ns")
    assert arrays["list"].tolist() == [[1], [2, 3]]


def test_wrong_parts_are_named() -> None:
    table = parquet.Table(pa.table([[1, 2], [3, 4]], names=["a", "a"]))
    for kind, part, work in [
        (KeyError, "several columns have the name", lambda: table["a"]),
        (KeyError, "no column 'b'|no column \\\"b\\\"|no column", lambda: table["b"]),
        (IndexError, "column 2 is out of range; number of columns: 2", lambda: table[2]),
        (IndexError, "row -3 is out of range; number of rows: 2", lambda: table[0][-3]),
        (ValueError, "without a step", lambda: table[::2]),
        (TypeError, "neither the name nor the index", lambda: table[1.5]),  # type: ignore[call-overload]
        (ValueError, "the mask has 1 values for 2 rows", lambda: table.filter([True])),
        (TypeError, "True or False for each row, but this is 1", lambda: table.filter([1, 0])),  # type: ignore[list-item]
        (TypeError, "`filters`", lambda: table.filter("a > 1")),  # type: ignore[arg-type]
        (TypeError, "of the type bool, not int64", lambda: table.filter(table[0])),
        (ValueError, "1 names for 2 columns", lambda: table.rename_columns(["x"])),
    ]:
        with pytest.raises(kind, match=part):
            work()  # type: ignore[no-untyped-call]


def test_tables_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    data = {"id": range(1000), "name": [f"name {row}" for row in range(1000)], "a<b": ["\x1b[31m"] * 1000}
    table = parquet.Table(pa.table({**data, "long": ["x" * 100] * 1000}))
    lines = repr(table).splitlines()
    assert lines[0] == "bytelane.parquet.Table: 1,000 rows, 4 columns"
    assert lines[1:4] == ["   id  name      a<b", "int64  string    string", "-----  --------  --------"]
    assert lines[4] == "    0  name 0    \\x1b[31m"
    assert lines[9] == "    …  …         …"
    assert lines[-2] == "  999  name 999  \\x1b[31m"
    assert lines[-1] == "and 1 more column: long"
    assert all(len(line) <= 40 for line in lines[1:])
    html = table._repr_html_()
    assert ">a&lt;b<br>" in html
    assert html.count("<tr>") == 12
    assert "\x1b" not in html
    assert repr(table["id"]).splitlines()[:2] == ["bytelane.parquet.Column 'id': 1,000 values of the type int64", "0"]
    assert repr(parquet.Table(pa.table({}))) == "bytelane.parquet.Table: 0 rows, 0 columns"
    wide = parquet.Table(pa.table({f"column {index}": [index] for index in range(100)}))
    assert "the first 20 are shown" in wide._repr_html_()
    assert "more columns: column" in repr(wide)


def test_tables_need_no_library() -> None:
    parquet.write_table(numbers().slice(0, 3), "a.parquet")
    program = (
        "import sys\n"
        "for name in ('pyarrow', 'polars', 'pandas', 'numpy'): sys.modules[name] = None\n"
        "from bytelane import parquet\n"
        "table = parquet.read_table('a.parquet')\n"
        "print(table['id'].to_pylist(), len(table.to_pylist()), len(repr(table).splitlines()))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.stdout == f"{numbers()['id'].slice(0, 3).to_pylist()} 3 7\n", result.stderr
