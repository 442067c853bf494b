//! The algorithm, shared by all instruction sets, variants and transforms: blocks of 64 bytes of
//! values while there is room around their data, then the last values through a small buffer.
//!
//! ```text
//! data     |-- block --|-- block --|-- block --|-- block --|- block -|
//!          |------- 64 bytes -------|
//!                      |------- 64 bytes -------|            as long as there are 64
//!                                              |-- rest --|000000000000|   zeros after the end
//! ```
//!
//! Each instruction set implements [`Blocks`], which converts between a block of values and its
//! codes and at most 64 bytes of data. These are four groups, of at most 16 bytes each, which can be
//! loaded and stored as whole vectors: the last one begins at byte 48 at most.
//!
//! # Policy
//!
//! Bounds are checked once for four blocks, whose data have at most 256 bytes. [`Strides`] prove that
//! all vectors lie within these, since the type of a length in a table limits it. Blocks whose values
//! have one byte each, the usual case in posting lists, are widened.
//!
//! ```text
//! decode    four blocks: all values of one byte: widen; else look up each block by its codes
//!           fewer than 256 bytes left: block by block
//!           fewer than 64 bytes left: loads that end with the data, shifted
//!           the last values, fewer than a block: as a block whose front alone counts
//!           data and values that exceed the cache, without differences: the blocks with data around them are
//!           stored past it first, and data requested ahead
//! encode    the same way, into a buffer if fewer than 64 bytes of room are left; four blocks at a time,
//!           compute the codes of the second block after each one before that one is stored
//! ```
//!
//! # Invariants
//!
//! - Data are used in order, without gaps: the next block begins at `used`, even if more was loaded
//!   or stored.
//! - Data that extend beyond the input, where zeros are assumed, are an error, detected after the
//!   block.
//! - `previous` has the last value, for differences.
//!
//! # Measurements
//!
//! With AVX-512, masks are computed 16 blocks ahead, since reading them back at once costs a third
//! of the speed, and eight blocks are loaded before the previous eight are stored (1.35 times as
//! fast). Decoding mixed lengths runs at 1.75 to 1.9 times the speed of the C library with AVX-512,
//! and at 0.87 with AVX2 and SSE4.1 on Zen 4, where the codes of the next four blocks are loaded before
//! the values of these are stored (0.78 without). Encoding there took 13 cycles per block where its instructions
//! need eight: loads waited for earlier stores, whose addresses depend on the codes. With codes two blocks ahead,
//! it takes ten, and mixed lengths are encoded at 1.1 to 1.4 times the speed of the C library. See `docs/lab-notes/stream-vbyte.md`.
#![forbid(unsafe_code)]

use super::coding::{Coding, Decode};
use super::plan::{Compress, Expand, Plan};
use super::{Blocks, scalar};
use crate::memory::{self, Each, Slot};
use crate::simd::{Stride, Strides, StridesMut, window, window_mut};

/// Distance in bytes at which data are requested if the values are stored past the cache.
///
/// Such stores leave the CPU less time to load ahead on its own: 10 million values of mixed lengths take 0.8 to 0.9 of
/// the time of stores to the cache with requests, and 0.96 without (Zen 4). Distances of 1 to 4 KiB are alike.
#[cfg(target_arch = "x86_64")]
pub(super) const REQUESTED: usize = 2048;

/// Decodes whole blocks of values. Returns the offset after their data, or `None` if there are too
/// few.
#[inline(always)]
pub(super) fn decode_blocks<S: Blocks, P: Expand>(
    simd: S,
    plan: P,
    stream: &mut Decode<'_>,
    values: &mut [Slot],
) -> Option<usize> {
    let (controls, data) = stream.ahead::<P>(values);
    let mut before = simd.previous::<P>(stream.previous);
    let (blocks, _) = values.as_chunks_mut();
    let used = simd.decode_run(plan, controls, data, blocks, &mut before)?;
    if plan.delta() {
        stream.previous = simd.last::<P>(before);
    }
    Some(stream.offset + used)
}

