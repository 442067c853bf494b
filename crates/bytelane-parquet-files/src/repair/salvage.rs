//! Salvages the readable rows of a damaged file.

use super::read_back::{Refused, refused};
use super::through_file;
use super::without_footer::{LeftOut, OFFSETS_COLUMN, restore};
use crate::edits::KeptRows;
use crate::merge::{
    Lost, LostRows, MergeOptions, Merged, Salvage, Scope, Unfinished, columns_of, lost_rows,
    merge_if,
};
use crate::opened::OpenedFile;
use bytelane_parquet::budget::RowLimit;
use bytelane_parquet::caller::Setting;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::file::is_stream;
use bytelane_parquet::input::InputFile;
#[cfg(feature = "clap")]
use bytelane_parquet::options::flags::{self, ArgAction};
use bytelane_parquet::options::roots_of;
use bytelane_parquet::{Error, Problem, Progress, Replace, Result};
use derive_setters::Setters;
use parquet::file::reader::Length;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of times that rows are left out because they cannot be read back.
const ATTEMPTS: usize = 8;

/// Number of rows that are not in the order of the sorting columns from which on the promise is wrong, not the rows.
const UNSORTED: usize = 16;

/// Options for salvaging a file.
///
/// ```
/// use bytelane_parquet_files::repair::SalvageOptions;
///
/// let options = SalvageOptions::default().with_row_limit(1 << 20);
/// ```
#[derive(Clone, Debug, Default, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct SalvageOptions {
    /// Replace existing files, even read-only ones
    #[serde(rename = "force", default = "Replace::unforced")]
    #[cfg_attr(feature = "clap", arg(id = "force", long = "force", action = ArgAction::SetTrue, value_parser = flags::switch::<Replace>()))]
    pub replace: Replace,
    /// Only these columns of the salvaged rows, by their names
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "NAME,..",
            value_delimiter = ',',
            requires = "salvage"
        )
    )]
    pub columns: Option<Vec<String>>,
    /// A file with the same columns, to salvage a file without a footer; each row gets the offset of its page
    #[setters(into)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", requires = "salvage"))]
    pub schema: Option<PathBuf>,
    /// Maximum number of rows of a file to decode; 64 Mi, plus 1 Ki for each byte of the file by default
    #[cfg_attr(feature = "clap", arg(skip))]
    pub row_limit: Option<u64>,
    /// Progress callback: work done and total, in units that differ while pages are read and while rows are written.
    #[serde(skip)]
    #[setters(into)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub progress: Progress,
}

/// Outcome of [`salvage`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Salvaged {
    /// Size of the damaged file in bytes.
    pub bytes_before: u64,
    /// Size of the new file in bytes.
    pub bytes_after: u64,
    /// Number of rows of the damaged file according to its footer; without a footer, those of the row groups that are
    /// certain.
    pub rows_before: u64,
    /// Number of rows that were kept.
    pub rows: u64,
    /// Rows that were lost.
    pub lost: Vec<LostPart>,
    /// Parts of a file without a footer that were left out. Nobody knows how many rows they have.
    pub left_out: Vec<LeftOut>,
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
/// A file without a footer is salvaged if [`with_schema`](SalvageOptions::with_schema) names one with the same columns.
///
/// The new file is read back before it appears under its name, also with the crate `parquet`. A
/// column of a row group that cannot be read is lost, too.
///
/// # Errors
///
/// The footer is damaged, and no schema is given; the file has too many rows; the file cannot be read; the new file cannot be written or read back, or
/// is the damaged file.
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet_files::repair::{SalvageOptions, salvage};
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
    let opened = OpenedFile::read(file.clone());
    let opened = opened.map_err(|error| error.in_file(input));
    match (opened, &options.schema) {
        (Ok(opened), schema) => {
            let checked = opened.check_rows(RowLimit(options.row_limit));
            checked.map_err(|error| error.in_file(input))?;
            let mut salvaged = salvage_with_footer(input, output, options)?;
            if schema.is_some() {
                let note = format!("the footer can be read: {} was not needed", Setting::Schema);
                salvaged.notes.push(note);
            }
            Ok(salvaged)
        }
        (Err(error), Some(schema)) if matches!(error.problem(), Problem::Corrupt(_)) => {
            salvage_without_footer(&file, input, output, schema, options)
        }
        (Err(error), None) if matches!(error.problem(), Problem::Corrupt(_)) => {
            let problem = format!(
                "{}; to salvage a file without a footer, name one with the same columns: {}",
                error.problem(),
                Setting::Schema
            );
            Err(Error::corrupt(problem).in_file(input))
        }
        (Err(error), _) => Err(error),
    }
}

