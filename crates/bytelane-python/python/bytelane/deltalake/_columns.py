"""The columns of a table of Delta Lake, and the fields of data files that have their values.

With column mapping, files have physical names, which stay when a column is renamed, or fields are found by their IDs. The log has
physical names as well: for the values of partitions, and for statistics.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import pyarrow as pa
from deltalake import DeltaTable

from .. import _parquet
from .._sorting import Key

_NAME, _ID, _ID_IN_FILE = b"delta.columnMapping.physicalName", b"delta.columnMapping.id", b"PARQUET:field_id"
_CHANGES = b"delta.typeChanges"


@dataclass
class Condition:
    """Condition with the names of a file."""

    text: str = ""
    added: dict[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)
    """Names of columns that the file must get first, and their definitions, by their paths in the table: columns of partitions, and those
    that are newer than the file."""
    columns: set[str] = field(default_factory=set)
    """Names of the columns of the file that the condition is about."""


@dataclass(frozen=True)
class Columns:
    schema: pa.Schema
    """Columns under the names that users know."""
    mode: str
    """How files are mapped: `"name"`, `"id"`, or `"none"` if they have the names of the table."""

    @classmethod
    def of(cls, table: DeltaTable) -> Columns:
        protocol, mode = table.protocol(), "none"
        if protocol.min_reader_version == 2 or "columnMapping" in (protocol.reader_features or ()):
            mode = table.metadata().configuration.get("delta.columnMapping.mode", "none")
        if mode not in ("none", "name", "id"):
            raise ValueError(f"the table has the column mapping mode {mode}, which is not supported")
        return cls(pa.schema(table.schema()), mode)

    def physical(self, column: pa.Field) -> str:
        """Returns the name of a column or member in the log."""
        return str(column.name) if self.mode == "none" else _value(column, _NAME) or str(column.name)

    def partition(self, values: Mapping[str, str | None]) -> dict[str, str | None]:
        """Returns the values of a partition by the names that the log has."""
        return {self.physical(self.schema.field(name)): value for name, value in values.items()}

    def has_ids(self, there: pa.Schema) -> bool:
        """Returns whether the columns of a file can be found."""
        return self.mode != "id" or any(_value(it, _ID_IN_FILE) for it in there)

    def dropped(self, there: pa.Schema) -> list[str]:
        """Returns the columns of a file that the table no longer has."""
        if self.mode == "none":
            return []
        kept = {found.name for found in self._fields(there).values()}
        # A file must have a column.
        return [name for name in there.names if name not in kept] if kept else []

    def kind(self, there: pa.Schema) -> object:
        """Returns what files have in common that can be merged: the columns, without those that were dropped."""
        if self.mode == "none":
            return tuple(sorted(there.names))
        dropped = self.dropped(there)
        return tuple(sorted(self._members([it for it in there if it.name not in dropped], ())))

    def _members(self, fields: Iterable[pa.Field], parent: tuple[str, ...]) -> Iterator[tuple[object, str]]:
        for it in fields:
            path = (*parent, it.name)
            # Files from before the mapping have no IDs.
            yield path, _value(it, _ID_IN_FILE) if self.mode == "id" else ""
            yield from self._members(_members(it.type), path)

    def promoted(self, there: pa.Schema) -> dict[str, str]:
        """Returns the columns of a file whose type has become a wider one in the table, and these types.

        Raises a `ValueError` for a part of a column, which `parquet.edit` cannot promote.
        """
        fields = self._fields(there)
        pairs = [(column, fields[column.name]) for column in self.schema if column.name in fields]
        changed = [(column, found) for column, found in pairs if self._is_widened(column, found)]
        for column, found in changed:
            if pa.types.is_nested(column.type):
                raise ValueError(
                    f"a part of {column.name} has a wider type now, {column.type} instead of {found.type}, which is not supported; "
                    "rewrite the table with Spark"
                )
        return {found.name: str(column.type) for column, found in changed}

    def _is_widened(self, column: pa.Field, found: pa.Field) -> bool:
        """Returns whether a file has a column, or a part of it, in an earlier type."""
        if _value(column, _CHANGES) and any(map(_is_narrower, _scalars(found.type), _scalars(column.type))):
            return True
        stored = _members(found.type)
        pairs = [(member, self._find(member, stored)) for member in _members(column.type)]
        return any(self._is_widened(member, there) for member, there in pairs if there is not None)

    def keys(self, keys: Iterable[Key], there: pa.Schema) -> list[Key]:
        """Returns the columns to sort by that a file has, under the names that they have there."""
        fields = self._fields(there)
        return [replace(key, name=fields[key.name].name) for key in keys if key.name in fields]

    def paths(self, there: pa.Schema) -> dict[str, str]:
        """Returns the paths of columns in a file, by those in the log."""
        return dict(self._paths(self.schema, there, "", ""))

    def _paths(
        self, columns: Iterable[pa.Field], there: Iterable[pa.Field], parent: str, parent_there: str
    ) -> Iterator[tuple[str, str]]:
        for column in columns:
            if found := self._find(column, there):
                path, path_there = parent + self.physical(column), parent_there + found.name
                yield path, path_there
                if pa.types.is_struct(column.type):
                    yield from self._paths(column.type, found.type, f"{path}.", f"{path_there}.")

    def condition(self, where: str, there: pa.Schema, partition: Mapping[str, str | None]) -> Condition:
        """Returns a condition on columns of the table for a file, which has these columns and this partition."""
        found, done = Condition(), 0
        for start, end, steps in _parquet.columns_in(where, self.schema):
            found.text += where[done:start] + self._path(steps, there, partition, found)
            done = end
        found.text += where[done:]
        return found

    def _path(
        self, steps: list[str], there: pa.Schema, partition: Mapping[str, str | None], condition: Condition
    ) -> str:
        """Returns the path of a column in a file, or in one that is added to it."""
        columns, stored, path = list(self.schema), list(there), ""
        for at, step in enumerate(steps):
            if not step.startswith("."):
                # An element of a list, or a key of a map.
                path += step
                continue
            column = next(it for it in columns if it.name == step[1:])
            found = self._find(column, stored)
            if found is None:
                if any(it.startswith("[") for it in steps[:at]):
                    raise ValueError(f"{path} has no member {column.name}, which is newer than a file; rewrite the table with Spark")
                value = partition.get(column.name) if at == 0 else None
                constant = "" if value is None else " = '" + value.replace("'", "''") + "'"
                definition = _added(_part(column.type, steps[at + 1 :]), constant)
                return _quoted(condition.added.setdefault((*steps,), definition)[0])
            if at == 0:
                condition.columns.add(found.name)
            path += _step(f".{found.name}")
            columns, stored = _members(column.type), _members(found.type)
        return path.removeprefix(".")

    def _fields(self, there: Iterable[pa.Field]) -> dict[str, pa.Field]:
        """Returns the fields of a file by the names that they have in the table."""
        pairs = ((column.name, self._find(column, there)) for column in self.schema)
        return {name: found for name, found in pairs if found is not None}

    def _find(self, column: pa.Field, there: Iterable[pa.Field]) -> pa.Field | None:
        """Returns the field of a file or struct that has the values of a column or member."""
        if self.mode == "id":
            number = _value(column, _ID)
            return next((it for it in there if number and _value(it, _ID_IN_FILE) == number), None)
        return next((it for it in there if it.name == self.physical(column)), None)


def _value(column: pa.Field, key: bytes) -> str:
    """Returns a value of a field's metadata, which is empty if there is none."""
    return str((column.metadata or {}).get(key, b""), "utf-8")


