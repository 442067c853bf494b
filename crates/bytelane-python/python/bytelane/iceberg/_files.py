"""The current files of a table of Apache Iceberg, and the rows of them that delete files name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyiceberg.io import pyarrow as footers
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestEntry
from pyiceberg.table import Table
from pyiceberg.table.delete_file_index import DeleteFileIndex

from .. import parquet


@dataclass(frozen=True)
class CurrentFile:
    """Data file of a snapshot, and the delete files that apply to it."""

    file: DataFile
    deletes: frozenset[DataFile]

    @property
    def path(self) -> str:
        return local(self.file.file_path)


def local(location: str) -> str:
    """Returns the path of a file."""
    if "://" in location and not location.startswith("file:///"):
        raise ValueError(f"{location}: only tables on a file system are supported")
    return location.removeprefix("file:").replace("///", "/", 1) if location.startswith("file:") else location


def current_files(table: Table) -> tuple[list[CurrentFile], set[DataFile]]:
    """Returns the data files of the current snapshot, and all of its delete files."""
    snapshot = table.current_snapshot()
    entries = [
        entry
        for manifest in (snapshot.manifests(table.io) if snapshot else [])
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True)
    ]
    positions = DeleteFileIndex()
    equalities: dict[object, list[ManifestEntry]] = defaultdict(list)
    for entry in entries:
        file = entry.data_file
        if file.content == DataFileContent.POSITION_DELETES:
            positions.add_delete_file(entry, partition_key=file.partition)
        elif file.content == DataFileContent.EQUALITY_DELETES:
            # Those without a partition apply to files of all partitions.
            is_global = table.specs()[file.spec_id].is_unpartitioned()
            equalities[None if is_global else (file.spec_id, file.partition)].append(entry)
    found = []
    for entry in entries:
        file, number = entry.data_file, entry.sequence_number or 0
        if file.content == DataFileContent.DATA:
            deletes = positions.for_data_file(number, file, partition_key=file.partition)
            by_values = [*equalities.get(None, []), *equalities.get((file.spec_id, file.partition), [])]
            # Rows of the same commit are not deleted.
            deletes |= {delete.data_file for delete in by_values if number < (delete.sequence_number or 0)}
            found.append(CurrentFile(file, frozenset(deletes)))
    return found, {entry.data_file for entry in entries if entry.data_file.content != DataFileContent.DATA}


def ids_of(table: Table, path: str) -> dict[str, int]:
    """Returns the field IDs of the columns of a file, by their paths. For a file without IDs, the table knows them by name."""
    schema = footers.pyarrow_to_schema(pq.read_schema(path), table.name_mapping())
    ids: dict[str, int] = footers.parquet_path_to_id_mapping(schema)
    return ids


def deleted_rows(table: Table, current: CurrentFile) -> list[int]:
    """Returns the numbers of the rows of a file that its delete files name."""
    rows: set[int] = set()
    for delete in current.deletes:
        if delete.content == DataFileContent.POSITION_DELETES:
            found = footers._read_deletes(table.io, delete).get(current.file.file_path)
            rows.update([] if found is None else found.to_pylist())
        else:
            rows.update(_equal_rows(table, current, delete))
    return sorted(rows)


def _equal_rows(table: Table, current: CurrentFile, delete: DataFile) -> Iterable[int]:
    """Returns the numbers of the rows whose values are those of a row of a file of equality deletes."""
    path = local(delete.file_path)
    if delete.file_format != FileFormat.PARQUET:
        raise ValueError(f"{path}: equality deletes in {delete.file_format.value} are not supported; rewrite the table with Spark")
    ids = delete.equality_ids or []
    deleted, columns = _columns(table, path, ids), _columns(table, current.path, ids)
    if lost := [number for number in ids if number not in deleted]:
        raise ValueError(f"{path}: it has no column with the ID {lost[0]}, which its equality deletes compare")
    count = len(next(iter(deleted.values())))
    rows = current.file.record_count
    code = pa.array([0] * (count + rows), pa.int64())
    for number in ids:
        # A column that is newer than the file is null in all of its rows.
        column = columns.get(number, pa.chunked_array([pa.nulls(rows)]))
        both = pa.chunked_array([*deleted[number].chunks, *column.cast(deleted[number].type).chunks])
        # Nulls are equal to each other, and so are NaNs.
        values = both.combine_chunks().dictionary_encode(null_encoding="encode")
        code = pc.add(pc.multiply(code, len(values.dictionary)), values.indices.cast(pa.int64()))
        # Codes stay small, so that the next product has no overflow.
        code = code.dictionary_encode().indices.cast(pa.int64())
    found: list[int] = pc.indices_nonzero(pc.is_in(code[count:], code[:count])).to_pylist()
    return found


def _columns(table: Table, path: str, ids: list[int]) -> dict[int, pa.ChunkedArray]:
    """Returns the columns of a file with these IDs, by them. Members of structs are null where these are."""
    names = {number: name for name, number in ids_of(table, path).items() if number in ids}
    read = parquet.read_table(path, [*names.values()], as_files=True).to_pyarrow()
    columns = dict(zip(read.column_names, read.columns, strict=True))
    found = {number: _column(columns, name) for number, name in names.items()}
    for number, column in found.items():
        if column is None:
            raise ValueError(f"{path}: equality deletes by {names[number]}, a part of a list or map, are not supported")
    return found


def _column(columns: Mapping[str, pa.ChunkedArray], path: str) -> pa.ChunkedArray | None:
    """Returns a column or a member of a struct."""
    for name, column in columns.items():
        if name == path:
            return column
        if path.startswith(f"{name}.") and pa.types.is_struct(column.type):
            members = {it.name: pc.struct_field(column, [at]) for at, it in enumerate(column.type)}
            if (found := _column(members, path.removeprefix(f"{name}."))) is not None:
                return found
    return None
