//! Encoding, shared by all instruction sets, which differ in how they pack bits: the compiler
//! vectorises the rest.
//!
//! # Policy
//!
//! Each block is processed three times: for the smallest difference, for the width of each
//! miniblock, and for packing. Differences of blocks of the usual size are kept in between, in
//! chunks of a fixed length, so that the compiler vectorises every loop. Larger blocks are computed
//! again. Consecutive miniblocks of the same width are packed by one call, since their bits are
//! contiguous.
//!
//! ```text
//! header    block size, miniblocks, count, first value
//! for each block
//!     kept      the differences, in chunks of 32
//!     least     the smallest difference: a varint
//!     widths    a byte per miniblock, of all bits that occur in difference - least
//!     pack      runs of miniblocks of one width; the last miniblock is padded with `least`
//! ```
//!
//! # Invariants
//!
//! - `at` bytes are written. Packing may overwrite [`ROOM`] bytes after them; if there is less
//!   room, it goes through `aside`.
//! - A chunk is always complete: it is padded with a difference that already occurs.
//!
//! # Measurements
//!
//! Runs of miniblocks and chunks raised the speed of encoding `i64` timestamps from 2.6 to 5.4
//! times that of the crate `parquet` (AVX-512); computing differences three times in place reaches
//! three quarters of that. See `docs/lab-notes/delta.md`.
#![forbid(unsafe_code)]

use super::{Format, Number, Sums};
use crate::codec::bit_packing::{self, Layout, Packs};
use crate::codec::varint;
use crate::memory::{self, Each, Slot, copy};
use core::ops::Range;

/// Number of differences to process at a time: the length of a miniblock is a multiple of it.
const CHUNK: usize = 32;

/// Number of differences to keep: those of a block of the usual size. With 256, 2 kB would be
/// cleared for each call, and 32 values would take 7 to 10% longer.
const KEPT: usize = 128;

/// Number of bytes after the result that packing may overwrite: a block of the kernels.
const ROOM: usize = 64;

/// Differences of consecutive values. Its vectors do not cross cache lines.
#[repr(align(64))]
struct Kept<N>([[N; CHUNK]; KEPT / CHUNK]);

impl<N: Number> Kept<N> {
    /// Computes the differences of at most `KEPT + 1` values. Pads the last chunk with one of them.
    #[inline(always)]
    fn fill(&mut self, values: &[N]) {
        for (i, to) in self.0[..(values.len() - 1).div_ceil(CHUNK)]
            .iter_mut()
            .enumerate()
        {
            let values = &values[CHUNK * i..];
            let count = values.len() - 1;
            if count >= CHUNK {
                subtract::<CHUNK, N>(values, to);
            } else {
                // The first half and the last half overlap.
                if let Some(second) = count.checked_sub(CHUNK / 2) {
                    subtract::<{ CHUNK / 2 }, N>(values, to);
                    subtract::<{ CHUNK / 2 }, N>(&values[second..], &mut to[second..]);
                } else {
                    subtract_few(values, to);
                }
                let padding = to[0];
                pad(&mut to[count..], padding);
            }
        }
    }

    /// Returns the chunks of a range.
    #[inline(always)]
    fn chunks(&mut self, range: Range<usize>) -> &mut [[N; CHUNK]] {
        &mut self.0[range.start / CHUNK..range.end.div_ceil(CHUNK)]
    }
}

/// Computes `COUNT` differences.
#[inline(always)]
fn subtract<const COUNT: usize, N: Number>(values: &[N], to: &mut [N]) {
    let (before, after) = (&values[..COUNT], &values[1..=COUNT]);
    let to = &mut to[..COUNT];
    // Iterators with closures would not be compiled for the instruction set.
    for i in 0..COUNT {
        to[i] = after[i].minus(before[i]);
    }
}

/// Same as [`subtract`], for less than half a chunk. Like the next function, it is separate so that
/// all instruction sets share it.
#[inline(never)]
fn subtract_few<N: Number>(values: &[N], to: &mut [N]) {
    for ((to, before), after) in to.iter_mut().zip(values).zip(&values[1..]) {
        *to = after.minus(*before);
    }
}

/// Pads a chunk.
#[inline(never)]
fn pad<N: Number>(to: &mut [N], with: N) {
    to.fill(with);
}

