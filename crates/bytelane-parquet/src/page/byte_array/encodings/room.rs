//! Limits the memory of an array.

use crate::budget::Reservation;
use crate::{Error, Problem, Result};

/// Memory for the strings of an array, taken from a budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room<'a> {
    /// Memory of the array.
    memory: &'a Reservation,
    /// Bytes of it that are used for things other than strings.
    others: u64,
    /// Number of bytes that the offsets can address.
    addressable: u64,
}

impl<'a> Room<'a> {
    /// Returns the room of an array without strings.
    pub(crate) fn new(memory: &'a Reservation, addressable: u64) -> Self {
        Self {
            memory,
            others: 0,
            addressable,
        }
    }

    /// Returns the room that remains next to this number of slots.
    pub(crate) fn beside(self, slots: usize, width: usize) -> Result<Self> {
        let bytes = (slots as u64).saturating_mul(width as u64);
        let others = self.others.saturating_add(bytes);
        self.memory.cover(others)?;
        Ok(Self { others, ..self })
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

    /// Returns the number of bytes to allocate for strings that have `bytes` bytes and probably grow to
    /// `probably`.
    pub(crate) fn expect(&self, bytes: u64, probably: u64) -> u64 {
        match self.check(probably) {
            Ok(()) => probably.max(bytes),
            Err(_) => bytes,
        }
    }
}
