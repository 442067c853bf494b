//! Packing without shuffles: the values of 8 bytes are joined to one number, and such numbers are
//! appended. And both directions for a few values, which are not worth a plan.
#![forbid(unsafe_code)]

use super::layout::{Layout, from_ne_bytes, low_bits, to_ne_bytes};
use crate::memory::{Slot, pair, put_pair, write};
use crate::simd::{window, window_mut};

/// How values of `K` bytes are packed.
#[derive(Clone, Copy)]
pub(crate) struct Words<const K: usize> {
    layout: Layout,
    /// Which bits occur in any value so far.
    seen: [u64; 8],
}

impl<const K: usize> Words<K> {
    #[inline(always)]
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            layout,
            seen: [0; 8],
        }
    }

    /// Whether all values so far fit.
    #[inline(always)]
    pub(super) fn all_fit(&self) -> bool {
        let each = to_ne_bytes::<K>(!self.layout.mask());
        let mut beyond = [0; 8];
        for i in 0..8 {
            beyond[i] = each[i % K];
        }
        let seen = self.seen.iter().fold(0, |all, seen| all | seen);
        seen & u64::from_ne_bytes(beyond) == 0
    }

    /// The bits of the values of 64 bytes.
    #[inline(always)]
    fn bits(&mut self, from: &[u8; 64]) -> [u8; 64] {
        let mut bits = [0; 64];
        let values = from.as_chunks::<K>().0;
        let to = bits.as_chunks_mut::<K>().0;
        if self.layout.zigzag {
            for i in 0..64 / K {
                to[i] = to_ne_bytes(self.layout.to_bits(values[i]));
            }
        } else {
            for i in 0..64 / K {
                let number = from_ne_bytes(values[i]);
                to[i] = to_ne_bytes(number.wrapping_sub(self.layout.reference));
            }
        }
        for (seen, bits) in self.seen.iter_mut().zip(bits.as_chunks::<8>().0) {
            *seen |= u64::from_ne_bytes(*bits);
        }
        bits
    }

    /// Packs the values of 64 bytes.
    #[inline(always)]
    pub(super) fn pack(&mut self, from: &[u8; 64], to: &mut [Slot; 64]) {
        let bits = self.bits(from);
        let mut words = [0; 8];
        for (word, bits) in words.iter_mut().zip(bits.as_chunks::<8>().0) {
            *word = u64::from_ne_bytes(*bits);
        }
        let width = self.layout.width;
        if K == 1 {
            words = words.map(|word| join::<8>(word, width));
        }
        if K <= 2 {
            words = words.map(|word| join::<16>(word, 2 / K * width));
        }
        if K <= 4 {
            words = words.map(|word| join::<32>(word, 4 / K * width));
        }
        append(&words, 8 / K * width, to);
    }

    /// The lower bytes of the bits of the values of 64 bytes.
    #[inline(always)]
    pub(super) fn narrow(&mut self, from: &[u8; 64], to: &mut [u8]) {
        let bits = self.bits(from);
        let bits = bits.as_chunks::<K>().0;
        for i in 0..usize::min(to.len(), 64 / K) {
            to[i] = bits[i][0];
        }
    }
}

/// Joins numbers of `bits` bits, one every `ROOM`, in pairs.
#[inline(always)]
fn join<const ROOM: usize>(word: u64, bits: usize) -> u64 {
    let every = const { !0 / low_bits(2 * ROOM) };
    let low = low_bits(bits) * every;
    word & low | word >> (ROOM - bits) & low << bits
}

/// Appends eight numbers of `bits` bits, which are `bits` bytes in all.
#[inline(always)]
fn append(words: &[u64; 8], bits: usize, to: &mut [Slot; 64]) {
    let (mut pending, mut count, mut at) = (0, 0, 0);
    for &word in words {
        pending |= word << count;
        count += bits;
        if count >= 64 {
            write::<8>(window_mut(to, at), pending.to_le_bytes());
            count -= 64;
            at += 8;
            // Two shifts, since one shift by all 64 bits would overflow.
            pending = word >> 1 >> (bits - count - 1);
        }
    }
    if count > 0 {
        write::<8>(window_mut(to, at), pending.to_le_bytes());
    }
}

/// Packs values one by one. Returns whether all of them fit.
#[inline(always)]
pub(super) fn pack_few<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool {
    let (mut pending, mut count, mut at, mut seen) = (0, 0, 0, 0);
    for &value in src.as_chunks::<K>().0 {
        let bits = layout.to_bits(value);
        seen |= bits;
        pending |= bits << count;
        count += layout.width;
        if count >= 64 {
            write::<8>(window_mut(dst, at), pending.to_le_bytes());
            count -= 64;
            at += 8;
            pending = bits >> 1 >> (layout.width - count - 1);
        }
    }
    put_pair(&mut dst[at..], [pending, 0]);
    seen & !layout.mask() == 0
}

/// Unpacks values one by one.
#[inline(always)]
pub(super) fn unpack_few<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) {
    let values = dst.as_chunks_mut::<K>().0;
    let Some(last) = src.len().checked_sub(8) else {
        let [mut bits, _] = pair(src);
        for value in values {
            write(value, layout.value_of(bits & layout.mask()));
            bits >>= layout.width;
        }
        return;
    };
    let mut bit = 0;
    for value in values {
        let at = usize::min(bit / 8, last);
        let shift = bit - 8 * at;
        let mut bits = u64::from_le_bytes(*window(src, at)) >> shift;
        if shift + layout.width > 64 {
            bits |= u64::from(src[at + 8]) << (64 - shift);
        }
        write(value, layout.value_of(bits & layout.mask()));
        bit += layout.width;
    }
}
