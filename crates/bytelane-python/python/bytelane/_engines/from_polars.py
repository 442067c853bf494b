"""Conditions from expressions of Polars.

Polars resolves the types of an expression before it pushes it to a source, so that both sides of a comparison have the same type.
Forms that are not known here remain with Polars: its JSON is not a stable format.
"""

from __future__ import annotations

import functools
import io
import json
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import polars as pl

from .._filters import Tagged
from . import condition
from .condition import FLIPPED, Column, Condition

_Node: TypeAlias = Any

_COMPARISONS = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_CONNECTIVES = {"And": condition.all_of, "LogicalAnd": condition.all_of, "Or": condition.any_of, "LogicalOr": condition.any_of}
_BETWEEN = {"Both": (">=", "<="), "Left": (">=", "<"), "Right": (">", "<="), "None": (">", "<")}
_NANOSECONDS = {"Nanoseconds": 1, "Microseconds": 1000, "Milliseconds": 10**6, "ns": 1, "us": 1000, "ms": 10**6}
_INTEGERS = {f"{sign}Int{bits}": (bits, sign) for sign in ("", "U") for bits in (8, 16, 32, 64)}


def translated(predicate: pl.Expr, schema: Mapping[str, pl.DataType]) -> Condition | None:
    """Returns the condition of an expression, as far as there is one."""
    try:
        node = json.loads(predicate.meta.serialize(format="json"))
    except (pl.exceptions.ComputeError, ValueError):
        # Functions of Python cannot be written as JSON.
        return None
    try:
        return _Translator(schema).condition(node)
    except RecursionError:
        return None


def steps(predicate: pl.Expr, schema: Mapping[str, pl.DataType]) -> list[pl.Expr]:
    """Returns conditions to filter by one after the other, which select the same rows: texts are tested last, on fewer rows."""
    try:
        text = predicate.meta.serialize(format="json")
        operands = _operands(json.loads(text), "And")
    except (pl.exceptions.ComputeError, ValueError):
        return [predicate]
    # In JSON, infinity and NaN are null.
    if len(operands) == 1 or re.search(r'"Float\d*":\s*null', text):
        return [predicate]
    texts = {name for name, dtype in schema.items() if dtype == pl.String}
    parts: tuple[list[pl.Expr], list[pl.Expr]] = ([], [])
    try:
        for operand in operands:
            part = pl.Expr.deserialize(io.StringIO(json.dumps(operand)), format="json")
            parts[not texts.isdisjoint(part.meta.root_names())].append(part)
    except pl.exceptions.ComputeError:
        # Some expressions are written as JSON, but not read.
        return [predicate]
    return [functools.reduce(operator.and_, it) for it in parts if it]


