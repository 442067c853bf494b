//! Finds the best encoding for each column of a file by trying every encoding with every compression on
//! samples.
//!
//! ```no_run
//! use bytelane_parquet_files::advise::{AdviseOptions, advise};
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
mod options;
mod outcome;
mod parquet_file;
mod promise;
mod settings;
mod source;
mod table;
mod trial;
mod values;

pub use advisor::Advisor;
pub use array_file::RAW_ENDINGS;
pub use options::AdviseOptions;
pub use outcome::{Advice, Alternative, ColumnAdvice, Settings};
pub use trial::Candidate;

use crate::rewrite::plan::int96;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::compatibility::ValueType;
use bytelane_parquet::{Encoding, Error, Problem, Result, compression_name};
use files::Files;
use parquet::basic::{Compression, CompressionCodec, Type, ZstdLevel};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescriptor;
use promise::Promise;
use source::Source;
use std::ops::ControlFlow;
use std::path::Path;
use trial::{Trials, share_with};
use values::Sampled;
use values::Values;

/// Tries every encoding and compression on samples of a file's columns.
///
/// Reads Parquet files, `.npy`, and raw little-endian numbers with the extensions `.f32 .sp .f64 .dp .i32
/// .i64`. Keeps several copies of a column's sample in memory and, for Parquet, the reader's buffers for a
/// row group.
///
/// # Errors
///
/// Returns an error, with its place, if the file cannot be read.
pub fn advise(path: impl AsRef<Path>, options: &AdviseOptions) -> Result<Advice> {
    all(Advisor::open(path, options)?)
}

/// Does the same as [`advise`] for rows in memory.
///
/// # Errors
///
/// Returns [`Problem::Input`] if the columns of the batches differ from the schema, and an error for types
/// that Parquet does not have.
///
/// ```
/// use arrow_array::{Float32Array, RecordBatch};
/// use bytelane_parquet_files::advise::{AdviseOptions, advise_batches};
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

/// Advises on all columns.
fn all(mut advisor: Advisor) -> Result<Advice> {
    advisor.advise_rest(|_| ControlFlow::Continue(()))?;
    Ok(advisor.advice())
}

/// Advises on the leaves of a column. Leaves that cannot be judged are reported as unchanged.
fn advise_column(
    source: &Source,
    column: usize,
    options: &AdviseOptions,
) -> Result<Vec<ColumnAdvice>> {
    let advice = catch_panic(|| judge(source, column, options));
    let Source::Parquet(files) = source else {
        return advice;
    };
    let mut advice = match advice {
        Err(error)
            if error.is_obstacle() || error.is_of_memory() || has_nested_int96(files, column) =>
        {
            let error = if has_nested_int96(files, column) {
                Problem::Unsupported(int96()).into()
            } else {
                error
            };
            let leaves = files.described(column);
            let leaves = leaves.iter();
            leaves.map(|leaf| unjudged(files, leaf, &error)).collect()
        }
        advice => advice,
    }?;
    if options.exact {
        measure(files, column, options, &mut advice)?;
    }
    Ok(advice)
}

/// Returns whether a nested column has an INT96 leaf. The crate `parquet` panics on some of these.
fn has_nested_int96(files: &Files, column: usize) -> bool {
    let leaves = files.described(column);
    let mut nested = leaves.iter().filter(|leaf| leaf.path().parts().len() > 1);
    nested.any(|leaf| leaf.physical_type() == Type::INT96)
}

/// Replaces the estimates for the leaves of a column by the outcome of a rewrite.
fn measure(
    files: &Files,
    column: usize,
    options: &AdviseOptions,
    advice: &mut [ColumnAdvice],
) -> Result<()> {
    let rewritten = files.rewritten(column, &options.rewrite())?;
    for (leaf, advice) in advice.iter_mut().enumerate() {
        let chunks = || rewritten.iter().filter_map(|leaves| leaves.get(leaf));
        advice.bytes_then = chunks().map(|chunk| chunk.after.bytes).sum();
        advice.keep = chunks().all(|chunk| chunk.rewritten == 0);
        advice.obstacle = chunks().find_map(|chunk| chunk.obstacle.clone());
        advice.rows_tried = advice.rows;
        let largest = chunks().max_by_key(|chunk| chunk.after.bytes);
        let names = largest.map(|chunk| chunk.after.encodings.iter());
        if let Some(encoding) = names.and_then(promise::current) {
            advice.encoding = encoding;
        }
        let chosen = advice.candidates.iter_mut().find(|candidate| {
            candidate.encoding == advice.encoding && candidate.compression == advice.compression
        });
        if let Some(chosen) = chosen {
            chosen.extrapolate(Some(advice.bytes_then), 1.0);
        }
    }
    Ok(())
}

