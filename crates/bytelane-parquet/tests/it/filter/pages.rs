//! Tests pruning of pages by column indexes, and of row groups by Bloom filters.

use super::{filter, ids, selected, write};
use arrow_array::{
    ArrayRef, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array,
};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::{Reader, ReaderBuilder, arrow_array, parquet};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaDataBuilder};
use parquet::file::page_index::index_reader::decode_offset_index;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use std::ops::Range;
use std::sync::Arc;

/// Sets pages of 100 rows without dictionaries.
fn pages() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_write_batch_size(100)
        .set_data_page_row_count_limit(100)
}

fn chunk(file: &Bytes) -> ColumnChunkMetaData {
    let reader = Reader::builder(file.clone()).expect("a footer");
    reader.metadata().row_group(0).column(0).clone()
}

fn column_index(file: &Bytes) -> Range<usize> {
    let chunk = chunk(file);
    let start = chunk.column_index_offset().expect("a column index") as usize;
    start..start + chunk.column_index_length().expect("a length") as usize
}

/// Makes pages of the first column unreadable.
fn damage(file: &Bytes, pages: &[usize]) -> Bytes {
    let chunk = chunk(file);
    let start = chunk.offset_index_offset().expect("an offset index") as usize;
    let index = &file[start..start + chunk.offset_index_length().expect("a length") as usize];
    let index = decode_offset_index(index).expect("an offset index");
    let locations = index.page_locations();
    let mut bytes = file.to_vec();
    for page in pages {
        let start = locations[*page].offset as usize;
        bytes[start..start + locations[*page].compressed_page_size as usize].fill(0xff);
    }
    bytes.into()
}

/// Replaces a bound in the column index.
fn with_bounds(file: &Bytes, replaced: &[u8], by: &[u8]) -> Bytes {
    let mut bytes = file.to_vec();
    let index = column_index(file);
    let at = bytes[index.clone()]
        .windows(replaced.len())
        .position(|it| it == replaced);
    let at = index.start + at.expect("the bound");
    bytes[at..at + by.len()].copy_from_slice(by);
    bytes.into()
}

/// Changes the footer's metadata of the only chunk.
fn with_chunk(
    file: &Bytes,
    change: impl Fn(
        parquet::file::metadata::ColumnChunkMetaDataBuilder,
    ) -> parquet::file::metadata::ColumnChunkMetaDataBuilder,
) -> ReaderBuilder<Bytes> {
    let reader = Reader::builder(file.clone()).expect("a footer");
    let metadata = reader.metadata();
    let row_group = metadata.row_group(0).clone();
    let chunk = change(row_group.column(0).clone().into_builder())
        .build()
        .expect("a chunk");
    let row_group = row_group
        .into_builder()
        .set_column_metadata(vec![chunk])
        .build();
    let changed = ParquetMetaDataBuilder::new(metadata.file_metadata().clone())
        .add_row_group(row_group.expect("a row group"))
        .build();
    let metadata = ArrowReaderMetadata::try_new(Arc::new(changed), ArrowReaderOptions::new());
    ReaderBuilder::new_with_metadata(file.clone(), metadata.expect("a schema"))
}

fn count(selection: &Selection, file: &Bytes) -> usize {
    selected(selection, Reader::builder(file.clone()).expect("a footer")).num_rows()
}

fn fails(text: &str, file: &Bytes) -> bool {
    let rows = filter(text).read(Reader::builder(file.clone()).expect("a footer"));
    rows.expect("a selection").any(|batch| batch.is_err())
}

#[test]
fn excluded_pages_are_not_read() {
    let file = damage(&write(&ids(0..1000), pages().build()), &[0, 3, 9]);
    for (text, rows) in [
        ("id = 150", 1),
        ("id between 195 and 204", 10),
        ("id in (100, 250, 899, 5000)", 3),
        ("id > 399 and id < 850 and not id = 400", 449),
        ("id >= 100 and (id < 120 or id >= 280 and id < 300)", 40),
        ("id is null", 0),
    ] {
        assert_eq!(count(&filter(text), &file), rows, "{text}");
    }
    for text in [
        "id = 50",
        "id != 150",
        "id is not null",
        "id = 150 or id = 999",
    ] {
        assert!(fails(text, &file), "{text}");
    }
}

