//! Tests that salvaged files can be read, and have no values that contradict what the file says.

use arrow_array::builder::{Int64Builder, MapBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, Float64Array, Int64Array, ListArray, RecordBatch, StringArray};
use arrow_select::concat::concat_batches;
use bytelane_parquet::format::{ColumnChunk, Encoded, FileMetaData, decode, encode};
use bytelane_parquet::{Problem, Reader, Writer, WriterOptions};
use bytelane_parquet_files::check::{CheckOptions, Severity, check};
use bytelane_parquet_files::inspect::{InspectOptions, inspect};
use bytelane_parquet_files::repair::{SalvageOptions, Salvaged, salvage};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Number of damaged files, unless the variable `BYTELANE_SALVAGED_FILES` has another one.
const FILES: usize = 60;

fn rows() -> RecordBatch {
    let lists =
        (0..300).map(|row| (row % 5 > 0).then(|| (0..row % 4).map(move |at| Some(at * row))));
    let texts = (0..300).map(|row| (row % 7 > 0).then(|| format!("größe {}", row % 90)));
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(Int64Array::from_iter_values(0..300))),
        ("text", Arc::new(StringArray::from_iter(texts))),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn random(below: usize, random: &mut Xoshiro256PlusPlus) -> usize {
    random.next_u64() as usize % below
}

/// Returns [`rows`] as a file of one of two writers.
fn written(seed: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::LZ4_RAW,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
    ];
    let codec = codecs[random(codecs.len(), seed)];
    let mut file = Vec::new();
    if random(3, seed) == 0 {
        let options = WriterOptions::default()
            .with_compression(codec)
            .with_max_rows_per_page(50);
        let mut writer = Writer::try_new(&mut file, rows().schema(), options).unwrap();
        writer.write(&rows()).unwrap();
        writer.close().unwrap();
        return file;
    }
    let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    let statistics = [
        EnabledStatistics::None,
        EnabledStatistics::Chunk,
        EnabledStatistics::Page,
    ];
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_writer_version(versions[random(2, seed)])
        .set_statistics_enabled(statistics[random(3, seed)])
        .set_dictionary_enabled(random(2, seed) == 0)
        .set_offset_index_disabled(random(2, seed) == 0)
        .set_max_row_group_row_count(Some(150))
        .set_data_page_row_count_limit(50)
        .set_write_batch_size(10);
    let mut writer =
        ArrowWriter::try_new(&mut file, rows().schema(), Some(properties.build())).unwrap();
    writer.write(&rows()).unwrap();
    writer.close().unwrap();
    file
}

/// Reads all rows with the crate `parquet` and with the reader.
fn read(path: &Path) -> (usize, usize) {
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    let file = bytes::Bytes::from(fs::read(path).unwrap());
    let theirs = ParquetRecordBatchReaderBuilder::try_new(file.clone()).unwrap();
    let theirs = theirs.build().unwrap().map(|it| it.unwrap().num_rows());
    let ours = Reader::try_new(file, 100).unwrap();
    let ours = ours.map(|it| it.unwrap().num_rows());
    (theirs.sum(), ours.sum())
}

