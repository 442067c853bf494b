//! Encoding, shared by all instruction sets, which differ in how they pack bits: the compiler
//! vectorises the rest.
#![forbid(unsafe_code)]

use super::{Format, Number};
use crate::codec::bit_packing::{self, Layout, Pack, Unpack};
use crate::codec::varint;
use crate::memory::{self, Slot, copy};

/// Differences that are packed at a time.
const BATCH: usize = 256;

/// Encodes values of `K` bytes with the kernels of an instruction set. Returns the length, or
/// nothing if there is not enough room.
#[inline(always)]
pub(super) fn encode<const K: usize, S: Unpack<K> + Pack<K> + Pack<1>, N: Number>(
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
    let (mut previous, rest) = split_first(values);
    let mut at = 0;
    for number in header(format, values) {
        at = put(number, to, at)?;
    }
    for block in rest.chunks(format.block()) {
        let least = least(previous, block);
        at = put(least.zigzag(), to, at)?;
        let widths = at;
        at += format.miniblocks();
        for width in to.get_mut(widths..at)? {
            width.write(0);
        }
        for (i, miniblock) in block.chunks(format.miniblock()).enumerate() {
            let width = width(previous, least, miniblock);
            to[widths + i].write(width as u8);
            let layout = Layout {
                width,
                reference: 0,
                zigzag: false,
            };
            let end = at + format.miniblock() / 8 * width;
            let mut room = to.get_mut(at..end)?;
            for batch in miniblock.chunks(BATCH) {
                let mut bits = [N::default(); BATCH];
                differences(previous, batch, least, &mut bits);
                previous = batch[batch.len() - 1];
                // Whole groups of eight, which are whole bytes; the rest of them are zeros.
                let bits = &bits[..batch.len().next_multiple_of(8)];
                let (now, later) = room.split_at_mut(bits.len() / 8 * width);
                pack(layout, memory::bytes(bits), now);
                room = later;
            }
            for padding in room {
                padding.write(0);
            }
            at = end;
        }
    }
    Some(at)
}

/// The number of bytes that [`encode`] writes.
pub(super) fn encoded_len<N: Number>(format: Format, values: &[N]) -> usize {
    let (mut previous, rest) = split_first(values);
    let mut length = header(format, values).map(length).iter().sum();
    for block in rest.chunks(format.block()) {
        let least = least(previous, block);
        length += self::length(least.zigzag()) + format.miniblocks();
        for miniblock in block.chunks(format.miniblock()) {
            length += format.miniblock() / 8 * width(previous, least, miniblock);
            previous = miniblock[miniblock.len() - 1];
        }
    }
    length
}

/// The first value, which is stored as it is, and the others. No values begin with 0.
fn split_first<N: Number>(values: &[N]) -> (N, &[N]) {
    match values {
        [] => (N::default(), &[]),
        [first, rest @ ..] => (*first, rest),
    }
}

/// The numbers of the header.
fn header<N: Number>(format: Format, values: &[N]) -> [u64; 4] {
    let first = split_first(values).0.zigzag();
    let sizes = [format.block(), format.miniblocks(), values.len()];
    let [block, miniblocks, count] = sizes.map(|size| size as u64);
    [block, miniblocks, count, first]
}

/// The length of a varint.
fn length(number: u64) -> usize {
    (64 - (number | 1).leading_zeros()).div_ceil(7) as usize
}

/// Writes a varint; returns the offset after it, or nothing if there is not enough room.
#[inline]
fn put(number: u64, to: &mut [Slot], at: usize) -> Option<usize> {
    let mut bytes = [0; 10];
    let length = varint::write(number, &mut bytes).ok()?;
    copy(to.get_mut(at..at + length)?, &bytes[..length]);
    Some(at + length)
}

/// The smallest difference of a block, as a signed number.
#[inline(always)]
fn least<N: Number>(previous: N, block: &[N]) -> N {
    let mut least = block[0].minus(previous);
    for i in 1..block.len() {
        least = N::min(least, block[i].minus(block[i - 1]));
    }
    least
}

/// The greatest width of the differences of a miniblock from `least`.
#[inline(always)]
fn width<N: Number>(previous: N, least: N, miniblock: &[N]) -> usize {
    let mut all = miniblock[0].minus(previous).minus(least);
    for i in 1..miniblock.len() {
        all = all.or(miniblock[i].minus(miniblock[i - 1]).minus(least));
    }
    all.width()
}

/// The differences of a batch from `least`.
#[inline(always)]
fn differences<N: Number>(previous: N, batch: &[N], least: N, to: &mut [N; BATCH]) {
    to[0] = batch[0].minus(previous).minus(least);
    for i in 1..usize::min(batch.len(), BATCH) {
        to[i] = batch[i].minus(batch[i - 1]).minus(least);
    }
}
