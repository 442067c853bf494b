"""Outcomes of `advise` and `rewrite`, which print as tables."""

from __future__ import annotations

import ast
import html
import json
from collections.abc import Sequence
from typing import Any

from ._results import AdviceDict, ColumnAdviceDict, RewrittenColumnDict, RewrittenDict


class Report:
    """Table with a text above and below it."""

    def _texts(self) -> tuple[str, list[str], list[list[str]], str]:
        """Returns the text above, the header, the rows, and the text below."""
        raise NotImplementedError

    def __repr__(self) -> str:
        above, header, rows, below = self._texts()
        lines = [[printable(cell) for cell in row] for row in [header, *rows]]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        # Strings are left-aligned, numbers right-aligned.
        shown = [
            "  ".join(
                cell.rjust(width) if name in _NUMBERS else cell.ljust(width)
                for name, cell, width in zip(header, line, widths, strict=True)
            ).rstrip()
            for line in lines
        ]
        return "\n".join([*map(printable, above.splitlines()), "", *shown, "", printable(below)])

    def _repr_html_(self) -> str:
        above, header, rows, below = self._texts()

        def row(tag: str, cells: Sequence[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(it)}</{tag}>" for it in cells) + "</tr>"

        body = "".join(row("td", cells) for cells in rows)
        return (
            f"<p>{html.escape(above).replace(chr(10), '<br>')}</p>"
            f"<table><thead>{row('th', header)}</thead><tbody>{body}</tbody></table>"
            f"<p>{html.escape(below)}</p>"
        )


_NUMBERS = frozenset({"current size", "old size", "new size", "saved"})


def printable(text: str) -> str:
    """Escapes control characters, which a terminal would interpret."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def saved_share(before: int, after: int) -> float:
    """Returns the share of the bytes that is saved."""
    return 1 - after / before if before else 0.0


class Advice(Report):
    """Best encoding for each column, with settings for other writers.

    It prints as a table.

    >>> import pyarrow as pa, pyarrow.parquet as pq
    >>> from bytelane import parquet
    >>> table = pa.table({"price": [100 + 0.25 * (i % 777) for i in range(20_000)]})
    >>> advice = parquet.advise(table, goal="size")
    >>> pq.write_table(table, "small.parquet", **advice.pyarrow())
    """

    def __init__(self, data: AdviceDict) -> None:
        self._data = data

    def to_dict(self) -> AdviceDict:
        """Returns all results, in the format of `bytelane advise --format json`."""
        data: AdviceDict = json.loads(json.dumps(self._data))
        return data

    @property
    def columns(self) -> list[ColumnAdviceDict]:
        """Advice for each column, and for each leaf of nested ones."""
        return self.to_dict()["columns"]

    @property
    def bytes_now(self) -> int:
        """Current size of all columns: the size in the file or, for tables and arrays, the size with pyarrow's
        defaults."""
        return sum(column["bytes_now"] for column in self._data["columns"])

    @property
    def bytes_then(self) -> int:
        """Size of all columns after `rewrite`, estimated from a sample."""
        return sum(column["bytes_then"] for column in self._data["columns"])

    @property
    def saved(self) -> float:
        """Size reduction, from 0 to 1."""
        return saved_share(self.bytes_now, self.bytes_then)

    def pyarrow(self) -> dict[str, Any]:
        """Returns keyword arguments for `pyarrow.parquet.write_table`."""
        return self._keywords("pyarrow")

    def polars(self) -> dict[str, Any]:
        """Returns keyword arguments for `polars.DataFrame.write_parquet`. Polars has none for encodings."""
        return self._keywords("polars")

    def duckdb(self) -> str:
        """Returns the options of a `COPY` statement. DuckDB has none for the encoding of a column.

        >>> import pyarrow as pa
        >>> from bytelane import parquet
        >>> parquet.advise(pa.table({"id": range(20_000)}), goal="size").duckdb()
        '(FORMAT parquet, PARQUET_VERSION V2, COMPRESSION zstd, COMPRESSION_LEVEL 1)'
        """
        text = self._settings("DuckDB")
        return text[text.index("(") : text.rindex(")") + 1]

    def _settings(self, writer: str) -> str:
        return next(it["text"] for it in self._data["settings"] if it["writer"] == writer)

    def _keywords(self, writer: str) -> dict[str, Any]:
        """Returns the arguments of the call in the settings."""
        call = ast.parse(self._settings(writer), mode="eval").body
        assert isinstance(call, ast.Call)
        return {str(it.arg): ast.literal_eval(it.value) for it in call.keywords}

    def _texts(self) -> tuple[str, list[str], list[list[str]], str]:
        data = self._data
        above = (
            f"{data['file'] or data['kind']}: {data['rows']} rows\n"
            f"Goal: {data['goal']}. Compression: {data['compression'] or 'unchanged'}. Readers: {data['readers']}."
        )
        header = ["column", "type", "current", "choice", "current size", "new size", "saved"]
        rows = [
            [
                column["path"],
                column["column_type"],
                column["now"] or "",
                "unchanged" if column["keep"] else column["encoding"],
                str(column["bytes_now"]),
                str(column["bytes_then"]),
                f"{100 * saved_share(column['bytes_now'], column['bytes_then']):.1f}%",
            ]
            for column in data["columns"]
        ]
        today = "today" if data["kind"] == "parquet" else "with pyarrow's default encoding"
        below = (
            f"{self.bytes_now} bytes {today}, about {self.bytes_then} with the choice: {100 * self.saved:.1f}% smaller"
        )
        for column in data["columns"]:
            if column["reason"]:
                below += f"\n{column['path']} is re-encoded: {column['reason']}"
        return above, header, rows, below


class Rewritten(Report):
    """Outcome of `rewrite`. It prints as a table."""

    def __init__(self, data: list[RewrittenDict]) -> None:
        self._data = data

    def to_dict(self) -> RewrittenDict:
        """Returns the outcome for the only file, in the format of `bytelane rewrite --format json`."""
        if len(self._data) != 1:
            message = f"{len(self._data)} files were rewritten; `files` has the outcome for each"
            raise ValueError(message)
        data: RewrittenDict = json.loads(json.dumps(self._data[0]))
        return data

    @property
    def files(self) -> list[Rewritten]:
        """Outcome for each file."""
        return [Rewritten([data]) for data in self._data]

    @property
    def columns(self) -> list[RewrittenColumnDict]:
        """Outcome for each column of each file, and for each leaf of nested ones."""
        return [column for file in self.files for column in file.to_dict()["columns"]]

    @property
    def bytes_before(self) -> int:
        """Size of the old files in bytes."""
        return sum(data["bytes_before"] for data in self._data)

    @property
    def bytes_after(self) -> int:
        """Size of the new files in bytes."""
        return sum(data["bytes_after"] for data in self._data)

    @property
    def verified(self) -> bool:
        """True if every value was compared."""
        return all(data["verified"] for data in self._data)

    @property
    def saved(self) -> float:
        """Size reduction, from 0 to 1; negative if the new files are larger."""
        return saved_share(self.bytes_before, self.bytes_after)

    def _texts(self) -> tuple[str, list[str], list[list[str]], str]:
        verified = ", every value compared" if self.verified else ""
        below = f"{self.bytes_before} bytes became {self.bytes_after}, {100 * self.saved:.1f}% saved{verified}"
        if len(self._data) > 1:
            sizes = [(it["input"], it["bytes_before"], it["bytes_after"]) for it in self._data]
            lines = [
                [name, str(before), str(after), f"{100 * saved_share(before, after):.1f}%"]
                for name, before, after in sizes
            ]
            return f"{len(self._data)} files", ["file", "old size", "new size", "saved"], lines, below
        header = ["column", "re-encoded", "encodings", "old size", "new size", "saved"]
        rows = []
        for column in self.columns:
            before, after = column["before"], column["after"]
            names = [", ".join(state["encodings"]) for state in (before, after)]
            obstacle = None if column["rewritten"] else column["obstacle"]
            rows.append(
                [
                    column["path"],
                    obstacle or f"{column['rewritten']} of {column['chunks']}",
                    names[0] if names[0] == names[1] else " -> ".join(names),
                    str(before["bytes"]),
                    str(after["bytes"]),
                    f"{100 * saved_share(before['bytes'], after['bytes']):.1f}%",
                ]
            )
        return "Row groups in which columns were re-encoded", header, rows, below
