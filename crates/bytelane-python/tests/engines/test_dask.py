"""Tests `bytelane.dask` against `bytelane.parquet` and the reader of Dask."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dask.dataframe")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

sys.path.insert(0, str(Path(__file__).parent))

from bytelane import dask as sources  # noqa: E402
from rows import COUNT, plain, write_lake, write_plain  # noqa: E402


# Dask has no types for its frames.
read_parquet: Any = sources.read_parquet

# The libraries warn of each other.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_plain(tmp_path_factory.mktemp("dask"))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_lake(tmp_path_factory.mktemp("dask-lake"))


def test_rows_and_types_are_those_of_dask(file: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame, own = read_parquet(file), pytest.importorskip("dask.dataframe").read_parquet(file)
    assert frame.npartitions == 4
    plain_columns = ["id", "price", "name", "flag"]
    assert frame[plain_columns].dtypes.equals(own[plain_columns].dtypes)
    found, expected = (it.compute().reset_index(drop=True) for it in (frame, own))
    pandas.testing.assert_frame_equal(found[plain_columns], expected[plain_columns])
    assert pa.table(found).select(["day", "cents", "list"]).to_pylist() == plain().select(["day", "cents", "list"]).to_pylist()


def test_columns_and_filters(file: str) -> None:
    assert read_parquet(file, ["price"]).columns.tolist() == ["price"]
    assert read_parquet(file, ["id"], "price > 290").id.sum().compute() == sum(it for it in range(1161, COUNT) if it % 7)
    found = read_parquet(file, filters=[("name", "==", "n3"), ("id", "<", 100)]).id.compute().tolist()
    assert found == [it for it in range(100) if it % 11 == 3 and it % 5]
    assert len(read_parquet(file, filters="id < 0").compute()) == 0
    # Dask pushes columns into the reading.
    projected = read_parquet(file)[["name", "id"]].optimize()
    assert projected.columns.tolist() == ["name", "id"]
    assert "n3" in set(projected.name.compute())


def test_an_index_of_pandas_is_restored(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"price": [0.5, 1.5]}, index=pandas.Index([7, 9], name="id"))
    pq.write_table(pa.table(frame), tmp_path / "frame.parquet")
    pandas.testing.assert_frame_equal(read_parquet(tmp_path / "frame.parquet").compute(), frame)
    assert read_parquet(tmp_path / "frame.parquet", ["price"]).compute().index.tolist() == [7, 9]


def test_partitions(lake: str) -> None:
    found = read_parquet(lake, filters=[("year", "==", 2024)]).compute()
    assert len(found) == COUNT // 2
    assert set(found["year"]) == {2024}


def test_errors_name_the_place() -> None:
    with pytest.raises(FileNotFoundError, match="nothing"):
        read_parquet("nothing.parquet")
    with pytest.raises(TypeError, match="by their paths"):
        read_parquet(b"bytes")
