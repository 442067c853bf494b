//! The algorithm, once for all instruction sets, variants and transforms: blocks of 64 bytes of
//! values while there is room around their data, then the last ones through a small buffer.
//!
//! ```text
//! data     |-- block --|-- block --|-- block --|-- block --|- block -|
//!          |--------- 80 bytes ---------|
//!                      |--------- 80 bytes ---------|        as long as there are 80
//!                                              |-- rest --|000000000000|   copied, zeros behind it
//! ```
//!
//! What instruction sets differ in is [`Blocks`]: a block of values against its codes and at most
//! 64 bytes of data. 80 are at hand, so that the last group of a block, which may begin at byte 48
//! and further, can be loaded and stored as a whole vector.
#![forbid(unsafe_code)]

use super::{Blocks, Error, Plan};
use crate::memory::{self, Slot};
use crate::simd::{window, window_mut};

/// Values out of their data. Returns the bytes of data used, or nothing if there were too few.
#[inline(always)]
pub(super) fn decode<S: Blocks, P: Plan>(
    simd: S,
    _plan: P,
    controls: &[u8],
    data: &[u8],
    start: u64,
    values: &mut [Slot],
) -> Result<Option<usize>, Error> {
    let mut previous = simd.previous::<P>(start);
    let (blocks, tail) = values.as_chunks_mut::<64>();
    let (done, used) = simd.decode_run::<P>(controls, data, blocks, &mut previous);
    let (blocks, controls) = (&mut blocks[done..], &controls[P::CONTROLS * done..]);
    if blocks.is_empty() && tail.is_empty() {
        return Ok(Some(used));
    }
    let rest = &data[used..];
    let more = decode_end::<S, P>(simd, controls, rest, &mut previous, blocks, tail);
    Ok(more.map(|more| used + more))
}

/// Blocks as long as there are 80 bytes of data. Returns how many, and the bytes used.
#[inline(always)]
pub(super) fn decode_run<S: Blocks, P: Plan>(
    simd: S,
    controls: &[u8],
    data: &[u8],
    blocks: &mut [[Slot; 64]],
    previous: &mut S::Previous,
) -> (usize, usize) {
    let controls = &controls[..P::CONTROLS * blocks.len()];
    let mut rest = data;
    let mut done = 0;
    while done + 4 <= blocks.len() {
        let four: &mut [[Slot; 64]; 4] = window_mut(blocks, done);
        let controls = &controls[P::CONTROLS * done..][..P::CONTROLS * 4];
        let mut used = 0;
        if P::all_ones(controls)
            && let Some(here) = rest.first_chunk::<64>()
        {
            for i in 0..4 {
                simd.widen::<P>(window(here, P::VALUES * i), &mut four[i], previous);
            }
            used = 4 * P::VALUES;
        } else if let Some(here) = rest.first_chunk::<336>() {
            for i in 0..4 {
                let codes = P::codes(&controls[P::CONTROLS * i..][..P::CONTROLS]);
                used += simd.decode::<P>(codes, window(here, used & 255), &mut four[i], previous);
            }
        } else {
            break;
        }
        rest = &rest[used..];
        done += 4;
    }
    for at in done..blocks.len() {
        let Some(here) = rest.first_chunk() else {
            return (at, data.len() - rest.len());
        };
        let codes = P::codes(&controls[P::CONTROLS * at..][..P::CONTROLS]);
        let used = simd.decode::<P>(codes, here, &mut blocks[at], previous);
        rest = &rest[used..];
    }
    (blocks.len(), data.len() - rest.len())
}

/// The blocks that remain when there are fewer than 80 bytes of data, and a part of a block. What
/// they use must not reach into the zeros behind the data.
#[inline(always)]
fn decode_end<S: Blocks, P: Plan>(
    simd: S,
    controls: &[u8],
    data: &[u8],
    previous: &mut S::Previous,
    blocks: &mut [[Slot; 64]],
    tail: &mut [Slot],
) -> Option<usize> {
    let mut padded = [0; 160];
    let have = usize::min(data.len(), 80);
    padded[..have].copy_from_slice(&data[..have]);

    let mut used = 0;
    for (at, values) in blocks.iter_mut().enumerate() {
        let codes = P::codes(&controls[P::CONTROLS * at..][..P::CONTROLS]);
        used += simd.decode::<P>(codes, window(&padded, used), values, previous);
        if used > have {
            return None;
        }
    }
    if !tail.is_empty() {
        let count = tail.len() / P::WIDTH;
        let codes = P::codes(&controls[P::CONTROLS * blocks.len()..]) & ((1 << (2 * count)) - 1);
        let mut values = [0; 64];
        let to = window_mut(memory::slots(&mut values), 0);
        used += simd.decode::<P>(codes, window(&padded, used), to, previous);
        used -= P::LENGTHS[0] * (P::VALUES - count);
        if used > have {
            return None;
        }
        memory::copy(tail, &values[..tail.len()]);
    }
    Some(used)
}

