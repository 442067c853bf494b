"""Options and errors of `ParquetWriter` and `write_table`."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from bytelane import parquet
from tables import kinds_of_pages, nested, numbers, pa, pq, same

pytestmark = pytest.mark.usefixtures("in_new_directory")


def chunk(path: str, name: str) -> Any:
    """Returns the metadata of a column in the first row group."""
    group = pq.read_metadata(path).row_group(0)
    columns = [group.column(index) for index in range(group.num_columns)]
    return next(column for column in columns if column.path_in_schema == name)


def test_a_writer_tells_its_state() -> None:
    table = pa.table({"id": pa.array(range(1000), pa.int64())})
    with parquet.ParquetWriter("a.parquet", table.schema, row_group_size=600) as writer:
        assert writer.is_open
        start = writer.bytes_written
        writer.write_table(table.slice(0, 500))
        assert (writer.buffered_rows, writer.memory_size, writer.flushed_row_groups) == (500, 4000, 0)
        assert writer.bytes_written == start
        writer.flush()
        writer.flush()
        assert (writer.buffered_rows, writer.memory_size, writer.flushed_row_groups) == (0, 0, 1)
        assert writer.bytes_written > start
        writer.write_table(table.slice(500))
        writer.add_key_value_metadata({"source": "exchange", "größe": "漢"})
    assert not writer.is_open
    assert (writer.bytes_written, writer.flushed_row_groups) == (Path("a.parquet").stat().st_size, 2)
    assert (writer.buffered_rows, writer.memory_size) == (0, 0)
    footer = pq.read_metadata("a.parquet")
    assert [footer.row_group(index).num_rows for index in range(2)] == [500, 500]
    assert footer.metadata[b"source"] == b"exchange" and footer.metadata["größe".encode()] == "漢".encode()
    late: list[Any] = [writer.flush, lambda: writer.add_key_value_metadata({})]
    for work in late:
        with pytest.raises(ValueError, match="the writer is closed"):
            work()


def test_columns_have_their_own_compression() -> None:
    table = numbers()
    codecs = {"price": "ZSTD:3", "name": "none", "id": "Snappy"}
    parquet.write_table(table, "a.parquet", compression=codecs)
    found = {name: chunk("a.parquet", name).compression for name in [*codecs, "ratio"]}
    assert found == {"price": "ZSTD", "name": "UNCOMPRESSED", "id": "SNAPPY", "ratio": "ZSTD"}
    assert same(pq.read_table("a.parquet"), table)
    parquet.write_table(nested(), "a.parquet", compression={"struct": "gzip"})
    assert chunk("a.parquet", "struct.a").compression == "GZIP"
    for compression, level, problem in [
        (codecs, 3, "write the levels of columns"),
        (None, 3, "compression_level needs a codec"),
        ({"price": "xz"}, None, "xz"),
        ({"nothing": "zstd"}, None, 'no column "nothing"'),
    ]:
        wrong: Any = compression
        with pytest.raises(ValueError, match=problem):
            parquet.write_table(table, "b.parquet", compression=wrong, compression_level=level)
    assert not Path("b.parquet").exists()


def test_pages_have_the_wanted_size_and_version() -> None:
    table = pa.table({"id": [i * i % 1009 for i in range(10_000)]})
    connection = pytest.importorskip("duckdb").connect()

    def pages(**options: Any) -> int:
        parquet.write_table(table, "a.parquet", "plain", compression="none", **options)
        assert same(pq.read_table("a.parquet"), table)
        assert connection.execute("select id from 'a.parquet'").fetchall() == [(it,) for it in table["id"].to_pylist()]
        return len(kinds_of_pages("a.parquet"))

    assert pages(max_rows_per_page=1000) == 10
    assert pages(data_page_size=8000) == 10
    assert pages(max_rows_per_page=1000, data_page_version="2.0") == 10
    assert set(kinds_of_pages("a.parquet")) == {"data_v2"}
    assert pages() == 1
    assert kinds_of_pages("a.parquet") == ["data"]
    wrong: Any = "3.0"
    with pytest.raises(ValueError, match="page version"):
        pages(data_page_version=wrong)
    with pytest.raises(ValueError, match="rows of a page"):
        pages(max_rows_per_page=0)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "zstd"])
def test_checksums_reveal_damaged_pages(version: parquet.DataPageVersion, compression: str) -> None:
    table = pa.table({"id": range(1000), "name": [f"name {i * 7919 % 1009 % 9}" for i in range(1000)]})
    for checksums in (True, False):
        parquet.write_table(
            table,
            "a.parquet",
            column_encoding={"name": "dictionary"},
            compression=compression,
            data_page_version=version,
            write_page_checksum=checksums,
        )
        assert same(pq.read_table("a.parquet", page_checksum_verification=True), table)
        before = Path("a.parquet").read_bytes()
        column = chunk("a.parquet", "name")
        for place in (column.dictionary_page_offset + 30, column.data_page_offset + column.total_compressed_size // 2):
            damaged = bytearray(before)
            damaged[place] ^= 0x10
            Path("a.parquet").write_bytes(damaged)
            if checksums:
                with pytest.raises(OSError, match="CRC|checksum"):
                    pq.read_table("a.parquet", page_checksum_verification=True)
                with pytest.raises(parquet.ParquetError, match="checksum"):
                    parquet.read_table("a.parquet")
            elif compression == "none":
                # Without checksums, other values are read, or the page is damaged.
                found = parquet.check("a.parquet")["findings"]
                assert not any("checksum" in str(finding) for finding in found)


def test_dictionaries_have_a_limit() -> None:
    table = pa.table({"name": [f"a long name {i % 500}" for i in range(10_000)]})
    parquet.write_table(table, "a.parquet", "dictionary")
    assert chunk("a.parquet", "name").has_dictionary_page
    parquet.write_table(table, "a.parquet", "dictionary", dictionary_pagesize_limit=1000)
    assert not chunk("a.parquet", "name").has_dictionary_page
    assert same(pq.read_table("a.parquet"), table)


def test_bounds_can_be_left_out_or_shortened() -> None:
    table = pa.table({"name": ["ä" * 30, "ö" * 30], "data": [b"\xfe" * 30, b"\xff" * 30]})
    parquet.write_table(table, "a.parquet")
    assert chunk("a.parquet", "name").statistics.max == "ö" * 30
    assert chunk("a.parquet", "name").has_column_index
    parquet.write_table(table, "a.parquet", write_page_index=False)
    assert chunk("a.parquet", "name").statistics.max == "ö" * 30
    assert not chunk("a.parquet", "name").has_column_index
    assert not chunk("a.parquet", "name").has_offset_index
    assert parquet.read_table("a.parquet", filters="name > 'b'").to_pyarrow().equals(table)
    parquet.write_table(table, "a.parquet", write_statistics=False)
    assert not chunk("a.parquet", "name").is_stats_set or not chunk("a.parquet", "name").statistics.has_min_max
    parquet.write_table(table, "a.parquet", bound_bytes=5)
    names, data = chunk("a.parquet", "name").statistics, chunk("a.parquet", "data").statistics
    # Two whole characters; the upper bound is the next text.
    assert (names.min, names.max) == ("ää", "ö÷")
    # No bytes of this length are greater than the largest value.
    assert (data.min, data.max) == (b"\xfe" * 5, b"\xff" * 30)
    assert parquet.check("a.parquet", values=True)["findings"] == []
    with pytest.raises(ValueError, match="bytes of a bound"):
        parquet.write_table(table, "a.parquet", bound_bytes=0)


def test_wrong_options_are_named() -> None:
    write: Any = parquet.write_table
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("compression must be a string, not int", {"compression": 5}),
        ("compression of id must be a string, not NoneType", {"compression": {"id": None}}),
        ("encoding must be a string, not NoneType", {"encoding": None}),
        ("column_encoding must be a dictionary .*, not list", {"column_encoding": ["id"]}),
        ("bloom_filter_options must be a dictionary .*, not list", {"bloom_filter_options": ["id"]}),
        ("Bloom filter of id must be True or a dictionary", {"bloom_filter_options": {"id": 0.05}}),
        ("'id' is not a SortingColumn", {"sorting_columns": ["id"]}),
        ("content_defined_pages: .* expected True, or a pair", {"content_defined_pages": 7}),
        ("content_defined_pages: .* of minimum and maximum bytes", {"content_defined_pages": (5,)}),
    ]
    for problem, options in wrong:
        with pytest.raises(TypeError, match=problem):
            write(numbers(), "a.parquet", **options)
    assert os.listdir() == []
    # The names of pyarrow are in upper case.
    write(numbers(), "a.parquet", "PLAIN", column_encoding={"id": "DELTA_BINARY_PACKED"})
    assert "DELTA_BINARY_PACKED" in chunk("a.parquet", "id").encodings


class Disk:
    """Sink that fails once."""

    def __init__(self, room: int) -> None:
        self.data, self.room = b"", room

    def write(self, data: bytes, /) -> int:
        if len(self.data) + len(data) > self.room:
            self.room = 1 << 40
            raise OSError(28, "No space left on device")
        self.data += data
        return len(data)


def test_no_file_lacks_rows_after_an_error() -> None:
    table = pa.table({"id": range(400_000)})
    options: dict[str, Any] = {"encoding": "plain", "compression": "none", "row_group_size": 100_000}
    disk = Disk(1 << 20)
    writer = parquet.ParquetWriter(disk, table.schema, **options)
    with pytest.raises(OSError, match="No space left"):
        writer.write_table(table)
    size = len(disk.data)
    for work in [lambda: writer.write_table(table), writer.flush, writer.close]:
        with pytest.raises(parquet.ParquetError, match="an earlier error left the file incomplete"):
            work()
    assert len(disk.data) == size
    assert not writer.is_open
    with (
        pytest.raises(parquet.ParquetError, match="incomplete"),
        parquet.ParquetWriter(Disk(1 << 20), table.schema, **options) as second,
        pytest.raises(OSError, match="No space left"),
    ):
        second.write_table(table)


def test_a_refused_table_leaves_the_others() -> None:
    good = pa.table({"id": [1, 2], "time": pa.array([1, 2], pa.timestamp("s"))})
    bad = pa.table({"id": [3], "time": pa.array([2**62], pa.timestamp("s"))})
    with parquet.ParquetWriter("a.parquet", good.schema) as writer:
        writer.write_table(good)
        with pytest.raises(parquet.ParquetError, match="column time: .* too far away"):
            writer.write_table(bad)
        writer.write_table(good)
    assert pq.read_table("a.parquet")["id"].to_pylist() == [1, 2, 1, 2]


def test_a_pipe_that_does_not_block_is_an_error() -> None:
    table = pa.table({"id": range(100_000)})
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with os.fdopen(writing, "wb", 0) as file, pytest.raises(BlockingIOError, match="set_blocking"):
        parquet.write_table(table, file, "plain", compression="none")
    os.close(reading)

    reading, writing = os.pipe()
    parts: list[bytes] = []

    def read() -> None:
        with os.fdopen(reading, "rb") as file:
            parts.append(file.read())

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(writing, "wb", 0) as file:
        parquet.write_table(table, file)
    reader.join(60)
    assert same(pq.read_table(io.BytesIO(parts[0])), table)


def test_a_writer_that_is_in_use_says_so() -> None:
    problems: list[str] = []

    class Own:
        def write(self, data: bytes, /) -> int:
            with pytest.raises(RuntimeError) as raised:
                writer.close()
            problems.append(str(raised.value))
            return len(data)

    writer = parquet.ParquetWriter(Own(), numbers().schema)
    writer.write_table(numbers())
    writer.close()
    assert problems and "uses the writer at the same time" in problems[0]


def test_files_are_not_replaced_by_accident() -> None:
    parquet.write_table(numbers(), "a.parquet")
    before = Path("a.parquet").read_bytes()
    os.chmod("a.parquet", 0o444)
    with pytest.raises(PermissionError, match="read-only"):
        parquet.ParquetWriter("a.parquet", numbers().schema)
    with pytest.raises(ValueError, match="it is a directory; name a file in it"):
        parquet.ParquetWriter(".", numbers().schema)
    with pytest.raises(FileNotFoundError):
        parquet.ParquetWriter("missing/a.parquet", numbers().schema)
    with pytest.raises(OSError, match="No space left"):
        parquet.write_table(numbers(), "/dev/full")
    # A writer that is never closed.
    writer = parquet.ParquetWriter("b.parquet", numbers().schema)
    writer.write_table(numbers())
    del writer
    assert os.listdir() == ["a.parquet"] and Path("a.parquet").read_bytes() == before
    # The last of two writers wins.
    writers = [parquet.ParquetWriter("c.parquet", numbers().schema) for _ in range(2)]
    for rows, writer in zip((10, 20), writers, strict=True):
        writer.write_table(numbers(rows))
    for writer in writers:
        writer.close()
    assert pq.read_metadata("c.parquet").num_rows == 20 and sorted(os.listdir()) == ["a.parquet", "c.parquet"]


def test_metrics_count_the_work() -> None:
    parquet.write_table(numbers(), "a.parquet", row_group_size=1000)
    with parquet.ParquetFile("a.parquet") as file:
        batches = file.iter_batches(columns=["price"], filters="id < 10")
        assert batches.metrics.rows_dropped == 0
        assert sum(batch.num_rows for batch in batches) == 10
        counts = batches.metrics
    assert counts.rows_excluded + counts.rows_dropped == 2990
    assert counts.rows_excluded >= 2000
    assert 0 < counts.bytes_read < Path("a.parquet").stat().st_size
    assert counts.pages_read >= 2 and counts.values_decoded >= 1010 and counts.gaps_skipped >= 0
    assert f"{counts.bytes_read} bytes" in repr(counts)
