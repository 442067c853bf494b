//! The best encoding for each column of a file: every encoding is tried with every compression, on samples.
//!
//! ```no_run
//! use bytelane_parquet::advise::{AdviseOptions, advise};
//!
//! let advice = advise("weather.parquet", &AdviseOptions::default())?;
//! for column in &advice.columns {
//!     println!("{}: {} saves {:.0}%", column.path, column.encoding, 100.0 * column.saved());
//! }
//! # Ok::<(), bytelane_parquet::Error>(())
//! ```

mod advisor;
mod array_file;
mod files;
mod settings;
mod source;
mod table;
mod trial;
mod values;

pub use advisor::Advisor;
pub use array_file::RAW_ENDINGS;
pub use settings::Settings;
pub use trial::Candidate;

use crate::choice::score;
use crate::readers::{Readers, ValueType};
use crate::{Encoding, Error, Goal, Problem, Result, compression_name, parse_compression};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytelane::Detected;
use parquet::basic::{Compression, CompressionCodec};
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::ColumnDescriptor;
use source::{Sampled, Source};
use std::path::{Path, PathBuf};
use trial::Trials;
use values::Values;

/// What to optimise for, and how to sample.
#[derive(Clone, PartialEq, Debug)]
pub struct AdviseOptions {
    goal: Goal,
    readers: Readers,
    compression: Compression,
    compressions: Vec<Compression>,
    rows: usize,
    backend: Detected,
}

impl Default for AdviseOptions {
    /// A balanced choice for pyarrow, duckdb and polars with zstd at level 1, from 262,144 rows of each column;
    /// for comparison without compression, with snappy, lz4_raw and zstd at level 3.
    fn default() -> Self {
        let compression = |name| parse_compression(name).unwrap_or(Compression::UNCOMPRESSED);
        Self {
            goal: Goal::default(),
            readers: Readers::default(),
            compression: compression("zstd:1"),
            compressions: ["none", "snappy", "lz4_raw", "zstd:3"]
                .map(compression)
                .to_vec(),
            rows: 1 << 18,
            backend: Detected::active(),
        }
    }
}

impl AdviseOptions {
    /// What to optimise for.
    #[must_use]
    pub fn with_goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// The programs that must be able to read the chosen encodings.
    #[must_use]
    pub fn with_readers(mut self, readers: Readers) -> Self {
        self.readers = readers;
        self
    }

    /// The compression to assume.
    #[must_use]
    pub fn with_compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// Further compressions to try, for comparison.
    #[must_use]
    pub fn with_comparisons(mut self, compressions: Vec<Compression>) -> Self {
        self.compressions = compressions;
        self
    }

    /// The largest number of rows of a column that are tried, from several places of the file.
    #[must_use]
    pub fn with_rows(mut self, rows: usize) -> Self {
        self.rows = rows.max(1);
        self
    }

    /// The instruction set of the kernels.
    #[must_use]
    pub fn with_backend(mut self, backend: Detected) -> Self {
        self.backend = backend;
        self
    }

    /// All compressions to try, each once, the chosen one first.
    fn all_compressions(&self) -> Vec<Compression> {
        let others = self
            .compressions
            .iter()
            .filter(|other| **other != self.compression);
        std::iter::once(self.compression)
            .chain(others.copied())
            .collect()
    }
}

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
    /// The compression that was assumed.
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

    /// The size reduction, from 0 to 1.
    #[must_use]
    pub fn saved(&self) -> f64 {
        share_saved(self.bytes_now(), self.bytes_then())
    }
}

/// The advice for a column, which is a leaf of the schema.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct ColumnAdvice {
    /// Its path, with dots.
    pub path: String,
    /// Its type in Parquet.
    pub column_type: String,
    /// The number of its values, including nulls, estimated from the sample.
    pub rows: u64,
    /// The number of nulls, estimated from the sample.
    pub nulls: u64,
    /// The number of rows in the sample.
    pub rows_tried: u64,
    /// The estimated number of distinct values; unknown for nested columns.
    pub distinct: Option<u64>,
    /// Bits of information in a value by how often each occurs in the sample: no more than the sample's rows can show.
    pub entropy_bits: Option<f64>,
    /// Encodings and compression in the file; none in an array or a table.
    pub now: Option<String>,
    /// The current size in bytes: that in the file or, for an array or a table, that with a dictionary, the default
    /// of most writers.
    pub bytes_now: u64,
    /// The best encoding.
    pub encoding: Encoding,
    /// The size in bytes with that encoding, estimated from the sample.
    pub bytes_then: u64,
    /// Whether the file already uses it, or nothing better was found.
    pub keep: bool,
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

