//! AVX2: vectors of 32 bytes, in two lanes of 16 that most shuffles do not cross.
#![allow(unsafe_code)] // Loads and stores on arrays, and compiler barriers.

use super::Writes;
use crate::memory::Byte;
use core::arch::x86_64::*;

/// Loads 32 bytes.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn load(from: &[u8; 32]) -> __m256i {
    // SAFETY: the array has 32 bytes; the load needs no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Loads each lane from its own address; the second load is part of the insert.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn load_lanes(low: &[u8; 16], high: &[u8; 16]) -> __m256i {
    let low = _mm256_castsi128_si256(super::sse41::load(low));
    _mm256_inserti128_si256(low, super::sse41::load(high), 1)
}

/// Loads the same bytes to each lane, for which no shuffle is needed.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn load_twice(from: &[u8; 16]) -> __m256i {
    _mm256_broadcastsi128_si256(super::sse41::load(from))
}

/// Stores 32 bytes.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn store<B: Byte>(to: &mut [B; 32], vector: __m256i) {
    // SAFETY: the array has 32 bytes, and `Byte` holds any; the store needs no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), vector) }
}

/// Stores 32 bytes as `W` specifies.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn put<W: Writes, B: Byte>(to: &mut [B; 32], vector: __m256i) {
    if W::STREAM && to.as_ptr().addr().is_multiple_of(32) {
        // SAFETY: the array has 32 bytes, is aligned to 32, and `Byte` holds any. No byte of it is
        // accessed again before a fence: see `Streamed`.
        unsafe { _mm256_stream_si256(to.as_mut_ptr().cast(), vector) }
    } else {
        store(to, vector);
    }
}

/// Interleaves, in each lane, the units of `UNIT` bytes of the lower halves of two vectors.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn interleave_low<const UNIT: usize>(a: __m256i, b: __m256i) -> __m256i {
    match UNIT {
        1 => _mm256_unpacklo_epi8(a, b),
        2 => _mm256_unpacklo_epi16(a, b),
        4 => _mm256_unpacklo_epi32(a, b),
        _ => _mm256_unpacklo_epi64(a, b),
    }
}

/// Same as [`interleave_low`], for the upper halves.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn interleave_high<const UNIT: usize>(a: __m256i, b: __m256i) -> __m256i {
    match UNIT {
        1 => _mm256_unpackhi_epi8(a, b),
        2 => _mm256_unpackhi_epi16(a, b),
        4 => _mm256_unpackhi_epi32(a, b),
        _ => _mm256_unpackhi_epi64(a, b),
    }
}

/// Hides a value from the compiler. Otherwise, LLVM splits a single-instruction multiplication into
/// several instructions that it believes to be cheaper.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn opaque(vector: __m256i) -> __m256i {
    #[allow(unused_mut, reason = "Miri knows no assembly")]
    let mut vector = vector;
    // SAFETY: no instruction at all. `pure`, so that it may leave a loop.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {} */", inout(ymm_reg) vector, options(pure, nomem, nostack, preserves_flags));
    }
    vector
}

/// Loads 8 bytes from each of four addresses, in this order.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn load_four(a: &[u8; 8], b: &[u8; 8], c: &[u8; 8], d: &[u8; 8]) -> __m256i {
    let low = _mm256_castsi128_si256(super::sse41::load_pair(a, b));
    _mm256_inserti128_si256::<1>(low, super::sse41::load_pair(c, d))
}

/// Same as [`opaque`], but not hoisted out of a loop. This is for a factor of a 16-bit
/// multiplication: LLVM would widen it outside the loop if it could, and then no longer find the
/// single instruction inside.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn opaque_in_place(vector: __m256i) -> __m256i {
    #[allow(unused_mut, reason = "Miri knows no assembly")]
    let mut vector = vector;
    // SAFETY: no instruction at all.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {} */", inout(ymm_reg) vector, options(nomem, nostack, preserves_flags));
    }
    vector
}

/// Picks, in each lane, two 4-byte numbers of `low`, then two of `high`: `PICK` has two bits for
/// each number, lowest bits first.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn shuffle<const PICK: i32>(low: __m256i, high: __m256i) -> __m256i {
    let [low, high] = [_mm256_castsi256_ps(low), _mm256_castsi256_ps(high)];
    _mm256_castps_si256(_mm256_shuffle_ps::<PICK>(low, high))
}
