//! Values as strings, for tables and CSV.

use super::json;
use super::texts::Texts;
use crate::readable;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_json::writer::NullableEncoder;
use bytelane_parquet::arrow_schema::{DataType, FieldRef, Fields, Schema};
use bytelane_parquet::types::fields::field_in_utc;
use serde_json::Value;
use std::sync::Arc;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text of nulls.
pub const NULL: &str = "null";

/// Number of characters of a text that are looked at.
const PREFIX: usize = 1000;

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

/// Returns the text of an array's only value.
pub fn text_of(value: &ArrayRef) -> anyhow::Result<String> {
    let batch = in_utc(&RecordBatch::try_from_iter([("", ArrayRef::clone(value))])?)?;
    let mut cells = Cells::new(&batch.schema_ref().fields()[0], batch.column(0))?;
    Ok(cells.text(0).unwrap_or_else(|| NULL.to_owned()))
}

/// Returns a value for programs.
pub fn value_of(array: &ArrayRef) -> anyhow::Result<Value> {
    let text = text_of(array)?;
    let is_number = array.data_type().is_numeric();
    let number = is_number.then(|| serde_json::from_str::<Value>(&text).ok());
    // Numbers that JSON cannot have, or would round, stay texts.
    let is_same = |number: &Value| {
        let written = number.to_string();
        written == text
    };
    let number = number.flatten().filter(is_same);
    Ok(number.unwrap_or(Value::String(text)))
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

    /// Returns a value on one line: numbers in full, anything else truncated to `widest` characters.
    pub fn line(&mut self, row: usize, widest: usize) -> String {
        let text = self.text(row).unwrap_or_else(|| NULL.to_owned());
        if self.array.data_type().is_numeric() {
            return text;
        }
        let end = text.char_indices().nth(PREFIX);
        let prefix = end.map_or(&*text, |(end, _)| &text[..end]);
        cut(readable::line(prefix).into_owned(), widest)
    }
}

/// Truncates a text to `widest` characters.
pub fn cut(text: String, widest: usize) -> String {
    if text.width() <= widest {
        return text;
    }
    let (mut kept, mut width) = (String::new(), 1);
    for c in text.chars() {
        width += c.width().unwrap_or(0);
        if width > widest {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}
