//! Decoding, shared by all instruction sets.
//!
//! ```text
//! for each 64 codes:
//!     special = codes that have no symbol                 // one comparison
//!     if any is special:
//!         literals = codes that follow an escape code     // of 255 255, the second is one
//!         fail if a special code is neither an escape code nor a literal
//!     for each code:
//!         store the 8 bytes of its symbol (literal: the byte itself) at the end of the result
//!         advance the end by the length of the symbol (escape code: 0)
//! for the last up to 63 codes: the same in groups of 8; missing codes become escape codes
//! ```
//!
//! An escape code is a symbol without bytes, and a literal a symbol of one byte, in the second half of the table. So escape codes
//! cost no branch, except for one per 64 codes: text that the table was trained for has none for long stretches, and in other
//! text a branch for each would be mispredicted.
//!
//! Each store has room for 8 bytes, and the next one overwrites those after the end of its symbol. `StridesMut` carries the proof:
//! a group of 8 codes has 64 bytes of room, and each code passes up to 8 of them. Where the destination has less room, the group
//! is decoded to an array and copied.
//!
//! Malformed input only ends a kernel; `super::fault` then finds the first error, so that all backends report the same one.
#![forbid(unsafe_code)]

use super::strings::{Offset, Strings};
use super::table::{ESCAPE, Table};
use crate::memory::{self, Slot};
use crate::simd::{Stride, StridesMut, window};

/// Operations that each instruction set provides.
pub(crate) trait Steps: Copy {
    /// Returns a bit for each byte of a block that is `limit` or more.
    fn at_least(self, limit: u8, block: &[u8; 64]) -> u64;

    /// Decodes a block of codes, of which those in `literals` follow an escape code. Returns the number of bytes.
    #[inline(always)]
    fn decode64(
        self,
        table: &Table,
        codes: &[u8; 64],
        literals: u64,
        to: &mut [Slot; 512],
    ) -> Stride<512> {
        let mut to = StridesMut::<_, 64, 512>::new(to);
        for group in 0..8 {
            let codes = u64::from_le_bytes(*window(codes, 8 * group));
            let done = decode8(table, codes, literals >> (8 * group), to.here());
            to.pass(done);
        }
        to.passed()
    }

    /// The same for eight codes.
    #[inline(always)]
    fn decode8(self, table: &Table, codes: u64, literals: u64, to: &mut [Slot; 64]) -> Stride<64> {
        decode8(table, codes, literals, to)
    }
}

/// Decodes eight codes, one by one.
#[inline(always)]
fn decode8(table: &Table, codes: u64, literals: u64, to: &mut [Slot; 64]) -> Stride<64> {
    let mut to = StridesMut::<_, 8, 64>::new(to);
    for i in 0..8 {
        let code = usize::from((codes >> (8 * i)) as u8) | ((literals >> i & 1) as usize) << 8;
        memory::write(to.here(), table.symbols[code]);
        to.pass(table.lengths[code]);
    }
    to.passed()
}

/// Returns the bits after an odd number of set bits that follow each other, and the same for the bit after the last one. `first` is
/// the former for the first bit.
#[inline(always)]
fn literals(escapes: u64, first: u64) -> (u64, u64) {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    // A literal of the value 255 begins no other escape.
    let escapes = escapes & !first;
    let follows = escapes << 1 | first;
    let odd_starts = escapes & !EVEN & !follows;
    let (even_sequences, next) = odd_starts.overflowing_add(escapes);
    ((EVEN ^ even_sequences << 1) & follows, u64::from(next))
}

/// Comparison of eight bytes in a number with a limit.
#[derive(Clone, Copy)]
struct Limit {
    /// Added to the lower seven bits of a byte, it sets bit 7 if they are at least those of the limit.
    addend: u64,
    /// All bits if the limit is below 128.
    low: u64,
}

const ONES: u64 = 0x0101_0101_0101_0101;

impl Limit {
    #[inline(always)]
    fn new(limit: u8) -> Self {
        Self {
            addend: u64::from(0x80 - (limit & 0x7f)) * ONES,
            low: if limit < 0x80 { !0 } else { 0 },
        }
    }

    /// Returns a bit for each byte that is at least the limit.
    #[inline(always)]
    fn at_least(self, bytes: u64) -> u64 {
        let carries = (bytes & (0x7f * ONES)) + self.addend;
        let both = carries & bytes;
        let one = carries | bytes;
        let found = (both | one & self.low) >> 7 & ONES;
        // Bit 8 i moves to bit 56 + i.
        found.wrapping_mul(0x0102_0408_1020_4080) >> 56
    }
}

