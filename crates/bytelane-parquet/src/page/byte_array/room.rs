//! How much memory an array may take.

use crate::{Error, Problem, Result};

/// Bytes that the strings of an array may take, without their offsets or views.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// What the caller allows for the array.
    pub(super) memory: u64,
    /// What is left of that for strings.
    pub(super) left: u64,
    /// What the offsets can address.
    pub(super) addressable: u64,
}

impl Room {
    /// For an array without strings so far.
    pub(super) fn new(memory: u64, addressable: u64) -> Self {
        Self {
            memory,
            left: memory,
            addressable,
        }
    }

    /// Without what so many slots take.
    pub(super) fn without(self, slots: usize, width: usize) -> Result<Self> {
        let needed = (slots as u64).saturating_mul(width as u64);
        match self.left.checked_sub(needed) {
            Some(left) => Ok(Self { left, ..self }),
            None => Err(self.too_small()),
        }
    }

    /// An error unless the array may have strings of so many bytes.
    pub(super) fn check(&self, bytes: u64) -> Result<()> {
        if bytes > self.left {
            return Err(self.too_small());
        }
        if bytes > self.addressable {
            return Err(Error::new(Problem::Unsupported(format!(
                "the values of one array take more than the {} bytes that offsets of 32 bits can address: \
                 read fewer rows at a time (with_batch_size), or read the column as LargeUtf8 or LargeBinary",
                self.addressable
            ))));
        }
        Ok(())
    }

    fn too_small(&self) -> Error {
        Error::new(Problem::MemoryLimit { limit: self.memory })
    }
}
