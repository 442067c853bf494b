"""Checks that the comparison of speeds runs; the results are not tested."""

import tempfile
import unittest
from pathlib import Path

import numpy

import parquet_speed


class ParquetSpeed(unittest.TestCase):
    def test_both_sides_are_measured(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "walk.f64"
            numpy.cumsum(numpy.ones(30_000)).tofile(path)
            ratios, row = parquet_speed.compare(path, cycles=1)
        self.assertTrue(all(ratio > 0 for both in ratios for ratio in both))
        self.assertEqual(row["values"], 30_000)
        self.assertTrue(all(0 < share for share in row["zstd_share"]))


if __name__ == "__main__":
    unittest.main()
