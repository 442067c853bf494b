from typing import Any, overload

from numpy.typing import DTypeLike, NDArray

from ._typing import Memory

__all__ = ["decode", "encode"]

@overload
def encode(values: Memory, *, dtype: DTypeLike | None = None, out: None = None) -> bytes: ...
@overload
def encode(values: Memory, *, dtype: DTypeLike | None = None, out: Memory) -> int: ...
@overload
def decode(data: Memory, dtype: DTypeLike, *, out: None = None) -> NDArray[Any]: ...
@overload
def decode(data: Memory, dtype: DTypeLike, *, out: Memory) -> int: ...
