//! What to read from a file, and how.

use super::{Reader, Shared};
use crate::allowance::{batch_rows, check_widths, with_views};
use crate::input::InputFile;
use crate::metadata::read_footer;
use crate::{Problem, Result, physical};
use arrow_schema::{Fields, Schema, SchemaRef};
use bytelane::Detected;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, Length};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Chooses what a [`Reader`] reads.
pub struct ReaderBuilder<T> {
    input: Shared<T>,
    file: Option<PathBuf>,
    metadata: ArrowReaderMetadata,
    projection: ProjectionMask,
    row_groups: Option<Vec<usize>>,
    batch_size: usize,
    backend: Detected,
}

impl ReaderBuilder<InputFile> {
    /// Opens a file and reads its footer. Errors will name it.
    ///
    /// # Errors
    ///
    /// [`Problem::Io`] if it cannot be opened, [`Problem::Corrupt`] if it is not a Parquet file,
    /// [`Problem::Unsupported`] if it is encrypted.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        InputFile::open(path)
            .and_then(|input| Self::new(input, Some(path.to_owned())))
            .map_err(|error| error.in_file(path))
    }
}

impl<T: ChunkReader + 'static> ReaderBuilder<T> {
    pub(super) fn new(input: T, file: Option<PathBuf>) -> Result<Self> {
        let metadata = Arc::new(read_footer(&input)?.metadata);
        Self::of_footer(input, metadata, file)
    }

    /// Of an input whose footer has been read.
    pub(crate) fn of_footer(
        input: T,
        metadata: Arc<ParquetMetaData>,
        file: Option<PathBuf>,
    ) -> Result<Self> {
        let input = Shared(Arc::new(input));
        let metadata = ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new())?;
        check_widths(metadata.parquet_schema().columns(), input.len())?;
        Ok(Self {
            input,
            file,
            metadata,
            projection: ProjectionMask::all(),
            row_groups: None,
            batch_size: 65_536,
            backend: Detected::active(),
        })
    }

    /// The schema of the whole file.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    /// The footer.
    #[must_use]
    pub fn metadata(&self) -> &Arc<ParquetMetaData> {
        self.metadata.metadata()
    }

    /// What is read.
    pub(crate) fn input(&self) -> &(impl ChunkReader + 'static) {
        &self.input
    }

    /// The maximum number of rows of a batch, 65,536 by default. Batches with values larger than 1 KiB have fewer.
    #[must_use]
    pub fn with_batch_size(mut self, rows: usize) -> Self {
        self.batch_size = rows;
        self
    }

    /// The leaves to read; all by default.
    #[must_use]
    pub fn with_projection(mut self, projection: ProjectionMask) -> Self {
        self.projection = projection;
        self
    }

    /// The columns to read, by the paths of leaves or groups; batches have them in the order of the file.
    ///
    /// # Errors
    ///
    /// [`Problem::NoSuchColumn`].
    pub fn with_columns<'a>(self, paths: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let schema = self.metadata.parquet_schema();
        let mut leaves = Vec::new();
        for path in paths {
            let below = format!("{path}.");
            let found = schema.columns().iter().enumerate().filter(|(_, column)| {
                let leaf = column.path().string();
                leaf == path || leaf.starts_with(&below)
            });
            let before = leaves.len();
            leaves.extend(found.map(|(index, _)| index));
            if leaves.len() == before {
                return Err(Problem::NoSuchColumn(path.to_owned()).into());
            }
        }
        let projection = ProjectionMask::leaves(schema, leaves);
        Ok(self.with_projection(projection))
    }

    /// Strings as views: many that are the same entry of a dictionary then take the memory of one.
    pub(crate) fn with_views(mut self) -> Result<Self> {
        let fields: Fields = self.schema().fields().iter().map(with_views).collect();
        let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
        self.metadata = ArrowReaderMetadata::try_new(Arc::clone(self.metadata()), options)?;
        Ok(self)
    }

    /// The row groups to read, in this order; all by default.
    #[must_use]
    pub fn with_row_groups(mut self, row_groups: Vec<usize>) -> Self {
        self.row_groups = Some(row_groups);
        self
    }

    /// The instruction set of the kernels.
    #[must_use]
    pub fn with_backend(mut self, backend: Detected) -> Self {
        self.backend = backend;
        self
    }

    /// Starts reading.
    ///
    /// # Errors
    ///
    /// [`Problem::Option`] for a row group that does not exist, and for batches of 0 rows.
    pub fn build(self) -> Result<Reader<T>> {
        let count = self.metadata.metadata().num_row_groups();
        let row_groups = self.row_groups.unwrap_or_else(|| (0..count).collect());
        if let Some(beyond) = row_groups.iter().find(|index| **index >= count) {
            let problem = format!("the file has no row group {beyond}, only {count} row groups");
            return Err(Problem::Option(problem).into());
        }
        if self.batch_size == 0 {
            return Err(Problem::Option("a batch cannot have 0 rows".to_owned()).into());
        }
        // The schema of a projection, nested ones included, is for the crate `parquet` to tell.
        let nothing = ParquetRecordBatchReaderBuilder::new_with_metadata(
            self.input.clone(),
            self.metadata.clone(),
        )
        .with_projection(self.projection.clone())
        .with_row_groups(Vec::new())
        .build()?;
        let schema = arrow_array::RecordBatchReader::schema(&nothing);
        let in_file = self.metadata.parquet_schema();
        let roots: Vec<usize> = (0..in_file.num_columns())
            .filter(|leaf| self.projection.leaf_included(*leaf))
            .map(|leaf| in_file.get_column_root_idx(leaf))
            .collect();
        let mut roots_once = roots.clone();
        roots_once.dedup();
        let flat = schema.fields().iter().zip(roots_once).map(|(field, root)| {
            let leaf = (0..in_file.num_columns())
                .find(|leaf| in_file.get_column_root_idx(*leaf) == root)?;
            physical::is_readable(field.data_type(), &in_file.column(leaf)).then_some(leaf)
        });
        let leaves = in_file.columns().iter().enumerate();
        let leaves = leaves.filter(|(leaf, _)| self.projection.leaf_included(*leaf));
        let batch_size = batch_rows(self.batch_size, leaves.map(|(_, leaf)| leaf));
        Ok(Reader {
            flat: flat.collect(),
            schema,
            input: self.input,
            file: self.file,
            metadata: self.metadata,
            projection: self.projection,
            batch_size,
            backend: self.backend,
            row_groups: row_groups.into_iter(),
            current: None,
        })
    }
}

/// Another reader of the same input: nothing is opened or read again.
impl<T> Clone for ReaderBuilder<T> {
    fn clone(&self) -> Self {
        Self {
            input: self.input.clone(),
            file: self.file.clone(),
            metadata: self.metadata.clone(),
            projection: self.projection.clone(),
            row_groups: self.row_groups.clone(),
            batch_size: self.batch_size,
            backend: self.backend,
        }
    }
}

impl<T> std::fmt::Debug for ReaderBuilder<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReaderBuilder")
            .field("file", &self.file)
            .field("batch_size", &self.batch_size)
            .finish_non_exhaustive()
    }
}
