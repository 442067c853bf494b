//! The only module with intrinsics that access memory: loads, stores, prefetches and barriers, all
//! on arrays whose lengths are in their types; loops in assembly; and the step from a token into its
//! instructions.

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
pub(crate) mod avx2;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(crate) mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little", feature = "neon"))]
pub(crate) mod neon;
#[cfg(all(
    target_arch = "arm",
    target_endian = "little",
    feature = "std",
    feature = "neon"
))]
pub(crate) mod neon32;
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
pub(crate) mod sse41;
mod strides;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use crate::backend::tuning::tuning;
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
pub(crate) use strides::windows_of_strides;
pub(crate) use strides::{Shuffle, Stride, Strides, StridesMut};

/// Implements a codec's trait for a token. Each row names the method and the function that does the
/// work, which states the features that it needs: the row
///
/// ```ignore
/// implement! {
///     impl<const K: usize> Swap<K> for Avx2 {
///         fn swap64<W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) = swap64::<K, W>;
///     }
/// }
/// ```
///
/// becomes
///
/// ```ignore
/// impl<const K: usize> Swap<K> for Avx2 {
///     #[inline(always)]
///     fn swap64<W: Writes>(self, from: &[u8; 64], to: &mut [Slot; 64]) {
///         #[target_feature(enable = "avx2")] // and the others of the list
///         #[inline]
///         fn inside<const K: usize, W: Writes>(from: &[u8; 64], to: &mut [Slot; 64]) {
///             swap64::<K, W>(from, to)
///         }
///         // SAFETY: `self` is a token: it exists only where detection found these features.
///         unsafe { inside::<K, W>(from, to) }
///     }
/// }
/// ```
///
/// Inside `inside` the call is safe: the compiler checks that the token's features include those
/// that the function needs.
///
/// With `=>` instead of `=`, the row names an algorithm that takes the token as its first argument.
/// It is then compiled on its own, so that a loop has all registers to itself.
macro_rules! implement {
    (impl $(<const $K:ident: usize>)? $Trait:ident $(<$Arg:ident>)? for $Token:ident {
        $(const $Const:ident: $Of:ty = $value:expr;)*
        $(type $Type:ident = $Is:ty;)*
        $(fn $method:ident $(<$W:ident: $Bound:ident>)? ($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $(= $work:expr)? $(=> $kernel:expr)?;)*
    }) => {
        impl $(<const $K: usize>)? $Trait $(<$Arg>)? for $Token {
            $(const $Const: $Of = $value;)*
            $(type $Type = $Is;)*
            $crate::simd::implement! {
                @methods $Token [$(const $K: usize,)?] [$($K,)?]
                $(fn $method $(<$W: $Bound>)? ($($arg: $ty),*) $(-> $ret)? $(= $work)? $(=> $kernel)?;)*
            }
        }
    };
    (@methods $Token:ident $declare:tt $pass:tt
        $(fn $method:ident $(<$W:ident: $Bound:ident>)? ($($arg:ident: $ty:ty),*) $(-> $ret:ty)? $(= $work:expr)? $(=> $kernel:expr)?;)*
    ) => {
        $( $crate::simd::implement! { @method
            $Token $declare $pass [$($W: $Bound,)?] [$($W,)?]
            $method ($($arg: $ty),*) [$(-> $ret)?] $(= $work)? $(=> $kernel)?
        } )*
    };
    (@method
        $Token:ident [$($declare:tt)*] [$($pass:tt)*] [$($own:tt)*] [$($pass_own:tt)*]
        $method:ident ($($arg:ident: $ty:ty),*) [$($ret:tt)*] = $work:expr
    ) => {
        #[inline(always)]
        fn $method<$($own)*>(self, $($arg: $ty),*) $($ret)* {
            $crate::backend::features! { $Token => inside! {
                #[inline]
                fn inside<$($declare)* $($own)*>($($arg: $ty),*) $($ret)* { $work($($arg),*) }
            } }
            // SAFETY: `self` is a token: it exists only where detection found these features.
            #[allow(unsafe_code)]
            unsafe { inside::<$($pass)* $($pass_own)*>($($arg),*) }
        }
    };
    (@method
        $Token:ident [$($declare:tt)*] [$($pass:tt)*] [$($own:tt)*] [$($pass_own:tt)*]
        $method:ident ($($arg:ident: $ty:ty),*) [$($ret:tt)*] => $kernel:expr
    ) => {
        #[inline(always)]
        fn $method<$($own)*>(self, $($arg: $ty),*) $($ret)* {
            $crate::backend::features! { $Token => inside! {
                // Not the method, which would only jump here.
                #[inline(never)]
                fn inside<$($declare)* $($own)*>($($arg: $ty,)* token: $Token) $($ret)* {
                    $kernel(token, $($arg),*)
                }
            } }
            // SAFETY: `self` is a token: it exists only where detection found these features.
            #[allow(unsafe_code)]
            unsafe { inside::<$($pass)* $($pass_own)*>($($arg,)* self) }
        }
    };
}
pub(crate) use implement;

/// How a kernel stores to its destination, chosen once per buffer.
pub(crate) trait Writes: Copy {
    /// True if the first-level cache need not hold the destination.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "NEON has one form for all")
    )]
    const OUTER: bool = true;
    /// True to request each line some distance ahead of the store, so that it is present and
    /// writable in time.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "NEON asks for nothing")
    )]
    const AHEAD: bool = false;
    /// True to bypass the cache if the destination is aligned to the vector.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "NEON has no such stores")
    )]
    const STREAM: bool = false;
}

