"""Statistics of files in the log of a table of Delta Lake, by which readers skip files."""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import Any

from .. import parquet


@dataclass
class Statistics:
    """Number of rows, and of nulls of each column, and bounds of these."""

    rows: int
    null_count: dict[str, Any]
    least: dict[str, Any]
    most: dict[str, Any]

    def to_json(self) -> str:
        values = {"numRecords": self.rows, "minValues": self.least, "maxValues": self.most, "nullCount": self.null_count}
        return _to_json({**values, "tightBounds": False})


# Marks a column that is null in all rows of a file, which therefore has no bounds.
_ALL_NULL = object()


def _bounds_of(bounds: Any, nulls: Any, rows: int) -> Any:
    if isinstance(bounds, dict) and isinstance(nulls, dict):
        return {name: _bounds_of(bound, nulls.get(name), rows) for name, bound in bounds.items()}
    return _ALL_NULL if bounds is None and nulls == rows else bounds


def _joined(values: list[Any], join: Callable[[list[Any]], Any]) -> Any:
    """Joins a statistic of several files: a value, or a dictionary of values by column."""
    if all(isinstance(value, dict) for value in values):
        pairs = {name: _joined([value.get(name) for value in values], join) for name in values[0]}
        return {name: value for name, value in pairs.items() if value is not None}
    values = [value for value in values if value is not _ALL_NULL]
    known = values and all(isinstance(value, int | float | str | date | Decimal) for value in values)
    return join(values) if known else None


def joined(files: Sequence[Statistics], rows: int) -> Statistics:
    """Returns the statistics of all rows of several files."""
    return Statistics(
        rows=rows,
        null_count=_joined([file.null_count for file in files], sum),
        least=_joined([_bounds_of(file.least, file.null_count, file.rows) for file in files], min),
        most=_joined([_bounds_of(file.most, file.null_count, file.rows) for file in files], max),
    )


def of_new_file(path: str, former: Statistics, rows: int, paths: Mapping[str, str]) -> Statistics:
    """Returns the statistics of a file from its footer: those that there were before rows were deleted. `paths` are those of columns
    in the file, by those in the log."""
    metadata = parquet.read_metadata(path)
    found: dict[str, list[Any]] = defaultdict(list)
    for number in range(metadata.num_row_groups):
        row_group = metadata.row_group(number)
        for at in range(row_group.num_columns):
            column = row_group.column(at)
            found[column.path_in_schema].append(column.statistics)

    def look(former: Any, take: Callable[[Any], Any], join: Callable[[list[Any]], Any], path: str = "") -> Any:
        if isinstance(former, dict):
            members = {name: look(it, take, join, f"{path}.{name}" if path else name) for name, it in former.items()}
            return {name: it for name, it in members.items() if it is not None}
        values = [None if it is None else take(it) for it in found.get(paths.get(path, path), [None])]
        values = [value for value in values if value is not _ALL_NULL]
        if not values:
            return None
        if any(value is None or type(value) is not type(former) for value in values):
            # Bounds of all rows hold for some of them.
            return None if join is sum else former
        return join(values)

    def bound(name: str) -> Callable[[Any], Any]:
        return lambda it: getattr(it, name) if it.has_min_max else _ALL_NULL if it.num_values == 0 else None

    return Statistics(
        rows=rows,
        null_count=look(former.null_count, lambda it: it.null_count, sum),
        least=look(former.least, bound("min"), min),
        most=look(former.most, bound("max"), max),
    )


def _to_json(statistics: Mapping[str, Any]) -> str:
    """Writes statistics, with all digits of decimals."""
    mark = uuid.uuid4().hex

    def text_of(value: object) -> str:
        if isinstance(value, Decimal):
            return f"{mark}{value:f}{mark}"
        if isinstance(value, date | time):
            return value.isoformat()
        raise TypeError(f"unexpected type {type(value).__name__}")

    return json.dumps(statistics, default=text_of).replace(f'"{mark}', "").replace(f'{mark}"', "")
