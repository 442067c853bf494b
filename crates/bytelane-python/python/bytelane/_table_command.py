"""Commands `bytelane delta` and `bytelane iceberg`: the functions of `bytelane.deltalake` and `bytelane.iceberg`.

Each flag is a parameter of a function, and has its default. The command of Rust has neither of them, because they need libraries of Python.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from datetime import timedelta
from importlib import import_module
from multiprocessing import get_context
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from ._tables import Group

_WIDTH = 80
_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


class Format(NamedTuple):
    """Table format, and the functions for it."""

    name: str
    module: str
    extra: str
    table: str
    """Help of the argument that names a table."""
    verbs: dict[str, str]
    """Names of functions, and the help of these verbs."""


_COMMON = {
    "delete": "delete the rows that satisfy a condition",
    "sort": "sort the rows of each partition by columns",
    "zorder": "sort the rows of each partition in Z-order",
}
FORMATS = {
    "delta": Format(
        "Delta Lake",
        "deltalake",
        "deltalake",
        "directory of the table",
        {
            "plan": "list the groups of files that compact, purge or sort would replace",
            "compact": "merge small files into larger ones by copying their pages",
            "purge": "apply deletion vectors, and the dropping of columns",
            **_COMMON,
            "remove_unfinished": "list temporary files of killed processes, or remove them",
        },
    ),
    "iceberg": Format(
        "Apache Iceberg",
        "iceberg",
        "iceberg",
        "name in the catalog, such as weather.hours",
        {
            "plan": "list the groups of files that rewrite-data-files or sort would replace",
            "rewrite_data_files": "merge small files, and files with deleted rows, by copying pages",
            **_COMMON,
            "remove_orphans": "list files that no snapshot names, or remove them",
        },
    ),
}


def run(arguments: Sequence[str]) -> int:
    """Runs a command, and returns its exit code."""
    chosen = FORMATS[arguments[0]]
    try:
        module = import_module(f"bytelane.{chosen.module}")
    except ModuleNotFoundError as error:
        return _fail(f'{error}; install it with pip install "bytelane[{chosen.extra}]"')
    options = vars(_parsed(arguments, *_parsers(arguments[0], chosen, module)))
    verb, processes, is_json = options.pop("verb"), options.pop("executor", None), options.pop("format") == "json"
    try:
        options["table"] = _table(chosen, options.pop("table"), options.pop("catalog", None))
        with ProcessPoolExecutor(processes, get_context("spawn")) if processes else nullcontext() as executor:
            if executor is not None:
                options["executor"] = executor
            done = getattr(module, verb)(**options)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _fail(str(error) or type(error).__name__)
    print(json.dumps(done, indent=2) if is_json else _text(done))
    return 0


def _fail(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 2


def _table(chosen: Format, name: str, catalog: str | None) -> object:
    if chosen.module == "deltalake":
        if "://" not in name and not os.path.isdir(name):
            raise FileNotFoundError(f"{name}: there is no such directory")
        return name
    from pyiceberg.catalog import load_catalog

    return load_catalog(catalog).load_table(name)


class _Parser(argparse.ArgumentParser):
    """Parser with errors as those of the other commands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=lambda prog: argparse.HelpFormatter(prog, width=_WIDTH), allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message}\n\n{self.format_usage()}\nFor more information, try '--help'.\n")


def _parsed(arguments: Sequence[str], parser: _Parser, verbs: dict[str, _Parser]) -> argparse.Namespace:
    verb = verbs.get(arguments[1]) if len(arguments) > 1 else None
    # Flags may stand anywhere, which parsers of subcommands do not allow.
    return parser.parse_args(arguments[1:]) if verb is None else verb.parse_intermixed_args(arguments[2:])


def _parsers(command: str, chosen: Format, module: ModuleType) -> tuple[_Parser, dict[str, _Parser]]:
    """Returns the parser of a command, and those of its verbs."""
    about = f"Change tables of {chosen.name}. Each verb makes one commit; earlier versions stay."
    parser = _Parser(prog=f"bytelane {command}", description=about)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, help in chosen.verbs.items():
        function = getattr(module, name)
        verb = verbs.add_parser(name.replace("_", "-"), help=help, description=f"{help[0].upper()}{help[1:]}.")
        verb.set_defaults(verb=name)
        verb.add_argument("table", metavar="TABLE", help=chosen.table)
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name != "table":
                _add(verb, parameter.name, parameter.default)
        if command == "iceberg":
            verb.add_argument("--catalog", metavar="NAME", help="name in the configuration of pyiceberg [default: default]")
        verb.add_argument("--format", choices=("text", "json"), default="text", help="form of the result [default: text]")
    return parser, verbs.choices


