//! Outcome of a merge.

use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Outcome of [`merge`](super::merge).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Merged {
    /// Number of files read.
    pub inputs: usize,
    /// Bytes of these files.
    pub bytes_before: u64,
    /// Bytes of the files written.
    pub bytes_after: u64,
    /// Number of rows.
    pub rows: u64,
    /// Number of row groups read.
    pub row_groups_before: usize,
    /// Number of row groups written.
    pub row_groups_after: usize,
    /// Set if every value was compared.
    pub verified: bool,
    /// The files written.
    pub outputs: Vec<MergedFile>,
    /// Outcome for the columns.
    pub columns: Vec<MergedColumn>,
    /// Parts that could not be kept, or were taken from one input although others differ: one sentence each.
    pub notes: Vec<String>,
}

/// A file that was written.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MergedFile {
    /// Its path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Number of its rows.
    pub rows: u64,
    /// Number of its row groups.
    pub row_groups: usize,
}

/// Number of data pages of a column, by what was done with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MergedPages {
    /// Pages copied byte for byte.
    pub copied: u64,
    /// Pages whose dictionary indices were mapped to a joined dictionary.
    pub mapped: u64,
    /// Pages that were decompressed and compressed by another codec.
    pub recompressed: u64,
    /// Pages whose values were decoded and encoded again.
    pub encoded: u64,
    /// Small pages whose rows were joined to larger ones.
    pub joined: u64,
    /// Pages of nulls for columns that an input does not have.
    pub nulls: u64,
}

impl MergedPages {
    pub(super) fn add(&mut self, other: Self) {
        self.copied += other.copied;
        self.mapped += other.mapped;
        self.recompressed += other.recompressed;
        self.encoded += other.encoded;
        self.joined += other.joined;
        self.nulls += other.nulls;
    }
}

/// Outcome for a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MergedColumn {
    /// Its path; the names in it are joined by dots.
    pub path: String,
    /// Bytes in the inputs.
    pub bytes_before: u64,
    /// Bytes in the outputs.
    pub bytes_after: u64,
    /// Its data pages, by what was done with them.
    pub pages: MergedPages,
}

/// Notes, each once, with the number of times that it applies.
#[derive(Debug, Default)]
pub(super) struct Notes(BTreeMap<String, u64>);

impl Notes {
    pub(super) fn add(&mut self, note: impl Into<String>) {
        *self.0.entry(note.into()).or_default() += 1;
    }

    pub(super) fn append(&mut self, other: Self) {
        for (note, count) in other.0 {
            *self.0.entry(note).or_default() += count;
        }
    }

    pub(super) fn finish(self) -> Vec<String> {
        let times = |(note, count): (String, u64)| match count {
            1 => note,
            _ => format!("{note} ({count} times)"),
        };
        self.0.into_iter().map(times).collect()
    }
}
