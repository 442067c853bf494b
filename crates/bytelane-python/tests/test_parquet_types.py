"""`bytelane.parquet`: types that differ between Arrow and Parquet, and unusual files."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from tables import encodings, pa, pq

from bytelane import parquet

pytestmark = pytest.mark.usefixtures("in_new_directory")


def written(table: Any, **options: Any) -> Any:
    """Writes a table to `a.parquet`, and opens the file with pyarrow."""
    parquet.write_table(table, "a.parquet", **options)
    return pq.ParquetFile("a.parquet")


def days(*milliseconds: int) -> Any:
    return pa.array(milliseconds, pa.int64()).view(pa.date64())


# Writing.


def test_times_are_stored_as_pyarrow_does() -> None:
    seconds = pa.array([1_700_000_000, None, -1], pa.timestamp("s"))
    table = pa.table(
        {
            "local": seconds,
            "zone": seconds.cast(pa.timestamp("s", "Europe/Berlin")),
            "time": pa.array([3600, None, 86_399], pa.time32("s")),
            "date": days(86_400_000, 0, -86_400_000),
            "list": pa.array([[1], None, [2, 3]], pa.list_(pa.timestamp("s"))),
            "group": pa.array([{"time": 1}, {"time": 2}, None], pa.struct([("time", pa.time32("s"))])),
        }
    )
    own = written(table)
    pq.write_table(table, "b.parquet")
    theirs = pq.ParquetFile("b.parquet")
    for column in range(len(theirs.schema)):
        one, other = own.schema.column(column), theirs.schema.column(column)
        assert one.physical_type == other.physical_type
        assert str(one.logical_type) == str(other.logical_type)
    assert own.read().equals(theirs.read())
    for name in "ab":
        assert parquet.read_table(f"{name}.parquet").to_pyarrow().to_pylist() == theirs.read().to_pylist()


def test_times_too_far_away() -> None:
    for array in [pa.array([2**62], pa.timestamp("s")), pa.array([2**30], pa.time32("s")), days(2**62)]:
        with pytest.raises(parquet.ParquetError, match="column far: ") as raised:
            parquet.write_table(pa.table({"far": array}), "a.parquet")
        assert raised.value.column == "far"


def extended() -> Any:
    ids = pa.array([b"a" * 16, None], pa.uuid())
    return pa.table(
        {
            "id": ids,
            "json": pa.array(["{}", "[1]"], pa.json_()),
            "large": pa.array(["{}", "[1]"], pa.json_(pa.large_string())),
            "ids": pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), ids),
        }
    )


def test_extension_types_are_logical_types() -> None:
    table = extended()
    file = written(table)
    logical = [str(file.schema.column(column).logical_type) for column in range(4)]
    assert logical == ["UUID", "JSON", "JSON", "UUID"]
    assert file.read().equals(table)
    assert parquet.read_table("a.parquet").to_pyarrow().equals(table)
    parquet.rewrite("a.parquet", "b.parquet", compression="zstd", verify=True)
    assert pq.read_table("b.parquet").equals(table)
    for store_schema in [False, True]:
        pq.write_table(table, "c.parquet", store_schema=store_schema)
        read = parquet.read_table("c.parquet").to_pyarrow()
        assert read.schema.remove_metadata() == pq.read_table("c.parquet").schema.remove_metadata()
        assert read.to_pylist() == table.to_pylist()


class Geometries(pa.ExtensionType):  # type: ignore[misc]
    """`geoarrow.wkb`, which pyarrow maps to Parquet's types once it is registered."""

    def __init__(self, metadata: str = "{}") -> None:
        self.metadata = metadata
        super().__init__(pa.binary(), "geoarrow.wkb")

    def __arrow_ext_serialize__(self) -> bytes:
        return self.metadata.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: Any, serialized: bytes) -> Any:
        return cls(serialized.decode())


@pytest.fixture
def geometries() -> Iterator[None]:
    pa.register_extension_type(Geometries())
    yield
    pa.unregister_extension_type("geoarrow.wkb")


