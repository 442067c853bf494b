//! Finds the smallest and the largest of many strings. Most of them differ in their first bytes.

/// String, with its first bytes as a number that has the same order.
#[derive(Clone, Copy)]
struct Prefixed<'a>(u64, &'a [u8]);

impl<'a> Prefixed<'a> {
    #[inline(always)]
    fn new(string: &'a [u8]) -> Self {
        let prefix = string.first_chunk::<8>().copied().unwrap_or_else(|| {
            let mut padded = [0; 8];
            padded[..string.len()].copy_from_slice(string);
            padded
        });
        Self(u64::from_be_bytes(prefix), string)
    }

    #[inline(always)]
    fn is_below(self, other: Self) -> bool {
        self.0 < other.0 || (self.0 == other.0 && self.1 < other.1)
    }
}

/// Returns the smallest and the largest string, byte by byte, if there is any.
pub(super) fn extremes<'a>(
    strings: impl Iterator<Item = &'a [u8]>,
) -> Option<(&'a [u8], &'a [u8])> {
    let mut strings = strings.map(Prefixed::new);
    let first = strings.next()?;
    let (mut least, mut most) = (first, first);
    for string in strings {
        if string.is_below(least) {
            least = string;
        } else if most.is_below(string) {
            most = string;
        }
    }
    Some((least.1, most.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_strings_are_compared_as_bytes() {
        let strings: [&[u8]; 9] = [
            b"12345678",
            b"1234567",
            b"1234567\0",
            b"123456789",
            b"12345678\xff",
            b"",
            b"\0",
            b"\xff\0",
            b"2",
        ];
        for from in 0..strings.len() {
            for to in from + 1..=strings.len() {
                let part = &strings[from..to];
                let want = part.iter().min().zip(part.iter().max());
                let want = want.map(|(least, most)| (*least, *most));
                assert_eq!(extremes(part.iter().copied()), want, "{part:?}");
            }
        }
        assert_eq!(extremes(std::iter::empty()), None);
    }
}
