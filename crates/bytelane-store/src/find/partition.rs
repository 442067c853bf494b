//! Columns in the names of directories, as in `year=2024`.

use super::FoundFile;
use super::owner::as_files;
use crate::{Error, Result};
use arrow_cast::{CastOptions, cast_with_options};
use bytelane_parquet::arrow_array::types::Int32Type;
use bytelane_parquet::arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use bytelane_parquet::arrow_schema::{DataType, Field};
use bytelane_parquet::table::{Constant, TableFile};
use bytelane_parquet::types::named::type_of;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Name of the directory with the rows in which the column is null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Column in the name of a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Partition {
    /// Name of the column.
    pub column: String,
    /// Text of the value; `None` for null.
    pub value: Option<String>,
}

impl Partition {
    /// Decodes the value of a column in the name of a directory.
    pub(super) fn new(column: &str, value: &str) -> Self {
        let value = decoded(value);
        let value = (value != NULL).then_some(value);
        Self {
            column: column.to_owned(),
            value,
        }
    }
}

/// Returns the columns in the names of the directories of a file. Escapes such as `%20` are decoded.
///
/// ```
/// let partitions = bytelane_store::partitions_in("lake/year=2024/city=a%20b/1.parquet".as_ref());
/// assert_eq!(partitions[0].column, "year");
/// assert_eq!(partitions[1].value.as_deref(), Some("a b"));
/// ```
#[must_use]
pub fn partitions_in(path: &Path) -> Vec<Partition> {
    let mut partitions: Vec<Partition> = Vec::new();
    for directory in path.parent().into_iter().flat_map(Path::iter) {
        let name = directory.to_string_lossy();
        let Some((column, value)) = name
            .split_once('=')
            .filter(|(column, _)| !column.is_empty())
        else {
            continue;
        };
        let partition = Partition::new(&decoded(column), value);
        // The outermost directory counts, as in pyarrow and DuckDB.
        if partitions.iter().all(|it| it.column != partition.column) {
            partitions.push(partition);
        }
    }
    partitions
}

/// Names of the types that callers give to partition columns.
pub const PARTITION_TYPES: [&str; 14] = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "string",
    "date",
    "timestamp",
];

/// Returns the type with one of the [names](PARTITION_TYPES).
#[must_use]
pub fn partition_type(name: &str) -> Option<DataType> {
    let is_known = PARTITION_TYPES.contains(&name);
    is_known.then(|| type_of(name).ok())?
}

/// Returns the partition columns of each file: all columns that one of them has, null where a file has none.
///
/// As in pyarrow, they are dictionaries of 32-bit integers, if all values are, otherwise of strings. `types` are the types of the
/// others, without dictionaries.
///
/// # Errors
///
/// A value does not have the type that `types` says, or there is no such column.
pub fn partition_columns(
    files: &[FoundFile],
    types: &[(String, DataType)],
) -> Result<Vec<Vec<Constant>>> {
    let mut columns: Vec<&str> = Vec::new();
    for partition in files.iter().flat_map(|file| &file.partitions) {
        if !columns.contains(&partition.column.as_str()) {
            columns.push(&partition.column);
        }
    }
    if let Some((unknown, _)) = types
        .iter()
        .find(|(name, _)| !columns.contains(&name.as_str()))
    {
        let problem = format!(
            "no directory has the partition {unknown}; there are: {}",
            columns.join(", ")
        );
        return Err(Error::input(first(files), problem));
    }
    let value = |file: &FoundFile, column: &str| {
        let partition = file.partitions.iter().find(|it| it.column == column);
        partition.and_then(|it| it.value.clone())
    };
    let of_type = |column: &&str| {
        let given = types.iter().find(|(name, _)| name == column);
        given.map(|(_, data_type)| data_type.clone())
    };
    let mut all = vec![Vec::new(); files.len()];
    for column in columns {
        let given = of_type(&column);
        let mut texts = files.iter().filter_map(|file| value(file, column));
        let is_integer = given.is_none() && texts.all(|text| is_integer(&text));
        for (file, constants) in files.iter().zip(&mut all) {
            let text = value(file, column);
            let array = match &given {
                Some(data_type) => cast(text, data_type).map_err(|problem| {
                    Error::input(file.path.display(), format!("{column}: {problem}"))
                })?,
                None => dictionary(text, is_integer),
            };
            let field = Field::new(column, array.data_type().clone(), true);
            constants.push((Arc::new(field), array));
        }
    }
    Ok(all)
}

