//! Tests filters: they keep the same rows as Arrow's kernels, with and without row groups that
//! statistics exclude.

mod expressions;
mod gaps;
mod late;
mod pages;
mod statistics;
mod values;

use arrow_arith::boolean::{and_kleene, is_null, not, or_kleene};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, UInt16Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Datum, Decimal128Array,
    DictionaryArray, Float32Array, Float64Array, Int8Array, Int32Array, Int64Array,
    LargeStringArray, RecordBatch, RecordBatchReader, Scalar, StringArray, StringViewArray,
    StructArray, TimestampMicrosecondArray, TimestampMillisecondArray, UInt16Array, UInt64Array,
};
use arrow_ord::cmp;
use arrow_schema::{ArrowError, DataType, Field, TimeUnit};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use bytelane_parquet::filter::{Comparison, Filter, Predicate, Selection, Value};
use bytelane_parquet::{Problem, Reader, ReaderBuilder, arrow_array, arrow_schema, parquet};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use std::num::NonZero;
use std::sync::Arc;

use crate::any::arrays::Numbers;

const COLUMNS: usize = 17;

/// Returns rows of many types. Values repeat; some columns are nearly sorted, so that row groups
/// have different bounds.
fn batch(numbers: &mut Numbers, rows: usize) -> RecordBatch {
    let columns = (0..COLUMNS).map(|column| {
        let distinct = [4, 30][numbers.below(2)];
        let is_sorted = numbers.below(2) == 0;
        let nulls = [3, 1 << 20][numbers.below(2)];
        let mut values = (0..rows).map(|row| {
            let noise = numbers.below(distinct) as i64 - 2;
            let value = if is_sorted {
                (row / 7) as i64 + noise % 3
            } else {
                noise
            };
            (numbers.below(nulls) > 0).then_some(value)
        });
        (format!("c{column}"), array(column, &mut values), true)
    });
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

fn array(column: usize, values: &mut dyn Iterator<Item = Option<i64>>) -> ArrayRef {
    let text = |value: i64| {
        format!(
            "{}{value}",
            "ab".repeat((value.unsigned_abs() % 40) as usize)
        )
    };
    match column {
        0 => Arc::new(BooleanArray::from_iter(
            values.map(|it| it.map(|it| it % 2 == 0)),
        )),
        1 => Arc::new(Int8Array::from_iter(values.map(|it| it.map(|it| it as i8)))),
        2 => Arc::new(UInt16Array::from_iter(
            values.map(|it| it.map(|it| it as u16)),
        )),
        3 => Arc::new(Int32Array::from_iter(
            values.map(|it| it.map(|it| it as i32)),
        )),
        4 => Arc::new(Int64Array::from_iter(
            values.map(|it| it.map(|it| it << 40)),
        )),
        5 => Arc::new(UInt64Array::from_iter(
            values.map(|it| it.map(|it| it as u64)),
        )),
        6 => Arc::new(Float32Array::from_iter(
            values.map(|it| it.map(|it| it as f32 / 8.0)),
        )),
        7 => Arc::new(Float64Array::from_iter(
            values.map(|it| it.map(|it| it as f64 / 10.0)),
        )),
        8 => Arc::new(StringArray::from_iter(values.map(|it| it.map(text)))),
        9 => Arc::new(LargeStringArray::from_iter(values.map(|it| it.map(text)))),
        10 => Arc::new(StringViewArray::from_iter(values.map(|it| it.map(text)))),
        11 => Arc::new(BinaryArray::from_iter(
            values.map(|it| it.map(|it| it.to_le_bytes())),
        )),
        12 => Arc::new(Date32Array::from_iter(
            values.map(|it| it.map(|it| it as i32)),
        )),
        13 => Arc::new(TimestampMicrosecondArray::from_iter(
            values.map(|it| it.map(|it| it << 30)),
        )),
        14 => Arc::new(TimestampMillisecondArray::from_iter(values).with_timezone("UTC")),
        15 => {
            let decimals = values.map(|it| it.map(|it| i128::from(it) << 60));
            Arc::new(
                Decimal128Array::from_iter(decimals)
                    .with_precision_and_scale(25, 3)
                    .expect("a scale"),
            )
        }
        _ => {
            let texts: Vec<_> = values.map(|it| it.map(text)).collect();
            Arc::new(
                texts
                    .iter()
                    .map(Option::as_deref)
                    .collect::<DictionaryArray<Int32Type>>(),
            )
        }
    }
}

/// Returns the value of a slot, which is not null.
fn value(array: &dyn Array, slot: usize) -> Value {
    let decimal = |digits, scale: i8| Value::Decimal {
        digits,
        scale: scale.into(),
    };
    let timestamp = |number: i64, unit: i128, is_utc| {
        let nanoseconds = i128::from(number) * unit;
        Value::Timestamp {
            nanoseconds,
            is_utc,
        }
    };
    match array.data_type() {
        DataType::Boolean => Value::Boolean(array.as_boolean().value(slot)),
        DataType::Int8 => Value::Integer(array.as_primitive::<Int8Type>().value(slot).into()),
        DataType::UInt16 => Value::Integer(array.as_primitive::<UInt16Type>().value(slot).into()),
        DataType::Int32 => Value::Integer(array.as_primitive::<Int32Type>().value(slot).into()),
        DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(slot).into()),
        DataType::UInt64 => Value::Integer(array.as_primitive::<UInt64Type>().value(slot).into()),
        DataType::Float32 => Value::Float(array.as_primitive::<Float32Type>().value(slot).into()),
        DataType::Float64 => Value::Float(array.as_primitive::<Float64Type>().value(slot)),
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(slot).into()),
        DataType::LargeUtf8 => Value::Text(array.as_string::<i64>().value(slot).into()),
        DataType::Utf8View => Value::Text(array.as_string_view().value(slot).into()),
        DataType::Binary => Value::Binary(array.as_binary::<i32>().value(slot).into()),
        DataType::Date32 => Value::Date(array.as_primitive::<Date32Type>().value(slot)),
        DataType::Timestamp(TimeUnit::Microsecond, _) => timestamp(
            array.as_primitive::<TimestampMicrosecondType>().value(slot),
            1000,
            false,
        ),
        DataType::Timestamp(..) => timestamp(
            array.as_primitive::<TimestampMillisecondType>().value(slot),
            1_000_000,
            true,
        ),
        DataType::Decimal128(_, scale) => {
            decimal(array.as_primitive::<Decimal128Type>().value(slot), *scale)
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_dictionary::<Int32Type>();
            value(dictionary.values(), dictionary.keys().value(slot) as usize)
        }
        other => unreachable!("{other}"),
    }
}

