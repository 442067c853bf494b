//! Compares the rows of files.
//!
//! The Arrow types of columns are compared as readers see them. Where they mean the same, stored values are compared bit for
//! bit, so encodings, compression, row groups, the order of columns and file boundaries are ignored; where they differ,
//! values are converted to a type that holds those of both. In order, batches of both sides are compared as arrays.
//! In any order, each row is hashed, and the sums of hashes are compared; if they differ, rows are
//! looked up in a second pass.

mod any_order;
mod convert;
mod files;
mod fingerprint;
mod hash;
mod in_order;
mod meaning;
mod normal;
mod outcome;

pub use fingerprint::{Fingerprint, fingerprint};
pub use outcome::{Difference, DifferentRow, DifferentValue, RowPlace};

use crate::budget::RowLimit;
use crate::catch_panic::catch_panic;
use crate::table::TableFile;
use crate::{Problem, Progress, Result};
use arrow_schema::DataType;
use derive_setters::Setters;
use files::{Columns, Files};
use meaning::Common;
use serde::Deserialize;
use std::collections::HashSet;
use std::path::Path;

/// Default number of differing rows to name.
const NAMED: usize = 10;

/// Options for comparing rows.
///
/// In any order, rows are compared by 128-bit hashes, which do not protect against deliberate collisions. An ordered comparison
/// ends after the number of rows to name.
///
/// ```
/// use bytelane_parquet::diff::DiffOptions;
///
/// let options = DiffOptions::default().with_any_order(true).with_rows(3);
/// ```
#[derive(Clone, Debug, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct DiffOptions {
    /// Ignore the order of rows: both sides must have each row the same number of times
    #[cfg_attr(feature = "clap", arg(long))]
    pub any_order: bool,
    /// The number of different rows to name
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = NAMED, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..)))]
    pub rows: usize,
    /// Maximum number of rows of a file to decode; 64 Mi, plus 1 Ki for each byte of the file by default
    #[cfg_attr(feature = "clap", arg(long, value_name = "ROWS"))]
    pub row_limit: Option<u64>,
    /// Set if the files on the right were merged of those on the left: a column that a file lacks is null there, columns with
    /// the null type may have any type in other files, and the types on the right may hold more values, such as those of a finer
    /// unit.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub missing_as_null: bool,
    /// Progress callback: rows read so far, and their total according to the footers, which grows if rows that differ have to be looked up.
    #[serde(skip)]
    #[setters(into)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub progress: Progress,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self {
            any_order: false,
            rows: NAMED,
            row_limit: None,
            missing_as_null: false,
            progress: Progress::default(),
        }
    }
}

impl DiffOptions {
    /// Returns the number of rows to name.
    fn named(&self) -> usize {
        self.rows.max(1)
    }

    fn row_limit(&self) -> RowLimit {
        RowLimit(self.row_limit)
    }

    fn report(&self, rows: u64, total: u64) -> Result<()> {
        self.progress.report(rows, total)
    }
}

/// Compares the rows of the files on the left with those on the right. The files of each side are
/// read in order.
///
/// Columns are matched by name. If their Arrow types differ in meaning, the difference says so, and values are compared
/// in a type that holds those of both; without one, no rows are compared. Columns may be required in one file and optional
/// in another. NaN equals NaN with the same bits, and -0.0 does not equal 0.0. One
/// batch of each side is in memory at a time.
///
/// # Errors
///
/// A file cannot be read, is not a Parquet file, is encrypted or damaged; a side has no files.
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet::diff::{DiffOptions, diff};
///
/// let difference = diff(&["a.parquet", "b.parquet"], &["merged.parquet"], &DiffOptions::default())?;
/// assert!(difference.is_none(), "{difference:?}");
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn diff(
    left: &[impl AsRef<Path>],
    right: &[impl AsRef<Path>],
    options: &DiffOptions,
) -> Result<Difference> {
    let left: Vec<TableFile> = left.iter().map(|it| TableFile::new(it.as_ref())).collect();
    let right: Vec<TableFile> = right.iter().map(|it| TableFile::new(it.as_ref())).collect();
    diff_tables(&left, &right, options)
}

