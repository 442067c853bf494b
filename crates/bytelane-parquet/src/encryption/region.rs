//! Parts of an encrypted file that are shown in another form.

use super::aad::{Module, decryption};
use super::cipher::module_length;
use super::opener::Opener;
use super::pages::SealedPages;
use crate::format::MAGIC;
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
    /// Modules that follow each other, such as the header and the bitset of a Bloom filter.
    Modules(Opener, &'static [Module]),
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
            Part::Modules(opener, modules) => self.opened(input, opener, modules)?,
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

    fn opened(
        &self,
        input: &impl ChunkReader,
        opener: &Opener,
        modules: &[Module],
    ) -> Result<Bytes> {
        let sealed = bytes_at(input, self.range.clone())?;
        let (mut opened, mut rest) = (Vec::new(), &sealed[..]);
        for module in modules {
            let length = module_length(rest).filter(|it| *it <= rest.len());
            let (this, after) = rest.split_at(length.unwrap_or(rest.len()));
            opened.extend(opener.open(*module, None, this)?);
            rest = after;
        }
        Ok(opened.into())
    }
}

impl Lock {
    fn error(&self) -> Error {
        decryption(&*self.problem)
            .in_column(&self.column)
            .in_row_group(self.row_group)
    }
}
