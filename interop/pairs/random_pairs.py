"""Merges and rewrites random pairs of files over all Arrow types, and checks that pyarrow, Polars, DuckDB and bytelane read
the outcome as they read the inputs.

    random_pairs.py [FIRST [COUNT]]

Each number is the seed of one pair; a failure prints it. Inputs without a common meaning may be refused, but not those of
the same types. `BYTELANE_TRIALS` sets the count if the arguments do not.
"""

import os
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from itertools import groupby
from pathlib import Path

import duckdb
import numpy
import polars
import pyarrow as pa
import pyarrow.parquet as pq
from bytelane import parquet
from tables import pair, settings

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


class Tagged(tuple):
    """Value of a type that means more than the number: the words for the meaning, and the value."""


def values(array):
    """Returns the values of an array with what they mean: extension types, zones, sizes, and times in nanoseconds.

    Offsets, keys and units are no meaning of a value, and neither is a null in a struct unlike a member that is missing.
    """
    types, kind = pa.types, array.type
    tag = None
    if isinstance(kind, pa.BaseExtensionType):
        tag, found = str(kind), values(array.storage)
    elif types.is_dictionary(kind):
        entries, keys = values(array.dictionary), array.indices.to_pylist()
        return [None if key is None else entries[key] for key in keys]
    elif types.is_struct(kind):
        names = [field.name for field in kind]
        members = [values(array.field(index)) for index in range(len(names))]
        rows = zip(*members, strict=True) if members else [()] * len(array)
        found = [{name: it for name, it in sorted(zip(names, row)) if it is not None} for row in rows]
    elif types.is_map(kind):
        entries = list(zip(values(array.keys), values(array.items)))
        found = [[entries[at] for at in places] for places in ranges(array)]
    elif types.is_fixed_size_list(kind):
        tag, entries, size = f"{kind.list_size} entries", values(array.values), kind.list_size
        found = [entries[start * size : (start + 1) * size] for start in range(len(array))]
    elif types.is_list(kind) or types.is_large_list(kind):
        entries = values(array.values)
        found = [[entries[at] for at in places] for places in ranges(array)]
    elif types.is_timestamp(kind) or types.is_duration(kind) or types.is_time(kind):
        tag = "duration" if types.is_duration(kind) else getattr(kind, "tz", None) or "local time"
        numbers = array.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).to_pylist()
        found = [number and number * NANOSECONDS[kind.unit] for number in numbers]
    elif types.is_date(kind):
        tag, found = "date", array.cast(pa.date32()).cast(pa.int32()).to_pylist()
    elif types.is_float16(kind):
        found = array.cast(pa.float32()).to_pylist()
    elif types.is_decimal(kind):
        found = [value and value.normalize() for value in array.to_pylist()]
    else:
        found = array.to_pylist()
    valid = array.is_valid().to_pylist()
    return [(Tagged((tag, it)) if tag else it) if is_valid else None for it, is_valid in zip(found, valid, strict=True)]


def as_times(value):
    """Returns a value with times at midnight in place of dates."""
    if isinstance(value, Tagged):
        tag, it = value
        days = 86_400 * 10**9
        return Tagged(("local time", it * days)) if tag == "date" else Tagged((tag, as_times(it)))
    if isinstance(value, list | tuple):
        return type(value)(as_times(it) for it in value)
    if isinstance(value, dict):
        return {name: as_times(it) for name, it in value.items()}
    return value


def ranges(array):
    ends = array.offsets.to_pylist()
    return [range(start, end) for start, end in zip(ends, ends[1:])]


def columns(tables, names):
    """Returns the values of all tables by column; columns that a table lacks are null."""
    rows = {name: [] for name in names}
    for table in tables:
        for name, found in rows.items():
            if name in table.column_names:
                for chunk in table[name].chunks:
                    found += values(chunk)
            else:
                found += [None] * table.num_rows
    return rows


def read_row_groups(path):
    """Reads a file with pyarrow, which cannot read nested dictionaries of several row groups at once."""
    with pq.ParquetFile(path) as file:
        if file.num_row_groups < 2:
            return file.read()
        return pa.concat_tables(file.read_row_group(index) for index in range(file.num_row_groups))


