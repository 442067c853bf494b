//! Converts many numbers to digits at once, by multiplication.
//!
//! The loops over [`MOST`] numbers have no branches and no lookups, so that the compiler vectorises
//! them. A last loop concatenates the texts: it loads each one so that its last digit comes last,
//! which avoids shifts.
#![forbid(unsafe_code)]

use super::scalar::{self, count_of_32};
use super::{MOST, ROOM};
use crate::memory;
use crate::memory::Each;
use crate::simd::{window, window_mut};
use core::ops::Range;

/// Instruction sets, and whether their vectors are large enough for this to be faster than lookups.
/// Vectors of eight 64-bit numbers are; the four of AVX2 are too few.
pub(super) trait Vectors: Copy {
    const ARE_FASTER: bool;
}

#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
impl Vectors for crate::backend::Sse41 {
    const ARE_FASTER: bool = false;
}
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
impl Vectors for crate::backend::Avx2 {
    const ARE_FASTER: bool = false;
}
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
impl Vectors for crate::backend::Avx512 {
    const ARE_FASTER: bool = true;
}
#[cfg(all(target_arch = "aarch64", target_endian = "little", feature = "neon"))]
impl Vectors for crate::backend::Neon {
    const ARE_FASTER: bool = false;
}

/// Minimum number of integers for vectors, which always compute [`MOST`]. Fewer are written one by
/// one.
const FEWEST: usize = 16;

const EIGHT: u64 = 100_000_000;

/// 2^57 / 10^8, rounded up: precise enough for 32-bit numbers.
const INVERSE_OF_EIGHT: u64 = (1u64 << 57).div_ceil(EIGHT);

/// 2^50 / (10^8 / 2^8), rounded up: precise enough for 37-bit numbers whose last 8 bits are
/// dropped.
const INVERSE_OF_EIGHT_37: u64 = (1u64 << 50).div_ceil(EIGHT >> 8);

/// 2^82 / (10^8 / 2^8), rounded up: precise enough for all numbers whose last 8 bits are dropped.
const INVERSE_OF_EIGHT_64: u64 = (1u128 << 82).div_ceil(EIGHT as u128 >> 8) as u64;

/// Zeros as text.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Writes integers into the text. Returns their range.
#[inline(always)]
pub(super) fn write<V: Vectors>(_: V, values: &[i64], text: &mut [u8; ROOM]) -> Range<usize> {
    if !V::ARE_FASTER || values.len() < FEWEST {
        return scalar::write(values, text);
    }
    let mut numbers = [0; MOST];
    let mut bits = 0;
    for (number, value) in numbers.iter_mut().zip(values) {
        *number = value.unsigned_abs();
        bits |= *number;
    }
    match bits >> 32 {
        0 => 0..write_32(values, &numbers, text),
        _ => 0..write_64(values, &numbers, text),
    }
}

/// Writes integers of up to 32 bits without their signs, which are in `numbers`.
#[inline(always)]
fn write_32(values: &[i64], numbers: &[u64; MOST], text: &mut [u8; ROOM]) -> usize {
    // Two words for each number, and two for the bytes that are loaded after the last one.
    let mut words = [0; 2 * (MOST + 1)];
    for i in 0..MOST {
        let high = (numbers[i] * INVERSE_OF_EIGHT) >> 57;
        let tens = (high * 103) >> 10;
        let two = tens | (high - 10 * tens) << 8 | 0x3030;
        words[2 * i] = (two << 48).to_le();
        words[2 * i + 1] = eight_digits(numbers[i] - high * EIGHT).to_le();
    }
    let digits = memory::bytes(&words);
    let mut at = 0;
    for (i, &value) in values.iter().enumerate() {
        let count = count_of_32(numbers[i] as u32);
        at = put::<16>(value, count, &digits[16 * (i + 1) - count..], at, text);
    }
    at
}

/// Writes integers of any size, whose absolute values are in `numbers`.
#[inline(always)]
fn write_64(values: &[i64], numbers: &[u64; MOST], text: &mut [u8; ROOM]) -> usize {
    // Three words per number; otherwise as above.
    let mut words = [0; 3 * (MOST + 1)];
    let mut counts = [0; MOST];
    for i in 0..MOST {
        let high = upper_half(numbers[i] >> 8, INVERSE_OF_EIGHT_64) >> 18;
        let first = ((high >> 8) * INVERSE_OF_EIGHT_37) >> 50;
        let hundreds = (first * 41) >> 12;
        let rest = first - 100 * hundreds;
        let tens = (rest * 103) >> 10;
        let three = hundreds | tens << 8 | (rest - 10 * tens) << 16;
        let three = three << 40 | ZEROS;
        let middle = eight_digits(high - first * EIGHT);
        let last = eight_digits(numbers[i] - high * EIGHT);
        // Zero has one digit: the last digit always counts.
        let [a, b, c] = [three, middle, last | 0x40 << 56].each(leading_zeros);
        counts[i] = match (a, b) {
            (8, 8) => 8 - c,
            (8, _) => 16 - b,
            _ => 24 - a,
        };
        words[3 * i] = three.to_le();
        words[3 * i + 1] = middle.to_le();
        words[3 * i + 2] = last.to_le();
    }
    let digits = memory::bytes(&words);
    let mut at = 0;
    for (i, &value) in values.iter().enumerate() {
        let count = counts[i] as usize;
        at = put::<24>(value, count, &digits[24 * (i + 1) - count..], at, text);
    }
    at
}

/// Writes a comma, a sign if there is one, and `count` digits. Returns the end.
#[inline(always)]
fn put<const N: usize>(
    value: i64,
    count: usize,
    digits: &[u8],
    at: usize,
    text: &mut [u8; ROOM],
) -> usize {
    *window_mut(text, at) = *b",-";
    let at = at + 1 + usize::from(value < 0);
    *window_mut::<N, _>(text, at) = *window(digits, 0);
    at + count
}

/// Returns the upper half of a product. The compiler does not vectorise 128-bit arithmetic.
#[inline(always)]
fn upper_half(a: u64, b: u64) -> u64 {
    let low = u64::from(u32::MAX);
    let first = (a >> 32) * (b & low) + (((a & low) * (b & low)) >> 32);
    let second = (a & low) * (b >> 32) + (first & low);
    (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32)
}

/// Returns the eight digits of a number below 10^8 as text, with the first digit lowest.
#[inline(always)]
fn eight_digits(number: u64) -> u64 {
    // Split into two numbers of four digits, then into four of two, with the higher one of each
    // pair first.
    let high = (number * 109_951_163) >> 40;
    let fours = high | (number - 10_000 * high) << 32;
    let high = ((fours * 5243) >> 19) & 0x0000_007f_0000_007f;
    let twos = high | (fours - 100 * high) << 16;
    let high = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    high | (twos - 10 * high) << 8 | ZEROS
}

/// Counts the zeros that eight digits begin with.
#[inline(always)]
fn leading_zeros(text: u64) -> u64 {
    u64::from((text ^ ZEROS).trailing_zeros() / 8)
}
