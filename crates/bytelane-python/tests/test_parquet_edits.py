"""Tests `edit`, and the same changes in `merge`: the forms in which Python gives rows, names and types."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bytelane import parquet


@pytest.fixture(autouse=True)
def old_file(in_new_directory: None) -> None:
    table = pa.table({"id": pa.array(range(1000), pa.int32()), "user": [17, 18] * 500})
    pq.write_table(table, "old.parquet")


@pytest.mark.parametrize("rows", [[1, 5], (5, 1, 1), range(1, 6, 4), np.array([1, 5]), pa.array([1, 5]), Path("rows")])
def test_rows_are_a_collection_or_a_file(rows: object) -> None:
    Path("rows").write_text("1\n5\n")
    done = parquet.edit("old.parquet", "new.parquet", delete_rows=rows, verify=True)  # type: ignore[arg-type]
    assert done["deleted_rows"] == 2
    assert done["verified"]
    wanted = [row for row in range(1000) if row not in (1, 5)]
    assert pq.read_table("new.parquet")["id"].to_pylist() == wanted


def test_columns_have_names_and_types() -> None:
    changes: dict[str, object] = {"id": pa.int64(), "user": "optional"}
    parquet.edit(
        "old.parquet",
        "old.parquet",
        rename={"user": "user_id"},
        promote=changes,
        add=["country string = 'DE'"],
        order=["country"],
        delete_where="user = 17",
    )
    found = pq.read_table("old.parquet")
    assert found.schema.names == ["country", "id", "user_id"]
    assert found["id"].type == pa.int64()
    assert found["id"].to_pylist() == list(range(1, 1000, 2))
    assert set(found["country"].to_pylist()) == {"DE"}


def test_a_merge_deletes_rows_of_each_file() -> None:
    pq.write_table(pq.read_table("old.parquet").rename_columns(["key", "user"]), "other.parquet")
    sources = ["old.parquet", "other.parquet"]
    done = parquet.merge(sources, "both.parquet", delete_rows={"other.parquet": [0, 999]}, rename={"key": "id"})
    assert (done["deleted_rows"], done["rows"]) == (2, 1998)
    assert pq.read_table("both.parquet")["id"].to_pylist() == [*range(1000), *range(1, 999)]
    with pytest.raises(parquet.ParquetError, match="name the one that rows are deleted from"):
        parquet.merge(sources, "both.parquet", delete_rows=[1], force=True)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: parquet.edit("old.parquet", "new.parquet"), parquet.ParquetError, "nothing is changed"),
        (lambda: parquet.edit("old.parquet", "new.parquet", delete_rows=b"ab"), TypeError, "bytes"),
        (lambda: parquet.edit("old.parquet", "new.parquet", delete_rows=[-1]), TypeError, "row numbers"),
        (lambda: parquet.edit("old.parquet", "new.parquet", delete_rows="no"), FileNotFoundError, "no"),
        (lambda: parquet.edit("old.parquet", "new.parquet", delete_where="x ="), ValueError, "condition"),
        (lambda: parquet.edit("old.parquet", "new.parquet", promote={"id": pa.int8()}), parquet.ParquetError, "int8"),
    ],
)
def test_errors_name_the_option(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
    assert not Path("new.parquet").exists()


def test_files_are_edited_in_other_processes(tmp_path: Path) -> None:
    files = [str(tmp_path / f"{number}.parquet") for number in range(3)]
    for number, file in enumerate(files):
        parquet.write_table(pa.table({"id": range(100 * (number + 1))}), file)
    edit = partial(parquet.edit, delete_where="id >= 150")
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        edited = [*processes.map(edit, files, [f"{file}.new" for file in files])]
    assert [it["deleted_rows"] for it in edited] == [0, 50, 150]
    assert [parquet.read_metadata(f"{file}.new").num_rows for file in files] == [100, 150, 150]
