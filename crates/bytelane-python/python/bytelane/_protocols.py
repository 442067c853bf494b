"""Objects that functions accept from other libraries, and values that they return."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, Protocol, TypeAlias, TypeVar, Union
from uuid import UUID

T = TypeVar("T")
Path: TypeAlias = str | os.PathLike[str]
# Value of a column. Those in maps are pairs, and intervals are months, days and nanoseconds.
Value: TypeAlias = Union[
    bool, int, float, str, bytes, Decimal, date, time, timedelta, UUID,
    "list[Value]", "tuple[Value, ...]", "dict[str, Value]", None,
]  # fmt: skip


class ArrowStream(Protocol):
    """Table of any library."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns a capsule with an Arrow stream."""


class ArrowSchema(Protocol):
    """Schema of any library with Arrow's C interface: pyarrow, Polars, nanoarrow."""

    def __arrow_c_schema__(self) -> object:
        """Returns a capsule with the schema."""


class BinaryFile(Protocol):
    """File that is open for reading, or a similar object."""

    def read(self, size: int, /) -> bytes:
        """Returns up to `size` bytes from the current position."""

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Moves the position: relative to the start, or for 2 to the end."""

    def tell(self) -> int:
        """Returns the position."""


class BinarySink(Protocol):
    """Binary file that is open for writing, or a similar object."""

    def write(self, data: bytes, /) -> object:
        """Writes bytes. Returns their number, or `None` if all were written."""


class Executor(Protocol):
    """Runs functions in other processes: a `concurrent.futures.Executor`, or a similar object."""

    def map(self, fn: Callable[..., T], /, *iterables: Iterable[Any]) -> Iterator[T]:
        """Calls a function that can be pickled with the items of each iterable, and returns the results in their order."""
