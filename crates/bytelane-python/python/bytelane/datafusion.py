"""Parquet files as tables of DataFusion.

This needs `pip install "bytelane[datafusion]"`.

```python
from bytelane.datafusion import table
from datafusion import SessionContext

context = SessionContext()
context.register_table("trades", table("trades.parquet"))
context.sql("select sum(id) from trades where price > 249").show()
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ._engines.arrow_dataset import ArrowDataset
from ._engines.scan import Reading, Scan
from ._protocols import BinaryFile, Path

__all__ = ["table"]


def table(
    source: Path | Sequence[Path] | bytes | bytearray | memoryview | BinaryFile,
    *,
    partition_types: Mapping[str, str] | None = None,
    partitioning: object = "hive",
    strict_schema: bool = False,
    as_files: bool = False,
    memory_limit: int | None = None,
    row_limit: int | None = None,
    filesystem: object = None,
) -> ArrowDataset:
    """Opens Parquet files as a table for `SessionContext.register_table` and `read_table`. The arguments are those of
    `bytelane.parquet.read_table`.

    DataFusion reads row groups side by side, each by one thread, with the columns of the query, and conditions prune pages. NaN is larger
    than all other numbers, as in DataFusion's own reader.
    """
    reading = Reading(
        partition_types=partition_types,
        partitioning=partitioning,
        strict_schema=strict_schema,
        as_files=as_files,
        threads=1,
        memory_limit=memory_limit,
        row_limit=row_limit,
    )
    return ArrowDataset(Scan(source, reading, filesystem), nan_is_largest=True)
