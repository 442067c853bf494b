"""Tests of every codec with every kind of buffer that Python has, as input and as the place for a result."""

from __future__ import annotations

import ctypes
import mmap
from array import array
from multiprocessing.sharedctypes import RawArray
from typing import Any

import numpy as np
import pytest
from bytelane import (
    alp,
    base64,
    big_endian,
    bit_packing,
    byte_stream_split,
    delta,
    json_string,
    rle_hybrid,
    stream_vbyte,
    utf8,
    validity,
    varint,
)

COUNT = 96
CTYPES: dict[str, Any] = {
    "uint8": ctypes.c_uint8,
    "uint16": ctypes.c_uint16,
    "int32": ctypes.c_int32,
    "uint32": ctypes.c_uint32,
    "int64": ctypes.c_int64,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}

# Functions that encode numbers and decode them, and the type of the numbers.
CODECS: dict[str, tuple[Any, Any, str]] = {
    "alp": (alp.encode, alp.decode, "float64"),
    "big_endian": (big_endian.encode, big_endian.decode, "uint32"),
    "bit_packing": (
        lambda values, **more: bit_packing.encode(values, 7, **more),
        lambda data, dtype, **more: bit_packing.decode(data, dtype, COUNT, 7, **more),
        "uint32",
    ),
    "byte_stream_split": (
        lambda values, dtype=None, **more: byte_stream_split.encode(values, width=4 if dtype else None, **more),
        byte_stream_split.decode,
        "float32",
    ),
    "delta": (delta.encode, delta.decode, "int64"),
    "rle_hybrid": (
        lambda values, **more: rle_hybrid.encode(values, 7, **more),
        lambda data, dtype, **more: rle_hybrid.decode(data, dtype, COUNT, 7, **more),
        "uint32",
    ),
    "stream_vbyte": (
        stream_vbyte.encode,
        lambda data, dtype, **more: stream_vbyte.decode(data, dtype, COUNT, **more),
        "uint32",
    ),
    "validity": (
        lambda values, **more: validity.encode(values, 1, **more),
        lambda data, dtype, **more: validity.decode(data, dtype, COUNT, 1, **more),
        "uint16",
    ),
    "varint": (varint.encode, varint.decode, "int32"),
}


def some(dtype: str) -> np.ndarray[Any, Any]:
    return (np.arange(COUNT) * 5 % 100 if dtype != "uint16" else np.arange(COUNT) % 3 % 2).astype(dtype)


