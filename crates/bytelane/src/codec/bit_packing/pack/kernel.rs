//! The algorithm for instruction sets without larger shuffles, compiled once for each width.
#![forbid(unsafe_code)]

use super::width::{Bits, Width, values};
use crate::codec::bit_packing::few::pack_few;
use crate::codec::bit_packing::{Layout, PackAt, to_ne_bytes};
use crate::memory::{Lines, Slot};

/// Function for blocks of one width.
type Pack<S> = fn(S, u64, &[u8], &mut [Slot]) -> bool;

/// Packs values of `K` bytes. Returns whether all values fit.
#[inline(always)]
pub(crate) fn pack<const K: usize, S: PackAt<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    if src.len() < K * values(layout.width) {
        pack_few::<K>(layout, src, dst)
    } else if layout.zigzag {
        pack_zigzag::<K, S>(simd, layout, src, dst)
    } else {
        pack_blocks::<K, S>(simd, layout, src, dst)
    }
}

/// Packs at least one block of values.
#[inline(always)]
fn pack_blocks<const K: usize, S: PackAt<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let Layout {
        width, reference, ..
    } = layout;
    let pack = at::<K, S>(width);
    // A group of eight values takes `width` bytes. Both sizes are powers of two.
    let (block, group) = (K * values(width), K * 8);
    let whole = src.len() & block.wrapping_neg();
    let mut fit = pack(
        simd,
        reference,
        &src[..whole],
        &mut dst[..whole / group * width],
    );
    if whole == src.len() {
        return fit;
    }
    let groups = src.len() & group.wrapping_neg();
    let (src, rest) = src.split_at(groups);
    let (dst, room) = dst.split_at_mut(groups / group * width);
    if whole < groups {
        // Some groups before them are packed again.
        let from = groups - block;
        fit &= pack(
            simd,
            reference,
            &src[from..],
            &mut dst[from / group * width..],
        );
    }
    if !rest.is_empty() {
        fit &= pack_few::<K>(layout, rest, room);
    }
    fit
}

/// Returns the function of a width.
#[inline(always)]
fn at<const K: usize, S: PackAt<K>>(width: usize) -> Pack<S> {
    macro_rules! widths {
        ($($width:literal)*) => {
            match width {
                // The condition is a constant, so that no type has the functions of others.
                $($width => {
                    if const { Bits::<$width>::BYTES <= K } {
                        S::pack_at::<Bits<$width>>
                    } else {
                        are_equal::<K, S>
                    }
                })*
                _ => are_equal::<K, S>,
            }
        };
    }
    widths! {
        1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62
        63 64
    }
}

/// Returns whether the values of whole blocks fit a width of 0.
#[inline(never)]
fn are_equal<const K: usize, S>(_: S, reference: u64, src: &[u8], _: &mut [Slot]) -> bool {
    let reference: [u8; K] = to_ne_bytes(reference);
    let all = u64::from_ne_bytes(core::array::from_fn(|i| reference[i % K]));
    let mut different = 0;
    for eight in src.as_chunks().0 {
        different |= u64::from_ne_bytes(*eight) ^ all;
    }
    different == 0
}

/// Packs blocks of values of one width.
#[inline(always)]
pub(super) fn pack_at<const K: usize, S: PackAt<K>, W: Width>(
    simd: S,
    reference: u64,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let mut bits = simd.bits(reference);
    let blocks = src.chunks_exact(K * W::VALUES);
    for (block, to) in blocks.zip(dst.chunks_exact_mut(W::STRIDE)) {
        simd.pack::<W>(&mut bits, block, to);
    }
    simd.all_fit::<W>(&bits)
}

/// Packs values by zigzag, which are mapped first, a whole number of blocks at a time.
fn pack_zigzag<const K: usize, S: PackAt<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let Lines(mapped) = &mut Lines([[0; K]; 128]);
    let (mut fit, mut to) = (true, 0);
    for values in src.as_chunks::<K>().0.chunks(128) {
        for (mapped, value) in mapped.iter_mut().zip(values) {
            *mapped = to_ne_bytes(layout.to_bits(*value));
        }
        let bits = mapped[..values.len()].as_flattened();
        let length = layout.bytes(values.len()).unwrap_or(usize::MAX);
        let room = &mut dst[to..to + length];
        fit &= pack::<K, S>(simd, layout.of_bits(), bits, room);
        to += length;
    }
    fit
}
