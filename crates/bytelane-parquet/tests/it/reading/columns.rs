//! Tests flat columns in every encoding that the crate `parquet` writes. Both crates read them.

use arrow_array::types::{
    Date32Type, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int32Type,
    Int64Type, TimestampMicrosecondType, UInt16Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, FixedSizeBinaryArray, PrimitiveArray, RecordBatch,
};
use bytelane_parquet::Reader;
use bytes::Bytes;
use half::f16;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::sync::Arc;

const ROWS: usize = 5000;

/// Pseudorandom numbers.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Distribution of the nulls of a column.
#[derive(Clone, Copy, Debug)]
enum Nulls {
    None,
    /// One null in ten slots.
    Some,
    /// Long runs of both.
    Stretches,
    All,
}

fn is_null(nulls: Nulls, row: usize, number: u64) -> bool {
    match nulls {
        Nulls::None => false,
        Nulls::Some => number.is_multiple_of(10),
        Nulls::Stretches => row / 700 % 3 == 1,
        Nulls::All => true,
    }
}

/// Returns columns of each width. Columns for dictionaries have few distinct values, with runs.
fn columns(nulls: Nulls, is_repetitive: bool) -> RecordBatch {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let bits: Vec<Option<u64>> = (0..ROWS)
        .map(|row| {
            let (value, null) = (numbers.next(), numbers.next());
            let value = if !is_repetitive {
                value
            } else if row % 1000 < 500 {
                7
            } else {
                value % 90
            };
            (!is_null(nulls, row, null)).then_some(value)
        })
        .collect();
    fn column<T: ArrowPrimitiveType>(
        bits: &[Option<u64>],
        value: impl Fn(u64) -> T::Native,
    ) -> ArrayRef {
        let values = bits.iter().map(|bits| bits.map(&value));
        Arc::new(PrimitiveArray::<T>::from_iter(values))
    }
    let fixed = |width: usize| -> ArrayRef {
        let values = bits.iter().map(|bits| {
            bits.map(|bits| bits.to_le_bytes().into_iter().cycle().take(width).collect())
        });
        let values: Vec<Option<Vec<u8>>> = values.collect();
        let array =
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(values.into_iter(), width as i32);
        Arc::new(array.expect("values of one width"))
    };
    // Decimals with as many digits as INT32 and INT64 can hold.
    let decimal = |digits: u8| -> ArrayRef {
        let greatest = 10i128.pow(digits.into());
        let values = bits
            .iter()
            .map(|it| it.map(|it| (i128::from(it) - (1 << 60)) % greatest));
        let array = PrimitiveArray::<Decimal128Type>::from_iter(values);
        Arc::new(array.with_precision_and_scale(digits, 2).expect("digits"))
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("i8", column::<Int8Type>(&bits, |it| it as i8)),
        ("u16", column::<UInt16Type>(&bits, |it| it as u16)),
        ("i32", column::<Int32Type>(&bits, |it| it as i32)),
        ("i64", column::<Int64Type>(&bits, |it| it as i64)),
        ("u64", column::<UInt64Type>(&bits, |it| it)),
        (
            "f16",
            column::<Float16Type>(&bits, |it| f16::from_bits(it as u16)),
        ),
        (
            "f32",
            column::<Float32Type>(&bits, |it| f32::from_bits(it as u32)),
        ),
        ("f64", column::<Float64Type>(&bits, f64::from_bits)),
        ("date", column::<Date32Type>(&bits, |it| it as i32)),
        (
            "time",
            column::<TimestampMicrosecondType>(&bits, |it| it as i64),
        ),
        (
            "decimal",
            column::<Decimal128Type>(&bits, |it| i128::from(it) - (1 << 60)),
        ),
        ("decimal9", decimal(9)),
        ("decimal18", decimal(18)),
        ("bytes5", fixed(5)),
        ("bytes16", fixed(16)),
    ];
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

fn properties(
    encoding: Option<Encoding>,
    version: WriterVersion,
    compression: Compression,
    page_rows: usize,
) -> WriterProperties {
    let builder = WriterProperties::builder()
        .set_writer_version(version)
        .set_compression(compression)
        .set_data_page_row_count_limit(page_rows)
        .set_write_batch_size(page_rows.min(1024))
        .set_dictionary_enabled(encoding.is_none());
    match encoding {
        Some(encoding) => builder.set_encoding(encoding).build(),
        None => builder.build(),
    }
}

/// Asserts that both crates read the same rows, with any batch size.
fn compare(file: &Bytes, what: &str) {
    for batch_size in [33, 1024, ROWS] {
        let theirs = ParquetRecordBatchReaderBuilder::try_new(file.clone()).expect("a footer");
        let theirs = theirs.with_batch_size(batch_size).build().expect("a file");
        let ours = Reader::builder(file.clone()).expect("a footer");
        let ours = ours.with_batch_size(batch_size).build().expect("a file");
        let theirs: Vec<_> = theirs.map(|batch| batch.expect(what)).collect();
        let ours: Vec<_> = ours.map(|batch| batch.expect(what)).collect();
        assert!(theirs == ours, "{what}, batches of {batch_size}");
    }
}

/// Returns the encodings of a column of a fixed width, apart from dictionaries.
fn encodings(name: &str) -> &'static [Encoding] {
    use Encoding::{BYTE_STREAM_SPLIT, DELTA_BINARY_PACKED, PLAIN};
    match name {
        "f16" | "bytes5" | "bytes16" | "decimal" | "f32" | "f64" => &[PLAIN, BYTE_STREAM_SPLIT],
        _ => &[PLAIN, BYTE_STREAM_SPLIT, DELTA_BINARY_PACKED],
    }
}

#[test]
fn every_encoding_is_read_as_by_the_crate_parquet() {
    let zstd = Compression::ZSTD(ZstdLevel::try_new(1).expect("a level"));
    for nulls in [Nulls::None, Nulls::Some, Nulls::Stretches, Nulls::All] {
        for (version, compression) in [
            (WriterVersion::PARQUET_1_0, Compression::UNCOMPRESSED),
            (WriterVersion::PARQUET_2_0, Compression::SNAPPY),
            (WriterVersion::PARQUET_2_0, zstd),
        ] {
            for page_rows in [100, 1700, 1 << 20] {
                let distinct = columns(nulls, false);
                for (index, field) in distinct.schema().fields().iter().enumerate() {
                    let column = distinct.project(&[index]).expect("a column");
                    for encoding in encodings(field.name()) {
                        let it = properties(Some(*encoding), version, compression, page_rows);
                        let what = format!("{} {encoding} {nulls:?} {page_rows}", field.name());
                        compare(&written(&column, it), &what);
                    }
                }
                let it = properties(None, version, compression, page_rows);
                let what = format!("dictionaries {nulls:?} {page_rows}");
                compare(&written(&columns(nulls, true), it), &what);
            }
        }
    }
}

/// A dictionary that becomes too large is abandoned in the middle of a chunk, which then has pages of both
/// kinds.
#[test]
fn a_dictionary_that_was_given_up_is_read() {
    let all = columns(Nulls::Some, false);
    let properties = WriterProperties::builder()
        .set_dictionary_page_size_limit(2000)
        .set_data_page_row_count_limit(500)
        .set_write_batch_size(100)
        .build();
    compare(
        &written(&all, properties),
        "dictionaries that were given up",
    );
}

fn written(batch: &RecordBatch, properties: WriterProperties) -> Bytes {
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties))
        .expect("columns of any type");
    writer.write(batch).expect("a batch");
    writer.close().expect("a file");
    file.into()
}
