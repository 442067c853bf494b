"""`bytelane.parquet`: filters, sources of all kinds, metadata, and exchange without a copy."""

from __future__ import annotations

import datetime
import decimal
import io
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import ROWS, nested, numbers, pa, pq, same

from bytelane import parquet

pytestmark = pytest.mark.usefixtures("in_new_directory")


# Filters.

DAY = datetime.date(2024, 1, 1)
TIME = datetime.datetime(2024, 1, 1, 12, 30)

# Types, each with a few distinct values, so that filters match some rows.
COLUMNS: dict[str, tuple[Any, list[Any]]] = {
    "int8": (pa.int8(), [-3, 0, 1, 127]),
    "int64": (pa.int64(), [-(2**53), 0, 1, 2**40]),
    "uint32": (pa.uint32(), [0, 1, 2**32 - 1]),
    "float64": (pa.float64(), [-1.5, 0.0, 0.1, float("inf"), float("nan")]),
    "float32": (pa.float32(), [-1.5, 0.25, 3.0]),
    "text": (pa.string(), ["", "a", "ab", "é", "z" * 80]),
    "binary": (pa.binary(), [b"", b"\x00", b"\xff\xfe"]),
    "bool": (pa.bool_(), [True, False]),
    "date": (pa.date32(), [DAY + datetime.timedelta(days=days) for days in range(3)]),
    "time": (pa.timestamp("us"), [TIME + datetime.timedelta(hours=hours) for hours in range(3)]),
    "utc": (pa.timestamp("ms", "UTC"), [TIME.replace(tzinfo=datetime.UTC, year=year) for year in (1960, 2024)]),
    "decimal": (pa.decimal128(10, 2), [decimal.Decimal("-1.25"), decimal.Decimal(0), decimal.Decimal("99.99")]),
}


@st.composite
def conditions(draw: st.DrawFn) -> tuple[str, str, Any]:
    column = draw(st.sampled_from(sorted(COLUMNS)))
    # pyarrow finds NaN in lists.
    values = [value for value in COLUMNS[column][1] if value == value]
    operator = draw(st.sampled_from(["=", "==", "!=", "<", "<=", ">", ">=", "in", "not in"]))
    if operator in ("in", "not in"):
        return column, operator, draw(st.lists(st.sampled_from(values), min_size=1, max_size=3))
    return column, operator, draw(st.sampled_from(values))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_filters_are_those_of_pyarrow(data: st.DataObject) -> None:
    rows = data.draw(st.integers(1, 60))
    columns = {}
    for name, (kind, values) in COLUMNS.items():
        values = data.draw(st.lists(st.none() | st.sampled_from(values), min_size=rows, max_size=rows))
        values = sorted(values, key=str) if data.draw(st.booleans()) else values
        columns[name] = pa.array(values, kind)
    pq.write_table(
        pa.table(columns),
        "a.parquet",
        row_group_size=data.draw(st.sampled_from([7, 100])),
        data_page_size=data.draw(st.sampled_from([1, 1 << 20])),
        write_batch_size=data.draw(st.sampled_from([3, 1024])),
        write_page_index=data.draw(st.booleans()),
        write_statistics=data.draw(st.booleans()),
        use_dictionary=data.draw(st.booleans()),
    )
    filters: Any = data.draw(st.lists(conditions(), min_size=1, max_size=3))
    if data.draw(st.booleans()):
        filters = [filters, data.draw(st.lists(conditions(), min_size=1, max_size=2))]
    read = parquet.read_table("a.parquet", filters=filters).to_pyarrow()
    expected = pq.read_table("a.parquet", filters=filters)
    assert read.schema == expected.schema
    assert str(read.to_pylist()) == str(expected.to_pylist()), filters


def test_nulls_are_tested_for() -> None:
    parquet.write_table(numbers(100), "a.parquet")

    def ids(filters: Any) -> list[int]:
        return list(parquet.read_table("a.parquet", ["id"], filters=filters).to_pyarrow()["id"].to_pylist())

    nulls = [row for row in range(100) if row % 5 == 0]
    assert ids([("name", "is", None)]) == ids("name is null") == nulls
    assert ids([("name", "is not", None), ("id", "<", 3)]) == [1, 2]
    assert ids([("name", "in", ["name 1", None])]) == sorted([*nulls, 1, 51])
    assert ids([("name", "not in", ["name 1", None])]) == [it for it in range(100) if it % 5 and it % 50 != 1]
    assert ids("name like 'name 4%' and id between 40 and 60") == [41, 42, 43, 44, 46, 47, 48, 49, 54]
    assert ids([]) == list(range(100))


