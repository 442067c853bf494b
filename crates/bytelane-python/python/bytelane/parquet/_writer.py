"""Writing Parquet files: whole tables, and one table after the other."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, Self

from .. import _parquet
from .._options import (
    AnySortingColumn,
    BloomFilterOptions,
    Compression,
    DataPageVersion,
    Encoding,
    Encryption,
    FormatVersion,
    Goal,
    TimestampUnit,
    given_to_writer,
)
from .._parquet import FileMetaData, Table
from .._protocols import ArrowSchema, ArrowStream, BinarySink, Path
from ._filesystem import Sink


class MetadataCollector(Protocol):
    """List, or another object with `append`, for the metadata of written files."""

    def append(self, metadata: FileMetaData, /) -> object:
        """Takes the metadata of a file."""


def write_table(
    table: ArrowStream,
    where: Path | BinarySink,
    encoding: Encoding = "auto",
    *,
    column_encoding: Encoding | Mapping[str, Encoding] | None = None,
    compression: Compression | None = None,
    compression_level: int | Mapping[str, int] | None = None,
    goal: Goal = "balanced",
    readers: str | Iterable[str] | None = None,
    encodings: str | Iterable[str] | None = None,
    row_group_size: int | None = 1 << 20,
    row_group_bytes: int = 512 << 20,
    max_rows_per_page: int | None = None,
    data_page_size: int | None = None,
    data_page_version: DataPageVersion = "1.0",
    write_page_checksum: bool = False,
    content_defined_pages: bool | tuple[int, int] = False,
    dictionary_pagesize_limit: int | None = None,
    bloom_filter_options: BloomFilterOptions | None = None,
    sorting_columns: Iterable[AnySortingColumn] | None = (),
    write_statistics: bool | Iterable[str] = True,
    write_page_index: bool = True,
    bound_bytes: int = 64,
    total_order: bool = False,
    version: FormatVersion = "2.6",
    coerce_timestamps: TimestampUnit | None = None,
    allow_truncated_timestamps: bool = False,
    use_deprecated_int96_timestamps: bool | None = None,
    write_time_adjusted_to_utc: bool = False,
    use_compliant_nested_type: bool = True,
    store_schema: bool = True,
    threads: int | None = None,
    encryption: Encryption | None = None,
    use_dictionary: bool | Iterable[str] | None = None,
    use_byte_stream_split: bool | Iterable[str] | None = None,
    use_content_defined_chunking: bool | Mapping[str, int] = False,
    store_decimal_as_integer: bool | None = None,
    flavor: Literal["spark"] | None = None,
    filesystem: object = None,
    chunk_size: int | None = None,
    write_batch_size: int | None = None,
    writer_engine_version: object = None,
    encryption_properties: object = None,
    metadata_collector: MetadataCollector | None = None,
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
    `write_page_index` say whether the bounds of row groups and of pages are written; without the latter, the positions of
    pages are not written either. Bounds of strings are shortened to
    `bound_bytes`; text stays valid UTF-8. With `total_order`, bounds of floats have the IEEE 754 total order, which the
    format recommends but which some readers do not know.

    `version`, `coerce_timestamps` and `allow_truncated_timestamps` are those of pyarrow: with version `"1.0"` or `"2.4"`,
    timestamps in nanoseconds become microseconds, and `"1.0"` has no 32-bit unsigned integers; `coerce_timestamps` sets the
    unit of all timestamps. A value that would change is an error, unless it may be truncated.
    `use_deprecated_int96_timestamps` stores them as INT96. Without `store_schema`, readers
    see the types of Parquet instead of Arrow's. The items of lists are named `element`, as in the
    specification, or without `use_compliant_nested_type` as in Arrow. `write_time_adjusted_to_utc` declares times of the day to be in UTC.

    `use_dictionary` and `use_byte_stream_split` say which columns have these encodings: all, none, or a list. `flavor="spark"`
    replaces characters in names that Spark refuses. `use_content_defined_chunking` is pyarrow's name for
    `content_defined_pages`. `metadata_collector` gets the metadata of the file, as the argument of `append`. `filesystem` is one
    of pyarrow or fsspec, or a URI, in which `where` is a path. `chunk_size` is `row_group_size`. `write_batch_size` and `writer_engine_version` have no effect.
    Not supported are `encryption_properties`, whose keys only pyarrow can read, and `store_decimal_as_integer=False`: decimals
    of up to 18 digits are stored as integers.

    `encryption` encrypts the file: `{"footer_key": b"..", "column_keys": {"price": b".."}}`. All columns are encrypted, those
    without a key of their own with that of the footer, and none that `"plain_columns"` lists. `"footer_key_metadata"`, and pairs of
    a key and its metadata in `"column_keys"`, let readers find the keys. `"aad_prefix"` ties the file to a name, which is stored
    unless `"store_aad_prefix"` is false. `"algorithm"` is `"AES_GCM_V1"`, or `"AES_GCM_CTR_V1"`, which does not authenticate pages.
    With `"plaintext_footer"`, the footer is signed, and readable without keys.

    `where` is a path, or an object with `write`, such as a binary file or a pipe, which stays open. A file with a path
    appears under its name when it is complete; an existing file is replaced only then.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> table = pa.table({"price": [100 + 0.25 * (i % 777) for i in range(20_000)]})
    >>> parquet.write_table(table, "trades.parquet", column_encoding={"price": "byte_stream_split"})
    """
    options = given_to_writer(locals())
    if flavor is not None:
        table = _for_spark(table)
    with Sink(where, filesystem) as sink:
        metadata = _parquet.write_table(table, sink, options, encryption)
    if metadata_collector is not None:
        metadata_collector.append(metadata)


