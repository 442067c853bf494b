//! Additional authenticated data, which ties each encrypted module to its place in a file.

use crate::format::EncryptionAlgorithm;
use crate::{Error, Problem, Result};
use bytes::Bytes;

/// Type of an encrypted module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Module {
    Footer = 0,
    ColumnMetaData = 1,
    DataPage = 2,
    DictionaryPage = 3,
    DataPageHeader = 4,
    DictionaryPageHeader = 5,
    ColumnIndex = 6,
    OffsetIndex = 7,
    BloomFilterHeader = 8,
    BloomFilterBitset = 9,
}

impl Module {
    /// Returns the name in an error.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Footer => "footer",
            Self::ColumnMetaData => "metadata",
            Self::DataPage => "data page",
            Self::DictionaryPage => "dictionary",
            Self::DataPageHeader => "header of a data page",
            Self::DictionaryPageHeader => "header of the dictionary",
            Self::ColumnIndex => "column index",
            Self::OffsetIndex => "offset index",
            Self::BloomFilterHeader | Self::BloomFilterBitset => "Bloom filter",
        }
    }
}

/// Algorithm of a file, and the start of the additional authenticated data of all its modules.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    /// Set if pages have tags: in AES_GCM_V1, not in AES_GCM_CTR_V1.
    pub(super) has_page_tags: bool,
    /// Prefix, and the unique bytes of the file.
    start: Vec<u8>,
}

/// Ordinals of a column chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ChunkOrdinals {
    pub(super) row_group: i16,
    pub(super) column: i16,
}

impl Identity {
    /// Combines what a file stores with the prefix that the caller expects.
    pub(super) fn new(algorithm: EncryptionAlgorithm, expected: Option<&[u8]>) -> Result<Self> {
        let (has_page_tags, stored, unique, is_supplied) = match algorithm {
            EncryptionAlgorithm::AesGcmV1(it) => {
                let is_supplied = it.supply_aad_prefix == Some(true);
                (true, it.aad_prefix, it.aad_file_unique, is_supplied)
            }
            EncryptionAlgorithm::AesGcmCtrV1(it) => {
                let is_supplied = it.supply_aad_prefix == Some(true);
                (false, it.aad_prefix, it.aad_file_unique, is_supplied)
            }
            EncryptionAlgorithm::Unknown(_) => {
                let problem = "the file is encrypted with an unknown algorithm";
                return Err(Problem::Unsupported(problem.to_owned()).into());
            }
        };
        let mut start = prefix(stored.as_ref(), is_supplied, expected)?.to_vec();
        start.extend(unique.unwrap_or_default());
        Ok(Self {
            has_page_tags,
            start,
        })
    }

    pub(super) fn of_footer(&self) -> Vec<u8> {
        [&self.start[..], &[Module::Footer as u8]].concat()
    }

    /// Returns the data of a module of a column chunk. Only data pages and their headers have an ordinal.
    pub(super) fn of(&self, module: Module, chunk: ChunkOrdinals, page: Option<i16>) -> Vec<u8> {
        let mut data = Vec::with_capacity(self.start.len() + 7);
        data.extend(&self.start);
        data.push(module as u8);
        data.extend(chunk.row_group.to_le_bytes());
        data.extend(chunk.column.to_le_bytes());
        data.extend(page.into_iter().flat_map(i16::to_le_bytes));
        data
    }
}

fn prefix<'a>(
    stored: Option<&'a Bytes>,
    is_supplied: bool,
    expected: Option<&'a [u8]>,
) -> Result<&'a [u8]> {
    match (stored, expected) {
        (Some(stored), Some(expected)) if stored != expected => Err(decryption(
            "the file has another AAD prefix than the one given: it may have been replaced by another file",
        )),
        (None, None) if is_supplied => Err(decryption(
            "the file does not store the AAD prefix that it was encrypted with: give it with the keys",
        )),
        (None, Some(_)) if !is_supplied => Err(decryption(
            "an AAD prefix is given, but the file was encrypted without one",
        )),
        (stored, expected) => Ok(expected.or(stored.map(AsRef::as_ref)).unwrap_or_default()),
    }
}

/// Returns an error about keys, or about what they do not open.
pub(super) fn decryption(problem: impl Into<String>) -> Error {
    Problem::Decryption(problem.into()).into()
}
