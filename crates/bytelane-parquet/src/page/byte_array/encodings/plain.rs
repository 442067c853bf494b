//! Decodes PLAIN: each value follows its length, which has four bytes.

use super::copy::{BLOCK, Strings};
use super::room::Room;
use crate::memory::{ViewBuilder, ViewContent};
use crate::{Error, Result};
use arrow_array::OffsetSizeTrait;
use arrow_buffer::BooleanBuffer;
use bytes::Bytes;

/// Size of a length in bytes.
const LENGTH: usize = 4;

/// Rest of a page.
pub(crate) struct Plain {
    bytes: Bytes,
    at: usize,
    /// Number of remaining values.
    left: usize,
}

impl Plain {
    pub(crate) fn open(bytes: Bytes, valid: usize) -> Result<Self> {
        if valid > bytes.len() / LENGTH {
            return Err(Error::corrupt(format!(
                "{} bytes of values in PLAIN, too few for the lengths of {valid} values",
                bytes.len()
            )));
        }
        Ok(Self {
            bytes,
            at: 0,
            left: valid,
        })
    }

    /// Appends the next values to the strings. Writes the end of each to `ends`.
    pub(crate) fn copy<O: OffsetSizeTrait>(
        &mut self,
        ends: &mut [O],
        to: &mut Vec<u8>,
        room: &Room<'_>,
    ) -> Result<()> {
        self.reserve(to, ends.len(), room)?;
        let mut strings = Strings::after(to);
        let mut rest = &self.bytes[self.at..];
        for ends in ends.chunks_mut(BLOCK) {
            let (start, values) = (strings.len(), rest);
            rest = copy(values, ends, &mut strings)?;
            while strings.make_room(start, room)? {
                rest = copy(values, ends, &mut strings)?;
            }
            room.check(strings.len() as u64)?;
        }
        self.at = self.bytes.len() - rest.len();
        self.left -= ends.len();
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
        self.reserve(to, bits.count_set_bits(), room)?;
        let mut strings = Strings::after(to);
        let mut rest = &self.bytes[self.at..];
        let mut kept = 0;
        for start in (0..bits.len()).step_by(BLOCK) {
            let bits = bits.slice(start, BLOCK.min(bits.len() - start));
            let (start, values, ends) = (strings.len(), rest, &mut ends[kept..]);
            let mut count;
            (count, rest) = copy_kept(values, &bits, ends, &mut strings)?;
            while strings.make_room(start, room)? {
                (count, rest) = copy_kept(values, &bits, ends, &mut strings)?;
            }
            room.check(strings.len() as u64)?;
            kept += count;
        }
        self.at = self.bytes.len() - rest.len();
        self.left -= bits.len();
        Ok(kept)
    }

    /// Appends views of the next values.
    pub(crate) fn view<T: ViewContent>(
        &mut self,
        views: &mut ViewBuilder<T>,
        count: usize,
    ) -> Result<()> {
        let mut rest = &self.bytes[self.at..];
        views.append(&self.bytes, count, || {
            let length;
            (length, rest) = split_length(rest)?;
            let start = self.bytes.len() - rest.len();
            rest = &rest[length..];
            Ok::<_, Error>(start..start + length)
        })?;
        self.at = self.bytes.len() - rest.len();
        self.left -= count;
        Ok(())
    }

    pub(crate) fn skip(&mut self, count: usize) -> Result<()> {
        let mut rest = &self.bytes[self.at..];
        for _ in 0..count {
            let length;
            (length, rest) = split_length(rest)?;
            rest = &rest[length..];
        }
        self.at = self.bytes.len() - rest.len();
        self.left -= count;
        Ok(())
    }

    /// Makes room for the probable size of the next values, unless they only fit if they are shorter.
    fn reserve(&self, to: &mut Vec<u8>, count: usize, room: &Room<'_>) -> Result<()> {
        let expected = room.reserve(to, self.expected(count) as u64);
        expected.or_else(|_| room.reserve(to, 0))
    }

