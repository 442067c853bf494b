//! Reads a whole Parquet file each time it receives a command. `benchmarks/parquet/compare.py`
//! starts and measures it.
//!
//! Input: lines with `read`, or `write` and a path; the latter writes the data read to an Arrow IPC
//! file. Output: a line at the start, and one after each command.
//!
//! With a compression, it writes the rows of the file to a Parquet file instead, with the crate
//! `parquet`. Each line is then the path to write to.

use anyhow::{Context, Result, bail};
use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use bytelane_parquet::ReaderBuilder;
use clap::{Parser, ValueEnum};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::hint::black_box;
use std::io::{Write, stdin, stdout};
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// Reads a Parquet file each time that a line on standard input says so
#[derive(Parser)]
struct Arguments {
    library: Library,
    file: PathBuf,
    /// Number of threads that bytelane decodes with
    threads: NonZero<usize>,
    /// Compression of the files to write
    compression: Option<Codec>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Codec {
    None,
    #[value(name = "zstd:1")]
    Zstd,
}

#[derive(Clone, Copy, ValueEnum)]
enum Library {
    Bytelane,
    Parquet,
    /// The pages of the crate `parquet`: read and decompressed, but not decoded
    Pages,
}

/// Number of rows of a batch of `parquet`, which is slower with its default of 1024, and no faster
/// with more than this. bytelane keeps its default.
const BATCH_ROWS: usize = 8192;

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let read = || arguments.library.read(&arguments.file, arguments.threads);
    if let Some(codec) = arguments.compression {
        return write_files(&read()?, codec);
    }
    answer("ready")?;
    for line in stdin().lines() {
        let line = line?;
        match line.split_once(' ') {
            None if line == "read" => {
                black_box(read()?);
            }
            Some(("write", path)) => write(&read()?, path.as_ref())?,
            _ => bail!("expected `read` or `write PATH`, got `{line}`"),
        }
        answer("done")?;
    }
    Ok(())
}

/// Writes all rows to the path of each line, with one thread.
fn write_files(batches: &[RecordBatch], codec: Codec) -> Result<()> {
    let schema = batches.first().context("the file has no rows")?.schema();
    let compression = match codec {
        Codec::None => Compression::UNCOMPRESSED,
        Codec::Zstd => Compression::ZSTD(ZstdLevel::try_new(1)?),
    };
    let properties = WriterProperties::builder().set_compression(compression);
    let properties = properties.build();
    answer("ready")?;
    for path in stdin().lines() {
        let (file, properties) = (File::create(path?)?, properties.clone());
        let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties))?;
        for batch in batches {
            writer.write(batch)?;
        }
        writer.close()?;
        answer("done")?;
    }
    Ok(())
}

fn answer(line: &str) -> Result<()> {
    let mut output = stdout();
    writeln!(output, "{line}")?;
    Ok(output.flush()?)
}

impl Library {
    fn read(self, file: &Path, threads: NonZero<usize>) -> Result<Vec<RecordBatch>> {
        match self {
            Library::Bytelane => {
                let reader = ReaderBuilder::open(file)?.with_threads(threads).build()?;
                Ok(reader.collect::<Result<_, _>>()?)
            }
            Library::Parquet => {
                let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(file)?)?;
                let reader = builder.with_batch_size(BATCH_ROWS).build()?;
                Ok(reader.collect::<Result<_, _>>()?)
            }
            Library::Pages => {
                read_pages(file)?;
                Ok(Vec::new())
            }
        }
    }
}

/// Reads and decompresses every page.
fn read_pages(file: &Path) -> Result<()> {
    let reader = SerializedFileReader::new(File::open(file)?)?;
    for index in 0..reader.num_row_groups() {
        let group = reader.get_row_group(index)?;
        for column in 0..group.num_columns() {
            let mut pages = group.get_column_page_reader(column)?;
            while let Some(page) = pages.get_next_page()? {
                black_box(page.buffer());
            }
        }
    }
    Ok(())
}

fn write(batches: &[RecordBatch], path: &Path) -> Result<()> {
    let first = batches.first().context("the file has no rows")?;
    let mut writer = FileWriter::try_new(File::create(path)?, &first.schema())?;
    for batch in batches {
        writer.write(batch)?;
    }
    Ok(writer.finish()?)
}
