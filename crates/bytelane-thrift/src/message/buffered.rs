//! Reads a stream into a buffer that keeps its unread bytes.

use std::io::{self, Read};
use std::ops::Range;

/// Minimum room in the buffer for reading from a stream.
const LEAST: usize = 8 << 10;

/// A stream, and the bytes of it that have been read but not consumed.
pub(crate) struct Buffered<R> {
    pub(crate) stream: R,
    /// Room for bytes of the stream: no byte of it is cleared twice.
    buffer: Vec<u8>,
    /// Bytes that have not been consumed.
    given: Range<usize>,
}

impl<R> Buffered<R> {
    pub(crate) fn new(stream: R) -> Self {
        Self {
            stream,
            buffer: Vec::new(),
            given: 0..0,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.given.clone()]
    }

    pub(crate) fn consume(&mut self, len: usize) {
        self.given.start += len;
    }
}

impl<R: Read> Buffered<R> {
    /// Reads the bytes that the stream has now. The buffer doubles when it is nearly full.
    pub(crate) fn fill(&mut self) -> io::Result<usize> {
        if self.given.start > 0 {
            self.buffer.copy_within(self.given.clone(), 0);
        }
        self.given = 0..self.given.len();
        let len = self.buffer.len();
        if len - self.given.end < LEAST {
            self.buffer.resize(len + usize::max(len, LEAST), 0);
        }
        loop {
            match self.stream.read(&mut self.buffer[self.given.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    self.given.end += *read.as_ref().unwrap_or(&0);
                    return read;
                }
            }
        }
    }
}
