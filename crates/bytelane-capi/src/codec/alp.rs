//! Parquet's ALP.

use crate::buffers::{both, input};
use crate::result::*;
use bytelane::alp::{self, ErrorKind, Float, Format};
use bytelane::{DestinationError, Detected};

/// Returns the maximum number of bytes that `count` values of `width` bytes take, in vectors of
/// `vector` values: `SIZE_MAX` if it does not fit in a `size_t`, or if the width or the vector size
/// does not exist.
#[unsafe(no_mangle)]
pub extern "C" fn bytelane_alp_max_encoded_length(
    vector: u32,
    width: usize,
    count: usize,
) -> usize {
    match (of(vector), width) {
        (Some(format), 4) => format.max_encoded_len::<f32>(count),
        (Some(format), 8) => format.max_encoded_len::<f64>(count),
        _ => usize::MAX,
    }
}

/// Estimates the number of bytes that `bytelane_alp_encode_f32` would write, from some of the
/// values: the result's `count`. If it exceeds the size of the values, store them unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_alp_estimated_length_f32(
    vector: u32,
    values: *const f32,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values` that nothing writes to during the
    // call.
    unsafe { estimated_length(vector, values, count) }
}

/// Same as `bytelane_alp_estimated_length_f32`, for `bytelane_alp_encode_f64`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_alp_estimated_length_f64(
    vector: u32,
    values: *const f64,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values` that nothing writes to during the
    // call.
    unsafe { estimated_length(vector, values, count) }
}

/// Encodes `count` values to a page with vectors of `vector` values: a power of two from 8 to
/// 32768, or 0 for 1024, which most writers use. `dst` only needs room for the result. Bytes of
/// `dst` after the result may be overwritten.
///
/// Fails with `BYTELANE_LENGTH` for more than 2^31 - 1 values or 2^32 - 1 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_alp_encode_f32(
    vector: u32,
    values: *const f32,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(vector, (values, count), (dst, dst_length)) }
}

/// Same as `bytelane_alp_encode_f32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_alp_encode_f64(
    vector: u32,
    values: *const f64,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(vector, (values, count), (dst, dst_length)) }
}

/// Decodes the first `count` values of a page at the front of `src`, with vectors of any size.
/// `offset` is the number of bytes read, up to the end of a vector.
///
/// Fails with `BYTELANE_TRUNCATED` if the page has fewer values or ends early, and with
/// `BYTELANE_MALFORMED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_alp_decode_f32(
    src: *const u8,
    src_length: usize,
    values: *mut f32,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode((src, src_length), (values, count)) }
}

/// Same as `bytelane_alp_decode_f32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_alp_decode_f64(
    src: *const u8,
    src_length: usize,
    values: *mut f64,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode((src, src_length), (values, count)) }
}

/// Decodes `count` values of a page, from number `start` on. Reads only the vectors that contain
/// them. `offset` is `src_length`.
///
/// Fails with `BYTELANE_RANGE` if the page has fewer values; otherwise in the same cases as
/// `bytelane_alp_decode_f32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_alp_decode_range_f32(
    src: *const u8,
    src_length: usize,
    start: usize,
    values: *mut f32,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode_range((src, src_length), start, (values, count)) }
}

/// Same as `bytelane_alp_decode_range_f32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_alp_decode_range_f64(
    src: *const u8,
    src_length: usize,
    start: usize,
    values: *mut f64,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode_range((src, src_length), start, (values, count)) }
}

/// Checks a page without decoding it: `count` is the number of its values, and `offset` its length
/// in bytes; more bytes may follow it.
///
/// Fails in the same cases as `bytelane_alp_decode_f32` of all values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_alp_validate_f32(
    src: *const u8,
    src_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src` that nothing writes to during the
    // call.
    unsafe { validate::<f32>(src, src_length) }
}

/// Same as `bytelane_alp_validate_f32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_alp_validate_f64(
    src: *const u8,
    src_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src` that nothing writes to during the
    // call.
    unsafe { validate::<f64>(src, src_length) }
}

/// Reads the number of values that a page claims to have: `count`. Equal values take hardly any
/// bytes, so even a short page may have many; limit the number that you allocate memory for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_alp_stored(src: *const u8, src_length: usize) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `input` requires.
        let count = alp::stored(unsafe { input(src, src_length) }?)?;
        Ok(bytelane_result::ok(0, count))
    })
}

fn of(vector: u32) -> Option<Format> {
    match vector {
        0 => Some(Format::STANDARD),
        vector => Format::new(vector as usize),
    }
}

/// # Safety
///
/// The same as [`input`].
#[inline(always)]
unsafe fn estimated_length<T: Float>(
    vector: u32,
    values: *const T,
    count: usize,
) -> bytelane_result {
    catching(|| {
        let format = of(vector).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `input` requires.
        let values = unsafe { input(values, count) }?;
        Ok(bytelane_result::ok(count, format.estimated_len(values)))
    })
}

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn encode<T: Float>(
    vector: u32,
    values: (*const T, usize),
    dst: (*mut u8, usize),
) -> bytelane_result {
    catching(|| {
        let format = of(vector).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `both` requires.
        let (values, dst) = unsafe { both(values, dst) }?;
        // The core would detect this only after writing.
        let most = format.max_encoded_len::<T>(values.len());
        if dst.len() < most || u32::try_from(most).is_err() {
            let length = format.encoded_len(values);
            u32::try_from(length).map_err(|_| BYTELANE_LENGTH)?;
            check_room(dst.len(), length)?;
        }
        let written = format.encode_with(Detected::active(), values, dst)?;
        Ok(bytelane_result::ok(values.len(), written.len()))
    })
}

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn decode<T: Float>(src: (*const u8, usize), values: (*mut T, usize)) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `both` requires.
        let (src, values) = unsafe { both(src, values) }?;
        let (values, read) = alp::decode_with(Detected::active(), src, values)?;
        Ok(bytelane_result::ok(read, values.len()))
    })
}

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn decode_range<T: Float>(
    src: (*const u8, usize),
    start: usize,
    values: (*mut T, usize),
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `both` requires.
        let (src, values) = unsafe { both(src, values) }?;
        let end = start.checked_add(values.len()).ok_or(BYTELANE_RANGE)?;
        let decoded = alp::decode_range_with(Detected::active(), src, start..end, values);
        match decoded {
            Ok(values) => Ok(bytelane_result::ok(src.len(), values.len())),
            Err(error) if matches!(error.kind(), ErrorKind::Count { .. }) => {
                Err(BYTELANE_RANGE.into())
            }
            Err(error) => Err(error.into()),
        }
    })
}

/// # Safety
///
/// The same as [`input`].
#[inline(always)]
unsafe fn validate<T: Float>(src: *const u8, src_length: usize) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `input` requires.
        let (count, length) = alp::validate::<T>(unsafe { input(src, src_length) }?)?;
        Ok(bytelane_result::ok(length, count))
    })
}

impl Kind for ErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        Ok(match self {
            Self::Destination(error) => return Err(error),
            Self::Truncated | Self::Count { .. } => BYTELANE_TRUNCATED,
            Self::Range { .. } => BYTELANE_RANGE,
            Self::Size => BYTELANE_LENGTH,
            _ => BYTELANE_MALFORMED,
        })
    }
}
