//! Unpacking with code for each width: shuffles, shifts and masks are constants, so nothing is
//! prepared, and eight values are enough to use it.
//!
//! # Policy
//!
//! The code is written once, for any width. `places` computes where the values of a width lie while
//! it is compiled, which makes a function of each width: 240 of them, 80 kB in all. So only bits
//! without a mapping have them, the most frequent layout; a reference, zigzag and the other codecs
//! use the plans of `arch`.
//!
//! ```text
//! units     of up to 32 values, until less than one is left
//! groups    of eight values, until less than one is left
//! rest      up to seven values, one by one
//! ```
//!
//! # Invariants
//!
//! - Eight values take `width` bytes, so groups and units begin and end at byte boundaries on both
//!   sides.
//! - No load leaves the bytes of its unit or group. One that would begins earlier, and its shuffle
//!   takes that into account. If they have less than 16 bytes, all of them are read as one number.
//!   So the last values need no copy.
//!
//! # Measurements
//!
//! Compared with the plans, 32 values take 0.3 to 0.6 of the time, and 2048 take 0.3 to 0.9 (Zen 4).
//! See `docs/lab-notes/bit-packing.md`.

#[cfg(feature = "avx2")]
mod avx2;
mod places;
mod sse41;

use super::few::unpack_few;
use super::layout::Layout;
use super::width::Width;
use crate::memory::Slot;
use places::{Means, Places};

/// Steps of an instruction set, for values of `K` bytes.
pub(crate) trait UnpackGroups<const K: usize>: Copy {
    /// Number of bytes of a register.
    const VECTOR: usize;

    /// Unpacks a unit: [`groups`] of eight values.
    fn unpack_unit<W: Width>(self, from: &[u8], to: &mut [Slot]);

    /// Unpacks eight values.
    fn unpack_group<W: Width>(self, from: &[u8], to: &mut [Slot]);
}

/// Returns the number of groups of a unit, for values of `size` bytes in registers of `vector`: those
/// of four registers, or more if a group has less than 16 packed bytes.
const fn groups(size: usize, width: usize, vector: usize) -> usize {
    match size {
        1 | 2 => 4,
        _ if width < 16 => 16 / size,
        _ => vector / (2 * size),
    }
}

/// Unpacks values of `K` bytes, of width `W` and without a mapping. The layout is that; it is not read,
/// but passed on as it came.
#[inline(always)]
pub(crate) fn unpack_width<const K: usize, S: UnpackGroups<K>, W: Width>(
    simd: S,
    layout: Layout,
    mut src: &[u8],
    mut dst: &mut [Slot],
) {
    let groups = const { groups(K, W::BITS, S::VECTOR) };
    let [packed, unpacked] = [groups * W::BITS, groups * 8 * K];
    while groups > 1 && src.len() >= packed && dst.len() >= unpacked {
        let (from, to);
        (from, src) = src.split_at(packed);
        (to, dst) = dst.split_at_mut(unpacked);
        simd.unpack_unit::<W>(from, to);
    }
    while src.len() >= W::BITS && dst.len() >= 8 * K {
        let (from, to);
        (from, src) = src.split_at(W::BITS);
        (to, dst) = dst.split_at_mut(8 * K);
        simd.unpack_group::<W>(from, to);
    }
    if !dst.is_empty() {
        unpack_last::<K>(layout, src, dst);
    }
}

/// Unpacks up to seven values. It is a separate function that all widths share.
#[inline(never)]
fn unpack_last<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) {
    unpack_few::<K>(layout, src, dst);
}
