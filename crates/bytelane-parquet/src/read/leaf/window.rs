//! Reads small pages together.

use super::super::input::Input;
use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};
use std::io::Read;
use std::ops::Range;

/// Minimum number of bytes to read at once, if the chunk has them. The bytes are in the second-level cache when their pages are
/// decoded.
const WINDOW: usize = 64 << 10;

/// Number of bytes after a page, for the header of the next one.
const HEAD: usize = 256;

/// Input with the bytes of a column chunk that were read last.
pub(super) struct Window {
    input: Input,
    /// Bytes that may be read before they are requested.
    chunk: Range<u64>,
    read: (u64, Bytes),
}

impl Window {
    /// Creates a window of a chunk in this range, which is empty if only requested bytes may be read.
    pub(super) fn new(input: Input, chunk: Range<u64>) -> Self {
        Self {
            input,
            chunk,
            read: Default::default(),
        }
    }

    pub(super) fn input(&self) -> &Input {
        &self.input
    }

    /// Returns bytes of the window; `None` if they are not all in it.
    fn find(&self, start: u64, length: usize) -> Option<Bytes> {
        let (first, bytes) = &self.read;
        let at = usize::try_from(start.checked_sub(*first)?).ok()?;
        let is_within = at.checked_add(length)? <= bytes.len();
        is_within.then(|| bytes.slice(at..at + length))
    }

    /// Reads a page, and bytes after it.
    pub(super) fn page(&mut self, start: u64, length: usize) -> Result<Bytes> {
        if let Some(found) = self.find(start, length) {
            return Ok(found);
        }
        let left = self.chunk.end.min(self.len()).saturating_sub(start);
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        let most = length.saturating_add(HEAD).max(WINDOW).min(left);
        let bytes = self.input.get_bytes(start, most.max(length))?;
        let page = bytes.slice(..length);
        self.read = (start, bytes);
        Ok(page)
    }
}

impl Length for Window {
    fn len(&self) -> u64 {
        self.input.len()
    }
}

impl ChunkReader for Window {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.input.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        match self.find(start, length) {
            Some(found) => Ok(found),
            None => self.input.get_bytes(start, length),
        }
    }
}
