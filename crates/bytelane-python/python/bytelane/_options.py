"""Options of `bytelane.parquet`, as the native half expects them."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, SupportsIndex, TypeAlias, get_args

Goal: TypeAlias = Literal["balanced", "size", "read", "write"]
StringType: TypeAlias = Literal["string", "large_string", "string_view"]
TimestampUnit: TypeAlias = Literal["ms", "us"]
Int96Unit: TypeAlias = Literal["s", "ms", "us", "ns"]
FormatVersion: TypeAlias = Literal["1.0", "2.4", "2.6"]
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
    "fsst",
    "PLAIN",
    "BYTE_STREAM_SPLIT",
    "DELTA_BINARY_PACKED",
    "DELTA_LENGTH_BYTE_ARRAY",
    "DELTA_BYTE_ARRAY",
    "RLE",
    "ALP",
    "FSST",
]
# Names in pyarrow are in upper case.
ENCODINGS = [name for name in get_args(Encoding) if name.islower()]
PREVIEWS = ("alp", "fsst")


# Keys of encrypted files by name, or a function from the metadata of a key to the key.
Decryption: TypeAlias = Mapping[str, Any] | Callable[[bytes], bytes | None]


# Keys to encrypt a file with by name, and how.
Encryption: TypeAlias = Mapping[str, Any]


# Arguments that are no options of the native functions.
_OTHERS = frozenset(
    ["as_files", "dst", "encryption", "left", "partition_types", "progress", "right", "source", "sources", "src"]
)


def given(arguments: Mapping[str, object], *others: str) -> str:
    """Returns the options among the arguments of a function as JSON, without those that are `None`."""
    options = {name: it for name, it in arguments.items() if name not in _OTHERS.union(others) and it is not None}
    level = options.pop("compression_level", None)
    if level is not None:
        options["compression"] = _with_level(options.get("compression"), level)
    return json.dumps(options, default=_plain)


def _plain(value: object) -> object:
    """Returns a path as a text, integers and arrays of NumPy and Arrow as those of Python, other collections as a list, and
    types of Arrow by their names."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, SupportsIndex):
        return operator.index(value)
    if hasattr(value, "__arrow_c_schema__"):
        return str(value)
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray):
        return list(value)
    raise TypeError(f"unexpected type {type(value).__name__}")


def given_to_writer(arguments: Mapping[str, Any]) -> str:
    """Does the same for the arguments of `write_table` and `ParquetWriter`, some of which are pyarrow's."""
    options = dict(arguments)
    if isinstance(options["column_encoding"], str):
        options["encoding"], options["column_encoding"] = options["column_encoding"], None
    options["encoding"] = _name("encoding", options["encoding"])
    options["column_encoding"] = _column_encodings(options)
    _set_compression(options)
    size = options.pop("chunk_size")
    if size is not None:
        # In pyarrow, -1 is the default.
        options["row_group_size"] = None if size == -1 else size
    options["row_group_size"] = _row_group_size(options["row_group_size"])
    options["bloom_filter_options"] = _bloom_filters(options["bloom_filter_options"])
    options["sorting_columns"] = _sorting_columns(options["sorting_columns"])
    if options["use_content_defined_chunking"]:
        options["content_defined_pages"] = _chunking(options["use_content_defined_chunking"])
    if not isinstance(options["write_statistics"], bool):
        options["statistics_of"] = list(options["write_statistics"])
        options["write_statistics"] = False
    if options["version"] not in get_args(FormatVersion):
        versions = ", ".join(get_args(FormatVersion))
        raise ValueError(f"Unsupported Parquet format version: {options['version']}; there are {versions}")
    if options["encryption_properties"] is not None:
        raise NotImplementedError(
            "encryption_properties is not supported, because only pyarrow can read its keys; give them as encryption"
        )
    _refuse(
        store_decimal_as_integer=(options["store_decimal_as_integer"] is False, False),
    )
    return given(options, "self", "table", "where", "schema", "filesystem", "flavor", "metadata_collector", *_OF_PYARROW)


# Arguments of pyarrow that have no effect, or that others express.
_OF_PYARROW = (
    "encryption_properties",
    "store_decimal_as_integer",
    "use_byte_stream_split",
    "use_content_defined_chunking",
    "use_dictionary",
    "write_batch_size",
    "writer_engine_version",
)


def _refuse(**values: tuple[object, object]) -> None:
    """Raises an error for an argument that has another value than the only supported one."""
    for name, (value, supported) in values.items():
        if value != supported:
            raise NotImplementedError(f"{name} is not supported; leave it out")


def _column_encodings(options: dict[str, Any]) -> dict[str, str]:
    """Returns the encodings of columns, which pyarrow also has as `use_dictionary` and `use_byte_stream_split`."""
    encodings: dict[str, str] = {}
    for argument, encoding in (("use_dictionary", "dictionary"), ("use_byte_stream_split", "byte_stream_split")):
        wanted = options[argument]
        if wanted is True:
            if options["encoding"] == "auto":
                options["encoding"] = encoding
        elif wanted:
            encodings |= dict.fromkeys(wanted, encoding)
    without = options["use_dictionary"]
    if without is not None and without is not True and options["encodings"] is None:
        options["encodings"] = [name for name in ENCODINGS if name not in ("auto", "dictionary", *PREVIEWS)]
    return encodings | _names("column_encoding", options["column_encoding"])


