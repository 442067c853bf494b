"""Runs plans, and changes tables, with every executor, each with two workers: `cargo xtask extended --only executors`.

A worker is killed, then the driver of another run, and a second run goes on: with a plan, and with tables of Delta Lake and Apache
Iceberg, whose driver is killed between the last file and the commit. Then a plan of objects runs, on a server of this machine that has the
interface of Amazon S3, and again with a connection that is cut in each state.

    python all_executors.py [EXECUTOR..]
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from bytelane import dataset
from clusters import REPEATING, STARTS, kill_a_worker
from cut_store import Connection, with_a_cut_store
from killed_tables import with_killed_tables
from object_store import free_port, put, store

PARTITIONS = 8
ROWS = 40_000


def write(root: Path) -> None:
    """Writes 48 files in 8 partitions."""
    for number in range(6 * PARTITIONS):
        partition = root / f"p={number % PARTITIONS}"
        partition.mkdir(parents=True, exist_ok=True)
        ids = range(number * ROWS, (number + 1) * ROWS)
        table = pa.table({"id": ids, "name": [str(i % 999) for i in ids]})
        pq.write_table(table, partition / f"{number}.parquet")


def check(run: dataset.Run, old: Path | str, new: Path | str) -> None:
    """Fails if rows are lost or there twice."""
    assert run["complete"] and not run["failed"], run
    assert dataset.verify(old, new).same
    if isinstance(new, Path):
        assert len(list(new.glob("p=*/*.parquet"))) == PARTITIONS


def with_a_killed_worker(name: str, old: Path, new: Path) -> None:
    start, repeats = STARTS[name], name in REPEATING
    plan = dataset.plan(old)
    killed: list[int] = []
    killer = threading.Thread(target=kill_a_worker, args=(new, killed))
    problem = None
    try:
        with start() as executor:
            killer.start()
            check(dataset.run(plan, new, executor=executor, shards=PARTITIONS), old, new)
    except Exception as error:
        problem = error
    killer.join()
    assert killed and repeats == (problem is None), problem
    with start() as executor:
        check(dataset.run(plan, new, executor=executor, shards=3), old, new)
        again = dataset.run(plan, new, executor=executor, shards=2)
    assert again["published"] == 0 and again["published_before"] == PARTITIONS


def drive(name: str, old: str, new: str) -> None:
    """Runs a plan in a process that is killed."""
    with STARTS[name]() as executor:
        dataset.run(dataset.plan(old), new, executor=executor, shards=PARTITIONS)


def with_a_killed_driver(name: str, old: Path, new: Path) -> None:
    driver = subprocess.Popen([sys.executable, __file__, "drive", name, str(old), str(new)], start_new_session=True)
    end = time.monotonic() + 120
    # With two workers, the journals have at least one of three files.
    while len(list(new.glob("p=*/*.parquet"))) < 3 and time.monotonic() < end:
        time.sleep(0.002)
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    assert not (new / "_bytelane" / "complete.json").exists()
    # Its workers end when they miss it; until then, they hold the locks of their journals.
    for _ in range(100):
        try:
            with STARTS[name]() as executor:
                run = dataset.run(dataset.plan(old), new, executor=executor, shards=2)
            break
        except Exception as error:
            print(f"{name}: {type(error).__name__}")
            time.sleep(0.3)
    check(run, old, new)
    assert run["published_before"] >= 1


def on_a_store(name: str, old: str, new: str) -> None:
    """Fails if a unit is lost or published twice by workers that share nothing but the store."""
    plan = dataset.plan(old)
    with STARTS[name]() as executor:
        run = dataset.run(plan, new, executor=executor, shards=4)
        check(run, old, new)
        assert run["published"] == PARTITIONS
        again = dataset.run(plan, new, executor=executor, shards=2)
    assert again["published"] == 0 and again["published_before"] == PARTITIONS


def main(names: list[str]) -> None:
    port = free_port()
    with tempfile.TemporaryDirectory() as name, store(port):
        connection = Connection(port)
        # Workers have the environment of the driver.
        os.environ |= {
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{connection.port}",
        }
        directory = Path(name).resolve()
        old = directory / "old"
        write(old)
        for file in old.glob("*/*.parquet"):
            put(port, f"old/{file.parent.name}/{file.name}", file.read_bytes())
        for name in names or STARTS:
            start = time.monotonic()
            with_a_killed_worker(name, old, directory / f"{name}-worker")
            with_a_killed_driver(name, old, directory / f"{name}-driver")
            with_killed_tables(name, directory)
            on_a_store(name, "s3://lake/old", f"s3://lake/{name}")
            with_a_cut_store(name, connection, "s3://lake/old", f"s3://lake/{name}-cut")
            print(f"{name}: passed in {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["drive"]:
        drive(*sys.argv[2:])
    else:
        main(sys.argv[1:])
