//! The algorithm, shared by all instruction sets.
//!
//! # Policy
//!
//! Small numbers are the usual case: runs of 64 one-byte values have steps of their own, which only
//! narrow or widen. Everything else is handled without a branch on the length of a single varint: a
//! misprediction per value is what makes the scalar code slow.
//!
//! ```text
//! encode    64 values of one byte each: narrow
//!           else 8 times: 8 values, as whole words, each over the unused bytes of the one before
//!           the last values: narrow the last 64 again, or through a buffer
//! decode    64 bytes that all end a varint: widen
//!           else a window: masks of ends and beginnings, all varints that begin in its stride
//!           a window with an error: one by one, from its first varint on
//!           fewer than 8 values left: one by one
//! ```
//!
//! Encoding handles 8 values at a time: an instruction set spreads their groups of bits to bytes
//! and stores each varint as a whole, overwriting the unused bytes of the varint before it.
//!
//! Decoding handles windows of 64 bytes. A mask has one bit per byte for the ends of varints; the
//! next varint begins after each end. A window decodes the varints that begin in its first 60 bytes
//! (55 if they may have ten bytes). All of them end within the window, so the next window always
//! begins 60 bytes further on, and no window waits for the result of another:
//!
//! ```text
//! bytes    ac 02 05 80 80 01 ..      the high bit is set if another byte follows
//! ends      0  1  1  0  0  1 ..
//! begins    1  0  1  1  0  0 ..      the ends, one byte later
//! ```
//!
//! # Invariants
//!
//! - Encoding: `done` values are written, as the bytes before `at`. Eight values need
//!   [`ENCODE_ROOM`] slots, but only the reported length counts.
//! - Decoding: `done` values are written; `at` is the first byte of the window, and `fresh` is true
//!   if a varint begins there. The varint that begins before a window belongs to the window before.
//!
//! # Measurements
//!
//! Windows that begin where the last varint ended wait about 20 cycles for each other; a fixed
//! stride does not. The kernels do not use `pdep` and `pext`, which handle one value at a time: on
//! vectors, the same steps take a third to three quarters of the time to encode, and no longer to
//! decode. On AMD's Zen 1 and 2, where those two instructions are microcoded, the kernels cost the
//! same as elsewhere. See `docs/lab-notes/varint.md`.
#![forbid(unsafe_code)]

use super::mapping::{Mapping, to_wire};
use super::{ENCODE_ROOM, Error, Longest, Varints, WINDOW, scalar};
use crate::memory::{Lines, Slot};
use crate::simd::{window, window_mut};

/// Minimum number of values for vectors: one step. Without it, lists of 1 to 12 short values take 1.2 to 1.7 times as long; with
/// 16, lists of 5 to 40 values take 1.1 to 1.4 times as long, except for lists of one-byte values, 0.95 (Zen 3).
const FEW_TO_ENCODE: usize = 8;

/// Minimum number of values for vectors when decoding.
const FEW_TO_DECODE: usize = 32;

/// Encodes values to varints; `None` if there is not enough room.
#[inline(always)]
pub(super) fn encode<const K: usize, S: Varints<K>, M: Mapping>(
    simd: S,
    values: &[[u8; K]],
    to: &mut [Slot],
) -> Option<usize> {
    if values.len() < FEW_TO_ENCODE {
        return scalar::encode::<K, M>(values, to);
    }
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
    let left = values.len() - done;
    if values.len() >= 64 && left < 64 && to.len() - at >= left {
        // Process the last 64 again, most of which are done already: if they have one byte each,
        // they had one before.
        let from = window(values, values.len() - 64);
        if simd.narrow::<M>(from, window_mut(to, at + left - 64)) {
            return Some(at + left);
        }
    }
    encode_rest::<K, S, M>(simd, &values[done..], to, at)
}

/// Encodes few values, or into little room: eight at a time, with zeros for the values missing from the
/// last eight. Those for which there is no room of [`ENCODE_ROOM`] bytes go to a buffer, which is
/// copied at once.
#[inline(always)]
fn encode_rest<const K: usize, S: Varints<K>, M: Mapping>(
    simd: S,
    mut values: &[[u8; K]],
    to: &mut [Slot],
    mut at: usize,
) -> Option<usize> {
    let Lines(varints) = &mut Lines([Slot::uninit(); 2 * ENCODE_ROOM]);
    let mut length = 0;
    while !values.is_empty() {
        let Lines(padded) = &mut Lines([[0; K]; 8]);
        let here = usize::min(8, values.len());
        let eight = match values.first_chunk() {
            Some(eight) => eight,
            None => {
                padded[..here].copy_from_slice(values);
                padded
            }
        };
        let is_roomy = length == 0 && to.len() - at >= ENCODE_ROOM;
        let target = if is_roomy {
            window_mut(to, at)
        } else {
            window_mut(varints, length)
        };
        let written = simd.encode::<M>(eight, target) - (8 - here);
        if is_roomy {
            at += written;
        } else {
            length += written;
            if length > to.len() - at {
                return None;
            }
        }
        values = &values[here..];
    }
    to[at..][..length].copy_from_slice(&varints[..length]);
    Some(at + length)
}

/// Returns the total length of all varints, in bytes. This is portable code, which the compiler
/// vectorises for the instruction set it is inlined into.
#[inline(always)]
pub(super) fn encoded_len<const K: usize, S: Varints<K>, M: Mapping>(
    _simd: S,
    values: &[[u8; K]],
) -> usize {
    let mut sum = 0;
    for value in values {
        let number = to_wire::<K, M>(*value);
        // With b bits, (9 b + 64) / 64 is b / 7 rounded up, for all b from 1 to 64.
        let bits = 64 - (number | 1).leading_zeros() as usize;
        sum += (9 * bits + 64) / 64;
    }
    sum
}

