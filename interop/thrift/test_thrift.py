"""Exchanges messages with Apache Thrift's library for Python, in both directions.

The types on both sides are generated from everything.thrift: there by Apache's compiler, here by bytelane-thrift-build.
Values are random, from a fixed seed.
"""

import contextlib
import importlib
import itertools
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import uuid
from pathlib import Path

from thrift.protocol.TBinaryProtocol import TBinaryProtocol, TBinaryProtocolAccelerated
from thrift.protocol.TCompactProtocol import TCompactProtocol, TCompactProtocolAccelerated
from thrift.protocol.TJSONProtocol import TJSONProtocol
from thrift.Thrift import TApplicationException, TMessageType, TType
from thrift.transport.TTransport import TFramedTransport, TMemoryBuffer, TTransportBase

HERE = Path(__file__).resolve().parent
PROGRAM = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane-interop"

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


class Json(TJSONProtocol):
    """JSON protocol that fixes the library's writer, which writes `inf`, `nan` and unescaped control characters. JSON
    does not allow these, and no reader accepts them, not even the library's own."""

    def writeDouble(self, value):
        if math.isfinite(value):
            super().writeDouble(value)
        else:
            word = "NaN" if math.isnan(value) else "Infinity"
            self.writeJSONString("-" + word if value < 0 else word)

    def writeJSONString(self, text):
        if any(character < " " for character in text):
            self.context.write()
            self.trans.write(json.dumps(text, ensure_ascii=False).encode())
        else:
            super().writeJSONString(text)


def non_strict(transport):
    return TBinaryProtocol(transport, strictRead=False, strictWrite=False)


# Names of the protocols here, and the library's classes for them: the accelerated ones are a
# separate implementation, in C.
PROTOCOLS = [
    ("binary", TBinaryProtocol),
    ("binary", TBinaryProtocolAccelerated),
    ("compact", TCompactProtocol),
    ("compact", TCompactProtocolAccelerated),
    ("json", Json),
]


def encode(value, protocol):
    buffer = TMemoryBuffer()
    value.write(protocol(buffer))
    return buffer.getvalue()


def decode(kind, message, protocol):
    buffer = TMemoryBuffer(message)
    value = kind()
    value.read(protocol(buffer))
    assert buffer.read(1) == b"", "bytes behind the value"
    return value


def convert(structure, messages, source, target):
    """Makes bytelane read messages in one protocol and write them in another."""
    frames = b"".join(struct.pack(">i", len(message)) + message for message in messages)
    command = [PROGRAM, "convert", structure, source, target]
    output = subprocess.run(command, input=frames, stdout=subprocess.PIPE, check=True).stdout
    converted = []
    while output:
        (length,) = struct.unpack_from(">i", output)
        converted.append(output[4 : 4 + length])
        output = output[4 + length :]
    assert len(converted) == len(messages)
    return converted


# Random values, from the specifications in the generated classes.

UNIONS = {"Shape", "MarkV1", "MarkV2"}
# Optional fields, including unions.
OPTIONAL = {"y", "left", "tree", "far", "between", "shape", "mark"}
BITS = {TType.BYTE: 8, TType.I16: 16, TType.I32: 32, TType.I64: 64}
NAN = float("nan")
DOUBLES = [0.0, -0.0, 1.5, -0.1, 1e300, 5e-324, math.inf, -math.inf, NAN, sys.float_info.max]
TEXTS = ["", "a", 'say "hi"', "\\/<>&\u2028", "\0\1\x1f\x7f\b\f\n\r\t", "äöü 漢字 😀", "x" * 300]


def random_value(rng, kind, details, depth):
    if kind == TType.BOOL:
        return rng.random() < 0.5
    if kind in BITS:
        # Choose any number of significant bits, so that varints of all lengths occur.
        number = rng.getrandbits(rng.randint(0, BITS[kind] - 1))
        return rng.choice([number, -number, ~number])
    if kind == TType.DOUBLE:
        return rng.choice([*DOUBLES, rng.uniform(-1, 1)])
    if kind == TType.STRING and details == "BINARY":
        return rng.randbytes(rng.choice([0, 1, 2, 3, 200]))
    if kind == TType.STRING:
        return rng.choice(TEXTS)
    if kind == TType.STRUCT:
        return random_struct(rng, details[0], depth - 1)
    # The list header of the Compact protocol changes at 15.
    length = rng.choice([0, 1, 3, 14, 15, 40] if depth > 3 else [0, 1, 2]) if depth > 0 else 0
    if kind == TType.MAP:
        key, key_details, value, value_details, _ = details
        return {
            random_value(rng, key, key_details, depth - 1): random_value(
                rng, value, value_details, depth - 1
            )
            for _ in range(length)
        }
    elements = [random_value(rng, details[0], details[1], depth - 1) for _ in range(length)]
    return elements if kind == TType.LIST else set(elements)


