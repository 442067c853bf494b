"""Exceptions. They are defined here because the native half cannot add attributes to them."""

from __future__ import annotations


class Error(ValueError):
    """Input that a codec does not accept.

    `kind` is the name of the fault, `offset` its position in bytes, or None if it has none.

    >>> from bytelane import Error, varint
    >>> try:
    ...     varint.decode(b"\\x80", "uint32", 1)
    ... except Error as error:
    ...     print(error.kind, error.offset)
    Truncated 0
    """

    def __init__(self, message: str, kind: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.offset = offset

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, int | None]]:
        return type(self), (str(self), self.kind, self.offset)


Error.__module__ = "bytelane"


class ParquetError(ValueError):
    """A Parquet file that cannot be read or written, or an option that does not fit it.

    `kind` is the name of the problem: `Corrupt`, `NoSuchColumn`, `Encoding`, `Option`, `Unsupported` and so on. `path`,
    `row_group`, `column` and `page` are its place, as far as known; row groups, and the data pages of a column chunk,
    are counted from 0. Errors of the operating system, such as a missing file, are `OSError`.

    >>> import pyarrow as pa
    >>> from bytelane import parquet
    >>> parquet.write_table(pa.table({"id": range(3)}), "ids.parquet")
    >>> try:
    ...     parquet.read_table("ids.parquet", ["price"])
    ... except parquet.ParquetError as error:
    ...     print(error.kind, error.path)
    NoSuchColumn ids.parquet
    """

    def __init__(
        self,
        message: str,
        kind: str,
        path: str | None = None,
        row_group: int | None = None,
        column: str | None = None,
        page: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.path = path
        self.row_group = row_group
        self.column = column
        self.page = page

    def __reduce__(self) -> tuple[object, ...]:
        place = (self.path, self.row_group, self.column, self.page)
        return type(self), (str(self), self.kind, *place)


ParquetError.__module__ = "bytelane.parquet"


class ThriftError(ValueError):
    """A message that cannot be read or written, or an error in an IDL.

    `kind` is the name of the problem: `UnexpectedEnd`, `MissingField`, `AllocationLimit`, `Idl` and so on. `offset` is its
    position in the message in bytes, and `path` the way to the value: names of fields, and indices of lists, sets and
    maps.

    >>> from pathlib import Path
    >>> from bytelane import thrift
    >>> _ = Path("point.thrift").write_text("struct Point { 1: i32 x, 2: list<string> names }")
    >>> point = thrift.load("point.thrift")
    >>> try:
    ...     point.Point.decode(b"\\x0f\\0\\x02\\x0b\\0\\0\\0\\1\\0\\0\\0\\x09a")
    ... except thrift.ThriftError as error:
    ...     print(error.kind, error.offset, error.path)
    UnexpectedEnd 12 ('names', 0)
    """

    def __init__(
        self,
        message: str,
        kind: str,
        offset: int | None = None,
        path: tuple[str | int, ...] = (),
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.offset = offset
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.kind, self.offset, self.path)


ThriftError.__module__ = "bytelane.thrift"
