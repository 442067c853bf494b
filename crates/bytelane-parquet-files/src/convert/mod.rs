//! Reads CSV, JSON lines and Arrow files as batches of rows, to write them in another format.
//!
//! The crates `arrow-csv`, `arrow-json` and `arrow-ipc` read the formats. Batches are read one after the other, so inputs may be larger than
//! memory, and need not be seekable.

mod arrow;
mod compressed;
mod lines;
mod prefix;

pub use arrow::ArrowFile;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use bytelane_parquet::{Error, Problem, Result};
use derive_setters::Setters;
pub use lines::Input;
use lines::Lines;
use prefix::{Prefix, Replayed};
use serde::Deserialize;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

/// Number of rows of a batch.
const BATCH_ROWS: usize = 8192;

/// Format of a table in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TableFormat {
    /// Parquet: .parquet, .parq, .pq
    Parquet,
    /// Comma-separated values: .csv, and .tsv with tabs
    Csv,
    /// JSON lines, one object per row: .json, .jsonl, .ndjson
    Json,
    /// Arrow IPC: .arrow, .arrows, .feather, .ipc
    Arrow,
}

impl TableFormat {
    /// Returns the format that the extension of a file tells.
    ///
    /// ```
    /// use bytelane_parquet_files::convert::TableFormat;
    /// use std::path::Path;
    ///
    /// assert_eq!(TableFormat::of_path(Path::new("trades.CSV")), Some(TableFormat::Csv));
    /// assert_eq!(TableFormat::of_path(Path::new("-")), None);
    /// ```
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "parquet" | "parq" | "pq" => Self::Parquet,
            "csv" | "tsv" => Self::Csv,
            "json" | "jsonl" | "ndjson" => Self::Json,
            "arrow" | "arrows" | "feather" | "ipc" => Self::Arrow,
            _ => return None,
        })
    }
}

/// Options for reading tables of other formats.
///
/// ```
/// use bytelane_parquet_files::convert::ConvertOptions;
///
/// let options = ConvertOptions::default().with_delimiter(';').with_infer_rows(1_000_000);
/// ```
#[derive(Clone, Debug, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// Number of first rows of CSV and JSON that the types of columns are inferred from
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "N", default_value_t = 10_000)
    )]
    pub infer_rows: usize,
    /// Character between the values of CSV [default: a comma, and a tab for .tsv]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CHARACTER"))]
    pub delimiter: Option<char>,
    /// Take the first line of CSV as values: columns are called column_1, column_2 and so on
    #[cfg_attr(feature = "clap", arg(long))]
    pub no_header: bool,
    /// Types of columns, instead of those that are inferred.
    #[serde(skip)]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub types: Vec<(String, DataType)>,
}

impl Default for ConvertOptions {
    fn default() -> Self {
        Self {
            infer_rows: 10_000,
            delimiter: None,
            no_header: false,
            types: Vec::new(),
        }
    }
}

impl ConvertOptions {
    fn delimiter(&self) -> Result<u8> {
        let delimiter = self.delimiter.unwrap_or(',');
        u8::try_from(delimiter)
            .ok()
            .filter(u8::is_ascii)
            .ok_or_else(|| {
                let problem = format!("the delimiter {delimiter:?} is no ASCII character");
                Problem::Option(problem).into()
            })
    }

    /// Replaces inferred types.
    fn typed(&self, schema: &Schema) -> Result<SchemaRef> {
        if schema.fields().is_empty() {
            let problem = "it is empty, so it has no columns".to_owned();
            return Err(Problem::Input(problem).into());
        }
        for (name, _) in &self.types {
            if schema.field_with_name(name).is_err() {
                let names = schema.fields().iter().map(|field| field.name().as_str());
                return Err(Error::no_such_column(name, names));
            }
        }
        let fields = schema.fields().iter().map(|field| {
            let given = self
                .types
                .iter()
                .rev()
                .find(|(name, _)| name == field.name());
            let data_type = match (given, field.data_type()) {
                (Some((_, data_type)), _) => data_type.clone(),
                // Only nulls among the rows that were looked at.
                (None, DataType::Null) => DataType::Utf8,
                (None, inferred) => inferred.clone(),
            };
            Field::new(field.name(), data_type, true)
        });
        Ok(Arc::new(Schema::new(fields.collect::<Vec<_>>())))
    }
}

/// Rows of a file, batch by batch.
pub struct Rows {
    schema: SchemaRef,
    batches: Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send>,
}

impl Iterator for Rows {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next()
    }
}

impl RecordBatchReader for Rows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Reads a table, whose types are inferred from its first rows if its format has none.
///
/// # Errors
///
/// [`Problem::Input`] if the input is no table of the format; [`Problem::NoSuchColumn`] for the type of a column that does not exist;
/// [`Problem::Unsupported`] for Parquet, which [`Reader`](bytelane_parquet::Reader) reads.
///
/// # Example
///
/// ```
/// use bytelane_parquet_files::convert::{ConvertOptions, TableFormat, read};
///
/// let csv = "id,price\n1,0.5\n2,\n";
/// let rows = read(Box::new(csv.as_bytes()), TableFormat::Csv, &ConvertOptions::default())?;
/// let batches = rows.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!((batches[0].num_rows(), batches[0].column(1).null_count()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(input: Input, format: TableFormat, options: &ConvertOptions) -> Result<Rows> {
    match format {
        TableFormat::Csv => csv(input, options),
        TableFormat::Json => json(input, options),
        TableFormat::Arrow => arrow::read(input),
        TableFormat::Parquet => {
            let problem = "a Parquet file is read from its end, by another function";
            Err(Problem::Unsupported(problem.to_owned()).into())
        }
    }
}

fn csv(input: Input, options: &ConvertOptions) -> Result<Rows> {
    let format = arrow_csv::reader::Format::default()
        .with_header(!options.no_header)
        .with_delimiter(options.delimiter()?);
    let mut prefix = Prefix::new(Lines::new(input));
    let inferred = format.infer_schema(&mut prefix, Some(options.infer_rows));
    let (inferred, _) = inferred.map_err(not_a_table)?;
    let schema = options.typed(&inferred)?;
    let reader = arrow_csv::ReaderBuilder::new(Arc::clone(&schema))
        .with_format(format)
        .with_batch_size(BATCH_ROWS)
        .build(prefix.replay())
        .map_err(not_a_table)?;
    let batches = Box::new(reader);
    Ok(Rows { schema, batches })
}

fn json(input: Input, options: &ConvertOptions) -> Result<Rows> {
    let mut prefix = BufReader::new(Prefix::new(Lines::new(input)));
    let inferred = arrow_json::reader::infer_json_schema(&mut prefix, Some(options.infer_rows));
    let (inferred, _) = inferred.map_err(not_a_table)?;
    let schema = options.typed(&inferred)?;
    let input: Replayed<Lines> = prefix.into_inner().replay();
    let reader = arrow_json::ReaderBuilder::new(Arc::clone(&schema))
        .with_batch_size(BATCH_ROWS)
        .build(BufReader::new(input))
        .map_err(not_a_table)?;
    let batches = Box::new(reader);
    Ok(Rows { schema, batches })
}

/// Returns an error for an input that is not what its name says.
fn not_a_table(error: ArrowError) -> Error {
    Problem::Input(match error {
        ArrowError::IoError(_, error) => error.to_string(),
        ArrowError::CsvError(problem)
        | ArrowError::JsonError(problem)
        | ArrowError::IpcError(problem)
        | ArrowError::ParseError(problem) => problem,
        other => other.to_string(),
    })
    .into()
}
