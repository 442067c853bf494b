//! Parquet's RLE/bit-packing hybrid.

use crate::buffers::both;
use crate::result::*;
use bytelane::rle_hybrid::{ErrorKind, Format, Integer, bits};
use bytelane::{DestinationError, Detected};

/// Returns the maximum number of bytes that `count` values of `width` bits take: `SIZE_MAX` if it
/// does not fit in a `size_t` or the width is above 32. For bits, the width is 1.
#[unsafe(no_mangle)]
pub extern "C" fn bytelane_rle_hybrid_max_encoded_length(width: u32, count: usize) -> usize {
    let format = Format::<u32>::new(width);
    format.map_or(usize::MAX, |format| format.max_encoded_len(count))
}

/// Encodes `count` values of `width` bits each. `dst` only needs room for the result. Bytes of
/// `dst` after the result may be overwritten.
///
/// Fails with `BYTELANE_INVALID_VALUE` if a value does not fit the width; `offset` is then that of
/// its first byte in memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_rle_hybrid_encode_u8(
    width: u32,
    values: *const u8,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(width, (values, count), (dst, dst_length)) }
}

/// Same as `bytelane_rle_hybrid_encode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_rle_hybrid_encode_u16(
    width: u32,
    values: *const u16,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(width, (values, count), (dst, dst_length)) }
}

/// Same as `bytelane_rle_hybrid_encode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_rle_hybrid_encode_u32(
    width: u32,
    values: *const u32,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(width, (values, count), (dst, dst_length)) }
}

/// Decodes `count` values of `width` bits each from the front of `src`, which may be longer:
/// `offset` is the number of bytes read, up to the end of the last run.
///
/// Fails with `BYTELANE_TRUNCATED`, `BYTELANE_INVALID_VALUE` (a repeated value that does not fit
/// the width) or `BYTELANE_MALFORMED` (a run without values, or with 2^31 or more).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_rle_hybrid_decode_u8(
    width: u32,
    src: *const u8,
    src_length: usize,
    values: *mut u8,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode(width, (src, src_length), (values, count)) }
}

/// Same as `bytelane_rle_hybrid_decode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_rle_hybrid_decode_u16(
    width: u32,
    src: *const u8,
    src_length: usize,
    values: *mut u16,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode(width, (src, src_length), (values, count)) }
}

/// Same as `bytelane_rle_hybrid_decode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_rle_hybrid_decode_u32(
    width: u32,
    src: *const u8,
    src_length: usize,
    values: *mut u32,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode(width, (src, src_length), (values, count)) }
}

/// Encodes the first `count` bits of a bitmap as values of one bit, least significant bit of each
/// byte first. `offset` is the number of bytes read.
///
/// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_rle_hybrid_encode_bits(
    bitmap: *const u8,
    bitmap_length: usize,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `both` requires.
        let (bitmap, dst) = unsafe { both((bitmap, bitmap_length), (dst, dst_length)) }?;
        if count.div_ceil(8) > bitmap.len() {
            return Err(BYTELANE_RANGE.into());
        }
        // The core would detect this only after writing.
        if dst.len() < bits::max_encoded_len(count) {
            check_room(dst.len(), bits::encoded_len(bitmap, count))?;
        }
        let written = bits::encode_with(Detected::active(), bitmap, count, dst)?;
        Ok(bytelane_result::ok(count.div_ceil(8), written.len()))
    })
}

/// Decodes `count` values of one bit to the bits of a bitmap, which needs one byte for eight
/// values. The remaining bits of the last byte become zeros. `offset` is the number of bytes read.
///
/// Fails in the same cases as `bytelane_rle_hybrid_decode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_rle_hybrid_decode_bits(
    src: *const u8,
    src_length: usize,
    count: usize,
    bitmap: *mut u8,
    bitmap_length: usize,
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `both` requires.
        let (src, bitmap) = unsafe { both((src, src_length), (bitmap, bitmap_length)) }?;
        let (bitmap, read) = bits::decode_with(Detected::active(), src, count, bitmap)?;
        Ok(bytelane_result::ok(read, bitmap.len()))
    })
}

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn encode<T: Integer>(
    width: u32,
    values: (*const T, usize),
    dst: (*mut u8, usize),
) -> bytelane_result {
    catching(|| {
        let format = Format::<T>::new(width).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `both` requires.
        let (values, dst) = unsafe { both(values, dst) }?;
        // The core would detect this only after writing.
        if dst.len() < format.max_encoded_len(values.len()) {
            check_room(dst.len(), format.encoded_len(values))?;
        }
        let written = format.encode_with(Detected::active(), values, dst)?;
        Ok(bytelane_result::ok(values.len(), written.len()))
    })
}

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn decode<T: Integer>(
    width: u32,
    src: (*const u8, usize),
    values: (*mut T, usize),
) -> bytelane_result {
    catching(|| {
        let format = Format::<T>::new(width).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `both` requires.
        let (src, values) = unsafe { both(src, values) }?;
        let (values, read) = format.decode_with(Detected::active(), src, values)?;
        Ok(bytelane_result::ok(read, values.len()))
    })
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
