"""Directory layouts of tables: which files are in them, and which rows they have."""

from __future__ import annotations

from typing import NamedTuple

Answer = list[int] | str

OWNED = "table of "
NOTHING = "no .parquet file"
PATTERN = "no file matches"
MISSING = "o such"

DELTA = {"t/_delta_log/00000000000000000000.json": b"{}"}
ICEBERG = {"t/metadata/v1.metadata.json": b"{}"}
HUDI = {"t/.hoodie/hoodie.properties": b""}
PAIMON = {"t/schema/schema-0": b"{}", "t/manifest/manifest-0": b""}
UUID = "01234567-89ab-7cde-8123-456789abcdef"


class Layout(NamedTuple):
    """Files by their paths, each with one row whose ID is the given one."""

    name: str
    files: dict[str, int]
    # IDs of the rows in their order, or a part of the error.
    answer: Answer
    inputs: tuple[str, ...] = ("t",)
    # Files that are no Parquet files.
    others: dict[str, bytes] = {}
    # Links with their targets.
    links: dict[str, str] = {}
    # Values of the column in the names of directories, in the order of the rows.
    partitions: dict[str, list[object]] = {}


LAYOUTS = [
    Layout("one file", {"t/a.parquet": 1}, [1]),
    Layout("the file itself", {"t/a.parquet": 1}, [1], ("t/a.parquet",)),
    Layout("two files", {"t/b.parquet": 2, "t/a.parquet": 1}, [1, 2]),
    Layout("directories in it", {"t/b/c/a.parquet": 2, "t/a.parquet": 1, "t/z.parquet": 3}, [1, 2, 3]),
    Layout("a trailing slash", {"t/a.parquet": 1}, [1], ("t/",)),
    Layout("an order of bytes", {"t/a/x.parquet": 2, "t/a-b/x.parquet": 1}, [1, 2]),
    Layout(
        "Spark, while it writes",
        {"t/part-0.parquet": 1, "t/_temporary/0/task/part-1.parquet": 2, "t/.spark-staging/a.parquet": 3},
        [1],
        others={"t/_SUCCESS": b"", "t/.part-0.parquet.crc": b"crc"},
    ),
    Layout(
        "Spark, partitions",
        {"t/year=2024/part-0.parquet": 1, "t/year=2025/part-0.parquet": 2, "t/year=2025/_temporary/x.parquet": 3},
        [1, 2],
        others={"t/_SUCCESS": b"", "t/_metadata": b"PAR1", "t/_common_metadata": b"PAR1"},
        partitions={"year": [2024, 2025]},
    ),
    Layout(
        "Hive",
        {"t/day=1/000000_0": 1, "t/day=2/000000_0": 2, "t/day=2/.hive-staging_hive_1/000000_0": 3},
        [1, 2],
        partitions={"day": [1, 2]},
    ),
    Layout(
        "null partition",
        {"t/k=__HIVE_DEFAULT_PARTITION__/a.parquet": 1, "t/k=a/a.parquet": 2},
        [1, 2],
        partitions={"k": [None, "a"]},
    ),
    Layout(
        "escapes", {"t/k=a%20b%2Fc/a.parquet": 1, "t/k=x/a.parquet": 2}, [1, 2], partitions={"k": ["a b/c", "x"]}
    ),
    Layout(
        "leading zeros", {"t/k=01/a.parquet": 1, "t/k=2/a.parquet": 2}, [1, 2], partitions={"k": [1, 2]}
    ),
    Layout(
        "beyond 32 bits",
        {"t/k=1/a.parquet": 1, "t/k=4294967296/a.parquet": 2},
        [1, 2],
        partitions={"k": ["1", "4294967296"]},
    ),
    Layout(
        "two partition columns",
        {"t/a=1/b=x/f.parquet": 1, "t/a=2/b=y/f.parquet": 2},
        [1, 2],
        partitions={"a": [1, 2], "b": ["x", "y"]},
    ),
    Layout("one partition column twice", {"t/k=1/k=2/f.parquet": 1}, [1], partitions={"k": [1]}),
    Layout("partition with underscore", {"t/_a=1/f.parquet": 1, "t/_x/f.parquet": 2}, [1], partitions={"_a": [1]}),
    Layout("below a partition", {"t/year=2024/a.parquet": 1, "t/year=2025/a.parquet": 2}, [1], ("t/year=2024",)),
    Layout(
        "a list of partitions",
        {"t/year=2024/a.parquet": 1, "t/year=2025/b.parquet": 2},
        [1, 2],
        ("t/year=2024/a.parquet", "t/year=2025/b.parquet"),
        partitions={"year": [2024, 2025]},
    ),
    Layout("a list", {"t/a.parquet": 1, "t/b.parquet": 2}, [2, 1], ("t/b.parquet", "t/a.parquet")),
    Layout("files and directories", {"t/a.parquet": 1, "u/b.parquet": 2}, [2, 1], ("u", "t/a.parquet")),
    Layout("upper case", {"t/a.PARQUET": 1, "t/b.Parquet": 2}, [1, 2]),
    Layout("parq", {"t/a.parq": 1, "t/b.PARQ": 2, "t/c.parquet": 3, "t/d.pq": 4}, [1, 2, 3, 4]),
    Layout("BigQuery", {"t/000000000000": 1, "t/000000000001": 2, "t/whole": 3}, [1, 2]),
    Layout("hidden names", {"t/.a.parquet": 1, "t/_b.parquet": 2, "t/c.parquet": 3}, [3]),
    Layout("a hidden name that is named", {"t/.a.parquet": 1, "t/b.parquet": 2}, [1], ("t/.a.parquet",)),
    Layout("a hidden directory that is named", {"t/_temporary/a.parquet": 1}, [1], ("t/_temporary",)),
    Layout("another extension that is named", {"t/a.data": 1, "t/b.parquet": 2}, [1], ("t/a.data",)),
    Layout("other files", {"t/a.parquet": 1}, [1], others={"t/notes.txt": b"x", "t/a.parquet.crc": b"x", "t/b": b"x"}),
    Layout("a directory named like a file", {"t/x.parquet/part-0.parquet": 1}, [1]),
    Layout("odd names", {"t/a b.parquet": 1, "t/é,'.parquet": 2, "t/x#y%20z.parquet": 3}, [1, 3, 2]),
    Layout("characters of patterns", {"t/[0-9].parquet": 1, "t/1.parquet": 2}, [1], ("t/[0-9].parquet",)),
    Layout("no file", {}, NOTHING, others={"t/notes.txt": b"x"}),
    Layout("only hidden files", {"t/_temporary/a.parquet": 1, "t/.b.parquet": 2}, NOTHING),
    Layout("nothing of this name", {"t/a.parquet": 1}, MISSING, ("u",)),
    Layout("star", {"t/a.parquet": 1, "t/b/c.parquet": 2, "t/_d.parquet": 3}, [1], ("t/*.parquet",)),
    Layout("question mark", {"t/a.parquet": 1, "t/ab.parquet": 2}, [1], ("t/?.parquet",)),
    Layout("set", {"t/a.parquet": 1, "t/b.parquet": 2, "t/c.parquet": 3}, [1, 2], ("t/[ab].parquet",)),
    Layout(
        "two stars",
        {"t/a.parquet": 1, "t/b/c/d.parquet": 2, "t/_temporary/e.parquet": 3},
        [1, 2],
        ("t/**/*.parquet",),
    ),
    Layout(
        "star for partitions",
        {"t/k=1/a.parquet": 1, "t/k=2/a.parquet": 2, "t/x/a.parquet": 3},
        [1, 2],
        ("t/k=*/*.parquet",),
        partitions={"k": [1, 2]},
    ),
    Layout(
        "star for directories",
        {"t/k=1/a.parquet": 1, "t/k=2/b/a.parq": 2},
        [1, 2],
        ("t/k=*",),
        others={"t/k=1/notes.txt": b"x"},
        partitions={"k": [1, 2]},
    ),
    Layout("no match", {"t/a.parquet": 1}, PATTERN, ("t/*.parq",)),
    Layout("link to a file", {"u/a.parquet": 1}, [1], links={"t/b.parquet": "../u/a.parquet"}),
    Layout(
        "link to a partition",
        {"u/a.parquet": 1, "t/k=2/b.parquet": 2},
        [1, 2],
        links={"t/k=1": "../u"},
        partitions={"k": [1, 2]},
    ),
    Layout("link to the table", {"u/a.parquet": 1}, [1], links={"t": "u"}),
    Layout("circle", {"t/a.parquet": 1, "t/b/c.parquet": 2}, [1, 2], links={"t/b/up": ".."}),
    Layout("circle of two", {"t/a/1.parquet": 1, "t/b/2.parquet": 2}, [1, 2], links={"t/b/self": "."}),
    Layout("Delta Lake", {"t/a.parquet": 1, "t/b.parquet": 2}, OWNED, others=DELTA),
    Layout("partition of Delta Lake", {"t/year=2024/a.parquet": 1}, OWNED, ("t/year=2024",), DELTA),
    Layout("pattern in Delta Lake", {"t/a.parquet": 1}, OWNED, ("t/*.parquet",), DELTA),
    Layout("file of Delta Lake that is named", {"t/a.parquet": 1, "t/b.parquet": 2}, [1], ("t/a.parquet",), DELTA),
    Layout("above Delta Lake", {"u/t/a.parquet": 1}, OWNED, ("u",), {"u/t/_delta_log/0.json": b""}),
    Layout("link into Delta Lake", {"t/year=1/a.parquet": 1}, OWNED, ("u",), DELTA, links={"u/k=1": "../t/year=1"}),
    Layout("Iceberg", {"t/data/a.parquet": 1}, OWNED, others=ICEBERG),
    Layout("Iceberg, compressed", {"t/data/a.parquet": 1}, OWNED, others={"t/metadata/1.metadata.json.gz": b""}),
    Layout("data of Iceberg", {"t/data/k=1/a.parquet": 1}, OWNED, ("t/data/k=1",), ICEBERG),
    Layout("metadata of something else", {"t/metadata/a.parquet": 1}, [1], others={"t/metadata/notes.json": b""}),
    Layout("Hudi", {"t/p/a.parquet": 1}, OWNED, ("t/p",), HUDI),
    Layout("Paimon", {"t/bucket-0/data-0.parquet": 1}, OWNED, ("t/bucket-0",), PAIMON),
    Layout("DuckLake", {f"t/main/x/ducklake-{UUID}.parquet": 1}, OWNED),
]
