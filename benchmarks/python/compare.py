"""Compares the Python package with the libraries that Python programs use for the same work.

    pip install ./crates/bytelane-python numpy pybase64 numcodecs blosc2 orjson
    taskset -c 1 python benchmarks/python/compare.py > benchmarks/record/DATE-python-CPU.csv

Each row is a ratio: the median CPU time of the other library divided by that of bytelane, of 11 alternating rounds in
one process. More than 1 means that bytelane is faster. Arguments select the operations whose names contain one of them.

`blosc2 filter` is the C function of its shuffle filter, to existing memory; the time of an empty call is subtracted.
`copy` is `numpy.ndarray.tobytes`: the cost of a new object of that size with the simplest content. Whole tables are measured by
`benchmarks/parquet/compare.py`.
"""

from __future__ import annotations

import base64 as standard
import ctypes
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import blosc2
import bytelane
import numcodecs
import numpy as np
import orjson
import pybase64

ROUNDS = 11
SIZES = [16, 1 << 10, 64 << 10, 1 << 20]

Call = Callable[[], Any]


def seconds(call: Call, calls: int) -> float:
    """Returns the time per call, of several calls in a row."""
    start = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - start) / calls


class Net(NamedTuple):
    """Call whose time excludes that of another call."""

    call: Call
    empty: Call

    def seconds(self, calls: int) -> float:
        return seconds(self.call, calls) - seconds(self.empty, calls)


def row(operation: str, size: int, ours: Call, others: Mapping[str, Call | Net]) -> None:
    """Measures alternately, and prints a line for each other library."""
    if not any(word in operation for word in sys.argv[1:] or [""]):
        return
    repeats = max(1, int(0.01 / seconds(ours, 3)))
    times: dict[str, list[float]] = {name: [] for name in ["", *others]}
    for _ in range(ROUNDS):
        times[""].append(seconds(ours, repeats))
        for name, call in others.items():
            times[name].append(call.seconds(repeats) if isinstance(call, Net) else seconds(call, repeats))
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


def blosc2_filter(name: str, width: int, data: Any) -> Net:
    """Returns the filter alone: blosc2's container stores incompressible data unfiltered."""
    [path] = Path(blosc2.__file__).parent.glob("lib/libblosc2.so.*")
    function = getattr(ctypes.PyDLL(str(path)), f"blosc2_{name}")
    function.argtypes = [ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p]
    result = np.empty_like(data)
    source, target, size = data.ctypes.data, result.ctypes.data, len(data)
    assert function(width, size, source, target) == size
    assert result.tobytes() == getattr(numcodecs.Shuffle(width), {"shuffle": "encode"}.get(name, "decode"))(data).tobytes()

    def call(count: int, _keep: Any = (data, result)) -> None:
        function(width, count, source, target)

    return Net(lambda: call(size), lambda: call(0))


def shuffle(size: int) -> None:
    for width in (2, 4, 8):
        data = np.random.default_rng(size).integers(0, 256, size, "u1")
        ours, other = bytelane.Shuffle(width), numcodecs.Shuffle(width)
        shuffled = np.frombuffer(bytes(other.encode(data)), "u1")
        assert bytes(ours.encode(data)) == shuffled.tobytes()
        forward = {
            "numcodecs": lambda: other.encode(data),
            "blosc2 filter": blosc2_filter("shuffle", width, data),
            "copy": lambda: data.tobytes(),
        }
        back = {
            "numcodecs": lambda: other.decode(shuffled),
            "blosc2 filter": blosc2_filter("unshuffle", width, shuffled),
            "copy": lambda: data.tobytes(),
        }
        row(f"shuffle {width}", size, lambda: ours.encode(data), forward)
        row(f"unshuffle {width}", size, lambda: ours.decode(shuffled), back)
        values = data.view(f"u{width}")
        split = bytelane.byte_stream_split
        row(f"split {width}", size, lambda: split.encode(values), forward)
        row(f"join {width}", size, lambda: split.decode(shuffled, values.dtype), back)


def main() -> None:
    print(f"bytelane {bytelane.__version__} {bytelane.backend()}, {sys.version}", file=sys.stderr)
    print("operation,bytes,library,ns,ratio")
    for size in SIZES:
        base64(size)
        json_strings(size)
        if size >= 64 << 10:
            shuffle(size)


if __name__ == "__main__":
    main()
