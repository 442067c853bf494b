//! The algorithm, once for all instruction sets.
//!
//! Encoding goes by 8 values: an instruction set spreads their groups of bits to bytes and stores
//! each value's varint at once, over what the one before it wrote too much. Runs of 64 values that
//! have one byte each are narrowed instead.
//!
//! Decoding goes by windows of 64 bytes. Where varints end is one bit a byte; they begin behind
//! that. A window takes the varints that begin in its first 60 bytes (55 if they may have ten
//! bytes), which all end within it, so that the next window begins 60 bytes further on whatever is
//! in this one, and no window waits for the result of another:
//!
//! ```text
//! bytes    ac 02 05 80 80 01 ..      the high bit tells that another byte follows
//! ends      0  1  1  0  0  1 ..
//! begins    1  0  1  1  0  0 ..      the ends, one byte later
//! ```
#![forbid(unsafe_code)]

use super::{ENCODE_ROOM, Error, Mapping, Plain, Varints, WINDOW, Zigzag, scalar};
use crate::Unavailable;
use crate::memory::{self, Slot};
use crate::simd::{window, window_mut};

/// Values to their varints; nothing if there is not enough room.
#[inline(always)]
pub(super) fn encode<const K: usize, S: Varints<K>>(
    simd: S,
    values: &[[u8; K]],
    zigzag: bool,
    to: &mut [Slot],
) -> Result<Option<usize>, Unavailable> {
    Ok(match zigzag {
        true => encode_as::<K, S, Zigzag>(simd, values, to),
        false => encode_as::<K, S, Plain>(simd, values, to),
    })
}

#[inline(always)]
fn encode_as<const K: usize, S: Varints<K>, M: Mapping>(
    simd: S,
    values: &[[u8; K]],
    to: &mut [Slot],
) -> Option<usize> {
    let (mut done, mut at) = (0, 0);
    while values.len() - done >= 64 && to.len() - at >= 64 {
        if simd.narrow::<M>(window(values, done), window_mut(to, at)) {
            (done, at) = (done + 64, at + 64);
            continue;
        }
        if to.len() - at < 8 * ENCODE_ROOM {
            break;
        }
        for _ in 0..8 {
            at += simd.encode::<M>(window(values, done), window_mut(to, at));
            done += 8;
        }
    }
    while values.len() - done >= 8 && to.len() - at >= ENCODE_ROOM {
        at += simd.encode::<M>(window(values, done), window_mut(to, at));
        done += 8;
    }
    // Few values are left, or little room: aside, with zeros for the values that are missing.
    while done < values.len() {
        let here = usize::min(8, values.len() - done);
        let mut eight = [[0; K]; 8];
        eight[..here].copy_from_slice(&values[done..][..here]);
        let mut varints = [Slot::new(0); ENCODE_ROOM];
        let length = simd.encode::<M>(&eight, &mut varints) - (8 - here);
        to[at..]
            .get_mut(..length)?
            .copy_from_slice(&varints[..length]);
        (done, at) = (done + here, at + length);
    }
    Some(at)
}

/// The number of bytes of all varints.
#[inline(always)]
pub(super) fn encoded_len<const K: usize, S: Varints<K>>(
    _simd: S,
    values: &[[u8; K]],
    zigzag: bool,
) -> Result<usize, Unavailable> {
    Ok(match zigzag {
        true => encoded_len_as::<K, Zigzag>(values),
        false => encoded_len_as::<K, Plain>(values),
    })
}

/// Portable code, which the compiler turns into vectors of the instruction set it is inlined into.
#[inline(always)]
fn encoded_len_as<const K: usize, M: Mapping>(values: &[[u8; K]]) -> usize {
    let mut sum = 0;
    for value in values {
        let number = to_wire::<K, M>(*value);
        // With b bits, (9 b + 64) / 64 is b / 7 rounded up, for all b from 1 to 64.
        let bits = 64 - (number | 1).leading_zeros() as usize;
        sum += (9 * bits + 64) / 64;
    }
    sum
}

/// The number of varints that end in the input.
#[inline(always)]
pub(super) fn count<S: Varints<4>>(simd: S, src: &[u8]) -> Result<usize, Unavailable> {
    let (blocks, rest) = src.as_chunks::<64>();
    let mut sum = 0;
    for block in blocks {
        sum += simd.ends(block).count_ones() as usize;
    }
    for byte in rest {
        sum += usize::from(*byte < 0x80);
    }
    Ok(sum)
}

/// Varints to as many values as there is room for.
#[inline(always)]
pub(super) fn decode<const K: usize, S: Varints<K>>(
    simd: S,
    src: &[u8],
    zigzag: bool,
    values: &mut [[Slot; K]],
) -> Result<usize, Error> {
    match zigzag {
        true => decode_as::<K, S, Zigzag>(simd, src, values),
        false => decode_as::<K, S, Plain>(simd, src, values),
    }
}

/// The most bytes of a varint: 5 or 10.
const fn most<const K: usize>() -> u32 {
    (8 * K as u32).div_ceil(7)
}

