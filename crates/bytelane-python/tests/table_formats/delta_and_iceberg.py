"""Tests `bytelane.deltalake` and `bytelane.iceberg`: `cargo xtask extended --only table-formats`.

Tables of many small files are compacted and sorted, and rows are deleted. Their rows are read before and after it, in the version before it, and after
commits that race with it. `delta_and_iceberg.py 1000` runs that number of random histories of each.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from delta_mapping import mapping_of_delta
from delta_vectors import vectors_of_delta
from on_delta import on_delta
from on_iceberg import on_iceberg
from sorted_tables import sorting_of_delta
from table_command import table_commands


def main(histories: int = 40) -> None:
    with tempfile.TemporaryDirectory() as directory:
        for test in [on_delta, vectors_of_delta, mapping_of_delta, sorting_of_delta, on_iceberg, table_commands]:
            below = Path(directory).resolve() / test.__name__
            below.mkdir()
            test(below, histories)
            print(f"{test.__name__}: passed", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
