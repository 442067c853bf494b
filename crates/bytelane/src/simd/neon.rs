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
    // SAFETY: the array has 16 bytes, and `Byte` takes any; the store needs no alignment.
    unsafe { vst1q_u8(to.as_mut_ptr().cast(), vector) }
}
