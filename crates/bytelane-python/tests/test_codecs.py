"""Tests of every codec: round trips, wrong arguments, and all kinds of memory."""

from __future__ import annotations

import mmap
import pickle
import tempfile
import threading
from array import array
from pathlib import Path
from typing import Any

import bytelane
import numpy as np
import pytest
from bytelane import (
    alp,
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
from hypothesis import given
from hypothesis import strategies as st

INTEGERS = ["uint32", "int32", "uint64", "int64"]
NUMBERS = ["int8", "uint16", "int32", "uint64", "float32", "float64"]


def some(dtype: str, count: int) -> np.ndarray[Any, Any]:
    """Returns numbers of all sizes, the same on every run."""
    generator = np.random.default_rng(count)
    values = generator.integers(0, 256, count * np.dtype(dtype).itemsize, "u1").view(dtype)
    if np.dtype(dtype).kind in "iu":
        values >>= generator.integers(0, 8 * values.itemsize, count).astype(dtype)
    return values


def test_every_codec_of_the_catalog_has_a_module() -> None:
    root = Path(__file__).parents[3]
    catalog = (root / "crates/bytelane-catalog/src/codec/mod.rs").read_text()
    table = catalog.split("pub static CODECS")[1].split("];")[0]
    names = [line.strip().removesuffix("::ENTRY,") for line in table.splitlines() if "::ENTRY" in line]
    assert len(names) >= 9
    for name in names:
        module = getattr(bytelane, name)
        assert module.__name__ == f"bytelane.{name}"
        assert name in bytelane.__all__
        assert any(callable(member) for member in vars(module).values())


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("count", [0, 1, 7, 300, 40_000])
def test_integers_come_back(backend: str, dtype: str, count: int) -> None:
    values = some(dtype, count)
    assert np.array_equal(varint.decode(varint.encode(values), dtype), values)
    assert np.array_equal(varint.decode(varint.encode(values), dtype, count), values)
    for options in ({}, {"delta": 5}, {"zigzag": True}, {"delta": 0, "zigzag": True}):
        encoded = stream_vbyte.encode(values, **options)
        decoded = stream_vbyte.decode(encoded, dtype, count, **options)
        assert np.array_equal(decoded, values)
        assert decoded.dtype == dtype
    if dtype.startswith("int"):
        assert np.array_equal(delta.decode(delta.encode(values), dtype), values)
        encoded = delta.encode(values, block_values=1024, miniblocks=8)
        assert np.array_equal(delta.decode(encoded, dtype, count), values)
    low = values & 0x1FF
    packed = bit_packing.encode(low, 9)
    assert len(packed) == (9 * count + 7) // 8
    assert np.array_equal(bit_packing.decode(packed, dtype, count, 9), low)
    packed = bit_packing.encode(low + 1000, 9, reference=1000)
    assert np.array_equal(bit_packing.decode(packed, dtype, count, 9, reference=1000), low + 1000)


RANGES = [(0, 0), (0, 5), (3, 1000), (999, 1000), (128, 257), (1000, 1000)]


@pytest.mark.parametrize(("start", "stop"), RANGES)
def test_ranges(backend: str, start: int, stop: int) -> None:
    values = some("int64", 1000)
    stream = delta.encode(values)
    assert np.array_equal(delta.decode_range(stream, "int64", start, stop), values[start:stop])
    assert np.array_equal(delta.decode_range(bytearray(stream), "int64", start, stop), values[start:stop])
    low = values & 0x7FFFF
    packed = bit_packing.encode(low, 19)
    assert np.array_equal(bit_packing.decode_range(packed, "int64", start, stop, 19), low[start:stop])
    out = np.zeros(1000, "i8")
    assert bit_packing.decode_range(packed, "int64", start, stop, 19, out=out) == stop - start
    assert delta.decode_range(stream, "int64", start, stop, out=out) == stop - start
    assert np.array_equal(out[: stop - start], values[start:stop])


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32"])
@pytest.mark.parametrize("count", [0, 1, 7, 300, 40_000])
def test_runs(backend: str, dtype: str, count: int) -> None:
    values = np.repeat(some(dtype, count) & 0x7F, np.arange(count) % 20)[:count].copy()
    encoded = rle_hybrid.encode(values, 7)
    assert np.array_equal(rle_hybrid.decode(encoded, dtype, len(values), 7), values)
    assert rle_hybrid.validate(encoded + b"more", len(values), 7) == len(encoded)
    found, read = rle_hybrid.decode_prefix(encoded + b"more", dtype, len(values), 7)
    assert np.array_equal(found, values)
    assert read == len(encoded)
    start = len(values) // 3
    part = rle_hybrid.decode_range(encoded, dtype, start, len(values), 7)
    assert np.array_equal(part, values[start:])
    for kind in ("float32", "float64", "int32", "uint64"):
        dictionary = (np.arange(128) * 3).astype(kind)
        found = rle_hybrid.look_up(encoded, dictionary, len(values), 7)
        assert np.array_equal(found, dictionary[values])
        assert found.dtype == kind


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 80)), max_size=30))
def test_runs_of_bits(runs: list[tuple[bool, int]]) -> None:
    flags = np.repeat(np.array([bit for bit, _ in runs], bool), [count for _, count in runs])
    bitmap = np.packbits(flags, bitorder="little").tobytes()
    encoded = rle_hybrid.encode_bits(bitmap, len(flags))
    assert encoded == rle_hybrid.encode(flags.astype("u1"), 1)
    assert rle_hybrid.decode_bits(encoded, len(flags)) == bitmap


