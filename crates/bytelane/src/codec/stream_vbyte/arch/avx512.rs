//! AVX-512: a block of 64 bytes is one masked expansion or compression of bytes.

use super::sse41::unzigzag_bytes;
use crate::backend::Avx512;
use crate::backend::tuning::tuning;
use crate::codec::stream_vbyte::Blocks;
use crate::codec::stream_vbyte::kernel::{REQUESTED, put_codes};
use crate::codec::stream_vbyte::plan::{Compress, Expand, Plan};
use crate::memory::{Lines, Slot};
use crate::simd::avx2::load as load256;
use crate::simd::avx512::{
    first_bits, in_register, load, load_up_to, opaque_zeros, store, store_up_to, store_words,
};
use crate::simd::sse41::{load as load128, put as put128};
use crate::simd::x86::prefetch_read;
use crate::simd::{Stride, Writes, implement, window, window_mut};
use core::arch::x86_64::*;

implement! {
    impl Blocks for Avx512 {
        type Previous = __m512i;
        type Ahead = __m512i;
        fn previous<P: Plan>(value: u64) -> __m512i = previous::<P>;
        fn last<P: Plan>(previous: __m512i) -> u64 = last_value;
        fn decode<P: Expand>(plan: P, codes: u32, data: &[u8; 64], values: &mut [Slot; 64], previous: &mut __m512i) -> Stride<64> = decode::<P>;
        fn decode_many<P: Expand>(plan: P, controls: &[u8], data: &[u8], blocks: &mut [[Slot; 64]], previous: &mut __m512i) -> (usize, usize) = decode_many::<P>;
        fn decode_run<P: Expand>(plan: P, controls: &[u8], data: &[u8], blocks: &mut [[Slot; 64]], previous: &mut __m512i) -> Option<usize> = decode_run::<P>;
        fn decode_last<P: Expand>(plan: P, codes: u32, data: &[u8], values: &mut [Slot], start: u64) -> Option<usize> = decode_last::<P>;
        fn widen<P: Expand>(plan: P, data: &[u8; 16], values: &mut [Slot; 64], previous: &mut __m512i) = widen::<P>;
        fn ahead<P: Compress>(plan: P, values: &[u8; 64], previous: &mut __m512i) -> __m512i = stored::<P>;
        fn encode<P: Compress>(plan: P, values: &[u8; 64], ahead: __m512i, data: &mut [Slot; 64]) -> (u32, Stride<64>) = encode::<P>;
        fn encode_run<P: Compress>(plan: P, values: &[u8], start: u64, controls: &mut [Slot], data: &mut [Slot]) -> Option<usize> = encode_run::<P>;
        fn encode_last<P: Compress>(plan: P, values: &[u8], start: u64, data: &mut [Slot]) -> Option<(u32, usize)> = encode_last::<P>;
    }
}

