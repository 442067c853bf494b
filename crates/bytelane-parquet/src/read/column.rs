//! Reads one column of one row group, independently of its file's footer.

use super::input::Input;
use super::row_group::{RowGroup, Settings, View, stages};
use super::rows::Rows;
use super::schema::Plan;
use crate::Result;
use crate::budget::MemoryLimit;
use crate::file::LeafChunk;
use arrow_array::ArrayRef;
use arrow_schema::SchemaRef;
use bytelane::Detected;
use parquet::arrow::ProjectionMask;
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::SchemaDescriptor;
use std::sync::Arc;

/// Reads all rows of a column from known chunks.
pub struct ColumnReader {
    settings: Settings,
    row_group: RowGroup,
}

impl ColumnReader {
    /// Reads a column, the only one of the schema, as this Arrow type.
    pub fn new<T: ChunkReader + 'static>(
        input: T,
        schema: &SchemaDescriptor,
        arrow: SchemaRef,
        chunks: Vec<LeafChunk>,
        rows: usize,
        batch_rows: usize,
        limit: MemoryLimit,
    ) -> Result<Self> {
        let input = Input::new(Arc::new(input));
        let plan = Plan::new(schema, &ProjectionMask::all(), arrow.fields())?;
        let columns = (0..plan.columns.len()).collect();
        let schema = arrow;
        let output = View {
            schema: Arc::clone(&schema),
            columns,
        };
        let settings = Settings {
            stages: stages(&plan, Vec::new(), &output, |_| false),
            plan,
            schema,
            output,
            batch_size: batch_rows,
            least_gap: None,
            progress: None,
            backend: Detected::active(),
            limit,
            memory: limit.of_read(input.len()),
            input,
            ahead: 0,
            depth: 0,
            pool: None,
        };
        let row_group = RowGroup::of_chunks(&settings, chunks, Rows::all(rows))?;
        Ok(Self {
            settings,
            row_group,
        })
    }
}

impl Iterator for ColumnReader {
    type Item = Result<ArrayRef>;

    /// Returns the next rows. After the last expected ones, returns `None`, or an error if the
    /// chunks have more rows.
    fn next(&mut self) -> Option<Self::Item> {
        match self.row_group.next(&self.settings) {
            Some(batch) => Some(batch.map(|batch| Arc::clone(batch.column(0)))),
            None => self.row_group.check_end(&self.settings).err().map(Err),
        }
    }
}
