//! Outcome of a rewrite, for the file and its columns.

use super::work::Moved;
use serde::Serialize;

/// Outcome of [`rewrite`](super::rewrite).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rewritten {
    /// Bytes of the old file.
    pub bytes_before: u64,
    /// Bytes of the new file.
    pub bytes_after: u64,
    /// Set if every value was compared.
    pub verified: bool,
    /// Outcome for the columns.
    pub columns: Vec<RewrittenColumn>,
}

/// Outcome for a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RewrittenColumn {
    /// Its path; the names in it are joined by dots.
    pub path: String,
    /// The number of row groups that contain it.
    pub chunks: usize,
    /// The number of row groups in which it was re-encoded; in the others it was copied.
    pub rewritten: usize,
    /// The old state.
    pub before: ColumnState,
    /// The new state.
    pub after: ColumnState,
    /// Why it could not be re-encoded.
    pub obstacle: Option<String>,
}

impl RewrittenColumn {
    /// Adds what was done with the column in another row group.
    pub(super) fn add(&mut self, moved: &Moved) {
        self.chunks += 1;
        self.rewritten += usize::from(moved.is_new);
        self.before.add(&moved.before);
        self.after.add(&moved.after);
        if moved.obstacle.is_some() {
            self.obstacle.clone_from(&moved.obstacle);
        }
    }
}

/// How a column is stored, all row groups together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnState {
    /// Bytes in the file.
    pub bytes: u64,
    /// The encodings of its values.
    pub encodings: Vec<String>,
    /// Its compressions; with a level where it is known, because the pages are new.
    pub compressions: Vec<String>,
}

impl ColumnState {
    fn add(&mut self, chunk: &Self) {
        self.bytes += chunk.bytes;
        for (all, names) in [
            (&mut self.encodings, &chunk.encodings),
            (&mut self.compressions, &chunk.compressions),
        ] {
            for name in names {
                if !all.contains(name) {
                    all.push(name.clone());
                }
            }
        }
    }
}