/// Returns the smallest difference, as a signed number.
#[inline(always)]
fn least<N: Number>(chunks: &[[N; CHUNK]]) -> N {
    let mut least = N::GREATEST;
    // A single loop: with two, the compiler would process eight chunks at a time, which never
    // happens.
    for difference in chunks.as_flattened() {
        least = N::min(least, *difference);
    }
    least
}

/// Same as [`least`], for all instruction sets.
#[inline(never)]
fn least_in_portable_code<N: Number>(chunks: &[[N; CHUNK]]) -> N {
    least(chunks)
}

/// Returns the bits that occur in any difference from `least`.
#[inline(always)]
fn bits_above<N: Number>(chunks: &[[N; CHUNK]], least: N) -> N {
    let mut all = N::default();
    for difference in chunks.as_flattened() {
        all = all.or(difference.minus(least));
    }
    all
}

/// Same as [`least`], for any number of values.
#[inline(always)]
fn least_of<N: Number>(values: &[N]) -> N {
    let mut least = N::GREATEST;
    for (before, after) in values.iter().zip(&values[1..]) {
        least = N::min(least, after.minus(*before));
    }
    least
}

/// Same as [`bits_above`], for any number of values.
#[inline(always)]
fn bits_above_of<N: Number>(values: &[N], least: N) -> N {
    let mut all = N::default();
    for (before, after) in values.iter().zip(&values[1..]) {
        all = all.or(after.minus(*before).minus(least));
    }
    all
}

/// Implementation of packing whole chunks. Not a closure, since closures are not compiled for the
/// instruction set unless they happen to be inlined.
trait Packing: Copy {
    /// Packs values of the layout. May overwrite [`ROOM`] bytes after the result.
    fn pack(self, layout: Layout, bits: &[u8], to: &mut [Slot]);

    /// Returns the smallest difference.
    #[inline(always)]
    fn least<N: Number>(self, chunks: &[[N; CHUNK]]) -> N {
        least(chunks)
    }
}

/// Packs with the kernels of an instruction set.
#[derive(Clone, Copy)]
struct Kernels<const K: usize, S>(S);
impl<const K: usize, S: Packs<K> + Sums<K>> Packing for Kernels<K, S> {
    #[inline(always)]
    fn pack(self, layout: Layout, bits: &[u8], to: &mut [Slot]) {
        self.0.pack_whole(layout, bits, to);
    }

    #[inline(always)]
    fn least<N: Number>(self, chunks: &[[N; CHUNK]]) -> N {
        if S::FINDS_LEAST {
            least(chunks)
        } else {
            least_in_portable_code(chunks)
        }
    }
}

/// Packs with the scalar code of bit packing.
#[derive(Clone, Copy)]
struct Specification<const K: usize>;
impl<const K: usize> Packing for Specification<K> {
    fn pack(self, layout: Layout, bits: &[u8], to: &mut [Slot]) {
        bit_packing::pack_scalar::<K>(layout, bits, to);
    }
}

/// Encodes values of `K` bytes. Returns the length, or `None` if there is not enough room.
#[inline(always)]
pub(super) fn encode<const K: usize, S: Packs<K> + Sums<K>, N: Number>(
    simd: S,
    format: Format,
    values: &[N],
    to: &mut [Slot],
) -> Option<usize> {
    encode_with(Kernels::<K, S>(simd), format, values, to)
}

/// Same as [`encode`], with scalar code.
#[inline(never)]
pub(super) fn encode_scalar<const K: usize, N: Number>(
    format: Format,
    values: &[N],
    to: &mut [Slot],
) -> Option<usize> {
    encode_with(Specification::<K>, format, values, to)
}

