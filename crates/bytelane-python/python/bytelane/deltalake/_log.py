"""The log of a table of Delta Lake, for what deltalake does not tell and does not write: deletion vectors of added and removed files."""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from .. import parquet
from .._tables import remove

Descriptor = Mapping[str, Any]
"""Deletion vector of a file, as the log names it. It is part of the file's identity."""

_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10}))?\.parquet")


def deletion_vectors(log: str, version: int) -> dict[str, Descriptor]:
    """Returns the deletion vectors of the files of a version, by the paths of these in the log."""
    start, parts = _checkpoint(log, version)
    found: dict[str, Descriptor] = {}
    if parts:
        columns = ["add.path", "add.deletionVector"]
        for row in parquet.read_table(parts, columns, as_files=True).to_pyarrow()["add"].to_pylist():
            if row and row["deletionVector"]:
                found[row["path"]] = _known(row["deletionVector"])
    for number in range(start + 1, version + 1):
        with open(os.path.join(log, f"{number:020}.json"), encoding="utf-8") as file:
            actions = [json.loads(line) for line in file if line.strip()]
        # A vector is replaced by removing the file with the old one and adding it with the new one, in any order.
        for action in actions:
            if "remove" in action:
                found.pop(action["remove"]["path"], None)
        for action in actions:
            if (action.get("add") or {}).get("deletionVector"):
                found[action["add"]["path"]] = _known(action["add"]["deletionVector"])
    return found


def commit(log: str, version: int, actions: Iterable[Mapping[str, Any]]) -> None:
    """Writes the commit of a version, unless there is one: then, nothing is changed, and `FileExistsError` is raised."""
    temporary = os.path.join(log, f"_commit_{uuid.uuid4()}.json.tmp")
    try:
        with open(temporary, "x", encoding="utf-8") as file:
            for action in actions:
                file.write(json.dumps(action, separators=(",", ":")) + "\n")
            file.flush()
            os.fsync(file.fileno())
        # The commit appears in one step, with all of its lines, and only if there is none.
        os.link(temporary, os.path.join(log, f"{version:020}.json"))
    finally:
        remove(temporary)


def _checkpoint(log: str, version: int) -> tuple[int, list[str]]:
    """Returns the version of the newest complete checkpoint that is not after a version, and its files, or -1."""
    found: dict[tuple[int, int], list[str]] = {}
    for name in sorted(os.listdir(log)):
        if match := _CHECKPOINT.fullmatch(name):
            found.setdefault((int(match[1]), int(match[3] or 1)), []).append(os.path.join(log, name))
    complete = [key for key, parts in found.items() if len(parts) == key[1] and key[0] <= version]
    newest = max(complete, default=(-1, 0))
    return newest[0], found.get(newest, [])


def _known(descriptor: Mapping[str, Any]) -> Descriptor:
    return {name: value for name, value in descriptor.items() if value is not None}
