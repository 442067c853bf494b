//! NEON: a block is four vectors of 16 bytes.

use crate::backend::Neon;
use crate::codec::json_string::tables::first_ones;
use crate::codec::json_string::tables::{EXPAND, KEEP, KNOWN, LETTERS, MEANINGS};
use crate::codec::json_string::{Blocks, Classes, Consumed, Quotes, Short, Survey, kernel};
use crate::memory::{Slot, write};
use crate::simd::neon::{BIT, bits, load, load_low, store, store_low};
use crate::simd::{implement, window, window_mut};
use core::arch::aarch64::*;

implement! {
    impl Short for Neon {
        fn is_plain(blocks: &[[u8; 16]]) -> bool = is_plain;
    }
}

implement! {
    impl Blocks for Neon {
        fn escape_front_short(src: &[u8], dst: &mut [Slot], quotes: Quotes) -> Consumed => kernel::escape_front_short;
        fn escape_after(src: &[u8], dst: &mut [Slot], done: Consumed, quotes: Quotes) -> Consumed => kernel::escape;
        fn escape_dense(src: &[u8], dst: &mut [Slot], done: Consumed) -> Consumed => kernel::escape_dense;
        fn unescape_sparse(src: &[u8], dst: &mut [Slot], done: &mut Consumed) -> bool => kernel::unescape_sparse;
        fn survey(blocks: &[u8; 256]) -> Survey = survey;
        fn specials(block: &[u8; 64]) -> u64 = specials;
        fn specials16(block: &[u8; 16]) -> u16 = specials16;
        fn copy(block: &[u8; 64], to: &mut [Slot; 64]) = copy;
        fn long(block: &[u8; 64], specials: u64) -> u64 = long;
        fn escape(block: &[u8; 64], specials: u64, to: &mut [Slot; 128]) = escape;
        fn escape8(bytes: u64, specials: u8, to: &mut [Slot; 16]) -> u8 = escape8;
        fn classes(block: &[u8; 64]) -> Classes = classes;
        fn unescape(block: &[u8; 64], behind: u64, keep: u64, to: &mut [Slot; 64]) -> u64 = unescape;
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn load64(block: &[u8; 64]) -> [uint8x16_t; 4] {
    let mut vectors = [vdupq_n_u8(0); 4];
    for i in 0..4 {
        vectors[i] = load(window(block, 16 * i));
    }
    vectors
}

/// Finds special bytes. Flipping the second bit turns a quote into a space, next to the control
/// characters, which are only permuted.
#[target_feature(enable = "neon")]
#[inline]
fn special(vector: uint8x16_t) -> uint8x16_t {
    let turned = veorq_u8(vector, vdupq_n_u8(b'"' ^ b' '));
    let low = vcleq_u8(turned, vdupq_n_u8(b' '));
    vorrq_u8(low, vceqq_u8(vector, vdupq_n_u8(b'\\')))
}

#[target_feature(enable = "neon")]
#[inline]
fn is_plain(blocks: &[[u8; 16]]) -> bool {
    let mut any = vdupq_n_u8(0);
    for i in 0..blocks.len() {
        any = vorrq_u8(any, special(load(&blocks[i])));
    }
    vmaxvq_u8(any) == 0
}

#[target_feature(enable = "neon")]
#[inline]
fn survey(blocks: &[u8; 256]) -> Survey {
    let (mut found, mut all) = (vdupq_n_u8(0), vdupq_n_u8(0));
    for i in 0..16 {
        let vector = load(window(blocks, 16 * i));
        found = vorrq_u8(found, special(vector));
        all = vorrq_u8(all, vector);
    }
    Survey {
        clean: vmaxvq_u8(found) == 0,
        ascii: vmaxvq_u8(all) < 0x80,
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn specials(block: &[u8; 64]) -> u64 {
    let mut vectors = load64(block);
    for i in 0..4 {
        vectors[i] = special(vectors[i]);
    }
    bits(vectors)
}

#[target_feature(enable = "neon")]
#[inline]
fn specials16(block: &[u8; 16]) -> u16 {
    let zero = vdupq_n_u8(0);
    bits([special(load(block)), zero, zero, zero]) as u16
}

/// Replaces control characters with their letters, or with zero if they are below 16 and have none.
/// All other bytes stay: the lookup keeps bytes without an entry.
#[target_feature(enable = "neon")]
#[inline]
fn with_letters(vector: uint8x16_t) -> uint8x16_t {
    vqtbx1q_u8(vector, load(&LETTERS), vector)
}

#[target_feature(enable = "neon")]
#[inline]
fn copy(block: &[u8; 64], to: &mut [Slot; 64]) {
    for i in 0..4 {
        store(window_mut(to, 16 * i), load(window(block, 16 * i)));
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn long(block: &[u8; 64], _: u64) -> u64 {
    let mut vectors = load64(block);
    for i in 0..4 {
        vectors[i] = vcltq_u8(with_letters(vectors[i]), vdupq_n_u8(0x20));
    }
    bits(vectors)
}

/// Escapes eight bytes at a time, using a table of shuffles. With `\` at every position from 8 on:
///
/// ```text
/// bytes     a  "  b  c  d  e  n  f   \  \ ..      the n stands for a line feed
/// shuffle   0  8  1  2  3  4  5  8   6  7  8 ..   for the set { 1, 6 }
/// result    a  \  "  b  c  d  e  \   n  f  \ ..   10 bytes count
/// ```
#[target_feature(enable = "neon")]
#[inline]
fn escape(block: &[u8; 64], specials: u64, to: &mut [Slot; 128]) {
    let backslashes = vdup_n_u8(b'\\');
    let mut at = 0;
    for i in 0..4 {
        let vector = with_letters(load(window(block, 16 * i)));
        let halves = [vget_low_u8(vector), vget_high_u8(vector)];
        for half in 0..2 {
            let set = specials.to_le_bytes()[2 * i + half];
            let order = load(&EXPAND[usize::from(set)]);
            store(
                window_mut(to, at),
                vqtbl1q_u8(vcombine_u8(halves[half], backslashes), order),
            );
            at += 8 + set.count_ones() as usize;
        }
    }
}

/// Escapes eight bytes as above.
#[target_feature(enable = "neon")]
#[inline]
fn escape8(bytes: u64, specials: u8, to: &mut [Slot; 16]) -> u8 {
    let bytes = vcombine_u8(vcreate_u8(bytes), vdup_n_u8(b'\\'));
    let vector = with_letters(bytes);
    let order = load(&EXPAND[usize::from(specials)]);
    store(to, vqtbl1q_u8(vector, order));
    let controls = vcltq_u8(vector, vdupq_n_u8(0x20));
    let bits = vandq_u8(controls, load(&BIT));
    vaddv_u8(vget_low_u8(bits))
}

#[target_feature(enable = "neon")]
#[inline]
fn classes(block: &[u8; 64]) -> Classes {
    let vectors = load64(block);
    let (mut quotes, mut backslashes, mut controls) = (vectors, vectors, vectors);
    let mut all = vdupq_n_u8(0);
    for i in 0..4 {
        quotes[i] = vceqq_u8(vectors[i], vdupq_n_u8(b'"'));
        backslashes[i] = vceqq_u8(vectors[i], vdupq_n_u8(b'\\'));
        controls[i] = vcltq_u8(vectors[i], vdupq_n_u8(0x20));
        all = vorrq_u8(all, vectors[i]);
    }
    Classes {
        quotes: bits(quotes),
        backslashes: bits(backslashes),
        controls: bits(controls),
        ascii: vmaxvq_u8(all) < 0x80,
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn unescape(block: &[u8; 64], behind: u64, keep: u64, to: &mut [Slot; 64]) -> u64 {
    if behind == 0 && first_ones(keep) {
        write(to, *block);
        return 0;
    }
    let mut unknown = [vdupq_n_u8(0); 4];
    let mut at = 0;
    for i in 0..4 {
        let vector = load(window(block, 16 * i));
        let [low, high] = ((behind >> (16 * i)) as u16).to_le_bytes();
        let behind = vtstq_u8(vcombine_u8(vdup_n_u8(low), vdup_n_u8(high)), load(&BIT));
        let upper = vandq_u8(vshrq_n_u8(vector, 6), vdupq_n_u8(1));
        let place = veorq_u8(vandq_u8(vshrq_n_u8(vector, 1), vdupq_n_u8(15)), upper);
        let known = vceqq_u8(vqtbl1q_u8(load(&KNOWN), place), vector);
        unknown[i] = vbicq_u8(behind, known);
        let vector = vbslq_u8(behind, vqtbl1q_u8(load(&MEANINGS), place), vector);
        let halves = [vget_low_u8(vector), vget_high_u8(vector)];
        for half in 0..2 {
            let set = keep.to_le_bytes()[2 * i + half];
            let order = load_low(&KEEP[usize::from(set)]);
            let kept = vtbl1_u8(halves[half], order);
            store_low(window_mut(to, at), vcombine_u8(kept, kept));
            at += set.count_ones() as usize;
        }
    }
    bits(unknown)
}
