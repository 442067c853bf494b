//! Rows as JSON.
//!
//! arrow-json writes integers and decimals with all digits, NaN and infinities as null, and bytes in hexadecimal. The
//! factory here adds dates and times beyond the calendar, which become the stored numbers, and maps whose keys are not
//! strings.

use super::texts::Texts;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_json::writer::{Encoder, EncoderFactory, EncoderOptions, NullableEncoder, make_encoder};
use bytelane_parquet::arrow_schema::{ArrowError, DataType, FieldRef};
use std::sync::{Arc, LazyLock};

/// Returns an encoder for the values of a column.
pub fn encoder<'a>(
    field: &'a FieldRef,
    array: &'a ArrayRef,
) -> Result<NullableEncoder<'a>, ArrowError> {
    static OPTIONS: LazyLock<EncoderOptions> = LazyLock::new(|| {
        EncoderOptions::default()
            .with_explicit_nulls(true)
            .with_encoder_factory(Arc::new(Factory))
    });
    make_encoder(field, array, &OPTIONS)
}

#[derive(Debug)]
struct Factory;

impl EncoderFactory for Factory {
    fn make_default_encoder<'a>(
        &self,
        field: &'a FieldRef,
        array: &'a dyn Array,
        options: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let encoder: Box<dyn Encoder> = match array.data_type() {
            data_type if data_type.is_temporal() => Box::new(Time(texts(array)?)),
            DataType::Map(..) => {
                let map = array.as_map();
                let keys = cast(map.keys(), &DataType::Utf8)?;
                Box::new(Map {
                    offsets: map.offsets(),
                    keys,
                    values: make_encoder(field, map.values(), options)?,
                })
            }
            _ => return Ok(None),
        };
        Ok(Some(NullableEncoder::new(encoder, array.nulls().cloned())))
    }
}

fn texts(array: &dyn Array) -> Result<Texts<'_>, ArrowError> {
    Texts::new(array).map_err(|error| ArrowError::JsonError(error.to_string()))
}

fn write_string(text: &str, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// Dates and times.
struct Time<'a>(Texts<'a>);

impl Encoder for Time<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        write_string(&self.0.text(row), out);
    }
}

/// Maps as objects, with keys as strings.
struct Map<'a> {
    offsets: &'a [i32],
    keys: ArrayRef,
    values: NullableEncoder<'a>,
}

impl Encoder for Map<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        let (start, end) = (self.offsets[row] as usize, self.offsets[row + 1] as usize);
        let keys = self.keys.as_string::<i32>();
        out.push(b'{');
        for entry in start..end {
            if entry > start {
                out.push(b',');
            }
            write_string(
                if keys.is_null(entry) {
                    "null"
                } else {
                    keys.value(entry)
                },
                out,
            );
            out.push(b':');
            if self.values.is_null(entry) {
                out.extend_from_slice(b"null")
            } else {
                self.values.encode(entry, out)
            }
        }
        out.push(b'}');
    }
}
