//! Tests every type, page version and compression, with and without nulls, with this crate's reader and that
//! of the crate `parquet`.

use arrow_array::types::{
    Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationNanosecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalDayTimeType, IntervalYearMonthType, Time32MillisecondType,
    Time64MicrosecondType, TimestampMicrosecondType, TimestampNanosecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, PrimitiveArray, RecordBatch,
    RecordBatchReader, StringArray,
};
use arrow_buffer::{IntervalDayTime, i256};
use arrow_schema::DataType;
use bytelane_parquet::{
    DataPageVersion, Encoding, Reader, Writer, WriterOptions, parse_compression,
};
use bytes::Bytes;
use half::f16;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;
use std::sync::Arc;

/// Bits of values; some values are null.
type Bits = Vec<Option<u64>>;

fn primitive<T: ArrowPrimitiveType>(bits: &Bits, value: impl Fn(u64) -> T::Native) -> ArrayRef {
    let values = bits.iter().map(|bits| bits.map(&value));
    Arc::new(PrimitiveArray::<T>::from_iter(values))
}

fn typed<T: ArrowPrimitiveType>(
    bits: &Bits,
    data_type: DataType,
    value: impl Fn(u64) -> T::Native,
) -> ArrayRef {
    let values = bits.iter().map(|bits| bits.map(&value));
    Arc::new(PrimitiveArray::<T>::from_iter(values).with_data_type(data_type))
}

/// Returns a column of every fixed width, and some of variable width.
fn columns(bits: &Bits) -> Vec<(String, ArrayRef)> {
    let fixed = |width: i32| -> ArrayRef {
        let values = bits.iter().map(|bits| {
            bits.map(|bits| {
                let bytes = bits.to_le_bytes();
                (0..width as usize)
                    .map(|i| bytes[i % 8])
                    .collect::<Vec<u8>>()
            })
        });
        let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, width);
        Arc::new(array.expect("values of one width"))
    };
    let decimal = |bits: u64, digits: u32| (bits as i64 as i128) % 10i128.pow(digits);
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            "f16",
            primitive::<Float16Type>(bits, |it| f16::from_bits(it as u16)),
        ),
        (
            "f32",
            primitive::<Float32Type>(bits, |it| f32::from_bits(it as u32)),
        ),
        ("f64", primitive::<Float64Type>(bits, f64::from_bits)),
        (
            "cents32",
            primitive::<Float32Type>(bits, |it| (it % 100_000) as f32 / 100.0),
        ),
        (
            "cents64",
            primitive::<Float64Type>(bits, |it| (it % 100_000) as f64 / 100.0),
        ),
        ("i8", primitive::<Int8Type>(bits, |it| it as i8)),
        ("u8", primitive::<UInt8Type>(bits, |it| it as u8)),
        ("i16", primitive::<Int16Type>(bits, |it| it as i16)),
        ("u16", primitive::<UInt16Type>(bits, |it| it as u16)),
        ("i32", primitive::<Int32Type>(bits, |it| it as i32)),
        ("u32", primitive::<UInt32Type>(bits, |it| it as u32)),
        ("i64", primitive::<Int64Type>(bits, |it| it as i64)),
        ("u64", primitive::<UInt64Type>(bits, |it| it)),
        ("date32", primitive::<Date32Type>(bits, |it| it as i32)),
        (
            "time32",
            primitive::<Time32MillisecondType>(bits, |it| it as i32),
        ),
        (
            "time64",
            primitive::<Time64MicrosecondType>(bits, |it| it as i64),
        ),
        (
            "timestamp",
            typed::<TimestampMicrosecondType>(
                bits,
                DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, Some("UTC".into())),
                |it| it as i64,
            ),
        ),
        (
            "timestamp_ns",
            primitive::<TimestampNanosecondType>(bits, |it| it as i64),
        ),
        (
            "duration",
            primitive::<DurationNanosecondType>(bits, |it| it as i64),
        ),
        (
            "months",
            primitive::<IntervalYearMonthType>(bits, |it| it as i32),
        ),
        (
            "days",
            primitive::<IntervalDayTimeType>(bits, |it| {
                IntervalDayTime::new(it as i32, (it >> 32) as i32)
            }),
        ),
        (
            "decimal32",
            typed::<Decimal32Type>(bits, DataType::Decimal32(9, 2), |it| decimal(it, 9) as i32),
        ),
        (
            "decimal64_as_int32",
            typed::<Decimal64Type>(bits, DataType::Decimal64(7, 2), |it| decimal(it, 7) as i64),
        ),
        (
            "decimal64",
            typed::<Decimal64Type>(bits, DataType::Decimal64(18, 0), |it| {
                decimal(it, 18) as i64
            }),
        ),
        (
            "decimal128_as_int32",
            typed::<Decimal128Type>(bits, DataType::Decimal128(5, 1), |it| decimal(it, 5)),
        ),
        (
            "decimal128_as_int64",
            typed::<Decimal128Type>(bits, DataType::Decimal128(12, 1), |it| decimal(it, 12)),
        ),
        (
            "decimal128",
            typed::<Decimal128Type>(bits, DataType::Decimal128(38, 10), |it| {
                decimal(it, 18) * 1_000_000_007
            }),
        ),
        (
            "decimal256",
            typed::<Decimal256Type>(bits, DataType::Decimal256(60, 3), |it| {
                i256::from_i128(decimal(it, 18) * 1_000_000_007)
            }),
        ),
        ("fixed1", fixed(1)),
        ("fixed3", fixed(3)),
        ("fixed16", fixed(16)),
        ("fixed70", fixed(70)),
        (
            "bool",
            Arc::new(BooleanArray::from_iter(
                bits.iter().map(|it| it.map(|it| it & 1 == 1)),
            )),
        ),
        (
            "text",
            Arc::new(StringArray::from_iter(
                bits.iter().map(|it| it.map(|it| it.to_string())),
            )),
        ),
    ];
    let named = columns.into_iter();
    named
        .map(|(name, array)| (name.to_owned(), array))
        .collect()
}

