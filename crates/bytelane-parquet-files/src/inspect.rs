//! Lists the contents of a file: row groups, columns, pages, and their sizes.

use crate::opened::OpenedFile;
use bytelane_parquet::budget::{Budget, MemoryLimit, Reservation};
use bytelane_parquet::chunk::{Page as RawPage, Pages, chunk_range, encoding_name};
use bytelane_parquet::format::PageType;
use bytelane_parquet::options::{codec_name, deserialize_size};
use bytelane_parquet::stack::with_stack;
use bytelane_parquet::{Error, Problem, Result};
use derive_setters::Setters;
use parquet::basic::{ColumnOrder, LogicalType, SortOrder, Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::statistics::Statistics;
use parquet::schema::printer::print_schema;
use parquet::schema::types::ColumnDescriptor;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Contents of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of rows in all row groups.
    pub rows: u64,
    /// Version of the format that the writer declared.
    pub version: i32,
    /// Name of the writer, if the file has it.
    pub created_by: Option<String>,
    /// Schema in the syntax of the Parquet specification.
    pub schema: String,
    /// Keys of the key-value metadata.
    pub metadata_keys: Vec<String>,
    /// Row groups of the file.
    pub row_groups: Vec<RowGroup>,
}

/// Metadata of a whole file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Metadata {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of rows in all row groups.
    pub rows: u64,
    /// Number of row groups.
    pub row_groups: usize,
    /// Number of columns; the members of groups are columns of their own.
    pub columns: usize,
    /// Version of the format that the writer declared.
    pub version: i32,
    /// Name of the writer, if the file has it.
    pub created_by: Option<String>,
    /// Key-value pairs, in the order of the file.
    pub key_values: Vec<KeyValue>,
}

/// Key with its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct KeyValue {
    /// Key.
    pub key: String,
    /// Value, if there is one.
    pub value: Option<String>,
}

/// Reads the metadata of a file. Page headers are not read.
///
/// # Errors
/// Returns an error if the file cannot be read, is not a Parquet file, is encrypted or is damaged.
pub fn metadata(path: impl AsRef<Path>) -> Result<Metadata> {
    let path = path.as_ref();
    let file = OpenedFile::open(path)?;
    let metadata = file.metadata().map_err(|error| error.in_file(path))?;
    let own = metadata.file_metadata();
    let pairs = own.key_value_metadata().into_iter().flatten();
    Ok(Metadata {
        bytes: file.reader.len(),
        rows: count(own.num_rows()),
        row_groups: metadata.num_row_groups(),
        columns: own.schema_descr().num_columns(),
        version: own.version(),
        created_by: own.created_by().map(str::to_owned),
        key_values: pairs
            .map(|pair| KeyValue {
                key: pair.key.clone(),
                value: pair.value.clone(),
            })
            .collect(),
    })
}

/// Row group of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RowGroup {
    /// Number of rows.
    pub rows: u64,
    /// Size of its columns in the file, in bytes.
    pub compressed: u64,
    /// Size of its columns without compression, in bytes.
    pub uncompressed: u64,
    /// Columns by which it is sorted, each with `ascending` or `descending`.
    pub sorted_by: Vec<String>,
    /// Columns of the row group.
    pub columns: Vec<Column>,
}

/// Column of a row group.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Column {
    /// Path of the column, joined by dots.
    pub path: String,
    /// Type in the syntax of the Parquet specification: `INT64 (TIMESTAMP(MICROS,true))`.
    #[serde(rename = "type")]
    pub column_type: String,
    /// Compression of its pages. The level is unknown, because files do not store it.
    pub compression: String,
    /// Encodings of its values, in order of appearance, without that of the dictionary page.
    pub encodings: Vec<String>,
    /// Number of values, including nulls.
    pub values: u64,
    /// Size in the file, in bytes.
    pub compressed: u64,
    /// Size without compression, in bytes.
    pub uncompressed: u64,
    /// `uncompressed / compressed`.
    pub ratio: f64,
    /// Number of nulls, if the statistics have it.
    pub nulls: Option<u64>,
    /// Smallest value, if the statistics have it, as stored and regardless of the logical type.
    pub min: Option<String>,
    /// Largest value, under the same conditions.
    pub max: Option<String>,
    /// Order by which these are the smallest and largest.
    pub order: String,
    /// Set if there is a Bloom filter.
    pub bloom_filter: bool,
    /// Set if an index has the statistics of each page.
    pub column_index: bool,
    /// Set if an index has the offsets of the pages.
    pub offset_index: bool,
    /// Pages of the column.
    pub pages: Vec<Page>,
}

