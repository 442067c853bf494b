//! Small files that claim a lot: none of them takes more memory than it has bytes for.

use crate::fuzzing::chunk::Chunk;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use bytelane_parquet::advise::{AdviseOptions, advise};
use bytelane_parquet::parquet::basic::{Compression, Encoding as Coding, Type};
use bytelane_parquet::parquet::column::page::{CompressedPage, Page};
use bytelane_parquet::rewrite::{RewriteOptions, rewrite_bytes};
use bytelane_parquet::{Encoding, Reader, WriterOptions, parse_compression};
use bytes::Bytes;
use std::num::NonZero;

const MIB: usize = 1 << 20;

/// What work returns, and the most bytes that this thread had allocated at a time meanwhile. Other
/// tests allocate in threads of their own, which do not count.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let mut result = None;
    let memory = allocation_counter::measure(|| result = Some(work()));
    let peak = usize::try_from(memory.bytes_max).expect("it was allocated");
    (result.expect("the work is done"), peak)
}

const ROWS: u32 = 1_000_000_000;

fn leb128(number: impl Into<u64>) -> Vec<u8> {
    let (mut number, mut bytes) = (number.into(), Vec::new());
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A run of the hybrid of runs and packed bits, of one value of up to a byte.
fn run(count: u32, value: u8) -> Vec<u8> {
    let mut bytes = leb128(u64::from(count) << 1);
    bytes.push(value);
    bytes
}

/// An optional column.
fn column(physical: Type, length: i32) -> Chunk {
    Chunk {
        physical,
        length,
        optional: true,
        is_list: false,
        compression: Compression::UNCOMPRESSED,
        dictionary: None,
        pages: Vec::new(),
    }
}

fn as_it_is(page: Page) -> CompressedPage {
    let length = page.buffer().len();
    CompressedPage::new(page, length)
}

/// As many nulls in a page of a few bytes.
fn nulls(physical: Type, length: i32, rows: u32, coding: Coding) -> Bytes {
    let mut chunk = column(physical, length);
    let page = chunk.page(rows, coding, &run(rows, 0), &[]);
    chunk.pages.push(as_it_is(page));
    chunk.file()
}

/// A long string, many times.
fn strings(length: u32, rows: u32) -> Bytes {
    let mut chunk = column(Type::BYTE_ARRAY, 0);
    let mut text = length.to_le_bytes().to_vec();
    text.resize(text.len() + length as usize, b'x');
    chunk.dictionary = Some(as_it_is(Page::DictionaryPage {
        buf: text.into(),
        num_values: 1,
        encoding: Coding::PLAIN,
        is_sorted: false,
    }));
    // Indices of one bit.
    let indices = [vec![1], run(rows, 0)].concat();
    let page = chunk.page(rows, Coding::RLE_DICTIONARY, &run(rows, 1), &indices);
    chunk.pages.push(as_it_is(page));
    chunk.file()
}

/// Rewrites with another encoding; the obstacle, the file, and the peak.
fn rewritten(file: &Bytes, encoding: Encoding) -> (Option<String>, Bytes, usize) {
    let compression = parse_compression("zstd:1").expect("a compression");
    // On this thread, of which the memory is measured.
    let options = RewriteOptions::new(WriterOptions::default().with_encoding(encoding))
        .with_threads(NonZero::<usize>::MIN)
        .with_compression(compression);
    let (result, peak) = measured(|| rewrite_bytes(file.clone(), &options));
    let (new, rewritten) = result.expect("a file that is copied");
    (rewritten.columns[0].obstacle.clone(), new, peak)
}

#[test]
fn a_billion_nulls_are_copied() {
    for (physical, coding) in [
        (Type::DOUBLE, Coding::BYTE_STREAM_SPLIT),
        (Type::INT32, Coding::PLAIN),
        (Type::BYTE_ARRAY, Coding::PLAIN),
    ] {
        let file = nulls(physical, 0, ROWS, coding);
        assert!(file.len() < 500, "{}", file.len());
        let (obstacle, new, peak) = rewritten(&file, Encoding::Plain);
        let obstacle = obstacle.expect("it is not re-encoded");
        assert!(obstacle.contains("memory"), "{obstacle}");
        assert_eq!(new, file);
        assert!(peak < MIB, "{physical}: {peak}");
    }
}

#[test]
fn a_few_million_nulls_are_encoded_anew() {
    let file = nulls(Type::DOUBLE, 0, 2_000_000, Coding::PLAIN);
    let (obstacle, new, peak) = rewritten(&file, Encoding::ByteStreamSplit);
    assert_eq!(obstacle, None);
    assert_ne!(new, file);
    assert!((16 * MIB..128 * MIB).contains(&peak), "{peak}");
}

#[test]
fn a_long_string_many_times_is_copied() {
    let file = strings(MIB as u32, 1_000_000);
    let (obstacle, new, peak) = rewritten(&file, Encoding::DeltaLengthByteArray);
    let obstacle = obstacle.expect("it is not re-encoded");
    assert!(obstacle.contains("memory"), "{obstacle}");
    assert_eq!(new.len(), file.len());
    assert!(peak < 64 * MIB, "{peak}");
}

#[test]
fn a_long_string_many_times_is_refused_unless_the_batches_are_small() {
    let file = strings(MIB as u32 / 64, 1_000_000);
    let (error, peak) = measured(|| {
        let reader = Reader::builder(file.clone()).and_then(|builder| builder.build());
        let batch = reader.expect("a footer").next().expect("an error");
        batch.expect_err("65,536 strings of 16 KiB").to_string()
    });
    assert!(error.contains("more than "), "{error}");
    assert!(error.contains("with_batch_size"), "{error}");
    // 128 MiB, and 1024 times the bytes of the file.
    assert!(peak < 150 * MIB, "{peak}");
    let (rows, peak) = measured(|| {
        let builder = Reader::builder(file).expect("a footer");
        let builder = builder.with_memory_limit(MIB as u64).with_batch_size(10);
        let batches = builder.build().expect("options").take(20);
        let rows = batches.map(|batch| batch.expect("ten strings").num_rows());
        rows.sum::<usize>()
    });
    assert_eq!(rows, 200);
    assert!(peak < 2 * MIB, "{peak}");
}

/// One of three rows, whose list has all values.
#[test]
fn a_list_of_a_billion_nulls_is_refused() {
    let mut chunk = column(Type::INT32, 0);
    chunk.is_list = true;
    let repetition = [run(1, 0), run(ROWS - 1, 1)].concat();
    let page = chunk.list_page(ROWS, &repetition, &run(ROWS, 2));
    chunk.pages.push(as_it_is(page));
    let file = chunk.file();
    let (error, peak) = measured(|| {
        let reader = Reader::builder(file).and_then(|builder| builder.build());
        let batch = reader.expect("a footer").next().expect("an error");
        batch.expect_err("too many values").to_string()
    });
    assert!(error.contains("too few bytes for as many"), "{error}");
    assert!(peak < 8 * MIB, "{peak}");
}

#[test]
fn a_billion_nulls_are_read_in_batches() {
    let file = nulls(Type::DOUBLE, 0, ROWS, Coding::BYTE_STREAM_SPLIT);
    let (rows, peak) = measured(|| {
        let reader = Reader::builder(file).and_then(|builder| builder.build());
        let batches = reader.expect("a footer").take(10);
        let rows = batches.map(|batch| batch.expect("nulls").num_rows());
        rows.sum::<usize>()
    });
    assert_eq!(rows, 10 * 65_536);
    assert!(peak < 8 * MIB, "{peak}");
}

/// Vectors of equal numbers, each of which is 32,768 values in 17 bytes.
#[test]
fn a_billion_equal_numbers_are_read_in_batches() {
    const VECTOR: usize = 1 << 15;
    let vectors = (ROWS as usize).div_ceil(VECTOR);
    let mut values = vec![0, 0, 15];
    values.extend(ROWS.to_le_bytes());
    // An exponent, a factor, no exceptions, the number, and no bits.
    let vector = [&[0; 4][..], &7_u64.to_le_bytes(), &[0]].concat();
    for at in 0..vectors {
        let offset = (vectors * 4 + at * vector.len()) as u32;
        values.extend(offset.to_le_bytes());
    }
    values.extend(vector.repeat(vectors));
    let mut chunk = column(Type::DOUBLE, 0);
    let page = chunk.page(ROWS, Coding::ALP, &run(ROWS, 1), &values);
    chunk.pages.push(as_it_is(page));
    let file = chunk.file();
    let (obstacle, new, peak) = rewritten(&file, Encoding::Plain);
    assert!(obstacle.is_some_and(|it| it.contains("memory")));
    assert_eq!(new.len(), file.len());
    assert!(peak < 64 * MIB, "{peak}");
    let (rows, peak) = measured(|| {
        let reader = Reader::builder(file).and_then(|builder| builder.build());
        let batches = reader.expect("a footer").take(10);
        let mut rows = 0;
        for batch in batches {
            let batch = batch.expect("numbers");
            let values = batch.column(0).as_primitive::<Float64Type>().values();
            assert!(values.iter().all(|value| *value == 7.0));
            rows += values.len();
        }
        rows
    });
    assert_eq!(rows, 10 * 65_536);
    assert!(peak < 8 * MIB, "{peak}");
}

/// A constant column of old files: its only run has all rows of the row group.
#[test]
fn a_billion_equal_entries_are_read_in_batches() {
    let mut chunk = column(Type::INT64, 0);
    let entry = 7_i64.to_le_bytes();
    let dictionary = Page::DictionaryPage {
        buf: Bytes::copy_from_slice(&entry),
        num_values: 1,
        encoding: Coding::PLAIN,
        is_sorted: false,
    };
    chunk.dictionary = Some(as_it_is(dictionary));
    // Indices of one bit.
    let indices = [&[1][..], &run(ROWS, 0)].concat();
    let page = chunk.page(ROWS, Coding::RLE_DICTIONARY, &run(ROWS, 1), &indices);
    chunk.pages.push(as_it_is(page));
    let file = chunk.file();
    let (rows, peak) = measured(|| {
        let reader = Reader::builder(file).and_then(|builder| builder.build());
        let mut rows = 0;
        for batch in reader.expect("a footer").take(10) {
            let batch = batch.expect("numbers");
            let values = batch.column(0).as_primitive::<Int64Type>().values();
            assert!(values.iter().all(|value| *value == 7));
            rows += values.len();
        }
        rows
    });
    assert_eq!(rows, 10 * 65_536);
    assert!(peak < 8 * MIB, "{peak}");
}

/// The most that a column chunk of a few bytes may take; and each batch would decode the values before it again.
#[test]
fn a_billion_equal_deltas_are_refused() {
    let mut values = Vec::new();
    // Blocks of 2^30 values, one miniblock each, the number of values, and the first one.
    for number in [1 << 30, 1, ROWS] {
        values.extend(leb128(number));
    }
    // The least difference, the miniblock's width.
    values.extend([7, 0, 0]);
    let mut chunk = column(Type::INT64, 0);
    let page = chunk.page(ROWS, Coding::DELTA_BINARY_PACKED, &run(ROWS, 1), &values);
    chunk.pages.push(as_it_is(page));
    let file = chunk.file();
    let (error, peak) = measured(|| {
        let reader = Reader::builder(file).and_then(|builder| builder.build());
        let batch = reader.expect("a footer").next().expect("an error");
        batch.expect_err("too many values").to_string()
    });
    assert!(error.contains("too few bytes for as many"), "{error}");
    assert!(peak < 8 * MIB, "{peak}");
}

#[test]
fn batches_of_wide_values_have_fewer_rows() {
    let file = nulls(Type::FIXED_LEN_BYTE_ARRAY, 100_000, ROWS, Coding::PLAIN);
    let (rows, peak) = measured(|| {
        let reader = Reader::builder(file).and_then(|builder| builder.build());
        let batch = reader.expect("a footer").next().expect("a batch");
        batch.expect("nulls").num_rows()
    });
    assert!((1..1000).contains(&rows), "{rows}");
    assert!(peak < 64 * MIB, "{peak}");
}

#[test]
fn values_wider_than_the_file_can_have_are_an_error() {
    let file = nulls(
        Type::FIXED_LEN_BYTE_ARRAY,
        i32::MAX,
        1,
        Coding::BYTE_STREAM_SPLIT,
    );
    let length = file.len();
    let want = format!("column x: values of 2147483647 bytes, in a file of {length}");
    let (error, peak) = measured(|| Reader::builder(file.clone()).map(drop).unwrap_err());
    assert_eq!(error.to_string(), want);
    assert!(peak < MIB, "{peak}");
    let error = rewrite_bytes(
        file,
        &RewriteOptions::default().with_threads(NonZero::<usize>::MIN),
    )
    .unwrap_err();
    assert_eq!(error.to_string(), want);
}

#[test]
fn pages_that_promise_more_than_they_can_become_are_an_error() {
    for compression in ["snappy", "gzip:1", "zstd:1", "lz4_raw"] {
        let mut chunk = column(Type::INT32, 0);
        chunk.compression = parse_compression(compression).expect("a compression");
        let page = chunk.page(1, Coding::PLAIN, &[2, 1], &[1, 2, 3, 4]);
        chunk
            .pages
            .push(CompressedPage::new(page, i32::MAX as usize));
        let file = chunk.file();
        let (error, peak) = measured(|| {
            let reader = Reader::builder(file.clone()).and_then(|builder| builder.build());
            let batch = reader.expect("a footer").next().expect("a batch");
            batch.expect_err("a promise that cannot be kept")
        });
        let text = error.to_string();
        assert!(text.contains("row group 0, column x, page 0"), "{text}");
        assert!(text.contains("cannot expand to the 2147483647"), "{text}");
        assert!(peak < MIB, "{compression}: {peak}");
        let error = rewrite_bytes(
            file,
            &RewriteOptions::default().with_threads(NonZero::<usize>::MIN),
        )
        .unwrap_err();
        assert!(error.to_string().contains("cannot expand"), "{error}");
    }
}

#[test]
fn columns_that_are_too_large_are_not_judged() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("x.parquet");
    let files = [
        nulls(Type::DOUBLE, 0, ROWS, Coding::PLAIN),
        strings(MIB as u32, 1_000_000),
    ];
    for file in files {
        std::fs::write(&path, &file).expect("a file");
        let (advice, peak) = measured(|| advise(&path, &AdviseOptions::default()));
        let advice = advice.expect("advice for the other columns");
        let column = &advice.columns[0];
        let why = column.obstacle.as_deref().unwrap_or_default();
        assert!(column.keep && why.contains("it cannot be sampled"), "{why}");
        assert_eq!(column.bytes_then, column.bytes_now);
        assert!(peak < 64 * MIB, "{peak}");
    }
}
