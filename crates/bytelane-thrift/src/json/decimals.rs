//! Decimals to doubles, with one multiplication.

use super::digits::{ZEROS, others, value_of_eight, word};
use super::text::is_separator;

/// Bytes that are looked at: 7 digits, a point, 19 digits and what separates numbers.
const WINDOW: usize = 28;

/// Digits of the longest decimal that is read here: any number of so many digits has 64 bits.
const MOST: usize = 19;

/// The inverse of a power of ten, rounded down: `inverse` / 2^(63 + `bits`), with the highest bit set.
#[derive(Clone, Copy)]
struct Inverse {
    inverse: u64,
    /// How many bits the power of ten has.
    bits: u32,
}

/// The inverse of each power of ten. The first is not used: its inverse is exact.
static INVERSES: [Inverse; MOST + 1] = {
    let mut inverses = [Inverse {
        inverse: 0,
        bits: 0,
    }; MOST + 1];
    let (mut i, mut power) = (1, 10u64);
    loop {
        let bits = power.ilog2() + 1;
        inverses[i] = Inverse {
            inverse: ((1u128 << (63 + bits)) / power as u128) as u64,
            bits,
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

/// Divides by a power of ten that is not 1. None if one multiplication does not tell to which side
/// to round.
#[inline]
fn divide(mantissa: u64, exponent: usize) -> Option<f64> {
    if mantissa == 0 {
        return Some(0.0);
    }
    let Inverse { inverse, bits } = INVERSES[exponent];
    let zeros = mantissa.leading_zeros();
    let product = u128::from(mantissa << zeros) * u128::from(inverse);
    // The inverse is less than the true one, by less than 1, since no power of two is a multiple of
    // ten. So the true product is greater than this one, by less than 2^64: less than 1 here.
    let upper = (product >> 64) as u64;
    // Of 63 or 64 bits, 53 stay.
    let dropped = 10 + (upper >> 63);
    let half = 1 << (dropped - 1);
    // Half is rounded up, since the true value is more. Just below half, the true value may be
    // below, above or half. Just below the next number, it is rounded up in any case.
    if upper & (2 * half - 1) == half - 1 {
        return None;
    }
    let rounded = upper.checked_add(half).map_or(1 << 53, |sum| sum >> dropped);
    // Both the number and the power of two are exact, and so is their product.
    let power = 1023 + 1 + dropped - u64::from(zeros) - u64::from(bits);
    Some(rounded as i64 as f64 * f64::from_bits(power << 52))
}

/// Reads a decimal as writers have it, with up to 7 digits before the point, up to 19 in all, and no
/// exponent: its value, and its length in bytes. None if there is none with a separator behind it, or
/// if it takes a closer look.
#[inline(always)]
pub(super) fn read_decimal(text: &[u8]) -> Option<(f64, usize)> {
    let negative = text.first() == Some(&b'-');
    let sign = usize::from(negative);
    let text: &[u8; WINDOW] = text.get(sign..)?.first_chunk()?;

    let first = word(text, 0);
    let point = (others(first).trailing_zeros() / 8) as usize;
    // JSON has no zeros in front of other digits.
    let is_whole = matches!(point, 1..8) && (point == 1 || text[0] != b'0');
    if !is_whole || text[point] != b'.' {
        return None;
    }
    let whole = value_of_eight((first ^ ZEROS) << (64 - 8 * point));

    let (first, second) = (word(text, point + 1), word(text, point + 9));
    let mut len = match others(first) {
        0 => 8 + others(second).trailing_zeros() / 8,
        others => others.trailing_zeros() / 8,
    } as usize;
    if len == 0 {
        return None;
    }
    // The digits move to the end, with zeros in front.
    let both = u128::from(first ^ ZEROS) | u128::from(second ^ ZEROS) << 64;
    let both = both << (128 - 8 * len);
    let mut fraction =
        value_of_eight(both as u64) * 100_000_000 + value_of_eight((both >> 64) as u64);
    while matches!(len, 16..MOST) && text[point + 1 + len].is_ascii_digit() {
        fraction = fraction * 10 + u64::from(text[point + 1 + len] - b'0');
        len += 1;
    }
    let whole_len = if whole == 0 { 0 } else { point };
    if whole_len + len > MOST || !is_separator(text[point + 1 + len]) {
        return None;
    }
    let value = divide(whole * POWERS[len] + fraction, len)?;
    Some((if negative { -value } else { value }, sign + point + 1 + len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compares with the standard library; whether it was read here.
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
        for (whole, fraction) in (1..8).flat_map(|i| (1..20).map(move |j| (i, j))) {
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
        // Between two doubles, and next to that: 2^53 + 1 and 2^53 + 3 in units of 2^-40.
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
        // Exact halves: odd multiples of half the distance of two doubles, with few digits.
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
            "", "-", ".", "-.5", ".5", "5", "5.", "-5.", "00.5", "01.5", "+1.5", "--1.5", "1.5e3",
            "1.5E3", "1.5x", "1..5", "1.-5", "12345678.5", "1e5", "NaN", "1,5",
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
            whole in 0..10_000_000u64,
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