/// Page of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Page {
    /// `data`, `data_v2` or `dictionary`.
    pub kind: String,
    /// Encoding of its values.
    pub encoding: Option<String>,
    /// Offset of its header in the file.
    pub offset: u64,
    /// Number of values, including nulls.
    pub values: Option<u64>,
    /// Number of nulls, if its header has it.
    pub nulls: Option<u64>,
    /// Size in the file, in bytes, including its header.
    pub compressed: u64,
    /// Size without compression, in bytes, including its header.
    pub uncompressed: u64,
    /// Set if it has a checksum.
    pub checksum: bool,
}

/// Options for inspecting a file.
///
/// A limit is needed because columns may claim to share all of their pages. The default is enough for columns that share none.
///
/// ```
/// use bytelane_parquet_files::inspect::InspectOptions;
///
/// let options = InspectOptions::default().with_memory_limit(1 << 30);
/// ```
#[derive(Clone, Debug, Default, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct InspectOptions {
    /// Maximum memory for the metadata, as in 4GiB [default: 64MiB and 64 times the size of the file]
    #[serde(deserialize_with = "deserialize_size")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SIZE", value_parser = bytelane_parquet::parse_size))]
    pub memory_limit: Option<u64>,
}

/// Inspects a file. Only page headers are read, no values.
///
/// # Errors
/// Returns an error, with the place, if the file cannot be read, is not a Parquet file, is encrypted or is
/// damaged, and [`Problem::MemoryLimit`].
///
/// # Example
/// ```no_run
/// use bytelane_parquet_files::inspect::{InspectOptions, inspect};
///
/// let inspection = inspect("weather.parquet", &InspectOptions::default())?;
/// for column in &inspection.row_groups[0].columns {
///     println!("{}: {} in {} bytes", column.path, column.encodings.join(", "), column.compressed);
/// }
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
///
/// Source: [the format's specification](https://parquet.apache.org/docs/file-format/).
pub fn inspect(path: impl AsRef<Path>, options: &InspectOptions) -> Result<Inspection> {
    let path = path.as_ref();
    let limit = MemoryLimit(options.memory_limit);
    let inspected = inspection(&OpenedFile::open(path)?, limit);
    inspected.map_err(|error| error.in_file(path))
}

/// Does the same as [`inspect`] for data that is not in a separate file.
///
/// # Errors
/// Returns the errors of [`inspect`].
pub fn inspect_reader(reader: &(impl ChunkReader + Clone)) -> Result<Inspection> {
    inspection(&OpenedFile::read(reader.clone())?, MemoryLimit::default())
}

fn inspection(opened: &OpenedFile<impl ChunkReader>, limit: MemoryLimit) -> Result<Inspection> {
    let reader = &opened.reader;
    let memory = Budget::new(limit.of_metadata(reader.len())).reservation();
    let metadata = opened.metadata()?;
    let file = metadata.file_metadata();
    let groups = metadata.row_groups().iter().enumerate();
    let row_groups = groups.map(|(index, group)| {
        row_group(reader, &metadata, group, &memory).map_err(|error| error.in_row_group(index))
    });
    let keys = file.key_value_metadata().into_iter().flatten();
    Ok(Inspection {
        bytes: reader.len(),
        rows: count(file.num_rows()),
        version: file.version(),
        created_by: file.created_by().map(str::to_owned),
        schema: with_stack(opened.depth, || Ok(printed(file.schema())))?,
        metadata_keys: keys.map(|pair| pair.key.clone()).collect(),
        row_groups: row_groups.collect::<Result<_>>()?,
    })
}

