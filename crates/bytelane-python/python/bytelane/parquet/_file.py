"""Reading a file in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from .. import _parquet
from .._filters import Filters, Plan
from .._options import Decryption, Int96Unit, StringType, reader_types
from .._parquet import Batches, FileMetaData, RowGroupMetaData, Schema, Table
from .._protocols import BinaryFile, Path
from ._filesystem import opened
from ._read import with_index


class ParquetFile:
    """A Parquet file that can be read in parts, by any number of threads. The source is a path, bytes, or a binary file with
    `read` and `seek`.

    It is open until `close`, or until the end of a `with` statement. Text and byte columns listed in `read_dictionary` are read as
    dictionaries, which are categoricals in pandas and Polars; `string_type` is the type of the others. `decryption` has the
    keys of an encrypted file, as in `read_table`. All other arguments are pyarrow's, and are those of `read_table`; `metadata` and `common_metadata` are footers that were read before: the footer
    of the file is read nevertheless.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> table = pa.table({"id": range(1000), "price": [0.25 * i for i in range(1000)]})
    >>> parquet.write_table(table, "trades.parquet", row_group_size=600)
    >>> with parquet.ParquetFile("trades.parquet") as file:
    ...     file.num_rows, file.num_row_groups, file.schema.names
    ...     [batch.num_rows for batch in file.iter_batches(batch_size=400, columns=["price"])]
    ...     file.read_row_group(1, columns=["price", "id"])[:2].to_pylist()
    (1000, 2, ['id', 'price'])
    [400, 200, 400]
    [{'price': 150.0, 'id': 600}, {'price': 150.25, 'id': 601}]
    """

    def __init__(
        self,
        source: Path | bytes | bytearray | memoryview | BinaryFile,
        *,
        read_dictionary: Sequence[str] | None = None,
        string_type: StringType | None = None,
        decryption: Decryption | None = None,
        metadata: FileMetaData | None = None,
        common_metadata: FileMetaData | None = None,
        binary_type: object = None,
        list_type: object = None,
        coerce_int96_timestamp_unit: Int96Unit | None = None,
        arrow_extensions_enabled: bool = True,
        filesystem: object = None,
        memory_map: bool = False,
        buffer_size: int | None = 0,
        pre_buffer: bool = True,
        page_checksum_verification: bool = False,
        decryption_properties: object = None,
        thrift_string_size_limit: None = None,
        thrift_container_size_limit: None = None,
        schema_depth_limit: None = None,
    ) -> None:
        types = reader_types(locals())
        self.common_metadata = common_metadata
        self._source = opened(source, filesystem)
        # As in pyarrow, an open file is not closed, and then neither is this object.
        self._is_closed_at_end = self._source is not source or getattr(source, "closed", True)
        self._file = _parquet.ParquetFile(self._source, types)

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return self._file.num_rows

    @property
    def num_row_groups(self) -> int:
        """Number of row groups."""
        return self._file.num_row_groups

    @property
    def created_by(self) -> str | None:
        """Program that wrote the file, if known."""
        return self._file.created_by

    @property
    def schema(self) -> Schema:
        """Columns and their types."""
        return self._file.schema

    @property
    def schema_arrow(self) -> Schema:
        """The same schema, under pyarrow's name for it."""
        return self._file.schema

    @property
    def metadata(self) -> FileMetaData:
        """Metadata from the footer: row groups, columns, sizes and encodings."""
        return self._file.metadata

    @property
    def row_groups(self) -> list[RowGroupMetaData]:
        """Metadata of each row group."""
        return self._file.row_groups

    @property
    def closed(self) -> bool:
        """True if the file is closed."""
        return self._file.closed or (not self._is_closed_at_end and self._source.closed)

    def close(self, force: bool = False) -> None:
        """Closes the file. The contents of its footer remain available; existing iterators can continue, and
        close it for themselves. Does nothing if an open file was passed, except with `force`, which closes that, too."""
        if not (self._is_closed_at_end or force):
            return
        self._file.close()
        if hasattr(self._source, "close"):
            self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def iter_batches(
        self,
        batch_size: int = 65_536,
        row_groups: Sequence[int] | None = None,
        columns: Sequence[str] | None = None,
        use_threads: bool = True,
        use_pandas_metadata: bool = False,
        *,
        filters: Filters | None = None,
        threads: int | None = None,
        memory_limit: int | None = None,
        row_limit: int | None = None,
    ) -> Batches:
        """Reads the rows batch by batch: all columns or those with these paths, in their order, all row groups or those with
        these indices, and only rows for which `filters` are true, as in `read_table`. A batch does not extend past its row
        group.

        `threads` sets the number of threads; by default, as many as are worth waking, up to one per core. At most
        `memory_limit` bytes are in memory at a time, by default 2 GiB plus 1024 times the size of the file: batches have
        fewer rows where necessary, and a row that takes more is an error. `row_limit` is the maximum number of rows that
        `filters` are tested on, by default 64 Mi plus 1 Ki for each byte of the file.
        """
        plan = self._plan(columns, use_pandas_metadata, filters)
        limits = (threads if use_threads else 1, memory_limit, row_limit)
        return self._file.iter_batches(batch_size, plan.columns, row_groups, plan.filters, *limits, plan.rest)

    def read(
        self,
        columns: Sequence[str] | None = None,
        use_threads: bool = True,
        use_pandas_metadata: bool = False,
        *,
        row_groups: Sequence[int] | None = None,
        filters: Filters | None = None,
        threads: int | None = None,
        memory_limit: int | None = None,
        row_limit: int | None = None,
    ) -> Table:
        """Reads the same rows as one table. A table of more than `memory_limit` bytes is an error; the default is 8 GiB plus 1024
        times the size of the file. `row_limit` is that of `iter_batches`."""
        plan = self._plan(columns, use_pandas_metadata, filters)
        limits = (threads if use_threads else 1, memory_limit, row_limit)
        table = self._file.read(plan.columns, row_groups, plan.filters, *limits)
        return table if plan.rest is None else plan.rest(table)

    def read_row_group(
        self,
        i: int,
        columns: Sequence[str] | None = None,
        use_threads: bool = True,
        use_pandas_metadata: bool = False,
    ) -> Table:
        """Reads one row group."""
        return self.read_row_groups([i], columns, use_threads, use_pandas_metadata)

    def read_row_groups(
        self,
        row_groups: Sequence[int],
        columns: Sequence[str] | None = None,
        use_threads: bool = True,
        use_pandas_metadata: bool = False,
    ) -> Table:
        """Reads row groups in this order."""
        return self.read(columns, use_threads, use_pandas_metadata, row_groups=row_groups)

    def scan_contents(self, columns: Sequence[str] | None = None, batch_size: int = 65_536) -> int:
        """Decodes columns, and returns the number of rows."""
        return sum(batch.num_rows for batch in self.iter_batches(batch_size, columns=columns))

    def _plan(self, columns: Sequence[str] | None, use_pandas_metadata: bool, filters: Filters | None) -> Plan:
        if columns is not None and use_pandas_metadata:
            metadata = self.schema.metadata or {}
            if b"pandas" not in metadata and self.common_metadata is not None:
                metadata = self.common_metadata.metadata or {}
            columns = with_index(columns, metadata)
        return Plan(columns, filters, lambda: self.schema)

    def __repr__(self) -> str:
        return repr(self._file)


