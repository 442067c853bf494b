"""Every command and every function finds the same files in the same directory layout, on a disk and on a store."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock
from urllib.parse import quote

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

from bytelane import parquet
from layouts import LAYOUTS, NOTHING, Answer, Layout
from s3_server import COMMAND, S3Server

# Answers of programs without one: several files where one is needed.
SEVERAL = "name one of them"


def content(number: int) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": pa.array([number], pa.int64())}), sink)
    return sink.getvalue().to_pybytes()


def make(layout: Layout, root: Path) -> None:
    files = {path: content(number) for path, number in layout.files.items()} | layout.others
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    for path, target in layout.links.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)


class Doors:
    """Ways in: each returns the IDs of the rows or the number of files, or raises an error with a message."""

    def __init__(self, inputs: list[str], scratch: Path) -> None:
        self.inputs, self.scratch = inputs, scratch

    def run(self, *arguments: str, found: bool = False) -> str:
        done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=120)
        if done.returncode not in ((0, 1) if found else (0,)):
            raise RuntimeError(done.stderr)
        return done.stdout

    def rows(self, *command: str) -> list[int]:
        lines = self.run(*command, *self.inputs, "--format", "json").splitlines()
        return [json.loads(line)["id"] for line in lines]

    def ids(self) -> Iterator[tuple[str, Callable[[], list[int]]]]:
        """Returns the doors that show rows."""
        yield "cat", lambda: self.rows("cat")
        yield "head", lambda: self.rows("head", "-n", "100")
        yield "sample", lambda: self.rows("sample", "-n", "100")
        yield "read_table", lambda: parquet.read_table(self.inputs).to_pyarrow()["id"].to_pylist()
        if len(self.inputs) == 1:
            yield "read_table of one", lambda: parquet.read_table(self.inputs[0]).to_pyarrow()["id"].to_pylist()

    def merged(self, out: Path) -> list[int]:
        rows: list[int] = pq.read_table(out).column("id").to_pylist()
        out.unlink()
        return rows

    def merges(self) -> Iterator[tuple[str, Callable[[], list[int]]]]:
        out = self.scratch / "merged.parquet"
        yield "merge", lambda: [self.run("merge", *self.inputs, str(out)), self.merged(out)][1]
        yield "parquet.merge", lambda: [parquet.merge(self.inputs, out), self.merged(out)][1]

    def numbers(self) -> Iterator[tuple[str, Callable[[], int]]]:
        """Returns the doors that count rows or files: there is one row in each file."""

        def count() -> int:
            lines = self.run("count", *self.inputs, "--format", "json").splitlines()
            return sum(json.loads(line)["rows"] for line in lines)

        def diff() -> int:
            answer = self.run("diff", *self.inputs, "--with", *self.inputs, "--format", "json", found=True)
            return int(json.loads(answer)["left_rows"])

        def rewrite() -> int:
            with tempfile.TemporaryDirectory(dir=self.scratch) as out:
                answer = self.run("rewrite", *self.inputs, f"{out}/", "--format", "json")
                found = [path for path in Path(out).rglob("*") if path.is_file()]
                return len(found) if answer else 0

        def advise() -> int:
            return len(self.run("advise", *self.inputs, "--format", "json").splitlines())

        yield "count", count
        yield "count --where", lambda: int(self.run("count", *self.inputs, "--where", "id > 0").split()[-1])
        yield "check", lambda: len(self.run("check", *self.inputs, "--format", "json").splitlines())
        yield "diff", diff
        yield "parquet.diff", lambda: parquet.diff(self.inputs, self.inputs)["left_rows"]
        yield "rewrite", rewrite
        def rewrite_python() -> int:
            with tempfile.TemporaryDirectory(dir=self.scratch) as out:
                return len(parquet.rewrite(self.inputs, f"{out}/new/").files)

        yield "parquet.rewrite", rewrite_python
        yield "parquet.check", lambda: parquet.check(self.inputs)["rows"]
        yield "advise", advise
        yield "parquet.advise", lambda: parquet.advise(self.inputs).to_dict()["rows"]

    def singles(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Returns the doors for one file."""
        only = self.inputs[0]
        names = ("by_command", "repaired", "salvaged")
        by_command, repaired, salvaged = (str(self.scratch / f"{it}.parquet") for it in names)
        yield "inspect", lambda: self.run("inspect", only)
        yield "repair", lambda: self.run("repair", only, by_command)
        yield "parquet.repair", lambda: parquet.repair(only, repaired)
        yield "parquet.salvage", lambda: parquet.salvage(only, salvaged)


def answer(door: Callable[[], object], expected: Answer | int) -> object:
    """Returns the answer of a door; of an error, the expected part."""
    try:
        return door()
    except Exception as error:  # noqa: BLE001
        message = " ".join(str(error).split())
        return expected if isinstance(expected, str) and expected in message else message


def without_null_entries(table: pa.Table) -> pa.Table:
    """Returns the table with dictionaries that pyarrow can write: a null is no entry of theirs."""
    for index, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            column = table[index].cast(field.type.value_type).dictionary_encode()
            table = table.set_column(index, field.name, column)
    return table


