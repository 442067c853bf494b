//! Varints: LEB128, with zigzag for signed integers.

use crate::buffers::{both, input};
use crate::result::*;
use bytelane::varint::{self, ErrorKind, Integer};
use bytelane::{DestinationError, Detected, Value};

/// Maximum number of bytes of the varint of a 32-bit integer.
pub const BYTELANE_VARINT_MAX_32: usize = 5;

/// Maximum number of bytes of the varint of a 64-bit integer.
pub const BYTELANE_VARINT_MAX_64: usize = 10;

/// Writes the varints of `count` values. `dst` only needs room for the result; encoding is a little
/// faster if it has the maximum, `count * BYTELANE_VARINT_MAX_32`. Bytes of `dst` after the result
/// may be overwritten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_encode_u32(
    values: *const u32,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode((values, count), (dst, dst_length)) }
}

/// Same as `bytelane_varint_encode_u32`; the maximum is `count * BYTELANE_VARINT_MAX_64`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_encode_u64(
    values: *const u64,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode((values, count), (dst, dst_length)) }
}

/// Same as `bytelane_varint_encode_u32`, with zigzag: 0, -1, 1, -2 are written as 0, 1, 2, 3.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_encode_i32(
    values: *const i32,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode((values, count), (dst, dst_length)) }
}

/// Same as `bytelane_varint_encode_u64`, with zigzag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_encode_i64(
    values: *const i64,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode((values, count), (dst, dst_length)) }
}

/// Reads `count` varints from the front of `src`, which may be longer: `offset` is the number of
/// bytes read.
///
/// Fails with `BYTELANE_TRUNCATED`, `BYTELANE_OVERLONG` or `BYTELANE_OVERFLOW`; `offset` is then
/// the start of the malformed varint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_decode_u32(
    src: *const u8,
    src_length: usize,
    values: *mut u32,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode((src, src_length), (values, count)) }
}

/// Same as `bytelane_varint_decode_u32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_decode_u64(
    src: *const u8,
    src_length: usize,
    values: *mut u64,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode((src, src_length), (values, count)) }
}

/// Same as `bytelane_varint_decode_u32`, with zigzag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_decode_i32(
    src: *const u8,
    src_length: usize,
    values: *mut i32,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode((src, src_length), (values, count)) }
}

/// Same as `bytelane_varint_decode_u32`, with zigzag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_decode_i64(
    src: *const u8,
    src_length: usize,
    values: *mut i64,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode((src, src_length), (values, count)) }
}

/// Counts the varints that end within `src`: `count` is their number. It does not check whether
/// they are well formed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_count(
    src: *const u8,
    src_length: usize,
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `input` requires.
        let src = unsafe { input(src, src_length) }?;
        Ok(bytelane_result::ok(src.len(), varint::count(src)))
    })
}

/// Counts the bytes that `bytelane_varint_encode_u32` would write: `count` is their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_encoded_length_u32(
    values: *const u32,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values` that nothing writes to during the
    // call.
    unsafe { encoded_length(values, count) }
}

/// Same as `bytelane_varint_encoded_length_u32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_encoded_length_u64(
    values: *const u64,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values` that nothing writes to during the
    // call.
    unsafe { encoded_length(values, count) }
}

/// Same as `bytelane_varint_encoded_length_u32`, with zigzag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_encoded_length_i32(
    values: *const i32,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values` that nothing writes to during the
    // call.
    unsafe { encoded_length(values, count) }
}

/// Same as `bytelane_varint_encoded_length_u32`, with zigzag.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_varint_encoded_length_i64(
    values: *const i64,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values` that nothing writes to during the
    // call.
    unsafe { encoded_length(values, count) }
}

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn encode<T: Integer + Value>(
    values: (*const T, usize),
    dst: (*mut u8, usize),
) -> bytelane_result {
    catching(|| {
        // SAFETY: the requirements are those of this function.
        let (values, dst) = unsafe { both(values, dst) }?;
        // The core would detect this only after writing.
        if dst.len() < varint::max_encoded_len::<T>(values.len()) {
            check_room(dst.len(), varint::encoded_len(values))?;
        }
        let written = varint::encode_with(Detected::active(), values, dst)?;
        Ok(bytelane_result::ok(values.len(), written.len()))
    })
}

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn decode<T: Integer + Value>(
    src: (*const u8, usize),
    values: (*mut T, usize),
) -> bytelane_result {
    catching(|| {
        // SAFETY: the requirements are those of this function.
        let (src, values) = unsafe { both(src, values) }?;
        let (written, read) = varint::decode_with(Detected::active(), src, values)?;
        Ok(bytelane_result::ok(read, written.len()))
    })
}

/// # Safety
///
/// The same as [`input`].
unsafe fn encoded_length<T: Integer + Value>(values: *const T, count: usize) -> bytelane_result {
    catching(|| {
        // SAFETY: the requirements are those of this function.
        let values = unsafe { input(values, count) }?;
        Ok(bytelane_result::ok(count, varint::encoded_len(values)))
    })
}

impl Kind for ErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        Ok(match self {
            Self::Truncated => BYTELANE_TRUNCATED,
            Self::Overlong => BYTELANE_OVERLONG,
            Self::Overflow => BYTELANE_OVERFLOW,
            _ => BYTELANE_MALFORMED,
        })
    }
}
