"""Options of `bytelane.parquet`, as the native half expects them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, Protocol, TypeAlias

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
    compression: str | None,
    level: int | None,
) -> Options:
    if compression is not None and level is not None:
        compression = f"{compression}:{level}"
    compression = compression and compression.lower()
    return Options(goal, joined(readers), joined(encodings), compression)


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
    for path, wanted in (options or {}).items():
        settings = {} if isinstance(wanted, bool) else wanted
        # Distinct values are counted, so `ndv` is not needed.
        unknown = set(settings) - {"fpp", "ndv"}
        if unknown:
            raise ValueError(f"the Bloom filter of {path} has no option {min(unknown)!r}; there are 'fpp' and 'ndv'")
        if wanted is not False:
            filters.append((path, settings.get("fpp", _FALSE_POSITIVES)))
    return filters


class Layout(NamedTuple):
    """Layout of a new file."""

    encoding: str
    columns: list[tuple[str, str]]
    row_group_size: int
    row_group_bytes: int
    content_defined_pages: tuple[int, int] | None
    bloom_filters: list[tuple[str, float]]
    sorting_columns: list[tuple[int, bool, bool]]
    total_order: bool


def layout_of(
    encoding: str,
    columns: Mapping[str, Encoding] | None,
    row_group_size: int,
    row_group_bytes: int,
    pages: bool | tuple[int, int],
    bloom_filters: BloomFilterOptions | None,
    sorting_columns: Iterable[AnySortingColumn],
    total_order: bool,
) -> Layout:
    bounds = (256 << 10, 1 << 20) if pages is True else pages or None
    sorted_by = [(it.column_index, it.descending, it.nulls_first) for it in sorting_columns]
    encodings: list[tuple[str, str]] = [*(columns or {}).items()]
    filters = _bloom_filters(bloom_filters)
    return Layout(encoding, encodings, row_group_size, row_group_bytes, bounds, filters, sorted_by, total_order)


def joined(names: str | Iterable[str] | None) -> str | None:
    return names if names is None or isinstance(names, str) else ",".join(names)