class _Translator:
    def __init__(self, schema: Mapping[str, pl.DataType]) -> None:
        self._schema = schema

    def condition(self, node: _Node) -> Condition | None:
        match node:
            case {"BinaryExpr": {"left": left, "op": str(operator), "right": right}}:
                return self._binary(node, left, operator, right)
            case {"Column": str()}:
                column = self._column(node)
                return condition.is_true(column) if column is not None else None
            case {"Function": {"input": [*arguments], "function": {"Boolean": function}}}:
                return self._boolean(arguments, function)
            case {"Function": {"input": [text, pattern], "function": {"StringExpr": function}}}:
                return self._text(text, pattern, function)
        return None

    def _binary(self, node: _Node, left: _Node, operator: str, right: _Node) -> Condition | None:
        connect = _CONNECTIVES.get(operator)
        if connect is not None:
            return connect([self.condition(part) for part in _operands(node, operator)])
        if operator == "EqValidity":
            return self._missing(left, right, "=", condition.all_of, is_null=False)
        if operator == "NotEqValidity":
            return self._missing(left, right, "!=", condition.any_of, is_null=True)
        return self._compare(left, _COMPARISONS.get(operator), right)

    def _missing(
        self, left: _Node, right: _Node, operator: str, connect: Callable[..., Condition | None], is_null: bool
    ) -> Condition | None:
        """Compares with a value that is not null: the result is never null."""
        compared, column = self._compare(left, operator, right), self._column(left)
        if compared is None or column is None or _scalar(right) is None:
            return None
        null = condition.is_null(column)
        return connect([compared, null if is_null else condition.negated(null)])

    def _compare(self, left: _Node, operator: str | None, right: _Node) -> Condition | None:
        if operator is None:
            return None
        value = _scalar(right)
        if value is None:
            left, right, operator = right, left, FLIPPED[operator]
            value = _scalar(right)
        if value is None:
            return self._compare_columns(left, operator, right)
        column = self._column(left)
        if column is not None:
            # Enums are in the order of their categories.
            is_ordered = operator not in ("=", "!=")
            if is_ordered and isinstance(self._type(left), pl.Enum | pl.Categorical):
                return None
            return condition.compare(column, operator, value)
        match left:
            case {"Cast": {"expr": inner, "dtype": {"Literal": str(target)}}}:
                return self._compare_cast(inner, target, operator, value)
            case {"Cast": {"expr": inner, "dtype": {"Literal": {"Decimal": [int(precision), int(scale)]}}}}:
                own, column = self._type(inner), self._column(inner)
                has_digits = isinstance(own, pl.Decimal) and precision - scale >= (own.precision or 38) - own.scale
                if column is not None and has_digits and scale >= own.scale:
                    return condition.compare(column, operator, value)
        return None

    def _compare_columns(self, left: _Node, operator: str, right: _Node) -> Condition | None:
        """Compares columns of one type. NaN is not ordered as in Polars, and categories are in an order of their own."""
        one, other, dtype = self._column(left), self._column(right), self._type(left)
        is_simple = not (isinstance(dtype, pl.Enum | pl.Categorical) or dtype in (pl.Float32, pl.Float64))
        if one is None or other is None or dtype != self._type(right) or not is_simple:
            return None
        return condition.compare_columns(one, operator, other)

    def _compare_cast(self, inner: _Node, target: str, operator: str, value: Tagged) -> Condition | None:
        """Compares a column that Polars converts first."""
        column = self._column(inner)
        if column is None:
            return None
        if target == "Float64" and value[0] == "float":
            return condition.near(column, operator, value[1])
        own, other = _INTEGERS.get(str(self._type(inner))), _INTEGERS.get(target)
        if own is None or other is None or value[0] != "integer":
            return None
        is_wider = other[0] >= own[0] if own[1] == other[1] else own[1] == "U" and other[0] > own[0]
        return condition.compare(column, operator, value) if is_wider else None

    def _boolean(self, arguments: list[_Node], function: _Node) -> Condition | None:
        match function:
            case "Not":
                return condition.negated(self.condition(arguments[0]))
            case "AllHorizontal":
                return condition.all_of([self.condition(it) for it in arguments])
            case "AnyHorizontal":
                return condition.any_of([self.condition(it) for it in arguments])
            case {"IsBetween": {"closed": str(closed)}} if closed in _BETWEEN:
                bounds = zip(_BETWEEN[closed], arguments[1:], strict=True)
                return condition.all_of([self._compare(arguments[0], operator, bound) for operator, bound in bounds])
        column = self._column(arguments[0])
        if column is None:
            return None
        match function:
            case "IsNull":
                return condition.is_null(column)
            case "IsNotNull":
                return condition.negated(condition.is_null(column))
            case "IsNan":
                return condition.is_nan(column)
            case "IsNotNan":
                return condition.negated(condition.is_nan(column))
            case {"IsIn": {"nulls_equal": bool(nulls_equal)}}:
                return self._among(column, arguments, nulls_equal)
        return None

    def _among(self, column: Column, arguments: list[_Node], nulls_equal: bool) -> Condition | None:
        match arguments[1]:
            case {"Literal": {"Scalar": {"List": [*stored]}}}:
                values = pl.read_ipc_stream(bytes(stored)).to_series()
            case _:
                return None
        has_null = values.null_count() > 0
        known = [_tagged(values.dtype, it) for it in values.drop_nulls().to_physical().to_list()]
        tagged = [it for it in known if it is not None]
        if len(tagged) < len(known):
            return None
        found = condition.among(column, tagged)
        if not nulls_equal:
            # With null in the list, other values are false or null.
            return found.inexact() if found is not None and has_null else found
        null = condition.is_null(column)
        return condition.any_of([found, null]) if has_null else condition.all_of([found, condition.negated(null)])

    def _text(self, text: _Node, pattern: _Node, function: _Node) -> Condition | None:
        column, value = self._column(text), _scalar(pattern)
        if column is None or value is None or value[0] != "text" or self._type(text) != pl.String:
            return None
        match function:
            case "StartsWith":
                return condition.like(column, "", value[1], "%")
            case "EndsWith":
                return condition.like(column, "%", value[1], "")
            case {"Contains": {"literal": True}}:
                return condition.like(column, "%", value[1], "%")
            case {"Contains": {"literal": False}} if not set(value[1]) & set("\\.+*?()|[]{}^$#&-~"):
                return condition.like(column, "%", value[1], "%")
        return None

    def _column(self, node: _Node) -> Column | None:
        path = _path(node)
        kind = _kind(self._type(node)) if path else None
        return Column(path, kind) if kind is not None else None

    def _type(self, node: _Node) -> Any:
        path = _path(node)
        found: Any = self._schema.get(path[0]) if path else None
        for name in path[1:]:
            found = next((it.dtype for it in getattr(found, "fields", []) if it.name == name), None)
        return found