READERS = {
    "pyarrow": read_row_groups,
    "bytelane": lambda path: parquet.read_table(path).to_pyarrow(),
    "polars": lambda path: polars.read_parquet(path, glob=False).to_arrow(),
    "duckdb": lambda path: duckdb.read_parquet(str(path)).to_arrow_table(),
}


def orders(table):
    """Returns the entries of each ordered dictionary in all chunks, by the path of its column."""
    found = {}
    for field in table.schema:
        for chunk in table[field.name].chunks:
            for path, entries in ordered(chunk, field.name):
                found.setdefault(path, []).append(entries)
    return found


def ordered(array, path):
    """Returns the paths of ordered dictionaries in an array, and the words for their entries."""
    types, kind = pa.types, array.type
    if isinstance(kind, pa.BaseExtensionType):
        return ordered(array.storage, path)
    if types.is_dictionary(kind):
        return [(path, [repr(it) for it in array.dictionary.to_pylist()])] if kind.ordered else []
    if types.is_struct(kind):
        members = [ordered(array.field(index), f"{path}.{field.name}") for index, field in enumerate(kind)]
        return [found for member in members for found in member]
    if types.is_map(kind):
        return ordered(array.items, f"{path}.value")
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return ordered(array.values, f"{path}.item")
    return []


def rows(path):
    return pq.read_metadata(path).num_rows


def same_order(before, after, what):
    """Checks that all chunks have the entries of each ordered dictionary, also unused ones, in their order."""
    for table in before:
        for column, wanted in orders(table).items():
            for read in after:
                entries = orders(read).get(column, [])
                assert entries or read.num_rows == 0, f"{what}: {column} is not ordered any more"
                if "." in column:
                    entries = list(filter(None, entries))  # Lists without items need no dictionary.
                for order in wanted:
                    kept = [[it for it in found if it in order] for found in entries]
                    assert all(it == order for it in kept), f"{what}: the order of {column}: {kept} of {order}"


def equal_order(before, after, what):
    """Checks that each chunk has the ordered dictionary that it had. Chunks of one file may differ in it."""
    one, other = orders(before[0]), orders(after[0])
    for column in one | other:
        wanted, found = ([it for it, _ in groupby(filter(None, of.get(column, [])))] for of in (one, other))
        assert wanted == found, f"{what}: the order of {column}: {found} of {wanted}"


def same_rows(sources, outputs, what, skipped=(), readers=READERS, order=same_order):
    """Checks that each of the readers that can read all sources reads the same rows from the outputs."""
    for name, read in READERS.items():
        if name not in readers:
            continue
        try:
            before = [read(path) for path in sources]
            names = list(dict.fromkeys(name for table in before for name in table.column_names))
            names = [it for it in names if (name, it) not in skipped]
            expected = columns(before, names)
            counts = (sum(table.num_rows for table in before), sum(map(rows, sources)))
            if any(len(found) != counts[1] for found in (*expected.values(), range(counts[0]))):
                continue  # pyarrow loses rows of some nested dictionaries.
        except BaseException as error:  # Panics of Polars are no exceptions.
            if isinstance(error, KeyboardInterrupt):
                raise
            continue
        try:
            after = [read(path) for path in outputs]
        except BaseException as error:
            raise AssertionError(f"{what}: {name} cannot read the outcome: {error}") from error
        found = columns(after, names)
        for column in names:
            if name == "polars" and of_dates(before, column):
                found[column], expected[column] = as_times(found[column]), as_times(expected[column])
            if repr(found[column]) != repr(expected[column]):
                types = [table.schema.field(column).type for table in before + after if column in table.column_names]
                pairs = zip(expected[column], found[column])
                other = next(((a, b) for a, b in pairs if repr(a) != repr(b)), "other numbers of rows")
                raise AssertionError(f"{what}: {name} reads other values in {column}, {types}: {other}")
        if name in ("pyarrow", "bytelane"):
            order(before, after, f"{what}: {name}")


