"""Tests of data sets, file systems, and metadata, in pyarrow's words."""

from __future__ import annotations

import datetime
import decimal
import io
import os
from pathlib import Path
from typing import Any

import pytest
from pyarrow import compute as pc
from pyarrow import dataset as ds
from pyarrow import fs
from tables import nested, pa, pq

from bytelane import parquet

pytestmark = pytest.mark.usefixtures("in_new_directory")

ROWS = 100


def trades() -> Any:
    cities = ["a b", "c/d=e", None, "ü"]
    return pa.table(
        {
            "id": range(ROWS),
            "city": [cities[row % 4] for row in range(ROWS)],
            "day": [datetime.date(2024, 1, 1 + row % 2) for row in range(ROWS)],
        }
    )


def names(root: str) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in Path(root).rglob("*") if path.is_file())


def test_partitions_are_read_by_both_libraries() -> None:
    parquet.write_to_dataset(trades(), "lake", ["city", "day"], basename_template="part-{i}.parquet")
    pq.write_to_dataset(trades(), "other", ["city", "day"], basename_template="part-{i}.parquet")
    assert names("lake") == names("other")
    for read in (parquet.read_table("lake").to_pyarrow(), pq.read_table("lake")):
        rows = read.select(["id", "city", "day"]).to_pylist()
        expected = [{**row, "day": str(row["day"])} for row in trades().to_pylist()]
        assert sorted(rows, key=lambda row: row["id"]) == expected


def test_files_and_row_groups_have_limits() -> None:
    collected: list[parquet.FileMetaData] = []
    limits: Any = {"max_rows_per_file": 30, "max_rows_per_group": 20}
    parquet.write_to_dataset(trades(), "lake", metadata_collector=collected, compression="gzip", **limits)
    assert [metadata.num_rows for metadata in collected] == [30, 30, 30, 10]
    assert [metadata.num_row_groups for metadata in collected] == [2, 2, 2, 1]
    chunk = collected[1].row_group(0).column(0)
    assert chunk.file_path.endswith("-1.parquet")
    assert chunk.compression == "GZIP"
    parquet.write_metadata(trades().schema, "lake/_metadata", collected)
    assert pq.read_metadata("lake/_metadata").num_rows == ROWS
    assert parquet.read_table("lake").num_rows == ROWS
    parquet.write_to_dataset(trades().slice(0, 0), "empty")
    assert parquet.read_table("empty").column_names == trades().column_names


def test_no_file_appears_after_an_error() -> None:
    parquet.write_to_dataset(trades(), "lake", ["day"], basename_template="{i}.parquet")
    before = names("lake")
    far = trades().append_column("at", pa.array([0] * (ROWS - 1) + [2**62], pa.timestamp("s")))
    with pytest.raises(parquet.ParquetError, match="too far away"):
        parquet.write_to_dataset(far, "lake", ["day"], basename_template="{i}.parquet")
    assert names("lake") == before
    assert parquet.read_table("lake").num_columns == 3
    assert [path for path in os.listdir("lake") if path.startswith(".")] == []


def test_existing_files_are_kept_replaced_or_refused() -> None:
    day = trades().filter(pc.equal(pc.field("day"), datetime.date(2024, 1, 1)))
    parquet.write_to_dataset(trades(), "lake", ["day"])
    parquet.write_to_dataset(day, "lake", ["day"])
    assert parquet.read_table("lake").num_rows == ROWS + ROWS // 2
    with pytest.raises(FileExistsError, match="not empty"):
        parquet.write_to_dataset(day, "lake", ["day"], existing_data_behavior="error")
    parquet.write_to_dataset(day, "lake", ["day"], existing_data_behavior="delete_matching")
    assert parquet.read_table("lake").num_rows == ROWS
    for columns, error, part in [
        (["week"], KeyError, "no column"),
        (["id", "city", "day"], ValueError, "all columns"),
    ]:
        with pytest.raises(error, match=part):
            parquet.write_to_dataset(day, "lake", columns)
    with pytest.raises(ValueError, match="basename_template"):
        parquet.write_to_dataset(day, "lake", basename_template="x.parquet")


def test_directories_without_names_of_columns() -> None:
    os.makedirs("lake/2024/05")
    parquet.write_table(trades(), "lake/2024/05/a.parquet")
    factory = ds.partitioning(field_names=["year", "month"])
    typed = ds.partitioning(pa.schema([("year", pa.int16()), ("month", pa.string())]))
    for how in (["year", "month"], factory, typed):
        table = parquet.read_table("lake", ["year", "month", "id"], partitioning=how)[:1]
        assert str(table["year"][0]) == "2024"
        assert table.column_names == ["year", "month", "id"]
    assert parquet.read_table("lake", partitioning=typed).schema.field("year").type == "int16"
    parquet.write_to_dataset(trades(), "hive", ["day"])
    assert "day" not in parquet.read_table("hive", partitioning=None).column_names
    with pytest.raises(NotImplementedError, match="partitioning is 'hive'"):
        parquet.read_table("hive", partitioning=1)


