//! Measures how large the first rows of a file become in other orders.

use crate::Result;
use arrow_ord::sort::{SortColumn, lexsort_to_indices};
use arrow_select::concat::concat_batches;
use arrow_select::take::take_record_batch;
use bytelane_parquet::arrow_array::cast::AsArray;
use bytelane_parquet::arrow_array::{Array, ArrayRef, RecordBatch, UInt64Array};
use bytelane_parquet::arrow_schema::{ArrowError, DataType, SortOptions};
use bytelane_parquet::parquet::arrow::ProjectionMask;
use bytelane_parquet::{Error as ParquetError, ReaderBuilder, Writer, WriterOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of rows that are read at a time.
const BATCH_ROWS: usize = 1024;

/// Size of the rows from which on no more are read, in bytes. Sorting and writing them takes several times as much.
const MOST: u64 = 32 << 20;

/// First rows of a file.
pub(super) struct SortSample {
    path: PathBuf,
    rows: RecordBatch,
    options: WriterOptions,
}

impl SortSample {
    /// Reads up to `rows` rows of a file, and fewer if they are wide. They are written with these options, and if these have no compression, with
    /// that of the first column.
    pub(super) fn open(
        path: &Path,
        rows: usize,
        options: WriterOptions,
        keeps_compression: bool,
    ) -> Result<Self> {
        let builder = ReaderBuilder::open(path)?;
        let mut options = options;
        let groups = builder.metadata().row_groups();
        let first = groups.first().and_then(|group| group.columns().first());
        if let Some(chunk) = first.filter(|_| keeps_compression) {
            options = options.with_compression(chunk.compression());
        }
        let schema = Arc::clone(builder.schema());
        let reader = builder
            .with_projection(ProjectionMask::all())
            .with_limit(rows)
            .with_batch_size(BATCH_ROWS.min(rows.max(1)))
            .build()?;
        let mut size = 0;
        let is_small = |batch: &std::result::Result<RecordBatch, ArrowError>| {
            let is_small = size < MOST;
            size += batch.as_ref().map_or(0, size_of_batch);
            is_small
        };
        let batches = reader
            .take_while(is_small)
            .collect::<std::result::Result<Vec<_>, _>>();
        let rows = batches.and_then(|batches| concat_batches(&schema, &batches));
        Ok(Self {
            rows: rows.map_err(|error| in_file(error, path))?,
            path: path.to_owned(),
            options,
        })
    }

    /// Returns the names of the columns that rows can be sorted by, those with at least two values.
    pub(super) fn columns(&self) -> Vec<String> {
        let schema = self.rows.schema();
        let columns = schema.fields().iter().zip(self.rows.columns());
        let columns = columns.filter(|(field, column)| {
            is_sortable(field.data_type()) && column.null_count() < column.len()
        });
        columns.map(|(field, _)| field.name().clone()).collect()
    }

    /// Returns the compressed size of the rows, in bytes, sorted by columns; in their own order, if there are none.
    /// Rows that are equal in them keep their order.
    pub(super) fn bytes(&self, by: &[String]) -> Result<u64> {
        let sorted = if by.is_empty() {
            Ok(self.rows.clone())
        } else {
            self.sorted(by)
        };
        let rows = sorted.map_err(|error| in_file(error, &self.path))?;
        let mut writer = Writer::try_new(io::sink(), rows.schema(), self.options.clone())?;
        writer.write(&rows)?;
        let written = writer.finish()?;
        let groups = written.metadata.row_groups().iter();
        Ok(groups
            .map(|group| group.compressed_size().max(0) as u64)
            .sum())
    }

    fn sorted(&self, by: &[String]) -> std::result::Result<RecordBatch, ArrowError> {
        let ascending = SortOptions::default().asc().nulls_last();
        let columns = by.iter().filter_map(|name| self.rows.column_by_name(name));
        let count = self.rows.num_rows() as u64;
        let places: ArrayRef = Arc::new(UInt64Array::from_iter_values(0..count));
        let columns = columns.cloned().chain([places]).map(|values| SortColumn {
            values,
            options: Some(ascending),
        });
        let order = lexsort_to_indices(&columns.collect::<Vec<_>>(), None)?;
        take_record_batch(&self.rows, &order)
    }
}

/// Returns the size of rows in bytes, in which a string counts each time that it occurs, even if views or dictionaries
/// share it.
fn size_of_batch(batch: &RecordBatch) -> u64 {
    let sizes = batch.columns().iter().map(|column| {
        let shared: u64 = match column.data_type() {
            DataType::Utf8View => column.as_string_view().lengths().map(u64::from).sum(),
            DataType::BinaryView => column.as_binary_view().lengths().map(u64::from).sum(),
            _ => 0,
        };
        let entries = column.as_any_dictionary_opt().map(|it| it.values().len());
        let repeats = entries.map_or(1, |entries| column.len() / entries.max(1));
        let size = column.get_array_memory_size() as u64;
        size.saturating_mul(repeats.max(1) as u64) + shared
    });
    sizes.fold(0, u64::saturating_add)
}

fn is_sortable(of: &DataType) -> bool {
    of.is_primitive()
        || matches!(
            of,
            DataType::Boolean
                | DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
                | DataType::FixedSizeBinary(_)
        )
}

fn in_file(error: ArrowError, path: &Path) -> crate::Error {
    ParquetError::from(error).in_file(path).into()
}
