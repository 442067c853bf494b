//! Positions in a stream: skipping, ranges, checkpoints, and searching for a value.
#![forbid(unsafe_code)]

use super::{Decode, Error, ErrorKind, Integer};
use crate::Destination;
use core::marker::PhantomData;

/// Number of values to decode at a time when the caller does not need them.
const BLOCK: usize = 128;

/// A position in a stream, as plain integers. Store it next to the stream and pass it to
/// [`Cursor::resume`] later.
///
/// A forged checkpoint is harmless: it results in an error or wrong values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Checkpoint<T> {
    /// Number of values before the position.
    pub index: usize,
    /// Offset of the next value's data, counted from the first control byte.
    pub offset: usize,
    /// Previous value, to which the next difference is added; zero in a format without differences.
    pub previous: T,
}

/// Reader that can move to any position in a stream.
///
/// ```
/// use bytelane::stream_vbyte::Format;
///
/// let ids: Vec<u32> = (1..=1000).map(|i| i * 10).collect();
/// let mut encoded = Vec::new();
/// Format::V1234.delta(0).encode_append(&ids, &mut encoded);
///
/// let mut cursor = Format::V1234.delta(0).cursor(&encoded, ids.len())?;
/// assert_eq!(cursor.seek_at_least(4321)?, Some(4330));
/// assert_eq!(cursor.index(), 432);
/// let mut next = [0; 3];
/// cursor.decode(&mut next)?;
/// assert_eq!(next, [4330, 4340, 4350]);
/// # Ok::<(), bytelane::stream_vbyte::Error>(())
/// ```
///
/// A search engine stores a [`checkpoint`](Self::checkpoint) at regular intervals, uses their
/// `previous` to find the last one before its target, and searches from there:
///
/// ```
/// # use bytelane::stream_vbyte::Format;
/// # let ids: Vec<u32> = (1..=1000).map(|i| i * 10).collect();
/// # let mut encoded = Vec::new();
/// # Format::V1234.delta(0).encode_append(&ids, &mut encoded);
/// # let mut cursor = Format::V1234.delta(0).cursor(&encoded, ids.len())?;
/// let mut checkpoints = vec![cursor.checkpoint()];
/// while cursor.index() + 128 < ids.len() {
///     cursor.skip(128)?;
///     checkpoints.push(cursor.checkpoint());
/// }
///
/// let after = checkpoints.partition_point(|place| place.previous < 7777);
/// cursor.resume(checkpoints[after.saturating_sub(1)])?;
/// assert_eq!(cursor.seek_at_least(7777)?, Some(7780));
/// # Ok::<(), bytelane::stream_vbyte::Error>(())
/// ```
///
/// The cursor keeps the whole stream. An error leaves it where it was: the same call returns the
/// same error again, and any other call continues from there.
#[derive(Clone, Debug)]
pub struct Cursor<'a, T> {
    /// Stream after the cursor; at most `count` values come before it.
    ahead: Decode<'a>,
    /// Number of values in the stream.
    count: usize,
    /// Bits of the value that precedes the first one.
    start: u64,
    values: PhantomData<T>,
}

impl<'a, T: Integer> Cursor<'a, T> {
    /// Creates a cursor before the first of `count` values.
    #[inline]
    pub(super) fn new(ahead: Decode<'a>, count: usize) -> Self {
        Self {
            ahead,
            count,
            start: ahead.previous,
            values: PhantomData,
        }
    }

    /// Returns the number of values before the cursor.
    #[must_use]
    pub fn index(&self) -> usize {
        self.ahead.index
    }