/// Broadcasts a value to all lanes.
#[target_feature(enable = "avx512f")]
#[inline]
fn previous<P: Plan>(value: u64) -> __m512i {
    match P::WIDTH {
        4 => _mm512_set1_epi32(value as i32),
        _ => _mm512_set1_epi64(value as i64),
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn last_value(previous: __m512i) -> u64 {
    _mm_cvtsi128_si64(_mm512_castsi512_si128(previous)) as u64
}

#[target_feature(enable = "avx512bw,avx512dq,avx512vbmi2,bmi2,popcnt")]
#[inline]
fn decode<P: Expand>(
    plan: P,
    codes: u32,
    data: &[u8; 64],
    values: &mut [Slot; 64],
    previous: &mut __m512i,
) -> Stride<64> {
    let kept = mask(plan, codes);
    let stored = _mm512_mask_expand_epi8(opaque_zeros(), kept, load(data));
    store(values, restore(plan, stored, previous));
    Stride::new(kept.count_ones() as usize)
}

/// Decodes fewer values than a block, with masks.
#[target_feature(enable = "avx512bw,avx512dq,avx512vbmi2,bmi2,popcnt")]
#[inline]
fn decode_last<P: Expand>(
    plan: P,
    codes: u32,
    data: &[u8],
    values: &mut [Slot],
    start: u64,
) -> Option<usize> {
    let kept = mask(plan, codes);
    let used = kept.count_ones() as usize - missing(plan, values.len());
    if used > data.len() {
        return None;
    }
    let stored = _mm512_mask_expand_epi8(opaque_zeros(), kept, load_up_to(data));
    store_up_to(values, restore(plan, stored, &mut previous::<P>(start)));
    Some(used)
}

/// Returns the length of the data that the values missing from a block would have.
#[inline(always)]
fn missing<P: Plan>(plan: P, bytes: usize) -> usize {
    plan.shortest() * (P::VALUES - bytes / P::WIDTH)
}

/// Decodes 16 blocks at a time, then four blocks if their values have one byte each, otherwise one
/// by one.
#[target_feature(
    enable = "avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vnni,popcnt,bmi2"
)]
#[inline]
fn decode_run<P: Expand>(
    plan: P,
    controls: &[u8],
    data: &[u8],
    blocks: &mut [[Slot; 64]],
    previous: &mut __m512i,
) -> Option<usize> {
    let (mut done, mut rest) = decode_sixteens(plan, controls, data, blocks, previous);
    while done < blocks.len() {
        if done.is_multiple_of(4)
            && let Some(four) = blocks[done..].first_chunk_mut::<4>()
            && plan.all_ones(&controls[P::CONTROLS * done..][..P::CONTROLS * 4])
            && let Some(here) = rest.first_chunk::<64>()
        {
            for k in 0..4 {
                widen(plan, window(here, P::VALUES * k), &mut four[k], previous);
            }
            rest = &rest[4 * P::VALUES..];
            done += 4;
            continue;
        }
        if let Some(eight) = blocks[done..].first_chunk_mut::<8>() {
            let mut kept = [0; 8];
            let controls = &controls[P::CONTROLS * done..];
            store_words(&mut kept, masks_of_eight(plan, controls));
            for k in 0..8 {
                if k == 4 && plan.all_ones(&controls[P::CONTROLS * 4..][..P::CONTROLS * 4]) {
                    break;
                }
                rest = decode_next(plan, kept[k], rest, &mut eight[k], previous)?;
                done += 1;
            }
            continue;
        }
        let kept = mask(plan, P::codes(controls, done));
        rest = decode_next(plan, kept, rest, &mut blocks[done], previous)?;
        done += 1;
    }
    Some(data.len() - rest.len())
}

#[target_feature(
    enable = "avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vnni,popcnt,bmi2"
)]
#[inline]
fn decode_many<P: Expand>(
    plan: P,
    controls: &[u8],
    data: &[u8],
    blocks: &mut [[Slot; 64]],
    previous: &mut __m512i,
) -> (usize, usize) {
    let (done, rest) = decode_sixteens(plan, controls, data, blocks, previous);
    (done, data.len() - rest.len())
}

/// Decodes a block from the front of the data, near whose end a branch on whether there are 64 bytes
/// would be unpredictable. Returns the data after those of the block, or `None` if there are too few.
#[target_feature(enable = "avx512bw,avx512dq,avx512vbmi2,bmi2,popcnt")]
#[inline]
fn decode_next<'a, P: Expand>(
    plan: P,
    kept: u64,
    data: &'a [u8],
    values: &mut [Slot; 64],
    previous: &mut __m512i,
) -> Option<&'a [u8]> {
    let stored = _mm512_mask_expand_epi8(opaque_zeros(), kept, load_up_to(data));
    let rest = data.get(kept.count_ones() as usize..)?;
    store(values, restore(plan, stored, previous));
    Some(rest)
}

