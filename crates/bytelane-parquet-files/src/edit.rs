//! Deletes rows, and renames, drops, orders, adds and promotes columns, without decoding what stays.
//!
//! A file is edited like a merge of one input: row groups stay, pages that keep all of their rows are copied byte for byte, and pages that
//! lose some are cut.

use crate::edits::Edits;
use crate::merge::{MergeOptions, Merged, MergedColumn, Scope, merge};
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::options::deserialize_size;
#[cfg(feature = "clap")]
use bytelane_parquet::options::flags::{self, ArgAction};
use bytelane_parquet::{Problem, Progress, Replace, Result};
use derive_setters::Setters;
use serde::{Deserialize, Serialize};
use std::num::NonZero;
use std::path::Path;

/// Options for editing a file.
///
/// ```
/// use bytelane_parquet_files::edit::EditOptions;
/// use bytelane_parquet_files::edits::Edits;
///
/// let edits = Edits::default().with_delete_where("user_id = 17".parse()?);
/// let options = EditOptions::default().with_edits(edits).with_verify(true);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, Debug, Default, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct EditOptions {
    /// Changes of rows and columns.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub edits: Edits,
    /// Programs that must be able to read columns that are encoded again, optionally with the oldest version in use; any: no restriction
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME[>=VERSION],..", default_value_t)
    )]
    pub readers: Readers,
    /// Compare every value with those of the old file before the new one appears under its name
    #[cfg_attr(feature = "clap", arg(long))]
    pub verify: bool,
    /// Threads that work at the same time; the output is the same for any number [default: all cores]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub threads: Option<NonZero<usize>>,
    /// Maximum memory for a column of a row group that is encoded again, or for a page, as in 4GiB [default: 128MiB and 1024 times its size in the file]
    #[serde(deserialize_with = "deserialize_size")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = bytelane_parquet::parse_size))]
    pub memory_limit: Option<u64>,
    /// Maximum number of rows of a file to delete rows from; 64 Mi, plus 1 Ki for each byte of the file by default
    #[cfg_attr(feature = "clap", arg(long, value_name = "ROWS"))]
    pub row_limit: Option<u64>,
    /// Replace existing files, even read-only ones
    #[serde(rename = "force", default = "Replace::unforced")]
    #[cfg_attr(feature = "clap", arg(id = "force", long = "force", action = ArgAction::SetTrue, value_parser = flags::switch::<Replace>()))]
    pub replace: Replace,
    /// Progress callback: bytes of chunks done and total.
    #[serde(skip)]
    #[setters(into)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub progress: Progress,
}

/// Outcome of [`edit`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Edited {
    /// Size of the old file in bytes.
    pub bytes_before: u64,
    /// Size of the new file in bytes.
    pub bytes_after: u64,
    /// Number of rows of the new file.
    pub rows: u64,
    /// Number of rows that were deleted.
    pub deleted_rows: u64,
    /// Number of row groups of the old file.
    pub row_groups_before: usize,
    /// Number of row groups of the new file: those that have lost all rows are left out.
    pub row_groups_after: usize,
    /// Set if all values were compared.
    pub verified: bool,
    /// Outcome for the columns of the new file.
    pub columns: Vec<MergedColumn>,
    /// Parts that could not be kept: one sentence each.
    pub notes: Vec<String>,
}

/// Copies a file with [changes](Edits) of its rows and columns.
///
/// Only pages that lose rows are decoded; all others are copied byte for byte. Columns that get another type are
/// encoded again. Row groups stay, unless they lose all rows. Bounds of chunks and pages become those of the values that are left;
/// Bloom filters keep deleted values unless they are [scrubbed](Edits::with_scrub). Page indexes, counts, sorting
/// columns, the schemas of Arrow, pandas and GeoParquet and field ids change with the rows and columns.
///
/// The output appears under its name once it is complete and on disk; it may be the input.
///
/// # Errors
///
/// There are no changes, a column does not exist, its type does not hold its values, or the same errors as those of [`merge`].
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet_files::edit::{EditOptions, edit};
/// use bytelane_parquet_files::edits::Edits;
///
/// let edits = Edits::default().with_delete_where("user_id = 17".parse()?);
/// let edited = edit("events.parquet", "events.parquet", &EditOptions::default().with_edits(edits))?;
/// println!("{} rows deleted", edited.deleted_rows);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn edit(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    options: &EditOptions,
) -> Result<Edited> {
    if options.edits.is_empty() {
        let problem = "nothing is changed; name rows to delete, or columns to change";
        return Err(Problem::Option(problem.to_owned()).into());
    }
    let merging = MergeOptions {
        edits: options.edits.clone(),
        readers: options.readers.clone(),
        verify: options.verify,
        threads: options.threads,
        memory_limit: options.memory_limit,
        row_limit: options.row_limit,
        replace: options.replace,
        progress: options.progress.clone(),
        scope: Scope::Edit,
        ..MergeOptions::default()
    };
    let Merged {
        bytes_before,
        bytes_after,
        rows,
        deleted_rows,
        row_groups_before,
        row_groups_after,
        verified,
        columns,
        notes,
        ..
    } = merge(&[input.as_ref()], output, &merging)?;
    Ok(Edited {
        bytes_before,
        bytes_after,
        rows,
        deleted_rows,
        row_groups_before,
        row_groups_after,
        verified,
        columns,
        notes,
    })
}