@pytest.mark.usefixtures("geometries")
@pytest.mark.parametrize(
    ("metadata", "logical"),
    [
        ('{"crs":"OGC:CRS84","crs_type":"authority_code"}', "Geometry(crs=)"),
        ('{"crs":"EPSG:2056"}', "Geometry(crs=EPSG:2056)"),
        ('{"crs":"7","crs_type":"srid"}', "Geometry(crs=srid:7)"),
        ('{"crs":"EPSG:2056","edges":"spherical"}', "Geography(crs=EPSG:2056, algorithm=spherical)"),
    ],
)
def test_geometries_are_those_of_pyarrow(metadata: str, logical: str) -> None:
    points = [struct.pack("<BIdd", 1, 1, x, -x) for x in range(100)]
    table = pa.table({"g": pa.ExtensionArray.from_storage(Geometries(metadata), pa.array(points))})
    pq.write_table(table, "a.parquet")
    parquet.write_table(table, "b.parquet")
    # pyarrow forgets that 7 is a number.
    sources = ["b.parquet"] if "srid" in metadata else ["a.parquet", "b.parquet"]
    parquet.merge(sources, "c.parquet")
    for path, rows in [(path, 100) for path in sources] + [("c.parquet", 100 * len(sources))]:
        file = pq.ParquetFile(path)
        assert str(file.schema.column(0).logical_type) == logical
        statistics = file.metadata.row_group(0).column(0).geo_statistics
        if path != "a.parquet":
            assert statistics.geospatial_types == [1]
        if path != "a.parquet" and logical.startswith("Geometry"):
            assert (statistics.xmin, statistics.xmax, statistics.ymin, statistics.ymax) == (0, 99, -99, 0)
        read = parquet.read_table(path).to_pyarrow()
        assert read["g"].type.metadata == metadata
        assert read["g"].combine_chunks().storage.to_pylist() == points * (rows // 100)
        assert file.read()["g"].to_pylist() == read["g"].to_pylist()
        inside = parquet.read_table(path, filters="st_intersects_box(g, 10, -20, 20.5, 0)").to_pyarrow()
        assert inside["g"].combine_chunks().storage.to_pylist() == points[10:21] * (rows // 100)


@pytest.mark.parametrize("width", [16, 64, 65, 100])
def test_bounds_of_a_fixed_length_are_not_cut(width: int) -> None:
    values = [bytes([row]) + b"\xff" * (width - 1) for row in range(50)]
    table = pa.table({"hash": pa.array(values, pa.binary(width)), "id": range(50)})
    metadata = written(table).metadata
    # pyarrow 26 crashes on truncated bounds.
    statistics = metadata.row_group(0).column(0).statistics
    assert (statistics.min, statistics.max) == (values[0], values[-1])
    assert pq.read_table("a.parquet", filters=[("hash", "==", values[5])]).num_rows == 1


def test_values_of_no_bytes() -> None:
    for array in [pa.array([b""], pa.binary(0)), pa.array([[b""]], pa.list_(pa.binary(0)))]:
        with pytest.raises(parquet.ParquetError, match="column empty: "):
            parquet.write_table(pa.table({"empty": array}), "a.parquet")


@pytest.mark.parametrize("goal", ["size", "balanced", "read"])
def test_pyarrow_reads_nested_dictionaries_of_several_row_groups(goal: parquet.Goal) -> None:
    keys = pa.array([row * 7 % 6 for row in range(800)], pa.int8())
    words = pa.DictionaryArray.from_arrays(keys, [f"a rather long word, number {word}" for word in range(6)])
    lists = pa.ListArray.from_arrays(pa.array(range(0, 801, 2), pa.int32()), words)
    table = pa.table({"lists": lists, "flat": words.slice(0, 400)})
    pq.write_table(table, "a.parquet", use_dictionary=False, row_group_size=100)
    parquet.rewrite("a.parquet", "b.parquet", goal=goal, compression="zstd", verify=True)
    assert pq.ParquetFile("b.parquet").read().to_pylist() == table.to_pylist()
    # With one row group, dictionaries are used.
    pq.write_table(table, "a.parquet", use_dictionary=False)
    parquet.rewrite("a.parquet", "c.parquet", goal="size", compression="none")
    assert encodings("c.parquet")["lists.list.element"] == {"RLE_DICTIONARY", "PLAIN"}
    assert pq.ParquetFile("c.parquet").read().to_pylist() == table.to_pylist()


# Reading.


def with_metadata(table: Any, metadata: dict[bytes, bytes]) -> None:
    pq.write_table(table.replace_schema_metadata(metadata), "a.parquet", store_schema=False)


def check(expected: list[dict[str, Any]]) -> None:
    """Checks that all functions work with `a.parquet`, which has these rows."""
    assert parquet.read_table("a.parquet").to_pyarrow().to_pylist() == expected
    with parquet.ParquetFile("a.parquet") as file:
        assert file.num_rows == len(expected)
        names = file.schema.names
        batches = list(file.iter_batches(batch_size=1))
    assert [row for batch in batches for row in batch.to_pyarrow().to_pylist()] == expected
    for name in names:
        column = parquet.read_table("a.parquet", [name]).to_pyarrow().to_pylist()
        assert column == [{name: row[name]} for row in expected]
    advice = parquet.advise("a.parquet")
    assert [column["path"] for column in advice.columns] == names
    parquet.rewrite("a.parquet", "rewritten.parquet", compression="zstd", verify=True, force=True)
    assert parquet.read_table("rewritten.parquet").to_pyarrow().to_pylist() == expected
    before, after = (pq.read_metadata(name).metadata for name in ("a.parquet", "rewritten.parquet"))
    assert before == after


def test_metadata_need_not_be_text() -> None:
    rows: list[dict[str, Any]] = [{"a": 1}, {"a": 2}]
    with_metadata(pa.Table.from_pylist(rows), {b"stats": b"PAR1\xff\xfe\x00", b"\xff": b"1", b"text": b"x"})
    check(rows)


def test_a_schema_of_other_columns_is_ignored() -> None:
    rows: list[dict[str, Any]] = [{"a": 1, "b": "x"}, {"a": None, "b": "y"}]
    table = pa.Table.from_pylist(rows)
    others = [
        pa.schema([]),
        pa.schema([("a", pa.int64())]),
        pa.schema([("b", pa.string()), ("a", pa.int64())]),
        pa.schema([("a", pa.int64()), ("b", pa.string()), ("c", pa.string())]),
        pa.schema([("a", pa.list_(pa.int64())), ("b", pa.string())]),
    ]
    for schema in others:
        with_metadata(table, {b"ARROW:schema": base64.b64encode(schema.serialize().to_pybytes())})
        check(rows)
    with_metadata(table, {b"ARROW:schema": b"\xff no schema"})
    check(rows)


def test_a_schema_changes_no_value() -> None:
    rows: list[dict[str, Any]] = [{"decimal": Decimal("123.45")}, {"decimal": Decimal("-0.01")}]
    table = pa.Table.from_pylist(rows, pa.schema([("decimal", pa.decimal128(9, 2))]))
    for data_type in [pa.decimal128(9, 4), pa.decimal256(40, 10), pa.decimal128(8, 2), pa.float64()]:
        schema = pa.schema([("decimal", data_type)])
        with_metadata(table, {b"ARROW:schema": base64.b64encode(schema.serialize().to_pybytes())})
        check(rows)
    seconds = pa.array([10**9, 2 * 10**9], pa.timestamp("ns"))
    for unit in ["s", "ms", "us"]:
        schema = pa.schema([("time", pa.timestamp(unit))])
        metadata = {b"ARROW:schema": base64.b64encode(schema.serialize().to_pybytes())}
        with_metadata(pa.table({"time": seconds}), metadata)
        assert parquet.read_table("a.parquet").to_pyarrow().column("time").to_pylist() == seconds.to_pylist()


@pytest.mark.parametrize("write", [pq.write_table, parquet.write_table])
def test_dictionaries_of_all_types_are_read(write: Callable[..., None]) -> None:
    for values in [
        pa.array([True, None, False, True]),
        pa.array([b"ab", b"cd", None, b"ab"], pa.binary(2)),
        pa.array(["1.5", "-2", None, "1.5"]).cast(pa.decimal128(5, 2)),
        pa.array(["1.5", "-2", None, "1.5"]).cast(pa.decimal128(30, 2)),
        pa.array(["1.5", "-2", None, "1.5"]).cast(pa.decimal256(60, 2)),
        pa.array([1.5, 2.5, None, 1.5], pa.float32()),
        pa.array([1, 2, None, 1], pa.time64("us")),
        pa.array([b"ab", b"c", None, b"ab"]),
    ]:
        table = pa.table({"a": values.dictionary_encode(), "b": range(4)})
        write(table, "a.parquet")
        check(table.to_pylist())


# Meanings.


def test_columns_of_nulls_of_polars_are_written() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"none": [None, None], "list": [[None], []], "id": [1, 2]})
    parquet.write_table(frame, "a.parquet")
    assert pq.read_table("a.parquet").to_pylist() == frame.to_arrow().to_pylist()
    assert parquet.read_table("a.parquet").to_pyarrow().schema.field("none").type == pa.null()