def test_runs_that_are_wrong() -> None:
    with pytest.raises(bytelane.Error, match="offset 3: ") as caught:
        rle_hybrid.encode(np.array([1, 2, 3, 8], "u1"), 3)
    assert caught.value.kind == "Value"
    with pytest.raises(bytelane.Error) as caught:
        rle_hybrid.look_up(b"\x06\x02", np.array([0.5, 1.5]), 3, 2)
    assert (caught.value.kind, caught.value.offset) == ("Index", 1)
    # Counts larger than the input has, and larger than memory.
    for count in [1 << 40, 1 << 60]:
        with pytest.raises(bytelane.Error):
            rle_hybrid.decode(b"\x06\x02", "uint32", count, 2)
        with pytest.raises(bytelane.Error):
            rle_hybrid.decode_range(b"\x06\x02", "uint32", 0, count, 2)
        with pytest.raises(bytelane.Error):
            rle_hybrid.look_up(b"\x06\x00", np.array([0.5]), count, 2)
        with pytest.raises(bytelane.Error):
            rle_hybrid.decode_bits(b"\x06\x01", count)
    with pytest.raises(bytelane.Error) as caught:
        rle_hybrid.decode(b"\x06\x02", "uint8", 4, 2)
    assert (caught.value.kind, caught.value.offset) == ("Truncated", 2)
    with pytest.raises(ValueError, match="1 bytes follow the last value, at offset 2"):
        rle_hybrid.decode(b"\x06\x02\x00", "uint8", 3, 2)
    with pytest.raises(ValueError, match="the bitmap has 8 bits, not 9"):
        rle_hybrid.encode_bits(b"\x00", 9)
    with pytest.raises(ValueError, match="9 bits"):
        rle_hybrid.encode(b"\x00", 9)
    with pytest.raises(TypeError, match="uint32"):
        rle_hybrid.encode(np.arange(3, dtype="i8"), 2)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
@pytest.mark.parametrize("count", [0, 1, 7, 300, 40_000])
def test_nulls(backend: str, dtype: str, count: int) -> None:
    levels = (some("uint16", count) % 3).astype("uint16")
    bitmap = validity.encode(levels, 2)
    assert bitmap == np.packbits(levels == 2, bitorder="little").tobytes()
    assert validity.count_valid(bitmap, count) == np.count_nonzero(levels == 2)
    again = validity.decode(bitmap, "uint8", count, 2)
    assert np.array_equal(again, np.where(levels == 2, 2, 1))
    column = np.where(levels == 2, some(dtype, count), 0).astype(dtype)
    dense = validity.compact(column, bitmap)
    # Compare bytes, because some of the numbers are NaN.
    assert dense.tobytes() == column[levels == 2].tobytes()
    assert validity.spread(dense, bitmap, count).tobytes() == column.tobytes()


