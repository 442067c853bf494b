//! Tests annotations that are unknown, or do not fit their column: the physical type is used instead.

use super::{ROWS, check, file_of, with_element};
use arrow_array::{
    ArrayRef, BinaryArray, Decimal128Array, FixedSizeBinaryArray, Float64Array, Int32Array,
    Int64Array, StringArray, TimestampMicrosecondArray,
};
use bytelane_parquet::format::{
    ConvertedType, DecimalType, Encoded, IntType, LogicalType, MicroSeconds, MilliSeconds,
    SchemaElement, TimeType, TimeUnit, TimestampType,
};
use bytelane_parquet::parse_compression;
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};
use std::sync::Arc;

type Change = fn(&mut SchemaElement);

fn logical(element: &mut SchemaElement, logical: LogicalType) {
    element.logical_type = Some(Encoded::new(&logical).unwrap());
}

fn none<T: bytelane_thrift::DecodeOwned>() -> T {
    bytelane_parquet::format::decode(&bytes::Bytes::from_static(&[0])).unwrap()
}

fn decimal(element: &mut SchemaElement, precision: i32, scale: i32) {
    element.converted_type = Some(ConvertedType::Decimal);
    (element.precision, element.scale) = (Some(precision), Some(scale));
    let decimal = DecimalType {
        scale,
        precision,
        unknown_fields: Default::default(),
    };
    logical(element, LogicalType::Decimal(decimal));
}

fn time(unit: TimeUnit) -> TimeType {
    TimeType {
        is_adjusted_to_utc: true,
        unit,
        unknown_fields: Default::default(),
    }
}

fn integer(bit_width: i8) -> LogicalType {
    LogicalType::Integer(IntType {
        bit_width,
        is_signed: true,
        unknown_fields: Default::default(),
    })
}

/// Sets an annotation with a union member that this version does not have.
fn unknown_logical(element: &mut SchemaElement) {
    let bytes = bytes::Bytes::from_static(&[0x0c, 100, 0, 0]);
    let unknown: LogicalType = bytelane_parquet::format::decode(&bytes).unwrap();
    logical(element, unknown);
}

fn of_32_bits() -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(
        (0..ROWS as i32).map(|it| it * 7),
    ))
}

fn of_64_bits() -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(
        (0..ROWS as i64).map(|it| it << 40),
    ))
}

fn bytes_of(width: usize) -> ArrayRef {
    let values = (0..ROWS).map(|row| vec![row as u8 | 0x80; width]);
    Arc::new(FixedSizeBinaryArray::try_from_iter(values).unwrap())
}

fn bytes() -> ArrayRef {
    let values = (0..ROWS).map(|row| vec![0xff; row % 5 + 1]);
    Arc::new(BinaryArray::from_iter_values(values))
}

#[test]
fn what_does_not_fit_is_left_out() {
    let cases: Vec<(&str, ArrayRef, Change)> = vec![
        ("DATE on INT64", of_64_bits(), |it| {
            logical(it, LogicalType::Date(none()))
        }),
        ("a converted DATE on INT64", of_64_bits(), |it| {
            it.converted_type = Some(ConvertedType::Date);
        }),
        ("FLOAT16 on 4 bytes", bytes_of(4), |it| {
            logical(it, LogicalType::Float16(none()))
        }),
        ("UUID on 4 bytes", bytes_of(4), |it| {
            logical(it, LogicalType::Uuid(none()))
        }),
        ("INTERVAL on 4 bytes", bytes_of(4), |it| {
            it.converted_type = Some(ConvertedType::Interval);
        }),
        ("STRING on INT32", of_32_bits(), |it| {
            it.converted_type = Some(ConvertedType::Utf8);
            logical(it, LogicalType::Text(none()));
        }),
        (
            "JSON on DOUBLE",
            Arc::new(Float64Array::from(vec![0.5; ROWS])),
            |it| {
                logical(it, LogicalType::Json(none()));
            },
        ),
        ("MAP on a leaf", of_32_bits(), |it| {
            logical(it, LogicalType::Map(none()))
        }),
        ("a converted LIST on a leaf", of_32_bits(), |it| {
            it.converted_type = Some(ConvertedType::List);
        }),
        ("ConvertedType 99", of_32_bits(), |it| {
            it.converted_type = Some(ConvertedType::Unknown(99));
        }),
        (
            "an unknown logical type of INT32",
            of_32_bits(),
            unknown_logical,
        ),
        (
            "an unknown logical type of INT64",
            of_64_bits(),
            unknown_logical,
        ),
        ("an unknown logical type of bytes", bytes(), unknown_logical),
        ("INTEGER(64) on INT32", of_32_bits(), |it| {
            logical(it, integer(64));
        }),
        ("INTEGER(13)", of_32_bits(), |it| {
            logical(it, integer(13));
        }),
        ("TIME(MILLIS) on INT64", of_64_bits(), |it| {
            logical(
                it,
                LogicalType::Time(time(TimeUnit::Millis(MilliSeconds {
                    unknown_fields: Default::default(),
                }))),
            );
        }),
        ("TIMESTAMP on INT32", of_32_bits(), |it| {
            it.converted_type = Some(ConvertedType::TimestampMillis);
        }),
        ("a decimal of 33 bytes", bytes_of(33), |it| {
            decimal(it, 70, 2)
        }),
        ("a decimal of 77 digits", bytes(), |it| decimal(it, 77, 2)),
        ("a decimal of 300 digits", bytes(), |it| decimal(it, 300, 2)),
        ("a decimal of 12 digits in INT32", of_32_bits(), |it| {
            decimal(it, 12, 2)
        }),
        ("a decimal of 9 digits in 2 bytes", bytes_of(2), |it| {
            decimal(it, 9, 2)
        }),
        ("a decimal of no digits", of_32_bits(), |it| {
            decimal(it, 0, 0)
        }),
        ("a decimal of a larger scale", of_32_bits(), |it| {
            decimal(it, 3, 4)
        }),
        ("a decimal of a negative scale", of_32_bits(), |it| {
            decimal(it, 3, -1)
        }),
        (
            "a decimal of floats",
            Arc::new(Float64Array::from(vec![0.5; ROWS])),
            |it| {
                decimal(it, 3, 1);
            },
        ),
    ];
    for (what, values, change) in cases {
        let file = with_element(&file_of(&values), change);
        check(&file, &values, what);
    }
}

