//! Tests how rows that a predicate drops are passed over: decoded, or skipped.

use super::write;
use crate::any::arrays::Numbers;
use arrow_array::cast::AsArray;
use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, Int32Array, Int64Array, LargeBinaryArray, RecordBatch,
    RecordBatchReader, StringArray,
};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use bytelane_parquet::{Metrics, Reader, arrow_array, parquet};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowPredicateFn, RowFilter};
use parquet::basic::Encoding;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use std::sync::Arc;

/// Reads the rows for which the column "keep" is true.
fn kept(file: &Bytes, least_gap: Option<usize>) -> (RecordBatch, Metrics) {
    let builder = Reader::builder(file.clone()).expect("a footer");
    let projection = ProjectionMask::columns(builder.parquet_schema(), ["keep"]);
    let keep = |batch: RecordBatch| Ok(batch.column(0).as_boolean().clone());
    let filter = RowFilter::new(vec![Box::new(ArrowPredicateFn::new(projection, keep))]);
    let builder = builder.with_row_filter(filter);
    let builder = match least_gap {
        Some(rows) => builder.with_least_gap(rows),
        None => builder,
    };
    let mut reader = builder.build().expect("a reader");
    let schema = reader.schema();
    let batches: Result<Vec<_>, _> = reader.by_ref().collect();
    let rows = concat_batches(&schema, &batches.expect("rows")).expect("one schema");
    (rows, reader.metrics())
}

fn properties(
    encodings: &[(&str, Encoding)],
    page_rows: usize,
) -> parquet::file::properties::WriterPropertiesBuilder {
    let properties = WriterProperties::builder()
        .set_data_page_row_count_limit(page_rows)
        .set_write_batch_size(page_rows.min(500));
    encodings
        .iter()
        .fold(properties, |properties, (name, encoding)| {
            let column = ColumnPath::from(*name);
            let properties = properties.set_column_dictionary_enabled(
                column.clone(),
                *encoding == Encoding::RLE_DICTIONARY,
            );
            if *encoding == Encoding::RLE_DICTIONARY {
                properties
            } else {
                properties.set_column_encoding(column, *encoding)
            }
        })
}

#[test]
fn only_values_that_are_kept_are_copied() {
    const ROWS: usize = 30_000;
    let text = |row: usize| format!("{row} {}", "é".repeat(row * 7919 % 11 * (row % 7)));
    let few = |row: usize| format!("{}", row * 31 % 50);
    let long = |row: usize| format!("{}{}", "long ".repeat(row * 31 % 20), row * 31 % 20);
    let texts = |of: &dyn Fn(usize) -> String| -> ArrayRef {
        Arc::new(StringArray::from_iter_values((0..ROWS).map(of)))
    };
    let decimals = (0..ROWS).map(|row| row as i128 * 7919 % 4000 - 2000);
    let columns: Vec<(&str, Encoding, ArrayRef)> = vec![
        ("plain", Encoding::PLAIN, texts(&text)),
        ("lengths", Encoding::DELTA_LENGTH_BYTE_ARRAY, texts(&text)),
        ("deltas", Encoding::DELTA_BYTE_ARRAY, texts(&text)),
        ("few", Encoding::RLE_DICTIONARY, texts(&few)),
        ("long", Encoding::RLE_DICTIONARY, texts(&long)),
        (
            "bytes",
            Encoding::PLAIN,
            Arc::new(LargeBinaryArray::from_iter_values((0..ROWS).map(text))),
        ),
        (
            "int",
            Encoding::DELTA_BINARY_PACKED,
            Arc::new(Int32Array::from_iter_values(
                (0..ROWS as i32).map(|row| row * 31),
            )),
        ),
        (
            "number",
            Encoding::PLAIN,
            Arc::new(Int64Array::from_iter_values(
                (0..ROWS as i64).map(|row| row << 33),
            )),
        ),
        (
            "decimal",
            Encoding::RLE_DICTIONARY,
            Arc::new(
                Decimal128Array::from_iter_values(decimals)
                    .with_precision_and_scale(20, 2)
                    .expect("a scale"),
            ),
        ),
    ];
    let encodings: Vec<_> = columns.iter().map(|it| (it.0, it.1)).collect();
    let rules: [fn(usize) -> bool; 4] = [
        |row| row % 50 != 7,
        |row| row * 7919 % 1009 < 500,
        |row| row / 3000 % 2 == 0,
        |row| row % 50 == 7,
    ];
    for (number, rule) in rules.into_iter().enumerate() {
        let keep = BooleanArray::from_iter((0..ROWS).map(|row| Some(rule(row))));
        let arrays = columns.iter().map(|it| (it.0, Arc::clone(&it.2)));
        let arrays = arrays.chain([("keep", Arc::new(keep.clone()) as ArrayRef)]);
        let batch = RecordBatch::try_from_iter(arrays).expect("columns");
        let expected = filter_record_batch(&batch, &keep).expect("rows");
        for page_rows in [700, 20_000] {
            let file = write(&batch, properties(&encodings, page_rows).build());
            let (rows, _) = kept(&file, None);
            assert_eq!(rows, expected, "rule {number}, pages of {page_rows} rows");
        }
    }
}

