"""`bytelane.parquet`: advice, and what other writers do with it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tables import ROWS, encodings, kinds_of_pages, nested, numbers, pa, pq, same

from bytelane import parquet

pytestmark = pytest.mark.usefixtures("in_new_directory")


@pytest.mark.parametrize("goal", ["balanced", "size", "read", "write"])
@pytest.mark.parametrize("table", [numbers(), nested(), numbers().slice(0, 0), pa.table({})])
def test_pyarrow_writes_what_was_advised(table: Any, goal: parquet.Goal) -> None:
    advice = parquet.advise(table, goal=goal, rows=1000)
    pq.write_table(table, "a.parquet", **advice.pyarrow())
    assert pq.read_table("a.parquet").num_rows == table.num_rows
    found = encodings("a.parquet") if table.num_rows else {}
    for column in advice.columns if found else []:
        wanted = column["encoding"].upper().replace("DICTIONARY", "RLE_DICTIONARY")
        assert wanted in found[column["path"]], column["path"]


def test_names_are_written_as_python_reads_them() -> None:
    name = 'a "quoted" \\ name\x1b\n\u0301'
    table = pa.table({name: range(1000)})
    assert list(parquet.advise(table, goal="size").pyarrow()["column_encoding"]) == [name]
    shown = repr(parquet.advise(table))
    assert "\x1b" not in shown and "\\x1b\\n" in shown


def test_polars_and_duckdb_write_with_the_advice() -> None:
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    table = numbers()
    advice = parquet.advise(table, compression="zstd", compression_level=3)
    polars.DataFrame(table).write_parquet("a.parquet", **advice.polars())
    assert advice.polars() == {"compression": "zstd", "compression_level": 3}
    with duckdb.connect() as connection:
        connection.register("rows", table)
        connection.sql(f"copy rows to 'b.parquet' {advice.duckdb()}")
    for path in ["a.parquet", "b.parquet"]:
        assert pq.read_table(path).num_rows == ROWS
        assert pq.read_metadata(path).row_group(0).column(0).compression == "ZSTD"


@pytest.mark.parametrize("compression", ["none", "uncompressed", "snappy", "lz4", "lz4_raw", "gzip:6", "brotli:3"])
def test_every_compression_reaches_every_writer(compression: str) -> None:
    polars = pytest.importorskip("polars")
    advice = parquet.advise(numbers(), compression=compression, rows=100)
    pq.write_table(numbers(), "a.parquet", **advice.pyarrow())
    polars.DataFrame(numbers()).write_parquet("b.parquet", **advice.polars())
    name = compression.split(":")[0].upper().replace("NONE", "UNCOMPRESSED").removesuffix("_RAW")
    for path in ["a.parquet", "b.parquet"]:
        assert pq.read_metadata(path).row_group(0).column(0).compression == name


def test_advice_is_what_a_rewrite_does() -> None:
    pq.write_table(numbers(50_000), "a.parquet", compression="zstd")
    advice = parquet.advise("a.parquet", goal="size")
    done = parquet.rewrite("a.parquet", "b.parquet", goal="size", verify=True)
    assert done.verified and done.saved > 0.3
    assert done.bytes_after == os.path.getsize("b.parquet")
    sizes = {it["path"]: it["after"]["bytes"] for it in done.columns}
    for column in advice.columns:
        assert sizes[column["path"]] == pytest.approx(column["bytes_then"], rel=0.03), column["path"]
    exact = parquet.advise("a.parquet", goal="size", exact=True)
    assert exact.bytes_then == pytest.approx(sum(sizes.values()), rel=0.002)
    assert pq.read_table("b.parquet").equals(numbers(50_000))


def test_advice_is_shown() -> None:
    parquet.write_table(numbers(), "<a>.parquet", "plain")
    advice = parquet.advise("<a>.parquet", goal="size")
    lines = repr(advice).splitlines()
    assert lines[0] == f"<a>.parquet: {ROWS} rows"
    assert lines[3].split() == "column type current choice current size new size saved".split()
    assert lines[4].split()[0] == "id" and "delta_binary_packed" in lines[4]
    page = advice._repr_html_()
    assert "<td>delta_binary_packed</td>" in page and "&lt;a&gt;.parquet" in page
    data = advice.to_dict()
    assert json.loads(json.dumps(data)) == data
    data["columns"].clear()
    assert len(advice.columns) == 5 and 0 < advice.saved < 1
    assert advice.bytes_then < advice.bytes_now

    done = parquet.rewrite("<a>.parquet", "b.parquet", goal="size")
    assert "plain -> delta_binary_packed" in repr(done)
    assert "<td>1 of 1</td>" in done._repr_html_()
    assert done.to_dict()["bytes_before"] == done.bytes_before


def test_several_files_get_one_advice() -> None:
    table = numbers()
    for index in range(3):
        parquet.write_table(table.slice(1000 * index, 1000), f"{index}.parquet", "plain")
    paths = [f"{index}.parquet" for index in range(3)]
    advice = parquet.advise(paths, goal="size")
    assert advice.to_dict()["rows"] == ROWS
    assert advice.bytes_now == sum(parquet.advise(path).bytes_now for path in paths)
    pq.write_table(table, "all.parquet", **advice.pyarrow())
    parquet.write_table(nested(), "other.parquet")
    with pytest.raises(parquet.ParquetError, match="list") as caught:
        parquet.advise(["0.parquet", "other.parquet"])
    assert caught.value.path == "other.parquet"


def test_readers_restrict_the_choice() -> None:
    table = pa.table({"x": pa.array([i * i % 1013 for i in range(5000)], pa.int32())})
    [column] = parquet.advise(table, goal="size", readers=["duckdb>=0.9", "spark"]).columns
    obstacles = {it["encoding"]: it["obstacle"] for it in column["candidates"]}
    assert obstacles["byte_stream_split"] == "duckdb>=0.9"
    assert column["encoding"] != "byte_stream_split"


def test_pyarrow_reads_the_advised_categories() -> None:
    table = pa.table({"k": pa.array([f"name {i}" for i in range(1000)]).dictionary_encode()})
    pq.write_table(table, "a.parquet")
    for source in [table, "a.parquet"]:
        advice = parquet.advise(source, goal="size")
        pq.write_table(table, "b.parquet", **advice.pyarrow())
        assert same(pq.read_table("b.parquet"), table)
        advice = parquet.advise(source, goal="size", readers="duckdb")
        assert advice.columns[0]["encoding"].startswith("delta")


def test_arrays_get_advice() -> None:
    Path("a.i32").write_bytes(b"".join(i.to_bytes(4, "little") for i in range(5000)))
    advice = parquet.advise("a.i32", goal="size")
    assert advice.columns[0]["encoding"] == "delta_binary_packed"
    assert "with pyarrow's default encoding" in repr(advice)


def prices() -> pa.Table:
    return pa.table({"price": [(i * 2654435761 % 1000003) / 100 for i in range(20_000)]})


def test_alp_is_chosen_where_it_is_asked_for_and_can_be_read() -> None:
    pq.write_table(prices(), "a.parquet")
    assert parquet.advise(prices(), readers="arrow-rs").columns[0]["encoding"] != "alp"
    for encodings in ["+alp", ["+alp"], ["alp", "plain"]]:
        [column] = parquet.advise(prices(), encodings=encodings, readers="arrow-rs").columns
        assert column["encoding"] == "alp"
        assert [it["encoding"] for it in column["candidates"] if it["preview"]] == ["alp"]
    done = parquet.rewrite("a.parquet", "b.parquet", encodings="+alp", readers="arrow-rs", verify=True)
    assert done.columns[0]["after"]["encodings"] == ["alp"]
    parquet.write_table(prices(), "c.parquet", encodings="+alp", readers="arrow-rs")
    assert parquet.read_table("c.parquet").to_pyarrow() == prices()
    assert parquet.read_table("b.parquet").to_pyarrow() == prices()


def test_readers_that_do_not_know_alp_are_named() -> None:
    with pytest.warns(UserWarning, match="pyarrow cannot read alp") as caught:
        advice = parquet.advise(prices(), encodings="+alp")
    assert caught[0].filename == __file__
    [column] = advice.columns
    assert column["encoding"] != "alp"
    [alp] = [it for it in column["candidates"] if it["preview"]]
    assert alp["obstacle"] == "pyarrow"
    with pytest.raises(parquet.ParquetError, match="mixes encodings"):
        parquet.advise(prices(), encodings="plain,+alp")


def test_advice_compares_compressions() -> None:
    [column] = parquet.advise(prices(), compare=["none", "ZSTD:9"], threads=1, rows=1000).columns
    assert {it["compression"] for it in column["candidates"]} == {"zstd:1", "none", "zstd:9"}
    assert parquet.advise(prices(), compare="none,zstd:9", memory_limit="1GiB").bytes_now > 0
    with pytest.raises(ValueError, match="compare: unknown compression"):
        parquet.advise(prices(), compare=["xz"])


def test_a_rewrite_has_the_options_of_the_command() -> None:
    table = pa.table({"id": [i * i % 1009 for i in range(10_000)], "name": ["a", "b"] * 5000})
    pq.write_table(table, "a.parquet", compression="snappy")
    before = Path("a.parquet").read_bytes()
    shown = parquet.rewrite("a.parquet", "new/a.parquet", goal="size", dry_run=True)
    assert shown.to_dict()["output"] is None and shown.saved > 0
    assert os.listdir() == ["a.parquet"] and Path("a.parquet").read_bytes() == before
    with pytest.raises(parquet.ParquetError, match="a dry run writes no file"):
        parquet.rewrite("a.parquet", "b.parquet", dry_run=True, verify=True)
    files = []
    for threads in [1, 3]:
        options: dict[str, Any] = {"max_rows_per_page": 1000, "data_page_version": "2.0", "threads": threads}
        options["column_encoding"] = {"id": "PLAIN"}
        parquet.rewrite("a.parquet", "b.parquet", force=True, **options)
        files.append(Path("b.parquet").read_bytes())
    assert files[0] == files[1]
    assert same(pq.read_table("b.parquet"), table)
    kinds = kinds_of_pages("b.parquet")
    assert kinds == ["data_v2"] * 10
    done = parquet.rewrite("a.parquet", "c.parquet", data_page_size=8000, compression="ZSTD", compression_level=3)
    assert len(kinds_of_pages("c.parquet")) > 1
    assert done.columns[0]["after"]["compressions"] == ["zstd:3"]


def test_wrong_options_of_a_rewrite_are_named() -> None:
    pq.write_table(numbers(), "a.parquet")
    rewrite: Any = parquet.rewrite
    wrong: list[tuple[type[Exception], str, dict[str, Any]]] = [
        (ValueError, 'goal: unknown goal "fast"', {"goal": "fast"}),
        (TypeError, "goal: invalid type: integer `1`", {"goal": 1}),
        (TypeError, "column_encoding: .* expected a dictionary by the paths of columns", {"column_encoding": ["id"]}),
        (ValueError, 'column_encoding: unknown encoding "x"', {"column_encoding": {"id": "x"}}),
        (ValueError, "compression_level needs a codec", {"compression_level": 3}),
        (ValueError, 'convert_int96: "ms" is neither us nor ns', {"convert_int96": "ms"}),
        (ValueError, "threads must be at least 1", {"threads": 0}),
        (ValueError, "the rows of a page cannot be 0", {"max_rows_per_page": 0}),
        (ValueError, "data_page_version: unknown page version", {"data_page_version": "3.0"}),
    ]
    for kind, problem, options in wrong:
        with pytest.raises(kind, match=problem):
            rewrite("a.parquet", "b.parquet", **options)
    assert os.listdir() == ["a.parquet"]


def test_columns_in_alp_are_re_encoded_unless_it_was_asked_for() -> None:
    parquet.write_table(prices(), "a.parquet", column_encoding={"price": "alp"})
    advice = parquet.advise("a.parquet")
    assert "price is re-encoded: it is in alp, a preview" in repr(advice)
    done = parquet.rewrite("a.parquet", "b.parquet")
    assert done.columns[0]["after"]["encodings"] != ["alp"]
    assert pq.read_table("b.parquet") == prices()
