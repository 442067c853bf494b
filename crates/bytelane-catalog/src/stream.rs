//! Codecs between readers and writers.

use crate::result::{Failure, Length};
use std::io::{self, Read, Write};
use std::ops::{Deref, DerefMut};

/// Reason why a stream ended early.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The input could not be read.
    #[error("cannot read the input: {0}")]
    Read(#[source] io::Error),
    /// The output could not be written.
    #[error("cannot write the output: {0}")]
    Write(#[source] io::Error),
    /// The codec failed.
    #[error(transparent)]
    Codec(#[from] Failure),
}

/// Reader and writer of a stream.
pub(crate) struct Io<'a> {
    pub(crate) input: &'a mut dyn Read,
    pub(crate) output: &'a mut dyn Write,
}

impl Io<'_> {
    /// Reads the whole input.
    pub(crate) fn read_all(&mut self) -> Result<Vec<u8>, StreamError> {
        let mut bytes = Vec::new();
        self.input
            .read_to_end(&mut bytes)
            .map_err(StreamError::Read)?;
        Ok(bytes)
    }
}

/// Bytes at an address that is aligned for every number.
#[derive(Default, Debug)]
pub struct AlignedBytes {
    words: Vec<u64>,
    length: usize,
}

impl AlignedBytes {
    /// Resizes to this length; new bytes are zero.
    pub fn resize(&mut self, length: usize) {
        self.words.resize(length.div_ceil(8), 0);
        self.length = length;
    }

    /// Reads from `input` until there are `length` bytes, or until the end.
    fn fill(&mut self, input: &mut dyn Read, length: usize) -> io::Result<()> {
        const STEP: usize = 1 << 20;
        let mut filled = 0;
        while filled < length {
            // Memory grows with the bytes received, not with the requested length.
            self.resize(length.min(filled.next_power_of_two().max(STEP)));
            if filled == self.len() {
                self.resize(length.min(2 * filled));
            }
            match input.read(&mut self[filled..]) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.resize(filled);
        Ok(())
    }
}

impl Deref for AlignedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }
}

impl DerefMut for AlignedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.length]
    }
}

/// Number of bytes to read or encode at a time when the codec has no preference.
pub(crate) const AT_A_TIME: usize = 1 << 16;

/// A reader that buffers some of the input ahead.
pub(crate) struct Lookahead<'a> {
    input: &'a mut dyn Read,
    ended: bool,
    /// Buffered bytes, from `start` on.
    bytes: Vec<u8>,
    start: usize,
    /// Number of bytes of the input before the buffered ones.
    offset: u64,
}

impl<'a> Lookahead<'a> {
    pub(crate) fn new(input: &'a mut dyn Read) -> Self {
        Self {
            input,
            ended: false,
            bytes: Vec::new(),
            start: 0,
            offset: 0,
        }
    }

    /// Reads until `length` bytes are buffered, or until the end. Memory grows with the bytes
    /// received, not with the requested length.
    pub(crate) fn fill(&mut self, length: usize) -> Result<(), StreamError> {
        if self.bytes().len() < length && !self.ended {
            self.bytes.drain(..self.start);
            self.start = 0;
            let wanted = (usize::max(length, AT_A_TIME) - self.bytes.len()) as u64;
            let more = (&mut *self.input).take(wanted).read_to_end(&mut self.bytes);
            self.ended = (more.map_err(StreamError::Read)? as u64) < wanted;
        }
        Ok(())
    }

    /// Returns the buffered bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Returns the offset of the buffered bytes in the input.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Removes the first `length` buffered bytes.
    pub(crate) fn consume(&mut self, length: usize) {
        self.start += length;
        self.offset += length as u64;
    }
}

/// Passes on an input in pieces of `piece` bytes, the last one possibly shorter; or all at once. An
/// empty input is one empty piece.
///
/// # Errors
///
/// [`StreamError::Read`], and any error of `each`.
pub fn pieces(
    input: &mut dyn Read,
    piece: Option<usize>,
    mut each: impl FnMut(&[u8]) -> Result<(), StreamError>,
) -> Result<(), StreamError> {
    let mut bytes = AlignedBytes::default();
    let mut offset = 0_u64;
    loop {
        bytes
            .fill(input, piece.unwrap_or(usize::MAX))
            .map_err(StreamError::Read)?;
        if offset == 0 || !bytes.is_empty() {
            each(&bytes).map_err(|error| at(offset, error))?;
        }
        offset += bytes.len() as u64;
        if Some(bytes.len()) != piece {
            return Ok(());
        }
    }
}

/// Passes on an input in chunks, each with its offset. Returns the length of the input.
pub(crate) fn chunks(
    input: &mut dyn Read,
    mut each: impl FnMut(usize, &[u8]) -> Result<(), StreamError>,
) -> Result<usize, StreamError> {
    let mut buffer = vec![0; 1 << 16];
    let mut offset = 0;
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok(offset),
            Ok(length) => {
                each(offset, &buffer[..length])?;
                offset += length;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(StreamError::Read(error)),
        }
    }
}

/// Encodes an input piece by piece. `encode` writes to the front of a buffer, and returns the length.
pub(crate) fn encode_pieces(
    io: Io<'_>,
    piece: Option<usize>,
    mut encode: impl FnMut(&[u8], &mut Vec<u8>) -> Length,
) -> Result<(), StreamError> {
    let mut encoded = Vec::new();
    pieces(io.input, piece, |values| {
        let length = encode(values, &mut encoded)?;
        let written = io.output.write_all(&encoded[..length]);
        written.map_err(StreamError::Write)
    })
}

/// Adds the offset of the piece to its error, unless it is the first piece.
fn at(offset: u64, error: StreamError) -> StreamError {
    match error {
        StreamError::Codec(failure) if offset > 0 => {
            StreamError::Codec(format!("in the piece at byte {offset}: {failure}").into())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(input: &[u8], piece: Option<usize>) -> Vec<usize> {
        let mut lengths = Vec::new();
        let mut together = Vec::new();
        let mut input_left = input;
        pieces(&mut input_left, piece, |bytes| {
            lengths.push(bytes.len());
            together.extend_from_slice(bytes);
            Ok(())
        })
        .unwrap();
        assert_eq!(together, input);
        lengths
    }

    #[test]
    fn pieces_are_full_but_the_last() {
        assert_eq!(lengths(&[7; 10], Some(4)), [4, 4, 2]);
        assert_eq!(lengths(&[7; 8], Some(4)), [4, 4]);
        assert_eq!(lengths(&[7; 10], None), [10]);
        assert_eq!(lengths(&[], Some(4)), [0]);
        assert_eq!(lengths(&[], None), [0]);
        assert_eq!(lengths(&vec![7; 5 << 20], None), [5 << 20]);
    }

    #[test]
    fn a_failure_names_its_piece() {
        let refuse_short = |bytes: &[u8]| match bytes.len() {
            4 => Ok(()),
            short => Err(StreamError::Codec(
                format!("{short} bytes are too few").into(),
            )),
        };
        let message = |mut input: &[u8]| {
            let result = pieces(&mut input, Some(4), refuse_short);
            result.unwrap_err().to_string()
        };
        assert_eq!(message(&[7; 3]), "3 bytes are too few");
        assert_eq!(
            message(&[7; 10]),
            "in the piece at byte 8: 2 bytes are too few"
        );
    }
}
