//! Converts numbers to digits by lookups, three at a time.
//!
//! Numbers are written from the last to the first. Each store may write garbage in front of its
//! number, which the number before it overwrites, so digits need no shift.
#![forbid(unsafe_code)]

use super::{MOST, ROOM};
use core::ops::Range;

/// Maximum number of bytes stored per number.
const WINDOW: usize = 32;

/// The three digits of each number below 1000, as text, after a byte that does not matter.
static THREE: [[u8; 4]; 1000] = {
    let mut texts = [[b'0'; 4]; 1000];
    let mut i = 0;
    while i < 1000 {
        let digits = [i / 100, i / 10 % 10, i % 10];
        texts[i] = [
            b'0',
            b'0' + digits[0] as u8,
            b'0' + digits[1] as u8,
            b'0' + digits[2] as u8,
        ];
        i += 1;
    }
    texts
};

/// Writes integers to the end of the text. Returns their range.
pub(super) fn write(values: &[i64], text: &mut [u8; ROOM]) -> Range<usize> {
    let mut start = ROOM;
    for i in (0..values.len()).rev() {
        start -= write_one(values[i], window(text, start));
    }
    start..ROOM
}

/// Returns the bytes before `start`.
#[inline(always)]
fn window(text: &mut [u8; ROOM], start: usize) -> &mut [u8; WINDOW] {
    let window = text[..start].last_chunk_mut();
    window.expect("no more numbers than there is room for")
}

/// Writes one integer to the end of the window. Returns its length.
#[inline(always)]
fn write_one(value: i64, window: &mut [u8; WINDOW]) -> usize {
    const BILLION: u64 = 1_000_000_000;
    let number = value.unsigned_abs();
    let (rest, last) = (number / BILLION, (number % BILLION) as u32);
    nine(last, WINDOW, window);
    let count;
    if let Ok(number) = u32::try_from(number) {
        window[WINDOW - 10] = b'0' + rest as u8;
        count = count_of_32(number);
    } else {
        // Two steps for all numbers: the lengths of large ones are hard to predict.
        nine((rest % BILLION) as u32, WINDOW - 9, window);
        window[WINDOW - 19] = b'0' + (rest / BILLION) as u8;
        count = count_of_64(number);
    }
    sign_and_comma(value < 0, count, window)
}

/// Stores the sign and the comma in front of `count` digits. Returns the total length.
#[inline(always)]
fn sign_and_comma(negative: bool, count: usize, window: &mut [u8; WINDOW]) -> usize {
    // The sign decides only where the text starts, not what is stored.
    window[WINDOW - 1 - count] = b'-';
    let len = count + usize::from(negative) + 1;
    window[WINDOW - len] = b',';
    len
}

/// Stores nine digits that end at `end`; the text may use only some of them.
#[inline(always)]
fn nine(value: u32, end: usize, window: &mut [u8; WINDOW]) {
    let mut store = |end: usize, three: u32| {
        let to = window[..end].last_chunk_mut();
        *to.expect("within the window") = THREE[three as usize];
    };
    store(end, value % 1000);
    store(end - 3, value / 1000 % 1000);
    store(end - 6, value / 1_000_000);
}

/// Maximum number of digits after the point.
const FRACTION: usize = 6;

/// Below this limit, different decimals are different doubles: they have at most 15 digits.
const DECIMALS: u64 = 1_000_000_000_000_000;

/// Writes doubles to the end of the text, if each is a decimal of up to nine digits before the
/// point and six after it. Such a decimal is the shortest one, since no other of up to 15 digits is
/// the same double. Returns its range.
pub(super) fn write_decimals(values: &[f64], text: &mut [u8; ROOM]) -> Option<Range<usize>> {
    // If the first one is not such a decimal, the others probably are not either.
    if values.first().is_some_and(|&first| !as_millionths(first).1) {
        return None;
    }
    let mut millionths = [0; MOST];
    let mut all = true;
    for (to, &value) in millionths.iter_mut().zip(values) {
        let (number, is_decimal) = as_millionths(value);
        *to = number;
        all &= is_decimal;
    }
    if !all {
        return None;
    }
    let mut start = ROOM;
    for i in (0..values.len()).rev() {
        let number = millionths[i].unsigned_abs();
        let (whole, fraction) = (number / 1_000_000, (number % 1_000_000) as u32);
        start -= write_fraction(fraction, window(text, start));
        let window = window(text, start);
        nine(whole as u32, WINDOW, window);
        let count = count_of_32(whole as u32);
        start -= sign_and_comma(millionths[i] < 0, count, window);
    }
    Some(start..ROOM)
}

