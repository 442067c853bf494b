"""Measures how much faster two workers of Ray run a plan than one: `dataset_ray.py DIRECTORY [TARGET_SIZE]`.

The directory has many files, such as those of `dataset.py --keep DIRECTORY`; it must not be on a store. Needs the
packages bytelane and ray, and two idle cores. Prints wall-clock times as a Markdown table. `run` is a process without
Ray.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import ray
from bytelane import dataset
from bytelane.ray import Executor


def warm(workers: int) -> None:
    """Starts the processes of the workers, which takes longer than some plans."""

    def load() -> None:
        from bytelane import dataset as _  # noqa: F401

        time.sleep(1)

    task = ray.remote(num_cpus=1)(load)
    ray.get([task.remote() for _ in range(workers)])


def main() -> None:
    old = Path(sys.argv[1])
    new = old.parent / "ray.new"
    # So many units that no worker waits long for the last one.
    plan = dataset.plan(old, file_size=int(sys.argv[2]) if len(sys.argv) > 2 else 32 << 20)
    print(f"{plan['files']} files, {plan['bytes'] / 1e6:.0f} MB, {len(plan['units'])} units\n")
    print("| | wall-clock time, s | x |\n|---|--:|--:|")
    first = 0.0

    def measure(name: str, run: Callable[[], dataset.Run]) -> None:
        nonlocal first
        shutil.rmtree(new, ignore_errors=True)
        start = time.perf_counter()
        outcome = run()
        seconds = time.perf_counter() - start
        assert outcome["complete"], outcome
        first = first or seconds
        print(f"| {name} | {seconds:.2f} | {first / seconds:.2f} |", flush=True)

    for workers in (1, 2):
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        warm(workers)
        measure(f"Ray, {workers}", lambda: dataset.run(plan, new, executor=Executor()))
        ray.shutdown()
    measure("run", lambda: dataset.run(plan, new))
    measure("run, 2 jobs", lambda: dataset.run(plan, new, jobs=2))
    shutil.rmtree(new)


if __name__ == "__main__":
    main()
