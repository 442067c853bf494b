"""Tests `bytelane.polars` against the reader of Polars.

`python tests/engines/test_polars.py 20000` compares this many random conditions.
"""

from __future__ import annotations

import datetime
import decimal
import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

sys.path.insert(0, str(Path(__file__).parent))

from bytelane import parquet  # noqa: E402
from bytelane._engines import from_polars  # noqa: E402
from bytelane.polars import _schema as types_of  # noqa: E402
from bytelane.polars import scan_parquet, write_parquet  # noqa: E402
from rows import VALUES, table, write  # noqa: E402

c = pl.col


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("polars") / "rows.parquet")
    write(path, table())
    return path


def beside(value: Any, chance: random.Random) -> Any:
    """Returns a value or, for some types, one that is close to it."""
    step = chance.choice([-1, 1])
    match value:
        case bool() | str() | bytes():
            return value
        case int():
            return value + step if abs(value) < 1 << 62 else value
        case float():
            return value * (1 + step * 1e-9)
        case decimal.Decimal():
            return value + step * decimal.Decimal("0.005")
        case datetime.datetime():
            return value + datetime.timedelta(microseconds=step)
        case datetime.date():
            return value + datetime.timedelta(days=step)
        case datetime.timedelta():
            return value + datetime.timedelta(microseconds=step)
    return value


def value_of(name: str, chance: random.Random) -> Any:
    value = chance.choice(VALUES[name])
    return beside(value, chance) if chance.random() < 0.3 else value


def one_test(chance: random.Random) -> Any:
    """Returns a random test of one column."""
    name = chance.choice([*VALUES, "inner"])
    if name == "inner":
        field = c("inner").struct.field("x")
        return chance.choice([field > chance.randrange(60), field == chance.randrange(60), field.is_null()])
    column, value = c(name), value_of(name, chance)
    if chance.random() < 0.1:
        other = c(f"other_{name}")
        tests = [column == other, column != other, column < other, column >= other]
        tests += [column.is_between(value, other), column.eq_missing(other), column.ne_missing(other)]
        return chance.choice(tests[:2] if name == "category" else tests)
    kind = chance.randrange(16)
    if name == "category":
        kind = min(kind, 3)
    match kind:
        case 0 | 1 | 2:
            return chance.choice([column == value, column != value])
        case 3:
            return chance.choice([column.is_null(), column.is_not_null()])
        case 4 | 5 | 6 | 7:
            return chance.choice([column < value, column <= value, column > value, column >= value, value < column])
        case 8:
            closed = chance.choice(["both", "left", "right", "none"])
            return column.is_between(value, value_of(name, chance), closed)
        case 9 | 10:
            values = [value_of(name, chance) for _ in range(chance.randrange(1, 4))]
            if chance.random() < 0.3:
                values.append(None)
            return column.is_in(values, nulls_equal=chance.random() < 0.3)
        case 11:
            return chance.choice([column.eq_missing(value), column.ne_missing(value)])
        case 12 if name in ("single", "double"):
            return chance.choice([column.is_nan(), column.is_not_nan(), column.is_finite()])
        case 12 if name in ("small", "long", "cents"):
            return chance.choice([column > 0.5, column == 5.0, column <= 0.07, column * 2 < 11])
        case 12 if name == "single":
            return column.cast(pl.Float64) > 0.1
        case 12 if name == "flag":
            return column
        case _ if name == "text":
            return chance.choice([
                column.str.starts_with(value), column.str.ends_with(value), column.str.contains(value, literal=True),
                column.str.contains("a"), column.str.to_lowercase() == value,
            ])
    return column == value


