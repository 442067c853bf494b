"""`bytelane.parquet`: errors, progress and Ctrl-C."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tables import numbers, pa, pq

from bytelane import dataset, parquet

pytestmark = pytest.mark.usefixtures("in_new_directory")

# A call that fails.
Work = Callable[[], object]


class Fake:
    """Object with any result of `__arrow_c_stream__`."""

    def __init__(self, result: object) -> None:
        self.result = result

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.result


# Errors.


def test_errors_of_the_system_are_os_errors() -> None:
    works: list[Work] = [
        lambda: parquet.read_table("missing.parquet"),
        lambda: parquet.advise("missing.parquet"),
        lambda: parquet.rewrite("missing.parquet", "out.parquet"),
        lambda: parquet.ParquetFile(Path("missing.parquet")),
    ]
    for work in works:
        with pytest.raises(FileNotFoundError) as caught:
            work()
        assert (caught.value.errno, caught.value.filename) == (2, "missing.parquet")
    with pytest.raises(FileNotFoundError) as caught:
        parquet.write_table(numbers(), "missing/out.parquet")
    assert caught.value.filename == "missing/out.parquet"
    parquet.write_table(numbers(), "a.parquet")
    os.chmod("a.parquet", 0o444)
    with pytest.raises(PermissionError, match="read-only"):
        parquet.rewrite("a.parquet", "a.parquet")
    parquet.rewrite("a.parquet", "a.parquet", force=True)


def test_existing_files_are_only_replaced_by_force() -> None:
    parquet.write_table(numbers(), "a.parquet")
    works: list[Callable[[bool], object]] = [
        lambda force: parquet.rewrite("a.parquet", "b.parquet", force=force),
        lambda force: parquet.merge("a.parquet", "b.parquet", force=force),
        lambda force: parquet.repair("a.parquet", "b.parquet", force=force),
        lambda force: parquet.salvage("a.parquet", "b.parquet", force=force),
    ]
    for work in works:
        Path("b.parquet").write_text("precious")
        with pytest.raises(FileExistsError, match="force=True replaces it") as caught:
            work(False)
        assert caught.value.filename == "b.parquet"
        assert Path("b.parquet").read_text() == "precious"
        work(True)
        assert parquet.read_table("b.parquet").num_rows == parquet.read_table("a.parquet").num_rows
    # Like pyarrow's function.
    parquet.write_table(numbers(), "b.parquet")
    parquet.repair("a.parquet", "a.parquet")


def test_memory_is_limited() -> None:
    rows = 1_000_000
    pq.write_table(pa.table({"id": pa.nulls(rows, pa.int64()), "text": ["word"] * rows}), "a.parquet")
    assert os.path.getsize("a.parquet") < 100_000
    limit = 1 << 20
    with pytest.raises(parquet.ParquetError, match="the limit of 1048576 bytes, which memory_limit raises") as caught:
        parquet.read_table("a.parquet", memory_limit=limit)
    assert caught.value.kind == "MemoryLimit"
    assert parquet.read_table("a.parquet").num_rows == rows
    with parquet.ParquetFile("a.parquet") as file:
        batches = [batch.num_rows for batch in file.iter_batches(rows, memory_limit=limit, threads=1)]
    assert sum(batches) == rows
    assert len(batches) > 10
    column = parquet.advise("a.parquet", memory_limit=limit).columns[0]
    assert "the limit of 1048576 bytes" in str(column["obstacle"])
    rewritten = parquet.rewrite("a.parquet", "b.parquet", compression="zstd", memory_limit=limit)
    assert "the limit of 1048576 bytes" in str(rewritten.columns[0]["obstacle"])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit no address space")
def test_a_process_of_little_memory_gets_an_error() -> None:
    """Checks that 4 GB of nulls in a small file are an error instead of a crash, and that batches of them can be
    read."""
    nulls = pa.nulls(5_000_000, pa.int64())
    table = pa.table({f"column {number}": nulls for number in range(100)})
    pq.write_table(table, "a.parquet")
    assert os.path.getsize("a.parquet") < 2_000_000
    work = """
import resource
from bytelane import parquet
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
try:
    parquet.read_table("a.parquet")
except parquet.ParquetError as error:
    print(error.kind)
