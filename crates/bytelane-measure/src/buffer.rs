//! Buffers with a chosen alignment, not left to the allocator.
//!
//! A load whose low 12 address bits equal those of a store shortly before it waits for that store
//! (4 KiB aliasing), which can halve a result. Whether it happens is a matter of luck unless the
//! positions of input and output are controlled.

use std::ops::{Deref, DerefMut};

/// Size of a page in bytes; a buffer's offset counts from such a boundary.
pub const PAGE: usize = 4096;

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
    inputs: Vec<Buffer>,
}

impl Pool {
    /// Creates `count` inputs (at least one), each `offset % PAGE` bytes after a page boundary;
    /// `generate` returns the content of each, given its index.
    pub fn generate(
        count: usize,
        offset: usize,
        mut generate: impl FnMut(usize) -> Vec<u8>,
    ) -> Self {
        let inputs = (0..count.max(1)).map(|index| Buffer::from_slice(&generate(index), offset));
        Self {
            inputs: inputs.collect(),
        }
    }

    /// Returns the input for a call; calls use the inputs in turn.
    #[inline]
    #[must_use]
    pub fn input(&self, call: usize) -> &[u8] {
        // A division would be noticeable in a call of a few nanoseconds.
        if self.inputs.len() == 1 {
            &self.inputs[0]
        } else {
            &self.inputs[call % self.inputs.len()]
        }
    }

    /// Returns all inputs.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.inputs.iter().map(|input| &**input)
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
}
