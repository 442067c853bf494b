//! Tests `repair`: the parts that it adds, and that pages are unchanged.

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, StringArray};
use bytelane_parquet_files::check::{CheckOptions, check};
use bytelane_parquet_files::inspect::{InspectOptions, Inspection, inspect};
use bytelane_parquet_files::repair::{RepairOptions, repair};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{
    EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion,
};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn rows() -> RecordBatch {
    let lists =
        (0..3000).map(|row| (row % 5 > 0).then(|| (0..row % 4).map(move |at| Some(at * row))));
    let texts = (0..3000).map(|row| (row % 7 > 0).then(|| format!("text {}", row % 90)));
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(Int64Array::from_iter_values(0..3000))),
        ("text", Arc::new(StringArray::from_iter(texts))),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
        ),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
        .unwrap()
}

/// Returns [`rows`] as a file of the crate `parquet`.
fn written(properties: WriterPropertiesBuilder) -> Vec<u8> {
    let mut file = Vec::new();
    let (rows, properties) = (rows(), properties.build());
    let mut writer = ArrowWriter::try_new(&mut file, rows.schema(), Some(properties)).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
    file
}

/// Returns the bytes of all pages.
fn pages(path: &Path, inspection: &Inspection) -> Vec<Vec<u8>> {
    let file = fs::read(path).unwrap();
    let columns = inspection
        .row_groups
        .iter()
        .flat_map(|group| &group.columns);
    let pages = columns.flat_map(|column| &column.pages);
    pages
        .map(|page| file[page.offset as usize..(page.offset + page.compressed) as usize].to_vec())
        .collect()
}

#[test]
fn indexes_are_added_and_pages_stay() {
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for (statistics, indexed) in [(EnabledStatistics::None, 0), (EnabledStatistics::Page, 6)] {
            let properties = WriterProperties::builder()
                .set_writer_version(version)
                .set_statistics_enabled(statistics)
                .set_write_page_header_statistics(true)
                .set_offset_index_disabled(true)
                .set_max_row_group_row_count(Some(1500))
                .set_data_page_row_count_limit(400)
                .set_write_batch_size(100);
            fs::write(&old, written(properties)).unwrap();
            let options = RepairOptions::default().with_verify(true);
            let repaired = repair(&old, &new, &options).unwrap();
            assert!(repaired.verified);
            assert_eq!((repaired.chunks, repaired.after.offset_indexes), (6, 6));
            assert_eq!(repaired.after.column_indexes, indexed, "{repaired:?}");
            assert_eq!(repaired.after.encoding_stats, 6);
            let (before, after) = (
                inspect(&old, &InspectOptions::default()).unwrap(),
                inspect(&new, &InspectOptions::default()).unwrap(),
            );
            assert_eq!(pages(&old, &before), pages(&new, &after));
            let checked = check(&new, &CheckOptions::default().with_values(true)).unwrap();
            assert_eq!(checked.findings, Vec::new());
        }
    }
}

#[test]
fn nan_are_counted_filters_added_and_the_writer_stays() {
    use arrow_array::Float64Array;
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    let floats = (0..3000).map(|row| {
        (row % 6 > 0).then_some(if row % 5 == 0 {
            f64::NAN
        } else {
            (row % 40).into()
        })
    });
    let texts = (0..3000).map(|row| format!("text {}", row % 90));
    let columns: [(&str, ArrayRef); 2] = [
        ("float", Arc::new(Float64Array::from_iter(floats))),
        ("text", Arc::new(StringArray::from_iter_values(texts))),
    ];
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    for dictionary in [true, false] {
        let properties = WriterProperties::builder()
            .set_created_by("some writer version 1.2.3".to_owned())
            .set_dictionary_enabled(dictionary)
            .set_data_page_row_count_limit(700)
            .set_write_batch_size(100);
        let mut file = Vec::new();
        let properties = properties.build();
        let mut writer = ArrowWriter::try_new(&mut file, rows.schema(), Some(properties)).unwrap();
        writer.write(&rows).unwrap();
        writer.close().unwrap();
        fs::write(&old, file).unwrap();
        let options = RepairOptions::default()
            .with_bloom_filters(["text", "float"].map(str::to_owned).to_vec())
            .with_verify(true);
        let repaired = repair(&old, &new, &options).unwrap();
        assert_eq!(repaired.after.bloom_filters, 2);
        assert_eq!(repaired.after.nan_counts, 1, "{repaired:?}");
        let (before, after) = (
            inspect(&old, &InspectOptions::default()).unwrap(),
            inspect(&new, &InspectOptions::default()).unwrap(),
        );
        assert_eq!(pages(&old, &before), pages(&new, &after));
        let checked = check(&new, &CheckOptions::default().with_values(true)).unwrap();
        assert_eq!(checked.findings, Vec::new());
        let bytes = bytes::Bytes::from(fs::read(&new).unwrap());
        let options = parquet::file::serialized_reader::ReadOptionsBuilder::new().build();
        let reader = parquet::file::serialized_reader::SerializedFileReader::new_with_options(
            bytes, options,
        );
        let reader = reader.unwrap();
        use parquet::file::reader::FileReader;
        let metadata = reader.metadata();
        assert_eq!(
            metadata.file_metadata().created_by(),
            Some("some writer version 1.2.3")
        );
        let mut filter = Vec::new();
        let place = metadata.row_group(0).column(1);
        let (start, length) = (
            place.bloom_filter_offset().unwrap(),
            place.bloom_filter_length().unwrap(),
        );
        filter.extend_from_slice(
            &fs::read(&new).unwrap()[start as usize..(start + i64::from(length)) as usize],
        );
        let filter = &filter[filter.len() % 32..];
        let filter = parquet::bloom_filter::Sbbf::new(filter);
        assert!((0..90).all(|at| filter.check(&format!("text {at}").as_str())));
        assert!(
            (90..400)
                .filter(|at| filter.check(&format!("text {at}").as_str()))
                .count()
                < 20
        );
    }
    let options = RepairOptions::default().with_bloom_filters(vec!["none".to_owned()]);
    let error = repair(&old, &new, &options).unwrap_err();
    assert!(
        error.to_string().contains("the columns are float, text"),
        "{error}"
    );
}

