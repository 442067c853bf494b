//! Converts time types that Parquet does not have to the types that are stored instead, which are the same as
//! in pyarrow.

use crate::types::fields::{children, with_children};
use crate::{Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Time32MillisecondType, Time32SecondType, TimestampMillisecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, make_array};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use std::fmt::Display;
use std::sync::Arc;

const MILLISECONDS: i64 = 1000;
const DAY: i64 = 86_400 * MILLISECONDS;

/// Returns the schema of the stored rows: seconds become milliseconds, and dates in milliseconds become days.
pub fn stored_schema(schema: &SchemaRef) -> SchemaRef {
    let fields: Vec<FieldRef> = schema.fields().iter().map(stored).collect();
    if schema.fields().iter().eq(&fields) {
        Arc::clone(schema)
    } else {
        Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
    }
}

fn stored(field: &FieldRef) -> FieldRef {
    match stored_type(field.data_type()) {
        Some(data_type) => Arc::new(Field::clone(field).with_data_type(data_type)),
        None => with_children(field, &mut stored),
    }
}

/// Returns the type that replaces one without fields in it.
fn stored_type(data_type: &DataType) -> Option<DataType> {
    Some(match data_type {
        DataType::Timestamp(TimeUnit::Second, zone) => {
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone())
        }
        DataType::Time32(TimeUnit::Second) => DataType::Time32(TimeUnit::Millisecond),
        DataType::Date64 => DataType::Date32,
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), stored_type(values)?.into())
        }
        _ => return None,
    })
}

/// Converts an array to its stored type. Returns an error if a value does not fit.
pub fn to_stored(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
    if array.data_type() == data_type {
        return Ok(Arc::clone(array));
    }
    match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => {
            let times = converted::<TimestampSecondType, TimestampMillisecondType>(array, |it| {
                it.checked_mul(MILLISECONDS)
            })?;
            Ok(Arc::new(times.with_data_type(data_type.clone())))
        }
        DataType::Time32(TimeUnit::Second) => {
            let times = converted::<Time32SecondType, Time32MillisecondType>(array, |it| {
                it.checked_mul(MILLISECONDS as i32)
            })?;
            Ok(Arc::new(times))
        }
        DataType::Date64 => {
            let days = converted::<Date64Type, Date32Type>(array, |it| (it / DAY).try_into().ok())?;
            Ok(Arc::new(days))
        }
        _ => nested(array, data_type),
    }
}

fn converted<F: ArrowPrimitiveType, T: ArrowPrimitiveType>(
    array: &ArrayRef,
    value: impl Fn(F::Native) -> Option<T::Native>,
) -> Result<PrimitiveArray<T>>
where
    F::Native: Display,
{
    array.as_primitive::<F>().try_unary(|number| {
        value(number).ok_or_else(|| {
            let (from, to) = (F::DATA_TYPE, T::DATA_TYPE);
            let problem =
                format!("the {from} {number} is too far away for a {to}, which it is stored as");
            Problem::Input(problem).into()
        })
    })
}

/// Converts the parts of an array.
fn nested(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
    let types: Vec<&DataType> = match data_type {
        DataType::Dictionary(_, values) => vec![values],
        _ => children(data_type)
            .iter()
            .map(|it| it.data_type())
            .collect(),
    };
    let data = array.to_data();
    let parts = data.child_data().iter().zip(types);
    let parts = parts
        .map(|(part, data_type)| Ok(to_stored(&make_array(part.clone()), data_type)?.to_data()));
    let parts = parts.collect::<Result<_>>()?;
    let data = data
        .into_builder()
        .data_type(data_type.clone())
        .child_data(parts);
    Ok(make_array(data.build()?))
}
