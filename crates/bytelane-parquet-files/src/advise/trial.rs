//! Writes and reads a sample in every way.

use super::options::AdviseOptions;
use super::values::Sampled;
use bytelane_parquet::compatibility::ValueType;
use bytelane_parquet::{Encoding, Reader, Result, Writer, WriterOptions, compression_name};
use bytes::Bytes;
use parquet::basic::{Compression, Type};
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::ColumnDescriptor;
use std::time::{Duration, Instant};

/// Number of repetitions; the fastest one counts.
const TURNS: usize = 2;

/// Minimum number of rows for which repetitions are worthwhile.
const WORTH_ROWS: usize = 4096;

/// Way to write a column, with its result for the sample.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Candidate {
    /// Encoding of the values.
    pub encoding: Encoding,
    /// Compression, in the syntax of `--compression`.
    pub compression: String,
    /// Estimated size of the column in bytes, including page headers.
    pub bytes: u64,
    /// Size in uncompressed PLAIN divided by this size.
    pub ratio: f64,
    /// Write speed in memory, in MiB of uncompressed PLAIN values per second; for nested columns, that of the
    /// whole column.
    pub write_mib_s: f64,
    /// Read speed, in the same unit.
    pub read_mib_s: f64,
    /// First of the readers that cannot read it.
    pub obstacle: Option<String>,
    /// Set if the format calls the encoding a preview: [`Encoding::is_preview`].
    #[serde(default)]
    pub preview: bool,
}

impl Candidate {
    /// Extrapolates from the sample to the whole column: to `whole` if its size is known, otherwise in
    /// proportion.
    pub(super) fn extrapolate(&mut self, whole: Option<u64>, scale: f64) {
        let proportional = self.bytes as f64 * scale;
        let whole = whole.unwrap_or(proportional as u64);
        self.ratio *= proportional / (whole as f64).max(1.0);
        self.bytes = whole;
    }
}

impl AdviseOptions {
    /// Returns whether to try an encoding. Previews have to be requested. All others are tried, since they
    /// are shown for comparison even if they may not be chosen.
    fn tries(&self, encoding: Encoding) -> bool {
        let encodings = self.encodings.as_ref();
        !encoding.is_preview() || encodings.is_some_and(|it| it.contains(encoding))
    }
}

/// Sample written in one way.
struct Trial {
    encoding: Encoding,
    compression: Compression,
    metadata: ParquetMetaData,
    write: Duration,
    read: Duration,
}

/// Sample written in all ways.
pub(super) struct Trials(Vec<Trial>);

impl Trials {
    pub(super) fn of(
        sampled: &Sampled,
        compression: Compression,
        options: &AdviseOptions,
    ) -> Result<Self> {
        let mut trials = Vec::new();
        for encoding in Encoding::ALL
            .iter()
            .copied()
            .filter(|it| *it != Encoding::Auto && options.tries(*it))
        {
            let leaves = sampled.leaves.iter();
            if !leaves
                .into_iter()
                .any(|leaf| encoding.exists_for(leaf.physical_type()))
            {
                continue;
            }
            for compression in options.all_compressions(compression) {
                trials.push(Trial::of(sampled, encoding, compression, options)?);
            }
        }
        Ok(Self(trials))
    }

    /// Returns the results for one of the leaves.
    pub(super) fn of_leaf(
        &self,
        index: usize,
        leaf: &ColumnDescriptor,
        is_dictionary: bool,
        options: &AdviseOptions,
    ) -> Vec<Candidate> {
        let is_dictionary = is_dictionary && leaf.physical_type() == Type::BYTE_ARRAY;
        let plain = |index: &dyn Fn(&ParquetMetaData) -> i64| {
            let found = self
                .0
                .iter()
                .find(|trial| trial.encoding == Encoding::Plain);
            found.map_or(0, |trial| index(&trial.metadata)) as f64
        };
        let of_leaf = plain(&|metadata| uncompressed(metadata, index));
        let leaves =
            |metadata: &ParquetMetaData| metadata.file_metadata().schema_descr().num_columns();
        let of_column = plain(&|metadata| {
            (0..leaves(metadata))
                .map(|index| uncompressed(metadata, index))
                .sum()
        });
        let speed = |time: Duration| of_column / f64::from(1 << 20) / time.as_secs_f64().max(1e-9);
        let possible = self
            .0
            .iter()
            .filter(|trial| trial.encoding.exists_for(leaf.physical_type()));
        let candidates = possible.map(|trial| {
            let bytes = compressed(&trial.metadata, index);
            let obstacle = if is_dictionary {
                options.readers.obstacle_to_dictionary(trial.encoding)
            } else {
                options
                    .readers
                    .obstacle(trial.encoding, ValueType::of(leaf))
            };
            Candidate {
                encoding: trial.encoding,
                compression: compression_name(trial.compression),
                bytes: bytes.max(0) as u64,
                ratio: of_leaf / bytes.max(1) as f64,
                write_mib_s: speed(trial.write),
                read_mib_s: speed(trial.read),
                obstacle: obstacle.map(ToString::to_string),
                preview: trial.encoding.is_preview(),
            }
        });
        candidates.collect()
    }
}

/// Returns the size of a leaf with another compression, relative to the assumed one.
pub(super) fn share_with(
    sampled: &Sampled,
    leaf: usize,
    encoding: Encoding,
    [assumed, other]: [Compression; 2],
    options: &AdviseOptions,
) -> Result<f64> {
    let bytes = |compression| {
        let trial = Trial::of(sampled, encoding, compression, options)?;
        Ok::<f64, bytelane_parquet::Error>(compressed(&trial.metadata, leaf) as f64)
    };
    Ok(bytes(other)? / bytes(assumed)?.max(1.0))
}

fn compressed(metadata: &ParquetMetaData, leaf: usize) -> i64 {
    metadata
        .row_groups()
        .iter()
        .map(|group| group.column(leaf).compressed_size())
        .sum()
}

fn uncompressed(metadata: &ParquetMetaData, leaf: usize) -> i64 {
    metadata
        .row_groups()
        .iter()
        .map(|group| group.column(leaf).uncompressed_size())
        .sum()
}

impl Trial {
    fn of(
        sampled: &Sampled,
        encoding: Encoding,
        compression: Compression,
        options: &AdviseOptions,
    ) -> Result<Self> {
        let writer = WriterOptions::default()
            .with_encoding(encoding)
            .with_compression(compression)
            .with_readers(options.readers.clone())
            .with_backend(options.backend);
        // With only a few rows, a precise speed is not worth the time.
        let turns = if sampled.rows < WORTH_ROWS { 1 } else { TURNS };
        let (mut write, mut read) = (Duration::MAX, Duration::MAX);
        let mut last = None;
        for _ in 0..turns {
            let start = Instant::now();
            let mut file = Vec::new();
            let mut writer = Writer::try_new(&mut file, sampled.schema.clone(), writer.clone())?;
            sampled
                .batches
                .iter()
                .try_for_each(|batch| writer.write(batch))?;
            let written = writer.close()?;
            write = write.min(start.elapsed());

            let file = Bytes::from(file);
            let start = Instant::now();
            for batch in Reader::builder(file)?
                .with_backend(options.backend)
                .build()?
            {
                std::hint::black_box(batch?);
            }
            read = read.min(start.elapsed());
            last = Some(written.metadata);
        }
        let metadata =
            last.ok_or_else(|| bytelane_parquet::Error::corrupt("nothing was written"))?;
        Ok(Self {
            encoding,
            compression,
            metadata,
            write,
            read,
        })
    }
}
