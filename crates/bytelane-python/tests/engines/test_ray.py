"""Tests `bytelane.ray` against `bytelane.parquet` and the reader of Ray."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray.data")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

sys.path.insert(0, str(Path(__file__).parent))

import ray  # noqa: E402
from bytelane import parquet  # noqa: E402
from bytelane.ray import datasource, read_parquet, write_parquet  # noqa: E402
from ray.data.expressions import col  # noqa: E402
from rows import COUNT, plain, write_lake, write_plain  # noqa: E402


# The libraries warn of each other, and leave sockets open.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield write_plain(tmp_path_factory.mktemp("ray"))
    ray.shutdown()


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, file: str) -> str:
    return write_lake(tmp_path_factory.mktemp("ray-lake"))


def rows_of(dataset: Any) -> Any:
    """Returns the rows, by their numbers."""
    tables = [table for table in ray.get(dataset.to_arrow_refs()) if table.num_rows > 0]
    return pa.concat_tables(tables).sort_by("id") if tables else dataset.schema().base_schema.empty_table()


def test_rows_and_types_are_those_of_ray(file: str) -> None:
    found, expected = rows_of(read_parquet(file)), rows_of(ray.data.read_parquet(file))
    assert found.schema.equals(expected.schema)
    assert found.equals(expected)
    assert read_parquet(file).count() == COUNT


def test_tasks_are_lists_of_row_groups(file: str, lake: str) -> None:
    source = datasource(file)
    for parallelism, sizes in ((1, [COUNT]), (2, [600, 600]), (4, [300] * 4), (99, [300] * 4)):
        tasks = source.get_read_tasks(parallelism)
        assert [task.metadata.num_rows for task in tasks] == sizes
        assert [sum(it.num_rows for it in task()) for task in tasks] == sizes
        assert {task.metadata.input_files for task in tasks} == {(file,)}
    first, *_ = source.get_read_tasks(1, per_task_row_limit=7)
    assert [it.num_rows for it in first()] == [7]
    assert len(datasource(lake).get_read_tasks(2)) == 2


def test_columns_limits_and_filters(file: str, lake: str) -> None:
    assert read_parquet(file, ["price"]).columns() == ["price"]
    assert len(read_parquet(file).limit(310).take_all()) == 310
    assert len(read_parquet(file, filters="id >= 10").limit(5).take_all()) == 5
    assert rows_of(read_parquet(file, ["id"], "price > 290"))["id"].to_pylist() == [it for it in range(1161, COUNT) if it % 7]
    assert read_parquet(file, filters="id < 0").count() == 0
    assert read_parquet(lake, filters=[("year", "==", 2024)]).count() == COUNT // 2
    chosen = read_parquet(lake).filter(expr=col("year") == 2024).select_columns(["name", "id"])
    assert chosen.count() == COUNT // 2
    assert chosen.columns() == ["name", "id"]
    # A condition of Ray after one of ours.
    both = read_parquet(file, filters="id < 100").filter(expr=col("name") == "n3")
    assert rows_of(both)["id"].to_pylist() == [it for it in range(100) if it % 11 == 3 and it % 5]


def test_conditions_are_pushed(file: str) -> None:
    source = datasource(file).apply_predicate(col("id") == 1000)
    tables = [table for task in source.get_read_tasks(4) for table in task()]
    assert [table.num_rows for table in tables] == [0, 0, 0, 1]
    assert not datasource(file, filters="id > 1").supports_predicate_pushdown()


CONDITIONS: list[Callable[[random.Random], Any]] = [
    lambda chance: col("id") > chance.randrange(COUNT),
    lambda chance: col("price") <= chance.random() * 300,
    lambda chance: col("price") != 0.25 * chance.randrange(COUNT),
    lambda chance: col("name") == f"n{chance.randrange(11)}",
    lambda chance: col("name").is_in(["n1", f"n{chance.randrange(11)}"]),
    lambda chance: col("name").is_null(),
    lambda chance: col("price").is_not_null(),
    lambda chance: col("flag"),
    lambda chance: col("id") + col("id") < chance.randrange(2 * COUNT),
]


def random_condition(chance: random.Random) -> Any:
    condition = chance.choice(CONDITIONS)(chance)
    while chance.random() < 0.6:
        other = chance.choice(CONDITIONS)(chance)
        condition = condition & other if chance.random() < 0.5 else condition | ~other
    return condition


def test_random_conditions_choose_the_rows_of_ray(file: str) -> None:
    chance = random.Random(5)
    own = plain()
    for _ in range(200):
        condition = random_condition(chance)
        source = datasource(file).apply_predicate(condition)
        found = pa.concat_tables(table for task in source.get_read_tasks(2) for table in task())
        assert found.equals(own.filter(condition.to_pyarrow())), condition
    for _ in range(4):
        condition = random_condition(chance)
        found, expected = (rows_of(read(file).filter(expr=condition)) for read in (read_parquet, ray.data.read_parquet))
        assert found.to_pylist() == expected.to_pylist(), condition


def test_files_that_lack_a_column_of_a_condition(tmp_path: Path, file: str) -> None:
    parquet.write_table(pa.table({"id": [1, 2], "price": [1.0, 2.0]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"id": [3, 4]}), tmp_path / "b.parquet")
    source = read_parquet(tmp_path)
    assert rows_of(source.filter(expr=col("price") > 1))["id"].to_pylist() == [2]
    assert rows_of(source.filter(expr=col("price").is_null()))["id"].to_pylist() == [3, 4]


def test_written_rows_are_read_again(tmp_path: Path, file: str) -> None:
    write_parquet(read_parquet(file), tmp_path / "new", goal="size")
    names = sorted(it.name for it in (tmp_path / "new").iterdir())
    assert names and all(name.startswith("part-0000") for name in names)
    assert pa.table(parquet.read_table(tmp_path / "new")).sort_by("id").equals(plain())
    with pytest.raises(FileExistsError, match="mode"):
        write_parquet(read_parquet(file), tmp_path / "new")
    write_parquet(read_parquet(file), tmp_path / "new", mode="append")
    assert parquet.read_table(tmp_path / "new").num_rows == 2 * COUNT
    write_parquet(read_parquet(file, filters="id < 10"), tmp_path / "new", mode="overwrite")
    assert parquet.read_table(tmp_path / "new").num_rows == 10
    assert sorted(it.name for it in tmp_path.iterdir()) == ["new"]


def test_partitions_and_nothing(tmp_path: Path, file: str) -> None:
    write_parquet(read_parquet(file, ["id", "flag"]), tmp_path / "parts", partition_cols=["flag"])
    assert sorted(it.name for it in (tmp_path / "parts").iterdir()) == ["flag=false", "flag=true"]
    found = parquet.read_table(tmp_path / "parts", ["id"], filters="flag = 'true'")
    assert sorted(pa.table(found)["id"].to_pylist()) == list(range(0, COUNT, 3))
    write_parquet(read_parquet(file, filters="id < 0"), tmp_path / "nothing")
    assert pa.table(parquet.read_table(tmp_path / "nothing")).schema.equals(plain().schema)


def test_a_failed_task_leaves_nothing(tmp_path: Path, file: str) -> None:
    def fails(batch: Any) -> Any:
        if batch["id"][-1] >= 900:
            raise OSError("this task fails")
        return batch

    with pytest.raises(Exception, match="this task fails"):
        write_parquet(read_parquet(file, ["id"]).map_batches(fails, batch_size=100), tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_errors_name_the_place(tmp_path: Path, file: str) -> None:
    with pytest.raises(FileNotFoundError, match="nothing"):
        read_parquet("nothing.parquet")
    with pytest.raises(TypeError, match="by their paths"):
        datasource(b"bytes")  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="no column 'other'; the columns are id"):
        read_parquet(file, ["other"])
    with pytest.raises(NotImplementedError, match="object store"):
        write_parquet(read_parquet(file), "s3://bucket/new")
    with pytest.raises(ValueError, match="mode is"):
        write_parquet(read_parquet(file), tmp_path / "new", mode="replace")  # type: ignore[arg-type]
    with pytest.raises(NotADirectoryError, match="is a file"):
        write_parquet(read_parquet(file), file)
    (tmp_path / "table/_delta_log").mkdir(parents=True)
    (tmp_path / "table/_delta_log/00000000000000000000.json").write_text("{}")
    with pytest.raises(Exception, match="Delta"):
        write_parquet(read_parquet(file), tmp_path / "table", mode="append")
