"""Types of Spark.

Spark has no unsigned numbers and no durations. Its own reader gives those of Parquet as wider numbers and as numbers, and so do these types.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_type

_WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.null(): pa.int32(),
    pa.string_view(): pa.string(),
    pa.binary_view(): pa.binary(),
    pa.date64(): pa.date32(),
}


def with_instants(stored: pa.DataType, in_seconds: pa.DataType) -> pa.DataType:
    """Returns a type with INT96 timestamps in UTC: those whose unit depends on how they are read."""
    if pa.types.is_timestamp(stored):
        return stored if stored == in_seconds else pa.timestamp("us", "+00:00")
    return _rebuilt(stored, [with_instants(*it) for it in zip(_inner(stored), _inner(in_seconds), strict=True)])


def readable(stored: pa.DataType) -> pa.DataType:
    """Returns the type of Arrow that Spark takes the values of another one in. All values may be null."""
    if isinstance(stored, pa.BaseExtensionType):
        return readable(stored.storage_type)
    if pa.types.is_dictionary(stored):
        return readable(stored.value_type)
    if pa.types.is_duration(stored):
        return pa.int64()
    if pa.types.is_time(stored):
        return pa.time64("ns")
    if pa.types.is_decimal(stored) and stored.precision > 38:
        raise NotImplementedError(f"{stored} has more than 38 digits")
    return _WIDER.get(stored) or _rebuilt(stored, [readable(it) for it in _inner(stored)])


def _inner(data_type: pa.DataType) -> list[pa.DataType]:
    """Returns the types in a nested one."""
    if pa.types.is_map(data_type):
        return [data_type.key_type, data_type.item_type]
    if pa.types.is_struct(data_type):
        return [field.type for field in data_type]
    return [data_type.value_type] if _is_list(data_type) else []


def _rebuilt(data_type: pa.DataType, inner: list[pa.DataType]) -> pa.DataType:
    """Returns a nested type with other types in it; any other type stays."""
    if pa.types.is_map(data_type):
        return pa.map_(*inner)
    if pa.types.is_struct(data_type):
        return pa.struct([(field.name, it) for field, it in zip(data_type, inner, strict=True)])
    return pa.list_(*inner) if _is_list(data_type) else data_type


def _is_list(data_type: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(data_type)
        or pa.types.is_large_list(data_type)
        or pa.types.is_fixed_size_list(data_type)
        or pa.types.is_list_view(data_type)
        or pa.types.is_large_list_view(data_type)
    )


def spark_type(field: pa.Field) -> Any:
    """Returns the type of a column in Spark."""
    try:
        return from_arrow_type(readable(field.type))
    except Exception as error:
        raise NotImplementedError(
            f"column {field.name}: Spark has no type for {field.type}; leave the column out with the option `columns`"
        ) from error
