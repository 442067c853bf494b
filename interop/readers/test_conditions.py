"""Conditions find the same rows as in DuckDB: every operator, with nulls, NaN, -0.0, limits of integers, and generated values."""

import datetime
import decimal
import random
import tempfile
import unittest
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet

from bytelane import parquet

ROWS = 2000
HOUR = datetime.timedelta(hours=1)
BEGIN = datetime.datetime(2024, 1, 1)
SIZES = [[], [("a", 1), ("b", None)], [("b", 3), ("a", 2)], [("it's", -1), ("a]", 4)], [("a", None)]]


def table() -> pyarrow.Table:
    """Columns of few different values, so that comparisons of columns often hold; every seventh value is null."""
    generator = random.Random(1)

    def column(values, data_type):
        chosen = [None if generator.random() < 1 / 7 else generator.choice(values) for _ in range(ROWS)]
        return pyarrow.array(chosen, data_type)

    floats = [-2.5, -0.0, 0.0, 1.5, 3.0, float("nan"), float("inf"), float("-inf")]
    texts = ["", "a", "Ab", "aB%", "größe", "GRÖSSE", "z_z"]
    times = [BEGIN + HOUR * hour for hour in range(-30, 30, 7)]
    item = pyarrow.struct([("price", pyarrow.int32()), ("name", pyarrow.string())])
    items = [None, {"price": None, "name": "a"}, {"price": 3, "name": None}, {"price": 7, "name": "Ab"}]
    return pyarrow.table(
        {
            "id": pyarrow.array(range(ROWS)),
            "i": column(range(-4, 5), pyarrow.int32()),
            "j": column([-(2**63), -3, 0, 2, 2**63 - 1], pyarrow.int64()),
            "u": column([0, 2, 3, 2**64 - 1], pyarrow.uint64()),
            "s": column(range(-3, 4), pyarrow.int8()),
            "x": column(floats, pyarrow.float64()),
            "y": column(floats, pyarrow.float64()),
            "d": column([decimal.Decimal(n) / 4 for n in range(-9, 9)], pyarrow.decimal128(9, 2)),
            "b": column([True, False], pyarrow.bool_()),
            "t": column(texts, pyarrow.string()),
            "v": pyarrow.DictionaryArray.from_arrays(
                pyarrow.array([generator.randrange(len(texts)) for _ in range(ROWS)], pyarrow.int8()), texts
            ),
            "day": column([time.date() for time in times], pyarrow.date32()),
            "begin": column(times, pyarrow.timestamp("ms")),
            "stop": column(times, pyarrow.timestamp("us")),
            "list": column([[], [1], [None], [2, None, -1], [3, 3], [1, 2, 3, 4]], pyarrow.list_(pyarrow.int64())),
            "tags": column([[], ["a"], ["Ab", None], ["z_z", "a"]], pyarrow.list_(pyarrow.string())),
            "items": column([items, items[1:], items[2:3], []], pyarrow.list_(item)),
            "place": column(items, item),
            "sizes": column(SIZES, pyarrow.map_(pyarrow.string(), pyarrow.int64())),
            "codes": column([[], [(2, "x"), (-1, None)], [(7, "y"), (2, "xy")]], pyarrow.map_(pyarrow.int32(), pyarrow.string())),
        }
    )


