//! Footers, independent of the inputs from which they were read.

use super::ReaderBuilder;
use crate::file::RowGroups;
use parquet::file::metadata::{FileMetaData, ParquetMetaData};
use std::sync::Arc;

/// Footer of a file. The metadata of column chunks is decoded when it is first requested.
#[derive(Clone, Debug)]
pub struct Footer {
    /// Its row groups may be missing.
    file: Arc<ParquetMetaData>,
    row_groups: RowGroups,
}

impl Footer {
    /// Returns the schema, the number of rows, and other metadata of the whole file.
    #[must_use]
    pub fn file_metadata(&self) -> &FileMetaData {
        self.file.file_metadata()
    }

    /// Returns the number of row groups.
    #[must_use]
    pub fn num_row_groups(&self) -> usize {
        self.row_groups.count()
    }

    /// Returns everything. For most files, the first call decodes the metadata of all column chunks.
    #[must_use]
    pub fn metadata(&self) -> &Arc<ParquetMetaData> {
        self.row_groups.metadata()
    }
}

impl<T> ReaderBuilder<T> {
    /// Returns the footer, which remains available without the input.
    #[must_use]
    pub fn footer(&self) -> Footer {
        Footer {
            file: Arc::clone(self.metadata.metadata()),
            row_groups: self.in_file.clone(),
        }
    }
}
