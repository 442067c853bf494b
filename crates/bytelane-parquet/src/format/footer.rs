//! Encodes and decodes the end of a file: the footer, its length, and the magic bytes.

use super::{FileMetaData, decode, encode};
use crate::caller::Setting;
use crate::{Error, Problem, Result};
use bytes::Bytes;
use std::ops::Range;

/// Magic bytes at the start and the end of a file.
pub const MAGIC: &[u8; 4] = b"PAR1";

/// Magic bytes of a file with an encrypted footer.
pub const ENCRYPTED_MAGIC: &[u8; 4] = b"PARE";

/// Number of bytes after the footer: its length, and the magic bytes.
pub const TAIL_LENGTH: usize = 8;

/// Returns the range of the footer of a file of `length` bytes from its last bytes, and whether it is encrypted.
pub fn footer_range(length: u64, tail: &[u8]) -> Result<(Range<u64>, bool)> {
    let (footer, is_encrypted) = match tail.split_first_chunk::<4>() {
        Some((footer, magic)) if magic == MAGIC => (footer, false),
        Some((footer, magic)) if magic == ENCRYPTED_MAGIC => (footer, true),
        _ => {
            let problem = "not a Parquet file, or truncated: it does not end with PAR1";
            return Err(Error::corrupt(problem));
        }
    };
    let (footer, end) = (u32::from_le_bytes(*footer), length - tail.len() as u64);
    let start = end.checked_sub(u64::from(footer));
    match start.filter(|&start| start >= MAGIC.len() as u64) {
        Some(start) => Ok((start..end, is_encrypted)),
        None => Err(Error::corrupt(format!(
            "the footer claims {footer} bytes, more than the file has"
        ))),
    }
}

/// Returns the position of the last bytes of a file of `length` bytes, which follow its footer.
pub fn tail_start(length: u64) -> Result<u64> {
    if length < (MAGIC.len() + TAIL_LENGTH) as u64 {
        let problem = format!("not a Parquet file: it has only {length} bytes");
        return Err(Error::corrupt(problem));
    }
    Ok(length - TAIL_LENGTH as u64)
}

/// Returns the error for a file that cannot be read without its keys.
pub fn encrypted() -> Error {
    Problem::Decryption(format!(
        "the file is encrypted; {} gives its keys",
        Setting::DecryptionKeys
    ))
    .into()
}

/// Decodes the footer of a file in memory.
pub fn decode_footer(file: &Bytes) -> Result<FileMetaData> {
    let length = file.len() as u64;
    let end = tail_start(length)? as usize;
    match footer_range(length, &file[end..])? {
        (_, true) => Err(encrypted()),
        (range, false) => decode(&file.slice(range.start as usize..end)),
    }
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
