"""The records of measurements, newest first, as tables of DuckDB, and how figures are shown."""

from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parents[2]
DIRECTORY = "benchmarks/record"
ONLY_BACKENDS = "-backends"
LEVELS = ("sse4.1", "avx2", "avx512")

#: Kinds of records: the columns of each, with their types. Texts may be missing, and are empty then.
KINDS = {
    "measured": {
        **dict.fromkeys(["codec", "operation", "type", "data", "backend"], "text"),
        **{"values": "bigint", "ns": "double", "of_memcpy": "double"},
        **dict.fromkeys(["parameters", "library"], "optional"),
    },
    "files": {
        **dict.fromkeys(["column", "encoding", "compression", "library", "version"], "text"),
        **dict.fromkeys(["rows", "values", "threads"], "bigint"),
        **dict.fromkeys(["file_bytes", "cpu_seconds", "wall_seconds", "peak_bytes"], "double"),
        "regime": "optional",
    },
    "estimates": {
        **dict.fromkeys(["codec", "operation", "data", "processor"], "text"),
        **{"bytes": "bigint", "cycles": "double", "library": "optional"},
    },
}


def load(paths):
    """Return a database with the records, newest first: `records`, and a table of each kind with `age` and `place`, the
    number of the row. Raise duckdb.Error if a row is invalid, with its file and line."""
    database = duckdb.connect()
    database.execute("create table records (name text, age int, cpu text)")
    for kind, columns in KINDS.items():
        typed = (f'"{name}" {it.replace("optional", "text")}' for name, it in columns.items())
        database.execute(f"create table {kind} (age int, place int, {', '.join(typed)})")
    for age, path in enumerate(paths):
        with path.open() as file:
            header = file.readline().rstrip("\n").split(",")
        for kind, columns in KINDS.items():
            if all(name in header or it == "optional" for name, it in columns.items()):
                types = {name: columns.get(name, "text").replace("optional", "text") for name in header}
                # Empty fields are read as null.
                texts = {name: f"""coalesce("{name}", '')""" for name, it in types.items() if it == "text"}
                found = (texts.get(it, f'"{it}"' if it in types else "''") for it in columns)
                database.execute(
                    f"insert into {kind} select {age}, row_number() over (), {', '.join(found)}"
                    f" from read_csv('{path}', header=true, auto_detect=false, delim=',', quote='\"', columns={types})"
                )
                database.execute("insert into records values (?, ?, ?)", [f"{DIRECTORY}/{path.name}", age, cpu(path.stem)])
    return database


def newest_first(keep=lambda name: True):
    """Return the files of the records."""
    return sorted((it for it in (ROOT / DIRECTORY).glob("*.csv") if keep(it.name)), reverse=True)


def cpu(stem):
    """Return the CPU of a record as the documents name it: `Zen 5` for `2026-11-23-zen5`, with the instruction set if all
    libraries were limited to one."""
    words = ""
    for word in stem[len("2026-11-23-") :].split("-"):
        if word in LEVELS:
            words += f", {word.upper()}"
            continue
        name = word.rstrip("0123456789.")
        for part in filter(None, [name, word[len(name) :]]):
            words += (" " if words else "") + part[0].upper() + part[1:]
    return words


def ratio(value):
    """Format a ratio with at most two significant digits: `0.07`, `0.95`, `1.3`, `22`."""
    return f"{value:.{2 if value < 0.995 else 1 if value < 9.95 else 0}f}"


def table(titles, alignment, rows):
    """Return a table in Markdown; the alignment has a letter for each column: `l`, or `r` for right-aligned."""
    return line(titles) + "|" + "".join("---|" if it == "l" else "--:|" for it in alignment) + "\n" + "".join(map(line, rows))


def line(cells):
    return "|" + "".join(f" {cell} |" if cell is not None else " |" for cell in cells) + "\n"
