//! Decodes DELTA_BYTE_ARRAY: the length of the prefix that each value shares with the previous one, and the
//! bytes after it.

use super::copy::{BLOCK, LOWEST, Strings};
use super::delta_length::{read_lengths, sum};
use super::room::LONG_STEP;
use super::room::Room;
use crate::budget::Budget;
use crate::{Error, Result};
use arrow_array::OffsetSizeTrait;
use bytelane::Detected;
use bytes::Bytes;

/// Rest of a page.
pub(crate) struct Delta {
    bytes: Bytes,
    /// Prefix lengths of all values of the page; the suffix lengths follow.
    prefixes: Vec<i32>,
    suffixes: Vec<i32>,
    /// Number of values that have been taken.
    taken: usize,
    /// Offset of the suffix of the next value.
    at: usize,
    /// Last value that was taken.
    last: Vec<u8>,
}

impl Delta {
    pub(crate) fn open(
        backend: Detected,
        bytes: Bytes,
        valid: usize,
        room: &Room<'_>,
    ) -> Result<Self> {
        let (prefixes, at) = read_lengths(backend, &bytes, valid, "prefix lengths", room)?;
        let rest = &bytes[at..];
        let (suffixes, read) = read_lengths(backend, rest, valid, "suffix lengths", room)?;
        let needed = sum(&suffixes);
        let left = rest.len() - read;
        if needed > left as u64 {
            return Err(Error::corrupt(format!(
                "suffixes of {needed} bytes in DELTA_BYTE_ARRAY, but the page has only {left} bytes for them"
            )));
        }
        Ok(Self {
            bytes,
            prefixes,
            suffixes,
            taken: 0,
            at: at + read,
            last: Vec::new(),
        })
    }

    /// Appends the next values to the strings. Writes the end of each to `ends`.
    pub(crate) fn copy<O: OffsetSizeTrait>(
        &mut self,
        ends: &mut [O],
        to: &mut Vec<u8>,
        room: &Room<'_>,
    ) -> Result<()> {
        let Some((first, ends)) = ends.split_first_mut() else {
            return Ok(());
        };
        let mut last = to.len();
        *first = self.copy_first(to, room)?;
        let range = self.taken..self.taken + ends.len();
        let (prefixes, suffixes) = (&self.prefixes[range.clone()], &self.suffixes[range]);
        let bytes = sum(prefixes) + sum(suffixes);
        room.reserve(to, bytes)?;
        let mut rest = &self.bytes[self.at..];
        let mut strings = Strings::after(to);
        // Previous value, if it is short. Bytes that were just written are slow to read.
        let mut short = None;
        for ((end, prefix), suffix) in ends.iter_mut().zip(prefixes).zip(suffixes) {
            let (prefix, suffix) = (*prefix as usize, *suffix as usize);
            let this = strings.len();
            if prefix > this - last {
                return Err(too_long(prefix, this - last));
            }
            let length = prefix + suffix;
            short = match rest.first_chunk() {
                Some(tail) if length <= SHORT => {
                    let before = short.unwrap_or_else(|| Short::read(strings.written(last)));
                    let value = before.with_suffix(prefix, tail, length);
                    strings.push_numbers(&value.0, length);
                    Some(value)
                }
                _ => {
                    strings.repeat(last, prefix);
                    strings.push(rest, suffix);
                    None
                }
            };
            rest = &rest[suffix..];
            *end = O::usize_as(strings.len());
            last = this;
        }
        self.taken += ends.len();
        drop(strings);
        self.at = self.bytes.len() - rest.len();
        self.last.clear();
        self.last.extend_from_slice(&to[last..]);
        Ok(())
    }

    /// Appends the next value, which may share a prefix with a value that is not among the strings. Returns
    /// its end.
    fn copy_first<O: OffsetSizeTrait>(&mut self, to: &mut Vec<u8>, room: &Room<'_>) -> Result<O> {
        self.skip(1, &room.after(to.len() as u64))?;
        room.reserve(to, self.last.len() as u64)?;
        to.extend_from_slice(&self.last);
        Ok(O::usize_as(to.len()))
    }