class Layouts(S3Server):
    def check(self, layout: Layout, inputs: list[str], scratch: Path, few: bool) -> None:
        doors = Doors(inputs, scratch)
        expected = layout.answer
        number = expected if isinstance(expected, str) else len(expected)
        refused = "would lose the column" if any(len({*map(str, it)}) > 1 for it in layout.partitions.values()) else None
        for name, door in doors.ids():
            if few and name not in ("cat", "read_table"):
                continue
            self.assertEqual(answer(door, expected), expected, f"{layout.name}: {name}")
        for name, door in doors.merges():
            if not few:
                self.assertEqual(answer(door, refused or expected), refused or expected, f"{layout.name}: {name}")
        for name, count in doors.numbers():
            if not few or name == "count":
                self.assertEqual(answer(count, number), number, f"{layout.name}: {name}")
        if few or len(inputs) != 1:
            return
        single: Answer = expected if isinstance(expected, str) else SEVERAL
        for name, one in doors.singles():
            with self.subTest(name):
                if number == 1:
                    one()
                else:
                    self.assertEqual(answer(one, single), single)

    def test_disks(self) -> None:
        for layout in LAYOUTS:
            with self.subTest(layout.name), tempfile.TemporaryDirectory() as root, tempfile.TemporaryDirectory() as out:
                make(layout, Path(root))
                inputs = [os.path.join(root, it) for it in layout.inputs]
                self.check(layout, inputs, Path(out), few=False)

    def test_stores(self) -> None:
        for layout in LAYOUTS:
            if layout.links:
                continue
            with self.subTest(layout.name), tempfile.TemporaryDirectory() as out:
                for path, number in layout.files.items():
                    self.put(f"{layout.name}/{path}", content(number))
                for path, data in layout.others.items():
                    self.put(f"{layout.name}/{path}", data)
                inputs = [self.url(f"{layout.name}/{it}") for it in layout.inputs]
                with mock.patch.dict(os.environ, self.environment()):
                    self.check(layout, inputs, Path(out), few=True)

    def put(self, key: str, data: bytes) -> None:
        self.request("PUT", quote(key), data)

    def test_partitions_are_those_of_pyarrow(self) -> None:
        for layout in LAYOUTS:
            if not layout.partitions:
                continue
            with self.subTest(layout.name), tempfile.TemporaryDirectory() as root:
                make(layout, Path(root))
                inputs = [os.path.join(root, it) for it in layout.inputs]
                doors = Doors(inputs, Path(root))
                lines = doors.run("cat", *inputs, "--format", "json").splitlines()
                shown = [json.loads(line) for line in lines]
                self.assertEqual(parquet.read_table(inputs).to_pyarrow().to_pylist(), shown)
                for column, values in layout.partitions.items():
                    self.assertEqual([row[column] for row in shown], values)
                    value = values[-1]
                    literal = str(value) if isinstance(value, int) else f"'{value}'"
                    count = doors.run("count", *inputs, "--where", f'"{column}" = {literal}').split()[-1]
                    self.assertEqual(int(count), values.count(value))
                if len(inputs) == 1 and os.path.isdir(inputs[0]) and not layout.name.startswith("partition with"):
                    theirs = pq.read_table(inputs[0]).to_pylist()
                    self.assertEqual(shown, sorted(theirs, key=lambda row: row["id"]), "pyarrow")
                    whole = os.path.join(root, "whole.parquet")
                    pq.write_table(without_null_entries(pq.read_table(inputs[0])), whole)
                    doors.run("diff", inputs[0], whole, "--any-order")
                    self.assertTrue(parquet.diff(whole, inputs[0], any_order=True)["same"])

    def test_other_libraries_agree(self) -> None:
        """Where the libraries that read a directory agree, theirs is the answer."""
        for layout in LAYOUTS:
            if len(layout.inputs) != 1 or (isinstance(layout.answer, str) and layout.answer != NOTHING):
                continue
            with self.subTest(layout.name), tempfile.TemporaryDirectory() as root:
                make(layout, Path(root))
                path = os.path.join(root, layout.inputs[0])
                is_directory = os.path.isdir(path)
                glob = f"{path.rstrip('/')}/**/*.parquet" if is_directory else path
                readers: list[Callable[[], list[int]]] = [
                    lambda path=path: pq.read_table(path).column("id").to_pylist(),
                    lambda path=path: polars.scan_parquet(path).collect()["id"].to_list(),
                    lambda glob=glob: [row[0] for row in duckdb.sql(f"select id from read_parquet($${glob}$$)").fetchall()],
                ]
                answers = set()
                for reader in readers:
                    try:
                        answers.add(tuple(sorted(reader())))
                    # Whatever the libraries raise means that they have no answer.
                    except Exception:  # noqa: BLE001
                        answers.add(())
                own = () if isinstance(layout.answer, str) else tuple(sorted(layout.answer))
                if len(answers) == 1 and answers != {()}:
                    self.assertEqual(own, answers.pop())


if __name__ == "__main__":
    unittest.main()
