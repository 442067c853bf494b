//! Encodes and decodes the end of a file: the footer, its length, and the magic bytes.

use super::{EncryptionAlgorithm, FileCryptoMetaData, FileMetaData, decode, decode_prefix, encode};
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

/// Returns the error for a file with an encrypted footer, which starts with these bytes.
pub fn encrypted_footer(bytes: &Bytes) -> Error {
    let Ok((crypto, _)) = decode_prefix::<FileCryptoMetaData>(bytes) else {
        return encrypted("the file is encrypted");
    };
    encrypted(&format!(
        "the file is encrypted with {}{}",
        algorithm_name(&crypto.encryption_algorithm),
        key_metadata(crypto.key_metadata.as_deref())
    ))
}

/// Returns the error for a file with a plaintext footer and encrypted columns.
pub fn encrypted_columns(file: &FileMetaData) -> Error {
    let algorithm = file.encryption_algorithm.as_ref();
    let algorithm = algorithm.and_then(|it| it.decode().ok());
    let algorithm = algorithm.as_ref().map_or("AES", algorithm_name);
    encrypted(&format!(
        "columns of the file are encrypted with {algorithm}{}; an empty set of keys is enough for the other columns",
        key_metadata(file.footer_signing_key_metadata.as_deref())
    ))
}

fn encrypted(what: &str) -> Error {
    let keys = Setting::DecryptionKeys;
    Problem::Decryption(format!("{what}; {keys} gives its keys")).into()
}

fn algorithm_name(algorithm: &EncryptionAlgorithm) -> &'static str {
    match algorithm {
        EncryptionAlgorithm::AesGcmV1(_) => "AES_GCM_V1",
        EncryptionAlgorithm::AesGcmCtrV1(_) => "AES_GCM_CTR_V1",
        EncryptionAlgorithm::Unknown(_) => "an unknown algorithm",
    }
}

/// Returns the metadata of a key for a message, if it is short text.
pub fn key_metadata(metadata: Option<&[u8]>) -> String {
    let text = metadata.and_then(|it| std::str::from_utf8(it).ok());
    let is_shown = |it: &&str| it.len() <= 100 && !it.chars().any(char::is_control);
    let shown = text.filter(is_shown);
    shown.map_or(String::new(), |it| {
        format!(" (metadata of its key: {it:?})")
    })
}

/// Decodes the footer of a file in memory.
pub fn decode_footer(file: &Bytes) -> Result<FileMetaData> {
    let length = file.len() as u64;
    let end = tail_start(length)? as usize;
    match footer_range(length, &file[end..])? {
        (range, true) => Err(encrypted_footer(&file.slice(range.start as usize..end))),
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
