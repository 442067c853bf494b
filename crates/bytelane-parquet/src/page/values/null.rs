//! Decodes arrays of nulls, for columns whose type was unknown when the file was written.

use super::super::header::ValueEncoding;
use super::array_decoder::{ArrayDecoder, Slots};
use crate::Result;
use arrow_array::{ArrayRef, NullArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use bytes::Bytes;
use std::sync::Arc;

/// Decoder that counts slots. Any values that exist nevertheless are ignored.
#[derive(Debug, Default)]
pub(crate) struct NullDecoder {
    slots: usize,
}

impl ArrayDecoder for NullDecoder {
    fn keep_dictionary(&mut self, _: Bytes, _: usize) -> Result<()> {
        Ok(())
    }

    fn open_page(&mut self, _: ValueEncoding, _: Bytes, _: usize) -> Result<()> {
        Ok(())
    }

    fn close_page(&mut self) {}

    fn reserve(&mut self, _: usize) {}

    fn append(&mut self, slots: Slots<'_>) -> Result<()> {
        self.slots += slots.len();
        Ok(())
    }

    fn skip(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    fn can_retain(&self) -> bool {
        true
    }

    fn retain(&mut self, bits: &BooleanBuffer) {
        self.slots -= bits.len() - bits.count_set_bits();
    }

    fn release(&mut self) {}

    fn finish(&mut self, _: Option<NullBuffer>) -> Result<ArrayRef> {
        let slots = std::mem::take(&mut self.slots);
        Ok(Arc::new(NullArray::new(slots)))
    }
}
