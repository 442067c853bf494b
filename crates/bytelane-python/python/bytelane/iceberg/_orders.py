"""The orders by which the rows of a table of Apache Iceberg are sorted, and the files that are not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from pyiceberg.table import Table
from pyiceberg.table.sorting import NullOrder, SortDirection, SortField
from pyiceberg.transforms import IdentityTransform

from .._protocols import Executor
from .._sorting import By, Key, keys_of
from .._tables import groups
from .._units import Clusters, done
from ._files import CurrentFile, ids_of
from ._work import Work

Order = By | Literal["table"]
"""Columns to sort by, or `"table"`: those of the table's sort order."""


def keys_for(table: Table, by: Order) -> list[Key]:
    """Returns the columns to sort by. As in Iceberg, nulls are first in ascending order and last in descending order, by default."""
    names = [field.name for field in table.schema().fields]
    if by == "table":
        fields = table.sort_order().fields
        if not fields:
            raise ValueError("the table has no sort order; name the columns to sort by, as in by=['place', 'hour']")
        return [_key(table, field) for field in fields]
    keys = keys_of(by, names, _constant(table))
    return [replace(key, nulls_first=not key.descending) for key in keys]


def order_id_of(table: Table, keys: list[Key]) -> int | None:
    """Returns the number of the table's sort order that has these columns, if there is one."""
    for number, order in table.sort_orders().items():
        fields = order.fields
        are_columns = fields and all(isinstance(field.transform, IdentityTransform) for field in fields)
        if are_columns and [_key(table, field) for field in fields] == keys:
            return int(number)
    return None


def _key(table: Table, field: SortField) -> Key:
    name = table.schema().find_column_name(field.source_id) or str(field.source_id)
    if not isinstance(field.transform, IdentityTransform) or "." in name:
        raise ValueError(f"the table is sorted by {field.transform}({name}), which is not supported; name columns instead")
    return Key(name, field.direction == SortDirection.DESC, field.null_order == NullOrder.NULLS_FIRST)


def _constant(table: Table) -> Iterable[str]:
    """Returns the columns that have one value in each partition."""
    fields = [field for field in table.spec().fields if isinstance(field.transform, IdentityTransform)]
    return [str(table.schema().find_column_name(field.source_id)) for field in fields]


def alike(work: Work, keys: list[Key]) -> list[tuple[list[CurrentFile], list[Key]]]:
    """Returns the files of each partition with the same field IDs, and the columns to sort by under the names that they have there."""
    files = work.files()
    ids = {it.path: ids_of(work.table, it.path) for it in files}

    def kind(it: CurrentFile) -> object:
        return it.file.spec_id, it.file.partition, tuple(ids[it.path].items())

    # Columns that were dropped would be encoded again.
    known = [it for it in files if work.plan.keys() >= set(ids[it.path].values())]
    found = []
    for old in groups(known, kind, lambda it: 0, 1):
        names = {number: name for name, number in ids[old[0].path].items()}
        numbers = [(work.table.schema().find_field(key.name).field_id, key) for key in keys]
        there = [replace(key, name=names[number]) for number, key in numbers if number in names]
        if there:
            found.append((old, there))
    return found


def unsorted(
    work: Work, keys: list[Key], executor: Executor | None = None
) -> list[tuple[list[CurrentFile], list[Key]]]:
    """Returns the groups of files whose rows must be sorted."""
    kinds = alike(work, keys)
    units = [Clusters([it.path for it in files], there) for files, there in kinds]
    return [
        ([files[at] for at in cluster], there)
        for (files, there), found in zip(kinds, done(units, executor), strict=True)
        for cluster in found
    ]
