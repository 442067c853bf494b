"""Gives files whose metadata contradicts itself to each function, and compares what it does with the table in the guide on
contradictions. pyarrow, DuckDB, Polars and bytelane read what is written."""

from __future__ import annotations

import os
import random
import tempfile
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
from bytelane import parquet
from lies import DAMAGE, Lie, files, lies, lying, table

GUIDE = Path(__file__).parents[2] / "docs" / "getting-started" / "contradictions.md"

# Number of pairs of lies; each lie alone is told in all files if it is set, and otherwise every sixteenth lie in one file.
PAIRS = os.environ.get("BYTELANE_TRIALS")

VERBS: dict[str, tuple[str, Callable[[Path, Path], Any]]] = {
    "merge": ("`merge`", lambda old, new: parquet.merge([old], new)),
    "merge with fresh pages": ("`merge`", lambda old, new: parquet.merge([old], new, pages="fresh")),
    "merge with small row groups": ("`merge`", lambda old, new: parquet.merge([old], new, row_group_size=5)),
    "repair": ("`repair`", lambda old, new: parquet.repair(old, new)),
    "rewrite": ("`rewrite`", lambda old, new: parquet.rewrite(old, new)),
    "rewrite with zstd": ("`rewrite`", lambda old, new: parquet.rewrite(old, new, compression="zstd")),
}

TRUTH = table()

ROWS = TRUTH.to_pylist()

CONDITIONS: dict[str, Callable[[Any], bool]] = {
    "id = 0": lambda row: row["id"] == 0,
    "id = 5": lambda row: row["id"] == 5,
    "id = 20": lambda row: row["id"] == 20,
    "half > 4": lambda row: row["half"] is not None and row["half"] > 4,
    "half is null": lambda row: row["half"] is None,
    "half is not null": lambda row: row["half"] is not None,
    "text = 't2'": lambda row: row["text"] == "t2",
    "float >= 2.5": lambda row: row["float"] >= 2.5,
}


