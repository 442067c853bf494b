"""Reading whole tables."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _parquet
from .._filters import Filters, Plan
from .._options import Decryption, Int96Unit, StringType, reader_types
from .._parquet import Schema, Table
from .._protocols import ArrowSchema, BinaryFile, Path
from ._filesystem import opened


def read_table(
    source: Path | Sequence[Path] | bytes | bytearray | memoryview | BinaryFile,
    columns: Sequence[str] | None = None,
    *,
    filters: Filters | None = None,
    row_groups: Sequence[int] | None = None,
    read_dictionary: Sequence[str] | None = None,
    string_type: StringType | None = None,
    partition_types: Mapping[str, str] | None = None,
    strict_schema: bool = False,
    as_files: bool = False,
    threads: int | None = None,
    memory_limit: int | None = None,
    row_limit: int | None = None,
    decryption: Decryption | None = None,
    schema: ArrowSchema | None = None,
    use_pandas_metadata: bool = False,
    partitioning: object = "hive",
    filesystem: object = None,
    ignore_prefixes: Sequence[str] | None = None,
    use_threads: bool = True,
    binary_type: object = None,
    list_type: object = None,
    coerce_int96_timestamp_unit: Int96Unit | None = None,
    arrow_extensions_enabled: bool = True,
    memory_map: bool = False,
    buffer_size: int | None = 0,
    pre_buffer: bool = True,
    page_checksum_verification: bool = False,
    decryption_properties: object = None,
    thrift_string_size_limit: None = None,
    thrift_container_size_limit: None = None,
    schema_depth_limit: None = None,
) -> Table:
    """Reads Parquet files into memory: all columns, or those with these paths, in this order.

    `source` is a path, a pattern such as `"lake/*.parquet"`, a directory, a list of these, bytes, or a binary file with
    `read` and `seek`. The rows of several files follow each other in the order of the names. Their columns
    are united by name: a column that a file lacks is null there, and types become one that holds the values of all. With
    `strict_schema`, they must have the same columns.
    For a directory, all `.parquet`, `.parq` and `.pq` files below it are read, and Parquet files that Hive, Trino and
    BigQuery name without an extension, except names that begin with `.` or `_`. A directory of Delta Lake, Apache
    Iceberg, Apache Hudi, Apache Paimon or DuckLake is refused, because its metadata says which files are current;
    `as_files` takes all of them.

    Directories named like `year=2024` add a column `year`, a dictionary of 32-bit integers or strings as in pyarrow, or
    of the type in `partition_types`, such as `{"year": "string", "day": "date"}`. Names in the path of a single file add
    none, and for a directory, only those below it do. If a file has a column of that name with another value, this is an
    error.

    `filters` selects rows, as in pyarrow: a list of tuples that must all be true, or a list of such lists, one of which
    must be true. The operators are `==`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `not in`, and for nulls `("name", "is",
    None)` and `("name", "is not", None)`. A string is parsed as an SQL condition: `"price > 100 and name like 'a%'"`.
    Row groups and pages are pruned by statistics, indexes and Bloom filters, and the other columns are read only where
    rows remain. Columns in groups are paths: `"item.price"`. The columns of the filter need not be among `columns`.

    Text and byte columns listed in `read_dictionary` are read as dictionaries: categoricals in pandas and Polars. All
    others have the type `string_type`, and byte columns the corresponding one; by default, this is the type in the
    file's Arrow schema, and `"string"` if it has none. `"string_view"` is the fastest, because views point to the
    strings in the file's pages, and the one that Polars uses without a copy.

    `threads` sets the number of threads; by default, as many as are worth waking, up to one per core. A file is untrusted
    input: nulls and repeated values can take arbitrarily more memory than their bytes in the file. A table that takes
    more than `memory_limit` bytes is an error. The default limit is 8 GiB plus 1024 times the size of the file, but at
    most half of the memory available to the process. `ParquetFile.iter_batches` reads larger ones. `row_limit` is the maximum number of rows of a
    file that `filters` are tested on, by default 64 Mi plus 1 Ki for each byte of the file.

    `decryption` has the keys of encrypted files: `{"footer_key": b"..", "column_keys": {"item.price": b".."}}`, where a column
    without a key of its own has that of the footer. `"aad_prefix"` is the one that the file must have, and needed if the
    file does not store it. For `"key_retriever"`, a function from the metadata of a key to the key or `None`, the function
    alone can be given, too. Columns whose key is missing are in the schema, and reading them is an error. A
    file that is not encrypted is an error unless `"plain_files"` is true.

    A `pyarrow.compute.Expression` is accepted as a filter, too. Comparisons of columns with values, `isin`, `is_null` and
    `is_valid`, connected by `&`, `|` and `~`, prune in the same way; pyarrow evaluates anything else on the rows that remain.

    The following arguments are pyarrow's. With `schema`, the table has its columns and types; columns that the files lack are
    null. `use_pandas_metadata` adds the columns of the index of pandas to `columns`. `partitioning` is `"hive"`, for
    directories named like `year=2024`; a list of names, for directories named like `2024`; `None`, to read no columns from
    names; or an object of `pyarrow.dataset`. `filesystem` is one of pyarrow or fsspec, or a URI, in which `source` is a path; if
    it is not local, `source` is a file. `ignore_prefixes` are the prefixes of names that are left out of directories, by
    default `.`, and `_` except in `_name=value`. `use_threads=False` is `threads=1`. `binary_type`, `list_type`: types of bytes and lists in files without an Arrow schema.
    `coerce_int96_timestamp_unit` is the unit of INT96 timestamps, `"s"`, `"ms"`, `"us"` or `"ns"`, the default. Without
    `arrow_extensions_enabled`, UUIDs and JSON are bytes and text.

    `memory_map`, `buffer_size` and `pre_buffer` have no effect: reads are planned from the footer. Neither has
    `page_checksum_verification`: checksums are always verified. Not supported are `decryption_properties`, whose keys
    only pyarrow can read, and the limits `thrift_string_size_limit`, `thrift_container_size_limit` and `schema_depth_limit`:
    `memory_limit` bounds the memory for the footer, too.

    Any library that reads `__arrow_c_stream__` can use the result without a copy.

    >>> import polars, pyarrow as pa
    >>> from bytelane import parquet
    >>> parquet.write_table(pa.table({"id": range(3), "price": [1.5, 2.5, 3.5]}), "trades.parquet")
    >>> polars.DataFrame(parquet.read_table("trades.parquet", ["price"])).shape
    (3, 1)
    >>> parquet.read_table("trades.parquet", ["id"], filters=[("price", ">", 2)]).to_pyarrow()["id"].to_pylist()
    [1, 2]
    """
    found = Files(opened(source, filesystem), locals())
    rows = Rows(row_groups, filters, threads if use_threads else 1, memory_limit, row_limit)
    if columns is not None and use_pandas_metadata:
        columns = with_index(columns, found.schema().metadata)
    return found.read_as(schema, columns, rows)


class Rows:
    """Rows to read, and the limits of reading them."""

    def __init__(
        self,
        row_groups: Sequence[int] | None = None,
        filters: Filters | None = None,
        threads: int | None = None,
        memory_limit: int | None = None,
        row_limit: int | None = None,
    ) -> None:
        self.row_groups = row_groups
        self.filters = filters
        self.limits = (threads, memory_limit, row_limit)


class Files:
    """File, or several that are read as one table, with the arguments of a reading function."""

    def __init__(self, source: Any, arguments: Mapping[str, Any]) -> None:
        self._types = reader_types(arguments)
        ignored = arguments["ignore_prefixes"]
        if isinstance(ignored, str):
            raise TypeError("ignore_prefixes is a list of texts, not one text")
        if isinstance(source, str | os.PathLike):
            source = [source]
        self._source = source
        self._is_paths = isinstance(source, Sequence) and not isinstance(source, bytes | bytearray | memoryview)
        partitions = _partitions(arguments["partition_types"], arguments["partitioning"])
        self._how = (arguments["as_files"], ignored, arguments["strict_schema"], partitions)

    def paths(self) -> list[str]:
        """Returns the paths of the files."""
        return _parquet.find_files(self._source, *self._how[:2])

    def schema(self) -> Schema:
        """Returns all columns."""
        if self._is_paths:
            return _parquet.table_schema(self._source, *self._how, self._types)
        return _parquet.ParquetFile(self._source, self._types).schema

    def read_as(self, schema: ArrowSchema | None, columns: Sequence[str] | None, rows: Rows) -> Table:
        """Reads rows in the types of a schema, which may have columns that the files lack."""
        if schema is None:
            return self.read(columns, rows)
        wanted = Table.empty(schema)
        if columns is not None:
            wanted = wanted.select(columns)
        known = self.schema().names
        return self.read([name for name in wanted.column_names if name in known], rows).cast(wanted.schema)

    def read(self, columns: Sequence[str] | None, rows: Rows) -> Table:
        """Reads rows: all columns, or these in their order, which may be repeated."""
        plan = Plan(columns, rows.filters, self.schema, self._is_paths)
        if plan.rest is not None:
            return plan.rest(self._read(plan, rows))
        if columns is None or isinstance(columns, str) or len(set(columns)) == len(columns):
            return self._read(plan, rows)
        plan.columns = [*dict.fromkeys(columns)]
        return self._read(plan, rows).select(columns)

    def _read(self, plan: Plan, rows: Rows) -> Table:
        columns, groups, filters = plan.columns, rows.row_groups, plan.filters
        if self._is_paths:
            return _parquet.read_files(self._source, *self._how, columns, groups, filters, self._types, *rows.limits)
        return _parquet.read_file(self._source, columns, groups, filters, self._types, *rows.limits)


def with_index(columns: Sequence[str], metadata: Mapping[bytes, bytes] | None) -> list[str]:
    """Adds the columns of the index of pandas, which are in the metadata of a schema."""
    stored = (metadata or {}).get(b"pandas")
    index = json.loads(stored)["index_columns"] if stored else []
    # The index of a range is no column.
    names = [name for name in index if isinstance(name, str)]
    return [*columns, *(name for name in names if name not in columns)]


def _partitions(types: Mapping[str, str] | None, partitioning: Any) -> tuple[list[tuple[str, str]], list[str] | None]:
    """Returns the types of the columns in the names of directories, and their names if these have only values."""
    chosen = dict(types or {})
    if partitioning is None:
        return [], []
    if isinstance(partitioning, str) and partitioning == "hive":
        return [*chosen.items()], None
    if isinstance(partitioning, Sequence) and not isinstance(partitioning, str):
        return [*chosen.items()], list(partitioning)
    kind = type(partitioning).__name__
    if kind in ("HivePartitioning", "DirectoryPartitioning"):
        for field in partitioning.schema:
            name = str(field.type)
            chosen[field.name] = _PARTITION_TYPES.get(name, name)
        return [*chosen.items()], None if kind == "HivePartitioning" else partitioning.schema.names
    if kind == "PartitioningFactory":
        # Its names are only in what pickle stores.
        names = partitioning.__reduce__()[1][0]
        return [*chosen.items()], None if partitioning.type_name == "hive" else list(names)
    raise NotImplementedError(f"partitioning is 'hive', a list of names or None, not {partitioning!r}")


# Names of `partition_types` by pyarrow's names of types.
_PARTITION_TYPES = {"float": "float32", "double": "float64", "date32[day]": "date", "timestamp[us]": "timestamp"}


def read_pandas(
    source: Path | Sequence[Path] | bytes | bytearray | memoryview | BinaryFile,
    columns: Sequence[str] | None = None,
    **kwargs: Any,
) -> Table:
    """Reads Parquet files as `read_table` does, with the columns of the index of pandas. All other arguments are those of
    `read_table`.

    >>> import pandas, pyarrow as pa
    >>> from bytelane import parquet
    >>> frame = pandas.DataFrame({"price": [0.5, 1.5]}, index=pandas.Index([7, 9], name="id"))
    >>> parquet.write_table(pa.table(frame), "trades.parquet")
    >>> parquet.read_pandas("trades.parquet", ["price"]).column_names
    ['price', 'id']
    """
    return read_table(source, columns, use_pandas_metadata=True, **kwargs)
