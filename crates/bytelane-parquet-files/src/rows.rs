//! Writes rows to a new file, such as those that were read from other files.
//!
//! The file appears under its name only once it is complete and on disk.

use arrow_schema::SchemaRef;
use bytelane_parquet::arrow_array::RecordBatch;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::file::Output;
#[cfg(feature = "clap")]
use bytelane_parquet::options::flags::{self, ArgAction};
use bytelane_parquet::options::{
    deserialize_by_path, deserialize_given_compression, deserialize_name,
};
use bytelane_parquet::parallel::all_cores;
use bytelane_parquet::types::fields::leaves;
use bytelane_parquet::{
    ColumnOptions, Encoding, Encodings, Error, Goal, Problem, Replace, Result, Writer,
    WriterOptions,
};
use derive_setters::Setters;
use parquet::basic::Compression;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// Options for writing rows to a new file.
///
/// ```
/// use bytelane_parquet::{Encoding, Goal};
/// use bytelane_parquet_files::rows::RowsOptions;
///
/// let options = RowsOptions::default()
///     .with_goal(Goal::Size)
///     .with_column_encoding("price", Encoding::ByteStreamSplit)
///     .with_row_group_size(100_000);
/// ```
#[derive(Clone, Debug, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct RowsOptions {
    /// Goal to optimise for
    #[serde(deserialize_with = "deserialize_name")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "GOAL", default_value_t, requires = "output", value_parser = flags::names(Goal::ALL, Goal::name)))]
    pub goal: Goal,
    /// Programs that must be able to read the file, optionally with the oldest version in use; any: no restriction
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "NAME[>=VERSION],..",
            default_value_t,
            requires = "output"
        )
    )]
    pub readers: Readers,
    /// Encodings to choose from: names, or +alp to add a preview to the usual ones, which --readers must all know
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME,..", requires = "output")
    )]
    pub encodings: Option<Encodings>,
    /// Force this encoding for a column. NAME is the column's path, separated by dots, or that of a group, for all columns in it
    #[serde(deserialize_with = "deserialize_by_path")]
    #[setters(skip)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME=ENCODING", requires = "output", value_parser = flags::column_encoding))]
    pub column_encoding: Vec<(String, Encoding)>,
    /// Compress all columns with this codec: none, snappy, lz4_raw, zstd:LEVEL, gzip:LEVEL, brotli:LEVEL
    #[serde(deserialize_with = "deserialize_given_compression")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CODEC[:LEVEL]", default_value = "zstd:1", requires = "output", value_parser = bytelane_parquet::parse_compression))]
    pub compression: Compression,
    /// Maximum number of rows of a row group [default: 1048576]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", requires = "output", value_parser = flags::count))]
    pub row_group_size: Option<usize>,
    /// Threads that encode columns at the same time; the file does not depend on it [default: all cores]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", requires = "output"))]
    pub threads: Option<NonZero<usize>>,
    /// Replace an existing file, even a read-only one
    #[serde(rename = "force", default = "Replace::unforced")]
    #[cfg_attr(feature = "clap", arg(id = "force", long = "force", requires = "output", action = ArgAction::SetTrue, value_parser = flags::switch::<Replace>()))]
    pub replace: Replace,
}

impl Default for RowsOptions {
    fn default() -> Self {
        Self {
            goal: Goal::default(),
            readers: Readers::default(),
            encodings: None,
            column_encoding: Vec::new(),
            compression: WriterOptions::default().compression,
            row_group_size: None,
            threads: None,
            replace: Replace::default(),
        }
    }
}

impl RowsOptions {
    /// Sets the encoding of a column. `path` is the path of a leaf, separated by dots, or of a group, for all leaves below it. The longest
    /// path wins.
    #[must_use]
    pub fn with_column_encoding(mut self, path: impl Into<String>, encoding: Encoding) -> Self {
        self.column_encoding.push((path.into(), encoding));
        self
    }

    fn writer(&self) -> WriterOptions {
        let columns = self.column_encoding.iter().map(|(path, encoding)| {
            let column = ColumnOptions::default().with_encoding(*encoding);
            (path.clone(), column)
        });
        let usual = WriterOptions::default();
        WriterOptions {
            goal: self.goal,
            readers: self.readers.clone(),
            encodings: self.encodings.clone().unwrap_or_default(),
            columns: columns.collect(),
            compression: self.compression,
            row_group_size: self.row_group_size.unwrap_or(usual.row_group_size),
            row_group_bytes: usual.row_group_bytes.min(buffered_bytes()),
            threads: Some(self.threads.unwrap_or_else(all_cores)),
            ..usual
        }
    }
}

