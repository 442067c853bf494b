//! Layout of a page, with all checks. No length in the page is trusted before the input is known to
//! contain that many bytes.
//!
//! ```text
//! header (7 bytes) | an offset of 4 bytes for each vector | vectors
//! vector: exponent, factor, exceptions (2) | frame of reference (K), width
//!         | packed integers | positions (2 each) | exceptions (K each)
//! ```
#![forbid(unsafe_code)]

use super::{Error, ErrorKind, Pair};
use crate::codec::bit_packing::{Layout, from_ne_bytes, to_ne_bytes};
use crate::memory::{Slot, write};
use crate::simd::{window, window_mut};

/// Size of a header, in bytes.
pub(super) const HEADER: usize = 7;

/// Size of an offset, in bytes.
pub(super) const OFFSET: usize = 4;

/// Size of a position, in bytes.
pub(super) const POSITION: usize = 2;

/// Base-2 logarithms of the smallest and the largest vector size.
pub(super) const LOGARITHMS: core::ops::RangeInclusive<u8> = 3..=15;

/// Returns the size of a vector's header, in bytes.
pub(super) const fn vector_header<const K: usize>() -> usize {
    5 + K
}

/// A page of `K`-byte numbers whose header and offsets lie within the input.
#[derive(Clone, Copy)]
pub(super) struct Page<'a, const K: usize> {
    pub(super) src: &'a [u8],
    /// The number of values.
    pub(super) count: usize,
    logarithm: u8,
}

/// A vector whose bytes lie within the input.
#[derive(Clone, Copy)]
pub(super) struct Vector {
    pub(super) pair: Pair,
    pub(super) layout: Layout,
    /// The number of values.
    pub(super) count: usize,
    /// Offset of the packed integers.
    pub(super) packed: usize,
    positions: usize,
    values: usize,
    /// End of the vector.
    pub(super) end: usize,
}

impl<'a, const K: usize> Page<'a, K> {
    pub(super) fn read(src: &'a [u8]) -> Result<Self, Error> {
        let Some(header) = src.first_chunk::<HEADER>() else {
            return Err(Error::at(0, ErrorKind::Truncated));
        };
        for (at, &mode) in header[..2].iter().enumerate() {
            if mode != 0 {
                return Err(Error::at(at, ErrorKind::Mode { mode }));
            }
        }
        let logarithm = header[2];
        if !LOGARITHMS.contains(&logarithm) {
            return Err(Error::at(2, ErrorKind::VectorSize { logarithm }));
        }
        let count = i32::from_le_bytes(*window(header, 3));
        let Ok(count) = usize::try_from(count) else {
            return Err(Error::at(3, ErrorKind::Negative));
        };
        let page = Self {
            src,
            count,
            logarithm,
        };
        if src.len() - HEADER >= OFFSET * page.vectors() {
            Ok(page)
        } else {
            Err(Error::at(HEADER, ErrorKind::Truncated))
        }
    }

    /// Returns the number of vectors.
    #[inline(always)]
    pub(super) fn vectors(self) -> usize {
        self.count.div_ceil(self.vector_len())
    }

    /// Returns the number of values in each vector except the last.
    #[inline(always)]
    pub(super) fn vector_len(self) -> usize {
        1 << self.logarithm
    }

    /// Returns the offset of the first vector.
    #[inline(always)]
    pub(super) fn start(self) -> usize {
        HEADER + OFFSET * self.vectors()
    }

    /// Fails if the page does not have the requested values.
    pub(super) fn check(self, start: usize, count: usize) -> Result<(), Error> {
        let values = self.count;
        if start.checked_add(count).is_some_and(|end| end <= values) {
            Ok(())
        } else {
            Err(Error::nowhere(ErrorKind::Count { values }))
        }
    }

    /// Returns the stored offset of a vector.
    #[inline(always)]
    fn stored(self, vector: usize) -> u32 {
        u32::from_le_bytes(*window(self.src, HEADER + OFFSET * vector))
    }

    /// Returns a vector. It must end where the next one begins; the first must begin where the list
    /// of offsets ends.
    #[inline(always)]
    pub(super) fn vector(self, number: usize) -> Result<Vector, Error> {
        let stored = self.stored(number);
        let misplaced = |number, stored| {
            let place = HEADER + OFFSET * number;
            Error::at(place, ErrorKind::Offset { stored })
        };
        let start = HEADER.saturating_add(stored as usize);
        let is_first = number == 0;
        if start < self.start() || is_first && start > self.start() || start > self.src.len() {
            return Err(misplaced(number, stored));
        }
        let count = usize::min(self.count - (number << self.logarithm), self.vector_len());
        let vector = Vector::read::<K>(self.src, start, count)?;
        if number + 1 < self.vectors() {
            let next = self.stored(number + 1);
            if HEADER.saturating_add(next as usize) != vector.end {
                return Err(misplaced(number + 1, next));
            }
        }
        Ok(vector)
    }
}