/// Returns the number of varints that end in the input.
#[inline(always)]
pub(super) fn count<S: Varints<4>>(simd: S, src: &[u8]) -> usize {
    let (blocks, rest) = src.as_chunks::<64>();
    let mut sum = 0;
    for block in blocks {
        sum += simd.ends(block).count_ones() as usize;
    }
    for byte in rest {
        sum += usize::from(*byte < 0x80);
    }
    sum
}

/// Returns the length of the longest varint: 5 or 10 bytes.
const fn most<const K: usize>() -> u32 {
    (8 * K as u32).div_ceil(7)
}

/// Decodes values until the destination is full. Returns the offset after the last varint.
///
/// All windows share one loop, so that an instruction set's operation is inlined once.
///
/// A `short` window has the input's last bytes; all complete varints in it are decoded. If `few`
/// values are left, a window is decoded to a buffer.
#[inline(always)]
pub(super) fn decode<const K: usize, S: Varints<K>, M: Mapping>(
    simd: S,
    src: &[u8],
    values: &mut [[Slot; K]],
) -> Result<usize, Error> {
    if values.len() < FEW_TO_DECODE {
        return scalar::decode::<K, M>(src, values);
    }
    let stride = 65 - most::<K>();
    let (mut at, mut done) = (0, 0);
    // True if a varint begins at the first byte of the window.
    let mut fresh = true;
    let mut padded;
    let Lines(aside) = &mut Lines([[Slot::new(0); K]; 64 + 16]);
    while values.len() - done >= 8 {
        let (left, short) = (values.len() - done, src.len() - at < WINDOW);
        let bytes = if short {
            padded = without_end(&src[at..]);
            &padded.0
        } else {
            window(src, at)
        };
        let ends = simd.ends(window(bytes, 0));
        if ends == !0 && fresh && left >= 64 {
            simd.widen::<M>(window(bytes, 0), window_mut(values, done));
            // The next values begin at a cache line if there are many: the last of these are written
            // again. Stores of whole lines take 0.8 of the time.
            let beyond = match left {
                ..128 => 0,
                _ => values[done..].as_ptr().addr() / K % (64 / K),
            };
            (at, done) = (at + 64 - beyond, done + 64 - beyond);
            continue;
        }
        let whole = u64::MAX.checked_shr(ends.leading_zeros()).unwrap_or(0);
        let (known, taken) = if short {
            (whole, whole)
        } else {
            (!0, !0 >> (64 - stride))
        };
        let begins = (ends << 1 | u64::from(fresh)) & taken;
        if begins == 0 {
            // No further varint is complete, and the scalar code finds where the first one begins.
            // The rest of the current varint has at most eight bytes and a last one; the scalar
            // code reads it as a well-formed varint.
            break;
        }
        let continued = !ends & known;
        let count = begins.count_ones() as usize;
        let few = left < count + 16;
        let to = if few {
            &mut aside[..]
        } else {
            &mut values[done..]
        };
        let is_well_formed = match longest::<K>(continued) {
            Some(longest) => simd.decode::<M>(bytes, begins, longest, to),
            None => false,
        };
        let count = usize::min(count, left);
        if !is_well_formed {
            // One of these varints or the bytes after them are malformed: decode one by one.
            at += begins.trailing_zeros() as usize;
            at = scalar::decode_from::<K, M>(src, at, &mut values[done..][..count])?;
            fresh = true;
        } else if few {
            at += behind(ends, begins, count);
            values[done..][..count].copy_from_slice(&aside[..count]);
            fresh = true;
        } else if short {
            at += 64 - ends.leading_zeros() as usize;
            fresh = true;
        } else {
            at += stride as usize;
            fresh = ends >> (stride - 1) & 1 != 0;
        }
        done += count;
    }
    scalar::decode_from::<K, M>(src, at, &mut values[done..])
}

/// Returns the last bytes of the input, as if the input continued without an end.
#[inline(always)]
fn without_end(rest: &[u8]) -> Lines<[u8; WINDOW]> {
    let mut padded = Lines([0x80; WINDOW]);
    padded.0[..rest.len()].copy_from_slice(rest);
    padded
}

/// Returns the offset after the first `count` varints, given their beginnings and ends.
#[inline(always)]
fn behind(ends: u64, begins: u64, count: usize) -> usize {
    let mut first = begins;
    for _ in count..begins.count_ones() as usize {
        first &= !(1 << (63 - first.leading_zeros()));
    }
    let last = 63 - first.leading_zeros();
    (last + (ends >> last).trailing_zeros() + 1) as usize
}

/// Computes the length of the longest varint from the mask of bytes that another byte follows;
/// `None` if it is too long. A varint is one byte longer than its run of bits in that mask.
#[inline(always)]
fn longest<const K: usize>(continued: u64) -> Option<Longest> {
    // Bits at which a run of this length begins.
    let two = continued & continued >> 1;
    let four = two & two >> 2;
    let eight = four & four >> 4;
    let too_many = match K {
        4 => four & continued >> 4,
        _ => eight & two >> 8,
    };
    match (two, four, eight) {
        _ if too_many != 0 => None,
        (0, _, _) => Some(Longest::Two),
        (_, 0, _) => Some(Longest::Four),
        (_, _, 0) => Some(Longest::Eight),
        _ => Some(Longest::Ten),
    }
}
