//! Files to merge, and the parts of their row groups.

use super::schema::Layout;
use super::window::{Closed, Window};
use crate::edits::KeptRows;
use crate::opened::OpenedFile;
use bytelane_parquet::Result;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// File to merge.
pub(super) struct Input<'a> {
    pub path: &'a Path,
    pub layout: Arc<Layout>,
    /// Its footer, unless those of all inputs take too much memory.
    pub closed: Option<OpenedFile<Closed>>,
}

impl Input<'_> {
    /// Opens the file.
    pub(super) fn open(&self) -> Result<OpenedFile<Window>> {
        match &self.closed {
            Some(closed) => closed.open_again(self.path),
            None => Window::open(self.path, None),
        }
    }
}

/// Rows of a row group to merge.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub input: usize,
    pub row_group: usize,
    /// Its rows: of the row group, or of those of its rows that are kept.
    pub rows: Range<u64>,
    /// Rows of the row group that are kept; `None` for all.
    pub kept: Option<Arc<KeptRows>>,
    /// Size of its chunks in bytes.
    pub bytes: u64,
}

impl Part {
    pub(super) fn len(&self) -> u64 {
        self.rows.end - self.rows.start
    }

    /// Splits off the first rows.
    pub(super) fn split_off(&mut self, rows: u64) -> Self {
        let bytes = u128::from(self.bytes) * u128::from(rows) / u128::from(self.len().max(1));
        let middle = self.rows.start + rows;
        let first = Self {
            rows: self.rows.start..middle,
            bytes: bytes as u64,
            ..self.clone()
        };
        self.rows.start = middle;
        self.bytes -= first.bytes;
        first
    }

    /// Returns its rows as ranges of the row group.
    pub(super) fn ranges(&self) -> Vec<Range<u64>> {
        match &self.kept {
            Some(kept) => kept.within(&self.rows),
            None => vec![self.rows.clone()],
        }
    }

    /// Returns whether it has all rows of the row group that are kept, and others are not.
    pub(super) fn is_rest(&self) -> bool {
        let kept = self.kept.as_ref();
        kept.is_some_and(|kept| self.rows == (0..kept.len()))
    }

    /// Splits off the first of several parts of up to `rows` rows and about the same size; `None`
    /// if it has no more rows than that.
    pub(super) fn first_of(&mut self, rows: u64) -> Option<Self> {
        let parts = self.len().div_ceil(rows.max(1));
        (parts > 1).then(|| self.split_off(self.len().div_ceil(parts)))
    }
}