/// Returns files with their [partition columns](partition_columns).
///
/// # Errors
///
/// Same errors as [`partition_columns`].
pub fn table_files(files: Vec<FoundFile>, types: &[(String, DataType)]) -> Result<Vec<TableFile>> {
    let constants = partition_columns(&files, types)?;
    let files = files.into_iter().zip(constants);
    Ok(files
        .map(|(file, constants)| TableFile {
            path: file.path,
            constants,
        })
        .collect())
}

/// Returns the files of two sides that are compared, with their partition columns: both sides have the same types.
///
/// # Errors
///
/// Same errors as [`partition_columns`].
pub fn table_sides(
    [left, right]: [Vec<FoundFile>; 2],
    types: &[(String, DataType)],
) -> Result<[Vec<TableFile>; 2]> {
    let names = |files: &[FoundFile]| -> BTreeSet<String> {
        let partitions = files.iter().flat_map(|file| &file.partitions);
        partitions.map(|it| it.column.clone()).collect()
    };
    let (own, other) = (names(&left), names(&right));
    let end = left.len();
    let mut left = table_files(left.into_iter().chain(right).collect(), types)?;
    let mut right = left.split_off(end);
    // A column that only the other side has in its directories may be in these files.
    let keep = |files: &mut [TableFile], names: &BTreeSet<String>| {
        for file in files {
            file.constants
                .retain(|(field, _)| names.contains(field.name()));
        }
    };
    keep(&mut left, &own);
    keep(&mut right, &other);
    Ok([left, right])
}

/// Checks that files can be merged: no two of them are in different partitions, whose columns the result would lose.
///
/// # Errors
///
/// [`Problem::Input`](crate::Problem::Input) if two of them are.
pub fn check_one_partition(files: &[FoundFile]) -> Result<()> {
    let Some((first, others)) = files.split_first() else {
        return Ok(());
    };
    let value = |file: &FoundFile, column: &str| {
        let partition = file.partitions.iter().find(|it| it.column == column);
        partition.map(|it| it.value.clone())
    };
    for other in others {
        let columns = first.partitions.iter().chain(&other.partitions);
        let mut columns = columns.map(|it| it.column.as_str());
        let Some(column) = columns.find(|it| value(first, it) != value(other, it)) else {
            continue;
        };
        let problem = format!(
            "this file is in another partition than {}, and merged they would lose the column {column}; `bytelane dataset` merges the files \
             of each directory; {} merges them without it",
            first.path.display(),
            as_files()
        );
        return Err(Error::input(other.path.display(), problem));
    }
    Ok(())
}

fn first(files: &[FoundFile]) -> String {
    files
        .first()
        .map_or_else(String::new, |file| file.path.display().to_string())
}

/// Returns whether a text is a 32-bit integer, by pyarrow's rule.
fn is_integer(text: &str) -> bool {
    !text.starts_with('+') && text.parse::<i32>().is_ok()
}

fn cast(text: Option<String>, data_type: &DataType) -> std::result::Result<ArrayRef, String> {
    let options = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    let text = StringArray::from_iter([text]);
    cast_with_options(&text, data_type, &options).map_err(|error| error.to_string())
}

/// Returns a dictionary with one entry, which takes little memory for any number of rows.
fn dictionary(text: Option<String>, is_integer: bool) -> ArrayRef {
    let keys = Int32Array::from(vec![text.is_some().then_some(0)]);
    let values: ArrayRef = if is_integer {
        let number = text.and_then(|text| text.parse::<i32>().ok());
        Arc::new(Int32Array::from_iter(number.map(Some)))
    } else {
        Arc::new(StringArray::from_iter(text.map(Some)))
    };
    Arc::new(DictionaryArray::<Int32Type>::new(keys, values))
}

/// Decodes `%20` and the like; leaves a text alone that is not UTF-8 then.
fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let [first, rest @ ..] = bytes {
        let digit = |index: usize| rest.get(index).and_then(|it| char::from(*it).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                bytes = &rest[2..];
            }
            _ => {
                decoded.push(*first);
                bytes = rest;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_directories() {
        let columns = |path: &str| {
            let partitions = partitions_in(Path::new(path)).into_iter();
            let shown =
                |it: Partition| format!("{}={}", it.column, it.value.unwrap_or("null".into()));
            partitions.map(shown).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            columns("x/_year=2024/b=1=2/c=3.parquet"),
            "_year=2024 b=1=2"
        );
        assert_eq!(columns("a=__HIVE_DEFAULT_PARTITION__/x"), "a=null");
        assert_eq!(columns("a=%C3%A9%2F/%3D=/=x/y"), "a=é/ ==");
        assert_eq!(columns("a=%zz%2/b=%FF/y"), "a=%zz%2 b=%FF");
        assert_eq!(columns("a=1/b=1/a=2/y"), "a=1 b=1");
    }
}
