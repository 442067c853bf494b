"""Tests `bytelane.daft` against `bytelane.parquet` and the reader of Daft."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("daft")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

sys.path.insert(0, str(Path(__file__).parent))

from bytelane import parquet  # noqa: E402
from bytelane.daft import read, write_parquet  # noqa: E402
from rows import COUNT, plain, write_lake, write_plain  # noqa: E402


# The libraries warn of each other.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_plain(tmp_path_factory.mktemp("daft"))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_lake(tmp_path_factory.mktemp("daft-lake"))


def test_rows_and_types_are_those_of_daft(file: str) -> None:
    daft = pytest.importorskip("daft")
    own = daft.read_parquet(file)
    assert read(file).schema() == own.schema()
    assert read(file).sort("id").to_pydict() == own.sort("id").to_pydict()


def test_columns_and_filters(file: str, lake: str) -> None:
    daft = pytest.importorskip("daft")
    assert read(file, ["price"]).column_names == ["price"]
    expected = [it for it in range(1161, COUNT) if it % 7]
    assert read(file, ["id"], "price > 290").sort("id").to_pydict() == {"id": expected}
    # A condition on a column that is not selected.
    assert read(file).where(daft.col("price") > 290).select("id").sort("id").to_pydict() == {"id": expected}
    assert len(read(file).select("name").limit(7).to_pydict()["name"]) == 7
    assert read(file).count_rows() == COUNT
    assert read(lake, filters=[("year", "==", 2024)]).count_rows() == COUNT // 2
    with pytest.raises(FileNotFoundError, match="nothing"):
        read("nothing.parquet")


def test_rows_are_those_of_the_table(file: str) -> None:
    assert read(file).sort("id").to_arrow().to_pylist() == plain().to_pylist()
    assert pq.read_table(file).num_rows == pa.table(plain()).num_rows


def test_written_rows_are_read_again(file: str, tmp_path: Path) -> None:
    new, frame = tmp_path / "new", read(file)
    write_parquet(frame, new, goal="size")
    assert all(it.name.startswith("part-0000") for it in new.iterdir())
    assert pa.table(parquet.read_table(new)).sort_by("id").to_pylist() == plain().to_pylist()
    assert read(new).schema() == frame.schema()
    with pytest.raises(FileExistsError, match="mode"):
        write_parquet(frame, new)
    write_parquet(frame.into_batches(100), new, mode="append")
    assert parquet.read_table(new).num_rows == 2 * COUNT
    write_parquet(read(file, filters="id < 10"), new, mode="overwrite")
    assert parquet.read_table(new).num_rows == 10
    write_parquet(read(file, filters="id < 0"), new, mode="overwrite")
    assert read(new).schema() == frame.schema() and read(new).count_rows() == 0
    write_parquet(frame.select("id", "flag"), tmp_path / "parts", partition_cols=["flag"])
    assert sorted(it.name for it in (tmp_path / "parts").iterdir()) == ["flag=false", "flag=true"]
    assert sorted(it.name for it in tmp_path.iterdir()) == ["new", "parts"]


def test_a_failed_task_leaves_nothing(file: str, tmp_path: Path) -> None:
    daft = pytest.importorskip("daft")

    def fails(value: int) -> int:
        raise OSError("this task fails")

    failing = daft.func(fails, return_dtype=daft.DataType.int64())(daft.col("id"))
    with pytest.raises(Exception, match="this task fails"):
        write_parquet(read(file).select(failing), tmp_path / "new")
    with pytest.raises(Exception, match="compressed"):
        write_parquet(read(file), tmp_path / "new", compressed=True)
    assert [*tmp_path.iterdir()] == []
