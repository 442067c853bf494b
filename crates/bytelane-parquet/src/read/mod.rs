//! Reads Parquet files as record batches.

mod arrow;
mod builder;
mod column;
mod in_flight;
mod input;
mod leaf;
mod push;
mod row_group;
mod rows;
mod schema;
#[cfg(test)]
mod tests;
mod threads;

pub use arrow::arrow_schema;
pub use builder::{Footer, GivenTypes, ListType, ReaderBuilder};
pub use column::ColumnReader;
pub use input::Input;
pub use input::{Metrics, PushedBytes};
pub use push::{AsyncReader, Decoded, PushDecoder, RangeReader};
pub(crate) use row_group::{Condition, Conditional, IndexedPages, indexed_pages};
pub(crate) use rows::Ranges;

use crate::file::RowGroups;
use crate::stack::with_stack;
use crate::{Error, Result};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use builder::Kept;
use in_flight::InFlight;
use parquet::file::reader::ChunkReader;
use row_group::Settings;
use std::path::PathBuf;
use std::sync::Arc;

/// Reads a Parquet file batch by batch.
///
/// The kernels of the crate `bytelane` decode all columns, in every encoding, to the types that the
/// crate `parquet` assigns. A batch does not span row groups. One page per column is kept in
/// memory, and the column's dictionary.
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
pub struct Reader {
    file: Option<PathBuf>,
    row_groups: RowGroups,
    settings: Arc<Settings>,
    in_flight: InFlight,
    /// Offset and limit on the rows that pass the predicates.
    window: Option<Window>,
    /// Memory of all batches together, if they are kept.
    kept: Option<Kept>,
}

impl Reader {
    /// Reads the footer; the returned builder selects what is read.
    ///
    /// # Errors
    ///
    /// [`Problem::Corrupt`](crate::Problem::Corrupt) if it is not a Parquet file,
    /// [`Problem::Unsupported`](crate::Problem::Unsupported) if it is encrypted.
    pub fn builder<T: ChunkReader + 'static>(input: T) -> Result<ReaderBuilder<T>> {
        ReaderBuilder::try_new(input)
    }

    /// Reads all columns in batches of up to `batch_size` rows.
    ///
    /// # Errors
    ///
    /// Same errors as [`builder`](Self::builder) and [`ReaderBuilder::build`].
    pub fn try_new<T: ChunkReader + 'static>(input: T, batch_size: usize) -> Result<Self> {
        Self::builder(input)?.with_batch_size(batch_size).build()
    }

    /// Returns the footer. For most files, the first call decodes the metadata of all column
    /// chunks.
    #[must_use]
    pub fn metadata(&self) -> &parquet::file::metadata::ParquetMetaData {
        self.row_groups.metadata()
    }

    /// Returns the work done so far by all threads.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.settings.input.counters().metrics()
    }

    /// Returns the rows of a batch that are within the offset and limit, and whether they are the
    /// last ones.
    fn within_limits(&mut self, mut batch: RecordBatch) -> Result<(RecordBatch, bool)> {
        let mut is_last = false;
        if let Some(window) = &mut self.window {
            batch = window.take(&batch);
            is_last = window.left == 0;
        }
        if let Some(kept) = &mut self.kept {
            kept.add(&batch)?;
        }
        Ok((batch, is_last))
    }

    fn located(&self, error: Error) -> ArrowError {
        match &self.file {
            Some(file) => error.in_file(file).into(),
            None => error.into(),
        }
    }
}

/// Offset and limit: rows to skip, then rows to return.
struct Window {
    passed: usize,
    left: usize,
}

impl Window {
    /// Returns the rows of a batch that are within the window.
    fn take(&mut self, batch: &RecordBatch) -> RecordBatch {
        let start = self.passed.min(batch.num_rows());
        self.passed -= start;
        let rows = self.left.min(batch.num_rows() - start);
        self.left -= rows;
        batch.slice(start, rows)
    }
}

impl Iterator for Reader {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    /// Returns `None` after an error.
    fn next(&mut self) -> Option<Self::Item> {
        let (settings, in_flight) = (&self.settings, &mut self.in_flight);
        let row_groups = &self.row_groups;
        let batch = with_stack(settings.depth, || {
            in_flight.next(settings, row_groups).transpose()
        });
        let batch = batch
            .transpose()?
            .and_then(|batch| self.within_limits(batch));
        if !matches!(batch, Ok((_, false))) {
            self.in_flight = InFlight::default();
        }
        let batch = batch.map(|(batch, _)| batch);
        Some(batch.map_err(|error| self.located(error)))
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.settings.schema)
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("file", &self.file)
            .field("schema", &self.settings.schema)
            .finish_non_exhaustive()
    }
}
