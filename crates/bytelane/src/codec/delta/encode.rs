//! Encoding, shared by all instruction sets, which differ in how they pack bits: the compiler
//! vectorises the rest.
#![forbid(unsafe_code)]

use super::{Format, Number};
use crate::codec::bit_packing::{self, Layout, Pack};
use crate::codec::varint;
use crate::memory::{self, Slot, copy};
use core::ops::Range;

/// Differences that are packed at a time.
const BATCH: usize = 256;

/// The differences of a batch: vectors of them do not cross the lines of the cache.
#[repr(align(64))]
struct Batch<N>([N; BATCH]);

/// Encodes values of `K` bytes with the kernels of an instruction set. Returns the length, or
/// nothing if there is not enough room.
#[inline(always)]
pub(super) fn encode<const K: usize, S: Pack<K> + Pack<1>, N: Number>(
    simd: S,
    format: Format,
    values: &[N],
    to: &mut [Slot],
) -> Option<usize> {
    encode_with(format, values, to, |layout, bits, to| {
        bit_packing::pack_with::<K, S>(simd, layout, bits, to);
    })
}

/// As [`encode`], with the specification of bit packing.
#[inline(never)]
pub(super) fn encode_scalar<const K: usize, N: Number>(
    format: Format,
    values: &[N],
    to: &mut [Slot],
) -> Option<usize> {
    encode_with(format, values, to, |layout, bits, to| {
        bit_packing::pack_scalar::<K>(layout, bits, to);
    })
}

#[inline(always)]
fn encode_with<N: Number>(
    format: Format,
    values: &[N],
    to: &mut [Slot],
    pack: impl Fn(Layout, &[u8], &mut [Slot]),
) -> Option<usize> {
    let mut bits = Batch([N::default(); BATCH]);
    let mut at = 0;
    for number in header(format, values) {
        at = put(number, to, at)?;
    }
    for block in parts(all_differences(values), format.block()) {
        let least = least(values, block.clone());
        at = put(least.zigzag(), to, at)?;
        let widths = at;
        at += format.miniblocks();
        for width in to.get_mut(widths..at)? {
            width.write(0);
        }
        for (i, miniblock) in parts(block, format.miniblock()).enumerate() {
            let width = width(values, miniblock.clone(), least, &mut bits);
            to[widths + i].write(width as u8);
            let layout = Layout {
                width,
                reference: 0,
                zigzag: false,
            };
            let length = format.miniblock() / 8 * width;
            let room = to.get_mut(at..).filter(|room| room.len() >= length)?;
            let mut written = 0;
            let is_there = miniblock.len() <= BATCH;
            // Equal differences take no bytes.
            let packed = if width == 0 { 0..0 } else { miniblock };
            for batch in parts(packed, BATCH) {
                if !is_there {
                    bits_above(values, batch.clone(), least, &mut bits);
                }
                // May overwrite what follows, which is written later: that is faster.
                let bits = memory::bytes(&bits.0[..batch.len()]);
                pack(layout, bits, &mut room[written..]);
                written += (batch.len() * width).div_ceil(8);
            }
            for padding in &mut room[written..length] {
                padding.write(0);
            }
            at += length;
        }
    }
    Some(at)
}

/// The number of bytes that [`encode`] writes.
pub(super) fn encoded_len<N: Number>(format: Format, values: &[N]) -> usize {
    let mut bits = Batch([N::default(); BATCH]);
    let mut length = header(format, values).map(length).iter().sum();
    for block in parts(all_differences(values), format.block()) {
        let least = least(values, block.clone());
        length += self::length(least.zigzag()) + format.miniblocks();
        for miniblock in parts(block, format.miniblock()) {
            length += format.miniblock() / 8 * width(values, miniblock, least, &mut bits);
        }
    }
    length
}

/// Difference `i` is that between values `i` and `i + 1`.
fn all_differences<N>(values: &[N]) -> Range<usize> {
    0..values.len().saturating_sub(1)
}

/// A range in parts of `length`, of which the last one may be shorter.
#[inline(always)]
fn parts(of: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = of.end;
    let starts = of.step_by(length);
    starts.map(move |start| start..usize::min(start + length, end))
}

/// The numbers of the header.
fn header<N: Number>(format: Format, values: &[N]) -> [u64; 4] {
    // No values begin with 0.
    let first = values.first().copied().unwrap_or_default().zigzag();
    let sizes = [format.block(), format.miniblocks(), values.len()];
    let [block, miniblocks, count] = sizes.map(|size| size as u64);
    [block, miniblocks, count, first]
}

/// The length of a varint.
fn length(number: u64) -> usize {
    (64 - (number | 1).leading_zeros()).div_ceil(7) as usize
}

/// Writes a varint; returns the offset after it, or nothing if there is not enough room.
#[inline(never)]
fn put(number: u64, to: &mut [Slot], at: usize) -> Option<usize> {
    let mut bytes = [0; 10];
    let length = varint::write(number, &mut bytes).ok()?;
    copy(to.get_mut(at..at + length)?, &bytes[..length]);
    Some(at + length)
}

/// The values before and after each difference.
#[inline(always)]
fn both<N>(values: &[N], differences: Range<usize>) -> (&[N], &[N]) {
    let Range { start, end } = differences;
    (&values[start..end], &values[start + 1..=end])
}

/// The smallest difference of a block, as a signed number.
#[inline(always)]
fn least<N: Number>(values: &[N], block: Range<usize>) -> N {
    let (before, after) = both(values, block);
    let mut least = after[0].minus(before[0]);
    for i in 0..usize::min(before.len(), after.len()) {
        least = N::min(least, after[i].minus(before[i]));
    }
    least
}

/// The greatest width of the differences of a miniblock from `least`. If it is one batch, leaves
/// them in `bits`.
#[inline(always)]
fn width<N: Number>(values: &[N], miniblock: Range<usize>, least: N, bits: &mut Batch<N>) -> usize {
    // The closures of iterators would not be compiled for the instruction set.
    let mut all = N::default();
    for batch in parts(miniblock, BATCH) {
        all = all.or(bits_above(values, batch, least, bits));
    }
    all.width()
}

/// The differences of a batch from `least`. Returns the bits that occur in any.
#[inline(always)]
fn bits_above<N: Number>(
    values: &[N],
    batch: Range<usize>,
    least: N,
    Batch(to): &mut Batch<N>,
) -> N {
    let (before, after) = both(values, batch);
    let mut all = N::default();
    for ((to, before), after) in to.iter_mut().zip(before).zip(after) {
        *to = after.minus(*before).minus(least);
        all = all.or(*to);
    }
    all
}
