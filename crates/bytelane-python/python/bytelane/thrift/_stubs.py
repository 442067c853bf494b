"""Writes stubs, which tell type checkers and editors the types of an IDL."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType
from typing import Any

from ._load import Idl
from ._types import DeclaredException, Union

HEADER = '''"""Types of {name}. Written by bytelane.thrift.stub."""

import builtins as _b
import enum as _enum
import uuid as _uuid
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import Any as _Any

from bytelane import thrift as _thrift
{numpy}'''

NUMPY = """import numpy as _np
from numpy.typing import NDArray as _NDArray
"""

SIMPLE = {
    "bool": "_b.bool",
    "i8": "_b.int",
    "i16": "_b.int",
    "i32": "_b.int",
    "i64": "_b.int",
    "float": "_b.float",
    "double": "_b.float",
    "string": "_b.str",
    "uuid": "_uuid.UUID",
}

ARRAYS = {
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "float": "float32",
    "double": "float64",
}


def stub(module: ModuleType) -> str:
    """Returns the stub of a module that `load` has returned.

    >>> from pathlib import Path
    >>> from bytelane import thrift
    >>> _ = Path("name.thrift").write_text("struct Name { 1: required string name }")
    >>> print(thrift.stub(thrift.load("name.thrift")).split("\\n\\n")[-1])
    class Name(_thrift.Struct):
        name: _b.str
        def __init__(self, name: _b.str | None = None) -> None: ...
    <BLANKLINE>
    """
    return _Writer(module).text()


def write_stub(module: ModuleType, path: str | os.PathLike[str]) -> None:
    """Writes the stub of a module that `load` has returned to a file: `NAME.pyi`, beside a `NAME.py` which loads the IDL
    with `module_name="NAME"`.

    >>> from pathlib import Path
    >>> from bytelane import thrift
    >>> _ = Path("name.thrift").write_text("struct Name { 1: required string name }")
    >>> thrift.write_stub(thrift.load("name.thrift"), "name_thrift.pyi")
    """
    Path(path).write_text(stub(module), encoding="utf-8")


class _Writer:
    def __init__(self, module: ModuleType) -> None:
        idl = getattr(module, "__idl__", None)
        if not isinstance(idl, Idl):
            raise TypeError(f"{module.__name__} is not a module that bytelane.thrift.load has returned")
        self.idl = idl
        self.name = os.path.basename(module.__file__ or module.__name__)

    def text(self) -> str:
        # Definitions by their module; those of included files are in a class with the file's name.
        parts: dict[str, list[str]] = {"": []}
        for of in self.idl.enums:
            parts.setdefault(self.idl.places[of], []).append(self.enum(of))
        for made, fields in self.idl.structs:
            parts.setdefault(self.idl.places[made], []).append(self.struct(made, fields))
        for name, of in self.idl.constants:
            short = name.rpartition(".")[2]
            parts.setdefault(self.idl.places[name], []).append(f"{short}: {self.type(of)}\n")
        text = HEADER.format(name=self.name, numpy=NUMPY if self.idl.arrays else "")
        for module, definitions in parts.items():
            if module:
                text += f"\nclass {module}:\n" + _indented("\n".join(definitions))
            else:
                text += "".join("\n" + definition for definition in definitions)
        return text

    def enum(self, of: Any) -> str:
        lines = [f"class {of.__name__}(_enum.IntEnum):"]
        lines += [f"    {name} = {it.value}" for name, it in of.__members__.items()]
        return "\n".join(lines if len(lines) > 1 else [lines[0], "    ..."]) + "\n"

    def struct(self, made: type[Any], fields: list[tuple[str, Any, bool]]) -> str:
        is_union = issubclass(made, Union)
        base = "Union" if is_union else "Struct"
        base = "DeclaredException" if issubclass(made, DeclaredException) else base
        lines = [f"class {made.__name__}(_thrift.{base}):"]
        for name, of, always in fields:
            optional = "" if always and not is_union else " | None"
            lines.append(f"    {name}: {self.type(of)}{optional}")
        given = "".join(f", {name}: {self.accepted(of)} | None = None" for name, of, _ in fields)
        lines.append(f"    def __init__(self{given}) -> None: ...")
        return "\n".join(lines) + "\n"

    def type(self, of: Any, is_key: bool = False) -> str:
        """Returns the type of values that are read."""
        kind, *parts = of
        match kind:
            case "binary":
                return "_b.memoryview" if self.idl.views else "_b.bytes"
            case "enum":
                return f"{self.path(self.idl.enums[parts[0]])} | _b.int"
            case "struct":
                return self.path(self.idl.structs[parts[0]][0])
            case "list" if self.idl.arrays and not is_key and parts[0][0] in ARRAYS:
                return f"_NDArray[_np.{ARRAYS[parts[0][0]]}]"
            case "list":
                element = self.type(parts[0], is_key)
                return f"_b.tuple[{element}, ...]" if is_key else f"_b.list[{element}]"
            case "set":
                return f"_b.{'frozenset' if is_key else 'set'}[{self.type(parts[0], True)}]"
            case "map":
                key, value = self.type(parts[0], True), self.type(parts[1], is_key)
                return f"_b.tuple[_b.tuple[{key}, {value}], ...]" if is_key else f"_b.dict[{key}, {value}]"
        return SIMPLE[kind]

    def accepted(self, of: Any) -> str:
        """Returns the type of values that can be written."""
        kind, *parts = of
        match kind:
            case "binary":
                return "_b.bytes | _b.bytearray | _b.memoryview"
            case "enum" | "i8" | "i16" | "i32" | "i64":
                return "_b.int"
            case "list" if self.idl.arrays and parts[0][0] in ARRAYS:
                return f"_Iterable[{self.accepted(parts[0])}] | _NDArray[_Any]"
            case "list" | "set":
                return f"_Iterable[{self.accepted(parts[0])}]"
            case "map":
                return f"_Mapping[{self.type(parts[0], True)}, {self.accepted(parts[1])}]"
        return self.type(of)

    def path(self, of: Any) -> str:
        module = self.idl.places[of]
        return f"{module}.{of.__name__}" if module else str(of.__name__)


def _indented(text: str) -> str:
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))
