//! Parquet files to record batches.

mod builder;
mod column;

pub use builder::ReaderBuilder;

use crate::contained::contained;
use crate::metadata::{Pages, chunk_range};
use crate::{Error, Result};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, FieldRef, SchemaRef};
use bytelane::Detected;
use bytes::Bytes;
use column::{ColumnReader, is_read_here};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use std::path::PathBuf;
use std::sync::Arc;

/// Reads a Parquet file batch by batch.
///
/// Flat columns of values of a fixed width are decoded by the kernels of the crate `bytelane`, in every encoding:
/// numbers, dates and times, decimals but for those of BYTE_ARRAY, FIXED_LEN_BYTE_ARRAY but for those in
/// DELTA_BYTE_ARRAY. Booleans, strings and nested columns are decoded by the crate `parquet`. A batch ends where its row
/// group ends. One page of each column is kept in memory, and its dictionary.
///
/// ```
/// use arrow_array::{Float64Array, RecordBatch};
/// use bytelane_parquet::{Reader, Writer, WriterOptions};
/// use bytes::Bytes;
/// use std::sync::Arc;
///
/// let prices = Float64Array::from_iter_values((0..1000).map(|i| 100.0 + f64::from(i).sin()));
/// let batch = RecordBatch::try_from_iter([("price", Arc::new(prices) as _)])?;
/// let mut file = Vec::new();
/// let mut writer = Writer::try_new(&mut file, batch.schema(), WriterOptions::default())?;
/// writer.write(&batch)?;
/// writer.close()?;
///
/// let mut reader = Reader::builder(Bytes::from(file))?.with_batch_size(600).build()?;
/// assert_eq!(reader.next().transpose()?, Some(batch.slice(0, 600)));
/// assert_eq!(reader.next().transpose()?, Some(batch.slice(600, 400)));
/// assert!(reader.next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reader<T> {
    input: Shared<T>,
    file: Option<PathBuf>,
    metadata: ArrowReaderMetadata,
    /// The fields of the projection, and the leaf of each that is flat.
    schema: SchemaRef,
    flat: Vec<Option<usize>>,
    projection: ProjectionMask,
    batch_size: usize,
    backend: Detected,
    row_groups: std::vec::IntoIter<usize>,
    current: Option<RowGroup<T>>,
}

impl<T: ChunkReader + 'static> Reader<T> {
    /// Reads the footer, and lets the caller choose what is read.
    ///
    /// # Errors
    ///
    /// [`Problem::Corrupt`](crate::Problem::Corrupt) if it is not a Parquet file,
    /// [`Problem::Unsupported`](crate::Problem::Unsupported) if it is encrypted.
    pub fn builder(input: T) -> Result<ReaderBuilder<T>> {
        ReaderBuilder::new(input, None)
    }

    /// The footer.
    #[must_use]
    pub fn metadata(&self) -> &parquet::file::metadata::ParquetMetaData {
        self.metadata.metadata()
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let group = match self.current.take() {
                Some(group) if group.left > 0 => self.current.insert(group),
                _ => {
                    let Some(index) = self.row_groups.next() else {
                        return Ok(None);
                    };
                    let opened = self.open(index);
                    let group = opened.map_err(|error| error.in_row_group(index))?;
                    self.current.insert(group)
                }
            };
            if group.left > 0 {
                let rows = self.batch_size.min(group.left);
                let batch = group.read(rows, &self.schema);
                return match batch {
                    Ok(batch) => Ok(Some(batch)),
                    Err(error) => {
                        let (index, others) = (group.index, group.others.clone());
                        Err(self.blamed(error, index, &others).in_row_group(index))
                    }
                };
            }
        }
    }

    fn open(&self, index: usize) -> Result<RowGroup<T>> {
        let row_group = self.metadata.metadata().row_group(index);
        let left = usize::try_from(row_group.num_rows())
            .map_err(|_| Error::corrupt("a row group with a negative number of rows"))?;
        let mut others = self.projection.clone();
        let mut columns = Vec::new();
        for (field, leaf) in self.schema.fields().iter().zip(&self.flat) {
            let chunk = leaf.map(|leaf| (leaf, row_group.column(leaf)));
            let own = chunk.filter(|(_, chunk)| is_read_here(field.data_type(), chunk));
            columns.push(match own {
                Some((leaf, chunk)) => {
                    let all = (0..row_group.num_columns()).filter(|it| *it != leaf);
                    let schema = self.metadata.parquet_schema();
                    others.intersect(&ProjectionMask::leaves(schema, all));
                    let reader = self.open_column(field, chunk);
                    Some(reader.map_err(|error| error.in_column(field.name()))?)
                }
                None => None,
            });
        }
        for (leaf, chunk) in row_group.columns().iter().enumerate() {
            if others.leaf_included(leaf) {
                let checked = check_promises(&*self.input.0, chunk);
                checked.map_err(|error| error.in_column(chunk.column_path().string()))?;
            }
        }
        let rest = match columns.iter().all(Option::is_some) {
            true => None,
            false => Some(self.open_others(index, others.clone())?),
        };
        Ok(RowGroup {
            index,
            left,
            columns,
            others,
            rest,
        })
    }

    /// The columns that the crate `parquet` reads.
    fn open_others(
        &self,
        row_group: usize,
        columns: ProjectionMask,
    ) -> Result<ParquetRecordBatchReader> {
        let (input, metadata) = (self.input.clone(), self.metadata.clone());
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(input, metadata);
        Ok(builder
            .with_row_groups(vec![row_group])
            .with_projection(columns)
            .with_batch_size(self.batch_size)
            .build()?)
    }

    /// The same error with the column that it is about, which the crate `parquet` does not tell: the first one that
    /// cannot be read by itself.
    fn blamed(&self, error: Error, row_group: usize, others: &ProjectionMask) -> Error {
        let is_damaged = |leaf: &usize| {
            let column = ProjectionMask::leaves(self.metadata.parquet_schema(), [*leaf]);
            let read = contained(|| {
                let mut batches = self.open_others(row_group, column)?;
                Ok(batches.try_for_each(|batch| batch.map(drop))?)
            });
            read.is_err()
        };
        let columns = self.metadata.parquet_schema().columns();
        let mut leaves = (0..columns.len()).filter(|leaf| others.leaf_included(*leaf));
        let damaged = match error.place().column {
            Some(_) => None,
            None => leaves.find(is_damaged),
        };
        match damaged {
            Some(leaf) => error.in_column(columns[leaf].path().string()),
            None => error,
        }
    }

    fn open_column(
        &self,
        field: &FieldRef,
        chunk: &ColumnChunkMetaData,
    ) -> Result<ColumnReader<T>> {
        let range = chunk_range(chunk, self.input.len())?;
        let data_type = field.data_type().clone();
        ColumnReader::new(self.input.clone(), range, chunk, data_type, self.backend)
    }

    fn located(&self, error: Error) -> ArrowError {
        match &self.file {
            Some(file) => error.in_file(file).into(),
            None => error.into(),
        }
    }
}

