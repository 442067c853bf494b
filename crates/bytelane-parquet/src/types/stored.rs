//! Converts time types that Parquet does not have to the types that are stored instead, which are the same as
//! in pyarrow.

use crate::options::{FormatVersion, TimestampUnit};
use crate::types::fields::{children, with_children};
use crate::{Problem, Result, WriterOptions};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Int64Type, Time32MillisecondType, Time32SecondType, UInt32Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, make_array, new_null_array,
};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use std::fmt::Display;
use std::sync::Arc;

const MILLISECONDS: i64 = 1000;
const DAY: i64 = 86_400 * MILLISECONDS;

/// Rules for the types that are stored instead of others.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoredTypes {
    version: FormatVersion,
    unit: Option<TimestampUnit>,
    truncates: bool,
    int96: bool,
}

impl From<&WriterOptions> for StoredTypes {
    fn from(options: &WriterOptions) -> Self {
        Self {
            version: options.version,
            unit: options.coerce_timestamps,
            truncates: options.allow_truncated_timestamps,
            int96: options.use_deprecated_int96_timestamps,
        }
    }
}

/// Returns the schema of rows that are stored by the default rules.
pub fn stored_schema(schema: &SchemaRef) -> SchemaRef {
    StoredTypes::default().schema(schema)
}

/// Converts an array to its stored type by the default rules. Returns an error if a value does not fit.
pub fn to_stored(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
    StoredTypes::default().array(array, data_type)
}

impl StoredTypes {
    /// Returns the schema of the stored rows: seconds become milliseconds, and dates in milliseconds become days.
    pub fn schema(self, schema: &SchemaRef) -> SchemaRef {
        let fields = schema.fields().iter();
        let fields: Vec<FieldRef> = fields.map(|field| self.field(field)).collect();
        if schema.fields().iter().eq(&fields) {
            Arc::clone(schema)
        } else {
            Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
        }
    }

    fn field(self, field: &FieldRef) -> FieldRef {
        match self.data_type(field.data_type()) {
            Some(data_type) => Arc::new(Field::clone(field).with_data_type(data_type)),
            None => with_children(field, &mut |child| self.field(child)),
        }
    }

    /// Returns the type that replaces one without fields in it.
    fn data_type(self, data_type: &DataType) -> Option<DataType> {
        Some(match data_type {
            DataType::Timestamp(unit, zone) => {
                let stored = self.unit(*unit);
                (stored != *unit).then(|| DataType::Timestamp(stored, zone.clone()))?
            }
            DataType::Time32(TimeUnit::Second) => DataType::Time32(TimeUnit::Millisecond),
            DataType::Date64 => DataType::Date32,
            DataType::UInt32 if self.version < FormatVersion::V2_4 => DataType::Int64,
            // pandas has such dictionaries of columns without values. pyarrow reads them as nulls.
            DataType::Dictionary(_, values) if values.is_null() => DataType::Null,
            DataType::Dictionary(keys, values) => {
                DataType::Dictionary(keys.clone(), self.data_type(values)?.into())
            }
            _ => return None,
        })
    }

    /// Returns the unit in which timestamps of another unit are stored.
    fn unit(self, unit: TimeUnit) -> TimeUnit {
        match (self.unit.filter(|_| !self.int96), unit) {
            (Some(TimestampUnit::Milliseconds), _) | (None, TimeUnit::Second) => {
                TimeUnit::Millisecond
            }
            (Some(TimestampUnit::Microseconds), _) => TimeUnit::Microsecond,
            (None, TimeUnit::Nanosecond) if self.version < FormatVersion::V2_6 && !self.int96 => {
                TimeUnit::Microsecond
            }
            (None, unit) => unit,
        }
    }

    /// Converts an array to its stored type. Returns an error if a value does not fit.
    pub fn array(self, array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
        if array.data_type() == data_type {
            return Ok(Arc::clone(array));
        }
        match (array.data_type(), data_type) {
            (DataType::Timestamp(from, _), DataType::Timestamp(to, _)) => {
                let numbers = with_type(array, DataType::Int64)?;
                let numbers = numbers.as_primitive::<Int64Type>();
                let times = self.timestamps(numbers, *from, *to)?;
                with_type(&(Arc::new(times) as ArrayRef), data_type.clone())
            }
            (DataType::Time32(TimeUnit::Second), _) => {
                let times = converted::<Time32SecondType, Time32MillisecondType>(array, |it| {
                    it.checked_mul(MILLISECONDS as i32)
                })?;
                Ok(Arc::new(times))
            }
            (DataType::Date64, _) => {
                let days =
                    converted::<Date64Type, Date32Type>(array, |it| (it / DAY).try_into().ok())?;
                Ok(Arc::new(days))
            }
            (DataType::UInt32, _) => {
                let numbers = converted::<UInt32Type, Int64Type>(array, |it| Some(it.into()))?;
                Ok(Arc::new(numbers))
            }
            (DataType::Dictionary(..), DataType::Null) => {
                Ok(new_null_array(data_type, array.len()))
            }
            _ => self.nested(array, data_type),
        }
    }

    /// Converts timestamps from one unit to another.
    fn timestamps(
        self,
        numbers: &PrimitiveArray<Int64Type>,
        from: TimeUnit,
        to: TimeUnit,
    ) -> Result<PrimitiveArray<Int64Type>> {
        let (from_second, to_second) = (per_second(from), per_second(to));
        if from_second <= to_second {
            let factor = to_second / from_second;
            return numbers.try_unary(|number| {
                number.checked_mul(factor).ok_or_else(|| {
                    let problem = format!(
                        "the timestamp {number} in {} is too far away for {}, in which it is stored",
                        unit_name(from),
                        unit_name(to)
                    );
                    Problem::Input(problem).into()
                })
            });
        }
        let divisor = from_second / to_second;
        numbers.try_unary(|number| {
            if self.truncates || number % divisor == 0 {
                return Ok(number / divisor);
            }
            let problem = format!(
                "the timestamp {number} in {} is not a whole number of {}, in which it is stored; round the values, or set \
                 allow_truncated_timestamps",
                unit_name(from),
                unit_name(to)
            );
            Err(Problem::Input(problem).into())
        })
    }

    /// Converts the parts of an array.
    fn nested(self, array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
        let types: Vec<&DataType> = match data_type {
            DataType::Dictionary(_, values) => vec![values],
            _ => children(data_type)
                .iter()
                .map(|it| it.data_type())
                .collect(),
        };
        let data = array.to_data();
        let parts = data.child_data().iter().zip(types);
        let parts = parts.map(|(part, data_type)| {
            Ok(self.array(&make_array(part.clone()), data_type)?.to_data())
        });
        let parts = parts.collect::<Result<_>>()?;
        let data = data
            .into_builder()
            .data_type(data_type.clone())
            .child_data(parts);
        Ok(make_array(data.build()?))
    }
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => MILLISECONDS,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "seconds",
        TimeUnit::Millisecond => "milliseconds",
        TimeUnit::Microsecond => "microseconds",
        TimeUnit::Nanosecond => "nanoseconds",
    }
}

/// Returns the same numbers as another type of the same width.
fn with_type(array: &ArrayRef, data_type: DataType) -> Result<ArrayRef> {
    let data = array.to_data().into_builder().data_type(data_type);
    Ok(make_array(data.build()?))
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
