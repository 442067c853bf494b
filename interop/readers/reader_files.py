"""Writes one file for each encoding and column, with and without nulls, and for each data page version, to test
readers.

    reader_files.py DIRECTORY

Creates the directory, for `probe_readers.py`. The file `cases.json` in it describes each file, and has the table of
readers.
"""

import decimal
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pyarrow
import pyarrow.compute
import pyarrow.parquet

PROGRAM = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane-interop-parquet"
ROWS = 1000
SMALL_PAGES = ["--page-rows", "300", "--row-group-rows", "700", "--compression", "none"]


def columns():
    """Returns columns of each type, by the table's name of the type. One integer column covers the whole range, another
    is unsigned: some readers fail on one of these."""
    random = numpy.random.default_rng(1)
    # Two decimal digits: values that use all bits would be stored in PLAIN instead of ALP.
    walk = numpy.cumsum(random.normal(size=ROWS)).round(2)
    walk[::25], walk[1::25], walk[2::27] = numpy.nan, -0.0, numpy.inf
    rising = numpy.cumsum(random.integers(0, 50, ROWS))

    def integers(kind):
        bounds = numpy.iinfo(kind)
        return pyarrow.array(random.integers(bounds.min, bounds.max, ROWS, dtype=kind, endpoint=True))

    def decimals(digits):
        numbers = [decimal.Decimal(number).scaleb(-2) for number in rising.tolist()]
        return pyarrow.array(numbers, pyarrow.decimal128(digits, 2))

    return {
        "boolean": {"flag": pyarrow.array((rising // 700 % 2 == 0) | (rising % 5 == 0))},
        "int32": {
            "i8": integers("i1"),
            "i32": integers("i4"),
            "u32": integers("u4"),
            "date": pyarrow.array(rising.astype("i4"), pyarrow.date32()),
            "decimal9": decimals(9),
        },
        "int64": {
            "i64": integers("i8"),
            "u64": integers("u8"),
            "timestamp": pyarrow.array(rising * 10**6, pyarrow.timestamp("us")),
            "decimal18": decimals(18),
        },
        "float": {"f32": pyarrow.array(walk.astype("f4"))},
        "double": {"f64": pyarrow.array(walk)},
        "float16": {"f16": pyarrow.array(walk.astype("f2"))},
        "fixed": {
            "fixed5": pyarrow.array([random.bytes(5) for _ in range(ROWS)], pyarrow.binary(5)),
            "decimal38": decimals(38),
        },
        "bytes": {
            "text": pyarrow.array([f"name {number}" * (number % 3) for number in rising.tolist()]),
            # Random bytes would not be stored in FSST.
            "binary": pyarrow.array([b"\xff\0" * (number % 5) for number in rising.tolist()], pyarrow.binary()),
        },
    }


def table():
    """Returns the table of readers: the first version that reads each encoding."""
    return json.loads(subprocess.run([PROGRAM, "readers"], check=True, capture_output=True).stdout)


def write(directory):
    """Writes the files and `cases.json`. Each case names the file, and a file with the same column written by pyarrow
    in PLAIN."""
    programs = table()
    encodings = {}
    for column in programs[0]["columns"]:
        encodings.setdefault(column["values"], []).append(column["encoding"])
    cases = []
    for values, named in columns().items():
        for (name, column), nulls in itertools.product(named.items(), [False, True]):
            plain = directory / f"{name}{'.nulls' if nulls else ''}.parquet"
            write_plain(column, nulls, plain)
            for encoding, pages in itertools.product(encodings[values], ["v1", "v2"]):
                path = plain.with_suffix(f".{encoding}.{pages}.parquet")
                write_encoded(plain, path, encoding, pages)
                cases.append({
                    "encoding": encoding, "values": values, "column": name, "nulls": nulls, "pages": pages,
                    "path": path.name, "plain": plain.name,
                })
    (directory / "cases.json").write_text(json.dumps({"programs": programs, "cases": cases}))


def write_plain(column, nulls, path):
    if nulls:
        absent = pyarrow.array(numpy.arange(ROWS) % 7 == 0)
        column = pyarrow.compute.if_else(absent, pyarrow.scalar(None, column.type), column)
    schema = pyarrow.schema([pyarrow.field("x", column.type, nullable=nulls)])
    pyarrow.parquet.write_table(
        pyarrow.table([column], schema=schema), path, use_dictionary=False, compression="none",
        store_decimal_as_integer=True,
    )


def write_encoded(plain, path, encoding, pages):
    version = ["--v2"] if pages == "v2" else []
    subprocess.run([PROGRAM, "copy", plain, path, "--encoding", encoding, *SMALL_PAGES, *version], check=True)
    metadata = pyarrow.parquet.read_metadata(path)
    # pyarrow does not know the previews.
    written = {"dictionary": "RLE_DICTIONARY", "alp": "UNKNOWN", "fsst": "UNKNOWN"}.get(encoding, encoding.upper())
    for group in range(metadata.num_row_groups):
        found = metadata.row_group(group).column(0).encodings
        assert written in found, f"{path} is written as {found}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    write(Path(sys.argv[1]))
