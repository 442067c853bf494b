"""Writes Parquet files of a few kilobytes that claim, or decode to, far more than any memory holds."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

MOST = 2**31 - 1

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTES, FIXED = range(8)

PLAIN, DICTIONARY, RLE, PACKED, LENGTHS, PREFIXES, SPLIT = 0, 8, 3, 5, 6, 7, 9

REQUIRED, OPTIONAL, REPEATED = range(3)

# Fields of a struct: number, type and value. The types are those of Thrift's compact protocol.
Fields = list[tuple[int, str, Any]]

CODES = {"bool": 1, "i8": 3, "i16": 4, "i32": 5, "i64": 6, "binary": 8, "list": 9, "struct": 12}


def varint(number: int) -> bytes:
    """Returns a LEB128 number."""
    parts = []
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])


def value(kind: str, of: Any) -> bytes:
    """Returns a value in Thrift's compact protocol."""
    if kind in ("i16", "i32", "i64"):
        return varint((of << 1) ^ (of >> 63))
    if kind == "binary":
        return varint(len(of)) + of
    if kind == "struct":
        return struct(of)
    if kind == "list":
        item, items = of
        count = len(items)
        head = bytes([count << 4 | CODES[item]]) if count < 15 else bytes([0xF0 | CODES[item]]) + varint(count)
        return head + b"".join(value(item, each) for each in items)
    return of if isinstance(of, bytes) else bytes([of])


def struct(fields: Fields) -> bytes:
    """Returns a struct in Thrift's compact protocol. Fields of the type `raw` are bytes, after the code of a type."""
    out, last = [], 0
    for number, kind, of in fields:
        if kind == "bool":
            out.append(bytes([(number - last) << 4 | (1 if of else 2)]))
        elif kind == "raw":
            out.append(bytes([(number - last) << 4 | of[0]]) + of[1])
        else:
            out.append(bytes([(number - last) << 4 | CODES[kind]]) + value(kind, of))
        last = number
    return b"".join(out) + b"\0"


def run(count: int, of: int = 0) -> bytes:
    """Returns a run of a value of up to eight bits."""
    return varint(count << 1) + bytes([of])


def levels(count: int, of: int) -> bytes:
    """Returns the levels of a page of the first version."""
    encoded = run(count, of)
    return len(encoded).to_bytes(4, "little") + encoded


def page(count: int, encoding: int, body: bytes, size: int | None = None) -> bytes:
    """Returns a data page of the first version. `size` is the size that it claims without compression."""
    header = [(1, "i32", count), (2, "i32", encoding), (3, "i32", RLE), (4, "i32", RLE)]
    size = len(body) if size is None else size
    return struct([(1, "i32", 0), (2, "i32", size), (3, "i32", len(body)), (5, "struct", header)]) + body


def page2(count: int, nulls: int, rows: int, encoding: int, body: bytes, level_bytes: tuple[int, int] = (0, 0)) -> bytes:
    """Returns a data page of the second version, without compression."""
    header = [(1, "i32", count), (2, "i32", nulls), (3, "i32", rows), (4, "i32", encoding)]
    header += [(5, "i32", level_bytes[1]), (6, "i32", level_bytes[0]), (7, "bool", False)]
    return struct([(1, "i32", 3), (2, "i32", len(body)), (3, "i32", len(body)), (8, "struct", header)]) + body


def dictionary(count: int, body: bytes, size: int | None = None) -> bytes:
    """Returns a dictionary page."""
    size = len(body) if size is None else size
    header = [(1, "i32", count), (2, "i32", PLAIN)]
    return struct([(1, "i32", 2), (2, "i32", size), (3, "i32", len(body)), (7, "struct", header)]) + body


def element(name: bytes, physical: int | None, repetition: int, **more: Any) -> Fields:
    """Returns an element of the schema."""
    fields: Fields = [] if physical is None else [(1, "i32", physical)]
    if "length" in more:
        fields.append((2, "i32", more["length"]))
    fields += [(3, "i32", repetition), (4, "binary", name)]
    if "children" in more:
        fields.append((5, "i32", more["children"]))
    if "converted" in more:
        fields.append((6, "i32", more["converted"]))
    return fields


