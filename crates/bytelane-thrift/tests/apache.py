#!/usr/bin/env python3
"""Exchanges the value of tests/common/mod.rs with Apache Thrift's Python library.

    apache.py write DIRECTORY    writes it to DIRECTORY/apache-python.{binary,compact,json}
    apache.py read DIRECTORY     reads DIRECTORY/bytelane.{binary,compact,json}, and fails unless
                                 they hold it

Needs the package `thrift` of PyPI (0.22 or later).
"""

import sys
from pathlib import Path

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TCompactProtocol import TCompactProtocol
from thrift.protocol.TJSONProtocol import TJSONProtocol
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer


class Json(TJSONProtocol):
    """Fixes the library's writer, which writes `inf`: no reader accepts it, not even its own."""

    def writeDouble(self, value):
        if value in (INFINITY, -INFINITY):
            self.writeJSONString("Infinity" if value > 0 else "-Infinity")
        else:
            super().writeDouble(value)


INFINITY = float("inf")
PROTOCOLS = {"binary": TBinaryProtocol, "compact": TCompactProtocol, "json": Json}

# A type is a number of TType, or a tuple of one and its components. BINARY is a string for the
# protocols, and bytes here.
BINARY = "binary"
I64_LIST = (TType.LIST, TType.I64)
POINT = (TType.STRUCT, {1: TType.I32, 20: TType.I64})
TREE = (TType.STRUCT, {1: TType.I32})
TREE[1].update({2: TREE, 3: (TType.LIST, TREE)})
SHAPE = (TType.STRUCT, {1: TType.DOUBLE, 2: (TType.LIST, POINT)})
SHAPE[1][300] = SHAPE
EVERYTHING = (
    TType.STRUCT,
    {
        1: TType.BOOL,
        2: TType.BOOL,
        3: TType.BYTE,
        4: TType.I16,
        5: TType.I32,
        6: TType.I64,
        7: TType.DOUBLE,
        8: TType.STRING,
        9: BINARY,
        10: TType.I32,
        11: POINT,
        12: SHAPE,
        13: TREE,
        14: (TType.LIST, TType.BOOL),
        15: (TType.LIST, TType.BYTE),
        40: (TType.LIST, TType.I16),
        41: (TType.LIST, TType.I32),
        42: I64_LIST,
        43: (TType.LIST, TType.DOUBLE),
        44: (TType.LIST, TType.STRING),
        45: (TType.LIST, POINT),
        46: (TType.LIST, (TType.LIST, TType.I32)),
        47: (TType.SET, TType.I64),
        48: (TType.SET, TType.STRING),
        49: (TType.SET, TType.DOUBLE),
        50: (TType.MAP, TType.STRING, TType.I32),
        51: (TType.MAP, TType.I32, (TType.LIST, TType.STRING)),
        52: (TType.MAP, TType.DOUBLE, (TType.MAP, TType.BOOL, TType.STRING)),
        53: (TType.MAP, TType.I32, (TType.SET, TType.I32)),
        1000: TType.I16,
        999: (TType.LIST, BINARY),
    },
)