#[inline(always)]
fn encode_with<N: Number>(
    packing: impl Packing,
    format: Format,
    values: &[N],
    to: &mut [Slot],
) -> Option<usize> {
    let memory::Lines(aside) = &mut memory::Lines([Slot::uninit(); 8 * KEPT + ROOM]);
    let mut kept = Kept([[N::default(); CHUNK]; KEPT / CHUNK]);
    let (miniblock, miniblocks) = (format.miniblock(), format.miniblocks());
    let mut at = 0;
    for number in header(format, values) {
        at = put(number, to, at)?;
    }
    for block in blocks(format, values) {
        let count = block.len() - 1;
        let fits = count <= KEPT;
        let least = if fits {
            kept.fill(block);
            packing.least(kept.chunks(0..count))
        } else {
            least_of(block)
        };
        at = put(least.zigzag(), to, at)?;
        let widths = at;
        at += miniblocks;
        for width in to.get_mut(widths..at)? {
            width.write(0);
        }
        // Consecutive miniblocks of the same width are packed together, if all differences are
        // kept.
        let (mut start, mut end, mut width) = (0, 0, 0);
        for i in 0.. {
            let next = end..usize::min(end + miniblock, count);
            let next_width = match (next.is_empty(), fits) {
                (true, _) => usize::MAX,
                (_, true) => bits_above(kept.chunks(next.clone()), least).width(),
                (_, false) => bits_above_of(&block[next.start..=next.end], least).width(),
            };
            if next_width != width || !fits {
                let length = (end - start).next_multiple_of(miniblock) / 8 * width;
                let room = to.get_mut(at..).filter(|room| room.len() >= length)?;
                let layout = Layout {
                    width,
                    reference: least.bits(),
                    zigzag: false,
                };
                let mut written = 0;
                while width > 0 && start < end {
                    let part = usize::min(end - start, KEPT);
                    let first = if fits { start } else { 0 };
                    if !fits {
                        kept.fill(&block[start..=start + part]);
                    }
                    let chunks = kept.chunks(first..first + part);
                    pad(&mut chunks.as_flattened_mut()[part..], least);
                    let bits = memory::bytes(chunks.as_flattened());
                    let length = chunks.len() * CHUNK / 8 * width;
                    let room = &mut room[written..];
                    let is_roomy = room.len() >= length + ROOM;
                    // This may overwrite bytes after the result, which are written later.
                    let target = if is_roomy { &mut *room } else { &mut aside[..] };
                    packing.pack(layout, bits, target);
                    if !is_roomy {
                        room[..length].copy_from_slice(&aside[..length]);
                    }
                    written += length;
                    start += part;
                }
                for padding in &mut room[written..length] {
                    padding.write(0);
                }
                at += length;
                (start, width) = (end, next_width);
            }
            if next.is_empty() {
                break;
            }
            to[widths + i].write(width as u8);
            end = next.end;
        }
    }
    Some(at)
}

/// Returns the number of bytes that [`encode`] writes.
pub(super) fn encoded_len<N: Number>(format: Format, values: &[N]) -> usize {
    let mut length = header(format, values).each(length).iter().sum();
    for block in blocks(format, values) {
        let least = least_of(block);
        length += self::length(least.zigzag()) + format.miniblocks();
        for start in (0..block.len() - 1).step_by(format.miniblock()) {
            let end = usize::min(start + format.miniblock(), block.len() - 1);
            let width = bits_above_of(&block[start..=end], least).width();
            length += format.miniblock() / 8 * width;
        }
    }
    length
}

/// Returns the values of each block, preceded by the last value of the block before.
#[inline(always)]
fn blocks<N>(format: Format, values: &[N]) -> impl Iterator<Item = &[N]> {
    let last = values.len().saturating_sub(1);
    let starts = (0..last).step_by(format.block());
    starts.map(move |start| &values[start..=usize::min(start + format.block(), last)])
}

/// Returns the numbers of the header.
fn header<N: Number>(format: Format, values: &[N]) -> [u64; 4] {
    // Without values, the first value is 0.
    let first = values.first().copied().unwrap_or_default().zigzag();
    let sizes = [format.block(), format.miniblocks(), values.len()];
    let [block, miniblocks, count] = sizes.each(|size| size as u64);
    [block, miniblocks, count, first]
}

/// Returns the length of a varint.
fn length(number: u64) -> usize {
    (64 - (number | 1).leading_zeros()).div_ceil(7) as usize
}

/// Writes a varint. Returns the offset after it, or `None` if there is not enough room.
#[inline(never)]
fn put(number: u64, to: &mut [Slot], at: usize) -> Option<usize> {
    let mut bytes = [0; 10];
    let length = varint::write(number, &mut bytes).ok()?;
    copy(to.get_mut(at..at + length)?, &bytes[..length]);
    Some(at + length)
}
