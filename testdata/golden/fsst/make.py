#!/usr/bin/env python3
"""Writes the golden files of fsst with the reference implementation: make.py LIBRARY

LIBRARY is compiled from https://github.com/cwida/fsst:
g++ -std=c++17 -O3 -march=native -shared -fPIC -o libfsst.so libfsst.cpp fsst_avx512.cpp
"""

import ctypes
import random
import sys
from pathlib import Path

HERE = Path(__file__).parent


def lines_of(kind: str) -> list[bytes]:
    """Returns lines, each with its end."""
    draw = random.Random(kind)
    words = "the carefully final deposits sleep quickly among special pinto beans".split()
    match kind:
        case "urls":
            texts = [
                f"https://{draw.choice(['www.example.com', 'docs.library.io'])}/"
                f"{draw.choice(words)}?id={draw.randrange(100_000)}"
                for _ in range(80)
            ]
        case "comments":
            texts = [" ".join(draw.choices(words, k=draw.randrange(9))) for _ in range(90)]
        case "chinese":
            texts = ["".join(chr(0x4E00 + draw.randrange(300)) for _ in range(20)) for _ in range(50)]
        case _:
            some = bytes(set(range(256)) - {10})
            return [bytes(draw.choices(some, k=draw.randrange(60))) + b"\n" for _ in range(60)]
    return [f"{text}\n".encode() for text in texts]


def encoded(library: ctypes.CDLL, lines: list[bytes]) -> bytes:
    """Returns the table and the codes that the reference implementation writes."""
    count = len(lines)
    lengths = (ctypes.c_size_t * count)(*map(len, lines))
    starts = (ctypes.c_char_p * count)(*lines)
    library.fsst_create.restype = ctypes.c_void_p
    encoder = ctypes.c_void_p(library.fsst_create(ctypes.c_size_t(count), lengths, starts, 0))
    table = ctypes.create_string_buffer(1 << 12)
    size = library.fsst_export(encoder, table)
    room = 16 + 2 * sum(lengths)
    codes = ctypes.create_string_buffer(room)
    ends = (ctypes.c_size_t * count)()
    places = (ctypes.c_void_p * count)()
    library.fsst_compress.restype = ctypes.c_size_t
    done = library.fsst_compress(
        encoder, ctypes.c_size_t(count), lengths, starts, ctypes.c_size_t(room), codes, ends, places
    )
    assert done == count
    library.fsst_destroy(encoder)
    return table.raw[:size] + codes.raw[: sum(ends)]


def main() -> None:
    library = ctypes.CDLL(sys.argv[1])
    for kind in ["urls", "comments", "chinese", "bytes"]:
        lines = lines_of(kind)
        (HERE / f"{kind}.values").write_bytes(b"".join(lines))
        (HERE / f"{kind}.reference").write_bytes(encoded(library, lines))


main()