/// Decodes 16 blocks at a time for as long as possible. Their masks are computed while the previous
/// 16 blocks are decoded. Returns the number of blocks, and the data after them.
#[target_feature(
    enable = "avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vnni,popcnt,bmi2"
)]
#[inline]
fn decode_sixteens<'a, P: Expand>(
    plan: P,
    controls: &[u8],
    data: &'a [u8],
    blocks: &mut [[Slot; 64]],
    previous: &mut __m512i,
) -> (usize, &'a [u8]) {
    let mut rest = data;
    let many = blocks.len() / 16;
    if many == 0 {
        return (0, data);
    }
    // Without requests, those of the line that is loaded anyway.
    let ahead = match P::Writes::STREAM {
        true => REQUESTED,
        false => tuning().expand_ahead,
    };
    let Lines(ring) = &mut Lines([[0; 16]; 2]);
    masks(plan, controls, &mut ring[0]);
    for i in 0..many {
        let Some(here) = rest.first_chunk::<1088>() else {
            return (16 * i, rest);
        };
        if i + 1 < many {
            let controls = &controls[P::CONTROLS * 16 * (i + 1)..];
            masks(plan, controls, &mut ring[(i + 1) & 1]);
        }
        let kept = &ring[i & 1];
        let values: &mut [[Slot; 64]; 16] = window_mut(blocks, 16 * i);
        let controls = &controls[P::CONTROLS * 16 * i..][..P::CONTROLS * 16];
        if !plan.delta() && plan.all_ones(controls) {
            for k in 0..16 {
                widen(plan, window(here, P::VALUES * k), &mut values[k], previous);
            }
            rest = &rest[16 * P::VALUES..];
            continue;
        }
        let mut used = 0;
        for four in 0..4 {
            let controls = &controls[P::CONTROLS * 4 * four..][..P::CONTROLS * 4];
            if plan.delta() && plan.all_ones(controls) {
                for k in 0..4 {
                    let data = window(here, (used & 1023) + P::VALUES * k);
                    widen(plan, data, &mut values[4 * four + k], previous);
                }
                used += 4 * P::VALUES;
                continue;
            }
            for k in 4 * four..4 * four + 4 {
                // Offsets are at most 960 before the last block; the mask shows the compiler at
                // most 1023.
                let next = window(here, used & 1023);
                prefetch_read(next, ahead);
                let stored = _mm512_mask_expand_epi8(opaque_zeros(), kept[k], load(next));
                put_block::<P::Writes>(&mut values[k], restore(plan, stored, previous));
                used += kept[k].count_ones() as usize;
            }
        }
        rest = &rest[used..];
    }
    (16 * many, rest)
}

/// Stores a block of values. Lists of values that are stored past the cache are aligned to 16 bytes, rarely to 64.
#[target_feature(enable = "avx512f")]
#[inline]
fn put_block<W: Writes>(values: &mut [Slot; 64], block: __m512i) {
    if !W::STREAM {
        return store(values, block);
    }
    let quarters = [
        _mm512_castsi512_si128(block),
        _mm512_extracti32x4_epi32::<1>(block),
        _mm512_extracti32x4_epi32::<2>(block),
        _mm512_extracti32x4_epi32::<3>(block),
    ];
    for (i, quarter) in quarters.into_iter().enumerate() {
        put128::<W, _>(window_mut(values, 16 * i), quarter);
    }
}

/// Computes the masks of 16 blocks.
#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn masks<P: Plan>(plan: P, controls: &[u8], masks: &mut [u64; 16]) {
    for half in 0..2 {
        let eight = masks_of_eight(plan, &controls[8 * P::CONTROLS * half..]);
        store_words(window_mut(masks, 8 * half), eight);
    }
}

/// Returns the masks of eight blocks.
#[target_feature(enable = "avx512bw,avx512vbmi")]
#[inline]
fn masks_of_eight<P: Plan>(plan: P, controls: &[u8]) -> __m512i {
    match P::WIDTH {
        4 => {
            // Widens each control byte to a word, its halves to the two bytes of the word, and
            // these to masks.
            let words = _mm512_cvtepu8_epi16(load256(window(controls, 0)));
            let halves = _mm512_and_si512(
                _mm512_or_si512(words, _mm512_slli_epi16::<4>(words)),
                _mm512_set1_epi8(15),
            );
            _mm512_shuffle_epi8(_mm512_broadcast_i32x4(load128(plan.kept())), halves)
        }
        _ => {
            let words = _mm512_cvtepu8_epi32(load128(window(controls, 0)));
            let places = _mm512_set1_epi64(0x2624_2220_0604_0200);
            let codes = _mm512_and_si512(
                _mm512_multishift_epi64_epi8(places, words),
                _mm512_set1_epi8(3),
            );
            _mm512_shuffle_epi8(_mm512_broadcast_i32x4(load128(plan.kept())), codes)
        }
    }
}

