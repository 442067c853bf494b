//! Tests small files that claim a lot: none of them takes more memory than its size justifies.

use crate::bad_input::fuzzing::chunk::Chunk;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_schema::ArrowError;
use bytelane_parquet::parquet::arrow::ProjectionMask;
use bytelane_parquet::parquet::basic::{Compression, Encoding as Coding, Repetition, Type};
use bytelane_parquet::parquet::column::page::{CompressedPage, Page};
use bytelane_parquet::parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
};
use bytelane_parquet::parquet::schema::types::{SchemaDescriptor, Type as SchemaType};
use bytelane_parquet::{Encoding, Reader, parse_compression};
use bytelane_parquet_files::advise::{AdviseOptions, advise};
use bytelane_parquet_files::inspect::{InspectOptions, inspect, inspect_reader};
use bytelane_parquet_files::merge::{MergeOptions, MergePages, merge};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};
use bytes::Bytes;
use std::fs;
use std::num::NonZero;
use std::sync::Arc;

const MIB: usize = 1 << 20;

/// Returns the result of the work, and the peak of the memory that this thread allocated for it. Other tests
/// allocate in their own threads, which do not count.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let mut result = None;
    let memory = allocation_counter::measure(|| result = Some(work()));
    let peak = usize::try_from(memory.bytes_max).expect("it was allocated");
    (result.expect("the work is done"), peak)
}

const ROWS: u32 = 1_000_000_000;