def test_paths_in_file_systems() -> None:
    os.mkdir("inner")
    inner = fs.SubTreeFileSystem(os.path.abspath("inner"), fs.LocalFileSystem())
    memory = fs._MockFileSystem()
    for filesystem in (fs.LocalFileSystem(), inner, memory, Path("inner").resolve().as_uri()):
        parquet.write_table(trades(), "a.parquet", filesystem=filesystem)
        with parquet.ParquetWriter("b.parquet", trades().schema, filesystem=filesystem) as writer:
            writer.write_table(trades())
        for name in ("a.parquet", "b.parquet"):
            assert parquet.read_table(name, filesystem=filesystem).num_rows == ROWS
            assert parquet.read_metadata(name, filesystem=filesystem).num_rows == ROWS
            with parquet.ParquetFile(name, filesystem=filesystem) as file:
                assert file.read_row_groups([0, 0], columns=["id"]).num_rows == 2 * ROWS
    assert sorted(os.listdir("inner")) == ["a.parquet", "b.parquet"]
    assert parquet.read_table("", filesystem=inner).num_rows == 2 * ROWS
    memory.create_dir("lake")
    with pytest.raises(NotImplementedError, match="lake is a directory"):
        parquet.read_table("lake", filesystem=memory)
    with pytest.raises(ValueError, match="filesystem is only for paths"):
        parquet.read_table(io.BytesIO(), filesystem=memory)
    with pytest.raises(NotImplementedError, match="writes to disks"):
        parquet.write_to_dataset(trades(), "lake", filesystem=memory)


def test_expressions_and_schemas() -> None:
    parquet.write_table(trades(), "a.parquet")
    expression = (pc.field("id") > 90) & pc.field("city").is_valid()
    read = parquet.read_table("a.parquet", ["day", "id"], filters=expression)
    assert read.to_pyarrow().equals(pq.read_table("a.parquet", columns=["day", "id"], filters=expression))
    schema = pa.schema([("new", pa.float32()), ("id", pa.int64()), ("city", pa.large_string())])
    read = parquet.read_table("a.parquet", schema=schema, filters=[("day", "==", datetime.date(2024, 1, 1))])
    assert (read.schema.names, read.num_rows, read["new"].null_count) == (schema.names, ROWS // 2, ROWS // 2)
    assert parquet.read_table("a.parquet", ["id", "new"], schema=schema).column_names == ["id", "new"]
    assert parquet.read_table("a.parquet", ["id", "day", "id"]).column_names == ["id", "day", "id"]
    for argument in ("decryption_properties", "thrift_string_size_limit", "schema_depth_limit"):
        options: Any = {argument: ["x"]}
        with pytest.raises(NotImplementedError, match=argument):
            parquet.read_table("a.parquet", **options)


def test_metadata_is_a_dictionary_as_in_pyarrow() -> None:
    # pyarrow has no bounds of half floats.
    halves = [field.name for field in nested().schema if field.type == pa.float16()]
    parquet.write_table(nested().drop_columns(halves), "a.parquet", row_group_size=1000)
    ours, theirs = parquet.read_metadata("a.parquet"), pq.read_metadata("a.parquet")
    assert ours.to_dict() == theirs.to_dict()
    assert ours.metadata == theirs.metadata
    assert ours.schema.names == theirs.schema.names
    for index in range(len(ours.schema)):
        column, other = ours.schema.column(index), theirs.schema.column(index)
        for name in ("name", "path", "max_definition_level", "max_repetition_level", "physical_type"):
            assert getattr(column, name) == getattr(other, name)
    assert parquet.read_schema("a.parquet").to_pyarrow() == pq.read_schema("a.parquet")


def test_metadata_is_compared() -> None:
    kinds = [("a", [1, 2]), ("b", [1, 2]), ("c", [1, 3]), ("d", [1.0, 2.0])]
    for name, values in kinds:
        parquet.write_table(pa.table({"x": values}), f"{name}.parquet")
    one, same, other, floats = [parquet.read_metadata(f"{name}.parquet") for name, _ in kinds]
    assert one == same and hash(one) == hash(same) and one != other and hash(one) != hash(floats)
    parts: list[tuple[Any, ...]] = [(it.row_group(0), it.row_group(0).column(0), it.schema[0]) for it in (one, same, other, floats)]
    for own, equal in zip(parts[0], parts[1], strict=True):
        assert own == equal and own.equals(equal) and len({own, equal}) == 1
    assert parts[0][0] != parts[2][0] and parts[0][1] != parts[2][1] and parts[0][2] == parts[2][2] != parts[3][2]


def test_prefixes_of_names_that_are_ignored() -> None:
    for name in ["a", "_b", ".c", "_old/d", "new/e", "_part=1/f"]:
        Path("lake", name).parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pa.table({"name": [name[-1]]}), f"lake/{name}.parquet")

    def names(*prefixes: str) -> set[Any]:
        lake = parquet.ParquetDataset("lake", ignore_prefixes=prefixes or None)
        read = parquet.read_table("lake", ["name"], ignore_prefixes=prefixes or None)
        assert len(lake.files) == read.num_rows
        return set(read["name"])

    assert names() == {"a", "e", "f"}
    assert names("_o", ".") == {"a", "b", "e", "f"}
    assert names("_", "new") == {"a", "c"}
    with pytest.raises(TypeError, match="list of texts"):
        parquet.read_table("lake", ignore_prefixes="_")


