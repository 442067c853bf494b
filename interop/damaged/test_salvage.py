"""Flips bits of Parquet files, salvages them with bytelane, and reads the results with pyarrow and bytelane."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

from bytelane import parquet

BYTELANE = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane"

TRIALS = int(os.environ.get("BYTELANE_TRIALS", "250"))

FIRST_TRIAL = int(os.environ.get("BYTELANE_FIRST_TRIAL", "0"))

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


def errors(checked: Any) -> list[Any]:
    """Returns the findings of a check that are errors."""
    return [it for it in checked["findings"] if it["severity"] == "error"]


def contradicts(finding: Any) -> bool:
    """Returns whether a finding is about values."""
    problem: str = finding["problem"]
    return problem.startswith(("a value", "the statistics count")) or "not UTF-8" in problem


def end_of_pages(data: bytes) -> int:
    """Returns the length of a file without its footer."""
    return len(data) - 8 - int.from_bytes(data[-8:-4], "little")


class Salvage(unittest.TestCase):
    """Damaged files."""

    def check(self, old: Path, new: Path) -> tuple[int, int]:
        """Salvages a file. Returns the number of rows that are kept, and that are lost."""
        before = parquet.check(old, values=True)
        try:
            salvaged = parquet.salvage(old, new)
        except parquet.ParquetError:
            self.assertFalse(new.exists())
            return 0, 0
        rows = pq.ParquetFile(new).read()
        rows.validate(full=True)
        self.assertEqual(rows.num_rows, salvaged["rows"])
        self.assertEqual(parquet.read_table(new).num_rows, salvaged["rows"])
        self.assertEqual(errors(parquet.check(new, values=True)), [])
        lost = {(it["row_group"], it["column"].split(".")[0]) for it in salvaged["lost"]}
        for finding in filter(contradicts, errors(before)):
            self.assertIn((finding["row_group"], (finding["column"] or "").split(".")[0]), lost, finding)
        return salvaged["rows"], salvaged["rows_before"] - salvaged["rows"]

    def each_trial(self, trial: Callable[[random.Random, Path, Path], tuple[int, int]]) -> None:
        """Calls a function for each trial, and prints the number of rows that are kept, and that are lost."""
        kept = lost = 0
        for number in range(FIRST_TRIAL, FIRST_TRIAL + TRIALS):
            with self.subTest(trial=number), tempfile.TemporaryDirectory() as folder:
                old, new = Path(folder) / "old.parquet", Path(folder) / "new.parquet"
                rows, others = trial(random.Random(number), old, new)
                kept, lost = kept + rows, lost + others
        print(f"{TRIALS} files: {kept} rows are kept, {lost} are lost")
        self.assertGreater(kept, 0)
        self.assertGreater(lost, 0)

    def test_flipped_bits(self) -> None:
        """Each result can be read, and keeps no page that the check of values rejects."""

        def trial(rng: random.Random, old: Path, new: Path) -> tuple[int, int]:
            write(table(rng), old, rng)
            damage(old, rng)
            return self.check(old, new)

        self.each_trial(trial)

    def test_without_a_footer(self) -> None:
        """The rows of files that are cut, and damaged where checksums show it, are rows that were written."""

        def trial(rng: random.Random, old: Path, new: Path) -> tuple[int, int]:
            rows = table(rng).append_column("row", pa.array(range(ROWS), pa.int64()))
            sibling = old.with_name("sibling.parquet")
            has_checksums = rng.random() < 0.5
            if has_checksums:
                size = rng.choice([256, 1 << 20])
                pq.write_table(rows, old, write_page_checksum=True, data_page_size=size, row_group_size=70)
            else:
                write(rows, old, rng)
            data = old.read_bytes()
            sibling.write_bytes(data)
            end = end_of_pages(data)
            data = data[: rng.choice([len(data) - 8, end, rng.randrange(4, end), rng.randrange(4, end)])]
            old.write_bytes(data)
            if has_checksums and len(data) > 4:
                damage(old, rng)
            try:
                salvaged = parquet.salvage(old, new, schema=sibling)
            except parquet.ParquetError as error:
                self.assertIn("no page of a Parquet file is found", str(error))
                self.assertFalse(new.exists())
                return 0, ROWS
            found = pq.ParquetFile(new).read()
            self.assertEqual(found.num_rows, salvaged["rows"])
            self.assertEqual(parquet.read_table(new).num_rows, salvaged["rows"])
            self.assertEqual(polars.read_parquet(new).height, salvaged["rows"])
            if len(data) > end and not has_checksums and not salvaged["left_out"]:
                self.assertEqual(salvaged["rows"], ROWS)
            written = pq.ParquetFile(sibling).read()
            same = found.drop(["salvaged_from_offset"]).equals(written.take(found["row"]))
            self.assertTrue(same)
            return salvaged["rows"], ROWS - salvaged["rows"]

        self.each_trial(trial)

    def test_exit_status(self) -> None:
        """The command tells the loss first, and its exit status is 1 if rows are lost."""
        with tempfile.TemporaryDirectory() as folder:
            old, new = Path(folder) / "old.parquet", Path(folder) / "new.parquet"
            pq.write_table(pa.table({"id": range(ROWS)}), old, write_page_checksum=True, row_group_size=70)
            for damaged in [False, True]:
                if damaged:
                    data = bytearray(old.read_bytes())
                    data[100] ^= 1
                    old.write_bytes(data)
                command = [BYTELANE, "check", old, "--salvage", new, "--force"]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, int(damaged), done)
                self.assertEqual("lost" in done.stdout.splitlines()[0], damaged)


if __name__ == "__main__":
    unittest.main()
