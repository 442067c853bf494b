"""Calls all functions of the Python package and of the command with Parquet files, each in a process of its own, and prints
those that abort, panic, run too long, or do not name the file in their error."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from bytelane import dataset, parquet
from bytelane._native import command

Functions = dict[str, Callable[[], Any]]

# Bytes of the output of a command after which its pipe is closed: some files have rows without end.
OUTPUT = 1_000_000


def some(batches: Any) -> None:
    """Reads a few batches."""
    for _ in zip(batches, range(5), strict=False):
        pass


def attributes(source: Path) -> None:
    """Reads all facts of the footer."""
    with parquet.ParquetFile(source) as file:
        facts = [file.num_rows, file.created_by, file.schema, file.metadata, file.metadata.num_columns]
        facts += [(it.num_rows, it.total_byte_size) for it in file.row_groups]
        for row_group in file.row_groups[:100]:
            facts += [(it.path_in_schema, it.null_count, it.encodings) for it in row_group.columns]


def column_of(path: Path) -> str:
    """Returns the name of the first column."""
    return "x" if "list" in path.name else "c0"


def package(path: Path, new: Path) -> Functions:
    """Returns all functions of the package."""
    read, file, name = parquet.read_table, parquet.ParquetFile, column_of(path)
    found: Functions = {
        "read_table": lambda: read(path),
        "read_table of bytes": lambda: read(path.read_bytes()),
        "read_table of columns": lambda: read(path, [name]),
        "read_table with one thread": lambda: read(path, threads=1),
        "read_table of dictionaries": lambda: read(path, read_dictionary=[name]),
        "read_table with filters": lambda: read(path, filters=[(name, "is not", None)]),
        "read_table with a condition": lambda: read(path, filters=f"{name} is null"),
        "read_table of several": lambda: read([path, path]),
        "read": lambda: file(path).read(),
        "iter_batches": lambda: some(file(path).iter_batches()),
        "iter_batches of many rows": lambda: some(file(path).iter_batches(2**31)),
        "metadata": lambda: attributes(path),
        "advise": lambda: parquet.advise(path),
        "check": lambda: parquet.check(path),
        "check of values": lambda: parquet.check(path, values=True),
        "diff": lambda: parquet.diff(path, path),
        "diff in any order": lambda: parquet.diff(path, path, any_order=True),
        "merge": lambda: parquet.merge([path, path], new, force=True),
        "merge with fresh pages": lambda: parquet.merge([path, path], new, pages="fresh", force=True),
        "merge that splits": lambda: parquet.merge(path, new, row_group_size=10_000, verify=True, force=True),
        "repair": lambda: parquet.repair(path, new, bloom_filters=[name], verify=True, force=True),
        "salvage": lambda: parquet.salvage(path, new, force=True),
        "rewrite": lambda: parquet.rewrite(path, new, verify=True, force=True),
        "plan of a data set": lambda: dataset.plan(path.parent, files=[path.name], sort_by="auto"),
    }
    for kind in ("string", "large_string", "string_view"):
        found[f"read_table of {kind}"] = lambda kind=kind: read(path, string_type=kind)
        found[f"iter_batches of {kind}"] = lambda kind=kind: some(file(path, string_type=kind).iter_batches())
    return found


def commands(path: Path, new: Path) -> Functions:
    """Returns all commands."""
    name, file, output = column_of(path), str(path), [str(new), "--force"]
    where = ["--where", f"{name} is not null"]
    found = [
        ["inspect", file],
        ["inspect", file, "--by", "pages"],
        ["inspect", file, "--schema"],
        ["head", file],
        ["cat", file, "--format", "csv"],
        ["cat", file, "--format", "json"],
        ["cat", file, *where],
        ["cat", file, "-o", *output],
        ["tail", file],
        ["stats", file],
        ["schema", file],
        ["inspect", file, "--metadata"],
        ["convert", file, *output, "--to", "csv"],
        ["convert", file, *output, "--to", "arrow"],
        ["sample", file],
        ["count", file],
        ["count", file, *where],
        ["advise", file],
        ["check", file],
        ["check", file, "--values"],
        ["check", file, "--salvage", *output],
        ["diff", file, file],
        ["diff", file, file, "--any-order"],
        ["merge", file, file, *output],
        ["merge", file, file, *output, "--pages", "fresh"],
        ["merge", file, *output, "--row-group-size", "10000", "--verify"],
        # Smaller files than the longest strings would be as many as there are rows, and fill the disk.
        ["merge", file, *output, "--file-size", "10MiB"],
        ["repair", file, *output, "--verify", "--bloom-filter", name],
        ["rewrite", file, *output, "--verify"],
        ["rewrite", file, *output, "--compression", "zstd"],
        ["dataset", "plan", str(path.parent), "--output", str(new), "--sort-by", "auto"],
    ]
    text = {" ".join(arguments).replace(f"{path.parent}/", ""): arguments for arguments in found}
    return {f"bytelane {name}": lambda of=of: command(["bytelane", *of]) for name, of in text.items()}


class Outcome(NamedTuple):
    """End of a call."""

    status: int  # of the process: negative for a signal
    seconds: float  # of a processor
    output: str


def call(function: Callable[[], Any]) -> int:
    """Calls a function. Returns the exit status of a command. Exceptions that are no `Exception` end the process."""
    try:
        found = function()
    except Exception as error:
        os.write(1, f"error: {type(error).__name__}: {error}".encode(errors="replace"))
        return 2
    return found if isinstance(found, int) else 0


def attempt(function: Callable[[], Any], seconds: int) -> Outcome:
    """Calls a function in a process of its own with a limit of processor time."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        # A process that waits for ever takes no time of a processor. Others may use the processors as well.
        signal.alarm(60 * seconds)
        status = 99
        try:
            status = call(function)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(status)
    os.close(writer)
    output, size = [], 0
    while size < OUTPUT and (piece := os.read(reader, 1 << 16)):
        output.append(piece)
        size += len(piece)
    os.close(reader)
    _, status, usage = os.wait4(child, 0)
    text = b"".join(output).decode(errors="replace")
    return Outcome(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, text)


def is_fault(outcome: Outcome, path: Path, new: Path) -> bool:
    """Returns whether a call neither succeeded nor failed with an error that names the file, or the new one, which
    `--verify` reads."""
    is_named = outcome.status != 2 or path.name in outcome.output or new.name in outcome.output
    return outcome.status not in (0, 1, 2) or not is_named or "panicked" in outcome.output


def main(paths: list[Path], new: Path, seconds: int) -> None:
    """Calls everything with each file, and prints the number of calls last."""
    calls = 0
    for path in paths:
        for name, function in {**commands(path, new), **package(path, new)}.items():
            outcome = attempt(function, seconds)
            calls += 1
            if new.is_dir():
                shutil.rmtree(new)
            new.unlink(missing_ok=True)
            if is_fault(outcome, path, new) and not (outcome.status == 2 and "of bytes" in name):
                end = outcome.output[-300:]
                print(f"{path.stem}: {name}: status {outcome.status}, {outcome.seconds:.1f} s: {end!r}", flush=True)
    print(f"{calls} calls", flush=True)


if __name__ == "__main__":
    main([Path(line) for line in sys.stdin.read().splitlines()], Path(sys.argv[1]), int(sys.argv[2]))
