//! BYTE_STREAM_SPLIT, Parquet's encoding 9.

use crate::buffers::{both, of_width};
use crate::exports::exports;
use crate::result::*;
use bytelane::Detected;
use bytelane::byte_stream_split::{self, Width};
use core::ffi::c_void;
use core::mem::MaybeUninit;

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
    of_width!(width, T => catching(|| {
        // SAFETY: the caller promises what `both` requires, for values of this width.
        let (values, dst) = unsafe { both((values.cast::<T>(), count), (dst, dst_length)) }?;
        let written = byte_stream_split::encode_with(Detected::active(), values, dst)?;
        Ok(bytelane_result::ok(count, written.len()))
    }))
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
    of_width!(width, T => catching(|| {
        // SAFETY: the caller promises what `both` requires, for values of this width.
        let (src, values) = unsafe { both((src, src_length), (values.cast::<T>(), count)) }?;
        let written = byte_stream_split::decode_with(Detected::active(), src, values);
        let written = written.map_err(|error| bytelane_result::from(error).in_values::<T>())?;
        Ok(bytelane_result::ok(src_length, written.len()))
    }))
}

exports! {
    encode_bytes(; src: [u8; src_length]; width: usize; dst: [u8; dst_length]) {
        /// Splits values of any `width` except 0, given as bytes, such as Parquet's `FIXED_LEN_BYTE_ARRAY`.
        /// No alignment is needed. The result has `src_length` bytes.
        ///
        /// Fails with `BYTELANE_INDIVISIBLE` if `src_length` is not a multiple of the width.
        bytelane_byte_stream_split_encode_bytes;
    }

    decode_bytes(; src: [u8; src_length]; width: usize; dst: [u8; dst_length]) {
        /// Reverses `bytelane_byte_stream_split_encode_bytes`. The result has `src_length` bytes.
        bytelane_byte_stream_split_decode_bytes;
    }

    decode_range(; src: [u8; src_length]; width: usize, start: usize, end: usize; dst: [u8; dst_length]) {
        /// Decodes only the values from number `start` up to, but not including, number `end`, from all
        /// streams in `src`. The result has `(end - start) * width` bytes; `offset` is `src_length`.
        ///
        /// Fails with `BYTELANE_RANGE` if the range is not within the values.
        bytelane_byte_stream_split_decode_range;
    }
}

fn encode_bytes(src: &[u8], width: usize, dst: &mut [MaybeUninit<u8>]) -> Answer {
    let width = Width::new(width).ok_or(BYTELANE_ARGUMENT)?;
    let written = width.encode_with(Detected::active(), src, dst)?;
    Ok(bytelane_result::ok(src.len(), written.len()))
}

fn decode_bytes(src: &[u8], width: usize, dst: &mut [MaybeUninit<u8>]) -> Answer {
    let width = Width::new(width).ok_or(BYTELANE_ARGUMENT)?;
    let written = width.decode_with(Detected::active(), src, dst)?;
    Ok(bytelane_result::ok(src.len(), written.len()))
}

fn decode_range(
    src: &[u8],
    width: usize,
    start: usize,
    end: usize,
    dst: &mut [MaybeUninit<u8>],
) -> Answer {
    let width = Width::new(width).ok_or(BYTELANE_ARGUMENT)?;
    let backend = Detected::active();
    let written = width.decode_range_with(backend, src, start..end, dst)?;
    Ok(bytelane_result::ok(src.len(), written.len()))
}