def condition_of(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.random()
    if depth >= 3 or kind < 0.4:
        return one_test(chance)
    if kind < 0.55:
        return ~condition_of(chance, depth + 1)
    one, other = condition_of(chance, depth + 1), condition_of(chance, depth + 1)
    return one & other if kind < 0.8 else one | other


def same_rows(path: str, condition: Any, columns: list[str]) -> str:
    """Returns how much of a condition was translated; fails if other rows are read than by Polars."""
    own = pl.read_parquet(path).filter(condition).select(columns)
    assert scan_parquet(path).filter(condition).select(columns).collect().equals(own), condition
    found = from_polars.translated(condition, pl.read_parquet_schema(path))
    return "nothing" if found is None else "exact" if found.is_exact else "part"


def test_random_conditions_select_the_rows_of_polars(file: str) -> None:
    compare_random(file, range(300))


def compare_random(path: str, seeds: range) -> dict[str, int]:
    counts = {"exact": 0, "part": 0, "nothing": 0}
    for seed in seeds:
        chance = random.Random(seed)
        try:
            condition = condition_of(chance)
            pl.read_parquet(path, n_rows=0).filter(condition)
        except (pl.exceptions.PolarsError, OverflowError, decimal.InvalidOperation, TypeError):
            # Polars does not compare these types.
            continue
        counts[same_rows(path, condition, ["id"])] += 1
    return counts


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (c("id") > 5, '"id" > 5'),
        (c("date") > c("other_date"), '"other_date" < "date"'),
        (c("long").is_between(7, c("other_long")), '("long" >= 7 and "other_long" >= "long")'),
        (c("cents").is_between(decimal.Decimal("0.05"), decimal.Decimal("0.07")), '("cents" >= 0.05 and "cents" <= 0.07)'),
        (c("double") > c("other_double"), None),
        (c("date").eq_missing(c("other_date")), None),
        ((c("id") > 5) & (c("text") == "a'b"), """("id" > 5 and "text" = 'a''b')"""),
        ((c("id") > 5) & (c("text").str.to_lowercase() == "a"), '"id" > 5'),
        (c("double") > 0.5, '(not "double" <= 0.5)'),
        (c("double") < 0.5, '"double" < 0.5'),
        (~c("flag"), '(not "flag" = true)'),
        (c("date") == datetime.date(2024, 2, 29), "\"date\" = date '2024-02-29'"),
        (c("inner").struct.field("y") == "t1", """"inner"."y" = 't1'"""),
        (c("text").str.starts_with("a_"), "\"text\" like 'a_%'"),
        (c("id") * 2 > 5, None),
    ],
)
def test_conditions_become_those_of_filters(file: str, condition: Any, expected: str | None) -> None:
    found = translated_by_scan(file, condition)
    assert (None if found is None else found.text) == expected


def test_texts_are_tested_last() -> None:
    schema = {"a": pl.Int64, "b": pl.String, "x": pl.Float64}
    condition = (c("b") == "x") & (c("a") > 1) & (c("b") != "y") & (c("a") < 5)
    first, last = from_polars.steps(condition, schema)
    assert (first.meta.root_names(), last.meta.root_names()) == (["a", "a"], ["b", "b"])
    # JSON has neither infinity nor NaN.
    condition = (c("b") == "x") & (c("x") < math.inf)
    assert len(from_polars.steps(condition, schema)) == 1
    assert len(from_polars.steps(c("a") > 1, schema)) == 1


def translated_by_scan(file: str, condition: Any) -> Any:
    """Returns the translation of a condition as Polars pushes it, with the types that it has chosen."""
    schema, found = pl.read_parquet_schema(file), []

    def read(columns: Any, predicate: Any, limit: Any, rows: Any) -> Iterator[Any]:
        found.append(from_polars.translated(predicate, schema))
        yield pl.DataFrame(schema=schema).select(columns or list(schema))

    pl.io.plugins.register_io_source(read, schema=schema).filter(condition).collect()
    return found[0]


