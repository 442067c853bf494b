//! Definition levels, bitmaps, and values with and without their nulls.

use crate::buffers::{both, input, of_width};
use crate::result::*;
use bytelane::validity::{Element, ErrorKind, Format, Level, values};
use bytelane::{DestinationError, Detected, Value};
use core::ffi::c_void;

/// Converts `count` definition levels to a bitmap: one bit for each, set if the level is
/// `max_level`, least significant bit of each byte first. The remaining bits of the last byte
/// become zeros. `bytelane_validity_count_valid` returns the number of valid values.
///
/// Fails with `BYTELANE_INVALID_VALUE` if a level is greater than `max_level`; `offset` is then
/// that of its first byte in memory. `max_level` is 1 to 255.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_validity_encode_u8(
    max_level: u16,
    levels: *const u8,
    count: usize,
    bitmap: *mut u8,
    bitmap_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` levels at `levels`, and room for `bitmap_length` bytes at
    // `bitmap` that nothing else accesses during the call.
    unsafe { encode(max_level, (levels, count), (bitmap, bitmap_length)) }
}

/// Same as `bytelane_validity_encode_u8`; `max_level` is 1 to 32767.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_validity_encode_u16(
    max_level: u16,
    levels: *const u16,
    count: usize,
    bitmap: *mut u8,
    bitmap_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` levels at `levels`, and room for `bitmap_length` bytes at
    // `bitmap` that nothing else accesses during the call.
    unsafe { encode(max_level, (levels, count), (bitmap, bitmap_length)) }
}

/// Converts a bitmap to `count` definition levels: `max_level` for each set bit, and the level
/// below it for the others. `offset` is the number of bytes read.
///
/// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_validity_decode_u8(
    max_level: u16,
    bitmap: *const u8,
    bitmap_length: usize,
    levels: *mut u8,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `bitmap_length` bytes at `bitmap`, and room for `count` levels at
    // `levels` that nothing else accesses during the call.
    unsafe { decode(max_level, (bitmap, bitmap_length), (levels, count)) }
}

/// Same as `bytelane_validity_decode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_validity_decode_u16(
    max_level: u16,
    bitmap: *const u8,
    bitmap_length: usize,
    levels: *mut u16,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `bitmap_length` bytes at `bitmap`, and room for `count` levels at
    // `levels` that nothing else accesses during the call.
    unsafe { decode(max_level, (bitmap, bitmap_length), (levels, count)) }
}

/// Counts the set bits among the first `places` of a bitmap: `count` is the number of valid values.
///
/// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_validity_count_valid(
    bitmap: *const u8,
    bitmap_length: usize,
    places: usize,
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `input` requires.
        let bitmap = unsafe { input(bitmap, bitmap_length) }?;
        let valid = values::count_valid(bitmap, places)?;
        Ok(bytelane_result::ok(places.div_ceil(8), valid))
    })
}

/// Spreads values of `width` bytes, 1, 2, 4 or 8, over `places` positions: those whose bit is set
/// get the next value, the others become zeros. `offset` is the number of values read.
///
/// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits than there are positions; with
/// `BYTELANE_MALFORMED` if the number of values differs from the number of set bits, in which case
/// values may have been written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_validity_spread(
    dense: *const c_void,
    dense_count: usize,
    width: usize,
    bitmap: *const u8,
    bitmap_length: usize,
    values: *mut c_void,
    places: usize,
) -> bytelane_result {
    let bitmap = (bitmap, bitmap_length);
    of_width!(
        width,
        spread((dense.cast(), dense_count), bitmap, (values.cast(), places))
    )
}

/// Compacts `places` values of `width` bytes, 1, 2, 4 or 8: moves those whose bit is set to the
/// front of `dense`. `offset` is the number of positions, `count` the number of values written.
/// Values of `dense` after them may be overwritten.
///
/// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits than there are positions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_validity_compact(
    values: *const c_void,
    places: usize,
    width: usize,
    bitmap: *const u8,
    bitmap_length: usize,
    dense: *mut c_void,
    dense_room: usize,
) -> bytelane_result {
    let bitmap = (bitmap, bitmap_length);
    of_width!(
        width,
        compact((values.cast(), places), bitmap, (dense.cast(), dense_room))
    )
}

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn encode<T: Level>(
    max_level: u16,
    levels: (*const T, usize),
    bitmap: (*mut u8, usize),
) -> bytelane_result {
    catching(|| {
        let format = Format::<T>::new(max_level).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `both` requires.
        let (levels, bitmap) = unsafe { both(levels, bitmap) }?;
        let (written, _) = format.encode_with(Detected::active(), levels, bitmap)?;
        Ok(bytelane_result::ok(levels.len(), written.len()))
    })
}

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn decode<T: Level>(
    max_level: u16,
    bitmap: (*const u8, usize),
    levels: (*mut T, usize),
) -> bytelane_result {
    catching(|| {
        let format = Format::<T>::new(max_level).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `both` requires.
        let (bitmap, levels) = unsafe { both(bitmap, levels) }?;
        let (levels, read) = format.decode_with(Detected::active(), bitmap, levels)?;
        Ok(bytelane_result::ok(read, levels.len()))
    })
}

/// # Safety
///
/// The same as [`both`], with either of the inputs.
#[inline(always)]
unsafe fn spread<T: Element + Value>(
    dense: (*const T, usize),
    bitmap: (*const u8, usize),
    to: (*mut T, usize),
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `both` requires. The destination is not used.
        let (bitmap, _) = unsafe { both(bitmap, to) }?;
        // SAFETY: the caller promises what `both` requires.
        let (dense, to) = unsafe { both(dense, to) }?;
        let written = values::spread_with(Detected::active(), dense, bitmap, to)?;
        Ok(bytelane_result::ok(dense.len(), written.len()))
    })
}

/// # Safety
///
/// The same as [`both`], with either of the inputs.
#[inline(always)]
unsafe fn compact<T: Element + Value>(
    from: (*const T, usize),
    bitmap: (*const u8, usize),
    to: (*mut T, usize),
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `both` requires. The destination is not used.
        let (bitmap, _) = unsafe { both(bitmap, to) }?;
        // SAFETY: the caller promises what `both` requires.
        let (from, to) = unsafe { both(from, to) }?;
        // The core would detect this only after writing.
        if to.len() < from.len() {
            check_room(to.len(), values::count_valid(bitmap, from.len())?)?;
        }
        let written = values::compact_with(Detected::active(), from, bitmap, to)?;
        Ok(bytelane_result::ok(from.len(), written.len()))
    })
}

impl Kind for ErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        Ok(match self {
            Self::Destination(error) => return Err(error),
            Self::Level { .. } => BYTELANE_INVALID_VALUE,
            Self::Bitmap { .. } => BYTELANE_RANGE,
            _ => BYTELANE_MALFORMED,
        })
    }
}
