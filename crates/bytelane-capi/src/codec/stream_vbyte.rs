//! Stream VByte: lists of integers in as few bytes as each needs.

use crate::exports::exports;
use crate::result::*;
use bytelane::stream_vbyte::{ErrorKind, Format, Integer};
use bytelane::{DestinationError, Detected, Value};
use core::mem::MaybeUninit;

/// Variant of Stream VByte: 32-bit values in 1, 2, 3 or 4 bytes.
pub const BYTELANE_STREAM_VBYTE_1234: u32 = 0;

/// Variant of Stream VByte: 32-bit values in 0, 1, 2 or 4 bytes.
pub const BYTELANE_STREAM_VBYTE_0124: u32 = 1;

/// Variant of Stream VByte: 64-bit values in 1, 2, 4 or 8 bytes.
pub const BYTELANE_STREAM_VBYTE_1248: u32 = 2;

/// Flag of a `bytelane_stream_vbyte_format`: store the difference of each value from the previous
/// one, and of the first one from `start`.
pub const BYTELANE_STREAM_VBYTE_DELTA: u32 = 1;

/// Flag of a `bytelane_stream_vbyte_format`: store 0, -1, 1, -2 as 0, 1, 2, 3.
pub const BYTELANE_STREAM_VBYTE_ZIGZAG: u32 = 2;

/// Format of encoded values. All zeros is the original format of the C library `streamvbyte`.
///
/// Pass signed values as unsigned values with the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct bytelane_stream_vbyte_format {
    /// `BYTELANE_STREAM_VBYTE_1234`, `.._0124` or `.._1248`.
    pub variant: u32,
    /// 0 or a sum of `BYTELANE_STREAM_VBYTE_DELTA` and `BYTELANE_STREAM_VBYTE_ZIGZAG`.
    pub flags: u32,
    /// Value before the first one, for `BYTELANE_STREAM_VBYTE_DELTA`; otherwise ignored.
    pub start: u64,
}

/// Returns the maximum encoded length of `count` values: `SIZE_MAX` if it does not fit in a
/// `size_t` or the format does not exist.
#[unsafe(no_mangle)]
pub extern "C" fn bytelane_stream_vbyte_max_encoded_length(
    format: bytelane_stream_vbyte_format,
    count: usize,
) -> usize {
    let (short, long) = (u32::format(format), u64::format(format));
    match (short, long) {
        (Ok(format), _) => format.max_encoded_len(count),
        (_, Ok(format)) => format.max_encoded_len(count),
        _ => usize::MAX,
    }
}

exports! {
    encode(format: bytelane_stream_vbyte_format; values: [T; count];; dst: [u8; dst_length]) {
        /// Encodes `count` values in a 32-bit format. `dst` only needs room for the result; encoding is
        /// faster if it has the maximum. Bytes of `dst` after the result may be overwritten. The number of
        /// values is not stored.
        bytelane_stream_vbyte_encode_u32<u32>;
        /// Same as `bytelane_stream_vbyte_encode_u32`, in a 64-bit format.
        bytelane_stream_vbyte_encode_u64<u64>;
    }

    decode(format: bytelane_stream_vbyte_format; src: [u8; src_length];; values: [T; count]) {
        /// Decodes `count` values in a 32-bit format from the front of `src`, which may be longer: `offset`
        /// is the number of bytes read.
        ///
        /// Fails with `BYTELANE_TRUNCATED` if `src` is too short. No padding is needed.
        bytelane_stream_vbyte_decode_u32<u32>;
        /// Same as `bytelane_stream_vbyte_decode_u32`, in a 64-bit format.
        bytelane_stream_vbyte_decode_u64<u64>;
    }

    encoded_length(format: bytelane_stream_vbyte_format; values: [T; count];) {
        /// Counts the bytes that `bytelane_stream_vbyte_encode_u32` would write: `count` is their number.
        bytelane_stream_vbyte_encoded_length_u32<u32>;
        /// Same as `bytelane_stream_vbyte_encoded_length_u32`, in a 64-bit format.
        bytelane_stream_vbyte_encoded_length_u64<u64>;
    }

    validate(format: bytelane_stream_vbyte_format; src: [u8; src_length]; count: usize) {
        /// Checks that `src` has all data of its first `count` values, without decoding them: `offset` is
        /// their length in bytes, and the result's `count` is 0.
        ///
        /// Fails with `BYTELANE_TRUNCATED`. Any bytes are valid values, as long as there are enough.
        bytelane_stream_vbyte_validate;
    }
}

