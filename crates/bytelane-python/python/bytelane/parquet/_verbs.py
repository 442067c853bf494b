"""Work on whole files: advice, re-encoding, merging, comparing, checking and repairing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from .. import _parquet
from .._options import DataPageVersion, Encoding, Goal, given
from .._protocols import ArrowStream, Path
from ._reports import Advice, Rewritten
from ._results import Checked, Difference, Edited, Merged, Repaired, Salvaged


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
    delete_where: str | None = None,
    delete_rows: Path | Sequence[int] | Mapping[str, Path | Sequence[int]] | None = None,
    rename: Mapping[str, str] | None = None,
    drop: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
    add: Sequence[str] | None = None,
    promote: Mapping[str, object] | None = None,
    scrub: bool = False,
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
    - `delete_where`: Delete the rows that satisfy a condition, as in "user_id = 17 and day < date '2026-01-01'"; other
      rows stay, also where it is null.
    - `delete_rows`: Delete the rows whose numbers in the file, from 0, are in a Roaring bitmap (of 32 or 64 bits, or a
      deletion vector of Delta or Iceberg), or on the lines of a text; of several files, name the one that it is for.
    - `rename`: Rename a column, or a member of a struct, as in price=amount or place.city=town; its values are copied.
    - `drop`: Leave out columns.
    - `order`: Order of the columns, by their new names; columns that are not named follow.
    - `add`: Add a column with one value in all rows, or null, as in "country string = 'DE'" or "discount decimal128(10,
      2)".
    - `promote`: Give a column a type that holds all of its values, as in id=int64 or day=timestamp, or make it
      optional: id=optional.
    - `scrub`: Leave no trace of deleted values: encode row groups that lose rows again, with new dictionaries, bounds
      and Bloom filters; without rows to delete, encode all, for the traces of earlier deletions.

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


def edit(
    src: Path,
    dst: Path,
    *,
    delete_where: str | None = None,
    delete_rows: Path | Sequence[int] | Mapping[str, Path | Sequence[int]] | None = None,
    rename: Mapping[str, str] | None = None,
    drop: Sequence[str] | None = None,
    order: Sequence[str] | None = None,
    add: Sequence[str] | None = None,
    promote: Mapping[str, object] | None = None,
    scrub: bool = False,
    readers: str | Iterable[str] | None = None,
    verify: bool = False,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    row_limit: int | None = None,
    force: bool = False,
    as_files: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Edited:
    """Deletes rows of a Parquet file, and renames, drops, orders, adds or promotes columns, without decoding what stays.

    Pages that keep all of their rows are copied byte for byte; pages that lose some are cut. Columns that get another type
    are encoded again. Row groups stay, unless they lose all rows. Statistics become those of the rows that are left; page
    indexes, sorting columns, field ids and the schemas of Arrow, pandas and GeoParquet change with the columns.

    `delete_rows` are the numbers of rows, from 0: a list or an array, or the path of a file with them. `promote` maps
    columns to types of pyarrow, or their names. Deleted values may remain in dictionaries and Bloom filters, unless
    `scrub` encodes their columns again. `dst` may be `src`; another existing file, or a read-only one, is only replaced
    with `force`. `src` may be a directory or a pattern with one file; these and `as_files` are those of `read_table`.
    `progress` is called with the processed bytes of the columns, and their total; an exception from it, or Ctrl-C, stops
    the work and leaves an old `dst` intact.

    Options:

    - `delete_where`: Delete the rows that satisfy a condition, as in "user_id = 17 and day < date '2026-01-01'"; other
      rows stay, also where it is null.
    - `delete_rows`: Delete the rows whose numbers in the file, from 0, are in a Roaring bitmap (of 32 or 64 bits, or a
      deletion vector of Delta or Iceberg), or on the lines of a text; of several files, name the one that it is for.
    - `rename`: Rename a column, or a member of a struct, as in price=amount or place.city=town; its values are copied.
    - `drop`: Leave out columns.
    - `order`: Order of the columns, by their new names; columns that are not named follow.
    - `add`: Add a column with one value in all rows, or null, as in "country string = 'DE'" or "discount decimal128(10,
      2)".
    - `promote`: Give a column a type that holds all of its values, as in id=int64 or day=timestamp, or make it
      optional: id=optional.
    - `scrub`: Leave no trace of deleted values: encode row groups that lose rows again, with new dictionaries, bounds
      and Bloom filters; without rows to delete, encode all, for the traces of earlier deletions.
    - `readers`: Programs that must be able to read columns that are encoded again, optionally with the oldest version
      in use; any: no restriction.
    - `verify`: Compare every value with those of the old file before the new one appears under its name.
    - `threads`: Threads that work at the same time; the output is the same for any number [default: all cores].
    - `memory_limit`: Maximum memory for a column of a row group that is encoded again, or for a page, as in 4GiB
      [default: 128MiB and 1024 times its size in the file].
    - `row_limit`: Maximum number of rows of a file to delete rows from; 64 Mi, plus 1 Ki for each byte of the file by
      default.
    - `force`: Replace existing files, even read-only ones.

    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from bytelane import parquet
    >>> pq.write_table(pa.table({"id": range(1000), "user": [17, 18] * 500}), "events.parquet")
    >>> edited = parquet.edit("events.parquet", "events.parquet", delete_where="user = 17", rename={"user": "user_id"})
    >>> edited["deleted_rows"], pq.read_schema("events.parquet").names
    (500, ['id', 'user_id'])
    """
    edited: Edited = json.loads(_parquet.edit(src, as_files, dst, given(locals()), progress))
    return edited


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
