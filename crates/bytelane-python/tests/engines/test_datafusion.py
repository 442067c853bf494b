"""Tests `bytelane.datafusion` against tables of DataFusion in memory.

`python tests/engines/test_datafusion.py 20000` compares this many random conditions.
"""

from __future__ import annotations

import datetime
import decimal
import math
import random
import sys
from pathlib import Path
from typing import Any

import pytest

datafusion = pytest.importorskip("datafusion")
pa = pytest.importorskip("pyarrow")

sys.path.insert(0, str(Path(__file__).parent))

from bytelane import parquet  # noqa: E402
from bytelane.datafusion import table as table_of  # noqa: E402
from rows import VALUES, WITH_NAN, table, write  # noqa: E402

NAMES = [name for name in VALUES if name != "duration"]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("datafusion") / "rows.parquet")
    write(path, table())
    return path


def sql(name: str, value: Any) -> str:
    """Returns a value in DataFusion's syntax."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            text = repr(value) if math.isfinite(value) else f"'{value}'"
            return f"arrow_cast({text}, '{'Float32' if name == 'single' else 'Float64'}')"
        case decimal.Decimal():
            return f"arrow_cast('{value}', 'Decimal128({'7, 2' if name == 'cents' else '38, 4'})')"
        case int():
            return str(value)
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return f"X'{value.hex()}'"
        case datetime.datetime():
            zone = "Some(\"Europe/Berlin\")" if value.tzinfo else "None"
            return f"arrow_cast('{value.isoformat()}', 'Timestamp(Microsecond, {zone})')"
        case datetime.date():
            return f"date '{value.isoformat()}'"
        case datetime.time():
            return f"arrow_cast('{value.isoformat()}', 'Time64(Microsecond)')"
    raise AssertionError(value)


def one_test(chance: random.Random) -> str:
    """Returns a random test of one column."""
    name = chance.choice(NAMES)
    # Others are refused.
    values = [it for it in VALUES[name] if not isinstance(it, float) or math.isfinite(it)]
    column, value, other = f'"{name}"', *(sql(name, chance.choice(values)) for _ in range(2))
    tests = [f"{column} {operator} {value}" for operator in ("=", "!=", "<", "<=", ">", ">=", "is distinct from")]
    tests += [f"{value} < {column}", f"{column} between {value} and {other}", f"{column} in ({value}, {other})"]
    tests += [f"{column} is null", f"{column} is not null", f"{column} not in ({value}, {other})", f"{column} in ({value}, null)"]
    if name == "text":
        tests += [f"{column} like 'a%'", f"{column} ilike 'B%'", f"starts_with({column}, {value})", f"length({column}) > 2"]
    if name in ("small", "long", "double"):
        tests += [f"{column} > 0.5", f"{column} * 2 < 11", f"{column} = 5.0"]
    return chance.choice(tests)


def condition_of(chance: random.Random, depth: int = 0) -> str:
    kind = chance.random()
    if depth >= 3 or kind < 0.4:
        return one_test(chance)
    if kind < 0.55:
        return f"not ({condition_of(chance, depth + 1)})"
    one, other = condition_of(chance, depth + 1), condition_of(chance, depth + 1)
    return f"({one}) {'and' if kind < 0.8 else 'or'} ({other})"


def context_of(path: str) -> Any:
    """Returns a context with the rows of a file, and with them in memory: DataFusion's own reader loses rows with NaN where
    statistics, which do not count it, seem to exclude them."""
    context = datafusion.SessionContext()
    context.register_table("ours", table_of(path))
    context.register_record_batches("own", [parquet.read_table(path).to_pyarrow().to_batches()])
    return context


def compare_random(path: str, seeds: range) -> int:
    """Returns the number of conditions that were compared."""
    context, count = context_of(path), 0
    for seed in seeds:
        condition = condition_of(random.Random(seed))
        results = []
        for name in ("own", "ours"):
            try:
                rows = context.sql(f"select id from {name} where {condition} order by id").to_pydict()
            except Exception as error:  # noqa: BLE001 (DataFusion raises this class)
                # DataFusion cannot convert conditions with a constant part to those of pyarrow.
                if name == "ours" and "BooleanScalar" not in str(error):
                    raise AssertionError(f"{seed}: {condition}") from error
                break
            results.append(rows.get("id", []))
        if len(results) == 2:
            assert results[0] == results[1], f"{seed}: {condition}, {set(results[0]) ^ set(results[1])}"
            count += 1
    return count


def test_random_conditions_select_the_rows_of_datafusion(file: str) -> None:
    assert compare_random(file, range(300)) > 200


def test_columns_partitions_and_types(file: str, tmp_path: Path) -> None:
    context = context_of(file)
    assert context.sql("select count(*) as n from ours").to_pydict() == {"n": [1200]}
    assert context.sql("select id from ours order by id desc limit 2").to_pydict() == {"id": [1199, 1198]}
    assert context.table("ours").schema() == context.table("own").schema()
    columns = ", ".join(f'"{name}"' for name in context.table("own").schema().names if name not in WITH_NAN)
    found, expected = (context.sql(f"select {columns} from {name} order by id").to_arrow_table() for name in ("ours", "own"))
    assert found.to_pylist() == expected.to_pylist()
    rows = pa.table({"id": range(4), "year": [2023, 2024] * 2})
    parquet.write_to_dataset(rows, tmp_path / "lake", partition_cols=["year"])
    context.register_table("lake", table_of(tmp_path / "lake"))
    assert context.sql("select id from lake where year = 2024 and id > 1").to_pydict() == {"id": [3]}


def test_a_condition_with_infinity_or_nan_is_refused(file: str) -> None:
    context = context_of(file)
    for value in ("inf", "NaN"):
        with pytest.raises(Exception, match="compare with a finite number, or use isnan"):
            context.sql(f"select id from ours where \"double\" < arrow_cast('{value}', 'Float64')").collect()
    assert context.sql("select id from ours where isnan(\"double\")").count() > 0


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/rows.parquet"
        write(path, table())
        print(compare_random(path, range(int(sys.argv[1]))))