/// Comparison kernel of Arrow.
type Kernel = fn(&dyn Datum, &dyn Datum) -> Result<BooleanArray, ArrowError>;

/// Returns a random predicate, and its result by Arrow's kernels.
fn predicate(
    numbers: &mut Numbers,
    batch: &RecordBatch,
    depth: usize,
) -> (Predicate, BooleanArray) {
    if depth > 0 {
        let (one, of_one) = predicate(numbers, batch, depth - 1);
        let (other, of_other) = predicate(numbers, batch, depth - 1);
        return match numbers.below(3) {
            0 => (
                Predicate::And(vec![one, other]),
                and_kleene(&of_one, &of_other).expect("masks"),
            ),
            1 => (
                Predicate::Or(vec![one, other]),
                or_kleene(&of_one, &of_other).expect("masks"),
            ),
            _ => (Predicate::Not(Box::new(one)), not(&of_one).expect("a mask")),
        };
    }
    let index = numbers.below(COLUMNS);
    let (column, array) = (format!("c{index}"), batch.column(index));
    let valid: Vec<usize> = (0..array.len())
        .filter(|slot| array.is_valid(*slot))
        .collect();
    if valid.is_empty() || numbers.below(6) == 0 {
        return (
            Predicate::IsNull { column },
            is_null(array).expect("a mask"),
        );
    }
    let mut slot = || valid[numbers.below(valid.len())];
    let (one, other) = (slot(), slot());
    let scalar = |slot| Scalar::new(array.slice(slot, 1));
    let kernels: [(Comparison, Kernel); 6] = [
        (Comparison::Equal, cmp::eq),
        (Comparison::NotEqual, cmp::neq),
        (Comparison::Less, cmp::lt),
        (Comparison::LessOrEqual, cmp::lt_eq),
        (Comparison::Greater, cmp::gt),
        (Comparison::GreaterOrEqual, cmp::gt_eq),
    ];
    if let Value::Text(text) = value(array, one)
        && numbers.below(4) == 0
    {
        let prefix = &text[..numbers.below(text.len() + 1)];
        let starts = |slot| match value(array, slot) {
            Value::Text(text) => text.starts_with(prefix),
            _ => unreachable!("a column of texts"),
        };
        let mask = (0..array.len()).map(|slot| array.is_valid(slot).then(|| starts(slot)));
        return (
            Predicate::Like {
                column,
                pattern: format!("{prefix}%"),
            },
            mask.collect(),
        );
    }
    if numbers.below(4) == 0 {
        let values = vec![value(array, one), value(array, other)];
        let equal = [one, other].map(|slot| cmp::eq(array, &scalar(slot)).expect("one type"));
        return (
            Predicate::In { column, values },
            or_kleene(&equal[0], &equal[1]).expect("masks"),
        );
    }
    let (comparison, kernel) = kernels[numbers.below(kernels.len())];
    let mask = kernel(array, &scalar(one)).expect("one type");
    (
        Predicate::Compare {
            column,
            comparison,
            value: value(array, one),
        },
        mask,
    )
}

