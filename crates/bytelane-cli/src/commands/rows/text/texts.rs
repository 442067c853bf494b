//! Values of flat columns as strings.

use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use bytelane_parquet::arrow_schema::DataType;

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
