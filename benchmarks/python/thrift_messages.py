"""Compares `bytelane.thrift` with thriftpy2's C protocol on the structs of fbthrift's ProtocolBench.

    pip install ./crates/bytelane-python numpy thriftpy2
    taskset -c 1 python benchmarks/python/thrift_messages.py

Each row has the time of bytelane in nanoseconds, and the ratios of thriftpy2's time to it: once with `serialize` and
`deserialize`, which create a protocol for each message as `encode` and `decode` do, and once with the functions of the protocol
alone, on memory that exists. They are medians of 11 alternating rounds in one process. Objects are not created anew for
writing. `lists` is bytelane with `arrays=False`. Arguments select the structs whose names contain one of them.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import thriftpy2
from bytelane import thrift
from thriftpy2.protocol import TCyBinaryProtocolFactory
from thriftpy2.protocol.cybin import TCyBinaryProtocol
from thriftpy2.transport import TCyMemoryBuffer
from thriftpy2.utils import deserialize, serialize

ROUNDS = 11

IDL = """
struct SmallInt { 1: i32 f }
struct SmallString { 1: string f }
struct BigString { 1: string f }
struct BigBinary { 1: binary f }
struct Mixed { 1: i32 a, 2: i64 b, 3: bool c, 4: string d }
struct SmallListInt { 1: list<i32> f }
struct BigListByte { 1: list<byte> f }
struct BigListShort { 1: list<i16> f }
struct BigListInt { 1: list<i32> f }
struct BigListBigInt { 1: list<i64> f }
struct BigListDouble { 1: list<double> f }
struct BigListMixed { 1: list<Mixed> f }
struct LargeMapInt { 1: map<i32, i32> f }
struct LargeSetInt { 1: set<i32> f }
"""


def contents(module: Any, arrays: bool) -> dict[str, Any]:
    """Returns an object of each struct."""
    rng = random.Random(0)

    def numbers(bits: int, count: int = 10_000, dtype: str = "") -> Any:
        values = [rng.randrange(-(1 << bits - 1), 1 << bits - 1) for _ in range(count)]
        return np.array(values, dtype) if arrays else values

    def mixed() -> Any:
        return module.Mixed(a=5, b=12345, c=True, d="hello" * 4)

    doubles = [rng.random() for _ in range(10_000)]
    values = {
        "SmallInt": 5,
        "SmallString": "small string",
        "BigString": "a" * 10_000,
        "BigBinary": rng.randbytes(10_000),
        "SmallListInt": numbers(32, 10, "int32"),
        "BigListByte": numbers(8, dtype="int8"),
        "BigListShort": numbers(16, dtype="int16"),
        "BigListInt": numbers(32, dtype="int32"),
        "BigListBigInt": numbers(64, dtype="int64"),
        "BigListDouble": np.array(doubles) if arrays else doubles,
        "BigListMixed": [mixed() for _ in range(10_000)],
        "LargeMapInt": {rng.randrange(1 << 31): i for i in range(100_000)},
        "LargeSetInt": {rng.randrange(1 << 31) for _ in range(100_000)},
    }
    return {"Mixed": mixed()} | {name: getattr(module, name)(f=value) for name, value in values.items()}


def seconds(call: Callable[[], Any], calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - start) / calls


def row(name: str, calls: dict[str, Callable[[], Any]]) -> None:
    repeats = max(1, int(0.01 / seconds(calls["arrays"], 3)))
    times: dict[str, list[float]] = {it: [] for it in calls}
    for _ in range(ROUNDS):
        for it, call in calls.items():
            times[it].append(seconds(call, repeats if it in ("arrays", "lists") else max(1, repeats // 10)))
    own = median(times["arrays"])
    ratios = [median(times[it]) / own for it in calls if it != "arrays"]
    print(f"{name:24}{own * 1e9:>12.0f}" + "".join(f"{ratio:>12.2f}" for ratio in ratios), flush=True)


def raw_write(value: Any) -> bytes:
    buffer = TCyMemoryBuffer()
    TCyBinaryProtocol(buffer).write_struct(value)
    return bytes(buffer.getvalue())


def raw_read(value: Any, message: bytes) -> Any:
    TCyBinaryProtocol(TCyMemoryBuffer(message)).read_struct(value)
    return value


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "bench.thrift"
        path.write_text(IDL)
        arrays, lists = (thrift.load(path, arrays=it) for it in (True, False))
        theirs = thriftpy2.load(str(path), module_name="bench_thrift")
    objects = [contents(arrays, True), contents(lists, False), contents(theirs, False)]
    factory = TCyBinaryProtocolFactory()
    print(f"{'':24}{'bytelane ns':>12}{'lists':>12}{'serialize':>12}{'protocol':>12}")
    for name in objects[0]:
        if not any(word in name for word in sys.argv[1:] or [""]):
            continue
        one, other, their = (it[name] for it in objects)
        message = serialize(their, factory)
        if name != "LargeSetInt":
            assert message == one.encode() == other.encode(), name
        of_one, of_other, of_their = type(one), type(other), type(their)
        row(
            f"{name} write",
            {
                "arrays": one.encode,
                "lists": other.encode,
                "serialize": lambda: serialize(their, factory),
                "protocol": lambda: raw_write(their),
            },
        )
        row(
            f"{name} read",
            {
                "arrays": lambda: of_one.decode(message),
                "lists": lambda: of_other.decode(message),
                "serialize": lambda: deserialize(of_their(), message, factory),
                "protocol": lambda: raw_read(of_their(), message),
            },
        )


if __name__ == "__main__":
    main()