/// Multiplies a double by a million. Returns an integer, and whether it represents the double
/// exactly. Has no branches, so that the compiler can vectorise it.
#[inline(always)]
fn as_millionths(value: f64) -> (i64, bool) {
    // With this addend, the last bit of the sum has the value 1, so the sum is rounded to the
    // nearest integer.
    const ROUND: f64 = (3u64 << 51) as f64;
    let sum = value * 1e6 + ROUND;
    let number = sum.to_bits().wrapping_sub(ROUND.to_bits()).cast_signed();
    // Compared as bits, because -0 differs from 0 and NaN is not a number. If the result is too
    // large, the difference of the bits is not the integer.
    let is_exact = ((sum - ROUND) / 1e6).to_bits() == value.to_bits();
    let is_short = number.unsigned_abs() < DECIMALS;
    // The shortest form of such small numbers has an exponent.
    let is_plain = number.unsigned_abs().wrapping_sub(1) >= 9;
    (number, is_exact & is_short & is_plain)
}

/// Writes a point and up to six digits, without trailing zeros. Returns the length.
#[inline(always)]
fn write_fraction(fraction: u32, window: &mut [u8; WINDOW]) -> usize {
    const ZEROS: u64 = 0x3030_3030_3030;
    let three = |digits: u32| u64::from(u32::from_le_bytes(THREE[digits as usize]) >> 8);
    let digits = three(fraction / 1000) | three(fraction % 1000) << 24;
    // The first digit is always written.
    let others = (digits ^ ZEROS | 1) << 16;
    let zeros = others.leading_zeros() as usize / 8;
    let text = (digits << 8 | u64::from(b'.')) << (8 * (1 + zeros));
    let to = window.last_chunk_mut();
    *to.expect("within the window") = text.to_le_bytes();
    1 + FRACTION - zeros
}

/// One entry per number of leading zeros of a 32-bit number. Adding the number to it gives the
/// number of digits in the upper half.
static COUNTS: [u64; 33] = {
    let mut counts = [0; 33];
    let mut bits = 0;
    while bits <= 32 {
        // Numbers with the same number of bits have as many digits as the least of them, or one
        // more.
        let least: u64 = if bits == 0 { 0 } else { 1 << (bits - 1) };
        let (mut digits, mut power) = (1, 10);
        while power <= least {
            digits += 1;
            power *= 10;
        }
        counts[32 - bits] = match power {
            ..=0xffff_ffff => ((digits + 1) << 32) - power,
            _ => digits << 32,
        };
        bits += 1;
    }
    counts
};

/// Returns the number of digits of a number.
#[inline(always)]
pub(super) fn count_of_32(number: u32) -> usize {
    ((COUNTS[number.leading_zeros() as usize] + u64::from(number)) >> 32) as usize
}

/// Returns the number of digits of a number greater than 0.
#[inline(always)]
fn count_of_64(number: u64) -> usize {
    // The base-10 logarithm of 2 lies between 1233 / 4096 and 1234 / 4096.
    let least = (number.ilog2() as usize + 1) * 1233 / 4096;
    least + usize::from(number >= POWERS[least & 31])
}

/// Powers of ten, followed by unused zeros.
static POWERS: [u64; 32] = {
    let mut powers = [0; 32];
    let (mut i, mut power) = (0, 1u64);
    while i < 20 {
        powers[i] = power;
        power = power.wrapping_mul(10);
        i += 1;
    }
    powers
};
