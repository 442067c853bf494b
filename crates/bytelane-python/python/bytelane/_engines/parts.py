"""Row groups that other processes read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from .._filters import is_expression
from .._protocols import Path
from ..parquet._read import Rows
from .arrow_dataset import Rows as ChosenRows
from .scan import Part, Reading, Scan


@dataclass(frozen=True)
class Reader:
    """Reads parts of files in any process."""

    scan: Scan
    filters: Any = None
    """Condition as in `read_table`."""

    @cached_property
    def schema(self) -> pa.Schema:
        """Columns of all files."""
        return self.scan.schema.to_pyarrow()

    def chosen(self, columns: Sequence[str] | None) -> pa.Schema:
        """Returns all columns, or these in their order."""
        names = self.schema.names if columns is None else columns
        unknown = [name for name in names if name not in self.schema.names]
        if unknown:
            raise KeyError(f"there is no column {unknown[0]!r}; the columns are {', '.join(self.schema.names)}")
        return pa.schema([self.schema.field(name) for name in names], self.schema.metadata)

    def read(self, part: Part, columns: Sequence[str] | None = None) -> pa.Table:
        """Reads all columns of a part, or these, in their order and in the types of the schema."""
        wanted = self.chosen(columns)
        # Rows have a number even where there are no columns, or all are null.
        names = wanted.names or self.schema.names[:1]
        if is_expression(self.filters):
            chosen = ChosenRows(self.scan, self.schema, names, self.filters, nan_is_largest=False)
            table = pa.Table.from_batches(chosen.batches([part]), chosen.schema)
            return table.select(wanted.names).cast(wanted)
        reading = self.scan.reading
        files = reading.files([part.path if part.pattern is None else part.pattern])
        own = files.schema().names
        rows = Rows(part.row_groups, self.filters, 1, reading.memory_limit, reading.row_limit)
        present = [name for name in names if name in own] or own[:1]
        table = files.read(present, rows)
        return pa.table(table.cast(wanted)) if wanted.names else pa.table(table).select([])

    def tables(
        self, parts: Sequence[Part], columns: Sequence[str] | None = None, limit: int | None = None
    ) -> Iterator[pa.Table]:
        """Reads parts one after the other, until there are `limit` rows."""
        wanted = self.chosen(columns)
        if limit is not None and self.filters is None:
            for batch in self.scan.batches(wanted.names or self.schema.names[:1], None, limit, parts=parts):
                yield pa.table(batch.table).select(wanted.names).cast(wanted)
            return
        for part in parts:
            table = self.read(part, columns)
            if limit is not None:
                table = table.slice(0, limit)
                limit -= table.num_rows
            yield table
            if limit == 0:
                return


def opened_parts(
    source: Path | Sequence[Path],
    filters: Any,
    options: Mapping[str, Any],
) -> tuple[Reader, list[Part]]:
    """Returns the row groups of files, and what reads them. Options are those of `Reading`, for one thread."""
    is_list = isinstance(source, Sequence) and not isinstance(source, bytes | bytearray | memoryview)
    if not (is_list or isinstance(source, str | os.PathLike)):
        raise TypeError(f"other processes read files by their paths, but this is of type {type(source).__name__}")
    scan = Scan(source, Reading(threads=1, **options))
    return Reader(scan, filters), scan.row_groups()


def bundled(parts: Sequence[Part], count: int) -> list[list[Part]]:
    """Returns up to `count` lists of neighbouring parts with about as many bytes each."""
    total = max(1, sum(part.bytes for part in parts))
    lists: list[list[Part]] = []
    bytes_before, last = 0, -1
    for part in parts:
        # By the middle of the part.
        index = (2 * bytes_before + part.bytes) * count // (2 * total)
        if index > last:
            lists.append([])
            last = index
        lists[-1].append(part)
        bytes_before += part.bytes
    return lists
