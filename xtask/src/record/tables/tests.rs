use super::*;

const FILE: &str = "\
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
json_string,,decode,u8,\"prose, 8 to 64\",scalar,36,36,false,50,1,9,.2,0,
json_string,,decode,u8,\"prose, 8 to 64\",avx2,36,36,false,10,1,9,1,0,
json_string,,decode,u8,\"prose, 8 to 64\",,36,36,false,60,1,9,.16,0,\"bytelane scalar, Vec\"
json_string,,decode,u8,\"prose, 8 to 64\",,36,36,false,40,1,9,.25,0,\"bytelane avx2, Vec\"
json_string,,decode,u8,\"prose, 8 to 64\",,36,36,false,20,1,9,.5,0,serde_json
";

/// Returns a record with three cells: won, tied, and one that is lost if called in the same way as
/// the peer.
pub fn record() -> Record {
    parse("benchmarks/record/2026-11-23-zen5.csv", FILE)
}

/// Returns the record, and an older one of another CPU.
pub fn records() -> Records {
    let cells = FILE.lines().filter(|line| !line.starts_with("json_string"));
    let older: String = cells.flat_map(|line| [line, "\n"]).collect();
    let older = older.replace(",20,20,", ",30,20,");
    Records(vec![
        record(),
        parse(
            "benchmarks/record/2026-11-22-sapphire-rapids-avx2.csv",
            &older,
        ),
    ])
}

fn parse(name: &str, text: &str) -> Record {
    Record::parse(name, text).unwrap().unwrap()
}

/// Returns the lines of a table after its header.
fn rows(table: &str) -> Vec<String> {
    let text = records().table(table).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with("|---"));
    lines.skip(1).map(str::to_owned).collect()
}

#[test]
fn each_cpu_counts_cells_on_its_best_instruction_set() {
    let text = records().table("summary").unwrap();
    assert!(
        text.contains("| codec | Zen 5 | lost | Sapphire Rapids, AVX2 | lost |\n"),
        "{text}"
    );
    assert_eq!(
        rows("summary"),
        [
            "| `varint` | 1.6 | 0 of 2 | 1.0 | 1 of 2 |",
            "| `json_string` | 0.50 | 1 of 1 | | |",
            "| all | 1.1 | 1 of 3 | 1.0 | 1 of 2 |",
        ]
    );
}

#[test]
fn instruction_sets_of_one_cpu_stand_side_by_side() {
    let limited = FILE.replace(",20,20,", ",30,20,");
    let names = ["zen5", "zen5-sse4.1", "sapphire-rapids"];
    let files = names.map(|name| format!("benchmarks/record/2026-11-23-{name}.csv"));
    let records = Records(
        files
            .iter()
            .zip([FILE, &limited, FILE])
            .map(|(name, file)| parse(name, file))
            .collect(),
    );
    let text = records.table("levels").unwrap();
    let header = "| codec | operation | Zen 5 | lost | lowest | Zen 5, SSE4.1 | lost | lowest |\n";
    assert!(text.contains(header), "{text}");
    let row = "| `varint` | encode | 1.6 | 0 of 2 | 0.97 | 1.0 | 1 of 2 | 0.65 |\n";
    assert!(text.contains(row), "{text}");
    assert!(
        text.contains(&files[1]) && !text.contains(&files[2]),
        "{text}"
    );
}

#[test]
fn the_headline_is_that_of_all_cells() {
    let text = records().table("headline").unwrap();
    assert!(text.contains("**1.1 times as fast"), "{text}");
    assert!(
        text.contains("mean of 3 measured cases on Zen 5, of which\n1 are lost"),
        "{text}"
    );
}

#[test]
fn a_codec_comes_from_the_cpu_with_most_codecs() {
    let mut records = records();
    records.0.swap(0, 1);
    for codec in ["varint", "json_string"] {
        let table = records.table(codec).unwrap();
        assert!(table.contains("2026-11-23-zen5"), "{table}");
    }
    records.0.pop();
    let table = records.table("varint").unwrap();
    assert!(table.contains("2026-11-22-sapphire-rapids-avx2"), "{table}");
    assert_eq!(
        records.table("alp").unwrap(),
        "No record contains this codec yet.\n"
    );
    assert!(records.table("lz4").is_none());
}

#[test]
fn reports_get_the_fastest_peer_of_each_cell() {
    let text = records().fastest_peers();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "# 2026-11-23-zen5",
            "codec,parameters,operation,type,data,values,library,speedup",
            "varint,type=u32,encode,u32,gaps,100,fast,2.500",
            "varint,type=u32,encode,u32,gaps,200,fast,0.975",
            "json_string,,decode,u8,\"prose, 8 to 64\",36,serde_json,0.500",
        ]
    );
}