def _members(data_type: pa.DataType) -> list[pa.Field]:
    """Returns the members of structs, also of those in lists and of the values of maps."""
    if pa.types.is_struct(data_type):
        return list(data_type)
    if pa.types.is_map(data_type):
        return _members(data_type.item_type)
    if pa.types.is_list(data_type) or pa.types.is_large_list(data_type) or pa.types.is_list_view(data_type):
        return _members(data_type.value_type)
    return []


def _scalars(data_type: pa.DataType) -> list[pa.DataType]:
    """Returns the types of the values in lists and maps, without those of structs, whose members are columns of their own."""
    if pa.types.is_struct(data_type):
        return []
    if pa.types.is_map(data_type):
        return [*_scalars(data_type.key_type), *_scalars(data_type.item_type)]
    if pa.types.is_list(data_type) or pa.types.is_large_list(data_type) or pa.types.is_list_view(data_type):
        return _scalars(data_type.value_type)
    return [data_type]


def _is_narrower(old: pa.DataType, new: pa.DataType) -> bool:
    """Returns whether a type is an earlier one of a column. Some writers store small integers in a larger type, and times in another unit."""
    if pa.types.is_integer(old) and pa.types.is_integer(new):
        return bool(old.bit_width < new.bit_width)
    return bool(old != new and not (pa.types.is_timestamp(old) and pa.types.is_timestamp(new)))


def _part(data_type: pa.DataType, steps: list[str]) -> pa.DataType:
    """Returns the type that steps lead to."""
    for step in steps:
        if step.startswith("."):
            data_type = next(it.type for it in data_type if it.name == step[1:])
        else:
            data_type = data_type.item_type if pa.types.is_map(data_type) else data_type.value_type
    return data_type


def _added(data_type: pa.DataType, constant: str) -> tuple[str, str]:
    """Returns the name of a new column, which no file has, and its definition."""
    name = str(uuid.uuid4())
    # A column of nulls can have any type, and structs and lists cannot be compared with anything else.
    return name, f'"{name}" {pa.bool_() if pa.types.is_nested(data_type) else data_type}{constant}'


def _step(step: str) -> str:
    """Returns a step of a path as conditions have it."""
    return f".{_quoted(step[1:])}" if step.startswith(".") else step


def _quoted(name: str) -> str:
    """Returns a name as conditions have it."""
    return '"' + name.replace('"', '""') + '"'
