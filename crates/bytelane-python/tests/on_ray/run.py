"""Runs plans on a local Ray cluster of two workers: `cargo xtask extended --only ray`.

The first two are of files on a disk; a worker of one, and the driver of the other are killed. The third one is of objects
on a server of this machine that has the interface of Amazon S3.
"""

from __future__ import annotations

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
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import ray
from bytelane import dataset
from bytelane.dataset import ray as on_ray

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


def descendants() -> set[int]:
    """The processes that this one has started."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True)
    pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()[1:]]
    found = {os.getpid()}
    while more := {pid for pid, parent in pairs if parent in found} - found:
        found |= more
    return found


def kill_a_worker(new: Path, killed: list[int]) -> None:
    """Kills the first worker that runs a shard."""
    end = time.monotonic() + 60
    while not killed and time.monotonic() < end:
        listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True)
        for line in listed.stdout.splitlines()[1:]:
            pid, name = line.split(maxsplit=1)
            if name.startswith("ray::_shard") and new.exists() and int(pid) in descendants():
                os.kill(int(pid), signal.SIGKILL)
                killed.append(int(pid))
                break
        time.sleep(0.02)


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


def on_a_disk(directory: Path) -> None:
    """Fails if rows are lost or there twice, or if no worker was killed."""
    old, new = directory / "old", directory / "new"
    write(old)
    plan = dataset.plan(old)
    killed: list[int] = []
    killer = threading.Thread(target=kill_a_worker, args=(new, killed))
    killer.start()
    run = on_ray.run(plan, new, shards=PARTITIONS)
    killer.join()
    print(run, "killed:", killed)
    assert killed and run["complete"] and not run["failed"]
    assert dataset.verify(old, new).same
    assert len(list(new.glob("p=*/*.parquet"))) == PARTITIONS
    again = on_ray.run(plan, new, shards=3)
    assert again["published"] == 0 and again["published_before"] == PARTITIONS


def drive(old: str, new: str) -> None:
    """Runs a plan on a cluster of its own, in a process that is killed."""
    ray.init(num_cpus=1, include_dashboard=False)
    on_ray.run(dataset.plan(old), new, shards=PARTITIONS)


def with_a_killed_driver(directory: Path) -> None:
    """Fails if a run whose driver was killed cannot be continued."""
    old, new = directory / "old", directory / "killed"
    arguments = [sys.executable, __file__, str(old), str(new)]
    driver = subprocess.Popen(arguments, start_new_session=True)
    end = time.monotonic() + 60
    while not list(new.glob("p=*/*.parquet")) and time.monotonic() < end:
        time.sleep(0.01)
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    assert not (new / "_bytelane" / "complete.json").exists()
    # Its workers end when they miss it; until then, they hold the locks of their journals.
    for _ in range(100):
        try:
            run = on_ray.run(dataset.plan(old), new, shards=2)
            break
        except ray.exceptions.RayTaskError as error:
            print(error)
            time.sleep(0.3)
    print(run)
    assert run["complete"] and run["published_before"] >= 1
    assert dataset.verify(old, new).same
    assert len(list(new.glob("p=*/*.parquet"))) == PARTITIONS


def on_a_store(directory: Path, port: int) -> None:
    """Fails if a unit is lost or published twice by workers that share nothing but the store."""
    for file in (directory / "old").glob("*/*.parquet"):
        put(port, f"old/{file.parent.name}/{file.name}", file.read_bytes())
    plan = dataset.plan("s3://lake/old")
    run = on_ray.run(plan, "s3://lake/new", shards=4)
    print(run)
    assert run["complete"] and run["published"] == PARTITIONS
    assert dataset.verify("s3://lake/old", "s3://lake/new").same
    again = on_ray.run(plan, "s3://lake/new", shards=2)
    assert again["published"] == 0 and again["published_before"] == PARTITIONS


def main() -> None:
    port = free_port()
    # Workers have the environment of the driver.
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }
    with tempfile.TemporaryDirectory() as directory, store(port):
        ray.init(num_cpus=2, include_dashboard=False)
        on_a_disk(Path(directory))
        with_a_killed_driver(Path(directory))
        on_a_store(Path(directory), port)
        ray.shutdown()


if __name__ == "__main__":
    if len(sys.argv) == 3:
        drive(*sys.argv[1:])
    else:
        main()
