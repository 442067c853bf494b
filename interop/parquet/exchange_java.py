"""Merges and splits random files with bytelane, and compares the rows with those of the inputs with parquet-java.

    exchange_java.py WITNESS..

WITNESS is the command that runs `interop/parquet/java`.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from test_parquet_merge import run, table


def write(rows: pa.Table, path: Path, seed: int) -> None:
    """Writes a file with a compression that parquet-java supports without native libraries."""
    choose = random.Random(seed).choice
    pq.write_table(
        rows,
        path,
        compression=choose(["none", "snappy", "zstd", "gzip"]),
        data_page_version=choose(["1.0", "2.0"]),
        use_dictionary=choose([True, False]),
        data_page_size=choose([500, 1 << 20]),
        row_group_size=choose([100, 1 << 20]),
        write_page_index=choose([True, False]),
        write_page_checksum=choose([True, False]),
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        arguments: list[str] = []
        for seed in range(20):
            tables = [table(seed * 20 + part) for part in range(1 + seed % 5)]
            inputs = [folder / f"{seed}-{part}.parquet" for part in range(len(tables))]
            for part, (rows, path) in enumerate(zip(tables, inputs, strict=True)):
                write(rows, path, seed * 20 + part)
            for way in (["--row-group-size", "333"], ["--pages", "fresh"], []):
                merged = folder / f"{seed}-merged-{len(arguments)}.parquet"
                run("merge", *inputs, merged, *way)
                arguments += ["---"] * bool(arguments) + [*map(str, inputs), "--", str(merged)]
        done = subprocess.run([*sys.argv[1:], *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.endswith("rows are the same\n") and not done.stdout.startswith("0 "), done.stdout
        print(done.stdout, end="")


if __name__ == "__main__":
    main()
