"""Writes tables of Delta Lake with column mapping, as the protocol says, and knows their rows. deltalake only reads such tables."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

Row = dict[str, Any]

TYPES = {
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "date": pa.date32(),
    "timestamp_ntz": pa.timestamp("us"),
    "decimal(6,2)": pa.decimal128(6, 2),
    "decimal(10,4)": pa.decimal128(10, 4),
    "decimal(12,1)": pa.decimal128(12, 1),
    "decimal(23,3)": pa.decimal128(23, 3),
}


@dataclass
class Column:
    """Column or member. `kind` is a type of the protocol, or `"struct"` or `"array"` with members."""

    name: str
    kind: str
    members: list[Column] = field(default_factory=list)
    number: int = 0
    physical: str = ""
    former: str = ""
    """Narrower type that files may have."""

    def to_json(self) -> dict[str, Any]:
        inner = {"type": "struct", "fields": [it.to_json() for it in self.members]}
        kinds = {"struct": inner, "array": {"type": "array", "elementType": inner, "containsNull": True}}
        metadata: Row = {"delta.columnMapping.id": self.number, "delta.columnMapping.physicalName": self.physical}
        if self.former:
            metadata["delta.typeChanges"] = [{"fromType": self.former, "toType": self.kind}]
        return {"name": self.name, "type": kinds.get(self.kind, self.kind), "nullable": True, "metadata": metadata}

    def stored(self, name_of: Callable[[Column], str], has_ids: bool) -> pa.Field:
        """Returns the field of a file."""
        data_type = TYPES.get(self.kind) or pa.struct([it.stored(name_of, has_ids) for it in self.members])
        if self.kind == "array":
            data_type = pa.list_(data_type)
        return pa.field(name_of(self), data_type, metadata={"PARQUET:field_id": str(self.number)} if has_ids else None)

    def read(self, value: Any, stored: pa.Field) -> Any:
        """Returns a value of a file under the names of the table, by IDs, in the type of the table."""
        if self.former:
            return pa.scalar(value, stored.type).cast(TYPES[self.kind]).as_py()
        if value is None or not self.members:
            return value
        if self.kind == "array":
            return [read_row(self.members, it, stored.type.value_type) for it in value]
        return read_row(self.members, value, stored.type)

    def value(self, value: Any, name_of: Callable[[Column], str]) -> Any:
        """Returns a value under the names of a file."""
        if value is None or not self.members:
            return value
        if self.kind == "array":
            return [{name_of(it): it.value(element[it.name], name_of) for it in self.members} for element in value]
        return {name_of(it): it.value(value[it.name], name_of) for it in self.members}


@dataclass
class MappedTable:
    """Table with partitions by `place` and `day`, whatever their names are now."""

    path: Path
    mode: Literal["name", "id"]
    is_upgraded: bool = False
    """The first columns have physical names equal to their first names, and the first files have no IDs."""
    columns: list[Column] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    partitioned_by: list[Column] = field(default_factory=list)
    newest: int = 0
    next_id: int = 0
    is_read_by_ids: bool = False
    """Set if deltalake 1.6.6 cannot read the files: it reads by names, and never from tables with type widening."""
    more_features: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.path / "_delta_log").mkdir(parents=True)
        point = [Column("x", "long"), Column("y", "long"), Column("deep", "struct", [Column("z", "long"), Column("w", "long")])]
        parts = Column("parts", "array", [Column("k", "integer"), Column("v", "string")])
        plain = {"id": "long", "place": "string", "day": "date", "name": "string", "value": "double"}
        columns = [*(Column(name, kind) for name, kind in plain.items()), Column("point", "struct", point), parts]
        self.columns = [self.new(column) for column in columns]
        self.partitioned_by = self.columns[1:3]
        features = ["columnMapping", "deletionVectors", *self.more_features]
        protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features}
        self.commit([{"protocol": {**protocol, "writerFeatures": [*features, "generatedColumns"]}}, self.metadata()])

    def new(self, column: Column) -> Column:
        """Returns a column with a new number and physical name."""
        self.newest += 1
        column.number = self.newest
        column.physical = column.name if self.is_upgraded and not self.rows else f"col-{uuid.uuid4()}"
        column.members = [self.new(it) for it in column.members]
        return column

    def commit(self, actions: list[dict[str, Any]]) -> None:
        log = self.path / "_delta_log"
        version = len(list(log.glob("*.json")))
        (log / f"{version:020}.json").write_text("".join(json.dumps(action) + "\n" for action in actions))

    def metadata(self) -> dict[str, Any]:
        mapping = {"delta.columnMapping.mode": self.mode, "delta.columnMapping.maxColumnId": str(self.newest)}
        action = {
            "id": "0b0e8fc1-5e0b-4c7e-a9a5-6f1e9a8a0001",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": [it.to_json() for it in self.columns]}),
            "partitionColumns": [it.name for it in self.partitioned_by],
            "configuration": {**mapping, "delta.enableDeletionVectors": "true"},
            "createdTime": 0,
        }
        return {"metaData": action}

    def find(self, path: str) -> Column:
        """Returns the column or member with this path."""
        columns, found = self.columns, self.columns[0]
        for name in path.split("."):
            found = next(it for it in columns if it.name == name)
            columns = found.members
        return found

    def rename(self, path: str, new: str) -> None:
        self._change(path, new)
        self.find(path).name = new
        self.commit([self.metadata()])

    def drop(self, path: str) -> None:
        self._change(path, None)
        *parents, _ = path.split(".")
        siblings = self.find(".".join(parents)).members if parents else self.columns
        siblings.remove(self.find(path))
        self.commit([self.metadata()])

    def add(self, path: str, kind: str, members: Iterable[Column] = ()) -> None:
        *parents, name = path.split(".")
        siblings = self.find(".".join(parents)).members if parents else self.columns
        siblings.append(self.new(Column(name, kind, list(members))))
        for row in self.rows:
            for parent in _parents(row, parents):
                parent[name] = None
        self.commit([self.metadata()])

    def widen(self, path: str, kind: str) -> None:
        column = self.find(path)
        column.kind, column.former, self.is_read_by_ids = kind, column.kind, True
        if "." not in path:
            for row in self.rows:
                row[path] = column.read(row[path], pa.field(path, TYPES[column.former]))
        self.commit([self.metadata()])

    def _change(self, path: str, new: str | None) -> None:
        *parents, name = path.split(".")
        for row in self.rows:
            for parent in _parents(row, parents):
                members = {new if it == name else it: value for it, value in parent.items()}
                parent.clear()
                parent.update({it: value for it, value in members.items() if it is not None})

    def row(self, number: int) -> Row:
        """Returns a new row of the current columns."""
        places = ["a b/%c", None, "plain"]
        constants = {"place": places[number % 3], "day": date(2026, 1, 1 + number // 100 % 2)}

        def value(column: Column, salt: int) -> Any:
            n = number + salt
            if column.kind == "struct":
                return None if n % 13 == 0 else {it.name: value(it, salt + 1) for it in column.members}
            if column.kind == "array":
                return [{it.name: value(it, salt + at) for it in column.members} for at in range(n % 3)]
            day = date(2026, 1, 1) + timedelta(n % 300)
            plain: Row = {"byte": n % 100, "short": n % 1000, "integer": n % 1000, "long": n, "float": n / 8, "double": n / 8}
            plain |= {f"decimal({digits},{scale})": Decimal(n % 1000).scaleb(-scale) for digits, scale in [(6, 2), (10, 4), (12, 1), (23, 3)]}
            plain |= {"string": f"text {n}", "date": day, "timestamp_ntz": datetime.combine(day, time(n % 24))}
            return None if n % 7 == 3 else plain[column.kind]

        keys = dict(zip([it.number for it in self.partitioned_by], constants.values(), strict=True))
        row = {it.name: keys.get(it.number) if it in self.partitioned_by else value(it, it.number) for it in self.columns}
        return {**row, self.columns[0].name: number}

    def append(self, count: int = 90, is_foreign: bool = False) -> None:
        """Adds rows, in a file for each partition. With `is_foreign`, files have names that only their IDs explain."""
        self.is_read_by_ids |= is_foreign
        has_ids = not (self.is_upgraded and self.mode == "name" and not self.rows)
        rows = [self.row(self.next_id + at) for at in range(count)]
        self.next_id += count
        prefix = random.choice("abc")

        def name_of(column: Column) -> str:
            return f"{prefix}{column.number}" if is_foreign else column.physical

        stored = [it for it in self.columns if it not in self.partitioned_by]
        schema = pa.schema([it.stored(name_of, has_ids) for it in stored])
        actions = []
        keys = [it.name for it in self.partitioned_by]
        for partition in dict.fromkeys(tuple(row[key] for key in keys) for row in rows):
            here = [row for row in rows if tuple(row[key] for key in keys) == partition]
            values = [{name_of(it): it.value(row[it.name], name_of) for it in stored} for row in here]
            file = self.path / prefix / f"part-{uuid.uuid4()}.parquet"
            file.parent.mkdir(exist_ok=True)
            pq.write_table(pa.Table.from_pylist(values, schema), file, store_schema=False, use_dictionary=False)
            values_of_partition = zip(self.partitioned_by, partition, strict=True)
            add = {
                "path": str(file.relative_to(self.path)),
                "partitionValues": {it.physical: None if value is None else str(value) for it, value in values_of_partition},
                "size": file.stat().st_size,
                "modificationTime": 0,
                "dataChange": True,
                "stats": json.dumps(statistics_of(stored, here), default=lambda it: float(it) if isinstance(it, Decimal) else it.isoformat()),
            }
            actions.append({"add": add})
        self.rows += rows
        self.commit(actions)


def read_row(columns: list[Column], row: Row, stored: Iterable[pa.Field]) -> Row:
    """Returns a row of a file under the names of the table, by IDs."""
    fields = {(it.metadata or {}).get(b"PARQUET:field_id"): it for it in stored}
    found = {it.name: (it, fields.get(str(it.number).encode())) for it in columns}
    return {name: it.read(row[there.name], there) if there else None for name, (it, there) in found.items()}


def statistics_of(columns: list[Column], rows: list[Row]) -> dict[str, Any]:
    """Returns the exact statistics of rows by physical names."""

    def look(columns: list[Column], rows: list[Any], take: Callable[[list[Any]], Any]) -> dict[str, Any]:
        found = {}
        for column in columns:
            values = [None if row is None else row[column.name] for row in rows]
            if column.kind == "struct":
                found[column.physical] = look(column.members, values, take)
            elif column.kind != "array" and (taken := take(values)) is not None:
                found[column.physical] = taken
        return found

    def bound(choose: Callable[..., Any]) -> Callable[[list[Any]], Any]:
        return lambda values: choose((it for it in values if it is not None), default=None)

    return {
        "numRecords": len(rows),
        "minValues": look(columns, rows, bound(min)),
        "maxValues": look(columns, rows, bound(max)),
        "nullCount": look(columns, rows, lambda values: values.count(None)),
    }


def _parents(row: Row, names: list[str]) -> Iterator[Row]:
    """Returns the structs of a row that these names lead to."""
    found: list[Any] = [row]
    for name in names:
        inner = [it[name] for it in found if it[name] is not None]
        found = [it for value in inner for it in (value if isinstance(value, list) else [value])]
    yield from found
