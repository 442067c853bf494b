"""Compares sizes of the same rows as Parquet, Lance and Vortex files, and how fast these are written and read.

    sizes.py [--scale FACTOR] [--rounds COUNT] [--only DATA] [--columns] [--sizes]

Parquet files are written by pyarrow, Polars, DuckDB and bytelane: as it chooses by default, with the goal `size`, and with
this goal and the previews ALP and FSST. Each file is written without compression and with zstd at level 3. For Lance and Vortex, "none" is
the default, which has lightweight encodings such as FSST, and "zstd" the option that compresses further: for Lance zstd
at level 3 for each column, for Vortex its compact files.

Each library has a process of its own on one core, and each file is checked: the library must read the rows that were written.
The tables show megabytes, then seconds of CPU time: medians of writing the file, of reading it to Arrow, and of reading
1,000 rows at random places. `--columns` makes a table of each column, to find out which one is larger. A library that is
not installed is named and left out. The tables of TPC-H have the given scale; the others are generated with a million rows per
unit of the scale.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import files
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from compare import check, cpu_name
from process import Process

SERVER = Path(__file__).with_name("serve.py")
LIBRARIES = ["pyarrow", "polars", "duckdb", "bytelane", "bytelane-size", "bytelane-previews", "lance", "vortex"]
COMPRESSIONS = ["none", "zstd:3"]
DIMENSIONS = 256
TAKEN = 1000
Random = np.random.Generator


def words(random: Random, count: int, of: list[str], weight: float = 1.3) -> Any:
    """Returns strings of a list, of which the first ones are the most frequent."""
    return np.array(of, dtype=object)[np.minimum(random.zipf(weight, count) - 1, len(of) - 1)]


def urls(random: Random, count: int) -> pa.Table:
    hosts = [f"https://{name}.example.{end}" for name in ("www", "shop", "news", "cdn") for end in ("com", "org", "de")]
    paths = ["products", "articles", "users", "search", "images", "static/js", "api/v2/items", "checkout"]
    host, path, number = words(random, count, hosts), words(random, count, paths), random.integers(0, 10_000_000, count)
    pages = random.integers(1, 40, count)
    values = [f"{h}/{p}/{n}?page={g}" for h, p, n, g in zip(host, path, number, pages, strict=True)]
    return pa.table({"url": values})


def logs(random: Random, count: int) -> pa.Table:
    times = random.exponential(800, count).astype("i8").cumsum() + 1_700_000_000_000_000
    user, size = random.zipf(1.2, count) % 100_000, random.lognormal(8, 2, count).astype("i8")
    verbs, levels = ["GET", "POST", "PUT", "DELETE"], ["INFO", "WARN", "ERROR", "DEBUG"]
    verb, status = words(random, count, verbs), words(random, count, ["200", "304", "404", "500", "301"], 1.8)
    took = random.gamma(2, 30, count)
    message = [
        f"{v} /api/users/{u}/orders status={s} bytes={b} took={t:.1f}ms"
        for v, u, s, b, t in zip(verb, user, status, size, took, strict=True)
    ]
    return pa.table(
        {
            "time": pa.array(times, pa.timestamp("us")),
            "level": words(random, count, levels, 1.8),
            "host": words(random, count, [f"web-{i:03}.eu.example.net" for i in range(200)], 1.1),
            "user": user.astype("i8"),
            "bytes": size,
            "message": message,
        }
    )


def embeddings(random: Random, count: int) -> pa.Table:
    vectors = random.normal(size=(max(count // 50, 1), DIMENSIONS)).astype("f4")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return pa.table({"vector": pa.FixedSizeListArray.from_arrays(vectors.ravel(), DIMENSIONS)})


def prices(random: Random, count: int) -> pa.Table:
    symbols = [f"{a}{b}{c}" for a in "ABCDE" for b in "FGHIJ" for c in "KLMN"]
    symbol = random.integers(0, len(symbols), count)
    start = random.lognormal(4, 1, len(symbols))
    price = np.empty(count)
    for number, first in enumerate(start):
        trades = symbol == number
        price[trades] = first * np.exp(random.normal(0, 0.0005, trades.sum()).cumsum())
    price = price.round(2)
    quantity = random.geometric(0.02, count) * 10
    return pa.table(
        {
            "symbol": pa.array(np.array(symbols, dtype=object)[symbol]),
            "price": price,
            "quantity": quantity,
            "amount": (price * quantity).round(2),
        }
    )


def timestamps(random: Random, count: int) -> pa.Table:
    start = 1_700_000_000_000_000
    jitter = random.integers(-400, 400, count)
    return pa.table(
        {
            "arrival": files.timestamps(random, count),
            "regular": pa.array(start + np.arange(count) * 10_000 + jitter, pa.timestamp("us")),
            "unsorted": pa.array(start // 1000 + random.integers(0, 86_400_000, count), pa.timestamp("ms")),
        }
    )


GENERATED: dict[str, Callable[[Random, int], pa.Table]] = {
    "logs": logs,
    "URLs": urls,
    "embeddings": embeddings,
    "prices": prices,
    "timestamps": timestamps,
}


class Result(NamedTuple):
    megabytes: float
    write: float = 0.0
    read: float = 0.0
    take: float = 0.0


def tables(scale: float, only: str | None, directory: Path) -> Iterator[tuple[str, pa.Table]]:
    for name in files.TABLES:
        if only in (None, name):
            path = files.generate(name, scale, directory)
            yield name, files.without_views(pq.read_table(path))
            path.unlink()
    for name, generator in GENERATED.items():
        if only in (None, name):
            yield name, generator(np.random.default_rng(len(name)), int(scale * 1_000_000))


def columns(table: pa.Table, name: str) -> Iterator[tuple[str, pa.Table]]:
    for column in table.column_names:
        yield f"{name}.{column}", table.select([column])


def start(work: str, library: str, path: Path, *compression: str) -> Process:
    return Process([sys.executable, SERVER, work, library, path, "1", *compression])


def seconds(process: Process, line: str, rounds: int) -> float:
    """Returns the median of the CPU time of a command, after a first one that does not count; 0 without rounds."""
    process.ask(line)
    for _ in range(rounds):
        process.time(line)
    return median(cpu for cpu, _ in process.times) if rounds else 0.0


def measure(library: str, compression: str, source: Path, expected: pa.Table, rounds: int) -> Result:
    """Writes a file with a library, checks it, and reads it; only the former two without rounds."""
    written = source.with_name(f"written.{library if library in ('lance', 'vortex') else 'parquet'}")
    with start("write", library, source, compression) as process:
        write = seconds(process, str(written), rounds)
    size = written.stat().st_size / 1e6
    with start("read", library, written) as process:
        check(library, process, written, expected)
        read = seconds(process, "read", rounds) if rounds else 0.0
    rows = np.random.default_rng(1).choice(expected.num_rows, min(TAKEN, expected.num_rows), replace=False)
    with start("take", library, written) as process:
        line = " ".join(map(str, sorted(rows)))
        assert int(process.ask(line)) == len(rows), library
        take = seconds(process, line, rounds)
    written.unlink()
    return Result(size, write, read, take)


def print_table(title: str, results: dict[str, list[Result]], subjects: list[tuple[str, str]], field: str) -> None:
    print(f"\n{title}\n\n| | " + " | ".join(f"{library}, {compression}" for library, compression in subjects) + " |")
    print("|---" + "|--:" * len(subjects) + "|")
    for name, row in results.items():
        print(f"| {name} | " + " | ".join(f"{getattr(result, field):.3g}" for result in row) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=[*files.TABLES, *GENERATED])
    parser.add_argument("--columns", action="store_true", help="a table of each column")
    parser.add_argument("--sizes", action="store_true", help="only sizes")
    arguments = parser.parse_args()
    missing = [library for library in LIBRARIES if importlib.util.find_spec(library.partition("-")[0]) is None]
    for library in missing:
        print(f"{library} is not installed", file=sys.stderr)
    subjects = [(library, compression) for compression in COMPRESSIONS for library in LIBRARIES if library not in missing]
    results: dict[str, list[Result]] = {}
    with TemporaryDirectory() as directory:
        source = Path(directory, "source.parquet")
        for whole, table in tables(arguments.scale, arguments.only, Path(directory)):
            for name, part in columns(table, whole) if arguments.columns else [(whole, table)]:
                print(name, file=sys.stderr, flush=True)
                pq.write_table(part, source)
                rounds = 0 if arguments.sizes else arguments.rounds
                results[name] = [measure(*subject, source, part, rounds) for subject in subjects]
    print(f"{cpu_name()}, scale {arguments.scale:g}")
    print_table("Megabytes", results, subjects, "megabytes")
    if not arguments.sizes:
        print_table("Seconds to write", results, subjects, "write")
        print_table("Seconds to read", results, subjects, "read")
        print_table(f"Seconds to read {TAKEN} rows", results, subjects, "take")


if __name__ == "__main__":
    main()
