"""Checks that bytelane reads random tables, which pyarrow writes with random settings, without changes, and that pyarrow
reads those that bytelane writes.

    random_files.py [FIRST [COUNT]]

Each number is the seed of one file: it is read whole, with some columns, in batches, and after `rewrite`, whose file
pyarrow must read as well. `BYTELANE_TRIALS` sets the count if the arguments do not.
"""

import datetime
import decimal
import os
import struct
import sys
import tempfile
import traceback
from pathlib import Path

import numpy
import pyarrow
import pyarrow.parquet
from bytelane import parquet

ENCODINGS = {
    "INT32": ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
    "INT64": ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
    "FLOAT": ["PLAIN", "BYTE_STREAM_SPLIT"],
    "DOUBLE": ["PLAIN", "BYTE_STREAM_SPLIT"],
    "BYTE_ARRAY": ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
    "FIXED_LEN_BYTE_ARRAY": ["PLAIN", "DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"],
    "BOOLEAN": ["PLAIN", "RLE"],
}


def value_type(random):
    """Returns a type without children."""
    choices = [
        pyarrow.bool_(), pyarrow.int8(), pyarrow.int16(), pyarrow.int32(), pyarrow.int64(), pyarrow.uint8(),
        pyarrow.uint16(), pyarrow.uint32(), pyarrow.uint64(), pyarrow.float16(), pyarrow.float32(), pyarrow.float64(),
        pyarrow.string(), pyarrow.large_string(), pyarrow.binary(), pyarrow.binary(int(random.integers(1, 20))),
        pyarrow.date32(), pyarrow.time32("ms"), pyarrow.time64("us"), pyarrow.time64("ns"), pyarrow.timestamp("ms"),
        pyarrow.timestamp("us", tz="UTC"), pyarrow.timestamp("ns"), pyarrow.duration("us"),
        pyarrow.decimal128(int(random.integers(1, 39)), 1), pyarrow.decimal256(int(random.integers(39, 77)), 3),
    ]  # fmt: skip
    return choices[random.integers(len(choices))]


def any_type(random, depth):
    kind = random.integers(8) if depth < 3 else 0
    if kind == 5:
        return pyarrow.list_(pyarrow.field("element", any_type(random, depth + 1), bool(random.integers(2))))
    if kind == 6:
        fields = [pyarrow.field(f"f{index}", any_type(random, depth + 1), bool(random.integers(4)))
                  for index in range(random.integers(1, 4))]  # fmt: skip
        return pyarrow.struct(fields)
    if kind == 7:
        return pyarrow.map_(pyarrow.string(), any_type(random, depth + 1))
    return value_type(random)


def scalar(random, kind, distinct):
    """Returns one of `distinct` values of a type without children."""
    seed = int(random.integers(distinct))
    own = numpy.random.default_rng(seed)
    types = pyarrow.types
    if types.is_boolean(kind):
        return bool(seed % 2)
    if types.is_decimal(kind):
        digits = int(own.integers(1, kind.precision + 1))
        number = "".join(str(digit) for digit in own.integers(0, 10, digits))
        with decimal.localcontext(prec=100):
            return decimal.Decimal(number).scaleb(-kind.scale) * int(own.choice([-1, 1]))
    if types.is_integer(kind):
        bounds = numpy.iinfo(kind.to_pandas_dtype())
        return int(own.integers(bounds.min, bounds.max, dtype=kind.to_pandas_dtype(), endpoint=True))
    if types.is_floating(kind):
        number = [own.normal(), round(own.normal() * 100, 2), float("nan"), -0.0, float("inf")][own.integers(5)]
        return numpy.float16(number) if types.is_float16(kind) else float(numpy.dtype(kind.to_pandas_dtype()).type(number))
    if types.is_fixed_size_binary(kind):
        return own.bytes(kind.byte_width)
    if types.is_binary(kind):
        return own.bytes(int(own.integers(40)))
    if types.is_string(kind) or types.is_large_string(kind):
        return ["", "a", "common/prefix/", "größer ", "漢字"][own.integers(5)] * int(own.integers(4)) + str(seed)
    if types.is_date(kind):
        return datetime.date(1970, 1, 1) + datetime.timedelta(days=int(own.integers(-30_000, 30_000)))
    if types.is_time32(kind):
        return int(own.integers(86_400_000))
    if types.is_time64(kind):
        return int(own.integers(86_400_000_000))
    return int(own.integers(-(2**55), 2**55))