def test_nulls_that_are_wrong() -> None:
    with pytest.raises(bytelane.Error, match="offset 4: ") as caught:
        validity.encode(np.array([1, 0, 2], "u2"), 1)
    assert caught.value.kind == "Level"
    with pytest.raises(bytelane.Error) as caught:
        validity.spread(np.array([1.5, 2.5]), b"\x07", 3)
    assert caught.value.kind == "Values"
    with pytest.raises(ValueError, match="the bitmap needs 2 bytes, but it has 1"):
        validity.compact(np.zeros(9), b"\x07")
    with pytest.raises(ValueError, match="maximum of 0"):
        validity.encode(b"", 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [0, 1, 9, 1025, 40_000])
def test_decimals(backend: str, dtype: str, count: int) -> None:
    generator = np.random.default_rng(count)
    decimals = (generator.integers(0, 10_000, count) / 10).astype(dtype)
    decimals[::50] = np.nan
    for values in (decimals, some(dtype, count)):
        raw = values.tobytes()
        page = alp.encode(values)
        assert alp.stored(page) == count
        assert alp.validate(page + b"more", dtype) == (count, len(page))
        assert alp.decode(page, dtype).tobytes() == raw
        assert alp.decode(bytearray(page), dtype, count).tobytes() == raw
        found, read = alp.decode_prefix(page + b"more", dtype, count)
        assert (found.tobytes(), read) == (raw, len(page))
        start, stop = count // 3, count - count // 5
        assert alp.decode_range(page, dtype, start, stop).tobytes() == values[start:stop].tobytes()
        small = alp.encode(raw, vector_size=64, dtype=dtype)
        out = np.zeros(count, dtype)
        assert alp.decode(small, dtype, out=out) == count
        assert out.tobytes() == raw
    page = alp.encode(decimals)
    assert abs(alp.estimated_len(decimals) - len(page)) <= len(page) / 50
    assert count < 1000 or len(page) < decimals.nbytes / 1.5


def test_decimals_that_are_wrong() -> None:
    page = alp.encode(np.array([0.5, 2.25]))
    with pytest.raises(bytelane.Error, match="offset 2: ") as caught:
        alp.decode(page[:2] + b"\xff" + page[3:], "float64")
    assert caught.value.kind == "VectorSize"
    for start, stop in [(0, 3), (3, 3), (2, 1), (0, 1 << 62)]:
        with pytest.raises(bytelane.Error):
            alp.decode_range(page, "float64", start, stop)
    with pytest.raises(bytelane.Error, match="the page has only 2 values"):
        alp.decode(page, "float64", 3)
    with pytest.raises(ValueError, match="1 bytes follow the last value"):
        alp.decode(page + b"x", "float64")
    with pytest.raises(ValueError, match="vectors of 1000 values"):
        alp.encode(np.zeros(3), vector_size=1000)
    with pytest.raises(TypeError, match="float32 and float64"):
        alp.encode(np.arange(3))


def test_ranges_that_are_not_there() -> None:
    stream, packed = delta.encode(np.arange(10)), bit_packing.encode(np.arange(10), 4)
    for start, stop in [(0, 11), (11, 11), (5, 1 << 62), (3, 2)]:
        with pytest.raises((bytelane.Error, MemoryError)):
            delta.decode_range(stream, "int64", start, stop)
        with pytest.raises((bytelane.Error, MemoryError)):
            bit_packing.decode_range(packed, "int64", start, stop, 4)
    with pytest.raises(bytelane.Error) as caught:
        bit_packing.decode_range(packed, "int64", 3, 2, 4)
    assert caught.value.kind == "Range"


