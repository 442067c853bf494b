//! Views of values as bytes, and fresh memory as a destination.
#![allow(unsafe_code)] // Casts between primitive slices and bytes.

mod fill;
mod forms;
#[cfg(feature = "alloc")]
mod reserved;
mod table;
mod text;

use crate::simd::{window, window_mut};
use core::mem::MaybeUninit;
pub use fill::Destination;
pub(crate) use fill::{Faithful, Fill, Part};
#[cfg(feature = "alloc")]
pub(crate) use fill::{append, append_to_room};
pub(crate) use forms::{errors_of, forms, same_as};
#[cfg(feature = "alloc")]
pub use reserved::{Reserved, extend};
pub(crate) use table::Table;
#[cfg(feature = "alloc")]
pub(crate) use text::{Append, Appender};
#[cfg(feature = "alloc")]
pub use text::{Buffer, append_text};
pub(crate) use text::{Text, Validate, Validated, prefix};

/// A byte that a kernel may write but does not read: the element of a destination that may be fresh
/// memory.
pub(crate) type Slot = MaybeUninit<u8>;

/// An element that a kernel may store to: a byte, or a slot for one.
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
/// Implemented for the integers of 8 to 64 bits, `f32` and `f64`. Pass half-precision numbers as
/// the `u16` of their bits.
pub trait Value: Plain {}

/// A [`Value`], or a 128-bit integer: an element of a [`Destination`].
pub trait Plain:
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
        impl Plain for $T {}
    )* };
}
primitives! { i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 f32 f64 }

macro_rules! values {
    ($($T:ty)*) => { $( impl Value for $T {} )* };
}
values! { i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }

/// Returns the bytes of values, in this machine's byte order.
#[inline]
pub(crate) fn bytes<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: the same memory for the same time; `Primitive` has no padding, so every byte is
    // initialised, and bytes need no alignment.
    unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// Flattens arrays of bytes. `as_flattened` does the same, but in crates compiled without link-time
/// optimisation it stays a call, one for each load and store of a kernel.
#[inline(always)]
pub(crate) fn flat<const K: usize, B: Byte>(arrays: &[[B; K]]) -> &[B] {
    // SAFETY: the same memory for the same time: arrays have nothing between them, and a `Byte` has
    // one byte.
    unsafe { core::slice::from_raw_parts(arrays.as_ptr().cast(), size_of_val(arrays)) }
}

/// Same as [`flat`], for writing.
#[inline(always)]
pub(crate) fn flat_mut<const K: usize, B: Byte>(arrays: &mut [[B; K]]) -> &mut [B] {
    // SAFETY: as in `flat`.
    unsafe { core::slice::from_raw_parts_mut(arrays.as_mut_ptr().cast(), size_of_val(arrays)) }
}

/// Returns the results of `of` for the numbers below `N`, which is at least 1. `core::array::from_fn` does the same, but in
/// crates compiled without link-time optimisation it stays a call.
#[inline(always)]
pub(crate) fn array<T: Copy, const N: usize>(mut of: impl FnMut(usize) -> T) -> [T; N] {
    let mut results = [of(0); N];
    for i in 1..N {
        results[i] = of(i);
    }
    results
}

/// Conversion of all elements of an array.
pub(crate) trait Each<T, const N: usize> {
    /// Returns the results of `of` for all elements, of which there is at least one. `map` does the same, but stays a call as
    /// well: see [`array`].
    fn each<R: Copy>(self, of: impl FnMut(T) -> R) -> [R; N];
}

impl<T: Copy, const N: usize> Each<T, N> for [T; N] {
    #[inline(always)]
    fn each<R: Copy>(self, mut of: impl FnMut(T) -> R) -> [R; N] {
        array(|i| of(self[i]))
    }
}

