//! Converts pointers and lengths of C to slices, and checks them as far as possible.

use crate::result::*;
use bytelane::Value;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// Buffer of the caller: the address of its first byte, and its length in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    address: usize,
    bytes: usize,
}

impl Extent {
    /// Checks everything that can be checked without knowing who owns the memory.
    #[inline(always)]
    pub(crate) fn of<T>(start: *const T, count: usize) -> Result<Self, bytelane_status> {
        if count > isize::MAX as usize / size_of::<T>() {
            return Err(BYTELANE_LENGTH);
        }
        if count != 0 && start.is_null() {
            return Err(BYTELANE_NULL);
        }
        if count != 0 && !start.is_aligned() {
            return Err(BYTELANE_MISALIGNED);
        }
        Ok(Self {
            address: start.addr(),
            bytes: count * size_of::<T>(),
        })
    }

    /// Returns whether two buffers share a byte. An empty buffer shares none.
    #[inline(always)]
    fn overlaps(self, other: Self) -> bool {
        // One buffer begins within the other exactly if the distance from the other to it, modulo
        // the address space, is less than the other's length.
        let (ahead, behind) = (
            other.address.wrapping_sub(self.address),
            self.address.wrapping_sub(other.address),
        );
        self.bytes != 0 && other.bytes != 0 && (ahead < self.bytes || behind < other.bytes)
    }
}

/// Checks that no buffer that a call writes to overlaps another one.
#[inline(always)]
pub(crate) fn check(inputs: &[Extent], outputs: &[Extent]) -> Result<(), bytelane_status> {
    for (i, output) in outputs.iter().enumerate() {
        let mut others = inputs.iter().chain(&outputs[..i]);
        if others.any(|other| output.overlaps(*other)) {
            return Err(BYTELANE_OVERLAP);
        }
    }
    Ok(())
}

/// Returns the values that a call reads, and the memory that it writes to.
///
/// # Safety
///
/// If `count` is not 0 and `src` is neither null nor misaligned, `src` points to `count`
/// initialised values that nothing writes to during `'a`. If `length` is not 0 and `dst` is neither
/// null nor misaligned, `dst` points to memory for `length` values, initialised or not, that nothing else
/// accesses during `'a`; unless it overlaps `src`, which is rejected.
#[inline(always)]
pub(crate) unsafe fn both<'a, S: Value, D: Value>(
    (src, count): (*const S, usize),
    (dst, length): (*mut D, usize),
) -> Result<(&'a [S], &'a mut [MaybeUninit<D>]), bytelane_result> {
    let (from, to) = (Extent::of(src, count)?, Extent::of(dst, length)?);
    check(&[from], &[to])?;
    // SAFETY: the requirements are those of this function, and both have been checked.
    let to = unsafe { room(dst, length) };
    // SAFETY: the same.
    Ok((unsafe { view(src, count) }, to))
}

/// Returns the slice of checked values.
///
/// # Safety
///
/// `Extent::of` has accepted the arguments. If `count` is not 0, `start` points to `count` initialised values that
/// nothing writes to during `'a`.
#[inline(always)]
pub(crate) unsafe fn view<'a, T: Value>(start: *const T, count: usize) -> &'a [T] {
    let start = match count {
        0 => NonNull::<T>::dangling().as_ptr().cast_const(),
        _ => start,
    };
    // SAFETY: not null, aligned, and at most `isize::MAX` bytes, as `Extent::of` has found; the caller
    // promises that the values exist, are initialised, and are not written to. Every pattern of
    // bits is a `Value`. An empty slice is valid at any address.
    unsafe { core::slice::from_raw_parts(start, count) }
}

/// Returns the slice of checked memory that a call writes to.
///
/// # Safety
///
/// `Extent::of` has accepted the arguments. If `length` is not 0, `start` points to memory for `length` values,
/// initialised or not, that nothing else accesses during `'a`.
#[inline(always)]
pub(crate) unsafe fn room<'a, T: Value>(start: *mut T, length: usize) -> &'a mut [MaybeUninit<T>] {
    let start = match length {
        0 => NonNull::dangling().as_ptr(),
        _ => start.cast(),
    };
    // SAFETY: not null, aligned, and at most `isize::MAX` bytes, as `Extent::of` has found; the caller
    // promises that the memory exists and that nothing else accesses it. Uninitialised memory is valid as
    // `MaybeUninit`. An empty slice is valid at any address.
    unsafe { core::slice::from_raw_parts_mut(start, length) }
}

/// Evaluates an expression for the unsigned type `T` of a given width.
macro_rules! of_width {
    ($width:expr, $T:ident => $call:expr) => {
        match $width {
            1 => {
                type $T = u8;
                $call
            }
            2 => {
                type $T = u16;
                $call
            }
            4 => {
                type $T = u32;
                $call
            }
            8 => {
                type $T = u64;
                $call
            }
            _ => $crate::result::BYTELANE_ARGUMENT.into(),
        }
    };
}
pub(crate) use of_width;