def _set_compression(options: dict[str, Any]) -> None:
    """Sets the codecs of the file and of its columns, which may have levels of their own."""
    compression, level = options["compression"], options["compression_level"]
    if isinstance(compression, Mapping):
        codecs, of_file = _names("compression", compression), None
    else:
        codecs, of_file = {}, None if compression is None else _name("compression", compression)
    if isinstance(level, Mapping):
        options["compression_level"] = None
        for path in level:
            codec = codecs.get(path, of_file)
            if codec is None:
                raise ValueError(f"compression_level has a level of {path}, but compression has no codec for it")
            codecs[path] = f"{codec}:{level[path]}"
    elif level is not None and codecs:
        raise ValueError("write the levels of columns with their codecs, such as {'price': 'zstd:3'}")
    options["compression"], options["compression_of"] = of_file, codecs


def _row_group_size(size: Any) -> Any:
    """Returns a number of rows; the default if there is none. A float may be a whole number."""
    if size is None:
        return 1 << 20
    return int(size) if isinstance(size, float) and size.is_integer() else size


def _chunking(wanted: object) -> object:
    """Returns `content_defined_pages` for pyarrow's `use_content_defined_chunking`."""
    if not isinstance(wanted, Mapping):
        return bool(wanted)
    unknown = set(wanted) - {"min_chunk_size", "max_chunk_size", "norm_level"}
    if unknown:
        raise ValueError(f"use_content_defined_chunking has no option {min(unknown)!r}")
    _refuse(norm_level=(wanted.get("norm_level", 0), 0))
    smallest, largest = (wanted.get(name) for name in ("min_chunk_size", "max_chunk_size"))
    if smallest is None or largest is None:
        raise ValueError("use_content_defined_chunking is True, or has both min_chunk_size and max_chunk_size")
    if largest <= smallest:
        raise ValueError(f"max_chunk_size must be greater than min_chunk_size, but these are {largest} and {smallest}")
    return [smallest, largest]


def reader_types(arguments: Mapping[str, Any]) -> ReaderTypes:
    """Returns the types that columns are read as, by the arguments of a reading function. Raises an error for those of
    pyarrow that are not supported."""
    buffer_size = arguments.get("buffer_size")
    if buffer_size is not None and buffer_size < 0:
        raise ValueError(f"buffer_size is {buffer_size}; it has no effect, but must not be negative")
    _refuse(**{name: (arguments.get(name), None) for name in _NOT_OF_READERS})
    list_type = arguments.get("list_type")
    return (
        arguments.get("read_dictionary"),
        arguments.get("string_type"),
        _one_of("binary_type", arguments.get("binary_type"), _BYTES),
        _one_of("list_type", getattr(list_type, "__name__", list_type), _LISTS),
        _one_of("coerce_int96_timestamp_unit", arguments.get("coerce_int96_timestamp_unit"), _UNITS),
        arguments.get("arrow_extensions_enabled", True),
        _decryption(arguments),
    )


def _decryption(arguments: Mapping[str, Any]) -> Decryption | None:
    """Returns the keys of encrypted files."""
    if arguments.get("decryption_properties") is not None:
        raise NotImplementedError(
            "decryption_properties is not supported, because only pyarrow can read its keys; give them, or a function that "
            "finds them, as decryption"
        )
    return arguments.get("decryption")


# Arguments of pyarrow's reading functions that are not supported.
_NOT_OF_READERS = (
    "thrift_string_size_limit",
    "thrift_container_size_limit",
    "schema_depth_limit",
)


# Types of columns by the arguments of reading functions.
ReaderTypes: TypeAlias = tuple[
    Sequence[str] | None, str | None, str | None, str | None, str | None, bool, Decryption | None
]
# Types of text that correspond to types of bytes.
_BYTES = {"binary": "string", "large_binary": "large_string", "binary_view": "string_view"}
# Types of lists by their names, and by those of pyarrow's classes.
_LISTS = {"list": "list", "ListType": "list", "large_list": "large_list", "LargeListType": "large_list"}
_UNITS = {unit: unit for unit in ("s", "ms", "us", "ns")}


def _one_of(argument: str, value: object, known: Mapping[str, str]) -> str | None:
    """Returns the name of a value, which may be an object of pyarrow; `None` for none."""
    try:
        return None if value is None else known[str(value)]
    except KeyError:
        raise ValueError(f"{argument} is {str(value)!r}; it must be one of {', '.join(known)}") from None


def _with_level(compression: object, level: object) -> str:
    """Returns the codec for all columns with its level, which pyarrow has as two arguments."""
    if compression is None:
        raise ValueError("compression_level needs a codec, such as compression='zstd'")
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
    sorted_by = [*(columns or ())]
    for column in sorted_by:
        if not hasattr(column, "column_index"):
            raise TypeError(f"{column!r} is not a SortingColumn, which has the index of a column")
    return [(it.column_index, it.descending, it.nulls_first) for it in sorted_by]


Compression: TypeAlias = str | Mapping[str, str]
DataPageVersion: TypeAlias = Literal["1.0", "2.0"]
