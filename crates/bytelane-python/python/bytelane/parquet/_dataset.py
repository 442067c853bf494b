"""Data sets: directories of files that are read and written as one table."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path as LocalPath
from typing import Any, Literal
from urllib.parse import quote

from .. import _parquet
from .._filters import Filters, is_expression, native
from .._options import Decryption, Int96Unit, StringType, reader_types
from .._parquet import FileMetaData, Schema, Table
from .._protocols import ArrowSchema, ArrowStream, Path
from ._filesystem import local_path, opened, resolved
from ._read import Files, Rows, with_index
from ._writer import MetadataCollector, ParquetWriter


class ParquetDataset:
    """Parquet files that are read as one table: a directory, a pattern, a file, or a list of these.

    All arguments are those of `read_table`.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> table = pa.table({"id": range(4), "year": [2023, 2023, 2024, 2024]})
    >>> parquet.write_to_dataset(table, "lake", partition_cols=["year"])
    >>> lake = parquet.ParquetDataset("lake", filters=[("year", "==", 2024)])
    >>> lake.schema.names, lake.read().num_rows, len(lake.files)
    (['id', 'year'], 2, 2)
    """

    def __init__(
        self,
        path_or_paths: Path | Sequence[Path],
        filesystem: object = None,
        schema: ArrowSchema | None = None,
        *,
        filters: Filters | None = None,
        read_dictionary: Sequence[str] | None = None,
        string_type: StringType | None = None,
        decryption: Decryption | None = None,
        partition_types: Mapping[str, str] | None = None,
        strict_schema: bool = False,
        as_files: bool = False,
        partitioning: object = "hive",
        ignore_prefixes: Sequence[str] | None = None,
        binary_type: object = None,
        list_type: object = None,
        coerce_int96_timestamp_unit: Int96Unit | None = None,
        arrow_extensions_enabled: bool = True,
        memory_map: bool = False,
        buffer_size: int | None = None,
        pre_buffer: bool = True,
        page_checksum_verification: bool = False,
        decryption_properties: object = None,
        thrift_string_size_limit: None = None,
        thrift_container_size_limit: None = None,
        schema_depth_limit: None = None,
    ) -> None:
        source = opened(path_or_paths, filesystem)
        self._root = source if isinstance(source, str | os.PathLike) else None
        if self._root is not None and os.path.isdir(self._root) and not os.listdir(self._root):
            # As in pyarrow, an empty directory has neither files nor columns.
            source = []
        self._files = Files(source, locals())
        if filters is not None and not is_expression(filters):
            # Errors of the filter belong to this call.
            native(filters)
        self._filters = filters
        self._schema = None if schema is None else Table.empty(schema).schema
        self.filesystem = filesystem

    @property
    def schema(self) -> Schema:
        """Columns and their types."""
        return self._files.schema() if self._schema is None else self._schema

    @property
    def files(self) -> list[str]:
        """Paths of the files."""
        return self._files.paths()

    def read(
        self,
        columns: Sequence[str] | None = None,
        use_threads: bool = True,
        use_pandas_metadata: bool = False,
    ) -> Table:
        """Reads the rows: all columns, or those with these paths, in this order."""
        rows = Rows(filters=self._filters, threads=None if use_threads else 1)
        common = self._common_metadata() if use_pandas_metadata else None
        if columns is not None and use_pandas_metadata:
            schema = self._files.schema()
            stored = schema.metadata if b"pandas" in (schema.metadata or {}) else common
            columns = with_index(columns, stored)
        table = self._files.read_as(self._schema, columns, rows)
        if common and b"pandas" not in (table.schema.metadata or {}):
            metadata = {**(table.schema.metadata or {}), b"pandas": common[b"pandas"]}
            table = table.replace_schema_metadata(metadata)
        return table

    def read_pandas(self, columns: Sequence[str] | None = None, use_threads: bool = True) -> Table:
        """Reads the rows with the columns of the index of pandas."""
        return self.read(columns, use_threads, use_pandas_metadata=True)

    def _common_metadata(self) -> dict[bytes, bytes] | None:
        """Returns the metadata of a file that pyarrow once wrote beside the others."""
        for name in ("_common_metadata", "_metadata"):
            path = os.path.join(self._root or "", name)
            if self._root is not None and os.path.isfile(path):
                metadata = _parquet.ParquetFile(path, reader_types({})).metadata.metadata
                if metadata and b"pandas" in metadata:
                    return metadata
        return None

    def equals(self, other: ParquetDataset) -> bool:
        """Returns whether another data set has the same files and columns."""
        return self.schema == other.schema and self.files == other.files

    def __eq__(self, other: object) -> bool:
        return self.equals(other) if isinstance(other, ParquetDataset) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.files))


def write_to_dataset(
    table: ArrowStream,
    root_path: Path,
    partition_cols: Sequence[str] | None = None,
    filesystem: object = None,
    schema: ArrowSchema | None = None,
    *,
    basename_template: str | None = None,
    max_rows_per_file: int = 0,
    max_rows_per_group: int = 1 << 20,
    existing_data_behavior: Literal["overwrite_or_ignore", "error", "delete_matching"] = "overwrite_or_ignore",
    metadata_collector: MetadataCollector | None = None,
    **options: Any,
) -> None:
    """Writes a table to files in a directory, with a directory such as `year=2024` for each combination of values in
    `partition_cols`.

    The files have names like `3f2c..-0.parquet`, or those of `basename_template`, in which `{i}` is a number. A file has up to
    `max_rows_per_file` rows, by default all of its directory, and row groups of up to `max_rows_per_group` rows.

    All files are written before the first appears under its name: after an error, none of them does. With
    `existing_data_behavior`, existing files of the same names are replaced, the default; or all other files in the directories
    that get new ones are deleted, `"delete_matching"`; or a directory that is not empty is an error, `"error"`.
    `metadata_collector` gets the metadata of each file; `schema` converts the table; `filesystem` is a local one. All other arguments are
    those of `write_table`.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> table = pa.table({"id": range(4), "year": [2023, 2023, 2024, 2024]})
    >>> parquet.write_to_dataset(table, "lake", partition_cols=["year"])
    >>> parquet.read_table("lake", filters=[("year", "==", 2024)])["id"].to_pylist()
    [2, 3]
    """
    root = local_path(root_path, resolved(filesystem))
    if root is None:
        raise NotImplementedError(f"write_to_dataset writes to disks, not to {filesystem}")
    template = basename_template or f"{uuid.uuid4().hex}-{{i}}.parquet"
    if "{i}" not in template:
        raise ValueError(f"basename_template is {template!r}; it must have {{i}} for the number of the file")
    rows = Table(table) if schema is None else Table(table).cast(schema)
    target = LocalPath(root)
    if existing_data_behavior == "error" and target.is_dir() and any(target.iterdir()):
        raise FileExistsError(f"{target} is not empty")
    options["row_group_size"] = max_rows_per_group
    target.mkdir(parents=True, exist_ok=True)
    # Readers ignore names that begin with a dot.
    staging = target / f".bytelane-{uuid.uuid4().hex}"
    written: list[tuple[str, FileMetaData]] = []
    try:
        for directory, part in _parts(rows, partition_cols or []):
            most = max_rows_per_file or max(part.num_rows, 1)
            for number, start in enumerate(range(0, max(part.num_rows, 1), most)):
                name = os.path.join(directory, template.replace("{i}", str(number)))
                (staging / name).parent.mkdir(parents=True, exist_ok=True)
                collected: list[FileMetaData] = []
                with ParquetWriter(staging / name, part.schema, metadata_collector=collected, **options) as writer:
                    writer.write_table(part.slice(start, most))
                written.append((name, collected[0]))
        _publish(written, staging, target, existing_data_behavior == "delete_matching")
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    for name, metadata in written if metadata_collector is not None else []:
        assert metadata_collector is not None
        metadata.set_file_path(name)
        metadata_collector.append(metadata)


def _publish(written: list[tuple[str, FileMetaData]], staging: LocalPath, target: LocalPath, alone: bool) -> None:
    """Gives complete files their names. If they are to be alone in their directories, deletes the others there."""
    names = {name for name, _ in written}
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(staging / name, target / name)
    for directory in {os.path.dirname(name) for name in names} if alone else set():
        for other in (target / directory).iterdir():
            if other.is_file() and os.path.join(directory, other.name) not in names:
                other.unlink()


def _parts(table: Table, partition_cols: Sequence[str]) -> list[tuple[str, Table]]:
    """Returns the rows of each directory."""
    if not partition_cols:
        return [("", table)]
    names = table.column_names
    unknown = [name for name in partition_cols if name not in names]
    if unknown:
        raise KeyError(f"partition_cols: there is no column {unknown[0]!r}; the columns are {', '.join(names)}")
    if len(set(partition_cols)) == len(names):
        raise ValueError("partition_cols has all columns, so the files would have none")
    parts = _parquet.partition(table, [names.index(name) for name in partition_cols])
    return [("/".join(map(_directory, partition_cols, key)), part) for key, part in parts]


def _directory(column: str, value: str | None) -> str:
    text = "__HIVE_DEFAULT_PARTITION__" if value is None else quote(value, safe="")
    return f"{quote(column, safe='')}={text}"
