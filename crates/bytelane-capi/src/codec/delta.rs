//! Parquet's DELTA_BINARY_PACKED.

use crate::exports::exports;
use crate::result::*;
use bytelane::delta::{self, ErrorKind, Format, Integer};
use bytelane::{DestinationError, Detected, Value};
use core::mem::MaybeUninit;

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

exports! {
    encode(format: bytelane_delta_format = {}; values: [T; count];; dst: [u8; dst_length]) {
        /// Encodes `count` values. `dst` only needs room for the result. Bytes of `dst` after the result
        /// may be overwritten.
        bytelane_delta_encode_i32<i32>;
        /// Same as `bytelane_delta_encode_i32`.
        bytelane_delta_encode_i64<i64>;
    }

    decode(; src: [u8; src_length];; values: [T; count]) {
        /// Decodes the first `count` values of a stream at the front of `src`, in any valid format.
        /// `offset` is the number of bytes of the stream read.
        ///
        /// Fails with `BYTELANE_TRUNCATED` if the stream has fewer values or ends early, and with
        /// `BYTELANE_OVERLONG` or `BYTELANE_MALFORMED`.
        bytelane_delta_decode_i32<i32>;
        /// Same as `bytelane_delta_decode_i32`.
        bytelane_delta_decode_i64<i64>;
    }

    stored(; src: [u8; src_length];) {
        /// Reads the number of values that a stream claims to have: `count`. It may be more than the stream
        /// really has; do not allocate memory for it unless you trust the stream.
        bytelane_delta_stored;
    }
}

fn stored(src: &[u8]) -> Answer {
    let count = delta::stored(src)?;
    let count = usize::try_from(count).map_err(|_| BYTELANE_LENGTH)?;
    Ok(bytelane_result::ok(0, count))
}

fn of(format: bytelane_delta_format) -> Option<Format> {
    match (format.block, format.miniblocks) {
        (0, 0) => Some(Format::STANDARD),
        (block, miniblocks) => Format::new(block, miniblocks),
    }
}

#[inline(always)]
fn encode<T: Integer + Value>(
    format: bytelane_delta_format,
    values: &[T],
    dst: &mut [MaybeUninit<u8>],
) -> Answer {
    let format = of(format).ok_or(BYTELANE_ARGUMENT)?;
    let most = format.max_encoded_len::<T>(values.len());
    check_room(dst.len(), most, || format.encoded_len(values))?;
    let written = format.encode_with(Detected::active(), values, dst)?;
    Ok(bytelane_result::ok(values.len(), written.len()))
}

#[inline(always)]
fn decode<T: Integer + Value>(src: &[u8], values: &mut [MaybeUninit<T>]) -> Answer {
    let (values, read) = delta::decode_with(Detected::active(), src, values)?;
    Ok(bytelane_result::ok(read, values.len()))
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
