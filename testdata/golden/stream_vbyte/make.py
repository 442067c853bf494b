"""Makes the golden files of stream_vbyte's 32-bit variants: values, and what the C library
`streamvbyte` writes of them.

    gcc -O2 -shared -fPIC -I streamvbyte/include -o libstreamvbyte.so streamvbyte/src/*.c
    python make.py ./libstreamvbyte.so
"""

import ctypes
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).parent
LIBRARY = ctypes.CDLL(sys.argv[1])


def mixed(bits):
    """The bounds of every length, then lengths in a mix; 3 modulo 4 of them."""
    numbers = [0, 0, 0, 0]
    for width in range(1, bits + 1):
        numbers += [(1 << width) - 1, 1 << (width - 1)]
    state = 1
    for _ in range(507):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        numbers.append((state >> (64 - bits)) >> (state >> 20) % bits)
    return numbers


def ascending(gaps):
    """Their sums, modulo 2^32."""
    sums, last = [], 7
    for gap in gaps:
        last = (last + gap) % (1 << 32)
        sums.append(last)
    return sums


def encode(function, numbers, *more):
    count = len(numbers)
    values = (ctypes.c_uint32 * count)(*numbers)
    encoded = (ctypes.c_uint8 * (5 * count + 64))()
    function = getattr(LIBRARY, function)
    function.restype = ctypes.c_size_t
    length = function(values, ctypes.c_uint32(count), encoded, *more)
    return bytes(encoded[:length])


def zigzag(function, numbers, *more):
    count = len(numbers)
    values = (ctypes.c_uint32 * count)(*numbers)
    stored = (ctypes.c_uint32 * count)()
    getattr(LIBRARY, function)(values, stored, ctypes.c_size_t(count), *more)
    return list(stored)


def write(name, numbers, encoded):
    (HERE / f"{name}.values").write_bytes(struct.pack(f"<{len(numbers)}I", *numbers))
    (HERE / f"{name}.bytes").write_bytes(encoded)


NUMBERS = mixed(32)
SUMS = ascending(NUMBERS)
START = ctypes.c_uint32(0)
for variant, function in [("1234", "streamvbyte_encode"), ("0124", "streamvbyte_encode_0124")]:
    write(f"variant={variant}", NUMBERS, encode(function, NUMBERS))
    signs = zigzag("zigzag_encode", NUMBERS)
    write(f"variant={variant},zigzag=true", NUMBERS, encode(function, signs))
    signs = zigzag("zigzag_delta_encode", SUMS, START)
    write(f"variant={variant},delta=true,zigzag=true", SUMS, encode(function, signs))
write("variant=1234,delta=true", SUMS, encode("streamvbyte_delta_encode", SUMS, START))