@given(st.sampled_from(["int32", "int64"]), st.data())
def test_zigzag_needs_few_bits(dtype: str, data: st.DataObject) -> None:
    width = data.draw(st.integers(0, 8 * np.dtype(dtype).itemsize))
    half = 1 << width >> 1
    numbers = st.integers(-half, half - 1) if width else st.just(0)
    values = np.array(data.draw(st.lists(numbers)), dtype)
    packed = bit_packing.encode(values, width, zigzag=True)
    assert len(packed) == bit_packing.encoded_len(len(values), width)
    unsigned = ((values << 1) ^ (values >> (8 * values.itemsize - 1))).view(f"u{values.itemsize}")
    assert packed == bit_packing.encode(unsigned, width)
    assert bit_packing.narrowest(unsigned) <= width
    found, read = bit_packing.decode_prefix(packed + b"more", dtype, len(values), width, zigzag=True)
    assert np.array_equal(found, values)
    assert read == len(packed)


@given(st.sampled_from(["u1", "u2", "u4", "u8", "i4", "i8"]), st.data())
def test_a_reference_makes_numbers_small(dtype: str, data: st.DataObject) -> None:
    limits = np.iinfo(dtype)
    reference = data.draw(st.integers(limits.min, limits.max))
    width = data.draw(st.integers(0, limits.bits))
    largest = min(reference + (1 << width) - 1, limits.max)
    values = np.array(data.draw(st.lists(st.integers(reference, largest))), dtype)
    packed = bit_packing.encode(values, width, reference=reference)
    found = bit_packing.decode(packed, dtype, len(values), width, reference=reference)
    assert np.array_equal(found, values)
    start = data.draw(st.integers(0, len(values)))
    part = bit_packing.decode_range(packed, dtype, start, len(values), width, reference=reference)
    assert np.array_equal(part, values[start:])


@given(st.sampled_from(["int32", "int64"]), st.data())
def test_streams_of_differences(dtype: str, data: st.DataObject) -> None:
    limits = np.iinfo(dtype)
    values = np.array(data.draw(st.lists(st.integers(int(limits.min), int(limits.max)), max_size=400)), dtype)
    block_values, miniblocks = data.draw(st.sampled_from([(128, 4), (128, 1), (256, 8), (1024, 8)]))
    stream = delta.encode(values, block_values=block_values, miniblocks=miniblocks)
    assert delta.stored(stream + b"more") == len(values)
    assert delta.validate(stream + b"more", dtype) == (len(values), len(stream))
    assert np.array_equal(delta.decode(stream, dtype), values)
    start = data.draw(st.integers(0, len(values)))
    stop = data.draw(st.integers(start, len(values)))
    assert np.array_equal(delta.decode_range(stream, dtype, start, stop), values[start:stop])


@given(st.binary())
def test_bytes_that_may_be_a_stream(data: bytes) -> None:
    try:
        count, length = delta.validate(data, "int32")
    except bytelane.Error as error:
        with pytest.raises(bytelane.Error) as caught:
            delta.decode_range(data, "int32", 0, 0)
        assert str(caught.value) == str(error)
    else:
        assert delta.stored(data) == count
        if count < 1 << 20:
            assert delta.decode_prefix(data, "int32", count)[1] == length


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("count", [0, 1, 33, 20_000])
def test_numbers_come_back(backend: str, dtype: str, count: int) -> None:
    values = some(dtype, count)
    raw = values.tobytes()
    split = byte_stream_split.encode(values)
    assert split == values.view("u1").reshape(count, values.itemsize).T.tobytes()
    assert byte_stream_split.decode(split, dtype).tobytes() == raw
    assert byte_stream_split.decode(split, width=values.itemsize) == raw
    network = big_endian.encode(values)
    assert network == values.astype(values.dtype.newbyteorder(">")).tobytes()
    assert big_endian.decode(network, np.dtype(dtype)).tobytes() == raw


