//! Decodes DELTA_LENGTH_BYTE_ARRAY: the lengths of all values, followed by the values.

use super::room::Room;
use crate::memory::{ViewBuilder, ViewContent};
use crate::page::deltas::append_deltas;
use crate::{Error, Result};
use arrow_array::OffsetSizeTrait;
use arrow_buffer::BooleanBuffer;
use bytelane::{Detected, delta};
use bytes::Bytes;
use std::ops::Range;

/// Rest of a page.
pub(crate) struct DeltaLength {
    bytes: Bytes,
    /// Lengths of all values of the page.
    lengths: Vec<i32>,
    /// Number of values that have been taken.
    taken: usize,
    /// Offset of the next value.
    at: usize,
}

impl DeltaLength {
    pub(crate) fn open(
        backend: Detected,
        bytes: Bytes,
        valid: usize,
        room: &Room<'_>,
    ) -> Result<Self> {
        let (lengths, at) = read_lengths(backend, &bytes, valid, "lengths", room)?;
        let needed = sum(&lengths);
        let left = bytes.len() - at;
        if needed > left as u64 {
            return Err(Error::corrupt(format!(
                "values of {needed} bytes in DELTA_LENGTH_BYTE_ARRAY, but the page has only {left} bytes for them"
            )));
        }
        Ok(Self {
            at,
            ..Self::of(bytes, lengths)
        })
    }

    /// Returns a page of strings that are one after the other.
    pub(super) fn of(bytes: Bytes, lengths: Vec<i32>) -> Self {
        Self {
            bytes,
            lengths,
            taken: 0,
            at: 0,
        }
    }

    /// Appends the page, of which nothing has been taken.
    pub(super) fn encode(&self, backend: Detected, to: &mut Vec<u8>) {
        append_deltas(&self.lengths, backend, to);
        to.extend_from_slice(&self.bytes[self.at..]);
    }

    /// Takes the next values. Returns their ranges among the lengths and in the page.
    fn take(&mut self, count: usize) -> (Range<usize>, Range<usize>) {
        let places = self.taken..self.taken + count;
        let length = sum(&self.lengths[places.clone()]);
        let bytes = self.at..self.at + length as usize;
        (self.taken, self.at) = (places.end, bytes.end);
        (places, bytes)
    }

    /// Appends the next values to the strings. Writes the end of each to `ends`.
    pub(crate) fn copy<O: OffsetSizeTrait>(
        &mut self,
        ends: &mut [O],
        to: &mut Vec<u8>,
        room: &Room<'_>,
    ) -> Result<()> {
        let (places, bytes) = self.take(ends.len());
        let values = &self.bytes[bytes];
        room.reserve(to, values.len() as u64)?;
        let mut at = to.len();
        for (end, length) in ends.iter_mut().zip(&self.lengths[places]) {
            at += *length as usize;
            *end = O::usize_as(at);
        }
        to.extend_from_slice(values);
        Ok(())
    }

    /// Appends those of the next values whose bits are set. Writes the end of each to `ends`, which has room for all;
    /// returns their number.
    pub(crate) fn copy_kept<O: OffsetSizeTrait>(
        &mut self,
        bits: &BooleanBuffer,
        ends: &mut [O],
        to: &mut Vec<u8>,
        room: &Room<'_>,
    ) -> Result<usize> {
        let (places, bytes) = self.take(bits.len());
        let lengths = &self.lengths[places];
        let runs = bits.set_slices();
        let bytes_kept: u64 = runs.map(|(from, to)| sum(&lengths[from..to])).sum();
        room.reserve(to, bytes_kept)?;
        let (mut start, mut kept, mut dropped) = (bytes.start, 0, 0);
        for (first, end) in bits.set_slices() {
            start += sum(&lengths[dropped..first]) as usize;
            dropped = end;
            let mut at = to.len();
            let ends = ends[kept..].iter_mut().zip(&lengths[first..end]);
            for (end, length) in ends {
                at += *length as usize;
                *end = O::usize_as(at);
            }
            let stop = start + at - to.len();
            to.extend_from_slice(&self.bytes[start..stop]);
            (start, kept) = (stop, kept + end - first);
        }
        Ok(kept)
    }

    /// Appends views of the next values.
    pub(crate) fn view<T: ViewContent>(
        &mut self,
        views: &mut ViewBuilder<T>,
        count: usize,
    ) -> Result<()> {
        let (places, bytes) = self.take(count);
        let (lengths, mut end) = (&self.lengths[places], bytes.start);
        let mut lengths = lengths.iter();
        views.append(&self.bytes, count, || {
            let start = end;
            end += lengths.next().map_or(0, |length| *length as usize);
            Ok::<_, Error>(start..end)
        })
    }

    pub(crate) fn skip(&mut self, count: usize) {
        self.take(count);
    }
}

/// Reads `valid` lengths from the front of `bytes`, and checks that none is negative. Returns them, and the
/// offset at which they end.
pub(crate) fn read_lengths(
    backend: Detected,
    bytes: &[u8],
    valid: usize,
    what: &str,
    room: &Room<'_>,
) -> Result<(Vec<i32>, usize)> {
    // Some writers may store no bytes if there are no values.
    if valid == 0 && bytes.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let damaged = |error: delta::Error| Error::corrupt(format!("the {what} of values: {error}"));
    // A few bytes can legitimately encode many lengths.
    let (stored, _) = delta::validate::<i32>(bytes).map_err(damaged)?;
    if stored != valid as u64 {
        return Err(Error::corrupt(format!(
            "{stored} {what} for {valid} values"
        )));
    }
    // A second list of lengths may be in memory at the same time.
    room.beside(valid, 2 * size_of::<i32>())?;
    let mut lengths = vec![0; valid];
    let decoded = delta::decode_with(backend, bytes, &mut lengths[..]);
    let (_, read) = decoded.map_err(damaged)?;
    // The OR of all lengths is negative if any of them is.
    let all = lengths.iter().fold(0, |all, length| all | length);
    if all < 0 {
        Err(Error::corrupt(format!(
            "the {what} of values: one is negative"
        )))
    } else {
        Ok((lengths, read))
    }
}

/// Returns the sum of lengths, none of which is negative.
pub(crate) fn sum(lengths: &[i32]) -> u64 {
    lengths.iter().map(|length| u64::from(*length as u32)).sum()
}
