//! Counts the work of a reader.

use std::sync::atomic::{AtomicU64, Ordering};

/// Work that a [`Reader`](crate::Reader) has done so far.
///
/// ```
/// use arrow_array::{Int64Array, RecordBatch};
/// use bytelane_parquet::filter::Selection;
/// use bytelane_parquet::{Reader, Writer, WriterOptions};
/// use bytes::Bytes;
/// use std::sync::Arc;
///
/// let ids = Int64Array::from_iter_values(0..1000);
/// let batch = RecordBatch::try_from_iter([("id", Arc::new(ids) as _)])?;
/// let mut file = Vec::new();
/// let options = WriterOptions::default().with_row_group_size(500);
/// let mut writer = Writer::try_new(&mut file, batch.schema(), options)?;
/// writer.write(&batch)?;
/// writer.close()?;
///
/// let selection = Selection::default().with_filter("id < 10".parse()?);
/// let mut reader = selection.choose(Reader::builder(Bytes::from(file))?)?.build()?;
/// assert_eq!(reader.by_ref().count(), 1);
/// let metrics = reader.metrics();
/// assert_eq!((metrics.rows_excluded, metrics.rows_dropped), (500, 490));
/// assert!(metrics.bytes_read > 0 && metrics.pages_read == 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// Number of bytes read from the input, without the footer.
    pub bytes_read: u64,
    /// Number of pages read, dictionary pages included.
    pub pages_read: u64,
    /// Number of values decoded in all columns, nulls included, even if they are dropped later.
    pub values_decoded: u64,
    /// Number of gaps between rows that columns skipped, without decoding their values.
    pub gaps_skipped: u64,
    /// Number of rows pruned by statistics, indexes, page headers and Bloom filters.
    pub rows_excluded: u64,
    /// Number of rows dropped because a predicate was not true.
    pub rows_dropped: u64,
}

/// Counters shared by several threads.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) bytes_read: Counter,
    pub(crate) pages_read: Counter,
    pub(crate) values_decoded: Counter,
    pub(crate) gaps_skipped: Counter,
    pub(crate) rows_excluded: Counter,
    pub(crate) rows_dropped: Counter,
}

/// Monotonic counter.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, more: usize) {
        self.0.fetch_add(more as u64, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counters {
    pub(crate) fn metrics(&self) -> Metrics {
        Metrics {
            bytes_read: self.bytes_read.get(),
            pages_read: self.pages_read.get(),
            values_decoded: self.values_decoded.get(),
            gaps_skipped: self.gaps_skipped.get(),
            rows_excluded: self.rows_excluded.get(),
            rows_dropped: self.rows_dropped.get(),
        }
    }
}
