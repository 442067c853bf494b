//! Files to merge, and the parts of their row groups.

use super::schema::Layout;
use super::window::{Closed, Window};
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
    pub rows: Range<u64>,
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

    /// Returns the parts that are kept, given the kept rows of row groups, in their order.
    pub(super) fn within(&self, kept: &[(usize, Range<u64>)]) -> Vec<Self> {
        let start = kept.partition_point(|(index, _)| *index < self.row_group);
        let own = kept[start..].iter();
        let own = own.take_while(|(index, _)| *index == self.row_group);
        let parts = own.map(|(_, rows)| Self {
            rows: rows.clone(),
            ..self.clone()
        });
        parts.collect()
    }

    /// Splits off the first of several parts of up to `rows` rows and about the same size; `None`
    /// if it has no more rows than that.
    pub(super) fn first_of(&mut self, rows: u64) -> Option<Self> {
        let parts = self.len().div_ceil(rows.max(1));
        (parts > 1).then(|| self.split_off(self.len().div_ceil(parts)))
    }
}