#[test]
fn salvaged_files_of_flipped_bits_can_be_read() {
    let count = std::env::var("BYTELANE_SALVAGED_FILES");
    let count = count.map_or(FILES, |it| it.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    let (mut salvaged_rows, mut lost_rows) = (0, 0);
    for seed in 0..count {
        let random_bits = &mut Xoshiro256PlusPlus::seed_from_u64(seed as u64);
        let mut file = written(random_bits);
        for _ in 0..1 + random(5, random_bits) {
            let at = random(file.len(), random_bits);
            file[at] ^= 1 << random(8, random_bits);
        }
        fs::write(&old, &file).unwrap();
        let Ok(salvaged) = salvage(&old, &new, &SalvageOptions::default()) else {
            continue;
        };
        let rows = salvaged.rows as usize;
        assert_eq!(read(&new), (rows, rows), "file {seed}");
        let options = CheckOptions::default().with_values(true);
        let wrong = |path: &Path| {
            let findings = check(path, &options).unwrap().findings.into_iter();
            findings.filter(|it| it.severity == Severity::Error)
        };
        assert_eq!(wrong(&new).count(), 0, "file {seed}");
        // A value that the check rejects is lost.
        for finding in wrong(&old).filter(|it| it.problem.starts_with("a value")) {
            let is_its = |lost: &&bytelane_parquet_files::repair::LostPart| {
                Some(lost.row_group) == finding.row_group
                    && Some(&lost.column) == finding.column.as_ref()
            };
            assert!(
                salvaged.lost.iter().any(|it| is_its(&it)),
                "file {seed}: {finding}"
            );
        }
        salvaged_rows += salvaged.rows;
        lost_rows += salvaged.rows_before.saturating_sub(salvaged.rows);
    }
    assert!(
        salvaged_rows > 0 && lost_rows > 0,
        "{salvaged_rows} {lost_rows}"
    );
}

#[test]
fn intact_columns_of_a_damaged_row_group_are_kept_on_request() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_compression(Compression::SNAPPY)
        .set_offset_index_disabled(true)
        .set_statistics_enabled(EnabledStatistics::Chunk);
    let mut file = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut file, rows().schema(), Some(properties.build())).unwrap();
    writer.write(&rows()).unwrap();
    writer.close().unwrap();
    fs::write(&old, &file).unwrap();
    let inspection = inspect(&old, &InspectOptions::default()).unwrap();
    let page = &inspection.row_groups[0].columns[1].pages[0];
    let range = page.offset as usize + 40..(page.offset + page.compressed) as usize;
    file[range].fill(0xee);
    fs::write(&old, &file).unwrap();
    let salvaged = salvage(&old, &new, &SalvageOptions::default()).unwrap();
    assert_eq!((salvaged.rows, salvaged.rows_before), (0, 300));
    assert_eq!(salvaged.intact_columns, ["id", "list"]);
    let options = SalvageOptions::default().with_columns(salvaged.intact_columns.clone());
    let salvaged = salvage(&old, &new, &options).unwrap();
    assert_eq!((salvaged.rows, salvaged.lost.len()), (300, 0));
    assert_eq!(read(&new), (300, 300));
    let options = SalvageOptions::default().with_columns(vec!["other".to_owned()]);
    let error = salvage(&old, &new, &options).unwrap_err();
    assert!(error.to_string().contains("no column \"other\""), "{error}");
}

/// Returns rows as a file with row groups of 100 rows.
fn in_row_groups(rows: &RecordBatch, dictionaries: bool) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(dictionaries)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_max_row_group_row_count(Some(100))
        .set_data_page_row_count_limit(40)
        .set_write_batch_size(10)
        .build();
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, rows.schema(), Some(properties)).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap();
    file
}

/// Returns the length of a file without its footer.
fn end_of_pages(file: &[u8]) -> usize {
    let tail = file.len() - 8;
    let length = u32::from_le_bytes(file[tail..tail + 4].try_into().unwrap());
    tail - length as usize
}

/// Salvages a file with the schema of another one. Returns its rows with the column of offsets, too.
fn salvaged_with_schema(damaged: &[u8], sibling: &[u8]) -> (Salvaged, RecordBatch) {
    let directory = tempfile::tempdir().unwrap();
    let [old, new, schema] = ["old", "new", "schema"].map(|name| directory.path().join(name));
    fs::write(&old, damaged).unwrap();
    fs::write(&schema, sibling).unwrap();
    let options = SalvageOptions::default().with_schema(&schema);
    let salvaged = salvage(&old, &new, &options).unwrap();
    assert_eq!(read(&new), (salvaged.rows as usize, salvaged.rows as usize));
    let batches = Reader::try_new(fs::File::open(&new).unwrap(), 1 << 16).unwrap();
    let batches: Vec<RecordBatch> = batches.map(Result::unwrap).collect();
    let schema = batches
        .first()
        .map_or_else(|| rows().schema(), RecordBatch::schema);
    (salvaged, concat_batches(&schema, &batches).unwrap())
}

