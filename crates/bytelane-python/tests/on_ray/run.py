"""Runs a plan on a local Ray cluster of two workers, one of which is killed: `cargo xtask extended --only ray`."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
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


def main() -> None:
    """Fails if rows are lost or there twice, or if no worker was killed."""
    with tempfile.TemporaryDirectory() as directory:
        old, new = Path(directory, "old"), Path(directory, "new")
        write(old)
        plan = dataset.plan(old)
        ray.init(num_cpus=2, include_dashboard=False)
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
        ray.shutdown()


if __name__ == "__main__":
    main()
