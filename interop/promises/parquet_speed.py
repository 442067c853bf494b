"""Compares the speed of bytelane's Parquet columns with pyarrow's: BYTE_STREAM_SPLIT and zstd 1, in memory, with
statistics and page indexes.

    parquet_speed.py FILE..

Each FILE is an array of little-endian numbers with the extension .f32 or .f64. Both sides run on one core and count the
CPU time of their thread; their rounds alternate, and medians are compared. bytelane is measured by its command, a
release build in the directory `BYTELANE_PROGRAMS`. pyarrow is measured twice: with its own pages of 20,000 rows, and
with pages as large as bytelane's.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pyarrow
import pyarrow.parquet

PROGRAM = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane"
TYPES = {".f32": "<f4", ".f64": "<f8"}
ROUNDS = 9

# pyarrow's pool keeps memory between calls. glibc would return it each time, and half of the write time would
# be spent on clearing new pages; a program that writes more than one column keeps memory as well.
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": "1000000000", "MALLOC_MMAP_THRESHOLD_": "1000000000"}


def write(table, **pages):
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(
        table,
        sink,
        compression="zstd",
        compression_level=1,
        use_dictionary=False,
        column_encoding="BYTE_STREAM_SPLIT",
        write_page_index=True,
        **pages,
    )
    return sink.getvalue()


def read(file):
    return pyarrow.parquet.ParquetFile(pyarrow.BufferReader(file)).read(use_threads=False)


def seconds(work):
    """Returns the time of each of several rounds, after a warm-up round."""
    work()
    taken = []
    for _ in range(ROUNDS):
        start = time.thread_time()
        work()
        taken.append(time.thread_time() - start)
    return taken


def bytelane(path):
    line = [PROGRAM, "bench", "parquet", path, "--encoding", "byte_stream_split", "--format", "json"]
    environment = os.environ | KEEP_MEMORY
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])  # the active backend


def compare(path, cycles=3):
    """Returns the speedups over pyarrow for writing and reading, with pyarrow's pages and with pages of the same size,
    and the row of bytelane's command."""
    numbers = numpy.fromfile(path, TYPES[Path(path).suffix])
    table = pyarrow.table({"values": numbers})
    mebibytes = numbers.nbytes / 2**20
    pages = [{}, {"max_rows_per_page": 131_072}]
    files = [write(table, **size) for size in pages]
    assert all(read(file)["values"].to_numpy().tobytes() == numbers.tobytes() for file in files)
    taken = [([], []) for _ in pages]
    rows = []
    for _ in range(cycles):
        for size, file, (writes, reads) in zip(pages, files, taken):
            writes += seconds(lambda: write(table, **size))
            reads += seconds(lambda: read(file))
        rows.append(bytelane(path))
    own = [statistics.median(row[key] for row in rows) for key in ("write_mib_s", "read_mib_s")]
    ratios = [
        [speed / (mebibytes / statistics.median(times)) for speed, times in zip(own, both)]
        for both in taken
    ]
    return ratios, rows[-1]


def main(paths):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    logarithms = []
    print("file: write, read, with pyarrow's pages; the same with pages as large as bytelane's; share of zstd")
    for path in paths:
        (own, same), row = compare(path)
        logarithms.append([math.log(ratio) for ratio in own + same])
        share = ", ".join(f"{share:.2f}" for share in row.get("zstd_share", []))
        print(f"{Path(path).name}: {own[0]:.2f} {own[1]:.2f}; {same[0]:.2f} {same[1]:.2f}; {share}")
    means = [math.exp(statistics.mean(column)) for column in zip(*logarithms)]
    print("geometric mean: {:.2f} {:.2f}; {:.2f} {:.2f}".format(*means))


if __name__ == "__main__":
    main(sys.argv[1:])
