"""Conditions of engines, in the syntax of `filters`.

The module of an engine walks through its expressions and calls these functions. `None` stands for an expression without a
counterpart: the engine must evaluate it. A condition that is not exact is true for all rows for which the engine's expression is
true, and also for others; then, the reader drops pages, and the engine evaluates the expression on the rows that remain.

An exact condition is true, false and null for the same rows as the expression, so that it can be negated.
"""

from __future__ import annotations

import datetime
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .._filters import Tagged

# Depth of conditions in conditions. The parser accepts somewhat more.
_DEPTH = 48
# Kinds of values that a column of a kind is compared with.
_COMPARABLE = {
    "boolean": ("boolean",),
    "integer": ("integer", "decimal"),
    "decimal": ("integer", "decimal"),
    "float32": ("float",),
    "float64": ("float",),
    "text": ("text",),
    "binary": ("binary",),
    "date": ("date",),
    "time": ("time",),
    "timestamp": ("timestamp",),
    "timestamp in UTC": ("timestamp in UTC",),
    "duration": ("duration",),
}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
FLIPPED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_EPOCH = datetime.date(1970, 1, 1)


@dataclass(frozen=True)
class Column:
    """Column of a table, or member of one that is a struct."""

    path: tuple[str, ...]
    kind: str
    """Kind of its values: one of the keys of `_COMPARABLE`."""

    @property
    def text(self) -> str | None:
        """Path as in a condition; `None` if it could mean another column."""
        if any(not name or set(name) & set(".[]\0") for name in self.path):
            return None
        return ".".join('"' + name.replace('"', '""') + '"' for name in self.path)


@dataclass(frozen=True)
class Condition:
    """Condition on rows."""

    text: str
    columns: frozenset[str]
    """Names of the columns that the condition is about, without members of structs."""
    is_exact: bool = True
    depth: int = 0

    def inexact(self) -> Condition:
        """Returns the same condition, for an expression that may be false or null where this is true."""
        return Condition(self.text, self.columns, False, self.depth)


def compare(column: Column, operator: str, value: Tagged, nan_is_largest: bool = True) -> Condition | None:
    """Compares a column with a value. In most engines, NaN is larger than all other numbers, and not as in IEEE 754."""
    text = literal(column.kind, value)
    if text is None:
        return None
    if column.kind.startswith("float") and nan_is_largest and operator in (">", ">="):
        # Of NaN, this is true.
        return negated(_test(column, f"{_OPPOSITE[operator]} {text}"))
    return _test(column, f"{operator} {text}")


def compare_columns(column: Column, operator: str, other: Column) -> Condition | None:
    """Compares two columns of one type, which is none of floats."""
    text, compared = other.text, frozenset(other.path[:1])
    test = None if text is None else _test(column, f"{operator} {text}")
    return None if test is None else Condition(test.text, test.columns | compared)


def among(column: Column, values: Sequence[Tagged]) -> Condition | None:
    """Returns whether a column equals one of the values, none of which is null."""
    texts = [literal(column.kind, value) for value in values]
    known = [text for text in texts if text is not None]
    if not known or len(known) < len(texts):
        return None
    return _test(column, f"in ({', '.join(known)})")


def near(column: Column, operator: str, value: float) -> Condition | None:
    """Compares a column of numbers, which the engine converts to 64-bit floats first, with such a float.

    Rounded numbers are in the same order, but different ones can become equal.
    """
    if not math.isfinite(value):
        return None
    if column.kind == "float32":
        single = struct.unpack("f", struct.pack("f", value))[0] if abs(value) < 3.4e38 else None
        if single is None:
            return None
        if single == value:
            return compare(column, operator, ("float", value))
    if column.kind not in ("integer", "decimal", "float32"):
        return None
    slack = abs(Fraction(value)) / (1 << (20 if column.kind == "float32" else 48))
    low, high = Fraction(value) - slack, Fraction(value) + slack
    parts: list[Condition | None] = []
    if operator in (">", ">=", "="):
        parts.append(_test_of_bound(column, ">=", low))
    if operator in ("<", "<=", "="):
        parts.append(_test_of_bound(column, "<=", high))
    if not parts:
        return None
    both = all_of(parts)
    return None if both is None else both.inexact()


def _test_of_bound(column: Column, operator: str, bound: Fraction) -> Condition | None:
    if column.kind == "float32":
        return compare(column, operator, ("float", float(bound)))
    # 38 digits, of which the last is rounded away from the values to keep.
    digits = math.floor(bound * 10**12) if operator == ">=" else math.ceil(bound * 10**12)
    return compare(column, operator, ("decimal", (digits, 12))) if abs(digits) < 10**38 else None


