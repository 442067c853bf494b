//! Operations that write to fresh memory, and the forms that callers use: into a slice, into
//! uninitialised memory, or appended to a `Vec`.
//!
//! These forms are always inlined. As separate calls, which would pass the operation in memory,
//! they would make short inputs take 1.5 times as long.

use super::{Plain, Slot};
use crate::Detected;
use crate::error::{Error, RangeKind, front_for};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

/// An operation that writes to the front of a destination, which may be fresh memory.
pub trait Fill {
    /// Result of the operation besides the number of bytes.
    type Done;
    type Error;

    /// Writes to the front of `to`. Returns the number of bytes written.
    fn fill(self, to: &mut [Slot]) -> Result<(usize, Self::Done), Self::Error>;
}

/// Range of the values of an encoded input, to decode on a backend: what the operations of several
/// codecs consist of.
pub struct Part<'a, T> {
    src: &'a [u8],
    range: Range<usize>,
    backend: Detected,
    of: PhantomData<T>,
}

impl<'a, T> Part<'a, T> {
    #[inline]
    pub const fn new(src: &'a [u8], range: Range<usize>, backend: Detected) -> Self {
        let of = PhantomData;
        Self {
            src,
            range,
            backend,
            of,
        }
    }

    /// Cuts the destination to the length of the range, and calls `decode` with the input, the start of the range,
    /// the destination and the backend. Returns the number of bytes written and read.
    #[inline(always)]
    pub fn fill<K: RangeKind>(
        self,
        to: &mut [Slot],
        decode: impl FnOnce(&[u8], usize, &mut [Slot], Detected) -> Result<usize, Error<K>>,
    ) -> Result<(usize, usize), Error<K>> {
        let start = self.range.start;
        let to = front_for::<T, K>(to, self.range)?;
        Ok((to.len(), decode(self.src, start, to, self.backend)?))
    }
}

/// A [`Fill`] that does what it reports: the proof that the forms below rely on. The `claims.rs` of
/// each codec has the implementations, and argues for each.
///
/// # Safety
///
/// If `fill` returns `Ok` with a number of bytes, it has initialised that many bytes at the front
/// of `to`. It never stores uninitialised bytes to `to`.
pub unsafe trait Faithful: Fill {}

/// Memory to write to, which need not be initialised: the destination of the functions called
/// `_with`.
///
/// Convert a slice of values or of `MaybeUninit` into it.
///
/// ```
/// use bytelane::{Detected, big_endian};
///
/// let mut encoded = [0; 4];
/// let written = big_endian::encode_with(Detected::active(), &[1u32], &mut encoded[..]);
/// assert_eq!(written.unwrap(), [0, 0, 0, 1]);
/// ```
#[derive(Debug)]
pub struct Destination<'a, T> {
    /// Never store uninitialised values here: the memory may come from a slice of values.
    memory: &'a mut [MaybeUninit<T>],
}

impl<'a, T> From<&'a mut [MaybeUninit<T>]> for Destination<'a, T> {
    #[inline]
    fn from(memory: &'a mut [MaybeUninit<T>]) -> Self {
        Self { memory }
    }
}

impl<'a, T: Plain> From<&'a mut [T]> for Destination<'a, T> {
    #[inline]
    fn from(values: &'a mut [T]) -> Self {
        let start = values.as_mut_ptr().cast();
        // SAFETY: the same memory for the same time: `MaybeUninit<T>` has the layout of `T`. The
        // values stay initialised, since nothing uninitialised is stored through the field.
        let memory = unsafe { core::slice::from_raw_parts_mut(start, values.len()) };
        Self { memory }
    }
}

impl<'a, T: Plain> Destination<'a, T> {
    /// Returns the number of values that fit.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.memory.len()
    }

    /// Runs an operation that writes to the front. Returns the values written.
    #[inline(always)]
    pub(crate) fn fill<F: Faithful>(
        self,
        operation: F,
    ) -> Result<(&'a mut [T], F::Done), F::Error> {
        let size = size_of_val(self.memory);
        let start: *mut T = self.memory.as_mut_ptr().cast();
        // SAFETY: the same memory, as long as this; `self` is not used again. A slot may be
        // uninitialised, and nothing uninitialised is stored, since the operation is `Faithful`.
        let slots = unsafe { core::slice::from_raw_parts_mut(start.cast::<Slot>(), size) };
        let (bytes, done) = operation.fill(slots)?;
        let count = usize::min(bytes, size) / size_of::<T>();
        // SAFETY: the bytes of the first `count` values have been initialised, since the operation
        // is `Faithful`, and every pattern of bits is a `T`.
        Ok((
            unsafe { core::slice::from_raw_parts_mut(start, count) },
            done,
        ))
    }
}

/// Appends up to `most` values to a `Vec` by writing to its spare capacity, which is not zeroed
/// first. Returns the number of values. On an error, the `Vec` keeps its length.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn append<T: Plain, F: Faithful>(
    operation: F,
    most: usize,
    to: &mut Vec<T>,
) -> Result<(usize, F::Done), F::Error> {
    to.reserve(most);
    append_to_room(operation, most, to)
}

/// Same as [`append`], if there is room.
///
/// # Panics
///
/// Panics if there is room for fewer than `most` values.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn append_to_room<T: Plain, F: Faithful>(
    operation: F,
    most: usize,
    to: &mut Vec<T>,
) -> Result<(usize, F::Done), F::Error> {
    let spare = &mut to.spare_capacity_mut()[..most];
    let size = size_of_val(spare);
    // SAFETY: the same memory for the same time; a slot may be uninitialised, and nothing
    // uninitialised is stored, since the operation is `Faithful`.
    let slots = unsafe { core::slice::from_raw_parts_mut(spare.as_mut_ptr().cast::<Slot>(), size) };
    let (bytes, done) = operation.fill(slots)?;
    debug_assert!(bytes <= size, "{bytes} bytes of {size}");
    let count = bytes / size_of::<T>();
    // SAFETY: the bytes of the first `count` values have been initialised, since the operation is
    // `Faithful`, so they are within the spare capacity; and every pattern of bits is a `T`.
    unsafe { to.set_len(to.len() + count) };
    Ok((count, done))
}
