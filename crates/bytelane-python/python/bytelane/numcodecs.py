"""Codecs for numcodecs, and so for zarr 2: filters that go before a compressor.

numcodecs finds `bytelane.byte_stream_split` and `bytelane.stream_vbyte` by their names, without an import. `Shuffle`
has the same name as numcodecs' own codec, `shuffle`, so stores can also be read where bytelane is not installed.
`numcodecs.register_codec(bytelane.Shuffle)` makes numcodecs read all such stores with bytelane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numcodecs.abc import Codec
from numcodecs.compat import ensure_contiguous_ndarray

from . import byte_stream_split, stream_vbyte

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["ByteStreamSplit", "Shuffle", "StreamVByte"]


def _return(result: Any, out: Any) -> Any:
    """Returns the result, or the caller's buffer with its bytes."""
    if out is None:
        return result
    source = ensure_contiguous_ndarray(result).view("u1")
    target = ensure_contiguous_ndarray(out).view("u1")
    if len(target) < len(source):
        raise ValueError(f"out has {len(target)} bytes, but the decoded data has {len(source)}")
    target[: len(source)] = source
    return out


def _is_plain(buf: Any) -> bool:
    """Returns whether it is a contiguous array of numbers. This check is much cheaper than the functions of
    numcodecs."""
    return isinstance(buf, np.ndarray) and buf.ndim > 0 and buf.flags.c_contiguous and buf.dtype.kind in "iuf"


class Shuffle(Codec):  # type: ignore[misc]
    """Byte 0 of every element, then byte 1 of every element, and so on: the bytes of `numcodecs.Shuffle`, several times
    as fast. Stores written with one can be read with the other.

    As in numcodecs, a partial element at the end is an error, and with an `elementsize` below 2 the bytes stay in
    order.

    >>> import numpy as np
    >>> from bytelane.numcodecs import Shuffle
    >>> Shuffle(2).encode(np.frombuffer(b"a1b2c3", "u2"))
    b'abc123'
    """

    codec_id = "shuffle"

    def __init__(self, elementsize: int = 4) -> None:
        self.elementsize = elementsize

    def encode(self, buf: Any) -> Any:
        return self._apply(byte_stream_split.encode, buf)

    def decode(self, buf: Any, out: Any = None) -> Any:
        return _return(self._apply(byte_stream_split.decode, buf), out)

    def _apply(self, function: Any, buf: Any) -> Any:
        data: NDArray[Any] = buf if _is_plain(buf) else ensure_contiguous_ndarray(buf).view("u1")
        width = max(self.elementsize, 1)
        if data.nbytes % width:
            raise ValueError(f"{data.nbytes} bytes are not a multiple of elementsize, {width} bytes")
        return function(data, width=width)


class ByteStreamSplit(Codec):  # type: ignore[misc]
    """Parquet's BYTE_STREAM_SPLIT: like `Shuffle`, but the elements are those of the array, and a partial element at
    the end is an error.

    >>> import numpy as np
    >>> from bytelane.numcodecs import ByteStreamSplit
    >>> codec = ByteStreamSplit("f4")
    >>> codec.decode(codec.encode(np.float32([1, 2]))).tolist()
    [1.0, 2.0]
    """

    codec_id = "bytelane.byte_stream_split"

    def __init__(self, dtype: str) -> None:
        self.dtype = np.dtype(dtype).str

    def encode(self, buf: Any) -> Any:
        width = np.dtype(self.dtype).itemsize
        return byte_stream_split.encode(ensure_contiguous_ndarray(buf).view("u1"), width=width)

    def decode(self, buf: Any, out: Any = None) -> Any:
        data = ensure_contiguous_ndarray(buf).view("u1")
        decoded = byte_stream_split.decode(data, width=np.dtype(self.dtype).itemsize)
        return _return(np.frombuffer(bytearray(decoded), self.dtype), out)


class StreamVByte(Codec):  # type: ignore[misc]
    """Integers of 32 or 64 bits as their significant bytes, Stream VByte, after four bytes with their number in
    little-endian order. `datetime64` and `timedelta64` are stored as 64-bit integers; the byte order of `dtype` does
    not affect the stored bytes.

    With `delta`, differences are stored; with `zigzag`, small negative ones are short.

    >>> import numpy as np
    >>> from bytelane.numcodecs import StreamVByte
    >>> codec = StreamVByte("i8", delta=True, zigzag=True)
    >>> len(codec.encode(np.arange(1000)))
    1254
    """

    codec_id = "bytelane.stream_vbyte"

    def __init__(self, dtype: str, delta: bool = False, zigzag: bool = False) -> None:
        self.dtype = np.dtype(dtype).str
        self.delta = delta
        self.zigzag = zigzag

    def _integers(self) -> np.dtype[Any]:
        """Returns the integer type of the values in memory."""
        dtype = np.dtype(self.dtype)
        return np.dtype("i8").newbyteorder(dtype.byteorder) if dtype.kind in "mM" else dtype

    def _options(self) -> Mapping[str, Any]:
        return {"delta": 0 if self.delta else None, "zigzag": self.zigzag}

    def encode(self, buf: Any) -> Any:
        integers = self._integers()
        values = ensure_contiguous_ndarray(buf).view(integers).astype(integers.newbyteorder("="), copy=False)
        if len(values) >= 1 << 32:
            raise ValueError(f"{len(values)} values in a chunk: fewer than 2^32 can be encoded")
        count = len(values).to_bytes(4, "little")
        return count + stream_vbyte.encode(values, **self._options())

    def decode(self, buf: Any, out: Any = None) -> Any:
        data = memoryview(ensure_contiguous_ndarray(buf).view("u1"))
        if len(data) < 4:
            raise ValueError(f"{len(data)} bytes lack the number of values, 4 bytes")
        count = int.from_bytes(data[:4], "little")
        integers = self._integers()
        values = stream_vbyte.decode(data[4:], integers.newbyteorder("="), count, **self._options())
        return _return(values.astype(integers, copy=False).view(self.dtype), out)
