//! Checks that files are valid and consistent.
//!
//! The footer, page headers, checksums and indexes are compared with each other, and optionally
//! with the values.

mod chunk;
pub(crate) mod claims;
mod dictionaries;
mod footer;
mod geo;
mod index;
mod outcome;
mod sorting;
mod values;

pub use outcome::{Checked, CheckedOrder, Finding, Severity};

use crate::opened::OpenedFile;
use crate::rewrite::source::Source;
use bytelane_parquet::budget::{DecodedRows, MemoryLimit, RowLimit};
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::input::InputFile;
use bytelane_parquet::options::deserialize_size;
use bytelane_parquet::stack::with_stack;
use bytelane_parquet::{Error, Progress, Result};
use derive_setters::Setters;
use outcome::Findings;
use parquet::file::reader::Length;
use serde::Deserialize;
use std::path::Path;

/// Options for checking a file.
///
/// Values are compared with statistics, indexes, Bloom filters, the order of sorting columns, boxes of geometries and UTF-8.
/// The memory of values and pages is limited like that of a reader, by
/// [`ReaderBuilder::with_memory_limit`](bytelane_parquet::ReaderBuilder::with_memory_limit). If a file has more rows than the limit, its
/// values are not checked.
///
/// ```
/// use bytelane_parquet_files::check::CheckOptions;
///
/// let options = CheckOptions::default().with_values(true);
/// ```
#[derive(Clone, Debug, Default, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct CheckOptions {
    /// Decode all values, and compare them with statistics, indexes, filters and the sort order
    #[cfg_attr(feature = "clap", arg(long))]
    pub values: bool,
    /// Maximum memory for pages and values, as in 4GiB
    #[serde(deserialize_with = "deserialize_size")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = bytelane_parquet::parse_size))]
    pub memory_limit: Option<u64>,
    /// Maximum number of rows of a file to decode; 64 Mi, plus 1 Ki for each byte of the file by default
    #[cfg_attr(feature = "clap", arg(long, value_name = "ROWS"))]
    pub row_limit: Option<u64>,
    /// Progress callback: bytes of chunks checked and total, called before each chunk, and, if values are decoded, before each column.
    #[serde(skip)]
    #[setters(into)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub progress: Progress,
}

impl CheckOptions {
    /// Reports that chunks with this many bytes were checked. Their values come afterwards.
    fn report(&self, done: u64, bytes: u64) -> Result<()> {
        let total = if self.values { 2 * bytes } else { bytes };
        self.progress.report(done.min(bytes), total)
    }

    /// Reports that the values of a part of the row groups were checked.
    fn report_values(&self, done: f64, bytes: u64) -> Result<()> {
        let values = done * bytes as f64;
        self.progress.report(bytes + values as u64, 2 * bytes)
    }
}

/// Checks a file: its structure, sizes, checksums and indexes, and its values if the options ask for them.
///
/// Faults in the file are not errors: each is reported as a [`Finding`]. Damage hides whatever
/// follows it: if the footer cannot be read, that is the only finding.
///
/// # Errors
///
/// The file cannot be opened or read.
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet_files::check::{CheckOptions, check};
///
/// let checked = check("weather.parquet", &CheckOptions::default().with_values(true))?;
/// for finding in &checked.findings {
///     println!("{finding}");
/// }
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn check(path: impl AsRef<Path>, options: &CheckOptions) -> Result<Checked> {
    let path = path.as_ref();
    let located = |error: Error| error.in_file(path);
    let file = InputFile::open(path).map_err(located)?;
    let mut checked = Checked {
        bytes: file.len(),
        values: options.values,
        ..Checked::default()
    };
    let mut findings = Findings::new(path);
    let file = match OpenedFile::read(file) {
        Ok(file) => file,
        Err(error) => {
            findings.add_error(error)?;
            return Ok(checked.finish(findings));
        }
    };
    checked.rows = u64::try_from(file.footer.num_rows).unwrap_or(0);
    checked.row_groups = file.footer.row_groups.len();
    let all = with_stack(file.depth, || check_file(&file, options, &mut findings));
    checked.pages = all.map_err(located)?;
    Ok(checked.finish(findings))
}

/// Checks that the rows of each row group are sorted by its sorting columns. Reads only these columns, and stops at the
/// first row group whose rows are not.
///
/// # Errors
///
/// The file cannot be read, is not a Parquet file, or a sorting column is damaged.
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet_files::check::check_order;
///
/// let checked = check_order("weather.parquet")?;
/// assert!(checked.findings.is_empty(), "it is not sorted by {:?}", checked.promised);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn check_order(path: impl AsRef<Path>) -> Result<CheckedOrder> {
    let path = path.as_ref();
    let file = OpenedFile::open(path)?;
    let checked = with_stack(file.depth, || catch_panic(|| check_order_of(file, path)));
    checked.map_err(|error| error.in_file(path))
}

