"""Plugin of pytest that runs pyarrow's own tests of Parquet with functions and classes of `bytelane.parquet`:

    BYTELANE_DOORS=read_table,write_table pytest -p pyarrow_suite --pyargs pyarrow.tests.parquet.test_basic ..

BYTELANE_OUTCOMES is a file for the names of the tests, by their outcomes.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.core as core
from bytelane import parquet

OUTCOMES: defaultdict[str, list[str]] = defaultdict(list)


def read_table(*arguments: Any, **options: Any) -> Any:
    return parquet.read_table(*arguments, **options).to_pyarrow()


def write_table(table: Any, where: Any, row_group_size: int | None = None, **options: Any) -> None:
    parquet.write_table(table, where, row_group_size=row_group_size, **options)


class ParquetFile(parquet.ParquetFile):
    """Returns tables and schemas of pyarrow."""

    def read(self, *arguments: Any, **options: Any) -> Any:
        return super().read(*arguments, **options).to_pyarrow()

    def iter_batches(self, *arguments: Any, **options: Any) -> Any:
        return map(pa.record_batch, super().iter_batches(*arguments, **options))

    @property
    def schema(self) -> Any:
        return self.metadata.schema

    @property
    def schema_arrow(self) -> Any:
        return super().schema.to_pyarrow()


class ParquetWriter(parquet.ParquetWriter):
    """Takes the file system as the third argument."""

    def __init__(self, where: Any, schema: Any, filesystem: Any = None, **options: Any) -> None:
        super().__init__(where, schema, filesystem=filesystem, **options)


class ParquetDataset(parquet.ParquetDataset):
    """Returns tables and schemas of pyarrow."""

    def read(self, *arguments: Any, **options: Any) -> Any:
        return super().read(*arguments, **options).to_pyarrow()

    @property
    def schema(self) -> Any:
        return super().schema.to_pyarrow()


DOORS = {
    "read_table": read_table,
    "write_table": write_table,
    "ParquetFile": ParquetFile,
    "ParquetWriter": ParquetWriter,
    "ParquetDataset": ParquetDataset,
}


def pytest_configure() -> None:
    for name in os.environ["BYTELANE_DOORS"].split(","):
        for module in (pq, core):
            setattr(module, name, DOORS[name])


def pytest_runtest_logreport(report: Any) -> None:
    # Other phases fail where files of Apache's test data are needed.
    if report.when == "call":
        OUTCOMES[report.outcome].append(report.nodeid.partition("::")[2])


def pytest_sessionfinish() -> None:
    Path(os.environ["BYTELANE_OUTCOMES"]).write_text(json.dumps(OUTCOMES))