/// Compares rows like [`diff`], with the columns in the names of directories, which a side that is a single file may have as columns of
/// the file.
///
/// # Errors
///
/// Same errors as [`diff`], and a column of a file contradicts that of its directory.
pub fn diff_tables(
    left: &[TableFile],
    right: &[TableFile],
    options: &DiffOptions,
) -> Result<Difference> {
    let (Some(first), false) = (left.first(), right.is_empty()) else {
        return Err(Problem::Option("name a file on each side to compare".to_owned()).into());
    };
    let first = first.path.as_path();
    let paths = left.iter().chain(right).map(|file| file.path.as_path());
    let paths: Vec<&Path> = paths.collect();
    let files = left.iter().chain(right).map(files::columns);
    let files = files.collect::<Result<Vec<(Columns, u64)>>>()?;
    let (files, rows): (Vec<Columns>, Vec<u64>) = files.into_iter().unzip();
    let sum = |rows: &[u64]| rows.iter().copied().fold(0, u64::saturating_add);
    let totals = [sum(&rows[..left.len()]), sum(&rows[left.len()..])];
    let mut columns = files[0].clone();
    if options.missing_as_null {
        files
            .iter()
            .for_each(|file| files::add_columns(&mut columns, file.clone()));
    }
    let all = || paths.iter().copied().zip(&files);
    let missing_as_null = options.missing_as_null;
    let others = all().flat_map(|it| files::other_columns((first, &columns), it, missing_as_null));
    let mut difference = Difference {
        columns: others.collect(),
        types: types(&all().collect::<Vec<_>>(), left.len(), options)?,
        ..Difference::default()
    };
    if difference.columns.is_empty() {
        let converted = conversions(&columns, &files);
        let [left, right] = [left, right].map(|files| {
            Files::new(files, &columns, options.row_limit()).with_types(converted.as_deref())
        });
        if options.any_order {
            any_order::compare([&left, &right], totals, options, &mut difference)?
        } else {
            in_order::compare([&left, &right], totals, options, &mut difference)?
        }
        // Rows without columns are only counted.
        difference.more |= difference.left_rows != difference.right_rows;
    }
    Ok(difference)
}

/// Returns how the types of columns differ, as one sentence each, where `left` is the number of files on the left.
///
/// If missing columns are null, the files on the right were made of those on the left, and may have types that hold more
/// values.
fn types(all: &[(&Path, &Columns)], left: usize, options: &DiffOptions) -> Result<Vec<String>> {
    let may_grow = options.missing_as_null;
    let mut others = Vec::new();
    for other in &all[1..] {
        if !may_grow {
            others.extend(meaning::other_types(all[0], *other));
        }
    }
    let (before, after) = all.split_at(if may_grow { left } else { 0 });
    let after = of_each_kind(after);
    for (path, columns) in of_each_kind(before) {
        for (made, found) in &after {
            let twins = files::by_name(found);
            let lost = columns.iter().filter(|own| {
                let twin = twins.get(&*own.name);
                twin.is_some_and(|twin| !meaning::holds(&twin.field, &own.field))
            });
            let lost: Columns = lost.cloned().collect();
            others.extend(meaning::other_types((path, &lost), (made, found)));
        }
    }
    others.extend(orders(all, left, may_grow)?);
    Ok(others)
}

/// Returns the first file with each list of columns. Most files of a side have the same.
fn of_each_kind<'a>(files: &[(&'a Path, &'a Columns)]) -> Vec<(&'a Path, &'a Columns)> {
    let mut known = HashSet::new();
    let files = files.iter().copied();
    files
        .filter(|(_, columns)| known.insert(*columns))
        .collect()
}

/// Returns how the entries of ordered dictionaries differ, as one sentence each.
fn orders(all: &[(&Path, &Columns)], left: usize, may_grow: bool) -> Result<Vec<String>> {
    let known = all.iter().map(|&(path, columns)| {
        let orders = catch_panic(|| meaning::orders(path, columns));
        Ok((path, orders.map_err(|error| error.in_file(path))?))
    });
    let known = known.collect::<Result<Vec<_>>>()?;
    let (ones, rest) = known.split_at(if may_grow { left } else { 1 });
    let mut others = Vec::new();
    for (one, orders) in ones {
        for (other, their_orders) in rest {
            for (column, order) in orders {
                let twin = their_orders.iter().find(|(path, _)| path == column);
                let twin = twin.map(|(_, order)| (*other, &order[..]));
                let found = twin
                    .and_then(|twin| meaning::other_order(column, (*one, order), twin, may_grow));
                others.extend(found);
            }
        }
    }
    Ok(others)
}

/// Returns types for the values of each column in all files, if types differ.
fn conversions(columns: &Columns, files: &[Columns]) -> Option<Vec<DataType>> {
    let mut converts = false;
    let files: Vec<_> = files.iter().map(|file| files::by_name(file)).collect();
    let types = columns.iter().map(|column| {
        let twins = files
            .iter()
            .filter_map(|file| file.get(&*column.name).copied());
        match meaning::common(column, twins) {
            Common::Converted(field) => {
                converts = true;
                field.data_type().clone()
            }
            Common::Same | Common::None => meaning::meaning(&column.field).data_type().clone(),
        }
    });
    let types = types.collect();
    converts.then_some(types)
}
