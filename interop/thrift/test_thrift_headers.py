"""Calls the service of everything.thrift with Apache Thrift's THeader transport for Python on the other side, in both
directions; its server recognizes clients by their first bytes, and so does bytelane's."""

import importlib
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TCompactProtocol import TCompactProtocol
from thrift.protocol.THeaderProtocol import THeaderProtocol
from thrift.transport.THeaderTransport import (
    THeaderClientType,
    THeaderSubprotocolID,
    THeaderTransformID,
)
from thrift.transport.TTransport import TBufferedTransport, TFramedTransport, TTransportBase

HERE = Path(__file__).resolve().parent
PROGRAM = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane-interop"
CLIENT_TYPES = (
    THeaderClientType.HEADERS,
    THeaderClientType.FRAMED_BINARY,
    THeaderClientType.UNFRAMED_BINARY,
    THeaderClientType.FRAMED_COMPACT,
    THeaderClientType.UNFRAMED_COMPACT,
)
PROTOCOLS = {"binary": THeaderSubprotocolID.BINARY, "compact": THeaderSubprotocolID.COMPACT}

# Modules that Apache's compiler generates, set by `setUpModule`.
types = service = None
generated = tempfile.TemporaryDirectory()


def setUpModule():
    global types, service
    idl = HERE / "everything.thrift"
    subprocess.run(["thrift", "--gen", "py", "-out", generated.name, idl], check=True)
    sys.path.insert(0, generated.name)
    types = importlib.import_module("everything.ttypes")
    service = importlib.import_module("everything.Exchange")


def tearDownModule():
    sys.path.remove(generated.name)
    generated.cleanup()


class Pipes(TTransportBase):
    """Transport over the standard streams of a program."""

    def __init__(self, process):
        self.process = process

    def read(self, size):
        return self.process.stdout.read(size)

    def write(self, data):
        self.process.stdin.write(data)

    def flush(self):
        self.process.stdin.flush()


class Headers(unittest.TestCase):
    def start(self, *arguments):
        process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        return process

    def end(self, process):
        process.stdin.close()
        self.assertEqual(process.wait(timeout=20), 0)

    def check_calls(self, client):
        self.assertEqual(client.sums([types.Point(x=2), types.Point(x=3, y=1 << 40)]), {"x": 5, "y": 1 << 40})
        with self.assertRaises(types.Rejected):
            client.sums([])
        client.note("first")
        self.assertEqual(client.notes(), ["first"])

    def test_bytelane_serves_clients_with_headers(self):
        for name, number in PROTOCOLS.items():
            for transforms in [[], [THeaderTransformID.ZLIB]]:
                with self.subTest(protocol=name, transforms=transforms):
                    process = self.start("serve-any")
                    protocol = THeaderProtocol(Pipes(process), CLIENT_TYPES, number)
                    for transform in transforms:
                        protocol.add_transform(transform)
                    client = service.Client(protocol)
                    protocol.set_header(b"trace", b"\xff7f3a")
                    self.check_calls(client)
                    # The library sends the headers with one call only.
                    self.assertEqual(protocol.get_headers(), {})
                    protocol.set_header(b"trace", b"\xff7f3a")
                    self.assertEqual(client.notes(), ["first"])
                    self.assertEqual(protocol.get_headers(), {b"trace": b"\xff7f3a"})
                    self.assertEqual(protocol.trans.protocol_id, number)
                    self.end(process)

    def test_bytelane_serves_clients_without_headers(self):
        for protocol in [TBinaryProtocol, TCompactProtocol]:
            for transport in [TFramedTransport, TBufferedTransport]:
                with self.subTest(protocol=protocol.__name__, transport=transport.__name__):
                    process = self.start("serve-any")
                    # A buffered transport would wait for more bytes than a reply has.
                    buffer = {"rbuf_size": 1} if transport is TBufferedTransport else {}
                    self.check_calls(service.Client(protocol(transport(Pipes(process), **buffer))))
                    self.end(process)

    def test_apache_serves_bytelane(self):
        for name in PROTOCOLS:
            for options in [["--header", "theader"], ["--header", "theader", "--zlib"], []]:
                with self.subTest(protocol=name, options=options):
                    process = self.start("call", name, *options)
                    protocol = THeaderProtocol(Pipes(process), CLIENT_TYPES)
                    processor = service.Processor(Handler())
                    seen = []
                    while True:
                        try:
                            processor.process(protocol, protocol)
                        except EOFError:
                            break
                        seen.append(protocol.get_headers())
                    self.end(process)
                    expected = {b"trace": b"7f3a"} if options else {}
                    self.assertEqual(seen, [expected] * 7)


class Handler:
    """Methods of the service, for Apache's server."""

    def __init__(self):
        self.texts = []

    def echo(self, value):
        return value

    def sums(self, points):
        if not points:
            raise types.Rejected(reason="no points", code=-1)
        return {"x": sum(point.x for point in points), "y": sum(point.y or 0 for point in points)}

    def note(self, text):
        self.texts.append(text)

    def notes(self):
        return self.texts


if __name__ == "__main__":
    unittest.main()
