"""Makes the golden file of utf8: byte strings, and what Python's decoder says of them.

    python make.py
"""

import itertools
import pathlib
import random

HERE = pathlib.Path(__file__).parent

TEXTS = ["a", "é", "漢", "😀", "\x00", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"]
BYTES = [0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF]
BYTES += [0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF]


def inputs():
    """Short ones from all bytes at which rules change, and long ones with one of these inside."""
    for length in range(3):
        yield from map(bytes, itertools.product(BYTES, repeat=length))
    generator = random.Random(17)
    for _ in range(400):
        yield bytes(generator.choices(BYTES, k=generator.randrange(3, 7)))
    for _ in range(150):
        before = "".join(generator.choices(TEXTS, k=generator.randrange(120))).encode()
        wrong = bytes(generator.choices(BYTES, k=generator.randrange(4)))
        after = "".join(generator.choices(TEXTS, k=generator.randrange(40))).encode()
        yield before + wrong + after


def judgement(given):
    """The number of characters; or where the first fault is, and its length, 0 at the end."""
    try:
        return f"text {len(given.decode())}"
    except UnicodeDecodeError as error:
        ends = error.reason == "unexpected end of data"
        return f"fault {error.start} {0 if ends else error.end - error.start}"


lines = [f"{given.hex()} {judgement(given)}\n" for given in inputs()]
HERE.joinpath("judged.txt").write_text("".join(lines))
