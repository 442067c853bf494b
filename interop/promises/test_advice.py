"""Pastes settings from `bytelane advise` into pyarrow, and checks that the new file has the predicted size."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy
import pyarrow
import pyarrow.parquet as pq

PROGRAM = Path(os.environ["BYTELANE_PROGRAMS"]) / "bytelane"
TABLES = int(os.environ.get("BYTELANE_TRIALS", "20"))
ROWS = 60_000
TOLERANCE = 0.03
GOALS = ("balanced", "size", "read", "write")
COMPRESSIONS = ("snappy", "zstd", "none", "lz4", "gzip")


def columns(random):
    """Returns columns of many kinds."""
    walk = numpy.cumsum(random.normal(size=ROWS))
    steps = numpy.cumsum(random.integers(0, 50, ROWS))
    few = random.integers(0, random.integers(2, 3000), ROWS)
    return {
        "walk": walk,
        "walk32": walk.astype("f4"),
        "prices": numpy.round(walk, 2),
        "noise": random.normal(size=ROWS),
        "few": few,
        "few_f64": few / 8,
        "steps": steps,
        "narrow": few.astype("i4"),
        "wide": random.integers(0, 1 << 40, ROWS),
        "time": pyarrow.array(1_600_000_000_000_000 + 1_000_000 * steps, pyarrow.timestamp("us")),
        "flag": few % 3 == 0,
        "words": pyarrow.array([f"word {n}" for n in few]),
        "urls": pyarrow.array([f"https://example.org/{n // 7}/item?id={n}" for n in steps]),
        "nulls": pyarrow.array(walk, mask=few % 3 == 0),
        "empty": pyarrow.nulls(ROWS, pyarrow.int32()),
        "list": pyarrow.array([[int(n), 1] if n % 3 else [] for n in few], pyarrow.list_(pyarrow.int64())),
        "group": pyarrow.array([{"x": float(n), "n": int(n)} for n in steps]),
    }


def write(path, seed):
    """Writes a file with some of these columns in the style of various writers. Returns the arguments for its
    advice."""
    random = numpy.random.default_rng(seed)
    everything = columns(random)
    names = random.choice(list(everything), size=random.integers(2, 7), replace=False).tolist()
    table = pyarrow.table({name: everything[name] for name in names})
    compression = COMPRESSIONS[seed % len(COMPRESSIONS)]
    if seed % 4 == 3:
        # One column has another compression than the others, and already a good encoding.
        compression = {leaf: compression for leaf in leaves(table)}
        compression[next(iter(compression))] = "zstd"
    pq.write_table(
        table,
        path,
        compression=compression,
        use_dictionary=bool(seed % 3),
        row_group_size=(None, 25_000, 60_000)[seed % 3],
        use_deprecated_int96_timestamps=seed % 5 == 4,
        data_page_version=("1.0", "2.0")[seed // 20],
    )
    asked = ["--compression", "zstd:3"] if seed % 7 == 6 else []
    return ["--goal", GOALS[seed // 5 % len(GOALS)], *asked]


def leaves(table):
    with tempfile.TemporaryFile() as file:
        pq.write_table(table.slice(0, 1), file)
        schema = pq.ParquetFile(file).schema
        return [schema.column(index).path for index in range(len(schema))]


def sizes(path):
    """Returns the bytes of each column."""
    metadata = pq.ParquetFile(path).metadata
    found = {}
    for group in range(metadata.num_row_groups):
        for index in range(metadata.num_columns):
            column = metadata.row_group(group).column(index)
            size = column.total_compressed_size
            found[column.path_in_schema] = found.get(column.path_in_schema, 0) + size
    return found


class Advice(unittest.TestCase):
    def test_pasted_settings_give_the_promised_size(self):
        unchanged = 0
        with tempfile.TemporaryDirectory() as directory:
            path, new = Path(directory, "in.parquet"), Path(directory, "out.parquet")
            for seed in range(TABLES):
                with self.subTest(seed=seed):
                    unchanged += self.check(path, new, seed)
        self.assertGreater(unchanged, TABLES // 2)

    def check(self, path, new, seed):
        """Returns the number of unchanged columns."""
        how = write(path, seed)
        line = [PROGRAM, "advise", path, "--format", "json", "--brief", *how]
        done = subprocess.run(line, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        advice = json.loads(done.stdout)
        settings = next(it for it in advice["settings"] if it["writer"] == "pyarrow")
        # INT96 becomes INT64 in a new file, as the note says.
        converted = {it["path"] for it in advice["columns"] if it["column_type"].startswith("INT96")}
        for column in converted:
            self.assertIn(column, settings["shortcoming"])
        text = settings["text"].replace('"out.parquet"', "new")
        exec(text, {"pq": pq, "table": pq.read_table(path), "new": new})
        became = sizes(new)
        promised = {it["path"]: it["bytes_then"] for it in advice["columns"] if it["path"] not in converted}
        total = sum(became[path] for path in promised)
        shown = {path: (size, became[path]) for path, size in promised.items()}
        self.assertAlmostEqual(
            sum(promised.values()) / max(total, 1), 1, delta=TOLERANCE, msg=f"{how} {shown}\n{settings['text']}"
        )
        return sum(it["keep"] for it in advice["columns"])


if __name__ == "__main__":
    unittest.main()