def rules() -> dict[str, dict[str, str]]:
    """Returns what each function does, by fact, according to the guide."""
    lines = [line for line in GUIDE.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    names = cells[0]
    return {row[0]: dict(zip(names, row, strict=True)) for row in cells[1:]}


def rows_of(found: Any) -> list[Any]:
    """Returns a table of any library as a list of rows."""
    rows: list[Any] = pa.table(found).cast(TRUTH.schema).to_pylist()
    return rows


def readings(path: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Returns the functions that read a file."""
    yield "pyarrow", lambda: pq.ParquetFile(path).read()
    yield "DuckDB", lambda: duckdb.sql(f"select * from '{path}'").to_arrow_table()
    yield "Polars", lambda: polars.read_parquet(path).to_arrow()
    yield "bytelane", lambda: parquet.read_table(path)


class Contradictions(unittest.TestCase):
    """Files with lies."""

    def setUp(self) -> None:
        """Creates a folder."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.old, self.new = Path(folder.name) / "old.parquet", Path(folder.name) / "new.parquet"
        self.rules = rules()

    def each(self, trials: list[tuple[str, bytes, list[Lie]]]) -> None:
        """Tells lies in files."""
        for name, data, told in trials:
            try:
                changed = lying(data, told)
            except (IndexError, KeyError, TypeError):
                continue  # Two lies that cannot be told together.
            if changed == lying(data, []):
                continue
            self.old.write_bytes(changed)
            with self.subTest(file=name, lies=[lie.name for lie in told]):
                self.tell(told)

    def tell(self, told: list[Lie]) -> None:
        """Gives a file to each function."""
        reactions = [self.rules.get(lie.fact) for lie in told]

        def are(verb: str, *allowed: str) -> bool:
            return all(it is not None and it[verb] in allowed for it in reactions)

        self.check_findings(told)
        self.check_filters(are("filters", "reads on without it"), are("filters", "reads on without it", "error"))
        is_damage = any(lie.fact == DAMAGE for lie in told)
        for verb, (column, run) in VERBS.items():
            self.new.unlink(missing_ok=True)
            try:
                run(self.old, self.new)
            except parquet.ParquetError as error:
                self.assertNotIn("panicked", str(error), verb)
                self.assertFalse(self.new.exists(), verb)
                must_work = are(column, "replaces or drops it", "believes the footer")
                self.assertFalse(must_work, f"{verb}: {error}")
                continue
            if is_damage:
                continue
            for reader, read in readings(self.new):
                self.assertEqual(rows_of(read()), ROWS, f"{verb}, {reader}")
            if not are(column, "believes the footer"):
                self.assertEqual(self.errors(self.new), [], verb)
                self.check_output(verb)
        self.check_salvage()

    def errors(self, path: Path) -> list[Any]:
        """Returns what is wrong in a file."""
        findings = parquet.check(path, values=True)["findings"]
        return [it for it in findings if it["severity"] == "error" and "not sorted" not in it["problem"]]

    def check_findings(self, told: list[Lie]) -> None:
        """Each lie is found, except damage that only the bytes of a page show."""
        try:
            findings = parquet.check(self.old, values=True)["findings"]
        except parquet.ParquetError as error:
            self.assertNotIn("panicked", str(error))
        else:
            self.assertTrue(findings or all(lie.fact == DAMAGE for lie in told), told)

    def check_filters(self, all_rows: bool, right_rows: bool) -> None:
        """Filters return the rows of the true file, or an error where the guide says so. If they believe a lie, they
        lose rows, but return no wrong ones."""
        for condition, holds in CONDITIONS.items():
            wanted = [row for row in ROWS if holds(row)]
            try:
                found = rows_of(parquet.read_table(self.old, filters=condition))
            except parquet.ParquetError as error:
                self.assertNotIn("panicked", str(error), condition)
                self.assertFalse(all_rows, f"{condition}: {error}")
                continue
            if right_rows:
                self.assertEqual(found, wanted, condition)

    def check_output(self, verb: str) -> None:
        """Filters find all rows of an output."""
        for condition, holds in CONDITIONS.items():
            found = rows_of(parquet.read_table(self.new, filters=condition))
            self.assertEqual(found, [row for row in ROWS if holds(row)], f"{verb}, {condition}")

    def check_salvage(self) -> None:
        """Salvaged rows are rows of the true file, and nothing is wrong with the file."""
        self.new.unlink(missing_ok=True)
        try:
            salvaged = parquet.salvage(self.old, self.new)
        except parquet.ParquetError as error:
            self.assertNotIn("panicked", str(error))
            self.assertFalse(self.new.exists())
            return
        for reader, read in readings(self.new):
            found = rows_of(read())
            self.assertEqual(len(found), salvaged["rows"], reader)
            self.assertTrue(all(row in ROWS for row in found), reader)
        self.assertEqual(self.errors(self.new), [])

    def test_each_lie(self) -> None:
        """Each lie has a row in the guide, and each function does what it says."""
        told, true = lies(), files()
        self.assertEqual({lie.fact for lie in told} - {DAMAGE}, set(self.rules))
        names = list(true)
        if PAIRS is None:
            chosen = [(number, lie, names[number // 16 % len(names)]) for number, lie in enumerate(told)]
            trials = [(name, true[name], [lie]) for number, lie, name in chosen if number % 16 == number // 16 % 16]
        else:
            trials = [(name, data, [lie]) for name, data in true.items() for lie in told]
        self.each(trials)

    def test_pairs(self) -> None:
        """Two lies change no more rows than one."""
        told, true = lies(), files()
        trials = []
        for seed in range(int(PAIRS or 10)):
            rng = random.Random(seed)
            name = rng.choice(list(true))
            trials.append((name, true[name], rng.sample(told, 2)))
        self.each(trials)


if __name__ == "__main__":
    unittest.main()
