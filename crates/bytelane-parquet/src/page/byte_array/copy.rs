//! Copies of short strings: 16 bytes are moved at once, of which the next string overwrites those that are too many.

/// Bytes that are moved at once.
const STEP: usize = 16;

/// Strings that are decoded at once: so many of average length stay in the first-level cache.
pub(super) const BLOCK: usize = 1024;

/// Bytes by which the memory for strings grows, so that zeros are still in the first-level cache when they are
/// overwritten.
const GROWTH: usize = 8 << 10;

/// The lowest bytes of a number, as many as the index says.
pub(super) const LOWEST: [u128; STEP + 1] = {
    let mut masks = [u128::MAX; STEP + 1];
    let mut length = 0;
    while length < STEP {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// Strings that are being written. What is written may be followed by any bytes.
pub(super) struct Strings<'a> {
    bytes: &'a mut Vec<u8>,
    /// Bytes that are written.
    length: usize,
}

impl<'a> Strings<'a> {
    /// To be appended, with so many bytes, or a few more.
    pub(super) fn after(bytes: &'a mut Vec<u8>, expected: usize) -> Self {
        let length = bytes.len();
        // With room for the zeros after them.
        bytes.reserve(expected + 2 * GROWTH);
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
        } else if length <= 4 * STEP
            && let (Some(from), Some(to)) = (from.first_chunk(), to.first_chunk_mut())
        {
            let (from, to): (&[u8; 4 * STEP], &mut [u8; 4 * STEP]) = (from, to);
            *to = *from;
        } else {
            self.push_exactly(&from[..length]);
        }
        self.length += length;
    }

    /// Appends the lowest bytes of a number.
    #[inline(always)]
    pub(super) fn push_number(&mut self, number: u128, length: usize) {
        let to = &mut self.bytes[self.length..];
        match to.first_chunk_mut() {
            Some(to) => *to = number.to_le_bytes(),
            None => self.push_number_at_end(number, length),
        }
        self.length += length;
    }

    /// Appends the lowest bytes of two numbers, the first of which has the lower ones.
    #[inline(always)]
    pub(super) fn push_numbers(&mut self, numbers: &[u128; 2], length: usize) {
        if length <= STEP {
            return self.push_number(numbers[0], length);
        }
        self.push_number(numbers[0], STEP);
        self.push_number(numbers[1], length - STEP);
    }

    /// Appends bytes that were written before, from an offset on.
    #[inline(always)]
    pub(super) fn repeat(&mut self, start: usize, length: usize) {
        if self.bytes.len() < self.length + length + STEP {
            self.grow(length + STEP);
        }
        match length <= 4 * STEP {
            true => {
                for at in (0..length).step_by(STEP) {
                    let from = self.bytes[start + at..].first_chunk::<STEP>().copied();
                    let to = self.bytes[self.length + at..].first_chunk_mut();
                    if let (Some(from), Some(to)) = (from, to) {
                        *to = from;
                    }
                }
            }
            false => self.bytes.copy_within(start..start + length, self.length),
        }
        self.length += length;
    }

    /// What was written, from an offset on.
    pub(super) fn written(&self, start: usize) -> &[u8] {
        &self.bytes[start..self.length]
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, length: usize) {
        self.bytes.resize(self.length + length + GROWTH, 0);
    }

    fn make_room(&mut self, length: usize) {
        if self.bytes.len() - self.length < length {
            self.grow(length);
        }
    }

    #[cold]
    #[inline(never)]
    fn push_number_at_end(&mut self, number: u128, length: usize) {
        self.push_exactly(&number.to_le_bytes()[..length]);
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
