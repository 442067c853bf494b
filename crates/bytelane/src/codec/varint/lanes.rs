//! Varints in 64-bit lanes: the code that SSE4.1, AVX2 and NEON share. A vector has one or two
//! parts of 16 bytes, with two lanes each.
//!
//! A lane holds the first 8 bytes of a varint. The ninth and tenth bytes, which only numbers of
//! more than 56 bits have, are in the same lane of another vector.
#![forbid(unsafe_code)]

use super::mapping::Mapping;
use super::{ENCODE_ROOM, Longest, Varints, WINDOW};
use crate::memory::{Slot, flat, flat_mut};
use crate::simd::{window, window_mut};

/// Steps in which these instruction sets differ. A number in a method's name is the width in bits
/// of the units that the step works on.
pub(super) trait Lanes: Copy {
    /// Number of parts of a vector.
    const PARTS: usize;
    type Vector: Copy;

    /// Returns one bit per byte, lowest first, set if the high bit of the byte is 0.
    fn low_bytes(self, bytes: &[u8; 64]) -> u64;

    fn load(self, from: &[u8], at: usize) -> Self::Vector;
    fn store(self, to: &mut [Slot], at: usize, vector: Self::Vector);
    /// Loads the lanes of each part from two offsets.
    fn gather(self, window: &[u8; WINDOW], places: [[usize; 2]; 2]) -> Self::Vector;
    /// Stores a lane at an offset.
    fn scatter(self, to: &mut [Slot; ENCODE_ROOM], place: usize, from: Self::Vector, lane: usize);