@given(st.text())
def test_text_comes_back(text: str) -> None:
    import json

    encoded = text.encode("utf-8")
    utf8.validate(encoded)
    assert utf8.count_chars(encoded) == utf8.count_chars(text) == len(text)
    assert utf8.is_ascii(text) == text.isascii()
    escaped = json_string.escape(text)
    assert escaped == json_string.escape(encoded) == json_string.escape(bytearray(encoded))
    assert json.loads(escaped) == text
    assert json_string.unescape(escaped) == text
    assert json_string.unescape(json.dumps(text)) == text
    bare = json_string.escape(text, quotes=False)
    assert b'"' + bare + b'"' == escaped
    assert json_string.unescape(bare, quotes=False) == text
    assert json_string.unescape_prefix(escaped + b", more") == (text, len(escaped))


@pytest.mark.parametrize("length", [500, 512, 513, 4096, 100_000])
def test_long_texts(backend: str, length: int) -> None:
    import json

    for piece in ("a", '"', "ä", "漢", "\x01", "a\\b€"):
        text = (piece * length)[:length]
        escaped = json.dumps(text, ensure_ascii=False).encode()
        for same in (text, text.encode(), bytearray(text.encode())):
            assert json_string.escape(same) == escaped
            assert json_string.escape(same, quotes=False) == escaped[1:-1]
        assert json_string.unescape(json_string.escape(text)) == text


def test_a_text_of_several_megabytes() -> None:
    text = "漢\n" * (6 << 18)
    escaped = b'"' + text.encode().replace(b"\n", b"\\n") + b'"'
    assert json_string.escape(text) == escaped
    assert json_string.escape(bytearray(text.encode())) == escaped
    with pytest.raises(bytelane.Error, match=f"offset {len(text.encode())}: "):
        json_string.escape(text.encode() + b"\xff")


