"""FSST: tables, strings in and out, and searches."""

from __future__ import annotations

import pickle
from typing import Any

import bytelane
import pyarrow as pa
import pytest
from bytelane import fsst

URLS = [f"https://www.example.com/items/{7919 * i % 10007}?page={i % 13}" for i in range(2000)]


@pytest.fixture(scope="module")
def table() -> fsst.Table:
    return fsst.train(URLS)


def test_a_round_trip(table: fsst.Table) -> None:
    encoded = fsst.encode(table, URLS)
    assert encoded.nbytes < sum(map(len, URLS)) / 2
    assert len(encoded) == len(URLS)
    assert isinstance(encoded[0], bytes) and encoded[-1] == encoded[len(URLS) - 1]
    assert list(fsst.decode(table, encoded)) == fsst.decode(table, encoded).to_pylist() == URLS
    assert list(fsst.decode(table, [encoded[3], None], text=True)) == [URLS[3], None]
    assert fsst.decode(table, [encoded[3]])[0] == URLS[3].encode()


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]
)
def test_arrow_arrays_in_and_out(table: fsst.Table, kind: pa.DataType) -> None:
    values: list[Any] = [*URLS[:50], None, "", "größer 漢字"]
    if "binary" in str(kind):
        values = [None if it is None else it.encode() for it in values]
    array = pa.array(values, kind)
    for start, length in [(0, len(array)), (7, 30), (50, 3), (3, 0)]:
        part = array.slice(start, length)
        encoded = fsst.encode(table, part)
        stored = pa.array(encoded)
        assert stored.type in (pa.binary(), pa.large_binary())
        stored.validate(full=True)
        for of in [encoded, stored]:
            decoded = pa.array(fsst.decode(table, of, text="string" in str(kind)))
            decoded.validate(full=True)
            assert decoded.to_pylist() == part.to_pylist()
    assert fsst.train(array) == fsst.train([it for it in values if it is not None])


def test_tables_are_stored_and_pickled(table: fsst.Table) -> None:
    stored = table.to_bytes()
    assert fsst.Table.from_bytes(stored) == table
    assert pickle.loads(pickle.dumps(table)) == table
    assert fsst.Table(table.symbols) == table and len(table) == len(table.symbols)
    with pytest.raises(ValueError, match="1 bytes follow the table"):
        fsst.Table.from_bytes(stored + b"x")
    with pytest.raises(bytelane.Error, match="offset .*: the table ends before its last symbol"):
        fsst.Table.from_bytes(stored[:-1])
    with pytest.raises(bytelane.Error, match="symbol 1 has 9 bytes"):
        fsst.Table([b"a", b"123456789"])


def test_searches_agree_with_strings(table: fsst.Table) -> None:
    encoded = fsst.encode(table, [*URLS, None])
    for text in ["items/79", "https://www", URLS[5], "page=12", "", "x" * 300]:
        assert fsst.contains(table, encoded, text) == [text in url for url in URLS] + [None]
        assert fsst.starts_with(table, encoded, text) == [url.startswith(text) for url in URLS] + [None]
        assert fsst.equals(table, pa.array(encoded), text.encode()) == [url == text for url in URLS] + [None]


def test_wrong_arguments_are_named(table: fsst.Table) -> None:
    with pytest.raises(TypeError, match="put it in a list"):
        fsst.encode(table, "abc")
    with pytest.raises(TypeError, match="str or bytes, not int"):
        fsst.train([1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="array of strings or binary, not of Int64"):
        fsst.encode(table, pa.array([1]))
    with pytest.raises(TypeError, match="combine_chunks"):
        fsst.encode(table, pa.chunked_array([["a"]]))
    with pytest.raises(TypeError, match="bytes, not text"):
        fsst.decode(table, pa.array(["a"]))
    with pytest.raises(bytelane.Error, match="offset 1: the string ends after an escape code") as caught:
        fsst.decode(table, [b"\0\xff"])
    assert caught.value.offset == 1
    with pytest.raises(ValueError, match="string 1 is not UTF-8"):
        fsst.decode(table, fsst.encode(table, [b"a", b"\xff"]), text=True)
    with pytest.raises(IndexError, match="2 strings, but no string -3"):
        fsst.encode(table, ["a", "b"])[-3]


def test_codes_of_16_bits() -> None:
    lines = [f"GET /products/{7919 * i % 10007} HTTP/1.1 200 Mozilla/5.0 (X11; Linux)" for i in range(20_000)]
    wide, narrow = fsst.train(lines, code_bits=16), fsst.train(lines)
    assert (wide.code_bits, narrow.code_bits) == (16, 8) and max(map(len, wide.symbols)) > 8
    assert wide == fsst.train(lines, code_bits=16) != narrow
    assert wide == pickle.loads(pickle.dumps(wide)) == fsst.Table(wide.symbols, code_bits=16)
    encoded = fsst.encode(wide, pa.array([*lines, None]))
    assert encoded.nbytes < fsst.encode(narrow, lines).nbytes
    assert fsst.decode(wide, encoded).to_pylist() == [*lines, None]
    with pytest.raises(ValueError, match="code_bits=12"):
        fsst.train(lines, code_bits=12)  # type: ignore[arg-type]
    for search in [fsst.contains, fsst.starts_with, fsst.equals]:
        with pytest.raises(ValueError, match="codes of 8 bits"):
            search(wide, encoded, "GET")
    with pytest.raises(bytelane.Error, match="offset 0: the string ends within a code"):
        fsst.decode(wide, [b"x"])