fn row_group(
    reader: &impl ChunkReader,
    metadata: &ParquetMetaData,
    group: &RowGroupMetaData,
    memory: &Reservation,
) -> Result<RowGroup> {
    let chunks = group.columns().iter().enumerate();
    let columns = chunks.map(|(index, chunk)| {
        let order = metadata.file_metadata().column_order(index);
        column(reader, chunk, order, memory)
            .map_err(|error| error.in_column(chunk.column_path().string()))
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let sorted_by = group.sorting_columns().into_iter().flatten().map(|sorted| {
        let path = usize::try_from(sorted.column_idx)
            .ok()
            .and_then(|index| columns.get(index))
            .map_or("?", |column| &column.path);
        let direction = ["ascending", "descending"][usize::from(sorted.descending)];
        format!("{path} {direction}")
    });
    Ok(RowGroup {
        rows: count(group.num_rows()),
        compressed: columns.iter().map(|column| column.compressed).sum(),
        uncompressed: columns.iter().map(|column| column.uncompressed).sum(),
        sorted_by: sorted_by.collect(),
        columns,
    })
}

fn column(
    reader: &impl ChunkReader,
    chunk: &ColumnChunkMetaData,
    order: ColumnOrder,
    memory: &Reservation,
) -> Result<Column> {
    let (path, column_type) = (
        chunk.column_path().string(),
        column_type(chunk.column_descr()),
    );
    memory.add((size_of::<Column>() + path.len() + column_type.len()) as u64)?;
    let mut pages = Vec::new();
    for raw in Pages::new(reader, chunk_range(chunk, reader.len())?) {
        memory.add(size_of::<Page>() as u64 + PAGE_TEXTS)?;
        match raw.map_err(Error::from) {
            Ok(raw) => pages.push(page(&raw)),
            // Without the key of an encrypted column, only the footer is shown.
            Err(error) if matches!(error.problem(), Problem::Decryption(_)) => break,
            Err(error) => {
                let data = pages.iter().filter(|page: &&Page| page.kind != DICTIONARY);
                return Err(error.in_page(data.count()));
            }
        }
    }
    let mut encodings: Vec<String> = Vec::new();
    for page in pages.iter().filter(|page| page.kind != DICTIONARY) {
        if let Some(encoding) = page
            .encoding
            .as_ref()
            .filter(|name| !encodings.contains(name))
        {
            encodings.push(encoding.clone());
        }
    }
    let (min, max) = chunk.statistics().map_or((None, None), |statistics| {
        bounds(statistics, chunk.column_descr())
    });
    let (compressed, uncompressed) = (
        count(chunk.compressed_size()),
        count(chunk.uncompressed_size()),
    );
    Ok(Column {
        path,
        column_type,
        compression: codec_name(chunk.compression_codec()).to_owned(),
        encodings,
        values: count(chunk.num_values()),
        compressed,
        uncompressed,
        ratio: uncompressed as f64 / compressed.max(1) as f64,
        nulls: chunk.statistics().and_then(Statistics::null_count_opt),
        min,
        max,
        order: order_name(order).to_owned(),
        bloom_filter: is_there(chunk.bloom_filter_offset()),
        column_index: is_there(chunk.column_index_offset()),
        offset_index: is_there(chunk.offset_index_offset()),
        pages,
    })
}

/// Returns whether a part of the file exists. Some writers store 0 for missing parts.
fn is_there(offset: Option<i64>) -> bool {
    offset.is_some_and(|offset| offset > 0)
}

/// Size of the strings of a [`Page`], in bytes.
const PAGE_TEXTS: u64 = 32;

/// [`Page::kind`] of a dictionary.
const DICTIONARY: &str = "dictionary";

fn page(raw: &RawPage) -> Page {
    let header = &raw.header;
    let (data, dictionary, data_v2) = (
        header.data_page_header.as_ref(),
        header.dictionary_page_header.as_ref(),
        header.data_page_header_v2.as_ref(),
    );
    let (kind, values) = match header.page_type {
        PageType::DataPage => ("data", data.map(|page| page.num_values)),
        PageType::DataPageV2 => ("data_v2", data_v2.map(|page| page.num_values)),
        PageType::DictionaryPage => (DICTIONARY, dictionary.map(|page| page.num_values)),
        PageType::SymbolTablePage => ("symbols", None),
        PageType::IndexPage => ("index", None),
        PageType::Unknown(_) => ("unknown", None),
    };
    Page {
        kind: kind.to_owned(),
        encoding: raw.encoding().map(encoding_name),
        offset: raw.offset,
        values: values.map(|values| count(values.into())),
        nulls: data_v2.map(|page| count(page.num_nulls.into())),
        compressed: raw.compressed(),
        uncompressed: raw.uncompressed(),
        checksum: header.crc.is_some(),
    }
}

/// Converts a count, which the format stores as a signed number.
fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn printed(schema: &parquet::schema::types::Type) -> String {
    let mut text = Vec::new();
    print_schema(&mut text, schema);
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

/// Returns the schema's description of a leaf without its name: `INT64 (TIMESTAMP(MICROS,true))`.
pub(crate) fn column_type(column: &ColumnDescriptor) -> String {
    let text = printed(column.self_type());
    let physical = match column.physical_type() {
        Type::FIXED_LEN_BYTE_ARRAY => format!("FIXED_LEN_BYTE_ARRAY({})", column.type_length()),
        other => other.to_string(),
    };
    // `OPTIONAL INT64 name (TIMESTAMP(MICROS,true));`
    match text.split_once(&format!(" {} ", column.name())) {
        Some((_, logical)) => format!("{physical} {}", logical.trim_end_matches(';')),
        None => physical,
    }
}

fn order_name(order: ColumnOrder) -> &'static str {
    match order {
        ColumnOrder::TYPE_DEFINED_ORDER(_) => "type_defined",
        ColumnOrder::IEEE_754_TOTAL_ORDER => "ieee_754_total",
        ColumnOrder::INT96_TIMESTAMP_ORDER => "int96_timestamp",
        ColumnOrder::UNDEFINED => "undefined",
        ColumnOrder::UNKNOWN => "unknown",
    }
}

/// Returns the smallest and the largest value.
fn bounds(statistics: &Statistics, column: &ColumnDescriptor) -> (Option<String>, Option<String>) {
    /// Formats both bounds of typed statistics.
    macro_rules! texts {
        ($typed:expr, $text:expr) => {
            ($typed.min_opt().map($text), $typed.max_opt().map($text))
        };
    }
    let unsigned = column.sort_order() == SortOrder::UNSIGNED;
    let half = column.logical_type_ref() == Some(&LogicalType::Float16);
    match statistics {
        Statistics::Boolean(typed) => texts!(typed, ToString::to_string),
        Statistics::Int32(typed) if unsigned => texts!(typed, |v| v.cast_unsigned().to_string()),
        Statistics::Int32(typed) => texts!(typed, ToString::to_string),
        Statistics::Int64(typed) if unsigned => texts!(typed, |v| v.cast_unsigned().to_string()),
        Statistics::Int64(typed) => texts!(typed, ToString::to_string),
        Statistics::Int96(typed) => texts!(typed, ToString::to_string),
        Statistics::Float(typed) => texts!(typed, ToString::to_string),
        Statistics::Double(typed) => texts!(typed, ToString::to_string),
        Statistics::ByteArray(typed) => texts!(typed, |value| text_or_digits(value.data())),
        Statistics::FixedLenByteArray(typed) if half => {
            texts!(typed, |value| half_text(value.data()))
        }
        Statistics::FixedLenByteArray(typed) => texts!(typed, |value| digits(value.data())),
    }
}

/// Returns text unchanged, and other bytes in hexadecimal.
fn text_or_digits(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => digits(bytes),
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

fn half_text(bytes: &[u8]) -> String {
    match bytes.first_chunk() {
        Some(&bytes) => half::f16::from_le_bytes(bytes).to_string(),
        None => digits(bytes),
    }
}
