//! Where a file's metadata and its column chunks are.

use super::schema::{depth_of_schema, has_unknown_type, without_misfits};
use super::{Fields, Pages};
use crate::contained::contained;
use crate::stack::with_stack;
use crate::{Error, Problem, Result};
use bytelane_thrift::Type;
use bytes::Bytes;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData,
};
use parquet::file::reader::ChunkReader;
use std::fmt::Display;
use std::ops::Range;

/// The first and the last bytes of a file.
pub(crate) const MAGIC: &[u8; 4] = b"PAR1";

/// The same, where the footer is encrypted.
const ENCRYPTED_MAGIC: &[u8; 4] = b"PARE";

/// The field of the footer that is there if columns are encrypted.
const ENCRYPTION_ALGORITHM: i16 = 8;

/// The footer's length and the magic bytes after it.
const TAIL_LENGTH: u64 = 8;

/// The metadata at the end of a file.
#[derive(Debug)]
pub(crate) struct Footer {
    /// As it is in the file.
    pub bytes: Bytes,
    /// What it says; without the indexes of pages.
    pub metadata: ParquetMetaData,
    /// How deep its columns are nested.
    pub depth: usize,
}

/// The footer of a file.
pub(crate) fn read_footer(reader: &impl ChunkReader) -> Result<Footer> {
    let (bytes, depth) = read_footer_bytes(reader)?;
    let metadata = with_stack(depth, || {
        let metadata = contained(|| Ok(ParquetMetaDataReader::decode_metadata(&bytes)?))
            .and_then(|metadata| match has_unknown_type(&metadata) {
                true => readable(&bytes).or(Ok(metadata)),
                false => Ok(metadata),
            })
            .or_else(|error| readable(&bytes).map_err(|_| error))
            .map_err(|error| damaged(&error))?;
        repaired(reader, metadata)
    })?;
    Ok(Footer {
        metadata,
        bytes,
        depth,
    })
}

/// The footer of a file as its bytes: a struct that is not encrypted, whose columns are nested so deep.
pub(crate) fn read_footer_bytes(reader: &impl ChunkReader) -> Result<(Bytes, usize)> {
    let length = reader.len();
    if length < MAGIC.len() as u64 + TAIL_LENGTH {
        let problem = format!("not a Parquet file: it has only {length} bytes");
        return Err(Error::corrupt(problem));
    }
    let tail = reader.get_bytes(length - TAIL_LENGTH, TAIL_LENGTH as usize)?;
    match tail.split_first_chunk::<4>() {
        Some((footer_length, magic)) if magic == MAGIC => {
            let footer_length = u64::from(u32::from_le_bytes(*footer_length));
            footer_bytes_of(reader, footer_length)
        }
        Some((_, magic)) if magic == ENCRYPTED_MAGIC => Err(encrypted()),
        _ => Err(Error::corrupt(
            "not a Parquet file, or truncated: it does not end with PAR1",
        )),
    }
}

fn footer_bytes_of(reader: &impl ChunkReader, footer_length: u64) -> Result<(Bytes, usize)> {
    let end = reader.len() - TAIL_LENGTH;
    let start = end
        .checked_sub(footer_length)
        .filter(|&start| start >= MAGIC.len() as u64);
    let Some(start) = start else {
        let problem = format!("the footer claims {footer_length} bytes, more than the file has");
        return Err(Error::corrupt(problem));
    };
    let bytes = reader.get_bytes(start, footer_length as usize)?;
    let (fields, _) = Fields::read(&bytes).map_err(|error| damaged(&error))?;
    match fields.has(ENCRYPTION_ALGORITHM) {
        true => Err(encrypted()),
        false => Ok((bytes, depth_of_schema(&fields)?)),
    }
}

fn damaged(error: &dyn Display) -> Error {
    Error::corrupt(format!("the footer is damaged: {error}"))
}

