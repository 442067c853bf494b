//! SSE4.1: a group of 16 bytes is one shuffle, with indices from a table.

use crate::backend::Sse41;
use crate::codec::stream_vbyte::Blocks;
use crate::codec::stream_vbyte::kernel::REQUESTED;
use crate::codec::stream_vbyte::plan::{Compress, Expand, Plan};
use crate::memory::Slot;
use crate::simd::sse41::{load, opaque, put, store};
use crate::simd::x86::{opaque_mask, prefetch_read};
use crate::simd::{
    Stride, Strides, StridesMut, Writes, implement, window, window_mut, windows_of_strides,
};
use core::arch::x86_64::*;

implement! {
    impl Blocks for Sse41 {
        type Previous = __m128i;
        type Ahead = Ahead;
        fn previous<P: Plan>(value: u64) -> __m128i = previous::<P>;
        fn last<P: Plan>(previous: __m128i) -> u64 = last_value;
        fn decode<P: Expand>(plan: P, codes: u32, data: &[u8; 64], values: &mut [Slot; 64], previous: &mut __m128i) -> Stride<64> = decode::<P>;
        fn decode_within<P: Expand>(plan: P, codes: u32, data: &[u8], values: &mut [Slot; 64], previous: &mut __m128i) -> Option<usize> = decode_within::<P>;
        fn decode_end<P: Expand>(plan: P, codes: u32, left: (&[u8], usize), values: &mut [Slot; 64], previous: &mut __m128i) -> usize = decode_end::<P>;
        fn widen<P: Expand>(plan: P, data: &[u8; 16], values: &mut [Slot; 64], previous: &mut __m128i) = widen::<P>;
        fn ahead<P: Compress>(plan: P, values: &[u8; 64], previous: &mut __m128i) -> Ahead = ahead::<P>;
        fn encode<P: Compress>(plan: P, values: &[u8; 64], ahead: Ahead, data: &mut [Slot; 64]) -> (u32, Stride<64>) = encode::<P>;
    }
}

/// Broadcasts a value to all lanes.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn previous<P: Plan>(value: u64) -> __m128i {
    match P::WIDTH {
        4 => _mm_set1_epi32(value as i32),
        _ => _mm_set1_epi64x(value as i64),
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn last_value(previous: __m128i) -> u64 {
    _mm_cvtsi128_si64(previous) as u64
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn decode<P: Expand>(
    plan: P,
    codes: u32,
    data: &[u8; 64],
    values: &mut [Slot; 64],
    previous: &mut __m128i,
) -> Stride<64> {
    if P::Writes::STREAM {
        prefetch_read(data, REQUESTED);
    }
    let mut data = Strides::new(data);
    for i in 0..4 {
        let entry = plan.expand(P::group(codes, i));
        let stored = _mm_shuffle_epi8(load(data.here()), load(&entry.places));
        let restored = restore(plan, stored, previous);
        put::<P::Writes, _>(window_mut(values, 16 * i), restored);
        data.pass(entry.length);
    }
    data.passed()
}

/// Same as [`decode`], from data that need not have 64 bytes: one check for all of its vectors.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn decode_within<P: Expand>(
    plan: P,
    codes: u32,
    data: &[u8],
    values: &mut [Slot; 64],
    previous: &mut __m128i,
) -> Option<usize> {
    let entry = |i| plan.expand(P::group(codes, i));
    let entries = [entry(0), entry(1), entry(2), entry(3)];
    let strides = [entries[0].length, entries[1].length, entries[2].length];
    let windows = windows_of_strides(data, strides)?;
    let mut used = 0;
    for i in 0..4 {
        let stored = _mm_shuffle_epi8(load(windows[i]), load(&entries[i].places));
        store(window_mut(values, 16 * i), restore(plan, stored, previous));
        used += entries[i].length.get();
    }
    Some(used)
}

/// Decodes a block from the end of the data. Groups whose vectors would cross it are loaded with the end, and
/// shifted.
///
/// A copy would be loaded at once, across the vectors by which it was stored, and such loads wait
/// until the stores have reached the cache.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn decode_end<P: Expand>(
    plan: P,
    codes: u32,
    (data, left): (&[u8], usize),
    values: &mut [Slot; 64],
    previous: &mut __m128i,
) -> usize {
    let start = data.len() - left;
    let mut short = [0; 16];
    let data = if data.len() < 16 {
        short[..data.len()].copy_from_slice(data);
        &short[..]
    } else {
        data
    };
    let mut place = start;
    for i in 0..4 {
        // Without a branch: which group is the first beyond the last window cannot be predicted.
        let here = usize::min(place, data.len() - 16);
        let shift = load(window(&SHIFTS, (place - here) & 127));
        let stored = _mm_shuffle_epi8(load(window(data, here)), shift);
        let entry = plan.expand(P::group(codes, i));
        let stored = _mm_shuffle_epi8(stored, load(&entry.places));
        store(window_mut(values, 16 * i), restore(plan, stored, previous));
        place += entry.length.get();
    }
    place - start
}

