//! Values as strings, for tables and CSV.

use super::json;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_json::writer::NullableEncoder;
use bytelane_parquet::arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use std::sync::Arc;

/// Returns the same rows with all time zones as UTC, in which they are stored: Arrow needs a time zone database to show
/// others.
pub fn in_utc(batch: &RecordBatch) -> anyhow::Result<RecordBatch> {
    let schema = batch.schema_ref();
    let fields: Fields = schema.fields().iter().map(field_in_utc).collect();
    if fields == *schema.fields() {
        return Ok(batch.clone());
    }
    let columns = batch.columns().iter().zip(&fields);
    let columns = columns.map(|(array, field)| cast(array, field.data_type()));
    let columns = columns.collect::<Result<_, _>>()?;
    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
}

fn field_in_utc(field: &FieldRef) -> FieldRef {
    let data_type = type_in_utc(field.data_type());
    Arc::new(Field::clone(field).with_data_type(data_type))
}

fn type_in_utc(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Timestamp(unit, Some(_)) => DataType::Timestamp(*unit, Some("+00:00".into())),
        DataType::List(item) => DataType::List(field_in_utc(item)),
        DataType::LargeList(item) => DataType::LargeList(field_in_utc(item)),
        DataType::FixedSizeList(item, length) => {
            DataType::FixedSizeList(field_in_utc(item), *length)
        }
        DataType::Map(entries, sorted) => DataType::Map(field_in_utc(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field_in_utc).collect()),
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), Box::new(type_in_utc(values)))
        }
        other => other.clone(),
    }
}

/// Returns the text of an array's only value.
pub fn text_of(value: &ArrayRef) -> anyhow::Result<String> {
    let batch = in_utc(&RecordBatch::try_from_iter([("", ArrayRef::clone(value))])?)?;
    let mut cells = Cells::new(&batch.schema_ref().fields()[0], batch.column(0))?;
    Ok(cells.text(0).unwrap_or_else(|| "null".to_owned()))
}

/// Values of a column.
pub struct Cells<'a> {
    array: &'a dyn Array,
    writer: Writer<'a>,
}

enum Writer<'a> {
    Flat(Texts<'a>),
    /// Lists, structs and maps, as JSON.
    Nested(NullableEncoder<'a>),
}

impl<'a> Cells<'a> {
    pub fn new(field: &'a FieldRef, array: &'a ArrayRef) -> anyhow::Result<Self> {
        let writer = if array.data_type().is_nested() {
            Writer::Nested(json::encoder(field, array)?)
        } else {
            Writer::Flat(Texts::new(array)?)
        };
        Ok(Self { array, writer })
    }

    /// Returns the text of a value; `None` for null.
    pub fn text(&mut self, row: usize) -> Option<String> {
        // Arrays of the null type have no bitmap.
        if self.array.is_null(row) || *self.array.data_type() == DataType::Null {
            return None;
        }
        Some(match &mut self.writer {
            Writer::Flat(texts) => texts.text(row),
            Writer::Nested(encoder) => {
                let mut text = Vec::new();
                encoder.encode(row, &mut text);
                String::from_utf8_lossy(&text).into_owned()
            }
        })
    }
}

/// Values of a flat column as Arrow shows them: dates and times in ISO 8601, bytes in hexadecimal.
pub struct Texts<'a> {
    formatter: ArrayFormatter<'a>,
    /// Stored numbers, for dates and times beyond the calendar.
    stored: Option<ArrayRef>,
}

impl<'a> Texts<'a> {
    pub fn new(array: &'a dyn Array) -> anyhow::Result<Self> {
        const OPTIONS: FormatOptions<'static> = FormatOptions::new().with_display_error(false);
        let stored = if array.data_type().is_temporal() {
            cast(array, &DataType::Int64).ok()
        } else {
            None
        };
        Ok(Self {
            formatter: ArrayFormatter::try_new(array, &OPTIONS)?,
            stored,
        })
    }

    /// Returns the text of a value that is not null.
    pub fn text(&self, row: usize) -> String {
        let value = self.formatter.value(row).try_to_string();
        value.unwrap_or_else(|error| match &self.stored {
            Some(stored) => {
                arrow_cast::display::array_value_to_string(stored, row).unwrap_or_default()
            }
            None => error.to_string(),
        })
    }
}
