"""Tables for exchanges with other libraries: a column of each type for each of several patterns of nulls."""

import datetime
import decimal

import numpy
import pyarrow

ROWS = 1000


def null_patterns(random):
    """Returns masks of null rows, by the name of the pattern."""
    row = numpy.arange(ROWS)
    return {
        "required": None,
        "none": row < 0,
        "all": row >= 0,
        "few": random.random(ROWS) < 0.1,
        "alternating": row % 2 == 0,
        "runs": row // 90 % 2 == 0,
    }


def integers(random, kind):
    bounds = numpy.iinfo(kind)
    return random.integers(bounds.min, bounds.max, ROWS, kind, endpoint=True)


def decimals(random, kind):
    digits = kind.precision
    numbers = ["".join(str(digit) for digit in random.integers(0, 10, digits)) for _ in range(ROWS)]
    with decimal.localcontext(prec=100):
        signs = random.choice([-1, 1], ROWS).tolist()
        values = [decimal.Decimal(number).scaleb(-kind.scale) * sign for number, sign in zip(numbers, signs)]
    return pyarrow.array(values, kind)


def floats(random, kind):
    values = random.normal(size=ROWS).round(2).astype(kind)
    values[::50], values[1::50], values[2::50] = numpy.nan, -0.0, numpy.inf
    return pyarrow.array(values)