/// Decodes blocks while there are data around them, which leaves the last ones to [`decode_blocks`]. Moves the
/// stream on, and returns the number of bytes of values. For plans without differences.
#[inline(always)]
pub(super) fn decode_past_cache<S: Blocks, P: Expand>(
    simd: S,
    plan: P,
    stream: &mut Decode<'_>,
    values: &mut [Slot],
) -> usize {
    let (controls, data) = stream.ahead::<P>(values);
    let (blocks, _) = values.as_chunks_mut();
    let previous = &mut simd.previous::<P>(stream.previous);
    let (done, used) = simd.decode_many(plan, controls, data, blocks, previous);
    stream.index += P::VALUES * done;
    stream.offset += used;
    64 * done
}

/// Decodes four blocks at a time while there are data around them, then one by one. Returns the number of bytes of data used, or `None` if there
/// were too few.
#[inline(always)]
pub(super) fn decode_run<S: Blocks, P: Expand>(
    simd: S,
    plan: P,
    controls: &[u8],
    data: &[u8],
    blocks: &mut [[Slot; 64]],
    previous: &mut S::Previous,
) -> Option<usize> {
    let (mut done, mut rest) = decode_fours(simd, plan, controls, data, blocks, previous);
    while done < blocks.len() {
        let (codes, values) = (P::codes(controls, done), &mut blocks[done]);
        let used = match simd.decode_within(plan, codes, rest, values, previous) {
            Some(used) => used,
            None => simd.decode_end(plan, codes, (data, rest.len()), values, previous),
        };
        rest = rest.get(used..)?;
        done += 1;
    }
    Some(data.len() - rest.len())
}

/// Decodes four blocks at a time while there are data around them. Returns the number of blocks, and the data
/// after them.
#[inline(always)]
pub(super) fn decode_fours<'a, S: Blocks, P: Expand>(
    simd: S,
    plan: P,
    controls: &[u8],
    data: &'a [u8],
    blocks: &mut [[Slot; 64]],
    previous: &mut S::Previous,
) -> (usize, &'a [u8]) {
    let controls = &controls[..P::CONTROLS * blocks.len()];
    let mut coming = controls.chunks_exact(4 * P::CONTROLS);
    let mut ahead = coming.next().map_or([0; 2], P::codes_of_four);
    let mut rest = data;
    let mut done = 0;
    for four in blocks.as_chunks_mut::<4>().0 {
        let codes = ahead;
        ahead = coming.next().map_or(codes, P::codes_of_four);
        let used;
        if plan.are_ones(codes)
            && let Some(here) = rest.first_chunk::<64>()
        {
            for k in 0..4 {
                simd.widen(plan, window(here, P::VALUES * k), &mut four[k], previous);
            }
            used = 4 * P::VALUES;
        } else if let Some(here) = rest.first_chunk() {
            used = simd.decode_four(plan, codes, here, four, previous).get();
        } else {
            break;
        }
        rest = &rest[used..];
        done += 4;
    }
    (done, rest)
}

/// Decodes a block from the end of the data, through a copy. Returns the number of bytes used, which may be
/// more than are left.
#[inline(always)]
pub(super) fn decode_end<S: Blocks, P: Expand>(
    simd: S,
    plan: P,
    codes: u32,
    (data, left): (&[u8], usize),
    values: &mut [Slot; 64],
    previous: &mut S::Previous,
) -> usize {
    let rest = &data[data.len() - left..];
    let rest = &rest[..usize::min(left, 64)];
    let memory::Lines(padded) = &mut memory::Lines([0; 64]);
    padded[..rest.len()].copy_from_slice(rest);
    simd.decode(plan, codes, padded, values, previous).get()
}

/// Decodes four blocks. Returns the number of bytes of data used.
#[inline(always)]
pub(super) fn decode_four<S: Blocks, P: Expand>(
    simd: S,
    plan: P,
    codes: [u64; 2],
    data: &[u8; 256],
    blocks: &mut [[Slot; 64]; 4],
    previous: &mut S::Previous,
) -> Stride<256> {
    let mut data = Strides::new(data);
    for i in 0..4 {
        let codes = P::codes_of_block(codes, i);
        let used = simd.decode(plan, codes, data.here(), &mut blocks[i], previous);
        data.pass(used);
    }
    data.passed()
}

