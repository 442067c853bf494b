//! Copies short strings in steps of 16 bytes. The next string overwrites the surplus bytes.

use super::room::{LONG_STEP, Room};
use crate::Result;
use bytelane::Reserved;

/// Number of bytes per copy.
const STEP: usize = LONG_STEP / 4;

/// Number of strings per block. A block of strings of average length stays in the first-level cache.
pub(crate) const BLOCK: usize = 1024;

/// Masks of the lowest bytes of a number; the index is the number of bytes.
pub(crate) const LOWEST: [u128; STEP + 1] = {
    let mut masks = [u128::MAX; STEP + 1];
    let mut length = 0;
    while length < STEP {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// Numbers of bytes per copy for longer strings.
pub(crate) const TWO_STEPS: usize = 2 * STEP;

/// Destination of strings. Strings that do not fit are counted, but not written: see [`Strings::make_room`].
pub(crate) struct Strings<'a> {
    to: &'a mut Vec<u8>,
    written: Reserved,
}

impl<'a> Strings<'a> {
    /// Appends to bytes in which a [`Room`] has made room.
    pub(crate) fn after(to: &'a mut Vec<u8>) -> Self {
        let written = Reserved::new(std::mem::take(to));
        Self { to, written }
    }

    #[inline(always)]
    pub(crate) fn len(&mut self) -> usize {
        self.written.bytes().len()
    }

    /// Appends a string: the first `length` bytes of `from`, which has at least that many.
    #[inline(always)]
    pub(crate) fn push(&mut self, from: &[u8], length: usize) {
        if length <= STEP
            && let Some(from) = from.first_chunk::<STEP>()
        {
            self.written.push(*from, length);
        } else if length <= LONG_STEP
            && let Some(from) = from.first_chunk::<LONG_STEP>()
        {
            self.written.push(*from, length);
        } else {
            self.written.extend(&from[..length]);
        }
    }

    /// Appends a string like [`push`](Self::push). No branch depends on the length, as long as it is up to `STEP`, which
    /// is at most [`LONG_STEP`].
    #[inline(always)]
    pub(crate) fn push_step<const STEP: usize>(&mut self, from: &[u8], length: usize) {
        match from.first_chunk::<STEP>() {
            Some(from) if length <= STEP => self.written.push(*from, length),
            _ => self.written.extend(&from[..length]),
        }
    }

    /// Appends the lowest bytes of a number.
    #[inline(always)]
    pub(crate) fn push_number(&mut self, number: u128, length: usize) {
        self.written.push(number.to_le_bytes(), length);
    }

    /// Appends the lowest bytes of two numbers. The first number has the lower ones.
    #[inline(always)]
    pub(crate) fn push_numbers(&mut self, numbers: &[u128; 2], length: usize) {
        if length <= STEP {
            return self.push_number(numbers[0], length);
        }
        self.push_number(numbers[0], STEP);
        self.push_number(numbers[1], length - STEP);
    }

    /// Appends bytes that were written before, starting at an offset.
    pub(crate) fn repeat(&mut self, start: usize, length: usize) {
        self.written
            .bytes()
            .extend_from_within(start..start + length);
    }

    /// Returns the bytes written from an offset on.
    pub(crate) fn written(&mut self, start: usize) -> &[u8] {
        &self.written.bytes()[start..]
    }

    /// Returns whether strings since `start` are missing. If so, there is now more room, and everything after
    /// `start` has been removed and must be written again.
    #[inline(always)]
    pub(crate) fn make_room(&mut self, start: usize, room: &Room<'_>) -> Result<bool> {
        let missing = self.written.missing();
        if missing == 0 {
            return Ok(false);
        }
        room.reserve(self.written.bytes(), missing as u64)?;
        self.written.make_room(start);
        Ok(true)
    }
}

impl Drop for Strings<'_> {
    fn drop(&mut self) {
        *self.to = std::mem::take(&mut self.written).into_bytes();
    }
}