def test_dictionaries_of_nulls_are_columns_of_nulls() -> None:
    # As pandas has them for a category without values.
    nulls = pa.DictionaryArray.from_arrays(pa.array([None] * 5, pa.int8()), pa.nulls(0))
    table = pa.table({"id": range(5), "none": nulls})
    pq.write_table(table, "theirs.parquet", row_group_size=2)
    written(table, row_group_size=2)
    for path in ["theirs.parquet", "a.parquet"]:
        read = pq.read_table(path)
        assert read.column("none").type == pa.null()
        assert parquet.read_table(path).to_pyarrow().equals(read)


def test_metadata_that_is_not_utf8_is_kept() -> None:
    table = pa.table({"a": [1]}).replace_schema_metadata({b"k\xff": b"v\xfe", "text": "value"})
    parquet.write_table(table, "a.parquet")
    with parquet.ParquetWriter("b.parquet", table.schema) as writer:
        writer.write_table(table)
    for name in "ab":
        metadata = pq.read_metadata(f"{name}.parquet").metadata
        assert metadata[b"k\xff"] == b"v\xfe"
        assert metadata[b"text"] == b"value"


def test_metadata_of_fields_that_is_not_utf8_is_kept() -> None:
    item = pa.field("element", pa.int64(), metadata={b"\xfe": b"1"})
    field = pa.field("a", pa.list_(item), metadata={b"k": b"\xff\xfe", b"text": b"x"})
    table = pa.table({"a": [[1]]}, pa.schema([field], metadata={b"k\xff": b"v\xfe", b"text": b"x"}))

    def in_arrow(name: str) -> Any:
        encoded = pq.read_metadata(name).metadata[b"ARROW:schema"]
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(encoded)))

    pq.write_table(table, "expected.parquet")
    parquet.write_table(table, "a.parquet")
    with parquet.ParquetWriter("b.parquet", table.schema) as writer:
        writer.write_table(table)
    expected = in_arrow("expected.parquet")
    for name in ("a.parquet", "b.parquet"):
        assert in_arrow(name).equals(expected, check_metadata=True)
        assert pq.read_schema(name).field("a").metadata[b"k"] == b"\xff\xfe"
        assert parquet.read_table(name).to_pyarrow().to_pylist() == [{"a": [1]}]
        # The table was exported more than once.
        assert table.schema.field("a").metadata[b"k"] == b"\xff\xfe"