/// Values to their control bytes and data. Returns the bytes of data written, or nothing if there
/// was too little room.
#[inline(always)]
pub(super) fn encode<S: Blocks, P: Plan>(
    simd: S,
    _plan: P,
    values: &[u8],
    start: u64,
    controls: &mut [Slot],
    data: &mut [Slot],
) -> Result<Option<usize>, Error> {
    let first = &first_before::<P>(values, start);
    let (blocks, tail) = values.as_chunks::<64>();
    let (done, used) = simd.encode_run::<P>(values, first, controls, data);
    let mut total = used;

    for (at, block) in blocks.iter().enumerate().skip(done) {
        let mut buffer = [0; 80];
        let here = window_mut(memory::slots(&mut buffer), 0);
        let (codes, used) = simd.encode::<P>(block, before::<P>(values, at, first), here);
        let Some(to) = data.get_mut(total..total + used) else {
            return Ok(None);
        };
        memory::copy(to, &buffer[..used]);
        put_codes::<P>(controls, at, codes);
        total += used;
    }
    if !tail.is_empty() {
        let (block, before) = padded::<P>(values, tail.len(), first);
        let mut buffer = [0; 80];
        let here = window_mut(memory::slots(&mut buffer), 0);
        let (codes, used) = simd.encode::<P>(&block, &before, here);
        let used = used - P::LENGTHS[0] * (P::VALUES - tail.len() / P::WIDTH);
        let Some(to) = data.get_mut(total..total + used) else {
            return Ok(None);
        };
        memory::copy(to, &buffer[..used]);
        let controls = &mut controls[P::CONTROLS * blocks.len()..];
        memory::copy(controls, &codes.to_le_bytes()[..controls.len()]);
        total += used;
    }
    Ok(Some(total))
}

/// Blocks as long as there is room for 80 bytes of data. Returns how many, and the bytes written.
#[inline(always)]
pub(super) fn encode_run<S: Blocks, P: Plan>(
    simd: S,
    values: &[u8],
    first: &[u8; 64],
    controls: &mut [Slot],
    data: &mut [Slot],
) -> (usize, usize) {
    let (blocks, _) = values.as_chunks::<64>();
    let (controls, room) = (&mut controls[..P::CONTROLS * blocks.len()], data.len());
    let mut rest = data;
    let mut done = 0;
    while done < blocks.len() {
        let five = match done {
            0 => None,
            _ => blocks[done - 1..].first_chunk::<5>(),
        };
        let mut used = 0;
        if let (Some(five), Some(here)) = (five, rest.first_chunk_mut::<336>()) {
            let controls = &mut controls[P::CONTROLS * done..][..P::CONTROLS * 4];
            for i in 0..4 {
                let before = window(memory::flat(five), 64 * (i + 1) - P::WIDTH);
                let here = window_mut(here, used & 255);
                let (codes, more) = simd.encode::<P>(&five[i + 1], before, here);
                put_codes::<P>(controls, i, codes);
                used += more;
            }
            done += 4;
        } else if let Some(here) = rest.first_chunk_mut() {
            let before = before::<P>(values, done, first);
            let (codes, more) = simd.encode::<P>(&blocks[done], before, here);
            put_codes::<P>(controls, done, codes);
            used = more;
            done += 1;
        } else {
            break;
        }
        rest = &mut rest[used..];
    }
    (done, room - rest.len())
}

/// Writes the codes of block `at` to its control bytes.
#[inline(always)]
pub(super) fn put_codes<P: Plan>(controls: &mut [Slot], at: usize, codes: u32) {
    match P::CONTROLS {
        4 => memory::write(window_mut(controls, 4 * at), codes.to_le_bytes()),
        _ => memory::write(window_mut(controls, 2 * at), (codes as u16).to_le_bytes()),
    }
}

