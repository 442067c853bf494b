"""Checks that a program reads exactly what the table of readers says. Uses only the standard library, so that it runs
with any version of any reader."""

import functools
import json
from collections import defaultdict
from dataclasses import dataclass


@dataclass
class Verdict:
    """Result of the check of a program."""

    disagreements: list[str]  # with the table, one line each
    unknown: list[str]        # columns that the program reads in no encoding, and why


def version(text):
    """Parses a version for comparisons: 1.2 becomes (1, 2, 0)."""
    numbers = [int(part) for part in text.removeprefix("v").split(".")[:3]]
    return tuple(numbers + [0] * (3 - len(numbers)))


def check(directory, name, running, read):
    """Runs `read`, which returns the values of a file's only column or raises, on the files in the directory.

    The program `name` with the version `running` supports an encoding of a type if it reads the same values from all
    columns of the type that it can read in PLAIN from pyarrow, with and without nulls, in both page versions.
    """
    known = json.loads((directory / "cases.json").read_text())
    (program,) = [program for program in known["programs"] if program["name"] == name]
    plain = functools.cache(lambda path: attempt(read, path))
    failures, unknown = defaultdict(list), {}
    for case in known["cases"]:
        values, obstacle = plain(directory / case["plain"])
        if obstacle:
            unknown[case["column"]] = f"{case['column']}: {obstacle}"
            continue
        tried = failures[case["encoding"], case["values"]]
        got, obstacle = attempt(read, directory / case["path"])
        if obstacle or got != values:
            tried.append(f"{case['path']}: {obstacle or 'other values'}")
    disagreements = []
    for column in program["columns"]:
        key = (column["encoding"], column["values"])
        if key not in failures:
            continue
        said = column["since"] is not None and version(column["since"]) <= version(running)
        if said and failures[key]:
            disagreements.append(f"does not read {' of '.join(key)}: {'; '.join(failures[key])}")
        if not said and not failures[key]:
            disagreements.append(f"reads {' of '.join(key)}, which the table does not say")
    return Verdict(disagreements, list(unknown.values()))


def attempt(read, path):
    """Returns the values of a file, or the reason for their absence."""
    try:
        return read(path), None
    except Exception as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return None, lines[0][:120]
