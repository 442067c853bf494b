//! Collects the validity of an array, page after page.

use super::super::values::Slots;
use crate::memory::compact_bits;
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer};

/// Validity of an array that is being read. There is no bitmap until the first null.
#[derive(Debug, Default)]
pub struct Validity {
    valid: usize,
    bitmap: Option<BooleanBufferBuilder>,
}

impl Validity {
    /// Appends the next slots.
    pub(crate) fn append(&mut self, slots: Slots<'_>) {
        match slots {
            Slots::Valid(count) => match &mut self.bitmap {
                Some(bitmap) => bitmap.append_n(count, true),
                None => self.valid += count,
            },
            Slots::Null(count) => self.bitmap().append_n(count, false),
            Slots::Mixed { bits, slots, .. } => {
                self.bitmap().append_packed_range(0..slots, bits);
            }
        }
    }

    /// Drops those of the last slots whose bits are not set.
    pub(crate) fn retain(&mut self, bits: &BooleanBuffer) {
        match &mut self.bitmap {
            Some(bitmap) => compact_bits(bits, bitmap),
            None => self.valid -= bits.len() - bits.count_set_bits(),
        }
    }

    fn bitmap(&mut self) -> &mut BooleanBufferBuilder {
        self.bitmap.get_or_insert_with(|| {
            let mut bitmap = BooleanBufferBuilder::new(self.valid);
            bitmap.append_n(self.valid, true);
            bitmap
        })
    }

    /// Returns the validity of all slots, or `None` if there are no nulls.
    pub(crate) fn finish(self) -> Option<NullBuffer> {
        let nulls = self.bitmap.map(|bitmap| NullBuffer::new(bitmap.build()));
        nulls.filter(|nulls| nulls.null_count() > 0)
    }
}
