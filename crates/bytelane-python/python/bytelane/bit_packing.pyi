from typing import Any, overload

from numpy.typing import DTypeLike, NDArray
from typing_extensions import Buffer

__all__ = ["decode", "encode"]

@overload
def encode(values: Buffer, width: int, *, reference: int | None = None, dtype: DTypeLike | None = None, out: None = None) -> bytes: ...
@overload
def encode(values: Buffer, width: int, *, reference: int | None = None, dtype: DTypeLike | None = None, out: Buffer) -> int: ...
@overload
def decode(data: Buffer, dtype: DTypeLike, count: int, width: int, *, reference: int | None = None, out: None = None) -> NDArray[Any]: ...
@overload
def decode(data: Buffer, dtype: DTypeLike, count: int, width: int, *, reference: int | None = None, out: Buffer) -> int: ...