/// Shuffles that shift a vector by up to 127 bytes, from their numbers on: a block whose first group begins at
/// the end has its last one at most 64 bytes after the last window.
static SHIFTS: [u8; 144] = {
    let mut shifts = [0x80; 144];
    let mut i = 0;
    while i < 16 {
        shifts[i] = i as u8;
        i += 1;
    }
    shifts
};

/// Converts the stored numbers of a group to values.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn restore<P: Plan>(plan: P, stored: __m128i, previous: &mut __m128i) -> __m128i {
    let mut values = stored;
    if plan.zigzag() {
        values = unzigzag::<P>(values);
    }
    if plan.delta() {
        values = sums::<P>(values, previous);
    }
    values
}

/// Widens eight bytes at a time to words, to sums of up to four of these, and to values.
///
/// ```text
/// words         a  b    c      d        e        f        g        h
/// + one left    a  a+b  b+c    c+d      d+e      e+f      f+g      g+h
/// + two left    a  a+b  a+b+c  a+b+c+d  b+c+d+e  c+d+e+f  d+e+f+g  e+f+g+h
/// ```
///
/// The lower half is added to the previous value, and the upper half to the result of the lower.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn widen<P: Expand>(
    plan: P,
    data: &[u8; 16],
    values: &mut [Slot; 64],
    previous: &mut __m128i,
) {
    let (mut bytes, mut signs) = (load(data), _mm_setzero_si128());
    if plan.zigzag() {
        bytes = unzigzag_bytes(bytes);
        signs = _mm_cmpgt_epi8(signs, bytes);
    }
    let eights = [
        _mm_unpacklo_epi8(bytes, signs),
        _mm_unpackhi_epi8(bytes, signs),
    ];
    for i in 0..P::VALUES / 8 {
        let mut words = eights[i];
        if plan.delta() {
            words = _mm_add_epi16(words, _mm_slli_si128::<2>(words));
            if P::WIDTH == 4 {
                words = _mm_add_epi16(words, _mm_slli_si128::<4>(words));
            }
        }
        for k in 0..P::WIDTH / 2 {
            let mut group = match P::WIDTH {
                4 => _mm_cvtepi16_epi32(words),
                _ => _mm_cvtepi16_epi64(words),
            };
            words = match P::WIDTH {
                4 => _mm_srli_si128::<8>(words),
                _ => _mm_srli_si128::<4>(words),
            };
            if plan.delta() {
                group = add::<P>(group, *previous);
                *previous = group;
            }
            let to = window_mut(values, 16 * (P::WIDTH / 2 * i + k));
            put::<P::Writes, _>(to, group);
        }
        if plan.delta() {
            *previous = last::<P>(*previous);
        }
    }
}

/// Moves the lowest bit of each byte back to its sign.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn unzigzag_bytes(bytes: __m128i) -> __m128i {
    let sign = _mm_sub_epi8(_mm_setzero_si128(), _mm_and_si128(bytes, _mm_set1_epi8(1)));
    let magnitude = _mm_and_si128(_mm_srli_epi16::<1>(bytes), _mm_set1_epi8(0x7f));
    _mm_xor_si128(magnitude, sign)
}

/// Broadcasts the last value to all lanes.
#[target_feature(enable = "sse4.1")]
#[inline]
fn last<P: Plan>(values: __m128i) -> __m128i {
    match P::WIDTH {
        4 => _mm_shuffle_epi32::<0xff>(values),
        _ => _mm_shuffle_epi32::<0xee>(values),
    }
}

