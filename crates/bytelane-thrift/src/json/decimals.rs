//! Converts decimals to doubles with one multiplication.

use super::digits::{ZEROS, value_of_eight, word};
use super::text::is_separator;

/// Maximum number of bytes of a decimal that is read here, with its separator, rounded up: a sign,
/// `0.`, 19 digits and a separator are 23.
const WINDOW: usize = 24;

const EIGHT: u64 = 100_000_000;

/// Maximum number of digits that are read here: any number of this length fits in 64 bits.
const MOST: usize = 19;

/// Inverse of a power of ten, rounded down: with the number of bits of the power, it is `inverse` /
/// 2^(63 + bits), with the highest bit set.
#[derive(Clone, Copy)]
struct Inverse {
    inverse: u64,
    /// Exponent of the double for a mantissa of 64 bits multiplied by the inverse.
    exponent: u64,
}

/// Inverse of each power of ten. The first is not used: its inverse is exact.
static INVERSES: [Inverse; MOST + 1] = {
    let mut inverses = [Inverse {
        inverse: 0,
        exponent: 0,
    }; MOST + 1];
    let (mut i, mut power) = (1, 10u64);
    loop {
        let bits = power.ilog2() + 1;
        inverses[i] = Inverse {
            inverse: ((1u128 << (63 + bits)) / power as u128) as u64,
            exponent: 1023 + 12 - bits as u64,
        };
        if i == MOST {
            break inverses;
        }
        i += 1;
        power *= 10;
    }
};

