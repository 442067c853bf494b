"""`bytelane.parquet`: exchange with other libraries, reading, writing and its documentation."""

from __future__ import annotations

import doctest
import io
import os
import signal
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import ROWS, encodings, nested, numbers, pa, pq, same

from bytelane import parquet

pytestmark = pytest.mark.usefixtures("in_new_directory")


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
    assert whole.equals(table.select(["name", "id"]))

    second = file.read(row_groups=[1])
    assert second.to_pyarrow().equals(table.slice(1000, 1000))
    none = file.read(columns=[])
    assert (none.num_columns, len(none)) == (0, ROWS)
    assert file.read(["id"], row_groups=[]).column_names == ["id"]


def test_closed_files_are_not_read() -> None:
    parquet.write_table(numbers(), "a.parquet", row_group_size=1000)
    with parquet.ParquetFile("a.parquet") as file:
        assert not file.closed
        begun = file.iter_batches(batch_size=1000)
        first = next(begun)
    assert file.closed
    works: list[Callable[[], object]] = [file.read, file.iter_batches]
    for work in works:
        with pytest.raises(ValueError, match="a.parquet is closed"):
            work()
    # The existing iterator continues, and the footer is still known.
    assert first.num_rows + sum(batch.num_rows for batch in begun) == file.num_rows == ROWS
    assert file.num_row_groups == 3 and file.schema.names[0] == "id"
    file.close()
    with pytest.raises(RuntimeError, match="stop"), parquet.ParquetFile("a.parquet") as file:
        raise RuntimeError("stop")
    assert file.closed


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="looks at open files")
def test_close_gives_the_file_back() -> None:
    parquet.write_table(numbers(), "a.parquet")

    def is_open() -> bool:
        links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
        return any(os.path.realpath(link) == os.path.realpath("a.parquet") for link in links)

    file = parquet.ParquetFile("a.parquet")
    assert is_open()
    file.close()
    assert not is_open()


