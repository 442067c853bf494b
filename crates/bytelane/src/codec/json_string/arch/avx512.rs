//! AVX-512: a block is one 64-byte vector, and a set of its bytes is a mask.

use crate::backend::Avx512;
use crate::codec::json_string::scalar::{letter, meaning};
use crate::codec::json_string::{Blocks, Classes, Consumed, Quotes, Survey, kernel};
use crate::memory::{Each, Slot};
use crate::simd::avx512::{first_bits, load, load_up_to, opaque_mask, store};
use crate::simd::{implement, sse41, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl Blocks for Avx512 {
        const SHUFFLES_ARE_DEAR: bool = false;
        fn escape_front_short(src: &[u8], dst: &mut [Slot], quotes: Quotes) -> Consumed => kernel::escape_front_short;
        fn escape_after(src: &[u8], dst: &mut [Slot], done: Consumed, quotes: Quotes) -> Consumed => kernel::escape;
        fn escape_dense(src: &[u8], dst: &mut [Slot], done: Consumed) -> Consumed => kernel::escape_dense;
        fn survey(blocks: &[u8; 256]) -> Survey = survey;
        fn copy_if_clean(blocks: &[u8; 256], to: &mut [Slot; 256]) -> usize = copy_if_clean;
        fn specials(block: &[u8; 64]) -> u64 = specials;
        fn specials16(block: &[u8; 16]) -> u16 = super::sse41::specials16;
        fn specials32(block: &[u8; 32]) -> u32 = super::avx2::specials32;
        fn pad(from: &[u8], with: u8) -> [u8; 64] = pad;
        fn copy(block: &[u8; 64], to: &mut [Slot; 64]) = copy;
        fn long(block: &[u8; 64], specials: u64) -> u64 = long;
        fn escape(block: &[u8; 64], specials: u64, to: &mut [Slot; 128]) = escape;
        fn escape_few(block: &[u8; 64], specials: u64, to: &mut [Slot; 128]) -> Option<usize> = escape_few;
        fn escape8(bytes: u64, specials: u8, to: &mut [Slot; 16]) -> u8 = super::sse41::escape8;
        fn escape_short(from: &[u8], specials: u64, to: &mut [Slot; 128]) -> u64 = escape_short;
        fn classes(block: &[u8; 64]) -> Classes = classes;
        fn unescape(block: &[u8; 64], behind: u64, keep: u64, to: &mut [Slot; 64]) -> u64 = unescape;
    }
}

/// Indexed by `byte / 2` without its highest bit: the larger of the two bytes with this index that
/// need an escape, or zero if neither does. Only special bytes are as small as their entry.
const LARGEST: [u8; 64] = {
    let mut table = [0; 64];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte / 2] = byte as u8;
        byte += 1;
    }
    table[b'"' as usize / 2] = b'"';
    table[b'\\' as usize / 2] = b'\\';
    table
};

/// Letter of a special byte's escape, zero if it has none. The index is the lower six bits of the
/// sum of the byte and its entry in [`LARGEST`]: no two special bytes share one.
const LETTERS: [u8; 64] = {
    let mut table = [0; 64];
    let mut byte = 0;
    while byte < 128 {
        let place = (byte as usize + LARGEST[byte as usize / 2] as usize) % 64;
        if let Some(letter) = letter(byte) {
            assert!(table[place] == 0);
            table[place] = letter;
        }
        byte += 1;
    }
    table
};

/// Meaning of a letter after a backslash, zero if it has none.
static MEANINGS: [[u8; 64]; 2] = {
    let mut table = [[0; 64]; 2];
    let mut byte = 0;
    while byte < 128 {
        if let Some(meaning) = meaning(byte) {
            table[byte as usize / 64][byte as usize % 64] = meaning;
        }
        byte += 1;
    }
    table
};

