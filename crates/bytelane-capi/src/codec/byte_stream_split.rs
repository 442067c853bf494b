//! BYTE_STREAM_SPLIT, Parquet's encoding 9.

use crate::buffers::{both, of_width};
use crate::result::*;
use bytelane::byte_stream_split::{self, Width};
use bytelane::{Detected, Value};
use core::ffi::c_void;

/// Splits `count` numbers of `width` bytes (1, 2, 4 or 8), aligned to their width and in this
/// machine's byte order, into the streams of their little-endian bytes. The result has `count *
/// width` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_byte_stream_split_encode(
    values: *const c_void,
    count: usize,
    width: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    of_width!(width, encode((values, count), (dst, dst_length)))
}

/// Reads numbers of `width` bytes (1, 2, 4 or 8) from all of `src`, their streams, to the front of
/// `values`, which is aligned to the width and has room for `count` of them.
///
/// Fails with `BYTELANE_INDIVISIBLE` if `src_length` is not a multiple of the width.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_byte_stream_split_decode(
    src: *const u8,
    src_length: usize,
    values: *mut c_void,
    count: usize,
    width: usize,
) -> bytelane_result {
    of_width!(width, decode((src, src_length), (values, count)))
}

/// Splits values of any `width` except 0, given as bytes, such as Parquet's `FIXED_LEN_BYTE_ARRAY`.
/// No alignment is needed. The result has `src_length` bytes.
///
/// Fails with `BYTELANE_INDIVISIBLE` if `src_length` is not a multiple of the width.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_byte_stream_split_encode_bytes(
    src: *const u8,
    src_length: usize,
    width: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    catching(|| {
        let width = Width::new(width).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `both` requires.
        let (src, dst) = unsafe { both((src, src_length), (dst, dst_length)) }?;
        let written = width.encode_with(Detected::active(), src, dst)?;
        Ok(bytelane_result::ok(src_length, written.len()))
    })
}

/// Reverses `bytelane_byte_stream_split_encode_bytes`. The result has `src_length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_byte_stream_split_decode_bytes(
    src: *const u8,
    src_length: usize,
    width: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    catching(|| {
        let width = Width::new(width).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `both` requires.
        let (src, dst) = unsafe { both((src, src_length), (dst, dst_length)) }?;
        let written = width.decode_with(Detected::active(), src, dst)?;
        Ok(bytelane_result::ok(src_length, written.len()))
    })
}

/// Decodes only the values from number `start` up to, but not including, number `end`, from all
/// streams in `src`. The result has `(end - start) * width` bytes; `offset` is `src_length`.
///
/// Fails with `BYTELANE_RANGE` if the range is not within the values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_byte_stream_split_decode_range(
    src: *const u8,
    src_length: usize,
    width: usize,
    start: usize,
    end: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    catching(|| {
        let width = Width::new(width).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `both` requires.
        let (src, dst) = unsafe { both((src, src_length), (dst, dst_length)) }?;
        let backend = Detected::active();
        let written = width.decode_range_with(backend, src, start..end, dst)?;
        Ok(bytelane_result::ok(src_length, written.len()))
    })
}

/// # Safety
///
/// The same as [`both`], with values of type `T`.
#[inline(always)]
unsafe fn encode<T: Value>(
    (values, count): (*const c_void, usize),
    dst: (*mut u8, usize),
) -> bytelane_result {
    catching(|| {
        // SAFETY: the requirements are those of this function.
        let (values, dst) = unsafe { both((values.cast::<T>(), count), dst) }?;
        let written = byte_stream_split::encode_with(Detected::active(), values, dst)?;
        Ok(bytelane_result::ok(count, written.len()))
    })
}

/// # Safety
///
/// The same as [`both`], with values of type `T`.
#[inline(always)]
unsafe fn decode<T: Value>(
    src: (*const u8, usize),
    (values, room): (*mut c_void, usize),
) -> bytelane_result {
    catching(|| {
        // SAFETY: the requirements are those of this function.
        let (src, values) = unsafe { both(src, (values.cast::<T>(), room)) }?;
        let written = byte_stream_split::decode_with(Detected::active(), src, values);
        let written = written.map_err(|error| bytelane_result::from(error).in_values::<T>())?;
        Ok(bytelane_result::ok(src.len(), written.len()))
    })
}
