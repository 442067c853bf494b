"""Writing Parquet files: whole tables, and one table after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self

from . import _parquet
from ._options import (
    AnySortingColumn,
    BloomFilterOptions,
    Compression,
    DataPageVersion,
    Encoding,
    Goal,
    given_to_writer,
)
from ._protocols import ArrowSchema, ArrowStream, BinarySink, Path


def write_table(
    table: ArrowStream,
    where: Path | BinarySink,
    encoding: Encoding = "auto",
    *,
    column_encoding: Mapping[str, Encoding] | None = None,
    compression: Compression | None = None,
    compression_level: int | None = None,
    goal: Goal = "balanced",
    readers: str | Iterable[str] | None = None,
    encodings: str | Iterable[str] | None = None,
    row_group_size: int = 1 << 20,
    row_group_bytes: int = 512 << 20,
    max_rows_per_page: int | None = None,
    data_page_size: int | None = None,
    data_page_version: DataPageVersion = "1.0",
    write_page_checksum: bool = False,
    content_defined_pages: bool | tuple[int, int] = False,
    dictionary_pagesize_limit: int | None = None,
    bloom_filter_options: BloomFilterOptions | None = None,
    sorting_columns: Iterable[AnySortingColumn] = (),
    write_statistics: bool = True,
    write_page_index: bool = True,
    bound_bytes: int = 64,
    total_order: bool = False,
    threads: int | None = None,
) -> None:
    """Writes a table to a Parquet file, each column in the best encoding for the goal.

    Columns whose type does not support `encoding` use `"auto"`. `column_encoding` sets the encodings of columns, or of
    all columns in a group, by their paths. The default compression is `"zstd"` at level 1; the others are `"none"`,
    `"snappy"`, `"lz4"`, `"gzip"` and `"brotli"`, in upper or lower case. As in pyarrow, `"lz4"` is the format's
    LZ4_RAW. A dictionary sets the compression of columns or groups, such as `{"price": "zstd:3"}`; the others keep the
    default. `goal`, `readers` and `encodings` are those of `advise`. `threads` sets the number of threads, by default
    one per core; the file does not depend on it.

    A row group has up to `row_group_size` rows, and fewer if their values take more than `row_group_bytes` in memory. A
    page has up to `max_rows_per_page` rows and about `data_page_size` bytes before compression; by default, up to
    131,072 rows and 1 MiB, or less where that is smaller. With `write_page_checksum`, readers notice damaged pages. With
    `content_defined_pages`, the values determine where pages end: if rows are inserted into a table, only a few pages
    change, so deduplicating stores keep the others once. A pair of numbers sets the minimum and maximum bytes of a page.
    A column whose dictionary would take more than `dictionary_pagesize_limit` bytes, by default 8 MiB, gets another
    encoding.

    `bloom_filter_options` maps the paths of columns to `True`, or to a dictionary with the share of false positives,
    `"fpp"`: 0.05 by default. Each filter has the size that the distinct values of its row group need. `sorting_columns`
    declares the order of the rows, which is not checked; those of pyarrow are accepted, too. `write_statistics` and
    `write_page_index` say whether the bounds of row groups and of pages are written. Bounds of strings are shortened to
    `bound_bytes`; text stays valid UTF-8. With `total_order`, bounds of floats have the IEEE 754 total order, which the
    format recommends but which some readers do not know.

    `where` is a path, or an object with `write`, such as a binary file or a pipe, which stays open. A file with a path
    appears under its name when it is complete; an existing file is replaced only then.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> table = pa.table({"price": [100 + 0.25 * (i % 777) for i in range(20_000)]})
    >>> parquet.write_table(table, "trades.parquet", column_encoding={"price": "byte_stream_split"})
    """
    _parquet.write_table(table, where, given_to_writer(locals()))


class ParquetWriter:
    """Writes a Parquet file table by table, so that not all rows need to be in memory at once.

    The arguments are those of `write_table`; all tables have this `schema`. Rows are buffered until a row group is full.

    The file appears under its name when the writer is closed; an existing file is replaced only then. If the block of a
    `with` statement raises an exception, or a writer is never closed, no file appears, and nothing more is written to a
    binary file. After an error of the disk or of a row group, the file is incomplete and cannot be closed.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> table = pa.table({"id": range(1000)})
    >>> with parquet.ParquetWriter("ids.parquet", table.schema) as writer:
    ...     for _ in range(3):
    ...         writer.write_table(table)
    ...     writer.buffered_rows, writer.memory_size, writer.flushed_row_groups
    ...     writer.flush()
    ...     writer.buffered_rows, writer.memory_size, writer.flushed_row_groups
    (3000, 24000, 0)
    (0, 0, 1)
    >>> parquet.ParquetFile("ids.parquet").num_rows
    3000
    """

    def __init__(
        self,
        where: Path | BinarySink,
        schema: ArrowSchema,
        encoding: Encoding = "auto",
        *,
        column_encoding: Mapping[str, Encoding] | None = None,
        compression: Compression | None = None,
        compression_level: int | None = None,
        goal: Goal = "balanced",
        readers: str | Iterable[str] | None = None,
        encodings: str | Iterable[str] | None = None,
        row_group_size: int = 1 << 20,
        row_group_bytes: int = 512 << 20,
        max_rows_per_page: int | None = None,
        data_page_size: int | None = None,
        data_page_version: DataPageVersion = "1.0",
        write_page_checksum: bool = False,
        content_defined_pages: bool | tuple[int, int] = False,
        dictionary_pagesize_limit: int | None = None,
        bloom_filter_options: BloomFilterOptions | None = None,
        sorting_columns: Iterable[AnySortingColumn] = (),
        write_statistics: bool = True,
        write_page_index: bool = True,
        bound_bytes: int = 64,
        total_order: bool = False,
        threads: int | None = None,
    ) -> None:
        self._writer = _parquet.ParquetWriter(where, schema, given_to_writer(locals()))

    def write_table(self, table: ArrowStream) -> None:
        """Appends the rows of a table or of a record batch."""
        self._writer.write_table(table)

    write = write_batch = write_table

    def flush(self) -> None:
        """Ends the current row group and writes it, although it is not full. Does nothing if it has no rows."""
        self._writer.flush()

    def add_key_value_metadata(self, key_value_metadata: Mapping[str, str]) -> None:
        """Adds pairs to the metadata of the file, in addition to those of the schema."""
        self._writer.add_key_value_metadata([*key_value_metadata.items()])

    @property
    def is_open(self) -> bool:
        """True until the writer is closed."""
        return self._writer.is_open

    @property
    def buffered_rows(self) -> int:
        """Number of rows in the current row group, which is not written yet."""
        return self._writer.buffered_rows

    @property
    def memory_size(self) -> int:
        """Number of bytes that the values of the current row group take in memory."""
        return self._writer.memory_size

    @property
    def bytes_written(self) -> int:
        """Number of bytes written so far. Those of a row group are written when it ends."""
        return self._writer.bytes_written

    @property
    def flushed_row_groups(self) -> int:
        """Number of row groups written so far."""
        return self._writer.flushed_row_groups

    def close(self) -> None:
        """Completes the file, which then appears under its name. Does nothing if the writer is closed."""
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._writer.discard()
