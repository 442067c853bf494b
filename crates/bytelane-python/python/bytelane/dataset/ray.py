"""Runs plans on a Ray cluster. Both roots must be on a file system that all nodes share, or on a store."""

from __future__ import annotations

from typing import Any

import ray

from . import Path, Plan, Run, _text
from . import run as _run_here

__all__ = ["run"]

# Shards per processor: more shards balance the load better, fewer shards read fewer journals.
SHARDS_PER_CPU = 4


def run(
    plan: Plan | Path,
    out: Path,
    *,
    shards: int | None = None,
    retry_failed: bool = False,
    max_retries: int = 3,
) -> Run:
    """Runs a plan, given directly or as a file, as tasks of the Ray cluster that this process is connected to.

    Each task processes one shard of the plan on one processor, with a journal of its own. Ray restarts the task of a
    killed worker, up to `max_retries` times, and the shard resumes where it stopped. If the driver is killed, repeat
    the call to continue, with any number of shards. No rows pass through Ray.
    """
    text = _text(plan)
    # Ray has no types for it.
    cluster: Any = ray
    count = shards or SHARDS_PER_CPU * max(1, int(cluster.cluster_resources().get("CPU", 1)))
    task: Any = ray.remote(num_cpus=1, max_retries=max_retries)(_shard)
    shared = ray.put(text)
    pending = [task.remote(shared, str(out), (index, count), retry_failed) for index in range(count)]
    done: list[Run] = ray.get(pending)
    # Nothing is left to do; this run only reads the journals of all shards to find out what is
    # complete.
    whole = _run_here(_plan(text), out)
    whole["published"] += sum(shard["published"] for shard in done)
    whole["published_before"] = whole["units"] - whole["published"] - len(whole["failed"])
    for key in ("bytes_before", "bytes_after"):
        whole[key] += sum(shard[key] for shard in done)
    return whole


def _plan(text: str) -> Plan:
    import json

    plan: Plan = json.loads(text)
    return plan


def _shard(text: str, out: str, shard: tuple[int, int], retry_failed: bool) -> Run:
    return _run_here(_plan(text), out, shard=shard, retry_failed=retry_failed)
