"""Executors with two workers each, and how to kill one of these."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any


def processes(_: bool = True) -> AbstractContextManager[Any]:
    return ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))


@contextmanager
def on_ray(_: bool = True) -> Iterator[Any]:
    import ray
    from bytelane.ray import Executor

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        yield Executor()
    finally:
        ray.shutdown()


@contextmanager
def on_dask(_: bool = True) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client.get_executor()


@contextmanager
def on_spark(repeats: bool = True) -> Iterator[Any]:
    from bytelane.spark import Executor
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder: Any = SparkSession.builder
    session = builder.master("local[2,4]" if repeats else "local[2,1]").config("spark.ui.enabled", False).config("spark.log.level", "OFF").getOrCreate()
    try:
        yield Executor(session)
    finally:
        session.stop()


# What starts an executor. Without its argument, Spark does not repeat tasks that have failed.
STARTS: dict[str, Callable[..., AbstractContextManager[Any]]] = {
    "processes": processes,
    "ray": on_ray,
    "dask": on_dask,
    "spark": on_spark,
}
# Executors that repeat the task of a killed worker.
REPEATING = ("ray", "dask", "spark")


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
    """Returns whether a process has a file of a directory open for writing, such as its journal."""
    try:
        return any(
            os.readlink(it).startswith(f"{directory}/") and is_writable(Path(f"/proc/{pid}/fdinfo/{it.name}").read_text())
            for it in Path(f"/proc/{pid}/fd").iterdir()
        )
    except OSError:
        return False


def is_writable(info: str) -> bool:
    flags = next(line for line in info.splitlines() if line.startswith("flags:"))
    return int(flags.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY


def kill_a_worker(new: Path, killed: list[int]) -> None:
    """Kills the first worker that writes to a directory."""
    end = time.monotonic() + 60
    while not killed and time.monotonic() < end:
        found = next((pid for pid in descendants() if new.exists() and writes_to(pid, new)), None)
        if found is not None:
            os.kill(found, signal.SIGKILL)
            killed.append(found)
        time.sleep(0.002)
