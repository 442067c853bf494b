//! Opens the files that verbs work on.

use bytelane_parquet::Result;
use bytelane_parquet::budget::RowLimit;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::file::{in_parquet, metadata_in_parquet, read_file_metadata};
use bytelane_parquet::format::FileMetaData;
use bytelane_parquet::input::InputFile;
use bytelane_parquet::stack::with_stack;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::ChunkReader;
use parquet::schema::types::SchemaDescPtr;
use std::path::Path;
use std::sync::Arc;

/// File with its footer. Clones share both.
#[derive(Clone, Debug)]
pub(crate) struct OpenedFile<R = InputFile> {
    pub reader: R,
    /// Footer of the file, or the part of it that is needed.
    pub footer: Arc<FileMetaData>,
    /// Nesting depth of its columns.
    pub depth: usize,
}

/// Reader that can be cloned for another thread.
pub(crate) trait Reopen: ChunkReader + Clone + Sync + 'static {}

impl<R: ChunkReader + Clone + Sync + 'static> Reopen for R {}

impl OpenedFile {
    /// Opens the file at a path, which errors name.
    pub fn open(path: &Path) -> Result<Self> {
        let opened = InputFile::open(path).and_then(Self::read);
        opened.map_err(|error| error.in_file(path))
    }
}

impl<R> OpenedFile<R> {
    /// Returns the same footer with another reader.
    pub fn with_reader<S>(&self, reader: S) -> OpenedFile<S> {
        OpenedFile {
            reader,
            footer: Arc::clone(&self.footer),
            depth: self.depth,
        }
    }

    /// Returns the number of rows of all row groups.
    pub fn rows(&self) -> i64 {
        let rows = self.footer.row_groups.iter().map(|it| it.num_rows);
        rows.fold(0, i64::saturating_add)
    }

    /// Returns the columns of the file.
    pub fn schema(&self) -> Result<SchemaDescPtr> {
        Ok(self.bare()?.file_metadata().schema_descr_ptr())
    }

    /// Returns the footer without row groups as the crate `parquet` decodes it.
    pub fn bare(&self) -> Result<ParquetMetaData> {
        let bare = without_row_groups(&self.footer);
        with_stack(self.depth, || in_parquet(&bare))
    }
}

impl<R: ChunkReader> OpenedFile<R> {
    /// Reads the footer of a file.
    pub fn read(reader: R) -> Result<Self> {
        let (footer, depth) = catch_panic(|| read_file_metadata(&reader))?;
        Ok(Self {
            reader,
            footer: Arc::new(footer),
            depth,
        })
    }

    /// Returns the footer as the crate `parquet` decodes it, without page indexes.
    pub fn metadata(&self) -> Result<ParquetMetaData> {
        metadata_in_parquet(&self.reader, &self.footer, self.depth)
    }

    /// Returns an error if the row groups have too many rows for a file of this size.
    pub fn check_rows(&self, limit: RowLimit) -> Result<()> {
        limit.check(self.rows(), self.reader.len())
    }
}

/// Returns a footer without row groups.
pub(crate) fn without_row_groups(footer: &FileMetaData) -> FileMetaData {
    FileMetaData {
        row_groups: Vec::new(),
        ..footer.clone()
    }
}