/// Returns how many bytes of rows are kept until they are a row group. The rows that are read, and the new chunks, are in
/// memory at the same time.
fn buffered_bytes() -> usize {
    let bytes = MemoryLimit::default().of_read(u64::MAX) / 2;
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Memory that the description of a column chunk takes until the file is complete, in bytes.
const DESCRIPTION: u64 = 2 << 10;

/// Returns an error if the descriptions of this many column chunks take more than `limit` bytes.
fn check_footer(chunks: u64, limit: u64) -> Result<()> {
    if chunks.saturating_mul(DESCRIPTION) <= limit {
        return Ok(());
    }
    let problem = format!(
        "its footer would describe more than {chunks} column chunks, which take too much memory: the rows are so large that a \
         row group has few of them; write fewer columns or rows"
    );
    Err(Problem::Unsupported(problem).into())
}

/// File that was written from rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WrittenRows {
    /// Number of rows.
    pub rows: u64,
    /// Number of row groups.
    pub row_groups: usize,
    /// Size in bytes.
    pub bytes: u64,
}

/// Writer of rows to a new file. Dropping it unfinished leaves nothing behind.
///
/// ```
/// use bytelane_parquet::arrow_array::{ArrayRef, Float64Array, RecordBatch};
/// use bytelane_parquet_files::rows::{RowsOptions, RowsWriter};
/// use std::sync::Arc;
///
/// let prices: ArrayRef = Arc::new(Float64Array::from(vec![21.5, 21.25]));
/// let batch = RecordBatch::try_from_iter([("price", prices)])?;
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("prices.parquet");
///
/// let mut writer = RowsWriter::create(&path, batch.schema(), &[], &RowsOptions::default())?;
/// writer.write(&batch)?;
/// assert_eq!(writer.finish()?.rows, 2);
/// assert!(path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RowsWriter {
    writer: Writer<File>,
    output: Output,
    path: PathBuf,
    rows: u64,
    /// Number of columns; the members of groups are columns of their own.
    columns: u64,
}

impl RowsWriter {
    /// Starts a file with these columns. `inputs` are the files that are read, one of which the new file may replace.
    ///
    /// # Errors
    ///
    /// [`Problem::Exists`] if an existing file may not be replaced, and the errors of
    /// [`Writer::try_new`].
    pub fn create(
        path: impl AsRef<Path>,
        schema: SchemaRef,
        inputs: &[&Path],
        options: &RowsOptions,
    ) -> Result<Self> {
        let path = path.as_ref();
        let in_file = |error: Error| error.in_file(path);
        let output = Output::begin(path, None, options.replace, inputs).map_err(in_file)?;
        let columns = schema
            .fields()
            .iter()
            .flat_map(|field| leaves(field))
            .count() as u64;
        let sink = output.file().try_clone().map_err(Error::from);
        let writer = sink.and_then(|sink| Writer::try_new(sink, schema, options.writer()));
        Ok(Self {
            writer: writer.map_err(in_file)?,
            output,
            path: path.to_owned(),
            rows: 0,
            columns,
        })
    }

    /// Adds rows.
    ///
    /// # Errors
    ///
    /// Same errors as [`Writer::write`], and [`Problem::Unsupported`] if the footer takes too much memory.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let written = self.writer.write(batch).and_then(|()| {
            let row_groups = self.writer.flushed_row_groups() as u64;
            let limit = MemoryLimit::default().of_read(u64::MAX) / 2;
            check_footer(row_groups.saturating_mul(self.columns), limit)
        });
        written.map_err(|error| error.in_file(&self.path))?;
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    /// Completes the file: it appears under its name once it is on disk.
    ///
    /// # Errors
    ///
    /// Same errors as [`Writer::close`].
    pub fn finish(self) -> Result<WrittenRows> {
        let in_file = |error: Error| error.in_file(&self.path);
        let written = self.writer.close().map_err(in_file)?;
        let length = self.output.file().metadata().map_err(Error::from);
        let bytes = length.map_err(in_file)?.len();
        self.output.finish().map_err(in_file)?;
        Ok(WrittenRows {
            rows: self.rows,
            row_groups: written.metadata.num_row_groups(),
            bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footers_are_bounded_by_memory() {
        assert!(check_footer(1000, 1000 * DESCRIPTION).is_ok());
        for chunks in [1001, u64::MAX] {
            let error = check_footer(chunks, 1000 * DESCRIPTION).unwrap_err();
            assert!(
                error
                    .to_string()
                    .contains(&format!("{chunks} column chunks")),
                "{error}"
            );
        }
    }
}