/// Column of a type and encoding, with measured times: see `read/row_group/wanted.rs`.
struct Measured {
    encoding: Encoding,
    array: ArrayRef,
    /// Nanoseconds to decode and drop a value.
    value: f64,
    /// Nanoseconds to skip a gap.
    gap: f64,
}

#[test]
fn the_rule_takes_no_more_time_than_skipping_or_decoding_all_gaps() {
    const ROWS: usize = 60_000;
    let random = |row: usize| (row as i64).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> 40;
    let numbers = || (0..ROWS).map(random);
    let texts = |mask: i64| -> ArrayRef {
        let texts = numbers().map(|it| format!("text {}", it & mask));
        Arc::new(StringArray::from_iter_values(texts))
    };
    let columns = [
        Measured {
            encoding: Encoding::PLAIN,
            array: Arc::new(Int64Array::from_iter_values(numbers())),
            value: 0.18,
            gap: 24.0,
        },
        Measured {
            encoding: Encoding::DELTA_BINARY_PACKED,
            array: Arc::new(Int64Array::from_iter_values(numbers())),
            value: 0.25,
            gap: 36.0,
        },
        Measured {
            encoding: Encoding::RLE_DICTIONARY,
            array: Arc::new(Int64Array::from_iter_values(numbers().map(|it| it & 1023))),
            value: 0.34,
            gap: 70.0,
        },
        Measured {
            encoding: Encoding::PLAIN,
            array: Arc::new(Decimal128Array::from_iter_values(numbers().map(i128::from))),
            value: 0.45,
            gap: 33.0,
        },
        Measured {
            encoding: Encoding::RLE_DICTIONARY,
            array: texts(1023),
            value: 1.3,
            gap: 86.0,
        },
    ];
    let mut seeded = Numbers::new(54);
    for lengths in [[70, 100], [150, 300], [300, 2000], [70, 1000]] {
        let mut keep = Vec::with_capacity(ROWS);
        while keep.len() < ROWS {
            keep.extend([true; 32]);
            let gap = lengths[0] + seeded.below(lengths[1] - lengths[0]);
            keep.resize(keep.len() + gap, false);
        }
        keep.truncate(ROWS);
        let keep: ArrayRef = Arc::new(BooleanArray::from(keep));
        for Measured {
            encoding,
            array,
            value,
            gap,
        } in &columns
        {
            let columns = [("value", Arc::clone(array)), ("keep", Arc::clone(&keep))];
            let batch = RecordBatch::try_from_iter(columns).expect("columns");
            // Some values of a page are always needed.
            let properties = properties(&[("value", *encoding)], ROWS);
            let file = write(&batch, properties.build());
            let time = |least_gap| {
                let (rows, metrics) = kept(&file, least_gap);
                // All values of "keep" are decoded.
                let decoded = metrics.values_decoded as usize - ROWS;
                assert!((rows.num_rows()..=ROWS).contains(&decoded));
                let dropped = (decoded - rows.num_rows()) as f64;
                (dropped * value + metrics.gaps_skipped as f64 * gap, metrics)
            };
            let (rule, _) = time(None);
            let (skipped, skips) = time(Some(64));
            let (decoded, decodes) = time(Some(usize::MAX));
            assert!(skips.values_decoded < decodes.values_decoded);
            assert!(skips.gaps_skipped > decodes.gaps_skipped);
            let best = skipped.min(decoded);
            assert!(
                rule <= 1.1 * best,
                "{encoding} of {}, gaps of {lengths:?}: {rule} ns, skipped {skipped}, decoded {decoded}",
                array.data_type()
            );
        }
    }
}
