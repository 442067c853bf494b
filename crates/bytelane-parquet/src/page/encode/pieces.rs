//! Collects encoded pages without copying them.

use arrow_buffer::Buffer;
use bytes::Bytes;

/// Number of bytes after which a piece ends.
const PIECE: usize = 1 << 20;
/// Minimum number of bytes for which a piece of its own costs less than a copy.
const WORTH_A_PIECE: usize = 1 << 16;

/// Destination of encoded pages.
pub(crate) trait PageSink {
    /// Appends a copy of some bytes.
    fn copy(&mut self, bytes: &[u8]);
    /// Appends memory that others may also refer to.
    fn share(&mut self, memory: Buffer);
}

impl PageSink for Vec<u8> {
    fn copy(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn share(&mut self, memory: Buffer) {
        self.extend_from_slice(&memory);
    }
}

/// Consecutive bytes in pieces. A single buffer would be copied whenever it grows, to memory that the system has
/// to zero first.
#[derive(Debug, Default)]
pub struct Pieces {
    complete: Vec<Bytes>,
    /// Number of bytes of the complete pieces.
    length: usize,
    last: Vec<u8>,
}

impl Pieces {
    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.length + self.last.len()
    }

    /// Appends all bytes of others.
    pub(crate) fn append(&mut self, mut others: Self) {
        if others.len() < WORTH_A_PIECE {
            others.complete.iter().for_each(|piece| self.copy(piece));
            self.copy(&others.last);
            return;
        }
        self.end_piece();
        self.complete.append(&mut others.complete);
        self.length += others.length;
        self.last = others.last;
    }

    fn end_piece(&mut self) {
        if !self.last.is_empty() {
            let mut piece = std::mem::take(&mut self.last);
            self.length += piece.len();
            // The last page may have doubled the capacity.
            piece.shrink_to_fit();
            self.complete.push(piece.into());
        }
    }

    /// Returns the pieces.
    pub(crate) fn into_bytes(mut self) -> Vec<Bytes> {
        self.end_piece();
        self.complete
    }
}

impl PageSink for Pieces {
    fn copy(&mut self, bytes: &[u8]) {
        if self.last.len() >= PIECE {
            self.end_piece();
        }
        if self.last.is_empty() && self.length >= PIECE {
            self.last.reserve(PIECE + PIECE / 4);
        }
        self.last.extend_from_slice(bytes);
    }

    fn share(&mut self, memory: Buffer) {
        if memory.len() < WORTH_A_PIECE {
            return self.copy(&memory);
        }
        self.end_piece();
        self.length += memory.len();
        self.complete.push(memory.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_bytes_in_their_order() {
        let mut expected = Vec::new();
        let mut all = Pieces::default();
        for (number, length) in [3, WORTH_A_PIECE, 0, 100, PIECE, 7, 3 * PIECE, 1]
            .into_iter()
            .enumerate()
        {
            let bytes = vec![number as u8; length];
            let mut others = Pieces::default();
            for to in [&mut expected as &mut dyn PageSink, &mut all, &mut others] {
                to.copy(&bytes);
                to.share(Buffer::from_slice_ref(&bytes));
            }
            expected.copy(&bytes.repeat(2));
            all.append(others);
            assert_eq!(all.len(), expected.len());
        }
        let pieces = all.into_bytes();
        assert_eq!(pieces.concat(), expected);
    }

    #[test]
    fn large_memory_is_not_copied() {
        let memory = Buffer::from_vec(vec![7_u8; WORTH_A_PIECE]);
        let mut pieces = Pieces::default();
        pieces.copy(&[1, 2]);
        pieces.share(memory.clone());
        pieces.copy(&[3]);
        let pieces = pieces.into_bytes();
        assert_eq!(pieces.len(), 3);
        assert_eq!(pieces[1].as_ptr(), memory.as_ptr());
    }
}