# Conditions in the syntax of both, except for those after an arrow, which DuckDB writes in another way.
SAME = """
i > s
i = d
i <> j
u > j
u = i
x = y -> x = y and not isnan(x)
x <> y -> x <> y or (isnan(x) and isnan(y))
x < y -> x < y and not isnan(y)
x >= y -> x >= y and not isnan(x)
not x < y -> x is not null and y is not null and not (x < y and not isnan(y))
x > i -> x > i and not isnan(x)
x = 0
-x = 0
x + 1 > y - 1 -> x + 1 > y - 1 and not isnan(x + 1)
x * 2 < 3
x between y and 3 -> x >= y and x <= 3 and not isnan(x)
i + s * 2 = 3
(i + s) * 2 = -4
i - -s > 2
i / 2 = s / 2
i / s > 1 -> s <> 0 and i / s > 1 or s = 0 and i > 0
i % 3 = s
i % s = 0 -> s <> 0 and i % s = 0
d + 0.25 = i
d * d > i
d / 2 > 0.5
d - i between -1 and 1
d < x -> d < x and not isnan(x)
-i = s
- (i + 1) >= 2
2 < i
0.5 <= d
b = (i > 0) -> ERROR
t > v
t = v
t <> v and t < v
t ilike 'A%'
t ilike '%ö%'
t not ilike 'a_'
v ilike 'GR%' -> lower(v) like 'gr%'
t not like 'a%'
t between 'A' and 'b'
t not between v and 'b'
not (t = v or i > s)
not (i > s and j = 2)
i > s or t is null
i in (1, -2, 3) and not s in (-1)
begin < stop
begin = day
stop - begin > interval '20 hours'
begin - stop <= interval '-1 day'
begin + interval '7 hours' = stop
day + interval '1 day' > begin
begin > timestamp '2024-01-01 05:00:00'
begin - timestamp '2024-01-01' > interval '90 minutes'
day = date '2024-01-01'
day >= '2024-01-01' and stop < '2024-01-02'
begin between day and stop
list[1] = 1
list[-1] > 2
list[2] is null
list[2] is not null
list[0] = 1
list[9] is null
list[1] < list[2]
list[1] + list[2] = i + 2
list[1] in (2, 3)
not list[1] = 1
tags[1] like 'A%'
tags[1] ilike 'A%'
tags[1] = t
list[*] = 3 -> list_contains(list, 3)
not list[*] = 3 -> not list_contains(list, 3)
list[*] > 2 -> len(list_filter(list, lambda e: e > 2)) > 0
list[*] is null -> coalesce(len(list_filter(list, lambda e: e is null)) > 0, false)
tags[*] = 'a' -> list_contains(tags, 'a')
tags[*] ilike 'AB' -> len(list_filter(tags, lambda e: e ilike 'ab')) > 0
items[1].price = 7
items[-1].name = 'Ab'
items[2].price is null
items[*].price > 3 -> len(list_filter(items, lambda e: e.price > 3)) > 0
items[*].name like 'A%' -> len(list_filter(items, lambda e: e.name like 'A%')) > 0
sizes['a'] = 2
sizes['b'] is null
sizes['none'] is null
sizes['a'] in (1, 3)
sizes['a'] > i
not sizes['b'] = 3
sizes['a'] + sizes['b'] = 5
sizes['it''s'] < sizes['a]']
codes[2] = 'x'
codes[-1] is null
codes[2] like 'x%'
codes[7] = t
i + s is null
i + s is not null
x * 2 is null
i % s is null -> i is null or s is null or s = 0
not (i % s is null) -> i is not null and s <> 0
items[1].price + 1 is null
i + s in (1, -2, 3)
i + s not in (1, 2)
x * 2 in (3, 0, 6)
-i in (1, 2)
stop - begin in (interval '7 hours', interval '-14 hours')
i * 2 not between s and 3
place.price > i
place.price + 1 = items[1].price + 1
place.name = t
place.price is null
not place.price > 3
"""


class Conditions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.path = Path(cls.directory.name) / "table.parquet"
        pyarrow.parquet.write_table(table(), cls.path, row_group_size=300, data_page_size=512, write_page_index=True)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def test_conditions_find_the_rows_that_duckdb_finds(self):
        conditions = [line.partition(" -> ") for line in SAME.strip().splitlines()]
        self.assertGreater(len(conditions), 70)
        found = 0
        for condition, _, other in conditions:
            with self.subTest(condition):
                if other == "ERROR":
                    with self.assertRaises(ValueError):
                        parquet.read_table(self.path, filters=condition)
                    continue
                query = f"select id from '{self.path}' where {other or condition} order by id"
                expected = [row for (row,) in duckdb.sql(query).fetchall()]
                rows = parquet.read_table(self.path, columns=["id"], filters=condition)
                self.assertEqual(pyarrow.table(rows)["id"].to_pylist(), expected)
                found += 0 < len(expected) < ROWS
        self.assertGreater(found, 70)


if __name__ == "__main__":
    unittest.main()
