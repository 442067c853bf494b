//! Copies of short strings: 16 bytes are moved at once, of which the next string overwrites those that are too many.

/// Bytes that are moved at once.
const STEP: usize = 16;

/// Strings that are decoded at once: so many of average length stay in the first-level cache.
pub(super) const BLOCK: usize = 1024;

/// Bytes by which the memory for strings grows, so that zeros are still in the first-level cache when they are
/// overwritten.
const GROWTH: usize = 16 << 10;

/// Strings that are being written. What is written may be followed by any bytes.
pub(super) struct Strings<'a> {
    bytes: &'a mut Vec<u8>,
    /// Bytes that are written.
    length: usize,
}

impl<'a> Strings<'a> {
    /// To be appended.
    pub(super) fn after(bytes: &'a mut Vec<u8>) -> Self {
        let length = bytes.len();
        Self { bytes, length }
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Appends a string: the first bytes of `from`, which has as many.
    #[inline(always)]
    pub(super) fn push(&mut self, from: &[u8], length: usize) {
        let to = &mut self.bytes[self.length..];
        if length <= STEP
            && let (Some(from), Some(to)) = (from.first_chunk(), to.first_chunk_mut::<STEP>())
        {
            *to = *from;
        } else {
            self.push_exactly(&from[..length]);
        }
        self.length += length;
    }

    /// Appends the first bytes of an array.
    #[inline(always)]
    pub(super) fn push_array(&mut self, from: &[u8; STEP], length: usize) {
        let to = &mut self.bytes[self.length..];
        match to.first_chunk_mut() {
            Some(to) => *to = *from,
            None => self.push_exactly(&from[..length]),
        }
        self.length += length;
    }

    /// Appends bytes that were written before.
    #[inline(always)]
    pub(super) fn repeat(&mut self, start: usize, length: usize) {
        let source = self.bytes[start..].first_chunk::<STEP>().copied();
        let to = &mut self.bytes[self.length..];
        if length <= STEP
            && let (Some(source), Some(to)) = (source, to.first_chunk_mut())
        {
            *to = source;
        } else {
            self.make_room(length);
            self.bytes.copy_within(start..start + length, self.length);
        }
        self.length += length;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, length: usize) {
        let length = self.length + length + GROWTH;
        self.bytes.resize(length, 0);
    }

    fn make_room(&mut self, length: usize) {
        if self.bytes.len() - self.length < length {
            self.grow(length);
        }
    }

    #[inline(never)]
    fn push_exactly(&mut self, from: &[u8]) {
        self.make_room(from.len());
        self.bytes[self.length..self.length + from.len()].copy_from_slice(from);
    }
}

impl Drop for Strings<'_> {
    fn drop(&mut self) {
        self.bytes.truncate(self.length);
    }
}
