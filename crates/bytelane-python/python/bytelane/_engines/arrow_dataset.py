"""Data sets in the interface of `pyarrow.dataset`, which DuckDB and DataFusion push columns and conditions to.

Both hand over expressions of pyarrow and rely on rows for which they are true. Those that have the same meaning here prune, and pyarrow
evaluates the others on the rows that remain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from .. import _parquet
from .scan import BATCH_ROWS, Part, Pushed, Scan


class Rows:
    """Columns and condition of a scan."""

    def __init__(self, scan: Scan, schema: pa.Schema, columns: Sequence[str] | None, condition: Any, nan_is_largest: bool) -> None:
        self._scan = scan
        self._condition = condition
        self._pushed: Pushed | None = None
        self._is_exact = condition is None
        self._floats: list[str] = []
        names = schema.names if columns is None else list(columns)
        unknown = [name for name in names if name not in schema.names]
        if unknown:
            raise KeyError(f"there is no column {unknown[0]!r}; the columns are {', '.join(schema.names)}")
        self.schema = pa.schema([schema.field(name) for name in names])
        self._read = names
        if condition is not None:
            needed = self._push(schema, nan_is_largest)
            if not self._is_exact:
                self._read = [*dict.fromkeys([*names, *needed])]

    def _push(self, schema: pa.Schema, nan_is_largest: bool) -> list[str]:
        """Converts the condition, and returns its columns."""
        converted = _converted(self._condition, self._scan)
        if converted is None or converted.columns is None:
            return list(schema.names)
        needed = list(converted.columns)
        condition = self._condition
        if nan_is_largest:
            self._floats = [name for name in needed if pa.types.is_floating(schema.field(name).type)]
            for name in self._floats:
                # Keep rows with NaN, which is neither larger nor smaller in pyarrow.
                field = pc.field(name)
                condition = condition | ~((field <= 0.0) | (field > 0.0))
            if self._floats:
                _refuse_extremes(self._condition, schema.names)
                converted = _converted(condition, self._scan)
        if converted is not None:
            self._pushed = Pushed(converted, frozenset(needed))
            self._is_exact = converted.is_exact and not self._floats
        return needed

    def batches(self, parts: Sequence[Part] | None = None, batch_rows: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        """Reads the rows for which the condition is true."""
        for batch in self._scan.batches(self._read, self._pushed, None, batch_rows, parts):
            table = pa.table(batch.table)
            if self._condition is not None and not (self._is_exact and batch.is_filtered):
                table = table.filter(self._mask(table) if self._floats else self._condition)
            if table.column_names != self.schema.names:
                table = table.select(self.schema.names)
            yield from table.to_batches()

    def _mask(self, table: pa.Table) -> pa.ChunkedArray:
        """Evaluates the condition as if NaN were larger than all other numbers: as infinity."""
        for name in self._floats:
            column = table.column(name)
            largest = pa.scalar(float("inf"), column.type)
            column = pc.if_else(pc.is_nan(column), largest, column)
            table = table.set_column(table.schema.get_field_index(name), name, column)
        marked = ds.dataset(table).to_table(columns={"": self._condition})
        return marked.column(0)


def _refuse_extremes(condition: Any, names: Sequence[str]) -> None:
    """Refuses values that no float is larger than: what is above them cannot be told from them."""
    without_texts = re.sub(r'"(?:[^"\\]|\\.)*"', "", str(condition))
    found = {it for it in re.findall(r"\b(?:inf|nan)\b", without_texts) if it not in names}
    if found:
        raise NotImplementedError(
            f"the condition {condition} compares a column of floats with {found.pop()}, which the engine orders differently than "
            "pyarrow, in whose form it hands conditions over; compare with a finite number, or use isnan"
        )


def _converted(condition: Any, scan: Scan) -> _parquet.Condition | None:
    try:
        _, (stored,) = condition.__reduce__()
    except NotImplementedError:
        # Columns by their numbers.
        return None
    return _parquet.Condition(stored.to_pybytes(), scan.schema, False)


class ArrowDataset(ds.Dataset):  # type: ignore[misc, unused-ignore]
    """Files as a data set of pyarrow."""

    def __init__(self, scan: Scan, nan_is_largest: bool = False) -> None:
        self._scan = scan
        self._nan_is_largest = nan_is_largest
        self._schema = scan.schema.to_pyarrow()

    @property
    def schema(self) -> pa.Schema:
        """Columns and their types."""
        return self._schema

    def scanner(self, columns: Any = None, filter: Any = None, batch_size: int = BATCH_ROWS, **_: object) -> Any:
        """Returns the rows for which the condition is true."""
        return _scanner(self._rows(columns, filter), None, batch_size)

    def get_fragments(self, filter: Any = None) -> Iterator[Fragment]:
        """Returns the row groups."""
        return iter([Fragment(self, part) for part in self._scan.row_groups()])

    def _rows(self, columns: Any, condition: Any) -> Rows:
        if columns is not None and not isinstance(columns, list | tuple):
            raise NotImplementedError("columns is a list of names; compute expressions on the result")
        return Rows(self._scan, self._schema, columns, condition, self._nan_is_largest)


class Fragment:
    """Row group of a data set, which is read by one thread: others read those beside it."""

    def __init__(self, dataset: ArrowDataset, part: Part) -> None:
        self._dataset = dataset
        self._part = part
        self.physical_schema = dataset.schema

    def scanner(
        self, schema: Any = None, columns: Any = None, filter: Any = None, batch_size: int = BATCH_ROWS, **_: object
    ) -> Any:
        """Returns the rows for which the condition is true."""
        return _scanner(self._dataset._rows(columns, filter), [self._part], max(batch_size, 1 << 16))


def _scanner(rows: Rows, parts: list[Part] | None, batch_rows: int) -> Any:
    reader = pa.RecordBatchReader.from_batches(rows.schema, rows.batches(parts, batch_rows))
    return ds.Scanner.from_batches(reader)
