//! The algorithm for instruction sets without larger shuffles, compiled once for each width.
#![forbid(unsafe_code)]

use super::width::{Bits, Width};
use crate::codec::bit_packing::few::pack_few;
use crate::codec::bit_packing::{Layout, PackAt, to_ne_bytes};
use crate::memory::{Lines, Slot};

/// Fewer values than this are packed one by one.
const FEW: usize = 16;

/// Packs values of `K` bytes. Returns whether all values fit.
#[inline(always)]
pub(crate) fn pack<const K: usize, S: PackAt<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    if src.len() < FEW * K {
        pack_few::<K>(layout, src, dst)
    } else if layout.zigzag {
        pack_zigzag::<K, S>(simd, layout, src, dst)
    } else {
        dispatch::<K, S>(simd, layout, src, dst)
    }
}

/// Calls the function of a width.
#[inline(always)]
fn dispatch<const K: usize, S: PackAt<K>>(
    simd: S,
    layout: Layout,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    macro_rules! widths {
        ($($width:literal)*) => {
            match layout.width {
                // The condition is a constant, so that no type has the functions of others.
                $($width => {
                    if const { $width <= 8 * K } {
                        simd.pack_at::<Bits<$width>>(layout.reference, src, dst)
                    } else {
                        true
                    }
                })*
                _ => true,
            }
        };
    }
    widths! {
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62
        63 64
    }
}

/// Packs values of one width.
#[inline(always)]
pub(super) fn pack_at<const K: usize, S: PackAt<K>, W: Width>(
    simd: S,
    reference: u64,
    src: &[u8],
    dst: &mut [Slot],
) -> bool {
    let mut bits = simd.bits(reference);
    let block = K * W::VALUES;
    let (mut from, mut to) = (0, 0);
    while from + block <= src.len() && to + W::STRIDE <= dst.len() {
        let (block, room) = (&src[from..from + block], &mut dst[to..to + W::STRIDE]);
        simd.pack::<W>(&mut bits, block, room);
        (from, to) = (from + block.len(), to + W::STRIDE);
    }
    let fit = simd.all_fit::<W>(&bits);
    if from == src.len() {
        return fit;
    }
    let layout = Layout {
        width: W::BITS,
        reference,
        zigzag: false,
    };
    pack_few::<K>(layout, &src[from..], &mut dst[to..]) && fit
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
        fit &= dispatch::<K, S>(simd, layout.of_bits(), bits, &mut dst[to..]);
        to += 16 * layout.width;
    }
    fit
}