fn file(numbers: &mut Numbers, batch: &RecordBatch) -> Bytes {
    let statistics = [
        EnabledStatistics::Chunk,
        EnabledStatistics::Page,
        EnabledStatistics::Page,
        EnabledStatistics::None,
    ][numbers.below(4)];
    let properties = WriterProperties::builder()
        .set_statistics_enabled(statistics)
        .set_statistics_truncate_length([None, Some(5)][numbers.below(2)])
        .set_column_index_truncate_length([None, Some(5)][numbers.below(2)])
        .set_bloom_filter_enabled(numbers.below(2) == 0)
        .set_dictionary_enabled(numbers.below(2) == 0)
        .set_write_batch_size(1 + numbers.below(8))
        .set_data_page_row_count_limit(1 + numbers.below(30))
        .set_max_row_group_row_count(Some([20, 1000][numbers.below(2)]));
    write(batch, properties.build())
}

fn write(batch: &RecordBatch, properties: WriterProperties) -> Bytes {
    let mut file = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(batch).expect("rows");
    writer.close().expect("a file");
    file.into()
}

fn selected(selection: &Selection, file: ReaderBuilder<Bytes>) -> RecordBatch {
    let rows = selection.read(file).expect("a selection");
    let schema = rows.schema();
    let batches: Vec<RecordBatch> = rows.map(|batch| batch.expect("rows")).collect();
    assert!(batches.iter().all(|batch| batch.num_rows() > 0));
    concat_batches(&schema, &batches).expect("one schema")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn rows_are_those_that_arrow_keeps(seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let rows = 1 + numbers.below(200);
        let batch = batch(&mut numbers, rows);
        let depth = numbers.below(4);
        let (predicate, mask) = predicate(&mut numbers, &batch, depth);
        let filter = Filter::try_new(&predicate, &batch.schema()).expect("a filter");
        let kept = filter.evaluate(&batch).expect("rows");
        let expected: BooleanArray = mask.iter().map(|it| Some(it == Some(true))).collect();
        prop_assert_eq!(&kept, &expected, "{:?}", predicate);

        let file = file(&mut numbers, &batch);
        let threads = NonZero::new(1 + numbers.below(2)).expect("threads");
        let reader = Reader::builder(file).expect("a footer").with_batch_size(1 + numbers.below(60)).with_threads(threads);
        let mut selection = Selection::default().with_filter(predicate.clone());
        let mut truth = filter_record_batch(&batch, &expected).expect("a mask");
        if numbers.below(2) == 0 {
            let columns: Vec<usize> = (0..COLUMNS).filter(|_| numbers.below(3) == 0).collect();
            selection = selection.with_columns(columns.iter().map(|column| format!("c{column}")));
            truth = truth.project(&columns).expect("columns");
        }
        let selected = selected(&selection, reader);
        prop_assert_eq!(selected.num_rows(), truth.num_rows(), "{:?}", predicate);
        for (index, (one, other)) in selected.columns().iter().zip(truth.columns()).enumerate() {
            prop_assert!(one == other, "column {}: {:?}", index, predicate);
        }
    }
}