def text_of(values: list[bytes | None], kind: Any) -> Any:
    """Returns text that pyarrow did not validate."""
    plain = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    return pa.Array.from_buffers(kind, len(values), pa.array(values, plain[kind]).buffers())


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_text_that_is_not_utf8_is_refused(kind: Any) -> None:
    long = b"longer than twelve bytes "
    for bad in [b"\xff", long + b"\xc3", long + b"\xed\xa0\x80"]:
        text = text_of([b"ab", None, "größer".encode(), bad], kind)
        arrays = [
            (3, text),
            (3, pa.StructArray.from_arrays([text], ["inner"])),
            (1, pa.ListArray.from_arrays(pa.array([0, 3, 4], pa.int32()), text)),
            (2, pa.DictionaryArray.from_arrays(pa.array([0, 2, 3, 0], pa.int8()), text)),
            (0, pa.FixedSizeListArray.from_arrays(text, 4)),
        ]
        for row, array in arrays:
            # The second batch of the table.
            column = pa.chunked_array([array.slice(0, 0), array])
            with pytest.raises(ValueError, match=f"column bad, row {row}: the text is not UTF-8"):
                parquet.write_table(pa.table({"bad": column}), "a.parquet")


def test_bytes_that_belong_to_no_row_may_be_anything() -> None:
    text = text_of([b"ab", b"\xff", "ö".encode()], pa.string())
    mask = pa.array([False, True, False])
    arrays = [
        text.slice(2),
        pa.StructArray.from_arrays([text], ["inner"], mask=mask),
        pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), text),
        pa.DictionaryArray.from_arrays(pa.array([0, 2], pa.int8()), text),
    ]
    for array in arrays:
        parquet.write_table(pa.table({"text": array}), "a.parquet")
        assert pq.read_table("a.parquet")["text"].to_pylist() == array.to_pylist()


def test_zones_of_seconds_are_kept() -> None:
    table = pa.table({"zone": pa.array([1], pa.timestamp("s", "Asia/Tokyo"))})
    pq.write_table(table, "a.parquet")
    schema = parquet.read_table("a.parquet").to_pyarrow().schema
    assert schema.field("zone").type == pa.timestamp("ms", "Asia/Tokyo")


def test_uuids_are_compared_with_their_text() -> None:
    import uuid

    ids = [uuid.uuid4() for _ in range(3)]
    pq.write_table(pa.table({"id": pa.array([it.bytes for it in ids], pa.uuid())}), "a.parquet")
    for value in [ids[1], str(ids[1]), ids[1].bytes]:
        assert parquet.read_table("a.parquet", filters=[("id", "==", value)]).num_rows == 1
    with pytest.raises(parquet.ParquetError, match="'abc' is not a UUID|\"abc\" is not a UUID"):
        parquet.read_table("a.parquet", filters=[("id", "==", "abc")])
    assert parquet.read_table("a.parquet", string_type="string_view").num_rows == 3
