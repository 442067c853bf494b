"""Tests `bytelane.spark` against `bytelane.parquet` and the reader of Spark."""

from __future__ import annotations

import datetime
import decimal
import math
import os
import random
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# The libraries warn of each other.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java")]

pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

sys.path.insert(0, str(Path(__file__).parent))

from bytelane import parquet  # noqa: E402
from bytelane import spark as sources  # noqa: E402
from rows import COUNT, VALUES, plain, table, write, write_lake, write_plain  # noqa: E402

# Columns that Spark and bytelane compare in the same way with the same text.
NAMES = [name for name in VALUES if name not in ("time", "duration", "local", "moment", "bytes")]


def new_session() -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    builder: Any = SparkSession.builder
    options = {"ui.enabled": False, "sql.session.timeZone": "UTC", "sql.shuffle.partitions": 1, "log.level": "OFF"}
    for name, value in options.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.master("local[2,4]").getOrCreate()
    session.dataSource.register(sources.ParquetDataSource)
    return session


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    session = new_session()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_plain(tmp_path_factory.mktemp("spark"))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_lake(tmp_path_factory.mktemp("spark-lake"))


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("spark-types") / "rows.parquet")
    write_typed(path)
    return path


def write_typed(path: str) -> None:
    write(path, table().drop_columns(["time", "other_time"]))


def read(spark: Any, *paths: str, **options: Any) -> Any:
    return spark.read.format("bytelane").options(**options).load(paths[0] if len(paths) == 1 else [*paths])


def reader(path: str, schema: Any = None, **options: Any) -> Any:
    """Returns what reads rows in a task, without Spark."""
    source = sources.ParquetDataSource({"path": path, **options})
    return source.reader(schema or source.schema())


def rows_of(one: Any) -> Any:
    batches = [batch for part in one.partitions() for batch in one.read(part)]
    return pa.Table.from_batches(batches) if batches else pa.table({name: [] for name in one._schema.names})


def test_rows_and_types_are_those_of_spark(spark: Any, file: str, typed: str) -> None:
    for path in (file, typed):
        found, expected = read(spark, path), spark.read.parquet(path)
        assert found.schema == expected.schema
        # NaN equals nothing in Python.
        assert [*map(repr, found.orderBy("id").collect())] == [*map(repr, expected.orderBy("id").collect())]
    assert read(spark, file).count() == COUNT


def test_types_of_other_libraries(spark: Any, tmp_path: Path) -> None:
    types = [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.duration("ns"), pa.date64(), pa.timestamp("ms"), pa.timestamp("ms", "UTC")]
    columns = {str(it): pa.array([None, 1, 77 * 86_400_000], pa.int64()).cast(it, safe=False) for it in types}
    columns |= {
        "null": pa.nulls(3),
        "fixed": pa.array([b"abc", None, b"xyz"], pa.binary(3)),
        "pair": pa.array([[1, None], None, [3, 4]], pa.list_(pa.uint32(), 2)),
        "map": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.uint64())),
        "struct": pa.array([{"d": 1}, None, {"d": None}], pa.struct([("d", pa.duration("us"))])),
        "view": pa.array(["a", None, "b"], pa.string_view()),
    }
    path = str(tmp_path / "types.parquet")
    pq.write_table(pa.table(columns), path)
    found, expected = read(spark, path), spark.read.parquet(path)
    assert found.schema == expected.schema
    assert found.collect() == expected.collect()
    # Spark refuses these.
    pq.write_table(pa.table({"half": pa.array([0.5], pa.float16()), "moment": pa.array([1999], pa.timestamp("ns"))}), path)
    assert [tuple(row) for row in read(spark, path).collect()] == [(0.5, datetime.datetime(1970, 1, 1, 0, 0, 0, 1))]
    pq.write_table(pa.table({"id": [1], "large": pa.array([decimal.Decimal(1)], pa.decimal256(50, 2))}), path)
    with pytest.raises(Exception, match="column large: Spark has no type for decimal256"):
        read(spark, path)
    assert read(spark, path, columns="id").collect()[0]["id"] == 1


