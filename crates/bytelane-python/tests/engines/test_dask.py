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
from bytelane import parquet  # noqa: E402
from rows import COUNT, plain, write_lake, write_plain  # noqa: E402


# Dask has no types for its frames.
read_parquet: Any = sources.read_parquet
write_parquet: Any = sources.write_parquet

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


def test_written_rows_are_read_again(file: str, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    new, frame = tmp_path / "new", read_parquet(file)
    write_parquet(frame, new, goal="size")
    assert sorted(it.name[:11] for it in new.iterdir()) == [f"part-0000{it}-" for it in range(4)]
    # The texts of pandas are large.
    assert pa.table(parquet.read_table(new)).cast(plain().schema).equals(plain())
    pandas.testing.assert_frame_equal(read_parquet(new).compute(), frame.compute())
    with pytest.raises(FileExistsError, match="mode"):
        write_parquet(frame, new)
    write_parquet(frame, new, mode="append")
    assert parquet.read_table(new).num_rows == 2 * COUNT
    # Partitions without rows have no file, and no rows have one.
    write_parquet(frame[frame.id < 10], new, mode="overwrite")
    assert parquet.read_table(new).num_rows == 10 and len([*new.iterdir()]) == 1
    write_parquet(frame[frame.id < 0], new, mode="overwrite")
    assert pa.table(parquet.read_table(new)).cast(plain().schema).num_rows == 0
    write_parquet(frame[["id", "flag"]], tmp_path / "parts", partition_cols=["flag"])
    assert sorted(it.name for it in (tmp_path / "parts").iterdir()) == ["flag=false", "flag=true"]
    assert sorted(it.name for it in tmp_path.iterdir()) == ["new", "parts"]


def test_an_index_with_a_name_is_written(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    frame = pandas.DataFrame({"price": [0.5, 1.5], "any": [None, {"a": 1}]}, index=pandas.Index([7, 9], name="id"))
    write_parquet(dd.from_pandas(frame, npartitions=2), tmp_path / "new")
    found = read_parquet(tmp_path / "new").compute()
    assert found.index.tolist() == [7, 9] and found.index.name == "id"
    assert found["price"].tolist() == [0.5, 1.5]


def test_a_failed_partition_leaves_nothing(file: str, tmp_path: Path) -> None:
    def fails(frame: Any) -> Any:
        if len(frame) and frame.id.iloc[-1] >= 900:
            raise OSError("this task fails")
        return frame

    with pytest.raises(OSError, match="this task fails"):
        write_parquet(read_parquet(file, ["id"]).map_partitions(fails), tmp_path / "new")
    with pytest.raises(TypeError, match="compressed"):
        write_parquet(read_parquet(file), tmp_path / "new", compressed=True)
    assert [*tmp_path.iterdir()] == []
