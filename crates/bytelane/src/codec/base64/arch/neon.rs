//! NEON: 48 bytes correspond to 64 characters in vectors of 16, separated and merged by
//! interleaving loads and stores. Single blocks of 16 characters use shifts.

use crate::backend::Neon;
use crate::codec::base64::Quads;
use crate::codec::base64::tables::{Tables, TextBlock};
use crate::memory::Slot;
use crate::simd::neon::{
    load, load3, load3_short, load4, load4_short, store3, store3_short, store4, store4_short,
};
use crate::simd::{implement, window, window_mut};
use core::arch::aarch64::*;

implement! {
    impl Quads for Neon {
        type Decoding = uint8x16_t;
        fn encode192(tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) = encode192;
        fn encode24(tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]) = encode24;
        fn encode12(tables: &Tables, bytes: [u64; 2]) -> [u64; 2] = encode12;
        fn decoding(tables: &Tables) -> uint8x16_t = decoding;
        fn is_good(decoding: uint8x16_t) -> bool = is_zero;
        fn decode256(tables: &Tables, text: &[u8; 256], bytes: &mut [Slot; 208], decoding: uint8x16_t) -> uint8x16_t = decode256;
        fn decode32(tables: &Tables, text: &[u8; 32], bytes: &mut [Slot; 24]) -> bool = decode32;
        fn decode16(tables: &Tables, text: [u64; 2], block: &TextBlock) -> ([u64; 2], bool) = decode16;
    }
}

/// Loads 64 bytes into the registers that one lookup uses.
#[target_feature(enable = "neon")]
#[inline]
fn table(bytes: &[u8; 64]) -> uint8x16x4_t {
    uint8x16x4_t(
        load(window(bytes, 0)),
        load(window(bytes, 16)),
        load(window(bytes, 32)),
        load(window(bytes, 48)),
    )
}

/// One vector holds the first bytes of 16 groups, another the second ones, and another the third
/// ones.
#[target_feature(enable = "neon")]
#[inline]
fn encode192(tables: &Tables, bytes: &[u8; 192], text: &mut [Slot; 256]) {
    let characters = table(&tables.characters);
    let six_bits = vdupq_n_u8(63);
    for i in 0..4 {
        let uint8x16x3_t(a, b, c) = load3(window(bytes, 48 * i));
        let quads = uint8x16x4_t(
            vqtbl4q_u8(characters, vshrq_n_u8::<2>(a)),
            vqtbl4q_u8(
                characters,
                vandq_u8(vsliq_n_u8::<4>(vshrq_n_u8::<4>(b), a), six_bits),
            ),
            vqtbl4q_u8(
                characters,
                vandq_u8(vsliq_n_u8::<2>(vshrq_n_u8::<6>(c), b), six_bits),
            ),
            vqtbl4q_u8(characters, vandq_u8(c, six_bits)),
        );
        store4(window_mut(text, 64 * i), quads);
    }
}

/// Same as `encode192`, with the 8 groups that fit in half a vector.
#[target_feature(enable = "neon")]
#[inline]
fn encode24(tables: &Tables, bytes: &[u8; 24], text: &mut [Slot; 32]) {
    let characters = table(&tables.characters);
    let six_bits = vdup_n_u8(63);
    let uint8x8x3_t(a, b, c) = load3_short(bytes);
    let quads = uint8x8x4_t(
        vqtbl4_u8(characters, vshr_n_u8::<2>(a)),
        vqtbl4_u8(
            characters,
            vand_u8(vsli_n_u8::<4>(vshr_n_u8::<4>(b), a), six_bits),
        ),
        vqtbl4_u8(
            characters,
            vand_u8(vsli_n_u8::<2>(vshr_n_u8::<6>(c), b), six_bits),
        ),
        vqtbl4_u8(characters, vand_u8(c, six_bits)),
    );
    store4_short(text, quads);
}

/// Encodes four groups, each in a unit of 32 bits:
///
/// ```text
/// group       ........ 00000011 11112222 22333333
/// values      ..333333 ..222222 ..111111 ..000000   << 24, << 10, >> 4, >> 18
/// ```
#[target_feature(enable = "neon")]
#[inline]
fn encode12(tables: &Tables, bytes: [u64; 2]) -> [u64; 2] {
    const UNITS: [u8; 16] = [2, 1, 0, 255, 5, 4, 3, 255, 8, 7, 6, 255, 11, 10, 9, 255];
    let unit = vreinterpretq_u32_u8(vqtbl1q_u8(vector(bytes), load(&UNITS)));
    let first = vshrq_n_u32::<18>(unit);
    let second = vandq_u32(vshrq_n_u32::<4>(unit), vdupq_n_u32(0x3f00));
    let third = vandq_u32(vshlq_n_u32::<10>(unit), vdupq_n_u32(0x3f_0000));
    let fourth = vandq_u32(vshlq_n_u32::<24>(unit), vdupq_n_u32(0x3f00_0000));
    let values = vorrq_u32(vorrq_u32(first, second), vorrq_u32(third, fourth));
    numbers(vqtbl4q_u8(
        table(&tables.characters),
        vreinterpretq_u8_u32(values),
    ))
}

