//! AVX2: a block is two vectors of 32 bytes.

use super::sse41::{TURN, escape, escape8, escape16, keep16, specials16};
use crate::backend::Avx2;
use crate::codec::json_string::tables::{KNOWN, LETTERS, MEANINGS, first_ones};
use crate::codec::json_string::{Blocks, Classes, Consumed, Quotes, Survey, kernel};
use crate::memory::{Each, Slot, write};
use crate::simd::avx2::{load, store};
use crate::simd::{implement, sse41, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl Blocks for Avx2 {
        const STORES_TO_LINES: bool = true;
        fn escape_front_short(src: &[u8], dst: &mut [Slot], quotes: Quotes) -> Consumed => kernel::escape_front_short;
        fn escape_after(src: &[u8], dst: &mut [Slot], done: Consumed, quotes: Quotes) -> Consumed => kernel::escape;
        fn escape_dense(src: &[u8], dst: &mut [Slot], done: Consumed) -> Consumed => kernel::escape_dense;
        fn unescape_sparse(src: &[u8], dst: &mut [Slot], done: &mut Consumed) -> bool => kernel::unescape_sparse;
        fn survey(blocks: &[u8; 256]) -> Survey = survey;
        fn copy_if_clean(blocks: &[u8; 256], to: &mut [Slot; 256]) -> usize = copy_if_clean;
        fn specials(block: &[u8; 64]) -> u64 = specials;
        fn specials16(block: &[u8; 16]) -> u16 = specials16;
        fn specials32(block: &[u8; 32]) -> u32 = specials32;
        fn copy(block: &[u8; 64], to: &mut [Slot; 64]) = copy;
        fn long(block: &[u8; 64], specials: u64) -> u64 = long;
        fn escape(block: &[u8; 64], specials: u64, to: &mut [Slot; 128]) = escape;
        fn escape8(bytes: u64, specials: u8, to: &mut [Slot; 16]) -> u8 = escape8;
        fn escape16(block: &[u8; 16], specials: u16, to: &mut [Slot; 32]) -> u16 = escape16;
        fn classes(block: &[u8; 64]) -> Classes = classes;
        fn unescape(block: &[u8; 64], behind: u64, keep: u64, to: &mut [Slot; 64]) -> u64 = unescape;
    }
}

/// Returns the highest bits of 32 bytes, at their position in a mask of 64.
#[target_feature(enable = "avx2")]
#[inline]
fn bits(vector: __m256i, at: usize) -> u64 {
    u64::from(_mm256_movemask_epi8(vector) as u32) << at
}

/// Broadcasts a table to both lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn table(table: &[u8; 16]) -> __m256i {
    _mm256_broadcastsi128_si256(sse41::load(table))
}

#[target_feature(enable = "avx2")]
#[inline]
fn controls(vector: __m256i) -> __m256i {
    _mm256_cmpeq_epi8(_mm256_min_epu8(vector, _mm256_set1_epi8(0x1f)), vector)
}

/// The same steps as in SSE4.1.
#[target_feature(enable = "avx2")]
#[inline]
fn special(vector: __m256i) -> __m256i {
    let backslashes = _mm256_cmpeq_epi8(vector, _mm256_set1_epi8(b'\\' as i8));
    let signed = _mm256_xor_si256(vector, _mm256_set1_epi8(TURN ^ i8::MIN));
    let low = _mm256_cmpgt_epi8(_mm256_set1_epi8((b' ' + 1) as i8 ^ i8::MIN), signed);
    _mm256_or_si256(low, backslashes)
}

#[target_feature(enable = "avx2")]
#[inline]
fn turned(vector: __m256i) -> __m256i {
    _mm256_xor_si256(vector, _mm256_set1_epi8(TURN))
}

#[target_feature(enable = "avx2")]
#[inline]
fn low(vector: __m256i) -> __m256i {
    _mm256_cmpeq_epi8(
        _mm256_min_epu8(vector, _mm256_set1_epi8(b' ' as i8)),
        vector,
    )
}

#[target_feature(enable = "avx2")]
#[inline]
fn survey(blocks: &[u8; 256]) -> Survey {
    let (mut backslashes, mut all) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    let mut least = _mm256_set1_epi8(-1);
    for i in 0..8 {
        let vector = load(window(blocks, 32 * i));
        least = _mm256_min_epu8(least, turned(vector));
        let here = _mm256_cmpeq_epi8(vector, _mm256_set1_epi8(b'\\' as i8));
        backslashes = _mm256_or_si256(backslashes, here);
        all = _mm256_or_si256(all, vector);
    }
    Survey {
        clean: _mm256_movemask_epi8(_mm256_or_si256(low(least), backslashes)) == 0,
        ascii: _mm256_movemask_epi8(all) == 0,
    }
}

