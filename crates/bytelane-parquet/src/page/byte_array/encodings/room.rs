//! How much memory an array may take.

use crate::budget::Reservation;
use crate::{Error, Problem, Result};

/// Memory for the strings of an array, of a budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room<'a> {
    /// Memory of the array.
    memory: &'a Reservation,
    /// Bytes of it that are not those of strings.
    others: u64,
    /// Bytes that the offsets can address.
    addressable: u64,
}

impl<'a> Room<'a> {
    /// For an array without strings so far.
    pub(crate) fn new(memory: &'a Reservation, addressable: u64) -> Self {
        Self {
            memory,
            others: 0,
            addressable,
        }
    }

    /// The same besides what so many slots take.
    pub(crate) fn beside(self, slots: usize, width: usize) -> Result<Self> {
        let bytes = (slots as u64).saturating_mul(width as u64);
        let others = self.others.saturating_add(bytes);
        self.memory.cover(others)?;
        Ok(Self { others, ..self })
    }

    /// The same for strings that follow others.
    pub(crate) fn after(self, bytes: u64) -> Self {
        Self {
            others: self.others.saturating_add(bytes),
            addressable: self.addressable.saturating_sub(bytes),
            ..self
        }
    }

    /// An error unless the array may have strings of so many bytes.
    pub(crate) fn check(&self, bytes: u64) -> Result<()> {
        if bytes > self.addressable {
            let limit = self.addressable;
            return Err(Error::new(Problem::OffsetsTooSmall { limit }));
        }
        self.memory.cover(self.others.saturating_add(bytes))
    }

    /// Bytes to make room for, of strings that have so many and will probably have more.
    pub(crate) fn expect(&self, bytes: u64, probably: u64) -> u64 {
        match self.check(probably) {
            Ok(()) => probably.max(bytes),
            Err(_) => bytes,
        }
    }
}