/// Moves the lowest bit back to the sign.
#[target_feature(enable = "sse4.1")]
#[inline]
fn unzigzag<P: Plan>(values: __m128i) -> __m128i {
    let zero = _mm_setzero_si128();
    match P::WIDTH {
        4 => {
            let sign = _mm_sub_epi32(zero, _mm_and_si128(values, _mm_set1_epi32(1)));
            _mm_xor_si128(_mm_srli_epi32::<1>(values), sign)
        }
        _ => {
            let sign = _mm_sub_epi64(zero, _mm_and_si128(values, _mm_set1_epi64x(1)));
            _mm_xor_si128(_mm_srli_epi64::<1>(values), sign)
        }
    }
}

/// Computes running sums:
///
/// ```text
/// differences   a    b      c        d
/// + one left    a    a+b    b+c      c+d
/// + two left    a    a+b    a+b+c    a+b+c+d
/// ```
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn sums<P: Plan>(differences: __m128i, previous: &mut __m128i) -> __m128i {
    let sums = match P::WIDTH {
        4 => {
            let pairs = _mm_add_epi32(differences, _mm_slli_si128::<4>(differences));
            _mm_add_epi32(pairs, _mm_slli_si128::<8>(pairs))
        }
        _ => _mm_add_epi64(differences, _mm_slli_si128::<8>(differences)),
    };
    let values = add::<P>(sums, *previous);
    *previous = last::<P>(values);
    values
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn add<P: Plan>(a: __m128i, b: __m128i) -> __m128i {
    match P::WIDTH {
        4 => _mm_add_epi32(a, b),
        _ => _mm_add_epi64(a, b),
    }
}

/// Stored numbers of a block, and their codes.
pub(super) type Ahead = ([__m128i; 4], u32);

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn ahead<P: Compress>(plan: P, values: &[u8; 64], previous: &mut __m128i) -> Ahead {
    let groups = stored_ahead(plan, values, previous);
    let codes = codes(plan, groups);
    (groups, opaque_mask(codes.into()) as u32)
}

/// Same as [`stored`], and requests the values that follow 1 KiB later: in long lists, the CPU does not load ahead across
/// pages.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn stored_ahead<P: Plan>(
    plan: P,
    values: &[u8; 64],
    previous: &mut __m128i,
) -> [__m128i; 4] {
    prefetch_read(values, 1024);
    stored(plan, values, previous)
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn encode<P: Compress>(
    plan: P,
    values: &[u8; 64],
    (mut groups, codes): Ahead,
    data: &mut [Slot; 64],
) -> (u32, Stride<64>) {
    if !plan.delta() && !plan.zigzag() {
        // Loaded once more: registers would be saved and loaded.
        groups = stored(plan, values, &mut _mm_setzero_si128());
    }
    (codes, compress(plan, &groups, codes, data))
}

/// Computes the codes of a block.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn codes<P: Compress>(plan: P, groups: [__m128i; 4]) -> u32 {
    match P::WIDTH {
        4 => {
            let [a, b, c, d] = stretched(plan, groups);
            codes_1234(a, b) | codes_1234(c, d) << 16
        }
        _ => codes_1234(narrow(groups[0], groups[1]), narrow(groups[2], groups[3])),
    }
}

/// Converts stored numbers of a block to its data. Returns the length of the data in bytes.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
pub(super) fn compress<P: Compress>(
    plan: P,
    stored: &[__m128i; 4],
    codes: u32,
    data: &mut [Slot; 64],
) -> Stride<64> {
    if P::WIDTH == 4 && plan.is_of_ones(codes) {
        let (a, b) = (
            _mm_packs_epi32(stored[0], stored[1]),
            _mm_packs_epi32(stored[2], stored[3]),
        );
        store(window_mut(data, 0), _mm_packus_epi16(a, b));
        return Stride::new(16);
    }
    let mut data = StridesMut::new(data);
    for i in 0..4 {
        let entry = plan.compress(P::group(codes, i));
        let here = _mm_shuffle_epi8(stored[i], load(&entry.places));
        store(data.here(), here);
        data.pass(entry.length);
    }
    data.passed()
}

