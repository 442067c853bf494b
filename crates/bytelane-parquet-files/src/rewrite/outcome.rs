//! Outcome of a rewrite, for the file and its columns.

use bytelane_parquet::chunk::Chunk;
use serde::Serialize;

/// Outcome of [`rewrite`](super::rewrite).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rewritten {
    /// Size of the old file in bytes.
    pub bytes_before: u64,
    /// Size of the new file in bytes.
    pub bytes_after: u64,
    /// Set if every value was compared.
    pub verified: bool,
    /// Outcome for each column.
    pub columns: Vec<RewrittenColumn>,
}

/// Outcome for a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RewrittenColumn {
    /// Path of the column, joined by dots.
    pub path: String,
    /// Number of row groups that contain it.
    pub chunks: usize,
    /// Number of row groups in which it was re-encoded; in the others it was copied.
    pub rewritten: usize,
    /// Old state.
    pub before: ColumnState,
    /// New state.
    pub after: ColumnState,
    /// Reason why it could not be re-encoded.
    pub obstacle: Option<String>,
}

impl RewrittenColumn {
    /// Adds the outcome of the column in another row group.
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

/// Storage of a column, over all row groups.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnState {
    /// Size in the file, in bytes.
    pub bytes: u64,
    /// Encodings of its values.
    pub encodings: Vec<String>,
    /// Compressions of its pages, with the level where it is known because the pages are new.
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

/// Chunk for the new file.
#[derive(Debug)]
pub(super) struct Moved {
    /// Index of its column in the whole schema.
    pub leaf: usize,
    pub chunk: Chunk,
    /// Set if its pages are new.
    pub is_new: bool,
    pub before: ColumnState,
    pub after: ColumnState,
    /// Reason why it could not be re-encoded.
    pub obstacle: Option<String>,
}