    /// Returns the size of the next values in bytes, if all remaining values have the same length.
    fn expected(&self, count: usize) -> usize {
        let bytes = self.bytes.len() - self.at;
        let bytes = bytes.saturating_sub(self.left * LENGTH);
        if count == self.left {
            bytes
        } else {
            (bytes as u128 * count as u128 / self.left.max(1) as u128) as usize
        }
    }
}

/// Appends values to the strings. Writes the end of each to `ends`. Returns the remaining bytes.
#[inline(always)]
fn copy<'a, O: OffsetSizeTrait>(
    mut values: &'a [u8],
    ends: &mut [O],
    to: &mut Strings<'_>,
) -> Result<&'a [u8]> {
    for end in ends {
        let (length, value) = split_length(values)?;
        to.push(value, length);
        values = &value[length..];
        *end = O::usize_as(to.len());
    }
    Ok(values)
}

/// Appends values like [`copy`], but only those whose bits are set. Returns their number as well.
///
/// A dropped value is written as well, but the next one overwrites it, so that no branch depends on the bits.
#[inline(always)]
fn copy_kept<'a, O: OffsetSizeTrait>(
    mut values: &'a [u8],
    bits: &BooleanBuffer,
    ends: &mut [O],
    to: &mut Strings<'_>,
) -> Result<(usize, &'a [u8])> {
    let (mut kept, mut left) = (0, bits.len());
    for mut word in bits.bit_chunks().iter_padded() {
        let count = left.min(64);
        for _ in 0..count {
            let (length, value) = split_length(values)?;
            let bit = word as usize & 1;
            to.push(value, length & bit.wrapping_neg());
            ends[kept] = O::usize_as(to.len());
            kept += bit;
            word >>= 1;
            values = &value[length..];
        }
        left -= count;
    }
    Ok((kept, values))
}

/// Splits off the length of the next value, and checks that the whole value follows.
#[inline(always)]
fn split_length(bytes: &[u8]) -> Result<(usize, &[u8])> {
    let Some((length, rest)) = bytes.split_first_chunk() else {
        return Err(Error::corrupt("the page ends within the length of a value"));
    };
    let length = u32::from_le_bytes(*length) as usize;
    if length <= rest.len() {
        Ok((length, rest))
    } else {
        Err(too_long(length, rest.len()))
    }
}

#[cold]
fn too_long(length: usize, left: usize) -> Error {
    Error::corrupt(format!(
        "a value of {length} bytes, but the page has only {left} bytes left"
    ))
}

/// Entries of a dictionary.
#[derive(Clone)]
pub(crate) struct Entries {
    pub(crate) bytes: Bytes,
    /// Offset and length of each entry.
    pub(crate) places: Vec<(u32, u32)>,
}

impl Entries {
    pub fn read(bytes: Bytes, count: usize) -> Result<Self> {
        let too_few = || {
            Error::corrupt(format!(
                "a dictionary of {} bytes, too few for the lengths of {count} values",
                bytes.len()
            ))
        };
        if count > bytes.len() / LENGTH {
            return Err(too_few());
        }
        // Offsets and lengths must fit into 32 bits.
        if u32::try_from(bytes.len()).is_err() {
            return Err(Error::corrupt(format!(
                "a dictionary of {} bytes",
                bytes.len()
            )));
        }
        let mut places = Vec::with_capacity(count);
        let mut rest = &bytes[..];
        for _ in 0..count {
            let length;
            (length, rest) = split_length(rest)?;
            places.push(((bytes.len() - rest.len()) as u32, length as u32));
            rest = &rest[length..];
        }
        Ok(Self { bytes, places })
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn get(&self, index: usize) -> &[u8] {
        let (start, length) = self.places[index];
        &self.bytes[start as usize..][..length as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.get(index))
    }
}
