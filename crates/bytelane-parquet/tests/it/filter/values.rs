//! Tests values whose comparison depends on the type of the column: NaN, floats of 32 bits, UUIDs and
//! other bytes of a fixed size.

use arrow_array::{
    ArrayRef, Decimal128Array, FixedSizeBinaryArray, Float32Array, Int64Array, RecordBatch,
    RecordBatchReader,
};
use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, Field, Schema};
use bytelane_parquet::filter::{Comparison, Predicate, Selection, Value};
use bytelane_parquet::{Reader, ReaderBuilder, StringType, arrow_array, arrow_schema, parquet};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::sync::Arc;

/// Returns a file with one column `x`.
fn file_of(x: ArrayRef, field: Field, statistics: EnabledStatistics) -> Bytes {
    let schema = Arc::new(Schema::new(vec![field]));
    let properties = WriterProperties::builder().set_statistics_enabled(statistics);
    let mut file = Vec::new();
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![x]).unwrap();
    let mut writer = ArrowWriter::try_new(&mut file, schema, Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file.into()
}

fn column(x: ArrayRef, statistics: EnabledStatistics) -> Bytes {
    let field = Field::new("x", x.data_type().clone(), true);
    file_of(x, field, statistics)
}

fn count(file: &Bytes, predicate: &Predicate) -> bytelane_parquet::Result<usize> {
    let builder = ReaderBuilder::try_new(file.clone())?;
    let rows = Selection::default()
        .with_filter(predicate.clone())
        .read(builder)?;
    Ok(rows.map(|batch| batch.unwrap().num_rows()).sum())
}

fn compare(comparison: Comparison, value: Value) -> Predicate {
    Predicate::Compare {
        column: "x".into(),
        comparison,
        value,
    }
}

#[test]
fn every_number_differs_from_nan_with_and_without_statistics() {
    let decimals = Decimal128Array::from_iter_values([150, 250]);
    let decimals = decimals.with_precision_and_scale(9, 2).unwrap();
    let columns: [ArrayRef; 3] = [
        Arc::new(Int64Array::from(vec![1, 2])),
        Arc::new(decimals),
        Arc::new(Float32Array::from(vec![1.0, 2.0])),
    ];
    for x in columns {
        for statistics in [EnabledStatistics::None, EnabledStatistics::Page] {
            let file = column(Arc::clone(&x), statistics);
            for (comparison, found) in [
                (Comparison::NotEqual, 2),
                (Comparison::Equal, 0),
                (Comparison::Less, 0),
                (Comparison::GreaterOrEqual, 0),
            ] {
                let predicate = compare(comparison, Value::Float(f64::NAN));
                let case = format!("{comparison:?} {} {statistics:?}", x.data_type());
                assert_eq!(count(&file, &predicate).unwrap(), found, "{case}");
                let not = Predicate::Not(Box::new(predicate));
                assert_eq!(count(&file, &not).unwrap(), 2 - found, "not {case}");
            }
        }
    }
}

#[test]
fn a_number_is_compared_with_the_nearest_float_of_the_column() {
    let floats = Float32Array::from(vec![0.1, 0.2, f32::MAX, f32::INFINITY, f32::NEG_INFINITY]);
    let file = column(Arc::new(floats), EnabledStatistics::Page);
    let decimal: Predicate = "x = 0.1".parse().unwrap();
    assert_eq!(count(&file, &decimal).unwrap(), 1);
    for (comparison, value, found) in [
        (Comparison::Equal, 0.1, 1),
        (Comparison::NotEqual, 0.1, 4),
        (Comparison::LessOrEqual, 0.1, 2),
        (Comparison::Greater, 0.1, 3),
        // No finite number equals infinity.
        (Comparison::Equal, 1e300, 0),
        (Comparison::Less, 1e300, 4),
        (Comparison::Greater, 1e300, 1),
        (Comparison::Less, -1e300, 1),
        (Comparison::Equal, f64::INFINITY, 1),
    ] {
        let predicate = compare(comparison, Value::Float(value));
        assert_eq!(count(&file, &predicate).unwrap(), found, "{predicate:?}");
    }
}

const ID: &str = "57976607-d3f5-45ce-96aa-834df7f40ef0";

fn ids() -> FixedSizeBinaryArray {
    let id = u128::from_str_radix(&ID.replace('-', ""), 16).unwrap();
    let values = [id, id + 1].map(u128::to_be_bytes);
    FixedSizeBinaryArray::try_from_iter(values.iter()).unwrap()
}

fn uuids() -> Bytes {
    let metadata = [(EXTENSION_TYPE_NAME_KEY.to_owned(), "arrow.uuid".to_owned())];
    let field = Field::new("x", DataType::FixedSizeBinary(16), true);
    let field = field.with_metadata(metadata);
    let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![Arc::new(ids())]);
    let batch = batch.unwrap();
    let mut file = Vec::new();
    let options = bytelane_parquet::WriterOptions::default();
    let mut writer = bytelane_parquet::Writer::try_new(&mut file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file.into()
}

#[test]
fn text_is_compared_with_uuids_only_if_it_is_one() {
    let file = uuids();
    let found = |text: &str| count(&file, &text.parse().unwrap());
    assert_eq!(found(&format!("x = '{ID}'")).unwrap(), 1);
    assert_eq!(found(&format!("x = '{}'", ID.to_uppercase())).unwrap(), 1);
    assert_eq!(found(&format!("x > '{ID}'")).unwrap(), 1);
    assert_eq!(found(&format!("not x in ('{ID}')")).unwrap(), 1);
    let short = &ID[1..];
    for text in ["abc", short, &ID.replace('-', ""), &ID.replace('d', "g")] {
        let error = found(&format!("x = '{text}'")).unwrap_err().to_string();
        assert!(error.contains("is not a UUID; write it as"), "{error}");
    }
}

#[test]
fn text_is_not_compared_with_other_bytes_of_a_fixed_size() {
    let file = column(Arc::new(ids()), EnabledStatistics::Page);
    let error = count(&file, &format!("x = '{ID}'").parse().unwrap());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("write the bytes as x'00ff'"), "{error}");
    let digits = ID.replace('-', "");
    let predicate = format!("x = x'{digits}'").parse().unwrap();
    assert_eq!(count(&file, &predicate).unwrap(), 1);
}

#[test]
fn the_type_of_strings_does_not_concern_bytes_of_a_fixed_size() {
    for string_type in StringType::ALL {
        let builder = Reader::builder(uuids()).unwrap();
        let reader = builder.with_string_type(string_type).unwrap();
        let reader = reader.build().unwrap();
        let schema = reader.schema();
        assert_eq!(schema.field(0).data_type(), &DataType::FixedSizeBinary(16));
        assert_eq!(schema.field(0).extension_type_name(), Some("arrow.uuid"));
    }
}
