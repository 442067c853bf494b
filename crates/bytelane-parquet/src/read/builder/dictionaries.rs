//! Selects columns to read as dictionary arrays.

use super::ReaderBuilder;
use crate::options::find_leaves;
use crate::read::arrow::in_arrow;
use crate::types::fields::{children, with_children};
use crate::{Error, Problem, Result};
use arrow_schema::{DataType, Field, FieldRef, Schema};
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::file::reader::ChunkReader;
use std::sync::Arc;

impl<T: ChunkReader + 'static> ReaderBuilder<T> {
    /// Reads columns of text or bytes as dictionary arrays with 32-bit keys, by the paths of leaves
    /// or groups. Where a column has a dictionary in the file, its indices become the keys, and no
    /// values are copied; other values are looked up in a dictionary built while reading. Each row
    /// group has its own dictionary, and so does each batch of values without a dictionary.
    ///
    /// # Errors
    ///
    /// [`Problem::NoSuchColumn`]; [`Problem::Option`] for a column of another type.
    ///
    /// ```
    /// use arrow_array::cast::AsArray;
    /// use arrow_array::types::Int32Type;
    /// use arrow_array::{RecordBatch, StringArray};
    /// use bytelane_parquet::{Encoding, Reader, Writer, WriterOptions};
    /// use bytes::Bytes;
    /// use std::sync::Arc;
    ///
    /// let venues = StringArray::from_iter_values((0..1000).map(|i| ["X", "Y"][i % 2]));
    /// let batch = RecordBatch::try_from_iter([("venue", Arc::new(venues) as _)])?;
    /// let mut file = Vec::new();
    /// let options = WriterOptions::default().with_encoding(Encoding::Dictionary);
    /// let mut writer = Writer::try_new(&mut file, batch.schema(), options)?;
    /// writer.write(&batch)?;
    /// writer.close()?;
    ///
    /// let mut reader = Reader::builder(Bytes::from(file))?.with_dictionaries(["venue"])?.build()?;
    /// let batch = reader.next().transpose()?.unwrap();
    /// assert_eq!(batch.column(0).as_dictionary::<Int32Type>().values().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_dictionaries<'a>(self, paths: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let columns = self.parquet_schema().columns();
        let mut wanted = vec![false; columns.len()];
        for leaf in find_leaves(self.parquet_schema(), paths)? {
            wanted[leaf] = true;
        }
        let schema = self.schema();
        let mut wanted = wanted.into_iter().zip(columns);
        let fields = schema.fields().iter().map(|field| {
            with_dictionaries(field, &mut || {
                let (is_wanted, column) = wanted.next()?;
                is_wanted.then(|| column.path().string())
            })
        });
        let fields = fields.collect::<Result<Vec<_>>>()?;
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
        let metadata = in_arrow(self.metadata.metadata(), self.depth(), options)?;
        Ok(Self { metadata, ..self })
    }
}

/// Returns a field with dictionaries in place of the leaves for which `wanted` returns a path.
/// Leaves are visited in order.
fn with_dictionaries(
    field: &FieldRef,
    wanted: &mut impl FnMut() -> Option<String>,
) -> Result<FieldRef> {
    if !children(field.data_type()).is_empty() {
        let mut problem = None;
        let changed = with_children(field, &mut |child| {
            with_dictionaries(child, &mut *wanted).unwrap_or_else(|error| {
                problem = Some(error);
                Arc::clone(child)
            })
        });
        return problem.map_or(Ok(changed), Err);
    }
    let Some(path) = wanted() else {
        return Ok(Arc::clone(field));
    };
    match field.data_type() {
        DataType::Dictionary(..) => Ok(Arc::clone(field)),
        values if values.is_string() || values.is_binary() => {
            let dictionary =
                DataType::Dictionary(Box::new(DataType::Int32), Box::new(values.clone()));
            Ok(Arc::new(Field::clone(field).with_data_type(dictionary)))
        }
        other => {
            let problem =
                format!("only text and bytes are read as dictionaries, but the type is {other}");
            Err(Error::new(Problem::Option(problem)).in_column(path))
        }
    }
}
