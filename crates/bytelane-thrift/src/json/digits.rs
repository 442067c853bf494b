//! Integers to digits and back, several digits in one step.

/// Bytes of the longest integer with a comma: `-9223372036854775808,`.
const LONGEST: usize = 21;

/// Bytes that are looked at, or stored, at once.
const WINDOW: usize = 32;

/// The three digits of each number below 1000, as text, behind a byte that does not matter.
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

/// For each number of leading zeros of a number of 32 bits, what has the number of its digits in the
/// upper half when the number has been added.
static COUNTS: [u64; 33] = {
    let mut counts = [0; 33];
    let mut bits = 0;
    while bits <= 32 {
        // Numbers of so many bits have as many digits as the least of them, or one more.
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

/// How many digits a number has.
#[inline]
fn count(value: u32) -> usize {
    ((COUNTS[value.leading_zeros() as usize] + u64::from(value)) >> 32) as usize
}

/// Collects numbers from the last to the first: what is in front of a number is overwritten by the
/// one before it, so that digits are stored without being shifted.
#[derive(Debug)]
pub(super) struct Backward<const N: usize> {
    bytes: [u8; N],
    start: usize,
}

impl<const N: usize> Backward<N> {
    #[inline]
    pub fn new() -> Self {
        let bytes = [0; N];
        Self { bytes, start: N }
    }

    /// Starts again, without clearing the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.start = N;
    }

    #[inline]
    pub fn text(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// How many numbers have room, whatever they are.
    pub const fn capacity() -> usize {
        (N - WINDOW) / LONGEST
    }

    /// The bytes before the text.
    #[inline]
    fn window(&mut self) -> &mut [u8; WINDOW] {
        let window = self.bytes[..self.start].last_chunk_mut();
        window.expect("no more numbers than there is room for")
    }

    /// Puts a comma in front.
    #[inline]
    pub fn comma(&mut self) {
        self.window()[WINDOW - 1] = b',';
        self.start -= 1;
    }

    /// Puts an integer in front.
    #[inline]
    pub fn integer(&mut self, value: i64) {
        let mut rest = value.unsigned_abs();
        while rest > u64::from(u32::MAX) {
            self.nine((rest % 1_000_000_000) as u32);
            self.start -= 9;
            rest /= 1_000_000_000;
        }
        let rest = rest as u32;
        self.nine(rest % 1_000_000_000);
        let count = count(rest);
        let window = self.window();
        window[WINDOW - 10] = b'0' + (rest / 1_000_000_000) as u8;
        // Whether there is a sign decides where the text starts, not what is stored.
        window[WINDOW - 1 - count] = b'-';
        self.start -= count + usize::from(value < 0);
    }

    /// Stores nine digits in front, of which the text may take a part only.
    #[inline]
    fn nine(&mut self, value: u32) {
        let window = self.window();
        let mut store = |end: usize, three: u32| {
            let to = window[..end].last_chunk_mut();
            *to.expect("within the window") = THREE[three as usize];
        };
        store(WINDOW, value % 1000);
        store(WINDOW - 3, value / 1000 % 1000);
        store(WINDOW - 6, value / 1_000_000);
    }
}

/// Zeros as text.
pub(super) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The highest bit of each byte that is no digit, in a word that has the first byte lowest. Those
/// after the first such byte can be wrong.
#[inline]
fn others(word: u64) -> u64 {
    let values = word ^ ZEROS;
    // Values above 9 have that bit in the sum or by themselves.
    (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080
}

/// The value of eight digits, which are not text: each byte is below 10.
#[inline]
pub(super) fn value_of_eight(digits: u64) -> u64 {
    // Four numbers of two digits, each in the first of its bytes; then they are weighed and added.
    let twos = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let high = (twos & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let low = ((twos >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    high.wrapping_add(low) >> 32
}

/// Eight bytes, the first of them lowest.
#[inline]
pub(super) fn word<const N: usize>(text: &[u8; N], at: usize) -> u64 {
    let bytes = text[at..].first_chunk();
    u64::from_le_bytes(*bytes.expect("within the window"))
}

/// Reads an integer that JSON allows: its value, and its length in bytes. None if there is none, if
/// it has more than 19 digits or is not one of 64 bits, or if there are not enough bytes to look at:
/// then it takes a closer look.
///
/// The next number waits for the length only, so that comes first, from whole words.
#[inline(always)]
pub(super) fn read_integer(text: &[u8]) -> Option<(i64, usize)> {
    const EIGHT: u64 = 100_000_000;
    let text: &[u8; WINDOW] = text.first_chunk()?;
    let word = |at| word(text, at);
    let negative = text[0] == b'-';
    let sign = u64::from(negative) * 0xff;
    let (first, others_of_first) = (word(0), others(word(0)) & !sign);
    // The sign is a digit more in front: zero.
    let leading = (first ^ ZEROS) & !sign;
    let (len, value);
    if others_of_first != 0 {
        len = (others_of_first.trailing_zeros() / 8) as usize;
        // None at all would be a shift by 64 bits, and is an error.
        value = value_of_eight(leading << ((64 - 8 * len) & 63));
    } else {
        let others_of_second = others(word(8));
        if others_of_second != 0 {
            len = 8 + (others_of_second.trailing_zeros() / 8) as usize;
            // The last eight digits, and those before them, which may be none.
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
    // JSON has no zeros in front of other digits.
    if len == start || (text[start] == b'0' && len > start + 1) {
        return None;
    }
    if value > i64::MAX.cast_unsigned() + u64::from(negative) {
        return None;
    }
    // Without a branch: signs are hard to predict.
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
    fn integers_become_the_digits_of_the_standard_library() {
        for value in values() {
            let mut digits = Backward::<128>::new();
            assert_eq!(Backward::<128>::capacity(), 4);
            digits.integer(7);
            digits.comma();
            digits.integer(value);
            digits.comma();
            digits.integer(-1);
            let expected = format!("-1,{value},7");
            assert_eq!(digits.text(), expected.as_bytes(), "{value}");
        }
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
