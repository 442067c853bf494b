//! AVX-512: vectors of 64 bytes, masks, and shuffles that cross lanes.
#![allow(unsafe_code)] // Loads and stores on arrays, and compiler barriers.

use super::Writes;
pub(crate) use super::x86::opaque_mask;
use crate::memory::Byte;
use core::arch::x86_64::*;

/// Loads 64 bytes.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn load(from: &[u8; 64]) -> __m512i {
    // SAFETY: the array has 64 bytes; the load needs no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Loads the first 64 bytes of a slice; missing bytes are zeros.
#[target_feature(enable = "avx512bw,bmi2")]
#[inline]
pub(crate) fn load_up_to(from: &[u8]) -> __m512i {
    let there = first_bits(from.len());
    // SAFETY: the mask has a bit for each byte of the slice, up to 64; bytes without a bit are not
    // read.
    unsafe { _mm512_maskz_loadu_epi8(there, from.as_ptr().cast()) }
}

/// Stores 64 bytes.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn store<B: Byte>(to: &mut [B; 64], vector: __m512i) {
    // SAFETY: the array has 64 bytes, and `Byte` holds any; the store needs no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), vector) }
}

/// Stores the first bytes of a vector to a slice of up to 64 bytes.
#[target_feature(enable = "avx512bw,bmi2")]
#[inline]
pub(crate) fn store_up_to<B: Byte>(to: &mut [B], vector: __m512i) {
    let there = first_bits(to.len());
    // SAFETY: the mask has a bit for each byte of the slice, up to 64, and `Byte` holds any; bytes
    // without a bit are not written.
    unsafe { _mm512_mask_storeu_epi8(to.as_mut_ptr().cast(), there, vector) }
}

/// Stores 64 bytes as `W` specifies.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn put<W: Writes, B: Byte>(to: &mut [B; 64], vector: __m512i) {
    if W::STREAM && to.as_ptr().addr().is_multiple_of(64) {
        // SAFETY: the array has 64 bytes, is aligned to 64, and `Byte` holds any. No byte of it is
        // accessed again before a fence: see `Streamed`.
        unsafe { _mm512_stream_si512(to.as_mut_ptr().cast(), vector) }
    } else {
        store(to, vector);
    }
}

/// Returns a mask of the first `count` bits; all bits if `count` is 64 or more.
#[target_feature(enable = "bmi2")]
#[inline]
pub(crate) fn first_bits(count: usize) -> u64 {
    _bzhi_u64(!0, count.min(64) as u32)
}

/// Hides a constant from the compiler. Otherwise, LLVM splits a single-instruction shuffle into
/// several instructions that it believes to be cheaper.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn opaque(constant: &[u8; 64]) -> __m512i {
    #[allow(unused_mut, reason = "Miri knows no assembly")]
    let mut vector = load(constant);
    // SAFETY: no instruction at all. `pure`, so that it may leave a loop.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {} */", inout(zmm_reg) vector, options(pure, nomem, nostack, preserves_flags));
    }
    vector
}

/// Stores eight 64-bit numbers to be read one by one. Their values are hidden from the compiler:
/// otherwise it would extract them from the vector, with two instructions each.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn store_words(to: &mut [u64; 8], vector: __m512i) {
    // SAFETY: the array has 64 bytes, and `u64` holds any; the store needs no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), vector) }
    // SAFETY: no instruction at all. As far as the compiler knows, it may read and write the array.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {} */", in(reg) to, options(nostack, preserves_flags));
    }
}

/// Makes the compiler keep a vector in a register, instead of loading it in each instruction that
/// uses it.
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn in_register(vector: __m512i) -> __m512i {
    #[allow(unused_mut, reason = "Miri knows no assembly")]
    let mut vector = vector;
    // SAFETY: no instruction at all.
    #[cfg(not(miri))]
    unsafe {
        core::arch::asm!("/* {} */", inout(zmm_reg) vector, options(pure, nomem, nostack, preserves_flags));
    }
    vector
}

/// Returns zeros to merge into, where a masked expansion leaves zeros.
///
/// With zero-masking, Zen 4 and 5 wait for the previous contents of the result register, and ignore
/// them (LLVM #206849, #211671). The zeros are hidden from the compiler. On Zen 5, a loop that
/// expands and stores takes 0.59 ns per block instead of 1.21; Stream VByte decodes 65,536
/// differences in 7.4 µs instead of 22.3. The expansions and compressions of `validity`, `varint`
/// and `json_string`, none of which waits long, were no faster with them (0.87 to 1.25).
#[target_feature(enable = "avx512f")]
#[inline]
pub(crate) fn opaque_zeros() -> __m512i {
    in_register(_mm512_setzero_si512())
}