def random_struct(rng, kind, depth=5):
    fields = [field for field in kind.thrift_spec if field is not None]
    if kind.__name__ in UNIONS:
        # The first field contains no other union, so that the recursion ends.
        fields = [rng.choice(fields) if depth > 0 else fields[0]]
    value = kind()
    for _, field_kind, name, details, _ in fields:
        if name in OPTIONAL and (depth <= 0 or rng.random() < 0.3):
            setattr(value, name, None)
        else:
            setattr(value, name, random_value(rng, field_kind, details, depth))
    return value


def random_structs(kind, count):
    rng = random.Random(7)
    return [random_struct(rng, kind) for _ in range(count)]


def canonical(value):
    """Returns a value that compares equal to another one exactly if they are the same: all NaNs are equal, and the two
    zeros differ."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else struct.pack(">d", value)
    if isinstance(value, list):
        return [canonical(element) for element in value]
    if isinstance(value, set):
        return frozenset(canonical(element) for element in value)
    if isinstance(value, dict):
        return {canonical(key): canonical(content) for key, content in value.items()}
    if hasattr(value, "thrift_spec"):
        return canonical(vars(value))
    return value


class Exchange(unittest.TestCase):
    def assertSame(self, found, expected):
        self.assertEqual(canonical(found), canonical(expected))

    def test_every_type_in_every_protocol(self):
        values = random_structs(types.Everything, 20)
        for (source, writer), (target, reader) in itertools.product(PROTOCOLS, repeat=2):
            with self.subTest(source=writer.__name__, target=reader.__name__):
                messages = [encode(value, writer) for value in values]
                for message, value in zip(
                    convert("everything", messages, source, target), values, strict=True
                ):
                    self.assertSame(decode(types.Everything, message, reader), value)

    def test_protocols_that_the_library_lacks(self):
        values = random_structs(types.Everything, 20)
        messages = [encode(value, TBinaryProtocol) for value in values]
        for protocol in ["simple-json", "fbthrift-compact"]:
            there = convert("everything", messages, "binary", protocol)
            back = convert("everything", there, protocol, "compact")
            for message, value in zip(back, values, strict=True):
                self.assertSame(decode(types.Everything, message, TCompactProtocol), value)

    def test_simple_json_is_plain_json(self):
        value = types.RecordV2(
            before={"a": []}, level=5, number=-1, mark=types.MarkV2(name='"'),
            levels=[0, 9], flag=False, behind=math.inf,
        )
        (text,) = convert("record-v2", [encode(value, TBinaryProtocol)], "binary", "simple-json")
        expected = {
            "before": {"a": []}, "level": 5, "number": -1, "mark": {"name": '"'},
            "levels": [0, 9], "flag": False, "behind": "Infinity",
        }
        self.assertEqual(json.loads(text), expected)

    def test_json_is_json(self):
        messages = [encode(value, TBinaryProtocol) for value in random_structs(types.Everything, 20)]
        for text in convert("everything", messages, "binary", "json"):
            json.loads(text)

    def test_uuid(self):
        """Writes messages by hand, because Debian's compiler does not support uuid yet."""
        ids = [uuid.UUID(int=0), uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")]
        for (source, writer), (target, reader) in itertools.product(PROTOCOLS, repeat=2):
            with self.subTest(source=writer.__name__, target=reader.__name__):
                buffer = TMemoryBuffer()
                write_ids(writer(buffer), ids)
                (message,) = convert("ids", [buffer.getvalue()], source, target)
                self.assertEqual(read_ids(reader(TMemoryBuffer(message))), ids)

    def test_versions(self):
        """Programs of both versions read each other's messages."""
        old, new = types.RecordV1, types.RecordV2
        values = random_structs(new, 20)
        for name, protocol in PROTOCOLS:
            messages = [encode(value, protocol) for value in values]
            # Read as the old version, here and there.
            for messages in [
                convert("record-v1", messages, name, name),
                convert("record-v2", messages, name, name),
            ]:
                for message, value in zip(messages, values, strict=True):
                    found = decode(old, message, protocol)
                    self.assertSame(
                        (found.level, found.number, found.levels),
                        (value.level, value.number, value.levels),
                    )
                    known = value.mark and value.mark.name
                    self.assertEqual(found.mark and found.mark.name, known)
            values_v1 = random_structs(old, 20)
            messages = [encode(value, protocol) for value in values_v1]
            for message, value in zip(
                convert("record-v2", messages, name, name), values_v1, strict=True
            ):
                found = decode(new, message, protocol)
                self.assertSame((found.level, found.levels), (value.level, value.levels))
                self.assertEqual((found.flag, found.behind, found.between), (True, 0.5, None))
                self.assertFalse(found.before)

    def test_golden_files(self):
        """The library reads the golden files, and still writes its own identically."""
        script = HERE.parents[1] / "crates/bytelane-thrift/tests/apache.py"
        golden = HERE.parents[1] / "testdata/golden/thrift"
        subprocess.run([sys.executable, script, "read", golden], check=True, stdout=subprocess.DEVNULL)
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([sys.executable, script, "write", directory], check=True)
            for written in Path(directory).iterdir():
                self.assertEqual(written.read_bytes(), (golden / written.name).read_bytes())


def write_ids(protocol, ids):
    protocol.writeStructBegin("Ids")
    protocol.writeFieldBegin("id", TType.UUID, 1)
    protocol.writeUuid(ids[0])
    protocol.writeFieldEnd()
    protocol.writeFieldBegin("by_id", TType.MAP, 2)
    protocol.writeMapBegin(TType.UUID, TType.LIST, 1)
    protocol.writeUuid(ids[0])
    protocol.writeListBegin(TType.UUID, len(ids))
    for id in ids:
        protocol.writeUuid(id)
    protocol.writeListEnd()
    protocol.writeMapEnd()
    protocol.writeFieldEnd()
    protocol.writeFieldStop()
    protocol.writeStructEnd()


def read_ids(protocol):
    protocol.readStructBegin()
    assert protocol.readFieldBegin()[1:] == (TType.UUID, 1)
    first = protocol.readUuid()
    protocol.readFieldEnd()
    assert protocol.readFieldBegin()[1:] == (TType.MAP, 2)
    assert protocol.readMapBegin() == (TType.UUID, TType.LIST, 1)
    assert protocol.readUuid() == first
    element, length = protocol.readListBegin()
    assert element == TType.UUID
    ids = [protocol.readUuid() for _ in range(length)]
    protocol.readListEnd()
    protocol.readMapEnd()
    protocol.readFieldEnd()
    assert protocol.readFieldBegin()[1] == TType.STOP
    protocol.readStructEnd()
    return ids


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


@contextlib.contextmanager
def running(*arguments):
    command = [PROGRAM, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield TFramedTransport(Pipes(process))
        process.stdin.close()
        assert process.wait() == 0, f"{arguments} failed"


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


class Services(unittest.TestCase):
    PROTOCOLS = [*PROTOCOLS, ("non-strict-binary", non_strict)]

    def test_bytelane_serves_apache(self):
        for name, protocol in self.PROTOCOLS:
            with self.subTest(protocol=protocol.__name__), running("serve", name) as transport:
                client = service.Client(protocol(transport))
                for value in random_structs(types.Everything, 5):
                    self.assertEqual(canonical(client.echo(value)), canonical(value))
                points = [types.Point(x=2**31 - 1), types.Point(x=1, y=-(2**40))]
                self.assertEqual(client.sums(points), {"x": 2**31, "y": -(2**40)})
                with self.assertRaises(types.Rejected) as raised:
                    client.sums([])
                self.assertEqual((raised.exception.reason, raised.exception.code), ("no points", -1))
                client.note("first")
                client.note("")
                self.assertEqual(client.notes(), ["first", ""])
                self.check_unknown_method(protocol(transport))

    def check_unknown_method(self, protocol):
        protocol.writeMessageBegin("missing", TMessageType.CALL, 77)
        service.notes_args().write(protocol)
        protocol.writeMessageEnd()
        protocol.trans.flush()
        self.assertEqual(protocol.readMessageBegin(), ("missing", TMessageType.EXCEPTION, 77))
        exception = TApplicationException()
        exception.read(protocol)
        self.assertEqual(exception.type, TApplicationException.UNKNOWN_METHOD)

    def test_apache_serves_bytelane(self):
        for name, protocol in self.PROTOCOLS:
            with self.subTest(protocol=protocol.__name__), running("call", name) as transport:
                processor = service.Processor(Handler())
                # The server ends with the client, whose exit code reports success.
                with self.assertRaises(EOFError):
                    while True:
                        processor.process(protocol(transport), protocol(transport))


if __name__ == "__main__":
    unittest.main()
