"""Runs pyarrow's own tests of Parquet with our functions and classes, and compares the outcomes with the documentation."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")

VERSION = "26"
DOCUMENT = Path(__file__).parents[3] / "docs/getting-started/pyarrow.md"
# Without the tests of encryption, which is not supported.
MODULES = [
    "basic",
    "compliant_nested_type",
    "data_types",
    "dataset",
    "datetime",
    "metadata",
    "pandas",
    "parquet_file",
    "parquet_writer",
]
FUNCTIONS = ["read_table", "write_table"]
CLASSES = [*FUNCTIONS, "ParquetFile", "ParquetWriter", "ParquetDataset"]


def failed(doors: list[str], directory: Path) -> list[str]:
    """Returns the names of the tests that fail if these functions and classes are ours."""
    outcomes = directory / "outcomes.json"
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    environment = {
        "BYTELANE_DOORS": ",".join(doors),
        "BYTELANE_OUTCOMES": str(outcomes),
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
    modules = [f"pyarrow.tests.parquet.test_{module}" for module in MODULES]
    options = ["-q", "-p", "no:cacheprovider", "-p", "pyarrow_suite", "-W", "ignore", "--pyargs"]
    command = [sys.executable, "-m", "pytest", *options, *modules]
    subprocess.run(command, cwd=directory, env=os.environ | environment, capture_output=True, check=False)
    found: list[str] = json.loads(outcomes.read_text()).get("failed", [])
    return found


def documented(kinds: list[str]) -> set[str]:
    """Returns the tests in the rows of the table with one of these words."""
    rows = re.findall(r"^\| (`test_.*`) \| (\w+) \|", DOCUMENT.read_text(), re.MULTILINE)
    return {name for names, kind in rows if kind in kinds for name in re.findall(r"`(\w+)`", names)}


@pytest.mark.parametrize(
    ("doors", "kinds"), [(FUNCTIONS[:1], None), (FUNCTIONS[1:], None), (FUNCTIONS, ["functions"]), (CLASSES, ["functions", "classes"])]
)
def test_outcomes_are_those_of_the_documentation(doors: list[str], kinds: list[str] | None, tmp_path: Path) -> None:
    if not pa.__version__.startswith(f"{VERSION}."):
        pytest.skip(f"the documentation is about the tests of pyarrow {VERSION}, and this is {pa.__version__}")
    text = DOCUMENT.read_text()
    total = int(re.findall(rf"Of (\d+) tests that pass with pyarrow {VERSION}", text)[0])
    *most, last = [f"`{door}`" for door in doors]
    names = f"{', '.join(most)} and {last}" if most else last
    passed = int(re.findall(rf"- (\d+) pass with {names}[,.]", text)[0])
    found = failed(doors, tmp_path)
    if kinds is not None:
        assert {name.partition("[")[0] for name in found} == documented(kinds)
    assert total - len(found) == passed
