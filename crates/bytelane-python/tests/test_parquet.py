"""`bytelane.parquet`: exchange with other libraries, advice, rewriting, errors, Ctrl-C and threads."""

from __future__ import annotations

import doctest
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from bytelane import parquet  # noqa: E402 (after what may be missing)

ROWS = 3000

# A call that fails.
Work = Callable[[], object]


@pytest.fixture(autouse=True)
def _in_new_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def numbers(rows: int = ROWS) -> Any:
    """A table without nested columns."""
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "price": pa.array([100 + 0.25 * (i * i % 977) for i in range(rows)], pa.float64()),
            "ratio": pa.array([None if i % 7 == 0 else i / 3 for i in range(rows)], pa.float32()),
            "name": pa.array([None if i % 5 == 0 else f"name {i % 50}" for i in range(rows)]),
            "flag": pa.array([i % 3 == 0 for i in range(rows)]),
        }
    )


def nested(rows: int = ROWS) -> Any:
    return pa.table(
        {
            "list": pa.array([None if i % 9 == 0 else [i, None] for i in range(rows)]),
            "struct": pa.array([{"a": i, "b": [str(i)]} for i in range(rows)]),
            "map": pa.array([[("k", i)] for i in range(rows)], pa.map_(pa.string(), pa.int32())),
            "kind": pa.array([f"k{i % 3}" for i in range(rows)]).dictionary_encode(),
            "time": pa.array(range(rows), pa.timestamp("us", "UTC")),
            "view": pa.array([f"a text of many letters {i}" for i in range(rows)], pa.string_view()),
            "half": pa.array([float(i % 100) for i in range(rows)], pa.float16()),
        }
    )


def same(one: Any, other: Any) -> bool:
    """Whether two tables have the same types and values. Dictionaries may have another order."""
    return bool(one.schema == other.schema and one.to_pylist() == other.to_pylist())


# Exchange with other libraries.


@pytest.mark.parametrize("table", [numbers(), nested(), numbers().slice(0, 0), nested().slice(0, 0), pa.table({})])
def test_pyarrow(table: Any) -> None:
    parquet.write_table(table, "a.parquet", row_group_size=1000)
    assert same(parquet.read_table("a.parquet").to_pyarrow(), table)
    assert same(pq.read_table("a.parquet"), table)
    pq.write_table(table, "b.parquet")
    assert same(parquet.read_table(Path("b.parquet")).to_pyarrow(), pq.read_table("b.parquet"))


@pytest.mark.parametrize("table", [numbers(), numbers().slice(0, 0)])
def test_polars(table: Any) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(table)
    parquet.write_table(frame, "a.parquet")
    assert polars.read_parquet("a.parquet").equals(frame)
    assert parquet.read_table("a.parquet").to_polars().equals(frame)
    assert parquet.advise(frame).columns[0]["path"] == "id"


@pytest.mark.parametrize("table", [numbers(), numbers().slice(0, 0)])
def test_pandas(table: Any) -> None:
    pandas = pytest.importorskip("pandas")
    frame = table.to_pandas()
    frame.index = pandas.RangeIndex(5, 5 + len(frame), name="index")
    parquet.write_table(frame, "a.parquet")
    pandas.testing.assert_frame_equal(pq.read_table("a.parquet").to_pandas(), frame)
    pandas.testing.assert_frame_equal(parquet.read_table("a.parquet").to_pandas(), frame)
    [batch] = parquet.ParquetFile("a.parquet").iter_batches() if len(frame) else [parquet.read_table("a.parquet")]
    pandas.testing.assert_frame_equal(batch.to_pandas(), frame)


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    table = numbers()
    parquet.write_table(table, "a.parquet")
    with duckdb.connect() as connection:
        connection.register("rows", parquet.read_table("a.parquet"))
        [total] = connection.execute("select sum(id) from rows").fetchone()
    assert total == sum(range(ROWS))
    parquet.write_table(duckdb.sql("select * from 'a.parquet' order by id"), "b.parquet")
    assert parquet.read_table("b.parquet").to_pyarrow().equals(table)


def test_nanoarrow() -> None:
    nanoarrow = pytest.importorskip("nanoarrow")
    table = numbers(10)
    parquet.write_table(nanoarrow.ArrayStream(table), "a.parquet")
    read = nanoarrow.ArrayStream(parquet.read_table("a.parquet")).read_all()
    assert read.to_pylist() == table.to_pylist()
    assert nanoarrow.Schema(parquet.ParquetFile("a.parquet").schema).n_fields == 5


