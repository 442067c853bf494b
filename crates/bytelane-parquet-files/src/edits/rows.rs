//! Finds the rows to delete: by a condition, or by their numbers.

use super::kept::KeptRows;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use bytelane_parquet::filter::{Predicate, Selection};
use bytelane_parquet::format::FileMetaData;
use bytelane_parquet::read::ReaderBuilder;
use bytelane_parquet::{Error, Problem, Result};
use parquet::file::reader::ChunkReader;
use roaring::{RoaringBitmap, RoaringTreemap};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// Rows of a file to delete.
#[derive(Clone, Debug, PartialEq)]
pub struct DeletedRows {
    /// The file; `None` if there is only one.
    pub input: Option<PathBuf>,
    /// Numbers of the rows.
    pub numbers: RowNumbers,
}

/// Numbers of rows, counted from 0, in any order.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(
    untagged,
    expecting = "invalid type: expected a list of row numbers, or the path of a file with them"
)]
#[non_exhaustive]
pub enum RowNumbers {
    /// The numbers themselves.
    List(Vec<u64>),
    /// Numbers in a file: a Roaring bitmap of 32 or 64 bits, a deletion vector of Delta or Iceberg, or a text with a
    /// number on each line.
    File(PathBuf),
}

/// Parses `[INPUT=]FILE`.
impl FromStr for DeletedRows {
    type Err = Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Infallible> {
        let pair = text.rsplit_once('=').filter(|_| !Path::new(text).exists());
        let (input, file) = pair.map_or((None, text), |(input, file)| (Some(input), file));
        Ok(Self {
            input: input.map(PathBuf::from),
            numbers: RowNumbers::File(file.into()),
        })
    }
}

/// Deserializes the numbers for the only file, or those for each file, by its path.
pub(super) fn deserialize_deleted<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Vec<DeletedRows>, D::Error> {
    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "invalid type: expected a list of row numbers, the path of a file with them, or one of these for each input"
    )]
    enum Given {
        Only(RowNumbers),
        Each(BTreeMap<PathBuf, RowNumbers>),
    }
    let one = |(input, numbers)| DeletedRows { input, numbers };
    Ok(match Given::deserialize(from)? {
        Given::Only(numbers) => vec![one((None, numbers))],
        Given::Each(all) => {
            let all = all.into_iter();
            all.map(|(path, numbers)| one((Some(path), numbers)))
                .collect()
        }
    })
}

/// Rows to delete from the inputs.
pub(crate) struct Deletes<'a> {
    condition: Option<&'a Predicate>,
    /// Numbers of rows, by the number of the input.
    rows: BTreeMap<usize, RoaringTreemap>,
}

impl<'a> Deletes<'a> {
    /// Reads the numbers of rows; `None` if no rows are deleted.
    pub(crate) fn new(
        condition: Option<&'a Predicate>,
        numbers: &[DeletedRows],
        inputs: &[&Path],
    ) -> Result<Option<Self>> {
        if condition.is_none() && numbers.is_empty() {
            return Ok(None);
        }
        let mut rows: BTreeMap<usize, RoaringTreemap> = BTreeMap::new();
        for given in numbers {
            *rows.entry(input_of(given, inputs)?).or_default() |= given.numbers.read()?;
        }
        Ok(Some(Self { condition, rows }))
    }

    /// Returns the rows of each row group of an input that are kept.
    pub(crate) fn kept<T: ChunkReader + 'static>(
        &self,
        input: usize,
        file: T,
        footer: &FileMetaData,
    ) -> Result<Vec<Arc<KeptRows>>> {
        let mut deleted = self.rows.get(&input).cloned().unwrap_or_default();
        if let Some(condition) = self.condition {
            add_matching(condition, file, &mut deleted)?;
        }
        let counts = footer.row_groups.iter();
        let counts = counts.map(|it| u64::try_from(it.num_rows).unwrap_or(0));
        let all = counts.clone().fold(0, u64::saturating_add);
        if let Some(row) = deleted.max().filter(|row| *row >= all) {
            let problem = format!("row {row} cannot be deleted: the file has {all} rows");
            return Err(Problem::Option(problem).into());
        }
        let (mut first, mut deleted) = (0_u64, deleted.into_iter().peekable());
        let kept = counts.map(|rows| {
            let end = first.saturating_add(rows);
            let own = std::iter::from_fn(|| deleted.next_if(|row| *row < end));
            let kept = KeptRows::without(rows, own.map(|row| row - first));
            first = end;
            Arc::new(kept)
        });
        Ok(kept.collect())
    }
}

/// Returns the number of the input that rows are to be deleted from.
fn input_of(given: &DeletedRows, inputs: &[&Path]) -> Result<usize> {
    let Some(path) = &given.input else {
        if inputs.len() == 1 {
            return Ok(0);
        }
        let count = inputs.len();
        let problem = format!("there are {count} files; name the one that rows are deleted from");
        return Err(Problem::Option(problem).into());
    };
    let canonical = |path: &Path| path.canonicalize().ok();
    let wanted = canonical(path);
    let is_same =
        |input: &&Path| **input == *path || wanted.is_some() && canonical(input) == wanted;
    let found = inputs.iter().position(is_same);
    found.ok_or_else(|| {
        let problem = "rows are to be deleted from it, but it is none of the inputs";
        Error::new(Problem::Option(problem.to_owned())).in_file(path)
    })
}

