"""Uses the installed package `bytelane`, without any other: a codec, the command, and a round trip through Parquet."""

import os
import sys
import tempfile

import bytelane
from bytelane import parquet
from bytelane.__main__ import main

print(sys.version, bytelane.__file__, bytelane.backend(), sep="\n")
assert bytelane.base64.b64decode(b"Ynl0ZXM=") == b"bytes"
with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    with open("trades.csv", "w") as file:
        file.write("id,price\n1,99.5\n2,101.25\n")
    sys.argv = ["bytelane", "convert", "trades.csv", "trades.parquet"]
    assert main() == 0
    table = parquet.read_table("trades.parquet", filters="price > 100")
    parquet.write_table(table, "some.parquet")
    assert parquet.read_table("some.parquet").num_rows == 1
    os.chdir("/")
