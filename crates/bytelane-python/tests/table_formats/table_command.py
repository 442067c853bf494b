"""Tests the commands `bytelane delta` and `bytelane iceberg`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from table_rows import rows_of, sorted_rows


def command(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    whole = [sys.executable, "-m", "bytelane", *map(str, arguments)]
    return subprocess.run(whole, capture_output=True, text=True, env=os.environ | environment)


def result(*arguments: str | Path) -> Any:
    done = command(*arguments, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def table_commands(directory: Path, _: int) -> None:
    """Fails if a command does other work than its function, or if its help or errors cannot be read in a terminal."""
    on_delta(directory / "table")
    on_iceberg(directory)
    helps("delta", ["plan", "compact", "delete", "purge", "sort", "zorder", "remove-unfinished"])
    helps("iceberg", ["plan", "rewrite-data-files", "delete", "sort", "zorder", "remove-orphans"])
    errors(directory)


def on_delta(path: Path) -> None:
    for number in range(3):
        write_deltalake(path, rows_of(number), mode="append")
    rows = pa.concat_tables(map(rows_of, range(3)))
    planned = result("delta", "plan", path)
    assert [(it["reason"], len(it["files"])) for it in planned] == [("small files", 3)]
    assert "small files: 3 files, " in (text := command("delta", "plan", path).stdout) and text.endswith("300 rows; saves 2 files\n")
    done = result("delta", "compact", path, "--processes", "2", "--small", "1MiB")
    assert (done["files_added"], done["files_removed"]) == (1, 3)
    assert command("delta", "plan", path).stdout == "nothing to do\n"
    done = result("delta", "delete", path, "id < 50", "--scrub", "--verify")
    assert done["deleted_rows"] == 50
    result("delta", "sort", path, "value", "id:descending", "--target", "4kB")
    assert result("delta", "plan", path, "--sort-by", "value", "--sort-by", "id:descending") == []
    result("delta", "zorder", path, "value", "id", "--no-verify", "--readers", "pyarrow, duckdb")
    assert "files added: 0\n" in command("delta", "purge", path).stdout
    assert sorted_rows(DeltaTable(path).to_pyarrow_table()) == sorted_rows(rows.slice(50))
    unfinished = path / ".bytelane-Ab1"
    unfinished.write_bytes(b"")
    assert result("delta", "remove-unfinished", path) == []
    assert result("delta", "remove-unfinished", path, "--older-than", "0") == [str(unfinished)]
    assert unfinished.exists()
    result("delta", "remove-unfinished", path, "--older-than", "0", "--remove")
    assert not unfinished.exists()


def on_iceberg(directory: Path) -> None:
    from pyiceberg.catalog.sql import SqlCatalog

    warehouse, uri = f"file://{directory}/warehouse", f"sqlite:///{directory}/commands.db"
    os.environ |= {
        "PYICEBERG_CATALOG__COMMANDS__TYPE": "sql",
        "PYICEBERG_CATALOG__COMMANDS__URI": uri,
        "PYICEBERG_CATALOG__COMMANDS__WAREHOUSE": warehouse,
    }
    catalog = SqlCatalog("commands", uri=uri, warehouse=warehouse)
    catalog.create_namespace("a")
    table = catalog.create_table("a.table", rows_of(0).schema)
    for number in range(3):
        table.append(rows_of(number))
    own = ["a.table", "--catalog", "commands"]
    assert [len(it["files"]) for it in result("iceberg", "plan", *own)] == [3]
    assert result("iceberg", "rewrite-data-files", *own, "--processes", "2")["files_added"] == 1
    assert result("iceberg", "delete", *own, "id < 50")["deleted_rows"] == 50
    assert "the table has no sort order" in command("iceberg", "sort", *own).stderr
    assert result("iceberg", "sort", *own, "value")["files_added"] == 1
    assert result("iceberg", "remove-orphans", *own, "--older-than", "0") == []
    rows = pa.concat_tables(map(rows_of, range(3))).slice(50)
    assert sorted_rows(catalog.load_table("a.table").scan().to_arrow()) == sorted_rows(rows)


def helps(name: str, verbs: list[str]) -> None:
    for verb in ["", *verbs]:
        done = command(name, *[verb][: len(verb)], "--help")
        assert done.returncode == 0 and f"usage: bytelane {name}" in done.stdout, done
        assert max(map(len, done.stdout.splitlines())) <= 80, done.stdout
        assert all(it in done.stdout for it in verbs) or verb


def errors(directory: Path) -> None:
    cases: list[tuple[list[str], str]] = [
        (["delta", "compact", f"{directory}/none"], f"error: {directory}/none: there is no such directory\n"),
        (["delta", "compact"], "error: the following arguments are required: TABLE\n\nusage: bytelane delta compact"),
        (["delta", "compact", "x", "--small", "much"], "error: argument --small: 'much' is not a size; write it as in 64MiB\n"),
        (["delta", "compact", "x", "--processes", "0"], "error: argument --processes: '0' is not a number from 1"),
        (["delta", "sort", f"{directory}/table", "nothing"], "error: the table has no column 'nothing' to sort by"),
        (["delta", "move", "x"], "error: argument VERB: invalid choice: 'move'"),
        (["iceberg", "delete", "a.none", "id = 1", "--catalog", "commands"], "error: Table does not exist: "),
    ]
    for arguments, text in cases:
        done = command(*arguments)
        assert done.returncode == 2 and done.stderr.startswith(text) and not done.stdout, done
        assert "Traceback" not in done.stderr
