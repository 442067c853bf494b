"""Reads, compares and changes the metadata of Parquet files field by field, as Thrift without a schema.

A struct is a dictionary from field numbers to pairs of type and value, a list a pair of element type and values.
"""

import struct

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
MAGIC = b"PAR1"


class Decoder:
    """Reads Thrift's compact protocol."""

    def __init__(self, data, position=0):
        self.data, self.position = data, position

    def take(self, length):
        start, self.position = self.position, self.position + length
        assert self.position <= len(self.data), "the metadata ends early"
        return bytes(self.data[start:self.position])

    def varint(self):
        number = shift = 0
        while True:
            (byte,) = self.take(1)
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def integer(self):
        number = self.varint()
        return number >> 1 ^ -(number & 1)

    def value(self, kind):
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind == BYTE:
            return self.take(1)
        if kind in (I16, I32, I64):
            return self.integer()
        if kind == DOUBLE:
            return self.take(8)
        if kind == BINARY:
            return self.take(self.varint())
        if kind in (LIST, SET):
            return self.list()
        assert kind == STRUCT, f"Parquet's metadata has no type {kind}"
        return self.structure()

    def list(self):
        (header,) = self.take(1)
        length, kind = header >> 4, header & 15
        length = self.varint() if length == 15 else length
        if kind in (TRUE, FALSE):
            return kind, [self.take(1) == b"\1" for _ in range(length)]
        return kind, [self.value(kind) for _ in range(length)]

    def structure(self):
        fields, number = {}, 0
        while True:
            (header,) = self.take(1)
            if header == 0:
                return fields
            kind = header & 15
            number = number + (header >> 4) if header >> 4 else self.integer()
            fields[number] = kind, self.value(kind)


def varint(number):
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def encoded_value(kind, value):
    if kind in (TRUE, FALSE):
        return b""
    if kind in (BYTE, DOUBLE):
        return value
    if kind in (I16, I32, I64):
        return varint(value << 1 if value >= 0 else (-value << 1) - 1)
    if kind == BINARY:
        return varint(len(value)) + value
    if kind in (LIST, SET):
        of, values = value
        short = len(values) < 15
        header = bytes([(len(values) if short else 15) << 4 | of]) + (b"" if short else varint(len(values)))
        if of in (TRUE, FALSE):
            return header + bytes(1 if value else 2 for value in values)
        return header + b"".join(encoded_value(of, value) for value in values)
    return encoded(value)


def encoded(fields):
    """Returns a struct as bytes."""
    parts, last = [], 0
    for number, (kind, value) in sorted(fields.items()):
        if kind in (TRUE, FALSE):
            kind = TRUE if value else FALSE
        step = number - last
        parts.append(bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + encoded_value(I16, number))
        parts.append(encoded_value(kind, value))
        last = number
    return b"".join(parts) + b"\0"


def decoded(data, position=0):
    """Returns the struct at a position, and its end."""
    decoder = Decoder(data, position)
    return decoder.structure(), decoder.position


def split(data):
    """Splits a file into the part before the footer, and the footer."""
    assert data[-4:] == MAGIC, "not a Parquet file"
    (length,) = struct.unpack("<I", data[-8:-4])
    return data[:-8 - length], decoded(data[-8 - length:-8])[0]


def joined(body, footer):
    """Returns a file with this body and footer."""
    footer = encoded(footer)
    return body + footer + struct.pack("<I", len(footer)) + MAGIC


def get(fields, *path):
    """Returns the value at a path of field numbers and list indexes, or None."""
    for number in path:
        if fields is None:
            return None
        if isinstance(fields, tuple):
            fields = fields[1][number]
        else:
            fields = fields.get(number, (None, None))[1]
    return fields
