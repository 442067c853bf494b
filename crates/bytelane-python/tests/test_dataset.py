"""`bytelane.dataset`, with files of pyarrow."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from bytelane import dataset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Creates a directory with 12 small files in two partitions."""
    root = tmp_path / "lake"
    for number in range(12):
        partition = root / f"year={2024 + number % 2}"
        partition.mkdir(parents=True, exist_ok=True)
        first = 1000 * number
        ids = list(range(first, first + 1000))
        table = pa.table({"id": ids, "name": [f"name {i % 7}" for i in ids]})
        pq.write_table(table, partition / f"{number}.parquet")
    return root


def rows(root: Path) -> pa.Table:
    """Reads all rows with pyarrow, with their partitions."""
    table = ds.dataset(root, partitioning="hive").to_table()
    return table.sort_by("id").combine_chunks()


def test_a_run_keeps_the_rows_that_pyarrow_reads(lake: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    seen: list[tuple[int, int]] = []
    plan = dataset.plan(lake, tmp_path / "plan.json", progress=lambda *it: seen.append(it))
    assert seen and len(plan["units"]) == 2
    expected = rows(lake)
    first = dataset.run(plan, new, shard=(0, 2))
    assert not first["complete"] and first["remaining"] == 1
    second = dataset.run(tmp_path / "plan.json", new, jobs=2)
    assert second["complete"] and second["published_before"] == 1
    assert rows(new) == expected
    assert len(ds.dataset(new).files) == 2
    with pytest.raises(ValueError, match="dataset verify"):
        dataset.delete(lake, verified_by=new)
    assert dataset.verify(lake, new).same
    dataset.swap(lake, new)
    assert rows(lake) == expected
    assert dataset.delete(new, verified_by=lake)["files"] == 12
    assert not dataset.plan(lake)["units"]


def test_files_get_the_wanted_encodings_and_size(lake: Path, tmp_path: Path) -> None:
    for encodings in ["delta_binary_packed", "plain"]:
        plan = dataset.plan(lake, goal="size", encodings=encodings, file_size="1MiB", row_group_size=3000)
        options = plan["options"]
        assert (options["file_size"], options["row_group_size"], options["encodings"]) == (1 << 20, 3000, encodings)
        assert dataset.run(plan, tmp_path / encodings)["complete"]
        assert rows(tmp_path / encodings) == rows(lake)
        file = next((tmp_path / encodings).rglob("*.parquet"))
        group = pq.read_metadata(file).row_group(0)
        assert group.num_rows == 3000
        assert {advice["columns"][0]["encoding"] for advice in plan["advice"]} == {encodings}
    with pytest.raises(ValueError, match="encodings: unknown encoding"):
        dataset.plan(lake, encodings="x")
    with pytest.raises(ValueError, match="jobs must be at least 1"):
        dataset.run(plan, tmp_path / "none", jobs=0)
    with pytest.warns(UserWarning, match="cannot read alp"):
        dataset.plan(lake, encodings="+alp")


def test_executors_run_the_shards_of_a_plan(lake: Path, tmp_path: Path) -> None:
    plan, new = dataset.plan(lake), tmp_path / "new"
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        run = dataset.run(plan, new, executor=processes)
        assert run["complete"] and (run["published"], run["published_before"]) == (2, 0)
        assert dataset.verify(lake, new).same
        again = dataset.run(plan, new, executor=processes, shards=5)
        assert again["complete"] and (again["published"], again["published_before"]) == (0, 2)
        with pytest.raises(ValueError, match="leave out shard and progress"):
            dataset.run(plan, new, executor=processes, shard=(0, 2))
    with pytest.raises(ValueError, match="number of tasks of an executor"):
        dataset.run(plan, new, shards=2)


def test_a_shard_that_fails_leaves_the_others(lake: Path, tmp_path: Path) -> None:
    class Broken:
        """Loses the worker of the first call."""

        def map(self, fn: Callable[..., Any], /, *items: Iterable[Any]) -> Iterator[Any]:
            _, *others = zip(*items, strict=True)
            assert [fn(*it)["published"] for it in others] == [1]
            raise ConnectionError("a worker is lost")

    plan, new = dataset.plan(lake), tmp_path / "new"
    with pytest.raises(ConnectionError):
        dataset.run(plan, new, executor=Broken())
    run = dataset.run(plan, new, executor=ThreadPoolExecutor(2))
    assert run["complete"] and (run["published"], run["published_before"]) == (1, 1)
    assert dataset.verify(lake, new).same


def test_exceptions(lake: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        dataset.plan(tmp_path / "none")
    with pytest.raises(ValueError, match="there is no Parquet file"):
        dataset.plan(lake, files=["none.parquet"])
    plan = dataset.plan(lake, files=["year=2024/0.parquet", "year=2024/2.parquet"])

    def stop(_done: int, _total: int) -> None:
        raise KeyError("stop")

    with pytest.raises(KeyError):
        dataset.run(plan, tmp_path / "new", progress=stop)
    with pytest.raises(ValueError, match="0/4"):
        dataset.run(plan, tmp_path / "new", shard=(2, 2))
    plan["units"][0]["sources"].pop()
    with pytest.raises(ValueError, match="was changed"):
        dataset.run(plan, tmp_path / "new")
