"""Write the tables of the newest records into the documents, between these marks; the rest stays unchanged:

    <!-- record: lost -->
    ..
    <!-- end of record -->

`cargo xtask record --tables` runs it."""

import codec_tables
import file_tables
import neon_table
import records
from records import ROOT

BEGIN, END = "<!-- record: ", "<!-- end of record -->"

#: Figures of other libraries in the reports of the command.
IN_REPORTS = "crates/bytelane-cli/src/commands/report/record.csv"


def documents():
    """Return the documents that contain tables."""
    return [ROOT / "README.md", ROOT / "docs/performance.md", *sorted((ROOT / "docs/performance").glob("*.md"))]


def tables(paths):
    """Return functions that make the tables, by their names in the documents, and one for the figures in reports."""
    database = records.load(paths)
    codecs = codec_tables.Codecs(database)
    of_files = file_tables.Files(database).tables()
    return of_files | codecs.tables() | {"neon": lambda: neon_table.estimates(database)}, codecs.fastest_peers


def fill(document, tables):
    """Return the document with the tables between its marks. Raise ValueError for a mark without its end or its beginning,
    or for an unknown table, with its line."""
    lines = document.splitlines(keepends=True)
    marks = [at for at, line in enumerate(lines) if line.startswith((BEGIN, END))]
    filled, last = [], 0
    for begin, end in zip(marks[::2], [*marks[1::2], None]):
        if lines[begin].startswith(END):
            raise ValueError(f"line {begin + 1}: an end without a begin")
        if end is None or lines[end].startswith(BEGIN):
            raise ValueError(f"line {begin + 1}: a begin without an end")
        name = lines[begin].removeprefix(BEGIN).strip().removesuffix(" -->")
        if name not in tables:
            raise ValueError(f"line {begin + 1}: there is no table `{name}`")
        filled += [*lines[last : begin + 1], "\n", tables[name](), "\n"]
        last = end
    return "".join([*filled, *lines[last:]])


def outdated():
    """Return the documents, and the figures in reports, that differ from the newest records, with their new text."""
    made, in_reports = tables(records.newest_first(lambda name: records.ONLY_BACKENDS not in name))
    texts = {path: fill(path.read_text(), made) for path in documents()}
    texts[ROOT / IN_REPORTS] = in_reports()
    return {path: text for path, text in texts.items() if path.read_text() != text}


def main():
    for path, text in outdated().items():
        print(path.relative_to(ROOT))
        # A document is never incomplete.
        beside = path.with_suffix(".incomplete")
        beside.write_text(text)
        beside.rename(path)


if __name__ == "__main__":
    main()
