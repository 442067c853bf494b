"""Cuts the connection to a store while an executor runs a plan, and goes on when the store is back."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from urllib.parse import unquote

from bytelane import dataset
from clusters import STARTS

sys.path.append(str(Path(__file__).parents[4] / "interop" / "store"))
from fault_proxy import FaultProxy  # type: ignore[import-not-found, unused-ignore]  # noqa: E402


class State(NamedTuple):
    """Request by which a run shows how far it has come."""

    name: str
    method: str
    part: str
    """Part of the path."""
    number: int = 1


# Each of two shards puts a segment of its journal before it publishes one of four outputs, and a last one.
STATES = [
    State("the plan is stored", "PUT", "/_bytelane/plan.json"),
    State("sources are read", "GET", "/old/p=", 20),
    State("a unit is verified", "PUT", "/_bytelane/journal-", 3),
    State("an output is published", "PUT", "/part-", 3),
    State("the journals are complete", "PUT", "/_bytelane/journal-", 9),
    State("the root is complete", "PUT", "/_bytelane/complete.json"),
]


class Connection:
    """Connection to a store that can be cut: then, all requests fail until it is mended."""

    def __init__(self, port: int) -> None:
        self._lock = Lock()
        self._at: tuple[State, str] | None = None
        self._passed = 0
        self.is_cut = False
        self.port: int = FaultProxy(port, self._fault).port

    def cut(self, state: State, kind: str) -> None:
        """Cuts the connection at a state: the request is `dropped`, or done and its answer `lost`."""
        with self._lock:
            self._at, self._passed = (state, kind), 0

    def mend(self) -> None:
        with self._lock:
            self._at, self.is_cut = None, False

    def _fault(self, method: str, path: str) -> str | None:
        with self._lock:
            if self.is_cut:
                return "dropped"
            if self._at is None:
                return None
            state, kind = self._at
            self._passed += method == state.method and state.part in unquote(path)
            self.is_cut = self._passed == state.number
            return kind if self.is_cut else None


def with_a_cut_store(name: str, connection: Connection, old: str, new: str) -> None:
    """Fails if rows are lost or there twice when the store is gone from any state on, and back for the next run.

    Tasks of the first run may still be repeating requests when the next one begins.
    """
    plan = dataset.plan(old)
    with STARTS[name](False) as executor:
        for number, state in enumerate(STATES):
            # Over all executors, each state has both kinds.
            kind = ("dropped", "lost")[(number + [*STARTS].index(name)) % 2]
            root = f"{new}-{number}"
            connection.cut(state, kind)
            try:
                dataset.run(plan, root, executor=executor, shards=2)
                raise AssertionError(f"{name}, {state.name}: the cut was not noticed")
            except Exception as error:
                # Engines wrap the errors of tasks.
                assert "127.0.0.1" in str(error) or "s3://" in str(error), error
            connection.mend()
            run = dataset.run(plan, root, executor=executor, shards=3, retry_failed=True)
            assert run["complete"] and not run["failed"], (state, run)
            assert dataset.verify(old, root).same, state
            print(f"{name}: the connection was cut when {state.name}, {kind}; {run['published']} units were left", flush=True)
