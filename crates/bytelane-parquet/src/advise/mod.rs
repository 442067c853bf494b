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
mod opened;
mod promise;
mod readable;
mod settings;
mod source;
mod table;
mod trial;
mod values;

pub use advisor::Advisor;
pub use array_file::RAW_ENDINGS;
pub use settings::Settings;
pub use trial::Candidate;

use crate::contained::contained;
use crate::readers::{Readers, ValueType};
use crate::{Encoding, Encodings, Error, Goal, Problem, Result, compression_name};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytelane::Detected;
use files::Files;
use parquet::basic::{Compression, CompressionCodec};
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::ColumnDescriptor;
use promise::Promise;
use source::{Sampled, Source};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use trial::Trials;
use values::Values;

/// What to optimise for, and how to sample.
#[derive(Clone, PartialEq, Debug)]
pub struct AdviseOptions {
    goal: Goal,
    readers: Readers,
    encodings: Encodings,
    compression: Option<Compression>,
    compressions: Vec<Compression>,
    rows: usize,
    exact: bool,
    threads: Option<NonZero<usize>>,
    backend: Detected,
}

impl Default for AdviseOptions {
    /// A balanced choice for pyarrow, duckdb and polars; for Parquet files with the compression that they have, for
    /// others with zstd at level 1; from row groups with a million rows of each column.
    fn default() -> Self {
        Self {
            goal: Goal::default(),
            readers: Readers::default(),
            encodings: Encodings::default(),
            compression: None,
            compressions: Vec::new(),
            rows: 1 << 20,
            exact: false,
            threads: None,
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

    /// The encodings to choose from. All that are usual are tried, and [previews](Encoding::is_preview) where they are
    /// among these.
    #[must_use]
    pub fn with_encodings(mut self, encodings: Encodings) -> Self {
        self.encodings = encodings;
        self
    }

    /// The compression to assume; otherwise, columns of Parquet files keep theirs.
    #[must_use]
    pub fn with_compression(mut self, compression: Compression) -> Self {
        self.compression = Some(compression);
        self
    }

    /// Further compressions to try, for comparison.
    #[must_use]
    pub fn with_comparisons(mut self, compressions: Vec<Compression>) -> Self {
        self.compressions = compressions;
        self
    }

    /// About how many rows of a column are looked at: those of row groups from all over the file, of at least four if
    /// there are as many. Parts of them are encoded.
    #[must_use]
    pub fn with_rows(mut self, rows: usize) -> Self {
        self.rows = rows.max(1);
        self
    }

    /// Whether to encode all rows with the choice, so that the new size is not an estimate.
    #[must_use]
    pub fn with_exact_sizes(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// How many columns are tried at the same time; by default as many as the machine has cores. Only the speeds that
    /// are measured depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// The instruction set of the kernels.
    #[must_use]
    pub fn with_backend(mut self, backend: Detected) -> Self {
        self.backend = backend;
        self
    }

    /// All compressions to try where this one is assumed, each once.
    fn all_compressions(&self, assumed: Compression) -> Vec<Compression> {
        let others = self.compressions.iter().filter(|other| **other != assumed);
        std::iter::once(assumed).chain(others.copied()).collect()
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
    /// The current size in bytes: that in the file or, for an array or a table, that with pyarrow's default encoding,
    /// a dictionary, which becomes PLAIN where the dictionary exceeds 1 MiB.
    pub bytes_now: u64,
    /// The size in bytes in PLAIN, for comparison.
    pub bytes_plain: Option<u64>,
    /// The best encoding; if row groups differ, that of most bytes.
    pub encoding: Encoding,
    /// The compression that is assumed.
    pub compression: String,
    /// The size in bytes that `rewrite` makes of it, estimated from some of the rows.
    pub bytes_then: u64,
    /// Whether `rewrite` leaves it as it is, because nothing is better.
    pub keep: bool,
    /// Why it cannot be re-encoded.
    pub obstacle: Option<String>,
    /// Why it is re-encoded even if that does not make it smaller.
    #[serde(default)]
    pub reason: Option<String>,
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
    advisor.advise_rest(|_| ControlFlow::Continue(()))?;
    Ok(advisor.advice())
}

/// The advice for the leaves of a column. What cannot be judged is left unchanged.
fn advise_column(
    source: &Source,
    column: usize,
    options: &AdviseOptions,
) -> Result<Vec<ColumnAdvice>> {
    let advice = contained(|| judge(source, column, options));
    match (advice, source) {
        (Err(error), Source::Parquet(files)) if error.is_obstacle() => {
            let leaves = files.described(column);
            let leaves = leaves.iter();
            leaves.map(|leaf| unjudged(files, leaf, &error)).collect()
        }
        (advice, _) => advice,
    }
}

/// A leaf of a column that cannot be judged.
fn unjudged(files: &Files, leaf: &ColumnDescriptor, why: &Error) -> Result<ColumnAdvice> {
    let now = Now::of(files.metadata(), leaf)?;
    Ok(ColumnAdvice {
        path: leaf.path().string(),
        column_type: column_type(leaf),
        rows: files.rows(),
        nulls: 0,
        rows_tried: 0,
        distinct: None,
        entropy_bits: None,
        now: Some(now.text()),
        bytes_now: now.bytes,
        bytes_plain: None,
        encoding: Encoding::Plain,
        compression: String::new(),
        bytes_then: now.bytes,
        keep: true,
        obstacle: Some(why.problem().to_string()),
        reason: None,
        candidates: Vec::new(),
    })
}

fn judge(source: &Source, column: usize, options: &AdviseOptions) -> Result<Vec<ColumnAdvice>> {
    let promises = Promise::of(source, column, options)?;
    let sampled = source.sample(column, options.rows.min(MEASURED))?;
    let assumed = match source {
        Source::Parquet(files) => files.compression(column),
        Source::Array(_) | Source::Table(_) => None,
    };
    let compression = options.compression.or(assumed);
    let compression = compression.unwrap_or(options.compression_or_default());
    // Other compressions are judged by what these rows become.
    let timed = match options.compressions.is_empty() {
        true => sampled.front(source.rows() as usize / TIMED),
        false => sampled.front(sampled.rows),
    };
    let trials = Trials::of(&timed, compression, options)?;
    let leaves = sampled.leaves.iter().zip(&promises).enumerate();
    let advice = leaves.map(|(index, (leaf, promise))| {
        let candidates = trials.of_leaf(index, leaf, sampled.has_dictionary, options);
        let foretold = Foretold {
            promise,
            compression,
            candidates,
            rows_timed: timed.rows,
        };
        advise_leaf(source, &sampled, leaf, foretold)
            .map_err(|error| error.in_column(leaf.path().string()))
    });
    advice.collect()
}

/// Rows whose values are counted, and of which speeds are measured.
const MEASURED: usize = 1 << 14;
/// Of small files, speeds are measured with one in so many rows, because all encodings are written and read.
const TIMED: usize = 16;

/// What is known of a leaf when the advice is put together.
struct Foretold<'a> {
    promise: &'a Promise,
    compression: Compression,
    candidates: Vec<Candidate>,
    /// Rows that the candidates are of.
    rows_timed: usize,
}

fn advise_leaf(
    source: &Source,
    sampled: &Sampled,
    leaf: &ColumnDescriptor,
    foretold: Foretold<'_>,
) -> Result<ColumnAdvice> {
    let Foretold {
        promise,
        compression,
        mut candidates,
        rows_timed,
    } = foretold;
    let rows = source.rows();
    let scale_from = |some: usize| rows as f64 / some.max(1) as f64;
    let in_file = match source {
        Source::Parquet(files) => Some(Now::of(files.metadata(), leaf)?),
        Source::Array(_) | Source::Table(_) => None,
    };
    let file_bytes = in_file.as_ref().map(|now| now.bytes);
    let name = compression_name(compression);
    for candidate in &mut candidates {
        let whole = promise.bytes_in(candidate.encoding, rows, file_bytes);
        let whole = whole.filter(|_| candidate.compression == name);
        candidate.extrapolate(whole, scale_from(rows_timed));
    }
    let default = candidates.iter().find(|candidate| {
        candidate.compression == name && candidate.encoding == Encoding::Dictionary
    });
    let bytes_then = promise.bytes(rows, file_bytes);
    let default = default.map_or(bytes_then, |default| default.bytes);
    let plain = candidates
        .iter()
        .find(|candidate| candidate.compression == name && candidate.encoding == Encoding::Plain);
    let values = Values::of(sampled, leaf)?;
    let nulls = (values.nulls as f64 * scale_from(sampled.rows)) as u64;
    Ok(ColumnAdvice {
        path: leaf.path().string(),
        column_type: column_type(leaf),
        rows,
        nulls,
        rows_tried: promise.rows,
        distinct: values.distinct(rows.saturating_sub(nulls)),
        entropy_bits: values.entropy,
        now: in_file.map(|now| now.text()),
        bytes_now: file_bytes.unwrap_or(default),
        bytes_plain: plain.map(|plain| plain.bytes),
        encoding: promise.encoding().unwrap_or(Encoding::Plain),
        compression: name,
        bytes_then,
        keep: !promise.changes,
        obstacle: promise.obstacle.clone(),
        reason: promise.reason.clone(),
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
