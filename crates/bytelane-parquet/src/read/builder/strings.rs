//! Selects the Arrow type of text and bytes.

use super::ReaderBuilder;
use crate::read::arrow::in_arrow;
use crate::stack::with_stack;
use crate::types::fields::{children, with_children};
use crate::{Result, StringType};
use arrow_schema::{DataType, Field, FieldRef, Schema};
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::file::reader::ChunkReader;
use std::sync::Arc;

impl<T: ChunkReader + 'static> ReaderBuilder<T> {
    /// Sets the type of all text columns, and the corresponding one of all byte columns of variable length. By default, they have the type in the
    /// file's Arrow schema, and `Utf8` and `Binary` if it has none. Dictionary arrays keep their types.
    ///
    /// [`StringType::StringView`] is the fastest: views point to the strings in the pages, instead of copying them. An array then
    /// retains the pages that it points to.
    ///
    /// # Errors
    ///
    /// [`Problem::Parquet`](crate::Problem::Parquet) if a column cannot have the type.
    ///
    /// ```
    /// use arrow_array::cast::AsArray;
    /// use arrow_array::{RecordBatch, StringArray};
    /// use bytelane_parquet::{Reader, StringType, Writer, WriterOptions};
    /// use bytes::Bytes;
    /// use std::sync::Arc;
    ///
    /// let venues = StringArray::from_iter_values((0..1000).map(|i| ["X", "Y"][i % 2]));
    /// let batch = RecordBatch::try_from_iter([("venue", Arc::new(venues) as _)])?;
    /// let mut file = Vec::new();
    /// let mut writer = Writer::try_new(&mut file, batch.schema(), WriterOptions::default())?;
    /// writer.write(&batch)?;
    /// writer.close()?;
    ///
    /// let reader = Reader::builder(Bytes::from(file))?.with_string_type(StringType::StringView)?;
    /// let batch = reader.build()?.next().transpose()?.unwrap();
    /// assert_eq!(batch.column(0).as_string_view().value(1), "Y");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_string_type(self, string_type: StringType) -> Result<Self> {
        let (schema, depth) = (self.schema(), self.depth());
        let fields = with_stack(depth, || {
            let fields = schema.fields().iter();
            Ok(Vec::from_iter(
                fields.map(|it| with_strings(it, string_type)),
            ))
        })?;
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
        let metadata = in_arrow(self.metadata.metadata(), depth, options)?;
        Ok(Self { metadata, ..self })
    }
}

/// Returns a field with strings and bytes of this type.
fn with_strings(field: &FieldRef, string_type: StringType) -> FieldRef {
    let data_type = field.data_type();
    if !children(data_type).is_empty() {
        return with_children(field, &mut |child| with_strings(child, string_type));
    }
    let data_type = if data_type.is_string() {
        string_type.of_text()
    } else if data_type.is_binary() && !matches!(data_type, DataType::FixedSizeBinary(_)) {
        string_type.of_bytes()
    } else {
        return Arc::clone(field);
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}
