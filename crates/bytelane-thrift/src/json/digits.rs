//! Converts digits to integers, several digits in one step.

/// Number of bytes to examine at once.
const WINDOW: usize = 32;

/// Zeros as text.
pub(super) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Returns the highest bit of each byte that is not a digit, in a word with the first byte lowest.
/// Bits after the first such byte can be wrong.
#[inline]
fn others(word: u64) -> u64 {
    let values = word ^ ZEROS;
    // For values above 9, that bit is set in the sum or in the value itself.
    (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
}

/// Returns the value of eight digits, which are not text: each byte is below 10.
#[inline]
pub(super) fn value_of_eight(digits: u64) -> u64 {
    // Four numbers of two digits, each in the first of its bytes, are weighted and added.
    let twos = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let high = (twos & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let low = ((twos >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    high.wrapping_add(low) >> 32
}

/// Returns eight bytes, the first of them lowest.
#[inline]
pub(super) fn word<const N: usize>(text: &[u8; N], at: usize) -> u64 {
    let bytes = text[at..].first_chunk();
    u64::from_le_bytes(*bytes.expect("within the window"))
}

/// Reads an integer that JSON allows. Returns its value, and its length in bytes. `None` if there
/// is none, if it has more than 19 digits or does not fit in 64 bits, or if there are not enough
/// bytes to examine: then it needs a closer look.
///
/// The next number waits only for the length, so that is computed first, from whole words.
#[inline(always)]
pub(super) fn read_integer(text: &[u8]) -> Option<(i64, usize)> {
    const EIGHT: u64 = 100_000_000;
    let text: &[u8; WINDOW] = text.first_chunk()?;
    let word = |at| word(text, at);
    let negative = text[0] == b'-';
    let sign = u64::from(negative) * 0xff;
    let (first, others_of_first) = (word(0), others(word(0)) & !sign);
    // Treat the sign as another leading digit, zero.
    let leading = (first ^ ZEROS) & !sign;
    let (len, value);
    if others_of_first != 0 {
        len = (others_of_first.trailing_zeros() / 8) as usize;
        // Without digits, this would be a shift by 64 bits; it is an error anyway.
        value = value_of_eight(leading << ((64 - 8 * len) & 63));
    } else {
        let others_of_second = others(word(8));
        if others_of_second != 0 {
            len = 8 + (others_of_second.trailing_zeros() / 8) as usize;
            // The last eight digits, and those before them, if any.
            let before = leading << ((128 - 8 * len) & 63);
            let before = if len == 8 { 0 } else { value_of_eight(before) };
            let last = if len == 8 {
                leading
            } else {
                word(len - 8) ^ ZEROS
            };
            value = before * EIGHT + value_of_eight(last);
        } else {
            len = 16 + (others(word(16)).trailing_zeros() / 8) as usize;
            if len > 19 + usize::from(negative) {
                return None;
            }
            let before = match len {
                16 => 0,
                len => value_of_eight(leading << (192 - 8 * len)),
            };
            let middle = if len == 16 {
                leading
            } else {
                word(len - 16) ^ ZEROS
            };
            let last = word(len - 8) ^ ZEROS;
            let front = before * EIGHT + value_of_eight(middle);
            value = front
                .checked_mul(EIGHT)?
                .checked_add(value_of_eight(last))?;
        }
    }
    let start = usize::from(negative);
    // JSON does not allow leading zeros.
    if len == start || (text[start] == b'0' && len > start + 1) {
        return None;
    }
    if value > i64::MAX.cast_unsigned() + u64::from(negative) {
        return None;
    }
    // Without a branch, since signs are hard to predict.
    let mask = -i64::from(negative);
    Some(((value.cast_signed() ^ mask).wrapping_sub(mask), len))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> impl Iterator<Item = i64> {
        let powers = (0..19).map(|power| 10i64.pow(power));
        let near = powers.flat_map(|power| [power - 1, power, power + 1, 2 * (power / 2)]);
        let shifted = (0..64).map(|shift| i64::MIN >> shift);
        let mixed = (0..20_000u64).map(|i| {
            let bits = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            bits.cast_signed() >> (i % 64)
        });
        let all = near.chain(shifted).chain(mixed).chain([i64::MAX, 0]);
        all.flat_map(|value| [value, value.wrapping_neg()])
    }

    #[test]
    fn digits_are_read_as_the_integer() {
        for value in values() {
            let text = format!("{value}");
            for end in [",", "]", " ", "/", ":", "\u{ff}"] {
                let longer = format!("{text}{end}{}", "5".repeat(40));
                let read = read_integer(longer.as_bytes());
                assert_eq!(read, Some((value, text.len())), "{longer}");
            }
        }
    }

    #[test]
    fn what_is_no_integer_is_not_read() {
        let padding = " ".repeat(40);
        for text in [
            "",
            "-",
            "x",
            "-x",
            "00",
            "01",
            "-01",
            "+1",
            "--1",
            "9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999",
            "100000000000000000000",
        ] {
            assert_eq!(
                read_integer(format!("{text}{padding}").as_bytes()),
                None,
                "{text}"
            );
        }
        assert_eq!(read_integer(b"1,"), None, "too few bytes to look at");
    }
}
