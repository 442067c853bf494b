//! Describes the outcome of a merge.

use bytelane_parquet::compression_name;
use bytelane_parquet::input::serialize_path;
use parquet::basic::Compression;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Outcome of [`merge`](super::merge).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Merged {
    /// Number of files read.
    pub inputs: usize,
    /// Size of these files in bytes.
    pub bytes_before: u64,
    /// Size of the written files in bytes.
    pub bytes_after: u64,
    /// Number of rows.
    pub rows: u64,
    /// Number of rows that were deleted.
    pub deleted_rows: u64,
    /// Number of row groups read.
    pub row_groups_before: usize,
    /// Number of row groups written.
    pub row_groups_after: usize,
    /// Set if all values were compared.
    pub verified: bool,
    /// Files written.
    pub outputs: Vec<MergedFile>,
    /// Outcome for the columns.
    pub columns: Vec<MergedColumn>,
    /// One sentence for each part that could not be kept, or was taken from one input although
    /// others differ.
    pub notes: Vec<String>,
}

/// File that was written.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MergedFile {
    /// Path of the file.
    #[serde(serialize_with = "serialize_path")]
    pub path: PathBuf,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of rows.
    pub rows: u64,
    /// Number of row groups.
    pub row_groups: usize,
}

/// Number of data pages of a column, by operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MergedPages {
    /// Pages copied byte for byte.
    pub copied: u64,
    /// Pages that were encoded without some of their rows.
    pub cut: u64,
    /// Pages whose dictionary indices were mapped to a joined dictionary.
    pub mapped: u64,
    /// Pages recompressed with another codec.
    pub recompressed: u64,
    /// Pages whose values were re-encoded.
    pub encoded: u64,
    /// Small pages that were joined into larger ones.
    pub joined: u64,
    /// Pages of nulls for columns that an input lacks.
    pub nulls: u64,
}

impl MergedPages {
    pub(super) fn add(&mut self, other: Self) {
        self.copied += other.copied;
        self.cut += other.cut;
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
    /// Path of the column, with names separated by dots.
    pub path: String,
    /// Size in the inputs in bytes.
    pub bytes_before: u64,
    /// Size in the outputs in bytes.
    pub bytes_after: u64,
    /// Data pages, by operation.
    pub pages: MergedPages,
    /// Compressions of new pages, with their levels; empty if all pages were copied.
    pub compressions: Vec<String>,
}

impl MergedColumn {
    pub(super) fn add_compression(&mut self, compression: Compression) {
        let name = compression_name(compression);
        if !self.compressions.contains(&name) {
            self.compressions.push(name);
        }
    }
}

/// Distinct notes, with the number of times that each applies.
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