/// Returns one bit for each byte of a block's values, set if it is stored.
#[target_feature(enable = "avx512bw,bmi2")]
#[inline]
fn mask<P: Plan>(plan: P, codes: u32) -> u64 {
    let places = match P::WIDTH {
        4 => 0x0f0f_0f0f_0f0f_0f0f,
        _ => 0x0303_0303_0303_0303,
    };
    let codes = _mm_cvtsi64_si128(_pdep_u64(codes.into(), places) as i64);
    _mm_cvtsi128_si64(_mm_shuffle_epi8(load128(plan.kept()), codes)) as u64
}

/// Widens bytes to values, or to running sums: four products with 0 or 1 for each lane.
///
/// ```text
/// bytes       a b c d              e f g h              ..
/// lane 0      a                    0
/// lane 1      a + b                0
/// lane 4      a + b + c + d        e
/// lane 5      a + b + c + d        e + f
/// ```
#[target_feature(enable = "avx512bw,avx512vl,avx512vnni,avx512dq")]
#[inline]
fn widen<P: Expand>(plan: P, data: &[u8; 16], values: &mut [Slot; 64], previous: &mut __m512i) {
    let mut bytes = load128(data);
    if plan.zigzag() {
        bytes = unzigzag_bytes(bytes);
    }
    let lanes = match (plan.delta(), plan.zigzag()) {
        (true, _) => sums_of_bytes(plan, bytes),
        (false, true) => _mm512_cvtepi8_epi32(bytes),
        (false, false) => _mm512_cvtepu8_epi32(bytes),
    };
    let mut widened = match P::WIDTH {
        4 => lanes,
        _ => _mm512_cvtepi32_epi64(_mm512_castsi512_si256(lanes)),
    };
    if plan.delta() {
        widened = add_previous::<P>(widened, previous);
    }
    put_block::<P::Writes>(values, widened);
}

#[target_feature(enable = "avx512bw,avx512vnni")]
#[inline]
fn sums_of_bytes<P: Plan>(plan: P, bytes: __m128i) -> __m512i {
    /// For each of four bytes in each group of four values: the lanes that add it.
    const TAKEN: [[u8; 64]; 4] = {
        let Lines(taken) = &mut Lines([[0; 64]; 4]);
        let mut i = 0;
        while i < 256 {
            let (four, lane, byte) = (i / 64, i % 64 / 4, i % 4);
            taken[four][i % 64] = (4 * four + byte <= lane) as u8;
            i += 1;
        }
        *taken
    };
    let all = _mm512_broadcast_i32x4(bytes);
    let fours = [
        _mm512_shuffle_epi32::<0x00>(all),
        _mm512_shuffle_epi32::<0x55>(all),
        _mm512_shuffle_epi32::<0xaa>(all),
        _mm512_shuffle_epi32::<0xff>(all),
    ];
    let mut sums = [_mm512_setzero_si512(); 2];
    for four in 0..P::VALUES / 4 {
        let taken = load(&TAKEN[four]);
        // The first factor is unsigned, the second signed.
        sums[four % 2] = if plan.zigzag() {
            _mm512_dpbusd_epi32(sums[four % 2], taken, fours[four])
        } else {
            _mm512_dpbusd_epi32(sums[four % 2], fours[four], taken)
        };
    }
    _mm512_add_epi32(sums[0], sums[1])
}

/// Converts stored numbers to values.
#[target_feature(enable = "avx512bw,avx512dq")]
#[inline]
fn restore<P: Plan>(plan: P, stored: __m512i, previous: &mut __m512i) -> __m512i {
    let mut values = stored;
    if plan.zigzag() {
        values = unzigzag::<P>(values);
    }
    if plan.delta() {
        values = add_previous::<P>(sums::<P>(values), previous);
    }
    values
}

