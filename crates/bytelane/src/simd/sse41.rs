//! SSE4.1: vectors of 16 bytes.
#![allow(unsafe_code)] // Loads and stores on arrays, and compiler barriers.

use super::Writes;
use super::x86::prefetch_write;
use crate::memory::Byte;
use core::arch::x86_64::*;

/// Loads 16 bytes.
#[target_feature(enable = "sse2")]
#[inline]
pub(crate) fn load(from: &[u8; 16]) -> __m128i {
    // SAFETY: the array has 16 bytes; the load needs no alignment.
    unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
}

/// Stores 16 bytes.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn store<B: Byte>(to: &mut [B; 16], vector: __m128i) {
    // SAFETY: the array has 16 bytes, and `Byte` holds any; the store needs no alignment.
    unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), vector) }
}

/// Stores 16 bytes as `W` specifies.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn put<W: Writes, B: Byte>(to: &mut [B; 16], vector: __m128i) {
    if W::STREAM && to.as_ptr().addr().is_multiple_of(16) {
        // SAFETY: the array has 16 bytes, is aligned to 16, and `Byte` holds any. No byte of it is
        // accessed again before a fence: see `Streamed`.
        unsafe { _mm_stream_si128(to.as_mut_ptr().cast(), vector) }
    } else {
        store(to, vector);
    }
}

/// If `W` asks for prefetching, requests the line `distance` bytes after `from`.
#[inline(always)]
pub(crate) fn ahead<W: Writes, B: Byte>(from: &[B], distance: usize) {
    if W::AHEAD {
        prefetch_write(from.as_ptr().wrapping_add(distance).cast());
    }
}

/// Interleaves the units of `UNIT` bytes of the lower halves of two vectors:
/// `a0 b0 a1 b1 ..` from `a0 a1 ..` and `b0 b1 ..`.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn interleave_low<const UNIT: usize>(a: __m128i, b: __m128i) -> __m128i {
    match UNIT {
        1 => _mm_unpacklo_epi8(a, b),
        2 => _mm_unpacklo_epi16(a, b),
        4 => _mm_unpacklo_epi32(a, b),
        _ => _mm_unpacklo_epi64(a, b),
    }
}

/// Same as [`interleave_low`], for the upper halves.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn interleave_high<const UNIT: usize>(a: __m128i, b: __m128i) -> __m128i {
    match UNIT {
        1 => _mm_unpackhi_epi8(a, b),
        2 => _mm_unpackhi_epi16(a, b),
        4 => _mm_unpackhi_epi32(a, b),
        _ => _mm_unpackhi_epi64(a, b),
    }
}

/// Hides a vector from the compiler. With a constant, LLVM splits some instructions, such as a
/// multiplication, into several that it believes to be cheaper.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn opaque(vector: __m128i) -> __m128i {
    #[allow(unused_mut, reason = "Miri knows no assembly")]
    let mut vector = vector;
    // SAFETY: no instruction at all. `pure`, so that it may leave a loop.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {} */", inout(xmm_reg) vector, options(pure, nomem, nostack, preserves_flags));
    }
    vector
}

/// Loads 8 bytes from each of two addresses, the first to the lower half.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn load_pair(low: &[u8; 8], high: &[u8; 8]) -> __m128i {
    // A single instruction, `movhps`, loads to the upper half if it is an `f64`. Its intrinsic
    // cannot be used: it assumes the alignment of a `*const f64`.
    let high = f64::from_bits(u64::from_le_bytes(*high));
    let low = _mm_castsi128_pd(load_low(low));
    _mm_castpd_si128(_mm_unpacklo_pd(low, _mm_set_sd(high)))
}

/// Stores the lower 8 bytes.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn store_low<B: Byte>(to: &mut [B; 8], vector: __m128i) {
    // SAFETY: the array has 8 bytes, and `Byte` holds any; the store needs no alignment.
    unsafe { _mm_storel_epi64(to.as_mut_ptr().cast(), vector) }
}

/// Stores the upper 8 bytes.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn store_high<B: Byte>(to: &mut [B; 8], vector: __m128i) {
    // Same trick as in `load_pair`; opaque, since LLVM uses two instructions if it knows more about
    // the value.
    let vector = _mm_castsi128_pd(opaque(vector));
    let high = _mm_cvtsd_f64(_mm_unpackhi_pd(vector, vector));
    // SAFETY: the array has 8 bytes, and `Byte` holds any; the write needs no alignment.
    unsafe { to.as_mut_ptr().cast::<f64>().write_unaligned(high) }
}

/// Loads 8 bytes to the lower half, zeros to the upper.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn load_low(from: &[u8; 8]) -> __m128i {
    // SAFETY: the array has the 8 bytes that the instruction loads; it needs no alignment.
    unsafe { _mm_loadl_epi64(from.as_ptr().cast()) }
}

/// Same as [`opaque`], but not hoisted out of a loop. This is for a factor of a 16-bit
/// multiplication: LLVM would widen it outside the loop if it could, and then no longer find the
/// single instruction inside.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(crate) fn opaque_in_place(vector: __m128i) -> __m128i {
    #[allow(unused_mut, reason = "Miri knows no assembly")]
    let mut vector = vector;
    // SAFETY: no instruction at all.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {} */", inout(xmm_reg) vector, options(nomem, nostack, preserves_flags));
    }
    vector
}
