"""Sorts the rows of several Parquet files into new ones, for `bytelane.deltalake` and `bytelane.iceberg`.

The columns to sort by are in memory as a whole; all others only in parts, which are exchanged through temporary files if there are
several.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from . import parquet

By = Sequence[str | tuple[str, Literal["ascending", "descending"]]]
"""Columns to sort by, in this order; ascending, unless they are pairs with `"descending"`, as in pyarrow."""

# The bits of the numbers by which rows are sorted in Z-order.
_BITS = 62

# Each part of the rows takes up to this share of the memory: it is copied when it is sorted, and once more when it is written.
_COPIES = 4

# Columns of directories are not read.
_READING: dict[str, Any] = {"partitioning": None, "as_files": True}

# Number of rows that are read at a time.
_BATCH = 16_384

# Number of temporary files, unless there are more new files.
_PIECES = 256


@dataclass(frozen=True)
class Key:
    """Column to sort by."""

    name: str
    descending: bool = False
    nulls_first: bool = False


def keys_of(by: By, columns: Sequence[str], partitions: Iterable[str]) -> list[Key]:
    """Returns the columns to sort by. `columns` are those of the table, and `partitions` those that are constant in a partition."""
    if isinstance(by, str) or not by:
        raise ValueError("name the columns to sort by, as in ['place', ('day', 'descending')]")
    pairs = [(it, "ascending") if isinstance(it, str) else it for it in by]
    for name, direction in pairs:
        if name in partitions:
            raise ValueError(f"{name} has one value in each partition, and files are sorted within these; leave it out")
        if name not in columns:
            raise ValueError(f"the table has no column {name!r} to sort by; its columns are {', '.join(columns)}")
        if direction not in ("ascending", "descending"):
            raise ValueError(f"the order of {name} is 'ascending' or 'descending', not {direction!r}")
    return [Key(name, direction == "descending") for name, direction in pairs]


@dataclass
class Rows:
    """Rows of several files with the same columns, and the numbers that sort them."""

    paths: list[str]
    counts: list[int]
    """Number of the rows of each file."""
    keys: list[Key]
    """Columns to sort by that the files have."""
    places: pa.Array
    """For each row, a number that is less than that of the rows after it."""

    @classmethod
    def of(cls, paths: list[str], keys: list[Key], *, z_order: bool = False) -> Rows:
        names = parquet.read_schema(paths[0]).names
        keys = [key for key in keys if key.name in names]
        counts = [parquet.read_metadata(path).num_rows for path in paths]
        rows = parquet.read_table(paths, [key.name for key in keys], **_READING).to_pyarrow()
        ranks = [_ranks(rows[key.name], key) for key in keys]
        return cls(paths, counts, keys, (_z_order if z_order else _places)(ranks, sum(counts)))

    def clusters(self) -> list[list[int]]:
        """Returns the indices of the files whose rows must be sorted: of each group that overlaps with no other one, unless it is one
        sorted file."""
        ends, start = [], 0
        for index, count in enumerate(self.counts):
            places = self.places[start : start + count]
            start += count
            if count:
                bounds = pc.min_max(places)
                ends.append((bounds["min"].as_py(), bounds["max"].as_py(), index))
        found: list[list[int]] = []
        last = -1
        for least, most, index in sorted(ends):
            if found and least < last:
                found[-1].append(index)
            else:
                found.append([index])
            last = max(last, most)
        return [sorted(it) for it in found if len(it) > 1 or not self._is_sorted(it[0])]

    def _is_sorted(self, index: int) -> bool:
        """Returns true if a file says that its rows are sorted, and they are."""
        metadata = parquet.read_metadata(self.paths[index])
        for number in range(metadata.num_row_groups):
            row_group = metadata.row_group(number)
            leaves = _leaves(row_group)
            declared = [
                Key(leaves[it.column_index], it.descending, it.nulls_first) for it in row_group.sorting_columns or ()
            ]
            if declared[: len(self.keys)] != self.keys:
                return False
        start = sum(self.counts[:index])
        places = self.places[start : start + self.counts[index]]
        return len(places) < 2 or pc.all(pc.less_equal(places[:-1], places[1:])).as_py()


def write_sorted(
    rows: Rows,
    new_paths: Sequence[str],
    *,
    is_declared: bool,
    memory_limit: int,
    verify: bool,
    readers: str | Iterable[str],
) -> None:
    """Writes the rows of all files, sorted, to new files with about the same number of rows.

    `is_declared` says that the files name the columns that they are sorted by. Equal rows keep their order.
    """
    metadata = [parquet.read_metadata(path) for path in rows.paths]
    size = sum(it.row_group(number).total_byte_size for it in metadata for number in range(it.num_row_groups))
    memory = max(1, memory_limit // _COPIES)
    # Values may take more memory than their encoded bytes: small pieces are joined to parts when their sizes are known.
    pieces = 1 + min(4 * size // memory, _PIECES // len(new_paths))
    order = pc.array_sort_indices(rows.places).cast(pa.int64())
    schema = _schema(rows.paths)
    options: dict[str, Any] = {
        "sorting_columns": _sorting_columns(rows) if is_declared else (),
        "bloom_filter_options": dict.fromkeys(_filtered(rows.paths), True),
        "row_group_bytes": memory,
        "readers": readers,
        # The types of both formats are those of Parquet.
        "store_schema": False,
        # They have no other unit, but some writers store INT96.
        "coerce_timestamps": "us",
    }
    with tempfile.TemporaryDirectory(prefix="sorting-", dir=os.path.dirname(new_paths[0])) as directory:
        store = _Pieces(directory, schema, pieces * len(new_paths), len(order), memory)
        in_memory = store.count == 1
        if not in_memory:
            store.fill(rows.paths, pc.inverse_permutation(order))
        for number, path in enumerate(new_paths):
            with parquet.ParquetWriter(path, schema, **options) as writer:
                if in_memory:
                    writer.write_table(parquet.read_table(rows.paths, **_READING).to_pyarrow().cast(schema).take(order))
                else:
                    for part in store.parts(number * pieces, (number + 1) * pieces):
                        writer.write_table(part)
    if verify and not _have_same_rows(rows.paths, new_paths):
        raise RuntimeError(f"{new_paths[0]}: the sorted rows differ from those before; nothing was changed, please report this")


def _have_same_rows(before: Sequence[str], after: Sequence[str]) -> bool:
    """Returns whether files have the same rows, in any order."""
    with tempfile.TemporaryDirectory() as directory:
        sides = []
        for number, paths in enumerate([before, after]):
            # Links have no columns of partitions in their paths, which a single file does not get.
            sides.append([os.path.join(directory, f"{number}-{at}.parquet") for at in range(len(paths))])
            for path, link in zip(paths, sides[-1], strict=True):
                os.symlink(os.path.abspath(path), link)
        compared = parquet.diff(*sides, any_order=True, as_files=True)
    # Types differ where an INT96 has become a timestamp.
    return not compared["rows"] and not compared["columns"] and not compared["more"]


def _ranks(values: pa.ChunkedArray, key: Key) -> pa.Array:
    """Returns a number for each value that is less than those of the values after it."""
    stored = values.type
    values = values.cast(_large(stored.value_type if pa.types.is_dictionary(stored) else stored))
    try:
        # NaN is after all numbers, and null after these.
        ranks = pc.rank(values, sort_keys="ascending", tiebreaker="dense").cast(pa.int64())
    except pa.ArrowNotImplementedError:
        raise ValueError(f"rows cannot be sorted by {key.name}, whose type is {stored}; choose another column") from None
    if key.descending:
        ranks = pc.subtract(len(values) + 1, ranks)
    return pc.if_else(pc.is_valid(values.combine_chunks()), ranks, 0 if key.nulls_first else len(values) + 2)


def _places(ranks: list[pa.Array], count: int) -> pa.Array:
    """Returns the places of rows that are sorted by the first column, those with equal values by the next one, and so on."""
    places = pa.array([0], pa.int64()).take(pa.repeat(0, count))
    for rank in ranks:
        pairs = pc.add(pc.multiply(places, count + 3), rank)
        # Numbers stay small, so that the next product has no overflow.
        places = pc.rank(pairs, sort_keys="ascending", tiebreaker="dense").cast(pa.int64())
    return places


def _z_order(ranks: list[pa.Array], count: int) -> pa.Array:
    """Returns the places of rows on a Z-order curve: the bits of the ranks of their values alternate."""
    bits = min(_BITS // max(1, len(ranks)), 31)
    scaled = []
    for rank in ranks:
        dense = pc.subtract(pc.rank(rank, sort_keys="ascending", tiebreaker="dense").cast(pa.int64()), 1)
        distinct = (pc.max(dense).as_py() or 0) + 1
        # Columns with few values have as many bits as those with many: otherwise, they would decide little.
        scaled.append(pc.divide(pc.multiply(dense, 1 << bits), distinct))
    places = _places([], count)
    for bit in range(bits - 1, -1, -1):
        for rank in scaled:
            one = pc.bit_wise_and(pc.shift_right(rank, bit), 1)
            places = pc.bit_wise_or(pc.shift_left(places, 1), one)
    return places


def _schema(paths: list[str]) -> pa.Schema:
    """Returns the columns of files, in types that hold the values of all."""
    schema = pa.schema(parquet.ParquetDataset(paths, **_READING).schema)
    return pa.schema([field.with_type(_large(field.type)) for field in schema])


def _large(data_type: pa.DataType) -> pa.DataType:
    """Returns a type with strings of which more than 2 GiB fit into a column, and which can be moved: those of views cannot."""

    def inner(field: pa.Field) -> pa.Field:
        return field.with_type(_large(field.type))

    types = pa.types
    if types.is_string(data_type) or types.is_string_view(data_type):
        return pa.large_string()
    if types.is_binary(data_type) or types.is_binary_view(data_type):
        return pa.large_binary()
    if types.is_struct(data_type):
        return pa.struct([inner(field) for field in data_type])
    if types.is_list(data_type):
        return pa.large_list(inner(data_type.value_field))
    if types.is_map(data_type):
        return pa.map_(inner(data_type.key_field), inner(data_type.item_field))
    return data_type


def _sorting_columns(rows: Rows) -> list[parquet.SortingColumn]:
    # Files without rows may have no row group.
    first = next(path for path, count in zip(rows.paths, rows.counts, strict=True) if count)
    leaves = _leaves(parquet.read_metadata(first).row_group(0))
    return [
        parquet.SortingColumn(leaves.index(key.name), descending=key.descending, nulls_first=key.nulls_first)
        for key in rows.keys
    ]


def _leaves(row_group: parquet.RowGroupMetaData) -> list[str]:
    """Returns the paths of all columns."""
    return [row_group.column(at).path_in_schema for at in range(row_group.num_columns)]


def _filtered(paths: list[str]) -> list[str]:
    """Returns the columns that have a Bloom filter in one of the files."""
    found: set[str] = set()
    for path in paths:
        metadata = parquet.read_metadata(path)
        for number in range(metadata.num_row_groups):
            row_group = metadata.row_group(number)
            columns = map(row_group.column, range(row_group.num_columns))
            found.update(column.path_in_schema for column in columns if column.bloom_filter_offset is not None)
    return sorted(found)


@dataclass
class _Pieces:
    """Rows in temporary files, each with those of a range of places."""

    directory: str
    schema: pa.Schema
    count: int
    rows: int
    memory: int
    """Number of bytes that the rows of a part may take."""

    def __post_init__(self) -> None:
        self._sizes = [0] * self.count

    def fill(self, paths: list[str], places: pa.Array) -> None:
        """Reads the rows of files, and writes them to the pieces."""
        waiting: list[pa.Table] = []
        start = size = 0
        for path in paths:
            for batch in parquet.ParquetFile(path).iter_batches(_BATCH):
                rows = pa.table(batch).select(self.schema.names).cast(self.schema)
                waiting.append(rows.append_column("place", places[start : start + len(rows)]))
                start += len(rows)
                size += rows.nbytes
                if size >= self.memory:
                    self._spread(pa.concat_tables(waiting))
                    waiting, size = [], 0
        if waiting:
            self._spread(pa.concat_tables(waiting))

    def _spread(self, rows: pa.Table) -> None:
        numbers = pc.divide(pc.multiply(rows.columns[-1], self.count), self.rows).combine_chunks()
        order = pc.array_sort_indices(numbers)
        rows, runs = rows.take(order), pc.run_end_encode(numbers.take(order), pa.int64())
        start = 0
        for number, end in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
            piece = rows.slice(start, end - start)
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            with open(self._path(number), "ab") as file, pa.ipc.new_stream(file, rows.schema, options=options) as stream:
                stream.write_table(piece)
            self._sizes[number] += piece.nbytes
            start = end

    def parts(self, first: int, end: int) -> Iterator[pa.Table]:
        """Returns the sorted rows of some pieces in parts that fit into the memory, and removes the pieces."""
        waiting: list[int] = []
        for number in range(first, end):
            if not self._sizes[number]:
                continue
            if waiting and sum(self._sizes[it] for it in [*waiting, number]) > self.memory:
                yield self._sorted(waiting)
                waiting = []
            waiting.append(number)
        yield self._sorted(waiting)

    def _sorted(self, numbers: list[int]) -> pa.Table:
        streams = []
        for path in map(self._path, numbers):
            with pa.OSFile(path) as file:
                while file.tell() < file.size():
                    streams.append(pa.ipc.open_stream(file).read_all())
            os.remove(path)
        rows = pa.concat_tables(streams)
        last = rows.num_columns - 1
        return rows.take(pc.sort_indices(rows.column(last))).remove_column(last)

    def _path(self, number: int) -> str:
        return os.path.join(self.directory, f"sorting-{number}.arrow")
