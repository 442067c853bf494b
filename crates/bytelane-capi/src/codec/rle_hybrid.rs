//! Parquet's RLE/bit-packing hybrid.

use crate::exports::exports;
use crate::result::*;
use bytelane::rle_hybrid::{ErrorKind, Format, Integer, bits};
use bytelane::{DestinationError, Detected};
use core::mem::MaybeUninit;

/// Returns the maximum number of bytes that `count` values of `width` bits take: `SIZE_MAX` if it
/// does not fit in a `size_t` or the width is above 32. For bits, the width is 1.
#[unsafe(no_mangle)]
pub extern "C" fn bytelane_rle_hybrid_max_encoded_length(width: u32, count: usize) -> usize {
    let format = Format::<u32>::new(width);
    format.map_or(usize::MAX, |format| format.max_encoded_len(count))
}

exports! {
    encode(width: u32; values: [T; count];; dst: [u8; dst_length]) {
        /// Encodes `count` values of `width` bits each. `dst` only needs room for the result. Bytes of
        /// `dst` after the result may be overwritten.
        ///
        /// Fails with `BYTELANE_INVALID_VALUE` if a value does not fit the width; `offset` is then that of
        /// its first byte in memory.
        bytelane_rle_hybrid_encode_u8<u8>;
        /// Same as `bytelane_rle_hybrid_encode_u8`.
        bytelane_rle_hybrid_encode_u16<u16>;
        /// Same as `bytelane_rle_hybrid_encode_u8`.
        bytelane_rle_hybrid_encode_u32<u32>;
    }

    decode(width: u32; src: [u8; src_length];; values: [T; count]) {
        /// Decodes `count` values of `width` bits each from the front of `src`, which may be longer:
        /// `offset` is the number of bytes read, up to the end of the last run.
        ///
        /// Fails with `BYTELANE_TRUNCATED`, `BYTELANE_INVALID_VALUE` (a repeated value that does not fit
        /// the width) or `BYTELANE_MALFORMED` (a run without values, or with 2^31 or more).
        bytelane_rle_hybrid_decode_u8<u8>;
        /// Same as `bytelane_rle_hybrid_decode_u8`.
        bytelane_rle_hybrid_decode_u16<u16>;
        /// Same as `bytelane_rle_hybrid_decode_u8`.
        bytelane_rle_hybrid_decode_u32<u32>;
    }

    encode_bits(; bitmap: [u8; bitmap_length]; count: usize; dst: [u8; dst_length]) {
        /// Encodes the first `count` bits of a bitmap as values of one bit, least significant bit of each
        /// byte first. `offset` is the number of bytes read.
        ///
        /// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits.
        bytelane_rle_hybrid_encode_bits;
    }

    decode_bits(; src: [u8; src_length]; count: usize; bitmap: [u8; bitmap_length]) {
        /// Decodes `count` values of one bit to the bits of a bitmap, which needs one byte for eight
        /// values. The remaining bits of the last byte become zeros. `offset` is the number of bytes read.
        ///
        /// Fails in the same cases as `bytelane_rle_hybrid_decode_u8`.
        bytelane_rle_hybrid_decode_bits;
    }
}

fn encode_bits(bitmap: &[u8], count: usize, dst: &mut [MaybeUninit<u8>]) -> Answer {
    if count.div_ceil(8) > bitmap.len() {
        return Err(BYTELANE_RANGE.into());
    }
    let most = bits::max_encoded_len(count);
    check_room(dst.len(), most, || bits::encoded_len(bitmap, count))?;
    let written = bits::encode_with(Detected::active(), bitmap, count, dst)?;
    Ok(bytelane_result::ok(count.div_ceil(8), written.len()))
}

fn decode_bits(src: &[u8], count: usize, bitmap: &mut [MaybeUninit<u8>]) -> Answer {
    let (bitmap, read) = bits::decode_with(Detected::active(), src, count, bitmap)?;
    Ok(bytelane_result::ok(read, bitmap.len()))
}

#[inline(always)]
fn encode<T: Integer>(width: u32, values: &[T], dst: &mut [MaybeUninit<u8>]) -> Answer {
    let format = Format::<T>::new(width).ok_or(BYTELANE_ARGUMENT)?;
    let most = format.max_encoded_len(values.len());
    check_room(dst.len(), most, || format.encoded_len(values))?;
    let written = format.encode_with(Detected::active(), values, dst)?;
    Ok(bytelane_result::ok(values.len(), written.len()))
}

#[inline(always)]
fn decode<T: Integer>(width: u32, src: &[u8], values: &mut [MaybeUninit<T>]) -> Answer {
    let format = Format::<T>::new(width).ok_or(BYTELANE_ARGUMENT)?;
    let (values, read) = format.decode_with(Detected::active(), src, values)?;
    Ok(bytelane_result::ok(read, values.len()))
}

impl Kind for ErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        Ok(match self {
            Self::Destination(error) => return Err(error),
            Self::Truncated => BYTELANE_TRUNCATED,
            Self::Value { .. } => BYTELANE_INVALID_VALUE,
            Self::Range { .. } => BYTELANE_RANGE,
            _ => BYTELANE_MALFORMED,
        })
    }
}
