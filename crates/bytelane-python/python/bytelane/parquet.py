"""Parquet: the best encoding for each column, merging and comparing files, writing and reading.

Tables are objects with `__arrow_c_stream__`: those of pyarrow, polars, DuckDB, pandas (which needs pyarrow for it),
nanoarrow and many others. None of these libraries is required. The GIL is released while files are read and written,
and Ctrl-C stops the work.

>>> import pyarrow as pa
>>> from bytelane import parquet
>>> table = pa.table({"price": [100 + 0.25 * (i % 777) for i in range(20_000)]})
>>> parquet.write_table(table, "trades.parquet")
>>> parquet.read_table("trades.parquet").to_pyarrow() == table
True
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from . import _parquet
from ._errors import ParquetError
from ._filters import Filters
from ._options import AnySortingColumn as AnySortingColumn
from ._options import BloomFilterOptions as BloomFilterOptions
from ._options import Compression as Compression
from ._options import DataPageVersion as DataPageVersion
from ._options import Encoding as Encoding
from ._options import Goal as Goal
from ._options import SortingColumn, given
from ._options import StringType as StringType
from ._parquet import (
    Batches,
    ColumnChunkMetaData,
    FileMetaData,
    Metrics,
    ParquetFile,
    RowGroupMetaData,
    Schema,
    Table,
)
from ._protocols import ArrowSchema as ArrowSchema
from ._protocols import ArrowStream as ArrowStream
from ._protocols import BinaryFile as BinaryFile
from ._protocols import BinarySink as BinarySink
from ._protocols import Path as Path
from ._report import Report, saved_share
from ._results import (
    AdviceDict,
    Checked,
    ColumnAdviceDict,
    Difference,
    Merged,
    Repaired,
    RewrittenColumnDict,
    RewrittenDict,
    Salvaged,
)
from ._writer import ParquetWriter, write_table

__all__ = [
    "Advice",
    "Batches",
    "Checked",
    "ColumnChunkMetaData",
    "Difference",
    "FileMetaData",
    "Merged",
    "Metrics",
    "ParquetError",
    "ParquetFile",
    "ParquetWriter",
    "Rewritten",
    "RowGroupMetaData",
    "Schema",
    "SortingColumn",
    "Table",
    "advise",
    "check",
    "diff",
    "merge",
    "read_table",
    "repair",
    "rewrite",
    "salvage",
    "write_table",
]

class Advice(Report):
    """Best encoding for each column, with settings for other writers.

    It prints as a table.

    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from bytelane import parquet
    >>> table = pa.table({"price": [100 + 0.25 * (i % 777) for i in range(20_000)]})
    >>> advice = parquet.advise(table, goal="size")
    >>> pq.write_table(table, "small.parquet", **advice.pyarrow())
    """

    def __init__(self, data: AdviceDict) -> None:
        self._data = data

    def to_dict(self) -> AdviceDict:
        """Returns all results, in the format of `bytelane advise --format json`."""
        data: AdviceDict = json.loads(json.dumps(self._data))
        return data

    @property
    def columns(self) -> list[ColumnAdviceDict]:
        """Advice for each column, and for each leaf of nested ones."""
        return self.to_dict()["columns"]

    @property
    def bytes_now(self) -> int:
        """Current size of all columns: the size in the file or, for tables and arrays, the size with pyarrow's
        defaults."""
        return sum(column["bytes_now"] for column in self._data["columns"])

    @property
    def bytes_then(self) -> int:
        """Size of all columns after `rewrite`, estimated from a sample."""
        return sum(column["bytes_then"] for column in self._data["columns"])

    @property
    def saved(self) -> float:
        """Size reduction, from 0 to 1."""
        return saved_share(self.bytes_now, self.bytes_then)

    def pyarrow(self) -> dict[str, Any]:
        """Returns keyword arguments for `pyarrow.parquet.write_table`."""
        return self._keywords("pyarrow")

    def polars(self) -> dict[str, Any]:
        """Returns keyword arguments for `polars.DataFrame.write_parquet`. Polars has none for encodings."""
        return self._keywords("polars")

    def duckdb(self) -> str:
        """Returns the options of a `COPY` statement. DuckDB has none for the encoding of a column.

        >>> import pyarrow as pa
        >>> from bytelane import parquet
        >>> parquet.advise(pa.table({"id": range(20_000)}), goal="size").duckdb()
        '(FORMAT parquet, PARQUET_VERSION V2, COMPRESSION zstd, COMPRESSION_LEVEL 1)'
        """
        text = self._settings("DuckDB")
        return text[text.index("(") : text.rindex(")") + 1]

    def _settings(self, writer: str) -> str:
        return next(it["text"] for it in self._data["settings"] if it["writer"] == writer)

    def _keywords(self, writer: str) -> dict[str, Any]:
        """Returns the arguments of the call in the settings."""
        call = ast.parse(self._settings(writer), mode="eval").body
        assert isinstance(call, ast.Call)
        return {str(it.arg): ast.literal_eval(it.value) for it in call.keywords}

    def _texts(self) -> tuple[str, list[str], list[list[str]], str]:
        data = self._data
        above = (
            f"{data['file'] or data['kind']}: {data['rows']} rows\n"
            f"Goal: {data['goal']}. Compression: {data['compression'] or 'unchanged'}. Readers: {data['readers']}."
        )
        header = ["column", "type", "current", "choice", "current size", "new size", "saved"]
        rows = [
            [
                column["path"],
                column["column_type"],
                column["now"] or "",
                "unchanged" if column["keep"] else column["encoding"],
                str(column["bytes_now"]),
                str(column["bytes_then"]),
                f"{100 * saved_share(column['bytes_now'], column['bytes_then']):.1f}%",
            ]
            for column in data["columns"]
        ]
        today = "today" if data["kind"] == "parquet" else "with pyarrow's default encoding"
        below = (
            f"{self.bytes_now} bytes {today}, about {self.bytes_then} with the choice: {100 * self.saved:.1f}% smaller"
        )
        for column in data["columns"]:
            if column["reason"]:
                below += f"\n{column['path']} is re-encoded: {column['reason']}"
        return above, header, rows, below


class Rewritten(Report):
    """Outcome of `rewrite`. It prints as a table."""

    def __init__(self, data: list[RewrittenDict]) -> None:
        self._data = data

    def to_dict(self) -> RewrittenDict:
        """Returns the outcome for the only file, in the format of `bytelane rewrite --format json`."""
        if len(self._data) != 1:
            message = f"{len(self._data)} files were rewritten; `files` has the outcome for each"
            raise ValueError(message)
        data: RewrittenDict = json.loads(json.dumps(self._data[0]))
        return data

    @property
    def files(self) -> list[Rewritten]:
        """Outcome for each file."""
        return [Rewritten([data]) for data in self._data]

    @property
    def columns(self) -> list[RewrittenColumnDict]:
        """Outcome for each column of each file, and for each leaf of nested ones."""
        return [column for file in self.files for column in file.to_dict()["columns"]]

    @property
    def bytes_before(self) -> int:
        """Size of the old files in bytes."""
        return sum(data["bytes_before"] for data in self._data)

    @property
    def bytes_after(self) -> int:
        """Size of the new files in bytes."""
        return sum(data["bytes_after"] for data in self._data)

    @property
    def verified(self) -> bool:
        """True if every value was compared."""
        return all(data["verified"] for data in self._data)

    @property
    def saved(self) -> float:
        """Size reduction, from 0 to 1; negative if the new files are larger."""
        return saved_share(self.bytes_before, self.bytes_after)

    def _texts(self) -> tuple[str, list[str], list[list[str]], str]:
        verified = ", every value compared" if self.verified else ""
        below = f"{self.bytes_before} bytes became {self.bytes_after}, {100 * self.saved:.1f}% saved{verified}"
        if len(self._data) > 1:
            sizes = [(it["input"], it["bytes_before"], it["bytes_after"]) for it in self._data]
            lines = [
                [name, str(before), str(after), f"{100 * saved_share(before, after):.1f}%"]
                for name, before, after in sizes
            ]
            return f"{len(self._data)} files", ["file", "old size", "new size", "saved"], lines, below
        header = ["column", "re-encoded", "encodings", "old size", "new size", "saved"]
        rows = []
        for column in self.columns:
            before, after = column["before"], column["after"]
            names = [", ".join(state["encodings"]) for state in (before, after)]
            obstacle = None if column["rewritten"] else column["obstacle"]
            rows.append(
                [
                    column["path"],
                    obstacle or f"{column['rewritten']} of {column['chunks']}",
                    names[0] if names[0] == names[1] else " -> ".join(names),
                    str(before["bytes"]),
                    str(after["bytes"]),
                    f"{100 * saved_share(before['bytes'], after['bytes']):.1f}%",
                ]
            )
        return "Row groups in which columns were re-encoded", header, rows, below


def advise(
    source: Path | Sequence[Path] | ArrowStream,
    *,
    goal: Goal = "balanced",
    readers: str | Iterable[str] | None = None,
    encodings: str | Iterable[str] | None = None,
    compression: str | None = None,
    compare: Sequence[str] | None = None,
    rows: int = 1048576,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    exact: bool = False,
    compression_level: int | None = None,
    as_files: bool = False,
) -> Advice:
    """Encodes parts of each column in every encoding. Returns the best encodings and the results of `rewrite` with
    them.

    `source` is the path of a Parquet file, an `.npy` file or a raw array (`.f32 .sp .f64 .dp .i32 .i64`); a list,
    directory or pattern of Parquet files with the same columns, which get one advice; or a table. Directories and
    `as_files` are those of `read_table`.

    Each of `readers` may name the oldest version in use: `"pyarrow>=17,duckdb"` or `["pyarrow>=17", "duckdb"]`. The default
    is the newest pyarrow, DuckDB and Polars. An encoding that a reader cannot read is never chosen; if a preview among
    `encodings` is never chosen for that reason, a `UserWarning` says so. `compression_level` is the level of `compression`.

    Options:

    - `goal`: Goal to optimise for.
    - `readers`: Programs that must be able to read the files, optionally with the oldest version in use; any: no
      restriction.
    - `encodings`: Encodings to choose from: names, or +alp to add a preview to the usual ones, which `readers` must all
      know.
    - `compression`: The compression to assume: none, snappy, lz4_raw, zstd:LEVEL, gzip:LEVEL, brotli:LEVEL. By default,
      columns of Parquet files keep theirs, and other files get zstd:1.
    - `compare`: Further compressions to try, for comparison.
    - `rows`: Rows of each column to look at, in row groups spread over the file, of which parts are encoded.
    - `threads`: Threads that work at the same time [default: all cores].
    - `memory_limit`: Maximum memory for a column of a row group, or for a page, as in 4GiB [default: 128MiB and 1024
      times its size in the file].
    - `exact`: Encode all rows with the choice, so that the new sizes are exact.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> table = pa.table({"id": range(20_000)})
    >>> parquet.advise(table, goal="size").pyarrow()["column_encoding"]
    {'id': 'DELTA_BINARY_PACKED'}
    """
    options = given(locals())
    if isinstance(source, str | os.PathLike | Sequence):
        source = _paths(source)
    elif not hasattr(source, "__arrow_c_stream__"):
        wanted = "a path, a list of paths, or a table with __arrow_c_stream__"
        raise TypeError(f"expected {wanted}, but this is of type {type(source).__name__}")
    return Advice(json.loads(_parquet.advise(source, as_files, options)))


def rewrite(
    src: Path | Sequence[Path],
    dst: Path,
    *,
    goal: Goal = "balanced",
    readers: str | Iterable[str] | None = None,
    encodings: str | Iterable[str] | None = None,
    column_encoding: Mapping[str, Encoding] | None = None,
    compression: str | None = None,
    convert_int96: Literal["us", "ns"] | None = None,
    max_rows_per_page: int | None = None,
    data_page_size: int | None = None,
    data_page_version: DataPageVersion | None = None,
    dry_run: bool = False,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    verify: bool = False,
    force: bool = False,
    compression_level: int | None = None,
    as_files: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Rewritten:
    """Re-encodes the columns of Parquet files that benefit, and copies the others unchanged.

    Values, schema, row groups, statistics and metadata stay the same. `dst` may be `src`: the new file appears under
    its name when it is complete. Ctrl-C, or an exception from `progress`, stops the work and leaves an old `dst`
    intact. If `src` is a directory, a pattern or a list, `dst` is a directory outside of it; these and `as_files` are
    those of `read_table`.

    `column_encoding` maps the paths of columns, or of groups, to the encodings to force. `compression_level` is the level
    of `compression`. Another existing file than `src`, or a read-only one, is only replaced with `force`. `progress` is
    called with the processed bytes of the columns of a file, and their total.

    Options:

    - `goal`: Goal to optimise for.
    - `readers`: Programs that must be able to read the file, optionally with the oldest version in use; any: no
      restriction.
    - `encodings`: Encodings to choose from: names, or +alp to add a preview to the usual ones, which `readers` must all
      know.
    - `column_encoding`: Force this encoding for a column. NAME is the column's path, separated by dots, or that of a
      group, for all columns in it.
    - `compression`: Compress all columns with this codec [default: unchanged]: none, snappy, lz4_raw, zstd:LEVEL,
      gzip:LEVEL, brotli:LEVEL.
    - `convert_int96`: Convert INT96 columns, an obsolete type for timestamps, to INT64 timestamps in microseconds (us)
      or nanoseconds (ns) [default: copy them] [default unit: us].
    - `max_rows_per_page`: Maximum number of rows of a page; columns with larger pages get new ones [default: those of
      the old pages, or with the goal size what compresses best].
    - `data_page_size`: The most bytes of values of a page, before compression, about; columns with larger pages get new
      ones.
    - `data_page_version`: The version of the pages of all columns [default: unchanged].
    - `dry_run`: Write nothing, only show what a rewrite would do.
    - `threads`: Threads that work at the same time; the output is the same for any number [default: all cores].
    - `memory_limit`: Maximum memory for a column of a row group, or for a page, as in 4GiB [default: 128MiB and 1024
      times its size in the file, else it is copied].
    - `verify`: Read both files and compare every value before the new file appears under its name.
    - `force`: Replace existing files, even read-only ones.

    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from bytelane import parquet
    >>> pq.write_table(pa.table({"id": range(20_000)}), "ids.parquet")
    >>> parquet.rewrite("ids.parquet", "ids.parquet", goal="size", verify=True).saved > 0.9
    True
    """
    options = given(locals())
    return Rewritten(json.loads(_parquet.rewrite(_paths(src), as_files, dst, options, progress)))


def _paths(paths: Path | Sequence[Path]) -> list[Path]:
    if isinstance(paths, str | os.PathLike):
        return [paths]
    if isinstance(paths, bytes | bytearray | memoryview) or not isinstance(paths, Iterable):
        raise TypeError(f"expected a path or a list of paths, but this is of type {type(paths).__name__}")
    return list(paths)


def merge(
    sources: Path | Sequence[Path],
    dst: Path,
    *,
    row_group_size: int | None = None,
    file_size: int | str | None = None,
    pages: Literal["kept", "fresh"] = "kept",
    readers: str | Iterable[str] | None = None,
    verify: bool = False,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    row_limit: int | None = None,
    force: bool = False,
    as_files: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Merged:
    """Merges Parquet files into one, or into several of a given size, and copies their data pages unchanged.

    `sources` are paths, patterns and directories; these and `as_files` are those of `read_table`.

    Row groups are joined, and columns are matched by name; an optional column that a file lacks is null there, and the
    members of lists and maps have the names of the first file. Columns of other types are joined if one type holds the
    values of both, and refused otherwise. With `file_size`, `dst.parquet` becomes `dst-00000.parquet` and so on.
    Existing files that are not among `sources`, and read-only ones, are only replaced with `force`, which also removes
    the files of an earlier merge with more outputs. `progress` is called with the processed bytes of the columns, and
    their total; an exception from it, or Ctrl-C, stops the work and leaves old outputs intact.

    Options:

    - `row_group_size`: Maximum number of rows of a row group; larger ones are split. Without it, row groups are joined
      up to 1048576 rows, and larger ones stay.
    - `file_size`: The size of each output, as in 512MiB; several are written, and row groups are split where a file is
      full.
    - `pages`: Keep pages where possible, or encode all of them again: smaller files, but slower.
    - `readers`: Programs that must be able to read columns that are encoded again, optionally with the oldest version
      in use; any: no restriction.
    - `verify`: Compare every value with those of the inputs before the outputs appear under their names.
    - `threads`: Threads that work at the same time; the output is the same for any number [default: all cores].
    - `memory_limit`: Maximum memory for a column of a row group that is encoded again, or for a page, as in 4GiB
      [default: 128MiB and 1024 times its size in the files, else its pages are kept].
    - `row_limit`: Maximum number of rows of a file to split or verify; 64 Mi, plus 1 Ki for each byte of the file by
      default.
    - `force`: Replace existing files, even read-only ones.

    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from bytelane import parquet
    >>> for name in ["1.parquet", "2.parquet"]:
    ...     pq.write_table(pa.table({"id": range(1000)}), name)
    >>> parquet.merge(["1.parquet", "2.parquet"], "merged.parquet", verify=True)["rows"]
    2000
    """
    options = given(locals())
    merged: Merged = json.loads(_parquet.merge(_paths(sources), as_files, dst, options, progress))
    return merged


def repair(
    src: Path,
    dst: Path,
    *,
    bloom_filters: Sequence[str] | None = None,
    verify: bool = False,
    force: bool = False,
    as_files: bool = False,
) -> Repaired:
    """Adds metadata that the writer of a Parquet file left out, so that readers can skip pages. Pages are copied byte
    for byte.

    Adds offset and column indexes, `encoding_stats`, sizes and NaN counts. An existing file other than `src`, or a
    read-only one, is only replaced with `force`. `dst` may be `src`. `src` may be a directory or a pattern with one
    file; these and `as_files` are those of `read_table`.

    Options:

    - `bloom_filters`: Column to add a Bloom filter to, as in place.city; there may be several.
    - `verify`: Compare every value with the old file before the new one appears under its name.
    - `force`: Replace existing files, even read-only ones.

    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from bytelane import parquet
    >>> pq.write_table(pa.table({"id": range(1000)}), "plain.parquet")
    >>> parquet.repair("plain.parquet", "indexed.parquet", bloom_filters=["id"])["after"]["offset_indexes"]
    1
    """
    repaired: Repaired = json.loads(_parquet.repair(src, as_files, dst, given(locals())))
    return repaired


def salvage(
    src: Path,
    dst: Path,
    *,
    force: bool = False,
    columns: Sequence[str] | None = None,
    schema: Path | None = None,
    row_limit: int | None = None,
    as_files: bool = False,
) -> Salvaged:
    """Copies the rows of a damaged Parquet file that all columns still have to a new file.

    Intact pages are copied byte for byte. Pages with a wrong checksum, a damaged header, undecodable values or values
    that contradict the statistics are left out, together with their rows; `lost` names them. The new file is read back
    before it appears under its name. With `columns`, only these columns are kept, with the rows that they still have;
    `intact_columns` are those that have lost none. An existing file is only replaced with `force`. `src` may be a
    directory or a pattern with one file; these and `as_files` are those of `read_table`.

    If the footer is lost, pages are found by their headers, and rows are kept where the borders of pages and columns are
    certain; `left_out` names the other ranges of bytes, and the column `salvaged_from_offset` has the offset of the page
    that each row came from.

    Options:

    - `force`: Replace existing files, even read-only ones.
    - `columns`: Only these columns of the salvaged rows, by their names.
    - `schema`: A file with the same columns, to salvage a file without a footer; each row gets the offset of its page.
    - `row_limit`: Maximum number of rows of a file to decode; 64 Mi, plus 1 Ki for each byte of the file by default.

    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from bytelane import parquet
    >>> pq.write_table(pa.table({"id": range(1000)}), "ids.parquet")
    >>> parquet.salvage("ids.parquet", "salvaged.parquet")["rows"]
    1000
    """
    salvaged: Salvaged = json.loads(_parquet.salvage(src, as_files, dst, given(locals())))
    return salvaged


def diff(
    left: Path | Sequence[Path],
    right: Path | Sequence[Path],
    *,
    any_order: bool = False,
    rows: int = 10,
    row_limit: int | None = None,
    partition_types: Mapping[str, str] | None = None,
    as_files: bool = False,
) -> Difference:
    """Compares the rows of Parquet files, bit for bit; each side is a file, or several that are read one after the other.

    Directories, their columns, `partition_types`, patterns and `as_files` are those of `read_table`.

    Encodings, compressions, row groups and the order of columns do not matter. Arrow types must mean the same, too:
    `types` has a sentence for each column whose types differ, and its values are compared in a type that holds those of
    both. Files with more rows than the limit are an error.

    Options:

    - `any_order`: Ignore the order of rows: both sides must have each row the same number of times.
    - `rows`: The number of different rows to name.
    - `row_limit`: Maximum number of rows of a file to decode; 64 Mi, plus 1 Ki for each byte of the file by default.

    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from bytelane import parquet
    >>> pq.write_table(pa.table({"id": [1, 2, 3]}), "a.parquet")
    >>> pq.write_table(pa.table({"id": [3, 1, 2]}), "b.parquet", compression="zstd")
    >>> parquet.diff("a.parquet", "b.parquet", any_order=True)["same"]
    True
    >>> parquet.diff("a.parquet", "b.parquet")["rows"][0]["values"]
    [{'column': 'id', 'left': '1', 'right': '3'}]
    """
    options = given(locals())
    types = [*(partition_types or {}).items()]
    same, difference = _parquet.diff(_paths(left), _paths(right), as_files, types, options)
    result: Difference = json.loads(difference)
    result["same"] = same
    return result


def check(
    source: Path | Sequence[Path],
    *,
    values: bool = False,
    memory_limit: int | str | None = None,
    row_limit: int | None = None,
    as_files: bool = False,
) -> Checked:
    """Finds faults in Parquet files: structure, sizes, checksums and indexes.

    `source` is a path, a pattern, a directory, or a list of these; these and `as_files` are those of `read_table`. The
    result has the sums and the findings of all files.

    With `values`, all values are decoded and compared with statistics, indexes, Bloom filters and the declared sort
    order, and strings must be UTF-8. Without, only headers are read: the `summary` then says that the values were not
    read.

    Options:

    - `values`: Decode all values, and compare them with statistics, indexes, filters and the sort order.
    - `memory_limit`: Maximum memory for pages and values, as in 4GiB.
    - `row_limit`: Maximum number of rows of a file to decode; 64 Mi, plus 1 Ki for each byte of the file by default.

    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from bytelane import parquet
    >>> pq.write_table(pa.table({"id": range(1000)}), "ids.parquet")
    >>> parquet.check("ids.parquet", values=True)["findings"]
    []
    """
    checked: Checked = json.loads(_parquet.check(_paths(source), as_files, given(locals())))
    return checked


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
) -> Table:
    """Reads Parquet files into memory: all columns, or those of these paths, in the order of the file.

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

    `threads` sets the number of threads, by default one per core. A file is untrusted input: nulls and repeated values
    can take arbitrarily more memory than their bytes in the file. A table that takes more than `memory_limit` bytes is
    an error. The default limit is 8 GiB plus 1024 times the size of the file, but at most half of the memory
    available to the process. `ParquetFile.iter_batches` reads larger ones. `row_limit` is the maximum number of rows of a
    file that `filters` are tested on, by default 64 Mi plus 1 Ki for each byte of the file.

    Any library that reads `__arrow_c_stream__` can use the result without a copy.

    >>> import polars, pyarrow as pa
    >>> from bytelane import parquet
    >>> parquet.write_table(pa.table({"id": range(3), "price": [1.5, 2.5, 3.5]}), "trades.parquet")
    >>> polars.DataFrame(parquet.read_table("trades.parquet", ["price"])).shape
    (3, 1)
    >>> parquet.read_table("trades.parquet", ["id"], filters=[("price", ">", 2)]).to_pyarrow()["id"].to_pylist()
    [1, 2]
    """
    if isinstance(source, str | os.PathLike):
        source = [source]
    types = (read_dictionary, string_type)
    if isinstance(source, Sequence) and not isinstance(source, bytes | bytearray | memoryview):
        partitions = [*(partition_types or {}).items()]
        return _parquet.read_files(
            source,
            as_files,
            strict_schema,
            partitions,
            columns,
            row_groups,
            filters,
            types,
            threads,
            memory_limit,
            row_limit,
        )
    return _parquet.read_file(source, columns, row_groups, filters, types, threads, memory_limit, row_limit)
