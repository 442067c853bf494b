"""Tests of base64, with the standard library as the reference."""

from __future__ import annotations

import base64 as standard
import io
from typing import Any

import numpy as np
import pytest
from bytelane import base64
from hypothesis import given
from hypothesis import strategies as st

ENCODERS = ["b64encode", "standard_b64encode", "urlsafe_b64encode", "encodebytes"]
DECODERS = ["b64decode", "standard_b64decode", "urlsafe_b64decode", "decodebytes"]


def outcome(function: Any, *arguments: Any, **named: Any) -> tuple[str, Any]:
    """Returns the result, or the exception with its text."""
    try:
        return "result", function(*arguments, **named)
    except Exception as error:
        return type(error).__name__, str(error)


def same(name: str, *arguments: Any, **named: Any) -> None:
    ours = outcome(getattr(base64, name), *arguments, **named)
    theirs = outcome(getattr(standard, name), *arguments, **named)
    assert ours == theirs, (name, arguments, named)


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("length", [*range(70), 114, 115, 1000, 70_000])
def test_encoding(backend: str, name: str, length: int) -> None:
    data = bytes(i * 37 % 256 for i in range(length))
    for memory in (data, bytearray(data), memoryview(data)):
        same(name, memory)


@pytest.mark.parametrize("name", DECODERS)
@pytest.mark.parametrize("length", [*range(70), 1000, 70_000])
def test_decoding(backend: str, name: str, length: int) -> None:
    data = bytes(i * 37 % 256 for i in range(length))
    texts = [standard.b64encode(data), standard.urlsafe_b64encode(data), standard.encodebytes(data)]
    for text in texts:
        for memory in (text, bytearray(text), memoryview(text), text.decode()):
            same(name, memory)


@given(st.binary(), st.sampled_from([None, b"+/", b"-_", "-_", b"*$", "é_", b"abc", 7]))
def test_any_bytes(data: bytes, altchars: Any) -> None:
    same("b64encode", data, altchars)
    encoded = standard.b64encode(data)
    for validate in (False, True):
        same("b64decode", data, altchars, validate)
        same("b64decode", encoded, altchars, validate=validate)


@given(st.text(st.sampled_from("AQgw+/-_= \n\té*"), max_size=40))
def test_malformed_texts(text: str) -> None:
    for name in DECODERS:
        same(name, text)
        same(name, text.encode())
    for validate in (False, True):
        for altchars in (None, b"-_"):
            same("b64decode", text, altchars, validate)
            same("b64decode", text.encode(), altchars, validate)


@pytest.mark.parametrize("validate", [0, 1, 2, -1, True, False])
def test_validate_is_any_integer(validate: int) -> None:
    for text in (b"YWI=", "YWI=", b"YW I=", b"YWI", b"Y*WI=", b"YW==YWI="):
        for altchars in (None, b"-_", b"*$"):
            same("b64decode", text, altchars, validate)
            same("b64decode", text, altchars=altchars, validate=validate)
        expected = outcome(standard.b64decode, text, None, validate)
        ours = outcome(base64.b64decode_as_bytearray, text, validate=validate)
        assert ours == expected


@pytest.mark.parametrize("validate", [None, "", "x", [], [0], 0.5, object(), 1 << 100, np.True_])
def test_the_standard_library_decides_what_validate_may_be(validate: object) -> None:
    for text in (b"YWI=", "YWI=", b"YW I="):
        same("b64decode", text, None, validate)
        same("b64decode", text, validate=validate)
        ours = outcome(base64.b64decode_as_bytearray, text, validate=validate)
        assert ours == outcome(standard.b64decode, text, validate=validate)


@pytest.mark.parametrize("altchars", ["-_", "+/", "*$", "-", b"-", bytearray(b"-_"), 5, [], "é_"])
def test_the_standard_library_decides_what_altchars_may_be(altchars: object) -> None:
    same("b64encode", b"\xfb\xff", altchars)
    same("b64decode", b"-_8=", altchars)
    same("b64decode", "-_8=", altchars=altchars)


def test_everything_in_the_standard_library_is_here() -> None:
    assert set(standard.__all__) <= set(base64.__all__)
    assert len(set(base64.__all__)) == len(base64.__all__)
    for name in set(standard.__all__) - set(ENCODERS + DECODERS):
        assert getattr(base64, name) is getattr(standard, name)
        # It is still a function of the standard library.
        assert getattr(standard, name).__module__ == "base64"
    for name in ENCODERS + DECODERS:
        assert getattr(base64, name) is not getattr(standard, name)
    names: dict[str, Any] = {}
    exec("from bytelane.base64 import *", names)
    assert names["b85decode"](names["b85encode"](b"bytes")) == b"bytes"
    assert names["b64encode"] is base64.b64encode
    source, encoded, decoded = io.BytesIO(bytes(1000)), io.BytesIO(), io.BytesIO()
    base64.encode(source, encoded)
    encoded.seek(0)
    base64.decode(encoded, decoded)
    assert decoded.getvalue() == bytes(1000)


def test_wrong_arguments() -> None:
    for name in ENCODERS + DECODERS:
        for argument in (None, 7, [1], "a", "é", object()):
            ours = outcome(getattr(base64, name), argument)[0]
            assert ours == outcome(getattr(standard, name), argument)[0], (name, argument)


def test_the_functions_of_pybase64() -> None:
    other = pytest.importorskip("pybase64")
    data = bytes(range(256)) * 3
    text = other.b64encode(data)
    assert base64.b64encode_as_string(data) == other.b64encode_as_string(data)
    assert base64.b64decode_as_bytearray(text) == other.b64decode_as_bytearray(text)
    assert base64.b64encode_as_string(data, b"-_") == other.b64encode_as_string(data, b"-_")
    assert isinstance(base64.b64decode_as_bytearray(text), bytearray)
    assert base64.b64encode(data, b"-_") == other.b64encode(data, b"-_")
    assert base64.b64encode_as_string(data, "-_") == other.b64encode_as_string(data, "-_")


def test_memory_of_the_caller() -> None:
    room = bytearray(12)
    assert base64.b64encode_into(b"bytes", room) == 8
    assert room[:8] == b"Ynl0ZXM="
    assert base64.b64decode_into("Ynl0ZXM=", room) == 5
    assert room[:5] == b"bytes"
    with pytest.raises(ValueError, match="room|needs"):
        base64.b64encode_into(b"bytes", bytearray(7))
    with pytest.raises(ValueError):
        base64.b64decode_into("Ynl0ZXM=", bytearray(4))
    with pytest.raises(ValueError):
        base64.b64decode_into("Ynl0 ZXM=", bytearray(9))
    with pytest.raises(ValueError, match="altchars"):
        base64.b64encode_into(b"bytes", room, b"*$")
