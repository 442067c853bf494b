//! Varints: LEB128, with zigzag for signed integers.

use crate::exports::exports;
use crate::result::*;
use bytelane::varint::{self, ErrorKind, Integer};
use bytelane::{DestinationError, Detected, Value};
use core::mem::MaybeUninit;

/// Maximum number of bytes of the varint of a 32-bit integer.
pub const BYTELANE_VARINT_MAX_32: usize = 5;

/// Maximum number of bytes of the varint of a 64-bit integer.
pub const BYTELANE_VARINT_MAX_64: usize = 10;

exports! {
    encode(; values: [T; count];; dst: [u8; dst_length]) {
        /// Writes the varints of `count` values. `dst` only needs room for the result; encoding is a little
        /// faster if it has the maximum, `count * BYTELANE_VARINT_MAX_32`. Bytes of `dst` after the result
        /// may be overwritten.
        bytelane_varint_encode_u32<u32>;
        /// Same as `bytelane_varint_encode_u32`; the maximum is `count * BYTELANE_VARINT_MAX_64`.
        bytelane_varint_encode_u64<u64>;
        /// Same as `bytelane_varint_encode_u32`, with zigzag: 0, -1, 1, -2 are written as 0, 1, 2, 3.
        bytelane_varint_encode_i32<i32>;
        /// Same as `bytelane_varint_encode_u64`, with zigzag.
        bytelane_varint_encode_i64<i64>;
    }

    decode(; src: [u8; src_length];; values: [T; count]) {
        /// Reads `count` varints from the front of `src`, which may be longer: `offset` is the number of
        /// bytes read.
        ///
        /// Fails with `BYTELANE_TRUNCATED`, `BYTELANE_OVERLONG` or `BYTELANE_OVERFLOW`; `offset` is then
        /// the start of the malformed varint.
        bytelane_varint_decode_u32<u32>;
        /// Same as `bytelane_varint_decode_u32`.
        bytelane_varint_decode_u64<u64>;
        /// Same as `bytelane_varint_decode_u32`, with zigzag.
        bytelane_varint_decode_i32<i32>;
        /// Same as `bytelane_varint_decode_u32`, with zigzag.
        bytelane_varint_decode_i64<i64>;
    }

    count(; src: [u8; src_length];) {
        /// Counts the varints that end within `src`: `count` is their number. It does not check whether
        /// they are well formed.
        bytelane_varint_count;
    }

    encoded_length(; values: [T; count];) {
        /// Counts the bytes that `bytelane_varint_encode_u32` would write: `count` is their number.
        bytelane_varint_encoded_length_u32<u32>;
        /// Same as `bytelane_varint_encoded_length_u32`.
        bytelane_varint_encoded_length_u64<u64>;
        /// Same as `bytelane_varint_encoded_length_u32`, with zigzag.
        bytelane_varint_encoded_length_i32<i32>;
        /// Same as `bytelane_varint_encoded_length_u32`, with zigzag.
        bytelane_varint_encoded_length_i64<i64>;
    }
}

fn count(src: &[u8]) -> Answer {
    Ok(bytelane_result::ok(src.len(), varint::count(src)))
}

#[inline(always)]
fn encode<T: Integer + Value>(values: &[T], dst: &mut [MaybeUninit<u8>]) -> Answer {
    let most = varint::max_encoded_len::<T>(values.len());
    check_room(dst.len(), most, || varint::encoded_len(values))?;
    let written = varint::encode_with(Detected::active(), values, dst)?;
    Ok(bytelane_result::ok(values.len(), written.len()))
}

#[inline(always)]
fn decode<T: Integer + Value>(src: &[u8], values: &mut [MaybeUninit<T>]) -> Answer {
    let (written, read) = varint::decode_with(Detected::active(), src, values)?;
    Ok(bytelane_result::ok(read, written.len()))
}

fn encoded_length<T: Integer + Value>(values: &[T]) -> Answer {
    Ok(bytelane_result::ok(
        values.len(),
        varint::encoded_len(values),
    ))
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
