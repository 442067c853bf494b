//! Reading the rows of a file that satisfy a predicate.

use super::{Filter, Predicate};
use crate::options::is_within;
use crate::{Problem, Reader, ReaderBuilder, Result};
use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, StructArray, UInt32Array,
};
use arrow_schema::{ArrowError, DataType, FieldRef, Fields, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use arrow_select::take::take;
use parquet::arrow::ProjectionMask;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::ChunkReader;
use std::num::NonZero;
use std::sync::Arc;

/// Columns and rows to read from a file.
///
/// ```
/// use arrow_array::{Float64Array, Int64Array, RecordBatch};
/// use bytelane_parquet::filter::Selection;
/// use bytelane_parquet::{Reader, Writer, WriterOptions};
/// use bytes::Bytes;
/// use std::sync::Arc;
///
/// let ids = Int64Array::from_iter_values(0..1000);
/// let prices = Float64Array::from_iter_values((0..1000).map(f64::from));
/// let batch = RecordBatch::try_from_iter([("id", Arc::new(ids) as _), ("price", Arc::new(prices) as _)])?;
/// let mut file = Vec::new();
/// let mut writer = Writer::try_new(&mut file, batch.schema(), WriterOptions::default())?;
/// writer.write(&batch)?;
/// writer.close()?;
///
/// let selection = Selection::default().with_columns(["id"]).with_filter("price >= 998".parse()?);
/// let mut rows = selection.read(Reader::builder(Bytes::from(file))?)?;
/// assert_eq!(rows.next().transpose()?, Some(batch.slice(998, 2).project(&[0])?));
/// assert!(rows.next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Selection {
    columns: Option<Vec<String>>,
    filter: Option<Predicate>,
    row_groups: Option<Vec<usize>>,
    constants: Vec<(FieldRef, ArrayRef)>,
}

impl Selection {
    /// Sets the columns to return, by the paths of leaves or groups; all by default. Batches have them in the order of the
    /// file. The columns of the filter need not be among them.
    #[must_use]
    pub fn with_columns<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> Self {
        self.columns = Some(paths.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the condition on the rows to return; all by default. Row groups in which statistics exclude such rows are not
    /// read.
    #[must_use]
    pub fn with_filter(mut self, filter: Predicate) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Returns whether there is a condition on the rows to return.
    #[must_use]
    pub fn has_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// Sets the row groups to read, in this order; all by default.
    #[must_use]
    pub fn with_row_groups(mut self, row_groups: Vec<usize>) -> Self {
        self.row_groups = Some(row_groups);
        self
    }

    /// Adds a column that has the same value in all rows, such as that of a directory `year=2024/`: an array with one value.
    /// It follows the columns of the file, and takes the place of one with the same name.
    ///
    /// # Errors
    ///
    /// [`Problem::Input`] if the array does not have one value of the field's type.
    pub fn with_constant(mut self, field: FieldRef, value: ArrayRef) -> Result<Self> {
        if value.len() != 1 || value.data_type() != field.data_type() {
            let problem = format!(
                "the column {} needs one value of the type {}",
                field.name(),
                field.data_type()
            );
            return Err(Problem::Input(problem).into());
        }
        self.constants.push((field, value));
        Ok(self)
    }

    /// Starts reading. The batch size, the threads and the memory limit are those of the reader; what this selects takes the
    /// place of what the reader selects.
    ///
    /// # Errors
    ///
    /// [`Problem::NoSuchColumn`]; [`Problem::Option`] for a condition that does not fit a column's type, and for a row group
    /// that does not exist.
    pub fn read<T: ChunkReader + 'static>(&self, reader: ReaderBuilder<T>) -> Result<SelectedRows> {
        let in_file = Arc::clone(reader.schema());
        let is_constant = |name: &str| self.constants.iter().any(|(field, _)| field.name() == name);
        let own = in_file
            .fields()
            .iter()
            .filter(|field| !is_constant(field.name()));
        let constants = self.constants.iter().map(|(field, _)| field);
        let whole = Schema::new(own.chain(constants).cloned().collect::<Vec<_>>());
        let filter = self
            .filter
            .as_ref()
            .map(|it| Filter::try_new(it, &whole))
            .transpose()?;

        let (mut returned, mut read) = (Vec::new(), Vec::new());
        let mut unknown: Vec<&String> = self
            .columns
            .iter()
            .flatten()
            .filter(|path| !is_constant(path))
            .collect();
        for (index, leaf) in reader.parquet_schema().columns().iter().enumerate() {
            let path = leaf.path();
            unknown.retain(|wanted| !is_within(path, wanted));
            if is_constant(&path.parts()[0]) {
                continue;
            }
            let is_returned = self.is_returned(|wanted| is_within(path, wanted));
            let is_tested = filter
                .as_ref()
                .is_some_and(|it| it.columns().iter().any(|it| path.parts().starts_with(it)));
            returned.extend(is_returned.then_some(index));
            read.extend((is_returned || is_tested).then_some(index));
        }
        if let Some(path) = unknown.first() {
            return Err(Problem::NoSuchColumn((*path).clone()).into());
        }
        let project = |leaves: &[usize]| {
            let projection =
                ProjectionMask::leaves(reader.parquet_schema(), leaves.iter().copied());
            reader.clone().with_projection(projection)
        };
        let schema = project(&returned)
            .with_row_groups(Vec::new())
            .with_threads(NonZero::<usize>::MIN)
            .build()?
            .schema();
        let returned_constants = self
            .constants
            .iter()
            .filter(|(field, _)| self.is_returned(|wanted| field.name() == wanted));
        let constants = returned_constants.map(|(field, _)| field);
        let schema = Arc::new(Schema::new(
            schema
                .fields()
                .iter()
                .chain(constants)
                .cloned()
                .collect::<Vec<_>>(),
        ));

        let mut selected = project(&read);
        if let Some(row_groups) = self.row_groups(reader.metadata(), filter.as_ref())? {
            selected = selected.with_row_groups(row_groups);
        }
        Ok(SelectedRows {
            reader: selected.build()?,
            filter,
            schema,
            constants: self.constants.clone(),
        })
    }

    fn is_returned(&self, is_named: impl Fn(&str) -> bool) -> bool {
        self.columns
            .as_ref()
            .is_none_or(|columns| columns.iter().any(|wanted| is_named(wanted)))
    }

    /// Returns the row groups to read, unless these are all.
    fn row_groups(
        &self,
        metadata: &ParquetMetaData,
        filter: Option<&Filter>,
    ) -> Result<Option<Vec<usize>>> {
        let Some(filter) = filter else {
            return Ok(self.row_groups.clone());
        };
        let may_match = filter.row_groups(metadata, &self.constants)?;
        let Some(mut wanted) = self.row_groups.clone() else {
            return Ok(Some(may_match));
        };
        // The reader reports those that do not exist.
        let count = metadata.num_row_groups();
        wanted.retain(|index| *index >= count || may_match.binary_search(index).is_ok());
        Ok(Some(wanted))
    }
}

/// Rows of a file that a [`Selection`] selects, batch by batch.
pub struct SelectedRows {
    reader: Reader,
    filter: Option<Filter>,
    schema: SchemaRef,
    constants: Vec<(FieldRef, ArrayRef)>,
}

impl SelectedRows {
    /// Returns the footer of the file.
    #[must_use]
    pub fn metadata(&self) -> &ParquetMetaData {
        self.reader.metadata()
    }

