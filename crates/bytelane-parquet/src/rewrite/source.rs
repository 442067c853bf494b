//! The file that is rewritten.

use crate::Result;
use crate::allowance::{batch_rows, check_widths, with_views};
use crate::metadata::{Footer, read_footer};
use arrow_schema::{Fields, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::ChunkReader;
use std::fs::File;
use std::sync::Arc;

/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 1 << 16;

/// A file whose columns are read.
#[derive(Debug)]
pub(super) struct Source<R> {
    pub reader: R,
    pub footer: Footer,
    arrow: ArrowReaderMetadata,
}

/// A reader of which there can be another one.
pub(super) trait Reopen: ChunkReader + Sized + 'static {
    fn reopen(&self) -> std::io::Result<Self>;
}

impl Reopen for File {
    fn reopen(&self) -> std::io::Result<Self> {
        self.try_clone()
    }
}

impl Reopen for Bytes {
    fn reopen(&self) -> std::io::Result<Self> {
        Ok(self.clone())
    }
}

impl<R: Reopen> Source<R> {
    pub fn open(reader: R) -> Result<Self> {
        let footer = read_footer(&reader)?;
        let metadata = Arc::new(footer.metadata.clone());
        let leaves = metadata.file_metadata().schema_descr().columns();
        check_widths(leaves, reader.len())?;
        // The types that the file itself has: an Arrow schema in its metadata could ask for others.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let arrow = ArrowReaderMetadata::try_new(Arc::clone(&metadata), options)?;
        let fields: Fields = arrow.schema().fields().iter().map(with_views).collect();
        let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
        Ok(Self {
            reader,
            footer,
            arrow: ArrowReaderMetadata::try_new(metadata, options)?,
        })
    }

    pub fn metadata(&self) -> &ParquetMetaData {
        &self.footer.metadata
    }

    /// The rows of some row groups, and of some columns.
    pub fn batches(
        &self,
        row_groups: Vec<usize>,
        columns: ProjectionMask,
    ) -> Result<ParquetRecordBatchReader> {
        let reader = self.reader.reopen()?;
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(reader, self.arrow.clone());
        // No more than there are: a batch's memory is reserved before its rows are read.
        let rows = row_groups
            .iter()
            .map(|&index| self.metadata().row_group(index).num_rows());
        let rows = usize::try_from(rows.max().unwrap_or(0)).unwrap_or(0);
        let leaves = self.metadata().file_metadata().schema_descr().columns();
        let leaves = leaves.iter().enumerate();
        let leaves = leaves.filter(|(leaf, _)| columns.leaf_included(*leaf));
        let most = batch_rows(BATCH_ROWS, leaves.map(|(_, leaf)| leaf));
        Ok(builder
            .with_projection(columns)
            .with_row_groups(row_groups)
            .with_batch_size(rows.min(most).max(1))
            .build()?)
    }
}
