"""Fixtures that several tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bytelane
import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The same examples on every run, however slow the machine.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")


@pytest.fixture(params=bytelane.backends())
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """Runs a test on each instruction set of the machine."""
    before = bytelane.backend()
    bytelane.set_backend(request.param)
    yield request.param
    bytelane.set_backend(before)


@pytest.fixture
def in_new_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a test in an empty directory."""
    monkeypatch.chdir(tmp_path)