def texts(random):
    """Returns strings of all lengths, some with a common prefix, some empty, some beyond ASCII."""
    words = ["", "a", "prefix/common/x", "prefix/common/y", "größer", "漢字" * 20]
    return [words[number % len(words)] + str(number // 7) * (number % 3) for number in random.integers(0, 200, ROWS)]


def flat_columns(random):
    """Returns flat columns by the name of the type, without nulls."""
    rising = random.integers(0, 1000, ROWS).cumsum()
    words = texts(random)
    blobs = [random.bytes(number % 40) for number in range(ROWS)]
    types = pyarrow
    columns = {f"{kind}": pyarrow.array(integers(random, kind)) for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")}
    columns |= {kind: floats(random, kind) for kind in ("f2", "f4", "f8")}
    columns |= {
        "bool": pyarrow.array(random.random(ROWS) < 0.5),
        "bool runs": pyarrow.array(numpy.arange(ROWS) // 70 % 2 == 0),
        "constant": pyarrow.array(numpy.full(ROWS, 7)),
        "rising": pyarrow.array(rising),
        "date32": pyarrow.array(rising.astype("i4"), types.date32()),
        "time32": pyarrow.array(rising.astype("i4") % 86_400_000, types.time32("ms")),
        "time64 us": pyarrow.array(rising, types.time64("us")),
        "time64 ns": pyarrow.array(rising, types.time64("ns")),
        "duration": pyarrow.array(rising, types.duration("us")),
        "string": pyarrow.array(words),
        "large_string": pyarrow.array(words, types.large_string()),
        "string_view": pyarrow.array(words, types.string_view()),
        "category": pyarrow.array(words).dictionary_encode(),
        "binary": pyarrow.array(blobs, types.binary()),
        "large_binary": pyarrow.array(blobs, types.large_binary()),
        "binary_view": pyarrow.array(blobs, types.binary_view()),
        "fixed1": pyarrow.array([random.bytes(1) for _ in range(ROWS)], types.binary(1)),
        "fixed5": pyarrow.array([random.bytes(5) for _ in range(ROWS)], types.binary(5)),
        "fixed16": pyarrow.array([random.bytes(16) for _ in range(ROWS)], types.binary(16)),
    }
    for unit in ("ms", "us", "ns"):
        columns[f"timestamp {unit}"] = pyarrow.array(rising * 1_000_000, types.timestamp(unit))
        columns[f"timestamp {unit} utc"] = pyarrow.array(rising * 1_000_000, types.timestamp(unit, "UTC"))
    for digits in (4, 9, 10, 18, 19, 38):
        columns[f"decimal{digits}"] = decimals(random, types.decimal128(digits, 2))
    return columns | {"decimal76": decimals(random, types.decimal256(76, 2))}


def nested_columns(random):
    """Returns nested columns by the name of the type, with nulls within the rows."""
    words = texts(random)

    def maybe(value):
        return None if random.random() < 0.15 else value

    def several(item):
        return [maybe(item()) for _ in range(random.integers(0, 5))]

    def integer():
        return int(random.integers(-(2**29), 2**29))

    def real():
        return float(random.normal())

    def word():
        return words[random.integers(0, ROWS)]

    def moment():
        return datetime.datetime(2026, 1, 1) + datetime.timedelta(microseconds=integer())

    def point():
        return {"x": maybe(integer()), "y": maybe(word())}

    def keyed(value):
        return [(key, maybe(value())) for key in range(random.integers(0, 4))]

    types = pyarrow
    pair = types.struct([("x", types.int32()), ("y", types.string())])
    inner = types.struct([("d", types.float64()), ("l", types.list_(types.int64()))])
    row = {
        "list i4": (types.list_(types.int32()), lambda: several(integer)),
        "list f4": (types.list_(types.float32()), lambda: several(real)),
        "list bool": (types.list_(types.bool_()), lambda: several(lambda: bool(random.random() < 0.5))),
        "list string": (types.list_(types.string()), lambda: several(word)),
        "list view": (types.list_(types.string_view()), lambda: several(word)),
        "list time": (types.list_(types.timestamp("us")), lambda: several(moment)),
        "list fixed": (types.list_(types.binary(5)), lambda: several(lambda: random.bytes(5))),
        "large list": (types.large_list(types.float64()), lambda: several(real)),
        "fixed list": (types.list_(types.float32(), 3), lambda: [maybe(real()) for _ in range(3)]),
        "list list": (types.list_(types.list_(types.int64())), lambda: several(lambda: several(integer))),
        "struct": (pair, point),
        "struct struct": (
            types.struct([("a", types.bool_()), ("s", inner)]),
            lambda: {"a": maybe(True), "s": maybe({"d": maybe(real()), "l": maybe(several(integer))})},
        ),
        "list struct": (types.list_(pair), lambda: several(point)),
        "map": (types.map_(types.int32(), types.string()), lambda: keyed(word)),
        "map list": (types.map_(types.int32(), types.list_(types.int64())), lambda: keyed(lambda: several(integer))),
    }
    return {name: pyarrow.array([make() for _ in range(ROWS)], kind) for name, (kind, make) in row.items()}


def with_nulls(column, pattern):
    if pattern is None:
        return column
    if "view" in str(column.type):
        # pyarrow cannot take rows of view types.
        values = [None if null else value for null, value in zip(pattern, column.to_pylist())]
        return pyarrow.array(values, column.type)
    return column.take(pyarrow.array(numpy.arange(ROWS), mask=pattern))


def table():
    """Returns a table of all columns, named by type and pattern of nulls: `f8, runs`."""
    random = numpy.random.default_rng(1)
    patterns = null_patterns(random)
    columns, fields = [], []
    for name, column in (flat_columns(random) | nested_columns(random)).items():
        for null, pattern in patterns.items():
            columns.append(with_nulls(column, pattern))
            fields.append(pyarrow.field(f"{name}, {null}", columns[-1].type, nullable=pattern is not None))
    return pyarrow.table(columns, schema=pyarrow.schema(fields))


def assert_same(one, other):
    """Checks that two tables have the same types and values, comparing floats by their bits."""
    assert one.column_names == other.column_names, (one.column_names, other.column_names)
    assert one.num_rows == other.num_rows, (one.num_rows, other.num_rows)
    for name in one.column_names:
        columns = [whole[name].combine_chunks() for whole in (one, other)]
        if all(pyarrow.types.is_dictionary(column.type) for column in columns):
            # Readers may choose the indices, and string or large string.
            columns = [column.cast(pyarrow.string()) for column in columns]
        kinds = [column.type for column in columns]
        assert kinds[0] == kinds[1], f"{name}: {kinds[0]} and {kinds[1]}"
        if pyarrow.types.is_floating(kinds[0]):
            assert columns[0].is_null().equals(columns[1].is_null()), f"{name}: other nulls"
            columns = [column.drop_null().to_numpy().tobytes() for column in columns]
            assert columns[0] == columns[1], f"{name}: other values"
        else:
            assert columns[0].equals(columns[1]), f"{name}: other values"
