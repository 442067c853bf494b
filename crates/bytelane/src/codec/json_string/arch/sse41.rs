//! SSE4.1: a block is four vectors of 16 bytes.

use crate::backend::{Sse2, Sse41};
use crate::codec::json_string::tables::first_ones;
use crate::codec::json_string::tables::{EXPAND, KEEP, KNOWN, LETTERS, MEANINGS};
use crate::codec::json_string::{Blocks, Classes, Consumed, Quotes, Short, Survey, kernel};
use crate::memory::{Slot, write};
use crate::simd::sse41::{load, load_low, store, store_low};
use crate::simd::{implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl Short for Sse2 {
        fn is_plain(blocks: &[[u8; 16]]) -> bool = is_plain;
    }
}

implement! {
    impl Blocks for Sse41 {
        const STORES_TO_LINES: bool = true;
        fn escape_front_short(src: &[u8], dst: &mut [Slot], quotes: Quotes) -> Consumed => kernel::escape_front_short;
        fn escape_after(src: &[u8], dst: &mut [Slot], done: Consumed, quotes: Quotes) -> Consumed => kernel::escape;
        fn escape_dense(src: &[u8], dst: &mut [Slot], done: Consumed) -> Consumed => kernel::escape_dense;
        fn unescape_sparse(src: &[u8], dst: &mut [Slot], done: &mut Consumed) -> bool => kernel::unescape_sparse;
        fn survey(blocks: &[u8; 256]) -> Survey = survey;
        fn copy_if_clean(blocks: &[u8; 256], to: &mut [Slot; 256]) -> usize = copy_if_clean;
        fn specials(block: &[u8; 64]) -> u64 = specials;
        fn specials16(block: &[u8; 16]) -> u16 = specials16;
        fn copy(block: &[u8; 64], to: &mut [Slot; 64]) = copy;
        fn long(block: &[u8; 64], specials: u64) -> u64 = long;
        fn escape(block: &[u8; 64], specials: u64, to: &mut [Slot; 128]) = escape;
        fn escape8(bytes: u64, specials: u8, to: &mut [Slot; 16]) -> u8 = escape8;
        fn escape16(block: &[u8; 16], specials: u16, to: &mut [Slot; 32]) -> u16 = escape16;
        fn classes(block: &[u8; 64]) -> Classes = classes;
        fn unescape(block: &[u8; 64], behind: u64, keep: u64, to: &mut [Slot; 64]) -> u64 = unescape;
    }
}

