//! Bit packing: integers with the same number of bits each.

use crate::buffers::both;
use crate::result::*;
use bytelane::bit_packing::{ErrorKind, Format, Integer, SignedInteger};
use bytelane::{DestinationError, Detected, Value};

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

/// Packs `count` values, least significant bit first. The result has
/// `bytelane_bit_packing_encoded_length` bytes.
///
/// Fails with `BYTELANE_INVALID_VALUE` if a value does not fit the width; `offset` is then that of
/// its first byte in memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_encode_u8(
    format: bytelane_bit_packing_format,
    values: *const u8,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(format, (values, count), (dst, dst_length)) }
}

/// Same as `bytelane_bit_packing_encode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_encode_u16(
    format: bytelane_bit_packing_format,
    values: *const u16,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(format, (values, count), (dst, dst_length)) }
}

/// Same as `bytelane_bit_packing_encode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_encode_u32(
    format: bytelane_bit_packing_format,
    values: *const u32,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(format, (values, count), (dst, dst_length)) }
}

/// Same as `bytelane_bit_packing_encode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_encode_u64(
    format: bytelane_bit_packing_format,
    values: *const u64,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(format, (values, count), (dst, dst_length)) }
}

/// Same as `bytelane_bit_packing_encode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_encode_i32(
    format: bytelane_bit_packing_format,
    values: *const i32,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(format, (values, count), (dst, dst_length)) }
}

/// Same as `bytelane_bit_packing_encode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_encode_i64(
    format: bytelane_bit_packing_format,
    values: *const i64,
    count: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `count` numbers at `values`, and room for `dst_length` bytes at
    // `dst` that nothing else accesses during the call.
    unsafe { encode(format, (values, count), (dst, dst_length)) }
}

/// Unpacks `count` values from the front of `src`, which may be longer: `offset` is the number of
/// bytes read.
///
/// Fails with `BYTELANE_TRUNCATED`; nothing is written then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_decode_u8(
    format: bytelane_bit_packing_format,
    src: *const u8,
    src_length: usize,
    values: *mut u8,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode(format, (src, src_length), (values, count)) }
}

/// Same as `bytelane_bit_packing_decode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_decode_u16(
    format: bytelane_bit_packing_format,
    src: *const u8,
    src_length: usize,
    values: *mut u16,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode(format, (src, src_length), (values, count)) }
}

/// Same as `bytelane_bit_packing_decode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_decode_u32(
    format: bytelane_bit_packing_format,
    src: *const u8,
    src_length: usize,
    values: *mut u32,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode(format, (src, src_length), (values, count)) }
}

/// Same as `bytelane_bit_packing_decode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_decode_u64(
    format: bytelane_bit_packing_format,
    src: *const u8,
    src_length: usize,
    values: *mut u64,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode(format, (src, src_length), (values, count)) }
}

/// Same as `bytelane_bit_packing_decode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_decode_i32(
    format: bytelane_bit_packing_format,
    src: *const u8,
    src_length: usize,
    values: *mut i32,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode(format, (src, src_length), (values, count)) }
}

/// Same as `bytelane_bit_packing_decode_u8`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_bit_packing_decode_i64(
    format: bytelane_bit_packing_format,
    src: *const u8,
    src_length: usize,
    values: *mut i64,
    count: usize,
) -> bytelane_result {
    // SAFETY: the caller promises `src_length` bytes at `src`, and room for `count` numbers at
    // `values` that nothing else accesses during the call.
    unsafe { decode(format, (src, src_length), (values, count)) }
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

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn encode<T: Element>(
    format: bytelane_bit_packing_format,
    values: (*const T, usize),
    dst: (*mut u8, usize),
) -> bytelane_result {
    catching(|| {
        let format = T::format(format).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `both` requires.
        let (values, dst) = unsafe { both(values, dst) }?;
        let written = format.encode_with(Detected::active(), values, dst)?;
        Ok(bytelane_result::ok(values.len(), written.len()))
    })
}

/// # Safety
///
/// The same as [`both`].
#[inline(always)]
unsafe fn decode<T: Element>(
    format: bytelane_bit_packing_format,
    src: (*const u8, usize),
    values: (*mut T, usize),
) -> bytelane_result {
    catching(|| {
        let format = T::format(format).ok_or(BYTELANE_ARGUMENT)?;
        // SAFETY: the caller promises what `both` requires.
        let (src, values) = unsafe { both(src, values) }?;
        let (values, read) = format.decode_with(Detected::active(), src, values)?;
        Ok(bytelane_result::ok(read, values.len()))
    })
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
