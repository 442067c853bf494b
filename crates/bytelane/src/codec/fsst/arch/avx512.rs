//! AVX-512: eight symbols in a vector, from which the bytes after the end of each are removed.
//!
//! ```text
//! codes      |   h   |   t   | ...
//! symbols    |http://0|www.0000| ...      one 64-bit lane each
//! masks      |11111110|11110000| ...      bits of the 64-bit mask: a byte of `Table::masks` for each code
//! compressed |http://www. ...             VPCOMPRESSB keeps the bytes whose bit is set
//! ```

use crate::backend::Avx512;
use crate::codec::fsst::kernel::Steps;
use crate::codec::fsst::table::Table;
use crate::memory::Slot;
use crate::simd::avx512::{load, store, store_words};
use crate::simd::{Stride, StridesMut, implement, window};
use core::arch::x86_64::*;

implement! {
    impl Steps for Avx512 {
        type Places = Places;
        fn at_least(limit: u8, block: &[u8; 64]) -> u64 = at_least;
        fn places() -> Places = Places::default;
        fn place(places: &Places, code: usize) -> usize = place;
        fn decode64(table: &Table, codes: &[u8; 64], literals: u64, to: &mut [Slot; 512]) -> Stride<512> = decode64;
        fn decode64_with_places(table: &Table, codes: &[u8; 64], literals: u64, to: &mut [Slot; 512], places: &mut Places) -> Stride<512> = decode64_with_places;
        fn decode8(table: &Table, codes: u64, literals: u64, to: &mut [Slot; 64]) -> Stride<64> = decode8;
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn at_least(limit: u8, block: &[u8; 64]) -> u64 {
    _mm512_cmpge_epu8_mask(load(block), _mm512_set1_epi8(limit.cast_signed()))
}

/// Places in the result of a block.
#[derive(Default)]
pub struct Places {
    /// Place before each group of eight codes, and a bit for each byte of their symbols.
    before: [usize; 8],
    masks: [u64; 8],
}

#[target_feature(enable = "popcnt,bmi2")]
#[inline]
fn place(places: &Places, code: usize) -> usize {
    let (group, code) = (code / 8 % 8, code % 8);
    let up_to = _bzhi_u64(places.masks[group], 8 * code as u32 + 8);
    places.before[group] + up_to.count_ones() as usize
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn decode64(table: &Table, codes: &[u8; 64], literals: u64, to: &mut [Slot; 512]) -> Stride<512> {
    decode64_with_places(table, codes, literals, to, &mut Places::default())
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn decode64_with_places(
    table: &Table,
    codes: &[u8; 64],
    literals: u64,
    to: &mut [Slot; 512],
    places: &mut Places,
) -> Stride<512> {
    store_words(&mut places.masks, masks_of(table, load(codes), literals));
    let mut to = StridesMut::<_, 64, 512>::new(to);
    for i in 0..8 {
        places.before[i] = to.passed().get();
        let codes = u64::from_le_bytes(*window(codes, 8 * i));
        let done = put8(
            table,
            codes,
            literals >> (8 * i),
            places.masks[i],
            to.here(),
        );
        to.pass(done);
    }
    to.passed()
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
#[inline]
fn decode8(table: &Table, codes: u64, literals: u64, to: &mut [Slot; 64]) -> Stride<64> {
    let vector = _mm512_zextsi128_si512(_mm_cvtsi64_si128(codes.cast_signed()));
    let masks = _mm512_castsi512_si128(masks_of(table, vector, literals));
    let mask = _mm_cvtsi128_si64(masks).cast_unsigned();
    put8(table, codes, literals, mask, to)
}

/// Returns the entries of `Table::masks` for 64 codes, of which literals have a bit.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn masks_of(table: &Table, codes: __m512i, literals: u64) -> __m512i {
    let quarter = |i: usize| load(window(&table.masks, 64 * i));
    let low = _mm512_permutex2var_epi8(quarter(0), codes, quarter(1));
    let high = _mm512_permutex2var_epi8(quarter(2), codes, quarter(3));
    let masks = _mm512_mask_blend_epi8(_mm512_movepi8_mask(codes), low, high);
    _mm512_mask_mov_epi8(masks, literals, _mm512_set1_epi8(1))
}

/// Writes the symbols of eight codes. The mask has a bit for each of their bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
#[inline]
fn put8(table: &Table, codes: u64, literals: u64, mask: u64, to: &mut [Slot; 64]) -> Stride<64> {
    let symbol = |i: u32| {
        let code = usize::from((codes >> (8 * i)) as u8);
        i64::from_le_bytes(table.symbols[code])
    };
    let symbols = _mm512_set_epi64(
        symbol(7),
        symbol(6),
        symbol(5),
        symbol(4),
        symbol(3),
        symbol(2),
        symbol(1),
        symbol(0),
    );
    let bytes = _mm_cvtsi64_si128(codes.cast_signed());
    let symbols = _mm512_mask_cvtepu8_epi64(symbols, literals as u8, bytes);
    store(to, _mm512_maskz_compress_epi8(mask, symbols));
    Stride::new(mask.count_ones() as usize)
}
