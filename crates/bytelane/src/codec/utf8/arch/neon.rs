//! NEON: a block is four vectors of 16 bytes.

use crate::backend::Neon;
use crate::codec::utf8::tables::{
    FIRST_LOWER, FIRST_UPPER, LEAD_OF_FOUR, LEAD_OF_THREE, SECOND_UPPER,
};
use crate::codec::utf8::{Caller, GROUP, Steps, Validation};
use crate::simd::neon::{bits, load};
use crate::simd::{implement, window};
use core::arch::aarch64::*;

implement! {
    impl Steps for Neon {
        fn is_ascii(blocks: &[[u8; 64]]) -> bool = is_ascii;
        fn is_valid_group<C: Caller>(window: &[u8; 3 + GROUP]) -> bool = is_valid::<C, _>;
        fn is_valid_block(window: &[u8; 3 + 64]) -> bool = is_valid::<Validation, _>;
        fn is_valid16(before: u32, vector: [u64; 2]) -> bool = is_valid16;
        fn is_valid_vector(window: &[u8; 3 + 16]) -> bool = is_valid::<Validation, _>;
        fn errors(before: u32, block: &[u8; 64]) -> u64 = errors;
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn is_ascii(blocks: &[[u8; 64]]) -> bool {
    let mut any = vdupq_n_u8(0);
    for i in 0..blocks.len() {
        for j in 0..4 {
            any = vorrq_u8(any, load(window(&blocks[i], 16 * j)));
        }
    }
    vmaxvq_u8(any) < 0x80
}

#[target_feature(enable = "neon")]
#[inline]
fn is_valid<C: Caller, const N: usize>(from: &[u8; N]) -> bool {
    let mut errors = vdupq_n_u8(0);
    let mut previous = load(window(from, 0));
    // The first vector begins three bytes later if the window does not divide into vectors.
    previous = vextq_u8(previous, previous, 3);
    for i in 0..N / 16 {
        let vector = load(window(from, 16 * i + 3));
        errors = vorrq_u8(errors, errors_after(previous, vector));
        previous = vector;
    }
    vmaxvq_u32(vreinterpretq_u32_u8(errors)) == 0
}

#[target_feature(enable = "neon")]
#[inline]
fn is_valid16(before: u32, [low, high]: [u64; 2]) -> bool {
    let vector = vcombine_u64(vcreate_u64(low), vcreate_u64(high));
    let errors = errors_after(previous(before), vreinterpretq_u8_u64(vector));
    vmaxvq_u32(vreinterpretq_u32_u8(errors)) == 0
}

#[target_feature(enable = "neon")]
#[inline]
fn errors(before: u32, block: &[u8; 64]) -> u64 {
    let mut previous = previous(before);
    let mut errors = [vdupq_n_u8(0); 4];
    for i in 0..4 {
        let vector = load(window(block, 16 * i));
        let here = errors_after(previous, vector);
        errors[i] = vtstq_u8(here, here);
        previous = vector;
    }
    bits(errors)
}

/// Returns a vector that ends with these four bytes.
#[target_feature(enable = "neon")]
#[inline]
fn previous(before: u32) -> uint8x16_t {
    vreinterpretq_u8_u32(vsetq_lane_u32(before, vdupq_n_u32(0), 3))
}

/// Returns nonzero bytes where a byte cannot follow the previous one, or where the lead bytes two
/// and three before do not require it: see [`tables`](crate::codec::utf8::tables).
#[target_feature(enable = "neon")]
#[inline]
fn errors_after(previous: uint8x16_t, vector: uint8x16_t) -> uint8x16_t {
    let one = vextq_u8(previous, vector, 15);
    let two = vextq_u8(previous, vector, 14);
    let three = vextq_u8(previous, vector, 13);
    let pairs = vandq_u8(
        vqtbl1q_u8(load(&FIRST_UPPER), vshrq_n_u8(one, 4)),
        vandq_u8(
            vqtbl1q_u8(load(&FIRST_LOWER), vandq_u8(one, vdupq_n_u8(15))),
            vqtbl1q_u8(load(&SECOND_UPPER), vshrq_n_u8(vector, 4)),
        ),
    );
    let third = vqsubq_u8(two, vdupq_n_u8(LEAD_OF_THREE));
    let fourth = vqsubq_u8(three, vdupq_n_u8(LEAD_OF_FOUR));
    let expected = vandq_u8(vorrq_u8(third, fourth), vdupq_n_u8(0x80));
    veorq_u8(pairs, expected)
}
