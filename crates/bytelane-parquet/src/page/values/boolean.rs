//! Decodes arrays of booleans, which stay bits.

use super::super::header::ValueEncoding;
use super::super::levels::empty_runs;
use super::array_decoder::{ArrayDecoder, Slots};
use crate::budget::{Budget, Reservation};
use crate::memory::compact_bits;
use crate::{Error, Result};
use arrow_array::{ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer};
use bytelane::Detected;
use bytelane::rle_hybrid::bits;
use bytelane::validity::{Format, values};
use bytes::Bytes;
use std::ops::Range;
use std::sync::Arc;

/// Decoder of one column's booleans.
pub(crate) struct BooleanDecoder {
    backend: Detected,
    /// Memory of the values of a page of runs, of the array, and of a piece with nulls.
    page_memory: Reservation,
    array_memory: Reservation,
    piece_memory: Reservation,
    /// Bit for each value of the page, and the number of values that have been taken.
    page: Bytes,
    taken: usize,
    array: BooleanBufferBuilder,
    /// Byte for each value of a piece with nulls, and for each slot.
    dense: Vec<u8>,
    spread: Vec<u8>,
    piece: Vec<u8>,
}

impl BooleanDecoder {
    pub(crate) fn new(backend: Detected, budget: &Budget) -> Self {
        Self {
            backend,
            page_memory: budget.reservation(),
            array_memory: budget.reservation(),
            piece_memory: budget.reservation(),
            page: Bytes::new(),
            taken: 0,
            array: BooleanBufferBuilder::new(0),
            dense: Vec::new(),
            spread: Vec::new(),
            piece: Vec::new(),
        }
    }

    /// Decodes the bits of a page of runs, which are preceded by their length.
    fn runs(&self, page: &[u8], valid: usize) -> Result<Bytes> {
        self.page_memory.resize(valid as u64 / 8)?;
        let runs = page
            .split_first_chunk::<4>()
            .and_then(|(length, runs)| runs.get(..u32::from_le_bytes(*length) as usize));
        let Some(runs) = runs else {
            return Err(Error::corrupt("the page ends within its runs of booleans"));
        };
        let mut bits = vec![0; valid.div_ceil(8)];
        let decoded = empty_runs::read(runs, 1, valid, |runs| {
            let bits = &mut bits[..];
            bits::decode_with(self.backend, runs, valid, bits).map(|_| ())
        });
        decoded.map_err(|error| Error::corrupt(format!("the booleans: {error}")))?;
        Ok(bits.into())
    }

    /// Appends slots with and without values. It converts bits to bytes, because there are kernels that
    /// spread those.
    fn append_mixed(&mut self, range: Range<usize>, validity: &[u8], slots: usize) -> Result<()> {
        let Some(format) = Format::<u8>::new(1) else {
            return Ok(());
        };
        let wrong = |error: bytelane::validity::Error| Error::corrupt(error.to_string());
        let valid = range.len();
        self.piece_memory.cover(2 * slots as u64)?;
        let mut bits = BooleanBufferBuilder::new(valid);
        bits.append_packed_range(range, &self.page);
        self.dense.resize(valid, 0);
        let dense = &mut self.dense[..];
        format
            .decode_with(self.backend, bits.as_slice(), dense)
            .map_err(wrong)?;
        self.spread.resize(slots, 0);
        let (dense, spread) = (&self.dense[..], &mut self.spread[..]);
        values::spread_with(self.backend, dense, validity, spread).map_err(wrong)?;
        self.piece.resize(slots.div_ceil(8), 0);
        let (spread, piece) = (&self.spread[..], &mut self.piece[..]);
        format
            .encode_with(self.backend, spread, piece)
            .map_err(wrong)?;
        self.array.append_packed_range(0..slots, &self.piece);
        Ok(())
    }
}

impl ArrayDecoder for BooleanDecoder {
    fn keep_dictionary(&mut self, _: Bytes, _: usize) -> Result<()> {
        Err(Error::corrupt("a dictionary of booleans"))
    }

    fn open_page(&mut self, encoding: ValueEncoding, values: Bytes, valid: usize) -> Result<()> {
        self.taken = 0;
        self.page = match encoding {
            ValueEncoding::Plain if values.len() < valid.div_ceil(8) => {
                return Err(Error::corrupt(format!(
                    "{} bytes of values instead of {valid} values of a bit",
                    values.len()
                )));
            }
            ValueEncoding::Plain => values,
            ValueEncoding::Rle if valid == 0 => Bytes::new(),
            ValueEncoding::Rle => self.runs(&values, valid)?,
            other => {
                return Err(Error::corrupt(format!(
                    "a page of booleans in {}",
                    other.in_specification()
                )));
            }
        };
        Ok(())
    }

    fn close_page(&mut self) {
        self.page = Bytes::new();
        self.page_memory.release();
    }

    fn reserve(&mut self, slots: usize) {
        // Reserve only a moderate amount, because a page of many slots may be a few bytes.
        self.array.reserve(slots.min(1 << 20));
    }

    fn append(&mut self, slots: Slots<'_>) -> Result<()> {
        self.array_memory.add(slots.len().div_ceil(8) as u64)?;
        let range = self.taken..self.taken + slots.valid();
        self.taken = range.end;
        match slots {
            Slots::Valid(_) => self.array.append_packed_range(range, &self.page),
            Slots::Null(slots) => self.array.append_n(slots, false),
            Slots::Mixed { bits, slots, .. } => self.append_mixed(range, bits, slots)?,
        }
        Ok(())
    }

    fn skip(&mut self, valid: usize) -> Result<()> {
        self.taken += valid;
        Ok(())
    }

    fn can_retain(&self) -> bool {
        true
    }

    fn retain(&mut self, bits: &BooleanBuffer) {
        compact_bits(bits, &mut self.array);
    }

    fn release(&mut self) {
        self.array_memory.release();
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let array = BooleanArray::new(self.array.finish(), nulls);
        Ok(Arc::new(array))
    }
}