/// Converts sums within a block to values.
#[target_feature(enable = "avx512f")]
#[inline]
fn add_previous<P: Plan>(sums: __m512i, previous: &mut __m512i) -> __m512i {
    let before = *previous;
    match P::WIDTH {
        4 => {
            let last = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), sums);
            *previous = _mm512_add_epi32(before, last);
            _mm512_add_epi32(sums, before)
        }
        _ => {
            let last = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), sums);
            *previous = _mm512_add_epi64(before, last);
            _mm512_add_epi64(sums, before)
        }
    }
}

/// Moves the lowest bit back to the sign.
#[target_feature(enable = "avx512f")]
#[inline]
fn unzigzag<P: Plan>(values: __m512i) -> __m512i {
    let zero = _mm512_setzero_si512();
    match P::WIDTH {
        4 => {
            let sign = _mm512_sub_epi32(zero, _mm512_and_si512(values, _mm512_set1_epi32(1)));
            _mm512_xor_si512(_mm512_srli_epi32::<1>(values), sign)
        }
        _ => {
            let sign = _mm512_sub_epi64(zero, _mm512_and_si512(values, _mm512_set1_epi64(1)));
            _mm512_xor_si512(_mm512_srli_epi64::<1>(values), sign)
        }
    }
}

/// Computes running sums in log2 steps: the last sum of the left half of each pair, of each four,
/// and so on, is added to the right half.
///
/// ```text
/// differences      a  b    c      d        e  f    g      h
/// right of two     a  a+b  c      c+d      e  e+f  g      g+h
/// right of four    a  a+b  a+b+c  a+b+c+d  e  e+f  e+f+g  e+f+g+h
/// right of eight   a  ..                   a+..+e  ..     a+..+h
/// ```
#[target_feature(enable = "avx512bw,avx512dq")]
#[inline]
fn sums<P: Plan>(differences: __m512i) -> __m512i {
    let mut sums = differences;
    match P::WIDTH {
        4 => {
            sums = _mm512_add_epi32(sums, _mm512_slli_epi64::<32>(sums));
            let of_two = _mm512_maskz_shuffle_epi32::<0x55>(0xcccc, sums);
            sums = _mm512_add_epi32(sums, of_two);
            let last = _mm512_setr_epi32(3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 11, 11, 11, 11);
            let of_four = _mm512_maskz_permutexvar_epi32(0xf0f0, last, sums);
            sums = _mm512_add_epi32(sums, of_four);
            let of_eight = _mm512_maskz_permutexvar_epi32(0xff00, _mm512_set1_epi32(7), sums);
            _mm512_add_epi32(sums, of_eight)
        }
        _ => {
            sums = _mm512_add_epi64(sums, _mm512_maskz_unpacklo_epi64(0xaa, sums, sums));
            let last = _mm512_setr_epi64(1, 1, 1, 1, 1, 1, 5, 5);
            let of_two = _mm512_maskz_permutexvar_epi64(0xcc, last, sums);
            sums = _mm512_add_epi64(sums, of_two);
            let of_four = _mm512_maskz_permutexvar_epi64(0xf0, _mm512_set1_epi64(3), sums);
            _mm512_add_epi64(sums, of_four)
        }
    }
}

/// Computes the numbers to store for a block.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn stored<P: Compress>(plan: P, values: &[u8; 64], previous: &mut __m512i) -> __m512i {
    let values = load(values);
    let stored = difference(plan, values, after::<P>(values, *previous));
    *previous = values;
    stored
}

#[target_feature(enable = "avx512bw,avx512cd,avx512vbmi2,bmi2,popcnt")]
#[inline]
fn encode<P: Compress>(
    plan: P,
    _values: &[u8; 64],
    stored: __m512i,
    data: &mut [Slot; 64],
) -> (u32, Stride<64>) {
    let kept = needed(plan, stored);
    store(data, _mm512_maskz_compress_epi8(kept, stored));
    let used = Stride::new(kept.count_ones() as usize);
    (codes(plan, kept), used)
}

