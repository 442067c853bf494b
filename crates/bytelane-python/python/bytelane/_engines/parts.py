"""Row groups that other processes read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from .._filters import Filters
from .._parquet import Schema, Table
from .._protocols import Path
from ..parquet._read import Rows
from .scan import Part, Reading, Scan


@dataclass(frozen=True)
class Reader:
    """Reads parts of files in any process."""

    reading: Reading
    schema: pa.Schema
    """Columns of all files."""
    filters: Filters | None = None

    def read(self, part: Part, columns: Sequence[str] | None = None) -> pa.Table:
        """Reads all columns of a part, or these, in their order and in the types of the schema."""
        names = self.schema.names if columns is None else list(columns)
        wanted = pa.schema([self.schema.field(name) for name in names], self.schema.metadata)
        files = self.reading.files([part.path if part.pattern is None else part.pattern])
        own = files.schema().names
        rows = Rows(part.row_groups, self.filters, 1, self.reading.memory_limit, self.reading.row_limit)
        # Rows have a number even where all columns are null.
        present = [name for name in names if name in own] or own[: len(names)][:1]
        return pa.table(files.read(present, rows).cast(wanted))


def opened_parts(
    source: Path | Sequence[Path],
    filters: Filters | None,
    options: Mapping[str, Any],
) -> tuple[Reader, list[Part]]:
    """Returns the row groups of files, and what reads them. Options are those of `Reading`, for one thread."""
    is_list = isinstance(source, Sequence) and not isinstance(source, bytes | bytearray | memoryview)
    if not (is_list or isinstance(source, str | os.PathLike)):
        raise TypeError(f"other processes read files by their paths, but this is of type {type(source).__name__}")
    scan = Scan(source, Reading(**options))
    return Reader(scan.reading, scan.schema.to_pyarrow(), filters), scan.row_groups()