#[test]
fn other_columns_are_read_where_rows_are_left() {
    let batch = ids(0..1000);
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..1000).map(|it| format!("t{it}")),
    ));
    let batch = RecordBatch::try_from_iter([("text", texts), ("id", batch.column(0).clone())])
        .expect("columns");
    // Without statistics, no pages are excluded, but their rows are not needed.
    let properties = pages()
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let file = damage(&write(&batch, properties), &[0, 1, 2, 3, 5, 6, 7, 8, 9]);
    let read = selected(
        &filter("id = 450 or id = 420"),
        Reader::builder(file.clone()).expect("a footer"),
    );
    assert_eq!(
        read,
        batch
            .slice(420, 31)
            .project(&[0, 1])
            .and_then(|it| {
                let rows = [0_u32, 30].into_iter().collect::<UInt32Array>();
                arrow_select::take::take_record_batch(&it, &rows)
            })
            .expect("rows")
    );
    // Some batches end within pages, and some have no matching rows.
    let reader = Reader::builder(file.clone())
        .expect("a footer")
        .with_batch_size(37);
    assert_eq!(
        selected(&filter("id > 440 and id < 447"), reader),
        batch.slice(441, 6)
    );
    assert_eq!(count(&filter("id < 0"), &file), 0);
    assert!(fails("id = 399", &file));
}

#[test]
fn pages_of_nulls_are_excluded() {
    let values = (0..400).map(|row| (row / 100 % 2 == 0).then_some(row));
    let array: ArrayRef = Arc::new(values.collect::<Int64Array>());
    let batch = RecordBatch::try_from_iter([("id", array)]).expect("a column");
    let file = write(&batch, pages().build());
    let without_nulls = damage(&file, &[1, 3]);
    assert_eq!(count(&filter("id >= 0"), &without_nulls), 200);
    assert_eq!(count(&filter("not id = 0"), &without_nulls), 199);
    assert_eq!(count(&filter("id is not null"), &without_nulls), 200);
    assert!(fails("id is null", &without_nulls));
    let without_values = damage(&file, &[0, 2]);
    assert_eq!(count(&filter("id is null"), &without_values), 200);
}

#[test]
fn indexes_that_say_nothing_exclude_nothing() {
    let file = write(&ids(0..300), pages().build());
    let bound = |value: i64| value.to_le_bytes();
    // A bound greater than the page's greatest value excludes less, but is not wrong.
    let wide = with_bounds(&file, &bound(199), &bound(250));
    assert_eq!(count(&filter("id = 220"), &wide), 1);
    // The lower bound of the second page is greater than its upper bound.
    let contradictory = with_bounds(&file, &bound(100), &bound(500));
    assert_eq!(count(&filter("id = 150"), &contradictory), 1);
    assert_eq!(count(&filter("id = 150 or id = 550"), &contradictory), 1);
    // Wrong bounds that are not contradictory are trusted, as in other readers.
    let wrong = with_bounds(&file, &bound(199), &bound(101));
    assert_eq!(count(&filter("id = 150"), &wrong), 0);
    // Damaged indexes, and those of another file, are ignored.
    let mut damaged = file.to_vec();
    damaged[column_index(&file)].fill(0xff);
    assert_eq!(count(&filter("id = 150"), &damaged.into()), 1);
    for length in [None, Some(0), Some(3), Some(i32::MAX), Some(-1)] {
        let reader = with_chunk(&file, |chunk| chunk.set_column_index_length(length));
        assert_eq!(
            selected(&filter("id = 150"), reader).num_rows(),
            1,
            "{length:?}"
        );
    }
    for offset in [None, Some(-1), Some(i64::MAX), Some(4)] {
        let reader = with_chunk(&file, |chunk| chunk.set_column_index_offset(offset));
        assert_eq!(
            selected(&filter("id = 150"), reader).num_rows(),
            1,
            "{offset:?}"
        );
        let reader = with_chunk(&file, |chunk| chunk.set_offset_index_offset(offset));
        assert_eq!(
            selected(&filter("id = 150"), reader).num_rows(),
            1,
            "{offset:?}"
        );
    }
    // So is an index with a different number of pages.
    let other = write(&ids(0..900), pages().build());
    let (from, to) = (column_index(&other), column_index(&file));
    let bytes = Bytes::from([&file[..], &other[from.clone()]].concat());
    let reader = with_chunk(&file, |chunk| {
        chunk
            .set_column_index_offset(Some(file.len() as i64))
            .set_column_index_length(Some(from.len() as i32))
    });
    assert!(to.len() < from.len() && bytes.len() > file.len());
    let metadata =
        ArrowReaderMetadata::try_new(Arc::clone(reader.metadata()), ArrowReaderOptions::new());
    let reader = ReaderBuilder::new_with_metadata(bytes, metadata.expect("a schema"));
    assert_eq!(selected(&filter("id = 150"), reader).num_rows(), 1);
}