def test_pages_without_rows_are_not_decoded(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a condition that is translated in part, Polars gets fewer rows to test."""
    sizes: list[int] = []
    frame = pl.DataFrame

    def counting(*arguments: Any, **options: Any) -> Any:
        made = frame(*arguments, **options)
        sizes.append(made.height)
        return made

    monkeypatch.setattr("bytelane.polars.pl.DataFrame", counting)
    condition = (c("id") >= 1190) & (c("id") % 2 == 0)
    lazy = scan_parquet(file).filter(condition).select("id")
    sizes.clear()
    assert lazy.collect()["id"].to_list() == [1190, 1192, 1194, 1196, 1198]
    assert sum(sizes) == 10


QUERIES = [
    lambda it: it.head(5),
    lambda it: it.head(5).filter(c("id") > 2),
    lambda it: it.filter(c("id") > 900).head(3),
    lambda it: it.select(pl.len()),
    lambda it: it.tail(3),
    lambda it: it.filter(c("id") < 0),
    lambda it: it.filter(c("id") < 0).select("text"),
    lambda it: it.slice(250, 100),
    lambda it: it.filter(c("text") == "ab").select(c("id").sum()),
    lambda it: it.filter(pl.lit(False)),
    lambda it: it.with_row_index().filter(c("index") == 777),
    lambda it: it.filter(c("id") == c("id").max()),
    lambda it: it.join(it.select("id", other=c("id") + 1), left_on="id", right_on="other").select(c("id").sum()),
]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("query", QUERIES)
def test_queries_have_the_results_of_polars(file: str, query: Any, engine: str) -> None:
    found, expected = (query(scan(file)).collect(engine=engine) for scan in (scan_parquet, pl.scan_parquet))
    assert found.equals(expected)


def test_types_are_those_of_polars(file: str, tmp_path: Path) -> None:
    assert scan_parquet(file).collect_schema() == pl.scan_parquet(file).collect_schema()
    columns: dict[str, Any] = {
        "dictionary": pa.array([1, 2, None]).dictionary_encode(),
        "half": pa.array([1.0, 2.0, None], pa.float16()),
        "map": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int32())),
        "fixed": pa.array([b"abcd"] * 3, pa.binary(4)),
        "seconds": pa.array([datetime.datetime(2024, 1, 1)] * 3, pa.timestamp("s")),
        "milliseconds": pa.array([datetime.time(1)] * 3, pa.time32("ms")),
        "null": pa.nulls(3),
        "array": pa.array([[1, 2]] * 3, pa.list_(pa.int8(), 2)),
        "large": pa.array([["a"], [], None], pa.large_list(pa.large_string())),
        "day": pa.array([datetime.date(2024, 1, 1)] * 3, pa.date64()),
        "nested": pa.array([["a", "b"], None, []], pa.list_(pa.dictionary(pa.int32(), pa.string()))),
        "view": pa.array(["x" * 20] * 3, pa.string_view()),
        "huge": pa.array([2**64 - 1] * 3, pa.uint64()),
    }
    path = str(tmp_path / "types.parquet")
    pq.write_table(pa.table(columns), path)
    assert scan_parquet(path).collect().equals(pl.read_parquet(path))
    assert scan_parquet(path).collect_schema() == pl.read_parquet_schema(path)


@pytest.mark.parametrize("ours", [True, False])
def test_types_of_polars_survive(tmp_path: Path, ours: bool) -> None:
    frame = pl.DataFrame(
        {
            "enum": pl.Series(["a", "b", None], dtype=pl.Enum(["b", "a"])),
            "category": pl.Series(["a", "b", None], dtype=pl.Categorical),
            "array": pl.Series([[1, 2]] * 3, dtype=pl.Array(pl.Int8, 2)),
            "struct": [{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}],
            "null": [None] * 3,
        }
    )
    path = str(tmp_path / "frame.parquet")
    if ours:
        write_parquet(frame, path)
    else:
        frame.write_parquet(path)
    assert scan_parquet(path).collect().equals(frame)
    assert scan_parquet(path).collect_schema() == frame.schema
    for condition in (c("enum") > "b", c("enum") == "a", c("category") == "b", c("category") > "a"):
        assert scan_parquet(path).filter(condition).collect().equals(frame.filter(condition))


def test_files_may_be_open_or_in_memory(file: str) -> None:
    expected = pl.read_parquet(file)
    data = Path(file).read_bytes()
    assert scan_parquet(data).collect().equals(expected)
    with open(file, "rb") as opened:
        lazy = scan_parquet(opened)
        assert lazy.collect().equals(expected)
        assert lazy.filter(c("id") < 10).collect().height == 10


def test_arguments_of_polars(file: str) -> None:
    found = scan_parquet(file, n_rows=3, row_index_name="row", row_index_offset=7, batch_size=2).collect()
    assert found.equals(pl.scan_parquet(file, n_rows=3, row_index_name="row", row_index_offset=7).collect())


PARTITIONS = {
    "year": [2023, 2024] * 6,
    "city": ["x y", "ü", "z/1"] * 4,
    "day": ["2024-01-01", "2024-05-01"] * 6,
    "ratio": ["1.5", "2.5"] * 6,
    "maybe": [None, 1] * 6,
    "truth": ["true", "false"] * 6,
    "word": ["y", "n"] * 6,
    "padded": ["01", "2"] * 6,
    "time": ["2024-01-01T00:00:00", "2024-01-02 01:00:00"] * 6,
    "long": ["20240101123456", "1"] * 6,
    "_hidden": ["a", "b"] * 6,
}


@pytest.mark.parametrize("is_stored", [True, False])
@pytest.mark.parametrize("key", PARTITIONS)
def test_names_of_directories_are_columns(tmp_path: Path, key: str, is_stored: bool) -> None:
    frame = pl.DataFrame({"id": range(12), key: PARTITIONS[key], "last": [0.5] * 12})
    root = str(tmp_path / "lake")
    frame.write_parquet(pl.PartitionBy(root, key=[key], include_key=is_stored))
    own, ours = pl.scan_parquet(root), scan_parquet(root)
    if key == "_hidden" and not is_stored:
        own = pl.scan_parquet(f"{root}/**/*.parquet", hive_partitioning=True)
    assert ours.collect_schema() == own.collect_schema()
    value = own.collect()[key].drop_nulls()[-1]
    for condition in (c(key) == value, c(key) != value, c(key).is_null(), (c(key) == value) | (c("id") == 2), c("id") > 6):
        expected = own.filter(condition).sort("id").collect()
        assert ours.filter(condition).sort("id").collect().equals(expected), condition
    assert ours.select(key).sort(key).collect().equals(own.select(key).sort(key).collect())
    assert ours.head(3).collect().height == 3


def test_types_of_partitions_can_be_set(tmp_path: Path) -> None:
    root = str(tmp_path / "lake")
    parquet.write_to_dataset(pa.table({"id": [1, 2], "year": ["2023", "2024"]}), root, partition_cols=["year"])
    assert scan_parquet(root, hive_schema={"year": pl.Int16}).collect_schema()["year"] == pl.Int16
    assert scan_parquet(root, hive_schema={"year": pl.String}).filter(c("year") == "2024").collect()["id"].to_list() == [2]
    assert scan_parquet(root, hive_partitioning=False).collect_schema().names() == ["id"]
    with pytest.raises(NotImplementedError, match="the partition year is of type"):
        scan_parquet(root, hive_schema={"year": pl.List(pl.Int8)})


def test_names_may_have_characters_of_patterns(tmp_path: Path) -> None:
    root = str(tmp_path / "lake[1]*")
    names = [None, "a*b", "[c]", "?"]
    parquet.write_to_dataset(pa.table({"id": range(4), "name[1]": names}), root, partition_cols=["name[1]"])
    found = scan_parquet(root).filter(c("name[1]").is_not_null()).sort("id").collect()
    assert found.rows() == [(1, "a*b"), (2, "[c]"), (3, "?")]


def test_files_may_lack_columns_or_have_other_types(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{name}.parquet") for name in "ab"]
    pl.DataFrame({"a": [1, 2, 3], "b": ["x", None, "y"], "f": [0.1, 0.2, 0.3]}).write_parquet(paths[0])
    types = {"a": pl.Int32, "c": pl.Float64, "f": pl.Float32}
    pl.DataFrame({"a": [4, 5], "c": [1.5, None], "f": [0.1, 0.7]}, schema=types).write_parquet(paths[1])
    lazy = scan_parquet(paths)
    whole = lazy.collect()
    assert whole["a"].to_list() == [1, 2, 3, 4, 5]
    assert whole["c"].to_list() == [None, None, None, 1.5, None]
    for condition in (c("a") > 2, c("b").is_null(), c("c") > 1, c("b") == "y", c("f") == 0.1, c("f") > 0.1, ~(c("c") == 1.5)):
        assert lazy.filter(condition).collect().equals(whole.filter(condition)), condition
        assert lazy.filter(condition).select("b").collect().equals(whole.filter(condition).select("b")), condition
    assert lazy.select("c").collect().equals(whole.select("c"))
    assert lazy.select("b").head(4).collect().equals(whole.select("b").head(4))
    with pytest.raises(parquet.ParquetError, match=r"b\.parquet"):
        scan_parquet(paths, strict_schema=True)


def test_errors_name_the_place(file: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing"):
        scan_parquet("nothing.parquet")
    damaged = tmp_path / "damaged.parquet"
    data = bytearray(Path(file).read_bytes())
    data[4:400] = bytes(396)
    damaged.write_bytes(data)
    with pytest.raises(parquet.ParquetError, match=r"damaged\.parquet"):
        scan_parquet(damaged).collect()
    with pytest.raises(TypeError, match="collect a LazyFrame first"):
        write_parquet(pl.LazyFrame(), tmp_path / "lazy.parquet")
    intervals = parquet.Table.empty(pa.schema([("span", pa.month_day_nano_interval())])).schema
    with pytest.raises(NotImplementedError, match="column span: Polars has no type"):
        types_of(intervals, ["span"])


def test_written_files_have_our_encodings(tmp_path: Path) -> None:
    path = str(tmp_path / "prices.parquet")
    write_parquet(pl.DataFrame({"price": [100 + 0.25 * (it % 777) for it in range(20_000)]}), path)
    assert pq.read_metadata(path).created_by.startswith("bytelane")


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/rows.parquet"
        write(path, table())
        print(compare_random(path, range(int(sys.argv[1]))))