def test_int96_timestamps_are_in_utc(spark: Any, tmp_path: Path) -> None:
    spark.range(300).selectExpr(
        "id", "timestamp'1500-03-01 10:00:00.123456' + make_interval(id) as t", "array(timestamp'2024-02-29 23:59:59.999999') as list"
    ).write.option("compression", "none").parquet(str(tmp_path / "int96"))
    kinds = pq.ParquetFile(next((tmp_path / "int96").glob("*.parquet"))).schema
    assert kinds.column(1).physical_type == "INT96"
    found, expected = read(spark, str(tmp_path / "int96")), spark.read.parquet(str(tmp_path / "int96"))
    assert found.schema == expected.schema
    assert found.orderBy("id").collect() == expected.orderBy("id").collect()


def test_columns_and_schemas(spark: Any, file: str) -> None:
    assert read(spark, file, columns="price,id").columns == ["price", "id"]
    expected = [it for it in range(1161, COUNT) if it % 7]
    assert [row["id"] for row in read(spark, file, columns='["id"]', filters="price > 290").collect()] == expected
    assert read(spark, file, columns="price").where("price > 290").count() == len(expected)
    wider = "ID int, name string, price decimal(10, 2), none array<string>"
    chosen = spark.read.format("bytelane").schema(wider).load(file).where("id = 9 and price > 0")
    assert [tuple(row) for row in chosen.collect()] == [(9, "n9", decimal.Decimal("2.25"), None)]
    only = spark.read.format("bytelane").schema("none int").load(file)
    assert only.count() == COUNT
    with pytest.raises(Exception, match="no column 'other'; the columns are id, price"):
        read(spark, file, columns="other")
    with pytest.raises(Exception, match="no option 'column' for reading; the options are as_files, columns"):
        read(spark, file, column="id")


def test_partitions_and_paths(spark: Any, file: str, lake: str) -> None:
    assert [len(reader(file, num_partitions=str(it)).partitions()) for it in (1, 2, 3, 4, 9)] == [1, 2, 3, 4, 4]
    assert read(spark, file, num_partitions=4).rdd.getNumPartitions() == 4
    assert read(spark, file, file).count() == 2 * COUNT
    found = read(spark, lake).where("year = 2024")
    assert found.count() == COUNT // 2
    assert {row["year"] for row in found.collect()} == {2024}
    assert rows_of(reader(lake, filters="year = 2024", columns="id")).num_rows == COUNT // 2
    assert read(spark, lake, partition_types='{"year": "string"}').schema["year"].dataType.simpleString() == "string"
    with pytest.raises(Exception, match="nothing.parquet"):
        read(spark, "nothing.parquet")


def test_a_frame_serves_several_queries(spark: Any, file: str) -> None:
    # Spark 4.3 keeps the conditions that it pushes to a Python data source, for all later queries of the frame.
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    rows = read(spark, file)
    few, others = rows.where("id < 10"), rows.where("id >= 1100")
    assert [few.count(), rows.count(), others.count(), few.crossJoin(others).count()] == [10, COUNT, 100, 1000]


