"""Whether a program reads exactly what the table says that it reads; with Python's own library alone, so that it
runs beside any version of any reader."""

import functools
import json
from collections import defaultdict
from dataclasses import dataclass


@dataclass
class Verdict:
    """What a program was found to read."""

    disagreements: list[str]  # with the table, one line each
    unknown: list[str]        # columns that the program reads in no encoding, and why


def version(text):
    """(1, 2, 0) of 1.2, to compare."""
    numbers = [int(part) for part in text.removeprefix("v").split(".")[:3]]
    return tuple(numbers + [0] * (3 - len(numbers)))


def check(directory, name, running, read):
    """Lets `read`, which gives the values of a file's only column or raises, loose on the files in the directory.

    The program `name`, whose version is `running`, reads an encoding of a type if it reads all columns of the type
    that it reads PLAIN from pyarrow, with and without nulls, in both versions of pages, and gets the same values.
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
    """The values of a file, or why there are none."""
    try:
        return read(path), None
    except Exception as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return None, lines[0][:120]
