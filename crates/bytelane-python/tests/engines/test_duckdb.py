"""Tests `bytelane.duckdb` against the reader of DuckDB.

`python tests/engines/test_duckdb.py 20000` compares this many random conditions.
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

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")

sys.path.insert(0, str(Path(__file__).parent))

from bytelane import parquet  # noqa: E402
from bytelane.duckdb import dataset, relation  # noqa: E402
from rows import VALUES, WITH_NAN, table, write  # noqa: E402


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("duckdb") / "rows.parquet")
    # DuckDB has no durations.
    write(path, table().drop_columns(["duration", "other_duration"]))
    return path


NAMES = [name for name in VALUES if name != "duration"]


def sql(value: Any) -> str:
    """Returns a value in DuckDB's syntax."""
    match value:
        case bool():
            return str(value).lower()
        case float() if not math.isfinite(value):
            return f"'{value}'::double"
        case float():
            return f"{value!r}::double"
        case decimal.Decimal() | int():
            return str(value)
        case str():
            return "'" + value.replace("'", "''") + "'"
        case bytes():
            return "'" + "".join(f"\\x{it:02x}" for it in value) + "'::blob"
        case datetime.datetime():
            return f"'{value.isoformat()}'::{'timestamptz' if value.tzinfo else 'timestamp'}"
        case datetime.date():
            return f"'{value.isoformat()}'::date"
        case datetime.time():
            return f"'{value.isoformat()}'::time"
    raise AssertionError(value)


def one_test(chance: random.Random) -> str:
    """Returns a random test of one column."""
    name = chance.choice([*NAMES, "inner"])
    if name == "inner":
        return chance.choice(['"inner".x > 20', '"inner".y = \'t1\'', '"inner" is null', '"inner".x in (1, 2, 50)'])
    column, value, other = f'"{name}"', sql(chance.choice(VALUES[name])), sql(chance.choice(VALUES[name]))
    tests = [f"{column} {operator} {value}" for operator in ("=", "!=", "<", "<=", ">", ">=", "is distinct from")]
    tests += [f"{value} < {column}", f"{column} between {value} and {other}", f"{column} in ({value}, {other})"]
    tests += [f"{column} in ({value}, null)", f"{column} is null", f"{column} is not null", f"{column} not in ({value}, {other})"]
    if name == "text":
        tests += [f"{column} like 'a%'", f"{column} ilike 'B%'", f"starts_with({column}, {value})", f"length({column}) > 2"]
    if name in ("small", "long", "double", "cents"):
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


def compare_random(path: str, seeds: range) -> int:
    """Returns the number of conditions that were compared."""
    rows, count = dataset(path), 0
    connection = duckdb.connect()
    connection.sql("set timezone = 'UTC'")
    for seed in seeds:
        condition = condition_of(random.Random(seed))
        try:
            expected = connection.sql(f"select id from read_parquet('{path}') where {condition} order by id").fetchall()
        except duckdb.Error:
            # DuckDB does not compare these types, or a value overflows.
            continue
        found = connection.sql(f"select id from rows where {condition} order by id").fetchall()
        assert found == expected, f"{seed}: {condition}, {len(found)} {len(expected)} {set(found) ^ set(expected)}"
        count += 1
    assert rows is not None
    return count


def test_random_conditions_select_the_rows_of_duckdb(file: str) -> None:
    assert compare_random(file, range(300)) > 200


def test_scans_read_what_the_query_needs(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, asked = dataset(file), []
    scanner = type(rows).scanner

    def noting(self: Any, **options: Any) -> Any:
        found = scanner(self, **options)
        asked.append(options.get("columns"))
        return found

    monkeypatch.setattr(type(rows), "scanner", noting)
    found = duckdb.sql("select text from rows where id = 7").fetchall()
    assert asked == [["text"]]
    assert found == [(rows.scanner().to_table()["text"][7].as_py(),)]
    # One object serves any number of scans.
    assert duckdb.sql("select count(*) from rows a join rows b using (id)").fetchall() == [(1200,)]


def test_a_relation_has_columns_and_a_condition(file: str) -> None:
    connection = duckdb.connect()
    assert relation(file, ["id"], "id < 3", connection=connection).fetchall() == [(0,), (1,), (2,)]
    assert relation(file).aggregate("sum(id)").fetchall() == [(719_400,)]
    assert relation(Path(file).read_bytes(), ["id"]).limit(1).fetchall() == [(0,)]
    assert relation(file, ["inner"], 'id = 1').fetchall() == [({"x": 1, "y": "t1"},)]


def test_types_are_those_of_duckdb(file: str) -> None:
    own = duckdb.sql(f"select * from read_parquet('{file}')")
    ours = relation(file)
    assert (ours.columns, ours.types) == (own.columns, own.types)
    columns = [name for name in own.columns if name not in WITH_NAN]
    names = ", ".join(f'"{name}"' for name in columns)
    # Without pytz, DuckDB makes no Python objects of times with zones.
    assert ours.project(names).to_arrow_table() == own.project(names).to_arrow_table()


def test_names_of_directories_are_columns(tmp_path: Path) -> None:
    rows = pa.table({"id": range(4), "year": [2023, 2024] * 2})
    parquet.write_to_dataset(rows, tmp_path / "lake", partition_cols=["year"])
    lake = relation(tmp_path / "lake")
    assert sorted(lake.filter("year = 2024 and id > 1").fetchall()) == [(3, 2024)]
    assert sorted(lake.aggregate("year, count(*)").fetchall()) == [(2023, 2), (2024, 2)]


def test_errors_name_the_place(file: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nothing"):
        relation("nothing.parquet")
    damaged = tmp_path / "damaged.parquet"
    data = bytearray(Path(file).read_bytes())
    data[4:400] = bytes(396)
    damaged.write_bytes(data)
    with pytest.raises(duckdb.Error, match=r"damaged\.parquet, row group 0, column id"):
        relation(damaged).fetchall()
    with pytest.raises(KeyError, match="no column 'nope'"):
        dataset(file).scanner(columns=["nope"])
    with pytest.raises(NotImplementedError, match="columns is a list of names"):
        dataset(file).scanner(columns={"a": 1})


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/rows.parquet"
        write(path, table().drop_columns(["duration", "other_duration"]))
        print(compare_random(path, range(int(sys.argv[1]))))