pub fn leb128(number: impl Into<u64>) -> Vec<u8> {
    let (mut number, mut bytes) = (number.into(), Vec::new());
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Encodes a run of one value of up to a byte, in the hybrid of runs and packed bits.
pub fn run(count: u32, value: u8) -> Vec<u8> {
    let mut bytes = leb128(u64::from(count) << 1);
    bytes.push(value);
    bytes
}

/// Describes an optional column.
pub fn column(physical: Type, length: i32) -> Chunk {
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

pub fn as_it_is(page: Page) -> CompressedPage {
    let length = page.buffer().len();
    CompressedPage::new(page, length)
}

/// Returns a file of `rows` nulls in a page of a few bytes.
pub fn nulls(physical: Type, length: i32, rows: u32, coding: Coding) -> Bytes {
    let mut chunk = column(physical, length);
    let page = chunk.page(rows, coding, &run(rows, 0), &[]);
    chunk.pages.push(as_it_is(page));
    chunk.file()
}

/// Returns a file with a long string, repeated `rows` times.
pub fn strings(length: u32, rows: u32) -> Bytes {
    let mut chunk = column(Type::BYTE_ARRAY, 0);
    let mut text = length.to_le_bytes().to_vec();
    text.resize(text.len() + length as usize, b'x');
    chunk.dictionary = Some(as_it_is(Page::DictionaryPage {
        buf: text.into(),
        num_values: 1,
        encoding: Coding::PLAIN,
        is_sorted: false,
    }));
    // One-bit indices.
    let indices = [vec![1], run(rows, 0)].concat();
    let page = chunk.page(rows, Coding::RLE_DICTIONARY, &run(rows, 1), &indices);
    chunk.pages.push(as_it_is(page));
    chunk.file()
}

/// Rewrites with another encoding. Returns the obstacle, the file, and the peak of the memory.
fn rewritten(file: &Bytes, encoding: Encoding) -> (Option<String>, Bytes, usize) {
    let compression = parse_compression("zstd:1").expect("a compression");
    // Use only this thread, because its memory is measured.
    let options = RewriteOptions::default()
        .with_encoding(encoding)
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
fn a_merge_with_fresh_pages_copies_a_billion_nulls() {
    let directory = tempfile::tempdir().unwrap();
    let [path, new] = ["old.parquet", "new.parquet"].map(|name| directory.path().join(name));
    let options = MergeOptions::default().with_pages(MergePages::Fresh);
    for physical in [Type::INT96, Type::INT64, Type::BYTE_ARRAY] {
        fs::write(&path, nulls(physical, 0, ROWS, Coding::PLAIN)).unwrap();
        let memory = allocation_counter::measure(|| {
            let merged = merge(&[&path, &path], &new, &options).unwrap();
            assert_eq!(merged.rows, 2 * u64::from(ROWS));
        });
        // Nothing is decoded, not even in parts.
        assert!(
            memory.bytes_total < 8 * MIB as u64,
            "{physical}: {memory:?}"
        );
    }
}

#[test]
fn a_few_million_nulls_are_encoded_anew() {
    let file = nulls(Type::DOUBLE, 0, 2_000_000, Coding::PLAIN);
    let (obstacle, new, peak) = rewritten(&file, Encoding::ByteStreamSplit);
    assert_eq!(obstacle, None);
    assert_ne!(new, file);
    assert!((8 * MIB..64 * MIB).contains(&peak), "{peak}");
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
fn a_long_string_many_times_is_read_in_smaller_batches() {
    let text = "x".repeat(MIB / 64);
    let file = strings(text.len() as u32, 10_000);
    // A batch of 10 strings takes 160 KiB.
    for (batch_size, limit) in [(10, MIB), (5000, MIB), (5000, 16 * MIB)] {
        let ((rows, batches), peak) = measured(|| {
            let builder = Reader::builder(file.clone()).expect("a footer");
            let builder = builder.with_memory_limit(limit as u64);
            let reader = builder.with_batch_size(batch_size).build();
            let (mut rows, mut batches) = (0, 0);
            for batch in reader.expect("options") {
                let batch = batch.expect("strings");
                let texts = batch.column(0).as_binary::<i32>();
                assert!(texts.iter().all(|it| it == Some(text.as_bytes())));
                (rows, batches) = (rows + texts.len(), batches + 1);
            }
            (rows, batches)
        });
        assert_eq!(rows, 10_000);
        assert!(batches > 1, "{batches}");
        assert!(peak < 2 * limit, "{limit}: {peak}");
    }
    let builder = Reader::builder(file).expect("a footer");
    let mut reader = builder.with_memory_limit(40_000).build().expect("options");
    // The string twice, for the dictionary and the array, in addition to the page of the dictionary.
    let error = reader.next().expect("an error").expect_err("one string");
    assert!(
        error.to_string().contains("the limit of 40000 bytes"),
        "{error}"
    );
}

/// 32-bit offsets cannot address more in one array.
#[test]
fn strings_of_more_than_2_gib_have_batches_of_fewer_rows() {
    let (length, rows) = (8 * MIB, 260);
    let file = strings(length as u32, rows);
    let (batches, peak) = measured(|| {
        let reader = Reader::builder(file).and_then(|builder| builder.build());
        let batches = reader.expect("a footer").map(|batch| {
            let batch = batch.expect("strings");
            let texts = batch.column(0).as_binary::<i32>();
            assert_eq!(texts.value_data().len(), length * texts.len());
            texts.len()
        });
        batches.collect::<Vec<_>>()
    });
    assert_eq!(batches.iter().sum::<usize>(), rows as usize);
    assert!(batches.len() > 1 && batches[0] > 1, "{batches:?}");
    assert!(peak < 512 * MIB, "{peak}");
}

/// Asserts that the first batch of a file is refused before memory is allocated for its values.
fn is_refused(file: Bytes) {
    let (error, peak) = measured(|| {
        let reader = Reader::builder(file).and_then(|builder| builder.build());
        let batch = reader.expect("a footer").next().expect("an error");
        batch.expect_err("too many values").to_string()
    });
    assert!(error.contains("with_memory_limit"), "{error}");
    assert!(peak < 8 * MIB, "{peak}");
}

/// One of the three rows has a list with all values.
#[test]
fn a_list_of_a_billion_nulls_is_refused() {
    let mut chunk = column(Type::INT32, 0);
    chunk.is_list = true;
    let repetition = [run(1, 0), run(ROWS - 1, 1)].concat();
    let page = chunk.list_page(ROWS, &repetition, &run(ROWS, 2));
    chunk.pages.push(as_it_is(page));
    is_refused(chunk.file());
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

/// Vectors of equal numbers, each with 32,768 values in 17 bytes.
#[test]
fn a_billion_equal_numbers_are_read_in_batches() {
    const VECTOR: usize = 1 << 15;
    let vectors = (ROWS as usize).div_ceil(VECTOR);
    let mut values = vec![0, 0, 15];
    values.extend(ROWS.to_le_bytes());
    // Exponent, factor, no exceptions, the number, and no bits.
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

/// Constant column as in old files: its only run has all rows of the row group.
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
    // One-bit indices.
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

/// This is the maximum memory of a column chunk of a few bytes, and each batch would have to decode the
/// previous values again.
#[test]
fn a_billion_equal_deltas_are_refused() {
    let mut values = Vec::new();
    // Blocks of 2^30 values, one miniblock per block, the number of values, and the first value.
    for number in [1 << 30, 1, ROWS] {
        values.extend(leb128(number));
    }
    // Minimum difference, and width of the miniblock.
    values.extend([7, 0, 0]);
    let mut chunk = column(Type::INT64, 0);
    let page = chunk.page(ROWS, Coding::DELTA_BINARY_PACKED, &run(ROWS, 1), &values);
    chunk.pages.push(as_it_is(page));
    is_refused(chunk.file());
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

/// Returns a file of `columns` columns, each of which has the pages of the only column of another file.
fn shared(file: &Bytes, columns: usize) -> Bytes {
    let builder = Reader::builder(file.clone()).expect("a footer");
    let old = builder.metadata();
    let column = &old.file_metadata().schema().get_fields()[0];
    let group = |number: usize| {
        SchemaType::group_type_builder(&format!("group {number}"))
            .with_repetition(Repetition::REQUIRED)
            .with_fields(vec![Arc::clone(column)])
            .build()
            .map(Arc::new)
    };
    let groups = (0..columns).map(group).collect::<Result<_, _>>();
    let schema = SchemaType::group_type_builder("schema").with_fields(groups.expect("groups"));
    let schema = SchemaDescriptor::new(Arc::new(schema.build().expect("a schema")));
    let schema = Arc::new(schema);
    let (row_group, chunk) = (old.row_group(0), old.row_group(0).column(0));
    let chunks = schema.columns().iter().map(|column| {
        ColumnChunkMetaData::builder(Arc::clone(column))
            .set_encodings(chunk.encodings().collect())
            .set_num_values(chunk.num_values())
            .set_data_page_offset(chunk.data_page_offset())
            .set_total_compressed_size(chunk.compressed_size())
            .set_total_uncompressed_size(chunk.uncompressed_size())
            .build()
    });
    let chunks = chunks.collect::<Result<_, _>>();
    let row_group = RowGroupMetaData::builder(Arc::clone(&schema))
        .set_num_rows(row_group.num_rows())
        .set_column_metadata(chunks.expect("chunks"))
        .build();
    let rows = old.file_metadata().num_rows();
    let footer = ParquetMetaData::new(
        FileMetaData::new(1, rows, None, None, schema, None),
        vec![row_group.expect("a row group")],
    );
    let mut bytes = file.to_vec();
    let writer = ParquetMetaDataWriter::new(&mut bytes, &footer);
    writer.finish().expect("a footer");
    bytes.into()
}

/// Returns a column of a few values with a page of a gigabyte, which brotli can compress to a kilobyte.
fn bomb(is_dictionary: bool) -> Bytes {
    let physical = if is_dictionary {
        Type::BYTE_ARRAY
    } else {
        Type::INT64
    };
    let mut chunk = column(physical, 0);
    chunk.compression = parse_compression("brotli:5").expect("a compression");
    chunk.optional = false;
    let size = 1 << 30;
    if is_dictionary {
        // Empty strings.
        chunk.dictionary = Some(CompressedPage::new(
            Page::DictionaryPage {
                buf: vec![0x1b; 1600].into(),
                num_values: size as u32 / 4,
                encoding: Coding::PLAIN,
                is_sorted: false,
            },
            size,
        ));
        let page = chunk.page(10, Coding::RLE_DICTIONARY, &[], &[6]);
        chunk.pages.push(CompressedPage::new(page, 3));
    } else {
        let page = chunk.page(10, Coding::PLAIN, &[], &[0x1b; 1600]);
        chunk.pages.push(CompressedPage::new(page, size));
    }
    chunk.file()
}

/// Writes a file to disk.
fn on_disk(file: &Bytes) -> (tempfile::TempDir, std::path::PathBuf) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("x.parquet");
    std::fs::write(&path, file).expect("a file");
    (directory, path)
}

/// Asserts that everything that reads values reports the limit and takes no memory, and that `rewrite` copies
/// the column.
fn refused_everywhere(file: &Bytes, limit: &str) {
    let (_directory, path) = on_disk(file);
    let one = NonZero::<usize>::MIN;
    let works: [(&str, &dyn Fn() -> String); 3] = [
        ("Reader", &|| {
            let reader = Reader::builder(file.clone()).and_then(|it| it.build());
            let batch = reader.expect("a footer").next().expect("an error");
            batch.map(drop).expect_err("too large").to_string()
        }),
        ("table", &|| {
            let builder = Reader::builder(file.clone()).expect("a footer");
            let mut reader = builder.with_batches_kept(true).build().expect("options");
            let batch = reader.next().expect("an error");
            batch.map(drop).expect_err("too large").to_string()
        }),
        ("advise", &|| {
            let options = AdviseOptions::default().with_threads(one);
            let advice = advise(&path, &options).expect("other columns have advice");
            let obstacle = advice.columns[0].obstacle.clone();
            obstacle.expect("too large")
        }),
    ];
    for (work, error) in works {
        let (error, peak) = measured(error);
        assert!(error.contains(limit), "{work}: {error}");
        assert!(error.contains("with_memory_limit"), "{work}: {error}");
        assert!(peak < 16 * MIB, "{work}: {peak}");
    }
    let (obstacle, new, peak) = rewritten(file, Encoding::Plain);
    let obstacle = obstacle.expect("it is not re-encoded");
    assert!(obstacle.contains("with_memory_limit"), "{obstacle}");
    assert_eq!(new.len(), file.len());
    assert!(peak < 16 * MIB, "{peak}");
}

#[test]
fn a_page_of_a_gigabyte_for_ten_values_is_refused() {
    for is_dictionary in [false, true] {
        let file = bomb(is_dictionary);
        assert!(file.len() < 2500, "{}", file.len());
        refused_everywhere(&file, "a page of 10737418");
        // With a limit high enough, the error is about the page itself.
        let options = RewriteOptions::default().with_memory_limit(4 << 30);
        let error = rewrite_bytes(file, &options.with_threads(NonZero::<usize>::MIN));
        let error = error.map(drop).expect_err("no brotli").to_string();
        assert!(!error.contains("limit"), "{error}");
    }
}

/// Returns lists of nulls, all in the same bytes of the file. A row of them takes 6.4 GB.
fn shared_lists(columns: usize, values: u32) -> Bytes {
    let mut chunk = column(Type::INT64, 0);
    chunk.is_list = true;
    let repetition = [run(3, 0), run(values - 3, 1)].concat();
    let page = chunk.list_page(values, &repetition, &run(values, 2));
    chunk.pages.push(as_it_is(page));
    shared(&chunk.file(), columns)
}

#[test]
fn columns_share_one_budget() {
    let file = shared_lists(200, 12_000_000);
    let (_directory, path) = on_disk(&file);
    let works: [(&str, &dyn Fn() -> String); 3] = [
        ("Reader", &|| {
            let reader = Reader::builder(file.clone()).and_then(|it| it.build());
            let batch = reader.expect("a footer").next().expect("an error");
            batch.map(drop).expect_err("too large").to_string()
        }),
        ("rewrite", &|| {
            let rewritten = rewrite_bytes(file.clone(), &RewriteOptions::default());
            rewritten.map(drop).expect_err("too large").to_string()
        }),
        ("advise", &|| {
            let advice = advise(&path, &AdviseOptions::default());
            advice.map(drop).expect_err("too large").to_string()
        }),
    ];
    for (work, error) in works {
        let (error, peak) = measured(error);
        assert!(
            error.contains("row group 0: it takes more memory"),
            "{work}: {error}"
        );
        assert!(error.contains("with_memory_limit"), "{work}: {error}");
        assert!(peak < 16 * MIB, "{work}: {peak}");
    }
    // A smaller example, in which the limit allows one column.
    let file = shared_lists(20, 12_000);
    let read = |limit: u64, columns: &[usize]| {
        let builder = Reader::builder(file.clone()).expect("a footer");
        let leaves = ProjectionMask::leaves(builder.parquet_schema(), columns.iter().copied());
        let builder = builder.with_projection(leaves).with_memory_limit(limit);
        let rows = builder
            .build()
            .expect("options")
            .map(|it| Ok(it?.num_rows()));
        rows.sum::<Result<usize, ArrowError>>()
    };
    let limit = 400_000;
    assert_eq!(read(limit, &[7]).expect("a column"), 3);
    let all: Vec<usize> = (0..20).collect();
    let (error, peak) = measured(|| read(limit, &all).expect_err("20 columns"));
    assert!(
        error.to_string().contains("the limit of 400000 bytes"),
        "{error}"
    );
    assert!(peak < 2 * limit as usize, "{peak}");
    assert_eq!(read(20 * limit, &all).expect("enough for all"), 3);
}

#[test]
fn a_table_has_a_limit_of_its_own() {
    let file = nulls(Type::INT64, 0, i32::MAX as u32, Coding::PLAIN);
    assert!(file.len() < 500);
    let build = |file: &Bytes, limit: Option<u64>| {
        let builder = Reader::builder(file.clone()).expect("a footer");
        let builder = builder.with_batches_kept(true);
        match limit {
            Some(limit) => builder.with_memory_limit(limit).build(),
            None => builder.build(),
        }
    };
    // 17 GB of numbers: nothing is read.
    let (error, peak) = measured(|| build(&file, None).expect_err("too large"));
    assert!(error.to_string().contains("with_memory_limit"), "{error}");
    assert!(peak < MIB, "{peak}");
    // The length of strings is only known when they are read.
    let file = strings(1000, 100_000);
    let (error, peak) = measured(|| {
        let reader = build(&file, Some(20 * MIB as u64)).expect("the offsets fit");
        let batches = reader.collect::<Result<Vec<_>, _>>();
        batches.map(drop).expect_err("100 MB").to_string()
    });
    assert!(error.contains("the limit of 20971520 bytes"), "{error}");
    assert!(peak < 64 * MIB, "{peak}");
    let reader = build(&file, Some(300 * MIB as u64)).expect("options");
    let rows = reader.map(|batch| batch.expect("strings").num_rows());
    assert_eq!(rows.sum::<usize>(), 100_000);
}

/// A file of highly compressible values can be read with the default limit, which allows for what its rows
/// need.
#[test]
fn a_table_of_equal_values_is_read() {
    let rows = 4_000_000;
    for (file, bytes) in [
        (nulls(Type::INT64, 0, rows, Coding::PLAIN), 8 * rows),
        (strings(20, rows / 4), 5 * rows),
    ] {
        assert!(file.len() < 600, "{}", file.len());
        let builder = Reader::builder(file).expect("a footer");
        let reader = builder.with_batches_kept(true).build().expect("options");
        let batches: Vec<_> = reader.map(|batch| batch.expect("rows")).collect();
        let memory = batches.iter().map(|it| it.get_array_memory_size());
        assert!(memory.sum::<usize>() >= bytes as usize);
    }
}

/// Each column claims all pages of the others.
#[test]
fn an_inspection_has_a_limit() {
    let mut chunk = column(Type::INT64, 0);
    for _ in 0..1000 {
        let page = chunk.page(1, Coding::PLAIN, &run(1, 0), &[]);
        chunk.pages.push(as_it_is(page));
    }
    let file = shared(&chunk.file(), 1000);
    let (error, peak) = measured(|| inspect_reader(&file).expect_err("a million pages"));
    let error = error.to_string();
    assert!(error.contains("with_memory_limit"), "{error}");
    let limit = 64 * (MIB + file.len());
    assert!(peak < 2 * limit, "{peak}");
    let (_directory, path) = on_disk(&file);
    let all = inspect(&path, &InspectOptions::default().with_memory_limit(1 << 30))
        .expect("a million pages");
    assert_eq!(all.row_groups[0].columns[999].pages.len(), 1000);
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
