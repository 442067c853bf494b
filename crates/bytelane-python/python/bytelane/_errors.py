"""Exceptions. They are defined here because the native half cannot give them attributes."""

from __future__ import annotations


class Error(ValueError):
    """An input that a codec does not accept.

    `kind` is the name of the fault, `offset` its place in bytes, or None if no byte is at fault.

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