/// Destination in the first-level cache, or wherever the CPU needs no requests: requesting a line that is
/// already there costs 8 to 15%.
#[derive(Clone, Copy)]
pub(crate) struct Near;
impl Writes for Near {
    const OUTER: bool = false;
}

/// Destination in an outer cache or in memory, on a CPU that needs no requests.
#[derive(Clone, Copy)]
pub(crate) struct Outer;
impl Writes for Outer {}

/// Destination in an outer cache or in memory.
#[derive(Clone, Copy)]
pub(crate) struct Far;
impl Writes for Far {
    const AHEAD: bool = true;
}

/// Destination that leaves the cache before it is read.
///
/// After a non-temporal store, its bytes must not be accessed before a fence. So a kernel never
/// stores to a byte after it may have streamed to it: where blocks overlap, it writes the first and
/// the last one before those in between, and uses `Streamed` only for the latter. And
/// the code that chooses `Streamed`, such as [`streamed_if!`], holds a [`Publish`], which fences before the caller continues.
#[derive(Clone, Copy)]
pub(crate) struct Streamed;
impl Writes for Streamed {
    const STREAM: bool = true;
}

/// Orders streamed stores before all later accesses, also while a panic unwinds.
pub(crate) struct Publish;

impl Drop for Publish {
    #[inline]
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        x86::fence();
    }
}

/// Runs a piece of code with the name `$W` standing for the [`Writes`] that suit a source and a destination
/// of `$bytes` bytes each.
///
/// Put it around a call of a function that `dispatch!` defines. Small inputs are frequent; they
/// then pass through functions that save no registers and make no further decisions.
macro_rules! with_writes {
    ($bytes:expr, $W:ident => $run:expr) => {
        if $bytes <= $crate::backend::tuning::NEAR_BYTES {
            type $W = $crate::simd::Near;
            $run
        } else {
            $crate::simd::out_of_line(|| {
                let stream = $crate::simd::are_beyond_cache(2 * $bytes);
                if !stream && $crate::simd::is_near($bytes) {
                    type $W = $crate::simd::Near;
                    $run
                } else {
                    $crate::simd::streamed_if!(stream, $W or $crate::simd::Far => $run)
                }
            })
        }
    };
}
pub(crate) use with_writes;

/// Runs a piece of code with the name `$W` standing for [`Streamed`] if `$stream`, else for `$Other`.
macro_rules! streamed_if {
    ($stream:expr, $W:ident or $Other:ty => $run:expr) => {
        if $stream {
            type $W = $crate::simd::Streamed;
            let _publish = $crate::simd::Publish;
            $run
        } else {
            type $W = $Other;
            $run
        }
    };
}
pub(crate) use streamed_if;

/// Returns whether this CPU stores a destination of this size like one in the first-level cache. No other
/// architecture has such CPUs, so that there, the code for near destinations exists once.
#[inline]
pub(crate) fn is_near(bytes: usize) -> bool {
    cfg!(target_arch = "x86_64") && bytes <= tuning().near_bytes
}

/// Calls a closure out of line: the caller saves registers for the call only when it is made.
#[cold]
#[inline(never)]
pub(crate) fn out_of_line<R>(run: impl FnOnce() -> R) -> R {
    run()
}

/// Returns whether a source and a destination, of so many bytes together, fill three quarters of the last-level
/// cache or more. Then the destination is streamed: little of it would still be there when it is read.
///
/// On Zen 4, with a cache of 32 MiB, joining streams of bytes takes 0.45 to 0.75 of the time from 24 MB on, and with the values
/// read afterwards 0.65 to 0.9; up to 16 MB, the latter took longer (1.0 to 1.35). See `docs/lab-notes/byte-stream-split.md`.
#[inline]
pub(crate) fn are_beyond_cache(bytes: usize) -> bool {
    bytes >= stream_bytes()
}