def of_bytes(data: bytes) -> dict[str, Any]:
    """Returns writable memory of each kind with these bytes."""
    kinds: dict[str, Any] = {
        "bytearray": bytearray(data),
        "memoryview": memoryview(bytearray(data)),
        "memoryview of c": memoryview(bytearray(data)).cast("c"),
        "memoryview of b": memoryview(bytearray(data)).cast("b"),
        "array of B": array("B", data),
        "array of b": array("b", data),
        "mmap": mmap.mmap(-1, len(data)),
        "uint8": np.frombuffer(bytearray(data), "u1"),
        "int8": np.frombuffer(bytearray(data), "i1"),
        "S1": np.frombuffer(bytearray(data), "S1"),
        "c_char": (ctypes.c_char * len(data)).from_buffer_copy(data),
        "c_byte": (ctypes.c_byte * len(data)).from_buffer_copy(data),
        "c_ubyte": (ctypes.c_ubyte * len(data))(*data),
        "RawArray of B": RawArray("B", data),
        "RawArray of c_char": RawArray(ctypes.c_char, data),
        "string buffer": ctypes.create_string_buffer(data, len(data)),
        "view of ctypes": memoryview((ctypes.c_ubyte * len(data))(*data)),
    }
    kinds["mmap"][:] = data
    del kinds["S1"]  # NumPy's strings have no type of numbers.
    if len(data) % 2 == 0:
        kinds["array of arrays"] = ((ctypes.c_ubyte * 2) * (len(data) // 2)).from_buffer_copy(data)
        kinds["two dimensions"] = np.frombuffer(bytearray(data), "u1").reshape(2, -1)
    return kinds


def of_numbers(values: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Returns writable memory of each kind with these numbers."""
    kind = CTYPES[values.dtype.name]
    data, code = values.tobytes(), values.dtype.char
    return {
        "array": array(code, data),
        "memoryview": memoryview(bytearray(data)).cast(code),
        "NumPy": values.copy(),
        "ctypes": (kind * len(values))(*values.tolist()),
        "RawArray": RawArray(kind, values.tolist()),
        "RawArray of a code": RawArray(code, values.tolist()),
        "view of ctypes": memoryview((kind * len(values))(*values.tolist())),
        "array of arrays": ((kind * 2) * (len(values) // 2)).from_buffer_copy(data),
        "two dimensions": values.reshape(2, -1).copy(),
    }


def content(memory: Any) -> bytes:
    return memoryview(memory).tobytes()


@pytest.mark.parametrize("name", CODECS)
def test_every_buffer_is_an_input(name: str) -> None:
    encode, decode, dtype = CODECS[name]
    values = some(dtype)
    encoded = encode(values)
    for kind, memory in of_numbers(values).items():
        assert encode(memory) == encoded, kind
    for kind, memory in {"bytes": values.tobytes(), **of_bytes(values.tobytes())}.items():
        assert encode(memory, dtype=dtype) == encoded, kind
    for kind, memory in {"bytes": encoded, **of_bytes(encoded)}.items():
        assert np.array_equal(decode(memory, dtype), values), kind


@pytest.mark.parametrize("name", CODECS)
def test_every_buffer_is_a_place_for_a_result(name: str) -> None:
    encode, decode, dtype = CODECS[name]
    values = some(dtype)
    encoded = encode(values)
    for kind, room in of_bytes(bytes(len(encoded))).items():
        assert encode(values, out=room) == len(encoded), kind
        assert content(room) == encoded, kind
    for kind, room in of_numbers(np.zeros_like(values)).items():
        assert decode(encoded, dtype, out=room) == COUNT, kind
        assert content(room) == values.tobytes(), kind
    for kind, room in of_bytes(bytes(values.nbytes)).items():
        if content(room) and np.frombuffer(room, "u1").ctypes.data % values.itemsize == 0:
            assert decode(encoded, dtype, out=room) == COUNT, kind
            assert content(room) == values.tobytes(), kind


def test_every_buffer_holds_text() -> None:
    text = 'a "quoted" text'.encode()
    escaped = json_string.escape(text)
    for kind, memory in of_bytes(text).items():
        utf8.validate(memory)
        assert utf8.valid_up_to(memory) == utf8.count_chars(memory) == len(text), kind
        assert utf8.is_ascii(memory), kind
        assert json_string.escape(memory) == escaped, kind
        assert base64.b64encode(memory) == base64.b64encode(text), kind
    for kind, memory in of_bytes(escaped).items():
        assert json_string.unescape(memory) == text.decode(), kind
    for kind, room in of_bytes(bytes(len(escaped))).items():
        assert json_string.escape(text, out=room) == len(escaped), kind
        assert content(room) == escaped, kind
    encoded = base64.b64encode(text)
    for kind, memory in of_bytes(encoded).items():
        assert base64.b64decode(memory) == text, kind
    for kind, room in of_bytes(bytes(len(encoded))).items():
        assert base64.b64encode_into(text, room) == len(encoded), kind
        assert content(room) == encoded, kind
    for kind, room in of_bytes(bytes(len(text))).items():
        assert base64.b64decode_into(encoded, room) == len(text), kind
        assert content(room) == text, kind


def test_numbers_and_bits_of_other_arguments() -> None:
    bits = np.packbits(np.arange(COUNT) % 3 == 0, bitorder="little").tobytes()
    values = np.arange(COUNT, dtype="u4")
    compact = validity.compact(values, bits)
    dense = rle_hybrid.encode(values % 4, 2)
    looked_up = rle_hybrid.look_up(dense, values[:4], COUNT, 2)
    for kind, memory in of_bytes(bits).items():
        assert validity.count_valid(memory, COUNT) == 32, kind
        assert np.array_equal(validity.compact(values, memory), compact), kind
        assert np.array_equal(validity.spread(compact, memory, COUNT), validity.spread(compact, bits, COUNT)), kind
        assert rle_hybrid.encode_bits(memory, COUNT) == rle_hybrid.encode_bits(bits, COUNT), kind
    for kind, memory in of_numbers(values[:4]).items():
        assert np.array_equal(rle_hybrid.look_up(dense, memory, COUNT, 2), looked_up), kind


def test_buffers_without_dimensions_are_one_value() -> None:
    expected = stream_vbyte.encode(np.array([300], "u4"))
    memories: list[Any] = [ctypes.c_uint32(300), np.array(300, "u4"), np.uint32(300)]
    for memory in memories:
        assert stream_vbyte.encode(memory) == expected
    room = ctypes.c_uint32(0)
    assert stream_vbyte.decode(expected, "uint32", 1, out=room) == 1
    assert room.value == 300


def test_empty_buffers() -> None:
    for memory in ((ctypes.c_uint32 * 0)(), array("I"), np.empty(0, "u4"), RawArray("I", 0)):
        assert stream_vbyte.encode(memory) == b""
        assert stream_vbyte.decode(b"", "uint32", 0, out=memory) == 0


def test_buffers_that_are_not_numbers() -> None:
    class Pair(ctypes.Structure):
        _fields_ = (("a", ctypes.c_uint32), ("b", ctypes.c_uint32))

    for memory in ((Pair * 3)(), (ctypes.c_void_p * 3)(), (ctypes.c_wchar * 3)(), (ctypes.c_uint32.__ctype_be__ * 3)()):
        with pytest.raises(TypeError, match="are not numbers in this machine's byte order"):
            stream_vbyte.encode(memory)
        with pytest.raises(TypeError, match="out has no numbers"):
            stream_vbyte.decode(b"\0\1", "uint32", 1, out=memory)
    with pytest.raises(ValueError, match="not contiguous"):
        stream_vbyte.encode(memoryview((ctypes.c_uint32 * 4)())[::2])