/// Adds the numbers of the rows that satisfy a condition.
fn add_matching<T: ChunkReader + 'static>(
    condition: &Predicate,
    file: T,
    rows: &mut RoaringTreemap,
) -> Result<()> {
    let builder = ReaderBuilder::try_new(file)?;
    let names = builder.schema().fields();
    let mut name = "row".to_owned();
    while names.iter().any(|field| *field.name() == name) {
        name.push('_');
    }
    let selection = Selection::default()
        .with_columns::<&str>([])
        .with_filter(condition.clone());
    let builder = selection.choose(builder.with_row_numbers(name))?;
    for batch in builder.build()? {
        let batch = batch?;
        let numbers = batch.column(batch.num_columns() - 1);
        let numbers = numbers.as_primitive::<Int64Type>().values();
        rows.extend(numbers.iter().map(|row| row.cast_unsigned()));
    }
    Ok(())
}

impl RowNumbers {
    fn read(&self) -> Result<RoaringTreemap> {
        match self {
            Self::List(rows) => Ok(rows.iter().copied().collect()),
            Self::File(path) => {
                let bytes = fs::read(path).map_err(Error::from);
                let rows = bytes.and_then(|bytes| numbers_in(&bytes));
                rows.map_err(|error| error.in_file(path))
            }
        }
    }
}

/// First bytes of a Roaring bitmap of 32 bits, with runs or without.
const WITH_RUNS: u16 = 12347;
const WITHOUT_RUNS: u32 = 12346;

/// First bytes of the bitmap in a deletion vector of Delta and of Iceberg, little-endian.
const DELTA: u32 = 1_681_511_377;
const ICEBERG: u32 = u32::from_le_bytes([0xd1, 0xd3, 0x39, 0x64]);

/// Returns the numbers in the bytes of a bitmap or of a text.
///
/// Formats: <https://github.com/RoaringBitmap/RoaringFormatSpec>;
/// <https://github.com/delta-io/delta/blob/master/PROTOCOL.md>, "Deletion Vector Format";
/// <https://iceberg.apache.org/puffin-spec/>, `deletion-vector-v1`.
fn numbers_in(bytes: &[u8]) -> Result<RoaringTreemap> {
    let wrong = |_| {
        Error::corrupt("it is neither a Roaring bitmap nor a text with a row number on each line")
    };
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let is_of_text = |it: &u8| it.is_ascii_digit() || it.is_ascii_whitespace();
    let of_64_bits = match word(0) {
        _ if bytes.iter().all(is_of_text) => return numbers_of_text(bytes),
        Some(DELTA) => &bytes[4..],
        // Its length comes before it, and a checksum after it.
        _ if word(4) == Some(ICEBERG) => &bytes[8..],
        Some(first) if first == WITHOUT_RUNS || first as u16 == WITH_RUNS => {
            let rows = RoaringBitmap::deserialize_from(bytes).map_err(wrong)?;
            return Ok(RoaringTreemap::from_bitmaps([(0, rows)]));
        }
        _ => bytes,
    };
    RoaringTreemap::deserialize_from(of_64_bits).map_err(wrong)
}

fn numbers_of_text(text: &[u8]) -> Result<RoaringTreemap> {
    let text = String::from_utf8_lossy(text);
    let numbers = text.split_ascii_whitespace().map(|it| {
        let too_large = |_| Error::corrupt(format!("the row number {it} is too large"));
        it.parse::<u64>().map_err(too_large)
    });
    numbers.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitmaps_and_texts_are_read() {
        let rows = [3, 17, 70_000];
        let small: RoaringBitmap = rows.into_iter().collect();
        let large: RoaringTreemap = rows.into_iter().map(u64::from).collect();
        let (mut of_32, mut of_64) = (Vec::new(), Vec::new());
        small.serialize_into(&mut of_32).unwrap();
        large.serialize_into(&mut of_64).unwrap();
        let delta = [&DELTA.to_le_bytes()[..], &of_64].concat();
        let length = (of_64.len() as u32 + 4).to_be_bytes();
        let iceberg = [&length[..], &ICEBERG.to_le_bytes(), &of_64, &[0; 4]].concat();
        let mut runs: RoaringBitmap = (5..5000).collect();
        runs.optimize();
        let mut of_runs = Vec::new();
        runs.serialize_into(&mut of_runs).unwrap();
        for bytes in [of_32, of_64, delta, iceberg, b" 3\n17\r\n70000".to_vec()] {
            assert_eq!(numbers_in(&bytes).unwrap(), large);
        }
        assert_eq!(numbers_in(&of_runs).unwrap(), (5..5000).collect());
        assert!(numbers_in(b"").unwrap().is_empty());
        for wrong in [&b"x"[..], b"99999999999999999999", b"-1", &[1, 0, 0, 0]] {
            assert!(numbers_in(wrong).is_err(), "{wrong:?}");
        }
    }
}
