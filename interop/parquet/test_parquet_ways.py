"""Moves columns that mean more than their bytes by every function that moves rows, and compares what pyarrow reads afterwards."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from bytelane import dataset, parquet


class Case(NamedTuple):
    """Columns of two files, and the type of the column that has both; `None` if no type holds both."""

    one: pa.Array
    other: pa.Array
    united: pa.DataType | None


def categories(start: int, ordered: bool = False) -> pa.Array:
    entries = [f"k{number:03}" for number in range(start, start + 100)]
    indices = pa.array([None, *range(100)], pa.int8())
    return pa.DictionaryArray.from_arrays(indices, entries, ordered=ordered)


def tagged(kind: pa.DataType, values: list[object]) -> pa.Array:
    return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))


CASES = {
    "categories": Case(categories(0), categories(100), pa.dictionary(pa.int16(), pa.string())),
    "same categories": Case(categories(0), categories(0), pa.dictionary(pa.int8(), pa.string())),
    "ordered categories": Case(categories(0, True), categories(0, True), pa.dictionary(pa.int8(), pa.string(), True)),
    "units": Case(pa.array([1], pa.duration("s")), pa.array([2], pa.duration("ms")), pa.duration("ms")),
    "widths": Case(pa.array([1], pa.int32()), pa.array([1 << 40], pa.int64()), pa.int64()),
    "signs": Case(pa.array([-1], pa.int32()), pa.array([2**32 - 1], pa.uint32()), pa.int64()),
    "zones": Case(pa.array([1], pa.timestamp("us", "UTC")), pa.array([2], pa.timestamp("us", "Asia/Tokyo")), None),
    "a duration and a number": Case(pa.array([1], pa.duration("s")), pa.array([2], pa.int64()), None),
    "sizes of lists": Case(pa.array([[1, 2]], pa.list_(pa.int64(), 2)), pa.array([[1] * 3], pa.list_(pa.int64(), 3)), None),
    "bool8 and int8": Case(tagged(pa.bool8(), [1]), pa.array([1], pa.int8()), None),
    "UUIDs": Case(tagged(pa.uuid(), [b"a" * 16]), tagged(pa.uuid(), [b"b" * 16]), pa.uuid()),
}

MERGES = {
    "merge": {},
    "merge, new pages": {"pages": "fresh"},
    "merge, split": {"row_group_size": 30},
    "merge, verified": {"verify": True},
}


class Ways(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = Path(self.directory.name)

    def written(self, case: Case) -> list[Path]:
        lake = Path(tempfile.mkdtemp(dir=self.path))
        paths = [lake / "0.parquet", lake / "1.parquet"]
        for path, column in zip(paths, case[:2], strict=True):
            pq.write_table(pa.table({"x": column}), path)
        return paths

    def compared(self, case: Case, paths: list[Path]) -> None:
        tables = [pq.read_table(path) for path in paths]
        values = [value for table in tables for value in table["x"].to_pylist()]
        self.assertEqual(values, case.one.to_pylist() + case.other.to_pylist())
        for table in tables:
            self.assertEqual(table.schema.field("x").type, case.united)
            if pa.types.is_dictionary(table.schema.field("x").type) and table.schema.field("x").type.ordered:
                for chunk in table["x"].chunks:
                    self.assertEqual(chunk.dictionary.to_pylist(), case.one.dictionary.to_pylist())

    def test_merge(self) -> None:
        for name, case in CASES.items():
            paths = self.written(case)
            for way, options in MERGES.items():
                with self.subTest(case=name, way=way):
                    out = paths[0].parent / f"{way}.out"
                    if case.united is None:
                        with self.assertRaisesRegex(parquet.ParquetError, "1.parquet, column x: cannot be merged"):
                            parquet.merge(paths, out, **options)
                        self.assertFalse(out.exists())
                    else:
                        parquet.merge(paths, out, **options)
                        self.compared(case, [out])

    def test_dataset(self) -> None:
        for name, case in CASES.items():
            with self.subTest(case=name):
                lake, new = self.written(case)[0].parent, self.path / f"{name} of a data set"
                run = dataset.run(dataset.plan(lake), new)
                outputs = sorted(new.glob("*.parquet"))
                if run["failed"]:
                    # Files of other types stay where they are.
                    self.assertNotEqual(case.one.type, case.other.type, run["failed"])
                    self.assertEqual(outputs, [])
                    continue
                if len(outputs) == 1:
                    self.compared(case, outputs)
                else:
                    types = [pq.read_schema(path).field("x").type for path in outputs]
                    self.assertCountEqual(types, [case.one.type, case.other.type])
                self.assertTrue(dataset.verify(lake, new).same)

    def test_writer(self) -> None:
        for name, case in CASES.items():
            if case.one.type != case.other.type:
                continue
            with self.subTest(case=name):
                path = self.path / "written.parquet"
                with parquet.ParquetWriter(path, pa.schema([("x", case.one.type)])) as writer:
                    writer.write_table(pa.table({"x": case.one}))
                    writer.write_table(pa.table({"x": case.other}))
                self.compared(case, [path])

    def test_rewrite(self) -> None:
        for name, case in CASES.items():
            for column in case[:2]:
                for options in ({"compression": "zstd"}, {"goal": "size"}):
                    with self.subTest(case=name, options=options):
                        source = self.written(case)[0]
                        pq.write_table(pa.table({"x": column}), source)
                        new = source.parent / "new.parquet"
                        parquet.rewrite(source, new, verify=True, **options)
                        before, after = pq.read_table(source), pq.read_table(new)
                        self.assertTrue(after.equals(before))
                        self.assertEqual(after.schema, before.schema)

    def test_levels_of_compression(self) -> None:
        numbers = pa.table({"x": [1000 * number + number * 7919 % 997 for number in range(20_000)]})
        for codec, level in (("zstd", 1), ("zstd", 19), ("gzip", 9)):
            with self.subTest(codec=codec, level=level):
                source, new = self.path / "level.parquet", self.path / "new.parquet"
                pq.write_table(numbers, source, compression=codec, compression_level=level, use_dictionary=False)
                promised = parquet.advise(source, goal="size").columns[0]["compression"]
                rewritten = parquet.rewrite(source, new, goal="size", force=True).columns[0]
                self.assertEqual(rewritten["after"]["compressions"], [promised])
                self.assertEqual(promised.split(":")[0], codec)


if __name__ == "__main__":
    unittest.main()