/// Fields in parquet.thrift: the row groups of a file, the columns of a row group, and what is said of one.
pub(crate) const ROW_GROUPS: i16 = 4;
pub(crate) const COLUMNS: i16 = 1;
pub(crate) const COLUMN_METADATA: i16 = 3;

/// Whether a field of `ColumnMetaData` has the type that the format gives it. Some writers have used numbers for
/// purposes of their own, which have since become other fields; the crate `parquet` does not look at the type.
pub(crate) fn is_standard(id: i16, kind: Type) -> bool {
    match id {
        1 | 4 | 15 => kind == Type::I32,
        5 | 6 | 7 | 9 | 10 | 11 | 14 => kind == Type::I64,
        2 | 3 | 8 | 13 => kind == Type::List,
        12 | 16 | 17 => kind == Type::Struct,
        _ => false,
    }
}

/// What the crate `parquet` makes of a footer without fields that are not those of the format.
fn readable(footer: &Bytes) -> Result<ParquetMetaData> {
    let standard = || -> std::result::Result<Vec<u8>, bytelane_thrift::Error> {
        let (mut file, _) = Fields::read(footer)?;
        let mut row_groups = file.structures(ROW_GROUPS)?;
        for row_group in &mut row_groups {
            let mut columns = row_group.structures(COLUMNS)?;
            for column in &mut columns {
                let mut metadata = column.structure(COLUMN_METADATA, "meta_data")?;
                metadata.retain(is_standard);
                column.set_structure(COLUMN_METADATA, &metadata)?;
            }
            row_group.set_structures(COLUMNS, &columns)?;
        }
        file.set_structures(ROW_GROUPS, &row_groups)?;
        without_misfits(&mut file)?;
        file.write()
    };
    let footer = standard().map_err(|error| damaged(&error))?;
    contained(|| Ok(ParquetMetaDataReader::decode_metadata(&footer)?))
}

/// The same without what old writers are known to get wrong: the rows of all row groups, which some do not sum; the
/// offset of a dictionary that is not there; and the size of a chunk, of which some leave out a part.
fn repaired(reader: &impl ChunkReader, metadata: ParquetMetaData) -> Result<ParquetMetaData> {
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
        let chunks = chunks.map(|chunk| repaired_chunk(reader, chunk, counts_too_little));
        let chunks = chunks.collect::<Result<Vec<_>>>()?;
        let builder = row_group.clone().into_builder();
        Ok(builder.set_column_metadata(chunks).build()?)
    });
    Ok(ParquetMetaData::new(
        file,
        row_groups.collect::<Result<Vec<_>>>()?,
    ))
}

fn repaired_chunk(
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

/// Whether a writer leaves the header of a dictionary out of the size of its chunk, as parquet-mr did before its
/// version 1.2.9.
fn counts_too_little(created_by: &str) -> bool {
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

/// The error about a file that cannot be read without its keys.
fn encrypted() -> Error {
    Error::new(Problem::Unsupported("the file is encrypted".to_owned()))
}

/// Where the pages of a column chunk are in a file of `length` bytes.
pub(crate) fn chunk_range(chunk: &ColumnChunkMetaData, length: u64) -> Result<Range<u64>> {
    if let Some(path) = chunk.file_path() {
        let problem = format!("the column's pages are in another file, {path}");
        return Err(Problem::Unsupported(problem).into());
    }
    // Some writers have 0 for a page that is not there.
    let data = Some(chunk.data_page_offset()).filter(|&offset| offset > 0);
    let dictionary = chunk.dictionary_page_offset().filter(|&offset| offset > 0);
    let start = data.into_iter().chain(dictionary).min().unwrap_or(0);
    let range = u64::try_from(start)
        .ok()
        .zip(u64::try_from(chunk.compressed_size()).ok());
    let range = range.and_then(|(start, size)| Some(start..start.checked_add(size)?));
    range.filter(|range| range.end <= length).ok_or_else(|| {
        Error::corrupt(format!(
            "the column's {} bytes at offset {start} reach beyond the file, which has {length}",
            chunk.compressed_size(),
        ))
    })
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
