//! Files with the indexes and counts that their writers left out.
//!
//! Each row group becomes one of the new file, as if it were merged with no other one: pages are copied byte for byte, and what footers and
//! indexes say of them is made from their headers.

use crate::file::read_file_metadata;
use crate::format::FileMetaData;
use crate::input::InputFile;
use crate::merge::{MergeOptions, merge};
use crate::{Error, Result};
use serde::Serialize;
use std::path::Path;

/// How a file is repaired.
///
/// ```
/// use bytelane_parquet::repair::RepairOptions;
///
/// let options = RepairOptions::default().with_verification(true);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct RepairOptions {
    verification: bool,
    force: bool,
}

impl RepairOptions {
    /// Sets whether to compare every value with the old file before the new one appears under its name.
    #[must_use]
    pub fn with_verification(mut self, verification: bool) -> Self {
        self.verification = verification;
        self
    }

    /// Sets whether to replace an output that is read-only.
    #[must_use]
    pub fn with_force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }
}

/// Outcome of [`repair`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Repaired {
    /// Bytes of the old file.
    pub bytes_before: u64,
    /// Bytes of the new file.
    pub bytes_after: u64,
    /// Number of column chunks.
    pub chunks: usize,
    /// Number of chunks with each part in the old file.
    pub before: Described,
    /// Number of chunks with each part in the new file.
    pub after: Described,
    /// Set if every value was compared.
    pub verified: bool,
    /// Parts that could not be kept: one sentence each.
    pub notes: Vec<String>,
}

/// Number of chunks that have something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Described {
    /// Places of their pages.
    pub offset_indexes: usize,
    /// Bounds of their pages.
    pub column_indexes: usize,
    /// Counts of pages and their encodings.
    pub encoding_stats: usize,
}

/// Writes a file again with offset and column indexes, `encoding_stats` and sizes made from its pages, which are copied byte for byte.
///
/// A column index needs bounds of each page: those of the old index, of page headers, or of the chunk if it has one page. Indexes that
/// contradict the pages are left out or made again. Key-value pairs, statistics, Bloom filters and sorting columns stay.
///
/// # Errors
///
/// Those of [`merge`].
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet::repair::{RepairOptions, repair};
///
/// let repaired = repair("old.parquet", "old.parquet", &RepairOptions::default())?;
/// println!("{} chunks have an offset index", repaired.after.offset_indexes);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn repair(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    options: &RepairOptions,
) -> Result<Repaired> {
    let (input, output) = (input.as_ref(), output.as_ref());
    let before = described(input)?;
    let options = MergeOptions::default()
        .with_row_groups_kept(true)
        .with_verification(options.verification)
        .with_force(options.force);
    let merged = merge(&[input], output, &options)?;
    let (chunks, after) = described(output)?;
    Ok(Repaired {
        bytes_before: merged.bytes_before,
        bytes_after: merged.bytes_after,
        chunks,
        before: before.1,
        after,
        verified: merged.verified,
        notes: merged.notes,
    })
}

/// Returns the number of chunks of a file, and what they have.
fn described(path: &Path) -> Result<(usize, Described)> {
    let file = InputFile::open(path).and_then(|file| read_file_metadata(&file));
    let (footer, _) = file.map_err(|error| error.in_file(path))?;
    count(&footer).map_err(|error: Error| error.in_file(path))
}

fn count(footer: &FileMetaData) -> Result<(usize, Described)> {
    let mut described = Described::default();
    let mut chunks = 0;
    for chunk in footer.row_groups.iter().flat_map(|it| &it.columns) {
        let chunk = chunk.decode()?;
        chunks += 1;
        described.offset_indexes += usize::from(chunk.offset_index_offset.is_some());
        described.column_indexes += usize::from(chunk.column_index_offset.is_some());
        described.encoding_stats += usize::from(chunk.meta_data.encoding_stats.is_some());
    }
    Ok((chunks, described))
}
