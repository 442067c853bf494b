"""Derives the stubs of codecs from their functions. To write them:

    BYTELANE_WRITE_STUBS=1 pytest crates/bytelane-python/tests/test_stubs.py

Some stubs are written by hand: `base64` follows the standard library, results of `byte_stream_split` depend on the
arguments, and `stream_vbyte` and `fsst` have classes.
"""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import bytelane
import pytest

STUBS = Path(__file__).parents[1] / "python/bytelane"
BY_HAND = ["base64", "byte_stream_split", "fsst", "parquet", "stream_vbyte", "thrift"]
CODECS = [
    name
    for name, it in vars(bytelane).items()
    if isinstance(it, ModuleType) and name in bytelane.__all__
]

# Types of parameters by their names. All others are numbers.
TYPES = {
    **dict.fromkeys(
        ["bitmap", "data", "dictionary", "levels", "text", "values"], "Memory"
    ),
    "dtype": "DTypeLike",
    **dict.fromkeys(["quotes", "zigzag"], "bool"),
}

# Functions that also take strings.
TAKES_STRINGS = [
    "json_string.escape",
    "json_string.unescape",
    "json_string.unescape_prefix",
    "utf8.is_ascii",
    "utf8.count_chars",
]

# Results without `out`, if they are not numbers.
RESULTS = {
    "alp.validate": "tuple[int, int]",
    "delta.validate": "tuple[int, int]",
    "json_string.unescape": "str",
    "json_string.unescape_prefix": "tuple[str, int]",
    "utf8.is_ascii": "bool",
    "utf8.validate": "None",
}

# Modules of the names in declarations.
IMPORTS = {
    "typing": ["Any", "overload"],
    "numpy.typing": ["DTypeLike", "NDArray"],
    "._typing": ["Memory"],
}


def parameter(name: str, it: inspect.Parameter) -> str:
    of = TYPES.get(it.name, "int")
    if of == "Memory" and name in TAKES_STRINGS:
        of += " | str"
    if it.default is inspect.Parameter.empty:
        return f"{it.name}: {of}"
    return f"{it.name}: {of}{' | None' if it.default is None else ''} = {it.default}"


def declarations(name: str, function: Callable[..., Any]) -> list[str]:
    """Returns the declaration of a function; with `out`, one for each kind of result."""
    all_parameters = inspect.signature(function).parameters.values()
    short = name.partition(".")[2]
    parts: list[str] = []
    for it in all_parameters:
        if it.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        if it.name != "out":
            parts.append(parameter(name, it))
    if not any(it.name == "out" for it in all_parameters):
        return [f"def {short}({', '.join(parts)}) -> {RESULTS.get(name, 'int')}: ..."]
    returns_bytes = short.startswith(("encode", "escape")) or short.endswith("bits")
    found = []
    for out, result in [
        ("None = None", "bytes" if returns_bytes else "NDArray[Any]"),
        ("Memory", "int"),
    ]:
        returned = f"tuple[{result}, int]" if short.endswith("_prefix") else result
        found += [
            "@overload",
            f"def {short}({', '.join([*parts, f'out: {out}'])}) -> {returned}: ...",
        ]
    return found


@pytest.mark.parametrize("codec", sorted({*CODECS} - {*BY_HAND}))
def test_the_stub_is_up_to_date(codec: str) -> None:
    module = importlib.import_module(f"bytelane.{codec}")
    functions = {
        name: it for name, it in vars(module).items() if name in module.__all__
    }
    names = ", ".join(f'"{name}"' for name in sorted(functions))
    lines = [f"__all__ = [{names}]", ""]
    for name, function in functions.items():
        lines += declarations(f"{codec}.{name}", function)
    body = "\n".join(lines) + "\n"
    imports = ""
    for imported, names_there in IMPORTS.items():
        used = [it for it in names_there if it in body]
        imports += f"from {imported} import {', '.join(used)}\n\n" if used else ""
    stub = imports + body
    path = STUBS / f"{codec}.pyi"
    if os.environ.get("BYTELANE_WRITE_STUBS"):
        path.write_text(stub)
    assert path.read_text() == stub, "write the stub again with BYTELANE_WRITE_STUBS=1"
