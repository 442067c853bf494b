"""Runs the examples of docs/getting-started/engines.md, those of each engine that is installed."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[4] / "docs/getting-started/engines.md"
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", GUIDE.read_text(), re.MULTILINE | re.DOTALL))
EXAMPLES = {name: text for name, text in SECTIONS.items() if ">>> " in text}


# The libraries warn of each other.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("in_new_directory")
@pytest.mark.parametrize("engine", EXAMPLES)
def test_the_examples_of_an_engine_run(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Spark's own would be another Python.
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    module = {"Spark": "pyspark"}.get(engine, engine.lower())
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    test = doctest.DocTestParser().get_doctest(EXAMPLES[engine], {}, engine, str(GUIDE), 0)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def test_there_are_examples() -> None:
    assert "Polars" in EXAMPLES