/// Returns three quarters of the size of the last-level cache, in bytes. Tests assume a small cache.
#[inline]
fn stream_bytes() -> usize {
    #[cfg(target_arch = "x86_64")]
    return match cfg!(test) {
        true => 6 << 20,
        false => x86::last_level_cache() / 4 * 3,
    };
    #[cfg(not(target_arch = "x86_64"))]
    return usize::MAX;
}

/// Returns `N` elements of a slice from `at` on, as an array.
#[inline(always)]
pub(crate) fn window<const N: usize, T>(from: &[T], at: usize) -> &[T; N] {
    from[at..at + N]
        .first_chunk()
        .expect("as long as it was cut")
}

/// Returns `N` elements of a slice from `at` on, as an array, for writing.
#[inline(always)]
pub(crate) fn window_mut<const N: usize, T>(from: &mut [T], at: usize) -> &mut [T; N] {
    from[at..at + N]
        .first_chunk_mut()
        .expect("as long as it was cut")
}

/// Arrays of `N` bytes of a slice, each `stride` bytes after the one before, which it may overlap.
/// All are checked at once, before there are any: a loop over all of them has no other check.
pub(crate) struct Windows<'a, const N: usize> {
    from: &'a [u8],
    stride: usize,
    count: usize,
}

impl<'a, const N: usize> Windows<'a, N> {
    /// Creates up to `most` windows: those that end within the slice.
    #[inline(always)]
    pub(crate) fn new(from: &'a [u8], stride: usize, most: usize) -> Self {
        // The last possible start of the last window, and its actual start.
        let room = from.len().checked_sub(N);
        let last = most.saturating_sub(1).checked_mul(stride);
        let count = match (room, last) {
            (Some(room), Some(last)) if last <= room => most,
            // The stride is not 0, or the last window would begin where the first one does.
            (Some(room), _) => room / stride + 1,
            (None, _) => 0,
        };
        Self {
            from,
            stride,
            count,
        }
    }

    /// Returns the number of windows.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns window `number`, which must exist.
    #[inline(always)]
    pub(crate) fn at(&self, number: usize) -> &'a [u8; N] {
        assert!(number < self.count, "a window out of range");
        let window = self.from.as_ptr().wrapping_add(number * self.stride);
        // SAFETY: `new` found that window `count - 1`, and so each one before it, begins at least N
        // bytes before the end of the slice, which is borrowed for `'a`. An array of bytes needs no
        // alignment.
        #[allow(unsafe_code)]
        unsafe {
            &*window.cast()
        }
    }
}

/// Performs log2 K rounds over an array of K vectors. Each round interleaves vectors that are K / 2
/// apart: the lower halves of vectors `i` and `i + K / 2` go to vector `2 i`, the upper halves to
/// `2 i + 1`.
macro_rules! interleave {
    ($vectors:ident, $low:expr, $high:expr) => {
        for _ in 0..$vectors.len().ilog2() {
            let (before, half) = ($vectors, $vectors.len() / 2);
            for i in 0..half {
                $vectors[2 * i] = $low(before[i], before[half + i]);
                $vectors[2 * i + 1] = $high(before[i], before[half + i]);
            }
        }
    };
}
pub(crate) use interleave;

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::Windows;
    use alloc::vec::Vec;

    /// All windows end within the slice, and there are at most as many as requested.
    #[test]
    fn windows_end_within_the_slice() {
        let bytes: [u8; 20] = core::array::from_fn(|i| i as u8);
        for length in 0..=bytes.len() {
            for stride in 0..=9 {
                for most in 0..=8 {
                    let windows = Windows::<4>::new(&bytes[..length], stride, most);
                    let expected: Vec<_> = (0..most)
                        .map_while(|i| bytes[..length].get(stride * i..stride * i + 4))
                        .collect();
                    let found: Vec<_> = (0..windows.count()).map(|i| windows.at(i)).collect();
                    assert_eq!(found, expected, "{length} {stride} {most}");
                }
            }
        }
    }

    /// A count that no slice can have does not overflow.
    #[test]
    fn windows_that_would_overflow_are_not_there() {
        let windows = Windows::<4>::new(&[0; 64], usize::MAX / 2, usize::MAX);
        assert_eq!(windows.count(), 1);
        assert_eq!(Windows::<4>::new(&[0; 3], 0, usize::MAX).count(), 0);
    }

    #[test]
    #[should_panic(expected = "a window out of range")]
    fn a_window_that_is_not_there_panics() {
        Windows::<4>::new(&[0; 8], 4, 5).at(2);
    }
}