#[test]
fn every_instruction_set_has_a_row_and_one_without_kernels_is_missing() {
    assert_eq!(
        rows("backends"),
        [
            "| `varint` | encode | avx2 | 0.40 | 3.6 | 1 | 0 | 1 |",
            "| `varint` | encode | avx512 | 0.50 | 4.5 | 1 | 1 | 0 |",
            "| `json_string` | decode | avx2 | 0.25 | 1.5 | 0 | 0 | 1 |",
            "| `json_string` | decode | avx512 | missing | | | | |",
        ]
    );
}

#[test]
fn peers_are_compared_at_the_same_instruction_set() {
    let file = "\
codec,parameters,operation,type,data,backend,values,bytes,evicted,ns,gb_per_s,memcpy_gb_per_s,of_memcpy,spread,library
utf8,,decode,u8,cjk,sse4.1,64,64,false,40,2,9,.2,0,
utf8,,decode,u8,cjk,avx2,64,64,false,20,2,9,.2,0,
utf8,,decode,u8,cjk,avx512,64,64,false,10,2,9,.2,0,
utf8,,decode,u8,cjk,,64,64,false,5,4,9,.4,0,fast
utf8,,decode,u8,cjk,,64,64,false,30,4,9,.4,0,\"fast, avx2\"
utf8,,decode,u8,cjk,,64,64,false,80,4,9,.4,0,\"fast, sse4.1\"
utf8,,decode,u8,cjk,,64,64,false,60,4,9,.4,0,std
";
    let record = parse("x", file);
    let cell = &record.cells[0];
    let gains: Vec<_> = cell.ours.iter().map(|ours| cell.gain(ours)).collect();
    assert_eq!(gains, [Some(1.5), Some(1.5), Some(0.5)]);
}

#[test]
fn lost_cells_are_listed_with_the_peer() {
    assert_eq!(
        rows("lost"),
        [
            "| `json_string` | decode | prose, 8 to 64 | 36 | 0.50 | serde_json |",
            "",
            "**Sapphire Rapids, AVX2**: `benchmarks/record/2026-11-22-sapphire-rapids-avx2.csv`.",
            "",
            "| codec | operation | data | values | x peer | peer |",
            "|---|---|---|---|---|---|",
            "| `varint:type=u32` | encode | gaps | 200 | 0.65 | fast |",
        ]
    );
}

#[test]
fn peers_that_do_other_work_are_listed_and_do_not_count() {
    let file = "\
codec,parameters,operation,type,data,backend,values,bytes,evicted,ns,gb_per_s,memcpy_gb_per_s,of_memcpy,spread,library
bit_packing,width=1,encode,u32,bits_1,avx2,32,128,false,20,2,9,.2,0,
bit_packing,width=1,encode,u32,bits_1,,32,128,false,10,4,9,.4,0,bitpacking
bit_packing,width=1,encode,u32,bits_1,,32,128,false,40,4,9,.4,0,parquet
";
    let records = Records(vec![parse("x", file)]);
    let lost = records.table("lost").unwrap();
    assert!(!lost.contains("| `bit_packing"), "{lost}");
    assert!(
        records
            .table("bit_packing")
            .unwrap()
            .contains("2.0, parquet")
    );
    let uncounted = records.table("uncounted").unwrap();
    let row = "| `bit_packing:width=1` | encode | bits_1 | 32 | 0.50 | bitpacking |\n";
    assert!(uncounted.ends_with(row), "{uncounted}");
}

#[test]
fn types_are_cells_of_their_own_and_named_where_they_differ() {
    let file = "\
codec,parameters,operation,type,data,backend,values,bytes,evicted,ns,gb_per_s,memcpy_gb_per_s,of_memcpy,spread,library
thrift,protocol=json,read,Text,prose,avx2,30,40,false,20,2,9,.2,0,
thrift,protocol=json,read,Text,prose,,30,40,false,10,4,9,.4,0,other
thrift,protocol=json,read,Binary,prose,avx2,30,40,false,40,1,9,.1,0,
thrift,protocol=json,read,Binary,prose,,30,40,false,10,4,9,.4,0,other
";
    let lost = Records(vec![parse("x", file)]).lost();
    let lines: Vec<&str> = lost.lines().skip(6).collect();
    assert_eq!(
        lines,
        [
            "| `thrift:protocol=json` of `Text` | read | prose | 30 | 0.50 | other |",
            "| `thrift:protocol=json` of `Binary` | read | prose | 30 | 0.25 | other |",
        ]
    );
}

#[test]
fn a_twentieth_is_a_tie_either_way() {
    for (gain, verdict) in [
        (1.06, Verdict::Won),
        (1.04, Verdict::Tied),
        (0.96, Verdict::Tied),
        (0.94, Verdict::Lost),
    ] {
        assert_eq!(Verdict::of(gain), verdict, "{gain}");
    }
}

#[test]
fn other_files_are_no_records_and_wrong_rows_are_errors() {
    assert!(
        Record::parse("x", "codec,ns\nvarint,1\n")
            .unwrap()
            .is_none()
    );
    let wrong = FILE.replace(",19.5,", ",soon,");
    let error = Record::parse("x", &wrong).err().unwrap().to_string();
    assert!(error.contains("line: 11"), "{error}");
}