def test_values_of_other_libraries() -> None:
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")
    times = pa.array([0, 1, 2], pa.timestamp("ns"))
    pq.write_table(pa.table({"id": [0, 1, 2], "time": times, "wait": pa.array([0, 1, 2], pa.duration("ns"))}), "a.parquet")
    tests: list[tuple[str, Any]] = [
        ("id", numpy.int16(1)),
        ("id", numpy.float64(1)),
        ("id", pa.scalar(1)),
        ("time", numpy.datetime64(1, "ns")),
        ("time", pandas.Timestamp(1)),
        ("wait", numpy.timedelta64(1, "ns")),
    ]
    for column, value in tests:
        read = parquet.read_table("a.parquet", ["id"], filters=[(column, "==", value)])
        assert read.to_pyarrow()["id"].to_pylist() == [1], (column, value)


def test_times_in_other_zones() -> None:
    zone = datetime.timezone(datetime.timedelta(hours=2))
    pq.write_table(pa.table({"time": pa.array([0, 7200], pa.timestamp("s", "UTC"))}), "a.parquet")
    # pyarrow does not compare these.
    time = datetime.datetime(1970, 1, 1, 2, tzinfo=zone)
    for filters in ([("time", "==", time)], "time = '1970-01-01T02:00:00+02:00'"):
        read = parquet.read_table("a.parquet", filters=filters).to_pyarrow()
        assert read["time"].cast(pa.int64()).to_pylist() == [0]
    with pytest.raises(parquet.ParquetError, match="cannot be compared with a timestamp without a time zone"):
        parquet.read_table("a.parquet", filters=[("time", "==", time.replace(tzinfo=None))])


def test_filters_of_other_columns_and_batches() -> None:
    parquet.write_table(nested(), "a.parquet", row_group_size=1000)
    read = parquet.read_table("a.parquet", ["struct.b"], filters=[("struct.a", ">=", ROWS - 2)]).to_pyarrow()
    assert read["struct"].to_pylist() == [{"b": [str(ROWS - 2)]}, {"b": [str(ROWS - 1)]}]
    with parquet.ParquetFile("a.parquet") as file:
        batches = list(file.iter_batches(300, columns=["struct.a"], filters="struct.a < 450"))
        assert [batch.num_rows for batch in batches] == [300, 150]
        assert file.read([], filters="kind = 'k1'").num_rows == 1000
        assert file.read(row_groups=[1], filters=[("struct.a", "<", 5)]).num_rows == 0


def test_columns_as_dictionaries() -> None:
    """Keys of each row group are those of its own dictionary."""
    names = [None if row % 7 == 0 else f"name {row % 5 + row // 1000}" for row in range(3000)]
    table = pa.table({"id": range(3000), "name": names, "raw": pa.array([b"%d" % (row % 3) for row in range(3000)])})
    pq.write_table(table, "a.parquet", row_group_size=1000)
    kind = pa.dictionary(pa.int32(), pa.string())
    for filters in (None, "id >= 500", "name = 'name 4' and id < 2900"):
        read = parquet.read_table("a.parquet", filters=filters, read_dictionary=["name"]).to_pyarrow()
        assert read.schema.field("name").type == kind
        expected = pq.read_table("a.parquet", filters=[("id", ">=", 500)] if filters == "id >= 500" else None)
        if filters is not None and "name" in filters:
            expected = pq.read_table("a.parquet", filters=[("name", "==", "name 4"), ("id", "<", 2900)])
        assert read.set_column(1, "name", read["name"].cast(pa.string())).equals(expected)
    with parquet.ParquetFile("a.parquet", read_dictionary=["name", "raw"]) as file:
        assert file.schema.to_pyarrow().field("raw").type == pa.dictionary(pa.int32(), pa.binary())
        [first, *_] = file.iter_batches(1000)
        assert len(first.to_pyarrow()["name"].chunk(0).dictionary) == 5
        frame = file.read(["name"]).to_pandas()
    assert frame["name"].dtype.name == "category"
    assert frame["name"].astype(object).where(frame["name"].notna(), None).to_list() == names
    with pytest.raises(parquet.ParquetError, match="column id: only text and bytes"):
        parquet.read_table("a.parquet", read_dictionary=["id"])
    with pytest.raises(parquet.ParquetError, match="no column"):
        parquet.ParquetFile("a.parquet", read_dictionary=["names"])


