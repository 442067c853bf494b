//! Headers of runs, with all checks. No length in them is trusted before the input is known to
//! contain that many bytes.
#![forbid(unsafe_code)]

use super::{Error, ErrorKind, Integer};
use crate::codec::bit_packing::Layout;
use crate::codec::varint;
use core::iter::FusedIterator;

/// Maximum number of values of a run.
pub(super) const MOST: usize = i32::MAX as usize;

/// Stored form of values: an item of [`Runs`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run<'a, T> {
    /// One value, repeated.
    Repeated {
        /// The value.
        value: T,
        /// Number of repetitions.
        count: usize,
    },
    /// Packed values, one after the other, in the format of
    /// [`bit_packing::Format`](crate::bit_packing::Format) with the same width.
    Packed {
        /// The packed values.
        bytes: &'a [u8],
        /// Number of values.
        count: usize,
    },
}

impl<T> Run<'_, T> {
    /// Returns the number of values in the run.
    #[must_use]
    #[inline]
    pub const fn count(&self) -> usize {
        match *self {
            Run::Repeated { count, .. } | Run::Packed { count, .. } => count,
        }
    }
}

/// Contents of a run, after its header.
#[derive(Clone, Copy)]
pub(super) enum Contents {
    Repeated(u32),
    Packed,
}

/// A run whose bytes lie within the input.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) contents: Contents,
    /// Offset of the repeated value or the packed values.
    pub(super) at: usize,
    /// Number of values in it that are wanted.
    pub(super) count: usize,
}

/// Reads runs one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    src: &'a [u8],
    layout: Layout,
    /// Start of the next run.
    at: usize,
}

impl<'a> Cursor<'a> {
    #[inline(always)]
    pub(super) fn new(layout: Layout, src: &'a [u8]) -> Self {
        Self { src, layout, at: 0 }
    }

    /// Returns the end of the runs so far.
    #[inline(always)]
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Continues at the end of runs that other code has read.
    #[inline(always)]
    pub(super) fn set_at(&mut self, at: usize) {
        self.at = at;
    }

    /// Returns the next run, with at most `wanted` values.
    #[inline(always)]
    pub(super) fn next(&mut self, wanted: usize) -> Result<Found, Error> {
        let (src, start) = (self.src, self.at);
        let (header, at) = match src.get(start) {
            Some(&byte) if byte < 0x80 => (u64::from(byte), start + 1),
            _ => header(src, start)?,
        };
        let (length, is_packed) = (header >> 1, header & 1 != 0);
        let most = if is_packed { MOST / 8 } else { MOST };
        if length == 0 || length > most as u64 {
            return Err(Error::at(start, ErrorKind::Length));
        }
        let length = length as usize;
        if is_packed {
            let count = usize::min(8 * length, wanted);
            let there = src.len() - at;
            // Some writers leave out the end of the last group.
            let needed = self.layout.bytes(count).unwrap_or(usize::MAX);
            if needed > there {
                return Err(Error::at(start, ErrorKind::Truncated));
            }
            let bytes = u64::min(length as u64 * self.layout.width as u64, there as u64);
            self.at = at + bytes as usize;
            let contents = Contents::Packed;
            return Ok(Found {
                contents,
                at,
                count,
            });
        }
        let value = self.repeated(start, at)?;
        self.at = at + value_bytes(self.layout);
        Ok(Found {
            contents: Contents::Repeated(value),
            at,
            count: usize::min(length, wanted),
        })
    }

    /// Returns the value of a repeated run.
    #[inline(always)]
    fn repeated(&self, start: usize, at: usize) -> Result<u32, Error> {
        let bytes = &self.src[at..];
        let length = value_bytes(self.layout);
        let mut four = [0; 4];
        match bytes.first_chunk() {
            Some(bytes) => four = *bytes,
            None if bytes.len() < length => return Err(Error::at(start, ErrorKind::Truncated)),
            None => four[..bytes.len()].copy_from_slice(bytes),
        }
        let value = u64::from(u32::from_le_bytes(four)) & ((1 << (8 * length)) - 1);
        if value > self.layout.mask() {
            let width = self.layout.width as u32;
            return Err(Error::at(at, ErrorKind::Value { width }));
        }
        Ok(value as u32)
    }

    /// Checks the runs of `count` values. Returns the end of the last one.
    pub(super) fn skip(mut self, mut count: usize) -> Result<usize, Error> {
        while count > 0 {
            count -= self.next(count)?.count;
        }
        Ok(self.at)
    }
}

/// Returns the size of a repeated value in bytes.
#[inline(always)]
pub(super) fn value_bytes(layout: Layout) -> usize {
    layout.width.div_ceil(8)
}

/// Reads a header of any length. Returns it and the offset after it.
#[inline(never)]
fn header(src: &[u8], at: usize) -> Result<(u64, usize), Error> {
    match varint::read::<u64>(src.get(at..).unwrap_or_default()) {
        Ok((header, length)) => Ok((header, at + length)),
        Err(error) if error.kind() == varint::ErrorKind::Truncated => {
            Err(Error::at(at, ErrorKind::Truncated))
        }
        Err(_) => Err(Error::at(at, ErrorKind::Length)),
    }
}

/// Iterator over the runs of a number of values, returned by [`Format::runs`](super::Format::runs).
///
/// The counts of the runs add up to that number. The last item is an [`Error`] if the input does
/// not have them.
#[derive(Clone, Debug)]
pub struct Runs<'a, T> {
    cursor: Cursor<'a>,
    left: usize,
    of: core::marker::PhantomData<T>,
}

impl<'a, T> Runs<'a, T> {
    #[inline]
    pub(super) fn new(layout: Layout, src: &'a [u8], count: usize) -> Self {
        Self {
            cursor: Cursor::new(layout, src),
            left: count,
            of: core::marker::PhantomData,
        }
    }

    /// Returns the number of bytes that the runs so far take.
    #[must_use]
    #[inline]
    pub fn read(&self) -> usize {
        self.cursor.at()
    }
}

impl<'a, T: Integer> Iterator for Runs<'a, T> {
    type Item = Result<Run<'a, T>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let found = match self.cursor.next(self.left) {
            Ok(found) => found,
            Err(error) => {
                self.left = 0;
                return Some(Err(error));
            }
        };
        let Found { at, count, .. } = found;
        self.left -= count;
        Some(Ok(match found.contents {
            Contents::Repeated(value) => Run::Repeated {
                value: T::from_u32(value),
                count,
            },
            Contents::Packed => {
                let length = self.cursor.layout.bytes(count).unwrap_or(usize::MAX);
                let bytes = &self.cursor.src[at..at + length];
                Run::Packed { bytes, count }
            }
        }))
    }
}

impl<T: Integer> FusedIterator for Runs<'_, T> {}
