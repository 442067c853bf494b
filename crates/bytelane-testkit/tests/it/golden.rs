//! Tests bytes written by other implementations, in `testdata/golden`: every backend must write the
//! same bytes and read them back.

use bytelane::validity::{lists::List, values};
use bytelane::{Backend, Detected, fsst};
use bytelane_testkit::backends;
use bytelane_testkit::sweep::{decode, encode};
use std::fs;
use std::path::{Path, PathBuf};

fn directory(codec: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/golden")
        .join(codec)
}

/// Compares each `NAME.values` of a codec's directory with `NAME.bytes`; `parameters` derives the
/// parameters of the codec from the name. Returns the number of pairs.
fn assert_golden(name: &str, parameters: impl Fn(&str) -> String) -> usize {
    let mut pairs = 0;
    for entry in fs::read_dir(directory(name)).unwrap() {
        let path = entry.unwrap().path();
        let bytes = path.with_extension("bytes");
        if path
            .extension()
            .is_none_or(|extension| extension != "values")
            || !bytes.exists()
        {
            continue;
        }
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let codec = bytelane_catalog::open(&format!("{name}:{}", parameters(stem))).unwrap();
        let (values, bytes) = (fs::read(&path).unwrap(), fs::read(bytes).unwrap());
        // Numbers must be read from aligned memory.
        let mut aligned = bytelane_catalog::stream::AlignedBytes::default();
        aligned.resize(values.len());
        aligned.copy_from_slice(&values);
        for backend in backends().into_iter().chain([bytelane::Backend::Scalar]) {
            let encoded = encode(&*codec, backend, &aligned, bytes.len()).unwrap();
            assert!(
                encoded == bytes,
                "{name}, {stem}, {backend}: encode differs"
            );
            let (decoded, back) = decode(&*codec, backend, &bytes, values.len()).unwrap();
            assert_eq!(decoded.read, bytes.len(), "{name}, {stem}, {backend}");
            assert!(back == values, "{name}, {stem}, {backend}: decode differs");
        }
        pairs += 1;
    }
    pairs
}

#[test]
fn byte_stream_split_as_pyarrow_writes_it() {
    assert_eq!(assert_golden("byte_stream_split", str::to_owned), 8);
}

#[test]
fn base64_as_python_writes_it() {
    // `url_safe_no_pad-257`: the number is the length of the values.
    let parameters = |name: &str| {
        let variant = name.split_once('-').unwrap().0;
        match variant {
            "standard" => "alphabet=standard,padding=required",
            "standard_no_pad" => "alphabet=standard,padding=none",
            "url_safe" => "alphabet=url,padding=required",
            "url_safe_no_pad" => "alphabet=url,padding=none",
            _ => panic!("no variant {variant}"),
        }
        .to_owned()
    };
    assert_eq!(assert_golden("base64", parameters), 28);
}

#[test]
fn big_endian_as_go_writes_it() {
    // `i32`, `f64`: the digits are the width in bits.
    let width = |name: &str| format!("width={}", name[1..].parse::<usize>().unwrap() / 8);
    assert_eq!(assert_golden("big_endian", width), 8);
}

#[test]
fn varint_as_protobuf_writes_it() {
    assert_eq!(assert_golden("varint", str::to_owned), 4);
}

#[test]
fn json_string_as_python_writes_it() {
    assert_eq!(assert_golden("json_string", |_| String::new()), 12);
}

/// By default, Python escapes all characters outside ASCII.
#[test]
fn json_string_reads_what_python_writes_in_ascii() {
    let mut files = 0;
    for entry in fs::read_dir(directory("json_string")).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_none_or(|extension| extension != "ascii")
        {
            continue;
        }
        let values = fs::read(path.with_extension("values")).unwrap();
        let json = fs::read(&path).unwrap();
        let codec = bytelane_catalog::open("json_string").unwrap();
        for backend in backends().into_iter().chain([bytelane::Backend::Scalar]) {
            let (_, text) = decode(&*codec, backend, &json, values.len()).unwrap();
            assert!(text == values, "{}, {backend}", path.display());
        }
        files += 1;
    }
    assert_eq!(files, 12);
}

#[test]
fn stream_vbyte_as_the_c_library_and_streamvbyte64_write_it() {
    assert_eq!(assert_golden("stream_vbyte", str::to_owned), 8);
}

#[test]
fn bit_packing_as_pyarrow_writes_it() {
    assert_eq!(assert_golden("bit_packing", str::to_owned), 6);
}

#[test]
fn delta_as_pyarrow_writes_it() {
    // `type=i32-129`: the number is that of the values.
    let parameters = |name: &str| name.split_once('-').unwrap().0.to_owned();
    assert_eq!(assert_golden("delta", parameters), 10);
}

/// Reads files that others wrote in formats that leave a choice; they must not be shorter than the
/// output of bytelane. Returns the number of files.
fn assert_reads_others(name: &str, others: &[&str]) -> usize {
    let mut files = 0;
    for entry in fs::read_dir(directory(name)).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().unwrap().to_str().unwrap();
        if !others.contains(&extension) {
            continue;
        }
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let codec = bytelane_catalog::open(&format!("{name}:{stem}")).unwrap();
        let [values, ours] = ["values", "bytes"].map(|kind| fs::read(path.with_extension(kind)));
        let (values, theirs) = (values.unwrap(), fs::read(&path).unwrap());
        for backend in backends().into_iter().chain([bytelane::Backend::Scalar]) {
            let (decoded, back) = decode(&*codec, backend, &theirs, values.len()).unwrap();
            assert_eq!(decoded.read, theirs.len(), "{}, {backend}", path.display());
            assert!(back == values, "{}, {backend}", path.display());
        }
        assert!(ours.unwrap().len() <= theirs.len(), "{}", path.display());
        files += 1;
    }
    files
}

