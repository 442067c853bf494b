//! Runs without special bytes, 256 at a time.
#![forbid(unsafe_code)]

use super::super::{Blocks, Survey};
use crate::codec::utf8::Copying;
use crate::memory::Slot;
use crate::simd::{window, window_mut};

/// Length of a text from which it pays to copy a few bytes twice, so that the stores begin with a cache line.
const MANY: usize = 4096;

/// Returns the length of the 256-byte blocks at the front of `src` in which no byte needs an
/// escape.
#[inline(always)]
pub(super) fn clean(simd: impl Blocks, src: &[u8]) -> usize {
    let mut run = 0;
    while run + 256 <= src.len() && simd.survey(window(src, run)).clean {
        run += 256;
    }
    run
}

/// Returns the length of a first step of up to 256 bytes, after which groups of 256 bytes begin with a
/// cache line, and overlap the first one. Vectors of 64 bytes that begin elsewhere wait for two lines
/// each: texts of 16 MiB take 1.3 times as long.
#[inline(always)]
pub(super) fn to_next_line<T>(from: &[T]) -> usize {
    256 - from.as_ptr().addr() % 64
}

/// Copies from the front as long as nothing needs an escape: 256 bytes at once, and 64 if fewer are left. The last block overlaps
/// the one before. Returns the length.
#[inline(always)]
pub(super) fn copy_groups<S: Blocks>(simd: S, src: &[u8], dst: &mut [Slot]) -> usize {
    let most = usize::min(src.len(), dst.len());
    let (src, dst) = (&src[..most], &mut dst[..most]);
    let (mut run, mut step) = (0, 256);
    if S::STORES_TO_LINES && most >= MANY {
        step = to_next_line(dst);
    }
    while run + 256 <= most {
        let clean = simd.copy_if_clean(window(src, run), window_mut(dst, run));
        if clean < 256 {
            return run + clean;
        }
        (run, step) = (run + step, 256);
    }
    if run == most || most < 64 {
        return run;
    }
    while run < most {
        let at = usize::min(run, most - 64);
        let block = window(src, at);
        if simd.specials(block) != 0 {
            return run;
        }
        simd.copy(block, window_mut(dst, at));
        run = at + 64;
    }
    run
}

/// Copies 256 bytes if none is special. Returns the number of bytes copied.
///
/// The copy follows the survey. If it came before, each block would be loaded twice, and
/// texts larger than the second-level cache would take 1.5 times as long (Zen 5).
#[inline(always)]
pub(in super::super) fn copy_if_clean(
    simd: impl Blocks,
    blocks: &[u8; 256],
    to: &mut [Slot; 256],
) -> usize {
    if !simd.survey(blocks).clean {
        return 0;
    }
    copy_blocks(simd, blocks, to);
    256
}

/// Copies the 256-byte blocks from an offset on in which no byte needs an escape, and which
/// continue the text before them, for as long as they fit. Returns their length. Their last
/// character may be incomplete, so at least one byte is left.
#[inline(always)]
pub(in super::super) fn copy_clean(
    simd: impl Blocks,
    src: &[u8],
    at: usize,
    dst: &mut [Slot],
) -> usize {
    let rest = (src.len() - at).saturating_sub(1);
    let most = usize::min(rest, dst.len());
    let (mut run, mut step) = (0, to_next_line(&src[at..]));
    while run + 256 <= most {
        let from = at + run;
        let block = window(src, from);
        let Survey { clean, ascii } = simd.survey(block);
        let plain = ascii & (src[from - 1] < 0x80);
        if !clean || !plain && !simd.is_valid_group::<Copying>(window(src, from - 3)) {
            break;
        }
        copy_blocks(simd, block, window_mut(dst, run));
        (run, step) = (run + step, 256);
    }
    run
}

/// Copies 256 bytes.
#[inline(always)]
fn copy_blocks(simd: impl Blocks, blocks: &[u8; 256], dst: &mut [Slot; 256]) {
    for i in 0..4 {
        simd.copy(window(blocks, 64 * i), window_mut(dst, 64 * i));
    }
}
