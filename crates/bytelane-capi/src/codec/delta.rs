//! Parquet's DELTA_BINARY_PACKED.

use crate::buffers::{both, input};
use crate::result::*;
use bytelane::delta::{self, ErrorKind, Format, Integer};
use bytelane::{DestinationError, Detected, Value};

/// Format of packed differences. All zeros means blocks of 128 values in 4 miniblocks, which most
/// writers use.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct bytelane_delta_format {
    /// Number of values per block: a multiple of 128.
    pub block: u32,
    /// Number of miniblocks per block, each of a multiple of 32 values.
    pub miniblocks: u32,
}

/// Returns the maximum number of bytes that `count` values of 32 or 64 bits take: `SIZE_MAX` if it
/// does not fit in a `size_t` or the format does not exist.
#[unsafe(no_mangle)]
pub extern "C" fn bytelane_delta_max_encoded_length(
    format: bytelane_delta_format,
    count: usize,
) -> usize {
    let format = of(format);
    format.map_or(usize::MAX, |format| format.max_encoded_len::<i64>(count))
}

/// Encodes `count` values. `dst` only needs room for the result. Bytes of `dst` after the result
/// may be overwritten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_delta_encode_i32(
    format: bytelane_delta_format,
    values: *const i32,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(format, (values, count), (dst, dst_length)) }
}

/// Same as `bytelane_delta_encode_i32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_delta_encode_i64(
    format: bytelane_delta_format,
    values: *const i64,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(format, (values, count), (dst, dst_length)) }
}

/// Decodes the first `count` values of a stream at the front of `src`, in any valid format.
/// `offset` is the number of bytes of the stream read.
///
/// Fails with `BYTELANE_TRUNCATED` if the stream has fewer values or ends early, and with
/// `BYTELANE_OVERLONG` or `BYTELANE_MALFORMED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_delta_decode_i32(
    src: *const u8,
    src_length: usize,
    values: *mut i32,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode((src, src_length), (values, count)) }
}

/// Same as `bytelane_delta_decode_i32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_delta_decode_i64(
    src: *const u8,
    src_length: usize,
    values: *mut i64,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode((src, src_length), (values, count)) }
}

/// Reads the number of values that a stream claims to have: `count`. It may be more than the stream
/// really has; do not allocate memory for it unless you trust the stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_delta_stored(
    src: *const u8,
    src_length: usize,
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `input` requires.
        let count = delta::stored(unsafe { input(src, src_length) }?)?;
        let count = usize::try_from(count).map_err(|_| BYTELANE_LENGTH)?;
        Ok(bytelane_result::ok(0, count))
    })
}

fn of(format: bytelane_delta_format) -> Option<Format> {
    match (format.block, format.miniblocks) {
        (0, 0) => Some(Format::STANDARD),
        (block, miniblocks) => Format::new(block, miniblocks),
    }
}

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn encode<T: Integer + Value>(
    format: bytelane_delta_format,
    values: (*const T, usize),
    dst: (*mut u8, usize),
) -> bytelane_result {
    catching(|| {
        let format = of(format).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `both` requires.
        let (values, dst) = unsafe { both(values, dst) }?;
        // The core would detect this only after writing.
        if dst.len() < format.max_encoded_len::<T>(values.len()) {
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
unsafe fn decode<T: Integer + Value>(
    src: (*const u8, usize),
    values: (*mut T, usize),
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `both` requires.
        let (src, values) = unsafe { both(src, values) }?;
        let (values, read) = delta::decode_with(Detected::active(), src, values)?;
        Ok(bytelane_result::ok(read, values.len()))
    })
}

impl Kind for ErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        Ok(match self {
            Self::Destination(error) => return Err(error),
            Self::Truncated | Self::Count { .. } => BYTELANE_TRUNCATED,
            Self::Varint => BYTELANE_OVERLONG,
            Self::Range { .. } => BYTELANE_RANGE,
            _ => BYTELANE_MALFORMED,
        })
    }
}
