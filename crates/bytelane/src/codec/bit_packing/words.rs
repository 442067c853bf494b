//! Packing without shuffles: the values of 8 bytes are joined to one number, and such numbers are
//! appended bit by bit.
#![forbid(unsafe_code)]

use super::layout::{Layout, low_bits, to_ne_bytes};
use crate::memory::{Slot, write};
use crate::simd::window_mut;

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

    /// Packs the values of 64 bytes.
    #[inline(always)]
    pub(super) fn pack(&mut self, from: &[u8; 64], to: &mut [Slot; 64]) {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(from.as_chunks::<8>().0) {
            *word = u64::from_ne_bytes(map::<K>(self.layout, *bytes));
        }
        for i in 0..8 {
            self.seen[i] |= words[i];
        }
        let width = self.layout.width;
        for word in &mut words {
            if K == 1 {
                *word = join::<8>(*word, width);
            }
            if K <= 2 {
                *word = join::<16>(*word, 2 / K * width);
            }
            if K <= 4 {
                *word = join::<32>(*word, 4 / K * width);
            }
        }
        append(&words, 8 / K * width, to);
    }
}

/// The bits of the values of 8 bytes.
#[inline(always)]
fn map<const K: usize>(layout: Layout, mut bytes: [u8; 8]) -> [u8; 8] {
    for value in bytes.as_chunks_mut::<K>().0 {
        *value = to_ne_bytes(layout.to_bits(*value));
    }
    bytes
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
