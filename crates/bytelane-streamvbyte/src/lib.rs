#![doc = include_str!("../README.md")]
#![allow(unsafe_code)]
// C passes pointers without lengths. The header of the C library states what each function requires
// of its pointers.
#![allow(clippy::missing_safety_doc)]

mod length;
pub mod zigzag;

use bytelane::Detected;
use bytelane::stream_vbyte::Format;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use length::Variant;

/// Encodes values in 1, 2, 3 or 4 bytes each. Returns the number of bytes written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn streamvbyte_encode(
    values: *const u32,
    length: u32,
    out: *mut u8,
) -> usize {
    // SAFETY: the caller promises what the function requires.
    unsafe { encode(Format::V1234, values, length, out) }
}

/// Encodes values in 0, 1, 2 or 4 bytes each. Returns the number of bytes written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn streamvbyte_encode_0124(
    values: *const u32,
    length: u32,
    out: *mut u8,
) -> usize {
    // SAFETY: the caller promises what the function requires.
    unsafe { encode(Format::V0124, values, length, out) }
}

/// Encodes differences in 1, 2, 3 or 4 bytes each. Returns the number of bytes written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn streamvbyte_delta_encode(
    values: *const u32,
    length: u32,
    out: *mut u8,
    previous: u32,
) -> usize {
    // SAFETY: the caller promises what the function requires.
    unsafe { encode(Format::V1234.delta(previous), values, length, out) }
}

/// Decodes the output of [`streamvbyte_encode`]. Returns the number of bytes read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn streamvbyte_decode(bytes: *const u8, out: *mut u32, length: u32) -> usize {
    // SAFETY: the caller promises what the function requires.
    unsafe { decode(Format::V1234, Variant::V1234, bytes, out, length) }
}

/// Decodes the output of [`streamvbyte_encode_0124`]. Returns the number of bytes read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn streamvbyte_decode_0124(
    bytes: *const u8,
    out: *mut u32,
    length: u32,
) -> usize {
    // SAFETY: the caller promises what the function requires.
    unsafe { decode(Format::V0124, Variant::V0124, bytes, out, length) }
}

/// Decodes the output of [`streamvbyte_delta_encode`]. Returns the number of bytes read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn streamvbyte_delta_decode(
    bytes: *const u8,
    out: *mut u32,
    length: u32,
    previous: u32,
) -> usize {
    let format = Format::V1234.delta(previous);
    // SAFETY: the caller promises what the function requires.
    unsafe { decode(format, Variant::V1234, bytes, out, length) }
}

/// Returns the number of bytes that [`streamvbyte_encode`] would write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn streamvbyte_compressedbytes(values: *const u32, length: u32) -> usize {
    // SAFETY: the caller promises `length` values.
    Format::V1234.encoded_len(unsafe { view(values, length as usize) })
}

/// Returns the number of bytes that [`streamvbyte_encode_0124`] would write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn streamvbyte_compressedbytes_0124(
    values: *const u32,
    length: u32,
) -> usize {
    // SAFETY: the caller promises `length` values.
    Format::V0124.encoded_len(unsafe { view(values, length as usize) })
}

/// Returns whether `bytes` is a stream of `values` values and nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn streamvbyte_validate_stream(
    bytes: *const u8,
    length: usize,
    values: u32,
) -> bool {
    // SAFETY: the caller promises `length` bytes.
    let bytes = unsafe { view(bytes, length) };
    Format::<u32>::V1234.validate(bytes, values as usize) == Ok(length)
}

/// Same as [`streamvbyte_validate_stream`], for the output of [`streamvbyte_encode_0124`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn streamvbyte_validate_stream_0124(
    bytes: *const u8,
    length: usize,
    values: u32,
) -> bool {
    // SAFETY: the caller promises `length` bytes.
    let bytes = unsafe { view(bytes, length) };
    Format::<u32>::V0124.validate(bytes, values as usize) == Ok(length)
}

/// # Safety
///
/// `values` points to `length` values, and `out` to memory for the longest result, which does not
/// overlap them.
#[inline(always)]
unsafe fn encode(format: Format<u32>, values: *const u32, length: u32, out: *mut u8) -> usize {
    let length = length as usize;
    // SAFETY: the caller promises these values.
    let values = unsafe { view(values, length) };
    // SAFETY: the caller promises room for `streamvbyte_max_compressedbytes`, which is more.
    let out = unsafe { room(out, format.max_encoded_len(length)) };
    let written = format.encode_with(Detected::active(), values, out);
    written.expect("there is room for the longest result").len()
}

/// # Safety
///
/// `bytes` points to a stream of `length` values of this format and variant, and `out` to memory
/// for the values, which does not overlap it.
#[inline(always)]
unsafe fn decode(
    format: Format<u32>,
    variant: Variant,
    bytes: *const u8,
    out: *mut u32,
    length: u32,
) -> usize {
    let length = length as usize;
    // SAFETY: a stream begins with a control byte for every four values.
    let controls = unsafe { view(bytes, length.div_ceil(4)) };
    let data = variant.data_length(controls, length);
    // SAFETY: the stream has the data that its control bytes announce.
    let bytes = unsafe { view(bytes, controls.len() + data) };
    // SAFETY: the caller promises room for the values.
    let out = unsafe { room(out, length) };
    let decoded = format.decode_with(Detected::active(), bytes, out);
    let (_, read) = decoded.expect("the stream has all its data");
    read
}

/// Returns the caller's memory; a null pointer is allowed for an empty slice.
///
/// # Safety
///
/// Unless `count` is 0, `start` points to `count` initialised, aligned elements that nothing writes
/// to during `'a`.
#[inline(always)]
unsafe fn view<'a, T>(start: *const T, count: usize) -> &'a [T] {
    let start = match count {
        0 => NonNull::<T>::dangling().as_ptr().cast_const(),
        _ => start,
    };
    // SAFETY: the caller promises these elements; an empty slice is valid at any address.
    unsafe { core::slice::from_raw_parts(start, count) }
}

/// Same as [`view`], for writing to memory that need not be initialised.
///
/// # Safety
///
/// Unless `count` is 0, `start` points to aligned memory for `count` elements that nothing else
/// accesses during `'a`.
#[inline(always)]
unsafe fn room<'a, T>(start: *mut T, count: usize) -> &'a mut [MaybeUninit<T>] {
    let start = match count {
        0 => NonNull::dangling().as_ptr(),
        _ => start.cast(),
    };
    // SAFETY: the caller promises this; uninitialised memory is valid as `MaybeUninit`.
    unsafe { core::slice::from_raw_parts_mut(start, count) }
}
