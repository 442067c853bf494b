//! Salvages the readable rows of a damaged file.

use super::read_back::{Refused, refused};
use super::through_file;
use crate::file::is_stream;
use crate::input::InputFile;
use crate::merge::{
    Lost, LostRows, MergeOptions, Merged, Salvage, Unfinished, columns_of, is_within, lost_rows,
    merge_if,
};
use crate::progress::Progress;
use crate::{Error, Problem, Replace, Result};
use parquet::file::reader::Length;
use serde::Serialize;
use std::fmt;
use std::ops::{ControlFlow, Range};
use std::path::Path;

/// Maximum number of times that rows are left out because they cannot be read back.
const ATTEMPTS: usize = 8;

/// Options for salvaging a file.
///
/// ```
/// use bytelane_parquet::repair::SalvageOptions;
///
/// let options = SalvageOptions::default().with_columns(["id", "price"]);
/// ```
#[derive(Clone, Default)]
pub struct SalvageOptions {
    columns: Option<Vec<String>>,
    replace: Replace,
    progress: Progress,
}

impl SalvageOptions {
    /// Keeps only these columns, by their names. Rows that only other columns have lost are kept. A
    /// path such as `place.city` keeps all of the column `place`.
    #[must_use]
    pub fn with_columns(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Sets whether to replace a file, even a read-only one; without it, existing files are replaced unless they are
    /// read-only.
    #[must_use]
    pub fn with_force(self, force: bool) -> Self {
        self.with_replace(Replace::forced_or(force, Replace::Writable))
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
            .field("columns", &self.columns)
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
    /// Columns that have lost no rows, if others have. Salvaging only these keeps all of their rows.
    pub intact_columns: Vec<String>,
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
/// All pages are decoded, and their values are compared with the statistics of the page and its
/// chunk, like [`check`](crate::check::check) does. Pages with a wrong checksum, a damaged header,
/// undecodable values or values that contradict the statistics are left out, together with their
/// rows. Intact pages are copied byte for byte; if another column has lost some rows of a page, its
/// other rows are re-encoded. With an offset index, a damaged header costs one page; without one,
/// the rest of the chunk is lost.
///
/// The new file is read back before it appears under its name, also with the crate `parquet`. A
/// column of a row group that cannot be read is lost, too.
///
/// # Errors
///
/// The footer is damaged; the file cannot be read; the new file cannot be written or read back, or
/// is the damaged file.
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
    let (mut lost, groups) = lost_rows(input, options.columns.as_deref(), &options.progress)?;
    let mut write_to = |output: &Path| write(input, output, options, &mut lost, &groups);
    let merged = if is_stream(output) {
        through_file(output, options.replace, write_to)?
    } else {
        write_to(output)?
    };
    let intact_columns = intact(input, options, &lost)?;
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
        rows_before: groups.iter().copied().fold(0, u64::saturating_add),
        rows: merged.rows,
        lost: lost.collect(),
        intact_columns,
        notes: merged.notes,
    })
}

/// Writes all rows that are not lost. Rows that cannot be read back are added to those that are lost.
fn write(
    input: &Path,
    output: &Path,
    options: &SalvageOptions,
    lost: &mut Vec<LostRows>,
    groups: &[u64],
) -> Result<Merged> {
    let mut attempt = 0;
    loop {
        let rows = kept(lost, groups);
        let mut written: Vec<usize> = rows.iter().map(|(row_group, _)| *row_group).collect();
        written.dedup();
        let salvage = Salvage {
            rows,
            columns: options.columns.clone(),
        };
        let options = MergeOptions::default()
            .with_salvage(salvage)
            .with_replace(options.replace)
            .with_own_progress(options.progress.clone());
        let mut bad = Vec::new();
        let merged = merge_if(&[input], output, &options, |unfinished| {
            bad = read_back(unfinished)?;
            match bad.first() {
                None => Ok(()),
                Some(first) => Err(unreadable(first).in_file(input)),
            }
        });
        attempt += 1;
        let dropped = bad.iter().filter_map(|it| whole(it, &written, groups));
        let dropped: Vec<LostRows> = dropped.collect();
        if dropped.is_empty() || attempt == ATTEMPTS {
            return merged;
        }
        lost.extend(dropped);
    }
}

fn read_back(unfinished: &Unfinished) -> Result<Vec<Refused>> {
    match unfinished.as_deref() {
        Some([path]) => refused(path),
        _ => {
            let problem = "a device or a pipe cannot be read back; write a file";
            Err(Problem::Option(problem.to_owned()).into())
        }
    }
}

fn unreadable(refused: &Refused) -> Error {
    let problem = format!("its rows cannot be salvaged: {}", refused.problem);
    let mut error = Error::corrupt(problem);
    if let Some(row_group) = refused.row_group {
        error = error.in_row_group(row_group);
    }
    match &refused.column {
        Some(column) => error.in_column(column),
        None => error,
    }
}

/// Returns all rows of the row group of a part that cannot be read back.
fn whole(refused: &Refused, written: &[usize], groups: &[u64]) -> Option<LostRows> {
    let row_group = *written.get(refused.row_group?)?;
    Some(LostRows {
        row_group,
        column: refused.column.clone().unwrap_or_default(),
        lost: Lost {
            rows: 0..groups[row_group],
            why: refused.problem.clone(),
        },
    })
}

/// Returns the columns that have lost no rows, if others have.
fn intact(input: &Path, options: &SalvageOptions, lost: &[LostRows]) -> Result<Vec<String>> {
    if lost.is_empty() || lost.iter().any(|it| it.column.is_empty()) {
        return Ok(Vec::new());
    }
    let mut columns = columns_of(input, options.columns.as_deref())?;
    columns.retain(|name| !lost.iter().any(|it| is_within(&it.column, name)));
    Ok(columns)
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