def chunk(physical: int, path: list[bytes], values: int, start: int, size: int, **more: Any) -> Fields:
    """Returns the description of a column chunk."""
    first = more.get("data", 0)
    metadata: Fields = [(1, "i32", physical), (2, "list", ("i32", [PLAIN, RLE, DICTIONARY]))]
    metadata += [(3, "list", ("binary", path)), (4, "i32", more.get("codec", 0)), (5, "i64", values)]
    metadata += [(6, "i64", size), (7, "i64", size), (9, "i64", start + first)]
    if first:
        metadata.append((11, "i64", start))
    metadata += more.get("metadata", [])
    return [(2, "i64", 0), (3, "struct", metadata), *more.get("indexes", [])]


def footer(schema: list[Fields], rows: int, row_groups: list[Fields], more: Fields | None = None) -> bytes:
    """Returns a footer."""
    fields: Fields = [(1, "i32", 2), (2, "list", ("struct", schema)), (3, "i64", rows)]
    return struct([*fields, (4, "list", ("struct", row_groups)), *(more or [])])


def file(body: bytes, end: bytes) -> bytes:
    """Returns a file."""
    return b"PAR1" + body + end + len(end).to_bytes(4, "little") + b"PAR1"


def root(children: int) -> Fields:
    """Returns the root of a schema."""
    return [(4, "binary", b"schema"), (5, "i32", children)]


def group(chunks: list[Fields], rows: int) -> Fields:
    """Returns a row group."""
    return [(1, "list", ("struct", chunks)), (2, "i64", 1000), (3, "i64", rows)]


def flat(
    column: Fields, physical: int, rows: int, pages: bytes, columns: int = 1, row_groups: int = 1, **more: Any
) -> bytes:
    """Returns a file of flat columns, which share their pages, in row groups that share them as well."""
    names = [b"c%d" % number for number in range(columns)]
    schema = [root(columns)]
    for name in names:
        schema.append([(number, kind, name if number == 4 else of) for number, kind, of in column])
    chunks = [chunk(physical, [name], rows, 4, len(pages), **more) for name in names]
    end = footer(schema, rows * row_groups, [group(chunks, rows)] * row_groups, more.get("pairs"))
    return file(pages, end)


def lists(physical: int, rows: int, values: int, pages: bytes, **more: Any) -> bytes:
    """Returns a file with a column of lists."""
    schema = [root(1), element(b"x", None, OPTIONAL, children=1, converted=3)]
    schema += [element(b"list", None, REPEATED, children=1)]
    schema += [element(b"item", physical, OPTIONAL, **({"length": 16} if physical == FIXED else {}))]
    chunks = [chunk(physical, [b"x", b"list", b"item"], values, 4, len(pages), **more)]
    return file(pages, footer(schema, rows, [group(chunks, rows)], more.get("pairs")))


def entry(physical: int, length: int) -> bytes:
    """Returns a value in PLAIN."""
    sizes = {BOOLEAN: 1, INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8, FIXED: length}
    if physical == BYTES:
        return length.to_bytes(4, "little") + b"x" * length
    return b"\1" * sizes[physical]


