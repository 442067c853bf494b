"""Options of `bytelane.parquet`, as the native half expects them."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, Protocol, SupportsIndex, TypeAlias

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


def given_to_writer(arguments: Mapping[str, object]) -> str:
    """Does the same for the arguments of `write_table` and `ParquetWriter`, some of which are pyarrow's objects."""
    options = dict(arguments)
    options["column_encoding"] = _names("column_encoding", options["column_encoding"])
    options["encoding"] = _name("encoding", options["encoding"])
    compression = options["compression"]
    if isinstance(compression, Mapping):
        options["compression"] = _names("compression", compression)
    elif compression is not None:
        options["compression"] = _name("compression", compression)
    options["bloom_filter_options"] = _bloom_filters(options["bloom_filter_options"])
    options["sorting_columns"] = _sorting_columns(options["sorting_columns"])
    return given(options, "self", "table", "where", "schema")


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


def _names(argument: str, names: object) -> dict[str, str]:
    return {path: _name(f"{argument} of {path}", name) for path, name in _dictionary(argument, names).items()}


def _dictionary(argument: str, values: object) -> Mapping[str, Any]:
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


def _bloom_filters(options: object) -> dict[str, float]:
    """Returns the shares of false positives, by the paths of columns."""
    filters = {}
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
            filters[path] = settings.get("fpp", _FALSE_POSITIVES)
    return filters


def _sorting_columns(columns: Any) -> list[tuple[int, bool, bool]]:
    """Returns columns by which rows are sorted; pyarrow's have the same attributes."""
    sorted_by = [*columns]
    for column in sorted_by:
        if not hasattr(column, "column_index"):
            raise TypeError(f"{column!r} is not a SortingColumn, which has the index of a column")
    return [(it.column_index, it.descending, it.nulls_first) for it in sorted_by]


Compression: TypeAlias = str | Mapping[str, str]
DataPageVersion: TypeAlias = Literal["1.0", "2.0"]