    /// Skips the next values.
    pub(crate) fn skip(&mut self, count: usize, room: &Room<'_>) -> Result<()> {
        let range = self.taken..self.taken + count;
        for (prefix, suffix) in self.prefixes[range.clone()]
            .iter()
            .zip(&self.suffixes[range])
        {
            let (prefix, suffix) = (*prefix as usize, *suffix as usize);
            if prefix > self.last.len() {
                return Err(too_long(prefix, self.last.len()));
            }
            room.check(prefix as u64 + suffix as u64)?;
            self.last.truncate(prefix);
            self.last
                .extend_from_slice(&self.bytes[self.at..self.at + suffix]);
            self.at += suffix;
        }
        self.taken += count;
        Ok(())
    }
}

/// Size of two registers in bytes.
const SHORT: usize = 2 * size_of::<u128>();

/// Short value, lowest byte first, followed by arbitrary bytes.
#[derive(Clone, Copy)]
struct Short([u128; 2]);

impl Short {
    /// Reads the first bytes of a value.
    fn read(value: &[u8]) -> Self {
        let mut bytes = [0; SHORT];
        let length = value.len().min(SHORT);
        bytes[..length].copy_from_slice(&value[..length]);
        Self::from_bytes(&bytes)
    }

    #[inline(always)]
    fn from_bytes(bytes: &[u8; SHORT]) -> Self {
        let halves = bytes.as_chunks().0;
        Self([
            u128::from_le_bytes(halves[0]),
            u128::from_le_bytes(halves[1]),
        ])
    }

    /// Returns the value of this length that begins with a prefix of this one and continues with the first
    /// bytes of `suffix`.
    #[inline(always)]
    fn with_suffix(self, prefix: usize, suffix: &[u8; SHORT], length: usize) -> Self {
        let ([low, high], Self([first, second])) = (self.0, Self::from_bytes(suffix));
        let moved = |number: u128, bytes: usize| number.checked_shl(8 * bytes as u32).unwrap_or(0);
        if prefix >= 16 {
            let prefix = prefix - 16;
            return Self([low, high & LOWEST[prefix] | moved(first, prefix)]);
        }
        let low = low & LOWEST[prefix] | first << (8 * prefix);
        if length <= 16 {
            return Self([low, 0]);
        }
        let carried = first.checked_shr(128 - 8 * prefix as u32).unwrap_or(0);
        Self([low, carried | second << (8 * prefix)])
    }
}

#[cold]
fn too_long(prefix: usize, before: usize) -> Error {
    Error::corrupt(format!(
        "a prefix of {prefix} bytes in DELTA_BYTE_ARRAY, after a value of {before} bytes"
    ))
}

/// Decodes all values of a page of a column with `width` bytes per value. The caller has checked that their
/// memory may be allocated.
pub(crate) fn decode_fixed(
    backend: Detected,
    page: Bytes,
    valid: usize,
    width: usize,
) -> Result<Vec<u8>> {
    let unlimited = Budget::new(u64::MAX).reservation();
    let room = Room::new(&unlimited, u64::MAX);
    let mut page = Delta::open(backend, page, valid, &room)?;
    let lengths = page.prefixes.iter().zip(&page.suffixes);
    let mut lengths = lengths.map(|(prefix, suffix)| *prefix as usize + *suffix as usize);
    if let Some(other) = lengths.find(|length| *length != width) {
        return Err(Error::corrupt(format!(
            "a value of {other} bytes in DELTA_BYTE_ARRAY, but those of the column have {width}"
        )));
    }
    let mut values = Vec::with_capacity(valid * width + LONG_STEP);
    let mut ends = [0i64; BLOCK];
    let mut left = valid;
    while left > 0 {
        let count = left.min(BLOCK);
        page.copy(&mut ends[..count], &mut values, &room)?;
        left -= count;
    }
    Ok(values)
}
