//! Reads the footer of a file, and corrects known errors of writers.

use super::columns::of_columns;
use super::regular::regular;
use super::repair::in_parquet;
use super::row_groups::RowGroups;
use super::schema::depth_of_schema;
use crate::chunk::{Pages, chunk_range};
use crate::format::{
    self, FileMetaData as Metadata, MAGIC, PhysicalType, TAIL_LENGTH, encrypted, footer_length,
};
use crate::stack::with_stack;
use crate::{Error, Problem, Result};
use bytes::Bytes;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, RowGroupMetaData,
};
use parquet::file::reader::ChunkReader;
use std::fmt::Display;
use std::sync::Arc;

/// Number of bytes of an INT96 value.
const INT96_BYTES: i32 = 12;

/// Metadata at the end of a file.
#[derive(Debug)]
pub struct Footer {
    /// Complete footer.
    pub file: Metadata,
    /// Footer as decoded by the crate `parquet`, without page indexes.
    pub metadata: ParquetMetaData,
    /// Nesting depth of its columns.
    pub depth: usize,
}

impl Footer {
    fn new(reader: &impl ChunkReader, file: Metadata, depth: usize) -> Result<Self> {
        let metadata = with_stack(depth, || with_right_sizes(reader, in_parquet(&file)?))?;
        Ok(Self {
            file,
            metadata,
            depth,
        })
    }
}

/// Footer for reading: the schema of its file, and the row groups.
pub struct OpenFooter {
    /// Metadata of the file; the row groups may be missing.
    pub(crate) schema: Arc<ParquetMetaData>,
    pub(crate) row_groups: RowGroups,
    /// Nesting depth of its columns.
    pub(crate) depth: usize,
}

impl From<Footer> for OpenFooter {
    fn from(footer: Footer) -> Self {
        let schema = Arc::new(footer.metadata);
        Self {
            row_groups: RowGroups::Decoded(Arc::clone(&schema)),
            schema,
            depth: footer.depth,
        }
    }
}

/// Opens a file for reading.
pub fn open_footer(reader: &impl ChunkReader) -> Result<OpenFooter> {
    open_bytes(reader, &footer_bytes(reader)?)
}

/// Opens a file to read some of its columns. Keeps the top-level columns that contain them, and
/// skips the others.
pub fn open_columns(reader: &impl ChunkReader, paths: &[&str]) -> Result<OpenFooter> {
    let bytes = footer_bytes(reader)?;
    match of_columns(&bytes, paths) {
        Some((file, depth)) => Footer::new(reader, file, depth).map(OpenFooter::from),
        None => open_bytes(reader, &bytes),
    }
}

fn open_bytes(reader: &impl ChunkReader, footer: &Bytes) -> Result<OpenFooter> {
    let Some(regular) = regular(footer) else {
        let (file, depth) = decoded(footer)?;
        return Footer::new(reader, file, depth).map(OpenFooter::from);
    };
    Ok(OpenFooter {
        schema: Arc::clone(&regular.schema),
        depth: regular.depth,
        row_groups: RowGroups::Encoded(Arc::new(regular)),
    })
}

/// Reads the footer of a file.
pub fn read_footer(reader: &impl ChunkReader) -> Result<Footer> {
    let (file, depth) = read_file_metadata(reader)?;
    Footer::new(reader, file, depth)
}

/// Reads the footer of a file whose values are wanted in their physical types: leaves have no
/// annotations, INT96 is 12 bytes, and there is no Arrow schema.
pub fn read_bare_footer(reader: &impl ChunkReader) -> Result<Footer> {
    let (mut file, depth) = read_file_metadata(reader)?;
    file.key_value_metadata = None;
    for element in &mut file.schema {
        if element.num_children.is_some_and(|it| it > 0) {
            continue;
        }
        element.converted_type = None;
        element.logical_type = None;
        element.scale = None;
        element.precision = None;
        if element.physical_type == Some(PhysicalType::Int96) {
            element.physical_type = Some(PhysicalType::FixedLenByteArray);
            element.type_length = Some(INT96_BYTES);
        }
    }
    Footer::new(reader, file, depth)
}

/// Reads the footer of a file, and returns the nesting depth of its columns, too. Returns an error
/// if the footer is encrypted.
pub fn read_file_metadata(reader: &impl ChunkReader) -> Result<(Metadata, usize)> {
    decoded(&footer_bytes(reader)?)
}

/// Reads the footer of a file with only the top-level columns that contain these paths, and returns
/// the nesting depth of these columns, too.
pub fn read_columns_metadata(
    reader: &impl ChunkReader,
    paths: &[&str],
) -> Result<(Metadata, usize)> {
    let bytes = footer_bytes(reader)?;
    of_columns(&bytes, paths).ok_or_else(|| {
        let problem = "the footer cannot be restricted to some of its columns";
        Problem::Unsupported(problem.to_owned()).into()
    })
}

