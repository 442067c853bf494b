//! The file that is being written.

use super::chunk::bytes_at;
use crate::{Error, Result};
use parquet::file::reader::ChunkReader;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// Bytes that are copied at a time.
const PART: u64 = 1 << 20;

/// A file that only grows.
pub(super) struct Target<'a> {
    sink: &'a mut dyn Write,
    path: &'a Path,
    position: u64,
}

impl<'a> Target<'a> {
    /// A file without bytes so far; errors call it `path`.
    pub fn new(sink: &'a mut dyn Write, path: &'a Path) -> Self {
        Self {
            sink,
            path,
            position: 0,
        }
    }

    /// Bytes written.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Writes bytes, and returns where they are.
    pub fn write(&mut self, bytes: &[u8]) -> Result<Range<u64>> {
        self.sink
            .write_all(bytes)
            .map_err(|error| Error::from(error).in_file(self.path))?;
        let start = self.position;
        self.position += bytes.len() as u64;
        Ok(start..self.position)
    }

    /// Copies a part of another file.
    pub fn copy(&mut self, reader: &impl ChunkReader, mut range: Range<u64>) -> Result<()> {
        while !range.is_empty() {
            let end = range.end.min(range.start + PART);
            self.write(&bytes_at(reader, range.start..end)?)?;
            range.start = end;
        }
        Ok(())
    }
}