@pytest.mark.parametrize("store_schema", [False, True])
def test_types_of_strings(store_schema: bool) -> None:
    """The type in the file's Arrow schema is only the default."""
    names = [None if row % 7 == 0 else f"name {row % 5} of a row {row}" for row in range(3000)]
    table = pa.table({"name": names, "raw": [b"%d" % row for row in range(3000)], "tags": [[str(row)] for row in range(3000)]})
    pq.write_table(table, "a.parquet", row_group_size=1000, store_schema=store_schema)
    assert parquet.read_table("a.parquet").to_pyarrow().schema.field("name").type == pa.string()
    types: list[tuple[parquet.StringType, pa.DataType, pa.DataType]] = [
        ("string", pa.string(), pa.binary()),
        ("large_string", pa.large_string(), pa.large_binary()),
        ("string_view", pa.string_view(), pa.binary_view()),
    ]
    for name, text, binary in types:
        read = parquet.read_table("a.parquet", string_type=name).to_pyarrow()
        assert [read.schema.field(column).type for column in ("name", "raw")] == [text, binary]
        assert read.schema.field("tags").type.value_type == text
        assert read.to_pydict() == table.to_pydict()
        rows = parquet.read_table("a.parquet", ["raw"], filters="name = 'name 1 of a row 2501'", string_type=name)
        assert rows.to_pyarrow().to_pydict() == {"raw": [b"2501"]}
        with parquet.ParquetFile("a.parquet", read_dictionary=["name"], string_type=name) as file:
            schema = file.schema.to_pyarrow()
            assert schema.field("raw").type == binary
            assert schema.field("name").type == pa.dictionary(pa.int32(), pa.string())
            assert file.read(["name"]).to_pyarrow()["name"].to_pylist() == names
    number: Any = 3
    with pytest.raises(TypeError, match="argument 'string_type'"):
        parquet.read_table("a.parquet", string_type=number)
    with pytest.raises(TypeError, match="argument 'read_dictionary'"):
        parquet.read_table("a.parquet", read_dictionary=number)
    with pytest.raises(ValueError, match="unknown string type"):
        parquet.read_table("a.parquet", string_type="text")  # type: ignore[arg-type]


def test_bytes_are_compared_with_text() -> None:
    parquet.write_table(pa.table({"name": ["a", "ä", None]}), "a.parquet")
    assert parquet.read_table("a.parquet", filters=[("name", "==", "ä".encode())]).to_pylist() == [{"name": "ä"}]
    with pytest.raises(parquet.ParquetError, match="cannot be compared with 1 bytes"):
        parquet.read_table("a.parquet", filters=[("name", "==", b"\xff")])


def test_filters_that_do_not_fit() -> None:
    parquet.write_table(numbers(), "a.parquet")
    cases: list[tuple[Any, type[Exception], str]] = [
        ([("id", "==", "x")], parquet.ParquetError, "a.parquet, column id: the type Int64 cannot be compared with the text"),
        ([("volume", ">", 1)], parquet.ParquetError, "no column"),
        ("id >", parquet.ParquetError, "expected a column or a value"),
        ([("id", "~", 1)], ValueError, '"~" is not a valid operator'),
        ([("id", "==", None)], ValueError, "nothing equals null"),
        ([("id", "in", 3)], TypeError, "needs a list"),
        ([("id", "in", "abc")], TypeError, "needs a list"),
        ([("id", "==", object())], TypeError, "values of type object"),
        ([("id", "==")], TypeError, "a filter is a tuple"),
        ([("id", "==", 2**200)], OverflowError, "int"),
    ]
    for filters, error, message in cases:
        with pytest.raises(error, match=message):
            parquet.read_table("a.parquet", filters=filters)


# Sources.


class Slow(io.RawIOBase):
    """File that returns a few bytes at a time."""

    def __init__(self, content: bytes) -> None:
        self.content = io.BytesIO(content)

    def read(self, size: int = -1, /) -> bytes:
        return self.content.read(min(size, 1000))

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self.content.seek(offset, whence)

    def tell(self) -> int:
        return self.content.tell()


def test_bytes_and_file_objects() -> None:
    table = numbers()
    parquet.write_table(table, "a.parquet", row_group_size=500)
    content = Path("a.parquet").read_bytes()
    with open("a.parquet", "rb") as file:
        sources: list[Any] = [content, io.BytesIO(content), file, Slow(content)]
        for source in sources:
            assert parquet.read_table(source).to_pyarrow().equals(table)
            assert parquet.read_table(source, ["id"], filters=[("id", "<", 5)]).num_rows == 5
    assert "in memory" in repr(parquet.ParquetFile(content))
    with pytest.raises(parquet.ParquetError):
        parquet.read_table(content[:-5])


def test_file_objects_that_fail() -> None:
    parquet.write_table(numbers(), "a.parquet")
    content = Path("a.parquet").read_bytes()

    class Failing(Slow):
        def read(self, size: int = -1, /) -> bytes:
            raise RuntimeError("the network is gone")

    class Short(Slow):
        def read(self, size: int = -1, /) -> bytes:
            return b""

    with pytest.raises(RuntimeError, match="the network is gone"):
        parquet.read_table(Failing(content))
    with pytest.raises(parquet.ParquetError, match="`read` returned 0 of"):
        parquet.read_table(Short(content))
    with pytest.raises(TypeError, match=r"expected a path, bytes, or a binary file .* of type int"):
        parquet.read_table(7)  # type: ignore[arg-type]