def sql(value: Any) -> str:
    """Returns a literal."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f"'{value}'"
        case datetime.date():
            return f"date '{value}'"
    return str(value)


def one_test(chance: random.Random) -> str:
    """Returns a random test of one column. In Spark, NaN is the largest number, and not so in `filters`."""
    name = chance.choice([*NAMES, "inner"])
    if name == "inner":
        return chance.choice(["inner.x > 20", "inner.y = 't1'", "inner.x in (1, 2, 50)", "inner.x is null"])
    known = [it for it in VALUES[name] if it == it and it not in (math.inf, -math.inf, "b'c")]
    value, other = sql(chance.choice(known)), sql(chance.choice(known))
    is_float = name in ("single", "double")
    cast = f"cast({value} as {'float' if name == 'single' else 'double'})" if is_float else value
    if is_float:
        return f"{name} {chance.choice(['=', '<', '<='])} {cast}"
    tests = [f"{name} {operator} {value}" for operator in ("=", "!=", "<", "<=", ">", ">=")]
    tests += [f"{name} between {value} and {other}", f"{name} in ({value}, {other})", f"{name} = other_{name}"]
    tests += [f"{name} is null", f"{name} is not null", f"{name} not in ({value}, {other})"]
    if name in ("text", "category"):
        tests += [f"{name} like '{pattern}'" for pattern in ("a%", "%b", "%é%", "a_b", "%a%%")]
    return chance.choice(tests)


def condition_of(chance: random.Random, depth: int = 0) -> str:
    kind = chance.random()
    if depth >= 3 or kind < 0.3:
        return one_test(chance)
    if kind < 0.4:
        return f"not ({condition_of(chance, depth + 1)})"
    one, other = condition_of(chance, depth + 1), condition_of(chance, depth + 1)
    return f"({one}) {'and' if kind < 0.7 else 'or'} ({other})"


def compare_random(spark: Any, path: str, seeds: range) -> int:
    """Returns the number of conditions that were compared."""
    expected, count = spark.read.parquet(path), 0
    for first in range(seeds.start, seeds.stop, 100):
        conditions = [condition_of(random.Random(seed)) for seed in range(first, min(first + 100, seeds.stop))]
        # Floats have no literals with an exponent in `filters`, which are of the type of the column.
        tests = expected.selectExpr("id", *(f"{it} as c{index}" for index, it in enumerate(conditions))).orderBy("id").collect()
        for index, condition in enumerate(conditions):
            filters = re.sub(r"cast\((.*?) as \w+\)", r"\1", condition)
            wanted = [row[0] for row in tests if row[index + 1]]
            found = rows_of(reader(path, columns="id", filters=filters))["id"].to_pylist()
            assert found == wanted, f"{first + index}: {condition}, {set(found) ^ set(wanted)}"
            count += 1
    return count


def test_random_conditions_select_the_rows_of_spark(spark: Any, typed: str) -> None:
    assert compare_random(spark, typed, range(300)) == 300
    for condition in map(condition_of, map(random.Random, range(5))):
        if "single" not in condition and "double" not in condition:
            found, expected = read(spark, typed, filters=condition), spark.read.parquet(typed).where(condition)
            assert found.select("id").orderBy("id").collect() == expected.select("id").orderBy("id").collect(), condition


def test_written_rows_are_read_again(spark: Any, tmp_path: Path, typed: str) -> None:
    rows, new = read(spark, typed).orderBy("id"), tmp_path / "new"
    rows.repartitionByRange(3, "id").write.format("bytelane").option("goal", "size").mode("append").save(str(new))
    names = sorted(it.name for it in new.iterdir())
    assert [name.split("-")[:2] for name in names] == [["part", f"0000{it}"] for it in range(3)]
    for again in (spark.read.parquet(str(new)), read(spark, str(new))):
        assert again.schema == rows.schema
        assert [*map(repr, again.orderBy("id").collect())] == [*map(repr, rows.collect())]
    rows.write.format("bytelane").mode("append").save(str(new))
    assert parquet.read_table(new).num_rows == 2 * 1200
    rows.where("id < 10").write.format("bytelane").mode("overwrite").save(str(new))
    assert parquet.read_table(new).num_rows == 10
    assert [it.name for it in tmp_path.iterdir()] == ["new"]
    with pytest.raises(Exception, match="ErrorIfExists"):
        rows.write.format("bytelane").save(str(new))


def test_directories_of_values_and_nothing(spark: Any, tmp_path: Path, file: str) -> None:
    rows = read(spark, file, columns="id,flag")
    rows.write.format("bytelane").option("partition_cols", "flag").mode("append").save(str(tmp_path / "parts"))
    assert sorted(it.name for it in (tmp_path / "parts").iterdir()) == ["flag=false", "flag=true"]
    assert spark.read.parquet(str(tmp_path / "parts")).where("flag = 'true'").count() == COUNT // 3
    rows.where("id < 0").write.format("bytelane").mode("append").save(str(tmp_path / "nothing"))
    assert spark.read.parquet(str(tmp_path / "nothing")).schema == rows.schema


def test_a_failed_task_leaves_nothing(spark: Any, tmp_path: Path, file: str) -> None:
    fails = read(spark, file).selectExpr("id", "if(id < 900, 1, raise_error('this task fails')) as one")
    with pytest.raises(Exception, match="this task fails"):
        fails.write.format("bytelane").mode("append").save(str(tmp_path / "new"))
    assert [*tmp_path.iterdir()] == []
    with pytest.raises(Exception, match="compressed"):
        read(spark, file).write.format("bytelane").option("compressed", True).mode("append").save(str(tmp_path / "new"))
    assert [*tmp_path.iterdir()] == []
    (tmp_path / "table/_delta_log").mkdir(parents=True)
    (tmp_path / "table/_delta_log/00000000000000000000.json").write_text("{}")
    with pytest.raises(Exception, match="Delta"):
        read(spark, file).write.format("bytelane").mode("append").save(str(tmp_path / "table"))


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/rows.parquet"
        write_typed(path)
        print(compare_random(new_session(), path, range(*map(int, sys.argv[1:]))))