def test_a_file_names_its_writer() -> None:
    pq.write_table(numbers(), "a.parquet")
    assert parquet.ParquetFile("a.parquet").created_by == pq.read_metadata("a.parquet").created_by


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
# Encodings that pyarrow does not read.
PREVIEWS: list[parquet.Encoding] = ["alp", "fsst"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_any_values_come_back(data: st.DataObject) -> None:
    kind, values = COLUMNS[data.draw(st.sampled_from(sorted(COLUMNS)))]
    column = data.draw(st.lists(st.none() | values, max_size=50))
    encoding = data.draw(st.sampled_from(ENCODINGS + PREVIEWS))
    compression = data.draw(st.sampled_from(["none", "zstd", "snappy"]))
    rows = data.draw(st.integers(1, 60))
    table = pa.table({"x": pa.array(column, kind)})
    parquet.write_table(table, "a.parquet", encoding, compression=compression, row_group_size=rows)
    assert same(parquet.read_table("a.parquet").to_pyarrow(), table)
    if encoding not in PREVIEWS:
        assert same(pq.read_table("a.parquet"), table)


# Documentation.


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    public = {name: getattr(parquet, name) for name in parquet.__all__}
    for name, it in {"parquet": parquet, **public}.items():
        tests = [test for test in finder.find(it, name, module=False) if test.examples]
        assert tests or not isinstance(it, types.FunctionType), f"{name} has no example"
        for test in tests:
            test.globs = {}
            # Each example writes files of its own.
            directory = tmp_path / test.name
            directory.mkdir()
            monkeypatch.chdir(directory)
            runner.run(test)
    assert runner.summarize().failed == 0


def test_public_names_are_listed() -> None:
    assert dir(parquet) == sorted(parquet.__all__)
    for name in parquet.__all__:
        assert getattr(parquet, name).__module__ == "bytelane.parquet", name


def test_everything_has_documentation() -> None:
    for name in parquet.__all__:
        thing = getattr(parquet, name)
        assert thing.__doc__, name
        members = vars(thing).items() if isinstance(thing, type) else []
        missing = [key for key, it in members if not key.startswith("_") and not it.__doc__]
        assert not missing, (name, missing)


# Tables one after the other.


def test_tables_are_appended() -> None:
    table = numbers()
    with parquet.ParquetWriter("a.parquet", table.schema, compression="SNAPPY", row_group_size=1500) as writer:
        writer.write_table(table)
        writer.write_batch(table.to_batches()[0])
        writer.write(table.slice(0, 0))
        assert not Path("a.parquet").exists()
    read = pq.read_table("a.parquet")
    assert same(read, pa.concat_tables([table, pa.Table.from_batches(table.to_batches()[:1])]))
    footer = pq.read_metadata("a.parquet")
    assert footer.row_group(0).num_rows == 1500
    assert footer.row_group(0).column(0).compression == "SNAPPY"
    writer.close()
    with pytest.raises(ValueError, match="the writer is closed"):
        writer.write_table(table)


def test_binary_files_are_written() -> None:
    table = numbers()
    parquet.write_table(table, "a.parquet")
    memory = io.BytesIO()
    parquet.write_table(table, memory)
    assert memory.getvalue() == Path("a.parquet").read_bytes()
    assert not memory.closed
    for buffering in (-1, 0):
        with open("b.parquet", "wb", buffering) as file:
            file.write(b"before")
            with parquet.ParquetWriter(file, table.schema, row_group_size=500) as writer:
                writer.write_table(table)
                writer.write_table(table)
            assert not file.closed
        assert same(pq.read_table(io.BytesIO(Path("b.parquet").read_bytes()[6:])), pa.concat_tables([table, table]))


def test_objects_that_write_little_or_fail() -> None:
    class Slow:
        def __init__(self, counts: bool) -> None:
            self.data, self.counts = b"", counts

        def write(self, data: bytes, /) -> int | None:
            data = data[:1000] if self.counts else data
            self.data += data
            return len(data) if self.counts else None

    for counts in (True, False):
        slow = Slow(counts)
        parquet.write_table(numbers(), slow)
        assert same(pq.read_table(io.BytesIO(slow.data)), numbers())

    class Full:
        def write(self, data: bytes, /) -> int:
            raise OSError(28, "No space left on device")

    class Wrong:
        def write(self, data: bytes, /) -> int:
            return len(data) + 1

    with pytest.raises(OSError, match="No space left"):
        parquet.write_table(numbers(), Full())
    with pytest.raises(ValueError, match="`write` returned"):
        parquet.write_table(numbers(), Wrong())
    closed = io.BytesIO()
    closed.close()
    with pytest.raises(ValueError, match="closed file"):
        parquet.write_table(numbers(), closed)
    wrong: Any = 7
    with pytest.raises(TypeError, match="expected a path, or a binary file with `write`"):
        parquet.write_table(numbers(), wrong)
    memory = io.BytesIO()
    with pytest.raises(KeyError), parquet.ParquetWriter(memory, numbers().schema) as writer:
        writer.write_table(numbers())
        raise KeyError
    assert memory.getvalue() == b""


def test_row_groups_have_a_limit_of_bytes() -> None:
    table = pa.table({"id": range(10_000)})
    parquet.write_table(table, "a.parquet", row_group_bytes=24_000)
    footer = pq.read_metadata("a.parquet")
    assert [footer.row_group(index).num_rows for index in range(footer.num_row_groups)] == [3000, 3000, 3000, 1000]
    assert same(pq.read_table("a.parquet"), table)


def test_an_inserted_row_changes_few_content_defined_pages() -> None:
    numbers = [i * i * 2_654_435_761 % 1_000_000_007 for i in range(60_000)]
    tables = [pa.table({"id": numbers}), pa.table({"id": [*numbers[:30_000], 7, *numbers[30_000:]]})]
    chunks = []
    for table in tables:
        parquet.write_table(
            table, "a.parquet", "plain", compression="none", content_defined_pages=(4_000, 32_000), threads=1
        )
        assert same(pq.read_table("a.parquet"), table)
        chunk = pq.read_metadata("a.parquet").row_group(0).column(0)
        chunks.append(Path("a.parquet").read_bytes()[chunk.data_page_offset :][: chunk.total_compressed_size])
    # All but a few pages at the start and at the end are equal.
    equal = [os.path.commonprefix(chunks), os.path.commonprefix([chunk[::-1] for chunk in chunks])]
    assert sum(map(len, equal)) > len(chunks[0]) - 100_000
    with pytest.raises(ValueError, match="the second number must be greater"):
        parquet.write_table(tables[0], "a.parquet", content_defined_pages=(100, 100))


def test_bloom_filters_have_the_wanted_false_positives() -> None:
    table = pa.table({"id": range(0, 40_000, 2), "name": [f"name {number}" for number in range(20_000)]})
    path = "filters.parquet"
    connection = pytest.importorskip("duckdb").connect()

    def filters(options: parquet.BloomFilterOptions) -> list[int]:
        parquet.write_table(table, path, bloom_filter_options=options)
        assert pq.read_table(path).equals(table)
        lengths = f"select bloom_filter_length from parquet_metadata('{path}') order by column_id"
        return [length or 0 for (length,) in connection.execute(lengths).fetchall()]

    assert filters({}) == [0, 0]
    assert filters({"id": False, "name": True})[0] == 0
    usual = filters({"id": True})
    assert usual == [usual[0], 0]
    assert filters({"id": {"fpp": 0.05, "ndv": 3}}) == usual
    assert filters({"id": {"fpp": 0.001}})[0] > usual[0]
    with parquet.ParquetWriter(path, table.schema, bloom_filter_options={"id": True}) as writer:
        writer.write_table(table)
    odd = "select count(*) from parquet_bloom_probe('filters.parquet', 'id', {}::bigint) where bloom_filter_excludes"
    excluded = [connection.execute(odd.format(number)).fetchall()[0][0] for number in range(200)]
    assert not any(excluded[::2])
    assert sum(excluded[1::2]) > 80
    for wrong, problem in [({"fpp": 0.0}, "between 0 and 1"), ({"fpr": 0.1}, "no option 'fpr'")]:
        with pytest.raises(ValueError, match=problem):
            filters({"id": wrong})
    with pytest.raises(parquet.ParquetError, match="nothing"):
        filters({"nothing": True})


def test_sorting_columns_are_declared() -> None:
    table = pa.table({"x": pa.array([3, 2, None]), "y": ["a", "b", "c"]})
    of_pyarrow = pq.SortingColumn(1, nulls_first=True)
    sorted_by = [parquet.SortingColumn(0, descending=True), of_pyarrow]
    parquet.write_table(table, "sorted.parquet", sorting_columns=sorted_by)
    with parquet.ParquetWriter("again.parquet", table.schema, sorting_columns=sorted_by) as writer:
        writer.write(table)
    for path in ["sorted.parquet", "again.parquet"]:
        read = pq.read_metadata(path).row_group(0).sorting_columns
        assert read == (pq.SortingColumn(0, descending=True), of_pyarrow)
    with pytest.raises(parquet.ParquetError, match="column 2"):
        parquet.write_table(table, "sorted.parquet", sorting_columns=[parquet.SortingColumn(2)])


def test_no_file_appears_after_an_exception() -> None:
    Path("a.parquet").write_bytes(b"before")
    with pytest.raises(KeyError), parquet.ParquetWriter("a.parquet", numbers().schema) as writer:
        writer.write_table(numbers())
        raise KeyError
    assert Path("a.parquet").read_bytes() == b"before"
    assert [path.name for path in Path().iterdir()] == ["a.parquet"]


def test_another_schema_is_refused() -> None:
    with parquet.ParquetWriter("a.parquet", pa.schema({"id": pa.int64()})) as writer:
        writer.write_table(pa.table({"id": [1, 2]}))
        with pytest.raises(ValueError, match="the rows have the columns name"):
            writer.write_table(pa.table({"name": ["a"]}))
    assert pq.read_table("a.parquet")["id"].to_pylist() == [1, 2]
    wrong: Any = "id"
    with pytest.raises(TypeError, match="expected a schema with __arrow_c_schema__"):
        parquet.ParquetWriter("b.parquet", wrong)
    assert not Path("b.parquet").exists()


def test_threads_write_the_same_file() -> None:
    files = []
    for threads in [1, 3, None]:
        parquet.write_table(numbers(), "a.parquet", threads=threads)
        files.append(Path("a.parquet").read_bytes())
    assert files[0] == files[1] == files[2]
    with pytest.raises(ValueError, match="threads must be at least 1"):
        parquet.write_table(numbers(), "a.parquet", threads=0)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_does_not_wait_for_threads_of_its_parent() -> None:
    parquet.write_table(numbers(), "a.parquet", row_group_size=100)
    expected = parquet.read_table("a.parquet", threads=3).num_rows
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        same = all(parquet.read_table("a.parquet", threads=count).num_rows == expected for count in (3, 3, 2))
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert parquet.read_table("a.parquet", threads=3).num_rows == expected
