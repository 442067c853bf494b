//! Parquet's ALP.

use crate::exports::exports;
use crate::result::*;
use bytelane::alp::{self, ErrorKind, Float, Format};
use bytelane::{DestinationError, Detected};
use core::mem::MaybeUninit;

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

exports! {
    estimated_length(vector: u32 = 0; values: [T; count];) {
        /// Estimates the number of bytes that `bytelane_alp_encode_f32` would write, from some of the
        /// values: the result's `count`. If it exceeds the size of the values, store them unchanged.
        bytelane_alp_estimated_length_f32<f32>;
        /// Same as `bytelane_alp_estimated_length_f32`, for `bytelane_alp_encode_f64`.
        bytelane_alp_estimated_length_f64<f64>;
    }

    encode(vector: u32 = 0; values: [T; count];; dst: [u8; dst_length]) {
        /// Encodes `count` values to a page with vectors of `vector` values: a power of two from 8 to
        /// 32768, or 0 for 1024, which most writers use. `dst` only needs room for the result. Bytes of
        /// `dst` after the result may be overwritten.
        ///
        /// Fails with `BYTELANE_LENGTH` for more than 2^31 - 1 values or 2^32 - 1 bytes.
        bytelane_alp_encode_f32<f32>;
        /// Same as `bytelane_alp_encode_f32`.
        bytelane_alp_encode_f64<f64>;
    }

    decode(; src: [u8; src_length];; values: [T; count]) {
        /// Decodes the first `count` values of a page at the front of `src`, with vectors of any size.
        /// `offset` is the number of bytes read, up to the end of a vector.
        ///
        /// Fails with `BYTELANE_TRUNCATED` if the page has fewer values or ends early, and with
        /// `BYTELANE_MALFORMED`.
        bytelane_alp_decode_f32<f32>;
        /// Same as `bytelane_alp_decode_f32`.
        bytelane_alp_decode_f64<f64>;
    }

    decode_range(; src: [u8; src_length]; start: usize; values: [T; count]) {
        /// Decodes `count` values of a page, from number `start` on. Reads only the vectors that contain
        /// them. `offset` is `src_length`.
        ///
        /// Fails with `BYTELANE_RANGE` if the page has fewer values; otherwise in the same cases as
        /// `bytelane_alp_decode_f32`.
        bytelane_alp_decode_range_f32<f32>;
        /// Same as `bytelane_alp_decode_range_f32`.
        bytelane_alp_decode_range_f64<f64>;
    }

    validate_f32(; src: [u8; src_length];) {
        /// Checks a page without decoding it: `count` is the number of its values, and `offset` its length
        /// in bytes; more bytes may follow it.
        ///
        /// Fails in the same cases as `bytelane_alp_decode_f32` of all values.
        bytelane_alp_validate_f32;
    }

    validate_f64(; src: [u8; src_length];) {
        /// Same as `bytelane_alp_validate_f32`.
        bytelane_alp_validate_f64;
    }

    stored(; src: [u8; src_length];) {
        /// Reads the number of values that a page claims to have: `count`. Equal values take hardly any
        /// bytes, so even a short page may have many; limit the number that you allocate memory for.
        bytelane_alp_stored;
    }
}

fn validate_f32(src: &[u8]) -> Answer {
    validate::<f32>(src)
}

fn validate_f64(src: &[u8]) -> Answer {
    validate::<f64>(src)
}

fn stored(src: &[u8]) -> Answer {
    Ok(bytelane_result::ok(0, alp::stored(src)?))
}

fn of(vector: u32) -> Option<Format> {
    match vector {
        0 => Some(Format::STANDARD),
        vector => Format::new(vector as usize),
    }
}

#[inline(always)]
fn estimated_length<T: Float>(vector: u32, values: &[T]) -> Answer {
    let format = of(vector).ok_or(BYTELANE_ARGUMENT)?;
    Ok(bytelane_result::ok(
        values.len(),
        format.estimated_len(values),
    ))
}

#[inline(always)]
fn encode<T: Float>(vector: u32, values: &[T], dst: &mut [MaybeUninit<u8>]) -> Answer {
    let format = of(vector).ok_or(BYTELANE_ARGUMENT)?;
    // The core would detect this only after writing.
    let most = format.max_encoded_len::<T>(values.len());
    if u32::try_from(most).is_err() && u32::try_from(format.encoded_len(values)).is_err() {
        return Err(BYTELANE_LENGTH.into());
    }
    check_room(dst.len(), most, || format.encoded_len(values))?;
    let written = format.encode_with(Detected::active(), values, dst)?;
    Ok(bytelane_result::ok(values.len(), written.len()))
}

#[inline(always)]
fn decode<T: Float>(src: &[u8], values: &mut [MaybeUninit<T>]) -> Answer {
    let (values, read) = alp::decode_with(Detected::active(), src, values)?;
    Ok(bytelane_result::ok(read, values.len()))
}

#[inline(always)]
fn decode_range<T: Float>(src: &[u8], start: usize, values: &mut [MaybeUninit<T>]) -> Answer {
    let end = start.checked_add(values.len()).ok_or(BYTELANE_RANGE)?;
    let decoded = alp::decode_range_with(Detected::active(), src, start..end, values);
    match decoded {
        Ok(values) => Ok(bytelane_result::ok(src.len(), values.len())),
        Err(error) if matches!(error.kind(), ErrorKind::Count { .. }) => Err(BYTELANE_RANGE.into()),
        Err(error) => Err(error.into()),
    }
}

#[inline(always)]
fn validate<T: Float>(src: &[u8]) -> Answer {
    let (count, length) = alp::validate::<T>(src)?;
    Ok(bytelane_result::ok(length, count))
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
