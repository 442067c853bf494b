"""Compares how fast libraries delete rows from Parquet files and from tables of Delta Lake and Iceberg: `edit.py DIRECTORY`.

The files are those of `merge.py`, in DIRECTORY, which is created and may take 8 GB: many small ones, few large ones, and one. The
rows that are deleted follow each other, as those of a day do, or are scattered, as those of a user are: then nearly every page
loses rows. Each way has a process of its own on one core; the least CPU time of `--rounds` counts, after the imports. Every result
must have as many rows as the first one. Needs the packages bytelane, deltalake, duckdb and pyiceberg[sql-sqlite]. Prints a table in
Markdown.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, convert_to_deltalake
from merge import END, START, on_one_core, table
from pyiceberg.catalog import load_catalog

PLACES = """
condition = os.environ["CONDITION"]
output = Path(output)
"""

MERGE = """
from bytelane import parquet
def run():
    parquet.merge(files, output / "merged.parquet")
"""

MERGE_AND_DELETE = """
from bytelane import parquet
def run():
    parquet.merge(files, output / "merged.parquet", delete_where=condition)
"""

EDIT = """
from bytelane import parquet
def run():
    for file in files:
        parquet.edit(file, output / Path(file).name, delete_where=condition)
"""

DUCKDB = """
import duckdb
duckdb.sql("set threads = 1; set enable_progress_bar = false")
def run():
    for file in files:
        duckdb.sql(
            f"copy (from '{file}' where not ({condition})) to '{output / Path(file).name}' (format parquet, compression snappy)"
        )
"""

OURS_IN_DELTA = """
from bytelane import deltalake
def run():
    deltalake.delete(source, condition)
output = Path(source)
"""

DELTALAKE = """
from deltalake import DeltaTable
def run():
    DeltaTable(source).delete(condition)
output = Path(source)
"""

ICEBERG = """
from pyiceberg.catalog import load_catalog
catalog = load_catalog("t", type="sql", uri=f"sqlite:///{source}/catalog.db", warehouse=f"file://{source}")
table = catalog.load_table("n.t")
output = Path(source)
"""

OURS_IN_ICEBERG = ICEBERG + """
from bytelane import iceberg
def run():
    iceberg.delete(table, condition)
"""

PYICEBERG = ICEBERG + """
def run():
    table.delete(condition)