/// Returns the advice for a leaf that cannot be judged.
fn unjudged(files: &Files, leaf: &ColumnDescriptor, why: &Error) -> Result<ColumnAdvice> {
    let now = Now::of(files.metadata(), leaf)?;
    Ok(ColumnAdvice {
        path: leaf.path().string(),
        column_type: column_type(leaf),
        rows: files.rows(),
        nulls: now.nulls.unwrap_or(0),
        nulls_estimated: now.nulls.is_none(),
        rows_tried: 0,
        distinct: None,
        distinct_estimated: false,
        entropy_bits: None,
        now: Some(now.text()),
        bytes_now: now.bytes,
        bytes_plain: None,
        encoding: now.encoding(),
        compression: now.compression(),
        bytes_then: now.bytes,
        page_rows: None,
        page_bytes: None,
        keep: true,
        obstacle: Some(why.problem().to_string()),
        reason: None,
        alternative: None,
        candidates: Vec::new(),
    })
}

fn judge(source: &Source, column: usize, options: &AdviseOptions) -> Result<Vec<ColumnAdvice>> {
    let promises = Promise::of(source, column, options)?;
    let sampled = source.sample(column, options.rows().min(MEASURED))?;
    let promised = promises.iter().find_map(|promise| promise.compression);
    let assumed = promised.or_else(|| match source {
        Source::Parquet(files) => files.compression(column),
        Source::Array(_) | Source::Table(_) => None,
    });
    let compression = options.compression.or(assumed);
    let compression = compression.unwrap_or(options.compression_or_default());
    // Other compressions are judged by the size of all sampled rows.
    let timed = if options.compare.is_empty() {
        sampled.front(source.rows() as usize / TIMED)
    } else {
        sampled.front(sampled.rows)
    };
    let all = sampled.front(sampled.rows);
    let stronger = stronger(compression)?;
    let trials = Trials::of(&timed, compression, options)?;
    let leaves = sampled.leaves.iter().zip(&promises).enumerate();
    let advice = leaves.map(|(index, (leaf, promise))| {
        let encoding = promise.encoding().filter(|_| promise.obstacle.is_none());
        let share = encoding.map(|encoding| {
            let compressions = [compression, stronger];
            share_with(&all, index, encoding, compressions, options)
        });
        let candidates = trials.of_leaf(index, leaf, sampled.has_dictionary, options);
        let foretold = Foretold {
            promise,
            compression,
            candidates,
            rows_timed: timed.rows,
            stronger: share.transpose()?.map(|share| (stronger, share)),
        };
        advise_leaf(source, &sampled, leaf, foretold)
            .map_err(|error| error.in_column(leaf.path().string()))
    });
    advice.collect()
}

/// Number of rows whose values are counted and whose speeds are measured.
const MEASURED: usize = 1 << 14;
/// For small files, speeds are measured on one in this many rows, because all encodings are written and read.
const TIMED: usize = 16;

/// Facts about a leaf from which its advice is made.
struct Foretold<'a> {
    promise: &'a Promise,
    compression: Compression,
    candidates: Vec<Candidate>,
    /// Number of rows that were used for the candidates.
    rows_timed: usize,
    /// Another compression, and its size relative to the assumed one.
    stronger: Option<(Compression, f64)>,
}

