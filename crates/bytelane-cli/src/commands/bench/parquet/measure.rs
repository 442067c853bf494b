//! Measures one column with each layout.

use super::input::{Column, Input};
use anyhow::{Context, ensure};
use arrow_array::RecordBatch;
use bytelane::{Backend, Detected, Unavailable};
use bytelane_measure::data::ElementType;
use bytelane_measure::rounds::{Measurement, Rounds, Subject};
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::parquet::file::reader::{FileReader, SerializedFileReader};
use bytelane_parquet::{Encoding, Goal, Reader, Writer, WriterOptions, compression_name};
use bytes::Bytes;
use serde::Serialize;
use std::hint::black_box;

/// Plan: how to measure.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Encodings to measure; all but [`Encoding::Auto`] if empty.
    pub encodings: Vec<Encoding>,
    /// Goal of [`Encoding::Auto`].
    pub goal: Goal,
    /// Compression of the compressed layouts.
    pub compression: Compression,
    pub rounds: Rounds,
}

/// Result for a column in one layout.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParquetRow {
    /// Name of the input.
    pub file: String,
    /// Type of the values.
    #[serde(rename = "type")]
    pub element_type: String,
    /// Number of values.
    pub values: usize,
    /// Bytes of the values.
    pub bytes: usize,
    /// Encoding of the values.
    pub encoding: String,
    /// Compression of the pages.
    pub compression: String,
    /// Instruction set, or `parquet` if the crate of that name did the work.
    pub backend: String,
    /// Bytes of the values divided by bytes of the file.
    pub ratio: f64,
    /// Write throughput in MiB of values per second, from an array to memory.
    pub write_mib_s: f64,
    /// Read throughput in MiB of values per second, from memory to arrays.
    pub read_mib_s: f64,
    /// zstd's share of the write time and of the read time, for BYTE_STREAM_SPLIT.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zstd_share: Option<[f64; 2]>,
    /// Encoding that `auto` chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// Share of the write time spent on choosing: the rest after subtracting the time of the chosen
    /// encoding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice_share_of_write: Option<f64>,
    /// Entropy in bits per value, in the sweep of entropies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy_bits: Option<f64>,
}

impl ParquetRow {
    /// Returns whether its pages are compressed.
    pub fn is_compressed(&self) -> bool {
        self.compression != "none"
    }
}

/// Measures the layouts of an input, which take turns.
///
/// # Errors
/// The input cannot be read, or a round trip changes it.
pub fn measure(plan: &Plan, input: &Input) -> anyhow::Result<Vec<ParquetRow>> {
    let column = input.load()?;
    measure_column(plan, &column).with_context(|| column.name.clone())
}

/// Layout of a column: encoding, compression and backend.
#[derive(Clone, Copy, Debug)]
struct Way {
    encoding: Encoding,
    compression: Compression,
    /// Backend of the kernels, if they are used.
    backend: Option<Backend>,
    goal: Goal,
}

impl Way {
    /// Returns the layouts of the published experiment, ALP for floats, and [`Encoding::Auto`] on
    /// request.
    fn all(plan: &Plan, element: ElementType) -> Vec<Self> {
        let compressed = plan.compression;
        let by_parquet = |encoding, compression| Self {
            encoding,
            compression,
            backend: None,
            goal: plan.goal,
        };
        let mut ways = vec![
            by_parquet(Encoding::Plain, Compression::UNCOMPRESSED),
            by_parquet(Encoding::Dictionary, Compression::UNCOMPRESSED),
            by_parquet(Encoding::Plain, compressed),
            by_parquet(Encoding::Dictionary, compressed),
        ];
        let in_alp = |compression| Self {
            backend: Some(Backend::active()),
            ..by_parquet(Encoding::Alp, compression)
        };
        let is_float = matches!(element, ElementType::F32 | ElementType::F64);
        ways.extend(is_float.then(|| in_alp(Compression::UNCOMPRESSED)));
        let mut backends = vec![Backend::Scalar, Backend::active()];
        backends.dedup();
        ways.extend(backends.into_iter().map(|backend| Self {
            backend: Some(backend),
            ..by_parquet(Encoding::ByteStreamSplit, compressed)
        }));
        ways.extend(is_float.then(|| in_alp(compressed)));
        ways.retain(|way| plan.encodings.is_empty() || plan.encodings.contains(&way.encoding));
        if plan.encodings.contains(&Encoding::Auto) {
            ways.push(by_parquet(Encoding::Auto, compressed));
        }
        ways
    }

