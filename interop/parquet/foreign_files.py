"""Reads test files of other projects: if two of pyarrow, DuckDB and Polars read a file, bytelane must read it with
pyarrow's values.

    foreign_files.py [FOLDER]

The default folder is that of `BYTELANE_PARQUET_FILES`. Each library reads each file in a process of its own, which may
end in any way, except bytelane's, which must end with rows or an error. `rewrite` must keep the values.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 60
LIBRARIES = ["bytelane", "pyarrow", "duckdb", "polars"]

# Files that two other libraries read, but bytelane does not or with other values, by the end of the path. The
# README of bytelane-parquet explains them.
KNOWN = {
    "bad_data/ARROW-RS-GH-6229-LEVELS.parquet": "levels end before the page has as many as its header says",
    "data/datapage_v1-corrupt-checksum.parquet": "a wrong checksum",
    "data/rle-dict-uncompressed-corrupt-checksum.parquet": "a wrong checksum",
    "data/int96_from_spark.parquet": "the year 9999, which 64 bits of nanoseconds do not hold",
    "malformed/num_values_exceeds_data.parquet": "a page without the values that its header counts",
}


def read(library, path):
    """Reads a file whole; returns the number of rows."""
    if library == "pyarrow":
        import pyarrow.parquet

        return pyarrow.parquet.ParquetFile(path).read().num_rows
    if library == "duckdb":
        import duckdb

        return len(duckdb.read_parquet(path).arrow().read_all())
    if library == "polars":
        import polars

        return polars.read_parquet(path, glob=False).height
    from bytelane import parquet

    rows = parquet.read_table(path).to_pyarrow().num_rows
    with tempfile.TemporaryDirectory() as folder:
        parquet.rewrite(path, Path(folder) / "new.parquet", goal="size", verify=True)
    return rows


def compare(path):
    """Compares bytelane's values with pyarrow's; returns the names of columns that differ."""
    import pyarrow.parquet
    from bytelane import parquet

    ours, theirs = parquet.read_table(path).to_pyarrow(), pyarrow.parquet.ParquetFile(path).read()
    if ours.column_names != theirs.column_names:
        return ["names of columns"]
    columns = [(name, ours.column(index), theirs.column(index)) for index, name in enumerate(ours.column_names)]
    return [f"{name}: {one.type} and {other.type}" for name, one, other in columns if not same(one, other)]


def same(one, other):
    """Compares two columns; different ones are compared as text, in which NaN equals NaN."""
    import pyarrow

    # Python's own type has no nanoseconds, and pyarrow omits the time zone of INT96.
    if all(pyarrow.types.is_timestamp(column.type) and column.type.unit == one.type.unit for column in (one, other)):
        one, other = one.cast(pyarrow.int64()), other.cast(pyarrow.int64())
    return one.equals(other) or text(one) == text(other)


def text(column):
    from random_files import values

    return repr(values(column.combine_chunks()))


def child(task, path):
    """Runs a task in a process of its own; returns its result, or how it failed."""
    command = [sys.executable, __file__, "--child", task, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {"hang": f"no end after {SECONDS} s"}
    if done.returncode < 0:
        return {"abort": f"signal {-done.returncode}: {done.stderr.strip()[-300:]}"}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["?"])[-1][:300]}
    return json.loads(done.stdout.splitlines()[-1])


def examine(path):
    """Returns a description of what bytelane does wrong with a file, or None."""
    results = {library: child(library, path) for library in LIBRARIES}
    ours, readers = results["bytelane"], [name for name in LIBRARIES[1:] if "rows" in results[name]]
    if "abort" in ours or "hang" in ours or "panic" in ours.get("error", ""):
        return str(ours)
    if "rows" not in ours:
        return f"{readers} read it; {ours['error']}" if len(readers) >= 2 else None
    if len(readers) >= 2 and ours["rows"] not in [results[name]["rows"] for name in readers]:
        return f"{ours['rows']} rows; others have {results}"
    if "pyarrow" in readers:
        different = child("compare", path)
        if different.get("different") != []:
            return f"compared with pyarrow: {different}"
    return None


def main():
    if sys.argv[1:2] == ["--child"]:
        task, path = sys.argv[2:]
        result = {"different": compare(path)} if task == "compare" else {"rows": read(task, path)}
        return print(json.dumps(result))
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["BYTELANE_PARQUET_FILES"])
    paths = sorted(path for pattern in ("*.parquet", "*.parq") for path in folder.rglob(pattern) if path.is_file())
    if not paths:
        sys.exit(f"no Parquet files in {folder}")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, wrong in zip(paths, pool.map(examine, paths)):
            name = str(path.relative_to(folder))
            known = next((reason for end, reason in KNOWN.items() if name.endswith(end)), None)
            if wrong and known:
                print(f"known: {name}: {known}")
            elif wrong:
                failed += 1
                print(f"{name}: {wrong}", flush=True)
    print(f"{len(paths)} files, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
