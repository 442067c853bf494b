"""Types that the stubs share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray
    from typing_extensions import Buffer

    # Type checkers recognise NumPy arrays as buffers only from Python 3.12 on.
    Memory: TypeAlias = Buffer | NDArray[Any]
