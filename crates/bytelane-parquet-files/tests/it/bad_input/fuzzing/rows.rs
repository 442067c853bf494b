//! Reads rows of files that may claim any number of them.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use arrow_select::concat::concat_batches;
use bytelane::{Backend, Detected};
use bytelane_parquet::{Reader, bytelane};
use bytes::Bytes;

/// Number of rows after which reading stops.
const MOST: usize = 5000;

/// Number of rows in a batch.
pub const BATCH: usize = 64;

/// Returns the first rows of a file, or the first error.
pub fn read(file: &Bytes, batch_size: usize, backend: Backend) -> Result<RecordBatch, String> {
    let reader = Reader::builder(file.clone()).and_then(|builder| {
        let builder = builder.with_batch_size(batch_size);
        let backend = Detected::new(backend).expect("it is available");
        builder.with_backend(backend).build()
    });
    let reader = reader.map_err(|error| error.to_string())?;
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let batches = first(reader).map_err(|error| error.to_string())?;
    concat_batches(&schema, &batches).map_err(|error| error.to_string())
}

/// Returns batches until there are enough rows.
pub fn first(
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
) -> Result<Vec<RecordBatch>, ArrowError> {
    let mut rows = 0;
    let enough = |batch: &Result<RecordBatch, ArrowError>| {
        let before = rows;
        rows += batch.as_ref().map_or(0, RecordBatch::num_rows);
        before < MOST
    };
    batches.take_while(enough).collect()
}