    fn name(&self) -> String {
        let compression = compression_name(self.compression);
        format!("{} {compression} {}", self.encoding, self.worker())
    }

    fn is_split(&self) -> bool {
        self.encoding == Encoding::ByteStreamSplit
    }

    fn worker(&self) -> &'static str {
        self.backend.map_or("parquet", Backend::name)
    }

    fn kernels(&self) -> Result<Detected, Unavailable> {
        Detected::new(self.backend.unwrap_or(Backend::active()))
    }

    /// Writes a file and returns the encoding of its values.
    fn write_to(&self, file: &mut Vec<u8>, batch: &RecordBatch) -> anyhow::Result<Encoding> {
        let options = WriterOptions::default()
            .with_encoding(self.encoding)
            .with_goal(self.goal)
            .with_row_group_size(usize::MAX)
            .with_compression(self.compression)
            .with_backend(self.kernels()?);
        let mut writer = Writer::try_new(file, batch.schema(), options)?;
        writer.write(batch)?;
        let written = writer.close()?.encodings;
        Ok(written.first().map_or(self.encoding, |columns| columns[0]))
    }

    /// Returns a subject that writes `batch`, which has been written before without an error.
    fn writing(self, batch: &RecordBatch) -> Subject<'_> {
        let mut file = Vec::new();
        Subject::new(self.name(), move |_| {
            file.clear();
            let _ = self.write_to(&mut file, black_box(batch));
            black_box(&file);
        })
    }

    /// Replaces [`Encoding::Auto`] by the encoding that it chooses.
    fn chosen(self, batch: &RecordBatch) -> anyhow::Result<Self> {
        Ok(Self {
            encoding: self.write_to(&mut Vec::new(), batch)?,
            ..self
        })
    }

    fn read(&self, file: &Bytes, mut take: impl FnMut(RecordBatch)) -> anyhow::Result<()> {
        let reader = Reader::builder(file.clone())?.with_backend(self.kernels()?);
        for batch in reader.build()? {
            take(batch?);
        }
        Ok(())
    }
}

fn measure_column(plan: &Plan, column: &Column) -> anyhow::Result<Vec<ParquetRow>> {
    let batch = RecordBatch::try_from_iter([("values", column.array.clone())])?;
    let ways = Way::all(plan, column.element);
    ensure!(
        !ways.is_empty(),
        "none of these encodings can be measured for these columns"
    );
    let mut files = Vec::new();
    for way in &ways {
        let mut file = Vec::new();
        way.write_to(&mut file, &batch)?;
        let file = Bytes::from(file);
        check_round_trip(way, &file, &batch).with_context(|| way.name())?;
        files.push(file);
    }
    let zstd = Zstd::of(&ways, &files)?;
    let mut writes: Vec<Subject> = Vec::new();
    let mut reads: Vec<Subject> = Vec::new();
    for (way, content) in ways.iter().zip(&files) {
        writes.push(way.writing(&batch));
        reads.push(Subject::new(way.name(), move |_| {
            // The file has been read before without an error.
            let _ = way.read(black_box(content), |batch| drop(black_box(batch)));
        }));
    }
    if let Some(zstd) = &zstd {
        writes.push(zstd.compress()?);
        reads.push(zstd.decompress()?);
    }
    let auto = ways.iter().find(|way| way.encoding == Encoding::Auto);
    let chosen = auto.map(|way| way.chosen(&batch)).transpose()?;
    writes.extend(chosen.map(|way| way.writing(&batch)));
    let (written, read) = (plan.rounds.measure(writes), plan.rounds.measure(reads));
    let mib_s = |measured: &Measurement| {
        column.bytes as f64 / f64::from(1 << 20) / (measured.nanoseconds / 1e9)
    };
    let share = |measured: &[Measurement], index: usize| {
        measured[ways.len()].nanoseconds / measured[index].nanoseconds
    };
    // The chosen encoding is measured last.
    let share_of_choice =
        |index: usize| 1.0 - written[written.len() - 1].nanoseconds / written[index].nanoseconds;
    let of_choice = |way: &Way| chosen.filter(|_| way.encoding == Encoding::Auto);
    let rows = ways.iter().enumerate().map(|(index, way)| ParquetRow {
        file: column.name.clone(),
        element_type: column.element.to_string(),
        values: column.array.len(),
        bytes: column.bytes,
        encoding: way.encoding.to_string(),
        compression: compression_name(way.compression),
        backend: way.worker().to_owned(),
        ratio: column.bytes as f64 / files[index].len() as f64,
        write_mib_s: mib_s(&written[index]),
        read_mib_s: mib_s(&read[index]),
        zstd_share: (zstd.is_some() && way.is_split())
            .then(|| [share(&written, index), share(&read, index)]),
        chosen: of_choice(way).map(|chosen| chosen.encoding.to_string()),
        choice_share_of_write: of_choice(way).map(|_| share_of_choice(index)),
        entropy_bits: column.entropy_bits,
    });
    Ok(rows.collect())
}

