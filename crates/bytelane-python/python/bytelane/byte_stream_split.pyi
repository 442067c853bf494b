from typing import Any, overload

from numpy.typing import DTypeLike, NDArray

from ._typing import Memory

__all__ = ["decode", "encode"]

@overload
def encode(values: Memory, *, width: int | None = None, out: None = None) -> bytes: ...
@overload
def encode(values: Memory, *, width: int | None = None, out: Memory) -> int: ...
@overload
def decode(data: Memory, dtype: DTypeLike, *, width: None = None, out: None = None) -> NDArray[Any]: ...
@overload
def decode(data: Memory, dtype: None = None, *, width: int, out: None = None) -> bytes: ...
@overload
def decode(data: Memory, dtype: DTypeLike | None = None, *, width: int | None = None, out: Memory) -> int: ...