@given(st.binary())
def test_bytes_that_may_be_text(data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as expected:
        with pytest.raises(bytelane.Error) as caught:
            utf8.validate(data)
        assert caught.value.offset == expected.start
        assert utf8.valid_up_to(data) == expected.start
        with pytest.raises(bytelane.Error):
            json_string.escape(data)
        with pytest.raises(bytelane.Error):
            utf8.count_chars(data)
    else:
        utf8.validate(data)
        assert utf8.valid_up_to(data) == len(data)


def objects(data: bytes) -> list[Any]:
    """Returns the same bytes in all kinds of memory."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        mapped = mmap.mmap(file.fileno(), len(data), access=mmap.ACCESS_READ)
    return [
        data,
        bytearray(data),
        memoryview(data),
        memoryview(bytearray(data)),
        memoryview(data).cast("H"),
        mapped,
        array("B", data),
        np.frombuffer(data, "u2"),
        np.frombuffer(b"x" + data, "u1")[1:],
        np.frombuffer(data, "u1").reshape(2, -1),
    ]


@pytest.mark.parametrize("length", [40, 200_000])
def test_memory_of_all_kinds(length: int) -> None:
    data = bytes(i % 251 for i in range(length))
    text = bytelane.base64.b64encode(data)
    for memory in objects(data):
        assert byte_stream_split.encode(memory, width=8) == byte_stream_split.encode(data, width=8)
        assert bytelane.base64.b64encode(memory) == text
    assert np.array_equal(big_endian.encode(data, dtype="uint32"), big_endian.encode(np.frombuffer(data, "u4")))


def test_arrow_buffers() -> None:
    arrow = pytest.importorskip("pyarrow")
    values = arrow.array([1, 300, 2], arrow.int64())
    buffer = values.buffers()[1]
    assert varint.encode(buffer, dtype="int64") == varint.encode(np.array([1, 300, 2]))


def test_results_in_memory_of_the_caller() -> None:
    values = np.arange(100, dtype="u4")
    room = bytearray(1000)
    for codec in (varint, stream_vbyte, big_endian, byte_stream_split):
        encoded = codec.encode(values)
        assert codec.encode(values, out=room) == len(encoded)
        assert room[: len(encoded)] == encoded
        longer = np.full(120, 7, "u4")
        count = [] if codec in (big_endian, byte_stream_split) else [100]
        assert codec.decode(encoded, "uint32", *count, out=longer) == 100
        assert np.array_equal(longer[:100], values)
        assert (longer[100:] == 7).all()
    assert json_string.escape("text", out=room) == 6
    assert room[:6] == b'"text"'


def test_room_that_does_not_do() -> None:
    values = np.arange(100, dtype="u4")
    with pytest.raises(ValueError, match="needs 400 bytes, but out has 399"):
        byte_stream_split.encode(values, out=bytearray(399))
    with pytest.raises(ValueError, match="needs 400 bytes"):
        big_endian.encode(values, out=bytearray(100))
    with pytest.raises(ValueError, match="needs"):
        varint.encode(values, out=bytearray(10))
    with pytest.raises(ValueError, match="read-only"):
        byte_stream_split.encode(values, out=bytes(400))
    with pytest.raises(ValueError, match="not contiguous"):
        byte_stream_split.encode(values, out=np.zeros(800, "u1")[::2])
    with pytest.raises(ValueError, match="overlaps"):
        byte_stream_split.encode(values, out=values.view("u1"))
    with pytest.raises(TypeError, match="out has float32, but the result is uint32"):
        varint.decode(varint.encode(values), "uint32", out=np.zeros(100, "f4"))
    with pytest.raises(TypeError):
        byte_stream_split.encode(values, out="text")  # type: ignore[call-overload]


def test_arguments_that_no_codec_takes() -> None:
    with pytest.raises(TypeError, match="of type str"):
        byte_stream_split.encode("text")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="list"):
        varint.encode([1, 2])  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        varint.encode(None)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="float64"):
        varint.encode(np.zeros(2))
    with pytest.raises(TypeError, match="`dtype=` says"):
        varint.encode(b"abcd")
    with pytest.raises(ValueError, match="5 bytes are not a multiple"):
        varint.encode(b"abcde", dtype="uint32")
    with pytest.raises(TypeError, match="Python objects"):
        varint.encode(np.array([1, "a"], object))
    with pytest.raises(TypeError, match="byte order"):
        varint.encode(np.arange(3, dtype=">u4"))
    with pytest.raises(TypeError, match="dtype .M. in a buffer"):
        delta.encode(np.zeros(3, "datetime64[s]"))
    with pytest.raises(ValueError, match=r"not contiguous: its shape is \[5\], its strides \[16\]"):
        delta.encode(np.arange(10)[::2])
    with pytest.raises(TypeError, match="nonsense"):
        varint.decode(b"", "nonsense")
    with pytest.raises(TypeError, match="takes integers"):
        varint.decode(b"", "float32")
    with pytest.raises(ValueError, match="0124"):
        stream_vbyte.encode(np.arange(3, dtype="u4"), variant="1111")
    with pytest.raises(OverflowError):
        stream_vbyte.encode(np.arange(3, dtype="u4"), delta=-1)
    with pytest.raises(OverflowError):
        varint.decode(b"", "uint32", -1)
    with pytest.raises(ValueError, match="33 bits"):
        bit_packing.encode(np.arange(3, dtype="u4"), 33)
    with pytest.raises(TypeError, match="signed integers"):
        bit_packing.encode(np.arange(3, dtype="u4"), 3, zigzag=True)
    with pytest.raises(ValueError, match="not both"):
        bit_packing.encode(np.arange(3), 3, zigzag=True, reference=1)
    with pytest.raises(OverflowError):
        bit_packing.encode(np.arange(3, dtype="u1"), 3, reference=256)
    with pytest.raises(ValueError, match="block_values"):
        delta.encode(np.arange(3), block_values=100)
    with pytest.raises(ValueError, match="width must be 1"):
        byte_stream_split.encode(b"ab", width=0)
    with pytest.raises(TypeError, match="either dtype or width"):
        byte_stream_split.decode(b"ab")  # type: ignore[call-overload]
    with pytest.raises(UnicodeEncodeError):
        json_string.escape("\ud800")
    with pytest.raises(ValueError, match="scalar"):
        bytelane.set_backend("quantum")


def test_counts_that_no_input_can_have() -> None:
    huge = 1 << 62
    for decode in (varint.decode, stream_vbyte.decode, varint.decode_prefix, stream_vbyte.decode_prefix):
        with pytest.raises(bytelane.Error):
            decode(b"\x01\x02\x03", "uint64", huge)
    with pytest.raises((MemoryError, bytelane.Error)):
        delta.decode(delta.encode(np.arange(10)), "int64", huge)
    with pytest.raises((MemoryError, bytelane.Error)):
        bit_packing.decode(b"\x01", "uint32", huge, 3)
    # A header with 2^40 values.
    header = bytes([0x80, 0x01, 0x04]) + varint.encode(np.array([1 << 40], "u8")) + b"\x00"
    with pytest.raises(bytelane.Error):
        delta.decode(header, "int64")


def test_errors_say_where() -> None:
    with pytest.raises(bytelane.Error, match="offset 1: ") as caught:
        varint.decode(b"\x03\x80", "uint32", 2)
    assert (caught.value.kind, caught.value.offset) == ("Truncated", 1)
    assert isinstance(caught.value, ValueError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.kind, again.offset) == (str(caught.value), "Truncated", 1)
    with pytest.raises(ValueError, match="1 bytes follow the last value, at offset 1"):
        varint.decode(b"\x01\x01", "uint32", 1)
    with pytest.raises(bytelane.Error, match="offset 2: "):
        json_string.unescape(b'"a\\x"')
    with pytest.raises(ValueError, match="quote"):
        json_string.unescape(b"a")
    with pytest.raises(ValueError, match="follow the string"):
        json_string.unescape(b'"a" ')


def test_prefixes() -> None:
    values = np.array([1, 300, 2], "i4")
    for codec in (varint, stream_vbyte, delta):
        encoded = codec.encode(values)
        found, read = codec.decode_prefix(encoded + b"more", "int32", 3)
        assert np.array_equal(found, values)
        assert read == len(encoded)


def test_cursor(backend: str) -> None:
    ids = np.cumsum(some("uint32", 5000) % 1000).astype("u4")
    encoded = stream_vbyte.encode(ids, delta=0)
    for data in (encoded, bytearray(encoded)):
        cursor = stream_vbyte.Cursor(data, "uint32", len(ids), delta=0)
        assert (cursor.index, cursor.remaining) == (0, 5000)
        assert np.array_equal(cursor.decode(10), ids[:10])
        cursor.skip(100)
        assert np.array_equal(cursor.decode(5), ids[110:115])
        cursor.seek(4000)
        assert cursor.index == 4000
        cursor.seek(0)
        target = int(ids[2500])
        found = cursor.seek_at_least(target)
        assert found == target
        assert cursor.index == int(np.searchsorted(ids, target))
        assert cursor.seek_at_least(2**32 - 1) is None
        cursor.seek(4990)
        room = np.zeros(20, "u4")
        assert cursor.decode(20, out=room) == 10
        assert np.array_equal(room[:10], ids[4990:])
        with pytest.raises(bytelane.Error):
            cursor.seek(5001)
    with pytest.raises(bytelane.Error):
        stream_vbyte.Cursor(b"", "uint32", 5)


def test_threads_at_the_same_time() -> None:
    values = some("float64", 100_000)
    expected = byte_stream_split.encode(values.tobytes(), width=8)
    failures: list[object] = []

    def work() -> None:
        for _ in range(20):
            if byte_stream_split.encode(values.tobytes(), width=8) != expected:
                failures.append("bytes")
            if byte_stream_split.encode(values) != expected:
                failures.append("array")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_arrays_may_be_changed() -> None:
    values = varint.decode(b"\x01\x02", "uint32")
    values[0] = 7
    assert values.tolist() == [7, 2]
    assert varint.decode(b"", "uint32").shape == (0,)
