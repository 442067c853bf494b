from typing import Any, overload

from numpy.typing import DTypeLike, NDArray

from ._typing import Memory

__all__ = ["decode", "encode"]

@overload
def encode(values: Memory, width: int, *, reference: int | None = None, dtype: DTypeLike | None = None, out: None = None) -> bytes: ...
@overload
def encode(values: Memory, width: int, *, reference: int | None = None, dtype: DTypeLike | None = None, out: Memory) -> int: ...
@overload
def decode(data: Memory, dtype: DTypeLike, count: int, width: int, *, reference: int | None = None, out: None = None) -> NDArray[Any]: ...
@overload
def decode(data: Memory, dtype: DTypeLike, count: int, width: int, *, reference: int | None = None, out: Memory) -> int: ...
