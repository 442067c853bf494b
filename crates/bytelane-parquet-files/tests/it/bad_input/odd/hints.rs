//! Tests Arrow schemas in files that would change values, or belong to other columns, and dictionaries of all
//! types.

use super::{ROWS, changed, check, file_of};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, Decimal128Array, DictionaryArray,
    FixedSizeBinaryArray, Float32Array, Int32Array, Int64Array, PrimitiveArray, StringArray,
    TimestampMicrosecondArray, TimestampNanosecondArray, TimestampSecondArray,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use bytelane_parquet::format::KeyValue;
use bytes::Bytes;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use std::sync::Arc;

fn with_schema(file: &Bytes, schema: &Schema) -> Bytes {
    let encoded = encode_arrow_schema(schema);
    changed(file, |footer| {
        footer.key_value_metadata = Some(vec![KeyValue {
            key: ARROW_SCHEMA_META_KEY.into(),
            value: Some(encoded.into()),
            unknown_fields: Default::default(),
        }]);
    })
}

/// Returns the same file with an Arrow schema that has this type for `x`.
fn with_hint(file: &Bytes, x: &DataType) -> Bytes {
    let ok = Field::new("ok", DataType::Int32, false);
    let x = Field::new("x", x.clone(), false);
    with_schema(file, &Schema::new(vec![ok, x]))
}

fn timestamps(of: impl Fn(i64) -> i64) -> Vec<i64> {
    (0..ROWS as i64)
        .map(|row| 1_700_000_000 + of(row))
        .collect()
}

#[test]
fn another_unit_or_scale_is_ignored() {
    let nanoseconds: ArrayRef = Arc::new(TimestampNanosecondArray::from(timestamps(|it| it)));
    let microseconds: ArrayRef = Arc::new(TimestampMicrosecondArray::from(timestamps(|it| it)));
    let decimals = Decimal128Array::from_iter_values((0..ROWS as i128).map(|it| 12_345 + it));
    let decimals: ArrayRef = Arc::new(decimals.with_precision_and_scale(9, 2).unwrap());
    let dictionary = |values: DataType| DataType::Dictionary(DataType::Int32.into(), values.into());
    let units = [
        TimeUnit::Second,
        TimeUnit::Millisecond,
        TimeUnit::Microsecond,
    ];
    for unit in units {
        let file = file_of(&nanoseconds);
        for zone in [None, Some("UTC".into())] {
            let hint = DataType::Timestamp(unit, zone);
            check(&with_hint(&file, &hint), &nanoseconds, &format!("{hint}"));
            let hint = dictionary(hint);
            check(&with_hint(&file, &hint), &nanoseconds, &format!("{hint}"));
        }
    }
    for hint in [
        DataType::Timestamp(TimeUnit::Nanosecond, None),
        DataType::Date64,
        DataType::Duration(TimeUnit::Second),
        DataType::Int64,
    ] {
        let file = with_hint(&file_of(&microseconds), &hint);
        check(&file, &microseconds, &format!("{hint}"));
    }
    for hint in [
        DataType::Decimal128(9, 4),
        DataType::Decimal128(8, 2),
        DataType::Decimal256(40, 10),
        DataType::Decimal32(9, 1),
        dictionary(DataType::Decimal128(9, 4)),
        DataType::Float64,
    ] {
        let file = with_hint(&file_of(&decimals), &hint);
        check(&file, &decimals, &format!("{hint}"));
    }
}

#[test]
fn a_schema_of_other_columns_is_ignored() {
    let values: ArrayRef = Arc::new(Int32Array::from_iter_values(0..ROWS as i32));
    let field = |name: &str, data_type| Field::new(name, data_type, false);
    let (ok, x) = (field("ok", DataType::Int32), field("x", DataType::Int32));
    for fields in [
        vec![],
        vec![ok.clone()],
        vec![x.clone(), ok.clone()],
        vec![ok.clone(), x.clone(), field("dropped", DataType::Utf8)],
        vec![ok.clone(), field("renamed", DataType::Int32)],
        vec![ok.clone(), field("x", DataType::Utf8)],
        vec![ok, field("x", DataType::Struct(vec![x].into()))],
    ] {
        let schema = Schema::new(fields);
        let file = with_schema(&file_of(&values), &schema);
        check(&file, &values, &format!("{schema}"));
    }
    let file = changed(&file_of(&values), |footer| {
        footer.key_value_metadata = Some(vec![KeyValue {
            key: ARROW_SCHEMA_META_KEY.into(),
            value: Some("not a schema".into()),
            unknown_fields: Default::default(),
        }]);
    });
    check(&file, &values, "no schema");
}