/// Zstd by itself, for a file of BYTE_STREAM_SPLIT pages.
struct Zstd {
    level: i32,
    /// Pages before and after compression.
    pages: Vec<(Bytes, Vec<u8>)>,
}

impl Zstd {
    /// Takes the pages of the last BYTE_STREAM_SPLIT file, if it is compressed with zstd.
    fn of(ways: &[Way], files: &[Bytes]) -> anyhow::Result<Option<Self>> {
        let mut split = ways.iter().zip(files).filter(|(way, _)| way.is_split());
        let Some((way, file)) = split.next_back() else {
            return Ok(None);
        };
        let Compression::ZSTD(level) = way.compression else {
            return Ok(None);
        };
        let level = level.compression_level();
        let reader = SerializedFileReader::new(file.clone())?;
        let mut pages = Vec::new();
        for page in reader.get_row_group(0)?.get_column_page_reader(0)? {
            let page = page?.buffer().clone();
            let compressed = zstd::bulk::compress(&page, level)?;
            pages.push((page, compressed));
        }
        Ok(Some(Self { level, pages }))
    }

    fn compress(&self) -> anyhow::Result<Subject<'_>> {
        let mut context = zstd::bulk::Compressor::new(self.level)?;
        let mut output = Vec::new();
        Ok(Subject::new("zstd", move |_| {
            for (page, _) in &self.pages {
                output.clear();
                output.reserve(zstd::zstd_safe::compress_bound(page.len()));
                // The output is large enough, so this succeeds.
                let _ = context.compress_to_buffer(black_box(page.as_ref()), &mut output);
                black_box(&output);
            }
        }))
    }

    fn decompress(&self) -> anyhow::Result<Subject<'_>> {
        let mut context = zstd::bulk::Decompressor::new()?;
        let mut output = Vec::new();
        Ok(Subject::new("zstd", move |_| {
            for (page, compressed) in &self.pages {
                output.clear();
                output.reserve(page.len());
                let _ = context.decompress_to_buffer(black_box(compressed.as_slice()), &mut output);
                black_box(&output);
            }
        }))
    }
}

/// Checks the round trip, because a benchmark of wrong results would be fast.
fn check_round_trip(way: &Way, file: &Bytes, batch: &RecordBatch) -> anyhow::Result<()> {
    let (mut rows, mut same) = (0, true);
    way.read(file, |read| {
        // Arrow compares floats by their bits.
        let end = batch.num_rows().min(rows + read.num_rows());
        same &= read.columns() == batch.slice(rows, end - rows).columns();
        rows += read.num_rows();
    })?;
    ensure!(
        same && rows == batch.num_rows(),
        "the values read differ from the values written"
    );
    Ok(())
}