fn ids(values: impl IntoIterator<Item = i64>) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
    RecordBatch::try_from_iter([("id", ids)]).expect("a column")
}

fn groups_of(rows: usize) -> WriterProperties {
    WriterProperties::builder()
        .set_max_row_group_row_count(Some(rows))
        .set_dictionary_enabled(false)
        .build()
}

fn filter(text: &str) -> Selection {
    Selection::default().with_filter(text.parse().expect("a condition"))
}

#[test]
fn floats_follow_ieee_754() {
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![
        -0.0,
        0.0,
        f64::NAN,
        1.0,
        f64::INFINITY,
    ]));
    let halves = Float32Array::from(vec![-0.0, 0.1, f32::NAN, 1.0, f32::INFINITY]);
    let batch = RecordBatch::try_from_iter([("x", floats), ("y", Arc::new(halves) as _)])
        .expect("a column");
    let kept = |predicate: &Predicate| {
        let filter = Filter::try_new(predicate, &batch.schema()).expect("a filter");
        let mask = filter.evaluate(&batch).expect("rows");
        mask.values().set_indices().collect::<Vec<_>>()
    };
    for (text, rows) in [
        ("x = 0", vec![0, 1]),
        ("x in (0, 1)", vec![0, 1, 3]),
        ("x > 0", vec![3, 4]),
        ("not x > 0", vec![0, 1, 2]),
        ("x != 1", vec![0, 1, 2, 4]),
        ("x < 1e400", vec![0, 1, 3]),
        // The nearest float, as in SQL.
        ("y = 0.1", vec![1]),
    ] {
        assert_eq!(kept(&text.parse().expect("a condition")), rows, "{text}");
    }
    let compare = |column: &str, comparison, value| {
        kept(&Predicate::Compare {
            column: column.into(),
            comparison,
            value: Value::Float(value),
        })
    };
    assert!(compare("x", Comparison::Equal, f64::NAN).is_empty());
    assert_eq!(
        compare("x", Comparison::NotEqual, f64::NAN),
        [0, 1, 2, 3, 4]
    );
    // A binary float is compared like the decimal number that users write for it.
    assert_eq!(compare("y", Comparison::Equal, 0.1), [1]);
}