/// Copies in two halves, whose vectors stay in registers.
#[target_feature(enable = "avx2")]
#[inline]
fn copy_if_clean(blocks: &[u8; 256], to: &mut [Slot; 256]) -> usize {
    for half in [0, 128] {
        let [a, b, c, d] = [0, 32, 64, 96].each(|at| load(window(blocks, half + at)));
        let least = _mm256_min_epu8(
            _mm256_min_epu8(turned(a), turned(b)),
            _mm256_min_epu8(turned(c), turned(d)),
        );
        let backslash = _mm256_set1_epi8(b'\\' as i8);
        let backslashes = _mm256_or_si256(
            _mm256_or_si256(
                _mm256_cmpeq_epi8(a, backslash),
                _mm256_cmpeq_epi8(b, backslash),
            ),
            _mm256_or_si256(
                _mm256_cmpeq_epi8(c, backslash),
                _mm256_cmpeq_epi8(d, backslash),
            ),
        );
        if _mm256_movemask_epi8(_mm256_or_si256(low(least), backslashes)) != 0 {
            return half;
        }
        for (i, vector) in [a, b, c, d].into_iter().enumerate() {
            store(window_mut(to, half + 32 * i), vector);
        }
    }
    256
}

#[target_feature(enable = "avx2")]
#[inline]
fn specials(block: &[u8; 64]) -> u64 {
    bits(special(load(window(block, 0))), 0) | bits(special(load(window(block, 32))), 32)
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn specials32(block: &[u8; 32]) -> u32 {
    _mm256_movemask_epi8(special(load(block))) as u32
}

/// The same steps as in SSE4.1.
#[target_feature(enable = "avx2")]
#[inline]
fn with_letters(vector: __m256i) -> __m256i {
    let place = _mm256_adds_epu8(vector, _mm256_set1_epi8(0x70));
    _mm256_max_epu8(vector, _mm256_shuffle_epi8(table(&LETTERS), place))
}

#[target_feature(enable = "avx2")]
#[inline]
fn copy(block: &[u8; 64], to: &mut [Slot; 64]) {
    for i in 0..2 {
        store(window_mut(to, 32 * i), load(window(block, 32 * i)));
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn long(block: &[u8; 64], _: u64) -> u64 {
    let half = |at| bits(controls(with_letters(load(window(block, at)))), at);
    half(0) | half(32)
}

#[target_feature(enable = "avx2")]
#[inline]
fn classes(block: &[u8; 64]) -> Classes {
    let mut classes = Classes {
        quotes: 0,
        backslashes: 0,
        controls: 0,
        ascii: true,
    };
    let mut all = _mm256_setzero_si256();
    for i in 0..2 {
        let vector = load(window(block, 32 * i));
        classes.quotes |= bits(
            _mm256_cmpeq_epi8(vector, _mm256_set1_epi8(b'"' as i8)),
            32 * i,
        );
        classes.backslashes |= bits(
            _mm256_cmpeq_epi8(vector, _mm256_set1_epi8(b'\\' as i8)),
            32 * i,
        );
        classes.controls |= bits(controls(vector), 32 * i);
        all = _mm256_or_si256(all, vector);
    }
    classes.ascii = _mm256_movemask_epi8(all) == 0;
    classes
}

/// Turns a set of 32 into bytes: ones where a byte is in the set, zeros elsewhere.
#[target_feature(enable = "avx2")]
#[inline]
fn spread(set: u32) -> __m256i {
    const ONES: i64 = 0x0101_0101_0101_0101;
    let bytes = _mm256_set_epi64x(3 * ONES, 2 * ONES, ONES, 0);
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(set as i32), bytes);
    let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit)
}

/// Returns the meanings of letters after a backslash, and a mask of the bytes that are such
/// letters.
#[target_feature(enable = "avx2")]
#[inline]
fn meanings(vector: __m256i) -> [__m256i; 2] {
    let place = _mm256_xor_si256(
        _mm256_and_si256(_mm256_srli_epi16(vector, 1), _mm256_set1_epi8(15)),
        _mm256_and_si256(_mm256_srli_epi16(vector, 6), _mm256_set1_epi8(1)),
    );
    let known = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table(&KNOWN), place), vector);
    [_mm256_shuffle_epi8(table(&MEANINGS), place), known]
}

#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn unescape(block: &[u8; 64], behind: u64, keep: u64, to: &mut [Slot; 64]) -> u64 {
    if behind == 0 && first_ones(keep) {
        write(to, *block);
        return 0;
    }
    let (mut at, mut unknown) = (0, 0);
    for i in 0..2 {
        let vector = load(window(block, 32 * i));
        let behind = spread((behind >> (32 * i)) as u32);
        let [meanings, known] = meanings(vector);
        unknown |= bits(_mm256_andnot_si256(known, behind), 32 * i);
        let vector = _mm256_blendv_epi8(vector, meanings, behind);
        let keep = (keep >> (32 * i)) as u32;
        at = keep16(_mm256_castsi256_si128(vector), keep as u16, to, at);
        at = keep16(
            _mm256_extracti128_si256(vector, 1),
            (keep >> 16) as u16,
            to,
            at,
        );
    }
    unknown
}
