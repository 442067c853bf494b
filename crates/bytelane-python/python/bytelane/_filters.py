"""Converts conditions on rows from the forms that users write to that of the native half."""

from __future__ import annotations

import datetime
import decimal
import math
import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ._parquet import Condition, Schema, Table

# Column, operator and value.
Test: TypeAlias = tuple[str, str, Any]
# A list of tests that must all be true, a list of such lists, one of which must be true, or a string in the
# syntax of SQL.
Filters: TypeAlias = str | Sequence[Test] | Sequence[Sequence[Test]]
# Name of the kind, and the value.
Tagged: TypeAlias = tuple[str, Any]

_COMPARISONS = {"=": "==", "==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_FORM = 'a filter is a tuple of a column, an operator and a value, such as ("price", ">", 100)'
_EPOCH = datetime.datetime(1970, 1, 1)


def is_expression(filters: object) -> bool:
    """Returns whether a condition is a `pyarrow.compute.Expression`."""
    return type(filters).__name__ == "Expression" and type(filters).__module__.startswith("pyarrow")


class Plan:
    """Columns and condition to read with, and what remains to be done with the rows."""

    def __init__(
        self, columns: Sequence[str] | None, filters: Any, schema: Callable[[], Schema], is_united: bool = False
    ) -> None:
        self.columns = columns
        self.filters = filters
        self._expression: Any = None
        self._chosen = columns
        if is_expression(filters):
            self._convert(schema(), is_united)

    def _convert(self, schema: Schema, is_united: bool) -> None:
        expression = self.filters
        try:
            _, (stored,) = expression.__reduce__()
        except NotImplementedError:
            # Columns by their numbers.
            condition = None
        else:
            condition = Condition(stored.to_pybytes(), schema, is_united)
        self.filters = condition
        if condition is not None and condition.is_exact:
            return
        self._expression = expression
        if self.columns is not None:
            read = None if condition is None else condition.columns
            is_whole = set(self.columns).issubset(schema.names)
            self.columns = [*dict.fromkeys([*self.columns, *read])] if read is not None and is_whole else None

    @property
    def rest(self) -> Callable[[Table], Table] | None:
        """Chooses rows and columns of a table that was read."""
        return None if self._expression is None else self._choose

    def _choose(self, table: Table) -> Table:
        chosen = Table(table.to_pyarrow().filter(self._expression))
        return chosen if self._chosen is None else chosen.select(self._chosen)


def native(filters: Filters | Condition) -> Condition | str | list[list[tuple[str, str, list[Tagged]]]]:
    """Returns the condition as lists of lists of tests, as a string, or as converted from an expression."""
    if isinstance(filters, str | Condition):
        return filters
    if not isinstance(filters, Sequence):
        kind = f"{type(filters).__module__}.{type(filters).__name__}"
        raise TypeError(f'{_FORM}, or a text such as "price > 100", but this is of type {kind}')
    conjunctions: Sequence[Any] = [filters] if all(isinstance(it, tuple) for it in filters) else filters
    return [[_test(test) for test in conjunction] for conjunction in conjunctions]


def _test(test: Any) -> tuple[str, str, list[Tagged]]:
    if not (isinstance(test, tuple) and len(test) == 3 and isinstance(test[0], str) and isinstance(test[1], str)):
        raise TypeError(f"{_FORM}, but this is {test!r}")
    column, operator, value = test
    value = _plain(value)
    if operator in ("in", "not in"):
        if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
            raise TypeError(f"`{operator}` needs a list of values, but this is {value!r}")
        values = [_plain(it) for it in value]
        known = [_tagged(it) for it in values if it is not None]
        if len(known) < len(values):
            operator = "in or null" if operator == "in" else "not in and not null"
        return column, operator, known
    if operator in ("is", "is not") and value is None:
        return column, f"{operator} null", []
    if operator not in _COMPARISONS:
        known_operators = ", ".join([*_COMPARISONS, "in", "not in"])
        raise ValueError(
            f'"{operator}" is not a valid operator; there are {known_operators}, and `is` and `is not` with None'
        )
    if value is None:
        raise ValueError(f'nothing equals null: use ("{column}", "is", None) or ("{column}", "is not", None)')
    return column, _COMPARISONS[operator], [_tagged(value)]


def _plain(value: Any) -> Any:
    """Converts scalars of pyarrow and NumPy to Python's own."""
    if hasattr(value, "as_py"):
        return value.as_py()
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if kind in ("M", "m") and getattr(value, "shape", None) == ():
        count = value.astype(f"{kind}8[ns]").astype("int64").item()
        return _Nanoseconds(kind, count)
    if kind is not None and getattr(value, "shape", None) == ():
        return value.item()
    return value


class _Nanoseconds:
    """NumPy's datetime64 or timedelta64."""

    def __init__(self, kind: str, count: int) -> None:
        self.tagged: Tagged = ("timestamp" if kind == "M" else "duration", count)


def _tagged(value: Any) -> Tagged:
    """Returns a value with the name of its kind."""
    match value:
        case _Nanoseconds():
            return value.tagged
        case bool():
            return "boolean", value
        case int():
            return "integer", value
        case float():
            return "float", value
        case decimal.Decimal():
            return _decimal(value)
        case str():
            return "text", value
        case uuid.UUID():
            return "binary", value.bytes
        case bytes() | bytearray() | memoryview():
            return "binary", bytes(value)
        case datetime.datetime():
            zone = value.utcoffset()
            local = value.replace(tzinfo=None)
            # pandas has nanoseconds.
            nanoseconds = _nanoseconds(local - _EPOCH) + getattr(value, "nanosecond", 0)
            if zone is None:
                return "timestamp", nanoseconds
            return "timestamp in UTC", nanoseconds - _nanoseconds(zone)
        case datetime.date():
            return "date", (value - _EPOCH.date()).days
        case datetime.time():
            since = datetime.timedelta(
                hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond
            )
            return "time", _nanoseconds(since)
        case datetime.timedelta():
            return "duration", _nanoseconds(value)
    raise TypeError(f"columns do not compare with values of type {type(value).__name__}")


def _nanoseconds(difference: datetime.timedelta) -> int:
    return difference // datetime.timedelta(microseconds=1) * 1000


def _decimal(value: decimal.Decimal) -> Tagged:
    if not value.is_finite():
        return "float", math.nan if value.is_nan() else math.copysign(math.inf, value)
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    number = int("".join(map(str, digits)) or "0")
    return "decimal", (-number if sign else number, -exponent)