def write_lake() -> Any:
    """Writes directories with a column in their names."""
    table = pa.table(
        {
            "id": range(60),
            "year": pa.array([2023 + row // 30 for row in range(60)], pa.int32()),
            "city": [None if row % 3 == 0 else ["Köln", "a/b"][row % 2] for row in range(60)],
        }
    )
    pq.write_to_dataset(table, "lake", partition_cols=["year", "city"])
    Path("lake/_metadata").write_bytes(b"no Parquet file")
    Path("lake/.hidden.parquet").write_bytes(b"no Parquet file")
    return table


def sorted_rows(table: Any) -> list[Any]:
    return sorted(table.to_pylist(), key=lambda row: int(row["id"]))


def test_directories_with_columns_in_their_names() -> None:
    write_lake()
    filters: list[Any] = [
        None,
        [("year", "==", 2024)],
        [[("year", "=", 2023), ("city", "==", "Köln")], [("id", "in", [1, 59])]],
        [("city", "in", ["a/b"]), ("id", "<", 40)],
    ]
    for each in filters:
        read = parquet.read_table("lake", filters=each).to_pyarrow()
        expected = pq.read_table("lake", filters=each)
        assert read.schema.equals(expected.schema)
        assert sorted_rows(read) == sorted_rows(expected)
    years = parquet.read_table(Path("lake"), ["year"], filters=[("city", "is", None)]).to_pyarrow()
    assert years.column_names == ["year"] and len(years) == 20


def test_several_files() -> None:
    table = numbers()
    for index in range(3):
        parquet.write_table(table.slice(1000 * index, 1000), f"{index}.parquet")
    sources: list[Any] = ["[0-9].parquet", "*.parquet", ["0.parquet", Path("1.parquet"), "2.parquet"], "."]
    for source in sources:
        assert parquet.read_table(source).to_pyarrow().equals(table)
    assert parquet.read_table("?.parquet", filters="id >= 999 and id < 1001").num_rows == 2
    # A name with pattern characters.
    os.rename("1.parquet", "[0-9].parquet")
    assert parquet.read_table("[0-9].parquet").num_rows == 1000
    for missing in ["*.csv", "missing", "missing.parquet"]:
        with pytest.raises(FileNotFoundError) as caught:
            parquet.read_table(missing)
        assert caught.value.filename == missing
    with pytest.raises(ValueError, match="row_groups are those of one file"):
        parquet.read_table("*.parquet", row_groups=[0])
    parquet.write_table(numbers().select(["id"]), "3.parquet")
    together = parquet.read_table("?.parquet").to_pyarrow()
    assert together.column_names == table.column_names and together[1].null_count >= len(table)
    with pytest.raises(parquet.ParquetError, match=r"other columns than in .*0\.parquet: id and not id, "):
        parquet.read_table("?.parquet", strict_schema=True)


# Metadata.


def test_metadata_is_that_of_pyarrow() -> None:
    parquet.write_table(nested(), "a.parquet", row_group_size=1000)
    file = parquet.ParquetFile("a.parquet")
    ours, theirs = file.metadata, pq.read_metadata("a.parquet")
    names = ["num_rows", "num_row_groups", "num_columns", "created_by"]
    assert [getattr(ours, name) for name in names] == [getattr(theirs, name) for name in names]
    assert len(file.row_groups) == 3
    for index, group in enumerate(ours.row_groups):
        other = theirs.row_group(index)
        assert (group.num_rows, group.total_byte_size) == (other.num_rows, other.total_byte_size)
        assert group.num_columns == len(group.columns) == other.num_columns
        assert group.total_compressed_size == sum(chunk.total_compressed_size for chunk in group.columns)
        for column in range(group.num_columns):
            chunk, known = group.column(column), other.column(column)
            for name in ["path_in_schema", "physical_type", "num_values", "total_compressed_size"]:
                assert getattr(chunk, name) == getattr(known, name)
            assert chunk.total_uncompressed_size == known.total_uncompressed_size
            assert set(chunk.encodings) == set(known.encodings)
            assert chunk.compression == known.compression
            assert chunk.null_count == known.statistics.null_count
    assert file.schema_arrow.to_pyarrow() == file.schema.to_pyarrow()
    assert repr(ours) == f"<bytelane.parquet.FileMetaData: {ROWS} rows, 3 row groups, {theirs.num_columns} columns>"
    assert "struct.a" in repr(ours.row_group(0).columns[1])
    with pytest.raises(IndexError, match="index 3 is out of range; number of row groups: 3"):
        ours.row_group(3)


# Without a copy.


def addresses(column: Any) -> list[int]:
    """Returns the addresses of the values of a pyarrow column."""
    return [chunk.buffers()[1].address for chunk in column.chunks]


def test_other_libraries_get_the_same_memory() -> None:
    parquet.write_table(pa.table({"price": [i / 2 for i in range(1000)]}), "a.parquet")
    read = parquet.read_table("a.parquet")
    [address] = addresses(read.to_pyarrow()["price"])
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    frame = polars.DataFrame(read)
    assert addresses(pa.table(frame)["price"]) == [address]
    assert frame["price"].to_numpy(allow_copy=False).ctypes.data == address
    assert read.to_pyarrow()["price"].chunks[0].to_numpy(zero_copy_only=True).ctypes.data == address
    series = read.to_pyarrow().to_pandas(types_mapper=pandas.ArrowDtype)["price"]
    assert addresses(pa.table({"price": series.array.__arrow_array__()})["price"]) == [address]


def test_duckdb_gets_the_same_memory() -> None:
    duckdb = pytest.importorskip("duckdb")
    parquet.write_table(pa.table({"price": [i / 2 for i in range(1000)]}), "a.parquet")
    rows = parquet.read_table("a.parquet")
    with duckdb.connect() as connection:
        connection.register("rows", rows)
        assert connection.execute("select sum(price) from rows").fetchone() == (249750.0,)


def test_one_file_is_opened_for_its_selection(monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(numbers(), "numbers.parquet")
    name = numbers().column_names[0]
    expected = parquet.ParquetFile("numbers.parquet").read([name]).to_pyarrow()

    class OpensAllColumns:
        def __init__(self, *_: object, **__: object) -> None:
            raise AssertionError("all columns were opened")

    monkeypatch.setattr(parquet, "ParquetFile", OpensAllColumns)
    assert parquet.read_table("numbers.parquet", [name]).to_pyarrow() == expected
    data = Path("numbers.parquet").read_bytes()
    assert parquet.read_table("numbers.parquet", [name], row_groups=[0]).to_pyarrow() == expected
    assert parquet.read_table(data, [name], row_groups=[0]).to_pyarrow() == expected
