"""Reports of `bytelane.parquet` as text and as HTML, for consoles and notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence


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
