//! Computes fingerprints of rows, to compare files that are not available at the same time.

use super::files::{self, Columns, Files};
use super::hash::{Hash, of_rows};
use super::meaning::{meaning, other_types};
use super::sides::{Side, of_each_kind};
use super::{DiffOptions, Problem};
use bytelane_parquet::Result;
use bytelane_parquet::budget::RowLimit;
use bytelane_parquet::table::TableFile;
use bytelane_parquet::unite::words;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Fingerprint of the rows of files, in order: the names and types of the columns, and the stored
/// values, bit for bit.
///
/// Encodings, compression, row groups, the order of columns and file boundaries are ignored. Equal
/// rows have equal fingerprints; different rows have different ones, except with a probability of
/// about 2^-128. Fingerprints do not protect against deliberate collisions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint {
    /// Number of rows.
    pub rows: u64,
    hash: Hash,
}

impl fmt::Display for Fingerprint {
    /// Writes 32 hexadecimal digits, a colon and the number of rows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}:{}", self.hash.0, self.hash.1, self.rows)
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.to_string()
    }
}

impl FromStr for Fingerprint {
    type Err = bytelane_parquet::Error;

    fn from_str(text: &str) -> Result<Self> {
        let parse = || {
            let (digits, rows) = text.split_once(':')?;
            let (first, second) = digits.split_at_checked(16)?;
            let half = |digits| u64::from_str_radix(digits, 16).ok();
            let hash = Hash(half(first)?, half(second).filter(|_| second.len() == 16)?);
            let rows = rows.parse().ok()?;
            Some(Self { rows, hash })
        };
        let problem = || Problem::Input(format!("{text:?} is not a fingerprint of rows"));
        parse().ok_or_else(|| problem().into())
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = bytelane_parquet::Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

/// Returns the fingerprint of the rows of files, which are read in order.
///
/// Two lists of files have the same fingerprint if [`diff`](super::diff) finds no ordered
/// difference between them. Columns that a file lacks are null there if
/// [`with_missing_as_null`](DiffOptions::with_missing_as_null) is set, and are an error otherwise.
/// One batch of rows is in memory at a time.
///
/// # Errors
///
/// A file cannot be read, is not a Parquet file, is encrypted or damaged; there are no files, or their columns differ.
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet_files::diff::{DiffOptions, fingerprint};
///
/// let options = DiffOptions::default();
/// let before = fingerprint(&["a.parquet", "b.parquet"], &options)?;
/// assert_eq!(fingerprint(&["merged.parquet"], &options)?, before);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn fingerprint(files: &[impl AsRef<Path>], options: &DiffOptions) -> Result<Fingerprint> {
    let paths = files.iter().map(|it| TableFile::new(it.as_ref()));
    let files: Vec<TableFile> = paths.collect();
    if files.is_empty() {
        return Err(Problem::Option("name the files to read".to_owned()).into());
    }
    let all = files.iter().map(files::columns);
    let all = all.collect::<Result<Vec<(Columns, u64)>>>()?;
    let total = all
        .iter()
        .fold(0, |sum: u64, (_, rows)| sum.saturating_add(*rows));
    let sources = files.iter().map(|file| file.path.as_path());
    let sources: Vec<(&Path, &Columns)> = sources.zip(all.iter().map(|(own, _)| own)).collect();
    let table = Side::new(&sources);
    let mut others = table.conflicts.clone();
    for other in of_each_kind(&sources[1..]) {
        if !options.missing_as_null {
            others.extend(Side::new(&sources[..1]).other_columns(&Side::new(&[other])));
        }
        others.extend(other_types(sources[0], other));
    }
    if let Some(other) = others.into_iter().next() {
        return Err(Problem::Input(other).into());
    }
    let mut columns = table.columns().clone();
    columns.sort_by(|one, other| one.name.cmp(&other.name));
    let mut hash = of_columns(&columns);
    let side = Files::new(&files, &columns, RowLimit::NONE);
    let mut rows = side.rows();
    while let Some(batch) = rows.next()? {
        for row in of_rows(&batch)? {
            hash = hash.and(row);
        }
        options.report(rows.count(), total)?;
    }
    Ok(Fingerprint {
        rows: rows.count(),
        hash,
    })
}

/// Returns the hash of the names and types of columns.
fn of_columns(columns: &Columns) -> Hash {
    columns.iter().fold(Hash::default(), |hash, column| {
        let hash = hash.with_bytes(column.name.as_bytes());
        let hash = hash.with_bytes(column.data_type.to_string().as_bytes());
        hash.with_bytes(words(&meaning(&column.field)).as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    use bytelane_parquet::{Encoding, Writer, WriterOptions};
    use std::path::PathBuf;
    use std::sync::Arc;

    fn write(path: &Path, ids: &[i64], encoding: Encoding, turned: bool) {
        let names = ids.iter().map(|id| format!("name {}", id % 7));
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            (
                "id",
                Arc::new(Int64Array::from_iter_values(ids.iter().copied())),
            ),
            ("name", Arc::new(StringArray::from_iter_values(names))),
        ];
        if turned {
            columns.reverse();
        }
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let options = WriterOptions::default().with_encoding(encoding);
        let file = std::fs::File::create(path).unwrap();
        let mut writer = Writer::try_new(file, batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }

    #[test]
    fn values_and_their_order_count_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| -> PathBuf { directory.path().join(name) };
        let all: Vec<i64> = (0..1000).collect();
        write(&at("all"), &all, Encoding::Plain, false);
        write(&at("one"), &all[..300], Encoding::Dictionary, true);
        write(&at("two"), &all[300..], Encoding::Plain, true);
        let of = |names: &[&str]| {
            let paths: Vec<PathBuf> = names.iter().map(|name| at(name)).collect();
            fingerprint(&paths, &DiffOptions::default()).unwrap()
        };
        let whole = of(&["all"]);
        assert_eq!(whole.rows, 1000);
        assert_eq!(of(&["one", "two"]), whole);
        assert_ne!(of(&["two", "one"]), whole);
        assert_ne!(of(&["one"]), of(&["two"]));
        let mut other = all.clone();
        other[999] = -1;
        write(&at("other"), &other, Encoding::Plain, false);
        assert_ne!(of(&["other"]), whole);
        assert_eq!(whole.to_string().parse::<Fingerprint>().unwrap(), whole);
        for text in ["", "12:3", "é23456789012345678901234567890123:1"] {
            assert!(text.parse::<Fingerprint>().is_err(), "{text}");
        }
    }
}