#[test]
fn certain_row_groups_of_a_file_without_a_footer_are_kept() {
    let (rows, sibling) = (rows(), in_row_groups(&rows().slice(0, 20), true));
    for dictionaries in [false, true] {
        let file = in_row_groups(&rows, dictionaries);
        let end = end_of_pages(&file);
        // Without the last 8 bytes, without a footer, within a row group, and within the first one.
        for (end, kept) in [
            (file.len() - 8, 300),
            (end, 300),
            (end - 10, 200),
            (end / 4, 0),
        ] {
            let (salvaged, read) = salvaged_with_schema(&file[..end], &sibling);
            assert_eq!(salvaged.rows, kept, "{dictionaries} {end}");
            assert_eq!(salvaged.left_out.is_empty(), kept == 300, "{salvaged:?}");
            if kept > 0 {
                assert_eq!(read.schema().field(3).name(), "salvaged_from_offset");
                let columns = read.project(&[0, 1, 2]).unwrap();
                assert_eq!(columns, rows.slice(0, kept as usize));
                let offsets = read.column(3).as_primitive::<Int64Type>();
                let pages = offsets.values().chunk_by(|one, other| one == other);
                let pages: Vec<usize> = pages.map(<[i64]>::len).collect();
                assert_eq!(pages, [40, 40, 20].repeat(kept as usize / 100));
            }
        }
        // A header within the second row group.
        let mut damaged = file[..end].to_vec();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 60].fill(0xee);
        let (salvaged, read) = salvaged_with_schema(&damaged, &sibling);
        assert!(salvaged.rows >= 100 && salvaged.rows < 300, "{salvaged:?}");
        let ids = rows.column(0).as_primitive::<Int64Type>();
        for (row, id) in read
            .column(0)
            .as_primitive::<Int64Type>()
            .iter()
            .enumerate()
        {
            let before = ids.iter().position(|it| it == id).unwrap();
            let columns = read.project(&[0, 1, 2]).unwrap();
            assert_eq!(columns.slice(row, 1), rows.slice(before, 1));
        }
    }
}

#[test]
fn pages_that_can_be_divided_in_several_ways_are_left_out_and_named() {
    let columns = ["one", "other"].map(|name| {
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(0..300));
        (name, values)
    });
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let file = in_row_groups(&rows, false);
    let end = end_of_pages(&file);
    let (salvaged, _) = salvaged_with_schema(&file[..end], &file);
    assert_eq!((salvaged.rows, salvaged.lost.len()), (0, 0));
    let [left_out] = salvaged.left_out.as_slice() else {
        panic!("{salvaged:?}");
    };
    assert_eq!((left_out.start, left_out.end), (4, end as u64));
    // Dictionaries begin the chunks.
    let file = in_row_groups(&rows, true);
    let (salvaged, _) = salvaged_with_schema(&file[..end_of_pages(&file)], &file);
    assert_eq!((salvaged.rows, salvaged.left_out.len()), (300, 0));
}

#[test]
fn a_file_without_a_footer_needs_a_schema() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    for damaged in [&b"PAR1"[..], b"", &in_row_groups(&rows(), true)[..2000]] {
        fs::write(&old, damaged).unwrap();
        let error = salvage(&old, &new, &SalvageOptions::default()).unwrap_err();
        assert!(error.to_string().contains("with_schema"), "{error}");
        assert!(!new.exists());
    }
}

#[test]
fn pages_of_other_columns_are_not_those_of_a_schema() {
    let directory = tempfile::tempdir().unwrap();
    let [old, new, schema] = ["old", "new", "schema"].map(|name| directory.path().join(name));
    let file = in_row_groups(&rows(), true);
    fs::write(&old, &file[..end_of_pages(&file)]).unwrap();
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.5; 10]));
    let other = RecordBatch::try_from_iter([("other", numbers)]).unwrap();
    fs::write(&schema, in_row_groups(&other, true)).unwrap();
    let options = SalvageOptions::default().with_schema(&schema);
    let salvaged = salvage(&old, &new, &options).unwrap();
    assert_eq!((salvaged.rows, salvaged.left_out.len()), (0, 1));
    for damaged in [&b""[..], b"PAR1PAR1"] {
        fs::write(&old, damaged).unwrap();
        let error = salvage(&old, &new, &options).unwrap_err();
        assert!(error.to_string().contains("no page"), "{error}");
    }
}

