//! Salvages the readable rows of a damaged file.

use crate::input::InputFile;
use crate::merge::{LostRows, MergeOptions, lost_rows, merge};
use crate::progress::Progress;
use crate::{Error, Problem, Replace, Result};
use parquet::file::reader::Length;
use serde::Serialize;
use std::fmt;
use std::ops::{ControlFlow, Range};
use std::path::Path;

/// Options for salvaging a file.
///
/// ```
/// use bytelane_parquet::repair::SalvageOptions;
///
/// let options = SalvageOptions::default().with_force(true);
/// ```
#[derive(Clone, Default)]
pub struct SalvageOptions {
    replace: Replace,
    progress: Progress,
}

impl SalvageOptions {
    /// Sets whether to replace a file, even a read-only one; without it, existing files are replaced unless they are
    /// read-only.
    #[must_use]
    pub fn with_force(self, force: bool) -> Self {
        self.with_replace(if force {
            Replace::All
        } else {
            Replace::Writable
        })
    }

    /// Sets which existing files may be replaced.
    #[must_use]
    pub fn with_replace(mut self, replace: Replace) -> Self {
        self.replace = replace;
        self
    }

    /// Sets a progress callback: work done and total, in units that differ while pages are read and while rows
    /// are written. Return `Break` to cancel with [`Problem::Cancelled`].
    #[must_use]
    pub fn with_progress(
        mut self,
        progress: impl Fn(u64, u64) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        self.progress = Progress::new(progress);
        self
    }
}

impl fmt::Debug for SalvageOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SalvageOptions")
            .field("replace", &self.replace)
            .finish_non_exhaustive()
    }
}

/// Outcome of [`salvage`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Salvaged {
    /// Size of the damaged file in bytes.
    pub bytes_before: u64,
    /// Size of the new file in bytes.
    pub bytes_after: u64,
    /// Number of rows of the damaged file according to its footer.
    pub rows_before: u64,
    /// Number of rows that were kept.
    pub rows: u64,
    /// Rows that were lost.
    pub lost: Vec<LostPart>,
    /// Parts that could not be kept: one sentence each.
    pub notes: Vec<String>,
}

/// Rows of a damaged page. Some of them may be lost in other columns, too.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LostPart {
    /// Number of the row group in the damaged file, counted from 0.
    pub row_group: usize,
    /// First row in the row group, counted from 0.
    pub first_row: u64,
    /// Number of rows.
    pub rows: u64,
    /// Path of the column whose page is damaged.
    pub column: String,
    /// Description of the problem.
    pub problem: String,
}

/// Copies the rows of a damaged file whose pages are intact in all columns to a new file.
///
/// All pages are decoded. Pages with a wrong checksum, a damaged header or undecodable values are
/// left out, together with their rows. Intact pages are copied byte for byte; if another column has
/// lost some rows of a page, its other rows are re-encoded. With an offset index, a damaged header
/// costs one page; without one, the rest of the chunk is lost.
///
/// # Errors
///
/// The footer is damaged; the file cannot be read; the new file cannot be written, or is the
/// damaged file.
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet::repair::{SalvageOptions, salvage};
///
/// let salvaged = salvage("damaged.parquet", "salvaged.parquet", &SalvageOptions::default())?;
/// println!("{} of {} rows", salvaged.rows, salvaged.rows_before);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn salvage(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    options: &SalvageOptions,
) -> Result<Salvaged> {
    let (input, output) = (input.as_ref(), output.as_ref());
    if is_same(input, output) {
        let problem = "the salvaged rows would replace the damaged file; name another one";
        return Err(Error::new(Problem::Option(problem.to_owned())).in_file(output));
    }
    let file = InputFile::open(input).map_err(|error| error.in_file(input))?;
    let (lost, groups) = lost_rows(input, &options.progress)?;
    let kept = kept(&lost, &groups);
    let options = MergeOptions::default()
        .with_salvage(kept)
        .with_replace(options.replace)
        .with_own_progress(options.progress.clone());
    let merged = merge(&[input], output, &options)?;
    let lost = lost.into_iter().map(|it| LostPart {
        row_group: it.row_group,
        first_row: it.lost.rows.start,
        rows: it.lost.rows.end - it.lost.rows.start,
        column: it.column,
        problem: it.lost.why,
    });
    Ok(Salvaged {
        bytes_before: file.len(),
        bytes_after: merged.bytes_after,
        rows_before: groups.iter().sum(),
        rows: merged.rows,
        lost: lost.collect(),
        notes: merged.notes,
    })
}

fn is_same(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    canonical(one).is_some_and(|one| canonical(other) == Some(one))
}

/// Returns the rows of each row group that no column has lost.
fn kept(lost: &[LostRows], groups: &[u64]) -> Vec<(usize, Range<u64>)> {
    let mut kept = Vec::new();
    for (index, rows) in groups.iter().enumerate() {
        let own = lost.iter().filter(|it| it.row_group == index);
        let mut ranges: Vec<Range<u64>> = own.map(|it| it.lost.rows.clone()).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        let mut row = 0;
        for range in ranges {
            kept.push((index, row..range.start.max(row)));
            row = row.max(range.end);
        }
        kept.push((index, row..*rows));
    }
    kept.retain(|(_, rows)| rows.start < rows.end);
    kept
}
