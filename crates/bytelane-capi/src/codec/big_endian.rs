//! Lists of numbers as big-endian bytes.

use crate::buffers::{both, of_width};
use crate::result::*;
use bytelane::{Detected, big_endian};
use core::ffi::c_void;

/// Writes `count` numbers of `width` bytes (1, 2, 4 or 8), aligned to their width, as big-endian
/// bytes. The result has `count * width` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_big_endian_encode(
    values: *const c_void,
    count: usize,
    width: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    of_width!(width, T => catching(|| {
        // SAFETY: the caller promises what `both` requires, for values of this width.
        let (values, dst) = unsafe { both((values.cast::<T>(), count), (dst, dst_length)) }?;
        let written = big_endian::encode_with(Detected::active(), values, dst)?;
        Ok(bytelane_result::ok(count, written.len()))
    }))
}

/// Reads numbers of `width` bytes (1, 2, 4 or 8) from all of `src`, their big-endian bytes, to the
/// front of `values`, which is aligned to the width and has room for `count` of them.
///
/// Fails with `BYTELANE_INDIVISIBLE` if `src_length` is not a multiple of the width.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_big_endian_decode(
    src: *const u8,
    src_length: usize,
    values: *mut c_void,
    count: usize,
    width: usize,
) -> bytelane_result {
    of_width!(width, T => catching(|| {
        // SAFETY: the caller promises what `both` requires, for values of this width.
        let (src, values) = unsafe { both((src, src_length), (values.cast::<T>(), count)) }?;
        let written = big_endian::decode_with(Detected::active(), src, values);
        let written = written.map_err(|error| bytelane_result::from(error).in_values::<T>())?;
        Ok(bytelane_result::ok(src_length, written.len()))
    }))
}
