//! Tests that predicates are evaluated before other columns are read.

use super::{batch, selected, write};
use crate::any::arrays::Numbers;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, FixedSizeBinaryArray, Float64Array, Int8Array,
    Int64Array, RecordBatch, RecordBatchReader, StringArray, TimestampMicrosecondArray,
    UInt64Array,
};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use bytelane_parquet::filter::Selection;
use bytelane_parquet::{Reader, arrow_array, arrow_schema, parquet};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicate, ArrowPredicateFn, ParquetRecordBatchReaderBuilder, RowFilter, RowSelection,
    RowSelector,
};
use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::SchemaDescriptor;
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Returns predicates that keep a fraction of the rows, chosen by a hash of their values.
fn predicates(seed: u64, schema: &SchemaDescriptor, columns: usize) -> RowFilter {
    let mut numbers = Numbers::new(seed);
    let predicates = (0..1 + numbers.below(3)).map(|_| {
        let leaves: Vec<usize> = (0..1 + numbers.below(2))
            .map(|_| numbers.below(columns))
            .collect();
        let one_of = [1, 2, 5, 40][numbers.below(4)];
        let has_nulls = numbers.below(2) == 0;
        let projection = ProjectionMask::leaves(schema, leaves);
        let keep = move |batch: RecordBatch| {
            let rows = (0..batch.num_rows()).map(|row| {
                let text = |column: &ArrayRef| format!("{:?}", plain(column).slice(row, 1));
                let texts = batch.columns().iter().map(text);
                let hash = texts
                    .flat_map(String::into_bytes)
                    .fold(7_usize, |hash, byte| {
                        hash.wrapping_mul(31).wrapping_add(usize::from(byte))
                    });
                (!has_nulls || hash % 7 > 0).then_some(hash % one_of == 0)
            });
            Ok(BooleanArray::from_iter(rows))
        };
        Box::new(ArrowPredicateFn::new(projection, keep)) as Box<dyn ArrowPredicate>
    });
    RowFilter::new(predicates.collect())
}

/// Returns the array without a dictionary, whose debug output would show all entries.
fn plain(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Dictionary(_, values) => cast(array, values).expect("values"),
        _ => Arc::clone(array),
    }
}

fn rows(reader: impl RecordBatchReader) -> RecordBatch {
    let schema = reader.schema();
    let batches: Result<Vec<_>, _> = reader.collect();
    concat_batches(&schema, &batches.expect("rows")).expect("one schema")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn predicates_keep_the_rows_that_the_crate_parquet_keeps(seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let count = 1 + numbers.below(300);
        let batch = batch(&mut numbers, count);
        let file = super::file(&mut numbers, &batch);
        let theirs = ParquetRecordBatchReaderBuilder::try_new(file.clone()).expect("a footer");
        let schema = theirs.parquet_schema();
        let columns = schema.num_columns();
        let returned: Vec<usize> = (0..columns).filter(|_| numbers.below(3) == 0).collect();
        let projection = ProjectionMask::leaves(schema, returned);
        let (offset, limit) = (numbers.below(10), [5, 1 << 20][numbers.below(2)]);
        let selection: RowSelection = (0..10).map(|it| RowSelector {
            row_count: numbers.below(count),
            skip: it % 3 == 0,
        }).collect::<Vec<_>>().into();
        let has_selection = numbers.below(2) == 0;
        let ours = Reader::builder(file).expect("a footer")
            .with_projection(projection.clone())
            .with_batch_size(1 + numbers.below(100))
            .with_threads(NonZero::new(1 + numbers.below(2)).expect("threads"))
            .with_row_filter(predicates(seed, schema, columns))
            .with_offset(offset)
            .with_limit(limit);
        let filter = predicates(seed, schema, columns);
        let theirs = theirs.with_projection(projection).with_row_filter(filter).with_offset(offset).with_limit(limit);
        let (ours, theirs) = if has_selection {
            let kept: Vec<RowSelector> = selection.iter().copied().scan(0, |at, it| {
                let row_count = it.row_count.min(count - *at);
                *at += row_count;
                Some(RowSelector { row_count, skip: it.skip })
            }).collect();
            (ours.with_row_selection(kept.clone().into()), theirs.with_row_selection(kept.into()))
        } else {
            (ours, theirs)
        };
        prop_assert_eq!(rows(ours.build().expect("a reader")), rows(theirs.build().expect("a reader")));
    }
}