/// Returns the highest bits of 16 bytes, at their position in a mask of 64.
#[target_feature(enable = "sse4.1")]
#[inline]
fn bits(vector: __m128i, at: usize) -> u64 {
    u64::from(_mm_movemask_epi8(vector) as u16) << at
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn controls(vector: __m128i) -> __m128i {
    _mm_cmpeq_epi8(_mm_min_epu8(vector, _mm_set1_epi8(0x1f)), vector)
}

/// Turns a quote into a space, next to the control characters, which it only permutes.
pub(super) const TURN: i8 = (b'"' ^ b' ') as i8;

/// Finds special bytes. A signed comparison of bytes whose highest bit is flipped is an unsigned one.
#[target_feature(enable = "sse2")]
#[inline]
fn special(vector: __m128i) -> __m128i {
    let backslashes = _mm_cmpeq_epi8(vector, _mm_set1_epi8(b'\\' as i8));
    let signed = _mm_xor_si128(vector, _mm_set1_epi8(TURN ^ i8::MIN));
    let low = _mm_cmplt_epi8(signed, _mm_set1_epi8((b' ' + 1) as i8 ^ i8::MIN));
    _mm_or_si128(low, backslashes)
}

/// Turns bytes: see [`TURN`].
#[target_feature(enable = "sse2")]
#[inline]
fn turned(vector: __m128i) -> __m128i {
    _mm_xor_si128(vector, _mm_set1_epi8(TURN))
}

/// Finds bytes up to the space.
#[target_feature(enable = "sse2")]
#[inline]
fn low(vector: __m128i) -> __m128i {
    _mm_cmpeq_epi8(_mm_min_epu8(vector, _mm_set1_epi8(b' ' as i8)), vector)
}

/// Accumulates as [`survey`] does.
#[target_feature(enable = "sse2")]
#[inline]
fn is_plain(blocks: &[[u8; 16]]) -> bool {
    let (mut backslashes, mut least) = (_mm_setzero_si128(), _mm_set1_epi8(-1));
    for i in 0..blocks.len() {
        let vector = load(&blocks[i]);
        least = _mm_min_epu8(least, turned(vector));
        let here = _mm_cmpeq_epi8(vector, _mm_set1_epi8(b'\\' as i8));
        backslashes = _mm_or_si128(backslashes, here);
    }
    _mm_movemask_epi8(_mm_or_si128(low(least), backslashes)) == 0
}

/// Stores before it knows: so it loads each vector once. Four parts: what has been examined in vain is examined again.
#[target_feature(enable = "sse4.1")]
#[inline]
fn copy_if_clean(blocks: &[u8; 256], to: &mut [Slot; 256]) -> usize {
    for part in [0, 64, 128, 192] {
        let (mut backslashes, mut least) = (_mm_setzero_si128(), _mm_set1_epi8(-1));
        for i in 0..4 {
            let at = part + 16 * i;
            let vector = load(window(blocks, at));
            store(window_mut(to, at), vector);
            least = _mm_min_epu8(least, turned(vector));
            let here = _mm_cmpeq_epi8(vector, _mm_set1_epi8(b'\\' as i8));
            backslashes = _mm_or_si128(backslashes, here);
        }
        if _mm_movemask_epi8(_mm_or_si128(low(least), backslashes)) != 0 {
            return part;
        }
    }
    256
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn survey(blocks: &[u8; 256]) -> Survey {
    // Same as `special`, but with a single comparison for the smallest bytes, at the end.
    let (mut backslashes, mut all) = (_mm_setzero_si128(), _mm_setzero_si128());
    let mut least = _mm_set1_epi8(-1);
    for i in 0..16 {
        let vector = load(window(blocks, 16 * i));
        least = _mm_min_epu8(least, turned(vector));
        let here = _mm_cmpeq_epi8(vector, _mm_set1_epi8(b'\\' as i8));
        backslashes = _mm_or_si128(backslashes, here);
        all = _mm_or_si128(all, vector);
    }
    Survey {
        clean: _mm_movemask_epi8(_mm_or_si128(low(least), backslashes)) == 0,
        ascii: _mm_movemask_epi8(all) == 0,
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn specials(block: &[u8; 64]) -> u64 {
    let mut mask = 0;
    for i in 0..4 {
        mask |= bits(special(load(window(block, 16 * i))), 16 * i);
    }
    mask
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn specials16(block: &[u8; 16]) -> u16 {
    _mm_movemask_epi8(special(load(block))) as u16
}

/// Replaces control characters that have a letter with their letters. All other bytes stay: the sum
/// saturates at 0xff; from 10 on, its highest bit is set, and the shuffle gives zero.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn with_letters(vector: __m128i) -> __m128i {
    let place = _mm_adds_epu8(vector, _mm_set1_epi8(0x70));
    _mm_max_epu8(vector, _mm_shuffle_epi8(load(&LETTERS), place))
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn copy(block: &[u8; 64], to: &mut [Slot; 64]) {
    for i in 0..4 {
        store(window_mut(to, 16 * i), load(window(block, 16 * i)));
    }
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn long(block: &[u8; 64], _: u64) -> u64 {
    let mut mask = 0;
    for i in 0..4 {
        mask |= bits(controls(with_letters(load(window(block, 16 * i)))), 16 * i);
    }
    mask
}

#[target_feature(enable = "sse4.1,ssse3,popcnt")]
#[inline]
pub(super) fn escape(block: &[u8; 64], specials: u64, to: &mut [Slot; 128]) {
    if specials == 0 {
        return write(window_mut(to, 0), *block);
    }
    let mut at = 0;
    for i in 0..4 {
        let specials = (specials >> (16 * i)) as u16;
        escape16(window(block, 16 * i), specials, window_mut(to, at));
        at += 16 + specials.count_ones() as usize;
    }
}

/// Escapes eight bytes at a time, using a table of shuffles. With `\` at every position from 8 on:
///
/// ```text
/// bytes     a  "  b  c  d  e  n  f   \  \ ..      the n stands for a line feed
/// shuffle   0  8  1  2  3  4  5  8   6  7  8 ..   for the set { 1, 6 }
/// result    a  \  "  b  c  d  e  \   n  f  \ ..   10 bytes count
/// ```
#[target_feature(enable = "sse4.1,ssse3,popcnt")]
#[inline]
pub(super) fn escape16(block: &[u8; 16], specials: u16, to: &mut [Slot; 32]) -> u16 {
    let vector = with_letters(load(block));
    let backslashes = _mm_set1_epi8(b'\\' as i8);
    let halves = [
        _mm_unpacklo_epi64(vector, backslashes),
        _mm_unpackhi_epi64(vector, backslashes),
    ];
    let mut at = 0;
    for half in 0..2 {
        let set = specials.to_le_bytes()[half];
        let order = load(&EXPAND[usize::from(set)]);
        store(window_mut(to, at), _mm_shuffle_epi8(halves[half], order));
        at += 8 + set.count_ones() as usize;
    }
    _mm_movemask_epi8(controls(vector)) as u16
}

/// Escapes eight bytes as above.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn escape8(bytes: u64, specials: u8, to: &mut [Slot; 16]) -> u8 {
    let backslashes = _mm_set1_epi8(b'\\' as i8);
    let bytes = _mm_cvtsi64_si128(bytes.cast_signed());
    let vector = with_letters(_mm_unpacklo_epi64(bytes, backslashes));
    let order = load(&EXPAND[usize::from(specials)]);
    store(to, _mm_shuffle_epi8(vector, order));
    _mm_movemask_epi8(controls(vector)) as u8
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn classes(block: &[u8; 64]) -> Classes {
    let mut classes = Classes {
        quotes: 0,
        backslashes: 0,
        controls: 0,
        ascii: true,
    };
    let mut all = _mm_setzero_si128();
    for i in 0..4 {
        let vector = load(window(block, 16 * i));
        classes.quotes |= bits(_mm_cmpeq_epi8(vector, _mm_set1_epi8(b'"' as i8)), 16 * i);
        classes.backslashes |= bits(_mm_cmpeq_epi8(vector, _mm_set1_epi8(b'\\' as i8)), 16 * i);
        classes.controls |= bits(controls(vector), 16 * i);
        all = _mm_or_si128(all, vector);
    }
    classes.ascii = _mm_movemask_epi8(all) == 0;
    classes
}

/// Turns a set of 16 into bytes: ones where a byte is in the set, zeros elsewhere.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn spread(set: u16) -> __m128i {
    let halves = _mm_shuffle_epi8(
        _mm_set1_epi16(set as i16),
        _mm_set_epi64x(0x0101_0101_0101_0101, 0),
    );
    let bit = _mm_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    _mm_cmpeq_epi8(_mm_and_si128(halves, bit), bit)
}

/// Returns the meanings of letters after a backslash, and a mask of the bytes that are such
/// letters.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn meanings(vector: __m128i) -> [__m128i; 2] {
    let place = _mm_xor_si128(
        _mm_and_si128(_mm_srli_epi16(vector, 1), _mm_set1_epi8(15)),
        _mm_and_si128(_mm_srli_epi16(vector, 6), _mm_set1_epi8(1)),
    );
    let known = _mm_cmpeq_epi8(_mm_shuffle_epi8(load(&KNOWN), place), vector);
    [_mm_shuffle_epi8(load(&MEANINGS), place), known]
}

#[target_feature(enable = "sse4.1,ssse3,popcnt")]
#[inline]
fn unescape(block: &[u8; 64], behind: u64, keep: u64, to: &mut [Slot; 64]) -> u64 {
    if behind == 0 && first_ones(keep) {
        write(to, *block);
        return 0;
    }
    let (mut at, mut unknown) = (0, 0);
    for i in 0..4 {
        let vector = load(window(block, 16 * i));
        let behind = spread((behind >> (16 * i)) as u16);
        let [meanings, known] = meanings(vector);
        unknown |= bits(_mm_andnot_si128(known, behind), 16 * i);
        at = keep16(
            _mm_blendv_epi8(vector, meanings, behind),
            (keep >> (16 * i)) as u16,
            to,
            at,
        );
    }
    unknown
}

/// Appends the bytes of a set at `at`, eight bytes at a time, using a table of shuffles.
#[target_feature(enable = "sse4.1,ssse3,popcnt")]
#[inline]
pub(super) fn keep16(vector: __m128i, keep: u16, to: &mut [Slot; 64], mut at: usize) -> usize {
    let halves = [vector, _mm_unpackhi_epi64(vector, vector)];
    for half in 0..2 {
        let set = keep.to_le_bytes()[half];
        let order = load_low(&KEEP[usize::from(set)]);
        store_low(window_mut(to, at), _mm_shuffle_epi8(halves[half], order));
        at += set.count_ones() as usize;
    }
    at
}