def packed(count: int, first: int, step: int, block: int = 128) -> bytes:
    """Returns integers from `first` in equal steps, in blocks without bits."""
    out = [varint(block), varint(4), varint(count), varint(first << 1)]
    out += [varint(step << 1) + b"\0\0\0\0"] * -(-(count - 1) // block)
    return b"".join(out)


def arrow(field: pa.Field) -> Fields:
    """Returns metadata with the Arrow schema of a column."""
    import base64

    schema = pa.schema([field]).serialize().to_pybytes()
    pair = [(1, "binary", b"ARROW:schema"), (2, "binary", base64.b64encode(schema))]
    return [(5, "list", ("struct", [pair]))]


def columns() -> Iterator[tuple[str, Fields, int, int]]:
    """Returns the types of columns: name, element of the schema, physical type and size of a value."""
    for name, physical in [("boolean", BOOLEAN), ("int32", INT32), ("int64", INT64), ("int96", INT96)]:
        yield name, element(b"x", physical, OPTIONAL), physical, 0
    for name, physical in [("float", FLOAT), ("double", DOUBLE), ("binary", BYTES)]:
        yield name, element(b"x", physical, OPTIONAL), physical, 100
    yield "string", element(b"x", BYTES, OPTIONAL, converted=0), BYTES, 1000
    yield "decimal", [*element(b"x", BYTES, OPTIONAL, converted=5), (7, "i32", 2), (8, "i32", 30)], BYTES, 9
    for size in (1, 16, 100_000, MOST):
        yield f"fixed_{size}", element(b"x", FIXED, OPTIONAL, length=size), FIXED, size


def of_runs() -> Iterator[tuple[str, bytes]]:
    """Returns files with nulls or equal values, by type."""
    for name, column, physical, size in columns():
        nulls = page(MOST, PLAIN, levels(MOST, 0))
        yield f"nulls_{name}", flat(column, physical, MOST, nulls)
        yield f"nulls_{name}_v2", flat(column, physical, MOST, page2(MOST, MOST, MOST, PLAIN, run(MOST), (0, 6)))
        yield f"nulls_{name}_pages", flat(column, physical, MOST * 200, nulls * 200)
        yield f"nulls_{name}_columns", flat(column, physical, MOST, nulls, columns=500)
        yield f"nulls_{name}_row_groups", flat(column, physical, MOST, nulls, row_groups=500)
        yield f"nulls_{name}_16M", flat(column, physical, 16_000_000, page(16_000_000, PLAIN, levels(16_000_000, 0)))
        if physical == BOOLEAN:
            body = levels(MOST, 1) + len(run(MOST)).to_bytes(4, "little") + run(MOST)
            yield "runs_boolean", flat(column, physical, MOST, page(MOST, RLE, body))
        elif size < MOST:
            first = dictionary(1, entry(physical, size))
            for count in (16_000_000, MOST):
                pages = first + page(count, DICTIONARY, levels(count, 1) + b"\1" + run(count))
                yield f"runs_{name}_{count}", flat(column, physical, count, pages, data=len(first))
            required = [(number, kind, REQUIRED if number == 3 else of) for number, kind, of in column]
            pages = first + page2(MOST, 0, MOST, DICTIONARY, b"\1" + run(MOST))
            yield f"runs_{name}_v2", flat(required, physical, MOST, pages, data=len(first))


def of_encodings() -> Iterator[tuple[str, bytes]]:
    """Returns files of encodings that make much of little."""
    for name, physical in [("int32", INT32), ("int64", INT64)]:
        column = element(b"x", physical, REQUIRED)
        for block in (128, 2**16, 2**30, MOST - 127):
            count = MOST if block > 128 else 5_000_000
            pages = page(count, PACKED, packed(count, 0, 1, block))
            yield f"delta_{name}_{block}", flat(column, physical, count, pages)
    for name, more in [("binary", {}), ("string", {"converted": 0})]:
        column = element(b"x", BYTES, REQUIRED, **more)
        count = 100_000
        body = packed(count, 0, 1) + packed(count, 1, 0) + b"x" * count
        yield f"growing_{name}", flat(column, BYTES, count, page(count, PREFIXES, body))
        for block in (128, 2**30):
            count = MOST if block > 128 else 5_000_000
            yield f"empty_{name}_{block}", flat(column, BYTES, count, page(count, LENGTHS, packed(count, 0, 0, block)))
            body = packed(count, 0, 0, block) * 2
            yield f"prefixes_{name}_{block}", flat(column, BYTES, count, page(count, PREFIXES, body))
        first = dictionary(1, entry(BYTES, 1 << 20))
        for count in (3000, 100_000):
            pages = first + page(count, DICTIONARY, b"\1" + run(count))
            yield f"mebibyte_{name}_{count}", flat(column, BYTES, count, pages, data=len(first))
    column = element(b"x", FIXED, REQUIRED, length=MOST)
    yield "split_fixed", flat(column, FIXED, 1, page(1, SPLIT, b"xxxx"))
    yield "split_double", flat(element(b"x", DOUBLE, REQUIRED), DOUBLE, MOST, page(MOST, SPLIT, b"x" * 800))


def of_codecs() -> Iterator[tuple[str, bytes]]:
    """Returns files whose pages are compressed zeros, or claim to be large."""
    codecs = {"snappy": 1, "gzip": 2, "brotli": 4, "zstd": 6, "lz4_raw": 7}
    size = 256 << 20
    zeros = bytes(size)
    for name, number in codecs.items():
        packed = zlib.compress(zeros, 9, wbits=31) if name == "gzip" else pa.compress(zeros, name, asbytes=True)
        for kind, physical in [("int64", INT64), ("binary", BYTES), ("boolean", BOOLEAN)]:
            if name == "snappy" and kind != "int64":
                continue
            count = {INT64: size // 8, BYTES: size // 4, BOOLEAN: size * 8 - 1}[physical]
            column = element(b"x", physical, REQUIRED)
            yield f"{name}_{kind}", flat(column, physical, count, page(count, PLAIN, packed, size), codec=number)
            yield f"{name}_{kind}_few", flat(column, physical, 10, page(10, PLAIN, packed, size), codec=number)
        column = element(b"x", BYTES, REQUIRED)
        first = dictionary(size // 4, packed, size)
        pages = first + page2(10, 0, 10, DICTIONARY, b"\1" + run(10))
        yield f"{name}_dictionary", flat(column, BYTES, 10, pages, data=len(first), codec=number)
        column = element(b"x", INT64, REQUIRED)
        yield f"{name}_claims", flat(column, INT64, 10, page(10, PLAIN, packed[:100], MOST), codec=number)
    column = element(b"x", INT64, REQUIRED)
    yield "dictionary_of_many", flat(column, INT64, 10, dictionary(MOST, b"\0" * 80) + page(10, DICTIONARY, b"\1\24\0"), data=99)
    yield "uncompressed_claims", flat(column, INT64, 10, page(10, PLAIN, bytes(80), MOST))
    yield "values_claims", flat(column, INT64, 2**62, page(MOST, PLAIN, bytes(80)))


def of_lists() -> Iterator[tuple[str, bytes]]:
    """Returns files of long lists."""
    for name, physical in [("int32", INT32), ("binary", BYTES), ("fixed", FIXED), ("boolean", BOOLEAN)]:
        for count in (MOST, 16_000_000):
            items = levels_of([(1, 0), (count - 1, 1)])
            nulls = page(count, PLAIN, items + levels(count, 2))
            yield f"list_of_nulls_{name}_{count}", lists(physical, 1, count, nulls)
            empty = page(count, PLAIN, levels(count, 0) + levels(count, 1))
            yield f"empty_lists_{name}_{count}", lists(physical, count, count, empty)
        first = dictionary(1, entry(physical, 16))
        if physical != BOOLEAN:
            count = MOST
            body = levels_of([(1, 0), (count - 1, 1)]) + levels(count, 3) + b"\1" + run(count)
            pages = first + page(count, DICTIONARY, body)
            yield f"list_of_runs_{name}", lists(physical, 1, count, pages, data=len(first))
    nulls = page(1000, PLAIN, levels(1000, 0) + levels(1000, 0))
    for size in (10_000_000, MOST):
        field = pa.field("x", pa.list_(pa.field("item", pa.int32()), size))
        yield f"fixed_size_list_{size}", lists(INT32, 1000, 1000, nulls, pairs=arrow(field))
    kinds = {"large_list": pa.large_list, "list_view": pa.list_view, "large_list_view": pa.large_list_view}
    for name, kind in kinds.items():
        count = 16_000_000
        empty = page(count, PLAIN, levels(count, 0) + levels(count, 1))
        yield f"{name}_lists", lists(INT32, count, count, empty, pairs=arrow(pa.field("x", kind(pa.int32()))))


def levels_of(runs: list[tuple[int, int]]) -> bytes:
    """Returns levels of several runs."""
    encoded = b"".join(run(count, of) for count, of in runs)
    return len(encoded).to_bytes(4, "little") + encoded


def of_arrow() -> Iterator[tuple[str, bytes]]:
    """Returns files whose Arrow schema makes values larger."""
    types = {
        "string_view": pa.string_view(),
        "large_string": pa.large_string(),
        "dictionary": pa.dictionary(pa.int8(), pa.string()),
        "dictionary64": pa.dictionary(pa.int64(), pa.large_string()),
        "run_end": pa.run_end_encoded(pa.int32(), pa.string()),
    }
    column = element(b"c0", BYTES, OPTIONAL, converted=0)
    for name, kind in types.items():
        first = dictionary(1, entry(BYTES, 10_000))
        for count in (16_000_000, MOST):
            pages = first + page(count, DICTIONARY, levels(count, 1) + b"\1" + run(count))
            pairs = arrow(pa.field("c0", kind))
            yield f"arrow_{name}_{count}", flat(column, BYTES, count, pages, data=len(first), pairs=pairs)


def of_footers() -> Iterator[tuple[str, bytes]]:
    """Returns files whose metadata claims much."""
    column, physical = element(b"x", INT64, OPTIONAL), INT64
    nulls = page(10, PLAIN, levels(10, 0))
    for count in (2**31, 2**40, 2**62, 2**63 - 1, -1):
        yield f"rows_{count}", flat(column, physical, count, nulls)
        schema = [root(1), column]
        yield f"no_columns_{count}", file(b"", footer([root(0)], count, [group([], count)] * 3))
        yield f"only_file_{count}", file(nulls, footer(schema, count, []))
    for field in (2, 4, 5):
        claims = [(1, "i32", 2), (field, "raw", (9, b"\xfc" + varint(MOST)))]
        yield f"list_of_many_{field}", file(b"", struct(claims))
    yield "binary_of_many", file(b"", struct([(1, "i32", 2), (6, "raw", (8, varint(MOST) + b"x"))]))
    yield "children_of_many", file(b"", footer([root(MOST), column], 1, []))
    yield "children_negative", file(b"", footer([root(-5), column], 1, []))
    deep = [element(b"g", None, OPTIONAL, children=1)] * 30_000
    yield "deep", file(b"", footer([root(1), *deep, column], 1, []))
    yield "deep_unknown", file(b"", struct([(1, "i32", 2), (15, "raw", (12, b"\x1c" * 500_000))]))
    yield "deep_lists", file(b"", struct([(1, "i32", 2), (15, "raw", (9, b"\x19" * 500_000))]))
    for count in (20_000, 100_000):
        yield f"empty_row_groups_{count}", file(b"", footer([root(0)], 0, [group([], 0)] * count))
    yield "row_groups_shared", flat(column, physical, 10, nulls, row_groups=20_000)
    yield "columns_shared", flat(column, physical, 10, nulls, columns=10_000)
    yield "names_shared", file(nulls, footer([root(20_000), *[column] * 20_000], 0, []))
    pair = [(1, "binary", b"k"), (2, "binary", b"v" * 10)]
    yield "pairs", flat(column, physical, 10, nulls, pairs=[(5, "list", ("struct", [pair] * 100_000))])


def of_indexes() -> Iterator[tuple[str, bytes]]:
    """Returns files with indexes and Bloom filters that claim much."""
    column = element(b"x", INT64, OPTIONAL)
    nulls = page(10, PLAIN, levels(10, 0))
    huge = b"\xfc" + varint(MOST)
    offsets = struct([(1, "raw", (9, huge))])
    bounds = struct([(1, "raw", (9, b"\xf1" + varint(MOST)))])
    bloom = struct([(1, "i32", MOST - 31), (2, "struct", [(1, "struct", [])]), (3, "struct", [(1, "struct", [])])])
    body = nulls + offsets + bounds + bloom
    at = 4 + len(nulls)
    indexes = [(4, "i64", at), (5, "i32", len(offsets)), (6, "i64", at + len(offsets)), (7, "i32", len(bounds))]
    more = [(14, "i64", at + len(offsets) + len(bounds)), (15, "i32", MOST)]
    for name, own, metadata in [("indexes", indexes, []), ("bloom", [], more), ("bloom_unknown", [], more[:1])]:
        chunks = [chunk(INT64, [b"x"], 10, 4, len(nulls), indexes=own, metadata=metadata)]
        yield f"{name}_of_many", file(body, footer([root(1), column], 10, [group(chunks, 10)]))
    for name, start, size in [("self", 0, 4), ("end", 2**62, 100), ("negative", -9, 100), ("all", 4, 2**40)]:
        chunks = [chunk(INT64, [b"x"], 10, start, size)]
        yield f"chunk_{name}", file(body, footer([root(1), column], 10, [group(chunks, 10)]))
    for size in (MOST, -1, -(2**31)):
        odd = [(1, "i32", 0), (2, "i32", size), (3, "i32", size)]
        odd += [(5, "struct", [(1, "i32", 10), (2, "i32", PLAIN), (3, "i32", RLE), (4, "i32", RLE)])]
        yield f"page_of_{size}", flat(column, INT64, 10, struct(odd) + bytes(90))
        yield f"page_without_{size}", flat(column, INT64, size, page(size, PLAIN, b""))


def of_columns() -> Iterator[tuple[str, bytes]]:
    """Returns files with many columns of many rows, and with sorting columns, within the limit of rows."""
    count = 16_000_000
    nulls = page(count, PLAIN, levels(count, 0))
    for name, physical in [("int64", INT64), ("binary", BYTES)]:
        column = element(b"x", physical, OPTIONAL)
        yield f"columns_{name}_16M", flat(column, physical, count, nulls, columns=100)
        chunks = [chunk(physical, [b"c0"], count, 4, len(nulls))]
        by = (4, "list", ("struct", [[(1, "i32", 0), (2, "bool", False), (3, "bool", True)]]))
        schema = [root(1), element(b"c0", physical, OPTIONAL)]
        yield f"sorted_{name}", file(nulls, footer(schema, count, [[*group(chunks, count), by]]))
    column = element(b"x", BYTES, OPTIONAL, converted=0)
    first = dictionary(1, entry(BYTES, 1 << 20))
    for depth in (1, 100):
        kind = pa.string_view()
        for _ in range(depth):
            kind = pa.struct([pa.field("x", kind)])
        pages = first + page(MOST, DICTIONARY, levels(MOST, 1) + b"\1" + run(MOST))
        yield f"arrow_deep_{depth}", flat(column, BYTES, MOST, pages, data=len(first), pairs=arrow(pa.field("c0", kind)))
    wide = pa.field("c0", pa.binary(2**31 - 1))
    yield "arrow_wide", flat(column, BYTES, 1000, page(1000, PLAIN, levels(1000, 0)), pairs=arrow(wide))
    pair = [(1, "binary", b"ARROW:schema"), (2, "binary", b"/" * 1_000_000)]
    yield "arrow_pairs", flat(column, BYTES, 10, page(10, PLAIN, levels(10, 0)), pairs=[(5, "list", ("struct", [pair] * 20))])


KINDS = [of_runs, of_encodings, of_codecs, of_lists, of_arrow, of_footers, of_indexes, of_columns]


def bombs(kinds: list[Callable[[], Iterator[tuple[str, bytes]]]] = KINDS) -> Iterator[tuple[str, bytes]]:
    """Returns the files of these kinds with their names."""
    for kind in kinds:
        yield from kind()


if __name__ == "__main__":
    import sys
    from pathlib import Path

    for bomb, content in bombs():
        (Path(sys.argv[1]) / f"{bomb}.parquet").write_bytes(content)
