//! Decodes a stream.

use super::coding::{Coding, Decode, Run, Transform, Variant};
use super::plan::{Expand, Expanding, Plan, Planned, all_plans, expanding};
use super::{Error, ErrorKind, kernel, scalar};
use crate::Detected;
use crate::backend::dispatch;
use crate::memory::{Fill, Slot};
use crate::simd::{Publish, Streamed, are_beyond_cache};

dispatch! {
    also on 32-bit ARM;
    // The arguments fit in registers, and this is inlined: for a block, copying them took a tenth of
    // the time.
    #[inline(always)]
    fn decode_blocks(plan: impl Expand, stream: &mut Decode<'_>, values: &mut [Slot]) -> Option<usize>
        = kernel::decode_blocks, or scalar_blocks;
    fn decode_past_cache(plan: impl Expand, stream: &mut Decode<'_>, values: &mut [Slot]) -> usize
        = kernel::decode_past_cache, or scalar_nothing;
    fn decode_tail(plan: impl Expand, stream: &Decode<'_>, values: &mut [Slot]) -> Option<usize>
        = kernel::decode_tail, or scalar_tail;
    fn data_len(coding: Coding, controls: &[u8], count: usize) -> u64
        = kernel::decoded_data_len, or scalar::decoded_data_len;
}

all_plans! { &mut Decode<'_>, decode, expanding }

impl<'a> Decode<'a> {
    /// Decodes all values of a stream of `count`.
    #[inline]
    pub(super) fn new(
        (coding, start): (Coding, u64),
        backend: Detected,
        src: &'a [u8],
        count: usize,
    ) -> Result<Self, Error> {
        let needed = count.div_ceil(4);
        if needed > src.len() {
            return Err(Error::at(src.len(), ErrorKind::Controls { needed }));
        }
        Ok(Self {
            coding,
            run: run_of(coding),
            backend,
            src,
            index: 0,
            offset: needed,
            previous: start,
        })
    }

    /// Returns the offset after the data of the next values, which the stream must have. Reads
    /// control bytes only.
    pub(super) fn end(&self, count: usize) -> Result<usize, Error> {
        // Counts from a whole control byte, then subtracts the values before the position.
        let (controls, behind) = (&self.src[self.index / 4..], self.index % 4);
        let length = data_len(self.coding, controls, behind + count, self.backend)
            - scalar::decoded_data_len(self.coding, controls, behind);
        if length <= (self.src.len() - self.offset) as u64 {
            Ok(self.offset + length as usize)
        } else {
            Err(self.too_short(count))
        }
    }

    /// Moves past the next values, whose data end at `end`; `last` is the last of them.
    pub(super) fn pass(&mut self, count: usize, end: usize, last: Option<u64>) {
        self.index += count;
        self.offset = end;
        if let (true, Some(last)) = (self.coding.transform.delta(), last) {
            self.previous = last;
        }
    }

    /// Decodes from a position within a control byte: one by one up to the next control byte.
    #[inline(never)]
    fn decode_within(mut self, to: &mut [Slot]) -> Option<usize> {
        let width = self.coding.width();
        let single = usize::min((4 - self.index % 4) * width, to.len());
        let (head, to) = to.split_at_mut(single);
        let (codes, data) = ((self.src, self.index), &self.src[self.offset..]);
        self.offset += scalar::decode_from(self.coding, codes, data, head, &mut self.previous)?;
        self.index += head.len() / width;
        match to.len() {
            0 => Some(self.offset),
            _ => (self.run)(&mut self, to),
        }
    }

    /// Whole blocks are the frequent case: without a tail, this is a jump to their kernel.
    #[inline(always)]
    fn decode<const OF: u8, const CODES: usize, const FOR: u8>(
        &mut self,
        plan: Planned<Expanding<CODES>, OF, FOR>,
        to: &mut [Slot],
    ) -> Option<usize> {
        let backend = self.backend;
        if to.len() >= MANY {
            return self.decode_long(plan, to);
        }
        if to.len().is_multiple_of(64) {
            return decode_blocks(plan, self, to, backend);
        }
        self.decode_with_tail(plan, to)
    }

    #[inline(never)]
    fn decode_with_tail<const OF: u8, const CODES: usize, const FOR: u8>(
        &mut self,
        plan: Planned<Expanding<CODES>, OF, FOR>,
        to: &mut [Slot],
    ) -> Option<usize> {
        let (blocks, tail) = to.split_at_mut(to.len() / 64 * 64);
        if blocks.is_empty() {
            return decode_tail(plan.for_any(), self, tail, self.backend);
        }
        let end = decode_blocks(plan, self, blocks, self.backend)?;
        let rest = Self {
            index: self.index + blocks.len() / plan.coding().width(),
            offset: end,
            ..*self
        };
        decode_tail(plan.for_any(), &rest, tail, self.backend)
    }

    /// Decodes many values, past the cache unless they are sums of differences: these take 1.0 to 1.25 times as
    /// long there.
    #[cold]
    #[inline(never)]
    fn decode_long<const OF: u8, const CODES: usize, const FOR: u8>(
        &mut self,
        plan: Planned<Expanding<CODES>, OF, FOR>,
        to: &mut [Slot],
    ) -> Option<usize> {
        let (mut rest, mut to) = (*self, to);
        if !plan.delta() && self.are_beyond_cache(to) {
            let _publish = Publish;
            let plan = plan.storing::<Streamed>();
            let stored = decode_past_cache(plan, &mut rest, to, self.backend);
            to = &mut to[stored..];
        }
        let end = match to.len().is_multiple_of(64) {
            true => decode_blocks(plan, &mut rest, to, self.backend),
            false => rest.decode_with_tail(plan, to),
        };
        self.previous = rest.previous;
        end
    }

    /// Returns whether data and values are too large for the cache, and the values aligned for stores past it.
    fn are_beyond_cache(&self, values: &[Slot]) -> bool {
        let data = usize::min(self.src.len() - self.offset, values.len());
        are_beyond_cache(data + values.len()) && values.as_ptr().addr().is_multiple_of(16)
    }

    /// Returns the control bytes of the next values, and the data from here on.
    #[inline(always)]
    pub(super) fn ahead<P: Plan>(&self, values: &[Slot]) -> (&'a [u8], &'a [u8]) {
        let controls = &self.src[self.index / 4..][..values.len().div_ceil(4 * P::WIDTH)];
        (controls, &self.src[self.offset..])
    }

    /// Finds the first of the next values whose data are incomplete.
    #[cold]
    #[inline(never)]
    fn too_short(&self, count: usize) -> Error {
        let (mut value, mut offset, mut needed) = (0, self.offset, 0);
        for index in self.index..self.index + count {
            (value, needed) = (index, scalar::length(self.coding, self.src, index));
            if needed > self.src.len() - offset {
                break;
            }
            offset += needed;
        }
        let given = self.src.len() - offset;
        Error::at(
            offset,
            ErrorKind::Data {
                value,
                needed,
                given,
            },
        )
    }
}

/// Size in bytes of values below which they are not stored past the cache.
const MANY: usize = 1 << 20;

/// Decodes values on the scalar backend.
fn scalar_blocks<P: Plan>(plan: P, stream: &mut Decode<'_>, values: &mut [Slot]) -> Option<usize> {
    let (controls, data) = stream.ahead::<P>(values);
    let previous = &mut stream.previous;
    let used = scalar::decode(plan.coding(), controls, data, values, previous)?;
    Some(stream.offset + used)
}

/// Leaves all values to [`scalar_blocks`].
fn scalar_nothing(_: impl Plan, _: &mut Decode<'_>, _: &mut [Slot]) -> usize {
    0
}

/// Same as [`scalar_blocks`], for the last values.
fn scalar_tail<P: Plan>(plan: P, stream: &Decode<'_>, values: &mut [Slot]) -> Option<usize> {
    scalar_blocks(plan, &mut { *stream }, values)
}

impl Fill for Decode<'_> {
    /// Offset after the data of the values.
    type Done = usize;
    type Error = Error;

    #[inline]
    fn fill(mut self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        let end = if self.index.is_multiple_of(4) {
            (self.run)(&mut self, to)
        } else {
            self.decode_within(to)
        };
        match end {
            Some(end) => Ok((to.len(), end)),
            None => Err(self.too_short(to.len() / self.coding.width())),
        }
    }
}