    fn splat(self, lane: u64) -> Self::Vector;
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Returns the bits of `b` that are not in `a`.
    fn and_not(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Returns whether a lane has any bit of `mask`.
    fn any(self, vector: Self::Vector, mask: u64) -> bool;

    fn add64(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn shl32(self, vector: Self::Vector, bits: i32) -> Self::Vector;
    fn shl64(self, vector: Self::Vector, bits: i32) -> Self::Vector;
    fn shr32(self, vector: Self::Vector, bits: i32) -> Self::Vector;
    fn shr64(self, vector: Self::Vector, bits: i32) -> Self::Vector;
    /// Sets all bits of the units that are negative.
    fn negative32(self, vector: Self::Vector) -> Self::Vector;
    fn negative64(self, vector: Self::Vector) -> Self::Vector;
    /// Sets all bits of the units that are odd.
    fn odd32(self, vector: Self::Vector) -> Self::Vector;
    fn odd64(self, vector: Self::Vector) -> Self::Vector;
    /// Sets all bits of the units that are zero.
    fn zero64(self, vector: Self::Vector) -> Self::Vector;
    /// Sets the lowest bit of the units that are not zero.
    fn one8(self, vector: Self::Vector) -> Self::Vector;
    fn sub8(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Sets all bits of the units, as signed numbers, that are greater in `a`.
    fn greater8(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Sets all bits of the units, as unsigned numbers, that are not less in `a`.
    fn at_least32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Copies one part to all parts.
    fn repeat(self, vector: Self::Vector, part: usize) -> Self::Vector;
    /// Shuffles, in each part, the bytes at the positions in `order`; 0 for 0xff.
    fn shuffle8(self, vector: Self::Vector, order: Self::Vector) -> Self::Vector;
    /// Combines the even units of one vector with the odd ones of another.
    fn alternate16(self, even: Self::Vector, odd: Self::Vector) -> Self::Vector;
    fn alternate32(self, even: Self::Vector, odd: Self::Vector) -> Self::Vector;
    /// Separates, in each part, the even units of both vectors from the odd ones.
    fn unzip32(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];
    /// Interleaves, in each part, the lower units of both vectors; and the upper ones.
    fn zip32(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];
    /// Returns the even units of one vector, then those of another.
    fn even32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Joins four groups of seven bits, one per byte, to 28 bits.
    fn join32(self, groups: Self::Vector) -> Self::Vector;
    /// Returns the bytes of the first eight units, each of which repeats its byte four times.
    fn bytes32(self, units: [Self::Vector; 2]) -> u64;
    /// Returns the sums of the bytes of the first eight units, each less than 256.
    fn sums64(self, bytes: [Self::Vector; 4]) -> u64;

    /// Narrows numbers that fit in a byte, in 32-bit units, to bytes.
    fn narrow(self, numbers: [Self::Vector; 4]) -> Self::Vector;
    /// Encodes eight numbers of 14 bits, in units of 32, to varints. Returns their length.
    fn encode_two(self, numbers: [Self::Vector; 2], to: &mut [Slot; ENCODE_ROOM]) -> usize;
    /// Decodes eight values of `width` bytes: those of the varints of one or two bytes that begin
    /// in the first 8 bytes, where `begins` has a bit.
    fn decode_two<M: Mapping>(self, bytes: &[u8; 16], begins: u8, width: usize, to: &mut [Slot]);
}

impl<const K: usize, S: Lanes> Varints<K> for S {
    #[inline(always)]
    fn ends(self, bytes: &[u8; 64]) -> u64 {
        self.low_bytes(bytes)
    }

    #[inline(always)]
    fn widen<M: Mapping>(self, bytes: &[u8; 64], values: &mut [[Slot; K]; 64]) {
        let places = flat(&const { lowest::<K>() });
        for i in 0..4 {
            let from = self.load(bytes, 16 * S::PARTS * (i / S::PARTS));
            let sixteen = self.repeat(from, i % S::PARTS);
            let values = flat_mut(window_mut::<16, _>(values, 16 * i));
            for j in 0..K / S::PARTS {
                let at = 16 * S::PARTS * j;
                let numbers = self.shuffle8(sixteen, self.load(places, at));
                self.store(values, at, from_wire::<K, S, M>(self, numbers));
            }
        }
    }

    #[inline(always)]
    fn narrow<M: Mapping>(self, values: &[[u8; K]; 64], bytes: &mut [Slot; 64]) -> bool {
        let values = flat(values);
        let mut all = self.splat(0);
        let mut narrowed = [all; 4];
        for i in 0..4 / S::PARTS {
            let mut numbers = [all; K];
            for j in 0..K {
                let vector = self.load(values, 16 * S::PARTS * (K * i + j));
                numbers[j] = to_wire::<K, S, M>(self, vector);
                all = self.or(all, numbers[j]);
            }
            let mut four = [all; 4];
            for j in 0..4 {
                four[j] = match K {
                    4 => numbers[j],
                    _ => self.even32(numbers[2 * j], numbers[2 * j + 1]),
                };
            }
            narrowed[i] = Lanes::narrow(self, four);
        }
        let beyond = match K {
            4 => 0xffff_ff80_ffff_ff80,
            _ => !0x7f,
        };
        if self.any(all, beyond) {
            return false;
        }
        for i in 0..4 / S::PARTS {
            self.store(bytes, 16 * S::PARTS * i, narrowed[i]);
        }
        true
    }

    #[inline(always)]
    fn decode<M: Mapping>(
        self,
        window: &[u8; WINDOW],
        begins: u64,
        longest: Longest,
        values: &mut [[Slot; K]],
    ) -> bool {
        match longest {
            Longest::Two => decode_two::<K, S, M>(self, window, begins, values),
            _ => decode::<K, S, M>(self, window, begins, longest, values),
        }
    }

    #[inline(always)]
    fn encode<M: Mapping>(self, values: &[[u8; K]; 8], to: &mut [Slot; ENCODE_ROOM]) -> usize {
        let values = flat(values);
        let mut all = self.splat(0);
        let mut numbers = [all; 4];
        for i in 0..K / 2 / S::PARTS {
            numbers[i] = to_wire::<K, S, M>(self, self.load(values, 16 * S::PARTS * i));
            all = self.or(all, numbers[i]);
        }
        if K == 8 && self.any(all, 0xff << 56) {
            return encode_wide::<S, true>(self, numbers, to);
        }
        if K == 8 && self.any(all, !0 << 32) {
            return encode_wide::<S, false>(self, numbers, to);
        }
        let short = match K {
            4 => [numbers[0], numbers[1]],
            _ => [
                self.even32(numbers[0], numbers[1]),
                self.even32(numbers[2], numbers[3]),
            ],
        };
        encode_short(self, short, to)
    }
}

/// Returns a shuffle that moves 16 bytes to the lowest bytes of units of `K` bytes.
const fn lowest<const K: usize>() -> [[u8; 16]; K] {
    let mut places = [[0xff; 16]; K];
    let mut i = 0;
    while i < 16 {
        places[K * i / 16][K * i % 16] = i as u8;
        i += 1;
    }
    places
}

/// Maps values of `K` bytes to the numbers stored for them.
#[inline(always)]
fn to_wire<const K: usize, S: Lanes, M: Mapping>(simd: S, values: S::Vector) -> S::Vector {
    match (M::ZIGZAG, K) {
        (false, _) => values,
        (true, 4) => simd.xor(simd.shl32(values, 1), simd.negative32(values)),
        (true, _) => simd.xor(simd.shl64(values, 1), simd.negative64(values)),
    }
}

/// Maps stored numbers to values of `K` bytes.
#[inline(always)]
fn from_wire<const K: usize, S: Lanes, M: Mapping>(simd: S, numbers: S::Vector) -> S::Vector {
    match (M::ZIGZAG, K) {
        (false, _) => numbers,
        (true, 4) => simd.xor(simd.shr32(numbers, 1), simd.odd32(numbers)),
        (true, _) => simd.xor(simd.shr64(numbers, 1), simd.odd64(numbers)),
    }
}

/// Decodes varints of one or two bytes, eight bytes of input at a time. Their values fit any type.
#[inline(always)]
fn decode_two<const K: usize, S: Lanes, M: Mapping>(
    simd: S,
    bytes: &[u8; WINDOW],
    begins: u64,
    values: &mut [[Slot; K]],
) -> bool {
    let mut done = 0;
    for i in 0..8 {
        let left = begins >> (8 * i);
        if left == 0 {
            break;
        }
        let to = flat_mut(window_mut::<8, _>(values, done));
        simd.decode_two::<M>(window(bytes, 8 * i), left as u8, K, to);
        done += (left as u8).count_ones() as usize;
    }
    true
}

/// Decodes varints of any length, eight at a time.
#[inline(always)]
fn decode<const K: usize, S: Lanes, M: Mapping>(
    simd: S,
    window: &[u8; WINDOW],
    mut begins: u64,
    longest: Longest,
    values: &mut [[Slot; K]],
) -> bool {
    let mut beyond = simd.splat(0);
    for eight in values.as_chunks_mut::<8>().0 {
        if begins == 0 {
            break;
        }
        let pairs = next_eight(&mut begins);
        let to = flat_mut(eight);
        for i in 0..K / 2 / S::PARTS {
            let numbers = match K {
                4 => {
                    // Each part of both vectors holds the values that belong together there.
                    let first = places::<S>(pairs, 2 * S::PARTS * i, 2);
                    let second = places::<S>(pairs, 2 * S::PARTS * i + 1, 2);
                    let (first, _) = join(simd, simd.gather(window, first));
                    let (second, _) = join(simd, simd.gather(window, second));
                    let [low, fifth] = simd.unzip32(first, second);
                    beyond = simd.or(beyond, fifth);
                    simd.or(low, simd.shl64(fifth, 28))
                }
                _ => {
                    let places = places::<S>(pairs, S::PARTS * i, 1);
                    let (halves, ends) = join(simd, simd.gather(window, places));
                    match longest {
                        Longest::Two | Longest::Four => halves,
                        Longest::Eight => join_halves(simd, halves),
                        Longest::Ten => {
                            let [[a, b], [c, d]] = places;
                            let last = [[a + 8, b + 8], [c + 8, d + 8]];
                            let last = simd.gather(window, last);
                            let top = join_last(simd, simd.and(last, simd.zero64(ends)));
                            beyond = simd.or(beyond, top);
                            simd.or(join_halves(simd, halves), simd.shl64(top, 56))
                        }
                    }
                }
            };
            simd.store(to, 16 * S::PARTS * i, from_wire::<K, S, M>(simd, numbers));
        }
    }
    let too_much = match K {
        4 => 0xffff_fff0_ffff_fff0,
        _ => !0xff,
    };
    !simd.any(beyond, too_much)
}

/// Joins the bytes of varints, each in its lane, and ignores the bytes after a varint in its lane.
/// Each half of the lane gets 28 bits. Also returns, for each varint, whether it ends within the
/// lane, in the high bit of the byte that ends it.
///
/// ```text
/// bytes      ac 02 05 80 80 01 ..      lane of a two-byte varint and the bytes after it
/// ends       00 80 80 00 00 80 ..      high bits that are clear
/// below      ff ff 00 00 00 00 ..      everything up to the lowest of them: x ^ (x - 1)
/// groups     2c 02 00 00 00 00 ..      seven bits per byte
/// ```
#[inline(always)]
fn join<S: Lanes>(simd: S, bytes: S::Vector) -> (S::Vector, S::Vector) {
    let ends = simd.and_not(bytes, simd.splat(0x8080_8080_8080_8080));
    let below = simd.xor(ends, simd.add64(ends, simd.splat(!0)));
    let seven = simd.and(bytes, simd.splat(0x7f7f_7f7f_7f7f_7f7f));
    (simd.join32(simd.and(seven, below)), ends)
}

/// Joins halves of 28 bits to numbers of up to 56 bits.
#[inline(always)]
fn join_halves<S: Lanes>(simd: S, halves: S::Vector) -> S::Vector {
    let low_bits = simd.splat(0xfff_ffff);
    let high = simd.and_not(low_bits, simd.shr64(halves, 4));
    simd.or(simd.and(halves, low_bits), high)
}

/// Joins the ninth and tenth bytes of varints, which are the first bytes of their lanes, to numbers
/// of 14 bits (of 8 if the varint fits its type); 0 if those bytes have no bits.
#[inline(always)]
fn join_last<S: Lanes>(simd: S, bytes: S::Vector) -> S::Vector {
    let ninth = simd.and(bytes, simd.splat(0x7f));
    let tenth = simd.and(simd.shr64(bytes, 1), simd.splat(0x3f80));
    let followed = simd.odd64(simd.shr64(bytes, 7));
    simd.or(ninth, simd.and(tenth, followed))
}

/// Encodes eight 32-bit numbers.
#[inline(always)]
fn encode_short<S: Lanes>(simd: S, numbers: [S::Vector; 2], to: &mut [Slot; ENCODE_ROOM]) -> usize {
    let all = match S::PARTS {
        1 => simd.or(numbers[0], numbers[1]),
        _ => numbers[0],
    };
    if !simd.any(all, 0xffff_c000_ffff_c000) {
        return simd.encode_two(numbers, to);
    }
    let mut varints = [[all; 2]; 2];
    let mut lengths = [all; 2];
    for i in 0..2 / S::PARTS {
        (varints[i], lengths[i]) = spread_short(simd, numbers[i]);
    }
    let ends = running_sum(simd.bytes32(lengths));
    let mut at = 0;
    for i in 0..8 {
        // Two values per vector and part.
        let varints = varints[i / 4 / S::PARTS][i / 2 % 2];
        simd.scatter(to, at, varints, i / 4 % S::PARTS * 2 + i % 2);
        at = end(ends, i);
    }
    at
}

/// Spreads the groups of seven bits of 32-bit numbers to bytes. The fifth byte goes to the upper
/// half of the varint's lane. Also returns the lengths, in each byte of their 32-bit units.
///
/// ```text
/// number     ....dddddddcccccccbbbbbbbaaaaaaa
/// by 14      ..dddddddccccccc ..bbbbbbbaaaaaaa
/// by 7       .ddddddd .ccccccc .bbbbbbb .aaaaaaa
/// ```
#[inline(always)]
fn spread_short<S: Lanes>(simd: S, numbers: S::Vector) -> ([S::Vector; 2], S::Vector) {
    let groups = by_sevens(simd, simd.alternate16(numbers, simd.shl32(numbers, 2)));
    let mut lengths = simd.splat(0x0101_0101_0101_0101);
    for i in 1..5 {
        let least = 1 << (7 * i);
        let longer = simd.at_least32(numbers, simd.splat(least << 32 | least));
        // All bits are -1.
        lengths = simd.sub8(lengths, longer);
    }
    let followed = simd.greater8(lengths, simd.splat(0x0403_0201_0403_0201));
    let continued = simd.and(followed, simd.splat(0x8080_8080_8080_8080));
    let low = simd.or(groups, continued);
    (simd.zip32(low, simd.shr32(numbers, 28)), lengths)
}

/// Encodes eight 64-bit numbers; `LONG` if some have more than 56 bits, and so more than 8 bytes.
#[inline(always)]
fn encode_wide<S: Lanes, const LONG: bool>(
    simd: S,
    numbers: [S::Vector; 4],
    to: &mut [Slot; ENCODE_ROOM],
) -> usize {
    let [mut varints, mut lengths, mut last] = [numbers; 3];
    for i in 0..4 / S::PARTS {
        let mut groups = spread(simd, numbers[i]);
        let mut kept = simd.or(groups, simd.splat(1));
        let mut more = simd.splat(0);
        if LONG {
            // The 8 bits of the ninth byte and the tenth byte; the ninth keeps its continuation
            // bit.
            let top = simd.shr64(numbers[i], 56);
            let tenth = simd.shr64(top, 7);
            last[i] = simd.or(top, simd.shl64(tenth, 8));
            let continued = simd.and_not(simd.zero64(top), simd.splat(1 << 63));
            groups = simd.or(groups, continued);
            kept = simd.or(kept, continued);
            more = simd.add64(tenth, simd.shr64(continued, 63));
        }
        // A byte is kept if it or a higher byte is not zero.
        kept = simd.or(kept, simd.shr64(kept, 8));
        kept = simd.or(kept, simd.shr64(kept, 16));
        kept = simd.or(kept, simd.shr64(kept, 32));
        let kept = simd.one8(kept);
        lengths[i] = simd.add64(kept, more);
        // Move from the lowest bit of each byte to the highest of the one before it.
        varints[i] = simd.or(groups, simd.shr64(kept, 1));
    }
    let ends = running_sum(simd.sums64(lengths));
    let mut at = 0;
    for i in 0..8 {
        let (vector, lane) = (i / 2 / S::PARTS, i % (2 * S::PARTS));
        simd.scatter(to, at, varints[vector], lane);
        if LONG {
            simd.scatter(to, at + 8, last[vector], lane);
        }
        at = end(ends, i);
    }
    at
}

/// Spreads the lowest eight groups of seven bits of 64-bit numbers to bytes: in halves of 28,
/// quarters of 14, eighths of 7 bits. The last step cuts off any higher bits of a unit.
#[inline(always)]
fn spread<S: Lanes>(simd: S, numbers: S::Vector) -> S::Vector {
    let by_28 = simd.alternate32(numbers, simd.shl64(numbers, 4));
    by_sevens(simd, simd.alternate16(by_28, simd.shl32(by_28, 2)))
}

/// Performs the last step: units of 14 bits to bytes of 7. The upper seven bits move up by one bit,
/// which is the same as adding them once more.
#[inline(always)]
fn by_sevens<S: Lanes>(simd: S, by_14: S::Vector) -> S::Vector {
    let by_14 = simd.and(by_14, simd.splat(0x3fff_3fff_3fff_3fff));
    simd.add64(by_14, simd.and(by_14, simd.splat(0x3f80_3f80_3f80_3f80)))
}

/// Returns the positions of the 8 lowest bits, and removes these bits; 64 for each missing bit.
#[inline(always)]
fn next_eight(bits: &mut u64) -> [[usize; 2]; 4] {
    let mut places = [[0; 2]; 4];
    for pair in &mut places {
        for place in pair {
            *place = bits.trailing_zeros() as usize;
            *bits &= bits.wrapping_sub(1);
        }
    }
    places
}

/// Returns, for each part of a vector, one of the pairs, `step` apart, beginning with `first`.
#[inline(always)]
fn places<S: Lanes>(pairs: [[usize; 2]; 4], first: usize, step: usize) -> [[usize; 2]; 2] {
    let mut places = [[0; 2]; 2];
    for part in 0..S::PARTS {
        places[part] = pairs[first + step * part];
    }
    places
}

/// Returns byte `i` of running sums of lengths.
#[inline(always)]
fn end(ends: u64, i: usize) -> usize {
    (ends >> (8 * i) & 0x7f) as usize
}

/// Converts eight lengths, one per byte, to running sums: each length plus all lengths below it. At
/// most 80.
#[inline(always)]
fn running_sum(lengths: u64) -> u64 {
    lengths.wrapping_mul(0x0101_0101_0101_0101)
}