def test_an_empty_directory_has_no_columns() -> None:
    Path("lake").mkdir()
    lake = parquet.ParquetDataset("lake")
    assert (lake.files, lake.schema.names, lake.read().shape) == ([], [], (0, 0))
    with pytest.raises(FileNotFoundError):
        parquet.read_table("lake")


def test_bounds_have_the_types_of_pyarrow() -> None:
    at = datetime.datetime(2024, 2, 29, 12)
    columns = {
        "bool": pa.array([True, False]),
        "uint": pa.array([2**64 - 1, 1], "uint64"),
        "small": pa.array([-1, 1], "int8"),
        "text": pa.array(["a", "ü"]),
        "bytes": pa.array([b"\xff", b"a"]),
        "day": pa.array([at.date(), None]),
        "time": pa.array([at.time(), None], pa.time64("us")),
        "local": pa.array([at, None], pa.timestamp("ms")),
        "utc": pa.array([at, None], pa.timestamp("us", "UTC")),
        "price": pa.array([decimal.Decimal("1.50"), decimal.Decimal("-2.25")], pa.decimal128(5, 2)),
        "wide": pa.array([decimal.Decimal("1.50"), None], pa.decimal256(60, 2)),
        "none": pa.array([None, None], "int32"),
    }
    parquet.write_table(pa.table(columns), "a.parquet")
    ours, theirs = parquet.read_metadata("a.parquet").row_group(0), pq.read_metadata("a.parquet").row_group(0)
    for index in range(len(columns)):
        one, other = ours.column(index).statistics, theirs.column(index).statistics
        assert one is not None
        assert (one.to_dict(), one.min_raw, one.max_raw) == (other.to_dict(), other.min_raw, other.max_raw)


def test_options_of_pyarrow_reach_the_file() -> None:
    table = pa.table({"id": range(ROWS), "ratio": [row / 7 for row in range(ROWS)]})

    def chunks(**options: Any) -> list[Any]:
        parquet.write_table(table, "a.parquet", **options)
        group = parquet.read_metadata("a.parquet").row_group(0)
        return [group.column(index) for index in range(2)]

    has_dictionary = [chunk.has_dictionary_page for chunk in chunks(use_dictionary=["id"])]
    assert has_dictionary == [True, False]
    assert [chunk.has_dictionary_page for chunk in chunks(use_dictionary=True)] == [True, True]
    assert not any(chunk.has_dictionary_page for chunk in chunks(use_dictionary=False))
    assert "BYTE_STREAM_SPLIT" in chunks(use_byte_stream_split=["ratio"])[1].encodings
    assert [chunk.is_stats_set for chunk in chunks(write_statistics=["ratio"])] == [False, True]
    codecs = chunks(compression={"id": "SNAPPY", "ratio": "zstd"}, compression_level={"ratio": 3})
    assert [chunk.compression for chunk in codecs] == ["SNAPPY", "ZSTD"]
    assert [chunk.compression for chunk in chunks(compression="GZIP", compression_level={"id": 2})] == ["GZIP", "GZIP"]
    assert "PLAIN" in chunks(column_encoding="PLAIN", use_dictionary=False)[0].encodings
    chunks(row_group_size=50.0, chunk_size=None)
    assert parquet.read_metadata("a.parquet").num_row_groups == 2
    chunks(store_schema=False)
    assert parquet.read_metadata("a.parquet").metadata is None
    parquet.write_table(table.rename_columns(["a b", "c;d"]), "b.parquet", flavor="spark")
    assert parquet.read_schema("b.parquet").names == ["a_b", "c_d"]
    with pytest.raises(ValueError, match="compression has no codec"):
        chunks(compression_level={"id": 2})
    with pytest.raises(ValueError, match="Unsupported Parquet format version: 3.0"):
        chunks(version="3.0")
    refused: list[Any] = [{"store_decimal_as_integer": False}, {"encryption_properties": 1}]
    for options in refused:
        with pytest.raises(NotImplementedError, match="not supported"):
            chunks(**options)
