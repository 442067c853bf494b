//! Buffers with a chosen alignment, not left to the allocator.
//!
//! A load whose low 12 address bits equal those of a store shortly before it waits for that store
//! (4 KiB aliasing), which can halve a result. Whether it happens is a matter of luck unless the
//! positions of input and output are controlled.

use std::ops::{Deref, DerefMut};

/// Size of a page in bytes; a buffer's offset counts from such a boundary.
pub const PAGE: usize = 4096;

/// Size of a cache line in bytes.
const LINE: usize = 64;

/// Offset for outputs whose inputs lie at offset 0: half a page and one cache line away, so that no
/// load follows a store to an aliasing address.
pub const APART: usize = PAGE / 2 + 64;

/// Bytes that start a chosen number of bytes after a page boundary, with every page touched.
///
/// ```
/// use bytelane_measure::buffer::{Buffer, PAGE};
/// let mut buffer = Buffer::zeroed(1000, 3);
/// assert_eq!(buffer.as_ptr() as usize % PAGE, 3);
/// buffer[999] = 1;
/// ```
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Buffer {
    /// Creates a buffer of `len` zero bytes, `offset % PAGE` bytes after a page boundary.
    #[must_use]
    pub fn zeroed(len: usize, offset: usize) -> Self {
        let mut bytes = vec![0_u8; len + 2 * PAGE];
        // Fresh zero pages all map to one physical page until something is written.
        for byte in bytes.iter_mut().step_by(PAGE) {
            *std::hint::black_box(byte) = 0;
        }
        let start = bytes.as_ptr().align_offset(PAGE) + offset % PAGE;
        Self { bytes, start, len }
    }

    /// Creates a copy of `content`, `offset % PAGE` bytes after a page boundary.
    #[must_use]
    pub fn from_slice(content: &[u8], offset: usize) -> Self {
        let mut buffer = Self::zeroed(content.len(), offset);
        buffer.copy_from_slice(content);
        buffer
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}

/// Several different inputs, used in turn: a branch predictor memorises one input of about 4,096
/// values, which makes a decoder with data-dependent branches look faster than it is.
///
/// ```
/// use bytelane_measure::buffer::Pool;
/// let pool = Pool::generate(3, 0, |index| vec![index as u8; 10]);
/// assert_eq!(pool.input(4)[0], 1);
/// ```
#[derive(Debug)]
pub struct Pool {
    bytes: Buffer,
    /// Start and end of each input.
    places: Vec<(usize, usize)>,
}

impl Pool {
    /// Creates `count` inputs (at least one); `generate` returns the content of each, given its index. Each begins
    /// `offset % PAGE` bytes after a page boundary, or after one of equal parts of the first half of a page if it is shorter than that.
    ///
    /// Short inputs that all began at a page boundary would evict each other from the caches, which have a few places only for lines at
    /// the same offset: 4,096 texts of one line took twice as long as 512.
    pub fn generate(count: usize, offset: usize, generate: impl FnMut(usize) -> Vec<u8>) -> Self {
        const HALF: usize = PAGE / 2;
        let inputs: Vec<_> = (0..count.max(1)).map(generate).collect();
        let longest = inputs.iter().map(Vec::len).max().unwrap_or(0);
        let part = longest.next_power_of_two().clamp(LINE, HALF);
        let of_page = if longest <= HALF { HALF / part } else { 1 };
        let pages = longest.div_ceil(PAGE).max(1);
        let places: Vec<_> = inputs
            .iter()
            .enumerate()
            .map(|(index, input)| {
                let start = index / of_page * pages * PAGE + index % of_page * part;
                (start, start + input.len())
            })
            .collect();
        let end = places.last().map_or(0, |&(_, end)| end);
        let mut bytes = Buffer::zeroed(end, offset);
        for (input, &(start, end)) in inputs.iter().zip(&places) {
            bytes[start..end].copy_from_slice(input);
        }
        Self { bytes, places }
    }

    /// Returns the input for a call; calls use the inputs in turn.
    #[inline]
    #[must_use]
    pub fn input(&self, call: usize) -> &[u8] {
        // A division would be noticeable in a call of a few nanoseconds.
        let (start, end) = if self.places.len() == 1 {
            self.places[0]
        } else {
            self.places[call % self.places.len()]
        };
        &self.bytes[start..end]
    }

    /// Returns all inputs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.places
            .iter()
            .map(|&(start, end)| &self.bytes[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_lie_where_they_should() {
        for offset in [0, 1, 63, 64, APART, PAGE - 1, PAGE, PAGE + 5] {
            for len in [0, 1, 4095, 4096, 100_000] {
                let buffer = Buffer::zeroed(len, offset);
                assert_eq!(buffer.len(), len);
                assert_eq!(buffer.as_ptr() as usize % PAGE, offset % PAGE);
                assert!(buffer.iter().all(|&byte| byte == 0));
            }
        }
        assert_eq!(&*Buffer::from_slice(b"abc", 7), b"abc");
    }

    #[test]
    fn pools_cycle() {
        let pool = Pool::generate(3, APART, |index| vec![index as u8 + 1; 4]);
        let firsts: Vec<u8> = (0..7).map(|call| pool.input(call)[0]).collect();
        assert_eq!(firsts, [1, 2, 3, 1, 2, 3, 1]);
        assert_eq!(pool.iter().len(), 3);
        assert_eq!(Pool::generate(0, 0, |_| vec![9]).input(5), [9]);
    }

    #[test]
    fn inputs_of_a_pool_lie_where_they_should() {
        let offsets = |len: usize, offset| {
            let pool = Pool::generate(5, offset, |index| vec![index as u8; len - index % 2]);
            for (index, input) in pool.iter().enumerate() {
                assert_eq!(*input, vec![index as u8; len - index % 2]);
            }
            pool.iter()
                .map(|input| input.as_ptr() as usize % PAGE)
                .collect::<Vec<_>>()
        };
        assert_eq!(offsets(1, 0), [0, 64, 128, 192, 256]);
        assert_eq!(offsets(65, 0), [0, 128, 256, 384, 512]);
        assert_eq!(offsets(1000, 3), [3, 1027, 3, 1027, 3]);
        assert_eq!(offsets(2048, 0), [0; 5]);
        assert_eq!(offsets(2049, 1), [1; 5]);
        assert_eq!(offsets(100_000, APART), [APART; 5]);
    }
}
