"""Writes tables without compression, whose values go to the file from Arrow's memory where they lie one after the other:
slices, gaps, nulls with bytes, and lists in another order than their entries must be noticed. pyarrow reads them."""

import io
import random
import unittest

import pyarrow
import pyarrow.parquet
from bytelane import parquet

COUNT = 20_000
TEXTS = pyarrow.array([f"value {7919 * i % COUNT:06} of some length" for i in range(COUNT)])
NUMBERS = pyarrow.array([7919 * i % COUNT for i in range(COUNT)], pyarrow.int64())
ENCODINGS = ["auto", "plain", "delta_length_byte_array", "byte_stream_split"]


def nulls_with_bytes():
    """Returns texts of which every third is null, but has bytes."""
    bits = sum(1 << i for i in range(COUNT) if i % 3)
    validity = pyarrow.py_buffer(bits.to_bytes(COUNT // 8, "little"))
    return pyarrow.Array.from_buffers(pyarrow.string(), COUNT, [validity, *TEXTS.buffers()[1:]])


def lists(values):
    """Returns lists in various places of the memory of their entries."""
    starts = list(range(0, COUNT, 10))
    random.Random(1).shuffle(starts)
    gaps = pyarrow.ListArray.from_arrays(pyarrow.array([5, *range(15, COUNT - 5, 10)], pyarrow.int32()), values)
    fixed = pyarrow.FixedSizeListArray.from_arrays(values, 4)
    for kind, index in [(pyarrow.ListViewArray, pyarrow.int32()), (pyarrow.LargeListViewArray, pyarrow.int64())]:
        yield kind.from_arrays(pyarrow.array(starts, index), pyarrow.array([10] * len(starts), index), values)
    yield from [gaps, gaps.slice(3, 1900), fixed, fixed.slice(5, 4900)]


class Memory(unittest.TestCase):
    def check(self, column):
        table = pyarrow.table({"column": column})
        for encoding in ENCODINGS:
            with self.subTest(type=str(table["column"].type), encoding=encoding):
                written = io.BytesIO()
                parquet.write_table(table, written, encoding, compression="none")
                # `read_table` reads on threads that may still hold Python's bytes when the interpreter ends, and abort it.
                found = pyarrow.parquet.ParquetFile(written).read(use_threads=False)
                self.assertEqual(found["column"].to_pylist(), table["column"].to_pylist())

    def test_slices_and_chunks(self):
        for values in [TEXTS, NUMBERS]:
            self.check(values)
            self.check(values.slice(100, 15_000))
            self.check(pyarrow.chunked_array([values.slice(0, 9000), values.slice(11_000, 7000)]))

    def test_nulls_that_have_bytes(self):
        self.check(nulls_with_bytes())
        self.check(nulls_with_bytes().slice(100, 15_000))

    def test_lists_anywhere_in_their_entries(self):
        for values in [TEXTS, NUMBERS]:
            for column in lists(values):
                self.check(column)


if __name__ == "__main__":
    unittest.main()