/// Reads all rows with the crate `parquet`.
fn read(path: &Path) -> RecordBatch {
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    let file = bytes::Bytes::from(fs::read(path).unwrap());
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let schema = Arc::clone(builder.schema());
    let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    arrow_select::concat::concat_batches(&schema, &batches).unwrap()
}

#[test]
fn rows_of_intact_pages_are_salvaged() {
    use bytelane_parquet_files::repair::{SalvageOptions, salvage};
    let directory = tempfile::tempdir().unwrap();
    let (old, new) = (directory.path().join("old"), directory.path().join("new"));
    for (indexed, dictionary) in [(true, true), (true, false), (false, true), (false, false)] {
        let properties = WriterProperties::builder()
            .set_offset_index_disabled(!indexed)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_dictionary_enabled(dictionary)
            .set_compression(parquet::basic::Compression::SNAPPY)
            .set_max_row_group_row_count(Some(1500))
            .set_data_page_row_count_limit(400)
            .set_write_batch_size(100);
        let file = written(properties);
        fs::write(&old, &file).unwrap();
        let salvaged = salvage(&old, &new, &SalvageOptions::default()).unwrap();
        assert_eq!((salvaged.rows, salvaged.lost.len()), (3000, 0));
        assert_eq!(read(&new), rows());
        let inspection = inspect(&old, &InspectOptions::default()).unwrap();
        for group in 0..2 {
            for column in 0..3 {
                let pages = &inspection.row_groups[group].columns[column].pages;
                for (number, page) in pages.iter().enumerate() {
                    let mut damaged = file.clone();
                    let range = page.offset as usize..(page.offset + page.compressed) as usize;
                    damaged[range].fill(0xee);
                    fs::write(&old, &damaged).unwrap();
                    let salvaged = salvage(&old, &new, &SalvageOptions::default()).unwrap();
                    let place = format!("{indexed} {dictionary} {group} {column} {number}");
                    assert!(
                        (1500..3000).contains(&salvaged.rows),
                        "{place}: {salvaged:?}"
                    );
                    assert!(salvaged.lost.iter().all(|it| it.row_group == group));
                    let of_dictionary = dictionary && number == 0;
                    if indexed && !of_dictionary {
                        assert_eq!(salvaged.lost.len(), 1);
                        assert!(salvaged.rows >= 2500, "{place}: {salvaged:?}");
                    }
                    // All other rows are present, in order.
                    let mut wanted = Vec::new();
                    let lost = |row: u64| {
                        let mut all = salvaged.lost.iter();
                        all.any(|it| {
                            let first = it.row_group as u64 * 1500 + it.first_row;
                            (first..first + it.rows).contains(&row)
                        })
                    };
                    for row in (0..3000).filter(|row| !lost(*row)) {
                        wanted.push(row as u32);
                    }
                    let wanted = arrow_array::UInt32Array::from(wanted);
                    let wanted = arrow_select::take::take_record_batch(&rows(), &wanted).unwrap();
                    assert_eq!(read(&new), wanted, "{place}");
                    let checked = check(&new, &CheckOptions::default().with_values(true)).unwrap();
                    assert_eq!(checked.findings, Vec::new());
                }
            }
        }
        let error = salvage(&old, &old, &SalvageOptions::default()).unwrap_err();
        assert!(error.to_string().contains("name another"), "{error}");
        let mut damaged = file.clone();
        let end = damaged.len() - 20;
        damaged[end - 300..end].fill(0xee);
        fs::write(&old, &damaged).unwrap();
        assert!(
            salvage(
                &old,
                directory.path().join("none"),
                &SalvageOptions::default()
            )
            .is_err()
        );
    }
}
