"""Chooses who tests a condition: the reader, which skips pages, or the engine, which tests decoded rows faster.

Testing rows while they are read costs more than to decode all of them, unless pages are excluded or few rows remain. So the
first rows of some row groups are read with the condition; the metrics tell whether it pays, also for the row groups that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from .._parquet import Batches, Table

# Reads row groups, with the condition or without it.
_Read: TypeAlias = Callable[[Sequence[int], bool], Batches]

# Row groups that are read in the same way, at first and at most.
_FIRST = 4
_MOST = 32
# The condition pays if it excludes one of so many rows unread, or keeps fewer than one of so many.
_EXCLUDED = 8
_KEPT = 500


def adaptive(read: _Read, groups: Sequence[int], rows: Sequence[int]) -> Iterator[tuple[Table, bool]]:
    """Reads row groups, and returns with each batch whether its rows were tested. `rows` are the numbers of rows of the row groups
    of the file."""
    left = list(groups)
    with_condition, without = 1, _FIRST
    while left:
        window, others = left[:with_condition], left[with_condition:]
        batches = read(window, True)
        first = next(batches, None)
        seen, pays = _verdict(batches, 0 if first is None else first.num_rows)
        if pays or seen >= sum(rows[index] for index in window):
            if first is not None:
                yield first, True
            for table in batches:
                yield table, True
            left = others
        if pays:
            with_condition, without = min(2 * with_condition, _MOST), _FIRST
            continue
        for table in read(left[:without], False) if left else ():
            yield table, False
        left = left[without:]
        with_condition, without = 1, min(2 * without, _MOST)


def _verdict(batches: Batches, kept: int) -> tuple[int, bool]:
    """Returns the number of rows seen so far, and whether the condition pays."""
    metrics = batches.metrics
    seen = metrics.rows_excluded + metrics.rows_dropped + kept
    return seen, metrics.rows_excluded * _EXCLUDED >= seen or kept * _KEPT <= seen
