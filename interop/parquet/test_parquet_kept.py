"""Checks what a rewrite must keep, in files with features that caused data loss in other programs.

The files are created here: with pyarrow, or by changing the footers of pyarrow's files if it cannot write such files.
"""

import json
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import duckdb
import footers
import numpy
import polars
import pyarrow
import pyarrow.parquet
from footers import BINARY, I32, I64, LIST, STRUCT, get

PROGRAM = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane"

# Fields of FileMetaData, SchemaElement, RowGroup, ColumnChunk and ColumnMetaData in parquet.thrift.
SCHEMA, FILE_ROWS, ROW_GROUPS, COLUMN_ORDERS = 2, 3, 4, 7
NAME, CHILDREN, CONVERTED, LOGICAL = 4, 5, 6, 10
COLUMNS = 1
FILE_OFFSET, METADATA, OFFSET_INDEX, COLUMN_INDEX = 2, 3, 4, 6
COMPRESSED_SIZE, DATA_PAGE, DICTIONARY_PAGE, STATISTICS, BLOOM_FILTER, BLOOM_FILTER_LENGTH = 7, 9, 11, 12, 14, 15

# Fields that may differ after a rewrite: descriptions of pages, and offsets.
OF_ROW_GROUP = {2, 5, 6}
OF_CHUNK = {FILE_OFFSET, 4, 5, 6, 7}
OF_METADATA = {2, 4, 6, COMPRESSED_SIZE, DATA_PAGE, BLOOM_FILTER}
# Fields that may appear or disappear with other pages: a dictionary, and the number of pages per
# encoding.
OPTIONAL = {DICTIONARY_PAGE, 13}


