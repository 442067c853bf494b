"""Checks the table of readers for those in `requirements.txt`: each reads exactly what the table says."""

import tempfile
import unittest
from pathlib import Path

import reader_checks
import reader_files
from reader_programs import PROGRAMS


class Readers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.directory = Path(directory.name)
        reader_files.write(cls.directory)

    def test_the_table(self):
        newest = {program["name"]: program["newest"] for program in reader_files.table()}
        for name in ("pyarrow", "duckdb", "polars"):
            with self.subTest(name):
                running, read = PROGRAMS[name]()
                self.assertEqual(reader_checks.version(running), reader_checks.version(newest[name]))
                verdict = reader_checks.check(self.directory, name, running, read)
                self.assertEqual(verdict, reader_checks.Verdict([], []))

    def test_disagreements_are_found(self):
        """A fake reader reads everything, which contradicts the table for an old version of pyarrow."""
        _, read = PROGRAMS["pyarrow"]()
        verdict = reader_checks.check(self.directory, "pyarrow", "15.0", read)
        surplus = ("int32", "int64", "float", "double", "float16", "fixed")
        expected = [f"reads byte_stream_split of {values}, which the table does not say" for values in surplus]
        self.assertEqual(sorted(verdict.disagreements), sorted(expected))

        def deny(path):
            if "delta_binary_packed" in path.name or path.name.startswith("f16"):
                raise ValueError("no")
            return read(path)[::-1] if "text.delta" in path.name else read(path)
        verdict = reader_checks.check(self.directory, "pyarrow", "26.0.1", deny)
        denied = [line.split(":")[0] for line in verdict.disagreements]
        expected = ["delta_binary_packed of int32", "delta_binary_packed of int64",
                    "delta_length_byte_array of bytes", "delta_byte_array of bytes"]
        self.assertEqual(sorted(denied), sorted(f"does not read {key}" for key in expected))
        self.assertEqual(verdict.unknown, ["f16: no"])

    def test_every_program_that_can_be_tried_is_in_the_table(self):
        self.assertLessEqual(set(PROGRAMS), {program["name"] for program in reader_files.table()})


if __name__ == "__main__":
    unittest.main()
