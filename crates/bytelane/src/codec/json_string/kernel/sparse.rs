//! Blocks with few special bytes.
//!
//! # Policy
//!
//! A block is copied unchanged, and after each escape the rest of it is copied again. This is done once also if no byte
//! is special: then the last byte is its own escape. So there is no branch on whether there is a special byte, which is
//! true for every second block of 64 bytes if 1% of the bytes are; there is one on whether there is a second one, which is
//! true for 14% of the blocks. The next block of the input does not depend on the escapes, and the table that gives
//! the length of an escape knows no difference between short and long ones.
//!
//! With AVX-512, a block with up to three short escapes is spread in one vector instead (`Blocks::escape_few`), without a branch on
//! their number. Other blocks, one in 20 if 1% of the bytes are special, are copied as above.
//!
//! A loop bound by the number of its instructions asks only what it must: the number of special bytes matters only
//! once there is a second one, and one bit for each of the last eight blocks is set unless all were calm.
//!
//! Where the input ends, a step that begins with 65 to 127 bytes escapes all but the last 64 of them, so that it reads no more
//! than there is, and the last 64 are copied to a place with more after them.
//!
//! # Measurements
//!
//! Zen 4, 1% of escapes, time as a multiple of that with a branch on whether there is a special byte: 1 MiB 0.44 to 0.48
//! (AVX2) and 0.52 to 0.57 (SSE4.1), 4 KiB 0.52 and 0.57, 1 KiB 0.75 and 0.80, 256 bytes 0.75 and 0.82. Blocks of 32 bytes took 1.3 times as
//! long. Later, counting special bytes only where there are two, and one bit per block instead of a count of calm ones, took 0.91 to 0.95 of that
//! time. With AVX-512 and copies, 1% of escapes took 0.9 to 0.97 of the time that `escape_four` takes. Spread in one vector, they take 0.94 (1 KiB),
//! 0.87 (4 KiB) and 0.8 (64 KiB); texts with 10% keep to `escape_four`, since their first 256 bytes are counted.
#![forbid(unsafe_code)]

use super::super::{Blocks, Consumed};
use super::bytes::escaped;
use super::{CALM, FEW};
use crate::memory::{Slot, write};
use crate::simd::{window, window_mut};

/// Room for a step: a block, the escapes in it, and the 64 bytes that are copied after the last one.
pub(super) const ROOM: usize = 192;

/// Escapes blocks from `done` on, until one has more than [`FEW`] special bytes, [`CALM`] in a row have none, or the next one may
/// not fit. Returns whether the last ones have none.
#[inline(always)]
pub(super) fn escape_sparse(
    simd: impl Blocks,
    src: &[u8],
    dst: &mut [Slot],
    done: &mut Consumed,
) -> bool {
    const { assert!(CALM == u8::BITS as usize) };
    let end = dst.len();
    let (mut rest, mut to) = (&src[done.read..], &mut dst[done.written..]);
    // A bit for each of the last blocks: whether a byte is special.
    let mut seen = 1u8;
    while seen != 0
        && let Some(block) = rest.first_chunk::<128>()
        && let Some(room) = to.first_chunk_mut()
    {
        let specials = simd.specials(window(block, 0));
        let Some(length) = escape_few(simd, block, specials, 64, room) else {
            break;
        };
        to = &mut to[length..];
        rest = &rest[64..];
        seen = seen << 1 | u8::from(specials != 0);
    }
    if let 65..128 = rest.len()
        && let Some(room) = to.first_chunk_mut()
    {
        let given = rest.len() - 64;
        let specials = simd.specials(window(rest, 0)) & ((1 << given) - 1);
        if let Some(length) = escape_few(simd, rest, specials, given, room) {
            to = &mut to[length..];
            rest = &rest[given..];
        }
    }
    if rest.len() == 64
        && let Some(room) = to.first_chunk_mut()
    {
        let block = window(rest, 0);
        let specials = simd.specials(block);
        if let Some(length) = escape_last(simd, block, specials, room) {
            to = &mut to[length..];
            rest = &[];
        }
    }
    done.read = src.len() - rest.len();
    done.written = end - to.len();
    seen == 0
}

/// Escapes the last block. Returns the length of the result; `None` if there are more than [`FEW`].
#[inline(always)]
fn escape_last(
    simd: impl Blocks,
    block: &[u8; 64],
    specials: u64,
    dst: &mut [Slot; ROOM],
) -> Option<usize> {
    if let Some(more) = simd.escape_few(block, specials, window_mut(dst, 0)) {
        return Some(64 + more);
    }
    let mut padded = [0; 128];
    simd.copy(block, window_mut(dst, 0));
    *window_mut(&mut padded, 0) = *block;
    escape_copied(simd, &padded, specials, 64, dst)
}

/// Escapes the first `given` bytes, up to 64, of a source with at least 64 more. Their special bytes are `set`. Returns the
/// length of the result; `None` if there are more than [`FEW`].
///
/// ```text
/// block    a  b  \n  c  d  "  e
/// copied   a  b  \n  c  d  "  e
/// escape         \  n
/// copied              c  d  "  e
/// escape                    \  "
/// copied                          e
/// ```
#[inline(always)]
pub(super) fn escape_few(
    simd: impl Blocks,
    src: &[u8],
    set: u64,
    given: usize,
    dst: &mut [Slot; ROOM],
) -> Option<usize> {
    let block = window(src, 0);
    if let Some(more) = simd.escape_few(block, set, window_mut(dst, 0)) {
        return Some(given + more);
    }
    simd.copy(block, window_mut(dst, 0));
    escape_copied(simd, src, set, given, dst)
}

/// Does the same after the bytes are copied.
#[inline(always)]
pub(super) fn escape_copied(
    simd: impl Blocks,
    src: &[u8],
    set: u64,
    given: usize,
    dst: &mut [Slot; ROOM],
) -> Option<usize> {
    let first = (set | 1 << (given - 1)).trailing_zeros() as usize;
    let mut more = escape_one(simd, src, first, window_mut(dst, first));
    let mut others = set & set.wrapping_sub(1);
    if others != 0 {
        if others.count_ones() >= FEW {
            return None;
        }
        while others != 0 {
            let place = others.trailing_zeros() as usize;
            more += escape_one(simd, src, place, window_mut(dst, place + more));
            others &= others - 1;
        }
    }
    Some(given + more)
}

/// Escapes one byte, and copies 64 bytes after it. Returns by how many bytes the escape is longer.
#[inline(always)]
pub(super) fn escape_one(
    simd: impl Blocks,
    src: &[u8],
    place: usize,
    dst: &mut [Slot; 72],
) -> usize {
    let (text, length) = escaped(src[place]);
    write(window_mut(dst, 0), text);
    simd.copy(window(src, place + 1), window_mut(dst, length));
    length - 1
}