/// Decodes fewer values than a block. Returns the offset after their data, or `None` if there are too
/// few: they must not include any of the zeros after the data.
#[inline(always)]
pub(super) fn decode_tail<S: Blocks, P: Expand>(
    simd: S,
    plan: P,
    stream: &Decode<'_>,
    values: &mut [Slot],
) -> Option<usize> {
    let (controls, data) = stream.ahead::<P>(values);
    let count = values.len() / P::WIDTH;
    let append = |codes, &byte| codes << 8 | u32::from(byte);
    let codes = controls.iter().rev().fold(0, append) & ((1 << (2 * count)) - 1);
    let used = simd.decode_last(plan, codes, data, values, stream.previous)?;
    Some(stream.offset + used)
}

/// Decodes fewer values than a block, through buffers.
#[inline(always)]
pub(super) fn decode_last<S: Blocks, P: Expand>(
    simd: S,
    plan: P,
    codes: u32,
    data: &[u8],
    values: &mut [Slot],
    start: u64,
) -> Option<usize> {
    let memory::Lines(block) = &mut memory::Lines([Slot::new(0); 64]);
    let mut before = simd.previous::<P>(start);
    let used = simd.decode_end(plan, codes, (data, data.len()), block, &mut before);
    let used = used - plan.shortest() * (P::VALUES - values.len() / P::WIDTH);
    if used > data.len() {
        return None;
    }
    values.copy_from_slice(&block[..values.len()]);
    Some(used)
}

/// Encodes whole blocks of values to the first ones of all control bytes of a stream, and to data after
/// all of them. Returns the offset after the data, or `None` if there was not enough room.
#[inline(always)]
pub(super) fn encode_blocks<S: Blocks, P: Compress>(
    simd: S,
    plan: P,
    values: &[u8],
    start: u64,
    to: &mut [Slot],
    controls: usize,
) -> Option<usize> {
    let (front, data) = to.split_at_mut_checked(controls)?;
    Some(controls + simd.encode_run(plan, values, start, front, data)?)
}

/// Encodes four blocks at a time while there is room around their data, then one by one.
#[inline(always)]
pub(super) fn encode_run<S: Blocks, P: Compress>(
    simd: S,
    plan: P,
    values: &[u8],
    start: u64,
    controls: &mut [Slot],
    data: &mut [Slot],
) -> Option<usize> {
    let (blocks, _) = values.as_chunks::<64>();
    let (controls, room) = (&mut controls[..P::CONTROLS * blocks.len()], data.len());
    let mut rest = data;
    let mut done = 0;
    let mut previous = simd.previous::<P>(start);
    if blocks.len() >= 4 {
        let mut of = |i: usize| simd.ahead(plan, &blocks[i], &mut previous);
        let mut ahead = [of(0), of(1)];
        let fours = blocks.as_chunks::<4>().0;
        for i in 0..fours.len() {
            let Some(here) = rest.first_chunk_mut::<256>() else {
                break;
            };
            let next = fours.get(i + 1).map(|four| window(four, 0));
            let state = (&mut ahead, &mut previous);
            let controls = &mut controls[P::CONTROLS * done..][..P::CONTROLS * 4];
            let used = simd.encode_four(plan, (&fours[i], next), state, controls, here);
            rest = &mut rest[used.get()..];
            done += 4;
        }
        if done == blocks.len() {
            return Some(room - rest.len());
        }
    }
    let before = match done {
        0 => start,
        _ => scalar::get(&values[64 * done - P::WIDTH..64 * done]),
    };
    let mut previous = simd.previous::<P>(before);
    let mut ahead = |block| simd.ahead(plan, block, &mut previous);
    while let (Some(block), Some(here)) = (blocks.get(done), rest.first_chunk_mut()) {
        let (codes, used) = simd.encode(plan, block, ahead(block), here);
        put_codes::<P>(controls, done, codes);
        rest = &mut rest[used.get()..];
        done += 1;
    }
    if done < blocks.len() {
        let mut end = 0;
        let memory::Lines(buffer) = &mut memory::Lines([Slot::new(0); 128]);
        for at in done..blocks.len() {
            let here = window_mut(buffer, end);
            let (codes, used) = simd.encode(plan, &blocks[at], ahead(&blocks[at]), here);
            put_codes::<P>(controls, at, codes);
            end += used.get();
            if end > rest.len() {
                return None;
            }
        }
        let (last, unused) = rest.split_at_mut(end);
        last.copy_from_slice(&buffer[..end]);
        rest = unused;
    }
    Some(room - rest.len())
}