print(sum(batch.num_rows for batch in parquet.ParquetFile("a.parquet").iter_batches(threads=2)))
"""
    run = subprocess.run([sys.executable, "-c", work], capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("MemoryLimit\n5000000\n", "")


def test_errors_tell_their_place() -> None:
    parquet.write_table(numbers(), "a.parquet", "plain", compression="none", row_group_size=1000)
    data = bytearray(Path("a.parquet").read_bytes())
    chunk = pq.read_metadata("a.parquet").row_group(1).column(1)
    data[chunk.data_page_offset : chunk.data_page_offset + 20] = b"\xff" * 20
    Path("a.parquet").write_bytes(data)
    with pytest.raises(parquet.ParquetError) as caught:
        parquet.read_table("a.parquet")
    error = caught.value
    assert (error.path, error.row_group, error.column) == ("a.parquet", 1, "price")
    assert isinstance(error, ValueError) and error.kind and error.page == 0
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), vars(again)) == (str(error), vars(error))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no Parquet file", b"PAR1" + b"\xff" * 8 + b"PAR1"])
def test_other_files_are_refused(content: bytes) -> None:
    Path("a.parquet").write_bytes(content)
    works: list[Work] = [
        lambda: parquet.read_table("a.parquet"),
        lambda: parquet.advise("a.parquet"),
        lambda: parquet.rewrite("a.parquet", "out.parquet"),
    ]
    for work in works:
        with pytest.raises(parquet.ParquetError) as caught:
            work()
        assert caught.value.path == "a.parquet"
    assert os.listdir() == ["a.parquet"]


@pytest.mark.parametrize("length", range(0, 400, 7))
def test_truncated_files_are_refused(length: int) -> None:
    parquet.write_table(numbers(3), "a.parquet")
    Path("a.parquet").write_bytes(Path("a.parquet").read_bytes()[: -1 - length])
    with pytest.raises(parquet.ParquetError):
        parquet.read_table("a.parquet")


def test_damaged_files_are_refused_or_read() -> None:
    parquet.write_table(numbers(50), "a.parquet")
    data = Path("a.parquet").read_bytes()
    refused = 0
    for position in range(0, len(data), 5):
        Path("a.parquet").write_bytes(data[:position] + bytes([data[position] ^ 0x55]) + data[position + 1 :])
        try:
            parquet.read_table("a.parquet").to_pyarrow()
        except ValueError:
            refused += 1
    assert refused > len(data) / 50


def test_rows_of_a_damaged_file_are_salvaged() -> None:
    table = pa.table({"id": range(1000), "half": [number / 2 for number in range(1000)]})
    pq.write_table(table, "a.parquet", row_group_size=100, write_page_checksum=True, use_dictionary=False)
    place = pq.read_metadata("a.parquet").row_group(3).column(1)
    data = bytearray(Path("a.parquet").read_bytes())
    data[place.data_page_offset + place.total_compressed_size - 1] ^= 0x55
    Path("a.parquet").write_bytes(data)
    salvaged = parquet.salvage("a.parquet", "b.parquet")
    assert (salvaged["rows_before"], salvaged["rows"]) == (1000, 900)
    [lost] = salvaged["lost"]
    assert (lost["row_group"], lost["first_row"], lost["rows"], lost["column"]) == (3, 0, 100, "half")
    assert pq.read_table("b.parquet") == pa.concat_tables([table[:300], table[400:]])
    with pytest.raises(ValueError, match="name another one"):
        parquet.salvage("a.parquet", "a.parquet")
    with pytest.raises(FileNotFoundError):
        parquet.salvage("missing.parquet", "b.parquet")


def test_wrong_arguments() -> None:
    parquet.write_table(numbers(), "a.parquet")
    file: Any = parquet.ParquetFile("a.parquet")
    module: Any = parquet
    wrong: list[tuple[type[Exception], str, Work]] = [
        (TypeError, "int", lambda: module.advise(1)),
        (TypeError, "int", lambda: module.advise([1])),
        (TypeError, "a list of paths, but this is of type bytes", lambda: module.advise(b"PAR1")),
        (TypeError, "a list of paths, but this is of type bytearray", lambda: module.merge(bytearray(4), "b")),
        (TypeError, "a list of paths, but this is of type memoryview", lambda: module.check(memoryview(b"PAR1"))),
        (TypeError, "a list of paths, but this is of type NoneType", lambda: module.diff(None, "a.parquet")),
        (TypeError, "Int64Array", lambda: module.write_table(pa.array([1]), "b")),
        (TypeError, "not a table", lambda: module.write_table(pa.chunked_array([[1]]), "b")),
        (TypeError, "PyCapsule", lambda: module.write_table(Fake(1), "b")),
        (ValueError, "name", lambda: module.write_table(Fake(file.schema.__arrow_c_schema__()), "b")),
        (TypeError, "goal: invalid type", lambda: module.advise("a.parquet", goal=1)),
        (TypeError, "readers: invalid type", lambda: module.advise("a.parquet", readers=[1])),
        (TypeError, "str", lambda: module.write_table(numbers(), "b", column_encoding={"id": 1})),
        (TypeError, "columns are a list of names", lambda: file.read("id")),
        (TypeError, "int", lambda: module.read_table(5)),
        (ValueError, "no file", lambda: module.advise([])),
        (ValueError, 'goal "fast"', lambda: module.advise("a.parquet", goal="fast")),
        (ValueError, 'reader "x"', lambda: module.advise("a.parquet", readers="x")),
        (ValueError, "zstd:99", lambda: module.advise("a.parquet", compression="zstd:99")),
        (ValueError, '"xz"', lambda: module.write_table(numbers(), "b", compression="xz")),
        (ValueError, 'encoding "x"', lambda: module.write_table(numbers(), "b", "x")),
        (
            ValueError,
            "BYTE_ARRAY",
            lambda: module.write_table(numbers(), "b", column_encoding={"name": "byte_stream_split"}),
        ),
        (ValueError, "cannot be 0", lambda: module.write_table(numbers(), "b", row_group_size=0)),
        (ValueError, "-1", lambda: module.write_table(numbers(), "b", row_group_size=-1)),
        (ValueError, "0 rows", lambda: file.iter_batches(0)),
        (ValueError, "-5", lambda: file.iter_batches(-5)),
        (ValueError, "row group 9", lambda: file.read(row_groups=[9])),
        (ValueError, 'no column "z"', lambda: file.read(["z"])),
        (ValueError, "directory", lambda: module.ParquetFile(".")),
    ]
    for kind, part, work in wrong:
        with pytest.raises(kind, match=part):
            work()
    assert os.listdir() == ["a.parquet"]


def test_types_that_parquet_does_not_have() -> None:
    union = pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])])
    for array in [union, pa.array([pa.MonthDayNano([1, 2, 3])]), pa.array([{}], pa.struct([]))]:
        table = pa.table({"x": array})
        with pytest.raises(parquet.ParquetError):
            parquet.write_table(table, "a.parquet")
        with pytest.raises(parquet.ParquetError):
            parquet.advise(table)


def test_a_stream_is_read_once() -> None:
    parquet.write_table(numbers(), "a.parquet")
    capsule = Fake(parquet.read_table("a.parquet").__arrow_c_stream__())
    parquet.write_table(capsule, "b.parquet")
    with pytest.raises(TypeError, match="released"):
        parquet.write_table(capsule, "c.parquet")


def test_names_that_c_cannot_express() -> None:
    pq.write_table(pa.table({"a\0b": [1]}), "a.parquet")
    with pytest.raises(parquet.ParquetError, match="the name has a NUL character"):
        parquet.read_table("a.parquet").to_pyarrow()


# Progress and Ctrl-C.


def test_progress_is_told() -> None:
    pq.write_table(numbers(), "a.parquet", row_group_size=1000)
    told: list[tuple[int, int]] = []
    parquet.rewrite("a.parquet", "b.parquet", progress=lambda *it: told.append(it))
    totals = {total for _, total in told}
    # At least once for each row group, and at the end.
    assert len(told) >= 3 + 1 and len(totals) == 1
    assert told == sorted(told) and told[0][0] == 0 and told[-1][0] == told[-1][1]


@pytest.mark.parametrize("verify", [False, True])
def test_an_exception_of_progress_stops_the_work(verify: bool) -> None:
    pq.write_table(numbers(), "a.parquet")
    before = Path("a.parquet").read_bytes()

    def progress(done: int, total: int) -> None:
        if done == total:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        parquet.rewrite("a.parquet", "a.parquet", verify=verify, progress=progress)
    assert Path("a.parquet").read_bytes() == before
    assert os.listdir() == ["a.parquet"]


# Seconds in which work stops. Emulators are slow; the work is longer there, too.
SOON = 100 if os.environ.get("BYTELANE_TEST_GRID") == "reduced" else 10

INTERRUPTED = {
    "rewrite": "parquet.rewrite('a.parquet', 'a.parquet', goal='size', compression='zstd:15')",
    "progress": "parquet.rewrite('a.parquet', 'a.parquet', compression='zstd:15', progress=print)",
    "write": "parquet.write_table(table, 'a.parquet', 'plain', compression='zstd:15', row_group_size=50_000)",
    "advise": "[parquet.advise('a.parquet') for _ in range(100)]",
    "read": "[parquet.read_table('a.parquet') for _ in range(100_000)]",
    "repair": "[parquet.repair('a.parquet', 'a.parquet', verify=True) for _ in range(1000)]",
    "check": "[parquet.check('a.parquet', values=True) for _ in range(1000)]",
    "salvage": "[parquet.salvage('a.parquet', os.devnull) for _ in range(1000)]",
}


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("work", INTERRUPTED)
def test_ctrl_c_stops_the_work(work: str) -> None:
    columns = {f"c{c}": [(i * 7919 + c) * 0.37 % 1e5 for i in range(60_000)] for c in range(10)}
    table = pa.table(columns)
    pq.write_table(pa.concat_tables([table] * 5), "a.parquet", row_group_size=60_000)
    before = Path("a.parquet").read_bytes()
    program = f"""if True:
        import os
        from bytelane import parquet
        table = parquet.read_table("a.parquet")
        print("ready", flush=True)
        try:
            {INTERRUPTED[work]}
        except KeyboardInterrupt:
            raise SystemExit(42)
    """
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait() == 42
    assert time.monotonic() - sent < SOON
    assert Path("a.parquet").read_bytes() == before
    assert os.listdir() == ["a.parquet"]


def test_arguments_of_other_types_get_an_error_of_ours() -> None:
    pq.write_table(pa.table({"id": range(3), "price": [1.5, 2.5, 3.5]}), "a.parquet")
    with pytest.raises(TypeError, match=r'columns are a list of names, as in \["price"\]'):
        parquet.read_table("a.parquet", columns="price")
    with pytest.raises(TypeError, match="a filter is a tuple .* or a text such as .*dict"):
        parquet.read_table("a.parquet", filters={"id": 1})  # type: ignore[arg-type]
    with parquet.ParquetFile("a.parquet") as file, pytest.raises(IndexError, match="index -1 is out of range"):
        file.metadata.row_group(-1)
    for convert in (bytearray, memoryview):
        source = convert(Path("a.parquet").read_bytes())
        assert parquet.read_table(source).num_rows == 3
        with parquet.ParquetFile(source) as file:
            assert file.metadata.num_rows == 3
    with pytest.raises(parquet.ParquetError, match='no column "prise"; did you mean "price"') as caught:
        parquet.read_table("a.parquet", columns=["prise"])
    assert "The columns: id, price" in str(caught.value)
    with pytest.raises(parquet.ParquetError, match="hdfs:// is not supported"):
        parquet.read_table("hdfs://host/a.parquet")


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_threads_are_bounded_by_work() -> None:
    pq.write_table(pa.table({"id": range(5000)}), "a.parquet")
    assert parquet.read_table("a.parquet", threads=1_000_000).num_rows == 5000
    parquet.write_table(parquet.read_table("a.parquet"), "b.parquet", threads=1_000_000)
    with parquet.ParquetFile("a.parquet") as file:
        assert sum(batch.num_rows for batch in file.iter_batches(threads=1_000_000)) == 5000


def test_functions_take_what_the_commands_take() -> None:
    for name in ["lake/k=1/a.parquet", "lake/k=2/b.parquet"]:
        os.makedirs(os.path.dirname(name), exist_ok=True)
        pq.write_table(pa.table({"id": range(1000)}), name)
    rewritten = parquet.rewrite("lake", "new", verify=True)
    assert [file.to_dict()["output"] for file in rewritten.files] == ["new/k=1/a.parquet", "new/k=2/b.parquet"]
    assert rewritten.verified and rewritten.bytes_before == sum(file.bytes_before for file in rewritten.files)
    assert "lake/k=2/b.parquet" in repr(rewritten)
    assert parquet.check("lake")["rows"] == parquet.check(["lake/k=1", "lake/k=2/*"])["rows"] == 2000
    assert parquet.repair("lake/k=1", "repaired.parquet")["chunks"] == 1
    for call in (
        lambda: parquet.rewrite("lake", "lake"),
        lambda: parquet.rewrite("lake/**/*.parquet", "lake/new"),
        lambda: parquet.merge("lake/k=1/*.parquet", "lake/k=1/new.parquet"),
        lambda: parquet.repair("lake/k=1", "lake/k=1/new.parquet"),
        lambda: parquet.salvage("lake/k=1", "lake/k=1/new.parquet"),
        lambda: dataset.plan("lake", "lake/plan.parquet"),
    ):
        with pytest.raises(ValueError, match="the next run would read it"):
            call()
    Path("plan.json").write_text("precious")
    with pytest.raises(FileExistsError, match="force=True"):
        dataset.plan("lake", "plan.json")
    assert Path("plan.json").read_text() == "precious"
    dataset.plan("lake", "plan.json", force=True)
    os.makedirs("lake/_delta_log")
    refused: list[Callable[[], object]] = [
        lambda: parquet.check("lake"),
        lambda: parquet.rewrite("lake", "other"),
        lambda: dataset.plan("lake"),
    ]
    for command in refused:
        with pytest.raises(ValueError, match="Delta Lake"):
            command()
    with pytest.raises(ValueError, match="as_files=True"):
        parquet.rewrite("lake/k=1/a.parquet", "lake/k=1/a.parquet")
    assert parquet.check("lake", as_files=True)["rows"] == 2000
    assert len(parquet.rewrite("lake", "other", as_files=True).files) == 2
    assert dataset.plan("lake", as_files=True)["files"] == 2
