//! What makes Arrow arrays of the values of pages, whatever their type.

use super::super::header::ValueEncoding;
use crate::Result;
use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;
use bytes::Bytes;

/// Slots of an array that a page has values for, or nulls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slots<'a> {
    /// As many values.
    Valid(usize),
    /// As many nulls.
    Null(usize),
    /// Both.
    Mixed {
        /// A bit for each slot, the lowest one of a byte first, which is set for values. Bits after the last slot are zero.
        bits: &'a [u8],
        slots: usize,
        /// How many bits are set.
        valid: usize,
    },
}

impl Slots<'_> {
    /// Values and nulls.
    pub(crate) fn len(self) -> usize {
        match self {
            Slots::Valid(slots) | Slots::Null(slots) | Slots::Mixed { slots, .. } => slots,
        }
    }

    /// Values.
    pub(crate) fn valid(self) -> usize {
        match self {
            Slots::Valid(slots) => slots,
            Slots::Null(_) => 0,
            Slots::Mixed { valid, .. } => valid,
        }
    }
}

/// Decodes the values of the pages of a column chunk, from the first to the last, into one array after the other.
///
/// The bytes of pages are untrusted; all else is the caller's promise.
pub(crate) trait ArrayDecoder: Send {
    /// Keeps the dictionary of the chunk: so many values in PLAIN, decompressed.
    fn keep_dictionary(&mut self, values: Bytes, count: usize) -> Result<()>;

    /// Begins a page with so many values, nulls not counted. The page before it is done with.
    fn open_page(&mut self, encoding: ValueEncoding, values: Bytes, valid: usize) -> Result<()>;

    /// Ends the page. Its bytes are let go of where they are not needed any more: their memory is for the next page.
    fn close_page(&mut self);

    /// Makes room for as many more slots in the array, if the caller knows how many there will be.
    fn reserve(&mut self, slots: usize);

    /// Appends the next slots to the array. The page has as many values left.
    fn append(&mut self, slots: Slots<'_>) -> Result<()>;

    /// Passes over the next values of the page, which has as many left.
    fn skip(&mut self, valid: usize) -> Result<()>;

    /// Gives the memory of the last array back to the budget: the array is the caller's.
    fn release(&mut self);

    /// The array of everything appended since the last one. `nulls` has a bit for each slot, or is none if no slot is
    /// null.
    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef>;
}
