"""Tests of the package as a whole: its documentation, its types, its command."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import bytelane
import pytest

MODULES = ["bytelane", "bytelane._errors", "bytelane.duckdb", "bytelane.numcodecs", "bytelane.polars", "bytelane.zarr"]


def is_ours(value: Any) -> bool:
    """Returns whether it is not a function of the standard library under another name."""
    return getattr(value, "__module__", None) != "base64"


def documented() -> dict[str, Any]:
    """Returns everything public that has documentation, by its name."""
    found: dict[str, Any] = {}
    for name in MODULES:
        module = importlib.import_module(name)
        found[name] = module
        for member in getattr(module, "__all__", []):
            value = getattr(module, member)
            found[f"{name}.{member}"] = value
            # The tests of `bytelane.parquet` run its examples, in a directory where they may write
            # files.
            if isinstance(value, types.ModuleType) and member != "parquet":
                inner = {key: it for key, it in vars(value).items() if key[0] != "_" and is_ours(it)}
                found |= {f"{name}.{member}.{key}": it for key, it in inner.items()}
    return found


@pytest.mark.usefixtures("in_new_directory")
@pytest.mark.parametrize("name", sorted(documented()))
def test_examples_run(name: str) -> None:
    value = documented()[name]
    if not (callable(value) or isinstance(value, types.ModuleType)):
        return
    text = value.__doc__ or ""
    assert text, f"{name} has no documentation"
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    results = doctest.DocTestRunner(optionflags=flags).run(test)
    assert results.failed == 0
    if callable(value) and not isinstance(value, type):
        assert results.attempted > 0, f"{name} has no example"


@pytest.mark.parametrize("name", ["docs/getting-started/python.md", "crates/bytelane-python/README.md"])
def test_the_documents_tell_the_truth(name: str) -> None:
    pytest.importorskip("zarr")
    document = Path(__file__).parents[3] / name
    results = doctest.testfile(str(document), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0


def test_the_programs_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    document = Path(__file__).parents[3] / "docs/getting-started/python.md"
    programs = re.findall(r"^```python\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)
    assert len(programs) >= 3
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for program in programs:
        exec(program, names)


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments, capture_output=True, text=True, env=os.environ | environment, check=False
    )


@pytest.mark.parametrize(("name", "library"), [("delta", "deltalake"), ("iceberg", "pyiceberg")])
def test_commands_for_tables_name_their_libraries(name: str, library: str) -> None:
    code = f"import sys; sys.modules[{library!r}] = None; from bytelane.__main__ import main; sys.exit(main())"
    result = run(sys.executable, "-c", code, name, "plan", "table")
    assert result.returncode == 2
    assert f'pip install "bytelane[{name.replace("delta", "deltalake")}]"' in result.stderr


def test_the_command() -> None:
    result = run(sys.executable, "-m", "bytelane", "--version")
    assert (result.returncode, result.stdout) == (0, f"bytelane {bytelane.__version__}\n")
    result = run(sys.executable, "-m", "bytelane", "encode", "base64", "/nonexistent")
    assert result.returncode == 2
    assert "/nonexistent" in result.stderr
    result = run(sys.executable, "-m", "bytelane", "nonsense")
    assert result.returncode == 2
    for measuring in ("bench", "report"):
        result = run(sys.executable, "-m", "bytelane", measuring, "--quick")
        assert result.returncode == 2
        assert "does not measure" in result.stderr
    script = os.path.join(os.path.dirname(sys.executable), "bytelane")
    assert run(script, "--version").stdout == f"bytelane {bytelane.__version__}\n"


def test_the_backend_of_the_environment() -> None:
    program = "import bytelane; print(bytelane.backend())"
    assert run(sys.executable, "-c", program, BYTELANE_BACKEND="scalar").stdout == "scalar\n"
    result = run(sys.executable, "-c", program, BYTELANE_BACKEND="quantum")
    assert result.returncode == 1
    assert "ImportError: BYTELANE_BACKEND" in result.stderr


def test_without_numpy() -> None:
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "from bytelane import varint\n"
        "print(varint.decode(b'\\x01\\x02', 'uint32'))"
    )
    result = run(sys.executable, "-c", program)
    assert result.stdout == "b'\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00'\n", result.stderr


def test_one_interpreter_imports_the_package() -> None:
    """As the documentation says; later versions of Python have another module for subinterpreters."""
    interpreters = pytest.importorskip("_xxsubinterpreters")
    other = interpreters.create(isolated=False)
    with pytest.raises(interpreters.RunFailedError, match="ImportError"):
        interpreters.run_string(other, "import bytelane")
    interpreters.destroy(other)