/// Finds special bytes with one shuffle and one comparison. The shift moves a neighbour's bit to
/// the highest position, which the shuffle ignores.
#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn special(vector: __m512i) -> u64 {
    _mm512_cmple_epu8_mask(vector, largest(vector))
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn survey(blocks: &[u8; 256]) -> Survey {
    let mut vectors = [_mm512_setzero_si512(); 4];
    for i in 0..4 {
        vectors[i] = load(window(blocks, 64 * i));
    }
    let [a, b, c, d] = vectors;
    let all = _mm512_or_si512(_mm512_ternarylogic_epi64::<0xfe>(a, b, c), d);
    Survey {
        clean: (special(a) | special(b)) | (special(c) | special(d)) == 0,
        ascii: _mm512_movepi8_mask(all) == 0,
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn copy_if_clean(blocks: &[u8; 256], to: &mut [Slot; 256]) -> usize {
    let [a, b, c, d] = [0, 64, 128, 192].each(|at| load(window(blocks, at)));
    if (special(a) | special(b)) | (special(c) | special(d)) != 0 {
        return 0;
    }
    for (i, vector) in [a, b, c, d].into_iter().enumerate() {
        store(window_mut(to, 64 * i), vector);
    }
    256
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn specials(block: &[u8; 64]) -> u64 {
    special(load(block))
}

#[target_feature(enable = "avx512bw,bmi2")]
#[inline]
fn pad(from: &[u8], with: u8) -> [u8; 64] {
    let given = first_bits(from.len());
    let vector = _mm512_mask_mov_epi8(_mm512_set1_epi8(with as i8), given, load_up_to(from));
    let mut block = [0; 64];
    store(&mut block, vector);
    block
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn largest(vector: __m512i) -> __m512i {
    _mm512_permutexvar_epi8(_mm512_srli_epi16(vector, 1), load(&LARGEST))
}

/// Replaces special bytes with their letters, or with zeros if they have none.
#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn with_letters(vector: __m512i, specials: u64) -> __m512i {
    let place = _mm512_add_epi8(vector, largest(vector));
    _mm512_mask_permutexvar_epi8(vector, specials, place, load(&LETTERS))
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn copy(block: &[u8; 64], to: &mut [Slot; 64]) {
    store(to, load(block));
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn long(block: &[u8; 64], specials: u64) -> u64 {
    without_letters(with_letters(load(block), specials), specials)
}

/// Returns the special bytes that [`with_letters`] replaced with zeros.
#[target_feature(enable = "avx512bw")]
#[inline]
fn without_letters(letters: __m512i, specials: u64) -> u64 {
    _mm512_mask_testn_epi8_mask(specials, letters, letters)
}

/// Spreads each half of a block, whose special bytes are replaced with their letters, over a vector of `\`, leaving one in front of each special byte.
/// Returns both, and the start of the second one in the result:
///
/// ```text
/// bytes            a  "  b         letters, and bytes that need no escape
/// all, in pairs    -  a  \  "  -  b         the set of places { 1, 2, 3, 5 } ..
/// letters only     1     3     5            .. these of them take a byte
/// place in result  0  1  2  3               after leaving out the - : a \ " b
/// ```
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
#[inline]
fn spread(vector: __m512i, specials: u64) -> ([__m512i; 2], usize) {
    const FIRST: u64 = 0x5555_5555_5555_5555;
    const SECOND: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    let low = specials & 0xffff_ffff;
    let places = [
        _pext_u64(SECOND, SECOND | _pdep_u64(low, FIRST)),
        _pext_u64(SECOND, SECOND | _pdep_u64(specials >> 32, FIRST)),
    ];
    let backslashes = _mm512_set1_epi8(b'\\' as i8);
    let upper = _mm512_castsi256_si512(_mm512_extracti64x4_epi64(vector, 1));
    let halves = [
        _mm512_mask_expand_epi8(backslashes, places[0], vector),
        _mm512_mask_expand_epi8(backslashes, places[1], upper),
    ];
    (halves, 32 + low.count_ones() as usize)
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
#[inline]
fn escape(block: &[u8; 64], specials: u64, to: &mut [Slot; 128]) {
    let letters = with_letters(load(block), specials);
    // If LLVM knew the set, it would branch on whether it is empty.
    let ([low, high], at) = spread(letters, opaque_mask(specials));
    store(window_mut(to, 0), low);
    store(window_mut(to, at), high);
}

/// Spreads a block with up to three special bytes over one vector, which is stored over the end of the block at its place in the
/// result:
///
/// ```text
/// letters             a  "  b  c  d  n  e
/// store 1                  ..  c  d  n  e      the last 16 bytes, two further
/// store 2       a  \\  "  b  c  d  \\            as many bytes as the block has
/// ```
///
/// So each backslash must be in the second store.
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
#[inline]
fn escape_few(block: &[u8; 64], specials: u64, to: &mut [Slot; 128]) -> Option<usize> {
    let specials = opaque_mask(specials);
    let letters = with_letters(load(block), specials);
    // Without the first one, the first two, and the first three.
    let second = specials & specials.wrapping_sub(1);
    let third = second & second.wrapping_sub(1);
    let fourth = third & third.wrapping_sub(1);
    if _mm512_testn_epi8_mask(letters, letters) | fourth | second >> 62 != 0 {
        return None;
    }
    // Each bit moves by the number of those below it.
    let places = specials + second + 2 * third;
    let more = specials.count_ones() as usize;
    let last = _mm512_extracti32x4_epi32::<3>(letters);
    sse41::store(window_mut(to, 48 + more), last);
    let backslashes = _mm512_set1_epi8(b'\\' as i8);
    store(
        window_mut(to, 0),
        _mm512_mask_expand_epi8(backslashes, !places, letters),
    );
    Some(more)
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
#[inline]
fn escape_short(from: &[u8], specials: u64, to: &mut [Slot; 128]) -> u64 {
    let vector = with_letters(load_up_to(from), specials);
    let ([low, high], at) = spread(vector, specials);
    store(window_mut(to, 0), low);
    store(window_mut(to, at), high);
    without_letters(vector, specials)
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn classes(block: &[u8; 64]) -> Classes {
    let vector = load(block);
    Classes {
        quotes: _mm512_cmpeq_epi8_mask(vector, _mm512_set1_epi8(b'"' as i8)),
        backslashes: _mm512_cmpeq_epi8_mask(vector, _mm512_set1_epi8(b'\\' as i8)),
        controls: _mm512_cmplt_epu8_mask(vector, _mm512_set1_epi8(0x20)),
        ascii: _mm512_movepi8_mask(vector) == 0,
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2")]
#[inline]
fn unescape(block: &[u8; 64], behind: u64, keep: u64, to: &mut [Slot; 64]) -> u64 {
    let vector = load(block);
    let meanings = _mm512_permutex2var_epi8(load(&MEANINGS[0]), vector, load(&MEANINGS[1]));
    let result = _mm512_mask_mov_epi8(vector, behind, meanings);
    store(to, _mm512_maskz_compress_epi8(keep, result));
    // The shuffle ignores the highest bit.
    _mm512_mask_testn_epi8_mask(behind, meanings, meanings) | _mm512_movepi8_mask(vector) & behind
}