#[test]
fn bounds_that_are_not_numbers_exclude_nothing() {
    let floats = (0..300)
        .map(f64::from)
        .map(|it| if it == 150.0 { f64::NAN } else { it });
    let array: ArrayRef = Arc::new(Float64Array::from_iter_values(floats));
    let batch = RecordBatch::try_from_iter([("x", array)]).expect("a column");
    let file = write(&batch, pages().build());
    assert_eq!(count(&filter("x = 220"), &damage(&file, &[0, 1])), 1);
    // NaN differs from everything, whatever the bounds are.
    assert_eq!(count(&filter("not x <= 199"), &file), 101);
    assert_eq!(count(&filter("x != 5"), &file), 299);
    let wrong = with_bounds(&file, &199_f64.to_le_bytes(), &f64::NAN.to_le_bytes());
    assert_eq!(count(&filter("x = 199"), &wrong), 1);
}

#[test]
fn cut_bounds_are_no_values() {
    let long = |it: i32| format!("{}{it:03}", "x".repeat(20));
    let array: ArrayRef = Arc::new(StringArray::from_iter_values((0..300).map(long)));
    let batch = RecordBatch::try_from_iter([("x", array)]).expect("a column");
    let properties = pages()
        .set_column_index_truncate_length(Some(4))
        .set_statistics_truncate_length(Some(4));
    let file = write(&batch, properties.build());
    assert_eq!(count(&filter(&format!("x = '{}'", long(150))), &file), 1);
    assert_eq!(count(&filter(&format!("x < '{}'", long(1))), &file), 1);
    assert_eq!(count(&filter(&format!("x != '{}'", long(1))), &file), 299);
    assert_eq!(
        count(&filter("x like 'xxxxxxxxxxxxxxxxxxxx29%'"), &file),
        10
    );
    assert_eq!(count(&filter("x = 'xxxx'"), &file), 0);
    assert_eq!(count(&filter("x > 'xxxy'"), &file), 0);
}

/// Writes a file whose only column has a Bloom filter, no statistics, and unreadable pages.
fn with_bloom_filter(array: ArrayRef) -> Bytes {
    let batch = RecordBatch::try_from_iter([("x", array)]).expect("a column");
    let properties = pages()
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_fpp(1e-6)
        .set_statistics_enabled(EnabledStatistics::None);
    let file = write(&batch, properties.build());
    let (start, length) = chunk(&file).byte_range();
    let mut bytes = file.to_vec();
    bytes[start as usize..(start + length) as usize].fill(0xff);
    bytes.into()
}

