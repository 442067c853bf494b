"""Compares the Python package with the libraries that Python programs use for the same work.

    pip install numpy pybase64 numcodecs blosc2 orjson pyarrow
    taskset -c 1 python benchmarks/python/compare.py > benchmarks/record/DATE-python-CPU.csv

Each row is a ratio within one process: the median time of the other library by that of bytelane, of 11
rounds in turns. More than 1 means that bytelane is faster. The wheel must be a release build.
"""

from __future__ import annotations

import base64 as standard
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import blosc2
import bytelane
import numcodecs
import numpy as np
import orjson
import pybase64
import pyarrow as pa
import pyarrow.parquet as pq

ROUNDS = 11
SIZES = [16, 1 << 10, 64 << 10, 1 << 20]

Call = Callable[[], Any]


def seconds(call: Call, calls: int) -> float:
    """The time of one call, of several in a row."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def row(operation: str, size: int, ours: Call, others: dict[str, Call]) -> None:
    """Measures in turns, and prints a line for each other library."""
    calls = {"": ours} | others
    repeats = max(1, int(0.01 / seconds(ours, 3)))
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            times[name].append(seconds(call, max(1, repeats)))
    own = median(times[""])
    for name in others:
        print(f"{operation},{size},{name},{own * 1e9:.0f},{median(times[name]) / own:.2f}", flush=True)


def base64(size: int) -> None:
    data = np.random.default_rng(size).bytes(size)
    text = standard.b64encode(data)
    for name, argument in (("b64encode", data), ("b64decode", text)):
        ours, std, other = (getattr(it, name) for it in (bytelane.base64, standard, pybase64))
        assert ours(argument) == std(argument) == other(argument)
        others = {"base64": lambda: std(argument), "pybase64": lambda: other(argument)}
        row(name, size, lambda: ours(argument), others)


def json_strings(size: int) -> None:
    for name, piece in (("ascii", "plain text "), ("cjk", "漢字かな交じり文"), ("escapes", 'a "b"\n')):
        text = (piece * (size // len(piece.encode()) + 1)).encode()[:size].decode(errors="ignore")
        assert bytelane.json_string.escape(text) == orjson.dumps(text)
        others = {"orjson": lambda: orjson.dumps(text), "json": lambda: json.dumps(text)}
        row(f"json escape {name}", size, lambda: bytelane.json_string.escape(text), others)


def shuffle(size: int) -> None:
    for width in (2, 4, 8):
        data = np.random.default_rng(size).integers(0, 256, size, "u1")
        ours, other = bytelane.Shuffle(width), numcodecs.Shuffle(width)
        shuffled = np.frombuffer(bytes(other.encode(data)), "u1")
        assert bytes(ours.encode(data)) == shuffled.tobytes()
        raw = data.tobytes()
        blosc = {
            "codec": blosc2.Codec.BLOSCLZ,
            "clevel": 0,
            "typesize": width,
            "filters": [blosc2.Filter.SHUFFLE],
            "nthreads": 1,
        }
        packed = blosc2.compress2(raw, **blosc)
        forward = {
            "numcodecs": lambda: other.encode(data),
            "blosc2": lambda: blosc2.compress2(raw, **blosc),
        }
        back = {"numcodecs": lambda: other.decode(shuffled), "blosc2": lambda: blosc2.decompress2(packed)}
        row(f"shuffle {width}", size, lambda: ours.encode(data), forward)
        row(f"unshuffle {width}", size, lambda: ours.decode(shuffled), back)
        values = data.view(f"u{width}")
        split = bytelane.byte_stream_split
        row(f"split {width}", size, lambda: split.encode(values), forward)
        row(f"join {width}", size, lambda: split.decode(shuffled, values.dtype), back)


def parquet(directory: Path) -> None:
    generator = np.random.default_rng(1)
    table = pa.table({
        "temperature": pa.array(np.round(generator.normal(15, 8, 1 << 20), 1)),
        "load": pa.array(generator.normal(size=1 << 20).astype("f4")),
        "count": pa.array(generator.integers(0, 1000, 1 << 20)),
    })
    path, other = directory / "ours.parquet", directory / "other.parquet"
    bytelane.parquet.write_table(table, path)
    assert pq.read_table(path).equals(table)
    for threads in (False, True):
        name = f"pyarrow {'with' if threads else 'without'} threads"
        row("read_table", table.nbytes, lambda: bytelane.parquet.read_table(path),
            {name: lambda: pq.read_table(path, use_threads=threads)})
    row("write_table", table.nbytes, lambda: bytelane.parquet.write_table(table, path),
        {"pyarrow": lambda: pq.write_table(table, other, compression="zstd")})


def main() -> None:
    print(f"bytelane {bytelane.__version__} {bytelane.backend()}, {sys.version}", file=sys.stderr)
    print("operation,bytes,library,ns,ratio")
    for size in SIZES:
        base64(size)
        json_strings(size)
        if size >= 64 << 10:
            shuffle(size)
    with TemporaryDirectory() as directory:
        parquet(Path(directory))


if __name__ == "__main__":
    main()