fn table(rows: i64) -> Bytes {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
        (0..rows).map(|it| format!("t{}", it % 5)),
    ));
    let batch = RecordBatch::try_from_iter([("id", ids), ("text", texts)]).expect("columns");
    write(
        &batch,
        WriterProperties::builder()
            .set_max_row_group_row_count(Some(100))
            .build(),
    )
}

#[test]
fn a_predicate_sees_the_rows_that_others_leave() {
    let builder = Reader::builder(table(300)).expect("a footer");
    let projection = ProjectionMask::columns(builder.parquet_schema(), ["id"]);
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    let first = ArrowPredicateFn::new(projection.clone(), |batch: RecordBatch| {
        Ok(BooleanArray::from_unary(
            batch.column(0).as_primitive::<Int64Type>(),
            |id| id % 3 == 0,
        ))
    });
    let second = ArrowPredicateFn::new(projection, move |batch: RecordBatch| {
        assert_eq!(batch.num_columns(), 1);
        counted.fetch_add(batch.num_rows(), Ordering::Relaxed);
        let ids = batch.column(0).as_primitive::<Int64Type>();
        assert!(ids.values().iter().all(|id| id % 3 == 0));
        Ok(BooleanArray::from_unary(ids, |id| id % 2 == 0))
    });
    let filter = RowFilter::new(vec![Box::new(first), Box::new(second)]);
    let read = rows(
        builder
            .with_row_filter(filter)
            .with_batch_size(30)
            .build()
            .expect("a reader"),
    );
    let ids = read.column(0).as_primitive::<Int64Type>();
    assert!(ids.values().iter().copied().eq((0..300).step_by(6)));
    assert_eq!(seen.load(Ordering::Relaxed), 100);
}

#[test]
fn errors_of_predicates_are_those_of_the_reader() {
    let failing: [fn(RecordBatch) -> Result<BooleanArray, ArrowError>; 2] = [
        |_| Err(ArrowError::ComputeError("no luck".to_owned())),
        |_| Ok(BooleanArray::from(vec![true])),
    ];
    for (predicate, message) in failing
        .into_iter()
        .zip(["no luck", "1 results for 100 rows"])
    {
        let builder = Reader::builder(table(300)).expect("a footer");
        let projection = ProjectionMask::columns(builder.parquet_schema(), ["id"]);
        let predicate = ArrowPredicateFn::new(projection, predicate);
        let filter = RowFilter::new(vec![Box::new(predicate)]);
        let mut reader = builder.with_row_filter(filter).build().expect("a reader");
        let error = reader
            .next()
            .expect("an error")
            .expect_err("an error")
            .to_string();
        assert!(error.contains(message), "{error}");
        assert!(reader.next().is_none());
    }
}

#[test]
fn texts_of_a_condition_alone_are_compared_once_per_entry() {
    let file = table(1000);
    let read = |text: &str, columns: &[&str]| {
        let selection = Selection::default().with_filter(text.parse().expect("a condition"));
        let selection = selection.with_columns(columns.iter().copied());
        selected(&selection, Reader::builder(file.clone()).expect("a footer"))
    };
    for text in [
        "text = 't3'",
        "text like '%3'",
        "text in ('t3', 'u')",
        "not text != 't3' and text > 't2'",
    ] {
        let ids = read(text, &["id"]);
        let ids = ids.column(0).as_primitive::<Int64Type>();
        assert!(
            ids.values().iter().copied().eq((3..1000).step_by(5)),
            "{text}"
        );
        let both = read(text, &["id", "text"]);
        let texts = both.column(1).as_string::<i32>();
        assert!(
            texts.len() == 200 && texts.iter().all(|it| it == Some("t3")),
            "{text}"
        );
    }
}

