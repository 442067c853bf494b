//! Results of `advise`, for a file and for its columns.

use super::trial::Candidate;
use bytelane_parquet::input::serialize_path;
use bytelane_parquet::{Encoding, Goal};
use std::path::PathBuf;

/// Advice for a file.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Advice {
    /// Path of the file, or the common directory of several files; empty for rows in memory.
    #[serde(serialize_with = "serialize_path")]
    pub file: PathBuf,
    /// `parquet`, `array` for raw numbers and `.npy`, or `table` for rows in memory.
    pub kind: String,
    /// Number of rows.
    pub rows: u64,
    /// Goal of the choice.
    pub goal: Goal,
    /// Programs that must be able to read it.
    pub readers: String,
    /// Requested compression; empty if columns keep theirs.
    pub compression: String,
    /// Advice for each column.
    pub columns: Vec<ColumnAdvice>,
    /// Settings for writers.
    pub settings: Vec<Settings>,
}

impl Advice {
    /// Returns the current size of all columns in bytes: in the file, or with dictionaries for arrays and
    /// tables.
    #[must_use]
    pub fn bytes_now(&self) -> u64 {
        self.columns.iter().map(|column| column.bytes_now).sum()
    }

    /// Returns the new size of all columns in bytes, estimated from samples.
    #[must_use]
    pub fn bytes_then(&self) -> u64 {
        self.columns.iter().map(|column| column.bytes_then).sum()
    }

    /// Returns another compression that would make the columns at least 10% smaller still, with their size in
    /// bytes.
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

    /// Returns the size of all columns in PLAIN, in bytes, if it was tried.
    #[must_use]
    pub fn bytes_plain(&self) -> Option<u64> {
        self.columns.iter().map(|column| column.bytes_plain).sum()
    }

    /// Returns the size reduction, from 0 to 1.
    #[must_use]
    pub fn saved(&self) -> f64 {
        share_saved(self.bytes_now(), self.bytes_then())
    }
}

/// Result of a column with a compression other than the assumed one.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Alternative {
    /// Compression, in the syntax of `--compression`.
    pub compression: String,
    /// Size in bytes with the same encoding, estimated from a sample.
    pub bytes: u64,
}

/// Minimum share of bytes that another compression has to save to be reported.
const WORTHWHILE: f64 = 0.1;

/// Advice for a column, which is a leaf of the schema.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct ColumnAdvice {
    /// Path of the column, with dots.
    pub path: String,
    /// Parquet type: the physical type, and the logical type if there is one.
    pub column_type: String,
    /// Number of values, including nulls, estimated from the sample.
    pub rows: u64,
    /// Number of nulls, from the statistics in the file or from the values.
    pub nulls: u64,
    /// Set if the number of nulls is an estimate from the sample, because the file has no statistics.
    #[serde(default)]
    pub nulls_estimated: bool,
    /// Number of rows in the sample.
    pub rows_tried: u64,
    /// Number of distinct values apart from null; unknown for nested columns, and unless all rows were
    /// examined.
    pub distinct: Option<u64>,
    /// Set if the number of distinct values is an estimate, which is usually within 2%.
    #[serde(default)]
    pub distinct_estimated: bool,
    /// Entropy in bits per value, from the frequencies in the sample. It cannot exceed what the number of
    /// sampled rows can show.
    pub entropy_bits: Option<f64>,
    /// Encodings and compression in the file; `None` for an array or a table.
    pub now: Option<String>,
    /// Current size in bytes: in the file or, for an array or a table, with pyarrow's default encoding. That
    /// is a dictionary, with PLAIN as the fallback where the dictionary exceeds 1 MiB.
    pub bytes_now: u64,
    /// Size in bytes in PLAIN, for comparison.
    pub bytes_plain: Option<u64>,
    /// Encoding after `rewrite`: the best one, or the current one if the column is left unchanged. If row
    /// groups differ, the encoding of most bytes.
    pub encoding: Encoding,
    /// Assumed compression.
    pub compression: String,
    /// Size in bytes after `rewrite`, estimated from some of the rows.
    pub bytes_then: u64,
    /// Maximum number of rows in a new page, if there are new pages.
    #[serde(default)]
    pub page_rows: Option<u64>,
    /// Maximum size of the values in a new page, in bytes before compression.
    #[serde(default)]
    pub page_bytes: Option<u64>,
    /// Set if `rewrite` leaves the column unchanged because nothing is better.
    pub keep: bool,
    /// Reason why the column cannot be re-encoded.
    pub obstacle: Option<String>,
    /// Reason why the column is re-encoded even if that does not make it smaller.
    #[serde(default)]
    pub reason: Option<String>,
    /// Size with the same encoding and a stronger compression; `None` for columns that cannot be re-encoded.
    #[serde(default)]
    pub alternative: Option<Alternative>,
    /// All encodings and compressions that were tried.
    pub candidates: Vec<Candidate>,
}

impl ColumnAdvice {
    /// Returns the size reduction, from 0 to 1.
    #[must_use]
    pub fn saved(&self) -> f64 {
        share_saved(self.bytes_now, self.bytes_then)
    }
}

/// Returns the share of bytes saved, from 0 to 1.
fn share_saved(now: u64, then: u64) -> f64 {
    match now {
        0 => 0.0,
        _ => 1.0 - then.min(now) as f64 / now as f64,
    }
}

/// Settings to paste for one writer.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Settings {
    /// Name of the writer.
    pub writer: String,
    /// Text of the settings.
    pub text: String,
    /// Part of the advice that the settings cannot express.
    pub shortcoming: Option<String>,
}