/// Encodes eight blocks at a time for as long as there is room for their maximum length. They are
/// loaded while the previous eight are stored: a load waits for an earlier store whose address
/// differs only in high bits.
#[target_feature(enable = "avx512bw,avx512cd,avx512vbmi2,bmi2,popcnt")]
#[inline]
fn encode_run<P: Compress>(
    plan: P,
    values: &[u8],
    start: u64,
    controls: &mut [Slot],
    data: &mut [Slot],
) -> Option<usize> {
    let (blocks, _) = values.as_chunks::<64>();
    let (controls, room) = (&mut controls[..P::CONTROLS * blocks.len()], data.len());
    let mut rest = data;
    let mut done = 0;
    let many = blocks.len() / 8;
    let mut ahead = [_mm512_setzero_si512(); 8];
    if many > 0 {
        ahead = load_eight(plan, values, 0, start);
    }
    for i in 0..many {
        let Some(here) = rest.first_chunk_mut::<512>() else {
            break;
        };
        let stored = ahead;
        if i + 1 < many {
            ahead = load_eight(plan, values, done + 8, start);
        }
        let controls = &mut controls[P::CONTROLS * done..][..P::CONTROLS * 8];
        let mut used = 0;
        for k in 0..8 {
            let kept = needed(plan, stored[k]);
            // `used` is never larger: up to 64 bytes for each earlier block.
            let at = usize::min(used, 448);
            let compressed = _mm512_maskz_compress_epi8(kept, stored[k]);
            store(window_mut(here, at), compressed);
            put_codes::<P>(controls, k, codes(plan, kept));
            used += kept.count_ones() as usize;
        }
        rest = &mut rest[used..];
        done += 8;
    }
    while done < blocks.len() {
        let before = load_before(plan, values, done, start);
        let stored = difference(plan, load(&blocks[done]), before);
        let kept = needed(plan, stored);
        let used = kept.count_ones() as usize;
        if used > rest.len() {
            return None;
        }
        let compressed = _mm512_maskz_compress_epi8(kept, stored);
        match rest.first_chunk_mut() {
            Some(here) => store(here, compressed),
            None => store_up_to(rest, compressed),
        }
        put_codes::<P>(controls, done, codes(plan, kept));
        rest = &mut rest[used..];
        done += 1;
    }
    Some(room - rest.len())
}

/// Encodes fewer values than a block, with masks.
#[target_feature(enable = "avx512bw,avx512cd,avx512vbmi2,bmi2,popcnt")]
#[inline]
fn encode_last<P: Compress>(
    plan: P,
    values: &[u8],
    start: u64,
    data: &mut [Slot],
) -> Option<(u32, usize)> {
    let block = load_up_to(values);
    let stored = difference(plan, block, shifted::<P>(block, start));
    let stored = _mm512_maskz_mov_epi8(first_bits(values.len()), stored);
    let kept = needed(plan, stored);
    let used = kept.count_ones() as usize - missing(plan, values.len());
    store_up_to(
        data.get_mut(..used)?,
        _mm512_maskz_compress_epi8(kept, stored),
    );
    Some((codes(plan, kept), used))
}

/// Computes the numbers to store for eight blocks.
#[target_feature(enable = "avx512f")]
#[inline]
fn load_eight<P: Plan>(plan: P, values: &[u8], at: usize, start: u64) -> [__m512i; 8] {
    let mut eight = [_mm512_setzero_si512(); 8];
    let blocks: &[u8; 512] = window(values, 64 * at);
    for k in 0..8 {
        let before = load_before(plan, values, at + k, start);
        eight[k] = difference(plan, load(window(blocks, 64 * k)), before);
    }
    eight
}

/// Returns the values before those of block `at`, which only differences use. Before the first block,
/// they are shifted in registers: a load would wait for the narrower stores that put them together.
#[target_feature(enable = "avx512f")]
#[inline]
fn load_before<P: Plan>(plan: P, values: &[u8], at: usize, start: u64) -> __m512i {
    match (plan.delta(), at) {
        (false, _) => _mm512_setzero_si512(),
        (true, 0) => shifted::<P>(load(window(values, 0)), start),
        (true, _) => load(window(values, 64 * at - P::WIDTH)),
    }
}

