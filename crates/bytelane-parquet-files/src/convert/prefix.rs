//! Reads the beginning of an input twice: to infer types, and as rows.

use std::io::{self, Chain, Cursor, Read};

/// Input whose bytes are kept.
pub struct Prefix<R> {
    input: R,
    bytes: Vec<u8>,
}

/// Input from its beginning.
pub type Replayed<R> = Chain<Cursor<Vec<u8>>, R>;

impl<R: Read> Prefix<R> {
    pub fn new(input: R) -> Self {
        Self {
            input,
            bytes: Vec::new(),
        }
    }

    /// Returns the input from its beginning. Bytes are not kept any more.
    pub fn replay(self) -> Replayed<R> {
        Cursor::new(self.bytes).chain(self.input)
    }
}

impl<R: Read> Read for Prefix<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(to)?;
        self.bytes.extend_from_slice(&to[..length]);
        Ok(length)
    }
}
