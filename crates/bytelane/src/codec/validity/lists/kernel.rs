//! Offsets and bitmaps of lists, shared by all instruction sets.
//!
//! # Policy
//!
//! A pair of levels describes one value, but the results have one position per list or per entry;
//! the data determine which pairs have one. So 64 pairs become words of bits first (see
//! [`steps`](super::steps)), and the results are moved by those bits, without a branch on any pair.
//!
//! ```text
//! repetition, definition   64 pairs
//! step.lists, step.entries a bit for each pair with which a list or an entry begins
//! offsets    ranks(entries): for each pair, the number of entries below it in the word
//!            compact these by `lists`, add the entries so far, widen 16 at a time
//! bits       at_least(definition, level), moved together by `lists` or `entries` (`pext`),
//!            appended to the word that is not full yet
//! ```
//!
//! # Invariants
//!
//! - `entries` is the number of entries before the step, `count` that of offsets. Offsets without
//!   room are skipped but counted, so that the error can report the required length.
//! - A rank is below 64, so it fits in a byte; `pending` has the bits that do not fill a word yet.
//!
//! # Measurements
//!
//! For 20,000 levels in lists of up to 30 entries, offsets take 5,500 ns with AVX-512, 7,500 ns
//! with SSE4.1, and 14,300 ns with a plain loop. Bitmaps take 960 to 9,200 ns: without `pext`, bits
//! move in six steps. AVX2 does not use `pext`, which is slow on Zen 1 and 2. See
//! `docs/lab-notes/validity.md`, "Lists".
#![forbid(unsafe_code)]

use super::steps::{Sink, Step, each};
use super::{Bits, Offset, Pairs, Wanted};
use crate::codec::validity::{Error, Levels, Move, MoveBits, STEP};
use crate::memory::{Slot, copy};
use crate::simd::window;

/// Number of offsets to write at a time: a register of bytes, which is widened.
const BATCH: usize = 16;

/// One in each byte. Byte i of a product with it is the sum of bytes 0 to i.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns, for each set bit in order, the number of set bits below it.
#[inline(always)]
fn ranks(bits: u64) -> [[u8; 1]; STEP] {
    let mut ranks = [[0; 1]; STEP];
    let mut below = 0;
    for i in 0..8 {
        let byte = bits >> (8 * i) & 0xff;
        // Spread bit i to byte i, as 0 or 1: a nonzero byte carries into its highest bit.
        let spread = (byte * ONES) & 0x8040_2010_0804_0201;
        let ones = (spread + 0x7f * ONES) >> 7 & ONES;
        // Byte i of the product is the sum of bytes 0 to i.
        let up_to = ones.wrapping_mul(ONES);
        let counts = (up_to << 8) + below * ONES;
        for (j, count) in counts.to_le_bytes().into_iter().enumerate() {
            ranks[8 * i + j] = [count];
        }
        below += up_to >> 56;
    }
    ranks
}

/// Writes the offset of each list.
struct Offsets<'a, S, O> {
    simd: S,
    to: &'a mut [Slot],
    count: usize,
    entries: u64,
    of: core::marker::PhantomData<O>,
}

impl<S: Move<1>, O: Offset> Offsets<'_, S, O> {
    /// Writes `count` offsets, if there is room for them.
    #[inline(always)]
    fn put(&mut self, ranks: &[u8; STEP], count: usize) {
        let mut done = 0;
        while done < count {
            let at = O::WIDTH * (self.count + done);
            let batch = window::<BATCH, _>(ranks, done);
            match self.to.get_mut(at..at + O::WIDTH * BATCH) {
                Some(to) => O::put(self.entries, batch, to),
                None => self.put_last(batch, usize::min(count - done, BATCH), at),
            }
            done += BATCH;
        }
        self.count += count;
    }

    #[inline(never)]
    fn put_last(&mut self, batch: &[u8; BATCH], count: usize, at: usize) {
        for i in 0..count {
            let at = at + O::WIDTH * i;
            if let Some(to) = self.to.get_mut(at..at + O::WIDTH) {
                O::put(self.entries, &[batch[i]], to);
            }
        }
    }
}

