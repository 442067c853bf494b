from typing import Any, overload

from numpy.typing import DTypeLike, NDArray
from typing_extensions import Buffer

__all__ = ["decode", "encode"]

@overload
def encode(values: Buffer, *, width: int | None = None, out: None = None) -> bytes: ...
@overload
def encode(values: Buffer, *, width: int | None = None, out: Buffer) -> int: ...
@overload
def decode(data: Buffer, dtype: DTypeLike, *, width: None = None, out: None = None) -> NDArray[Any]: ...
@overload
def decode(data: Buffer, dtype: None = None, *, width: int, out: None = None) -> bytes: ...
@overload
def decode(data: Buffer, dtype: DTypeLike | None = None, *, width: int | None = None, out: Buffer) -> int: ...
