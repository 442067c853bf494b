"""`bytelane convert` reads the Arrow files and streams that pyarrow compresses, and damaged ones end with an error."""

import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import pyarrow
import pyarrow.parquet

ROWS = 5000


def table() -> pyarrow.Table:
    """Columns whose buffers have all forms: of bits, offsets, views, dictionaries, and none."""
    return pyarrow.table(
        {
            "id": range(ROWS),
            "price": [None if row % 7 == 0 else row / 3 for row in range(ROWS)],
            "flag": [row % 2 == 0 for row in range(ROWS)],
            "name": [f"name {row % 37}" for row in range(ROWS)],
            "view": pyarrow.array([f"a long name {row % 50}" for row in range(ROWS)], pyarrow.string_view()),
            "tags": [[row, None] if row % 3 else None for row in range(ROWS)],
            "place": [{"x": row, "y": str(row)} for row in range(ROWS)],
            "kind": pyarrow.array([f"kind {row % 3}" for row in range(ROWS)]).dictionary_encode(),
            "nothing": pyarrow.nulls(ROWS, pyarrow.int32()),
        }
    )


class ArrowFiles(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.source = Path(self.directory.name) / "table.arrow"
        self.target = Path(self.directory.name) / "table.parquet"

    def tearDown(self):
        self.directory.cleanup()

    def write(self, rows, new, codec):
        options = pyarrow.ipc.IpcWriteOptions(compression=codec)
        with new(self.source, rows.schema, options=options) as writer:
            writer.write_table(rows, max_chunksize=3000)

    def convert(self):
        command = [sys.executable, "-m", "bytelane", "convert", self.source, self.target, "--force"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_compressed_files_and_streams(self):
        rows = table()
        for codec in ("lz4", "zstd", None):
            for new in (pyarrow.ipc.new_file, pyarrow.ipc.new_stream):
                with self.subTest(codec=codec, new=new.__name__):
                    self.write(rows, new, codec)
                    run = self.convert()
                    self.assertEqual((run.returncode, run.stderr), (0, ""))
                    self.assertEqual(pyarrow.parquet.read_table(self.target).to_pylist(), rows.to_pylist())

    def test_claims_are_not_believed(self):
        rows = table().slice(0, 50)
        generator = random.Random(5)
        for codec in ("lz4", "zstd"):
            self.write(rows, pyarrow.ipc.new_stream, codec)
            content = self.source.read_bytes()
            for number in range(20):
                damaged = bytearray(content)
                at = generator.randrange(len(content)) // 8 * 8
                claim = generator.choice([2**63 - 1, 2**40, -2, 2**32])
                damaged[at : at + 8] = claim.to_bytes(8, "little", signed=True)
                self.source.write_bytes(damaged)
                run = self.convert()
                with self.subTest(codec=codec, number=number, at=at):
                    self.assertIn(run.returncode, (0, 2))
                    self.assertNotIn("panicked", run.stderr)
        # The length of the first buffer with values.
        at = content.index(b"\x28\xb5\x2f\xfd") - 8
        for claim, problem in [(2**50, "takes more than"), (1, "of another length"), (-2, "negative length")]:
            self.source.write_bytes(content[:at] + claim.to_bytes(8, "little", signed=True) + content[at + 8 :])
            run = self.convert()
            self.assertEqual(run.returncode, 2)
            self.assertIn(problem, run.stderr)


if __name__ == "__main__":
    unittest.main()
