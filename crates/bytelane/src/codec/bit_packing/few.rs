//! Both directions for a few values, which do not justify a plan: with AVX2, eight values took 30
//! to 65 ns with a plan and 6 to 45 ns without. `FEW` is the limit of each instruction set;
//! AVX-512, which has masks, uses no such limit (5 to 6 ns).
#![forbid(unsafe_code)]

use super::layout::Layout;
use crate::memory::{Slot, pair, put_pair, write};
use crate::simd::{window, window_mut};

/// Packs values in a register. Returns whether all of them fit. It is a separate function that all
/// instruction sets share.
#[inline(never)]
pub(super) fn pack_few<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool {
    let values = src.as_chunks::<K>().0;
    let (mut pending, mut count, mut at, mut seen) = (0, 0, 0, 0);
    let mut put = |bits: u64, width: usize| {
        pending |= bits << count;
        count += width;
        if count >= 64 {
            write::<8>(window_mut(dst, at), pending.to_le_bytes());
            count -= 64;
            at += 8;
            pending = bits >> 1 >> (width - count - 1);
        }
    };
    // Eight narrow values are joined first, so that they do not wait for each other.
    let (groups, rest) = match layout.width {
        0..=8 if !layout.zigzag => values.as_chunks::<8>(),
        _ => (&[][..], values),
    };
    let plain = Layout {
        zigzag: false,
        ..layout
    };
    for group in groups {
        let mut joined = 0;
        for i in 0..8 {
            let bits = plain.to_bits(group[i]);
            seen |= bits;
            joined |= bits << (i * layout.width);
        }
        put(joined, 8 * layout.width);
    }
    for &value in rest {
        let bits = layout.to_bits(value);
        seen |= bits;
        put(bits, layout.width);
    }
    put_pair(&mut dst[at..], [pending, 0]);
    seen & !layout.mask() == 0
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
