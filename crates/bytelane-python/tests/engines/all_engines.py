"""Runs the tests of all engines, none of which may be missing: `cargo xtask extended --only engines`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ENGINES = ["daft", "dask.dataframe", "datafusion", "duckdb", "polars", "pyspark.sql", "ray.data"]


def main() -> int:
    for name in ENGINES:
        importlib.import_module(name)
    directory = Path(__file__).parent
    return int(pytest.main(["--quiet", "-p", "no:cacheprovider", f"--rootdir={directory.parents[1]}", str(directory)]))


if __name__ == "__main__":
    sys.exit(main())
