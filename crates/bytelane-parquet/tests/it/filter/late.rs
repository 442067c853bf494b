//! Tests that predicates are evaluated before other columns are read.

use super::{batch, selected, write};
use crate::any::arrays::Numbers;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, RecordBatchReader, StringArray,
};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat_batches;
use bytelane_parquet::filter::Selection;
use bytelane_parquet::{Reader, arrow_array, arrow_schema, parquet};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicate, ArrowPredicateFn, ParquetRecordBatchReaderBuilder, RowFilter, RowSelection,
    RowSelector,
};
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