def test_no_library_is_required() -> None:
    parquet.write_table(numbers(), "a.parquet")
    program = """if True:
        import sys
        for name in ["numpy", "pyarrow", "polars", "pandas", "duckdb", "nanoarrow"]:
            sys.modules[name] = None
        from bytelane import parquet
        parquet.write_table(parquet.read_table("a.parquet"), "b.parquet")
        print(parquet.advise("b.parquet"), parquet.rewrite("b.parquet", "c.parquet"))
    """
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert pq.read_table("c.parquet").equals(numbers())


class Fake:
    """An object with any result of `__arrow_c_stream__`."""

    def __init__(self, result: object) -> None:
        self.result = result

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.result


# Reading in parts.


def test_files_are_read_in_parts() -> None:
    table = numbers()
    parquet.write_table(table, "a.parquet", row_group_size=1000)
    file = parquet.ParquetFile("a.parquet")
    assert (file.num_rows, file.num_row_groups) == (ROWS, 3)
    assert file.schema.names == table.column_names
    assert pa.schema(file.schema) == file.schema.to_pyarrow() == table.schema

    batches = list(file.iter_batches(batch_size=400, columns=["name", "id"]))
    assert [batch.num_rows for batch in batches] == [400, 400, 200] * 3
    whole = pa.concat_tables(batch.to_pyarrow() for batch in batches)
    # In the order of the file.
    assert whole.equals(table.select(["id", "name"]))

    second = file.read(row_groups=[1])
    assert second.to_pyarrow().equals(table.slice(1000, 1000))
    none = file.read(columns=[])
    assert (none.num_columns, len(none)) == (0, ROWS)
    assert file.read(["id"], row_groups=[]).column_names == ["id"]


def test_columns_of_groups_are_chosen_by_their_paths() -> None:
    parquet.write_table(nested(), "a.parquet")
    read = parquet.read_table("a.parquet", ["struct.a"]).to_pyarrow()
    assert read["struct"].to_pylist()[7] == {"a": 7}


def test_threads_read_one_file() -> None:
    table = numbers(50_000)
    parquet.write_table(table, "a.parquet", row_group_size=5000)
    file = parquet.ParquetFile("a.parquet")
    results: list[bool] = []

    def read() -> None:
        batches = [batch.to_pyarrow() for batch in file.iter_batches(batch_size=1000)]
        results.append(pa.concat_tables(batches).equals(table) and file.read().num_rows == 50_000)

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 6


def test_threads_share_an_iterator() -> None:
    parquet.write_table(numbers(50_000), "a.parquet")
    batches = parquet.ParquetFile("a.parquet").iter_batches(batch_size=100)
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.extend(batch.num_rows for batch in batches)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == 50_000


# Advice.


def encodings(path: str) -> dict[str, set[str]]:
    """The encodings of values in the first row group."""
    group = pq.read_metadata(path).row_group(0)
    columns = [group.column(index) for index in range(group.num_columns)]
    return {it.path_in_schema: set(it.encodings) - {"RLE", "BIT_PACKED"} for it in columns}


@pytest.mark.parametrize("goal", ["balanced", "size", "read", "write"])
@pytest.mark.parametrize("table", [numbers(), nested(), numbers().slice(0, 0), pa.table({})])
def test_pyarrow_writes_what_was_advised(table: Any, goal: parquet.Goal) -> None:
    advice = parquet.advise(table, goal=goal, rows=1000)
    pq.write_table(table, "a.parquet", **advice.pyarrow())
    assert pq.read_table("a.parquet").num_rows == table.num_rows
    found = encodings("a.parquet") if table.num_rows else {}
    for column in advice.columns if found else []:
        wanted = column["encoding"].upper().replace("DICTIONARY", "RLE_DICTIONARY")
        assert wanted in found[column["path"]], column["path"]


def test_names_are_written_as_python_reads_them() -> None:
    name = 'a "quoted" \\ name\x1b\n\u0301'
    table = pa.table({name: range(1000)})
    assert list(parquet.advise(table, goal="size").pyarrow()["column_encoding"]) == [name]
    shown = repr(parquet.advise(table))
    assert "\x1b" not in shown and "\\x1b\\n" in shown


