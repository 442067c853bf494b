//! Values seen as bytes, a `Vec`'s spare capacity as a place to write, and the size of the cache.
#![allow(unsafe_code)] // Casts between primitive slices and bytes.

use crate::simd::{window, window_mut};
use core::mem::MaybeUninit;

/// A byte that a kernel may write and does not read: what its destination is made of where the
/// destination may be fresh memory.
pub(crate) type Slot = MaybeUninit<u8>;

/// What a kernel may store to: bytes, and slots for them.
///
/// # Safety
///
/// The type has one byte, and each `u8` is a value of it.
pub(crate) unsafe trait Byte: Copy {}
// SAFETY: it is `u8`.
unsafe impl Byte for u8 {}
// SAFETY: it has the layout of `u8`, and holds any.
unsafe impl Byte for Slot {}

/// A primitive number: no padding, and every pattern of bits is a value of it.
///
/// Implemented for the integers of 8 to 64 bits, `f32` and `f64`; half-precision numbers travel as
/// the `u16` of their bits.
pub trait Value:
    Copy + Default + PartialEq + core::fmt::Debug + Send + Sync + sealed::Primitive + 'static
{
}

mod sealed {
    /// # Safety
    ///
    /// The type has no padding, and every pattern of bits is a value of it.
    pub unsafe trait Primitive {}
}

macro_rules! primitives {
    ($($T:ty)*) => { $(
        // SAFETY: a primitive number is nothing but bits, each pattern of them a number.
        unsafe impl sealed::Primitive for $T {}
        impl Value for $T {}
    )* };
}
primitives! { i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }

/// The bytes of values, in this machine's order.
#[inline]
pub(crate) fn bytes<T: Value>(values: &[T]) -> &[u8] {
    // SAFETY: the same memory for the same time; `Primitive` has no padding, so every byte is
    // initialised, and bytes need no alignment.
    unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The bytes of values to write to, in this machine's order.
#[inline]
pub(crate) fn bytes_mut<T: Value>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: as in `bytes`; and whatever is written, every pattern of bits is a value of `T`.
    unsafe { core::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

/// Bytes as slots, for kernels that only write. They write whole vectors and never take
/// initialisation back, which is all that a caller of theirs could notice.
#[inline]
pub(crate) fn slots(bytes: &mut [u8]) -> &mut [Slot] {
    // SAFETY: `MaybeUninit<u8>` has the layout of `u8`. The danger of this cast is safe code that
    // stores `MaybeUninit::uninit()` through it: slots are written in `simd/`, by the functions
    // below and by `MaybeUninit::write`, from initialised bytes only.
    unsafe { core::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len()) }
}

/// Bytes in arrays as bytes in a row. `as_flattened` does it too, but stays a call in crates that
/// are compiled without link-time optimisation, one for each load and store of a kernel.
#[inline(always)]
pub(crate) fn flat<const K: usize, B: Byte>(arrays: &[[B; K]]) -> &[B] {
    // SAFETY: the same memory for the same time: arrays have nothing between them, and a `Byte` has
    // one byte.
    unsafe { core::slice::from_raw_parts(arrays.as_ptr().cast(), size_of_val(arrays)) }
}

/// As [`flat`], to write to.
#[inline(always)]
pub(crate) fn flat_mut<const K: usize, B: Byte>(arrays: &mut [[B; K]]) -> &mut [B] {
    // SAFETY: as in `flat`.
    unsafe { core::slice::from_raw_parts_mut(arrays.as_mut_ptr().cast(), size_of_val(arrays)) }
}

/// Writes bytes to as many slots.
#[inline(always)]
pub(crate) fn write<const N: usize>(to: &mut [Slot; N], from: [u8; N]) {
    for i in 0..N {
        to[i] = Slot::new(from[i]);
    }
}

/// The first 16 bytes of a slice as two little-endian numbers, zeros for those that it does not have.
///
/// Two reads that overlap say the same about the bytes that both have.
#[inline(always)]
pub(crate) fn pair(from: &[u8]) -> [u64; 2] {
    #[inline(always)]
    fn number<const N: usize>(from: &[u8], at: usize) -> u64 {
        let mut bytes = [0; 8];
        *window_mut(&mut bytes, 0) = *window::<N, _>(from, at);
        u64::from_le_bytes(bytes)
    }
    let len = from.len();
    match len {
        16.. => [number::<8>(from, 0), number::<8>(from, 8)],
        // A shift by all of the 64 bits takes two.
        8.. => [
            number::<8>(from, 0),
            number::<8>(from, len - 8) >> (8 * (15 - len)) >> 8,
        ],
        4.. => [
            number::<4>(from, 0) | number::<4>(from, len - 4) << (8 * (len - 4)),
            0,
        ],
        2.. => [
            number::<2>(from, 0) | number::<2>(from, len - 2) << (8 * (len - 2)),
            0,
        ],
        1 => [u64::from(from[0]), 0],
        0 => [0; 2],
    }
}

/// Writes the first bytes of a [`pair`], as many as there are slots, up to 16.
#[inline(always)]
pub(crate) fn put_pair(to: &mut [Slot], [low, high]: [u64; 2]) {
    #[inline(always)]
    fn put<const N: usize>(to: &mut [Slot], at: usize, number: u64) {
        write(
            window_mut(to, at),
            *window::<N, _>(&number.to_le_bytes(), 0),
        );
    }
    let len = to.len();
    match len {
        16.. => {
            put::<8>(to, 0, low);
            put::<8>(to, 8, high);
        }
        8.. => {
            put::<8>(to, 0, low);
            // A shift by all of the 64 bits takes two; the first place is the same either way.
            put::<8>(
                to,
                len - 8,
                low >> (8 * (len - 8)) | high << (8 * (15 - len)) << 8,
            );
        }
        4.. => {
            put::<4>(to, 0, low);
            put::<4>(to, len - 4, low >> (8 * (len - 4)));
        }
        2.. => {
            put::<2>(to, 0, low);
            put::<2>(to, len - 2, low >> (8 * (len - 2)));
        }
        1 => put::<1>(to, 0, low),
        0 => {}
    }
}

/// Copies bytes to as many slots.
#[inline]
pub(crate) fn copy(to: &mut [Slot], from: &[u8]) {
    to.write_copy_of_slice(from);
}

/// Appends up to `most` values to a `Vec` by writing their bytes to its spare capacity, which is
/// not zeroed before. `fill` returns how many values it wrote, the first ones; what it returns as
/// an error is passed on, and the `Vec` keeps its length.
///
/// For kernels only: that they write all the bytes they say is what the oracle sweep tests with
/// destinations of two different contents.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn append<T: Value, E>(
    to: &mut alloc::vec::Vec<T>,
    most: usize,
    fill: impl FnOnce(&mut [Slot]) -> Result<usize, E>,
) -> Result<usize, E> {
    to.reserve(most);
    let spare = &mut to.spare_capacity_mut()[..most];
    // SAFETY: `spare` is exclusively ours, as long as this, and a slot may be uninitialised.
    let slots =
        unsafe { core::slice::from_raw_parts_mut(spare.as_mut_ptr().cast(), size_of_val(spare)) };
    let count = fill(slots)?.min(most);
    // SAFETY: `reserve` made room for `most` more; the kernel has written the bytes of the first
    // `count`, and every pattern of bits is a `T`.
    unsafe { to.set_len(to.len() + count) };
    Ok(count)
}