#[test]
fn a_file_with_more_rows_than_the_limit_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let [old, new, schema] = ["old", "new", "schema"].map(|name| directory.path().join(name));
    let file = in_row_groups(&rows(), true);
    fs::write(&schema, &file).unwrap();
    for bytes in [&file[..], &file[..end_of_pages(&file)]] {
        fs::write(&old, bytes).unwrap();
        let options = SalvageOptions::default().with_schema(&schema);
        let error = salvage(&old, &new, &options.clone().with_row_limit(299)).unwrap_err();
        assert!(matches!(
            error.problem(),
            Problem::TooManyRows { rows: 300, .. }
        ));
        assert_eq!(error.place().file.as_ref(), Some(&old));
        assert!(!new.exists());
        let salvaged = salvage(&old, &new, &options.with_row_limit(300)).unwrap();
        assert_eq!(salvaged.rows, 300);
        fs::remove_file(&new).unwrap();
    }
}

/// Returns rows with a map of one entry, and of this number of entries in some rows, as a file without indexes.
fn with_maps(long: &[i64], entries: i64) -> Vec<u8> {
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    for row in 0..300 {
        for entry in 0..if long.contains(&row) { entries } else { 1 } {
            maps.keys().append_value(format!("k{entry}"));
            maps.values().append_value(row);
        }
        maps.append(true).unwrap();
    }
    let columns: [(&str, ArrayRef); 2] = [
        ("id", Arc::new(Int64Array::from_iter_values(0..300))),
        ("map", Arc::new(maps.finish())),
    ];
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_offset_index_disabled(true)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .build();
    let (rows, mut file) = (RecordBatch::try_from_iter(columns).unwrap(), Vec::new());
    let mut writer = ArrowWriter::try_new(&mut file, rows.schema(), Some(properties)).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    file
}

/// Replaces the last column of a file by that of another one.
fn with_last_column_of(file: &[u8], other: &[u8]) -> Vec<u8> {
    let footer = |file: &[u8]| -> FileMetaData {
        let end = end_of_pages(file);
        decode(&bytes::Bytes::copy_from_slice(&file[end..file.len() - 8])).unwrap()
    };
    let mut chunk: ColumnChunk = footer(other).row_groups[0].columns[2].decode().unwrap();
    let start = chunk.meta_data.data_page_offset as usize;
    let mut spliced = file[..end_of_pages(file)].to_vec();
    chunk.meta_data.data_page_offset = spliced.len() as i64;
    let length = chunk.meta_data.total_compressed_size as usize;
    spliced.extend_from_slice(&other[start..start + length]);
    let mut new = footer(file);
    new.row_groups[0].columns[2] = Encoded::new(&chunk).unwrap();
    let new = encode(&new).unwrap();
    spliced.extend_from_slice(&new);
    spliced.extend_from_slice(&(new.len() as u32).to_le_bytes());
    spliced.extend_from_slice(b"PAR1");
    spliced
}

#[test]
fn only_the_rows_of_a_map_whose_halves_have_different_lengths_are_lost() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    for long in [&[137][..], &[0, 299], &[5, 6, 7, 140, 141]] {
        let file = with_last_column_of(&with_maps(long, 2), &with_maps(long, 3));
        fs::write(&old, &file).unwrap();
        assert!(
            Reader::try_new(bytes::Bytes::from(file), 300)
                .unwrap()
                .any(|it| it.is_err())
        );
        let salvaged = salvage(&old, &new, &SalvageOptions::default()).unwrap();
        let kept = 300 - long.len();
        assert_eq!(salvaged.rows as usize, kept, "{:?}", salvaged.lost);
        assert_eq!(read(&new), (kept, kept));
        let mut lost: Vec<i64> = Vec::new();
        for it in &salvaged.lost {
            assert_eq!(it.row_group, 0);
            lost.extend(it.first_row as i64..(it.first_row + it.rows) as i64);
        }
        lost.sort_unstable();
        assert_eq!(lost, long);
        let rows = Reader::try_new(fs::File::open(&new).unwrap(), 300).unwrap();
        for batch in rows.map(Result::unwrap) {
            let ids = batch.column(0).as_primitive::<Int64Type>().values();
            let values = batch.column(1).as_map().values();
            assert_eq!(values.as_primitive::<Int64Type>().values(), ids);
        }
    }
}