/// Decodes a string. Returns the number of bytes; `None` if the string is malformed, or if the destination is too short.
#[inline(always)]
pub(super) fn decode<S: Steps>(
    simd: S,
    table: &Table,
    src: &[u8],
    to: &mut [Slot],
) -> Option<usize> {
    string(simd, table, src, 0, src.len(), to, 0)
}

/// Decodes strings. Returns the number of bytes, and writes to `ends` where each string ends, counted from `base`.
#[inline(always)]
pub(super) fn decode_strings<S: Steps, O: Offset>(
    simd: S,
    table: &Table,
    strings: Strings<'_, O>,
    base: usize,
    to: &mut [Slot],
    ends: &mut [O],
) -> Option<usize> {
    let mut at = 0;
    for i in 0..usize::min(strings.len(), ends.len()) {
        let range = strings.range_of(i);
        at = string(simd, table, strings.bytes(), range.start, range.end, to, at)?;
        ends[i] = O::of(base + at);
    }
    Some(at)
}

/// Decodes the string from `from` to `end` of `src` to `to[at..]`. Returns the place after it.
#[inline(always)]
fn string<S: Steps>(
    simd: S,
    table: &Table,
    src: &[u8],
    mut from: usize,
    end: usize,
    to: &mut [Slot],
    mut at: usize,
) -> Option<usize> {
    let src = src.get(..src.len())?;
    let mut first = 0;
    while end - from >= 64 {
        let codes = window::<64, _>(src, from);
        let special = simd.at_least(table.count, codes);
        let mut block = 0;
        if special != 0 || first != 0 {
            let escapes = simd.at_least(ESCAPE, codes);
            (block, first) = literals(escapes, first);
            if special & !escapes & !block != 0 {
                return None;
            }
        }
        at += put(to, at, |room| simd.decode64(table, codes, block, room))?;
        from += 64;
    }
    let limit = Limit::new(table.count);
    while from < end {
        let count = usize::min(end - from, 8);
        // Codes after the end of the string become escape codes.
        let behind = !0 << (8 * count - 1) << 1;
        let codes = number(src, from) | behind;
        let here = !0 >> (64 - count);
        let special = limit.at_least(codes) & here;
        let mut block = 0;
        if special != 0 || first != 0 {
            let escapes = Limit::new(ESCAPE).at_least(codes) & here;
            let next;
            (block, next) = literals(escapes, first);
            debug_assert_eq!(next, 0, "eight bits of 64");
            first = block >> count & 1;
            block &= here;
            if special & !escapes & !block != 0 {
                return None;
            }
        }
        at += put(to, at, |room| simd.decode8(table, codes, block, room))?;
        from += count;
    }
    (first == 0).then_some(at)
}

/// Returns the eight bytes from a place on as a little-endian number; missing bytes are zeros.
#[inline(always)]
fn number(src: &[u8], from: usize) -> u64 {
    match src[from..].first_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => memory::pair(&src[from..])[0],
    }
}

/// Runs a step that writes up to `N` bytes to `to[at..]`. Returns the number of bytes; `None` if there is no room for them.
#[inline(always)]
fn put<const N: usize>(
    to: &mut [Slot],
    at: usize,
    step: impl Fn(&mut [Slot; N]) -> Stride<N>,
) -> Option<usize> {
    let to = to.get_mut(at..)?;
    if let Some(room) = to.first_chunk_mut() {
        return Some(step(room).get());
    }
    let mut room = [Slot::new(0); N];
    let count = step(&mut room).get();
    to.get_mut(..count)?.copy_from_slice(&room[..count]);
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_of_every_byte() {
        for limit in 0..=u8::MAX {
            for byte in 0..=u8::MAX {
                let bytes = [byte, 0, 255, byte, 127, 128, limit, byte];
                let expected = (0..8).fold(0, |bits, i| bits | u64::from(bytes[i] >= limit) << i);
                let found = Limit::new(limit).at_least(u64::from_le_bytes(bytes));
                assert_eq!(found, expected, "{bytes:?} {limit}");
            }
        }
    }

    #[test]
    fn literals_follow_escape_codes() {
        for escapes in 0..1 << 10 {
            for (shift, first) in [(0, 0), (0, 1), (54, 0), (54, 1)] {
                let escapes: u64 = escapes << shift;
                let mut expected = (0, first);
                for i in 0..64 {
                    expected.0 |= expected.1 << i;
                    expected.1 = u64::from(expected.1 == 0) & escapes >> i;
                }
                assert_eq!(literals(escapes, first), expected, "{escapes:b} {first}");
            }
        }
    }
}