def value(random, field, distinct, nulls):
    """Returns a value of any type, sometimes null if that is allowed."""
    if field.nullable and random.random() < nulls:
        return None
    kind = field.type
    if pyarrow.types.is_struct(kind):
        return {kind.field(index).name: value(random, kind.field(index), distinct, nulls) for index in range(kind.num_fields)}
    if pyarrow.types.is_map(kind):
        keys = range(random.integers(4))
        return [(f"key{key}", value(random, kind.item_field, distinct, nulls)) for key in keys]
    if pyarrow.types.is_list(kind):
        return [value(random, kind.value_field, distinct, nulls) for _ in range(random.integers(5))]
    return scalar(random, kind, distinct)


def random_table(random):
    rows = int(random.choice([0, 1, 7, 100, 700, 2500]))
    fields, columns = [], []
    for index in range(random.integers(1, 6)):
        field = pyarrow.field(f"c{index}", any_type(random, 0), bool(random.integers(4)))
        distinct, nulls = int(random.choice([1, 5, 100, 1_000_000])), float(random.choice([0, 0.1, 0.9, 1]))
        values = []
        while len(values) < rows:
            one = value(random, field, distinct, nulls)
            values += [one] * int(random.choice([1, 1, 1, 30]))
        fields.append(field)
        columns.append(pyarrow.array(values[:rows], field.type))
    return pyarrow.table(columns, schema=pyarrow.schema(fields))


def random_settings(random, table):
    choose = lambda *choices: choices[random.integers(len(choices))]  # noqa: E731
    settings = {
        "compression": choose("none", "snappy", "gzip", "brotli", "lz4", "zstd"),
        "data_page_version": choose("1.0", "2.0"),
        "version": choose("1.0", "2.4", "2.6"),
        "row_group_size": choose(50, 333, 1_000_000),
        "data_page_size": choose(100, 5_000, 1 << 20),
        "write_statistics": choose(True, False),
        "write_page_index": choose(True, False),
        "write_page_checksum": choose(True, False),
        "store_schema": choose(True, False),
        "store_decimal_as_integer": choose(True, False),
        "use_compliant_nested_type": choose(True, False),
        "allow_truncated_timestamps": True,
        "use_dictionary": choose(True, False),
    }
    if settings["use_dictionary"]:
        return settings | {"dictionary_pagesize_limit": choose(200, 1 << 20)}
    # Settings depend on the physical types of leaves, which are read from a file written without
    # settings.
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table.slice(0, 0), sink, **settings)
    schema = pyarrow.parquet.ParquetFile(sink.getvalue()).schema
    leaves = [schema.column(index) for index in range(len(schema))]
    return settings | {"column_encoding": {leaf.path: choose(*ENCODINGS[leaf.physical_type]) for leaf in leaves}}


