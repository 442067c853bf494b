"""Flips bits of Parquet files, salvages them with bytelane, and reads the results with pyarrow and bytelane."""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

BYTELANE = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane"

TRIALS = int(os.environ.get("BYTELANE_TRIALS", "250"))

ROWS = 200


def table(rng: random.Random) -> pa.Table:
    """Returns rows of a few of many kinds of columns."""

    def some(value: Any) -> list[Any]:
        return [None if rng.random() < 0.1 else value(row) for row in range(ROWS)]

    columns = {
        "id": lambda: list(range(ROWS)),
        "number": lambda: some(lambda _: rng.randrange(-(2**60), 2**60)),
        "kind": lambda: some(lambda _: rng.randrange(5)),
        "float": lambda: some(lambda _: rng.random()),
        "text": lambda: some(lambda _: f"größe {rng.randrange(30)}"),
        "long": lambda: [f"x{row}" * 9 for row in range(ROWS)],
        "list": lambda: some(lambda _: [some(lambda row: row)[0] for _ in range(rng.randrange(4))]),
        "struct": lambda: some(lambda row: {"a": rng.randrange(9), "b": f"v{row}"}),
        "flag": lambda: some(lambda _: rng.random() < 0.5),
        "bytes": lambda: some(lambda _: rng.randbytes(rng.randrange(20))),
        "map": lambda: pa.array(
            some(lambda _: [(f"k{key}", key) for key in range(rng.randrange(3))]),
            pa.map_(pa.string(), pa.int64()),
        ),
    }
    names = rng.sample(list(columns), rng.randrange(1, 5))
    return pa.table({name: columns[name]() for name in names})


def write(rows: pa.Table, path: Path, rng: random.Random) -> None:
    """Writes a file with a random writer and random settings."""
    writer = rng.choice(["pyarrow", "pyarrow", "pyarrow", "duckdb", "polars"])
    if writer == "duckdb":
        codec = rng.choice(["uncompressed", "snappy", "zstd", "gzip", "brotli", "lz4_raw"])
        duckdb.sql("select * from rows").write_parquet(str(path), compression=codec)
    elif writer == "polars" and "map" not in rows.column_names:
        codec = rng.choice(["uncompressed", "snappy", "zstd", "gzip", "brotli", "lz4"])
        polars.from_arrow(rows).write_parquet(path, compression=codec, row_group_size=rng.choice([70, 1000]))
    else:
        pq.write_table(
            rows,
            path,
            compression=rng.choice(["none", "snappy", "zstd", "gzip", "brotli", "lz4"]),
            use_dictionary=rng.random() < 0.5,
            data_page_version=rng.choice(["1.0", "2.0"]),
            write_page_checksum=rng.random() < 0.3,
            write_page_index=rng.random() < 0.5,
            write_statistics=rng.random() < 0.8,
            data_page_size=rng.choice([256, 1 << 20]),
            row_group_size=rng.choice([70, 1000]),
        )


def damage(path: Path, rng: random.Random) -> None:
    """Flips one to five bits of a file."""
    data = bytearray(path.read_bytes())
    for _ in range(rng.randrange(1, 6)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def bytelane(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs the command."""
    return subprocess.run([BYTELANE, *map(str, arguments)], capture_output=True, text=True, check=False)


def errors(checked: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the findings of a check that are errors."""
    return [it for it in checked["findings"] if it["severity"] == "error"]


def contradicts(finding: dict[str, Any]) -> bool:
    """Returns whether a finding is about values."""
    return finding["problem"].startswith(("a value", "the statistics count")) or "not UTF-8" in finding["problem"]


class Salvage(unittest.TestCase):
    """Damaged files."""

    def check(self, old: Path, new: Path) -> tuple[int, int]:
        """Salvages a file. Returns the number of rows that are kept, and that are lost."""
        done = bytelane("check", old, "--values", "--salvage", new, "--format", "json")
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        self.assertNotIn("panicked", done.stderr)
        if done.returncode == 2:
            self.assertFalse(new.exists())
            return 0, 0
        answer = json.loads(done.stdout)
        salvaged = answer["salvaged"]
        self.assertEqual(done.returncode, 1 if salvaged["lost"] else 0)
        rows = pq.ParquetFile(new).read()
        rows.validate(full=True)
        self.assertEqual(rows.num_rows, salvaged["rows"])
        read = bytelane("cat", new, "--format", "csv")
        self.assertEqual(read.returncode, 0, read.stderr)
        checked = json.loads(bytelane("check", new, "--values", "--format", "json").stdout)
        self.assertEqual(errors(checked), [])
        lost = {(it["row_group"], it["column"].split(".")[0]) for it in salvaged["lost"]}
        for finding in filter(contradicts, errors(answer)):
            self.assertIn((finding["row_group"], finding["column"].split(".")[0]), lost, finding)
        return salvaged["rows"], salvaged["rows_before"] - salvaged["rows"]

    def test_flipped_bits(self) -> None:
        """Each result can be read, and keeps no page that the check of values rejects."""
        kept = lost = 0
        for trial in range(TRIALS):
            rng = random.Random(trial)
            with self.subTest(trial=trial), tempfile.TemporaryDirectory() as folder:
                old, new = Path(folder) / "old.parquet", Path(folder) / "new.parquet"
                write(table(rng), old, rng)
                damage(old, rng)
                rows, others = self.check(old, new)
                kept, lost = kept + rows, lost + others
        self.assertGreater(kept, 0)
        self.assertGreater(lost, 0)


if __name__ == "__main__":
    unittest.main()