impl Vector {
    #[inline(always)]
    fn read<const K: usize>(src: &[u8], start: usize, count: usize) -> Result<Self, Error> {
        let truncated = Error::at(start, ErrorKind::Truncated);
        let header = src.get(start..start + vector_header::<K>());
        let header = header.ok_or(truncated)?;
        let (exponent, factor) = (header[0], header[1]);
        let pair = Pair {
            exponent,
            factor,
            is_double: false,
        };
        if !pair.is_allowed::<K>() {
            return Err(Error::at(start, ErrorKind::Exponent { exponent, factor }));
        }
        let exceptions = u16::from_le_bytes(*window(header, 2));
        if usize::from(exceptions) > count {
            let kind = ErrorKind::Exceptions { exceptions };
            return Err(Error::at(start + 2, kind));
        }
        let frame = *window::<K, _>(header, 4);
        let width = header[4 + K];
        if usize::from(width) > 8 * K {
            return Err(Error::at(start + 4 + K, ErrorKind::Width { width }));
        }
        let layout = Layout {
            width: usize::from(width),
            reference: from_little_endian(frame),
            zigzag: false,
        };
        // At most 2^15 values, so nothing overflows.
        let packed = start + header.len();
        let positions = packed + layout.bytes(count).ok_or(truncated)?;
        let values = positions + POSITION * usize::from(exceptions);
        let end = values + K * usize::from(exceptions);
        if end > src.len() {
            return Err(truncated);
        }
        Ok(Self {
            pair,
            layout,
            count,
            packed,
            positions,
            values,
            end,
        })
    }

    /// Returns the values of a vector all of which are exceptions, if they are listed in order, as
    /// encoders list them.
    #[inline(always)]
    pub(super) fn plain<'a, const K: usize>(&self, src: &'a [u8]) -> Option<&'a [u8]> {
        let positions = src[self.positions..self.values].as_chunks::<POSITION>().0;
        if positions.len() != self.count || cfg!(target_endian = "big") {
            return None;
        }
        are_in_order(positions).then(|| &src[self.values..self.end])
    }

    /// Patches the exceptions into the values in `to`; `first` is the number of the first value.
    /// Checks the other exceptions as well.
    #[inline(always)]
    pub(super) fn patch<const K: usize>(
        &self,
        src: &[u8],
        first: usize,
        to: &mut [Slot],
    ) -> Result<(), Error> {
        let positions = src[self.positions..self.values].as_chunks::<POSITION>().0;
        let values = src[self.values..self.end].as_chunks::<K>().0;
        let to = to.as_chunks_mut::<K>().0;
        if positions.is_empty() {
            return Ok(());
        }
        match patch_all(positions, values, first, self.count, to) {
            None => Ok(()),
            Some(i) => {
                let at = self.positions + POSITION * i;
                let position = u16::from_le_bytes(positions[i]);
                Err(Error::at(at, ErrorKind::Position { position }))
            }
        }
    }
}

/// Patches exceptions of a vector of `count` values into those from number `first` on. Returns the number of the first
/// position that is beyond the vector. It stays a call, where all of its variables are in registers.
#[inline(never)]
fn patch_all<const K: usize>(
    positions: &[[u8; POSITION]],
    values: &[[u8; K]],
    first: usize,
    count: usize,
    to: &mut [[Slot; K]],
) -> Option<usize> {
    for (i, (position, value)) in positions.iter().zip(values).enumerate() {
        let position = usize::from(u16::from_le_bytes(*position));
        match to.get_mut(position.wrapping_sub(first)) {
            Some(to) => write(to, to_ne_bytes(from_little_endian(*value))),
            None if position < count => {}
            None => return Some(i),
        }
    }
    None
}

/// Returns whether each position is the number of the one before plus 1, from 0 on. It stays a call, like
/// [`patch_all`], whose loop took 1.2 times as long with this one beside it.
#[inline(never)]
fn are_in_order(positions: &[[u8; POSITION]]) -> bool {
    let mut difference = 0;
    for (i, position) in positions.iter().enumerate() {
        difference |= u16::from_le_bytes(*position) ^ i as u16;
    }
    difference == 0
}

/// Reads a `K`-byte number.
#[inline(always)]
fn from_little_endian<const K: usize>(bytes: [u8; K]) -> u64 {
    if cfg!(target_endian = "little") {
        from_ne_bytes(bytes)
    } else {
        from_ne_bytes(reversed(bytes))
    }
}

#[inline(always)]
fn reversed<const K: usize>(mut bytes: [u8; K]) -> [u8; K] {
    bytes.reverse();
    bytes
}

/// Writes the header of a page of `count` values.
pub(super) fn put_header(to: &mut [Slot], logarithm: u8, count: u32) {
    write(window_mut(to, 0), [0, 0, logarithm]);
    write(window_mut(to, 3), count.to_le_bytes());
}

/// Writes the header of a vector.
pub(super) fn put_vector_header<const K: usize>(
    to: &mut [Slot],
    pair: Pair,
    exceptions: u16,
    layout: Layout,
) {
    write(window_mut(to, 0), [pair.exponent, pair.factor]);
    write(window_mut(to, 2), exceptions.to_le_bytes());
    write(window_mut(to, 4), little_endian::<K>(layout.reference));
    write(window_mut(to, 4 + K), [layout.width as u8]);
}

/// Returns the lower `K` bytes of a number.
#[inline(always)]
pub(super) fn little_endian<const K: usize>(number: u64) -> [u8; K] {
    *window(&number.to_le_bytes(), 0)
}

/// Checks a page. Returns the number of values and the end of the last vector.
pub(super) fn validate<const K: usize>(src: &[u8]) -> Result<(usize, usize), Error> {
    let page = Page::<K>::read(src)?;
    let mut end = page.start();
    for number in 0..page.vectors() {
        let vector = page.vector(number)?;
        vector.patch::<K>(src, 0, &mut [])?;
        end = vector.end;
    }
    Ok((page.count, end))
}
