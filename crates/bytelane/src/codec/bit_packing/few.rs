//! Both directions for a few values, which do not justify a plan: with AVX2, eight values took 30
//! to 65 ns with a plan and 6 to 45 ns without. `FEW` is the limit of each instruction set;
//! AVX-512, which has masks, uses no such limit (5 to 6 ns).
#![forbid(unsafe_code)]

use super::layout::Layout;
use crate::memory::{Slot, pair, put_pair, write};
use crate::simd::{window, window_mut};

/// Packs a few values: those of up to 8 bits in groups of eight, unless their type has 8 bytes; all others
/// one by one. Returns whether all of them fit. It is a separate function that all instruction sets share.
#[inline(never)]
pub(super) fn pack_few<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool {
    let mut values = src.as_chunks::<K>().0;
    let (mut pending, mut count, mut at, mut seen) = (0, 0, 0, 0);
    if K < 8 && layout.width <= 8 {
        let (groups, rest) = values.as_chunks();
        for group in groups {
            let (number, bits) = joined(layout, group);
            put_pair(&mut dst[at..], [number, 0]);
            seen |= bits;
            at += layout.width;
        }
        values = rest;
    }
    for &value in values {
        let bits = layout.to_bits(value);
        seen |= bits;
        pending |= bits << count;
        count += layout.width;
        if count >= 64 {
            write::<8>(window_mut(dst, at), pending.to_le_bytes());
            count -= 64;
            at += 8;
            pending = bits >> 1 >> (layout.width - count - 1);
        }
    }
    put_pair(&mut dst[at..], [pending, 0]);
    seen & !layout.mask() == 0
}

/// Joins eight values of up to 8 bits to one number. Returns it, and the bits of all of them.
#[inline(always)]
fn joined<const K: usize>(layout: Layout, group: &[[u8; K]; 8]) -> (u64, u64) {
    let (mut bits, mut seen) = ([0; 8], 0);
    for i in 0..8 {
        bits[i] = layout.to_bits(group[i]);
        seen |= bits[i];
    }
    let width = layout.width;
    let pair = |i: usize| bits[2 * i] | bits[2 * i + 1] << width;
    let four = |i: usize| pair(2 * i) | pair(2 * i + 1) << (2 * width);
    (four(0) | four(1) << (4 * width), seen)
}

/// Unpacks values one by one.
#[inline(always)]
pub(super) fn unpack_few<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) {
    let values = dst.as_chunks_mut::<K>().0;
    let Some(last) = src.len().checked_sub(8) else {
        let [mut bits, _] = pair(src);
        for value in values {
            write(value, layout.value_of(bits & layout.mask()));
            bits >>= layout.width;
        }
        return;
    };
    let mut bit = 0;
    for value in values {
        let at = usize::min(bit / 8, last);
        let shift = bit - 8 * at;
        let mut bits = u64::from_le_bytes(*window(src, at)) >> shift;
        if shift + layout.width > 64 {
            bits |= u64::from(src[at + 8]) << (64 - shift);
        }
        write(value, layout.value_of(bits & layout.mask()));
        bit += layout.width;
    }
}
