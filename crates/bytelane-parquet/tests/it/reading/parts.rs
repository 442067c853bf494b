//! Tests that threads which share a row group return the batches of one thread.

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::{
    Array, ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, StructArray,
};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::{Metrics, Reader, ReaderBuilder, arrow_array, arrow_schema, parquet};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use std::num::NonZero;
use std::sync::Arc;

const ROWS: usize = 20_000;

/// Returns numbers, strings with a dictionary, nulls, a struct, and lists of up to four numbers.
fn batch() -> RecordBatch {
    let rows = || 0..ROWS as i64;
    let names = rows().map(|row| format!("name {}", row * 7919 % 300));
    let prices = rows().map(|row| (row % 7 > 0).then_some(row as f64));
    let parts: ArrayRef = Arc::new(Int32Array::from_iter(
        rows().map(|row| (row % 5 > 1).then_some(row as i32 / 3)),
    ));
    let field = arrow_schema::Field::new("part", parts.data_type().clone(), true);
    let mut lists = ListBuilder::new(Int32Builder::new());
    for row in 0..ROWS as i32 {
        lists.values().extend((0..row * 31 % 5).map(Some));
        lists.append(row % 11 > 0);
    }
    let columns: [(&str, ArrayRef); 5] = [
        ("id", Arc::new(Int64Array::from_iter_values(rows()))),
        ("name", Arc::new(StringArray::from_iter_values(names))),
        ("price", Arc::new(Float64Array::from_iter(prices))),
        (
            "pair",
            Arc::new(StructArray::from(vec![(Arc::new(field), parts)])),
        ),
        ("list", Arc::new(lists.finish())),
    ];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn file(version: WriterVersion, is_indexed: bool, row_group_rows: usize) -> Bytes {
    let batch = batch();
    // The crate `parquet` writes an offset index with the statistics of pages.
    let statistics = if is_indexed {
        EnabledStatistics::Page
    } else {
        EnabledStatistics::Chunk
    };
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_statistics_enabled(statistics)
        .set_offset_index_disabled(!is_indexed)
        .set_data_page_row_count_limit(770)
        .set_write_batch_size(70)
        .set_max_row_group_row_count(Some(row_group_rows))
        .build();
    let mut file = Vec::new();
    let writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties));
    let mut writer = writer.expect("a writer");
    writer.write(&batch).expect("rows");
    writer.close().expect("a file");
    file.into()
}

fn read(builder: ReaderBuilder<Bytes>, threads: usize) -> (Vec<RecordBatch>, Metrics) {
    let builder = builder.with_threads(NonZero::new(threads).expect("not 0"));
    let mut reader = builder.build().expect("options");
    let batches = reader.by_ref().map(|batch| batch.expect("rows"));
    (batches.collect(), reader.metrics())
}

/// Returns ways of choosing rows and columns.
fn choices(builder: &ReaderBuilder<Bytes>) -> Vec<ReaderBuilder<Bytes>> {
    let filtered = |text: &str, columns: &[&str]| {
        let selection = Selection::default().with_filter(text.parse().expect("a condition"));
        let selection = selection.with_columns(columns.iter().copied());
        selection.choose(builder.clone()).expect("columns")
    };
    let columns = |names: &[&str]| {
        let chosen = builder.clone().with_columns(names.iter().copied());
        chosen.expect("columns")
    };
    let rows = [3000, 5000, 700, 2, 1, 9000, 30].iter().enumerate();
    let rows = rows.map(|(place, rows)| RowSelector {
        row_count: *rows,
        skip: place % 2 == 0,
    });
    let rows = RowSelection::from(rows.collect::<Vec<_>>());
    let every = ["id", "name", "price", "pair", "list"];
    vec![
        builder.clone(),
        columns(&["name"]),
        columns(&["id", "name", "price", "pair"]),
        columns(&[]),
        builder.clone().with_row_numbers("row"),
        builder.clone().with_offset(777).with_limit(11_111),
        builder.clone().with_row_selection(rows),
        filtered("name = 'name 8'", &every),
        filtered("id >= 1234 and price < 15000.5", &["name", "list", "pair"]),
        filtered("name > 'name 2' and id != 9000", &["id"]).with_row_numbers("row"),
        filtered("pair.part is null", &["price"])
            .with_offset(50)
            .with_limit(2000),
    ]
}

#[test]
fn all_numbers_of_threads_return_the_same_batches() {
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for (is_indexed, row_group_rows) in [(true, ROWS), (false, ROWS), (true, 6700)] {
            let file = file(version, is_indexed, row_group_rows);
            let builder = Reader::builder(file).expect("a footer");
            for (place, choice) in choices(&builder).into_iter().enumerate() {
                let batch_size = [100, 1541][place % 2];
                let choice = choice.with_batch_size(batch_size);
                let (alone, metrics) = read(choice.clone(), 1);
                assert!(alone.iter().map(RecordBatch::num_rows).sum::<usize>() > 60);
                for threads in [2, 5] {
                    let what = format!(
                        "{version:?}, {is_indexed}, {row_group_rows}, {place}, {threads} threads"
                    );
                    let (shared, found) = read(choice.clone(), threads);
                    assert!(shared == alone, "{what}");
                    // Rows after a limit may be read ahead.
                    assert!(found.rows_dropped >= metrics.rows_dropped, "{what}");
                }
            }
        }
    }
}

#[test]
fn threads_share_the_rows_of_a_row_group_unless_pages_of_lists_would_be_read_twice() {
    for is_indexed in [true, false] {
        let builder = Reader::builder(file(WriterVersion::PARQUET_1_0, is_indexed, ROWS));
        let builder = builder.expect("a footer").with_batch_size(1000);
        for (columns, can_split) in [
            (&["name", "price"][..], true),
            (&["name", "list"], is_indexed),
        ] {
            let builder = builder.clone().with_columns(columns.iter().copied());
            let builder = builder.expect("columns");
            let [one, two] = [1, 2].map(|threads| read(builder.clone(), threads).1.pages_read);
            // Dictionaries, and pages that hold the last rows of a part and the first ones of the next.
            let most = one + 16 * 2 * columns.len() as u64;
            assert_eq!(two > one, can_split, "{one} {two} {columns:?}");
            assert!(two <= most, "{two} {most} {columns:?}");
        }
    }
}

/// A page of the last tenth is damaged: the batches before it are returned, then the error of one thread.
#[test]
fn errors_name_the_same_place_after_the_same_batches() {
    let file = file(WriterVersion::PARQUET_2_0, true, ROWS);
    let builder = Reader::builder(file.clone()).expect("a footer");
    let (start, length) = builder.metadata().row_group(0).column(2).byte_range();
    for damage in [length * 9 / 10, length * 19 / 20] {
        let mut damaged = file.to_vec();
        damaged[(start + damage) as usize..][..3000].fill(0xff);
        let read = |threads: usize| {
            let builder = Reader::builder(Bytes::from(damaged.clone())).expect("a footer");
            let threads = NonZero::new(threads).expect("not 0");
            let reader = builder.with_batch_size(500).with_threads(threads);
            let results = reader.build().expect("options");
            let results = results.map(|it| it.map_err(|error| error.to_string()));
            results.collect::<Vec<_>>()
        };
        let alone = read(1);
        let error = alone.last().and_then(|last| last.as_ref().err());
        assert!(
            error.is_some_and(|it| it.contains("column price, page ")),
            "{error:?}"
        );
        assert!(alone.len() > 5);
        for threads in [2, 5] {
            assert!(
                read(threads) == alone,
                "{threads} threads: {:?}",
                read(threads).last()
            );
        }
    }
}