    /// Returns the rows of a batch to return, and the columns.
    fn select(&self, batch: RecordBatch) -> Result<RecordBatch> {
        let batch = self.with_constants(batch)?;
        let Some(filter) = &self.filter else {
            return self.project(&batch);
        };
        let mask = filter.evaluate(&batch)?;
        match mask.true_count() {
            count if count == batch.num_rows() => self.project(&batch),
            0 => self.project(&batch.slice(0, 0)),
            _ => self.project(&filter_record_batch(&batch, &mask)?),
        }
    }

    fn with_constants(&self, batch: RecordBatch) -> Result<RecordBatch> {
        if self.constants.is_empty() {
            return Ok(batch);
        }
        let rows = batch.num_rows();
        let (schema, mut columns, _) = batch.into_parts();
        let mut fields = schema.fields().to_vec();
        let first = UInt32Array::new(vec![0; rows].into(), None);
        for (field, value) in &self.constants {
            fields.push(Arc::clone(field));
            columns.push(take(value, &first, None)?);
        }
        with_rows(Arc::new(Schema::new(fields)), columns, rows)
    }

    /// Returns the batch without what was read for the filter alone.
    fn project(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let schema = batch.schema();
        let columns = subsequence(schema.fields(), batch.columns(), self.schema.fields())?;
        with_rows(Arc::clone(&self.schema), columns, batch.num_rows())
    }
}

impl Iterator for SelectedRows {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    /// Returns the next batch that has rows.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let batch = match self.reader.next()? {
                Ok(batch) => batch,
                error => return Some(error),
            };
            match self.select(batch) {
                Ok(batch) if batch.num_rows() == 0 => {}
                selected => return Some(selected.map_err(ArrowError::from)),
            }
        }
    }
}

impl RecordBatchReader for SelectedRows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl std::fmt::Debug for SelectedRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SelectedRows")
            .field("reader", &self.reader)
            .finish_non_exhaustive()
    }
}

fn with_rows(schema: SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(
        schema, columns, &options,
    )?)
}

/// Returns the arrays of some of the fields, in the same order, and of some fields within them.
fn subsequence(fields: &Fields, arrays: &[ArrayRef], wanted: &Fields) -> Result<Vec<ArrayRef>> {
    let mut read = fields.iter().zip(arrays);
    let mut columns = Vec::with_capacity(wanted.len());
    for wanted in wanted {
        // Several columns may have the same name.
        let Some((_, array)) = read.find(|(field, _)| field.name() == wanted.name()) else {
            break;
        };
        columns.push(match (array.data_type(), wanted.data_type()) {
            (DataType::Struct(fields), DataType::Struct(inner)) if fields != inner => {
                let group = array.as_struct();
                let columns = subsequence(fields, group.columns(), inner)?;
                Arc::new(StructArray::try_new(
                    inner.clone(),
                    columns,
                    group.nulls().cloned(),
                )?)
            }
            _ => Arc::clone(array),
        });
    }
    Ok(columns)
}
