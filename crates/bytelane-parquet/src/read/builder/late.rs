//! Sets how rows that predicates exclude are passed over.

use super::ReaderBuilder;
use crate::input::InputFile;
use bytes::Bytes;
use std::any::Any;

impl<T: 'static> ReaderBuilder<T> {
    /// Sets the least number of consecutive rows, at least 64, that are skipped after predicates have dropped them.
    /// Shorter gaps are decoded, and dropped while they are in the cache. By default, it depends on the column; its
    /// values were measured.
    #[must_use]
    pub fn with_least_gap(mut self, rows: usize) -> Self {
        self.least_gap = Some(rows);
        self
    }

    /// Sets whether pages are pruned by the statistics in their headers, if the file has no column index. All
    /// headers of a condition's column are then read before its pages. By default, this is done for local files
    /// and bytes, where it costs little.
    #[must_use]
    pub fn with_header_pruning(mut self, is_on: bool) -> Self {
        self.prunes_by_headers = Some(is_on);
        self
    }

    pub(super) fn reads_headers(&self) -> bool {
        let input: &dyn Any = &*self.input;
        let file = input.downcast_ref::<InputFile>();
        let is_local = input.is::<Bytes>() || file.is_some_and(InputFile::is_local);
        self.prunes_by_headers.unwrap_or(is_local)
    }
}
