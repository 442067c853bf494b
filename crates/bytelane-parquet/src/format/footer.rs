//! Encodes and decodes the end of a file: the footer, its length, and the magic bytes.

use super::{FileMetaData, decode, encode};
use crate::{Error, Problem, Result};
use bytes::Bytes;

/// Magic bytes at the start and the end of a file.
pub const MAGIC: &[u8; 4] = b"PAR1";

/// Magic bytes of a file with an encrypted footer.
const ENCRYPTED_MAGIC: &[u8; 4] = b"PARE";

/// Number of bytes after the footer: its length, and the magic bytes.
pub const TAIL_LENGTH: usize = 8;

/// Returns the length of the footer from the last bytes of a file.
pub fn footer_length(tail: &[u8]) -> Result<usize> {
    match tail.split_first_chunk::<4>() {
        Some((length, magic)) if magic == MAGIC => Ok(u32::from_le_bytes(*length) as usize),
        Some((_, magic)) if magic == ENCRYPTED_MAGIC => Err(encrypted()),
        _ => Err(Error::corrupt(
            "not a Parquet file, or truncated: it does not end with PAR1",
        )),
    }
}

/// Returns the error for a file that cannot be read without its keys.
pub fn encrypted() -> Error {
    Problem::Unsupported("the file is encrypted".to_owned()).into()
}

/// Decodes the footer of a file in memory.
pub fn decode_footer(file: &Bytes) -> Result<FileMetaData> {
    let end = file.len().checked_sub(TAIL_LENGTH);
    let footer = end.and_then(|end| {
        let length = footer_length(&file[end..]).ok()?;
        Some(file.slice(end.checked_sub(length)?..end))
    });
    decode(&footer.ok_or_else(|| Error::corrupt("a file without a footer"))?)
}

/// Encodes the end of a file: its footer, and the bytes after it.
pub fn encode_footer(file: &FileMetaData) -> Result<Vec<u8>> {
    let mut bytes = encode(file)?;
    let length = u32::try_from(bytes.len())
        .map_err(|_| Error::corrupt("the footer is larger than 4 GiB"))?;
    bytes.extend(length.to_le_bytes());
    bytes.extend(MAGIC);
    Ok(bytes)
}