fn footer_bytes(reader: &impl ChunkReader) -> Result<Bytes> {
    let length = reader.len();
    if length < (MAGIC.len() + TAIL_LENGTH) as u64 {
        let problem = format!("not a Parquet file: it has only {length} bytes");
        return Err(Error::corrupt(problem));
    }
    let end = length - TAIL_LENGTH as u64;
    let footer_length = footer_length(&reader.get_bytes(end, TAIL_LENGTH)?)?;
    let start = end.checked_sub(footer_length as u64);
    let Some(start) = start.filter(|&start| start >= MAGIC.len() as u64) else {
        let problem = format!("the footer claims {footer_length} bytes, more than the file has");
        return Err(Error::corrupt(problem));
    };
    Ok(reader.get_bytes(start, footer_length)?)
}

fn decoded(footer: &Bytes) -> Result<(Metadata, usize)> {
    let decoded = format::decode_prefix::<Metadata>(footer);
    let (file, _) = decoded.map_err(|error| damaged(&error))?;
    if file.encryption_algorithm.is_some() {
        return Err(encrypted());
    }
    let depth = depth_of_schema(&file.schema)?;
    Ok((file, depth))
}

pub(super) fn damaged(error: &dyn Display) -> Error {
    Error::corrupt(format!("the footer is damaged: {error}"))
}

/// Corrects errors that old writers are known to make: a total number of rows that is not the sum
/// of the row groups, the offset of a dictionary that does not exist, and chunk sizes that omit a
/// part.
pub(super) fn with_right_sizes(
    reader: &impl ChunkReader,
    metadata: ParquetMetaData,
) -> Result<ParquetMetaData> {
    let file = metadata.file_metadata();
    let groups = metadata.row_groups().iter();
    let rows = groups.map(RowGroupMetaData::num_rows);
    let rows = rows.fold(0, i64::saturating_add);
    let counts_too_little = file.created_by().is_some_and(counts_too_little);
    let mut chunks = metadata.row_groups().iter().flat_map(|it| it.columns());
    let is_right = (file.num_rows() != 0 || rows == 0)
        && !counts_too_little
        && !chunks.any(|chunk| chunk.dictionary_page_offset() == Some(0));
    if is_right {
        return Ok(metadata);
    }
    let file = FileMetaData::new(
        file.version(),
        rows,
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    let row_groups = metadata.row_groups().iter().map(|row_group| {
        let chunks = row_group.columns().iter().cloned();
        let chunks = chunks.map(|chunk| with_right_size(reader, chunk, counts_too_little));
        let chunks = chunks.collect::<Result<Vec<_>>>()?;
        let builder = row_group.clone().into_builder();
        Ok(builder.set_column_metadata(chunks).build()?)
    });
    Ok(ParquetMetaData::new(
        file,
        row_groups.collect::<Result<Vec<_>>>()?,
    ))
}

fn with_right_size(
    reader: &impl ChunkReader,
    chunk: ColumnChunkMetaData,
    counts_too_little: bool,
) -> Result<ColumnChunkMetaData> {
    let dictionary = chunk.dictionary_page_offset().filter(|&it| it != 0);
    let mut size = chunk.compressed_size();
    if let (true, Ok(range)) = (counts_too_little, chunk_range(&chunk, reader.len())) {
        let pages = Pages::new(reader, range.clone()).map_while(|page| page.ok());
        let end = pages.last().map(|page| page.offset + page.compressed());
        size = size.max((end.unwrap_or(range.end) - range.start) as i64);
    }
    let builder = chunk.into_builder().set_dictionary_page_offset(dictionary);
    Ok(builder.set_total_compressed_size(size).build()?)
}

/// Returns whether a writer omits the dictionary header from the size of the chunk, as parquet-mr
/// did before version 1.2.9.
pub(super) fn counts_too_little(created_by: &str) -> bool {
    let Some(rest) = created_by.strip_prefix("parquet-mr") else {
        return false;
    };
    let version = rest.trim_start().strip_prefix("version ").unwrap_or("");
    let mut numbers = version
        .split(|c: char| !c.is_ascii_digit())
        .map_while(|number| number.parse::<u32>().ok());
    let version = [(); 3].map(|()| numbers.next().unwrap_or(0));
    version < [1, 2, 9]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_of_parquet_mr_count_too_little() {
        for (created_by, expected) in [
            ("parquet-mr", true),
            ("parquet-mr version 1.2.8 (build 1)", true),
            ("parquet-mr version 1.2.9", false),
            (
                "parquet-mr version 1.12.0-201812210311360288-a86293f",
                false,
            ),
            ("parquet-cpp version 1.0.0", false),
        ] {
            assert_eq!(counts_too_little(created_by), expected, "{created_by}");
        }
    }
}