fn share_saved(now: u64, then: u64) -> f64 {
    match now {
        0 => 0.0,
        _ => 1.0 - then.min(now) as f64 / now as f64,
    }
}

/// Tries every encoding and compression on samples of a file's columns.
///
/// Reads Parquet files, `.npy`, and raw little-endian numbers with the extensions `.f32 .sp .f64 .dp .i32 .i64`. Keeps
/// several copies of a column's sample in memory and, for Parquet, what the reader needs of a row group.
///
/// # Errors
///
/// What cannot be read, with its place.
pub fn advise(path: impl AsRef<Path>, options: &AdviseOptions) -> Result<Advice> {
    all(Advisor::open(path, options)?)
}

/// [`advise`] for rows in memory.
///
/// # Errors
///
/// [`Problem::Input`] if the batches have other columns than the schema, and those of types that Parquet does not have.
///
/// ```
/// use arrow_array::{Float32Array, RecordBatch};
/// use bytelane_parquet::advise::{AdviseOptions, advise_batches};
/// use std::sync::Arc;
///
/// let prices = Float32Array::from_iter_values((0..1000).map(|i| 100.0 + (i as f32).sin()));
/// let batch = RecordBatch::try_from_iter([("price", Arc::new(prices) as _)])?;
///
/// let advice = advise_batches(batch.schema(), vec![batch], &AdviseOptions::default())?;
/// assert_eq!(advice.columns[0].path, "price");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn advise_batches(
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    options: &AdviseOptions,
) -> Result<Advice> {
    all(Advisor::of_batches(schema, batches, options)?)
}

/// The advice for all columns.
fn all(mut advisor: Advisor) -> Result<Advice> {
    for _ in 0..advisor.columns() {
        advisor.advise_next()?;
    }
    Ok(advisor.advice())
}

/// The advice for the leaves of a column.
fn advise_column(
    source: &Source,
    sampled: Sampled,
    options: &AdviseOptions,
) -> Result<Vec<ColumnAdvice>> {
    let trials = Trials::of(&sampled, options)?;
    let leaves = sampled.leaves.columns().iter().enumerate();
    let advice = leaves.map(|(index, leaf)| {
        let path = leaf.path().string();
        advise_leaf(
            source,
            &sampled,
            leaf,
            trials.of_leaf(index, leaf, sampled.has_dictionary, options),
            options,
        )
        .map_err(|error| error.in_column(path))
    });
    advice.collect()
}

fn advise_leaf(
    source: &Source,
    sampled: &Sampled,
    leaf: &ColumnDescriptor,
    candidates: Vec<Candidate>,
    options: &AdviseOptions,
) -> Result<ColumnAdvice> {
    let compression = compression_name(options.compression);
    let possible = candidates
        .iter()
        .filter(|candidate| candidate.compression == compression && candidate.obstacle.is_none());
    let best = possible.min_by(|one, other| {
        let score = |it: &Candidate| {
            score(
                options.goal,
                it.bytes as f64,
                1.0 / it.write_mib_s,
                1.0 / it.read_mib_s,
            )
        };
        score(one).total_cmp(&score(other))
    });
    let best = best.ok_or_else(|| Error::new(Problem::Input("nothing was tried".to_owned())))?;

    let rows = source.rows();
    let scale = rows as f64 / sampled.rows.max(1) as f64;
    let in_file = match source {
        Source::Parquet(files) => Some(Now::of(files.metadata(), leaf)?),
        Source::Array(_) | Source::Table(_) => None,
    };
    let default = candidates.iter().find(|candidate| {
        candidate.compression == compression && candidate.encoding == Encoding::Dictionary
    });
    let bytes_now = match &in_file {
        Some(now) => now.bytes,
        None => (default.unwrap_or(best).bytes as f64 * scale) as u64,
    };
    let there = in_file
        .as_ref()
        .is_some_and(|now| now.is(best.encoding, options.compression));
    let bytes_then = (best.bytes as f64 * scale) as u64;
    let keep = there || (in_file.is_some() && bytes_then >= bytes_now);
    let values = Values::of(sampled, leaf)?;
    Ok(ColumnAdvice {
        path: leaf.path().string(),
        column_type: column_type(leaf),
        rows,
        nulls: (values.nulls as f64 * scale) as u64,
        rows_tried: sampled.rows as u64,
        distinct: values.distinct(rows - (values.nulls as f64 * scale) as u64),
        entropy_bits: values.entropy,
        now: in_file.map(|now| now.text()),
        bytes_now,
        encoding: best.encoding,
        bytes_then: if keep { bytes_now } else { bytes_then },
        keep,
        candidates,
    })
}