fn validate(format: bytelane_stream_vbyte_format, src: &[u8], count: usize) -> Answer {
    let length = match u32::format(format) {
        Ok(format) => format.validate(src, count)?,
        Err(_) => u64::format(format)?.validate(src, count)?,
    };
    Ok(bytelane_result::ok(length, 0))
}

/// Integers of the interface, and their formats.
trait Lane: Integer + Value {
    fn format(format: bytelane_stream_vbyte_format) -> Result<Format<Self>, bytelane_status>;
}

impl Lane for u32 {
    #[inline(always)]
    fn format(format: bytelane_stream_vbyte_format) -> Result<Format<u32>, bytelane_status> {
        let plain = match format.variant {
            BYTELANE_STREAM_VBYTE_1234 => Format::V1234,
            BYTELANE_STREAM_VBYTE_0124 => Format::V0124,
            _ => return Err(BYTELANE_ARGUMENT),
        };
        // The upper half of `start` results from the sign extension of a negative value.
        transformed(plain, format.flags, format.start as u32)
    }
}

impl Lane for u64 {
    #[inline(always)]
    fn format(format: bytelane_stream_vbyte_format) -> Result<Format<u64>, bytelane_status> {
        match format.variant {
            BYTELANE_STREAM_VBYTE_1248 => transformed(Format::V1248, format.flags, format.start),
            _ => Err(BYTELANE_ARGUMENT),
        }
    }
}

#[inline(always)]
fn transformed<T: Integer>(
    plain: Format<T>,
    flags: u32,
    start: T,
) -> Result<Format<T>, bytelane_status> {
    const ALL: u32 = BYTELANE_STREAM_VBYTE_DELTA | BYTELANE_STREAM_VBYTE_ZIGZAG;
    if flags & !ALL != 0 {
        return Err(BYTELANE_ARGUMENT);
    }
    let with_delta = match flags & BYTELANE_STREAM_VBYTE_DELTA {
        0 => plain,
        _ => plain.delta(start),
    };
    Ok(match flags & BYTELANE_STREAM_VBYTE_ZIGZAG {
        0 => with_delta,
        _ => with_delta.zigzag(),
    })
}

#[inline(always)]
fn encode<T: Lane>(
    format: bytelane_stream_vbyte_format,
    values: &[T],
    dst: &mut [MaybeUninit<u8>],
) -> Answer {
    let format = T::format(format)?;
    let most = format.max_encoded_len(values.len());
    check_room(dst.len(), most, || encoded_len(format, values))?;
    let written = format.encode_with(Detected::active(), values, dst)?;
    Ok(bytelane_result::ok(values.len(), written.len()))
}

/// A separate function, so that calls that need not count save no registers for it.
#[cold]
#[inline(never)]
fn encoded_len<T: Lane>(format: Format<T>, values: &[T]) -> usize {
    format.encoded_len(values)
}

#[inline(always)]
fn decode<T: Lane>(
    format: bytelane_stream_vbyte_format,
    src: &[u8],
    values: &mut [MaybeUninit<T>],
) -> Answer {
    let format = T::format(format)?;
    let (written, read) = format.decode_with(Detected::active(), src, values)?;
    Ok(bytelane_result::ok(read, written.len()))
}

fn encoded_length<T: Lane>(format: bytelane_stream_vbyte_format, values: &[T]) -> Answer {
    let format = T::format(format)?;
    Ok(bytelane_result::ok(
        values.len(),
        format.encoded_len(values),
    ))
}

impl Kind for ErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        Ok(match self {
            Self::Controls { .. } | Self::Data { .. } => BYTELANE_TRUNCATED,
            _ => BYTELANE_MALFORMED,
        })
    }
}