/// Shifts values by one position. The first one becomes `start`.
#[target_feature(enable = "avx512f")]
#[inline]
fn shifted<P: Plan>(values: __m512i, start: u64) -> __m512i {
    after::<P>(values, previous::<P>(start))
}

/// Shifts values by one position. The first one becomes the last one of `previous`.
#[target_feature(enable = "avx512f")]
#[inline]
fn after<P: Plan>(values: __m512i, previous: __m512i) -> __m512i {
    match P::WIDTH {
        4 => _mm512_alignr_epi32::<15>(values, previous),
        _ => _mm512_alignr_epi64::<7>(values, previous),
    }
}

/// Converts values to stored numbers.
#[target_feature(enable = "avx512f")]
#[inline]
fn difference<P: Plan>(plan: P, values: __m512i, before: __m512i) -> __m512i {
    let mut stored = values;
    if plan.delta() {
        stored = match P::WIDTH {
            4 => _mm512_sub_epi32(stored, before),
            _ => _mm512_sub_epi64(stored, before),
        };
    }
    if plan.zigzag() {
        stored = match P::WIDTH {
            4 => _mm512_xor_si512(
                _mm512_slli_epi32::<1>(stored),
                _mm512_srai_epi32::<31>(stored),
            ),
            _ => _mm512_xor_si512(
                _mm512_slli_epi64::<1>(stored),
                _mm512_srai_epi64::<63>(stored),
            ),
        };
    }
    stored
}

/// Returns one bit for each byte to be stored. `down` has ones from the highest bit of a value
/// down; each byte is stored if its deciding byte is among them:
///
/// ```text
/// 1, 2, 3, 4   byte 0 always, each other byte by itself
/// 0, 1, 2, 4   byte 3 goes with byte 2
/// 1, 2, 4, 8   byte 0 always, byte 3 goes with byte 2, bytes 5 to 7 with byte 4
/// ```
#[target_feature(enable = "avx512bw,avx512cd")]
#[inline]
fn needed<P: Plan>(plan: P, stored: __m512i) -> u64 {
    let ones = _mm512_set1_epi32(-1);
    if P::WIDTH == 8 {
        let down = _mm512_srlv_epi64(ones, in_register(_mm512_lzcnt_epi64(stored)));
        let by = _mm512_broadcast_i32x4(_mm_setr_epi8(
            0, 1, 2, 2, 4, 4, 4, 4, 8, 9, 10, 10, 12, 12, 12, 12,
        ));
        let down = _mm512_shuffle_epi8(down, by);
        return _mm512_cmpge_epu8_mask(down, in_register(_mm512_set1_epi64(0x0101_0101_0101_0100)));
    }
    let down = _mm512_srlv_epi32(ones, in_register(_mm512_lzcnt_epi32(stored)));
    if plan.zeros() {
        let by = _mm512_broadcast_i32x4(_mm_setr_epi8(
            0, 1, 2, 2, 4, 5, 6, 6, 8, 9, 10, 10, 12, 13, 14, 14,
        ));
        let down = _mm512_shuffle_epi8(down, by);
        return _mm512_test_epi8_mask(down, down);
    }
    _mm512_cmpge_epu8_mask(down, in_register(_mm512_set1_epi32(0x0101_0100)))
}

/// Computes the codes of a block from its [`needed`] bytes. The second of the deciding bytes gives
/// the code's high bit; the low bit is the first, flipped if the second is set and the third is
/// not.
#[target_feature(enable = "bmi2")]
#[inline]
fn codes<P: Plan>(plan: P, needed: u64) -> u32 {
    // The distance from the second to the third, the positions of the second, and those of the
    // first two.
    let (third, seconds, deciding) = match P::WIDTH {
        4 if plan.zeros() => (1, 0x1111_1111_1111_1111, 0x3333_3333_3333_3333),
        4 => (1, 0x2222_2222_2222_2222, 0x6666_6666_6666_6666),
        _ => (2, 0x0202_0202_0202_0202, 0x0606_0606_0606_0606),
    };
    let second_not_third = (needed >> 1 ^ needed >> 1 >> third) & seconds;
    _pext_u64(needed ^ second_not_third, deciding) as u32
}