static POWERS: [u64; MOST + 1] = {
    let mut powers = [1; MOST + 1];
    let mut i = 1;
    while i <= MOST {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// Divides by a power of ten that is not 1. `None` if one multiplication does not determine the
/// direction of rounding.
#[inline(always)]
fn divide(negative: bool, mantissa: u64, power: usize) -> Option<f64> {
    let sign = u64::from(negative) << 63;
    if mantissa == 0 {
        return Some(f64::from_bits(sign));
    }
    let Inverse { inverse, exponent } = INVERSES[power];
    let zeros = mantissa.leading_zeros();
    let product = u128::from(mantissa << zeros) * u128::from(inverse);
    // The inverse is less than the true one, by less than 1, since no power of two is a multiple of
    // ten. So the true product is greater than this one, by less than 2^64: less than 1 here.
    let upper = (product >> 64) as u64;
    // It has 63 or 64 bits, so a shift by one makes that less than 2.
    let shift = (upper >> 63) ^ 1;
    let upper = upper << shift;
    // 53 bits stay and 11 are dropped. Half is rounded up, since the true value is more. Just below
    // half, the true value may be below, above or half. Just below the next number, it is rounded
    // up in any case.
    if upper & 0x7fe == 0x3fe {
        return None;
    }
    let rounded = ((upper >> 10) + 1) >> 1;
    // Both the number and the power of two are exact, and so is their product.
    let scale = (exponent - shift - u64::from(zeros)) << 52;
    Some(rounded.cast_signed() as f64 * f64::from_bits(scale | sign))
}

/// Reads a decimal as writers usually write it, with up to 8 digits before the point, up to 19 in
/// all, and no exponent. Returns its value, and its length in bytes. `None` if there is no such
/// decimal with a separator after it, or if it needs a closer look.
///
/// The next number waits only for the length, so that is computed first, from all bytes at once.
#[inline(always)]
pub(super) fn read_decimal(text: &[u8]) -> Option<(f64, usize)> {
    // There are enough bytes for whole words that start in the window.
    let text: &[u8; WINDOW + 8] = text.first_chunk()?;
    let others = others_of(text);
    let negative = text[0] == b'-';
    let sign = usize::from(negative);
    let behind_sign = others & !1;
    let point = behind_sign.trailing_zeros() as usize;
    let end = (behind_sign & behind_sign.wrapping_sub(1)).trailing_zeros() as usize;
    if others & 1 != u32::from(negative) || end >= WINDOW || !is_separator(text[end]) {
        return None;
    }
    let (whole_len, len) = (point - sign, end - point - 1);
    // JSON does not allow leading zeros.
    let is_whole = matches!(whole_len, 1..=8) && (whole_len == 1 || text[sign] != b'0');
    if !is_whole || text[point] != b'.' || len == 0 {
        return None;
    }
    // The same value, computed from what has been checked, so that the offsets below need no check.
    let point = sign + whole_len;
    let whole = value_of_eight((word(text, sign) ^ ZEROS) << (64 - 8 * whole_len));
    let digits = if whole == 0 { len } else { whole_len + len };
    if digits > MOST {
        return None;
    }
    // Sixteen digits, or fewer with leading zeros, and those after them.
    let first = u128::from(word(text, point + 1) ^ ZEROS);
    let second = u128::from(word(text, point + 9) ^ ZEROS);
    let both = (first | second << 64) << (128 - 8 * usize::min(len, 16));
    let mut fraction = value_of_eight(both as u64) * EIGHT + value_of_eight((both >> 64) as u64);
    for i in point + 17..end {
        fraction = fraction * 10 + u64::from(text[i] - b'0');
    }
    let value = divide(negative, whole * POWERS[len] + fraction, len)?;
    Some((value, end))
}

/// Returns a bit for each byte of the window that is not a digit.
#[inline]
fn others_of(text: &[u8; WINDOW + 8]) -> u32 {
    let mut bits = 0;
    for i in 0..WINDOW / 8 {
        // Same as `others`, without a carry from one byte to the next.
        let values = word(text, 8 * i) ^ ZEROS;
        let low = values & 0x7f7f_7f7f_7f7f_7f7f;
        let others = ((low + 0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
        // The product collects the highest bits of the bytes.
        bits |= (others.wrapping_mul(0x0002_0408_1020_4081) >> 56 << (8 * i)) as u32;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compares with the standard library. Returns whether the number was read here.
    fn check(number: &str) -> bool {
        for end in [",", "]", " "] {
            let text = format!("{number}{end}{}", "5".repeat(40));
            let Some((value, len)) = read_decimal(text.as_bytes()) else {
                return false;
            };
            let expected: f64 = number.parse().unwrap();
            assert_eq!(value.to_bits(), expected.to_bits(), "{number}");
            assert_eq!(len, number.len(), "{number}");
        }
        true
    }

    #[test]
    fn decimals_of_all_lengths_are_read() {
        let digits = "98765432109876543210";
        for (whole, fraction) in (1..9).flat_map(|i| (1..20).map(move |j| (i, j))) {
            let lengths = format!("{whole} and {fraction}");
            let number = format!("{}.{}", &digits[..whole], &digits[..fraction]);
            assert_eq!(check(&number), whole + fraction <= MOST, "{lengths}");
            check(&format!("-{number}"));
            let zeros = "0".repeat(fraction - 1);
            for digit in [0, 1, 5, 9] {
                assert!(check(&format!("0.{zeros}{digit}")), "{lengths}");
                assert!(check(&format!("-0.{zeros}{digit}")), "{lengths}");
            }
        }
    }

    #[test]
    fn halves_are_rounded_to_even_or_not_here() {
        // Midpoints between two doubles, and their neighbours: 2^53 + 1 and 2^53 + 3 in units of
        // 2^-40.
        for number in [
            "8192.00000000000090949",
            "8192.000000000000909",
            "4503599.6273704965",
            "1.00000000000000011",
            "1.000000000000000111",
            "0.5000000000000000555",
            "1844674.407370955161",
            "0.999999999999999944",
            "0.9999999999999999444",
            "0.9999999999999999445",
            "9999999.999999999999",
        ] {
            check(number);
            check(&format!("-{number}"));
        }
        // Exact midpoints: odd multiples of half the distance between two doubles, with few digits.
        for i in 0..1000u64 {
            let halves = (1 << 53) + 2 * i + 1;
            check(&format!("{}.{}", halves / 10, halves % 10));
            check(&format!("{}.5", (1u64 << 52) + i));
            let quarter = (1u64 << 53) + 2 * i + 1;
            check(&format!("{}.{:02}", quarter / 4, quarter % 4 * 25));
        }
    }

    #[test]
    fn what_takes_a_closer_look_is_not_read() {
        let padding = " ".repeat(40);
        for number in [
            "",
            "-",
            ".",
            "-.5",
            ".5",
            "5",
            "5.",
            "-5.",
            "00.5",
            "01.5",
            "+1.5",
            "--1.5",
            "1.5e3",
            "1.5E3",
            "1.5x",
            "1..5",
            "1.-5",
            "1e5",
            "NaN",
            "1,5",
            "123456789.5",
        ] {
            let text = format!("{number}{padding}");
            assert_eq!(read_decimal(text.as_bytes()), None, "{number}");
        }
        assert_eq!(read_decimal(b"1.5,"), None, "too few bytes to look at");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 16 } else { 20_000 }))]

        #[test]
        fn decimals_are_read_as_by_the_standard_library(
            whole in 0..100_000_000u64,
            shift in 0..24,
            fraction in "[0-9]{1,19}",
            value: f64,
        ) {
            check(&format!("{}.{fraction}", whole >> shift));
            check(&format!("-{}.{fraction}", whole >> shift));
            check(&value.to_string());
            check(&(value % 1000.0).to_string());
        }

        #[test]
        fn what_a_double_is_written_as_is_read_as_it(bits in 0..1u64 << 52, power in 1010..1040u64) {
            let value = f64::from_bits(power << 52 | bits);
            check(zmij::Buffer::new().format(value));
        }
    }
}
