import os
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Literal, TypeAlias, final

from typing_extensions import Self

from ._parquet import Table
from ._typing import Memory

__all__ = ["FieldMask", "Limits", "Message", "Scanner", "Schema", "initialise", "load"]

Protocol: TypeAlias = Literal["binary", "compact", "fbthrift_compact", "json", "simple_json"]

@final
class Limits:
    def __new__(
        cls,
        *,
        depth: int = 64,
        container: int = 2147483647,
        string: int = 2147483647,
        memory: int = 268435456,
    ) -> Self: ...
    @property
    def depth(self) -> int: ...
    @property
    def container(self) -> int: ...
    @property
    def string(self) -> int: ...
    @property
    def memory(self) -> int: ...

class Message:
    def __new__(cls, *arguments: Any, **fields: Any) -> Self: ...
    @classmethod
    def decode(
        cls,
        data: Memory | str,
        protocol: Protocol = "binary",
        *,
        mask: FieldMask | Sequence[str] | None = None,
        limits: Limits | None = None,
        strict_types: bool = False,
        lenient_json: bool = False,
    ) -> Self: ...
    @classmethod
    def decode_prefix(
        cls,
        data: Memory | str,
        protocol: Protocol = "binary",
        *,
        mask: FieldMask | Sequence[str] | None = None,
        limits: Limits | None = None,
        strict_types: bool = False,
        lenient_json: bool = False,
    ) -> tuple[Self, int]: ...
    @classmethod
    def decode_arrow(
        cls,
        data: Memory | str,
        path: str,
        protocol: Protocol = "binary",
        *,
        names: Sequence[str] | None = None,
        reply: bool = False,
        limits: Limits | None = None,
        lenient_json: bool = False,
    ) -> Table: ...
    def encode(
        self,
        protocol: Protocol = "binary",
        *,
        mask: FieldMask | Sequence[str] | None = None,
        limits: Limits | None = None,
    ) -> bytes: ...

@final
class FieldMask:
    def __new__(cls, message: type[Message], paths: Sequence[str]) -> Self: ...
    @staticmethod
    def without(message: type[Message], paths: Sequence[str]) -> FieldMask: ...

@final
class Scanner:
    def __new__(cls, protocol: Protocol = "binary", *, limits: Limits | None = None) -> Self: ...
    def message_len(self, data: Memory) -> int | None: ...

@final
class Schema:
    def structs(self) -> list[tuple[str, str, list[tuple[str, Any, bool]]]]: ...
    def enums(self) -> list[tuple[str, list[tuple[str, int]]]]: ...
    def bind(
        self,
        structs: Sequence[tuple[type[Any], Sequence[str]]],
        enums: Sequence[type[IntEnum]],
        arrays: bool,
        views: bool,
    ) -> list[tuple[str, Any, Any]]: ...

def initialise(object: Message, arguments: tuple[Any, ...], fields: dict[str, Any]) -> None: ...
def load(path: str | os.PathLike[str], include: Sequence[str | os.PathLike[str]]) -> Schema: ...
