//! DELTA_BYTE_ARRAY: how many bytes each value has in common with the one before, and the bytes that follow them.

use super::copy::{BLOCK, Strings};
use super::delta_length::read_lengths;
use super::room::Room;
use crate::{Error, Result};
use arrow_array::OffsetSizeTrait;
use bytelane::Detected;
use bytes::Bytes;

/// What is left of a page.
pub(super) struct Delta {
    bytes: Bytes,
    /// Of all values of the page.
    prefixes: Vec<i32>,
    suffixes: Vec<i32>,
    /// Values that are taken.
    taken: usize,
    /// Where the suffix of the next one begins.
    at: usize,
    /// The last value that was taken.
    last: Vec<u8>,
}

impl Delta {
    pub(super) fn open(backend: Detected, bytes: Bytes, valid: usize, room: &Room) -> Result<Self> {
        let (prefixes, at) = read_lengths(backend, &bytes, valid, "prefix lengths", room)?;
        let rest = &bytes[at..];
        let (suffixes, read) = read_lengths(backend, rest, valid, "suffix lengths", room)?;
        let needed: u64 = suffixes.iter().map(|length| *length as u64).sum();
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

    /// Appends the next values to the strings, and tells where each of them ends.
    pub(super) fn copy<O: OffsetSizeTrait>(
        &mut self,
        ends: &mut [O],
        to: &mut Vec<u8>,
        room: &Room,
    ) -> Result<()> {
        let Some((first, ends)) = ends.split_first_mut() else {
            return Ok(());
        };
        let mut last = to.len();
        *first = self.copy_first(to, room)?;
        let mut rest = &self.bytes[self.at..];
        let mut strings = Strings::after(to);
        for ends in ends.chunks_mut(BLOCK) {
            let range = self.taken..self.taken + ends.len();
            let (prefixes, suffixes) = (&self.prefixes[range.clone()], &self.suffixes[range]);
            room.check(strings.len() as u64 + sum(prefixes) + sum(suffixes))?;
            for ((end, prefix), suffix) in ends.iter_mut().zip(prefixes).zip(suffixes) {
                let (prefix, suffix) = (*prefix as usize, *suffix as usize);
                let this = strings.len();
                if prefix > this - last {
                    return Err(too_long(prefix, this - last));
                }
                strings.repeat(last, prefix);
                strings.push(rest, suffix);
                rest = &rest[suffix..];
                *end = O::usize_as(strings.len());
                last = this;
            }
            self.taken += ends.len();
        }
        drop(strings);
        self.at = self.bytes.len() - rest.len();
        self.last.clear();
        self.last.extend_from_slice(&to[last..]);
        Ok(())
    }

    /// Appends the next value, which may begin as one that is not among the strings. Returns where it ends.
    fn copy_first<O: OffsetSizeTrait>(&mut self, to: &mut Vec<u8>, room: &Room) -> Result<O> {
        let others = to.len() as u64;
        let room = Room {
            left: room.left.saturating_sub(others),
            addressable: room.addressable.saturating_sub(others),
            ..*room
        };
        self.skip(1, &room)?;
        to.extend_from_slice(&self.last);
        Ok(O::usize_as(to.len()))
    }

    /// Passes over the next values.
    pub(super) fn skip(&mut self, count: usize, room: &Room) -> Result<()> {
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

fn sum(lengths: &[i32]) -> u64 {
    lengths.iter().map(|length| *length as u64).sum()
}

#[cold]
fn too_long(prefix: usize, before: usize) -> Error {
    Error::corrupt(format!(
        "a prefix of {prefix} bytes in DELTA_BYTE_ARRAY, after a value of {before} bytes"
    ))
}

/// All values of a page of a column whose values have `width` bytes, one after the other. The caller has checked that
/// so many may be allocated.
pub(in crate::page) fn decode_fixed(
    backend: Detected,
    page: Bytes,
    valid: usize,
    width: usize,
) -> Result<Vec<u8>> {
    let room = Room::new(u64::MAX, u64::MAX);
    let mut page = Delta::open(backend, page, valid, &room)?;
    let lengths = page.prefixes.iter().zip(&page.suffixes);
    let mut lengths = lengths.map(|(prefix, suffix)| *prefix as usize + *suffix as usize);
    if let Some(other) = lengths.find(|length| *length != width) {
        return Err(Error::corrupt(format!(
            "a value of {other} bytes in DELTA_BYTE_ARRAY, but those of the column have {width}"
        )));
    }
    let mut values = Vec::with_capacity(valid * width);
    let mut ends = [0i64; BLOCK];
    let mut left = valid;
    while left > 0 {
        let count = left.min(BLOCK);
        page.copy(&mut ends[..count], &mut values, &room)?;
        left -= count;
    }
    Ok(values)
}
