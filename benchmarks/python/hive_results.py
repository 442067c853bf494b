"""Measures how fast results of a server that speaks HiveServer2's protocol become Arrow tables.

    pip install ./crates/bytelane-python numpy pyarrow thriftpy2
    taskset -c 1 python benchmarks/python/hive_results.py [rows]

The server is another process on the same core, so the first figure contains what it takes to send the results through the
loopback interface; its messages exist beforehand. A million rows of ten columns are fetched in batches of 100,000: integers
of three widths, doubles, text and bools, of which every tenth value is null. The other figures are for messages in memory, two
of these batches: `decode_arrow`; thriftpy2's C protocol, which reads them as Python lists, with PyHive's loop over null bits; and
the same with these lists converted to Arrow arrays. All are medians of five rounds.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa
import thriftpy2
from thriftpy2.protocol import TCyBinaryProtocolFactory
from thriftpy2.utils import deserialize

TESTS = Path(__file__).parents[2] / "crates/bytelane-python/tests"
sys.path.append(str(TESTS))
import hive_server  # noqa: E402

WIDTH, BATCH, ROUNDS = 10, 100_000, 5


def fetched(hive: Any, port: int) -> tuple[int, list[bytes]]:
    """Fetches all batches as tables. Returns the number of cells, and the messages of the first two batches."""
    client = hive_server.Client(hive, port)
    operation = client.execute("select * from numbers")
    cells, messages = 0, []
    while True:
        reply = client.fetch(operation)
        table = pa.table(hive.TFetchResultsResp.decode_arrow(reply, "results.columns", reply=True))
        if table.num_rows == 0:
            client.peer.close()
            return cells, messages
        cells += table.num_rows * table.num_columns
        if len(messages) < 2:
            messages.append(bytes(hive_server.opened(reply)[3][3:-1]))


def as_lists(theirs: Any, message: bytes) -> list[list[Any]]:
    """Reads columns with thriftpy2, and sets nulls as PyHive does."""
    response = deserialize(theirs.TFetchResultsResp(), message, TCyBinaryProtocolFactory(decode_response=False))
    columns = []
    for column in response.results.columns:
        of = next(it for it in vars(column).values() if it is not None)
        nulls = of.nulls if isinstance(of.nulls, bytes) else of.nulls.encode()
        values = of.values
        for i, byte in enumerate(nulls):
            if byte:
                for bit in range(8):
                    if byte & (1 << bit) and i * 8 + bit < len(values):
                        values[i * 8 + bit] = None
        columns.append(values)
    return columns


def nanoseconds(call: Callable[[], int]) -> float:
    """Returns the time per cell. The call returns their number."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        cells = call()
        times.append((time.perf_counter() - start) / cells * 1e9)
    return median(times)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as directory:
        hive = hive_server.load(Path(directory))
        theirs = thriftpy2.load(str(Path(directory) / "TCLIService.thrift"), module_name="hive_thrift")
        arguments = [sys.executable, TESTS / "hive_server.py", directory, str(rows), str(WIDTH), str(BATCH)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as server:
            port = int(server.stdout.readline())  # type: ignore[union-attr]
            cells, messages = fetched(hive, port)
            fetching = nanoseconds(lambda: fetched(hive, port)[0])
            server.terminate()
    each = min(rows, 2 * BATCH) * WIDTH

    def lists() -> int:
        return sum(len(as_lists(theirs, message)) for message in messages) and each

    def arrays() -> int:
        return sum(len([pa.array(it) for it in as_lists(theirs, message)]) for message in messages) and each

    def tables() -> int:
        tables = [pa.table(hive.TFetchResultsResp.decode_arrow(it, "results.columns")) for it in messages]
        return sum(len(it) for it in tables) * WIDTH

    print(f"{cells} cells from the server in {fetching * cells / 1e9:.3f} s")
    ours = nanoseconds(tables)
    for name, time_per_cell in [("bytelane", ours), ("thriftpy2, lists", nanoseconds(lists)), ("thriftpy2, arrays", nanoseconds(arrays))]:
        print(f"{name:20}{time_per_cell:>10.1f} ns per cell{time_per_cell / ours:>10.1f}")


if __name__ == "__main__":
    main()