/// Returns the rows of a row group that belong before the one before them, according to its sorting columns.
pub(crate) fn unsorted_rows(path: &Path, row_group: usize) -> Result<Vec<usize>> {
    let file = OpenedFile::open(path)?;
    file.check_rows(RowLimit::default())?;
    let source = Source::new(file)?;
    catch_panic(|| sorting::unsorted(&source, row_group, MemoryLimit::default()))
}

fn check_order_of(file: OpenedFile, path: &Path) -> Result<CheckedOrder> {
    file.check_rows(RowLimit::default())?;
    let mut checked = CheckedOrder {
        bytes: file.reader.len(),
        ..CheckedOrder::default()
    };
    let source = Source::new(file)?;
    for index in 0..source.row_groups() {
        if checked.promised.is_empty() {
            checked.promised = sorting::promised(&source, index)?;
        }
        let mut findings = Findings::new(path);
        findings.enter_row_group(index);
        sorting::check(&source, index, MemoryLimit::default(), &mut findings)?;
        checked.findings = findings.finish();
        if !checked.findings.is_empty() {
            break;
        }
    }
    Ok(checked)
}

/// Checks all parts of a file; returns the number of pages.
fn check_file(file: &OpenedFile, options: &CheckOptions, findings: &mut Findings) -> Result<u64> {
    footer::check(file, findings)?;
    let schema = match file.schema() {
        Ok(schema) => schema,
        Err(error) => {
            findings.add_error(error)?;
            return Ok(0);
        }
    };
    let (footer, bytes) = (&file.footer, file.reader.len());
    let geo = geo::check(footer, &schema, findings);
    let (mut pages, mut done) = (0, 0);
    let mut ranges = Vec::new();
    let mut are_sound = Vec::new();
    for (index, row_group) in footer.row_groups.iter().enumerate() {
        findings.enter_row_group(index);
        let (mut sound, mut chunks) = (true, Vec::new());
        if row_group.columns.len() != schema.num_columns() {
            let (columns, leaves) = (row_group.columns.len(), schema.num_columns());
            findings.error(format!(
                "the footer describes {columns} columns, but the schema has {leaves}"
            ));
            sound = false;
        }
        for (leaf, (chunk, column)) in row_group.columns.iter().zip(schema.columns()).enumerate() {
            findings.enter_column(column.path().string());
            let order = footer.column_orders.as_ref().and_then(|it| it.get(leaf));
            let before = findings.count();
            options.report(done, bytes)?;
            let found = catch_panic(|| {
                chunk::check(
                    &file.reader,
                    &chunk.decode()?,
                    column,
                    row_group.num_rows,
                    order,
                    findings,
                )
            });
            match found {
                Ok(found) => {
                    pages += found.pages;
                    done += found.range.end - found.range.start;
                    ranges.push((found.range.clone(), index, column.path().string()));
                    chunks.push(found);
                }
                Err(error) => findings.add_error(error)?,
            }
            sound &= findings.count() == before;
        }
        findings.leave_column();
        footer::check_row_group(footer, index, &chunks, findings);
        are_sound.push(sound);
    }
    findings.leave_row_group();
    footer::check_overlaps(ranges, findings);
    if options.values {
        let (columns, memory) = (schema.columns(), MemoryLimit(options.memory_limit));
        dictionaries::check(file, columns, memory, findings);
    }
    if options.values && checked_values(file, options, &are_sound, &geo, findings)? {
        findings.leave_row_group();
    }
    Ok(pages)
}

/// Checks the values of row groups. Damaged row groups are decoded as far as possible.
fn checked_values(
    file: &OpenedFile,
    options: &CheckOptions,
    are_sound: &[bool],
    geo: &geo::Described,
    findings: &mut Findings,
) -> Result<bool> {
    let limit = RowLimit(options.row_limit);
    let counted = file.check_rows(limit);
    let source = match counted.and_then(|()| Source::new(file.clone())) {
        Ok(source) => source,
        Err(error) => {
            findings.add_error(error)?;
            return Ok(false);
        }
    };
    let bytes = file.reader.len();
    let decoded = || DecodedRows::new(limit, bytes);
    let mut decoded: Vec<_> = source.roots.iter().map(|_| decoded()).collect();
    for index in 0..are_sound.len() {
        findings.enter_row_group(index);
        let done = index as f64 / are_sound.len() as f64;
        let report = || options.report_values(done, bytes);
        let memory = MemoryLimit(options.memory_limit);
        let checked = catch_panic(|| {
            values::check(&source, index, geo, memory, &mut decoded, findings, &report)
        });
        if let Err(error) = checked {
            findings.add_error(error)?;
        }
        findings.leave_column();
        let checked = catch_panic(|| {
            sorting::check(&source, index, MemoryLimit(options.memory_limit), findings)
        });
        if let Err(error) = checked {
            findings.add_error(error)?;
        }
    }
    Ok(true)
}