    /// Returns the number of remaining values.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.count - self.index()
    }

    /// Decodes the next values until the slice is full or no values are left. Returns their number.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Data`]: the cursor does not move, but some values may have been written.
    pub fn decode(&mut self, values: &mut [T]) -> Result<usize, Error> {
        let wanted = usize::min(values.len(), self.remaining());
        let (values, end) = Destination::from(&mut values[..wanted]).fill(self.ahead)?;
        self.ahead
            .pass(wanted, end, values.last().map(|last| last.bits()));
        Ok(wanted)
    }

    /// Decodes the values from number `index` on until the slice is full.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Position`] if the stream does not have that many values, or
    /// [`ErrorKind::Data`]. The cursor does not move then.
    pub fn decode_at(&mut self, index: usize, values: &mut [T]) -> Result<(), Error> {
        self.check(index.saturating_add(values.len()))?;
        let mut there = self.clone();
        there.seek(index)?;
        there.decode(values)?;
        *self = there;
        Ok(())
    }

    /// Moves to value number `index`, or past the last one if `index` is the number of values.
    /// Moves from the current position if the value is ahead, and from the first value otherwise.
    /// See [`skip`](Self::skip).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Position`] or [`ErrorKind::Data`]. The cursor does not move then.
    pub fn seek(&mut self, index: usize) -> Result<(), Error> {
        let mut there = self.clone();
        if index < self.index() {
            there.ahead.index = 0;
            there.ahead.offset = self.count.div_ceil(4);
            there.ahead.previous = self.start;
        }
        there.skip(index - there.index())?;
        *self = there;
        Ok(())
    }

    /// Skips values. Without differences, it reads only their control bytes, more than a hundred
    /// values per nanosecond; with differences, it also decodes the values, since the next value
    /// depends on their sum.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Position`] if the stream does not have that many values, [`ErrorKind::Data`] if
    /// their data are incomplete. The cursor does not move then.
    pub fn skip(&mut self, values: usize) -> Result<(), Error> {
        self.check(self.index().saturating_add(values))?;
        if !self.ahead.coding.transform.delta() {
            self.ahead.pass(values, self.ahead.end(values)?, None);
            return Ok(());
        }
        let mut there = self.clone();
        let mut block = [T::ZERO; BLOCK];
        let mut left = values;
        while left > 0 {
            let here = usize::min(left, BLOCK);
            left -= there.decode(&mut block[..here])?;
        }
        *self = there;
        Ok(())
    }

    /// Moves to the next value that is at least `target` and returns it; if there is none, moves
    /// past the last value and returns `None`. The values must be in ascending order, as in posting
    /// lists; otherwise it may return a later value or none.
    ///
    /// The cursor stops before the value, so the value is the next to be decoded.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Data`]. The cursor does not move then.
    pub fn seek_at_least(&mut self, target: T) -> Result<Option<T>, Error> {
        let mut there = self.clone();
        let mut block = [T::ZERO; BLOCK];
        // The value is often near, so decode only a few values at first.
        let mut step = 16;
        loop {
            let before = there.clone();
            let read = there.decode(&mut block[..step])?;
            let values = &block[..read];
            match values.last() {
                Some(&last) if last >= target => {
                    let found = values.partition_point(|&value| value < target);
                    let end = before.ahead.end(found)?;
                    *self = before;
                    let previous = values[..found].last().map(|last| last.bits());
                    self.ahead.pass(found, end, previous);
                    return Ok(Some(values[found]));
                }
                Some(_) => step = usize::min(2 * step, BLOCK),
                None => {
                    *self = there;
                    return Ok(None);
                }
            }
        }
    }

    /// Returns the current position, to return to later.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint<T> {
        Checkpoint {
            index: self.ahead.index,
            offset: self.ahead.offset,
            previous: T::of_bits(self.ahead.previous),
        }
    }

    /// Moves to a position that was taken from this cursor or from another one over the same
    /// stream.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Position`] or [`ErrorKind::Checkpoint`] if it cannot be a position in this
    /// stream; not every such position is detected. The cursor does not move then.
    pub fn resume(&mut self, place: Checkpoint<T>) -> Result<(), Error> {
        self.check(place.index)?;
        if !(self.count.div_ceil(4)..=self.ahead.src.len()).contains(&place.offset) {
            return Err(Error::at(place.offset, ErrorKind::Checkpoint));
        }
        self.ahead.index = place.index;
        self.ahead.offset = place.offset;
        self.ahead.previous = place.previous.bits();
        Ok(())
    }

    /// Checks that the stream has at least `value` values.
    fn check(&self, value: usize) -> Result<(), Error> {
        let values = self.count;
        if value <= values {
            Ok(())
        } else {
            Err(Error::nowhere(ErrorKind::Position { value, values }))
        }
    }
}