/// A leaf as it is in Parquet files.
struct Now {
    bytes: u64,
    encodings: Vec<parquet::basic::Encoding>,
    codecs: Vec<CompressionCodec>,
}

impl Now {
    fn of<'a>(
        files: impl Iterator<Item = &'a ParquetMetaData>,
        leaf: &ColumnDescriptor,
    ) -> Result<Self> {
        let mut now = Self {
            bytes: 0,
            encodings: Vec::new(),
            codecs: Vec::new(),
        };
        for metadata in files {
            now.add(metadata, leaf)?;
        }
        Ok(now)
    }

    fn add(&mut self, metadata: &ParquetMetaData, leaf: &ColumnDescriptor) -> Result<()> {
        let columns = metadata.file_metadata().schema_descr().columns();
        let index = columns
            .iter()
            .position(|column| column.path() == leaf.path());
        let index = index.ok_or_else(|| {
            let problem = "the file names its nested fields differently";
            Error::new(Problem::Unsupported(problem.to_owned()))
        })?;
        for row_group in metadata.row_groups() {
            let chunk = row_group.column(index);
            self.bytes += chunk.compressed_size().max(0) as u64;
            for encoding in chunk.encodings() {
                if !self.encodings.contains(&encoding) && !is_of_levels(encoding) {
                    self.encodings.push(encoding);
                }
            }
            let codec = CompressionCodec::from(chunk.compression());
            if !self.codecs.contains(&codec) {
                self.codecs.push(codec);
            }
        }
        Ok(())
    }

    /// Whether all of it is in this encoding and compressed so. The level is nowhere in a file.
    fn is(&self, encoding: Encoding, compression: Compression) -> bool {
        use parquet::basic::Encoding::{PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY};
        let same = match encoding {
            Encoding::Dictionary => {
                let known = |it: &_| matches!(it, PLAIN | PLAIN_DICTIONARY | RLE_DICTIONARY);
                self.encodings.iter().all(known) && self.encodings != [PLAIN]
            }
            _ => self.encodings == [encoding.of_values()],
        };
        same && self.codecs == [CompressionCodec::from(compression)]
    }

    fn text(&self) -> String {
        let encodings: Vec<String> = self.encodings.iter().map(ToString::to_string).collect();
        let codecs: Vec<String> = self.codecs.iter().map(ToString::to_string).collect();
        format!("{} {}", encodings.join("+"), codecs.join("+"))
    }
}

/// The encodings that only levels have, or have as well.
fn is_of_levels(encoding: parquet::basic::Encoding) -> bool {
    #[expect(deprecated, reason = "old files have levels in it")]
    let packed = parquet::basic::Encoding::BIT_PACKED;
    encoding == packed || encoding == parquet::basic::Encoding::RLE
}

/// A type as a user knows it: `DOUBLE`, `INT64 (Timestamp)`, `FIXED_LEN_BYTE_ARRAY(16)`.
fn column_type(leaf: &ColumnDescriptor) -> String {
    match ValueType::of(leaf) {
        ValueType::Float16 => "FLOAT16".to_owned(),
        ValueType::Fixed => format!("FIXED_LEN_BYTE_ARRAY({})", leaf.type_length()),
        _ => leaf.physical_type().to_string(),
    }
}
