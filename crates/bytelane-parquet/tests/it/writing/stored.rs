//! Tests the types in which values are stored.

use arrow_array::{
    Array, ArrayRef, ListArray, RecordBatch, Time64MicrosecondArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt32Array,
};
use arrow_schema::{DataType, Field, TimeUnit};
use bytelane_parquet::parquet::basic::{LogicalType, Type};
use bytelane_parquet::{
    FormatVersion, GivenTypes, Reader, ReaderBuilder, TimestampUnit, Writer, WriterOptions,
};
use bytes::Bytes;
use std::sync::Arc;

fn file(array: ArrayRef, options: WriterOptions) -> bytelane_parquet::Result<Bytes> {
    let batch = RecordBatch::try_from_iter_with_nullable([("x", array, true)])?;
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, batch.schema(), options)?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(file.into())
}

fn builder(array: ArrayRef, options: WriterOptions) -> ReaderBuilder<Bytes> {
    Reader::builder(file(array, options).expect("a file")).expect("a footer")
}

fn column(builder: ReaderBuilder<Bytes>) -> ArrayRef {
    let mut reader = builder.build().expect("a reader");
    let batch = reader.next().expect("a batch").expect("rows");
    Arc::clone(batch.column(0))
}

fn nanoseconds(values: [i64; 2]) -> ArrayRef {
    Arc::new(TimestampNanosecondArray::from(vec![
        Some(values[0]),
        None,
        Some(values[1]),
    ]))
}

#[test]
fn timestamps_have_the_unit_asked_for() {
    let options = || WriterOptions::default().with_coerce_timestamps(TimestampUnit::Milliseconds);
    let expected: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![
        Some(1),
        None,
        Some(-2),
    ]));
    let exact = nanoseconds([1_000_000, -2_000_000]);
    assert_eq!(&column(builder(exact, options())), &expected);
    // Truncated towards zero, as in pyarrow.
    let rounded = nanoseconds([1_999_999, -2_999_999]);
    let error = file(Arc::clone(&rounded), options()).expect_err("a part is lost");
    assert!(
        error
            .to_string()
            .contains("not a whole number of milliseconds"),
        "{error}"
    );
    let truncating = options().with_allow_truncated_timestamps(true);
    assert_eq!(&column(builder(rounded, truncating)), &expected);
    let far: ArrayRef = Arc::new(TimestampSecondArray::from(vec![i64::MAX / 2]));
    let error = file(far, options()).expect_err("out of range");
    assert!(error.to_string().contains("too far away"), "{error}");
}

#[test]
fn older_versions_have_fewer_types() {
    for (version, micros, wide) in [
        (FormatVersion::V1_0, true, true),
        (FormatVersion::V2_4, true, false),
        (FormatVersion::V2_6, false, false),
    ] {
        let options = || WriterOptions::default().with_version(version);
        let times = column(builder(nanoseconds([1000, 2000]), options()));
        let unit = if micros {
            TimeUnit::Microsecond
        } else {
            TimeUnit::Nanosecond
        };
        assert_eq!(times.data_type(), &DataType::Timestamp(unit, None));
        let numbers: ArrayRef = Arc::new(UInt32Array::from(vec![u32::MAX]));
        let read = column(builder(numbers, options()));
        assert_eq!(*read.data_type() == DataType::Int64, wide);
    }
}

#[test]
fn int96_keeps_every_precision() {
    let far = i64::MAX / 1_000_000;
    let arrays: [ArrayRef; 4] = [
        nanoseconds([1, -1]),
        Arc::new(TimestampMicrosecondArray::from(vec![
            0,
            -1,
            1_700_000_000_000_001,
        ])),
        Arc::new(TimestampMillisecondArray::from(vec![
            -1,
            253_402_300_799_999,
        ])),
        Arc::new(TimestampSecondArray::from(vec![-62_135_596_800, far])),
    ];
    for array in arrays {
        let options = WriterOptions::default()
            .with_use_deprecated_int96_timestamps(true)
            .with_coerce_timestamps(TimestampUnit::Milliseconds);
        let reader = builder(Arc::clone(&array), options);
        let leaf = reader.parquet_schema().column(0);
        assert_eq!(
            (leaf.physical_type(), leaf.logical_type_ref()),
            (Type::INT96, None)
        );
        let unit = match array.data_type() {
            DataType::Timestamp(TimeUnit::Second, _) => TimeUnit::Millisecond,
            DataType::Timestamp(unit, _) => *unit,
            other => panic!("{other}"),
        };
        let types = GivenTypes {
            int96: Some(unit),
            ..Default::default()
        };
        let read = column(reader.with_given_types(types).expect("types"));
        let expected = arrow_cast::cast(&array, read.data_type()).expect("times");
        assert_eq!(&read, &expected);
    }
}

#[test]
fn names_of_list_items_are_standard() {
    let item = Arc::new(Field::new("item", DataType::Int32, true));
    let lists: ArrayRef = Arc::new(ListArray::new_null(item, 2));
    for (compliant, name) in [(false, "x.list.item"), (true, "x.list.element")] {
        let options = WriterOptions::default().with_use_compliant_nested_type(compliant);
        let reader = builder(Arc::clone(&lists), options);
        assert_eq!(reader.parquet_schema().column(0).path().string(), name);
        assert_eq!(column(reader).null_count(), 2);
    }
}

#[test]
fn times_are_declared_to_be_in_utc() {
    for is_utc in [false, true] {
        let times: ArrayRef = Arc::new(Time64MicrosecondArray::from(vec![1, 2]));
        let options = WriterOptions::default().with_write_time_adjusted_to_utc(is_utc);
        let reader = builder(Arc::clone(&times), options);
        let leaf = reader.parquet_schema().column(0);
        let Some(LogicalType::Time(declared)) = leaf.logical_type_ref() else {
            panic!("{leaf:?}");
        };
        assert_eq!(declared.is_adjusted_to_u_t_c, is_utc);
        assert_eq!(&column(reader), &times);
    }
}