/// Returns empty slices, to be replaced.
#[inline(always)]
pub(crate) fn empty_slices<'a, T, const N: usize>() -> [&'a mut [T]; N] {
    let mut slices = [const { MaybeUninit::<&'a mut [T]>::uninit() }; N];
    for i in 0..N {
        slices[i].write(&mut []);
    }
    // SAFETY: all slices were just written, and `MaybeUninit` has the layout of what it holds. This copy is the only
    // one that is used.
    unsafe {
        core::ptr::from_ref(&slices)
            .cast::<[&'a mut [T]; N]>()
            .read()
    }
}

/// Writes arrays of bytes to as many arrays of slots.
#[inline(always)]
pub(crate) fn write_arrays<const K: usize, const N: usize>(
    to: &mut [[Slot; K]; N],
    from: &[[u8; K]; N],
) {
    // SAFETY: `Slot` has the layout of `u8`, and may have any byte.
    *to = unsafe { *core::ptr::from_ref(from).cast() };
}

/// Writes bytes to the same number of slots.
#[inline(always)]
pub(crate) fn write<const N: usize>(to: &mut [Slot; N], from: [u8; N]) {
    for i in 0..N {
        to[i] = Slot::new(from[i]);
    }
}

/// Returns the first 16 bytes of a slice as two little-endian numbers; missing bytes are zeros.
///
/// Two reads may overlap: both agree on the bytes that they share.
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
        // Two shifts, since a single shift by all 64 bits would overflow.
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

/// Writes the first bytes of a [`pair`] to up to 16 slots.
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
            // Two shifts, since a single shift by all 64 bits would overflow. With 8 slots, both
            // writes store the same bytes.
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

/// A buffer on the stack, at the start of a cache line. Without that, its place within a line depends on
/// the caller, the environment and chance, and kernels whose vectors cross lines there take up to 1.6
/// times as long.
#[repr(C, align(64))]
pub(crate) struct Lines<T>(pub(crate) T);

/// Copies the first bytes of a block to a slice of up to 64 slots.
///
/// Each part lies within one of the vectors by which a kernel has just stored the block, so that its
/// load gets the bytes from that store. The parts of `memcpy` overlap, and wait for the stores.
#[inline(always)]
pub(crate) fn copy_front(to: &mut [Slot], block: &[Slot; 64]) {
    #[inline(always)]
    fn part<const N: usize>(to: &mut [Slot], block: &[Slot; 64], at: &mut usize) {
        if to.len() & N != 0 {
            *window_mut::<N, _>(to, *at) = *window(block, *at);
            *at += N;
        }
    }
    let at = &mut 0;
    part::<64>(to, block, at);
    part::<32>(to, block, at);
    part::<16>(to, block, at);
    part::<8>(to, block, at);
    part::<4>(to, block, at);
    part::<2>(to, block, at);
    part::<1>(to, block, at);
}

/// Copies bytes to the same number of slots.
#[inline]
#[track_caller]
pub(crate) fn copy(to: &mut [Slot], from: &[u8]) {
    if from.len() > PIECE && from.len() == to.len() && is_close_behind(to, from) {
        return copy_in_pieces(to, from);
    }
    to.copy_from_slice(slots(from));
}

/// Returns bytes as slots.
#[inline(always)]
fn slots(bytes: &[u8]) -> &[Slot] {
    // SAFETY: the same memory for the same time: `Slot` has the layout of `u8`, and a shared slice
    // of slots is only read.
    unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}

/// Largest number of bytes for which `memcpy` uses no `rep movsb`.
const PIECE: usize = 2048;

/// Returns whether a destination begins up to 128 bytes after the source, as far as the places within
/// pages of 4 KiB are concerned.
///
/// There, `rep movsb` of Zen 3 and Zen 4 takes up to 30 times as long, and `memcpy` of glibc before 2.39
/// uses it: 10,000 bytes take 475 ns if they are 41 to 63 bytes apart, 2,760 ns up to 15, else 95 ns.
/// In pieces they take 100 to 140 ns anywhere.
#[inline(always)]
fn is_close_behind(to: &[Slot], from: &[u8]) -> bool {
    let distance = to.as_ptr().addr().wrapping_sub(from.as_ptr().addr());
    (1..=128).contains(&(distance % 4096))
}

#[cold]
#[inline(never)]
fn copy_in_pieces(to: &mut [Slot], from: &[u8]) {
    for (to, from) in to.chunks_mut(PIECE).zip(slots(from).chunks(PIECE)) {
        to.copy_from_slice(from);
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Bytes of a page, and of a copy in two pieces and a rest.
    const PAGE: usize = 4096;
    const LONG: usize = 2 * PIECE + 100;

    #[test]
    fn long_copies_are_right_wherever_they_begin_within_a_page() {
        let from: Vec<u8> = (0..PAGE + LONG).map(|i| (i % 251) as u8).collect();
        let mut to = vec![Slot::new(0); 2 * PAGE + LONG];
        for distance in [0, 1, 16, 63, 64, 128, 129, 2000, 4095] {
            let first = from.as_ptr().addr().wrapping_add(distance);
            let begin = first.wrapping_sub(to.as_ptr().addr()) % PAGE;
            for len in [PIECE, PIECE + 1, LONG] {
                let (to, from) = (&mut to[begin..][..len], &from[..len]);
                assert_eq!(is_close_behind(to, from), (1..=128).contains(&distance));
                to.fill(Slot::new(0xff));
                copy(to, from);
                // SAFETY: the same memory for the same time; all slots were filled.
                let copied = unsafe { core::slice::from_raw_parts(to.as_ptr().cast::<u8>(), len) };
                assert_eq!(from, copied);
            }
        }
    }

    #[test]
    #[should_panic(expected = "length")]
    fn long_copies_need_room() {
        copy(&mut [Slot::new(0); LONG], &[0; LONG + 1]);
    }
}