def test_polars_and_duckdb_write_with_the_advice() -> None:
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    table = numbers()
    advice = parquet.advise(table, compression="zstd", compression_level=3)
    polars.DataFrame(table).write_parquet("a.parquet", **advice.polars())
    assert advice.polars() == {"compression": "zstd", "compression_level": 3}
    with duckdb.connect() as connection:
        connection.register("rows", table)
        connection.sql(f"copy rows to 'b.parquet' {advice.duckdb()}")
    for path in ["a.parquet", "b.parquet"]:
        assert pq.read_table(path).num_rows == ROWS
        assert pq.read_metadata(path).row_group(0).column(0).compression == "ZSTD"


@pytest.mark.parametrize("compression", ["none", "snappy", "lz4_raw", "gzip:6", "brotli:3"])
def test_every_compression_reaches_every_writer(compression: str) -> None:
    polars = pytest.importorskip("polars")
    advice = parquet.advise(numbers(), compression=compression, rows=100)
    pq.write_table(numbers(), "a.parquet", **advice.pyarrow())
    polars.DataFrame(numbers()).write_parquet("b.parquet", **advice.polars())
    name = compression.split(":")[0].upper().replace("NONE", "UNCOMPRESSED").replace("_RAW", "")
    for path in ["a.parquet", "b.parquet"]:
        assert pq.read_metadata(path).row_group(0).column(0).compression == name


def test_advice_is_what_a_rewrite_does() -> None:
    pq.write_table(numbers(50_000), "a.parquet", compression="zstd")
    advice = parquet.advise("a.parquet", goal="size")
    columns = {it["path"]: it["encoding"] for it in advice.columns if not it["keep"]}
    done = parquet.rewrite("a.parquet", "b.parquet", column_encoding=columns, verify=True)  # type: ignore[arg-type]
    assert done.verified and done.saved > 0.3
    assert done.bytes_after == os.path.getsize("b.parquet")
    sizes = {it["path"]: it["after"]["bytes"] for it in done.columns}
    for column in advice.columns:
        assert sizes[column["path"]] <= 1.1 * column["bytes_then"] + 200, column["path"]
    assert pq.read_table("b.parquet").equals(numbers(50_000))


def test_advice_is_shown() -> None:
    parquet.write_table(numbers(), "<a>.parquet", "plain")
    advice = parquet.advise("<a>.parquet", goal="size")
    lines = repr(advice).splitlines()
    assert lines[0] == f"<a>.parquet: {ROWS} rows"
    assert lines[3].split() == "column type current choice current size new size saved".split()
    assert lines[4].split()[0] == "id" and "delta_binary_packed" in lines[4]
    page = advice._repr_html_()
    assert "<td>delta_binary_packed</td>" in page and "&lt;a&gt;.parquet" in page
    data = advice.to_dict()
    assert json.loads(json.dumps(data)) == data
    data["columns"].clear()
    assert len(advice.columns) == 5 and 0 < advice.saved < 1
    assert advice.bytes_then < advice.bytes_now

    done = parquet.rewrite("<a>.parquet", "b.parquet", goal="size")
    assert "plain -> delta_binary_packed" in repr(done)
    assert "<td>1 of 1</td>" in done._repr_html_()
    assert done.to_dict()["bytes_before"] == done.bytes_before


def test_several_files_get_one_advice() -> None:
    table = numbers()
    for index in range(3):
        parquet.write_table(table.slice(1000 * index, 1000), f"{index}.parquet", "plain")
    paths = [f"{index}.parquet" for index in range(3)]
    advice = parquet.advise(paths, goal="size")
    assert advice.to_dict()["rows"] == ROWS
    assert advice.bytes_now == sum(parquet.advise(path).bytes_now for path in paths)
    pq.write_table(table, "all.parquet", **advice.pyarrow())
    parquet.write_table(nested(), "other.parquet")
    with pytest.raises(parquet.ParquetError, match="list") as caught:
        parquet.advise(["0.parquet", "other.parquet"])
    assert caught.value.path == "other.parquet"


def test_readers_restrict_the_choice() -> None:
    table = pa.table({"x": pa.array([i * i % 1013 for i in range(5000)], pa.int32())})
    [column] = parquet.advise(table, goal="size", readers=["duckdb>=0.9", "spark"]).columns
    obstacles = {it["encoding"]: it["obstacle"] for it in column["candidates"]}
    assert obstacles["byte_stream_split"] == "duckdb>=0.9"
    assert column["encoding"] != "byte_stream_split"


