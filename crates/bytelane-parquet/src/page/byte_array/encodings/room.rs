//! Limits the memory of an array.

use crate::budget::Reservation;
use crate::{Error, Problem, Result};

/// Number of bytes of the longest copy, which may overwrite as many behind the bytes of a string.
pub(crate) const LONG_STEP: usize = 64;

/// Memory for the strings of an array, taken from a budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room<'a> {
    /// Memory of the array.
    memory: &'a Reservation,
    /// Bytes of it that are used for things other than strings.
    others: u64,
    /// Number of bytes that the offsets can address.
    addressable: u64,
    /// Number of slots of the array with those that are being appended, and the probable number in the end.
    slots: usize,
    expected: usize,
}

/// Maximum factor by which the memory of an array is larger than the strings so far: the first ones may be the only
/// long ones.
const MOST_GROWTH: u64 = 8;

/// Additional memory for strings that are longer than those so far: one part of this number.
const MARGIN: u64 = 16;

/// Minimum growth of the memory: one part of this number, so that few strings are copied many times.
const LEAST_GROWTH: u64 = 4;

impl<'a> Room<'a> {
    /// Returns the room of an array without strings.
    pub(crate) fn new(memory: &'a Reservation, addressable: u64) -> Self {
        Self {
            memory,
            others: 0,
            addressable,
            slots: 1,
            expected: 1,
        }
    }

    /// Returns the room that remains next to this number of slots.
    pub(crate) fn beside(self, slots: usize, width: usize) -> Result<Self> {
        let bytes = (slots as u64).saturating_mul(width as u64);
        let others = self.others.saturating_add(bytes);
        self.memory.cover(others)?;
        Ok(Self { others, ..self })
    }

    /// Returns the room of an array that has `slots` slots so far, and will probably have `expected`.
    pub(crate) fn with_slots(self, slots: usize, expected: usize) -> Self {
        Self {
            slots: slots.max(1),
            expected: expected.max(slots).max(1),
            ..self
        }
    }

    /// Returns the room of an array without the last `slots` of the slots that are being appended.
    pub(crate) fn without(self, slots: usize) -> Self {
        self.with_slots(self.slots.saturating_sub(slots), self.expected)
    }

    /// Returns the room that remains after `bytes` bytes of strings.
    pub(crate) fn after(self, bytes: u64) -> Self {
        Self {
            others: self.others.saturating_add(bytes),
            addressable: self.addressable.saturating_sub(bytes),
            ..self
        }
    }

    /// Returns an error unless the array may have this number of bytes of strings.
    pub(crate) fn check(&self, bytes: u64) -> Result<()> {
        if bytes > self.addressable {
            let limit = self.addressable;
            return Err(Error::new(Problem::OffsetsTooSmall { limit }));
        }
        self.memory.cover(self.others.saturating_add(bytes))
    }

    /// Makes room for another `more` bytes of strings, and for the strings that the array will probably have in the
    /// end. All memory is taken from the budget, including that which is copied when it grows.
    pub(crate) fn reserve(&self, to: &mut Vec<u8>, more: u64) -> Result<()> {
        let end = (to.len() as u64).saturating_add(more);
        self.check(end)?;
        let needed = end.saturating_add(LONG_STEP as u64);
        let before = to.capacity() as u64;
        if needed <= before {
            return Ok(());
        }
        let (before, least) = if to.is_empty() {
            *to = Vec::new();
            (0, needed)
        } else {
            (before, needed.max(before + before / LEAST_GROWTH))
        };
        let cover = |size: u64| {
            let others = self.others.saturating_add(before);
            // The last copy may extend past the last string.
            let size = size - LONG_STEP as u64;
            self.memory.cover(others.saturating_add(size))
        };
        let probably = self.probably(end);
        let sizes = [probably + probably / MARGIN, probably].map(|size| size.max(least));
        let size = sizes.into_iter().find(|size| cover(*size).is_ok());
        let size = match size {
            Some(size) => size,
            None => {
                cover(least)?;
                least
            }
        };
        to.reserve_exact(size as usize - to.len());
        // The old memory is free again.
        let size = size - LONG_STEP as u64;
        self.memory.resize(self.others.saturating_add(size))
    }

    /// Returns the memory for all strings, if the others are as long as those so far, which have `bytes` bytes.
    fn probably(&self, bytes: u64) -> u64 {
        if self.expected <= self.slots {
            return 0;
        }
        let all = u128::from(bytes) * self.expected as u128 / self.slots as u128;
        let most = bytes.saturating_mul(MOST_GROWTH).min(self.addressable);
        let all = u64::try_from(all).map_or(most, |all| all.min(most));
        all.saturating_add(LONG_STEP as u64)
    }
}
