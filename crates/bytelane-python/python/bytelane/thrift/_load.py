"""Loads an IDL as a module."""

from __future__ import annotations

import enum
import importlib.util
import keyword
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import _thrift
from ._types import DeclaredException, Struct, Union

BASES: dict[str, type[Any]] = {"struct": Struct, "union": Union, "exception": DeclaredException}

# Names that fields must not have: methods, and attributes of Python's exceptions.
METHODS = {"encode", "decode", "decode_arrow", "decode_prefix"}
OF_EXCEPTIONS = {"add_note", "args", "with_traceback"}


@dataclass
class Idl:
    """Definitions of a loaded IDL, for stubs. Types are nested tuples, as the native half describes them."""

    arrays: bool
    views: bool
    # Class, name and type of each field, and whether it always has a value.
    structs: list[tuple[type[Any], list[tuple[str, Any, bool]]]] = field(default_factory=list)
    enums: list[type[enum.IntEnum]] = field(default_factory=list)
    constants: list[tuple[str, Any]] = field(default_factory=list)
    # For each type and constant, the module that has it within the loaded one, or "".
    places: dict[Any, str] = field(default_factory=dict)


def load(
    path: str | os.PathLike[str],
    *,
    include: Iterable[str | os.PathLike[str]] = (),
    arrays: bool = True,
    views: bool = False,
    module_name: str | None = None,
) -> ModuleType:
    """Loads an IDL and everything that it includes. Returns a module with its types and constants.

    Included files are modules in that module, with the names of their files. `include` has directories in which they are
    searched as well. Names that Python reserves get an underscore: `from_`.

    Lists of numbers are NumPy arrays, and lists without `arrays`; bool and enums are always in lists. Binary values are
    bytes; with `views`, they are memoryviews of the message, which it then keeps in memory. Any object with a buffer or
    elements can be assigned and written.

    `module_name` registers the module in `sys.modules`, as pickle needs it. A loaded module stays in memory.

    Raises ThriftError for an error in the IDL, with file, line and column in the message.

    >>> from pathlib import Path
    >>> from bytelane import thrift
    >>> _ = Path("colors.thrift").write_text("enum Color { RED = 1 }  struct Paint { 1: Color color = Color.RED }")
    >>> colors = thrift.load("colors.thrift")
    >>> colors.Paint.decode(colors.Paint().encode())
    Paint(color=<Color.RED: 1>)
    """
    if arrays and importlib.util.find_spec("numpy") is None:
        raise ImportError("lists of numbers are NumPy arrays: install NumPy, or load with arrays=False")
    os.stat(path)
    schema = _thrift.load(path, [*include])
    modules = _Modules(module_name or _identifier(Path(path).stem), path)
    idl = Idl(arrays, views)

    described = schema.structs()
    bound = []
    for name, kind, fields in described:
        reserved = METHODS | (OF_EXCEPTIONS if kind == "exception" else set())
        names = _unique((it[0] for it in fields), reserved)
        module, short = modules.place(name)
        document = f"{kind.capitalize()} `{name}` of {os.fspath(path)}."
        members = {
            "__slots__": tuple(names),
            "__match_args__": tuple(names),
            "__module__": module.__name__,
            "__doc__": document,
        }
        made = type(short, (BASES[kind],), members)
        bound.append((made, names))
        idl.structs.append((made, [(it, of, kept) for it, (_, of, kept) in zip(names, fields)]))
        modules.add(idl, name, made)
    for name, variants in schema.enums():
        module, short = modules.place(name)
        names = _unique((variant for variant, _ in variants), {"mro"})
        numbers = zip(names, (number for _, number in variants))
        # Type checkers expect the names of an enum in the text of the program.
        create: Any = enum.IntEnum
        idl.enums.append(create(short, list(numbers), module=module.__name__))
        modules.add(idl, name, idl.enums[-1])
    for name, of, value in schema.bind(bound, idl.enums, arrays, views):
        _, short = modules.place(name)
        modules.add(idl, name, value)
        idl.constants.append((name, of))

    vars(modules.root)["__idl__"] = idl
    if module_name is not None:
        sys.modules |= {it.__name__: it for it in modules.all()}
    return modules.root


class _Modules:
    """The module of an IDL, with those of included files."""

    def __init__(self, name: str, path: str | os.PathLike[str]) -> None:
        self.root = ModuleType(name, f"Types of {os.fspath(path)}.")
        self.root.__file__ = os.fspath(path)
        self.included: dict[str, ModuleType] = {}

    def all(self) -> list[ModuleType]:
        return [self.root, *self.included.values()]

    def place(self, name: str) -> tuple[ModuleType, str]:
        """Returns the module of a name, and the name there."""
        file, _, short = name.rpartition(".")
        (short,) = _unique([short], set())
        if not file:
            return self.root, short
        file = _identifier(file)
        if file not in self.included:
            module = ModuleType(f"{self.root.__name__}.{file}")
            self.included[file] = module
            setattr(self.root, file, module)
        return self.included[file], short

    def add(self, idl: Idl, name: str, value: Any) -> None:
        module, short = self.place(name)
        setattr(module, short, value)
        within = "" if module is self.root else module.__name__.rpartition(".")[2]
        idl.places[value if isinstance(value, type) else name] = within


def _identifier(name: str) -> str:
    (name,) = _unique([re.sub(r"\W", "_", name)], set())
    return name


def _unique(names: Iterable[str], reserved: set[str]) -> list[str]:
    """Returns names that Python accepts as attributes, all different."""
    found: list[str] = []
    for name in names:
        if name.startswith("__"):
            # Python adds the name of the class to such names.
            name = "_" + name.strip("_")
        while keyword.iskeyword(name) or name in reserved or name in found:
            name += "_"
        found.append(name)
    return found
