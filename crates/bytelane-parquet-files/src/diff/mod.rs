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
pub(crate) mod hash;
mod in_order;
mod meaning;
mod normal;
mod options;
mod outcome;
mod sides;

pub use files::RowPlace;
pub use fingerprint::{Fingerprint, fingerprint};
pub use options::DiffOptions;
pub use outcome::{Difference, DifferentRow, DifferentValue};

use arrow_schema::DataType;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::table::TableFile;
use bytelane_parquet::{Problem, Result};
use files::{Columns, Files};
use meaning::{Common, Order};
use sides::{Side, of_each_kind};
use std::path::Path;

/// Compares the rows of the files on the left with those on the right. The files of each side are
/// read in order.
///
/// The files of a side are one [table](bytelane_parquet::table). Columns are matched by name. If their Arrow types differ in meaning, the difference says so, and values are compared
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
/// use bytelane_parquet_files::diff::{DiffOptions, diff};
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
    if left.is_empty() || right.is_empty() {
        return Err(Problem::Option("name a file on each side to compare".to_owned()).into());
    }
    let paths = left.iter().chain(right).map(|file| file.path.as_path());
    let paths: Vec<&Path> = paths.collect();
    let files = left.iter().chain(right).map(files::columns);
    let files = files.collect::<Result<Vec<(Columns, u64)>>>()?;
    let (files, rows): (Vec<Columns>, Vec<u64>) = files.into_iter().unzip();
    let sum = |rows: &[u64]| rows.iter().copied().fold(0, u64::saturating_add);
    let totals = [sum(&rows[..left.len()]), sum(&rows[left.len()..])];
    let all: Vec<(&Path, &Columns)> = paths.iter().copied().zip(&files).collect();
    let sides = all.split_at(left.len());
    let table = Side::new(&all);
    let columns = table.columns();
    let mut difference = Difference {
        types: types(sides, options)?,
        ..Difference::default()
    };
    if !options.missing_as_null {
        difference.columns = Side::new(sides.0).other_columns(&Side::new(sides.1));
    }
    difference.columns.extend(table.conflicts.iter().cloned());
    if difference.columns.is_empty() && !options.missing_as_null {
        difference.columns.extend(repeated_columns(&all));
    }
    if difference.columns.is_empty() {
        let converted = conversions(columns, &files);
        let [left, right] = [left, right].map(|files| {
            Files::new(files, columns, options.row_limit()).with_types(converted.as_deref())
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

/// Files of the left and right side, and their columns.
type Sides<'a, 'b> = (&'b [(&'a Path, &'a Columns)], &'b [(&'a Path, &'a Columns)]);

/// Returns how the types of columns differ, as one sentence each. The files of a side are one table.
///
/// If missing columns are null, the files on the right were made of those on the left, and may have types that hold more
/// values.
fn types((left, right): Sides<'_, '_>, options: &DiffOptions) -> Result<Vec<String>> {
    let may_grow = options.missing_as_null;
    let mut others = Vec::new();
    if may_grow {
        let after = of_each_kind(right);
        for (path, columns) in of_each_kind(left) {
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
    } else {
        others.extend(Side::new(left).other_types(&Side::new(right)));
    }
    let (left, right) = (orders(left, may_grow)?, orders(right, may_grow)?);
    for (one, orders) in &left {
        for (other, their_orders) in &right {
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

/// Returns the entries of the ordered dictionaries of files: of each file, or of all under the path of the first one.
fn orders<'a>(
    files: &[(&'a Path, &'a Columns)],
    of_each: bool,
) -> Result<Vec<(&'a Path, Vec<Order>)>> {
    let mut known: Vec<(&Path, Vec<Order>)> = Vec::new();
    for &(path, columns) in files {
        let orders = catch_panic(|| meaning::orders(path, columns));
        let orders = orders.map_err(|error| error.in_file(path))?;
        match known.first_mut() {
            Some((_, all)) if !of_each => {
                for (column, entries) in orders {
                    meaning::add_entries(&column, entries, all);
                }
            }
            _ => known.push((path, orders)),
        }
    }
    Ok(known)
}

/// Returns a sentence if a file has another number of columns with repeated names than the first one.
fn repeated_columns(files: &[(&Path, &Columns)]) -> Option<String> {
    let repeated = |columns: &Columns| columns.len() - files::by_name(columns).len();
    let first = files.first().map_or(0, |(_, columns)| repeated(columns));
    let (path, _) = files
        .iter()
        .find(|(_, columns)| repeated(columns) != first)?;
    Some(format!(
        "{} has several columns of one name",
        path.display()
    ))
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
