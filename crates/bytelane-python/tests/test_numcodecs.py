"""Tests of the codecs for numcodecs and zarr."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import bytelane
import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

numcodecs = pytest.importorskip("numcodecs")
zarr = pytest.importorskip("zarr")
ours = pytest.importorskip("bytelane.numcodecs")


@pytest.mark.parametrize("size", [1, 2, 4, 8, 12, 16])
@pytest.mark.parametrize("length", [0, 48, 960, 96_000])
def test_shuffle_writes_what_numcodecs_writes(size: int, length: int) -> None:
    data = np.random.default_rng(length).integers(0, 256, length, "u1")
    ours, theirs = bytelane.Shuffle(size), numcodecs.Shuffle(size)
    assert ours.get_config() == theirs.get_config()
    encoded = bytes(ours.encode(data))
    assert encoded == bytes(theirs.encode(data))
    assert bytes(theirs.decode(encoded)) == data.tobytes()
    assert bytes(ours.decode(encoded)) == data.tobytes()
    out = np.zeros(length, "u1")
    assert ours.decode(encoded, out=out) is out
    assert np.array_equal(out, data)


@pytest.mark.parametrize("size", [-4, -1, 0, 1, 2, 3, 4, 8, 16])
def test_shuffle_refuses_what_numcodecs_refuses(size: int) -> None:
    ours, theirs = bytelane.Shuffle(size), numcodecs.Shuffle(size)
    assert ours.get_config() == theirs.get_config()
    for length in range(34):
        data = np.arange(length, dtype="u1")
        for operation in ("encode", "decode"):
            if size > 1 and length % size:
                for codec in (ours, theirs):
                    with pytest.raises(ValueError, match="elementsize"):
                        getattr(codec, operation)(data)
            else:
                assert bytes(getattr(ours, operation)(data)) == bytes(getattr(theirs, operation)(data))


def test_shuffle_takes_arrays_of_all_kinds() -> None:
    numbers = np.arange(240, dtype="f4").reshape(12, 20)
    arrays = [numbers, np.asfortranarray(numbers), numbers.T, numbers.astype(">f4"), numbers > 7]
    for array in [*arrays, np.arange(8).astype("M8[s]"), numbers.view("V8"), np.array(1.5)]:
        encoded = bytes(bytelane.Shuffle(8).encode(array))
        assert encoded == bytes(numcodecs.Shuffle(8).encode(array))
        assert bytes(bytelane.Shuffle(8).decode(encoded)) == array.tobytes("A")
    with pytest.raises(TypeError):
        bytelane.Shuffle(8).encode(np.array([1, "a"], object))
    with pytest.raises(ValueError):
        bytelane.Shuffle(8).encode(numbers[:, ::2])


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u8"])
def test_byte_stream_split(dtype: str) -> None:
    values = np.arange(1000).astype(dtype)
    codec = numcodecs.get_codec({"id": "bytelane.byte_stream_split", "dtype": dtype})
    assert np.array_equal(codec.decode(codec.encode(values)), values)
    assert codec.get_config()["dtype"] == np.dtype(dtype).str


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("delta", [False, True])
@pytest.mark.parametrize("zigzag", [False, True])
def test_stream_vbyte(dtype: str, delta: bool, zigzag: bool) -> None:
    values = (np.arange(1000) * 37 % 1001).astype(dtype)
    config = {"id": "bytelane.stream_vbyte", "dtype": dtype, "delta": delta, "zigzag": zigzag}
    codec = numcodecs.get_codec(config)
    assert np.array_equal(codec.decode(codec.encode(values)), values)
    for damaged in (b"", b"\x01\x00", b"\xff\xff\xff\xff\x00"):
        with pytest.raises(ValueError):
            codec.decode(damaged)


DATES = ["<M8[ns]", ">M8[s]", "<m8[us]", ">m8[D]"]


@pytest.mark.parametrize("dtype", [">i4", ">u4", ">i8", ">u8", *DATES])
@pytest.mark.parametrize("delta", [False, True])
def test_stream_vbyte_of_dates_and_big_endian_integers(dtype: str, delta: bool) -> None:
    kind = np.dtype(dtype)
    integers = "i8" if kind.kind in "mM" else kind.str[1:]
    numbers = (np.arange(1000) * 37 % 1001).astype(integers)
    if kind.kind in "mM":
        numbers[7] = np.iinfo("i8").min  # NaT
    values = numbers.view(kind.newbyteorder("=")).astype(kind)
    config = {"id": "bytelane.stream_vbyte", "delta": delta, "zigzag": True}
    codec = numcodecs.get_codec({**config, "dtype": dtype})
    encoded = codec.encode(values)
    assert encoded == numcodecs.get_codec({**config, "dtype": integers}).encode(numbers)
    decoded = codec.decode(encoded)
    assert decoded.dtype == kind
    assert decoded.tobytes() == values.tobytes()
    assert codec.get_config()["dtype"] == kind.str
    assert len(codec.decode(codec.encode(values[:0]))) == 0


@pytest.mark.parametrize("dtype", ["f4", "i2", "S8", "?"])
def test_stream_vbyte_refuses_other_types(dtype: str) -> None:
    codec = numcodecs.get_codec({"id": "bytelane.stream_vbyte", "dtype": dtype})
    with pytest.raises(TypeError):
        codec.encode(np.zeros(8, dtype))


CODECS = [
    *((ours.ByteStreamSplit, dtype) for dtype in ["u1", "i2", ">i4", "f4", "f8", "c16", *DATES]),
    *((ours.StreamVByte, dtype) for dtype in ["i4", "u4", "i8", "u8", ">i4", ">u8", *DATES]),
    *((bytelane.Shuffle, size) for size in [0, 1, 2, 4, 8]),
]


@pytest.mark.parametrize(("codec", "argument"), CODECS)
@pytest.mark.parametrize("shape", [(0,), (1,), (6,), (3, 40)])
def test_decoding_to_memory_of_the_caller(codec: Any, argument: Any, shape: tuple[int, ...]) -> None:
    filter = codec(argument)
    dtype = np.dtype(argument) if isinstance(argument, str) else np.dtype("f8")
    values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    encoded = filter.encode(values)
    room = [np.zeros_like(values), np.zeros_like(values, order="F"), np.zeros(values.nbytes, "u1")]
    for out in [*room, bytearray(values.nbytes), memoryview(bytearray(values.nbytes))]:
        assert filter.decode(encoded, out) is out
        given = out.tobytes("A") if isinstance(out, np.ndarray) else bytes(out)
        assert given == values.tobytes()
    if values.nbytes:
        with pytest.raises(ValueError, match="bytes"):
            filter.decode(encoded, np.zeros(values.nbytes - 1, "u1"))
        with pytest.raises(ValueError, match="read-only"):
            filter.decode(encoded, bytes(values.nbytes))


def filters(name: str) -> list[Any]:
    import bytelane.zarr as ours

    return [getattr(ours, name)()]


@pytest.mark.parametrize("name", ["Shuffle", "ByteStreamSplit", "StreamVByte"])
def test_zarr_3(name: str, tmp_path: Any) -> None:
    values = np.arange(10_000, dtype="i4").reshape(100, 100)
    compressors = [*filters(name), zarr.codecs.ZstdCodec(level=1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.create_array(tmp_path / "a", data=values, chunks=(30, 40), compressors=compressors)
        assert np.array_equal(zarr.open_array(tmp_path / "a", mode="r")[:], values)


@pytest.mark.parametrize("name", ["Shuffle", "ByteStreamSplit", "StreamVByte"])
@pytest.mark.parametrize("dtype", [">i4", "<M8[ns]", "<m8[s]"])
def test_zarr_3_with_dates_and_big_endian_integers(name: str, dtype: str, tmp_path: Any) -> None:
    values = np.arange(1000).astype(dtype).reshape(50, 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.create_array(tmp_path / "a", data=values, chunks=(30, 20), compressors=filters(name))
        assert np.array_equal(zarr.open_array(tmp_path / "a", mode="r")[:], values)


def fixed_and_variable() -> list[Any]:
    """Returns arrays of every kind that zarr 3 has besides numbers."""
    words = ["a", "bb", "", "ccc", "d\u00e9d", "\U0001f600" * 50] * 20
    return [
        np.array(words, np.dtypes.StringDType()) if hasattr(np.dtypes, "StringDType") else np.array(words, object),
        np.array(words),
        np.array([word.encode() for word in words]),
        np.arange(120) % 3 == 0,
        np.arange(120).astype("c8"),
        np.array([(i, i / 2) for i in range(120)], dtype=[("a", "i4"), ("b", "f8")]),
    ]


@pytest.mark.parametrize("name", ["Shuffle", "ByteStreamSplit"])
@pytest.mark.parametrize("case", range(6))
def test_zarr_3_with_strings_and_other_elements(name: str, case: int, tmp_path: Any) -> None:
    values = fixed_and_variable()[case]
    for compressors in (filters(name), [*filters(name), zarr.codecs.ZstdCodec(level=1)]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            zarr.create_array(tmp_path / "a", data=values, chunks=(7,), compressors=compressors, overwrite=True)
            again = zarr.open_array(tmp_path / "a", mode="r")[:]
        assert np.array_equal(again, values)


def test_zarr_3_with_strings_as_str(tmp_path: Any) -> None:
    words = np.array(["a", "bb", "", "ccc", "dddd"], object)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("Shuffle", "ByteStreamSplit"):
            array = zarr.create_array(tmp_path / name, shape=5, chunks=3, dtype=str, compressors=filters(name))
            array[:] = words
            assert list(zarr.open_array(tmp_path / name, mode="r")[:]) == list(words)


@pytest.mark.parametrize("dtype", [str, "i2", "f4", "?", "S3"])
def test_zarr_3_says_what_stream_vbyte_takes(dtype: Any, tmp_path: Any) -> None:
    with pytest.raises(TypeError, match="takes integers of 32 or 64 bits, datetime64 and timedelta64, but"):
        zarr.create_array(tmp_path / "a", shape=5, chunks=3, dtype=dtype, compressors=filters("StreamVByte"))


@pytest.fixture
def codecs_of_zarr() -> Iterator[None]:
    """Restores zarr's choice of codecs after a test."""
    before = zarr.config.get("codecs")
    yield
    zarr.config.set({"codecs": before})