/// Converts the values of a block to stored numbers.
#[target_feature(enable = "sse4.1,ssse3")]
#[inline]
fn stored<P: Plan>(plan: P, values: &[u8; 64], previous: &mut __m128i) -> [__m128i; 4] {
    let mut groups = [_mm_setzero_si128(); 4];
    for i in 0..4 {
        groups[i] = load(window(values, 16 * i));
    }
    if plan.delta() {
        for i in 0..4 {
            let values = groups[i];
            // The last value of the previous group, and all but the last of this one.
            let before = match P::WIDTH {
                4 => _mm_alignr_epi8::<12>(values, *previous),
                _ => _mm_alignr_epi8::<8>(values, *previous),
            };
            groups[i] = subtract::<P>(values, before);
            *previous = values;
        }
    }
    if plan.zigzag() {
        for i in 0..4 {
            groups[i] = zigzag::<P>(groups[i]);
        }
    }
    groups
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn subtract<P: Plan>(a: __m128i, b: __m128i) -> __m128i {
    match P::WIDTH {
        4 => _mm_sub_epi32(a, b),
        _ => _mm_sub_epi64(a, b),
    }
}

/// Moves the sign to the lowest bit.
#[target_feature(enable = "sse4.1")]
#[inline]
fn zigzag<P: Plan>(values: __m128i) -> __m128i {
    let signs = _mm_srai_epi32::<31>(values);
    match P::WIDTH {
        4 => _mm_xor_si128(_mm_slli_epi32::<1>(values), signs),
        _ => _mm_xor_si128(
            _mm_slli_epi64::<1>(values),
            _mm_shuffle_epi32::<0xf5>(signs),
        ),
    }
}

/// Replaces numbers with numbers whose code for 1, 2, 3 or 4 bytes is the code of the given ones.
///
/// For 0, 1, 2 or 4 bytes: shifts up by one byte, and extends three bytes or more to four.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) fn stretched<P: Plan>(plan: P, groups: [__m128i; 4]) -> [__m128i; 4] {
    let mut stretched = groups;
    if plan.zeros() {
        for i in 0..4 {
            let short = _mm_min_epu32(groups[i], _mm_set1_epi32(0x1_0000));
            stretched[i] = _mm_slli_epi32::<8>(short);
        }
    }
    stretched
}

/// Does the same for 64 bits: the lower halves, with three bytes or more cut to three, and four
/// bytes if the upper half is not zero.
#[target_feature(enable = "sse4.1")]
#[inline]
fn narrow(a: __m128i, b: __m128i) -> __m128i {
    let (a, b) = (_mm_castsi128_ps(a), _mm_castsi128_ps(b));
    let low = _mm_castps_si128(_mm_shuffle_ps::<0x88>(a, b));
    let high = _mm_castps_si128(_mm_shuffle_ps::<0xdd>(a, b));
    let low = _mm_min_epu32(low, _mm_set1_epi32(0x1_0000));
    let empty = _mm_cmpeq_epi32(high, _mm_setzero_si128());
    _mm_or_si128(low, _mm_andnot_si128(empty, _mm_set1_epi32(0x100_0000)))
}

/// Computes the codes of eight numbers in 1, 2, 3 or 4 bytes: bits 15 and 7 of one word for each
/// number.
///
/// ```text
/// highest byte in use            0 (or none)   1         2         3
/// bytes to 0 or 1, as two words  0/1, 0        256/7, 0  x, 1      x, 256/7
/// each word to a byte            00 0x         00 ff     01 xx     ff xx       (high, low)
/// smaller of that and 0101       00 0x         00 ff     01 0x     ff xx       (signed)
/// 7f00 added, saturating         7f 0x         7f ff     80 0x     ff ff
/// the highest bits                0  0          0  1      1  0      1  1
/// ```
#[target_feature(enable = "sse4.1")]
#[inline]
fn codes_1234(a: __m128i, b: __m128i) -> u32 {
    let one = opaque(_mm_set1_epi8(1));
    let used = _mm_packus_epi16(_mm_min_epu8(a, one), _mm_min_epu8(b, one));
    let bits = _mm_adds_epu16(_mm_min_epi16(used, one), _mm_set1_epi16(0x7f00));
    _mm_movemask_epi8(bits) as u32
}