fn numbers<T: ArrowPrimitiveType>(data_type: &DataType, values: [T::Native; 2]) -> ArrayRef {
    let array = PrimitiveArray::<T>::from_iter_values(values);
    Arc::new(array.with_data_type(data_type.clone()))
}

#[test]
fn dictionaries_of_all_types_are_read() {
    use arrow_array::types::{Decimal128Type, Decimal256Type, Time64MicrosecondType};
    use arrow_buffer::i256;

    let fixed = FixedSizeBinaryArray::try_from_iter([b"ab", b"cd"].into_iter()).unwrap();
    let wide = DataType::Decimal256(50, 2);
    let times = DataType::Time64(TimeUnit::Microsecond);
    for values in [
        Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef,
        Arc::new(fixed),
        numbers::<Decimal128Type>(&DataType::Decimal128(5, 2), [150, -7]),
        numbers::<Decimal128Type>(&DataType::Decimal128(15, 2), [150, -7]),
        numbers::<Decimal128Type>(&DataType::Decimal128(30, 2), [150, -7]),
        numbers::<Decimal256Type>(&wide, [i256::from(150), i256::from(-7)]),
        numbers::<Time64MicrosecondType>(&times, [150, 7]),
        Arc::new(Int64Array::from(vec![150, -7])),
        Arc::new(Float32Array::from(vec![1.5, f32::NAN])),
        Arc::new(StringArray::from(vec!["ab", "cd"])),
    ] {
        let keys = Int32Array::from_iter_values((0..ROWS as i32).map(|it| it % 2));
        let plain = arrow_select::take::take(&values, &keys, None).unwrap();
        let is_number_in_bytes = matches!(values.data_type(), DataType::Decimal128(30, _))
            || matches!(values.data_type(), DataType::Decimal256(..));
        let dictionary: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
        let expected = if is_number_in_bytes {
            &plain
        } else {
            &dictionary
        };
        let what = format!("{}", dictionary.data_type());
        let of_others = with_hint(&file_of(&plain), dictionary.data_type());
        check(&of_others, expected, &what);
        let own = with_hint(&file_of(&dictionary), dictionary.data_type());
        check(&own, expected, &what);
    }
}

#[test]
fn keys_that_are_too_few_are_an_error_of_their_column() {
    let values: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let hint = DataType::Dictionary(DataType::Int8.into(), DataType::Int64.into());
    let error = super::check_unreadable(&with_hint(&file_of(&values), &hint), "keys");
    assert!(
        error.contains("column x") && error.contains("200 distinct"),
        "{error}"
    );
}

#[test]
fn numbers_without_a_unit_have_that_of_the_schema() {
    let seconds: ArrayRef = Arc::new(TimestampSecondArray::from(timestamps(|it| it)));
    let numbers: ArrayRef = Arc::new(Int64Array::from(timestamps(|it| it)));
    let hint = DataType::Timestamp(TimeUnit::Second, None);
    check(&with_hint(&file_of(&numbers), &hint), &seconds, "seconds");
}

#[test]
fn instants_keep_the_zone_of_a_schema_with_another_unit() {
    let times = TimestampMicrosecondArray::from(timestamps(|it| it));
    let (stored, zoned) = (
        times.clone().with_timezone("UTC"),
        times.with_timezone("Asia/Tokyo"),
    );
    let file = file_of(&(Arc::new(stored) as ArrayRef));
    let zoned: ArrayRef = Arc::new(zoned);
    for unit in [
        TimeUnit::Second,
        TimeUnit::Nanosecond,
        TimeUnit::Microsecond,
    ] {
        let hint = DataType::Timestamp(unit, Some("Asia/Tokyo".into()));
        check(&with_hint(&file, &hint), &zoned, &format!("{hint}"));
    }
}

#[test]
fn bytes_that_only_the_schema_calls_text_stay_bytes() {
    let values = (0..ROWS).map(|row| [b"ab".as_slice(), b"\xff"][row % 2]);
    let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values(values));
    let file = file_of(&bytes);
    for hint in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
        check(&with_hint(&file, &hint), &bytes, &format!("{hint}"));
    }
    let dictionary = |values: DataType| DataType::Dictionary(DataType::Int32.into(), values.into());
    let keys = Int32Array::from_iter_values((0..ROWS as i32).map(|it| it % 2));
    let entries: ArrayRef = Arc::new(bytes.slice(0, 2));
    let expected: ArrayRef = Arc::new(DictionaryArray::new(keys, entries));
    let hint = dictionary(DataType::Utf8);
    check(&with_hint(&file, &hint), &expected, &format!("{hint}"));
}
