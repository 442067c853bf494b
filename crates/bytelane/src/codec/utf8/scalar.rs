//! The specification as code: the table of well-formed sequences in RFC 3629, section 4.
//!
//! ```text
//! UTF8-1    = %x00-7F
//! UTF8-2    = %xC2-DF UTF8-tail
//! UTF8-3    = %xE0 %xA0-BF UTF8-tail / %xE1-EC 2( UTF8-tail ) /
//!             %xED %x80-9F UTF8-tail / %xEE-EF 2( UTF8-tail )
//! UTF8-4    = %xF0 %x90-BF 2( UTF8-tail ) / %xF1-F3 3( UTF8-tail ) /
//!             %xF4 %x80-8F 2( UTF8-tail )
//! UTF8-tail = %x80-BF
//! ```
#![forbid(unsafe_code)]

use super::ErrorKind;

/// Decodes the character at the start. Returns it and the length of its encoding.
pub(crate) fn next(src: &[u8]) -> Result<(char, usize), ErrorKind> {
    const INVALID: ErrorKind = ErrorKind::InvalidUtf8 { length: 1 };
    let (length, second) = match src.first() {
        None => return Err(ErrorKind::UnexpectedEnd),
        Some(&byte @ 0x00..=0x7f) => return Ok((char::from(byte), 1)),
        Some(0xc2..=0xdf) => (2, 0x80..=0xbf),
        Some(0xe0) => (3, 0xa0..=0xbf),
        Some(0xe1..=0xec | 0xee..=0xef) => (3, 0x80..=0xbf),
        Some(0xed) => (3, 0x80..=0x9f),
        Some(0xf0) => (4, 0x90..=0xbf),
        Some(0xf1..=0xf3) => (4, 0x80..=0xbf),
        Some(0xf4) => (4, 0x80..=0x8f),
        Some(_) => return Err(INVALID),
    };
    let mut code = u32::from(src[0]) & (0x7f >> length);
    for i in 1..length {
        let &byte = src.get(i).ok_or(ErrorKind::UnexpectedEnd)?;
        let allowed = if i == 1 { second.clone() } else { 0x80..=0xbf };
        if !allowed.contains(&byte) {
            return Err(ErrorKind::InvalidUtf8 { length: i as u8 });
        }
        code = code << 6 | u32::from(byte) & 0x3f;
    }
    let character = char::from_u32(code).ok_or(INVALID)?;
    Ok((character, length))
}

/// Returns the length of the longest text at the front.
pub(super) fn valid_up_to(src: &[u8]) -> usize {
    valid_from(src, 0)
}

pub(super) fn is_text(src: &[u8]) -> bool {
    valid_up_to(src) == src.len()
}

/// Same as [`is_text`], to be called last, so that the caller saves no registers for it.
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "other kernels take any length")
)]
#[cold]
#[inline(never)]
pub(super) fn is_text_cold(src: &[u8]) -> bool {
    is_text(src)
}

/// Same as [`valid_up_to`], for an input whose first `at` bytes are text.
#[inline(never)]
pub(super) fn valid_from(src: &[u8], mut at: usize) -> usize {
    while let Ok((_, length)) = next(&src[at..]) {
        at += length;
    }
    at
}

pub(super) fn is_ascii(src: &[u8]) -> bool {
    src.iter().all(|&byte| byte < 0x80)
}

/// Counts characters: each has one byte that does not continue it.
pub(super) fn count_chars(src: &[u8]) -> usize {
    let begins = |byte: &&u8| !matches!(byte, 0x80..=0xbf);
    src.iter().filter(begins).count()
}
