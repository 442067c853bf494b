"""The documents have the tables of the newest records, and the tables are right."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import duckdb
import go_lists
import records
from fill import fill, outdated, tables

CODECS = """\
codec,parameters,operation,type,data,backend,values,bytes,evicted,ns,gb_per_s,memcpy_gb_per_s,of_memcpy,spread,library
varint,type=u32,encode,u32,gaps,memcpy,100,400,false,10,40,40,1,0,
varint,type=u32,encode,u32,gaps,scalar,100,400,false,90,4,40,.11,0,
varint,type=u32,encode,u32,gaps,avx2,100,400,false,30,13,40,.33,0,
varint,type=u32,encode,u32,gaps,avx512,100,400,false,20,20,40,.5,0,
varint,type=u32,encode,u32,gaps,,100,400,false,60,6,40,.16,0,slow
varint,type=u32,encode,u32,gaps,,100,400,false,50,8,40,.2,0,fast
varint,type=u32,encode,u32,gaps,scalar,200,800,false,90,4,40,.11,0,
varint,type=u32,encode,u32,gaps,avx2,200,800,false,25,13,40,.4,0,
varint,type=u32,encode,u32,gaps,avx512,200,800,false,20,20,40,.5,0,
varint,type=u32,encode,u32,gaps,,200,800,false,19.5,8,40,.2,0,fast
json_string,,decode,u8,"prose, 8 to 64",scalar,36,36,false,50,1,9,.2,0,
json_string,,decode,u8,"prose, 8 to 64",avx2,36,36,false,10,1,9,1,0,
json_string,,decode,u8,"prose, 8 to 64",,36,36,false,60,1,9,.16,0,"bytelane scalar, Vec"
json_string,,decode,u8,"prose, 8 to 64",,36,36,false,40,1,9,.25,0,"bytelane avx2, Vec"
json_string,,decode,u8,"prose, 8 to 64",,36,36,false,20,1,9,.5,0,serde_json
"""
HEADER = CODECS.splitlines()[0]
LIMITED = CODECS.replace(",20,20,", ",30,20,")
OLDER = "".join(line for line in LIMITED.splitlines(keepends=True) if not line.startswith("json_string"))

#: Two records of different CPUs: the newer one has cells that are won, tied and lost if called in the same way.
TWO = {"2026-11-23-zen5": CODECS, "2026-11-22-sapphire-rapids-avx2": OLDER}

FILES = "column,encoding,compression,rows,values,file_bytes,threads,library,version,cpu_seconds,wall_seconds,peak_bytes,cpu,regime\n"


def made(files):
    """Return the functions that make the tables of records, by their names, and the one for reports."""
    with tempfile.TemporaryDirectory() as directory:
        paths = sorted((Path(directory) / f"{name}.csv" for name in files), reverse=True)
        for path in paths:
            path.write_text(files[path.stem])
        return tables(paths)


def table(name, files):
    return made(files)[0][name]()


def rows(name, files):
    """Return the lines of a table after its header."""
    lines = table(name, files).splitlines()
    return lines[next(at for at, line in enumerate(lines) if line.startswith("|---")) + 1 :]


def of_codec(*lines):
    return {"2026-11-23-zen5": "\n".join([HEADER, *lines, ""])}


def of_files(*lines):
    return {"2026-11-23-zen5": CODECS, "2026-11-23-zen5-parquet": FILES + "".join(f"{line}\n" for line in lines)}


class Documents(unittest.TestCase):
    def test_documents_have_the_tables_of_the_newest_records(self):
        names = [str(path.relative_to(records.ROOT)) for path in outdated()]
        self.assertEqual(names, [], "run `cargo xtask record --tables`")

    def test_text_between_the_marks_is_replaced_and_nothing_else(self):
        document = "# Speed\n\n<!-- record: summary -->\nold\n<!-- end of record -->\n\nafter\n"
        filled = fill(document, {"summary": lambda: "new\n"})
        self.assertEqual(filled, document.replace("old", "\nnew\n"))
        self.assertEqual(fill(filled, {"summary": lambda: "new\n"}), filled)

    def test_wrong_marks_are_named_with_their_line(self):
        document = "# Speed\n\n<!-- record: summary -->\nold\n<!-- end of record -->\n\nafter\n"
        end = "<!-- end of record -->"
        for old, new, error in [
            (end, "", "line 3: a begin without an end"),
            ("old", "<!-- record: lost -->", "line 3: a begin without an end"),
            ("after", end, "line 7: an end without a begin"),
            ("summary", "sum", "line 3: there is no table `sum`"),
        ]:
            with self.assertRaisesRegex(ValueError, error):
                fill(document.replace(old, new), {"summary": str})

    def test_records_without_a_table_and_wrong_rows_are_errors(self):
        self.assertEqual(table("alp", TWO), "No record contains this codec yet.\n")
        for name in ["neon", "parquet"]:
            with self.assertRaisesRegex(LookupError, "no record has"):
                table(name, TWO)
        with self.assertRaisesRegex(duckdb.Error, r"(?s)zen5.csv.*Line: 11|Line: 11.*zen5.csv"):
            made({"2026-11-23-zen5": CODECS.replace(",19.5,", ",soon,")})


class Codecs(unittest.TestCase):
    def test_each_cpu_counts_cells_on_its_best_instruction_set(self):
        self.assertIn("| codec | Zen 5 | lost | Sapphire Rapids, AVX2 | lost |\n", table("summary", TWO))
        self.assertEqual(rows("summary", TWO), [
            "| `varint` | 1.6 | 0 of 2 | 1.0 | 1 of 2 |",
            "| `json_string` | 0.50 | 1 of 1 | | |",
            "| all | 1.1 | 1 of 3 | 1.0 | 1 of 2 |",
        ])  # fmt: skip

    def test_instruction_sets_of_one_cpu_stand_side_by_side(self):
        names = ["zen5", "zen5-sse4.1", "sapphire-rapids"]
        text = table("levels", {f"2026-11-23-{name}": file for name, file in zip(names, [CODECS, LIMITED, CODECS])})
        self.assertIn("| codec | operation | Zen 5 | lost | lowest | Zen 5, SSE4.1 | lost | lowest |\n", text)
        self.assertIn("| `varint` | encode | 1.6 | 0 of 2 | 0.97 | 1.0 | 1 of 2 | 0.65 |\n", text)
        self.assertTrue("2026-11-23-zen5-sse4.1.csv" in text and "sapphire" not in text, text)

    def test_the_headline_is_that_of_all_cells(self):
        text = table("headline", TWO)
        self.assertIn("**1.1 times as fast", text)
        self.assertIn("mean of 3 measured cases on Zen 5, of which\n1 are lost", text)

    def test_a_codec_comes_from_the_cpu_with_most_codecs(self):
        newer = {"2026-11-24-sapphire-rapids": OLDER, "2026-11-23-zen5": CODECS}
        for codec in ["varint", "json_string"]:
            self.assertIn("2026-11-23-zen5", table(codec, newer))
        del newer["2026-11-23-zen5"]
        self.assertIn("2026-11-24-sapphire-rapids", table("varint", newer))

    def test_operations_of_a_cell_stand_side_by_side(self):
        self.assertEqual(table("varint", TWO).splitlines()[2:], [
            "| codec | data | values | encode: x memcpy | x fastest peer |",
            "|---|---|---|---|---|",
            "| `varint:type=u32` | gaps | 100 | 0.50 | 2.5, fast |",
            "| `varint:type=u32` | gaps | 200 | 0.50 | 0.97, fast |",
        ])  # fmt: skip

    def test_reports_get_the_fastest_peer_of_each_cell(self):
        self.assertEqual(made(TWO)[1]().splitlines(), [
            "# 2026-11-23, Zen 5",
            "codec,parameters,operation,type,data,values,library,speedup",
            "varint,type=u32,encode,u32,gaps,100,fast,2.500",
            "varint,type=u32,encode,u32,gaps,200,fast,0.975",
            'json_string,,decode,u8,"prose, 8 to 64",36,serde_json,0.500',
        ])  # fmt: skip

    def test_every_instruction_set_has_a_row_and_one_without_kernels_is_missing(self):
        self.assertEqual(rows("backends", TWO), [
            "| `varint` | encode | avx2 | 0.40 | 3.6 | 1 | 0 | 1 |",
            "| `varint` | encode | avx512 | 0.50 | 4.5 | 1 | 1 | 0 |",
            "| `json_string` | decode | avx2 | 0.25 | 1.5 | 0 | 0 | 1 |",
            "| `json_string` | decode | avx512 | missing | | | | |",
        ])  # fmt: skip

    def test_peers_are_compared_at_the_same_instruction_set(self):
        figures = {"sse4.1": 40, "avx2": 20, "avx512": 10}
        ours = [f"utf8,,decode,u8,cjk,{backend},64,64,false,{ns},2,9,.2,0," for backend, ns in figures.items()]
        peers = {"fast": 5, '"fast, avx2"': 30, '"fast, sse4.1"': 80, "std": 60}
        peers = [f"utf8,,decode,u8,cjk,,64,64,false,{ns},4,9,.4,0,{library}" for library, ns in peers.items()]
        self.assertEqual(rows("backends", of_codec(*ours, *peers)), [
            "| `utf8` | decode | sse4.1 | 0.20 | - | 1 | 0 | 0 |",
            "| `utf8` | decode | avx2 | 0.20 | - | 1 | 0 | 0 |",
            "| `utf8` | decode | avx512 | 0.20 | - | 0 | 0 | 1 |",
        ])  # fmt: skip

    def test_a_twentieth_is_a_tie_either_way(self):
        cells = [f"{work},{backend},8,8,false,{ns},2,9,.2,0,{library}"
            for work, peer in [("utf8,,decode,u8,won", 106), ("utf8,,decode,u8,tie", 104), ("utf8,,decode,u8,even", 96), ("utf8,,decode,u8,lost", 94)]
            for backend, ns, library in [("avx2", 100, ""), ("", peer, "std")]]  # fmt: skip
        self.assertEqual(rows("backends", of_codec(*cells)), ["| `utf8` | decode | avx2 | 0.20 | - | 1 | 2 | 1 |"])

    def test_lost_cells_are_listed_with_the_peer(self):
        self.assertEqual(rows("lost", TWO), [
            "| `json_string` | decode | prose, 8 to 64 | 36 | 0.50 | serde_json |",
            "",
            "**Sapphire Rapids, AVX2**: `benchmarks/record/2026-11-22-sapphire-rapids-avx2.csv`.",
            "",
            "| codec | operation | data | values | x peer | peer |",
            "|---|---|---|---|---|---|",
            "| `varint:type=u32` | encode | gaps | 200 | 0.65 | fast |",
        ])  # fmt: skip

    def test_peers_that_do_other_work_are_listed_and_do_not_count(self):
        work = "bit_packing,width=1,encode,u32,bits_1"
        files = of_codec(
            f"{work},avx2,32,128,false,20,2,9,.2,0,",
            f"{work},,32,128,false,10,4,9,.4,0,bitpacking",
            f"{work},,32,128,false,40,4,9,.4,0,parquet",
        )
        self.assertNotIn("| `bit_packing", table("lost", files))
        self.assertIn("2.0, parquet", table("bit_packing", files))
        self.assertEqual(rows("uncounted", files), ["| `bit_packing:width=1` | encode | bits_1 | 32 | 0.50 | bitpacking |"])

    def test_types_are_cells_of_their_own_and_named_where_they_differ(self):
        files = of_codec(
            "thrift,protocol=json,read,Text,prose,avx2,30,40,false,20,2,9,.2,0,",
            "thrift,protocol=json,read,Text,prose,,30,40,false,10,4,9,.4,0,other",
            "thrift,protocol=json,read,Binary,prose,avx2,30,40,false,40,1,9,.1,0,",
            "thrift,protocol=json,read,Binary,prose,,30,40,false,10,4,9,.4,0,other",
        )
        self.assertEqual(rows("lost", files), [
            "| `thrift:protocol=json` of `Text` | read | prose | 30 | 0.50 | other |",
            "| `thrift:protocol=json` of `Binary` | read | prose | 30 | 0.25 | other |",
        ])  # fmt: skip


class Files(unittest.TestCase):
    def test_a_row_compares_the_libraries_on_one_file(self):
        file = "f64,PLAIN,{},4000000,4000000,32000000,1,{},1,{},0.005,{},a CPU,"
        lines = [("none", "bytelane", 0.004, 33e6), ("none", "parquet", 0.006, 30e6), ("none", "pages", 0.001, 30e6)]
        lines += [("none", "polars", 0.002, 30e6), ("snappy", "bytelane", 0.04, 33e6), ("snappy", "parquet", 0.04, 33e6)]
        files = of_files(*(file.format(*line) for line in [*lines, ("snappy", "pages", 0.03, 30e6)]))
        self.assertEqual(rows("parquet", files), [
            "| f64 | PLAIN | none | 1000 | 1.5 |  |  | 0.50 | 25% | 1.1 |",
            "| f64 | PLAIN | snappy | 100 | 1.0 |  |  |  | 75% | 1.0 |",
        ])  # fmt: skip

    def test_tables_have_both_regimes(self):
        def lines(threads, regime, seconds):
            for library, time in zip(["bytelane", "parquet", "polars", "memcpy", "bytelane-views"], seconds):
                yield f"orders,DuckDB's defaults,snappy,9,9,9,{threads},{library},1,{time},{time / 2},9,a CPU,{regime}"

        first, steady = [0.4, 0.6, 0.8], [0.2, 0.3, 0.1, 0.01]
        files = [*lines(1, "first", first), *lines(1, "steady", steady)]
        files += [*lines(2, "first", first), *lines(2, "steady", [*steady, 0.08])]
        self.assertEqual(rows("tables", of_files(*files)), [
            "| orders | DuckDB | snappy | 1 | 0.400 | 1.5, `parquet` | 0.200 | 0.50, Polars |  | 0.010 | 1.0 |",
            "| orders | DuckDB | snappy | 2 | 0.200 | 1.5, `parquet` | 0.100 | 0.50, Polars | 0.040, 1.2 | 0.005 | 1.0 |",
        ])  # fmt: skip

    def test_written_tables_have_a_row_for_each_library(self):
        line = '"orders, written",defaults,zstd:1,9,9,{},1,{},1,{},1.0,5e7,a CPU,{}'
        times = [(33e6, "bytelane", 0.4, "first"), (39.5e6, "polars", 0.6, "first")]
        times += [(33e6, "bytelane", 0.2, "steady"), (39.5e6, "polars", 0.4, "steady")]
        self.assertEqual(rows("writing", of_files(*(line.format(*it) for it in times))), [
            "| orders | zstd:1 | 1 | bytelane | 0.400 | 1.0 | 0.200 | 1.0 | 33.0 MB | 50 MB |",
            "| orders | zstd:1 | 1 | Polars | 0.600 | 1.5 | 0.400 | 2.0 | 39.5 MB | 50 MB |",
        ])  # fmt: skip

    def test_merged_files_have_a_row_for_each_program(self):
        line = '"9 files, merged",{},snappy,9,9,3.05e7,1,{},1,{},3,5e7,a CPU,first'
        times = [("merge", "bytelane", 0.25), ("read and write", "bytelane", 1.5), ("COPY", "duckdb", 2.5)]
        self.assertEqual(rows("merging", of_files(*(line.format(*it) for it in times))), [
            "| 9 files | bytelane, merge | 0.250 | 1.0 | 50 MB | 30.5 MB |",
            "| 9 files | bytelane, read and write | 1.500 | 6.0 | 50 MB | 30.5 MB |",
            "| 9 files | DuckDB, COPY | 2.500 | 10 | 50 MB | 30.5 MB |",
        ])  # fmt: skip

    def test_queries_have_the_time_of_each_library(self):
        times = zip(["bytelane", "parquet", "pyarrow", "polars", "duckdb"], [0.05, 0.2, 0.4, 0.08, 0.1])
        files = of_files(*(f'"q6, query",x,snappy,114160,9,9,1,{library},1,{time},1.0,0,a CPU,steady' for library, time in times))
        self.assertEqual(rows("queries", files), ["| q6 | 114160 | 50.0 | 200.0 | 400.0 | 100.0 | 80.0 | 1.6 |"])

    def test_a_loop_is_a_row_with_all_processors(self):
        file = (
            "codec,operation,data,bytes,processor,cycles,library\n"
            "base64,encode,,192,neoverse-n1,64.0,\nbase64,encode,,192,cortex-a57,100.0,\n"
            "base64,encode,,48,neoverse-n1,24.0,x\nbase64,encode,,48,cortex-a57,50.0,x\n"
            "base64,encode,,48,neoverse-n1,32.0,y\nbase64,encode,,48,cortex-a57,20.0,y\n"
        )
        # The fastest library is another one on each processor; the first processor's is named.
        row = "| `base64` | encode |  | 192 | 64.0 / - / 100.0 | 3.0 / - / 1.9 | x | 1.5 / - / 0.8 |"
        self.assertEqual(rows("neon", TWO | {"2026-11-23-neon": file}), [row])

    def test_ways_of_go_are_multiples_of_ours(self):
        name = "2026-11-22-go-sapphire-rapids.txt"
        ratios, floors = go_lists.tables((records.ROOT / records.DIRECTORY / name).read_text()).split("\n\n")
        self.assertIn("\n| Write/type=i16/n=16 | bytelane | 20 | copy 0.29, gopkg-append 1.27, kitex 1.92,", ratios)
        self.assertEqual(floors.count("reached"), 17)
        self.assertIn("\n| Write/type=i16/n=12345 | bytelane | copy | 0.95 | 0.94 | missed |\n", floors)
        with self.assertRaises(KeyError):
            go_lists.tables("")


if __name__ == "__main__":
    unittest.main()
