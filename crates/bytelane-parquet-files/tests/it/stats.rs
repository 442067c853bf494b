//! Descriptions of columns are right where they are exact, and close where they are estimates.

use bytelane_parquet::arrow_array::cast::AsArray;
use bytelane_parquet::arrow_array::types::{Float64Type, Int64Type};
use bytelane_parquet::arrow_array::*;
use bytelane_parquet::arrow_schema::{DataType, Field};
use bytelane_parquet_files::stats::{ColumnStats, Stats, StatsOptions};
use std::sync::Arc;

fn describe(columns: Vec<(&str, ArrayRef)>, parts: usize) -> Vec<ColumnStats> {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let mut stats = Stats::new(StatsOptions::default());
    let rows = batch.num_rows().div_ceil(parts);
    for start in (0..batch.num_rows()).step_by(rows.max(1)) {
        stats
            .add(&batch.slice(start, rows.min(batch.num_rows() - start)))
            .unwrap();
    }
    if batch.num_rows() == 0 {
        stats.add(&batch).unwrap();
    }
    stats.finish().unwrap()
}

fn floats(arrays: &[ArrayRef]) -> Vec<f64> {
    arrays
        .iter()
        .map(|it| it.as_primitive::<Float64Type>().value(0))
        .collect()
}

#[test]
fn small_columns_are_described_exactly() {
    let x = Float64Array::from(vec![
        Some(1.5),
        None,
        Some(f64::NAN),
        Some(-0.0),
        Some(0.0),
        Some(4.0),
        Some(f64::NAN),
    ]);
    let venues = StringArray::from(vec![
        Some("b"),
        Some("a"),
        None,
        Some("b"),
        Some("b"),
        Some("c"),
        Some("a"),
    ]);
    let keys: DictionaryArray<types::Int8Type> = venues.iter().collect();
    let times =
        TimestampNanosecondArray::from_iter_values((0..7).map(|i| 1_700_000_000_000_000_001 + i));
    let ids = Int64Array::from(vec![
        Some(3),
        None,
        Some(-1),
        Some(3),
        Some(7),
        Some(7),
        Some(7),
    ]);
    let member = Arc::new(Field::new("id", DataType::Int64, true));
    let group = StructArray::from(vec![(member, Arc::new(ids.clone()) as ArrayRef)]);
    for parts in [1, 3, 7] {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("x", Arc::new(x.clone())),
            ("venue", Arc::new(venues.clone())),
            ("key", Arc::new(keys.clone())),
            ("time", Arc::new(times.clone())),
            ("id", Arc::new(ids.clone())),
            ("group", Arc::new(group.clone())),
            ("none", new_null_array(&DataType::Int32, 7)),
        ];
        let all = describe(columns, parts);
        let [x, venue, key, time, id, member, none] = &all[..] else {
            panic!("{}", all.len())
        };
        assert_eq!((x.rows, x.nulls, x.nans, x.distinct.value), (7, 1, 2, 4));
        assert_eq!(floats(x.bounds.as_ref().unwrap())[1], 4.0);
        assert_eq!(floats(x.quantiles.as_ref().unwrap()), [-0.0, 0.0, 1.5]);
        assert_eq!(
            (x.mean, x.is_all, x.histogram.iter().sum::<u64>()),
            (Some(1.375), true, 4)
        );

        let counts = |column: &ColumnStats| {
            let most = column.frequent.iter();
            most.map(|(value, count)| {
                (
                    value.as_string::<i32>().value(0).to_owned(),
                    count.value,
                    count.is_exact,
                )
            })
            .collect::<Vec<_>>()
        };
        let expected = [("b", 3, true), ("a", 2, true), ("c", 1, true)];
        let expected = expected.map(|(value, count, exact)| (value.to_owned(), count, exact));
        assert_eq!(counts(venue), expected);
        assert_eq!(counts(key), expected);
        assert_eq!((key.nulls, &key.data_type), (1, &DataType::Utf8));
        let bounds = venue.bounds.as_ref().unwrap();
        assert_eq!(
            (
                bounds[0].as_string::<i32>().value(0),
                bounds[1].as_string::<i32>().value(0)
            ),
            ("a", "c")
        );
        assert!(venue.mean.is_none() && venue.quantiles.is_none() && venue.histogram.is_empty());

        // Times keep their unit and all digits.
        let median = &time.quantiles.as_ref().unwrap()[1];
        assert_eq!(median.as_ref(), &times.slice(3, 1) as &dyn Array);
        assert!(time.mean.is_none());

        assert_eq!((id.mean, id.distinct.value), (Some(26.0 / 6.0), 3));
        assert_eq!(
            id.quantiles.as_ref().unwrap()[1]
                .as_primitive::<Int64Type>()
                .value(0),
            3
        );
        assert_eq!(
            (member.path.as_str(), member.mean, member.nulls),
            ("group.id", id.mean, 1)
        );
        assert!(none.bounds.is_none() && none.mean.is_none() && none.frequent.is_empty());
        assert_eq!((none.nulls, none.distinct.value), (7, 0));
    }
    let empty: ArrayRef = Arc::new(Int64Array::from(Vec::<i64>::new()));
    let empty = &describe(vec![("x", empty)], 1)[0];
    assert_eq!((empty.rows, empty.mean), (0, None));
}

