//! Text that consists of ASCII only, as most text does.

use crate::memory::{self, Validate};

/// Returns the bytes as text if all of them are ASCII, and `None` otherwise. On `None`, the bytes
/// may still be UTF-8; [`core::str::from_utf8`] checks that.
///
/// Takes a fraction of the time of `from_utf8`, for short and long texts; O(n).
///
/// ```
/// use bytelane::ascii;
///
/// assert_eq!(ascii::text(b"small string"), Some("small string"));
/// assert_eq!(ascii::text("größer".as_bytes()), None);
/// ```
#[inline]
#[must_use]
pub fn text(bytes: &[u8]) -> Option<&str> {
    let (text, ()) = memory::prefix(Ascii, bytes).ok()?;
    Some(text)
}

/// Finds out whether an input is ASCII.
pub(crate) struct Ascii;

impl Validate for Ascii {
    type Done = ();
    type Error = ();

    #[inline]
    fn validate(self, src: &[u8]) -> Result<(usize, ()), ()> {
        match is_ascii(src) {
            true => Ok((src.len(), ())),
            false => Err(()),
        }
    }
}

#[inline]
fn is_ascii(bytes: &[u8]) -> bool {
    const BEYOND: u64 = 0x8080_8080_8080_8080;
    let (lines, rest) = bytes.as_chunks::<64>();
    let mut any = any_of(lines);
    // Whole blocks, then the last 16 bytes again, which may overlap; or the whole rest if it is
    // shorter.
    let (blocks, _) = rest.as_chunks::<16>();
    for i in 0..blocks.len() {
        let [low, high] = memory::pair(&blocks[i]);
        any |= low | high;
    }
    let [low, high] = match rest.last_chunk::<16>() {
        Some(last) => memory::pair(last),
        None => memory::pair(rest),
    };
    (any | low | high) & BEYOND == 0
}

/// The bits that are set in any byte, somewhere in the result; four vectors per step on every
/// target.
fn any_of(lines: &[[u8; 64]]) -> u64 {
    let mut any = [0; 64];
    for i in 0..lines.len() {
        for j in 0..64 {
            any[j] |= lines[i][j];
        }
    }
    let (words, _) = any.as_chunks();
    words
        .iter()
        .fold(0, |any, &word| any | u64::from_le_bytes(word))
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::grid::thinned;

    #[test]
    fn one_byte_beyond_ascii_anywhere_is_seen() {
        let mut bytes = [b'a'; 100];
        for len in thinned(0..bytes.len(), 4) {
            assert_eq!(text(&bytes[..len]).map(str::len), Some(len));
            for place in thinned(0..len, 8) {
                bytes[place] = 0x80;
                assert_eq!(text(&bytes[..len]), None, "{place} of {len}");
                bytes[place] = b'a';
            }
        }
    }
}