/// Returns rows of several types with few distinct values each, in any order and in runs.
fn repeated() -> RecordBatch {
    let rows = || 0..3000_i64;
    let some = |it: i64| (it % 13 > 0).then_some(it * 7 % 11);
    let floats =
        rows().map(|it| some(it).map(|it| if it == 5 { f64::NAN } else { it as f64 / 2.0 }));
    let unsigned = rows().map(|it| some(it).map(|it| u64::MAX - it as u64));
    let decimals = rows().map(|it| some(it).map(|it| i128::from(it) * 25 - 100));
    let decimals = Decimal128Array::from_iter(decimals).with_precision_and_scale(20, 2);
    let times = TimestampMicrosecondArray::from_iter(rows().map(some)).with_timezone("UTC");
    let bytes = rows().map(|it| some(it).map(|it| [it as u8; 3]));
    let bytes = FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes, 3);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("row", Arc::new(Int64Array::from_iter_values(rows()))),
        ("float", Arc::new(floats.collect::<Float64Array>())),
        ("unsigned", Arc::new(unsigned.collect::<UInt64Array>())),
        ("decimal", Arc::new(decimals.expect("a scale"))),
        ("time", Arc::new(times)),
        ("bytes", Arc::new(bytes.expect("bytes"))),
        (
            "small",
            Arc::new(
                rows()
                    .map(|it| some(it).map(|it| it as i8))
                    .collect::<Int8Array>(),
            ),
        ),
        (
            "run",
            Arc::new(
                rows()
                    .map(|it| (it % 1000 > 2).then_some(it / 700))
                    .collect::<Int64Array>(),
            ),
        ),
        (
            "flag",
            Arc::new(
                rows()
                    .map(|it| (it % 1000 > 2).then_some(it / 500 % 2 == 0))
                    .collect::<BooleanArray>(),
            ),
        ),
        (
            "text",
            Arc::new(
                rows()
                    .map(|it| some(it).map(|it| format!("t{it}")))
                    .collect::<StringArray>(),
            ),
        ),
    ];
    let columns = columns
        .into_iter()
        .map(|(name, array)| (name, array, name != "row"));
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns")
}

/// Leaves out which pages have which encoding, as Polars and DuckDB do.
fn without_encodings_of_pages(file: &Bytes) -> Bytes {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(file);
    let mut metadata = metadata.expect("a footer").into_builder();
    let groups = metadata.take_row_groups().into_iter().map(|group| {
        let mut group = group.into_builder();
        let chunks = group.take_columns().into_iter().map(|chunk| {
            let chunk = chunk.into_builder().clear_page_encoding_stats().build();
            chunk.expect("a chunk")
        });
        let chunks = chunks.collect();
        let group = group.set_column_metadata(chunks).build();
        group.expect("a row group")
    });
    let metadata = metadata.set_row_groups(groups.collect()).build();
    let length = u32::from_le_bytes(*file[..file.len() - 4].last_chunk().expect("a length"));
    let mut changed = file[..file.len() - 8 - length as usize].to_vec();
    let writer = ParquetMetaDataWriter::new(&mut changed, &metadata);
    let writer = writer.with_preserve_page_index_locations(true);
    writer.finish().expect("a footer");
    changed.into()
}

