"""Codecs for zarr 3, placed between the serializer and a compressor.

```python
import zarr
from bytelane.zarr import Shuffle

zarr.create_array(store, data=array, compressors=[Shuffle(), zarr.codecs.ZstdCodec(level=1)])
```

zarr finds `bytelane.byte_stream_split` and `bytelane.stream_vbyte` by their names, without an import.
`Shuffle` has the name `numcodecs.shuffle`: stores can be read where bytelane is not installed. To read
all such stores with bytelane, call `bytelane.zarr.register_shuffle()`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from numcodecs.compat import ensure_bytes
from zarr.abc.codec import BytesBytesCodec
from zarr.core.common import parse_named_configuration
from zarr.registry import register_codec

from . import numcodecs

if TYPE_CHECKING:
    import numpy as np
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer

__all__ = ["ByteStreamSplit", "Shuffle", "StreamVByte", "register_shuffle"]


def _fixed_dtype(array_spec: ArraySpec) -> np.dtype[Any] | None:
    """Returns the type of the elements, or `None` if their lengths differ: a chunk is then a sequence of bytes."""
    dtype = array_spec.dtype.to_native_dtype()
    # zarr has strings of any length in NumPy's type for them, or in arrays of objects.
    return None if dtype.kind in "TO" else dtype


@dataclass(frozen=True)
class _Filter(BytesBytesCodec):
    """Codec of numcodecs, applied to the bytes of a chunk."""

    codec_name: ClassVar[str]

    def _codec(self) -> Any:
        raise NotImplementedError

    def _configuration(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        _, configuration = parse_named_configuration(data, cls.codec_name, require_configuration=False)
        return cls(**(configuration or {}))

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.codec_name, "configuration": self._configuration()}

    async def _encode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> Buffer:
        encoded = await asyncio.to_thread(self._codec().encode, chunk_bytes.as_numpy_array())
        return chunk_spec.prototype.buffer.from_bytes(encoded)

    async def _decode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> Buffer:
        decoded = await asyncio.to_thread(self._codec().decode, chunk_bytes.as_numpy_array())
        return chunk_spec.prototype.buffer.from_bytes(ensure_bytes(decoded))


@dataclass(frozen=True)
class Shuffle(_Filter):
    """Byte 0 of every element, then byte 1 of every element, and so on, as in numcodecs.

    Without `elementsize`, the elements are those of the array; in arrays of strings of any length, they are bytes.
    """

    codec_name: ClassVar[str] = "numcodecs.shuffle"
    is_fixed_size = True

    elementsize: int | None = None

    def evolve_from_array_spec(self, array_spec: ArraySpec) -> Self:
        if self.elementsize is not None:
            return self
        dtype = _fixed_dtype(array_spec)
        return replace(self, elementsize=1 if dtype is None else dtype.itemsize)

    def _codec(self) -> numcodecs.Shuffle:
        return numcodecs.Shuffle(self.elementsize or 1)

    def _configuration(self) -> dict[str, Any]:
        return {} if self.elementsize is None else {"elementsize": self.elementsize}

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        return input_byte_length


@dataclass(frozen=True)
class _Numbers(_Filter):
    """Codec that knows the type of the numbers: without `dtype`, that of the array."""

    dtype: str | None = None

    def evolve_from_array_spec(self, array_spec: ArraySpec) -> Self:
        if self.dtype is not None:
            return self
        dtype = _fixed_dtype(array_spec)
        self._check(dtype)
        return replace(self, dtype="|u1" if dtype is None else dtype.newbyteorder("<").str)

    def _check(self, dtype: np.dtype[Any] | None) -> None:
        """Raises TypeError if the codec does not take the elements of the array."""

    def _configuration(self) -> dict[str, Any]:
        return {} if self.dtype is None else {"dtype": self.dtype}


@dataclass(frozen=True)
class ByteStreamSplit(_Numbers):
    """Parquet's BYTE_STREAM_SPLIT: like `Shuffle`, but a partial element at the end is an error."""

    codec_name: ClassVar[str] = "bytelane.byte_stream_split"
    is_fixed_size = True

    def _codec(self) -> numcodecs.ByteStreamSplit:
        return numcodecs.ByteStreamSplit(self.dtype or "u1")

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        return input_byte_length


@dataclass(frozen=True)
class StreamVByte(_Numbers):
    """Integers of 32 or 64 bits, `datetime64` or `timedelta64` as their significant bytes, after four bytes with
    their number.

    With `delta`, differences are stored; with `zigzag`, small negative ones are short.
    """

    codec_name: ClassVar[str] = "bytelane.stream_vbyte"
    is_fixed_size = False

    delta: bool = False
    zigzag: bool = False

    def _codec(self) -> numcodecs.StreamVByte:
        return numcodecs.StreamVByte(self.dtype or "u4", self.delta, self.zigzag)

    def _check(self, dtype: np.dtype[Any] | None) -> None:
        if dtype is None or dtype.kind not in "iumM" or dtype.itemsize not in (4, 8):
            elements = "strings or objects of any length" if dtype is None else dtype
            raise TypeError(
                "StreamVByte() takes integers of 32 or 64 bits, datetime64 and timedelta64, but the array has "
                f"{elements}"
            )

    def _configuration(self) -> dict[str, Any]:
        return {**super()._configuration(), "delta": self.delta, "zigzag": self.zigzag}

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        raise NotImplementedError("the length depends on the values")


def register_shuffle() -> None:
    """Makes zarr read and write `numcodecs.shuffle` with bytelane in this process.

    >>> import bytelane.zarr
    >>> bytelane.zarr.register_shuffle()
    """
    import zarr

    register_codec(Shuffle.codec_name, Shuffle)
    codecs = {**zarr.config.get("codecs"), Shuffle.codec_name: f"{__name__}.{Shuffle.__qualname__}"}
    zarr.config.set({"codecs": codecs})
