"""The codecs of numcodecs and zarr."""

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


@pytest.mark.parametrize("size", [1, 2, 4, 8, 12, 16])
@pytest.mark.parametrize("length", [0, 1, 48, 1000, 96_000])
def test_shuffle_writes_what_numcodecs_writes(size: int, length: int) -> None:
    data = np.random.default_rng(length).integers(0, 256, length, "u1")
    ours, theirs = bytelane.Shuffle(size), numcodecs.Shuffle(size)
    assert ours.get_config() == theirs.get_config()
    encoded = bytes(ours.encode(data))
    whole = length - length % size
    # numcodecs refuses or leaves alone what is not a whole element.
    if whole == length:
        assert encoded == bytes(theirs.encode(data))
        assert bytes(theirs.decode(encoded)) == data.tobytes()
    assert bytes(ours.decode(encoded)) == data.tobytes()
    out = np.zeros(length, "u1")
    assert ours.decode(encoded, out=out) is out
    assert np.array_equal(out, data)


def test_shuffle_takes_arrays_of_all_kinds() -> None:
    numbers = np.arange(240, dtype="f4").reshape(12, 20)
    arrays = [numbers, np.asfortranarray(numbers), numbers.T, numbers.astype(">f4"), numbers > 7]
    for array in [*arrays, np.arange(8).astype("M8[s]"), numbers.view("V8"), np.array(1.5)]:
        encoded = bytes(bytelane.Shuffle(8).encode(array))
        assert encoded == bytes(numcodecs.Shuffle(8).encode(array)) if array.nbytes % 8 == 0 else encoded
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


@pytest.fixture
def codecs_of_zarr() -> Iterator[None]:
    """Leaves zarr's choice of codecs as it was."""
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
