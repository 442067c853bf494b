"""Result sets as Arrow tables: `decode_arrow`, with a server that speaks HiveServer2's protocol."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import hive_server
import numpy as np
import pyarrow as pa
import pytest
from bytelane import thrift


@pytest.fixture(scope="module")
def hive(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return hive_server.load(tmp_path_factory.mktemp("hive"))


def response(hive: Any, columns: list[Any]) -> Any:
    results = hive.TRowSet(0, [], columns)
    return hive.TFetchResultsResp(hive.TStatus(hive.TStatusCode.SUCCESS_STATUS), False, results)


def expected(columns: list[Any]) -> pa.Table:
    """Converts columns value by value."""
    types = {
        "boolVal": pa.bool_(),
        "byteVal": pa.int8(),
        "i16Val": pa.int16(),
        "i32Val": pa.int32(),
        "i64Val": pa.int64(),
        "doubleVal": pa.float64(),
        "stringVal": pa.string(),
        "binaryVal": pa.binary(),
    }
    arrays = []
    for column in columns:
        (name,) = (name for name in types if getattr(column, name) is not None)
        of = getattr(column, name)
        valid = [not (i // 8 < len(of.nulls) and of.nulls[i // 8] >> i % 8 & 1) for i in range(len(of.values))]
        arrays.append(pa.array([it if is_valid else None for it, is_valid in zip(of.values, valid)], types[name]))
    return pa.table(arrays, [f"column_{i}" for i in range(len(arrays))])


@pytest.mark.parametrize("protocol", ["binary", "compact", "json", "simple_json"])
def test_every_type_and_null_bits(hive: Any, protocol: Any) -> None:
    columns = hive_server.columns(hive, 5, 21, 6)
    texts = ["", "é", "漢" * 50] * 7
    columns += [
        hive.TColumn(byteVal=hive.TByteColumn(range(-10, 11), b"\xff")),
        hive.TColumn(stringVal=hive.TStringColumn(texts, b"\x02\0\0\xff\xff")),
        hive.TColumn(binaryVal=hive.TBinaryColumn([it.encode() for it in texts], b"")),
    ]
    message = response(hive, columns).encode(protocol)
    table = hive.TFetchResultsResp.decode_arrow(message, "results.columns", protocol)
    assert table.to_pyarrow().cast(expected(columns).schema).equals(expected(columns))
    assert [(field.name, field.type) for field in table.schema][:2] == [("column_0", "int64"), ("column_1", "double")]
    names = [f"c{i}" for i in range(9)]
    named = hive.TFetchResultsResp.decode_arrow(message, "results.columns", protocol, names=names)
    assert named.column_names == names
    assert hive.TFetchResultsResp.decode_arrow(bytearray(message), "results.columns", protocol).num_rows == 21


def test_tables_of_other_libraries(hive: Any) -> None:
    polars = pytest.importorskip("polars")
    columns = hive_server.columns(hive, 0, 30, 6)
    table = hive.TFetchResultsResp.decode_arrow(response(hive, columns).encode(), "results.columns")
    assert polars.DataFrame(table).to_dict(as_series=False) == expected(columns).to_pydict()


def test_errors_have_places(hive: Any) -> None:
    one, two = ([hive.TColumn(stringVal=hive.TStringColumn(it, b""))] for it in (["a"], ["b", "c"]))
    message = response(hive, one + two).encode()
    with pytest.raises(thrift.ThriftError, match="`column_1` has 2 values, but `column_0` has 1") as raised:
        hive.TFetchResultsResp.decode_arrow(message, "results.columns")
    assert raised.value.path == ("results", "columns", 1) and raised.value.offset
    for end in range(len(message)):
        with pytest.raises(thrift.ThriftError):
            hive.TFetchResultsResp.decode_arrow(message[:end], "results.columns")
    with pytest.raises(ValueError, match="the path `status`: it does not end at a list of columns") as wrong:
        hive.TFetchResultsResp.decode_arrow(message, "status")
    assert wrong.type is ValueError
    with pytest.raises(thrift.ThriftError, match="the values need more memory than the limit"):
        limits = thrift.Limits(memory=1000)
        hive.TFetchResultsResp.decode_arrow(message, "results.columns", limits=limits)


@pytest.fixture
def client(hive: Any) -> Iterator[Any]:
    bodies = hive_server.replies(hive, 25_000, 12, 10_000)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=hive_server.serve, args=(hive, listener, bodies))
        server.start()
        client = hive_server.Client(hive, listener.getsockname()[1])
        yield client
        client.peer.close()
        server.join()


def test_results_of_a_server(hive: Any, client: Any) -> None:
    operation = client.execute("select * from numbers")
    batches = []
    while True:
        reply = client.fetch(operation)
        table = hive.TFetchResultsResp.decode_arrow(reply, "results.columns", reply=True)
        if len(table) == 0:
            break
        batches.append(table.to_pyarrow())
    found = pa.concat_tables(batches)
    assert [len(it) for it in batches] == [10_000, 10_000, 5_000]
    assert found.num_columns == 12 and found["column_6"].equals(found["column_0"])
    numbers = np.arange(25_000)
    assert found["column_1"].fill_null(-1).to_pylist() == np.where(numbers % 10 == 0, -1, numbers / 8).tolist()
    assert found["column_3"][24_999].as_py() == "row 24999"
    with pytest.raises(thrift.ThriftError, match="answered with an exception: internal error: cannot answer FetchResults"):
        reply = client.fetch(operation)
        hive.TFetchResultsResp.decode_arrow(reply, "results.columns", reply=True)


def test_scanners_find_ends(hive: Any) -> None:
    body = hive_server.replies(hive, 100, 6, 100)[0]
    message = hive_server.envelope("FetchResults", hive_server.REPLY, 1) + body
    scanner = thrift.Scanner("binary")
    for _ in range(2):
        assert all(scanner.message_len(message[:end]) is None for end in range(len(message)))
        assert scanner.message_len(bytearray(message + message)) == len(message)
    with pytest.raises(thrift.ThriftError, match="not a message of this protocol"):
        scanner.message_len(b"GET / HTTP/1.1\r\n")
    with pytest.raises(ValueError, match='protocol is "http"; it must be binary, compact'):
        thrift.Scanner("http")  # type: ignore[arg-type]
