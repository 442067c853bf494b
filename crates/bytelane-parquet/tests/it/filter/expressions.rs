//! Comparisons of expressions, and of elements of lists. `interop/readers/test_conditions.py` compares more with DuckDB.

use arrow_array::builder::{Int32Builder, MapBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, Date32Array, Decimal128Array, DurationSecondArray, Float64Array, Int8Array,
    Int64Array, ListArray, RecordBatch, StringArray, TimestampMillisecondArray, UInt64Array,
};
use arrow_cast::cast;
use arrow_schema::{DataType, TimeUnit};
use bytelane_parquet::filter::{Filter, Predicate};
use std::sync::Arc;

fn batch() -> RecordBatch {
    let decimals = Decimal128Array::from(vec![Some(150), Some(-25), None, Some(0)]);
    let lists = [
        Some(vec![Some(1), None]),
        Some(vec![]),
        None,
        Some(vec![Some(-3), Some(2), Some(3)]),
    ];
    let columns: [(&str, ArrayRef); 10] = [
        (
            "i",
            Arc::new(Int64Array::from(vec![
                Some(i64::MAX),
                Some(-1),
                None,
                Some(0),
            ])),
        ),
        ("u", Arc::new(UInt64Array::from(vec![u64::MAX, 1, 2, 0]))),
        (
            "s",
            Arc::new(Int8Array::from(vec![Some(1), Some(-1), Some(3), Some(0)])),
        ),
        (
            "x",
            Arc::new(Float64Array::from(vec![f64::NAN, -0.0, 1.0, 0.0])),
        ),
        (
            "y",
            Arc::new(Float64Array::from(vec![f64::NAN, 0.0, f64::INFINITY, -1.0])),
        ),
        (
            "d",
            Arc::new(decimals.with_precision_and_scale(9, 2).unwrap()),
        ),
        ("day", Arc::new(Date32Array::from(vec![0, 1, 2, 3]))),
        (
            "t",
            Arc::new(TimestampMillisecondArray::from(vec![0, 86_400_000, 1, -1])),
        ),
        (
            "wait",
            Arc::new(DurationSecondArray::from(vec![0, 60, 3600, -90_000])),
        ),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
        ),
    ];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, it)| (name, it, true)));
    batch.unwrap()
}

/// Returns the rows for which a condition is true.
fn found(condition: &str) -> Result<Vec<usize>, String> {
    let batch = batch();
    let predicate: Predicate = condition
        .parse()
        .map_err(|it: bytelane_parquet::Error| it.to_string())?;
    let mask = Filter::try_new(&predicate, &batch.schema()).and_then(|it| it.evaluate(&batch));
    let mask = mask.map_err(|error| error.to_string())?;
    Ok((0..4).filter(|row| mask.value(*row)).collect())
}

#[test]
fn expressions_are_compared_by_value() {
    for (condition, expected) in [
        // Limits of integers do not overflow, nor do signs matter.
        ("i + 1 > i", &[0, 1, 3][..]),
        ("i * i >= 0", &[0, 1, 3]),
        ("-i < u", &[0]),
        ("u - i > 0", &[0, 1]),
        ("u = s", &[3]),
        ("i = s", &[1, 3]),
        ("i / 2 = -0.5", &[1]),
        ("i % 2 = -1", &[1]),
        ("i % s = 0", &[0, 1]),
        ("d + d = 3", &[0]),
        ("d * 4 = i", &[1, 3]),
        ("d * 2 = s + 2", &[0]),
        // NaN equals nothing, zeros are equal, and null is not a result.
        ("x = y", &[1]),
        ("x <> y", &[0, 2, 3]),
        ("x < y or x >= y", &[1, 2, 3]),
        ("not x < y", &[0, 1, 3]),
        ("x + 0 = -y", &[1]),
        ("x / y = 0", &[2, 3]),
        ("not i = s", &[0]),
        ("i = s or u = 2", &[1, 2, 3]),
        // Times.
        ("t - day >= interval '0 seconds'", &[0, 1]),
        ("day + wait < t", &[]),
        ("t + wait = timestamp '1970-01-02 00:01:00'", &[1]),
        ("t > '1970-01-01 12:00:00'", &[1]),
        ("day - date '1970-01-02' > interval '23 hours'", &[2, 3]),
        ("wait > '59 seconds'", &[1, 2]),
        ("wait < interval '-1 day'", &[3]),
        ("wait * 2 = interval '2 hours'", &[2]),
        ("wait / interval '30 seconds' = 2", &[1]),
        // Elements of lists.
        ("list[1] = 1", &[0]),
        ("list[-1] = 3", &[3]),
        ("list[2] is null", &[0, 1, 2]),
        ("list[0] is null", &[0, 1, 2, 3]),
        ("list[9223372036854775807] is null", &[0, 1, 2, 3]),
        ("list[-9223372036854775807] is null", &[0, 1, 2, 3]),
        ("list[1] in (1, -3)", &[0, 3]),
        ("list[1] + list[-1] = 0", &[3]),
        ("list[*] > 1", &[3]),
        ("not list[*] > 1", &[0, 1]),
        ("list[*] is null", &[0]),
        ("list is null", &[2]),
        // Tests of calculated values.
        ("i + s is null", &[2]),
        ("i % s is not null", &[0, 1]),
        ("s * 2 in (-2, 0)", &[1, 3]),
        ("s * 2 not in (-2, 0)", &[0, 2]),
        ("list[1] + 1 is null", &[1, 2]),
    ] {
        let found = found(condition);
        assert_eq!(found, Ok(expected.to_vec()), "{condition}");
    }
}

