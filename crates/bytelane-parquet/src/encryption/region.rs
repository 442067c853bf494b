//! Parts of an encrypted file that are shown in another form.

use super::aad::{Module, decryption};
use super::cipher::module_length;
use super::opener::Opener;
use super::pages::{SealedPages, extended};
use crate::format::{BloomFilterHeader, MAGIC, damaged, decode_prefix, encode};
use crate::input::bytes_at;
use crate::{Error, Result};
use bytes::Bytes;
use parquet::file::reader::ChunkReader;
use std::ops::Range;
use std::sync::Arc;

/// Part of a file that is not shown as it is.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) range: Range<u64>,
    pub(super) part: Part,
}

#[derive(Debug)]
pub(super) enum Part {
    /// Magic bytes at the start of the file.
    Magic,
    /// End of the file, from its footer on.
    Tail(Bytes),
    /// Pages of a column chunk.
    Pages(SealedPages),
    /// Column index or offset index.
    Index(Opener, Module),
    BloomFilter(Opener),
    /// Pages whose key is missing.
    Locked(Lock),
}

/// Reason why a column chunk cannot be read.
#[derive(Debug)]
pub(super) struct Lock {
    pub(super) problem: String,
    pub(super) column: Arc<str>,
    pub(super) row_group: usize,
}

impl Region {
    /// Returns the bytes of a range within the region, or more of them from its start on.
    pub(super) fn read(&self, input: &impl ChunkReader, range: Range<u64>) -> Result<Bytes> {
        let shown = match &self.part {
            Part::Magic => Bytes::from_static(MAGIC),
            Part::Tail(bytes) => bytes.clone(),
            Part::Pages(pages) => return pages.read(input, range),
            Part::Index(opener, module) => {
                let sealed = bytes_at(input, self.range.clone())?;
                opener.open(*module, None, &sealed)?.into()
            }
            Part::BloomFilter(opener) => self.bloom_filter(input, opener)?,
            Part::Locked(lock) => return Err(lock.error()),
        };
        let length = (self.range.end - self.range.start) as usize;
        let at = (range.start - self.range.start) as usize..(range.end - self.range.start) as usize;
        if at.end <= shown.len() {
            return Ok(shown.slice(at));
        }
        // Fewer bytes are shown than stored.
        let mut filled = shown.to_vec();
        filled.resize(length, 0);
        Ok(Bytes::from(filled).slice(at))
    }

    /// Returns a Bloom filter, with a longer header.
    fn bloom_filter(&self, input: &impl ChunkReader, opener: &Opener) -> Result<Bytes> {
        let sealed = bytes_at(input, self.range.clone())?;
        let length = module_length(&sealed).filter(|it| *it <= sealed.len());
        let (header, bitset) = sealed.split_at(length.unwrap_or(sealed.len()));
        let header = opener.open(Module::BloomFilterHeader, None, header)?;
        let bitset = opener.open(Module::BloomFilterBitset, None, bitset)?;
        let header = decode_prefix::<BloomFilterHeader>(&header.into()).map_err(damaged)?;
        let header = extended(encode(&header.0)?, sealed.len() - bitset.len())?;
        Ok([header, bitset].concat().into())
    }
}

impl Lock {
    fn error(&self) -> Error {
        decryption(&*self.problem)
            .in_column(&self.column)
            .in_row_group(self.row_group)
    }
}