#[test]
fn dictionaries_keep_the_rows_that_plain_values_keep() {
    let batch = repeated();
    let file = |has_dictionary, most| {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(has_dictionary)
            .set_dictionary_page_size_limit(most)
            .set_data_page_row_count_limit(400)
            .set_write_batch_size(100)
            .set_max_row_group_row_count(Some(1700));
        write(&batch, properties.build())
    };
    let plain = file(false, 1000);
    let dictionaries = [
        file(true, 1 << 20),
        without_encodings_of_pages(&file(true, 1 << 20)),
        // Only the first pages have indices.
        without_encodings_of_pages(&file(true, 30)),
    ];
    for condition in [
        "float > 1.5",
        "not float > 1.5",
        "float != 2 and not float is null",
        "float in (1, 2.5)",
        "float is null or float < 1",
        "unsigned > 18446744073709551609",
        "unsigned != 18446744073709551615",
        "decimal between -0.5 and 0.75",
        "not decimal in (0, 0.25, 7)",
        "time >= '1970-01-01T00:00:00.000004'",
        "small > 1000",
        "small < 1000",
        "not small = 3",
        "run = 2",
        "run in (0, 3) and not run is null",
        "run > 1 and flag = true",
        "flag != true",
        "not flag is null",
        "text in ('t3', 't9', 'u') and float > 1",
        "text is null and run <= 1",
        "text > 't4' or small = 1",
        "unsigned > 0 and decimal < 0.5 and time is null",
        "decimal < 0.5 and run = 1 and text like 't%'",
    ] {
        for columns in [
            None,
            Some(vec!["row"]),
            Some(vec!["run", "decimal", "text"]),
            Some(vec![]),
        ] {
            let read = |file: &Bytes, size| {
                let mut selection =
                    Selection::default().with_filter(condition.parse().expect("a condition"));
                if let Some(columns) = &columns {
                    selection = selection.with_columns(columns.iter().copied());
                }
                selected(
                    &selection,
                    selection
                        .open(file.clone())
                        .expect("a footer")
                        .with_batch_size(size),
                )
            };
            let expected = read(&plain, 65_536);
            for (file, size) in dictionaries.iter().flat_map(|it| [(it, 65_536), (it, 333)]) {
                let kept = read(file, size);
                // Arrow compares the bits of floats.
                assert_eq!(kept, expected, "{condition}");
            }
        }
    }
}

/// Returns a filter that keeps the rows whose numbers, in the column "row", satisfy a rule.
fn by_row(schema: &SchemaDescriptor, keep: fn(i64) -> bool) -> RowFilter {
    let projection = ProjectionMask::columns(schema, ["row"]);
    let predicate = ArrowPredicateFn::new(projection, move |batch: RecordBatch| {
        let rows = batch.column(0).as_primitive::<Int64Type>();
        Ok(BooleanArray::from_unary(rows, keep))
    });
    RowFilter::new(vec![Box::new(predicate)])
}

#[test]
fn rows_are_dropped_while_columns_are_decoded() {
    let mut numbers = Numbers::new(5);
    let other = batch(&mut numbers, 9000);
    let row: ArrayRef = Arc::new(Int64Array::from_iter_values(0..9000));
    let fields = other.schema().fields().iter().cloned().collect::<Vec<_>>();
    let columns = fields.into_iter().zip(other.columns().iter().cloned());
    let columns = columns.map(|(field, array)| (field.name().clone(), array, true));
    let columns = columns.chain([("row".to_owned(), row, false)]);
    let whole = RecordBatch::try_from_iter_with_nullable(columns).expect("columns");
    let rules: [fn(i64) -> bool; 6] = [
        |row| row % 50 != 7,
        |row| row % 50 == 7,
        |row| row * 7919 % 1009 < 500,
        |row| row / 300 % 2 == 0,
        |row| row > 2047 && row / 130 % 3 == 0,
        |row| row == 8999,
    ];
    for has_dictionary in [true, false] {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(has_dictionary)
            .set_data_page_row_count_limit(1500)
            .set_write_batch_size(500)
            .set_max_row_group_row_count(Some(7000));
        let file = write(&whole, properties.build());
        let all = rows(Reader::try_new(file.clone(), 9000).expect("a footer"));
        for (number, rule) in rules.into_iter().enumerate() {
            let kept: BooleanArray = (0..9000).map(|row| Some(rule(row))).collect();
            let expected = filter_record_batch(&all, &kept).expect("rows");
            for (least_gap, size) in [
                (None, 65_536),
                (Some(64), 5000),
                (Some(1000), 65_536),
                (Some(usize::MAX), 3001),
            ] {
                let builder = Reader::builder(file.clone()).expect("a footer");
                let filter = by_row(builder.parquet_schema(), rule);
                let builder = builder.with_row_filter(filter).with_batch_size(size);
                let builder = match least_gap {
                    Some(rows) => builder.with_least_gap(rows),
                    None => builder,
                };
                let read = rows(builder.build().expect("a reader"));
                assert_eq!(read, expected, "rule {number}, gaps of {least_gap:?}");
            }
        }
    }
}
