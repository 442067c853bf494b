//! Decompresses [snappy](https://github.com/google/snappy/blob/main/format_description.txt): the size as a varint, then
//! literals, and copies of earlier bytes.
//!
//! The first byte of each is a tag, whose lowest bits say which of them it is. Finding the next tag is what takes the
//! time: each one must wait for the one before. So two of them are found in one number of 8 bytes, where there is no
//! need to wait for memory.

mod repeats;
#[cfg(test)]
mod tests;

use repeats::{PIECE, Repeats};

/// Lowest bits of a tag.
const LITERAL: u8 = 0;
const COPY_1: u8 = 1;
const COPY_4: u8 = 3;

/// Number of bytes that two tags with all that belongs to them may have. The literal has up to [`PIECE`] bytes.
const WINDOW: usize = 32;

/// Length of the copy of each tag, and above it the upper bits of its distance.
const COPIES: [u16; 256] = {
    let mut copies = [0; 256];
    let mut tag = 0;
    while tag < 256 {
        let upper = tag as u16 >> 2;
        copies[tag] = if tag as u8 & 3 == COPY_1 {
            ((upper & 7) + 4) | upper >> 3 << 8
        } else {
            upper + 1
        };
        tag += 1;
    }
    copies
};

/// Masks of the bytes of a distance, by the lowest bits of the tag. No distance of 4 bytes is read with them, and 0 is
/// none.
const DISTANCES: [u32; 4] = [0, 0xff, 0xffff, 0];

/// Returns the size after decompression, and the tags.
pub(super) fn split_size(bytes: &[u8]) -> Result<(usize, &[u8]), &'static str> {
    let mut size = 0;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        size |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            let size = u32::try_from(size).map_err(|_| "its size does not fit into 32 bits")?;
            return Ok((size as usize, &bytes[at + 1..]));
        }
    }
    Err("it does not begin with its size")
}

/// Decompresses tags to memory that need not be initialised: the buffer is cleared, and grows to `size` bytes and a
/// few more. The bytes may be fewer than `size`, but not more.
pub(super) fn decompress(
    mut tags: &[u8],
    size: usize,
    mut to: Vec<u8>,
) -> Result<Vec<u8>, &'static str> {
    to.clear();
    to.reserve_exact(size.saturating_add(PIECE));
    let mut out = Repeats::new(to);
    while !tags.is_empty() {
        match tags.first_chunk().and_then(|window| two(window, &mut out)) {
            Some(read) => tags = &tags[read..],
            None => (out, tags) = any(out, tags, size)?,
        }
    }
    if out.len() <= size {
        Ok(out.into_bytes())
    } else {
        Err(TOO_LONG)
    }
}

/// Decompresses a short literal or copy, and a short copy after it, if there is one. Returns the number of bytes that
/// they have; `None` if the first one is neither.
#[inline(always)]
fn two(window: &[u8; WINDOW], out: &mut Repeats) -> Option<usize> {
    let tags = number(window, 0);
    let kind = tags as u8 & 3;
    let (read, next) = if kind == LITERAL {
        let length = usize::from(tags as u8 >> 2) + 1;
        let (_, literal) = window.split_first()?;
        if !out.push(*literal.first_chunk()?, length) {
            return None;
        }
        let read = 1 + length;
        // The copy after a literal of up to 4 bytes is in the same number.
        let is_near = length <= 4;
        let next = if is_near {
            tags >> (8 * read)
        } else {
            number(window, read)
        };
        (read, next)
    } else {
        if !copy(tags, out) {
            return None;
        }
        let read = 1 + usize::from(kind);
        (read, tags >> (8 * read))
    };
    let kind = next as u8 & 3;
    let has_second = kind != LITERAL && copy(next, out);
    let second = if has_second { 1 + usize::from(kind) } else { 0 };
    Some(read + second)
}

/// Reads 8 bytes.
#[inline(always)]
fn number(window: &[u8; WINDOW], at: usize) -> u64 {
    let bytes = window[at..at + 8].first_chunk();
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Decompresses a copy whose tag is the lowest byte. Returns false if it is not a short one.
#[inline(always)]
fn copy(tag: u64, out: &mut Repeats) -> bool {
    let entry = COPIES[tag as usize & 0xff];
    let lower = (tag >> 8) as u32 & DISTANCES[tag as usize & 3];
    let distance = lower | u32::from(entry & 0x700);
    out.repeat(distance as usize, usize::from(entry & 0xff))
}

/// Decompresses a literal or a copy of any length. Returns the tags after it. The bytes are passed by value, which keeps
/// their length in a register while other functions append to them.
#[inline(never)]
fn any(mut out: Repeats, tags: &[u8], size: usize) -> Result<(Repeats, &[u8]), &'static str> {
    let Some((tag, rest)) = tags.split_first() else {
        return Ok((out, tags));
    };
    let upper = usize::from(tag >> 2);
    // The length of a long literal, or the lower bits of a distance.
    let bytes = match tag & 3 {
        LITERAL => upper.saturating_sub(59),
        COPY_4 => 4,
        bytes => usize::from(bytes),
    };
    let (number, mut rest) = split_number(rest, bytes).ok_or("it ends within a tag")?;
    let left = size.checked_sub(out.len()).ok_or(TOO_LONG)?;
    let length = match tag & 3 {
        LITERAL if bytes > 0 => number + 1,
        COPY_1 => (upper & 7) + 4,
        _ => upper + 1,
    };
    if length > left {
        return Err(TOO_LONG);
    }
    let is_done = if tag & 3 == LITERAL {
        let literal;
        (literal, rest) = rest
            .split_at_checked(length)
            .ok_or("it ends within a literal")?;
        out.extend(literal)
    } else {
        let distance = if tag & 3 == COPY_1 {
            number | upper >> 3 << 8
        } else {
            number
        };
        out.repeat_any(distance, length)
    };
    if is_done {
        Ok((out, rest))
    } else {
        Err("it copies bytes from before its start")
    }
}

/// Splits off a number of up to 4 bytes.
#[inline(always)]
fn split_number(bytes: &[u8], width: usize) -> Option<(usize, &[u8])> {
    let rest = bytes.get(width..)?;
    let number = bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut padded = [0; 4];
        padded[..width].copy_from_slice(&bytes[..width]);
        padded
    });
    let number = u64::from(u32::from_le_bytes(number)) & ((1 << (8 * width)) - 1);
    Some((usize::try_from(number).ok()?, rest))
}

const TOO_LONG: &str = "it has more bytes than its size says";
