"""Runs plans with every executor, each with two workers: `cargo xtask extended --only executors`.

A worker is killed, then the driver of another run, and a second run goes on. Then a plan of objects runs, on a server of this machine
that has the interface of Amazon S3.

    python all_executors.py [EXECUTOR..]
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from bytelane import dataset

PARTITIONS = 8
ROWS = 40_000


def processes() -> AbstractContextManager[Any]:
    return ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))


@contextmanager
def on_ray() -> Iterator[Any]:
    import ray
    from bytelane.ray import Executor

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        yield Executor()
    finally:
        ray.shutdown()


@contextmanager
def on_dask() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client.get_executor()


@contextmanager
def on_spark() -> Iterator[Any]:
    from bytelane.spark import Executor
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder: Any = SparkSession.builder
    session = builder.master("local[2,4]").config("spark.ui.enabled", False).config("spark.log.level", "OFF").getOrCreate()
    try:
        yield Executor(session)
    finally:
        session.stop()


# Those that repeat the task of a killed worker, and those that do not.
EXECUTORS = {"processes": (processes, False), "ray": (on_ray, True), "dask": (on_dask, True), "spark": (on_spark, True)}


def write(root: Path) -> None:
    """Writes 48 files in 8 partitions."""
    for number in range(6 * PARTITIONS):
        partition = root / f"p={number % PARTITIONS}"
        partition.mkdir(parents=True, exist_ok=True)
        ids = range(number * ROWS, (number + 1) * ROWS)
        table = pa.table({"id": ids, "name": [str(i % 999) for i in ids]})
        pq.write_table(table, partition / f"{number}.parquet")


def descendants() -> set[int]:
    """Returns the processes that this one has started."""
    parents = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def writes_to(pid: int, directory: Path) -> bool:
    """Returns whether a process has a file of a directory open, as its journal is."""
    try:
        return any(os.readlink(it).startswith(f"{directory}/") for it in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def kill_a_worker(new: Path, killed: list[int]) -> None:
    """Kills the first worker that runs a shard."""
    end = time.monotonic() + 60
    while not killed and time.monotonic() < end:
        found = next((pid for pid in descendants() if new.exists() and writes_to(pid, new)), None)
        if found is not None:
            os.kill(found, signal.SIGKILL)
            killed.append(found)
        time.sleep(0.002)


def check(run: dataset.Run, old: Path | str, new: Path | str) -> None:
    """Fails if rows are lost or there twice."""
    assert run["complete"] and not run["failed"], run
    assert dataset.verify(old, new).same
    if isinstance(new, Path):
        assert len(list(new.glob("p=*/*.parquet"))) == PARTITIONS


def with_a_killed_worker(name: str, old: Path, new: Path) -> None:
    start, repeats = EXECUTORS[name]
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
    with EXECUTORS[name][0]() as executor:
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
            with EXECUTORS[name][0]() as executor:
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
    with EXECUTORS[name][0]() as executor:
        run = dataset.run(plan, new, executor=executor, shards=4)
        check(run, old, new)
        assert run["published"] == PARTITIONS
        again = dataset.run(plan, new, executor=executor, shards=2)
    assert again["published"] == 0 and again["published_before"] == PARTITIONS


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def store(port: int) -> Iterator[None]:
    """Runs moto, and creates a bucket."""
    starter = "from moto.server import main; import sys; main(sys.argv[1:])"
    quiet = subprocess.DEVNULL
    arguments = [sys.executable, "-c", starter, "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(arguments, stdout=quiet, stderr=quiet)
    try:
        for _ in range(300):
            try:
                put(port, "")
                break
            except OSError:
                time.sleep(0.1)
        yield
    finally:
        server.kill()
        server.wait()


def put(port: int, key: str, data: bytes | None = None) -> None:
    """Stores an object, or creates the bucket."""
    account = "Credential=key/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
    headers = {
        "Content-Type": "application/octet-stream",
        "Authorization": f"AWS4-HMAC-SHA256 {account}",
    }
    request = urllib.request.Request(f"http://127.0.0.1:{port}/lake/{key}", data, headers, method="PUT")
    urllib.request.urlopen(request, timeout=30).read()


def main(names: list[str]) -> None:
    port = free_port()
    # Workers have the environment of the driver.
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }
    with tempfile.TemporaryDirectory() as directory, store(port):
        old = Path(directory) / "old"
        write(old)
        for file in old.glob("*/*.parquet"):
            put(port, f"old/{file.parent.name}/{file.name}", file.read_bytes())
        for name in names or EXECUTORS:
            start = time.monotonic()
            with_a_killed_worker(name, old, Path(directory) / f"{name}-worker")
            with_a_killed_driver(name, old, Path(directory) / f"{name}-driver")
            on_a_store(name, "s3://lake/old", f"s3://lake/{name}")
            print(f"{name}: passed in {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["drive"]:
        drive(*sys.argv[2:])
    else:
        main(sys.argv[1:])