"""


class Way(NamedTuple):
    """Program that deletes rows of files, or of a table."""

    name: str
    program: str
    table: str = ""


WAYS = [
    Way("bytelane, merge", MERGE),
    Way("bytelane, merge and delete", MERGE_AND_DELETE),
    Way("bytelane, edit", EDIT),
    Way("DuckDB, COPY", DUCKDB),
    Way("bytelane.deltalake, delete", OURS_IN_DELTA, "delta"),
    Way("deltalake, delete", DELTALAKE, "delta"),
    Way("bytelane.iceberg, delete", OURS_IN_ICEBERG, "iceberg"),
    Way("pyiceberg, delete", PYICEBERG, "iceberg"),
]


class Set(NamedTuple):
    """Files of about this size in bytes, with the share of their rows that is deleted."""

    count: int
    size: int
    share: float


SETS = {
    "small": Set(1000, 1_000_000, 0.01),
    "large": Set(10, 200_000_000, 0.01),
    "one": Set(1, 2_000_000_000, 0.0001),
}

# Rows of a row group.
GROUP = 1 << 20

# Rows of a part of a file; all parts of a set have the same values but for those that follow each other.
PART = 40_000


def make(directory: Path, of: Set) -> None:
    """Writes the files of a set: those of `merge.py`, with a column whose values follow each other, and one that scatters them."""
    directory.mkdir(parents=True)
    part = table(PART, 0)
    probe = directory / "probe"
    pq.write_table(part if of.size < GROUP else part.take(np.arange(GROUP) % PART), probe)
    rows = pq.read_metadata(probe).num_rows * of.size // probe.stat().st_size
    probe.unlink()
    random = np.random.default_rng(1)
    for number in range(of.count):
        with pq.ParquetWriter(directory / f"{number:05}.parquet", schema(part), write_page_index=True) as writer:
            for start in range(0, rows, GROUP):
                places = np.arange(start, min(start + GROUP, rows))
                ids = pa.array(number * rows + places)
                group = part.take(pa.array(places % PART)).set_column(0, "id", ids)
                group = group.append_column("hour", pa.array(places * 10_000 // rows))
                group = group.append_column("dice", pa.array(random.integers(0, 10_000, len(places))))
                writer.write_table(group, row_group_size=GROUP)


def schema(part: pa.Table) -> pa.Schema:
    return part.schema.append(pa.field("hour", pa.int64())).append(pa.field("dice", pa.int64()))


def table_of(kind: str, source: Path, to: Path) -> None:
    """Makes a table of links to files."""
    shutil.copytree(source, to, copy_function=os.link)
    files = sorted(str(path) for path in to.iterdir())
    if kind == "delta":
        convert_to_deltalake(str(to))
    elif kind == "iceberg":
        catalog = load_catalog("t", type="sql", uri=f"sqlite:///{to}/catalog.db", warehouse=f"file://{to}")
        catalog.create_namespace("n")
        catalog.create_table("n.t", pq.read_schema(files[0])).add_files(files)


def rows_of(kind: str, result: Path) -> int:
    """Returns the number of rows of a result."""
    if kind == "delta":
        return DeltaTable(str(result)).count()
    if kind == "iceberg":
        catalog = load_catalog("t", type="sql", uri=f"sqlite:///{result}/catalog.db", warehouse=f"file://{result}")
        return catalog.load_table("n.t").scan().count()
    return sum(pq.read_metadata(path).num_rows for path in result.iterdir())


def measure(way: Way, source: Path, work: Path, condition: str) -> tuple[float, int]:
    """Returns the CPU time of a way in seconds, and the number of rows that are left."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    inputs, output = source, work / "out"
    output.mkdir()
    if way.table:
        inputs = output = work / "table"
        table_of(way.table, source, inputs)
    process = subprocess.run(
        [sys.executable, "-c", START + PLACES + way.program + END, str(inputs), str(output)],
        env={**os.environ, "CONDITION": condition, "DELTA_MAX_THREADS": "1", "RAYON_NUM_THREADS": "1"},
        preexec_fn=on_one_core,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(process.stdout.splitlines()[-1].split()[0]), rows_of(way.table, output)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=SETS, action="append", help="measure only this set")
    parser.add_argument("--quick", action="store_true", help="few small files, to see that everything runs")
    arguments = parser.parse_args()
    for key, of in SETS.items():
        if arguments.only and key not in arguments.only:
            continue
        if arguments.quick:
            of = of._replace(count=min(of.count, 3), size=1_000_000)
        source = arguments.directory / key
        if not source.exists():
            make(source, of)
        rows = rows_of("", source)
        sizes = [path.stat().st_size for path in source.iterdir()]
        for name, column in [("together", "hour"), ("scattered", "dice")]:
            condition = f"{column} < {int(10_000 * of.share)}"
            title = f"{len(sizes)} files, {sum(sizes) / 1e6:.0f} MB, {of.share:.2%} of the rows, {name}"
            print(f"\n| {title} | CPU time, s | of merging |\n|---|--:|--:|", flush=True)
            first, left = 0.0, 0
            for way in WAYS:
                results = [measure(way, source, arguments.directory / "work", condition) for _ in range(arguments.rounds)]
                seconds = min(seconds for seconds, _ in results)
                first = first or seconds
                print(f"| {way.name} | {seconds:.2f} | {seconds / first:.2f} |", flush=True)
                # Merging deletes nothing.
                left = left if way is WAYS[0] else left or results[0][1]
                expected = rows if way is WAYS[0] else left
                if any(found != expected or found == rows and way is not WAYS[0] for _, found in results):
                    sys.exit(f"{way.name}: {results[0][1]} rows are left instead of {expected}")
        shutil.rmtree(arguments.directory / "work")


if __name__ == "__main__":
    main()