@pytest.mark.usefixtures("codecs_of_zarr")
def test_zarr_reads_shuffled_stores_of_the_other(tmp_path: Any) -> None:
    import bytelane.zarr
    from zarr.codecs.numcodecs import Shuffle

    values = np.random.default_rng(1).random((100, 100))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = [("ours", bytelane.zarr.Shuffle()), ("theirs", Shuffle(elementsize=8))]
        for name, codec in pairs:
            zarr.create_array(tmp_path / name, data=values, chunks=(50, 50), compressors=[codec])
        for name, _ in pairs:
            assert np.array_equal(zarr.open_array(tmp_path / name, mode="r")[:], values)
        bytelane.zarr.register_shuffle()
        for name, _ in pairs:
            opened = zarr.open_array(tmp_path / name, mode="r")
            assert isinstance(opened.compressors[0], bytelane.zarr.Shuffle)
            assert np.array_equal(opened[:], values)


def test_xarray(tmp_path: Any) -> None:
    xarray = pytest.importorskip("xarray")
    import bytelane.zarr

    data = xarray.Dataset({"t": (("x", "y"), np.random.default_rng(2).random((40, 30)))})
    encoding = {"t": {"compressors": [bytelane.zarr.Shuffle(), zarr.codecs.ZstdCodec()]}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data.to_zarr(tmp_path / "set", encoding=encoding, zarr_format=3, consolidated=False)
        again = xarray.open_zarr(tmp_path / "set", consolidated=False).load()
    assert again.equals(data)
