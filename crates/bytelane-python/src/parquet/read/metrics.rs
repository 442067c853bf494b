//! Counts of a reader.

use bytelane_parquet::Metrics as Counts;
use pyo3::prelude::*;

/// Work that a reader has done so far.
///
/// >>> import pyarrow as pa
/// >>> from bytelane import parquet
/// >>> parquet.write_table(pa.table({"id": range(1000)}), "ids.parquet", row_group_size=500)
/// >>> batches = parquet.ParquetFile("ids.parquet").iter_batches(filters="id < 10")
/// >>> [batch.num_rows for batch in batches]
/// [10]
/// >>> batches.metrics.rows_excluded, batches.metrics.rows_dropped, batches.metrics.pages_read
/// (500, 490, 1)
#[pyclass(frozen, module = "bytelane.parquet")]
pub struct Metrics(pub Counts);

#[pymethods]
impl Metrics {
    /// Number of bytes read from the source, without the footer.
    #[getter]
    fn bytes_read(&self) -> u64 {
        self.0.bytes_read
    }

    /// Number of pages read, dictionary pages included.
    #[getter]
    fn pages_read(&self) -> u64 {
        self.0.pages_read
    }

    /// Number of values decoded in all columns, nulls included, even if they are dropped later.
    #[getter]
    fn values_decoded(&self) -> u64 {
        self.0.values_decoded
    }

    /// Number of gaps between rows that columns skipped, without decoding their values.
    #[getter]
    fn gaps_skipped(&self) -> u64 {
        self.0.gaps_skipped
    }

    /// Number of rows pruned by statistics, indexes, page headers and Bloom filters.
    #[getter]
    fn rows_excluded(&self) -> u64 {
        self.0.rows_excluded
    }

    /// Number of rows dropped because a condition was not true.
    #[getter]
    fn rows_dropped(&self) -> u64 {
        self.0.rows_dropped
    }

    fn __repr__(&self) -> String {
        let Counts {
            bytes_read,
            pages_read,
            values_decoded,
            gaps_skipped,
            rows_excluded,
            rows_dropped,
            ..
        } = self.0;
        format!(
            "<bytelane.parquet.Metrics: {bytes_read} bytes and {pages_read} pages read, {values_decoded} values decoded, \
             {gaps_skipped} gaps skipped, {rows_excluded} rows excluded, {rows_dropped} rows dropped>"
        )
    }
}