#[inline(always)]
fn decode_as<const K: usize, S: Varints<K>, M: Mapping>(
    simd: S,
    src: &[u8],
    values: &mut [[Slot; K]],
) -> Result<usize, Error> {
    let stride = 65 - most::<K>();
    let (mut at, mut done) = (0, 0);
    // Whether a varint begins at the first byte of the window.
    let mut fresh = true;
    while src.len() - at >= WINDOW && values.len() - done >= 64 {
        let bytes = window::<WINDOW, _>(src, at);
        let to = window_mut::<64, _>(values, done);
        let ends = simd.ends(window(bytes, 0));
        if ends == !0 && fresh {
            simd.widen::<M>(window(bytes, 0), to);
            (at, done) = (at + 64, done + 64);
            continue;
        }
        let begins = (ends << 1 | u64::from(fresh)) & (!0 >> (64 - stride));
        let count = begins.count_ones() as usize;
        let continued = !ends;
        if runs(continued, most::<K>()) != 0
            || !simd.decode::<M>(bytes, begins, runs(continued, 8) != 0, to)
        {
            // One of them is malformed, or what follows them: one by one.
            at += begins.trailing_zeros() as usize;
            at = decode_each::<K, M>(src, at, &mut to[..count])?;
            fresh = true;
        } else {
            fresh = ends >> (stride - 1) & 1 != 0;
            at += stride as usize;
        }
        done += count;
    }
    if !fresh {
        // The varint under way began in the last window, which has decoded it.
        at += src[at..].iter().take_while(|&&byte| byte > 0x7f).count() + 1;
    }
    decode_rest::<K, S, M>(simd, src, at, &mut values[done..])
}

/// The bits that begin a run of at least `length` bits.
#[inline(always)]
fn runs(bits: u64, length: u32) -> u64 {
    let two = bits & bits >> 1;
    let four = two & two >> 2;
    match length {
        5 => four & bits >> 4,
        8 => four & four >> 4,
        _ => four & four >> 4 & two >> 8,
    }
}

/// Values that are too few, or have too few bytes, for a window: aside, in a window that continues
/// behind the input without an end.
#[inline(always)]
fn decode_rest<const K: usize, S: Varints<K>, M: Mapping>(
    simd: S,
    src: &[u8],
    mut at: usize,
    mut values: &mut [[Slot; K]],
) -> Result<usize, Error> {
    while values.len() >= 8 {
        let mut bytes = [0x80; WINDOW];
        let here = usize::min(WINDOW, src.len() - at);
        bytes[..here].copy_from_slice(&src[at..][..here]);
        let ends = simd.ends(window(&bytes, 0));
        if ends == 0 {
            break;
        }
        let whole = !0 >> ends.leading_zeros();
        let begins = (ends << 1 | 1) & whole;
        let continued = !ends & whole;
        let mut decoded = [[Slot::new(0); K]; 64];
        if runs(continued, most::<K>()) != 0
            || !simd.decode::<M>(&bytes, begins, runs(continued, 8) != 0, &mut decoded)
        {
            break;
        }
        let count = usize::min(begins.count_ones() as usize, values.len());
        values[..count].copy_from_slice(&decoded[..count]);
        values = &mut values[count..];
        let mut last = ends;
        for _ in 1..count {
            last &= last - 1;
        }
        at += last.trailing_zeros() as usize + 1;
    }
    decode_each::<K, M>(src, at, values)
}

/// One by one as the specification says, which also finds out what is wrong.
#[inline(never)]
fn decode_each<const K: usize, M: Mapping>(
    src: &[u8],
    mut at: usize,
    values: &mut [[Slot; K]],
) -> Result<usize, Error> {
    for to in values {
        let (number, end) = scalar::read(src, at, K)?;
        memory::write(to, from_wire::<K, M>(number));
        at = end;
    }
    Ok(at)
}

/// The little-endian bytes of a value to the number that is written.
#[inline(always)]
fn to_wire<const K: usize, M: Mapping>(value: [u8; K]) -> u64 {
    let mut wide = [0; 8];
    wide[..K].copy_from_slice(&value);
    let sign = (i64::from_le_bytes(wide) << (64 - 8 * K) >> 63).cast_unsigned();
    let number = u64::from_le_bytes(wide);
    match M::ZIGZAG {
        true => (number << 1 ^ sign) & (!0 >> (64 - 8 * K)),
        false => number,
    }
}

/// The number that was written to the little-endian bytes of a value.
#[inline(always)]
fn from_wire<const K: usize, M: Mapping>(number: u64) -> [u8; K] {
    let value = match M::ZIGZAG {
        true => (number >> 1) ^ (number & 1).wrapping_neg(),
        false => number,
    };
    *window(&value.to_le_bytes(), 0)
}

/// The places of the 8 lowest bits, which are removed; 64 for those that there are not.
#[inline(always)]
pub(super) fn next_eight(bits: &mut u64) -> [usize; 8] {
    let mut places = [0; 8];
    for place in &mut places {
        *place = bits.trailing_zeros() as usize;
        *bits &= bits.wrapping_sub(1);
    }
    places
}

/// The byte at place `i` of running sums of lengths.
#[inline(always)]
pub(super) fn end(ends: u64, i: u32) -> usize {
    (ends >> (8 * i) & 0x7f) as usize
}

/// Eight lengths, one a byte, to the sums of each and all below it. At most 80.
#[inline(always)]
pub(super) fn running_sum(lengths: u64) -> u64 {
    lengths.wrapping_mul(0x0101_0101_0101_0101)
}