/// Returns the tables for the characters below 64 and for the others.
#[target_feature(enable = "neon")]
#[inline]
fn value_tables(tables: &Tables) -> [uint8x16x4_t; 2] {
    [
        table(window(&tables.values, 0)),
        table(window(&tables.values, 64)),
    ]
}

/// Looks up the values of characters; bit 7 is set outside the alphabet. For characters that are
/// not ASCII, neither lookup finds anything, and the character keeps its own bit 7.
#[target_feature(enable = "neon")]
#[inline]
fn values([low, high]: [uint8x16x4_t; 2], text: uint8x16_t) -> uint8x16_t {
    let beyond = vandq_u8(text, vdupq_n_u8(0x80));
    let found_low = vqtbx4q_u8(beyond, low, text);
    vqtbx4q_u8(found_low, high, veorq_u8(text, vdupq_n_u8(0x40)))
}

#[target_feature(enable = "neon")]
#[inline]
fn decode256(
    tables: &Tables,
    text: &[u8; 256],
    to: &mut [Slot; 208],
    mut seen: uint8x16_t,
) -> uint8x16_t {
    let value_tables = value_tables(tables);
    for i in 0..4 {
        let uint8x16x4_t(a, b, c, d) = load4(window(text, 64 * i));
        let [a, b] = [values(value_tables, a), values(value_tables, b)];
        let [c, d] = [values(value_tables, c), values(value_tables, d)];
        seen = vorrq_u8(seen, vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d)));
        let bytes = uint8x16x3_t(
            vsliq_n_u8::<2>(vshrq_n_u8::<4>(b), a),
            vsliq_n_u8::<4>(vshrq_n_u8::<2>(c), b),
            vsliq_n_u8::<6>(d, c),
        );
        store3(window_mut(to, 48 * i), bytes);
    }
    seen
}

#[target_feature(enable = "neon")]
#[inline]
fn decoding(_tables: &Tables) -> uint8x16_t {
    vdupq_n_u8(0)
}

/// Returns whether bit 7 is set nowhere.
#[target_feature(enable = "neon")]
#[inline]
fn is_zero(faults: uint8x16_t) -> bool {
    vmaxvq_u8(faults) < 0x80
}

/// Same as `decode256`, with the 8 groups that fit in half a vector: two halves share a lookup.
#[target_feature(enable = "neon")]
#[inline]
fn decode32(tables: &Tables, text: &[u8; 32], to: &mut [Slot; 24]) -> bool {
    let value_tables = value_tables(tables);
    let uint8x8x4_t(a, b, c, d) = load4_short(text);
    let ab = values(value_tables, vcombine_u8(a, b));
    let cd = values(value_tables, vcombine_u8(c, d));
    let [a, b] = [vget_low_u8(ab), vget_high_u8(ab)];
    let [c, d] = [vget_low_u8(cd), vget_high_u8(cd)];
    let bytes = uint8x8x3_t(
        vsli_n_u8::<2>(vshr_n_u8::<4>(b), a),
        vsli_n_u8::<4>(vshr_n_u8::<2>(c), b),
        vsli_n_u8::<6>(d, c),
    );
    store3_short(to, bytes);
    is_zero(vorrq_u8(ab, cd))
}

/// Decodes 16 characters, in reverse:
///
/// ```text
/// values      ..333333 ..222222 ..111111 ..000000
/// pairs       ....2222 22333333 ....0000 00111111   << 6 and >> 8, 16 bits by 16
/// group       ~~~~.... 00000011 11112222 22333333   << 12 and >> 16
/// ```
#[target_feature(enable = "neon")]
#[inline]
fn decode16(tables: &Tables, text: [u64; 2], block: &TextBlock) -> ([u64; 2], bool) {
    let text = vqtbl1q_u8(vector(text), load(&block.order));
    let filled = vorrq_u8(text, load(&block.filling));
    let values = values(value_tables(tables), filled);
    let units = vreinterpretq_u16_u8(values);
    let upper = vandq_u16(vshlq_n_u16::<6>(units), vdupq_n_u16(0xfc0));
    let pairs = vreinterpretq_u32_u16(vorrq_u16(upper, vshrq_n_u16::<8>(units)));
    let group = vorrq_u32(vshlq_n_u32::<12>(pairs), vshrq_n_u32::<16>(pairs));
    let bytes = vqtbl1q_u8(vreinterpretq_u8_u32(group), load(&block.bytes));
    (numbers(bytes), is_zero(values))
}

#[target_feature(enable = "neon")]
#[inline]
fn vector([low, high]: [u64; 2]) -> uint8x16_t {
    vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)))
}

#[target_feature(enable = "neon")]
#[inline]
fn numbers(vector: uint8x16_t) -> [u64; 2] {
    let numbers = vreinterpretq_u64_u8(vector);
    [vgetq_lane_u64::<0>(numbers), vgetq_lane_u64::<1>(numbers)]
}
