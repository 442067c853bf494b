"""Tables as text for terminals, and as HTML for notebooks."""

from __future__ import annotations

import html as markup
import shutil
from typing import TYPE_CHECKING

from ._reports import printable

if TYPE_CHECKING:
    from .._parquet import Column, Table

# Numbers of rows at the start and at the end.
_EDGE = 5
# Maximum widths of values, in a terminal and in a notebook.
_CELL = 32
_HTML_CELL = 48
# Maximum number of columns in a notebook.
_HTML_COLUMNS = 20
_NUMBERS = ("int", "uint", "float", "double", "halffloat", "decimal", "duration")


def text(table: Table) -> str:
    """Returns the first and last rows as a table that fits into the terminal."""
    rows, columns = table.shape
    above = f"bytelane.parquet.Table: {rows:,} rows, {columns:,} columns"
    if columns == 0:
        return above
    width = shutil.get_terminal_size().columns
    shown: list[list[str]] = []
    # A column takes at least three characters.
    for index in range(min(columns, width // 3 + 1)):
        shown.append(_column(table, index))
        if sum(_width(cells) + 2 for cells in shown) - 2 > width and index > 0:
            shown.pop()
            break
    lines = ["  ".join(cells).rstrip() for cells in zip(*map(_aligned, shown), strict=True)]
    if len(shown) < columns:
        names = ", ".join(map(printable, table.column_names[len(shown) :]))
        rest = columns - len(shown)
        lines.append(_cut(f"and {rest:,} more column{'s' * (rest > 1)}: {names}", width))
    return "\n".join([above, *lines])


def html(table: Table) -> str:
    """Returns the first and last rows as a table of HTML."""
    rows, columns = table.shape
    fields = [field for field, _ in zip(table.schema, range(_HTML_COLUMNS), strict=False)]
    values = [_edges(table, index, _HTML_CELL) for index in range(len(fields))]
    heads = "".join(
        f'<th style="{_style(field.type)}">{_escaped(field.name)}<br>'
        f'<span style="font-weight:normal;opacity:.7">{_escaped(_cut(field.type, _HTML_CELL))}</span></th>'
        for field in fields
    )
    styles = [_style(field.type) for field in fields]
    body = "".join(
        "<tr>" + "".join(f'<td style="{style}">{cell}</td>' for style, cell in zip(styles, row, strict=True)) + "</tr>"
        for row in zip(*([_escaped(value) for value in column] for column in values), strict=True)
    )
    more = f", the first {len(fields)} are shown" if len(fields) < columns else ""
    head = f'<table style="white-space:nowrap"><thead><tr>{heads}</tr></thead>'
    return f"<p>{rows:,} rows, {columns:,} columns{more}</p>{head}<tbody>{body}</tbody></table>"


def column(values: Column) -> str:
    """Returns the first and last values of a column, one per line."""
    count = len(values)
    above = f"bytelane.parquet.Column {printable(values.name)!r}: {count:,} values of the type {values.type}"
    width = shutil.get_terminal_size().columns
    return "\n".join([above, *(_cut(printable(it), width) for it in _ends(values, count))])


def _column(table: Table, index: int) -> list[str]:
    """Returns the cells of a column: name, type, a line, and values; the first one says on which side they stand."""
    field = table.schema.field(index)
    cells = [_cut(printable(it), _CELL) for it in (field.name, field.type)]
    values = [_cut(printable(it), _CELL) for it in _edges(table, index, _CELL)]
    return [_side(field.type), *cells, *values]


def _aligned(cells: list[str]) -> list[str]:
    side, *cells = cells
    width = max(map(len, cells))
    cells.insert(2, "-" * width)
    return [cell.rjust(width) if side == "right" else cell.ljust(width) for cell in cells]


def _width(cells: list[str]) -> int:
    return max(map(len, cells[1:]))


def _edges(table: Table, index: int, width: int) -> list[str]:
    return [_cut(value, width) for value in _ends(table.column(index), table.num_rows)]


def _ends(values: Column, count: int) -> list[str]:
    """Returns the texts of the first and the last values."""
    if count <= 2 * _EDGE:
        return _texts(values, 0, count)
    return [*_texts(values, 0, _EDGE), "…", *_texts(values, count - _EDGE, _EDGE)]


def _texts(values: Column, start: int, length: int) -> list[str]:
    try:
        return [_shown(value) for value in values[start : start + length]]
    except ValueError:
        # Python has no object for a time, such as one with nanoseconds without pandas.
        return values._texts(start, length)


def _shown(value: object) -> str:
    """Returns a value as text, with the words of Arrow for null, true and false."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(map(_inner, value))}]"
        case dict():
            return f"{{{', '.join(f'{name}: {_inner(it)}' for name, it in value.items())}}}"
        case bytes():
            return repr(value)
    return str(value)


def _inner(value: object) -> str:
    match value:
        case str():
            return repr(value)
        case (key, item):
            return f"{_inner(key)}: {_inner(item)}"
    return _shown(value)


def _side(type_name: str) -> str:
    return "right" if type_name.startswith(_NUMBERS) else "left"


def _style(type_name: str) -> str:
    return f"text-align:{_side(type_name)};padding:0 .5em"


def _cut(cell: str, width: int) -> str:
    return cell if len(cell) <= width else cell[: width - 1] + "…"


def _escaped(cell: str) -> str:
    return markup.escape(printable(cell))