def _add(parser: argparse.ArgumentParser, name: str, default: Any) -> None:
    """Adds the argument or flag for a parameter of a function."""
    options = dict(_ARGUMENTS[name])
    if name in ("by", "where"):
        # Without columns, a table is sorted by its own order.
        options |= {} if default is inspect.Parameter.empty else {"nargs": "*", "default": default}
        parser.add_argument(name, **options)
        return
    flag = options.pop("flag", name.replace("_", "-"))
    if name == "verify" and default:
        flag, options["help"] = "no-verify", "commit without comparing all values first"
    if isinstance(default, bool):
        options["action"] = "store_false" if default else "store_true"
    shown = "" if isinstance(default, bool) else _shown(default)
    options["help"] += f" [default: {shown}]" if shown else ""
    parser.add_argument(f"--{flag}", dest=name, default=default, **options)


def _shown(default: object) -> str:
    """Returns a default for the help."""
    if default is None:
        return ""
    if isinstance(default, timedelta):
        return f"{default.days} days"
    if isinstance(default, tuple):
        return ", ".join(default)
    return f"{default >> 20}MiB" if isinstance(default, int) and default >= 1 << 20 else str(default)


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+)(|k|M|G|Ki|Mi|Gi)B?", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; write it as in 64MiB")
    return int(found[1]) * _UNITS[found[2]]


def _days(text: str) -> timedelta:
    try:
        return timedelta(days=float(text))
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days") from None


def _column(text: str) -> str | tuple[str, str]:
    name, _, order = text.rpartition(":")
    return (name, order) if name and order in ("ascending", "descending") else text


def _programs(text: str) -> list[str]:
    return [it.strip() for it in text.split(",")]


def _count(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,3}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 9999")
    return int(text)


_ARGUMENTS: dict[str, dict[str, Any]] = {
    "where": {"metavar": "CONDITION", "help": "condition in SQL, such as 'user_id = 17'"},
    "by": {"metavar": "COLUMN", "nargs": "+", "type": _column, "help": "column to sort by, also NAME:descending"},
    "sort_by": {"metavar": "COLUMN", "action": "append", "type": _column, "help": "list what a sort by this column would replace"},
    "small": {"metavar": "SIZE", "type": _bytes, "help": "merge files below this size"},
    "target": {"metavar": "SIZE", "type": _bytes, "help": "size of new files"},
    "memory_limit": {"metavar": "SIZE", "type": _bytes, "help": "bytes of rows in memory at a time"},
    "scrub": {"help": "leave no trace of deleted values in the new files"},
    "verify": {"help": "compare all values before the commit"},
    "readers": {"metavar": "PROGRAMS", "type": _programs, "help": "programs that must be able to read the new files"},
    "retries": {"metavar": "COUNT", "type": int, "help": "repeat the commit after that of another program"},
    "executor": {"flag": "processes", "metavar": "COUNT", "type": _count, "help": "do the work on files in this number of processes"},
    "older_than": {"metavar": "DAYS", "type": _days, "help": "keep files that were changed since"},
    "all": {"help": "include files of other programs"},
    "dry_run": {"flag": "remove", "help": "remove the files that are listed"},
}


def _text(done: Any) -> str:
    """Returns a result for people to read."""
    if not isinstance(done, list):
        return "\n".join(f"{name.replace('_', ' ')}: {value:,}" for name, value in done.items())
    groups = [it if isinstance(it, str) else _group(it) for it in done]
    return "\n".join(groups) or "nothing to do"


def _group(it: Group) -> str:
    """Returns a group of files, in a line."""
    text = f"{it['reason']}: {len(it['files'])} files, {it['bytes']:,} bytes, {it['rows']:,} rows"
    saved = [(it["saved_files"], "files"), (it["saved_bytes"], "bytes")]
    saves = " and ".join(f"{count:,} {unit}" for count, unit in saved if count > 0)
    return f"{text}; saves {saves}" if saves else text
