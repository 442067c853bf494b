//! Reads values as they are stored, regardless of logical types.

use super::ReaderBuilder;
use crate::Result;
use crate::budget::with_views;
use crate::file::read_bare_footer;
use crate::read::arrow::{ArrowFooter, in_arrow};
use arrow_schema::Schema;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::file::reader::ChunkReader;
use std::sync::Arc;

impl<T: ChunkReader + 'static> ReaderBuilder<T> {
    /// Reads the footer. Columns have the types of the stored values, bit for bit: a timestamp is
    /// an integer, a string is a binary view, INT96 is 12 bytes.
    ///
    /// # Errors
    ///
    /// Same errors as [`try_new`](Self::try_new).
    #[doc(hidden)]
    pub fn of_stored_values(input: T) -> Result<Self> {
        let ArrowFooter { footer, own } = ArrowFooter::new(read_bare_footer(&input)?)?;
        let fields = own.schema().fields().iter().map(with_views);
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = ArrowReaderOptions::new().with_schema(schema);
        let metadata = in_arrow(&footer.schema, footer.depth, options)?;
        Self::checked(input, footer.row_groups, metadata)
    }
}