def is_nan(column: Column) -> Condition | None:
    """Returns whether a float is NaN; null of null."""
    zero: Tagged = ("float", 0.0)
    parts = [compare(column, operator, zero, nan_is_largest=False) for operator in ("<=", ">")]
    return negated(any_of(parts)) if column.kind.startswith("float") else None


def is_null(column: Column) -> Condition | None:
    """Returns whether a column is null, which is never null itself."""
    return _test(column, "is null")


def is_true(column: Column) -> Condition | None:
    """Returns the values of a column of Booleans."""
    return compare(column, "=", ("boolean", True))


def like(column: Column, before: str, text: str, after: str) -> Condition | None:
    """Returns whether a text column matches a text, with `%` before or after it.

    Characters with a meaning in patterns match more texts than themselves.
    """
    if column.kind != "text" or "\0" in text:
        return None
    test = _test(column, f"like {_quoted(before + text + after)}")
    return test.inexact() if test is not None and set(text) & set("%_") else test


def negated(part: Condition | None) -> Condition | None:
    """Returns the opposite of an exact condition."""
    if part is None or not part.is_exact or part.depth >= _DEPTH:
        return None
    return Condition(f"(not {part.text})", part.columns, True, part.depth + 1)


def all_of(parts: Sequence[Condition | None]) -> Condition | None:
    """Returns whether all conditions are true; the engine evaluates those that are `None`."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    joined = _joined("and", known)
    return joined if joined is None or len(known) == len(parts) else joined.inexact()


def any_of(parts: Sequence[Condition | None]) -> Condition | None:
    """Returns whether one of the conditions is true."""
    known = [part for part in parts if part is not None]
    return _joined("or", known) if known and len(known) == len(parts) else None


def _joined(word: str, parts: Sequence[Condition]) -> Condition | None:
    if len(parts) == 1:
        return parts[0]
    depth = max(part.depth for part in parts) + 1
    if depth > _DEPTH:
        return None
    text = f" {word} ".join(part.text for part in parts)
    columns = frozenset[str]().union(*(part.columns for part in parts))
    return Condition(f"({text})", columns, all(part.is_exact for part in parts), depth)


def _test(column: Column, test: str) -> Condition | None:
    text = column.text
    return None if text is None else Condition(f"{text} {test}", frozenset(column.path[:1]))


def literal(kind: str, value: Tagged) -> str | None:
    """Returns a value for a comparison with columns of a kind; `None` if they do not compare, or no text expresses the
    value."""
    own, it = value
    if own not in _COMPARABLE.get(kind, ()):
        return None
    match own:
        case "boolean":
            return "true" if it else "false"
        case "integer":
            return str(it) if abs(it) < 10**38 else None
        case "decimal":
            return _decimal(*it)
        case "float":
            return repr(it) if math.isfinite(it) else None
        case "text":
            return None if "\0" in it else _quoted(it)
        case "binary":
            return f"x'{it.hex()}'"
        case "date":
            days = _date(it)
            return None if days is None else f"date '{days}'"
        case "time":
            return f"time '{_time(it)}'" if 0 <= it < 86_400 * 10**9 else None
        case "timestamp" | "timestamp in UTC":
            moment = _moment(it)
            if moment is None:
                return None
            return f"timestamp '{moment}'" if own == "timestamp" else f"'{moment}Z'"
        case "duration":
            return _duration(it)
    return None


def _decimal(digits: int, scale: int) -> str | None:
    if abs(digits) >= 10**38 or not 0 <= scale <= 38:
        return None
    text = str(abs(digits)).rjust(scale + 1, "0")
    return ("-" if digits < 0 else "") + text[: len(text) - scale] + ("." + text[len(text) - scale :] if scale else "")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _date(days: int) -> str | None:
    try:
        return (_EPOCH + datetime.timedelta(days=days)).isoformat()
    except OverflowError:
        return None


def _time(nanoseconds: int) -> str:
    seconds, rest = divmod(nanoseconds, 10**9)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:09}"


def _moment(nanoseconds: int) -> str | None:
    days, rest = divmod(nanoseconds, 86_400 * 10**9)
    date = _date(days)
    return None if date is None else f"{date}T{_time(rest)}"


def _duration(nanoseconds: int) -> str | None:
    """Returns days and nanoseconds, which must have a sign each."""
    days, rest = divmod(abs(nanoseconds), 86_400 * 10**9)
    if days >= 1 << 31:
        return None
    sign = "-" if nanoseconds < 0 else ""
    return f"interval '{sign}{days} days {sign}{rest} nanoseconds'"
