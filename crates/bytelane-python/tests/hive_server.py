"""A server that speaks as much of HiveServer2's protocol as fetching results needs: Binary messages, not framed.

Written from the service's IDL. It answers `ExecuteStatement` with a handle, and `FetchResults` with one batch after the
other and an empty one at the end.
"""

from __future__ import annotations

import socket
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
from bytelane import thrift

IDL = """
enum TStatusCode { SUCCESS_STATUS = 0, ERROR_STATUS = 3 }
struct TStatus { 1: required TStatusCode statusCode, 4: optional i32 errorCode, 5: optional string errorMessage }
struct THandleIdentifier { 1: required binary guid, 2: required binary secret }
struct TOperationHandle { 1: required THandleIdentifier operationId, 2: required i32 operationType, 3: required bool hasResultSet }
struct TExecuteStatementReq { 2: required string statement }
struct TExecuteStatementResp { 1: required TStatus status, 2: optional TOperationHandle operationHandle }
struct TFetchResultsReq { 1: required TOperationHandle operationHandle, 2: required i32 orientation = 0, 3: required i64 maxRows }

struct TBoolColumn { 1: required list<bool> values, 2: required binary nulls }
struct TByteColumn { 1: required list<byte> values, 2: required binary nulls }
struct TI16Column { 1: required list<i16> values, 2: required binary nulls }
struct TI32Column { 1: required list<i32> values, 2: required binary nulls }
struct TI64Column { 1: required list<i64> values, 2: required binary nulls }
struct TDoubleColumn { 1: required list<double> values, 2: required binary nulls }
struct TStringColumn { 1: required list<string> values, 2: required binary nulls }
struct TBinaryColumn { 1: required list<binary> values, 2: required binary nulls }
union TColumn {
  1: TBoolColumn boolVal, 2: TByteColumn byteVal, 3: TI16Column i16Val, 4: TI32Column i32Val, 5: TI64Column i64Val,
  6: TDoubleColumn doubleVal, 7: TStringColumn stringVal, 8: TBinaryColumn binaryVal,
}
struct TRow { 1: required list<string> colVals }
struct TRowSet {
  1: required i64 startRowOffset, 2: required list<TRow> rows, 3: optional list<TColumn> columns,
  4: optional binary binaryColumns, 5: optional i32 columnCount,
}
struct TFetchResultsResp { 1: required TStatus status, 2: optional bool hasMoreRows, 3: optional TRowSet results }

struct ExecuteStatementArgs { 1: TExecuteStatementReq req }
struct FetchResultsArgs { 1: TFetchResultsReq req }
"""

CALL, REPLY, EXCEPTION = 1, 2, 3


def load(directory: Path) -> Any:
    path = directory / "TCLIService.thrift"
    path.write_text(IDL)
    return thrift.load(path)


def envelope(name: str, kind: int, sequence: int) -> bytes:
    """Returns the start of a message in the binary protocol."""
    return struct.pack(">Ii", 0x8001_0000 | kind, len(name)) + name.encode() + struct.pack(">i", sequence)


def opened(message: memoryview) -> tuple[str, int, int, memoryview]:
    """Returns name, kind, sequence number and body of a message."""
    version, length = struct.unpack_from(">Ii", message)
    (sequence,) = struct.unpack_from(">i", message, 8 + length)
    return bytes(message[8 : 8 + length]).decode(), version & 0xFF, sequence, message[12 + length :]


def succeeded(response: Any) -> bytes:
    """Returns the result of a function: a struct with the field 0."""
    return b"".join([b"\x0c\0\0", response.encode(), b"\0"])


class Connection:
    """Messages on a socket."""

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        self.scanner = thrift.Scanner("binary")
        self.buffer = bytearray()

    def receive(self) -> memoryview | None:
        """Returns the next message. None at the end."""
        while (length := self.scanner.message_len(self.buffer)) is None:
            data = self.peer.recv(1 << 20)
            if not data:
                return None
            self.buffer += data
        message, self.buffer = self.buffer[:length], self.buffer[length:]
        return memoryview(message)

    def send(self, *parts: bytes) -> None:
        for part in parts:
            self.peer.sendall(part)