/// Others choose different runs.
#[test]
fn rle_hybrid_reads_what_pyarrow_and_duckdb_write_and_writes_no_more() {
    assert_eq!(assert_golden("rle_hybrid", str::to_owned), 5);
    assert_eq!(
        assert_reads_others("rle_hybrid", &["pyarrow", "duckdb"]),
        10
    );
}

/// The crate `parquet` chooses other exponents and exceptions.
#[test]
fn alp_reads_what_the_crate_parquet_writes_and_writes_no_more() {
    assert_eq!(assert_golden("alp", str::to_owned), 3);
    assert_eq!(assert_reads_others("alp", &["parquet"]), 2);
}

/// The reference implementation trains other tables, and its results for a text may be shorter or longer.
#[test]
fn fsst_reads_what_the_reference_writes_and_writes_no_more_for_all() {
    assert_eq!(assert_golden("fsst", |_| String::new()), 4);
    let codec = bytelane_catalog::open("fsst").unwrap();
    let mut lengths = [0, 0];
    for kind in ["urls", "comments", "chinese", "bytes"] {
        let [values, ours, theirs] = ["values", "bytes", "reference"].map(|extension| {
            let path = directory("fsst").join(kind).with_extension(extension);
            fs::read(path).unwrap()
        });
        for backend in backends().into_iter().chain([Backend::Scalar]) {
            let (_, text) = decode(&*codec, backend, &theirs, values.len()).unwrap();
            assert!(text == values, "{kind}, {backend}");
        }
        lengths = [lengths[0] + ours.len(), lengths[1] + theirs.len()];
        let (table, length) = fsst::Table::read(&theirs).unwrap();
        // Without the header, whose last number no decoder needs.
        let written = table.write_to_vec().unwrap();
        assert!(written[4..] == theirs[4..length], "{kind}");
        let encoder = fsst::Encoder::new(&table);
        let lines = values.split_inclusive(|&byte| byte == b'\n');
        let codes: Vec<u8> = lines.flat_map(|line| encoder.encode_to_vec(line)).collect();
        assert!(codes == theirs[length..], "{kind}: other codes");
    }
    assert!(lengths[0] <= lengths[1], "{lengths:?}");
}

/// Returns the contents of a golden file of validity, as little-endian numbers.
fn golden<const N: usize, T>(name: &str, number: fn([u8; N]) -> T) -> Vec<T> {
    let bytes = fs::read(directory("validity").join(name)).unwrap();
    let (numbers, rest) = bytes.as_chunks::<N>();
    assert!(rest.is_empty(), "{name}");
    numbers.iter().copied().map(number).collect()
}

fn every_backend() -> impl Iterator<Item = Detected> {
    let all = backends().into_iter().chain([Backend::Scalar]);
    all.map(|backend| Detected::new(backend).unwrap())
}

#[test]
fn validity_gives_the_bitmaps_and_the_places_of_values_that_pyarrow_reads() {
    assert_eq!(assert_golden("validity", str::to_owned), 1);
    let bitmap = golden("max_level=1.bytes", u8::from_le_bytes);
    let dense = golden("values.dense", f64::from_le_bytes);
    let spread = golden("values.spread", f64::from_le_bytes);
    for backend in every_backend() {
        let mut places = vec![1.0; spread.len()];
        values::spread_with(backend, &dense, &bitmap, &mut places[..]).unwrap();
        assert!(places == spread, "{backend}");
        let mut compacted = vec![1.0; dense.len()];
        values::compact_with(backend, &spread, &bitmap, &mut compacted[..]).unwrap();
        assert!(compacted == dense, "{backend}");
    }
}

#[test]
fn validity_gives_the_lists_that_pyarrow_reads() {
    let repetition = golden("lists.repetition", u16::from_le_bytes);
    let definition = golden("lists.definition", u16::from_le_bytes);
    let outer = List::<u16>::new(1).unwrap();
    let inner = outer.inner(3).unwrap();
    for backend in every_backend() {
        for (depth, list) in [outer, inner].into_iter().enumerate() {
            let expected = golden(&format!("lists.offsets{depth}"), i32::from_le_bytes);
            let mut offsets = vec![0; expected.len()];
            let written = list.offsets_with(backend, &repetition, &definition, &mut offsets[..]);
            assert!(written.unwrap() == expected, "{backend}, depth {depth}");
            let expected = golden(&format!("lists.validity{depth}"), u8::from_le_bytes);
            let mut bitmap = vec![0; expected.len()];
            let written = list.validity_with(backend, &repetition, &definition, &mut bitmap[..]);
            assert!(written.unwrap().0 == expected, "{backend}, depth {depth}");
        }
        let expected = golden("lists.entries", u8::from_le_bytes);
        let mut bitmap = vec![0; expected.len()];
        let written = inner.entries_with(backend, 5, &repetition, &definition, &mut bitmap[..]);
        assert!(written.unwrap().0 == expected, "{backend}");
    }
}
