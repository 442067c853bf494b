"""Measures how much faster two workers run a plan than one: `dataset_workers.py DIRECTORY OUTPUT [--size BYTES] [--on EXECUTOR..]`.

The directory has many files, such as those of `dataset.py --keep DIRECTORY`; neither it nor OUTPUT, a new directory, is on a store. An OUTPUT in
/dev/shm shows what workers reach whose disks sync without waiting for each other. Each worker runs on a core of its own, as if it were
another machine. Needs the package bytelane, for Ray also ray, and two idle cores. Prints wall-clock times, the best of three rounds, as a
Markdown table.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bytelane import dataset

ROUNDS = 3


def pinned(number: int) -> None:
    """Keeps this worker on a core, and imports what it needs."""
    os.sched_setaffinity(0, {number})
    from bytelane import dataset as _  # noqa: F401


def next_pinned(count: Any) -> None:
    with count.get_lock():
        number = count.value
        count.value += 1
    pinned(number)


@contextmanager
def processes(workers: int) -> Iterator[Any]:
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, context, next_pinned, (context.Value("i", 0),)) as executor:
        # Each call starts a process, if none is idle.
        [*executor.map(time.sleep, [1] * workers)]
        yield executor


@contextmanager
def on_ray(workers: int) -> Iterator[Any]:
    import ray
    from bytelane.ray import Executor

    def wait(number: int) -> None:
        pinned(number)
        time.sleep(1)

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    try:
        task: Any = ray.remote(num_cpus=1)(wait)
        ray.get([task.remote(number) for number in range(workers)])
        yield Executor()
    finally:
        ray.shutdown()


EXECUTORS: dict[str, Callable[[int], AbstractContextManager[Any]]] = {"processes": processes, "ray": on_ray}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--size", type=int, default=32 << 20)
    parser.add_argument("--on", nargs="+", default=[*EXECUTORS], choices=EXECUTORS)
    arguments = parser.parse_args()
    new: Path = arguments.output
    # So many units that no worker waits long for the last one.
    plan = dataset.plan(arguments.directory, file_size=arguments.size)
    print(f"{plan['files']} files, {plan['bytes'] / 1e6:.0f} MB, {len(plan['units'])} units\n")
    print("| | one worker, s | two workers, s | x |\n|---|--:|--:|--:|")
    for name in arguments.on:
        best = []
        for workers in (1, 2):
            times = []
            with EXECUTORS[name](workers) as executor:
                for _ in range(ROUNDS):
                    shutil.rmtree(new, ignore_errors=True)
                    start = time.perf_counter()
                    outcome = dataset.run(plan, new, executor=executor, shards=workers)
                    times.append(time.perf_counter() - start)
                    assert outcome["complete"], outcome
            best.append(min(times))
        print(f"| {name} | {best[0]:.2f} | {best[1]:.2f} | {best[0] / best[1]:.2f} |", flush=True)
    shutil.rmtree(new)


if __name__ == "__main__":
    main()
