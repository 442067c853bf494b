"""`bytelane.parquet`: expressions of pyarrow as filters."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from tables import pa, pq

from bytelane import parquet
from bytelane._parquet import Condition

pc = pytest.importorskip("pyarrow.compute")
pytestmark = pytest.mark.usefixtures("in_new_directory")

NAN = float("nan")
UTC = datetime.UTC
FLOATS = [0.0, -0.0, 1.5, -1.5, 0.1, NAN, float("inf"), None]
NOON = datetime.datetime(2024, 5, 17, 12, 0, 0, 250_000)
# Values of columns by their types.
COLUMNS: dict[str, tuple[Any, list[Any]]] = {
    "i8": (pa.int8(), [-128, -1, 0, 1, 127, None]),
    "i32": (pa.int32(), [-(2**31), -1, 0, 7, 2**31 - 1, None]),
    "i64": (pa.int64(), [-(2**53) - 1, -1, 0, 7, 2**53, 2**53 + 1, None]),
    "u64": (pa.uint64(), [0, 1, 7, 2**62, None]),
    "f32": (pa.float32(), FLOATS),
    "f64": (pa.float64(), FLOATS),
    "flag": (pa.bool_(), [False, True, None]),
    "text": (pa.string(), ["", "a", "b", "ab", "z", None]),
    "category": (pa.dictionary(pa.int32(), pa.string()), ["a", "b", None]),
    "bytes": (pa.binary(), [b"", b"a", b"\xff", None]),
    "fixed": (pa.binary(2), [b"ab", b"zz", None]),
    "decimal": (pa.decimal128(9, 2), [Decimal("-1.25"), Decimal("0.00"), Decimal("1.50"), Decimal("7.00"), None]),
    "day": (pa.date32(), [datetime.date(1969, 12, 31), datetime.date(2024, 5, 17), None]),
    "local": (pa.timestamp("ms"), [NOON, datetime.datetime(1969, 12, 31), datetime.datetime(2024, 5, 17), None]),
    "zoned": (pa.timestamp("us", "Europe/Berlin"), [NOON.replace(tzinfo=UTC), datetime.datetime(1970, 1, 1, tzinfo=UTC), None]),
    "time": (pa.time32("ms"), [datetime.time(0), datetime.time(12, 30), None]),
    "duration": (pa.duration("us"), [datetime.timedelta(0), datetime.timedelta(days=-1), datetime.timedelta(hours=1), None]),
}
COMPARISONS: list[Callable[[Any, Any], Any]] = [
    lambda one, other: one == other,
    lambda one, other: one != other,
    lambda one, other: one < other,
    lambda one, other: one <= other,
    lambda one, other: one > other,
    lambda one, other: one >= other,
]


def table(rows: int) -> Any:
    chosen = random.Random(7)
    columns = {name: pa.array(chosen.choices(values, k=rows), data_type) for name, (data_type, values) in COLUMNS.items()}
    nested = [None if i % 5 == 0 else {"x": i % 7 if i % 3 else None, "y": {"z": str(i % 4)}} for i in range(rows)]
    return pa.table(columns | {"nested": pa.array(nested), "a.b": pa.array(range(rows)), "row": pa.array(range(rows))})


def leaf(chosen: random.Random) -> Any:
    """Returns a condition of one column, some of which are not converted."""
    name = chosen.choice([*COLUMNS, "nested"])
    if name == "nested":
        part = chosen.choice([pc.field("nested", "x") > 2, pc.field(("nested", "y", "z")).isin(["1", None]), pc.field("nested").is_null()])
        return chosen.choice([part, ~part])
    field = pc.field(name)
    data_type, values = COLUMNS[name]
    known = [value for value in values if value is not None]
    value = chosen.choice(known)
    others: dict[str, list[Any]] = {
        "i32": [1.5, NAN, Decimal("7.0"), 2**40, 7.0],
        "i64": [0.5, 2.0**60, Decimal("6.5")],
        "f32": [0.1, 1, 2**24 + 1],
        "f64": [1, 2**53 + 1],
        "decimal": [7, Decimal("1.505"), 1.5],
        "local": [datetime.date(2024, 5, 17), NOON.replace(microsecond=250_001)],
        "day": [NOON],
        "zoned": [NOON.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=2)))],
    }
    match chosen.randrange(8):
        case 0:
            return field.is_null(nan_is_null=chosen.random() < 0.5)
        case 1:
            return field.is_valid()
        case 2:
            # pyarrow's sets of dictionaries and of zoned times differ in type from their columns.
            among = pa.array(chosen.sample(values, 2), pa.string() if name == "category" else data_type)
            is_in = field.isin(among)
            # As DuckDB writes `in`.
            return chosen.choice([is_in, pc.if_else(field.is_valid(), is_in, pa.scalar(None, pa.bool_()))])
        case 3:
            return chosen.choice(COMPARISONS)(pa.scalar(value, None if name == "category" else data_type), field)
        case 4 if name in others:
            return chosen.choice(COMPARISONS)(field, chosen.choice(others[name]))
        case 5:
            return chosen.choice([pc.field("flag"), pc.field("i32") < pc.field("i64")])
        case 6:
            return chosen.choice([pc.field("row") < chosen.randrange(2000), pc.field("a.b") >= chosen.randrange(2000)])
        case _:
            return chosen.choice(COMPARISONS)(field, pc.scalar(pa.scalar(value, None if name == "category" else data_type)))


def condition(chosen: random.Random, depth: int) -> Any:
    if depth == 0 or chosen.random() < 0.2:
        return leaf(chosen)
    match chosen.randrange(5):
        case 0:
            return ~condition(chosen, depth - 1)
        case 1 | 2:
            return condition(chosen, depth - 1) & condition(chosen, depth - 1)
        case _:
            return condition(chosen, depth - 1) | condition(chosen, depth - 1)


def test_random_expressions_select_the_rows_that_pyarrow_selects() -> None:
    rows = table(2000)
    parquet.write_table(rows, "a.parquet", row_group_size=700, max_rows_per_page=100)
    read = parquet.read_table("a.parquet").to_pyarrow()
    file = parquet.ParquetFile("a.parquet")
    chosen = random.Random(3)
    compared, exact = 0, 0
    for number in range(600):
        expression = condition(chosen, number % 4)
        try:
            expected = read.filter(expression)["row"].to_pylist()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            continue
        compared += 1
        stored = expression.__reduce__()[1][0].to_pybytes()
        exact += Condition(stored, file.schema, False).is_exact
        assert parquet.read_table("a.parquet", ["row"], filters=expression)["row"].to_pylist() == expected, str(expression)
        if number % 5 == 0:
            batches = [batch["row"].to_pylist() for batch in file.iter_batches(300, columns=["row"], filters=expression)]
            assert [row for batch in batches for row in batch] == expected, str(expression)
            assert all(batches)
    assert compared > 400 and exact > compared // 3


def test_expressions_prune() -> None:
    rows = pa.table({"id": range(100_000), "text": [str(i % 100) for i in range(100_000)]})
    parquet.write_table(rows, "a.parquet", row_group_size=50_000, max_rows_per_page=1000)
    file = parquet.ParquetFile("a.parquet")
    is_in = pc.if_else(pc.field("id").is_valid(), pc.field("id").isin([7, 60_100]), pa.scalar(None, pa.bool_()))
    assert Condition(is_in.__reduce__()[1][0].to_pybytes(), file.schema, False).is_exact
    within = (pc.field("id") >= 60_100) & (pc.field("id") < 60_200)
    for expression in [within, within & (pc.utf8_length(pc.field("text")) == 1)]:
        batches = file.iter_batches(columns=["text"], filters=expression)
        found = [value for batch in batches for value in batch["text"].to_pylist()]
        assert found == rows.filter(expression)["text"].to_pylist()
        assert batches.metrics.pages_read <= 6
        assert next(batches, None) is None
    every = file.iter_batches(columns=["text"], filters=pc.utf8_length(pc.field("text")) == 3)
    assert next(every, None) is None and every.metrics.pages_read == 100


def test_columns_and_forms() -> None:
    rows = pa.table({"id": [1, 2, 3], "text": ["a", "b", None], "group": [{"x": 1}, {"x": 2}, None]})
    parquet.write_table(rows, "a.parquet")
    length = pc.utf8_length(pc.field("text")) == 1
    for expression in [pc.field("text") == "b", (pc.field("id") > 1) & length, pc.field(0) == 2]:
        assert parquet.read_table("a.parquet", filters=expression).to_pyarrow().equals(rows.slice(1, 1))
        found = parquet.read_table("a.parquet", ["group", "id"], filters=expression)
        assert found.to_pylist() == [{"group": {"x": 2}, "id": 2}]
        assert parquet.ParquetFile("a.parquet").read(["id"], filters=expression).to_pylist() == [{"id": 2}]
    # Many conditions are one.
    many = pc.field("id") == -1
    for number in range(300):
        many = many | (pc.field("id") == number * 3)
    assert parquet.read_table("a.parquet", ["id"], filters=many)["id"].to_pylist() == [3]
    assert parquet.read_table("a.parquet", ["group.x"], filters=pc.field("id") == 2).to_pylist() == [{"group": {"x": 2}}]


def test_files_of_several_types_and_partitions() -> None:
    for year, data_type in [(2023, pa.float32()), (2024, pa.float64())]:
        part = pa.table({"price": pa.array([0.1, 0.5, None], data_type), "year": [year] * 3})
        parquet.write_to_dataset(part, "lake", partition_cols=["year"])
    every = parquet.read_table("lake").to_pyarrow()
    for expression in [
        pc.field("price") == 0.1,
        pc.field("price") > 0.1,
        pc.field("price") != 0.1,
        ~(pc.field("price") < 0.1),
        pc.field("year") == 2024,
        (pc.field("year") == 2023) & (pc.field("price") < 0.3),
        pc.field("year").isin([2024]) | pc.field("price").is_null(),
    ]:
        assert parquet.read_table("lake", filters=expression).to_pyarrow().equals(every.filter(expression)), str(expression)
    with pytest.raises((KeyError, ValueError), match="cost"):
        parquet.read_table("lake", filters=pc.field("cost") == 1)