/// As [`append`], to a `String`: for kernels that write ASCII only.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn append_ascii<E>(
    to: &mut alloc::string::String,
    most: usize,
    fill: impl FnOnce(&mut [Slot]) -> Result<usize, E>,
) -> Result<(), E> {
    // SAFETY: only bytes are appended, and only after the kernel has written them. Its characters
    // come from a table of ASCII, whatever the bytes, so the `String` stays UTF-8.
    append(unsafe { to.as_mut_vec() }, most, fill).map(drop)
}

/// Appends to a `String` by way of its bytes: for kernels that validate what they append, and
/// append nothing that they refuse.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn append_text<T>(
    to: &mut alloc::string::String,
    append: impl FnOnce(&mut alloc::vec::Vec<u8>) -> T,
) -> T {
    // While the kernel works, the `String` is empty.
    let mut bytes = core::mem::take(to).into_bytes();
    let result = append(&mut bytes);
    debug_assert!(core::str::from_utf8(&bytes).is_ok());
    // SAFETY: the bytes of the `String` are UTF-8, and so are those behind them, as for `text`.
    *to = unsafe { alloc::string::String::from_utf8_unchecked(bytes) };
    result
}

/// Bytes as text.
///
/// For kernels only, and for bytes that they have validated: that they accept what the standard
/// library accepts is what their tests compare, on every backend.
#[inline]
pub(crate) fn text(validated: &[u8]) -> &str {
    debug_assert!(core::str::from_utf8(validated).is_ok());
    // SAFETY: the kernel has checked that these are UTF-8, by the table of RFC 3629.
    unsafe { core::str::from_utf8_unchecked(validated) }
}