/// Encodes four blocks. Returns the number of bytes of data written.
#[inline(always)]
pub(super) fn encode_four<S: Blocks, P: Compress>(
    simd: S,
    plan: P,
    (four, next): (&[[u8; 64]; 4], Option<&[[u8; 64]; 2]>),
    (ahead, previous): (&mut [S::Ahead; 2], &mut S::Previous),
    controls: &mut [Slot],
    data: &mut [Slot; 256],
) -> Stride<256> {
    let mut data = StridesMut::new(data);
    let (front, back) = controls.split_at_mut(2 * P::CONTROLS);
    // Without loops, so that the numbers stay in registers.
    let (first, second) = (window(four, 0), window(four, 2));
    let state = (&mut *ahead, &mut *previous);
    encode_two(simd, plan, first, Some(second), state, front, &mut data);
    encode_two(simd, plan, second, next, (ahead, previous), back, &mut data);
    data.passed()
}

/// Encodes two blocks. Before each, computes what the second block after it needs.
#[inline(always)]
fn encode_two<S: Blocks, P: Compress>(
    simd: S,
    plan: P,
    two: &[[u8; 64]; 2],
    after: Option<&[[u8; 64]; 2]>,
    (ahead, previous): (&mut [S::Ahead; 2], &mut S::Previous),
    controls: &mut [Slot],
    data: &mut StridesMut<'_, Slot, 64, 256>,
) {
    let [first, second] = *ahead;
    if let Some(after) = after {
        ahead[0] = simd.ahead(plan, &after[0], previous);
    }
    let (codes, used) = simd.encode(plan, &two[0], first, data.here());
    put_codes::<P>(controls, 0, codes);
    data.pass(used);
    if let Some(after) = after {
        ahead[1] = simd.ahead(plan, &after[1], previous);
    }
    let (codes, used) = simd.encode(plan, &two[1], second, data.here());
    put_codes::<P>(controls, 1, codes);
    data.pass(used);
}

/// Encodes fewer values than a block. Returns the number of bytes of data written, or `None` if
/// there was not enough room.
#[inline(always)]
pub(super) fn encode_tail<S: Blocks, P: Compress>(
    simd: S,
    plan: P,
    values: &[u8],
    start: u64,
    controls: &mut [Slot],
    data: &mut [Slot],
) -> Option<usize> {
    let (codes, used) = simd.encode_last(plan, values, start, data)?;
    memory::copy(controls, &codes.to_le_bytes()[..controls.len()]);
    Some(used)
}

/// Encodes fewer values than a block, through buffers.
#[inline(always)]
pub(super) fn encode_last<S: Blocks, P: Compress>(
    simd: S,
    plan: P,
    values: &[u8],
    start: u64,
    data: &mut [Slot],
) -> Option<(u32, usize)> {
    // The padding of the block is stored as zeros.
    let mut block = [0; 64];
    block[..values.len()].copy_from_slice(values);
    if plan.delta() {
        for at in (values.len()..64).step_by(P::WIDTH) {
            block.copy_within(at - P::WIDTH..at, at);
        }
    }
    let memory::Lines(buffer) = &mut memory::Lines([Slot::new(0); 64]);
    let mut previous = simd.previous::<P>(start);
    let ahead = simd.ahead(plan, &block, &mut previous);
    let (codes, used) = simd.encode(plan, &block, ahead, buffer);
    let used = used.get() - plan.shortest() * (P::VALUES - values.len() / P::WIDTH);
    data.get_mut(..used)?.copy_from_slice(&buffer[..used]);
    Some((codes, used))
}