def test_pyarrow_reads_the_advised_categories() -> None:
    table = pa.table({"k": pa.array([f"name {i}" for i in range(1000)]).dictionary_encode()})
    pq.write_table(table, "a.parquet")
    for source in [table, "a.parquet"]:
        advice = parquet.advise(source, goal="size")
        pq.write_table(table, "b.parquet", **advice.pyarrow())
        assert same(pq.read_table("b.parquet"), table)
        advice = parquet.advise(source, goal="size", readers="duckdb,polars")
        assert advice.columns[0]["encoding"].startswith("delta")


def test_arrays_get_advice() -> None:
    Path("a.i32").write_bytes(b"".join(i.to_bytes(4, "little") for i in range(5000)))
    advice = parquet.advise("a.i32", goal="size")
    assert advice.columns[0]["encoding"] == "delta_binary_packed"
    assert "with dictionaries" in repr(advice)


# Writing.


def test_encodings_are_those_that_were_asked_for() -> None:
    table = numbers()
    parquet.write_table(table, "a.parquet", "plain", column_encoding={"id": "dictionary"})
    found = encodings("a.parquet")
    assert "RLE_DICTIONARY" in found["id"] and found["price"] == {"PLAIN"}
    parquet.write_table(table, "a.parquet", compression="gzip", compression_level=1)
    assert pq.read_metadata("a.parquet").row_group(0).column(0).compression == "GZIP"


def test_a_failure_leaves_the_old_file() -> None:
    parquet.write_table(numbers(), "a.parquet")
    before = Path("a.parquet").read_bytes()

    def batches() -> Iterator[Any]:
        yield pa.record_batch({"a": [1]})
        raise RuntimeError("the producer has failed")

    rows = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
    with pytest.raises(ValueError, match="the producer has failed"):
        parquet.write_table(rows, "a.parquet")
    with pytest.raises(parquet.ParquetError, match="no column"):
        parquet.write_table(numbers(), "a.parquet", column_encoding={"z": "plain"})
    assert Path("a.parquet").read_bytes() == before
    assert os.listdir() == ["a.parquet"]


COLUMNS = {
    "int64": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "uint8": (pa.uint8(), st.integers(0, 255)),
    "float32": (pa.float32(), st.floats(width=32, allow_nan=False)),
    "float64": (pa.float64(), st.floats(allow_nan=False)),
    "string": (pa.string(), st.text()),
    "binary": (pa.binary(), st.binary()),
    "bool": (pa.bool_(), st.booleans()),
    "list": (pa.list_(pa.int32()), st.lists(st.none() | st.integers(-(2**31), 2**31 - 1))),
}


