"""Columns as NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_UNITS = ("s", "ms", "us", "ns")
# Types of values in memory, and of arrays, by the types of columns, without time zones.
_TYPES = {
    "halffloat": ("float16", "float16"),
    "float": ("float32", "float32"),
    "double": ("float64", "float64"),
    "date32[day]": ("int32", "datetime64[D]"),
    "date64[ms]": ("int64", "datetime64[ms]"),
    **{f"timestamp[{unit}]": ("int64", f"datetime64[{unit}]") for unit in _UNITS},
    **{f"duration[{unit}]": ("int64", f"timedelta64[{unit}]") for unit in _UNITS},
}


def array(values: bytes, type_name: str, valid: bytes | None) -> NDArray[Any]:
    """Returns the values of a column of numbers or times. Null is NaN, or not a time; among Booleans, it is `None`."""
    name = type_name.partition(",")[0] + ("]" if "," in type_name else "")
    stored, wanted = _TYPES.get(name, (type_name, type_name))
    numbers: NDArray[Any] = np.frombuffer(values, stored).astype(wanted)
    if valid is None:
        return numbers
    is_null = ~np.frombuffer(valid, bool)
    if wanted == "bool":
        numbers = numbers.astype(object)
        numbers[is_null] = None
    elif wanted.startswith(("datetime", "timedelta")):
        numbers[is_null] = np.array("NaT", wanted)
    else:
        numbers = numbers if wanted.startswith("float") else numbers.astype("float64")
        numbers[is_null] = np.nan
    return numbers


def boxed(values: list[Any]) -> NDArray[Any]:
    """Returns values as an array of objects."""
    objects: NDArray[Any] = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects
