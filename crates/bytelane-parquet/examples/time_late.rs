//! Measures when skipping rows that a condition drops takes less time than decoding and dropping them: the numbers
//! behind `ReaderBuilder::with_least_gap`.
//!
//! ```sh
//! cargo run --release -p bytelane-parquet --example time_late
//! ```
//!
//! Prints nanoseconds per kept row for gaps of several lengths between runs of 32 rows that are kept: gaps skipped,
//! gaps decoded, and the default.

use bytelane_measure::clock::Clock;
use bytelane_parquet::arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, Int64Array, RecordBatch, StringArray,
};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::{ColumnOptions, Encoding, ReaderBuilder, Writer, WriterOptions};
use bytes::Bytes;
use std::error::Error;
use std::sync::Arc;

const ROWS: usize = 1 << 20;
const RUN: usize = 32;
const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    println!("column\tgap\tskipped\tdecoded\tdefault");
    for (name, encoding, array) in columns() {
        for gap in [64, 128, 192, 256, 384, 512, 1024] {
            let file = file(&array, encoding, gap)?;
            let time = |least_gap| time(&file, least_gap);
            let (skipped, decoded, default) =
                (time(Some(64))?, time(Some(usize::MAX))?, time(None)?);
            println!("{name}\t{gap}\t{skipped:.2}\t{decoded:.2}\t{default:.2}");
        }
    }
    Ok(())
}

fn columns() -> Vec<(&'static str, Encoding, ArrayRef)> {
    let random =
        || (0..ROWS as i64).map(|row| row.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> 40);
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(random()));
    let few: ArrayRef = Arc::new(Int64Array::from_iter_values(random().map(|it| it & 1023)));
    let decimals = Decimal128Array::from_iter_values(random().map(i128::from));
    let texts = |mask: i64| -> ArrayRef {
        let texts = random().map(|it| format!("text {}", it & mask));
        Arc::new(StringArray::from_iter_values(texts))
    };
    vec![
        ("i64, PLAIN", Encoding::Plain, Arc::clone(&numbers)),
        ("i64, dictionary", Encoding::Dictionary, few),
        ("i64, DELTA", Encoding::DeltaBinaryPacked, numbers),
        ("decimal, PLAIN", Encoding::Plain, Arc::new(decimals)),
        ("text, PLAIN", Encoding::Plain, texts(-1)),
        ("text, dictionary", Encoding::Dictionary, texts(1023)),
        (
            "text, DELTA_LENGTH",
            Encoding::DeltaLengthByteArray,
            texts(-1),
        ),
    ]
}

/// Returns a file with the column, and a column that is true for the rows to keep.
fn file(array: &ArrayRef, encoding: Encoding, gap: usize) -> Result<Bytes, Box<dyn Error>> {
    let keep = (0..ROWS).map(|row| Some(row % (RUN + gap) < RUN));
    let keep: ArrayRef = Arc::new(keep.collect::<BooleanArray>());
    let batch = RecordBatch::try_from_iter([("keep", keep), ("value", Arc::clone(array))])?;
    let mut file = Vec::new();
    let column = ColumnOptions::default().with_encoding(encoding);
    let options = WriterOptions::default().with_column("value", column);
    let mut writer = Writer::try_new(&mut file, batch.schema(), options)?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(file.into())
}

/// Returns nanoseconds per kept row.
fn time(file: &Bytes, least_gap: Option<usize>) -> Result<f64, Box<dyn Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Clock::ThreadCpu.now();
        let builder = ReaderBuilder::try_new(file.clone())?;
        let builder = match least_gap {
            Some(rows) => builder.with_least_gap(rows),
            None => builder,
        };
        let selection = Selection::default().with_columns(["value"]);
        let selection = selection.with_filter("keep = true".parse()?);
        let mut rows = 0;
        for batch in selection.read(builder)? {
            rows += batch?.num_rows();
        }
        let elapsed = Clock::ThreadCpu.now() - start;
        best = best.min(elapsed.as_nanos() as f64 / rows as f64);
    }
    Ok(best)
}