ENCODINGS: list[parquet.Encoding] = ["auto", "plain", "dictionary", "byte_stream_split", "delta_byte_array"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_any_values_come_back(data: st.DataObject) -> None:
    kind, values = COLUMNS[data.draw(st.sampled_from(sorted(COLUMNS)))]
    column = data.draw(st.lists(st.none() | values, max_size=50))
    encoding = data.draw(st.sampled_from(ENCODINGS))
    compression = data.draw(st.sampled_from(["none", "zstd", "snappy"]))
    rows = data.draw(st.integers(1, 60))
    table = pa.table({"x": pa.array(column, kind)})
    parquet.write_table(table, "a.parquet", encoding, compression=compression, row_group_size=rows)
    assert same(parquet.read_table("a.parquet").to_pyarrow(), table)
    assert same(pq.read_table("a.parquet"), table)


# Errors.


def test_errors_of_the_system_are_os_errors() -> None:
    works: list[Work] = [
        lambda: parquet.read_table("missing.parquet"),
        lambda: parquet.advise("missing.parquet"),
        lambda: parquet.rewrite("missing.parquet", "out.parquet"),
        lambda: parquet.ParquetFile(Path("missing.parquet")),
    ]
    for work in works:
        with pytest.raises(FileNotFoundError) as caught:
            work()
        assert (caught.value.errno, caught.value.filename) == (2, "missing.parquet")
    with pytest.raises(FileNotFoundError) as caught:
        parquet.write_table(numbers(), "missing/out.parquet")
    assert caught.value.filename == "missing/out.parquet"
    parquet.write_table(numbers(), "a.parquet")
    os.chmod("a.parquet", 0o444)
    with pytest.raises(PermissionError, match="read-only"):
        parquet.rewrite("a.parquet", "a.parquet")
    parquet.rewrite("a.parquet", "a.parquet", force=True)


def test_errors_tell_their_place() -> None:
    parquet.write_table(numbers(), "a.parquet", "plain", compression="none", row_group_size=1000)
    data = bytearray(Path("a.parquet").read_bytes())
    chunk = pq.read_metadata("a.parquet").row_group(1).column(1)
    data[chunk.data_page_offset : chunk.data_page_offset + 20] = b"\xff" * 20
    Path("a.parquet").write_bytes(data)
    with pytest.raises(parquet.ParquetError) as caught:
        parquet.read_table("a.parquet")
    error = caught.value
    assert (error.path, error.row_group, error.column) == ("a.parquet", 1, "price")
    assert isinstance(error, ValueError) and error.kind and error.page is None
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no Parquet file", b"PAR1" + b"\xff" * 8 + b"PAR1"])
def test_other_files_are_refused(content: bytes) -> None:
    Path("a.parquet").write_bytes(content)
    works: list[Work] = [
        lambda: parquet.read_table("a.parquet"),
        lambda: parquet.advise("a.parquet"),
        lambda: parquet.rewrite("a.parquet", "out.parquet"),
    ]
    for work in works:
        with pytest.raises(parquet.ParquetError) as caught:
            work()
        assert caught.value.path == "a.parquet"
    assert os.listdir() == ["a.parquet"]


@pytest.mark.parametrize("length", range(0, 400, 7))
def test_truncated_files_are_refused(length: int) -> None:
    parquet.write_table(numbers(3), "a.parquet")
    Path("a.parquet").write_bytes(Path("a.parquet").read_bytes()[: -1 - length])
    with pytest.raises(parquet.ParquetError):
        parquet.read_table("a.parquet")


def test_damaged_files_are_refused_or_read() -> None:
    parquet.write_table(numbers(50), "a.parquet")
    data = Path("a.parquet").read_bytes()
    refused = 0
    for position in range(0, len(data), 5):
        Path("a.parquet").write_bytes(data[:position] + bytes([data[position] ^ 0x55]) + data[position + 1 :])
        try:
            parquet.read_table("a.parquet").to_pyarrow()
        except ValueError:
            refused += 1
    assert refused > len(data) / 50


def test_wrong_arguments() -> None:
    parquet.write_table(numbers(), "a.parquet")
    file: Any = parquet.ParquetFile("a.parquet")
    module: Any = parquet
    wrong: list[tuple[type[Exception], str, Work]] = [
        (TypeError, "int", lambda: module.advise(1)),
        (TypeError, "int", lambda: module.advise([1])),
        (TypeError, "Int64Array", lambda: module.write_table(pa.array([1]), "b")),
        (TypeError, "not a table", lambda: module.write_table(pa.chunked_array([[1]]), "b")),
        (TypeError, "PyCapsule", lambda: module.write_table(Fake(1), "b")),
        (ValueError, "name", lambda: module.write_table(Fake(file.schema.__arrow_c_schema__()), "b")),
        (TypeError, "Options.goal", lambda: module.advise("a.parquet", goal=1)),
        (TypeError, "int", lambda: module.advise("a.parquet", readers=[1])),
        (TypeError, "str", lambda: module.write_table(numbers(), "b", column_encoding={"id": 1})),
        (TypeError, "str", lambda: file.read("id")),
        (TypeError, "int", lambda: module.read_table(5)),
        (ValueError, "no file", lambda: module.advise([])),
        (ValueError, 'goal "fast"', lambda: module.advise("a.parquet", goal="fast")),
        (ValueError, 'reader "x"', lambda: module.advise("a.parquet", readers="x")),
        (ValueError, "zstd:99", lambda: module.advise("a.parquet", compression="zstd:99")),
        (ValueError, '"xz"', lambda: module.write_table(numbers(), "b", compression="xz")),
        (ValueError, 'encoding "x"', lambda: module.write_table(numbers(), "b", "x")),
        (
            ValueError,
            "BYTE_ARRAY",
            lambda: module.write_table(numbers(), "b", column_encoding={"name": "byte_stream_split"}),
        ),
        (ValueError, "cannot be 0", lambda: module.write_table(numbers(), "b", row_group_size=0)),
        (ValueError, "-1", lambda: module.write_table(numbers(), "b", row_group_size=-1)),
        (ValueError, "0 rows", lambda: file.iter_batches(0)),
        (ValueError, "-5", lambda: file.iter_batches(-5)),
        (ValueError, "row group 9", lambda: file.read(row_groups=[9])),
        (ValueError, 'no column "z"', lambda: file.read(["z"])),
        (ValueError, "directory", lambda: module.read_table(".")),
    ]
    for kind, part, work in wrong:
        with pytest.raises(kind, match=part):
            work()
    assert os.listdir() == ["a.parquet"]


def test_types_that_parquet_does_not_have() -> None:
    union = pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])])
    for array in [union, pa.array([pa.MonthDayNano([1, 2, 3])]), pa.array([{}], pa.struct([]))]:
        table = pa.table({"x": array})
        with pytest.raises(parquet.ParquetError):
            parquet.write_table(table, "a.parquet")
        with pytest.raises(parquet.ParquetError):
            parquet.advise(table)


