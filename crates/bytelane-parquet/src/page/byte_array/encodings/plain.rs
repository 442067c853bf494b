//! Decodes PLAIN: each value follows its length, which has four bytes.

use super::copy::{BLOCK, Strings};
use super::room::Room;
use crate::memory::{ViewBuilder, ViewContent};
use crate::{Error, Result};
use arrow_array::OffsetSizeTrait;
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
        let written = to.len() as u64;
        let expected = room.expect(written, written + self.expected(ends.len()) as u64) - written;
        let mut strings = Strings::after(to, expected as usize);
        let mut rest = &self.bytes[self.at..];
        for ends in ends.chunks_mut(BLOCK) {
            let (start, values) = (strings.len(), rest);
            rest = copy(values, ends, &mut strings)?;
            while strings.make_room(start) {
                rest = copy(values, ends, &mut strings)?;
            }
            room.check(strings.len() as u64)?;
        }
        self.at = self.bytes.len() - rest.len();
        self.left -= ends.len();
        Ok(())
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
    pub(crate) fn read(bytes: Bytes, count: usize) -> Result<Self> {
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