class Kept(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.before = self.directory / "before.parquet"
        self.after = self.directory / "after.parquet"

    def bytelane(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def rewrite(self, *options):
        line = ["rewrite", self.before, self.after, "--verify", "--format", "json", "--force", *options]
        return json.loads(self.bytelane(*line))

    def rewrite_all_ways(self):
        """Rewrites with new pages, with few and with many rows each, and with the pages that the program prefers."""
        for options in (["--compression", "gzip:1"], ["--goal", "size", "--compression", "zstd:3"], []):
            with self.subTest(options=options):
                yield self.rewrite(*options)

    def change(self, work):
        """Changes the footer of the file."""
        body, footer = footers.split(self.before.read_bytes())
        work(footer)
        self.before.write_bytes(footers.joined(body, footer))

    def check_footers(self):
        """Checks that all fields are the same except those that must differ."""
        before, after = (footers.split(path.read_bytes())[1] for path in (self.before, self.after))
        self.assertEqual(before.keys(), after.keys())
        for field in before.keys() - {ROW_GROUPS}:
            self.assertEqual(before[field], after[field], f"field {field}")
        groups = [get(footer, ROW_GROUPS)[1] for footer in (before, after)]
        self.assertEqual(*map(len, groups))
        for before, after in zip(*groups):
            self.check_fields(before, after, OF_ROW_GROUP | {COLUMNS}, "row group")
            for before, after in zip(get(before, COLUMNS)[1], get(after, COLUMNS)[1], strict=True):
                self.check_fields(before, after, OF_CHUNK | {METADATA}, "column chunk")
                self.check_fields(get(before, METADATA), get(after, METADATA), OF_METADATA, "column")

    def check_fields(self, before, after, may_differ, what):
        self.assertEqual(before.keys() - OPTIONAL, after.keys() - OPTIONAL, f"fields of a {what}")
        for field in before.keys() - OPTIONAL - may_differ:
            self.assertEqual(before[field], after[field], f"field {field} of a {what}")

    def check_values(self):
        read = [pyarrow.parquet.read_table(path) for path in (self.before, self.after)]
        self.assertEqual(read[0].schema, read[1].schema)
        for name in read[0].column_names:
            one, other = (table[name].combine_chunks() for table in read)
            # NaN equals NaN with the same bits.
            self.assertTrue(one.equals(other) or one.to_pylist().__repr__() == other.to_pylist().__repr__(), name)

    def check_indexes(self):
        """Checks that each index has an entry for each page, and that its bounds contain the values of the page."""
        for path in (self.before, self.after):
            inspected = json.loads(self.bytelane("inspect", path, "--format", "json"))
            data = path.read_bytes()
            _, footer = footers.split(data)
            for group, shown in zip(get(footer, ROW_GROUPS)[1], inspected["row_groups"]):
                for chunk, column in zip(get(group, COLUMNS)[1], shown["columns"]):
                    pages = [page for page in column["pages"] if page["kind"] != "dictionary"]
                    if get(chunk, OFFSET_INDEX) is not None:
                        index = footers.decoded(data, get(chunk, OFFSET_INDEX))[0]
                        places = [get(page, 1) for page in get(index, 1)[1]]
                        self.assertEqual(places, [page["offset"] for page in pages])
                    if get(chunk, COLUMN_INDEX) is not None:
                        index = footers.decoded(data, get(chunk, COLUMN_INDEX))[0]
                        for field in (1, 2, 3):
                            self.assertEqual(len(get(index, field)[1]), len(pages))

    def check(self):
        self.check_footers()
        self.check_values()
        self.check_indexes()

    # Column and offset indexes.

    def indexed(self, table, **options):
        pyarrow.parquet.write_table(
            table, self.before, write_page_index=True, data_page_size=1000, write_batch_size=100,
            row_group_size=3000, **options,
        )

    def test_indexes_of_every_type(self):
        random = numpy.random.default_rng(7)
        rows = 4000
        numbers = random.integers(0, 1000, rows)
        words = [f"word {number}" for number in numbers]
        lists = [None if n % 7 == 0 else [float(n), None][: n % 3] for n in numbers.tolist()]
        table = pyarrow.table({
            "double": random.normal(size=rows),
            "half": random.normal(size=rows).astype("f2"),
            "int": numbers,
            "unsigned": numbers.astype("u4"),
            "text": words,
            "binary": pyarrow.array([word.encode() for word in words], pyarrow.binary()),
            "fixed": pyarrow.array([random.bytes(16) for _ in range(rows)], pyarrow.binary(16)),
            "flag": numbers % 3 == 0,
            "decimal": pyarrow.array(numbers, pyarrow.int64()).cast(pyarrow.decimal128(25, 2)),
            "no value": pyarrow.nulls(rows, pyarrow.string()),
            "list": pyarrow.array(lists, pyarrow.list_(pyarrow.float64())),
            "struct": pyarrow.array([None if n % 5 == 0 else {"a": n, "b": str(n)} for n in numbers.tolist()]),
        })
        for version in ("1.0", "2.0"):
            self.indexed(table, data_page_version=version)
            for _ in self.rewrite_all_ways():
                self.check()
                read = [duckdb.read_parquet(str(path)).fetchall() for path in (self.before, self.after)]
                self.assertEqual(repr(read[0]), repr(read[1]))
                self.assertTrue(polars.read_parquet(self.before).equals(polars.read_parquet(self.after)))

    def test_indexes_without_a_column_order(self):
        table = pyarrow.table({"text": [f"word {n % 300}" for n in range(4000)], "number": numpy.arange(4000.0)})
        self.indexed(table)
        self.change(lambda footer: footer.pop(COLUMN_ORDERS))
        for rewritten in self.rewrite_all_ways():
            self.check()

    def test_indexes_of_an_unknown_order(self):
        self.indexed(pyarrow.table({"text": [f"word {n % 300}" for n in range(4000)]}))
        unknown = {99: (STRUCT, {})}
        self.change(lambda footer: footer.update({COLUMN_ORDERS: (LIST, (STRUCT, [unknown]))}))
        for rewritten in self.rewrite_all_ways():
            self.check()

    def test_indexes_where_pages_are_not_a_number(self):
        """The index of a page that has only NaN cannot be written in the current column order."""
        values = numpy.arange(4000.0)
        values[500:3000] = numpy.nan
        self.indexed(
            pyarrow.table({"double": values, "float": values.astype("f4"), "half": values.astype("f2")}),
            use_dictionary=False,
        )
        # pyarrow omits such an index. In the IEEE 754 total order, NaN is a bound.
        body, footer = footers.split(self.before.read_bytes())
        nans = [numpy.array(numpy.nan, kind).tobytes() for kind in ("<f8", "<f4", "<f2")]
        for group in get(footer, ROW_GROUPS)[1]:
            for chunk, nan in zip(get(group, COLUMNS)[1], nans):
                offset_index = footers.decoded(body, get(chunk, OFFSET_INDEX))[0]
                pages = len(get(offset_index, 1)[1])
                self.assertGreater(pages, 1)
                index = footers.encoded({
                    1: (LIST, (footers.TRUE, [False] * pages)),
                    2: (LIST, (BINARY, [bytes(len(nan))] * pages)),
                    3: (LIST, (BINARY, [nan] * pages)),
                    4: (I32, 0),
                })
                chunk[COLUMN_INDEX] = I64, len(body)
                chunk[COLUMN_INDEX + 1] = I32, len(index)
                body += index
        ieee = {2: (STRUCT, {})}
        footer[COLUMN_ORDERS] = LIST, (STRUCT, [ieee] * 3)
        self.before.write_bytes(footers.joined(body, footer))
        for rewritten in self.rewrite_all_ways():
            self.check()

    def test_fields_that_nobody_knows(self):
        pyarrow.parquet.write_table(pyarrow.table({"number": numpy.arange(1000)}), self.before)

        def work(footer):
            chunk = get(footer, ROW_GROUPS, 0, COLUMNS, 0)
            for fields in (footer, get(footer, SCHEMA, 1), get(footer, ROW_GROUPS, 0), chunk, get(chunk, METADATA)):
                fields[321] = BINARY, b"from the future"
        self.change(work)
        for rewritten in self.rewrite_all_ways():
            self.check()

    def test_bloom_filters(self):
        rows = pyarrow.table({"number": numpy.arange(5000) % 700, "text": [f"word {n % 90}" for n in range(5000)]})
        duckdb.sql(f"copy rows to '{self.before}' (format parquet)")
        _, footer = footers.split(self.before.read_bytes())
        filters = [get(chunk, METADATA, BLOOM_FILTER) for chunk in get(footer, ROW_GROUPS, 0, COLUMNS)[1]]
        self.assertTrue(all(filters), filters)
        for rewritten in self.rewrite_all_ways():
            self.check_footers()
            self.check_values()
            for path, wanted in (("number", 3), ("text", "word 3")):
                query = "select bloom_filter_excludes from parquet_bloom_probe(?, ?, ?)"
                one, other = (
                    duckdb.execute(query, [str(file), path, wanted]).fetchall() for file in (self.before, self.after)
                )
                self.assertEqual(one, other)

    # Checksums.

    def test_a_flipped_bit_is_detected(self):
        random = numpy.random.default_rng(3)
        table = pyarrow.table({
            "double": random.normal(size=3000),
            "text": [f"word {n}" for n in random.integers(0, 99, 3000)],
            "list": [[n] * (n % 4) for n in range(3000)],
            "plain": random.integers(0, 2**60, 3000),
        })
        for version in ("1.0", "2.0"):
            pyarrow.parquet.write_table(
                table, self.before, write_page_checksum=True, data_page_version=version, write_page_index=True,
            )
            for rewritten in self.rewrite_all_ways():
                self.check()
                inspected = json.loads(self.bytelane("inspect", self.after, "--format", "json"))
                data = self.after.read_bytes()
                for column in inspected["row_groups"][0]["columns"]:
                    for page in column["pages"]:
                        self.assertTrue(page["checksum"], column["path"])
                        changed = bytearray(data)
                        changed[page["offset"] + page["compressed"] - 1] ^= 0x10
                        self.assert_detected(bytes(changed), column["path"])

    def test_checksums_are_foretold(self):
        table = pyarrow.table({"number": numpy.arange(900) ** 2, "text": [f"word {n % 7}" for n in range(900)]})
        pyarrow.parquet.write_table(
            table, self.before, write_page_checksum=True, compression="none", use_dictionary=["text"],
        )
        promised = json.loads(self.bytelane("advise", self.before, "--goal", "size", "--format", "json"))
        done = json.loads(self.bytelane("rewrite", self.before, self.after, "--goal", "size", "--format", "json"))
        for promise, column in zip(promised["columns"], done["columns"]):
            self.assertAlmostEqual(promise["bytes_then"], column["after"]["bytes"], delta=3, msg=promise["path"])

    def assert_detected(self, data, column):
        changed = self.directory / "changed.parquet"
        changed.write_bytes(data)
        pyarrow.parquet.read_table(self.after, page_checksum_verification=True)
        with self.assertRaisesRegex(OSError, "CRC", msg=column):
            pyarrow.parquet.read_table(changed, page_checksum_verification=True)

    def test_no_checksums_where_there_were_none(self):
        pyarrow.parquet.write_table(pyarrow.table({"number": numpy.arange(1000)}), self.before)
        self.rewrite("--compression", "gzip:1")
        inspected = json.loads(self.bytelane("inspect", self.after, "--format", "json"))
        pages = inspected["row_groups"][0]["columns"][0]["pages"]
        self.assertFalse(any(page["checksum"] for page in pages))

    # Files that other readers accept.

    def accepted(self):
        self.bytelane("inspect", self.before)
        self.bytelane("advise", self.before)
        for rewritten in self.rewrite_all_ways():
            self.check_values()

    def small(self, **options):
        table = pyarrow.table({"id": numpy.arange(600) % 50, "text": [f"word {n % 20}" for n in range(600)]})
        pyarrow.parquet.write_table(table, self.before, **options)
        return table

    def test_a_footer_that_does_not_count_its_rows(self):
        self.small()
        self.change(lambda footer: footer.update({FILE_ROWS: (I64, 0)}))
        self.accepted()
        shown = json.loads(self.bytelane("inspect", self.before, "--format", "json"))
        self.assertEqual(shown["rows"], 600)

    def test_a_repeated_group_without_annotation(self):
        person = pyarrow.struct([("number", pyarrow.int64()), ("kind", pyarrow.string())])
        phones = [None if n % 5 == 0 else [{"number": n * k, "kind": "home"} for k in range(n % 3)] for n in range(900)]
        table = pyarrow.table({
            "id": numpy.arange(900),
            "phones": pyarrow.array(phones, pyarrow.list_(pyarrow.field("element", person, nullable=False))),
        })
        pyarrow.parquet.write_table(table, self.before, store_schema=False)

        def work(footer):
            elements = get(footer, SCHEMA)[1]
            at = [get(element, NAME) for element in elements].index(b"element")
            # A required group has no level of its own, so its parent can replace it.
            elements[at - 1][CHILDREN] = elements.pop(at)[CHILDREN]
            del elements[at - 2][CONVERTED], elements[at - 2][LOGICAL]
            for chunk in get(footer, ROW_GROUPS, 0, COLUMNS)[1][1:]:
                get(chunk, METADATA, 3)[1].remove(b"element")
        self.change(work)
        self.accepted()

    def test_no_dictionary_at_offset_0(self):
        self.small(use_dictionary=False)

        def work(footer):
            for chunk in get(footer, ROW_GROUPS, 0, COLUMNS)[1]:
                get(chunk, METADATA)[DICTIONARY_PAGE] = I64, 0
        self.change(work)
        self.accepted()

    def test_a_field_that_has_since_become_another_one(self):
        """Dremio used the field number of the length of Bloom filters for a list of pages."""
        self.small()

        def work(footer):
            for chunk in get(footer, ROW_GROUPS, 0, COLUMNS)[1]:
                page = {1: (STRUCT, {1: (I32, 0), 2: (I32, 162)}), 2: (I64, 22)}
                get(chunk, METADATA)[BLOOM_FILTER_LENGTH] = LIST, (STRUCT, [page])
        self.change(work)
        self.accepted()
        self.check_footers()

    def test_an_unknown_logical_type(self):
        self.small()

        def work(footer):
            element = get(footer, SCHEMA, 2)
            del element[CONVERTED]
            element[LOGICAL] = STRUCT, {2555: (STRUCT, {})}
        self.change(work)
        self.accepted()
        self.check_footers()

    def test_a_chunk_that_does_not_count_the_header_of_its_dictionary(self):
        self.small(compression="none")

        def work(footer):
            footer[6] = BINARY, b"parquet-mr"
            for chunk in get(footer, ROW_GROUPS, 0, COLUMNS)[1]:
                metadata = get(chunk, METADATA)
                kind, size = metadata[COMPRESSED_SIZE]
                metadata[COMPRESSED_SIZE] = kind, size - 15
                metadata[DATA_PAGE] = metadata.pop(DICTIONARY_PAGE)
        self.change(work)
        self.accepted()

    def test_a_map_without_values(self):
        maps = pyarrow.array([[(n, None)] * (n % 3) for n in range(300)], pyarrow.map_(pyarrow.int32(), pyarrow.int32()))
        pyarrow.parquet.write_table(pyarrow.table({"set": maps, "id": numpy.arange(300)}), self.before)
        body, footer = footers.split(self.before.read_bytes())
        names = [get(element, NAME) for element in get(footer, SCHEMA)[1]]
        value = names.index(b"value")
        get(footer, SCHEMA)[1].pop(value)
        get(footer, SCHEMA, value - 2)[CHILDREN] = I32, 1
        get(footer, ROW_GROUPS, 0, COLUMNS)[1].pop(1)
        get(footer, COLUMN_ORDERS)[1].pop(1)
        footer.pop(5)
        self.before.write_bytes(footers.joined(body, footer))
        self.bytelane("inspect", self.before)
        for rewritten in self.rewrite_all_ways():
            self.check_footers()
            read = [polars.read_parquet(path, columns=["id"]) for path in (self.before, self.after)]
            self.assertTrue(read[0].equals(read[1]))

    def test_a_column_of_huge_strings_is_copied(self):
        """A few kilobytes expand to a gigabyte."""
        text = pyarrow.array(["x" * (160 << 20)])
        pyarrow.parquet.write_table(
            pyarrow.table({"text": text, "id": [1]}), self.before, compression="brotli", use_dictionary=False,
            write_statistics=False,
        )
        self.assertLess(self.before.stat().st_size, 10_000)
        script = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);" \
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        line = [PROGRAM, "rewrite", self.before, self.after, "--verify", "--compression", "zstd"]
        done = subprocess.run(["python3", "-c", script, *line], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(int(done.stdout), 100_000, "KiB")
        self.check_footers()

    # INT96.

    def test_int96(self):
        times = pyarrow.array([None if n % 9 == 0 else n * 1_234_567 - 10**9 for n in range(2000)], pyarrow.timestamp("us"))
        lists = pyarrow.array([[time] * (n % 3) for n, time in enumerate(times.to_pylist())], pyarrow.list_(times.type))
        table = pyarrow.table({"time": times, "list": lists, "id": numpy.arange(2000)})
        pyarrow.parquet.write_table(
            table, self.before, use_deprecated_int96_timestamps=True, store_schema=False, row_group_size=700,
        )
        self.assertIn("INT96", self.bytelane("inspect", self.before))
        rewritten = self.rewrite("--compression", "gzip:1")
        self.assertIn("--convert-int96", rewritten["columns"][0]["obstacle"])
        for option, unit in (("--convert-int96", "us"), ("--convert-int96=ns", "ns")):
            with self.subTest(option=option):
                self.rewrite(option)
                self.assertNotIn("INT96", self.bytelane("inspect", self.after))
                read = pyarrow.parquet.read_table(self.after)
                self.assertEqual(read.schema.field("time").type, pyarrow.timestamp(unit))
                self.assertEqual(read["time"].cast(times.type).to_pylist(), times.to_pylist())
                self.assertEqual(read["list"].cast(lists.type).to_pylist(), lists.to_pylist())
                self.assertEqual(
                    duckdb.sql(f"select count(*), max(time)::timestamp from '{self.after}'").fetchall(),
                    [(2000, pyarrow.compute.max(times).as_py())],
                )
                self.assertEqual(len(polars.read_parquet(self.after)), 2000)

    def test_int96_that_would_lose_something(self):
        nanoseconds = pyarrow.array([1_000_000_001], pyarrow.timestamp("ns"))
        old = pyarrow.array([-(10**16)], pyarrow.timestamp("ms"))
        for times, unit, why in ((nanoseconds, "us", "nanoseconds"), (old, "ns", "1677")):
            with self.subTest(unit=unit):
                pyarrow.parquet.write_table(
                    pyarrow.table({"time": times}), self.before, use_deprecated_int96_timestamps=True,
                )
                line = [PROGRAM, "rewrite", self.before, self.after, f"--convert-int96={unit}"]
                done = subprocess.run(line, capture_output=True, text=True)
                self.assertEqual(done.returncode, 2)
                self.assertIn(why, done.stderr)
                self.assertFalse(self.after.exists())


if __name__ == "__main__":
    unittest.main()
