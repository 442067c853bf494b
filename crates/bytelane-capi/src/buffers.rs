//! Converts pointers and lengths of C to slices, and checks them as far as possible.

use crate::result::*;
use bytelane::Value;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

/// Buffer of the caller: the address of its first byte, and its length in bytes.
#[derive(Clone, Copy)]
struct Extent {
    address: usize,
    bytes: usize,
}

impl Extent {
    /// Checks everything that can be checked without knowing who owns the memory.
    #[inline(always)]
    fn check<T>(start: *const T, count: usize) -> Result<Self, bytelane_status> {
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

/// Returns the slices of a call: [`input`], or [`both`] if it writes.
macro_rules! slices {
    ($src:expr) => {
        $crate::buffers::input($src)
    };
    ($src:expr, $dst:expr) => {
        $crate::buffers::both($src, $dst)
    };
}
pub(crate) use slices;

/// Returns the values that a call reads.
///
/// # Safety
///
/// If `count` is not 0 and `start` is neither null nor misaligned, `start` points to `count`
/// initialised values that nothing writes to during `'a`.
#[inline(always)]
pub(crate) unsafe fn input<'a, T: Value>(
    (start, count): (*const T, usize),
) -> Result<(&'a [T],), bytelane_result> {
    Extent::check(start, count)?;
    // SAFETY: the requirements of `view` are those of this function, and `check` has passed.
    Ok((unsafe { view(start, count) },))
}

/// Returns the values that a call reads, and the memory that it writes to.
///
/// # Safety
///
/// For `src`, as for [`input`]. If `room` is not 0 and `dst` is neither null nor misaligned, `dst`
/// points to memory for `room` values, initialised or not, that nothing else accesses during `'a`;
/// unless it overlaps `src`, which is rejected.
#[inline(always)]
pub(crate) unsafe fn both<'a, S: Value, D: Value>(
    (src, count): (*const S, usize),
    (dst, room): (*mut D, usize),
) -> Result<(&'a [S], &'a mut [MaybeUninit<D>]), bytelane_result> {
    let from = Extent::check(src, count)?;
    let to = Extent::check(dst, room)?;
    if from.overlaps(to) {
        return Err(BYTELANE_OVERLAP.into());
    }
    let dst = match room {
        0 => NonNull::dangling().as_ptr(),
        _ => dst.cast(),
    };
    // SAFETY: `check` has passed for both, and they do not overlap. So `dst` is aligned, not null,
    // and has at most `isize::MAX` bytes; the caller promises that they exist and that nothing else
    // accesses them. Uninitialised memory is valid as `MaybeUninit`. An empty slice is valid at any
    // address.
    let to = unsafe { core::slice::from_raw_parts_mut(dst, room) };
    // SAFETY: the requirements of `view` are those of this function, and `check` has passed.
    Ok((unsafe { view(src, count) }, to))
}

/// Returns the slice of checked values.
///
/// # Safety
///
/// The same as [`input`]; and `Extent::check` has accepted the arguments.
#[inline(always)]
unsafe fn view<'a, T: Value>(start: *const T, count: usize) -> &'a [T] {
    let start = match count {
        0 => NonNull::<T>::dangling().as_ptr().cast_const(),
        _ => start,
    };
    // SAFETY: not null, aligned, and at most `isize::MAX` bytes, as `check` has found; the caller
    // promises that the values exist, are initialised, and are not written to. Every pattern of
    // bits is a `Value`. An empty slice is valid at any address.
    unsafe { core::slice::from_raw_parts(start, count) }
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