impl<const K: usize, S: Move<1>, O: Offset> Sink<K> for Offsets<'_, S, O> {
    #[inline(always)]
    fn put(&mut self, step: Step<'_, K>) {
        let mut compacted = [[0u8; 1]; STEP];
        let ranks = ranks(step.entries);
        self.simd.compact(step.lists, &ranks, &mut compacted);
        let compacted = window(crate::memory::flat(&compacted), 0);
        self.put(compacted, step.lists.count_ones() as usize);
        self.entries += u64::from(step.entries.count_ones());
    }
}

/// Writes the number of entries before each list, followed by the total number of entries. Returns
/// the number of offsets.
#[inline(always)]
pub(in crate::codec::validity) fn offsets<const K: usize, S: Levels<K> + Move<1>, O: Offset>(
    simd: S,
    pairs: Pairs<'_>,
    to: &mut [Slot],
) -> Result<usize, Error> {
    let mut sink = Offsets::<S, O> {
        simd,
        to,
        count: 0,
        entries: 0,
        of: core::marker::PhantomData,
    };
    each::<K, S>(simd, pairs, &mut sink)?;
    sink.put(&[0; STEP], 1);
    O::check(sink.entries)?;
    Ok(sink.count)
}

/// Appends bits to a bitmap.
struct Bitmap<'a, const K: usize, S: Levels<K>> {
    simd: S,
    level: S::Levels,
    entries: bool,
    to: &'a mut [Slot],
    /// Bits that do not fill a word yet, fewer than 64.
    pending: u64,
    bits: Bits,
}

impl<const K: usize, S: Levels<K>> Bitmap<'_, K, S> {
    /// Appends the lowest bits of a word, up to 64. The bits above them must not be set.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: usize) {
        let held = self.bits.count % STEP;
        self.pending |= bits << held;
        if held + count >= STEP {
            self.put(self.bits.count / STEP);
            // Two shifts, since a single shift by all 64 bits would overflow.
            self.pending = bits >> 1 >> (STEP - 1 - held);
        }
        self.bits.count += count;
        self.bits.valid += bits.count_ones() as usize;
    }

    /// Writes the bytes of word `i`, if there is room for them.
    #[inline(always)]
    fn put(&mut self, i: usize) {
        let room = self.to.get_mut(8 * i..).unwrap_or_default();
        let length = usize::min(room.len(), 8);
        copy(&mut room[..length], &self.pending.to_le_bytes()[..length]);
    }
}

impl<const K: usize, S: Levels<K> + MoveBits> Sink<K> for Bitmap<'_, K, S> {
    #[inline(always)]
    fn put(&mut self, step: Step<'_, K>) {
        let bits = self.simd.at_least(step.definition, self.level);
        let places = if self.entries {
            step.entries
        } else {
            step.lists
        };
        let selected = self.simd.select(bits, places);
        self.push(selected, places.count_ones() as usize);
    }
}

/// Writes a bit for each list, or for each entry. Returns the number of bits.
#[inline(always)]
pub(in crate::codec::validity) fn bits<const K: usize, S: Levels<K> + MoveBits>(
    simd: S,
    pairs: Pairs<'_>,
    wanted: Wanted,
    to: &mut [Slot],
) -> Result<Bits, Error> {
    let mut sink = Bitmap::<K, S> {
        simd,
        level: simd.splat(wanted.level),
        entries: wanted.entries,
        to,
        pending: 0,
        bits: Bits::default(),
    };
    each::<K, S>(simd, pairs, &mut sink)?;
    if !sink.bits.count.is_multiple_of(STEP) {
        sink.put(sink.bits.count / STEP);
    }
    Ok(sink.bits)
}