#[test]
fn every_type_has_counts() {
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([
        Some(vec![Some(1)]),
        None,
        Some(vec![Some(1)]),
    ]);
    let decimals = Decimal128Array::from(vec![1, 2, 2])
        .with_precision_and_scale(9, 2)
        .unwrap();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("list", Arc::new(lists)),
        ("decimal", Arc::new(decimals)),
        (
            "flag",
            Arc::new(BooleanArray::from(vec![true, false, true])),
        ),
        (
            "bytes",
            Arc::new(BinaryArray::from_iter_values([b"a", b"b", b"b"])),
        ),
        (
            "view",
            Arc::new(StringViewArray::from_iter_values(["a", "b", "b"])),
        ),
        (
            "large",
            Arc::new(LargeStringArray::from_iter_values(["a", "b", "b"])),
        ),
        ("day", Arc::new(Date32Array::from(vec![1, 2, 2]))),
        ("clock", Arc::new(Time32SecondArray::from(vec![1, 2, 2]))),
        (
            "wait",
            Arc::new(DurationMicrosecondArray::from(vec![1, 2, 2])),
        ),
        ("big", Arc::new(UInt64Array::from(vec![u64::MAX, 0, 0]))),
        (
            "half",
            Arc::new(Float16Array::from(vec![half(1.0), half(2.0), half(2.0)])),
        ),
        ("null", Arc::new(NullArray::new(3))),
    ];
    for column in describe(columns, 2) {
        let expected = match column.path.as_str() {
            "list" => (1, 1),
            "null" => (3, 0),
            _ => (0, 2),
        };
        assert_eq!(
            (column.nulls, column.distinct.value),
            expected,
            "{}",
            column.path
        );
        let has_quantiles = !matches!(
            &*column.path,
            "list" | "flag" | "bytes" | "view" | "large" | "null"
        );
        assert_eq!(column.quantiles.is_some(), has_quantiles, "{}", column.path);
    }
}

fn half(value: f32) -> half::f16 {
    half::f16::from_f32(value)
}

#[test]
fn estimates_of_large_columns_are_close() {
    let rows = 1_000_000_i64;
    let ids = Int64Array::from_iter_values((0..rows).map(|i| i * 7919 % rows));
    let often = (0..rows).map(|i| if i % 10 == 0 { 42 } else { 1_000 + i });
    let often = Int64Array::from_iter_values(often);
    let all = describe(vec![("id", Arc::new(ids)), ("often", Arc::new(often))], 123);
    let (id, often) = (&all[0], &all[1]);
    assert!(!id.distinct.is_exact && !id.is_all);
    let error = id.distinct.value as f64 / rows as f64 - 1.0;
    assert!(error.abs() < 0.03, "{error}");
    for (value, share) in id.quantiles.as_ref().unwrap().iter().zip([0.25, 0.5, 0.75]) {
        let value = value.as_primitive::<Int64Type>().value(0) as f64 / rows as f64;
        assert!((value - share).abs() < 0.01, "{value} {share}");
    }
    assert!(id.frequent.is_empty());
    let [(value, count)] = &often.frequent[..] else {
        panic!("{:?}", often.frequent)
    };
    assert_eq!(value.as_primitive::<Int64Type>().value(0), 42);
    assert!(
        !count.is_exact && (90_000..=100_000).contains(&count.value),
        "{count:?}"
    );
}