/// The values behind the last whole block, `tail` bytes of them, as a block and one place later.
/// What is stored of the values that fill it up is zero.
#[inline(always)]
fn padded<P: Plan>(values: &[u8], tail: usize, first: &[u8; 64]) -> ([u8; 64], [u8; 64]) {
    let (mut block, mut before) = ([0; 64], [0; 64]);
    let start = values.len() - tail;
    block[..tail].copy_from_slice(&values[start..]);
    if P::DELTA {
        for at in (tail..64).step_by(P::WIDTH) {
            block.copy_within(at - P::WIDTH..at, at);
        }
        let previous = match start {
            0 => &first[..P::WIDTH],
            _ => &values[start - P::WIDTH..start],
        };
        before[..P::WIDTH].copy_from_slice(previous);
        before[P::WIDTH..].copy_from_slice(&block[..64 - P::WIDTH]);
    }
    (block, before)
}

/// The first block of values, one place later: the start, then all but the last. What is beyond
/// the values is zero.
#[inline(always)]
fn first_before<P: Plan>(values: &[u8], start: u64) -> [u8; 64] {
    let mut before = [0; 64];
    if P::DELTA {
        let most = usize::min(values.len(), 64 - P::WIDTH);
        before[..P::WIDTH].copy_from_slice(&start.to_le_bytes()[..P::WIDTH]);
        before[P::WIDTH..][..most].copy_from_slice(&values[..most]);
    }
    before
}

/// The values before those of block `at`, of which only differences make use.
#[inline(always)]
pub(super) fn before<'a, P: Plan>(
    values: &'a [u8],
    at: usize,
    first: &'a [u8; 64],
) -> &'a [u8; 64] {
    match at {
        1.. if P::DELTA => window(values, 64 * at - P::WIDTH),
        _ => first,
    }
}

/// How many bytes the data of values has.
#[inline(always)]
pub(super) fn encoded_data_len<S: Blocks, P: Plan>(
    _simd: S,
    _plan: P,
    values: &[u8],
    start: u64,
) -> Result<usize, Error> {
    let mut total = 0;
    match P::WIDTH {
        4 => {
            let (values, mut previous) = (values.as_chunks::<4>().0, start as u32);
            for value in values {
                let value = u32::from_le_bytes(*value);
                let mut bits = value;
                if P::DELTA {
                    bits = value.wrapping_sub(previous);
                    previous = value;
                }
                if P::ZIGZAG {
                    bits = bits << 1 ^ (bits as i32 >> 31) as u32;
                }
                total += match P::LENGTHS[0] {
                    0 => {
                        usize::from(bits > 0)
                            + usize::from(bits > 0xff)
                            + 2 * usize::from(bits > 0xffff)
                    }
                    _ => {
                        1 + usize::from(bits > 0xff)
                            + usize::from(bits > 0xffff)
                            + usize::from(bits > 0xff_ffff)
                    }
                };
            }
        }
        _ => {
            let (values, mut previous) = (values.as_chunks::<8>().0, start);
            for value in values {
                let value = u64::from_le_bytes(*value);
                let mut bits = value;
                if P::DELTA {
                    bits = value.wrapping_sub(previous);
                    previous = value;
                }
                if P::ZIGZAG {
                    bits = bits << 1 ^ (bits as i64 >> 63) as u64;
                }
                total += 1
                    + usize::from(bits > 0xff)
                    + 2 * usize::from(bits > 0xffff)
                    + 4 * usize::from(bits > 0xffff_ffff);
            }
        }
    }
    Ok(total)
}

/// How many bytes of data the codes of `count` values say: bits of the control bytes are counted,
/// 32 codes at a time.
///
/// With `l` and `h` the bits of a code, its length is `a + b l + c h + d l h`.
#[inline(always)]
pub(super) fn decoded_data_len<S: Blocks, P: Plan>(
    _simd: S,
    _plan: P,
    controls: &[u8],
    count: usize,
) -> Result<u64, Error> {
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
    let [zero, one, two, three] = P::LENGTHS.map(|length| length as u64);
    let lengths = ones[0] * (one - zero) + ones[1] * (two - zero);
    Ok(zero * count as u64 + lengths + ones[2] * (three + zero - one - two))
}
