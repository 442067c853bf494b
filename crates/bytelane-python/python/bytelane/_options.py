"""Options of `bytelane.parquet`, as the native half expects them."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, Protocol, SupportsIndex, TypeAlias, TypeVar

Goal: TypeAlias = Literal["balanced", "size", "read", "write"]
StringType: TypeAlias = Literal["string", "large_string", "string_view"]
Encoding: TypeAlias = Literal[
    "auto",
    "plain",
    "dictionary",
    "byte_stream_split",
    "delta_binary_packed",
    "delta_length_byte_array",
    "delta_byte_array",
    "rle",
    "alp",
]


# Arguments that are no options of the native functions.
_OTHERS = frozenset(
    ["as_files", "dst", "left", "partition_types", "progress", "right", "source", "sources", "src"]
)


def given(arguments: Mapping[str, object], *others: str) -> str:
    """Returns the options among the arguments of a function as JSON, without those that are `None`."""
    options = {name: it for name, it in arguments.items() if name not in _OTHERS.union(others) and it is not None}
    level = options.pop("compression_level", None)
    if level is not None:
        options["compression"] = _with_level(options.get("compression"), level)
    return json.dumps(options, default=_plain)


def _plain(value: object) -> object:
    """Returns a path as a text, an integer of NumPy as one of Python, and other collections as a list."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, SupportsIndex):
        return operator.index(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"unexpected type {type(value).__name__}")


class Options(NamedTuple):
    """Common options of the native functions."""

    goal: str
    readers: str | None
    encodings: str | None
    compression: str | None


def options_of(
    goal: str,
    readers: str | Iterable[str] | None,
    encodings: str | Iterable[str] | None,
    compression: str | Mapping[str, str] | None,
    level: int | None,
) -> Options:
    if level is not None:
        compression = _with_level(compression, level)
    elif isinstance(compression, Mapping):
        compression = None
    if compression is not None:
        compression = _name("compression", compression)
    return Options(goal, joined(readers), joined(encodings), compression)


def _with_level(compression: object, level: object) -> str:
    """Returns the codec for all columns with its level, which pyarrow has as two arguments."""
    if compression is None:
        raise ValueError("compression_level needs a codec, such as compression='zstd'")
    if isinstance(compression, Mapping):
        raise ValueError("write the levels of columns with their codecs, such as {'price': 'zstd:3'}")
    return f"{_name('compression', compression)}:{level}"


def _name(argument: str, name: object) -> str:
    """Returns a name in lower case: pyarrow writes it in upper case."""
    if isinstance(name, str):
        return name.lower()
    raise TypeError(f"{argument} must be a string, not {type(name).__name__}")


def pairs(argument: str, names: Mapping[str, str] | None) -> list[tuple[str, str]]:
    return [(path, _name(f"{argument} of {path}", name)) for path, name in _dictionary(argument, names).items()]


Value = TypeVar("Value")


def _dictionary(argument: str, values: Mapping[str, Value] | None) -> Mapping[str, Value]:
    if values is None or isinstance(values, Mapping):
        return values or {}
    raise TypeError(f"{argument} must be a dictionary by the paths of columns, not {type(values).__name__}")


class SortingColumn(NamedTuple):
    """Column by which rows are sorted: the index of a leaf in the schema, as in pyarrow."""

    column_index: int
    descending: bool = False
    nulls_first: bool = False


class AnySortingColumn(Protocol):
    """`SortingColumn` of this module or of pyarrow."""

    @property
    def column_index(self) -> int:
        """Index of the leaf in the schema."""

    @property
    def descending(self) -> bool:
        """True if large values come first."""

    @property
    def nulls_first(self) -> bool:
        """True if nulls come before values."""


SortingColumn.__module__ = "bytelane.parquet"

BloomFilterOptions: TypeAlias = Mapping[str, bool | Mapping[str, float]]
# As in pyarrow.
_FALSE_POSITIVES = 0.05


def _bloom_filters(options: BloomFilterOptions | None) -> list[tuple[str, float]]:
    filters = []
    for path, wanted in _dictionary("bloom_filter_options", options).items():
        settings = {} if isinstance(wanted, bool) else wanted
        if not isinstance(settings, Mapping):
            kind = type(settings).__name__
            raise TypeError(f"the Bloom filter of {path} must be True or a dictionary such as {{'fpp': 0.05}}, not {kind}")
        # Distinct values are counted, so `ndv` is not needed.
        unknown = set(settings) - {"fpp", "ndv"}
        if unknown:
            raise ValueError(f"the Bloom filter of {path} has no option {min(unknown)!r}; there are 'fpp' and 'ndv'")
        if wanted is not False:
            filters.append((path, settings.get("fpp", _FALSE_POSITIVES)))
    return filters


Compression: TypeAlias = str | Mapping[str, str]
DataPageVersion: TypeAlias = Literal["1.0", "2.0"]


class Layout(NamedTuple):
    """Layout of a new file."""

    encoding: str
    columns: list[tuple[str, str]]
    compressions: list[tuple[str, str]]
    row_group_size: int
    row_group_bytes: int
    page_rows: int | None
    page_bytes: int | None
    page_version: str
    page_checksums: bool
    content_defined_pages: tuple[int, int] | None
    dictionary_bytes: int | None
    bloom_filters: list[tuple[str, float]]
    sorting_columns: list[tuple[int, bool, bool]]
    statistics: tuple[bool, bool]
    bound_bytes: int
    total_order: bool


def layout_of(
    encoding: str,
    columns: Mapping[str, Encoding] | None,
    compression: Compression | None,
    row_groups: tuple[int, int],
    pages: tuple[int | None, int | None, DataPageVersion, bool],
    content_defined_pages: bool | tuple[int, int],
    dictionary_bytes: int | None,
    bloom_filters: BloomFilterOptions | None,
    sorting_columns: Iterable[AnySortingColumn],
    statistics: tuple[bool, bool, int, bool],
) -> Layout:
    """Returns the layout for row groups of up to some rows and bytes, pages of up to some rows and bytes, of a version,
    with checksums or not, and statistics of chunks, of pages, with bounds of up to some bytes, and in total order or not."""
    rows, bytes_, version, checksums = pages
    if content_defined_pages is True:
        content_defined_pages = (256 << 10, 1 << 20)
    elif content_defined_pages and not (isinstance(content_defined_pages, tuple) and len(content_defined_pages) == 2):
        raise TypeError(f"content_defined_pages is {content_defined_pages!r}; use True, or a pair of minimum and maximum bytes")
    for column in (sorted_by := [*sorting_columns]):
        if not hasattr(column, "column_index"):
            raise TypeError(f"{column!r} is not a SortingColumn, which has the index of a column")
    of_chunks, of_pages, bound_bytes, total_order = statistics
    return Layout(
        _name("encoding", encoding),
        pairs("column_encoding", columns),
        pairs("compression", None if isinstance(compression, str) else compression),
        *row_groups,
        rows,
        bytes_,
        _name("data_page_version", version).removesuffix(".0"),
        checksums,
        content_defined_pages or None,
        dictionary_bytes,
        _bloom_filters(bloom_filters),
        [(it.column_index, it.descending, it.nulls_first) for it in sorted_by],
        (of_chunks, of_pages),
        bound_bytes,
        total_order,
    )


def joined(names: str | Iterable[str] | None) -> str | None:
    return names if names is None or isinstance(names, str) else ",".join(names)