fn batch(bits: &Bits, nullable: bool) -> RecordBatch {
    let columns = columns(bits).into_iter();
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, nullable)))
        .expect("columns of one length")
}

fn concat(reader: impl RecordBatchReader) -> RecordBatch {
    let schema = reader.schema();
    let batches: Vec<RecordBatch> = reader.collect::<Result<_, _>>().expect("batches");
    arrow_select::concat::concat_batches(&schema, &batches).expect("one batch")
}

/// Generates bits that are often special: zeros, NaN, small numbers, extreme values.
fn bits(nullable: bool) -> impl Strategy<Value = Bits> {
    let value = prop_oneof![
        4 => any::<u64>(),
        2 => 0..20u64,
        1 => Just(f64::NAN.to_bits()),
        1 => Just((-0.0f64).to_bits()),
        1 => Just(u64::MAX),
    ];
    let slot =
        (value, 0..10u32).prop_map(move |(bits, null)| (!nullable || null > 2).then_some(bits));
    // Runs of one value, so that levels and dictionary indices have runs.
    let stretch = (slot, 1..40usize).prop_map(|(slot, count)| vec![slot; count]);
    prop::collection::vec(stretch, 0..60).prop_map(|stretches| stretches.concat())
}

fn cases() -> impl Strategy<Value = (Bits, bool)> {
    any::<bool>().prop_flat_map(|nullable| (bits(nullable), Just(nullable)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn everything_comes_back(
        (bits, nullable) in cases(),
        v2 in any::<bool>(),
        compression in prop::sample::select(vec!["none", "snappy", "gzip:1", "brotli:1", "zstd:1", "lz4_raw"]),
        encoding in prop::sample::select(vec![Encoding::ByteStreamSplit, Encoding::Alp, Encoding::Auto, Encoding::Plain]),
        page_rows in 1..700usize,
        row_group_size in 100..3000usize,
        batch_size in 1..900usize,
        cut in 0..1000usize,
    ) {
        let whole = batch(&bits, nullable);
        let options = WriterOptions::default()
            .with_encoding(encoding)
            .with_compression(parse_compression(compression)?)
            .with_data_page_version(if v2 { DataPageVersion::V2 } else { DataPageVersion::V1 })
            .with_max_rows_per_page(page_rows)
            .with_row_group_size(row_group_size);
        let mut file = Vec::new();
        let mut writer = Writer::try_new(&mut file, whole.schema(), options)?;
        let cut = cut.min(whole.num_rows());
        writer.write(&whole.slice(0, cut))?;
        writer.write(&whole.slice(cut, whole.num_rows() - cut))?;
        writer.close()?;
        let file = Bytes::from(file);

        let ours = Reader::builder(file.clone())?.with_batch_size(batch_size).build()?;
        prop_assert_eq!(ours.schema(), whole.schema());
        // Arrays compare floats by their bits.
        prop_assert_eq!(&concat(ours), &whole);
        let theirs = ParquetRecordBatchReaderBuilder::try_new(file)?.with_batch_size(1000).build()?;
        prop_assert_eq!(&concat(theirs), &whole);
    }
}

#[test]
fn a_projection_and_row_groups_are_what_was_asked_for() {
    let bits: Bits = (0..1000u64)
        .map(|i| (i % 9 != 4).then_some(i * i * 7919))
        .collect();
    let whole = batch(&bits, true);
    let options = WriterOptions::default()
        .with_encoding(Encoding::ByteStreamSplit)
        .with_row_group_size(300);
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, whole.schema(), options).expect("options");
    writer.write(&whole).expect("rows");
    writer.close().expect("a file");
    let builder = Reader::builder(Bytes::from(file)).expect("a file");
    let reader = builder
        .with_columns(["text", "f64", "i32"])
        .expect("columns")
        .with_row_groups(vec![2, 0])
        .build()
        .expect("a reader");
    let got = concat(reader);
    let project = |start, length| {
        let indices: Vec<usize> = ["f64", "i32", "text"]
            .iter()
            .map(|name| whole.schema().index_of(name).expect("a column"))
            .collect();
        whole
            .project(&indices)
            .expect("columns")
            .slice(start, length)
    };
    let want = [project(600, 300), project(0, 300)];
    let want = arrow_select::concat::concat_batches(&want[0].schema(), &want).expect("one batch");
    assert_eq!(got, want);
}
