"""Prints the tables of a record of Go's lists: `go_lists.py FILE`, with a file that go/compare/record.sh wrote."""

import sys

import duckdb
from records import table

#: Ratios of another way's time to that of ours that the project requires: the work, the number of values, our way, the
#: other one, and the least ratio of each type.
FLOORS = [
    ("Write", 12345, "bytelane", "copy", {"i16": 0.95, "i32": 0.95, "i64": 0.95, "double": 0.95}),
    ("Write", 12345, "bytelane", "kitex", {"i32": 8, "i64": 4.5}),
    ("Write", 12345, "bytelane-append", "gopkg-append", {"i32": 4.5, "i64": 2.4}),
    ("Read", 12345, "bytelane-reused", "kitex", {"i32": 15, "i64": 15}),
    ("Read", 12345, "bytelane", "kitex", {"i32": 2.5, "i64": 1.7}),
    ("Write", 16, "bytelane", "loop", {"i16": 1, "i32": 1, "i64": 1}),
    ("Read", 16, "bytelane-reused", "loop-reused", {"i16": 1, "i32": 1, "i64": 1}),
]

#: The median time of each way.
TIMES = """
    create table times as
    select work[1] as benchmark, work[2] as way, median(work[3]::double) as ns, min(place) as place
    from (select regexp_split_to_array(regexp_replace(line, '^Benchmark(.*)/by=(\\S+)\\s+\\d+\\s+(\\S+) ns/op.*', '\\1 \\2 \\3'), ' ')
        as work, place from (select unnest(?) as line, unnest(range(len(?))) as place) where line like '%/by=% ns/op%')
    group by all order by place"""

#: Each of our ways, and the others as multiples of its time, the smallest first.
RATIOS = """
    select ours.benchmark, ours.way, printf('%.0f', ours.ns),
        string_agg(printf('%s %.2f', other.way, other.ns / ours.ns), ', ' order by round(other.ns / ours.ns, 2), other.way)
    from times ours join times other using (benchmark)
    where ours.way like 'bytelane%' and other.way not like 'bytelane%' group by all order by any_value(ours.place)"""


def tables(text):
    """Return the ratios of all ways, and whether the floors are reached. Raise KeyError if a way was not measured."""
    database = duckdb.connect()
    lines = text.splitlines()
    database.execute(TIMES, [lines, lines])
    times = {(benchmark, way): ns for benchmark, way, ns in database.sql("select benchmark, way, ns from times").fetchall()}
    floors = []
    for work, values, ours, other, types in FLOORS:
        for of, least in types.items():
            benchmark = f"{work}/type={of}/n={values}"
            ratio = times[benchmark, other] / times[benchmark, ours]
            verdict = "reached" if ratio >= least else "missed"
            floors.append([benchmark, ours, other, least, f"{ratio:.2f}", verdict])
    ratios = table(["benchmark", "bytelane", "ns", "times as long"], "llll", database.sql(RATIOS).fetchall())
    return ratios + "\n" + table(["benchmark", "bytelane", "against", "at least", "measured", ""], "llllll", floors)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(tables(file.read()))