# Characters that Spark does not accept in the names of columns.
_NOT_OF_SPARK = re.compile("[ ,;{}()\n\t=]")


def _for_spark(table: ArrowStream) -> Table:
    """Returns a table whose columns have names that Spark accepts."""
    renamed = Table(table)
    return renamed.rename_columns([_NOT_OF_SPARK.sub("_", name) for name in renamed.column_names])


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
        column_encoding: Encoding | Mapping[str, Encoding] | None = None,
        compression: Compression | None = None,
        compression_level: int | Mapping[str, int] | None = None,
        goal: Goal = "balanced",
        readers: str | Iterable[str] | None = None,
        encodings: str | Iterable[str] | None = None,
        row_group_size: int | None = 1 << 20,
        row_group_bytes: int = 512 << 20,
        max_rows_per_page: int | None = None,
        data_page_size: int | None = None,
        data_page_version: DataPageVersion = "1.0",
        write_page_checksum: bool = False,
        content_defined_pages: bool | tuple[int, int] = False,
        dictionary_pagesize_limit: int | None = None,
        bloom_filter_options: BloomFilterOptions | None = None,
        sorting_columns: Iterable[AnySortingColumn] | None = (),
        write_statistics: bool | Iterable[str] = True,
        write_page_index: bool = True,
        bound_bytes: int = 64,
        total_order: bool = False,
        version: FormatVersion = "2.6",
        coerce_timestamps: TimestampUnit | None = None,
        allow_truncated_timestamps: bool = False,
        use_deprecated_int96_timestamps: bool | None = None,
        write_time_adjusted_to_utc: bool = False,
        use_compliant_nested_type: bool = True,
        store_schema: bool = True,
        threads: int | None = None,
        encryption: Encryption | None = None,
        use_dictionary: bool | Iterable[str] | None = None,
        use_byte_stream_split: bool | Iterable[str] | None = None,
        use_content_defined_chunking: bool | Mapping[str, int] = False,
        store_decimal_as_integer: bool | None = None,
        flavor: Literal["spark"] | None = None,
        filesystem: object = None,
        chunk_size: int | None = None,
        write_batch_size: int | None = None,
        writer_engine_version: object = None,
        encryption_properties: object = None,
        metadata_collector: MetadataCollector | None = None,
    ) -> None:
        options = given_to_writer(locals())
        self._renames = flavor is not None
        self._collector = metadata_collector
        self._sink = Sink(where, filesystem)
        if self._renames:
            schema = _for_spark(Table.empty(schema)).schema
        self._writer = _parquet.ParquetWriter(self._sink.__enter__(), schema, options, encryption)

    def write_table(self, table: ArrowStream, row_group_size: int | None = None) -> None:
        """Appends the rows of a table or of a record batch. With `row_group_size`, they get row groups of their own with up to
        this many rows."""
        rows = _for_spark(table) if self._renames else table
        if row_group_size is None:
            self._writer.write_table(rows)
            return
        rows = Table(rows)
        self.flush()
        for start in range(0, rows.num_rows, row_group_size):
            self._writer.write_table(rows.slice(start, row_group_size))
            self.flush()

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
        if not self._writer.is_open:
            return
        self._writer.close()
        self._sink.close()
        if self._collector is not None and self._writer.metadata is not None:
            self._collector.append(self._writer.metadata)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._writer.discard()
            self._sink.close()


def write_metadata(
    schema: ArrowSchema,
    where: Path | BinarySink,
    metadata_collector: Iterable[FileMetaData] | None = None,
    filesystem: object = None,
    **options: Any,
) -> None:
    """Writes a file without rows that has this schema and, with `metadata_collector`, the row groups of other files: a file
    `_common_metadata` or `_metadata`. All other arguments are those of `write_table`.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> table, collected = pa.table({"id": range(1000)}), []
    >>> parquet.write_to_dataset(table, "lake", metadata_collector=collected)
    >>> parquet.write_metadata(table.schema, "lake/_metadata", collected)
    >>> parquet.read_metadata("lake/_metadata").num_rows
    1000
    """
    own: list[FileMetaData] = []
    if metadata_collector is None:
        ParquetWriter(where, schema, filesystem=filesystem, **options).close()
        return
    ParquetWriter(io.BytesIO(), schema, metadata_collector=own, **options).close()
    for metadata in metadata_collector:
        own[0].append_row_groups(metadata)
    with Sink(where, filesystem) as sink:
        own[0].write_metadata_file(sink)
