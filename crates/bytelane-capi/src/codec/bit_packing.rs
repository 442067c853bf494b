//! Bit packing: integers with the same number of bits each.

use crate::exports::exports;
use crate::result::*;
use bytelane::bit_packing::{ErrorKind, Format, Integer, SignedInteger};
use bytelane::{DestinationError, Detected, Value};
use core::mem::MaybeUninit;

/// Flag of a `bytelane_bit_packing_format`: pack 0, -1, 1, -2 as 0, 1, 2, 3. Only for signed
/// integers, and without a reference.
pub const BYTELANE_BIT_PACKING_ZIGZAG: u32 = 1;

/// Format of packed integers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(C)]
pub struct bytelane_bit_packing_format {
    /// Number of bits per value, from 0 to those of the type.
    pub width: u32,
    /// 0 or `BYTELANE_BIT_PACKING_ZIGZAG`.
    pub flags: u32,
    /// Number subtracted from the values, modulo the size of the type; usually the smallest value.
    pub reference: u64,
}

/// Returns the number of bytes that `count` values take: `SIZE_MAX` if it does not fit in a
/// `size_t` or the width is above 64.
#[unsafe(no_mangle)]
pub extern "C" fn bytelane_bit_packing_encoded_length(
    format: bytelane_bit_packing_format,
    count: usize,
) -> usize {
    let format = Format::<u64>::new(format.width);
    format.map_or(usize::MAX, |format| format.encoded_len(count))
}

exports! {
    encode(format: bytelane_bit_packing_format; values: [T; count];; dst: [u8; dst_length]) {
        /// Packs `count` values, least significant bit first. The result has
        /// `bytelane_bit_packing_encoded_length` bytes.
        ///
        /// Fails with `BYTELANE_INVALID_VALUE` if a value does not fit the width; `offset` is then that of
        /// its first byte in memory.
        bytelane_bit_packing_encode_u8<u8>;
        /// Same as `bytelane_bit_packing_encode_u8`.
        bytelane_bit_packing_encode_u16<u16>;
        /// Same as `bytelane_bit_packing_encode_u8`.
        bytelane_bit_packing_encode_u32<u32>;
        /// Same as `bytelane_bit_packing_encode_u8`.
        bytelane_bit_packing_encode_u64<u64>;
        /// Same as `bytelane_bit_packing_encode_u8`.
        bytelane_bit_packing_encode_i32<i32>;
        /// Same as `bytelane_bit_packing_encode_u8`.
        bytelane_bit_packing_encode_i64<i64>;
    }

    decode(format: bytelane_bit_packing_format; src: [u8; src_length];; values: [T; count]) {
        /// Unpacks `count` values from the front of `src`, which may be longer: `offset` is the number of
        /// bytes read.
        ///
        /// Fails with `BYTELANE_TRUNCATED`; nothing is written then.
        bytelane_bit_packing_decode_u8<u8>;
        /// Same as `bytelane_bit_packing_decode_u8`.
        bytelane_bit_packing_decode_u16<u16>;
        /// Same as `bytelane_bit_packing_decode_u8`.
        bytelane_bit_packing_decode_u32<u32>;
        /// Same as `bytelane_bit_packing_decode_u8`.
        bytelane_bit_packing_decode_u64<u64>;
        /// Same as `bytelane_bit_packing_decode_u8`.
        bytelane_bit_packing_decode_i32<i32>;
        /// Same as `bytelane_bit_packing_decode_u8`.
        bytelane_bit_packing_decode_i64<i64>;
    }
}

/// Interpretation of a C format for a type.
trait Element: Integer + Value {
    fn format(format: bytelane_bit_packing_format) -> Option<Format<Self>>;
}

macro_rules! elements {
    ($($T:ty, $with_flags:ident;)*) => { $(
        impl Element for $T {
            #[inline]
            fn format(format: bytelane_bit_packing_format) -> Option<Format<Self>> {
                let plain = Format::new(format.width)?;
                match format.flags {
                    0 => Some(plain.frame(format.reference as Self)),
                    _ => $with_flags(plain, format),
                }
            }
        }
    )* };
}
elements! {
    u8, unsigned;
    u16, unsigned;
    u32, unsigned;
    u64, unsigned;
    i32, signed;
    i64, signed;
}

/// Interprets a format for unsigned integers, which have no flags.
fn unsigned<T>(_: Format<T>, _: bytelane_bit_packing_format) -> Option<Format<T>> {
    None
}

fn signed<T: SignedInteger>(
    plain: Format<T>,
    format: bytelane_bit_packing_format,
) -> Option<Format<T>> {
    let is_zigzag = format.flags == BYTELANE_BIT_PACKING_ZIGZAG && format.reference == 0;
    is_zigzag.then(|| plain.zigzag())
}

#[inline(always)]
fn encode<T: Element>(
    format: bytelane_bit_packing_format,
    values: &[T],
    dst: &mut [MaybeUninit<u8>],
) -> Answer {
    let format = T::format(format).ok_or(BYTELANE_ARGUMENT)?;
    let written = format.encode_with(Detected::active(), values, dst)?;
    Ok(bytelane_result::ok(values.len(), written.len()))
}

#[inline(always)]
fn decode<T: Element>(
    format: bytelane_bit_packing_format,
    src: &[u8],
    values: &mut [MaybeUninit<T>],
) -> Answer {
    let format = T::format(format).ok_or(BYTELANE_ARGUMENT)?;
    let (values, read) = format.decode_with(Detected::active(), src, values)?;
    Ok(bytelane_result::ok(read, values.len()))
}

impl Kind for ErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        Ok(match self {
            Self::Destination(error) => return Err(error),
            Self::Truncated { .. } => BYTELANE_TRUNCATED,
            Self::Value { .. } => BYTELANE_INVALID_VALUE,
            Self::Range { .. } => BYTELANE_RANGE,
            _ => BYTELANE_MALFORMED,
        })
    }
}
