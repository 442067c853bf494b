//! Appends many short pieces to memory that was reserved beforehand.

use super::{copy, write};
use alloc::vec::Vec;

/// Appends bytes. Used by `bytelane-thrift`.
#[inline]
pub fn extend(to: &mut Vec<u8>, bytes: &[u8]) {
    let (start, len) = (to.len(), bytes.len());
    to.reserve(len);
    copy(&mut to.spare_capacity_mut()[..len], bytes);
    // SAFETY: these are the first bytes of the spare capacity, and they were written.
    unsafe { to.set_len(start + len) };
}

/// Bytes that pieces are appended to, and that do not grow: a piece that does not fit is counted
/// and dropped. If a call could make room, it could change the length, which the caller would then
/// have to load again after each piece. Used by `bytelane-thrift`.
#[derive(Debug, Default)]
pub struct Reserved {
    bytes: Vec<u8>,
    missing: usize,
}

impl Reserved {
    /// Appends to these bytes until they are full.
    #[must_use]
    #[inline]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, missing: 0 }
    }

    /// Appends the first `len` bytes of an array. Bytes after them may be overwritten, so there
    /// must be room for all of the array.
    ///
    /// # Panics
    ///
    /// Panics if the array has fewer than `len` bytes.
    #[inline(always)]
    pub fn push<const N: usize>(&mut self, bytes: [u8; N], len: usize) {
        assert!(len <= N, "a piece of {len} bytes of {N}");
        let Some(to) = self.bytes.spare_capacity_mut().first_chunk_mut() else {
            return self.miss(N);
        };
        write(to, bytes);
        // SAFETY: these are the first bytes of the spare capacity, of which `N` were written.
        unsafe { self.bytes.set_len(self.bytes.len() + len) };
    }

    /// Appends bytes.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        let len = bytes.len();
        let Some(to) = self.bytes.spare_capacity_mut().get_mut(..len) else {
            return self.miss(len);
        };
        // Two overlapping pieces of a fixed length: a call that copies any length takes longer.
        match len {
            16..=32 => {
                write_ends::<16>(to, bytes);
            }
            8..16 => write_ends::<8>(to, bytes),
            4..8 => write_ends::<4>(to, bytes),
            _ => copy(to, bytes),
        }
        // SAFETY: these are the first bytes of the spare capacity, and they were written.
        unsafe { self.bytes.set_len(self.bytes.len() + len) };
    }

    /// Returns the bytes, to append to them in any other way.
    #[inline]
    pub fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Returns the number of bytes for which room was missing.
    #[must_use]
    #[inline]
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// Drops the bytes after `start`, and makes room for them and for the missing bytes.
    #[cold]
    pub fn make_room(&mut self, start: usize) {
        self.bytes.reserve(self.missing);
        self.bytes.truncate(start);
        self.missing = 0;
    }

    /// Returns the bytes.
    #[must_use]
    #[inline]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    #[cold]
    #[inline(always)]
    fn miss(&mut self, len: usize) {
        self.missing = self.missing.saturating_add(len);
    }
}

/// Copies between `N` and twice as many bytes to the same number of slots.
#[inline(always)]
fn write_ends<const N: usize>(to: &mut [super::Slot], from: &[u8]) {
    debug_assert!((N..=2 * N).contains(&from.len()) && to.len() == from.len());
    if let (Some(&first), Some(&last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) {
        if let Some(to) = to.first_chunk_mut() {
            write(to, first);
        }
        if let Some(to) = to.last_chunk_mut() {
            write(to, last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn bytes(len: usize) -> Vec<u8> {
        (1..=len).map(|byte| byte as u8).collect()
    }

    #[test]
    fn pieces_of_every_length_follow_each_other() {
        let mut reserved = Reserved::new(Vec::with_capacity(2000));
        let mut expected = vec![];
        for len in 0..50 {
            reserved.extend(&bytes(len));
            reserved.push([7, 8, 9, 10], len % 5);
            expected.extend(bytes(len));
            expected.extend(&[7, 8, 9, 10][..len % 5]);
        }
        assert_eq!(reserved.missing(), 0);
        assert_eq!(reserved.into_bytes(), expected);
    }

    #[test]
    fn what_does_not_fit_is_counted_and_fits_next_time() {
        for len in 0..50 {
            let mut start = Vec::with_capacity(len + 1);
            start.push(1);
            let room = start.capacity() - 1;
            let mut reserved = Reserved::new(start);
            for _ in 0..2 {
                reserved.extend(&bytes(room));
                assert_eq!(reserved.missing(), 0);
                reserved.push([2; 8], 1);
                assert_eq!(reserved.missing(), 8, "there is room for no array");
                reserved.extend(&[3; 9]);
                assert_eq!(reserved.missing(), 17);
                assert_eq!(reserved.bytes().len(), 1 + room);
                let capacity = reserved.bytes().capacity();
                reserved.make_room(1);
                assert!(reserved.bytes().capacity() >= capacity + 17);
                reserved.extend(&bytes(room));
                reserved.push([2; 8], 1);
                reserved.extend(&[3; 9]);
                assert_eq!(reserved.missing(), 0);
                let expected = [&[1][..], &bytes(room), &[2], &[3; 9]].concat();
                assert_eq!(*reserved.bytes(), expected);
                reserved.bytes().truncate(1);
                reserved.bytes().shrink_to(1 + room);
            }
        }
    }

    #[test]
    #[should_panic(expected = "a piece of 5 bytes of 4")]
    fn a_piece_is_not_longer_than_its_array() {
        Reserved::new(Vec::with_capacity(8)).push([0; 4], 5);
    }
}
