"""Tests the choice of who tests a condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from bytelane._engines.adaptive import adaptive


class Metrics(NamedTuple):
    rows_excluded: int
    rows_dropped: int


class Rows(NamedTuple):
    group: int
    num_rows: int


class Batches:
    """Batches of row groups of 100 rows, of which a condition excludes or keeps some."""

    def __init__(self, groups: Sequence[int], excluded: int, kept: int) -> None:
        self.metrics = Metrics(0, 0)
        self._rows = self._iterate(groups, excluded, kept)

    def _iterate(self, groups: Sequence[int], excluded: int, kept: int) -> Iterator[Rows]:
        for group in groups:
            seen = self.metrics
            self.metrics = Metrics(seen.rows_excluded + excluded, seen.rows_dropped + 100 - excluded - kept)
            if kept:
                yield Rows(group, kept)

    def __iter__(self) -> Iterator[Rows]:
        return self._rows

    def __next__(self) -> Rows:
        return next(self._rows)


def read(excluded: int, kept: int, count: int = 20) -> tuple[list[int], list[int], int]:
    """Returns the row groups whose rows were tested and those whose were not, and the number of calls."""
    calls = 0

    def groups(window: Sequence[int], with_condition: bool) -> Any:
        nonlocal calls
        calls += 1
        return Batches(window, excluded, kept) if with_condition else Batches(window, 0, 100)

    found: list[tuple[Any, bool]] = list(adaptive(groups, range(count), [100] * count))
    tested = [rows.group for rows, is_tested in found if is_tested]
    others = [rows.group for rows, is_tested in found if not is_tested]
    assert sorted(tested + others) == list(range(count)) or not kept
    assert [rows.group for rows, _ in found] == sorted(tested + others)
    return tested, others, calls


def test_a_condition_that_excludes_pages_is_tested_by_the_reader() -> None:
    assert read(excluded=50, kept=50) == (list(range(20)), [], 5)


def test_a_condition_that_keeps_nothing_is_tested_by_the_reader() -> None:
    assert read(excluded=0, kept=0) == ([], [], 5)


def test_a_condition_that_only_drops_rows_is_tested_by_the_engine() -> None:
    tested, others, _ = read(excluded=0, kept=30)
    # Every window is followed by a row group that is tested again.
    assert tested == [0, 5, 14]
    assert len(others) == 17
