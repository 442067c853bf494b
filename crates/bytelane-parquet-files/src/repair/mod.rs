//! Adds indexes and counts that the writers of files left out.
//!
//! Each row group becomes a row group of the new file, like in a merge with no other input: pages
//! are copied byte for byte, and their metadata in the footer and indexes is rebuilt from page
//! headers.

mod read_back;
mod salvage;
mod without_footer;

pub use salvage::{LostPart, SalvageOptions, Salvaged, salvage};
pub use without_footer::LeftOut;

use crate::merge::{MergeOptions, Repair, Scope, merge};
use crate::opened::OpenedFile;
use bytelane_parquet::file::{Output, is_stream};
use bytelane_parquet::format::FileMetaData;
#[cfg(feature = "clap")]
use bytelane_parquet::options::flags::{self, ArgAction};
use bytelane_parquet::{Error, Problem, Progress, Replace, Result};
use derive_setters::Setters;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::path::Path;

/// Options for repairing a file.
///
/// ```
/// use bytelane_parquet_files::repair::RepairOptions;
///
/// let options = RepairOptions::default().with_verify(true);
/// ```
#[derive(Clone, Debug, Default, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct RepairOptions {
    /// Column to add a Bloom filter to, as in place.city; there may be several
    #[cfg_attr(feature = "clap", arg(long = "bloom-filter", value_name = "COLUMN"))]
    pub bloom_filters: Vec<String>,
    /// Compare every value with the old file before the new one appears under its name
    #[cfg_attr(feature = "clap", arg(long))]
    pub verify: bool,
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

/// Outcome of [`repair`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Repaired {
    /// Size of the old file in bytes.
    pub bytes_before: u64,
    /// Size of the new file in bytes.
    pub bytes_after: u64,
    /// Number of column chunks.
    pub chunks: usize,
    /// Number of chunks in the old file with each kind of metadata.
    pub before: Described,
    /// Number of chunks in the new file with each kind of metadata.
    pub after: Described,
    /// Set if all values were compared.
    pub verified: bool,
    /// Parts that could not be kept: one sentence each.
    pub notes: Vec<String>,
}

/// Number of chunks with each kind of metadata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Described {
    /// Number of chunks with an offset index.
    pub offset_indexes: usize,
    /// Number of chunks with a column index.
    pub column_indexes: usize,
    /// Number of chunks with page counts per encoding.
    pub encoding_stats: usize,
    /// Number of chunks with NaN counts.
    pub nan_counts: usize,
    /// Number of chunks with a Bloom filter.
    pub bloom_filters: usize,
}

/// Rewrites a file with offset and column indexes, `encoding_stats` and sizes derived from its
/// pages, which are copied byte for byte.
///
/// A column index requires bounds for each page: from the old index, from page headers, or from the
/// chunk if it has one page. Indexes that contradict the pages are removed or rebuilt. Key-value
/// pairs, statistics, Bloom filters and sorting columns are kept. NaN is counted in columns of
/// floats, whose pages are decoded for this purpose. `created_by` is kept, too: readers use it to
/// decide which statistics to trust, and the statistics still come from the program that it names.
///
/// # Errors
///
/// Same errors as [`merge`].
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet_files::repair::{RepairOptions, repair};
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
    if is_stream(output) {
        return through_file(output, options.replace, |file| repair(input, file, options));
    }
    let before = described(input)?;
    check_columns(input, &options.bloom_filters)?;
    let bloom_filters = options.bloom_filters.clone();
    let options = MergeOptions {
        scope: Scope::Repair(Repair { bloom_filters }),
        verify: options.verify,
        replace: options.replace,
        progress: options.progress.clone(),
        ..MergeOptions::default()
    };
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

/// Writes a file for a device or a pipe, which cannot be read back, and copies it there.
fn through_file<T>(
    output: &Path,
    replace: Replace,
    write: impl FnOnce(&Path) -> Result<T>,
) -> Result<T> {
    let directory = tempfile::Builder::new().prefix(".bytelane-").tempdir()?;
    let file = directory.path().join("output.parquet");
    let written = write(&file)?;
    let copied = Output::begin(output, None, replace, &[]).and_then(|stream| {
        io::copy(&mut File::open(&file)?, &mut stream.file())?;
        stream.finish()
    });
    copied.map_err(|error| error.in_file(output))?;
    Ok(written)
}

/// Returns an error if a file lacks one of the columns.
fn check_columns(path: &Path, columns: &[String]) -> Result<()> {
    if columns.is_empty() {
        return Ok(());
    }
    let schema = OpenedFile::open(path)?.schema();
    let schema = schema.map_err(|error| error.in_file(path))?;
    let paths: Vec<String> = schema
        .columns()
        .iter()
        .map(|it| it.path().string())
        .collect();
    match columns.iter().find(|it| !paths.contains(it)) {
        None => Ok(()),
        Some(column) => {
            let problem = format!(
                "there is no column {column} to add a Bloom filter to; the columns are {}",
                paths.join(", ")
            );
            Err(Error::new(Problem::Option(problem)).in_file(path))
        }
    }
}

/// Returns the number of chunks of a file, and of those with each kind of metadata.
fn described(path: &Path) -> Result<(usize, Described)> {
    let file = OpenedFile::open(path)?;
    count(&file.footer).map_err(|error| error.in_file(path))
}

fn count(footer: &FileMetaData) -> Result<(usize, Described)> {
    let mut described = Described::default();
    let mut chunks = 0;
    for chunk in footer.row_groups.iter().flat_map(|it| &it.columns) {
        let chunk = chunk.decode()?;
        chunks += 1;
        described.offset_indexes += usize::from(chunk.offset_index_offset.is_some());
        described.column_indexes += usize::from(chunk.column_index_offset.is_some());
        let statistics = chunk.meta_data.statistics.as_ref();
        let statistics = statistics.map(|it| it.decode()).transpose()?;
        let nans = statistics.and_then(|it| it.nan_count);
        described.nan_counts += usize::from(nans.is_some());
        described.bloom_filters += usize::from(chunk.meta_data.bloom_filter_offset.is_some());
        described.encoding_stats += usize::from(chunk.meta_data.encoding_stats.is_some());
    }
    Ok((chunks, described))
}