def columns(hive: Any, start: int, rows: int, width: int) -> list[Any]:
    """Returns columns of all types in turn. Every 10th value is null."""
    numbers = np.arange(start, start + rows)
    nulls = np.packbits(numbers % 10 == 0, bitorder="little").tobytes()

    def column(index: int) -> Any:
        match index % 6:
            case 0:
                return hive.TColumn(i64Val=hive.TI64Column(numbers, nulls))
            case 1:
                return hive.TColumn(doubleVal=hive.TDoubleColumn(numbers / 8, nulls))
            case 2:
                return hive.TColumn(i32Val=hive.TI32Column((numbers * 7).astype("int32"), nulls))
            case 3:
                return hive.TColumn(stringVal=hive.TStringColumn([f"row {it}" for it in numbers], nulls))
            case 4:
                return hive.TColumn(boolVal=hive.TBoolColumn((numbers % 3 == 0).tolist(), nulls))
        return hive.TColumn(i16Val=hive.TI16Column((numbers % 1000).astype("int16"), nulls))

    return [column(index) for index in range(width)]


def replies(hive: Any, rows: int, width: int, batch: int) -> list[bytes]:
    """Returns the bodies of the replies for a result set, and of the empty one behind them."""
    bodies = []
    for start in [*range(0, rows, batch), rows]:
        count = min(batch, rows - start)
        results = hive.TRowSet(start, [], columns(hive, start, count, width), columnCount=width)
        status = hive.TStatus(hive.TStatusCode.SUCCESS_STATUS)
        response = hive.TFetchResultsResp(status, count == batch, results)
        bodies.append(succeeded(response))
    return bodies


def serve(hive: Any, listener: socket.socket, bodies: list[bytes]) -> None:
    """Answers the calls of one client."""
    peer, _ = listener.accept()
    with peer:
        connection = Connection(peer)
        left = iter(bodies)
        while (message := connection.receive()) is not None:
            name, _, sequence, body = opened(message)
            if name == "ExecuteStatement":
                hive.ExecuteStatementArgs.decode(body)
                operation = hive.TOperationHandle(hive.THandleIdentifier(b"g" * 16, b"s" * 16), 0, True)
                status = hive.TStatus(hive.TStatusCode.SUCCESS_STATUS)
                response = hive.TExecuteStatementResp(status, operation)
                connection.send(envelope(name, REPLY, sequence), succeeded(response))
            elif name == "FetchResults" and (reply := next(left, None)) is not None:
                hive.FetchResultsArgs.decode(body)
                connection.send(envelope(name, REPLY, sequence), reply)
            else:
                # `TApplicationException`: its message, and its type, an internal error.
                text = f"cannot answer {name}".encode()
                failure = b"\x0b\0\1" + struct.pack(">i", len(text)) + text + b"\x08\0\2" + struct.pack(">i", 6) + b"\0"
                connection.send(envelope(name, EXCEPTION, sequence), failure)


class Client:
    """Client of the server."""

    def __init__(self, hive: Any, port: int) -> None:
        self.hive = hive
        self.peer = socket.create_connection(("127.0.0.1", port))
        self.connection = Connection(self.peer)

    def call(self, name: str, arguments: Any) -> memoryview:
        """Returns the reply to a call."""
        self.connection.send(envelope(name, CALL, 1), arguments.encode())
        message = self.connection.receive()
        if message is None:
            raise EOFError(f"no reply to {name}")
        return message

    def execute(self, statement: str) -> Any:
        request = self.hive.TExecuteStatementReq(statement)
        reply = self.call("ExecuteStatement", self.hive.ExecuteStatementArgs(request))
        return self.hive.TExecuteStatementResp.decode(opened(reply)[3][3:-1]).operationHandle

    def fetch(self, operation: Any) -> memoryview:
        request = self.hive.TFetchResultsReq(operation, maxRows=1 << 20)
        return self.call("FetchResults", self.hive.FetchResultsArgs(request))


if __name__ == "__main__":
    directory, rows, width, batch = Path(sys.argv[1]), *map(int, sys.argv[2:])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        hive = load(directory)
        bodies = replies(hive, rows, width, batch)
        print(listener.getsockname()[1], flush=True)
        while True:
            serve(hive, listener, bodies)
