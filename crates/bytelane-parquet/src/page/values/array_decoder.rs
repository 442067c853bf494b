//! Defines the interface of decoders, which build Arrow arrays of any type from the values of pages.

use super::super::header::ValueEncoding;
use super::super::symbols::Symbols;
use crate::{Error, Result};
use arrow_array::ArrayRef;
use arrow_buffer::{BooleanBuffer, NullBuffer};
use bytes::Bytes;

/// Slots of an array for which a page has values or nulls.
#[derive(Clone, Copy, Debug)]
pub enum Slots<'a> {
    /// Number of slots, all valid.
    Valid(usize),
    /// Number of slots, all null.
    Null(usize),
    /// Both values and nulls.
    Mixed {
        /// Bitmap of the slots, lowest bit of a byte first, which is set for values. Bits after the last slot
        /// are zero.
        bits: &'a [u8],
        slots: usize,
        /// Number of set bits.
        valid: usize,
    },
}

impl Slots<'_> {
    /// Returns the number of slots, including nulls.
    pub(crate) fn len(self) -> usize {
        match self {
            Slots::Valid(slots) | Slots::Null(slots) | Slots::Mixed { slots, .. } => slots,
        }
    }

    /// Returns the number of values.
    pub(crate) fn valid(self) -> usize {
        match self {
            Slots::Valid(slots) => slots,
            Slots::Null(_) => 0,
            Slots::Mixed { valid, .. } => valid,
        }
    }
}

/// Decoder of the values of the pages of a column chunk, from the first to the last, into one array after the
/// other.
///
/// The bytes of pages are untrusted. The caller guarantees everything else.
pub trait ArrayDecoder: Send {
    /// Keeps the dictionary of the chunk: `count` values in PLAIN, decompressed.
    fn keep_dictionary(&mut self, values: Bytes, count: usize) -> Result<()>;

    /// Keeps the symbols of the chunk's pages in FSST.
    fn keep_symbols(&mut self, _symbols: Symbols) -> Result<()> {
        Err(Error::corrupt(
            "a page of symbols in a column without strings",
        ))
    }

    /// Begins a page with `valid` values, not counting nulls. The previous page is finished.
    fn open_page(&mut self, encoding: ValueEncoding, values: Bytes, valid: usize) -> Result<()>;

    /// Ends the page. Its bytes are released if they are not needed any more, so that the next page can reuse
    /// their memory.
    fn close_page(&mut self);

    /// Makes room for another `slots` slots in the array, if the caller knows their number.
    fn reserve(&mut self, slots: usize);

    /// Appends the next slots to the array. The page has at least that many values left.
    fn append(&mut self, slots: Slots<'_>) -> Result<()>;

    /// Skips the next values of the page, which has at least that many left.
    fn skip(&mut self, valid: usize) -> Result<()>;

    /// Returns whether [`retain`](Self::retain) drops slots.
    fn can_retain(&self) -> bool {
        false
    }

    /// Drops those of the last slots of the array whose bits are not set. The array has at least as many
    /// slots as there are bits; these begin at the lowest bit of the first byte.
    fn retain(&mut self, _bits: &BooleanBuffer) {}

    /// Appends those of the next slots whose bits are set; the bits begin at the lowest bit of the first byte.
    fn append_kept(&mut self, slots: Slots<'_>, bits: &BooleanBuffer) -> Result<()> {
        self.append(slots)?;
        self.retain(bits);
        Ok(())
    }

    /// Returns the memory of the last array to the budget; the array now belongs to the caller.
    fn release(&mut self);

    /// Returns the array of everything appended since the last one. `nulls` has a bit for each slot, or is
    /// `None` if no slot is null.
    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef>;
}
