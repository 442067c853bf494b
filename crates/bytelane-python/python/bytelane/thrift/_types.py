"""Base classes of the types of an IDL."""

from __future__ import annotations

import reprlib
from typing import Any, ClassVar

from .._thrift import Message, initialise


class Struct(Message):
    """Base of all structs. `encode` writes an object as a message, `decode` reads one.

    Its fields are attributes. A field that is None is not written.
    """

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({_shown(self)})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_is_same(getattr(self, name), getattr(other, name)) for name in self.__match_args__)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in self.__match_args__)))


class Union(Struct):
    """Base of all unions: of its fields, one has a value, and the others are None."""

    __slots__ = ()


class DeclaredException(Exception, Struct):
    """Base of all exceptions of an IDL: structs that can be raised."""

    __slots__ = ()

    def __init__(self, *arguments: Any, **fields: Any) -> None:
        initialise(self, arguments, fields)

    __repr__ = Struct.__repr__

    def __str__(self) -> str:
        return _shown(self)

    def __hash__(self) -> int:
        # Python's own code puts exceptions into sets, whatever their fields are.
        return hash(type(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in self.__match_args__)


@reprlib.recursive_repr()
def _shown(message: Struct) -> str:
    fields = ((name, getattr(message, name)) for name in message.__match_args__)
    return ", ".join(f"{name}={value!r}" for name, value in fields if value is not None)


def _is_same(one: Any, other: Any) -> bool:
    """Compares values. NumPy compares arrays element by element, also within lists."""
    if one is other:
        return True
    if hasattr(one, "dtype") or hasattr(other, "dtype"):
        from numpy import array_equal

        return array_equal(one, other)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(it, other[key]) for key, it in one.items())
    return bool(one == other)