/// Returns the compression to compare with the assumed one.
fn stronger(assumed: Compression) -> Result<Compression> {
    let level = match assumed {
        Compression::ZSTD(_) => 9,
        _ => 3,
    };
    Ok(Compression::ZSTD(ZstdLevel::try_new(level)?))
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
        stronger,
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
    let estimated = (values.nulls as f64 * scale_from(sampled.rows)) as u64;
    let known = in_file.as_ref().and_then(|now| now.nulls);
    let tally = promise.tally.as_ref();
    let known = known.or_else(|| tally?.nulls(rows));
    let known = known.or((sampled.rows as u64 == rows).then_some(estimated));
    // A count from some of the rows says nothing about the others, which may have the same or different
    // values.
    let distinct = tally.and_then(|tally| tally.count(rows));
    let of_all = values.distinct.filter(|_| sampled.rows as u64 == rows);
    let distinct = distinct.or(of_all.map(|count| (count, true)));
    let alternative = stronger.map(|(compression, share)| Alternative {
        compression: compression_name(compression),
        bytes: (bytes_then as f64 * share) as u64,
    });
    // A requested compression does not apply to columns that cannot be re-encoded.
    let compression = match (&promise.obstacle, &in_file) {
        (Some(_), Some(now)) => now.compression(),
        // Another leaf of the column may have another level.
        _ => promise.compression.map_or(name, compression_name),
    };
    Ok(ColumnAdvice {
        path: leaf.path().string(),
        column_type: column_type(leaf),
        rows,
        nulls: known.unwrap_or(estimated),
        nulls_estimated: known.is_none(),
        rows_tried: promise.rows,
        distinct: distinct.map(|(count, _)| count),
        distinct_estimated: distinct.is_some_and(|(_, is_exact)| !is_exact),
        entropy_bits: values.entropy,
        now: in_file.map(|now| now.text()),
        bytes_now: file_bytes.unwrap_or(default),
        bytes_plain: plain.map(|plain| plain.bytes),
        encoding: promise.encoding().unwrap_or(Encoding::Plain),
        compression,
        bytes_then,
        page_rows: promise.pages.map(|pages| pages.rows as u64),
        page_bytes: promise.pages.map(|pages| pages.bytes as u64),
        keep: !promise.changes,
        obstacle: promise.obstacle.clone(),
        reason: promise.reason.clone(),
        alternative,
        candidates,
    })
}

/// Current state of a leaf in Parquet files.
struct Now {
    bytes: u64,
    encodings: Vec<parquet::basic::Encoding>,
    codecs: Vec<CompressionCodec>,
    compression: Option<Compression>,
    /// Number of nulls, if the statistics of all row groups have it.
    nulls: Option<u64>,
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
            compression: None,
            nulls: Some(0),
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
            let nulls = chunk.statistics().and_then(Statistics::null_count_opt);
            self.nulls = self
                .nulls
                .zip(nulls)
                .map(|(sum, nulls)| sum.saturating_add(nulls));
            self.compression = self.compression.or(Some(chunk.compression()));
            let codec = CompressionCodec::from(chunk.compression());
            if !self.codecs.contains(&codec) {
                self.codecs.push(codec);
            }
        }
        Ok(())
    }

    /// Returns the encoding to request from a writer so that it produces the same pages.
    fn encoding(&self) -> Encoding {
        let names = self.encodings.iter();
        let names = names.map(|encoding| encoding.to_string().to_lowercase());
        promise::current(names).unwrap_or(Encoding::Plain)
    }

    fn compression(&self) -> String {
        let compression = self.compression.unwrap_or(Compression::UNCOMPRESSED);
        compression_name(compression)
    }

    fn text(&self) -> String {
        let encodings: Vec<String> = self.encodings.iter().map(ToString::to_string).collect();
        let codecs: Vec<String> = self.codecs.iter().map(ToString::to_string).collect();
        format!("{} {}", encodings.join("+"), codecs.join("+"))
    }
}

/// Returns whether levels use this encoding, alone or along with values.
fn is_of_levels(encoding: parquet::basic::Encoding) -> bool {
    #[expect(deprecated, reason = "old files have levels in it")]
    let packed = parquet::basic::Encoding::BIT_PACKED;
    encoding == packed || encoding == parquet::basic::Encoding::RLE
}

/// Formats a type for users: `DOUBLE`, `INT64 (Timestamp)`, `FIXED_LEN_BYTE_ARRAY(16)`.
fn column_type(leaf: &ColumnDescriptor) -> String {
    match ValueType::of(leaf) {
        ValueType::Float16 => "FLOAT16".to_owned(),
        ValueType::Fixed => format!("FIXED_LEN_BYTE_ARRAY({})", leaf.type_length()),
        _ => crate::inspect::column_type(leaf),
    }
}
