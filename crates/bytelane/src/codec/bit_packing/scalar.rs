//! The specification as code: parquet-format, `Encodings.md`, "RLE/Bit-Packing Hybrid".
//!
//! > The values are packed from the least significant bit of each byte to the most significant bit,
//! > though the order of the bits in each value remains in the usual order of most significant to
//! > least significant.
#![forbid(unsafe_code)]

use super::layout::Layout;
use crate::memory::{Slot, write};

/// Unpacks values. Value `i` starts at bit `i * width` of the bytes taken as one little-endian
/// number.
#[inline(never)]
pub(super) fn unpack<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) {
    unpack_from::<K>(layout, src, 0, dst);
}

/// Unpacks the values from number `first` on.
pub(super) fn unpack_from<const K: usize>(
    layout: Layout,
    src: &[u8],
    first: usize,
    dst: &mut [Slot],
) {
    let (values, _) = dst.as_chunks_mut::<K>();
    for (i, value) in values.iter_mut().enumerate() {
        write(value, layout.value_of(read(layout, src, first + i)));
    }
}

/// Returns the bits of value `i`.
#[inline]
pub(crate) fn read(layout: Layout, src: &[u8], i: usize) -> u64 {
    // Eight values end at a byte boundary.
    let (start, bit) = (i / 8 * layout.width, i % 8 * layout.width);
    let bytes = &src[start + bit / 8..start + (bit + layout.width).div_ceil(8)];
    let number = bytes.iter().rev();
    let number = number.fold(0u128, |number, &byte| number << 8 | u128::from(byte));
    (number >> (bit % 8)) as u64 & layout.mask()
}

/// Packs values; the unused bits of the last byte are zeros. Returns whether all values fit.
#[inline(never)]
pub(crate) fn pack<const K: usize>(layout: Layout, src: &[u8], dst: &mut [Slot]) -> bool {
    let (mut pending, mut count, mut at) = (0u128, 0, 0);
    let mut beyond = 0;
    for &value in src.as_chunks::<K>().0 {
        let bits = layout.to_bits(value);
        beyond |= bits & !layout.mask();
        pending |= u128::from(bits & layout.mask()) << count;
        count += layout.width;
        while count >= 8 {
            dst[at].write(pending as u8);
            (pending, count, at) = (pending >> 8, count - 8, at + 1);
        }
    }
    if count > 0 {
        dst[at].write(pending as u8);
    }
    beyond == 0
}

/// Returns the number of the first value that does not fit.
#[cold]
pub(super) fn first_beyond<const K: usize>(layout: Layout, src: &[u8]) -> Option<usize> {
    let (values, _) = src.as_chunks::<K>();
    let beyond = |&value: &[u8; K]| layout.to_bits(value) & !layout.mask() != 0;
    values.iter().position(beyond)
}
