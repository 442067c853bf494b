//! NEON: vectors of 16 bytes.
#![allow(unsafe_code)] // Loads and stores on arrays.

use crate::memory::Byte;
use core::arch::aarch64::*;

/// Loads 16 bytes.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn load(from: &[u8; 16]) -> uint8x16_t {
    // SAFETY: the array has 16 bytes; the load needs no alignment.
    unsafe { vld1q_u8(from.as_ptr()) }
}

/// Stores 16 bytes.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn store<B: Byte>(to: &mut [B; 16], vector: uint8x16_t) {
    // SAFETY: the array has 16 bytes, and `Byte` holds any; the store needs no alignment.
    unsafe { vst1q_u8(to.as_mut_ptr().cast(), vector) }
}

/// Loads 48 bytes: every third byte goes to the same vector.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn load3(from: &[u8; 48]) -> uint8x16x3_t {
    // SAFETY: the array has 48 bytes; the load needs no alignment.
    unsafe { vld3q_u8(from.as_ptr()) }
}

/// Loads 64 bytes: every fourth byte goes to the same vector.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn load4(from: &[u8; 64]) -> uint8x16x4_t {
    // SAFETY: the array has 64 bytes; the load needs no alignment.
    unsafe { vld4q_u8(from.as_ptr()) }
}

/// Loads 24 bytes: every third byte goes to the same vector.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn load3_short(from: &[u8; 24]) -> uint8x8x3_t {
    // SAFETY: the array has 24 bytes; the load needs no alignment.
    unsafe { vld3_u8(from.as_ptr()) }
}

/// Loads 32 bytes: every fourth byte goes to the same vector.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn load4_short(from: &[u8; 32]) -> uint8x8x4_t {
    // SAFETY: the array has 32 bytes; the load needs no alignment.
    unsafe { vld4_u8(from.as_ptr()) }
}

/// Stores 48 bytes, the reverse of [`load3`].
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn store3<B: Byte>(to: &mut [B; 48], vectors: uint8x16x3_t) {
    // SAFETY: the array has 48 bytes, and `Byte` holds any; the store needs no alignment.
    unsafe { vst3q_u8(to.as_mut_ptr().cast(), vectors) }
}

/// Stores 64 bytes, the reverse of [`load4`].
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn store4<B: Byte>(to: &mut [B; 64], vectors: uint8x16x4_t) {
    // SAFETY: the array has 64 bytes, and `Byte` holds any; the store needs no alignment.
    unsafe { vst4q_u8(to.as_mut_ptr().cast(), vectors) }
}

/// Stores 24 bytes, the reverse of [`load3_short`].
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn store3_short<B: Byte>(to: &mut [B; 24], vectors: uint8x8x3_t) {
    // SAFETY: the array has 24 bytes, and `Byte` holds any; the store needs no alignment.
    unsafe { vst3_u8(to.as_mut_ptr().cast(), vectors) }
}

/// Stores 32 bytes, the reverse of [`load4_short`].
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn store4_short<B: Byte>(to: &mut [B; 32], vectors: uint8x8x4_t) {
    // SAFETY: the array has 32 bytes, and `Byte` holds any; the store needs no alignment.
    unsafe { vst4_u8(to.as_mut_ptr().cast(), vectors) }
}

/// Loads 8 bytes from each of two addresses, the first to the lower half.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn load_pair(low: &[u8; 8], high: &[u8; 8]) -> uint8x16_t {
    // SAFETY: the array has 8 bytes; the load needs no alignment.
    let low = unsafe { vld1_u8(low.as_ptr()) };
    // SAFETY: as above.
    let high = unsafe { vld1_u8(high.as_ptr()) };
    vcombine_u8(low, high)
}

/// Stores the lower 8 bytes.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn store_low<B: Byte>(to: &mut [B; 8], vector: uint8x16_t) {
    // SAFETY: the array has 8 bytes, and `Byte` holds any; the store needs no alignment.
    unsafe { vst1_u8(to.as_mut_ptr().cast(), vget_low_u8(vector)) }
}

/// Stores the upper 8 bytes.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn store_high<B: Byte>(to: &mut [B; 8], vector: uint8x16_t) {
    // SAFETY: the array has 8 bytes, and `Byte` holds any; the store needs no alignment.
    unsafe { vst1_u8(to.as_mut_ptr().cast(), vget_high_u8(vector)) }
}

/// Loads 8 bytes.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn load_low(from: &[u8; 8]) -> uint8x8_t {
    // SAFETY: the array has 8 bytes; the load needs no alignment.
    unsafe { vld1_u8(from.as_ptr()) }
}

/// One bit per position, for vectors whose bytes are all ones or all zeros.
pub(crate) const BIT: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// Returns one bit for each byte of four such vectors: each byte keeps the bit of its position, and
/// three rounds of adding neighbours bring eight of them together.
#[target_feature(enable = "neon")]
#[inline]
pub(crate) fn bits(vectors: [uint8x16_t; 4]) -> u64 {
    let bit = load(&BIT);
    let [a, b, c, d] = vectors;
    let first = vpaddq_u8(vandq_u8(a, bit), vandq_u8(b, bit));
    let second = vpaddq_u8(vandq_u8(c, bit), vandq_u8(d, bit));
    let both = vpaddq_u8(first, second);
    vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(both, both)), 0)
}
