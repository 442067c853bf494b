//! Advice: what is said of a file and of its columns.

use super::{Candidate, Settings};
use crate::{Encoding, Goal};
use std::path::PathBuf;

/// The advice for a file.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Advice {
    /// The file; of several, the directory that they share; empty for rows in memory.
    pub file: PathBuf,
    /// `parquet`, `array` for raw numbers and `.npy`, or `table` for rows in memory.
    pub kind: String,
    /// Its rows.
    pub rows: u64,
    /// The goal.
    pub goal: Goal,
    /// The programs that must be able to read it.
    pub readers: String,
    /// The compression that was asked for; empty if columns keep theirs.
    pub compression: String,
    /// The columns.
    pub columns: Vec<ColumnAdvice>,
    /// The settings for writers.
    pub settings: Vec<Settings>,
}

impl Advice {
    /// The current size of all columns in bytes: that in the file, or that with dictionaries for arrays and tables.
    #[must_use]
    pub fn bytes_now(&self) -> u64 {
        self.columns.iter().map(|column| column.bytes_now).sum()
    }

    /// The new size of all columns in bytes, estimated from samples.
    #[must_use]
    pub fn bytes_then(&self) -> u64 {
        self.columns.iter().map(|column| column.bytes_then).sum()
    }

    /// Another compression that would make the columns smaller by at least 10% more, with their size in bytes.
    #[must_use]
    pub fn smaller_compression(&self) -> Option<(&str, u64)> {
        let largest = self.columns.iter().max_by_key(|column| column.bytes_then)?;
        let name = largest.alternative.as_ref()?.compression.as_str();
        let bytes = self.columns.iter().map(|column| match &column.alternative {
            Some(other) if other.compression == name => other.bytes.min(column.bytes_then),
            _ => column.bytes_then,
        });
        let bytes: u64 = bytes.sum();
        let is_worthwhile = bytes as f64 <= (1.0 - WORTHWHILE) * self.bytes_then() as f64;
        is_worthwhile.then_some((name, bytes))
    }

    /// The size of all columns in bytes in PLAIN, if that was tried.
    #[must_use]
    pub fn bytes_plain(&self) -> Option<u64> {
        self.columns.iter().map(|column| column.bytes_plain).sum()
    }

    /// The size reduction, from 0 to 1.
    #[must_use]
    pub fn saved(&self) -> f64 {
        share_saved(self.bytes_now(), self.bytes_then())
    }
}

/// A column with another compression than the assumed one.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Alternative {
    /// The compression, as `--compression` reads it.
    pub compression: String,
    /// The size in bytes in the same encoding, estimated from a sample.
    pub bytes: u64,
}

/// Share of the bytes that another compression has to save to be worth a word.
const WORTHWHILE: f64 = 0.1;

/// The advice for a column, which is a leaf of the schema.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct ColumnAdvice {
    /// Its path, with dots.
    pub path: String,
    /// Its type in Parquet: the physical one, and the logical one if there is one.
    pub column_type: String,
    /// The number of its values, including nulls, estimated from the sample.
    pub rows: u64,
    /// The number of nulls: of the statistics in the file, or of the values.
    pub nulls: u64,
    /// Set if the number of nulls is an estimate from the sample, because the file has no statistics.
    #[serde(default)]
    pub nulls_estimated: bool,
    /// The number of rows in the sample.
    pub rows_tried: u64,
    /// The number of distinct values besides null; unknown for nested columns, and unless all rows were looked at.
    pub distinct: Option<u64>,
    /// Set if the number of distinct values is an estimate, which is usually within 2%.
    #[serde(default)]
    pub distinct_estimated: bool,
    /// Bits of information in a value by how often each occurs in the sample: no more than the sample's rows can show.
    pub entropy_bits: Option<f64>,
    /// Encodings and compression in the file; none in an array or a table.
    pub now: Option<String>,
    /// The current size in bytes: that in the file or, for an array or a table, that with pyarrow's default encoding,
    /// a dictionary, which becomes PLAIN where the dictionary exceeds 1 MiB.
    pub bytes_now: u64,
    /// The size in bytes in PLAIN, for comparison.
    pub bytes_plain: Option<u64>,
    /// The encoding that `rewrite` leaves it in: the best one, or the current one of a column that is left unchanged; if
    /// row groups differ, that of most bytes.
    pub encoding: Encoding,
    /// The compression that is assumed.
    pub compression: String,
    /// The size in bytes that `rewrite` makes of it, estimated from some of the rows.
    pub bytes_then: u64,
    /// The most rows of a new page, if there are new pages.
    #[serde(default)]
    pub page_rows: Option<u64>,
    /// The most bytes of values of a new page, before compression.
    #[serde(default)]
    pub page_bytes: Option<u64>,
    /// Set if `rewrite` leaves it as it is, because nothing is better.
    pub keep: bool,
    /// Why it cannot be re-encoded.
    pub obstacle: Option<String>,
    /// Why it is re-encoded even if that does not make it smaller.
    #[serde(default)]
    pub reason: Option<String>,
    /// The same encoding with a stronger compression; none for columns that cannot be re-encoded.
    #[serde(default)]
    pub alternative: Option<Alternative>,
    /// Everything that was tried.
    pub candidates: Vec<Candidate>,
}

impl ColumnAdvice {
    /// The size reduction, from 0 to 1.
    #[must_use]
    pub fn saved(&self) -> f64 {
        share_saved(self.bytes_now, self.bytes_then)
    }
}

/// Returns the share of bytes that are saved, from 0 to 1.
fn share_saved(now: u64, then: u64) -> f64 {
    match now {
        0 => 0.0,
        _ => 1.0 - then.min(now) as f64 / now as f64,
    }
}