/// Writes the codes of block `at` to its control bytes.
#[inline(always)]
pub(super) fn put_codes<P: Plan>(controls: &mut [Slot], at: usize, codes: u32) {
    match P::CONTROLS {
        4 => memory::write(window_mut(controls, 4 * at), codes.to_le_bytes()),
        _ => memory::write(window_mut(controls, 2 * at), (codes as u16).to_le_bytes()),
    }
}

/// Returns the length in bytes of the data of values of `K` bytes: the shortest length for each
/// value, plus, for each longer length, the extra bytes for each number that does not fit the
/// length before it.
#[inline(always)]
pub(super) fn encoded_data_len<const K: usize, S: Blocks>(
    _simd: S,
    coding: Coding,
    values: &[u8],
    start: u64,
) -> usize {
    let lengths = coding.variant.lengths();
    let limit = |i: usize| (1 << (8 * lengths[i])) - 1;
    let limits = [limit(0), limit(1), limit(2)];
    let mut previous = start;
    let mut longer = [0; 3];
    for part in values.chunks(1 << 16) {
        let counts = match K {
            4 => {
                let values = part.as_chunks::<4>().0;
                let mut counts = [0u32; 3];
                let mut before = previous as u32;
                for value in values {
                    let value = u32::from_le_bytes(*value);
                    let mut bits = value;
                    if coding.transform.delta() {
                        bits = value.wrapping_sub(before);
                        before = value;
                    }
                    if coding.transform.zigzag() {
                        bits = bits << 1 ^ (bits as i32 >> 31) as u32;
                    }
                    for i in 0..3 {
                        counts[i] += u32::from(bits > limits[i] as u32);
                    }
                }
                previous = u64::from(before);
                counts.each(u64::from)
            }
            _ => {
                let values = part.as_chunks::<8>().0;
                let mut counts = [0u64; 3];
                for value in values {
                    let value = u64::from_le_bytes(*value);
                    let mut bits = value;
                    if coding.transform.delta() {
                        bits = value.wrapping_sub(previous);
                        previous = value;
                    }
                    if coding.transform.zigzag() {
                        bits = bits << 1 ^ (bits as i64 >> 63) as u64;
                    }
                    for i in 0..3 {
                        counts[i] += u64::from(bits > limits[i]);
                    }
                }
                counts
            }
        };
        for i in 0..3 {
            longer[i] += counts[i] as usize;
        }
    }
    let [zero, one, two, three] = lengths;
    zero * (values.len() / K)
        + (one - zero) * longer[0]
        + (two - one) * longer[1]
        + (three - two) * longer[2]
}

/// Returns the length in bytes of the data of `count` values, from their codes: counts the bits of
/// the control bytes, 32 codes at a time.
///
/// With `l` and `h` the bits of a code, its length is `a + b l + c h + d l h`.
#[inline(always)]
pub(super) fn decoded_data_len<S: Blocks>(
    _simd: S,
    coding: Coding,
    controls: &[u8],
    count: usize,
) -> u64 {
    const LOW: u64 = 0x5555_5555_5555_5555;
    let (words, rest) = controls[..count / 4].as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    if !count.is_multiple_of(4) {
        last[rest.len()] = controls[count / 4] & ((1 << (2 * (count % 4))) - 1);
    }
    let mut ones = [0; 3];
    for i in 0..=words.len() {
        let word = u64::from_le_bytes(if i < words.len() { words[i] } else { last });
        let (low, high) = (word & LOW, word >> 1 & LOW);
        ones[0] += u64::from(low.count_ones());
        ones[1] += u64::from(high.count_ones());
        ones[2] += u64::from((low & high).count_ones());
    }
    let [zero, one, two, three] = coding.variant.lengths();
    let lengths = ones[0] * (one - zero) as u64 + ones[1] * (two - zero) as u64;
    zero as u64 * count as u64 + lengths + ones[2] * (three + zero - one - two) as u64
}
