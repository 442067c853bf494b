"""What several tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bytelane
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=bytelane.backends())
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    """Runs a test on each instruction set of the machine."""
    before = bytelane.backend()
    bytelane.set_backend(request.param)
    yield request.param
    bytelane.set_backend(before)