def values(array):
    """Returns the values of an array, with numbers for dates and times, some of which Python cannot represent.

    Intervals have the bytes of INTERVAL, which pyarrow does not interpret.
    """
    types, kind, valid = pyarrow.types, array.type, array.is_valid().to_pylist()
    if isinstance(kind, pyarrow.BaseExtensionType):
        return values(array.storage)
    if types.is_struct(kind):
        rows = list(zip(*[values(array.field(index)) for index in range(kind.num_fields)], strict=True))
    elif types.is_map(kind) or types.is_list(kind):
        entries = values(array.values) if types.is_list(kind) else list(zip(values(array.keys), values(array.items)))
        ends = array.offsets.to_pylist()
        rows = [entries[start:end] for start, end in zip(ends, ends[1:])]
    elif types.is_interval(kind):
        parts = lambda one: struct.pack("<3I", one.months, one.days, one.nanoseconds // 10**6)  # noqa: E731
        rows = [one and parts(one) for one in array.to_pylist()]
    elif types.is_temporal(kind):
        rows = array.cast(pyarrow.int32() if kind.bit_width == 32 else pyarrow.int64()).to_pylist()
    else:
        rows = array.to_pylist()
    return [row if is_valid else None for row, is_valid in zip(rows, valid)]


def text(column):
    return repr([values(chunk) for chunk in column.chunks])


def same(one, other, what):
    """Compares values, types and nulls; different values are compared as text, in which NaN equals NaN and -0.0 differs
    from 0.0."""
    one, other = (pyarrow.table(whole).combine_chunks() for whole in (one, other))
    assert one.schema.equals(other.schema), f"{what}: {one.schema}\nand {other.schema}"
    assert one.num_rows == other.num_rows, f"{what}: {one.num_rows} and {other.num_rows} rows"
    for name in one.column_names:
        ours, theirs = one[name], other[name]
        if not ours.equals(theirs) and text(ours) != text(theirs):
            raise AssertionError(f"{what}: other values in {name}: {ours.type}")


def check(seed, folder):
    random = numpy.random.default_rng(seed)
    table = random_table(random)
    settings = random_settings(random, table)
    path, new = Path(folder) / "old.parquet", Path(folder) / "new.parquet"
    try:
        pyarrow.parquet.write_table(table, path, **settings)
    except pyarrow.ArrowInvalid:
        # Some settings cannot store nanoseconds within lists.
        return
    # Compare with pyarrow's own result, because settings such as the version change types.
    expected = pyarrow.parquet.ParquetFile(path).read()
    expected = expected.replace_schema_metadata(None)
    whole = parquet.read_table(path).to_pyarrow().replace_schema_metadata(None)
    same(whole, expected, "read_table")
    names = [name for name in table.column_names if random.integers(2)] or table.column_names[:1]
    same(parquet.read_table(path, columns=names).to_pyarrow(), whole.select(names), "columns")
    with parquet.ParquetFile(path) as file:
        batches = [batch.to_pyarrow() for batch in file.iter_batches(batch_size=int(random.integers(1, 400)))]
    if batches:
        same(pyarrow.concat_tables(batches).replace_schema_metadata(None), whole, "batches")
    else:
        assert whole.num_rows == 0, "no batches"
    goal = ["balanced", "size", "read"][random.integers(3)]
    compression = [None, "zstd", "snappy", "none"][random.integers(4)]
    parquet.rewrite(path, new, goal=goal, compression=compression, verify=True, force=True)
    same(parquet.read_table(new).to_pyarrow().replace_schema_metadata(None), whole, "rewrite")
    theirs = pyarrow.parquet.ParquetFile(new).read().replace_schema_metadata(None)
    same(theirs, expected, "pyarrow after rewrite")
    check_written(random, table, new)


# Encodings that pyarrow reads; columns of other types get the best one.
WRITTEN = ["auto", "auto", "plain", "dictionary", "rle", "delta_binary_packed", "delta_byte_array", "byte_stream_split"]


def check_written(random, table, path):
    def choose(*values):
        return values[random.integers(len(values))]

    settings = {
        "encoding": choose(*WRITTEN),
        "compression": choose("none", "zstd", "Snappy", "GZIP", "brotli", "lz4_raw"),
        "goal": choose("balanced", "size", "read", "write"),
        "row_group_size": choose(50, 333, 1_000_000),
        "max_rows_per_page": choose(None, 7, 100),
        "data_page_version": choose("1.0", "2.0"),
        "write_page_checksum": choose(True, False),
        "content_defined_pages": choose(False, False, (500, 3000)),
        "dictionary_pagesize_limit": choose(None, 100),
        "write_page_index": choose(True, True, False),
        "bound_bytes": choose(1, 5, 64),
        "total_order": choose(False, True),
    }
    parquet.write_table(table, path, **settings)
    same(parquet.read_table(path), table, f"written with {settings}")
    read = pyarrow.parquet.ParquetFile(path, page_checksum_verification=True).read()
    same(read, table, f"written with {settings}, read by pyarrow")
    findings = parquet.check(path, values=True)["findings"]
    assert not findings, f"written with {settings}: {findings}"


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    count = int(sys.argv[2]) if len(sys.argv) > 2 else int(os.environ.get("BYTELANE_TRIALS", 10_000))
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            try:
                check(seed, folder)
            except Exception:
                failed.append(seed)
                print(f"seed {seed}:")
                traceback.print_exc(file=sys.stdout)
    print(f"{count} files, {len(failed)} failed: {failed[:50]}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
