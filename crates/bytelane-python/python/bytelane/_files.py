"""Finds the files of a table: paths, patterns, and directories with columns in their names."""

from __future__ import annotations

import glob
import os
import re
import urllib.parse
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from . import _parquet

# Name of a column, whether it is an integer, and its value.
Partition: TypeAlias = tuple[str, bool, str | None]
File: TypeAlias = tuple[str, list[Partition]]

# Schemes of the URLs of files on object stores and web servers.
_SCHEME = re.compile("(s3a?|gs|az|azure|adl|abfss?|https?)://")

# Name of the directory with the rows in which the column is null.
_NULL = "__HIVE_DEFAULT_PARTITION__"


def find(sources: Iterable[str | os.PathLike[str]]) -> list[File]:
    """Returns the files at paths and below directories, sorted, with the columns of names such as `year=2024`."""
    found: list[tuple[str, dict[str, str | None]]] = []
    for source in sources:
        path = os.fspath(source)
        if _SCHEME.match(path):
            found.extend(_objects(path))
            continue
        path = _local(path)
        for match in _matches(path):
            if not os.path.isdir(match):
                found.append((match, {}))
                continue
            below = sorted(_below(match))
            if not below:
                raise FileNotFoundError(2, "no .parquet file in this directory", match)
            found.extend((file, _columns(os.path.relpath(file, match))) for file in below)
    return _typed(found)


def _objects(url: str) -> list[tuple[str, dict[str, str | None]]]:
    """Returns the files of a URL: the file itself, those that match a pattern, or those below it."""
    files = [file for file in _parquet.find_objects(url) if not _is_hidden(file[len(url) :])]
    if not files:
        raise FileNotFoundError(2, "no .parquet file below this URL", url)
    if files == [url] or "*" in url or "?" in url:
        return [(file, {}) for file in files]
    return [(file, _columns(file[len(url) :], "/")) for file in files]


def _is_hidden(below: str) -> bool:
    names = below.split("/")
    return any(name.startswith(".") or (name.startswith("_") and "=" not in name) for name in names)


def _local(path: str) -> str:
    """Returns the path of a URL with the scheme `file`."""
    if not path.startswith("file://"):
        return path
    return urllib.parse.unquote(path.removeprefix("file://").removeprefix("localhost"))


def _matches(path: str) -> list[str]:
    """Returns the path itself if it exists, because names may have pattern characters, otherwise the matches of the
    pattern."""
    if os.path.lexists(path) or not glob.has_magic(path):
        return [path]
    matches = sorted(glob.glob(path, recursive=True))
    if not matches:
        raise FileNotFoundError(2, "no file matches this pattern", path)
    return matches


def _below(directory: str) -> Iterable[str]:
    """Returns the Parquet files below a directory, except those whose names begin with a dot or an underscore."""
    for root, directories, files in os.walk(directory):
        directories[:] = [name for name in directories if not name.startswith((".", "_"))]
        for name in files:
            if name.endswith(".parquet") and not name.startswith((".", "_")):
                yield os.path.join(root, name)


def _columns(path: str, slash: str = os.sep) -> dict[str, str | None]:
    columns: dict[str, str | None] = {}
    for name in path.split(slash)[:-1]:
        key, separator, value = name.partition("=")
        if separator and key:
            value = urllib.parse.unquote(value)
            columns[urllib.parse.unquote(key)] = None if value == _NULL else value
    return columns


def _typed(found: Sequence[tuple[str, dict[str, str | None]]]) -> list[File]:
    """Adds the types of columns in names: 32-bit integers if all values are, otherwise strings, as in pyarrow."""
    keys: list[str] = list(dict.fromkeys(key for _, columns in found for key in columns))
    files: list[File] = []
    integers = {key: all(_is_integer(columns.get(key)) for _, columns in found) for key in keys}
    for path, columns in found:
        files.append((path, [(key, integers[key], columns.get(key)) for key in keys]))
    return files


def _is_integer(value: str | None) -> bool:
    if value is None:
        return True
    digits = value.removeprefix("-")
    return digits.isascii() and digits.isdigit() and -(2**31) <= int(value) < 2**31