def test_a_stream_is_read_once() -> None:
    parquet.write_table(numbers(), "a.parquet")
    capsule = Fake(parquet.read_table("a.parquet").__arrow_c_stream__())
    parquet.write_table(capsule, "b.parquet")
    with pytest.raises(TypeError, match="released"):
        parquet.write_table(capsule, "c.parquet")


def test_names_that_c_cannot_express() -> None:
    pq.write_table(pa.table({"a\0b": [1]}), "a.parquet")
    with pytest.raises(ValueError, match="Null byte"):
        parquet.read_table("a.parquet").to_pyarrow()


# Progress and Ctrl-C.


def test_progress_is_told() -> None:
    pq.write_table(numbers(), "a.parquet", row_group_size=1000)
    told: list[tuple[int, int]] = []
    parquet.rewrite("a.parquet", "b.parquet", progress=lambda *it: told.append(it))
    totals = {total for _, total in told}
    # At least once for each row group, and at the end.
    assert len(told) >= 3 + 1 and len(totals) == 1
    assert told == sorted(told) and told[0][0] == 0 and told[-1][0] == told[-1][1]


@pytest.mark.parametrize("verify", [False, True])
def test_an_exception_of_progress_stops_the_work(verify: bool) -> None:
    pq.write_table(numbers(), "a.parquet")
    before = Path("a.parquet").read_bytes()

    def progress(done: int, total: int) -> None:
        if done == total:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        parquet.rewrite("a.parquet", "a.parquet", verify=verify, progress=progress)
    assert Path("a.parquet").read_bytes() == before
    assert os.listdir() == ["a.parquet"]


INTERRUPTED = {
    "rewrite": "parquet.rewrite('a.parquet', 'a.parquet', goal='size', compression='zstd:15')",
    "progress": "parquet.rewrite('a.parquet', 'a.parquet', compression='zstd:15', progress=print)",
    "write": "parquet.write_table(table, 'a.parquet', 'plain', compression='zstd:15', row_group_size=50_000)",
    "advise": "[parquet.advise('a.parquet') for _ in range(100)]",
    "read": "[parquet.read_table('a.parquet') for _ in range(100_000)]",
}


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("work", INTERRUPTED)
def test_ctrl_c_stops_the_work(work: str) -> None:
    columns = {f"c{c}": [(i * 7919 + c) * 0.37 % 1e5 for i in range(60_000)] for c in range(10)}
    table = pa.table(columns)
    pq.write_table(pa.concat_tables([table] * 5), "a.parquet", row_group_size=60_000)
    before = Path("a.parquet").read_bytes()
    program = f"""if True:
        from bytelane import parquet
        table = parquet.read_table("a.parquet")
        print("ready", flush=True)
        try:
            {INTERRUPTED[work]}
        except KeyboardInterrupt:
            raise SystemExit(42)
    """
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait() == 42
    assert time.monotonic() - sent < 10
    assert Path("a.parquet").read_bytes() == before
    assert os.listdir() == ["a.parquet"]


# Documentation.


def test_examples_run() -> None:
    pytest.importorskip("polars")
    result = doctest.testmod(parquet)
    assert result.attempted > 0
    assert result.failed == 0


def test_everything_has_documentation() -> None:
    for name in parquet.__all__:
        thing = getattr(parquet, name)
        assert thing.__doc__, name
        members = vars(thing).items() if isinstance(thing, type) else []
        missing = [key for key, it in members if not key.startswith("_") and not it.__doc__]
        assert not missing, (name, missing)