def _path(node: _Node) -> tuple[str, ...]:
    match node:
        case {"Column": str(name)}:
            return (name,)
        case {"Function": {"input": [inner], "function": {"StructExpr": {"FieldByName": str(name)}}}}:
            outer = _path(inner)
            return (*outer, name) if outer else ()
    return ()


def _operands(node: _Node, operator: str) -> list[_Node]:
    """Returns the operands of an operator that follow each other, without recursion."""
    found, pending = [], [node]
    while pending:
        match pending.pop():
            case {"BinaryExpr": {"left": left, "op": op, "right": right}} if op == operator:
                pending += [right, left]
            case other:
                found.append(other)
    return found


def _kind(dtype: Any) -> str | None:
    """Returns the kind of the values of a column."""
    simple = {
        pl.Boolean: "boolean",
        pl.Float32: "float32",
        pl.Float64: "float64",
        pl.String: "text",
        pl.Binary: "binary",
        pl.Date: "date",
        pl.Time: "time",
    }
    if dtype is None:
        return None
    if dtype.is_integer():
        return "integer"
    match dtype:
        case pl.Decimal():
            return "decimal"
        case pl.Datetime(time_zone=zone):
            return "timestamp" if zone is None else "timestamp in UTC"
        case pl.Duration():
            return "duration"
        case pl.Categorical() | pl.Enum():
            return "text"
    return simple.get(dtype.base_type())


def _scalar(node: _Node) -> Tagged | None:
    """Returns the value of a literal."""
    match node:
        case {"Literal": {"Scalar": {**scalar}}} if len(scalar) == 1:
            [(name, it)] = scalar.items()
        case _:
            return None
    match name, it:
        case "Boolean", bool():
            return "boolean", it
        case _, int() if name in _INTEGERS:
            return "integer", it
        case "Float32" | "Float64", int() | float():
            return "float", float(it)
        case "String", str():
            return "text", it
        case "Binary", list():
            return "binary", bytes(it)
        case "Date", int():
            return "date", it
        case "Time", int():
            return "time", it
        case "Decimal", [int(digits), int(), int(scale)]:
            return "decimal", (digits, scale)
        case "Datetime", [int(count), str(unit), zone]:
            return "timestamp" if zone is None else "timestamp in UTC", count * _NANOSECONDS[unit]
        case "Duration", [int(count), str(unit)]:
            return "duration", count * _NANOSECONDS[unit]
    return None


def _tagged(dtype: Any, physical: Any) -> Tagged | None:
    """Returns a value of a series, which is that of its physical type."""
    kind = _kind(dtype)
    match kind:
        case None:
            return None
        case "float32" | "float64":
            return "float", physical
        case "timestamp" | "timestamp in UTC" | "duration":
            return kind, physical * _NANOSECONDS[dtype.time_unit]
        case "decimal":
            return kind, (int(physical), dtype.scale)
        case "text" if dtype != pl.String:
            return None
    return kind, physical
