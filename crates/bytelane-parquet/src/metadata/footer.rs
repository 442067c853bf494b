//! Where a file's metadata and its column chunks are.

use super::Fields;
use crate::contained::contained;
use crate::{Error, Problem, Result};
use bytes::Bytes;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};
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
}

/// The footer of a file.
pub(crate) fn read_footer(reader: &impl ChunkReader) -> Result<Footer> {
    let length = reader.len();
    if length < MAGIC.len() as u64 + TAIL_LENGTH {
        let problem = format!("not a Parquet file: it has only {length} bytes");
        return Err(Error::corrupt(problem));
    }
    let tail = reader.get_bytes(length - TAIL_LENGTH, TAIL_LENGTH as usize)?;
    match tail.split_first_chunk::<4>() {
        Some((footer_length, magic)) if magic == MAGIC => {
            let footer_length = u64::from(u32::from_le_bytes(*footer_length));
            read_footer_of(reader, footer_length)
        }
        Some((_, magic)) if magic == ENCRYPTED_MAGIC => Err(encrypted()),
        _ => Err(Error::corrupt(
            "not a Parquet file, or truncated: it does not end with PAR1",
        )),
    }
}

fn read_footer_of(reader: &impl ChunkReader, footer_length: u64) -> Result<Footer> {
    let end = reader.len() - TAIL_LENGTH;
    let start = end
        .checked_sub(footer_length)
        .filter(|&start| start >= MAGIC.len() as u64);
    let Some(start) = start else {
        let problem = format!("the footer claims {footer_length} bytes, more than the file has");
        return Err(Error::corrupt(problem));
    };
    let bytes = reader.get_bytes(start, footer_length as usize)?;
    let damaged = |error: &dyn Display| Error::corrupt(format!("the footer is damaged: {error}"));
    let (fields, _) = Fields::read(&bytes).map_err(|error| damaged(&error))?;
    if fields.has(ENCRYPTION_ALGORITHM) {
        return Err(encrypted());
    }
    let metadata = contained(|| Ok(ParquetMetaDataReader::decode_metadata(&bytes)?))
        .map_err(|error| damaged(&error))?;
    Ok(Footer { bytes, metadata })
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
