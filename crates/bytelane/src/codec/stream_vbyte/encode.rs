//! Encodes values to a stream.

use super::coding::{Coding, Transform, Variant};
use super::plan::{Compress, Compressing, Plan, Planned, all_plans, compressing};
use super::{kernel, scalar};
use crate::backend::dispatch;
use crate::memory::{Fill, Slot};
use crate::{DestinationError, Detected};

dispatch! {
    also on 32-bit ARM;
    fn encode_blocks(plan: impl Compress, values: &[u8], start: u64, to: &mut [Slot], controls: usize) -> Option<usize>
        = kernel::encode_blocks, or scalar_blocks;
    fn encode_tail(plan: impl Compress, values: &[u8], start: u64, controls: &mut [Slot], data: &mut [Slot]) -> Option<usize>
        = kernel::encode_tail, or |plan, values, start, controls, data| scalar::encode(Plan::coding(plan), values, start, controls, data);
    fn data_len<const WIDTH: usize>(coding: Coding, values: &[u8], start: u64) -> usize
        = kernel::encoded_data_len::<WIDTH, _>, or scalar::encoded_data_len;
}

/// Returns the number of bytes written, or `None` if there was not enough room.
type Run = fn(&Encode<'_>, &mut [Slot]) -> Option<usize>;

all_plans! { &Encode<'_>, encode, compressing }

/// Values to be encoded as a stream.
pub(crate) struct Encode<'a> {
    pub(super) coding: Coding,
    /// Value before the first one.
    pub(super) start: u64,
    pub(super) backend: Detected,
    /// Bytes of the values, in this machine's byte order.
    pub(super) values: &'a [u8],
}

impl Encode<'_> {
    /// Returns the length of the encoded values in bytes.
    #[inline]
    pub(super) fn len(&self) -> usize {
        match self.coding.width() {
            4 => self.len4(),
            _ => self.len8(),
        }
    }

    fn len4(&self) -> usize {
        let data = data_len::<4>(self.coding, self.values, self.start, self.backend);
        self.values.len().div_ceil(16) + data
    }

    fn len8(&self) -> usize {
        let data = data_len::<8>(self.coding, self.values, self.start, self.backend);
        self.values.len().div_ceil(32) + data
    }

    /// Computes the length by encoding once more, in pieces that are discarded: programs that never
    /// ask for a length need no kernels for it.
    #[cold]
    #[inline(never)]
    fn too_short(&self, run: Run, given: usize) -> DestinationError {
        let mut piece = Encode { ..*self };
        let mut needed = 0;
        for values in self.values.chunks(256) {
            piece.values = values;
            // One control byte for each 4 of up to 64 values.
            needed += run(&piece, &mut [Slot::new(0); 256 + 16]).expect("there is room");
            piece.start = scalar::get(&values[values.len() - self.coding.width()..]);
        }
        DestinationError::new(needed, given)
    }

    /// Whole blocks are the frequent case: without a tail, this is a jump to their kernel. In some processes, 128
    /// differences took twice as long through [`encode_with_tail`](Self::encode_with_tail) (AVX2 and SSE4.1, Zen 4).
    #[inline(always)]
    fn encode<const OF: u8, const CODES: usize, const FOR: u8>(
        &self,
        plan: Planned<Compressing<CODES>, OF, FOR>,
        to: &mut [Slot],
    ) -> Option<usize> {
        if self.values.len().is_multiple_of(64) {
            let controls = self.values.len() / (4 * plan.coding().width());
            return encode_blocks(plan, self.values, self.start, to, controls, self.backend);
        }
        self.encode_with_tail(plan, to)
    }

    /// Encodes any number of values.
    #[inline(never)]
    fn encode_with_tail<const OF: u8, const CODES: usize, const FOR: u8>(
        &self,
        plan: Planned<Compressing<CODES>, OF, FOR>,
        to: &mut [Slot],
    ) -> Option<usize> {
        let (backend, mut start) = (self.backend, self.start);
        let width = plan.coding().width();
        let (blocks, tail) = self.values.split_at(self.values.len() / 64 * 64);
        let count = self.values.len().div_ceil(4 * width);
        let mut end = count;
        if !blocks.is_empty() {
            end = encode_blocks(plan, blocks, start, to, count, backend)?;
            start = scalar::get(&blocks[blocks.len() - width..]);
        }
        if tail.is_empty() {
            return Some(end);
        }
        let (front, data) = to.split_at_mut_checked(end)?;
        let controls = &mut front[blocks.len() / (4 * width)..count];
        let used = encode_tail(plan.for_any(), tail, start, controls, data, backend)?;
        Some(end + used)
    }
}

/// Encodes blocks on the scalar backend: see [`kernel::encode_blocks`].
fn scalar_blocks<P: Plan>(
    plan: P,
    values: &[u8],
    start: u64,
    to: &mut [Slot],
    controls: usize,
) -> Option<usize> {
    let (front, data) = to.split_at_mut_checked(controls)?;
    Some(controls + scalar::encode(plan.coding(), values, start, front, data)?)
}

impl Fill for Encode<'_> {
    type Done = ();
    type Error = DestinationError;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), DestinationError> {
        let run = run_of(self.coding);
        match run(&self, to) {
            Some(written) => Ok((written, ())),
            None => Err(self.too_short(run, to.len())),
        }
    }
}