def wrap(number, bits):
    """Return a number, wrapped around to a signed number of `bits` bits."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def tree(value, left=None, others=()):
    fields = {1: value, 3: list(others)}
    return fields if left is None else {1: value, 2: left, 3: list(others)}


VALUE = {
    1: True,
    2: False,
    3: -7,
    4: -30_000,
    5: -(1 << 31),
    6: (1 << 63) - 1,
    7: -0.1,
    8: 'say "hi"\\\n\t\x7f äöü 漢字 😀 /<>&',
    9: bytes(range(256)),
    10: 77,
    11: {1: -1},
    12: {300: {2: [{1: 0, 20: 1}, {1: 300, 20: -(1 << 63)}]}},
    13: tree(1, tree(0), [tree(5)] * 3),
    14: [True, False, True],
    15: [0, -1, -128, 127],
    40: [wrap(i * i - 9000, 16) for i in range(300)],
    41: [wrap(i * 0x9E3779B9, 32) >> (i % 32) for i in range(100)],
    42: [0, 1, -1, 63, 64, -64, -65, -(1 << 63), (1 << 63) - 1, 1 << 40],
    43: [0.0, -0.0, 1.5, 1e300, 5e-324, INFINITY, -INFINITY, sys.float_info.max],
    44: ["", "a", "\r", "x" * 1000],
    45: [{1: 1, 20: 2}, {1: 3}],
    46: [[], [1, 2], [-3]],
    47: {-1, 0, 1 << 33},
    48: {"one"},
    49: {0.5, INFINITY},
    50: {'a"b': 1, "": -2},
    51: {-9: ["x"]},
    52: {1.5: {True: "t", False: "f"}, -2.5: {}},
    53: {-2: {1, 0}},
    1000: 2,
    999: [b"", b"\0", b"\1\2", b"\xff" * 3],
}

NAMES = {
    TType.BOOL: "Bool",
    TType.BYTE: "Byte",
    TType.I16: "I16",
    TType.I32: "I32",
    TType.I64: "I64",
    TType.DOUBLE: "Double",
    TType.STRING: "String",
    BINARY: "Binary",
}


def number(kind):
    """Return the number of a type in the protocol."""
    if kind == BINARY:
        return TType.STRING
    return kind[0] if isinstance(kind, tuple) else kind


def write(protocol, kind, value):
    if not isinstance(kind, tuple):
        return getattr(protocol, "write" + NAMES[kind])(value)
    if kind[0] == TType.STRUCT:
        protocol.writeStructBegin("")
        for field, content in value.items():
            protocol.writeFieldBegin("", number(kind[1][field]), field)
            write(protocol, kind[1][field], content)
            protocol.writeFieldEnd()
        protocol.writeFieldStop()
        protocol.writeStructEnd()
    elif kind[0] == TType.MAP:
        protocol.writeMapBegin(number(kind[1]), number(kind[2]), len(value))
        for key, content in value.items():
            write(protocol, kind[1], key)
            write(protocol, kind[2], content)
        protocol.writeMapEnd()
    else:
        name = "List" if kind[0] == TType.LIST else "Set"
        getattr(protocol, f"write{name}Begin")(number(kind[1]), len(value))
        for content in value:
            write(protocol, kind[1], content)
        getattr(protocol, f"write{name}End")()


def read(protocol, kind):
    if not isinstance(kind, tuple):
        value = getattr(protocol, "read" + NAMES[kind])()
        return bool(value) if kind == TType.BOOL else value
    if kind[0] == TType.STRUCT:
        value = {}
        protocol.readStructBegin()
        while True:
            _, found, field = protocol.readFieldBegin()
            if found == TType.STOP:
                break
            assert found == number(kind[1][field]), (field, found)
            value[field] = read(protocol, kind[1][field])
            protocol.readFieldEnd()
        protocol.readStructEnd()
        return value
    if kind[0] == TType.MAP:
        _, _, size = protocol.readMapBegin()
        value = {read(protocol, kind[1]): read(protocol, kind[2]) for _ in range(size)}
        protocol.readMapEnd()
        return value
    name = "List" if kind[0] == TType.LIST else "Set"
    _, size = getattr(protocol, f"read{name}Begin")()
    value = [read(protocol, kind[1]) for _ in range(size)]
    getattr(protocol, f"read{name}End")()
    return value if kind[0] == TType.LIST else set(value)


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("write", "read"):
        sys.exit(__doc__)
    action, directory = sys.argv[1], Path(sys.argv[2])
    for name, protocol in PROTOCOLS.items():
        if action == "write":
            buffer = TMemoryBuffer()
            write(protocol(buffer), EVERYTHING, VALUE)
            (directory / f"apache-python.{name}").write_bytes(buffer.getvalue())
            continue
        buffer = TMemoryBuffer((directory / f"bytelane.{name}").read_bytes())
        found = read(protocol(buffer), EVERYTHING)
        assert repr(found[43]) == repr(VALUE[43]), f"{name}: the sign of zero"
        assert found == VALUE, f"{name}: another value"
        assert buffer.read(1) == b"", f"{name}: bytes behind the value"
        print(f"{name}: read")


if __name__ == "__main__":
    main()
