//! Tests that salvaged files can be read, and have no values that contradict what the file says.

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, StringArray};
use bytelane_parquet::check::{CheckOptions, Severity, check};
use bytelane_parquet::repair::{SalvageOptions, salvage};
use bytelane_parquet::{Reader, Writer, WriterOptions};
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
            .with_page_rows(50);
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
            let is_its = |lost: &&bytelane_parquet::repair::LostPart| {
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
    let inspection = bytelane_parquet::inspect::inspect(&old).unwrap();
    let page = &inspection.row_groups[0].columns[1].pages[0];
    let range = page.offset as usize + 40..(page.offset + page.compressed) as usize;
    file[range].fill(0xee);
    fs::write(&old, &file).unwrap();
    let salvaged = salvage(&old, &new, &SalvageOptions::default()).unwrap();
    assert_eq!((salvaged.rows, salvaged.rows_before), (0, 300));
    assert_eq!(salvaged.intact_columns, ["id", "list"]);
    let options = SalvageOptions::default().with_columns(&salvaged.intact_columns);
    let salvaged = salvage(&old, &new, &options).unwrap();
    assert_eq!((salvaged.rows, salvaged.lost.len()), (300, 0));
    assert_eq!(read(&new), (300, 300));
    let options = SalvageOptions::default().with_columns(["other"]);
    let error = salvage(&old, &new, &options).unwrap_err();
    assert!(error.to_string().contains("no column \"other\""), "{error}");
}
