//! Definition levels, bitmaps, and values with and without their nulls.

use crate::buffers::{both, of_width};
use crate::exports::exports;
use crate::result::*;
use bytelane::validity::{ErrorKind, Format, Level, values};
use bytelane::{DestinationError, Detected};
use core::ffi::c_void;
use core::mem::MaybeUninit;

exports! {
    encode(max_level: u16; levels: [T; count];; bitmap: [u8; bitmap_length]) {
        /// Converts `count` definition levels to a bitmap: one bit for each, set if the level is
        /// `max_level`, least significant bit of each byte first. The remaining bits of the last byte
        /// become zeros. `bytelane_validity_count_valid` returns the number of valid values.
        ///
        /// Fails with `BYTELANE_INVALID_VALUE` if a level is greater than `max_level`; `offset` is then
        /// that of its first byte in memory. `max_level` is 1 to 255.
        bytelane_validity_encode_u8<u8>;
        /// Same as `bytelane_validity_encode_u8`; `max_level` is 1 to 32767.
        bytelane_validity_encode_u16<u16>;
    }

    decode(max_level: u16; bitmap: [u8; bitmap_length];; levels: [T; count]) {
        /// Converts a bitmap to `count` definition levels: `max_level` for each set bit, and the level
        /// below it for the others. `offset` is the number of bytes read.
        ///
        /// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits.
        bytelane_validity_decode_u8<u8>;
        /// Same as `bytelane_validity_decode_u8`.
        bytelane_validity_decode_u16<u16>;
    }

    count_valid(; bitmap: [u8; bitmap_length]; places: usize) {
        /// Counts the set bits among the first `places` of a bitmap: `count` is the number of valid values.
        ///
        /// Fails with `BYTELANE_RANGE` if the bitmap has fewer bits.
        bytelane_validity_count_valid;
    }
}

fn count_valid(bitmap: &[u8], places: usize) -> Answer {
    let valid = values::count_valid(bitmap, places)?;
    Ok(bytelane_result::ok(places.div_ceil(8), valid))
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
    of_width!(width, T => catching(|| {
        let to = (values.cast::<T>(), places);
        // SAFETY: the caller promises what `both` requires. The destination is used only below.
        let (bitmap, _) = unsafe { both::<u8, T>((bitmap, bitmap_length), to) }?;
        // SAFETY: the caller promises what `both` requires, for values of this width.
        let (dense, to) = unsafe { both((dense.cast::<T>(), dense_count), to) }?;
        let written = values::spread_with(Detected::active(), dense, bitmap, to)?;
        Ok(bytelane_result::ok(dense.len(), written.len()))
    }))
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
    of_width!(width, T => catching(|| {
        let to = (dense.cast::<T>(), dense_room);
        // SAFETY: the caller promises what `both` requires. The destination is used only below.
        let (bitmap, _) = unsafe { both::<u8, T>((bitmap, bitmap_length), to) }?;
        // SAFETY: the caller promises what `both` requires, for values of this width.
        let (from, to) = unsafe { both((values.cast::<T>(), places), to) }?;
        // The core would detect this only after writing.
        if to.len() < places {
            let valid = values::count_valid(bitmap, places)?;
            check_room(to.len(), places, || valid)?;
        }
        let written = values::compact_with(Detected::active(), from, bitmap, to)?;
        Ok(bytelane_result::ok(places, written.len()))
    }))
}

#[inline(always)]
fn encode<T: Level>(max_level: u16, levels: &[T], bitmap: &mut [MaybeUninit<u8>]) -> Answer {
    let format = Format::<T>::new(max_level).ok_or(BYTELANE_ARGUMENT)?;
    let (written, _) = format.encode_with(Detected::active(), levels, bitmap)?;
    Ok(bytelane_result::ok(levels.len(), written.len()))
}

#[inline(always)]
fn decode<T: Level>(max_level: u16, bitmap: &[u8], levels: &mut [MaybeUninit<T>]) -> Answer {
    let format = Format::<T>::new(max_level).ok_or(BYTELANE_ARGUMENT)?;
    let (levels, read) = format.decode_with(Detected::active(), bitmap, levels)?;
    Ok(bytelane_result::ok(read, levels.len()))
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