#[test]
fn bloom_filters_exclude_values() {
    let numbers = with_bloom_filter(Arc::new(Int64Array::from_iter_values(
        (0..500).map(|it| 7 * it),
    )));
    let texts = (0..500).map(|it| format!("t{it}"));
    let texts = with_bloom_filter(Arc::new(StringArray::from_iter_values(texts)));
    let floats = with_bloom_filter(Arc::new(Float64Array::from(vec![-0.0, 0.1, f64::NAN])));
    let short = with_bloom_filter(Arc::new(Float32Array::from(vec![0.1, 2.5])));
    let unsigned = with_bloom_filter(Arc::new(UInt32Array::from(vec![u32::MAX, 1])));
    for (file, text) in [
        (&numbers, "x = 8"),
        (&numbers, "x in (-1, 9, 15, 7.5)"),
        (&numbers, "x = 1e30"),
        (&texts, "x = 'u'"),
        (&floats, "x = 0.2"),
        (&short, "x = 7.5"),
        (&unsigned, "x = 2"),
        (&unsigned, "x = -1"),
    ] {
        assert_eq!(count(&filter(text), file), 0, "{text}");
    }
    for (file, text) in [
        (&numbers, "x = 14"),
        (&numbers, "x in (-1, 21)"),
        (&numbers, "not x = 8"),
        (&numbers, "x > 8"),
        (&texts, "x = 't7'"),
        (&texts, "x like 'u%'"),
        // Zero has two signs, and 0.1 is the nearest float of the column's type.
        (&floats, "x = 0"),
        (&short, "x = 0.1"),
        (&unsigned, "x = 4294967295"),
    ] {
        assert!(fails(text, file), "{text}");
    }
}

#[test]
fn damaged_bloom_filters_exclude_nothing() {
    let array: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_from_iter([("x", array)]).expect("a column");
    let properties = pages()
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_fpp(1e-6)
        .set_statistics_enabled(EnabledStatistics::None);
    let file = write(&batch, properties.build());
    assert_eq!(count(&filter("x = 4"), &file), 0);
    let length = chunk(&file).bloom_filter_length().expect("a length");
    for length in [Some(0), Some(1), Some(20), Some(-1), Some(i32::MAX), None] {
        let reader = with_chunk(&file, |chunk| chunk.set_bloom_filter_length(length));
        assert_eq!(
            selected(&filter("x = 3"), reader).num_rows(),
            1,
            "{length:?}"
        );
    }
    for offset in [0, -5, 1, i64::MAX, file.len() as i64 - 9] {
        let reader = with_chunk(&file, |chunk| chunk.set_bloom_filter_offset(Some(offset)));
        assert_eq!(selected(&filter("x = 3"), reader).num_rows(), 1, "{offset}");
    }
    assert!(length > 32);
}

#[test]
fn headers_exclude_pages_of_files_without_indexes() {
    let properties = pages()
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_write_page_header_statistics(true);
    let file = write(&ids(0..1000), properties.build());
    let without_indexes = || {
        with_chunk(&file, |chunk| {
            let chunk = chunk.set_column_index_offset(None);
            let chunk = chunk.set_column_index_length(None);
            chunk
                .set_offset_index_offset(None)
                .set_offset_index_length(None)
        })
    };
    for (text, rows, pages) in [
        ("id = 150", 1, 1),
        ("id between 195 and 204", 10, 2),
        ("id in (100, 250, 899, 5000)", 3, 3),
        ("not id < 900 and id != 950", 99, 1),
        ("id is not null", 1000, 10),
    ] {
        for (is_on, read) in [(true, pages), (false, 10)] {
            let builder = without_indexes().with_header_pruning(is_on);
            let mut selected = filter(text).read(builder).expect("a selection");
            let found = selected.by_ref().map(|it| it.expect("rows").num_rows());
            assert_eq!(found.sum::<usize>(), rows, "{text}");
            assert_eq!(selected.metrics().pages_read, read, "{text}");
        }
    }
}
