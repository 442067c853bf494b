//! Selects the Arrow types of columns that Parquet itself leaves open.

use super::ReaderBuilder;
use crate::read::arrow::in_arrow;
use crate::stack::with_stack;
use crate::types::fields::{children, with_children};
use crate::{Result, StringType};
use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field, FieldRef, Schema, TimeUnit};
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::basic::Type;
use parquet::file::reader::ChunkReader;
use parquet::schema::types::ColumnDescPtr;
use std::slice::Iter;
use std::sync::Arc;

/// Arrow type of lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListType {
    /// `List`: offsets of 32 bits.
    List,
    /// `LargeList`: offsets of 64 bits.
    LargeList,
}

/// Arrow types for values that Parquet stores in one way. The types of an Arrow schema in the file take precedence, except
/// over the unit of INT96.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GivenTypes {
    /// Type of byte columns of variable length, as the counterpart of one of text.
    pub bytes: Option<StringType>,
    /// Type of lists, except maps.
    pub lists: Option<ListType>,
    /// Unit of INT96 timestamps.
    pub int96: Option<TimeUnit>,
    /// Set if UUIDs and JSON have no extension types.
    pub without_extensions: bool,
}

impl<T: ChunkReader + 'static> ReaderBuilder<T> {
    /// Sets the types of columns where the file leaves them open.
    ///
    /// # Errors
    ///
    /// [`Problem::Parquet`](crate::Problem::Parquet) if a column cannot have the type.
    ///
    /// ```
    /// use arrow_array::{BinaryArray, RecordBatch};
    /// use arrow_schema::DataType;
    /// use bytelane_parquet::{GivenTypes, Reader, StringType, Writer, WriterOptions};
    /// use bytes::Bytes;
    /// use std::sync::Arc;
    ///
    /// let names = BinaryArray::from_iter_values([b"X", b"Y"]);
    /// let batch = RecordBatch::try_from_iter([("name", Arc::new(names) as _)])?;
    /// let mut file = Vec::new();
    /// let options = WriterOptions::default().with_store_schema(false);
    /// let mut writer = Writer::try_new(&mut file, batch.schema(), options)?;
    /// writer.write(&batch)?;
    /// writer.close()?;
    ///
    /// let types = GivenTypes { bytes: Some(StringType::LargeString), ..Default::default() };
    /// let reader = Reader::builder(Bytes::from(file))?.with_given_types(types)?;
    /// assert_eq!(reader.schema().field(0).data_type(), &DataType::LargeBinary);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_given_types(self, types: GivenTypes) -> Result<Self> {
        if types == GivenTypes::default() {
            return Ok(self);
        }
        let (schema, depth) = (self.schema(), self.depth());
        let pairs = self
            .metadata
            .metadata()
            .file_metadata()
            .key_value_metadata();
        let mut pairs = pairs.into_iter().flatten();
        let stored = pairs.any(|pair| pair.key == ARROW_SCHEMA_META_KEY);
        let fields = with_stack(depth, || {
            let mut columns = self.parquet_schema().columns().iter();
            let fields = schema.fields().iter();
            Ok(Vec::from_iter(
                fields.map(|field| types.field(field, stored, &mut columns)),
            ))
        })?;
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
        let metadata = in_arrow(self.metadata.metadata(), depth, options)?;
        Ok(Self { metadata, ..self })
    }
}

impl GivenTypes {
    fn field(
        self,
        field: &FieldRef,
        stored: bool,
        columns: &mut Iter<'_, ColumnDescPtr>,
    ) -> FieldRef {
        if !children(field.data_type()).is_empty() {
            let field = with_children(field, &mut |child| self.field(child, stored, columns));
            return match (field.data_type(), self.lists) {
                (DataType::List(item), Some(ListType::LargeList)) if !stored => {
                    let data_type = DataType::LargeList(Arc::clone(item));
                    Arc::new(Field::clone(&field).with_data_type(data_type))
                }
                _ => field,
            };
        }
        let column = columns.next();
        let is_int96 = column.is_some_and(|column| column.physical_type() == Type::INT96);
        let data_type = match (field.data_type(), self.int96, self.bytes) {
            (DataType::Timestamp(_, zone), Some(unit), _) if is_int96 => {
                DataType::Timestamp(unit, zone.clone())
            }
            (DataType::Binary, _, Some(bytes)) if !stored => bytes.of_bytes(),
            (data_type, _, _) => data_type.clone(),
        };
        let mut field = Field::clone(field).with_data_type(data_type);
        if self.without_extensions && !stored {
            let mut metadata = field.metadata().clone();
            metadata.remove(EXTENSION_TYPE_NAME_KEY);
            metadata.remove(EXTENSION_TYPE_METADATA_KEY);
            field = field.with_metadata(metadata);
        }
        Arc::new(field)
    }
}
