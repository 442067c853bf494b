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
    /// Places in the result, from which [`place`](Self::place) finds the one after each code of a block.
    type Places;

    /// Returns places of a block that has not been decoded.
    fn places(self) -> Self::Places;

    /// Returns the number of bytes of the codes of a block up to a number, inclusive.
    fn place(self, places: &Self::Places, code: usize) -> usize;

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
        decode64::<false>(table, codes, literals, to, &mut [[0; 8]; 8])
    }

    /// Same as [`decode64`](Self::decode64), and sets the places.
    fn decode64_with_places(
        self,
        table: &Table,
        codes: &[u8; 64],
        literals: u64,
        to: &mut [Slot; 512],
        places: &mut Self::Places,
    ) -> Stride<512>;

    /// The same for eight codes.
    #[inline(always)]
    fn decode8(self, table: &Table, codes: u64, literals: u64, to: &mut [Slot; 64]) -> Stride<64> {
        match literals {
            0 => decode8::<false, false>(table, codes, 0, to, &mut [0; 8], 0),
            _ => decode8::<true, false>(table, codes, literals, to, &mut [0; 8], 0),
        }
    }
}

/// Decodes a block of codes, one by one.
#[inline(always)]
pub(super) fn decode64<const PLACES: bool>(
    table: &Table,
    codes: &[u8; 64],
    literals: u64,
    to: &mut [Slot; 512],
    places: &mut [[u16; 8]; 8],
) -> Stride<512> {
    match literals {
        0 => groups::<false, PLACES>(table, codes, 0, to, places),
        _ => groups::<true, PLACES>(table, codes, literals, to, places),
    }
}

/// Returns places for [`decode64`] to write.
#[inline(always)]
pub(super) fn each_place() -> [[u16; 8]; 8] {
    [[0; 8]; 8]
}

/// Returns the place after a code.
#[inline(always)]
pub(super) fn place(places: &[[u16; 8]; 8], code: usize) -> usize {
    usize::from(places[code / 8 % 8][code % 8])
}

#[inline(always)]
fn groups<const LITERALS: bool, const PLACES: bool>(
    table: &Table,
    codes: &[u8; 64],
    literals: u64,
    to: &mut [Slot; 512],
    places: &mut [[u16; 8]; 8],
) -> Stride<512> {
    let mut to = StridesMut::<_, 64, 512>::new(to);
    for (i, places) in places.iter_mut().enumerate() {
        let before = to.passed().get();
        let codes = u64::from_le_bytes(*window(codes, 8 * i));
        let literals = literals >> (8 * i);
        let done = decode8::<LITERALS, PLACES>(table, codes, literals, to.here(), places, before);
        to.pass(done);
    }
    to.passed()
}

/// Decodes eight codes, one by one. Writes the place after each, if the first is `before`.
#[inline(always)]
fn decode8<const LITERALS: bool, const PLACES: bool>(
    table: &Table,
    codes: u64,
    literals: u64,
    to: &mut [Slot; 64],
    places: &mut [u16; 8],
    before: usize,
) -> Stride<64> {
    let mut to = StridesMut::<_, 8, 64>::new(to);
    for (i, place) in places.iter_mut().enumerate() {
        let mut code = usize::from((codes >> (8 * i)) as u8);
        if LITERALS {
            code |= ((literals >> i & 1) as usize) << 8;
        }
        memory::write(to.here(), table.symbols[code]);
        to.pass(table.lengths[code]);
        if PLACES {
            *place = (before + to.passed().get()) as u16;
        }
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
///
/// All codes are decoded as one string. The ends that lie within a block are found after it.
#[inline(always)]
pub(super) fn decode_strings<S: Steps, O: Offset>(
    simd: S,
    table: &Table,
    strings: Strings<'_, O>,
    base: usize,
    to: &mut [Slot],
    ends: &mut [O],
) -> Option<usize> {
    let (start, total) = (strings.start(), strings.total());
    let src = &strings.bytes()[start..start + total];
    let offsets = strings.ends();
    let count = usize::min(offsets.len(), ends.len());
    let (offsets, ends) = (&offsets[..count], &mut ends[..count]);
    let (mut string, mut at, mut first) = (0, 0, 0);
    // Empty strings at the front, or all of them.
    while string < count && offsets[string].get() == start {
        ends[string] = O::of(base);
        string += 1;
    }
    let (blocks, rest) = src.as_chunks::<64>();
    let mut places = simd.places();
    let mut last = [ESCAPE; 64];
    last[..rest.len()].copy_from_slice(rest);
    for (i, codes) in blocks.iter().chain([&last]).enumerate() {
        let there = if i < blocks.len() { 64 } else { rest.len() };
        if there == 0 {
            break;
        }
        let here = !0 >> (64 - there);
        let special = simd.at_least(table.count, codes) & here;
        let (mut block, mut escapes) = (0, 0);
        if special != 0 || first != 0 {
            escapes = simd.at_least(ESCAPE, codes) & here;
            let next;
            (block, next) = literals(escapes, first);
            first = if there == 64 {
                next
            } else {
                block >> there & 1
            };
            block &= here;
            escapes &= !block;
            if special & !escapes & !block != 0 {
                return None;
            }
        }
        let from = start + 64 * i;
        let ends_here = string < count && offsets[string].get() <= from + there;
        let written = if ends_here {
            put(to, at, |room| {
                simd.decode64_with_places(table, codes, block, room, &mut places)
            })
        } else {
            put(to, at, |room| simd.decode64(table, codes, block, room))
        }?;
        let mut cut = 0;
        while string < count && offsets[string].get() <= from + there {
            let code = (offsets[string].get() - from - 1) % 64;
            ends[string] = O::of(base + at + simd.place(&places, code));
            cut |= escapes >> code & 1;
            string += 1;
        }
        if cut != 0 {
            return None;
        }
        at += written;
    }
    (first == 0).then_some(at)
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
    mut step: impl FnMut(&mut [Slot; N]) -> Stride<N>,
) -> Option<usize> {
    let to = to.get_mut(at..)?;
    let mut spare = [Slot::uninit(); N];
    let fits = to.len() >= N;
    // One call, so that the step is inlined.
    let room = match to.first_chunk_mut() {
        Some(room) => room,
        None => &mut spare,
    };
    let count = step(room).get();
    if !fits {
        to.get_mut(..count)?.copy_from_slice(&spare[..count]);
    }
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