#[test]
fn columns_of_one_type_are_compared_as_they_are() {
    let texts =
        |values: [Option<&str>; 4]| -> ArrayRef { Arc::new(StringArray::from_iter(values)) };
    let numbers =
        |values: [Option<i64>; 4]| -> ArrayRef { Arc::new(Int64Array::from_iter(values)) };
    // Less, greater, null, equal.
    let pairs = [
        (
            numbers([Some(-1), Some(7), None, Some(3)]),
            numbers([Some(2), Some(-9), Some(1), Some(3)]),
            vec![
                DataType::Int64,
                DataType::Date32,
                DataType::Date64,
                DataType::Timestamp(TimeUnit::Microsecond, Some("+01:00".into())),
                DataType::Time64(TimeUnit::Nanosecond),
                DataType::Duration(TimeUnit::Second),
                DataType::Decimal128(20, 1),
                DataType::Float64,
            ],
        ),
        (
            texts([Some("a"), Some("b"), None, Some("")]),
            texts([Some("ab"), Some("B"), Some(""), Some("")]),
            vec![DataType::Utf8, DataType::Utf8View, DataType::LargeBinary],
        ),
        (
            texts([Some("false"), Some("true"), None, Some("true")]),
            texts([Some("true"), Some("false"), Some("true"), Some("true")]),
            vec![DataType::Boolean],
        ),
    ];
    for (left, right, types) in pairs {
        for of in types {
            let as_type = |array: &ArrayRef| match of {
                DataType::Date32 => cast(&cast(array, &DataType::Int32).unwrap(), &of).unwrap(),
                _ => cast(array, &of).unwrap(),
            };
            let [left, right] = [&left, &right].map(as_type);
            let keyed = DataType::Dictionary(DataType::Int32.into(), of.clone().into());
            let keyed = cast(&left, &keyed).unwrap_or_else(|_| Arc::clone(&left));
            for left in [left, keyed] {
                let columns = [("a", left, true), ("b", Arc::clone(&right), true)];
                let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
                for (condition, expected) in [
                    ("a < b", vec![0]),
                    ("a = b", vec![3]),
                    ("a >= b", vec![1, 3]),
                    ("not a <= b", vec![1]),
                    ("a <> b", vec![0, 1]),
                ] {
                    let predicate: Predicate = condition.parse().unwrap();
                    let filter = Filter::try_new(&predicate, &batch.schema()).unwrap();
                    let mask = filter.evaluate(&batch).unwrap();
                    let found: Vec<_> = (0..4).filter(|row| mask.value(*row)).collect();
                    assert_eq!(found, expected, "{condition} of {of}");
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_calculated_is_named() {
    for (condition, problem) in [
        (
            "i + t > 0",
            "a number + a date or a timestamp without a time zone has no result",
        ),
        ("day + day = day", "+ a date"),
        (
            "i > t",
            "a number cannot be compared with a date or a timestamp",
        ),
        ("t - day > 3", "a duration cannot be compared with a number"),
        ("-t > t", "has no sign"),
        ("i + 'a' > 1", "a number + a text has no result"),
        ("t - day > 'soon'", "write it as 1 day 2 hours"),
        ("list = list", "cannot be compared"),
        (
            "list[*] = i",
            "`[*]` needs a comparison of the elements with a value",
        ),
        ("i[1] = 1", "i is no list"),
        ("list['a'] = 1", "list is no map, so it has no keys"),
        ("list is null and -t is null", "has no sign"),
        ("list[1].a = 1", "no member a"),
        ("none[1] = 1", "none"),
        ("i * i * i > 0", "verflow"),
    ] {
        let error = found(condition).unwrap_err();
        assert!(error.contains(problem), "{condition}: {error}");
    }
}

#[test]
fn keys_of_maps_are_elements() {
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for entries in [
        &[("a", Some(1)), ("it's", None)][..],
        &[("b]", Some(2))],
        &[],
    ] {
        for (key, value) in entries {
            maps.keys().append_value(key);
            maps.values().append_option(*value);
        }
        maps.append(true).unwrap();
    }
    maps.append(false).unwrap();
    let maps: ArrayRef = Arc::new(maps.finish());
    let batch = RecordBatch::try_from_iter_with_nullable([("m", maps, true)]).unwrap();
    for (condition, expected) in [
        ("m['a'] = 1", [true, false, false, false]),
        ("m['it''s'] is null", [true, true, true, true]),
        ("m['b]'] + 1 = 3", [false, true, false, false]),
        ("m['a'] is not null", [true, false, false, false]),
    ] {
        let predicate: Predicate = condition.parse().unwrap();
        let filter = Filter::try_new(&predicate, &batch.schema()).unwrap();
        let mask = filter.evaluate(&batch).unwrap();
        assert_eq!(mask, expected.to_vec().into(), "{condition}");
    }
    let predicate: Predicate = "m[1] = 1".parse().unwrap();
    let error = Filter::try_new(&predicate, &batch.schema()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("Utf8 cannot be compared with the integer 1"),
        "{error}"
    );
}

#[test]
fn a_name_that_looks_like_an_element_is_a_column() {
    let names: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let batch = RecordBatch::try_from_iter([("x[1]", names)]).unwrap();
    let predicate: Predicate = "\"x[1]\" = 'b'".parse().unwrap();
    let filter = Filter::try_new(&predicate, &batch.schema()).unwrap();
    assert_eq!(filter.evaluate(&batch).unwrap(), vec![false, true].into());
}
