//! Values to a stream.

use super::coding::{Coding, Transform, Variant};
use super::plan::{self, Layout, Plan, Planned, with_transform};
use super::{kernel, scalar};
use crate::backend::dispatch;
use crate::memory::{Fill, Slot};
use crate::{DestinationError, Detected};

dispatch! {
    fn encode_blocks(plan: impl Plan, values: &[u8], start: u64, controls: &mut [Slot], data: &mut [Slot]) -> Option<usize>
        = kernel::encode_blocks, or |plan, values, start, controls, data| scalar::encode(Plan::coding(plan), values, start, controls, data);
    fn encode_tail(plan: impl Plan, values: &[u8], start: u64, controls: &mut [Slot], data: &mut [Slot]) -> Option<usize>
        = kernel::encode_tail, or |plan, values, start, controls, data| scalar::encode(Plan::coding(plan), values, start, controls, data);
    fn data_len<const WIDTH: usize>(coding: Coding, values: &[u8], start: u64) -> usize
        = kernel::encoded_data_len::<WIDTH, _>, or scalar::encoded_data_len;
}

/// Values that are to become a stream.
pub(crate) struct Encode<'a> {
    pub(super) coding: Coding,
    /// The value before the first one.
    pub(super) start: u64,
    pub(super) backend: Detected,
    /// Their bytes, in this machine's order.
    pub(super) values: &'a [u8],
}

impl Encode<'_> {
    /// How many bytes they become.
    pub(super) fn len(&self) -> usize {
        let Self {
            coding,
            start,
            backend,
            values,
        } = *self;
        let data = match coding.width() {
            4 => data_len::<4>(coding, values, start, backend),
            _ => data_len::<8>(coding, values, start, backend),
        };
        values.len().div_ceil(4 * coding.width()) + data
    }

    /// Returns how many bytes were written, or nothing if there was too little room.
    fn encode(&self, to: &mut [Slot]) -> Option<usize> {
        match self.coding.variant {
            Variant::V1248 => self.encode_in(&plan::V1248, to),
            variant => self.encode_in(plan::narrow(variant), to),
        }
    }

    #[inline(always)]
    fn encode_in<const WIDTH: usize, const CODES: usize>(
        &self,
        layout: &'static Layout<WIDTH, CODES>,
        to: &mut [Slot],
    ) -> Option<usize> {
        let (transform, backend, mut start) = (self.coding.transform, self.backend, self.start);
        let (blocks, tail) = self.values.split_at(self.values.len() / 64 * 64);
        let count = self.values.len().div_ceil(4 * WIDTH);
        let (controls, data) = to.split_at_mut_checked(count)?;
        let (controls, last_controls) = controls.split_at_mut(blocks.len() / (4 * WIDTH));
        let mut used = 0;
        if !blocks.is_empty() {
            used = with_transform!(transform, layout, plan => encode_blocks(plan, blocks, start, controls, data, backend))?;
            start = scalar::get(&blocks[blocks.len() - WIDTH..]);
        }
        if !tail.is_empty() {
            let plan = Planned::<WIDTH, CODES, { plan::ANY }> { layout, transform };
            let data = &mut data[used..];
            used += encode_tail(plan, tail, start, last_controls, data, backend)?;
        }
        Some(count + used)
    }

    #[cold]
    #[inline(never)]
    fn too_short(&self, given: usize) -> DestinationError {
        DestinationError::new(self.len(), given)
    }
}

impl Fill for Encode<'_> {
    type Done = ();
    type Error = DestinationError;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), DestinationError> {
        match self.encode(to) {
            Some(written) => Ok((written, ())),
            None => Err(self.too_short(to.len())),
        }
    }
}
