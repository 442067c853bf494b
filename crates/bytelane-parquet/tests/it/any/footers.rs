//! Compares the footers of generated files in each form in which they can be read.

use arrow_array::{RecordBatch, RecordBatchReader};
use bytelane_parquet::format::{self, ChunkView, ElementView, FileView, Statistics, decode};
use bytelane_parquet::{ReaderBuilder, arrow_array, parquet};
use bytes::Bytes;
use parquet::file::metadata::ParquetMetaDataReader;

/// Compares the footer in three forms: borrowed, decoded on use, and restricted to one column.
pub fn check(file: &Bytes, column: &str) {
    let builder = ReaderBuilder::try_new(file.clone()).expect("a footer");
    let theirs = ParquetMetaDataReader::new().parse_and_finish(file);
    assert_eq!(**builder.metadata(), theirs.expect("a footer"));
    check_view(&crate::format::footer(file));

    let all = builder.with_columns([column]).expect("a column");
    let only = ReaderBuilder::try_new_with_columns(file.clone(), [column]).expect("a column");
    let (all, only) = (all.build(), only.build());
    // The crate `parquet` cannot read only a part of a map.
    let (Ok(all), Ok(only)) = (all, only) else {
        panic!("one of both is not read");
    };
    assert_eq!(all.schema(), only.schema());
    let rows = |it: &mut dyn Iterator<Item = Result<RecordBatch, _>>| {
        it.map(|batch| batch.expect("rows")).collect::<Vec<_>>()
    };
    assert!(rows(&mut { all }) == rows(&mut { only }), "other rows");
}

/// Compares a borrowed footer with the structs that keep everything.
fn check_view(footer: &Bytes) {
    let whole: format::FileMetaData = decode(footer).expect("a footer");
    let view: FileView<'_, ElementView<'_>> = format::view(footer).expect("a footer in order");
    assert!(view.unknown_fields.is_empty());
    assert_eq!(
        (view.version, view.num_rows),
        (whole.version, whole.num_rows)
    );
    assert_eq!(
        view.created_by.map(str::as_bytes),
        whole.created_by.as_deref()
    );
    let schema = view
        .schema
        .iter()
        .map(|it| (it.name, it.num_children, it.physical_type));
    let kept = whole
        .schema
        .iter()
        .map(|it| (&*it.name, it.num_children, it.physical_type));
    assert!(schema.eq(kept));
    let pairs = view.key_value_metadata.iter().flatten();
    let pairs: Vec<_> = pairs
        .map(|it| (it.key.as_bytes(), it.value.map(str::as_bytes)))
        .collect();
    let kept = whole.key_value_metadata.iter().flatten();
    let kept: Vec<_> = kept.map(|it| (&*it.key, it.value.as_deref())).collect();
    assert_eq!(pairs, kept);
    assert_eq!(view.row_groups.value.len(), whole.row_groups.len());
    for (view, whole) in view.row_groups.value.iter().zip(&whole.row_groups) {
        assert_eq!(view.num_rows, whole.num_rows);
        assert_eq!(view.sorting_columns, whole.sorting_columns);
        assert_eq!(view.columns.len(), whole.columns.len());
        for (view, whole) in view.columns.iter().zip(&whole.columns) {
            let view: ChunkView<'_> = view.decode(footer).expect("a chunk");
            assert!(view.is_regular());
            check_chunk(&view, &whole.decode().expect("a chunk"));
        }
    }
}

fn check_chunk(view: &ChunkView<'_>, whole: &format::ColumnChunk) {
    let (values, kept) = (&view.meta_data, &whole.meta_data);
    assert_eq!(
        view.file_path.map(str::as_bytes),
        whole.file_path.as_deref()
    );
    assert_eq!(view.offset_index_offset, whole.offset_index_offset);
    assert_eq!(view.offset_index_length, whole.offset_index_length);
    assert_eq!(values.codec, kept.codec);
    let sizes = |num_values, uncompressed, compressed, data, dictionary| {
        (num_values, uncompressed, compressed, data, dictionary)
    };
    assert_eq!(
        sizes(
            values.num_values,
            values.total_uncompressed_size,
            values.total_compressed_size,
            values.data_page_offset,
            values.dictionary_page_offset,
        ),
        sizes(
            kept.num_values,
            kept.total_uncompressed_size,
            kept.total_compressed_size,
            kept.data_page_offset,
            kept.dictionary_page_offset,
        ),
    );
    let statistics = kept
        .statistics
        .as_ref()
        .map(|it| it.decode().expect("bounds"));
    let viewed = values.statistics.as_ref().map(|it| Statistics {
        max: it.max.map(Bytes::copy_from_slice),
        min: it.min.map(Bytes::copy_from_slice),
        null_count: it.null_count,
        distinct_count: it.distinct_count,
        max_value: it.max_value.map(Bytes::copy_from_slice),
        min_value: it.min_value.map(Bytes::copy_from_slice),
        is_max_value_exact: it.is_max_value_exact,
        is_min_value_exact: it.is_min_value_exact,
        nan_count: it.nan_count,
        unknown_fields: Default::default(),
    });
    assert_eq!(viewed, statistics);
}