def read_metadata(
    where: Path | bytes | bytearray | memoryview | BinaryFile,
    memory_map: bool = False,
    decryption_properties: object = None,
    filesystem: object = None,
    *,
    decryption: Decryption | None = None,
) -> FileMetaData:
    """Reads the footer of a Parquet file. The arguments are those of `ParquetFile`.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> parquet.write_table(pa.table({"id": range(1000)}), "ids.parquet")
    >>> parquet.read_metadata("ids.parquet").num_rows
    1000
    """
    opening: dict[str, Any] = {"decryption": decryption, "decryption_properties": decryption_properties}
    with ParquetFile(where, filesystem=filesystem, **opening) as file:
        return file.metadata


def read_schema(
    where: Path | bytes | bytearray | memoryview | BinaryFile,
    memory_map: bool = False,
    decryption_properties: object = None,
    filesystem: object = None,
    arrow_extensions_enabled: bool = True,
    *,
    decryption: Decryption | None = None,
) -> Schema:
    """Reads the columns of a Parquet file and their types. The arguments are those of `ParquetFile`.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> parquet.write_table(pa.table({"id": range(1000)}), "ids.parquet")
    >>> parquet.read_schema("ids.parquet")
    bytelane.parquet.Schema: 1 columns
    id: int64
    """
    opening: dict[str, Any] = {"decryption": decryption, "decryption_properties": decryption_properties}
    opening |= {"filesystem": filesystem, "arrow_extensions_enabled": arrow_extensions_enabled}
    with ParquetFile(where, **opening) as file:
        return file.schema