/// Returns a group whose member `a` is filtered, next to a list.
fn nested() -> RecordBatch {
    let a: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3), Some(4)]));
    let b: ArrayRef = Arc::new(StringArray::from(vec!["p", "q", "r", "s"]));
    let fields = vec![
        Field::new("a", DataType::Int32, true),
        Field::new("b", DataType::Utf8, false),
    ];
    let nulls = vec![true, true, true, false].into();
    let group: ArrayRef = Arc::new(StructArray::new(fields.into(), vec![a, b], Some(nulls)));
    let lists = arrow_array::ListArray::from_iter_primitive::<Int32Type, _, _>([
        Some([Some(1)]),
        None,
        None,
        None,
    ]);
    let dotted: ArrayRef = Arc::new(Int32Array::from(vec![7, 8, 9, 10]));
    let columns: [(&str, ArrayRef, bool); 3] = [
        ("g", group, true),
        ("l", Arc::new(lists), true),
        ("d.o", dotted, false),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

#[test]
fn columns_in_groups_are_found_by_their_paths() {
    let batch = nested();
    let file = write(&batch, groups_of(1000));
    let rows = |text: &str| {
        selected(
            &filter(text),
            Reader::builder(file.clone()).expect("a footer"),
        )
    };
    assert_eq!(
        rows("g.a >= 1"),
        filter_record_batch(&batch, &vec![true, false, true, false].into()).expect("rows")
    );
    // A value in a null group is null.
    assert_eq!(rows("g.a is null").num_rows(), 2);
    assert_eq!(rows("not g.a = 1").num_rows(), 1);
    assert_eq!(rows("g is null").num_rows(), 1);
    assert_eq!(rows("l is null").num_rows(), 3);
    assert_eq!(rows("d.o = 9 and \"d.o\" > 8").num_rows(), 1);
    // The column of the filter is not returned.
    let selection = filter("g.a = 3").with_columns(["g.b", "d.o"]);
    let read = selected(&selection, Reader::builder(file.clone()).expect("a footer"));
    let group = read.column_by_name("g").expect("the group").as_struct();
    assert_eq!((read.num_columns(), group.num_columns()), (2, 1));
    assert_eq!(group.column(0).as_string::<i32>().value(0), "r");
    assert_eq!(read.column(1).as_primitive::<Int32Type>().values(), &[9]);
}

#[test]
fn columns_have_the_order_asked_for() {
    let file = write(&nested(), groups_of(1000));
    let year: ArrayRef = Arc::new(Int32Array::from(vec![2024]));
    let field = Arc::new(Field::new("year", DataType::Int32, true));
    let names = |columns: &[&str]| {
        let selection = filter("g.a = 3").with_columns(columns.iter().copied());
        let selection = selection.with_constant(Arc::clone(&field), Arc::clone(&year));
        let reader = Reader::builder(file.clone()).expect("a footer");
        let read = selected(&selection.expect("one value"), reader);
        assert_eq!(read.num_rows(), 1);
        let schema = read.schema();
        let fields = schema.fields().iter();
        fields.map(|field| field.name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&["d.o", "year", "g"]), ["d.o", "year", "g"]);
    // A group is where its first member is asked for.
    assert_eq!(names(&["g.b", "l", "g.a", "d.o"]), ["g", "l", "d.o"]);
    assert_eq!(names(&["year", "l"]), ["year", "l"]);
}

#[test]
fn constants_are_columns() {
    let file = write(&ids(0..10), groups_of(5));
    let year: ArrayRef = Arc::new(Int32Array::from(vec![2024]));
    let field = Arc::new(Field::new("year", DataType::Int32, true));
    let read = |selection: Selection| {
        let selection = selection
            .with_constant(Arc::clone(&field), Arc::clone(&year))
            .expect("one value");
        selected(&selection, Reader::builder(file.clone()).expect("a footer"))
    };
    let all = read(Selection::default());
    assert_eq!(all.schema().field(1).name(), "year");
    assert_eq!(
        all.column(1).as_primitive::<Int32Type>().values(),
        &[2024; 10]
    );
    assert_eq!(read(filter("year = 2023 or id = 9")).num_rows(), 1);
    assert_eq!(read(filter("year = 2023")).num_rows(), 0);
    let only = read(filter("id < 3").with_columns(["year"]));
    assert_eq!((only.num_rows(), only.num_columns()), (3, 1));
    assert_eq!(
        read(filter("id < 3").with_columns::<&str>([])).num_rows(),
        3
    );
    let two: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
    assert!(
        Selection::default()
            .with_constant(Arc::clone(&field), two)
            .is_err()
    );
}

#[test]
fn errors_name_the_column_and_both_types() {
    let file = write(&nested(), groups_of(1000));
    let fails = |selection: Selection| {
        let reader = Reader::builder(file.clone()).expect("a footer");
        selection
            .read(reader)
            .expect_err("a selection that does not fit")
    };
    let error = fails(filter("g.a = 'x'"));
    assert_eq!(
        error.to_string(),
        "column g.a: the type Int32 cannot be compared with the text \"x\""
    );
    let error = fails(filter("g.b = 1"));
    assert!(
        error
            .to_string()
            .ends_with("Utf8 cannot be compared with the integer 1; texts have quotation marks"),
        "{error}"
    );
    let error = fails(filter("g.a like 'x%'"));
    assert!(
        error.to_string().contains("`like` needs a column of text"),
        "{error}"
    );
    let error = fails(filter("l.list.element = 1"));
    assert!(error.to_string().contains("l[*] stands for any"), "{error}");
    let error = fails(filter("g = 1"));
    assert!(
        error.to_string().contains("only `is null` is supported"),
        "{error}"
    );
    for missing in ["h", "g.c", "g.a.x", "g.", "d"] {
        let is_null = Predicate::IsNull {
            column: missing.into(),
        };
        let error = fails(Selection::default().with_filter(is_null));
        assert!(
            matches!(error.problem(), Problem::NoSuchColumn(name) if name == missing),
            "{error}"
        );
        let error = fails(Selection::default().with_columns([missing]));
        assert!(
            matches!(error.problem(), Problem::NoSuchColumn(name) if name == missing),
            "{error}"
        );
    }
    let error = fails(filter("g.a = 1").with_row_groups(vec![7]));
    assert!(error.to_string().contains("no row group 7"), "{error}");
}