/// Both annotations are valid, but they differ.
#[test]
fn what_fits_is_kept() {
    let decimals = |values: &[i128]| -> ArrayRef {
        let decimals = Decimal128Array::from_iter_values(values.iter().copied());
        Arc::new(decimals.with_precision_and_scale(9, 2).unwrap())
    };
    let numbers: Vec<i128> = (0..ROWS as i128).map(|it| it * 7).collect();
    let text: ArrayRef = Arc::new(StringArray::from(vec!["text"; ROWS]));
    let in_bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&b"text"[..]; ROWS]));
    let times = (0..ROWS as i64).map(|it| it << 40);
    let times = TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC");
    let cases: Vec<(&str, ArrayRef, ArrayRef, Change)> = vec![
        (
            "a decimal without the older fields",
            of_32_bits(),
            decimals(&numbers),
            |it| {
                decimal(it, 9, 2);
                (it.precision, it.scale) = (None, None);
            },
        ),
        (
            "a decimal of two scales",
            of_32_bits(),
            decimals(&numbers),
            |it| {
                decimal(it, 9, 2);
                it.scale = Some(3);
            },
        ),
        (
            "a timestamp of two units",
            of_64_bits(),
            Arc::new(times),
            |it| {
                it.converted_type = Some(ConvertedType::TimestampMillis);
                let unit = TimeUnit::Micros(MicroSeconds {
                    unknown_fields: Default::default(),
                });
                let timestamp = TimestampType {
                    is_adjusted_to_utc: true,
                    unit,
                    unknown_fields: Default::default(),
                };
                logical(it, LogicalType::Timestamp(timestamp));
            },
        ),
        ("an unknown logical type and UTF8", in_bytes, text, |it| {
            it.converted_type = Some(ConvertedType::Utf8);
            unknown_logical(it);
        }),
    ];
    for (what, stored, read, change) in cases {
        let file = with_element(&file_of(&stored), change);
        check(&file, &read, what);
    }
}

#[test]
fn a_decimal_may_leave_out_its_scale() {
    let file = with_element(&file_of(&of_32_bits()), |it| {
        it.converted_type = Some(ConvertedType::Decimal);
        it.precision = Some(9);
    });
    let values = (0..ROWS as i128).map(|it| it * 7);
    let read = Decimal128Array::from_iter_values(values).with_precision_and_scale(9, 0);
    check(&file, &(Arc::new(read.unwrap()) as ArrayRef), "no scale");
}

#[test]
fn a_column_without_a_repetition_is_required() {
    let file = with_element(&file_of(&of_32_bits()), |it| it.repetition_type = None);
    check(&file, &of_32_bits(), "no repetition");
}

#[test]
fn numbers_may_have_a_length() {
    let file = with_element(&file_of(&of_32_bits()), |it| it.type_length = Some(32));
    check(&file, &of_32_bits(), "a length");
    let options = RewriteOptions::default().with_compression(parse_compression("gzip").unwrap());
    let (_, rewritten) = rewrite_bytes(file, &options).unwrap();
    assert_eq!(rewritten.columns[1].obstacle, None);
    assert_eq!(rewritten.columns[1].rewritten, 1);
}
