from typing import Any, overload

from numpy.typing import DTypeLike, NDArray

from ._typing import Memory

__all__ = ["decode", "decode_prefix", "encode"]

@overload
def encode(values: Memory, *, block_values: int = 128, miniblocks: int = 4, dtype: DTypeLike | None = None, out: None = None) -> bytes: ...
@overload
def encode(values: Memory, *, block_values: int = 128, miniblocks: int = 4, dtype: DTypeLike | None = None, out: Memory) -> int: ...
@overload
def decode(data: Memory, dtype: DTypeLike, count: int | None = None, *, out: None = None) -> NDArray[Any]: ...
@overload
def decode(data: Memory, dtype: DTypeLike, count: int | None = None, *, out: Memory) -> int: ...
@overload
def decode_prefix(data: Memory, dtype: DTypeLike, count: int, *, out: None = None) -> tuple[NDArray[Any], int]: ...
@overload
def decode_prefix(data: Memory, dtype: DTypeLike, count: int, *, out: Memory) -> tuple[int, int]: ...
