"""Queries of the rows of TPC-H's lineitem that satisfy a condition, for `compare.py`.

The example `time_queries` of bytelane-parquet runs both crates, and `serve.py` the Python packages. Each read ends with all
results in memory, as Arrow arrays or as the library's own rows. `plain` is a read without a condition, for `everything` and
`most`.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

ORDER = 3_000_000
RETURNED = ["l_extendedprice", "l_discount"]
Q6: list[tuple[str, str, Any]] = [
    ("l_shipdate", ">=", date(1994, 1, 1)),
    ("l_shipdate", "<", date(1995, 1, 1)),
    ("l_discount", ">=", Decimal("0.05")),
    ("l_discount", "<=", Decimal("0.07")),
    ("l_quantity", "<", Decimal(24)),
]
# Columns, or all, and conditions that must all be true.
QUERIES: dict[str, tuple[list[str] | None, list[tuple[str, str, Any]]]] = {
    "q6": (RETURNED, Q6),
    "lookup": (None, [("l_orderkey", "==", ORDER)]),
    "modes": (RETURNED, [("l_shipmode", "in", ["AIR", "REG AIR"])]),
    "everything": (None, [("l_quantity", ">", Decimal(0))]),
    "most": (None, [("l_quantity", ">", Decimal(1))]),
    "plain": (None, []),
}
