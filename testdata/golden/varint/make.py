"""Makes the golden files of varint: values, and the packed field that protobuf writes of them.

    pip install protobuf==7.36.2
    python make.py
"""

import pathlib
import struct

from google.protobuf.internal import encoder, wire_format

HERE = pathlib.Path(__file__).parent
TYPES = {
    "u32": (32, False, "I"),
    "u64": (64, False, "Q"),
    "i32": (32, True, "i"),
    "i64": (64, True, "q"),
}


def values(bits, signed):
    """The bounds of every length, then lengths in a mix."""
    numbers = [0]
    for width in range(1, bits + 1):
        numbers += [(1 << width) - 1, 1 << (width - 1)]
    state = 1
    for _ in range(500):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        numbers.append(state >> (64 - 1 - (state >> 20) % bits))
    return [wire_format.ZigZagDecode(number) for number in numbers] if signed else numbers


for name, (bits, signed, letter) in TYPES.items():
    numbers = values(bits, signed)
    packed = bytearray()
    make = encoder.SInt64Encoder if signed else encoder.UInt64Encoder
    make(1, False, True)(packed.extend, numbers, False)
    # Behind the tag and the length, both varints: the length has two bytes.
    assert packed[0] == 0x0A and packed[2] < 0x80
    (HERE / f"type={name}.values").write_bytes(struct.pack(f"<{len(numbers)}{letter}", *numbers))
    (HERE / f"type={name}.bytes").write_bytes(packed[3:])
