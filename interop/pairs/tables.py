"""Makes random pairs of tables over all Arrow types, which have the same columns, related ones, or lack some."""

import decimal

import numpy
import polars
import pyarrow as pa

UNITS = ["s", "ms", "us", "ns"]
KEYS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
INTEGERS = KEYS
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
BYTES = [pa.binary(), pa.large_binary(), pa.binary_view()]
DECIMALS = [pa.decimal32(7, 2), pa.decimal64(15, 2), pa.decimal128(9, 2), pa.decimal128(30, 2), pa.decimal256(50, 2)]
TIMES = [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")]
# Types of each list are related: some of them have a common type.
FAMILIES = [
    [pa.bool_()],
    INTEGERS,
    FLOATS,
    TEXTS,
    BYTES,
    DECIMALS,
    [pa.decimal128(12, 3), pa.decimal128(12, 4)],
    [pa.date32(), pa.date64()],
    TIMES,
    [pa.timestamp(unit) for unit in UNITS],
    [pa.timestamp(unit, zone) for unit in UNITS for zone in ("UTC", "Europe/Berlin")],
    [*[pa.duration(unit) for unit in UNITS], pa.int64()],
    [pa.binary(16), pa.uuid(), pa.binary(15)],
    [pa.int8(), pa.bool8()],
    [pa.string(), pa.json_(pa.string()), pa.json_(pa.large_string())],
    [pa.opaque(pa.int32(), name, "vendor") for name in ("one", "other")] + [pa.int32()],
    [pa.fixed_shape_tensor(pa.float32(), shape) for shape in ([2, 2], [4], [1, 4])],
    [pa.null()],
]


def choose(random, choices):
    return choices[random.integers(len(choices))]


def flat(random):
    """Returns two related types without children."""
    family = choose(random, FAMILIES)
    return choose(random, family), choose(random, family)


def dictionaries(random):
    """Returns two types of dictionaries."""
    values = choose(random, [TEXTS[:2], BYTES[:2], INTEGERS, FLOATS[1:], DECIMALS[2:3], [pa.date32()], [pa.timestamp("us")]])
    ordered = bool(random.integers(2))
    other = ordered if random.integers(8) else not ordered
    kinds = [pa.dictionary(choose(random, KEYS), choose(random, values), it) for it in (ordered, other)]
    return kinds[0], choose(random, [kinds[0], kinds[1], kinds[0].value_type])


def nested(random, depth):
    """Returns two types whose children are related."""
    one, other = types(random, depth + 1)
    field = lambda kind: pa.field("item", kind, True)  # noqa: E731
    match random.integers(6):
        case 0:
            return pa.list_(field(one)), pa.list_(pa.field("element", other))
        case 1:
            return pa.large_list(field(one)), choose(random, [pa.list_, pa.large_list])(field(other))
        case 2:
            return pa.list_(field(one), 2), pa.list_(field(other), choose(random, [2, 2, 2, 3]))
        case 3 | 4:
            more, others = types(random, depth + 1)
            members = [pa.field("a", other), pa.field("b", others)]
            if random.integers(3) == 0:
                members = choose(random, [members[:1], members[::-1]])
            return pa.struct([("a", one), ("b", more)]), pa.struct(members)
        case _:
            return pa.map_(pa.string(), one), pa.map_(pa.string(), other)


def types(random, depth=0):
    """Returns the types of a column in both files, which are the same in most cases."""
    kind = random.integers(10)
    if kind < 3 and depth < 3:
        one, other = nested(random, depth)
    elif kind < 6:
        one, other = dictionaries(random)
    else:
        one, other = flat(random)
    return one, (other if random.integers(3) == 0 else one)


def numbers(random, kind, count):
    """Returns numbers in the range of a type."""
    bounds = numpy.iinfo(kind.to_pandas_dtype())
    low, high = (max(bounds.min, -100), min(bounds.max, 100)) if random.integers(2) else (bounds.min, bounds.max)
    return [int(it) for it in random.integers(low, high, count, dtype=kind.to_pandas_dtype(), endpoint=True)]


def scalars(random, kind, count):
    """Returns values of a type without children."""
    few = choose(random, [3, 100, 100_000])
    small = [int(it) for it in random.integers(0, few, count)]
    test = pa.types
    if test.is_boolean(kind):
        return [it % 2 == 0 for it in small]
    if test.is_integer(kind):
        return numbers(random, kind, count)
    if test.is_floating(kind):
        special = [float("nan"), -0.0, float("inf"), 0.5]
        found = [special[it] if it < 4 else it / 8 for it in small]
        return [numpy.float16(it) for it in found] if test.is_float16(kind) else found
    if test.is_decimal(kind):
        return [decimal.Decimal(it % 10_000 - 50).scaleb(-kind.scale) for it in small]
    if test.is_fixed_size_binary(kind):
        return [it.to_bytes(kind.byte_width, "big") for it in small]
    if kind in BYTES:
        return [b"\xff" * (it % 3) + str(it).encode() for it in small]
    if kind in TEXTS:
        return [f"{'größer ' * (it % 4)}{it}" for it in small]
    if kind == pa.date64():
        return [it * 86_400_000 for it in small]
    if test.is_time(kind):
        return [it % 80_000 for it in small]
    return [it - 30 for it in small]


def mask(random, count):
    """Returns which values are null."""
    share = choose(random, [0, 0, 0.2, 1])
    nulls = random.random(count) < share
    if random.integers(6) == 0:
        # Some row groups have no values.
        nulls[: count // 2] = True
    return nulls


def dictionary(random, kind, count):
    """Returns a dictionary with entries that are not all used."""
    most = {pa.int8(): 100, pa.uint8(): 200}.get(kind.index_type, 300)
    entries = scalars(random, kind.value_type, int(choose(random, [1, 5, most])))
    entries = list({repr(it): it for it in entries}.values())
    indices = [int(it) for it in random.integers(0, len(entries), count)]
    indices = pa.array(indices, kind.index_type, mask=mask(random, count))
    return pa.DictionaryArray.from_arrays(indices, pa.array(entries, kind.value_type), ordered=kind.ordered)


def array(random, kind, count):
    """Returns random values of any type."""
    test = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, array(random, kind.storage_type, count))
    if test.is_null(kind):
        return pa.nulls(count)
    if test.is_dictionary(kind):
        return dictionary(random, kind, count)
    if test.is_struct(kind):
        members = [array(random, field.type, count) for field in kind]
        return pa.StructArray.from_arrays(members, fields=list(kind), mask=pa.array(mask(random, count)))
    if test.is_fixed_size_list(kind):
        entries = array(random, kind.value_type, count * kind.list_size)
        return pa.FixedSizeListArray.from_arrays(entries, type=kind, mask=pa.array(mask(random, count)))
    if test.is_list(kind) or test.is_large_list(kind) or test.is_map(kind):
        lengths = random.integers(0, 4, count)
        nulls = mask(random, count)
        lengths[nulls] = 0
        offsets = numpy.concatenate([[0], numpy.cumsum(lengths)])
        total = int(offsets[-1])
        if test.is_map(kind):
            keys = pa.array([f"key {it}" for it in range(total)], kind.key_type)
            return pa.MapArray.from_arrays(pa.array(offsets, pa.int32()), keys, array(random, kind.item_type, total), kind)
        of, width = (pa.ListArray, pa.int32()) if test.is_list(kind) else (pa.LargeListArray, pa.int64())
        entries = array(random, kind.value_type, total)
        return of.from_arrays(pa.array(offsets, width), entries, type=kind, mask=pa.array(nulls))
    return pa.array(scalars(random, kind, count), kind, mask=mask(random, count))


def frames(random):
    """Returns two frames of Polars with Enums, categories, durations and nulls."""
    found, unit = [], choose(random, ["ms", "us", "ns"])
    for number in range(2):
        count = int(choose(random, [1, 50, 300]))
        categories = [f"k{it}" for it in range(number * int(random.integers(2)), int(choose(random, [3, 150])))]
        texts = [choose(random, categories) for _ in range(count)]
        texts = [None if is_null else it for it, is_null in zip(texts, mask(random, count))]
        random.shuffle(categories)
        other = choose(random, ["ms", "us", "ns"]) if random.integers(4) == 0 else unit
        found.append(
            polars.DataFrame(
                {
                    "enum": polars.Series(texts, dtype=polars.Enum(categories)),
                    "category": polars.Series(texts, dtype=polars.Categorical),
                    "none": [None] * count,
                    "duration": polars.Series(range(count), dtype=polars.Duration(other)),
                    "list": polars.Series([[it] for it in texts], dtype=polars.List(polars.Enum(categories))),
                }
            )
        )
    return found


def pandas_frames(random):
    """Returns two tables from data frames of pandas with categories, and metadata of pandas."""
    import pandas

    found, ordered = [], bool(random.integers(2))
    for number in range(2):
        count = int(choose(random, [1, 50, 300]))
        start = number * int(choose(random, [0, 0, 2, 100]))
        categories = [f"k{it:03}" for it in range(start, start + int(choose(random, [3, 100])))]
        texts = [choose(random, categories) for _ in range(count)]
        column = pandas.Categorical(texts, categories=categories, ordered=ordered)
        index = pandas.Index(range(10, 10 + count), name="index") if random.integers(2) else None
        found.append(pa.Table.from_pandas(pandas.DataFrame({"category": column, "number": range(count)}, index=index)))
    return found


def pair(random):
    """Returns two tables."""
    kind = random.integers(12)
    if kind == 0:
        return frames(random)
    if kind == 1:
        return pandas_frames(random)
    schemas = ([], [])
    for index in range(int(random.integers(1, 5))):
        one, other = types(random)
        schemas[0].append((f"c{index}", one))
        match random.integers(12):
            case 0:
                continue
            case 1:
                other = pa.null()
        schemas[1].append((f"c{index}", other))
    if not schemas[1]:
        schemas[1].append(schemas[0][0])
    if random.integers(6) == 0:
        schemas[1].reverse()
    return [table(random, schema) for schema in schemas]


def table(random, schema):
    count = int(choose(random, [0, 1, 5, 60, 300]))
    return pa.table({name: array(random, kind, count) for name, kind in schema})


def settings(random, table):
    """Returns random settings of pyarrow's writer. Only pages with a dictionary keep the order of its entries."""
    pick = lambda *choices: choose(random, choices)  # noqa: E731
    found = {
        "compression": pick("none", "snappy", "gzip", "zstd", "lz4"),
        "data_page_version": pick("1.0", "2.0"),
        "row_group_size": pick(20, 100, 1_000_000),
        "data_page_size": pick(100, 1 << 20),
        "write_statistics": pick(True, True, False),
        "write_page_index": pick(True, False),
        "use_dictionary": pick(True, True, False),
        "dictionary_pagesize_limit": pick(200, 1 << 20),
        "version": "2.6",
    }
    if "ordered=1" in table.schema.to_string(truncate_metadata=False):
        found |= {"use_dictionary": True, "dictionary_pagesize_limit": 1 << 20}
    return found
