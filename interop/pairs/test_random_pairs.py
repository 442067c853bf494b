"""Merges and rewrites random pairs of files: see `random_pairs.py`, which tries more of them."""

from __future__ import annotations

import unittest

from random_pairs import run


class RandomPairs(unittest.TestCase):
    def test_outcomes_mean_what_their_inputs_mean(self) -> None:
        self.assertEqual(run(0, 200), [])