impl<T: ChunkReader + 'static> Iterator for Reader<T> {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    /// After an error there is nothing more.
    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.next_batch().transpose()?;
        Some(batch.map_err(|error| {
            self.current = None;
            self.row_groups = Vec::new().into_iter();
            self.located(error)
        }))
    }
}

impl<T: ChunkReader + 'static> RecordBatchReader for Reader<T> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Looks at the headers of pages that the crate `parquet` reads, which makes room for whatever they promise. What it
/// finds wrong itself is left to it.
fn check_promises(input: &impl ChunkReader, chunk: &ColumnChunkMetaData) -> Result<()> {
    let mut index = 0;
    for page in Pages::new(input, chunk_range(chunk, input.len())?) {
        let Ok(page) = page else {
            break;
        };
        page.check_promise(chunk.compression_codec())
            .map_err(|error| error.in_page(index))?;
        index += usize::from(page.is_data());
    }
    Ok(())
}

/// A row group that is being read.
struct RowGroup<T> {
    index: usize,
    /// Rows that are left.
    left: usize,
    /// The fields of the schema that are read here.
    columns: Vec<Option<ColumnReader<T>>>,
    /// The leaves that the crate `parquet` reads.
    others: ProjectionMask,
    /// Reads them.
    rest: Option<ParquetRecordBatchReader>,
}

impl<T: ChunkReader> RowGroup<T> {
    fn read(&mut self, rows: usize, schema: &SchemaRef) -> Result<RecordBatch> {
        let others = match &mut self.rest {
            Some(rest) => contained(|| Ok(rest.next().transpose()?))?,
            None => None,
        };
        if self.rest.is_some() && others.as_ref().map(RecordBatch::num_rows) != Some(rows) {
            return Err(Error::corrupt(
                "a column has fewer rows than the footer claims",
            ));
        }
        let mut others = others.iter().flat_map(RecordBatch::columns);
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            match column {
                Some(own) => columns.push(own.read(rows)?),
                None => columns.extend(others.next().map(Arc::clone)),
            }
        }
        self.left -= rows;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::clone(schema);
        Ok(RecordBatch::try_new_with_options(
            schema, columns, &options,
        )?)
    }
}

/// An input for several readers.
struct Shared<T>(Arc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ChunkReader> Length for Shared<T> {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl<T: ChunkReader> ChunkReader for Shared<T> {
    type T = T::T;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}

impl<T> std::fmt::Debug for Reader<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("file", &self.file)
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