def skipped(schemas):
    """Returns columns with durations of several units, which DuckDB reads as numbers without a unit, and those of which some
    files have decimals that DuckDB reads as floats."""
    columns = []
    for column in {name for schema in schemas for name in schema.names}:
        types = {str(schema.field(column).type) for schema in schemas if column in schema.names}
        if len(types) > 1 and any("duration" in it or "decimal256" in it for it in types):
            columns.append(("duckdb", column))
    return columns


def of_dates(tables, column):
    """Returns whether a column has dates in one file and others in another: Polars reads date64 as timestamps."""
    types = {str(table.schema.field(column).type) for table in tables if column in table.schema.names}
    return len(types) > 1 and any("date32" in it for it in types)


def named(options):
    """Returns the readers that must be able to read the outcome."""
    return ["bytelane", *options["readers"].split(",")] if options["readers"] else list(READERS)


def merged(random, paths, folder, outcomes):
    choose = lambda *choices: choices[random.integers(len(choices))]  # noqa: E731
    options = {
        "row_group_size": choose(None, None, 7, 100),
        "file_size": choose(None, None, None, 3000),
        "pages": choose("kept", "fresh"),
        "readers": choose(None, None, "pyarrow", "duckdb,polars"),
        "verify": choose(True, True, False),
    }
    what = f"merge with {options}"
    schemas = [pq.read_schema(path) for path in paths]
    try:
        outputs = parquet.merge(paths, folder / "merged.parquet", force=True, **options)["outputs"]
    except parquet.ParquetError as error:
        outcomes["refused"] += 1
        is_same = schemas[0].remove_metadata().equals(schemas[1].remove_metadata(), check_metadata=True)
        # pyarrow compares no sizes of lists.
        is_same = is_same and str(schemas[0].types) == str(schemas[1].types)
        is_ordered = "ordered" in str(error) or any("_PL_ENUM" in str(field.metadata) for field in schemas[0])
        assert not is_same or is_ordered, f"{what}: files of one schema are refused: {error}"
        return []
    outcomes["merged"] += 1
    outputs = [it["path"] for it in outputs]
    same_rows(paths, outputs, what, skipped(schemas), named(options))
    return outputs


def rewritten(random, path, folder):
    choose = lambda *choices: choices[random.integers(len(choices))]  # noqa: E731
    options = {
        "goal": choose("balanced", "size", "read", "write"),
        "compression": choose(None, None, "zstd", "snappy", "none"),
        "readers": choose(None, None, "pyarrow", "duckdb,polars"),
        "verify": choose(True, True, False),
    }
    new = folder / "rewritten.parquet"
    what = f"rewrite with {options}"
    parquet.rewrite(path, new, force=True, **options)
    same_rows([path], [new], what, readers=named(options), order=equal_order)
    before, after = (pq.read_schema(it) for it in (path, new))
    assert before.equals(after, check_metadata=True), f"{what}: {after}\nof {before}"


def check(seed, folder, outcomes):
    random = numpy.random.default_rng(seed)
    paths = [folder / f"{number}.parquet" for number in range(2)]
    tables = pair(random)
    if random.integers(3) == 0:
        tables.reverse()
    for table, path in zip(tables, paths, strict=True):
        if isinstance(table, polars.DataFrame):
            table.write_parquet(path)
        else:
            try:
                pq.write_table(table, path, **settings(random, table))
            except pa.ArrowNotImplementedError:
                outcomes["not written"] += 1
                return
    outputs = merged(random, paths, folder, outcomes)
    rewritten(random, outputs[0] if outputs and random.integers(2) else paths[0], folder)


def run(first, count):
    """Checks pairs; returns the seeds that failed."""
    failed, outcomes = [], Counter()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            try:
                check(seed, Path(folder), outcomes)
            except Exception:
                failed.append(seed)
                print(f"seed {seed}:")
                traceback.print_exc(file=sys.stdout)
    print(f"{count} pairs, {dict(outcomes)}, {len(failed)} failed: {failed[:50]}")
    return failed


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    count = int(sys.argv[2]) if len(sys.argv) > 2 else int(os.environ.get("BYTELANE_TRIALS", 20_000))
    sys.exit(bool(run(first, count)))


if __name__ == "__main__":
    main()
