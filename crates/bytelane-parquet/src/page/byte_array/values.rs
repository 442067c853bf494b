//! Builder of an array from the values of pages.

use super::encodings::plain::Entries;
use super::pages::Page;
use crate::{Error, Result};
use arrow_array::ArrayRef;
use arrow_buffer::{BooleanBuffer, NullBuffer};

/// Builder for an array, with the dictionary of the chunk.
pub(super) trait Values: Send {
    fn keep_dictionary(&mut self, entries: Entries) -> Result<()>;

    /// Makes room for this number of slots.
    fn reserve(&mut self, slots: usize);

    /// Appends the next values of a page.
    fn append(&mut self, page: &mut Page, count: usize) -> Result<()>;

    fn append_nulls(&mut self, count: usize) -> Result<()>;

    /// Appends the next values of a page to the slots that are set in a bitmap, and nulls to the others.
    fn append_mixed(
        &mut self,
        page: &mut Page,
        bits: &[u8],
        slots: usize,
        valid: usize,
    ) -> Result<()>;

    /// Appends those of the next values of a page whose bits are set.
    fn append_kept(&mut self, page: &mut Page, bits: &BooleanBuffer) -> Result<()> {
        self.append(page, bits.len())?;
        self.retain(bits);
        Ok(())
    }

    /// Drops those of the last slots whose bits are not set.
    fn retain(&mut self, bits: &BooleanBuffer);

    /// Returns the memory of the last array to the budget.
    fn release(&mut self);

    /// Returns the array of everything appended since the last one.
    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef>;
}

/// Returns the error of a page whose values are indices of a dictionary that is not there.
pub(super) fn no_dictionary() -> Error {
    Error::corrupt("a page of indices, but the column chunk has no dictionary before it")
}
