//! Tests that a writer holds no more than two row groups in memory.

use crate::any::arrays::Numbers;
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use bytelane_parquet::{Writer, WriterOptions, parse_compression};
use std::sync::Arc;

const BATCH: usize = 10_000;
/// Enough that the buffers of trials, up to 12 MiB, are small beside a row group.
const BATCHES: usize = 48;

/// Returns rows of which about half compress.
fn batch(numbers: &mut Numbers) -> RecordBatch {
    let mut values = |below: usize| -> Vec<usize> {
        let values = (0..BATCH).map(|_| numbers.below(below));
        values.collect()
    };
    let (keys, prices, names) = (values(1 << 60), values(100_000), values(1 << 40));
    let keys = keys.into_iter().map(|it| it as i64);
    let prices = prices.into_iter().map(|it| it as f64 / 100.0);
    // Collecting strings may reserve twice their memory, which is not the writer's.
    let mut texts = StringBuilder::with_capacity(BATCH, 29 * BATCH);
    for name in names {
        texts.append_value(format!("the name {name:020}"));
    }
    let columns: [(&str, ArrayRef); 3] = [
        ("key", Arc::new(Int64Array::from_iter_values(keys))),
        ("price", Arc::new(Float64Array::from_iter_values(prices))),
        ("name", Arc::new(texts.finish())),
    ];
    RecordBatch::try_from_iter(columns).expect("rows")
}

/// Number of bytes that the buffers of pages and of trials may take, whatever the size of a row group.
const BUFFERS: usize = 4 << 20;

#[test]
fn a_single_column_takes_two_row_groups_and_fixed_buffers() {
    const ROWS: usize = 1 << 20;
    let mut numbers = Numbers::new(71);
    let mut values =
        |below: usize| -> Vec<usize> { (0..ROWS).map(|_| numbers.below(below)).collect() };
    let doubles = |values: Vec<usize>| -> ArrayRef {
        Arc::new(Float64Array::from_iter_values(
            values.iter().map(|it| *it as f64 / 100.0),
        ))
    };
    let columns: [(&str, ArrayRef); 4] = [
        ("150,000 doubles", doubles(values(150_000))),
        ("a million doubles", doubles(values(1 << 40))),
        ("few doubles", doubles(values(1000))),
        (
            "sorted",
            Arc::new(Int64Array::from_iter_values(0..ROWS as i64)),
        ),
    ];
    for (name, column) in columns {
        for compression in ["none", "zstd:1"] {
            let compression = parse_compression(compression).expect("a compression");
            let options = WriterOptions::default().with_compression(compression);
            let batch = RecordBatch::try_from_iter([("x", Arc::clone(&column))]).expect("rows");
            let memory = allocation_counter::measure(|| {
                let sink = std::io::sink();
                let writer = Writer::try_new(sink, batch.schema(), options);
                let mut writer = writer.expect("rows");
                for _ in 0..2 {
                    writer.write(&batch).expect("rows");
                }
                writer.close().expect("a file");
            });
            // The values themselves are allocated outside of the measurement.
            let peak = usize::try_from(memory.bytes_max).expect("it was allocated");
            println!("{name}, {compression}: {:.1} MB", peak as f64 / 1e6);
            assert!(peak < 8 * ROWS + BUFFERS, "{name}, {compression}: {peak}");
        }
    }
}

#[test]
fn a_writer_holds_no_more_than_two_row_groups() {
    for compression in ["none", "zstd:1"] {
        let compression = parse_compression(compression).expect("a compression");
        let options = WriterOptions::default()
            .with_row_group_size(BATCH * BATCHES)
            .with_compression(compression);
        let mut numbers = Numbers::new(53);
        let mut largest = 0;
        let memory = allocation_counter::measure(|| {
            let first = batch(&mut numbers);
            let sink = std::io::sink();
            let mut writer = Writer::try_new(sink, first.schema(), options.clone()).expect("rows");
            writer.write(&first).expect("rows");
            drop(first);
            while writer.flushed_row_groups() < 2 {
                largest = largest.max(writer.memory_size());
                writer.write(&batch(&mut numbers)).expect("rows");
            }
            writer.close().expect("a file");
        });
        let peak = usize::try_from(memory.bytes_max).expect("it was allocated");
        assert!(largest > 20 << 20, "{largest}");
        assert!(peak < 2 * largest, "{compression}: {peak} of {largest}");
    }
}