/// Salvages the row groups that are certain although the footer is lost.
fn salvage_without_footer(
    file: &InputFile,
    input: &Path,
    output: &Path,
    schema: &Path,
    options: &SalvageOptions,
) -> Result<Salvaged> {
    let restored = catch_panic(|| restore(file, schema));
    let restored = restored.map_err(|error| error.in_file(input))?;
    let path = restored.file.path();
    if let Some(permissions) = file.permissions()? {
        fs::set_permissions(path, permissions)?;
    }
    let mut options = options.clone();
    options.schema = None;
    if let Some(columns) = &mut options.columns {
        columns.push(OFFSETS_COLUMN.to_owned());
    }
    let rows: u64 = restored
        .rows
        .iter()
        .fold(0, |all, rows| all.saturating_add(*rows));
    let checked =
        RowLimit(options.row_limit).check(i64::try_from(rows).unwrap_or(i64::MAX), file.len());
    checked.map_err(|error| error.in_file(input))?;
    let mut salvaged =
        salvage_with_footer(path, output, &options).map_err(|error| match &error.place().file {
            Some(place) if place == path => error.of_file(input),
            _ => error,
        })?;
    salvaged.bytes_before = file.len();
    salvaged.left_out = restored.left_out;
    let added = |name: &String| name != OFFSETS_COLUMN;
    salvaged.intact_columns.retain(added);
    Ok(salvaged)
}

fn salvage_with_footer(input: &Path, output: &Path, options: &SalvageOptions) -> Result<Salvaged> {
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
        left_out: Vec::new(),
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
    let mut unsorted = Vec::new();
    loop {
        let rows = kept(lost, groups);
        let written = rows.iter().enumerate();
        let written = written.filter(|(_, kept)| kept.len() > 0);
        let written: Vec<usize> = written.map(|(row_group, _)| row_group).collect();
        let salvage = Salvage {
            rows,
            columns: options.columns.clone(),
            unsorted: unsorted.clone(),
        };
        let kept = salvage.rows.clone();
        let options = MergeOptions {
            scope: Scope::Salvage(salvage),
            replace: options.replace,
            progress: options.progress.clone(),
            ..MergeOptions::default()
        };
        let mut bad = Vec::new();
        let merged = merge_if(&[input], output, &options, |unfinished| {
            bad = read_back(unfinished)?;
            match bad.first() {
                None => Ok(()),
                Some(first) => Err(unreadable(first).in_file(input)),
            }
        });
        attempt += 1;
        if bad.is_empty() || attempt == ATTEMPTS {
            return merged;
        }
        let before = (lost.len(), unsorted.len());
        for refused in bad {
            let Some(row_group) = refused.row_group.and_then(|it| written.get(it)) else {
                continue;
            };
            if refused.column.is_none() && refused.rows.len() > UNSORTED {
                unsorted.push(*row_group);
                continue;
            }
            let is_last = attempt + 1 == ATTEMPTS;
            lost.extend(rows_of(&refused, *row_group, &kept, groups, is_last));
        }
        if before == (lost.len(), unsorted.len()) {
            return merged;
        }
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

/// Returns the rows of a row group in the damaged file that cannot be read back: all of them if it is not known which.
fn rows_of(
    refused: &Refused,
    row_group: usize,
    kept: &[Arc<KeptRows>],
    groups: &[u64],
    all: bool,
) -> Vec<LostRows> {
    let wrong = refused.rows.iter();
    let wrong = wrong.flat_map(|wrong| kept[row_group].within(wrong));
    let mut rows: Vec<Range<u64>> = wrong.collect();
    if rows.is_empty() || all {
        rows.clear();
        rows.push(0..groups[row_group]);
    }
    let lost = rows.into_iter().map(|rows| LostRows {
        row_group,
        column: refused.column.clone().unwrap_or_default(),
        lost: Lost {
            rows,
            why: refused.problem.clone(),
        },
    });
    lost.collect()
}

/// Returns the columns that have lost no rows, if others have.
fn intact(input: &Path, options: &SalvageOptions, lost: &[LostRows]) -> Result<Vec<String>> {
    if lost.is_empty() || lost.iter().any(|it| it.column.is_empty()) {
        return Ok(Vec::new());
    }
    let mut columns = columns_of(input, options.columns.as_deref())?;
    let damaged: HashSet<&str> = lost.iter().map(|it| it.column.as_str()).collect();
    let damaged: HashSet<&str> = damaged.into_iter().flat_map(roots_of).collect();
    columns.retain(|name| !damaged.contains(name.as_str()));
    Ok(columns)
}

fn is_same(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().ok();
    canonical(one).is_some_and(|one| canonical(other) == Some(one))
}

/// Returns the rows of each row group that no column has lost.
fn kept(lost: &[LostRows], groups: &[u64]) -> Vec<Arc<KeptRows>> {
    let mut of_groups = vec![Vec::new(); groups.len()];
    for it in lost {
        if let Some(own) = of_groups.get_mut(it.row_group) {
            own.push(it.lost.rows.clone());
        }
    }
    let kept = groups.iter().zip(of_groups).map(|(rows, mut lost)| {
        lost.sort_unstable_by_key(|range| range.start);
        let (mut kept, mut row) = (Vec::new(), 0);
        for range in lost {
            kept.push(row..range.start.max(row));
            row = row.max(range.end);
        }
        kept.push(row..*rows);
        Arc::new(KeptRows::new(kept))
    });
    kept.collect()
}
