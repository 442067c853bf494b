//! Places in a stream: skipping, ranges, checkpoints, and looking for a value.
#![forbid(unsafe_code)]

use super::{Error, Format, Integer, scalar};
use crate::{Backend, memory};

/// Values that are decoded at once where nobody asks for them.
const BLOCK: usize = 128;

/// A place in a stream, in plain integers that can be stored beside it and read back with
/// [`Cursor::resume`].
///
/// Nothing bad comes of a forged one: an error, or wrong values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Checkpoint<T> {
    /// The number of values before the place.
    pub index: usize,
    /// Where the data of the next value begin, counted from the first control byte.
    pub offset: usize,
    /// The value before the place, which the next difference is added to; zero in a format without
    /// differences.
    pub previous: T,
}

/// A reader of a stream that can go to any place in it.
///
/// ```
/// use bytelane::stream_vbyte::Format;
///
/// let ids: Vec<u32> = (1..=1000).map(|i| i * 10).collect();
/// let mut encoded = Vec::new();
/// Format::V1234.delta(0).encode_vec(&ids, &mut encoded);
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
/// A search engine stores a [`checkpoint`](Self::checkpoint) for every so many values, finds by
/// their `previous` the last one before its target, and looks on from there:
///
/// ```
/// # use bytelane::stream_vbyte::Format;
/// # let ids: Vec<u32> = (1..=1000).map(|i| i * 10).collect();
/// # let mut encoded = Vec::new();
/// # Format::V1234.delta(0).encode_vec(&ids, &mut encoded);
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
#[derive(Clone, Debug)]
pub struct Cursor<'a, T> {
    /// Its start is the value before the cursor.
    format: Format<T>,
    backend: Backend,
    encoded: &'a [u8],
    /// Values of the stream.
    count: usize,
    /// The value before the first one.
    start: T,
    /// Values before the cursor, at most `count`.
    index: usize,
    /// Where the data of the next value begin: behind the control bytes, not behind `encoded`.
    offset: usize,
}

impl<'a, T: Integer> Cursor<'a, T> {
    pub(super) fn new(
        format: Format<T>,
        backend: Backend,
        encoded: &'a [u8],
        count: usize,
    ) -> Result<Self, Error> {
        if !backend.is_available() {
            return Err(Error::Unavailable(backend));
        }
        let (controls, _) = format.split(encoded, count)?;
        Ok(Self {
            format,
            backend,
            encoded,
            count,
            start: format.start,
            index: 0,
            offset: controls.len(),
        })
    }

    /// How many values are before the cursor.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many values are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.count - self.index
    }

    /// Decodes the next values, as many as the slice has or as are left, and returns how many.
    ///
    /// # Errors
    ///
    /// [`Error::Data`]: the cursor has not moved then, and some values have been written.
    pub fn decode(&mut self, values: &mut [T]) -> Result<usize, Error> {
        let wanted = usize::min(values.len(), self.remaining());
        let values = &mut values[..wanted];
        let mut next = self.clone();
        // To the next whole control byte one by one.
        let single = usize::min(self.index.wrapping_neg() % 4, wanted);
        let (head, values) = values.split_at_mut(single);
        for value in head {
            *value = next.decode_one()?;
        }
        let (controls, data) = next.ahead(values.len());
        let slots = memory::slots(memory::bytes_mut(values));
        match next
            .format
            .decode_slots(self.backend, controls, data, slots)?
        {
            Some(used) => next.offset += used,
            None => return Err(next.too_short(values.len())),
        }
        next.index += values.len();
        if let Some(&last) = values.last() {
            next.pass(last);
        }
        *self = next;
        Ok(wanted)
    }

    /// Decodes the values from number `index` on, as many as the slice has.
    ///
    /// # Errors
    ///
    /// [`Error::Position`] if there are not as many, [`Error::Data`]: the cursor has not moved
    /// then.
    pub fn decode_at(&mut self, index: usize, values: &mut [T]) -> Result<(), Error> {
        let end = index.saturating_add(values.len());
        if end > self.count {
            return Err(self.beyond(end));
        }
        let mut there = self.clone();
        there.seek(index)?;
        there.decode(values)?;
        *self = there;
        Ok(())
    }

    /// Moves to value number `index`, or behind the last one: from here if it is ahead, from the
    /// first value otherwise. See [`skip`](Self::skip).
    ///
    /// # Errors
    ///
    /// [`Error::Position`] or [`Error::Data`]: the cursor has not moved then.
    pub fn seek(&mut self, index: usize) -> Result<(), Error> {
        let mut there = self.clone();
        if index < self.index {
            there.index = 0;
            there.offset = self.count.div_ceil(4);
            there.format.start = self.start;
        }
        there.skip(index - there.index)?;
        *self = there;
        Ok(())
    }

    /// Moves over values. Only their control bytes are read, a hundred values and more a
    /// nanosecond; with differences they are decoded as well, for the next one needs their sum.
    ///
    /// # Errors
    ///
    /// [`Error::Position`] if there are not as many, [`Error::Data`] if their data are not all
    /// there: the cursor has not moved then.
    pub fn skip(&mut self, values: usize) -> Result<(), Error> {
        if values > self.remaining() {
            return Err(self.beyond(self.index.saturating_add(values)));
        }
        if !self.format.delta {
            self.offset = self.offset_after(values)?;
            self.index += values;
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

    /// Moves to the next value that is at least `target` and returns it; behind the last value and
    /// `None` if there is none. For values in ascending order, as posting lists are; in others it
    /// may find a later one or none.
    ///
    /// The cursor stands before the value, so that it is the next to be decoded.
    ///
    /// # Errors
    ///
    /// [`Error::Data`]: the cursor has not moved then.
    pub fn seek_at_least(&mut self, target: T) -> Result<Option<T>, Error> {
        let mut there = self.clone();
        let mut block = [T::ZERO; BLOCK];
        // The next one is often near: a few values at first.
        let mut step = 16;
        loop {
            let before = there.clone();
            let read = there.decode(&mut block[..step])?;
            let values = &block[..read];
            match values.last() {
                Some(&last) if last >= target => {
                    let found = values.partition_point(|&value| value < target);
                    *self = before;
                    self.offset = self.offset_after(found)?;
                    self.index += found;
                    if found > 0 {
                        self.pass(values[found - 1]);
                    }
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

    /// This place, to come back to.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint<T> {
        Checkpoint {
            index: self.index,
            offset: self.offset,
            previous: self.format.start,
        }
    }

    /// Moves to a place, of this cursor or of another one over the same stream.
    ///
    /// # Errors
    ///
    /// [`Error::Position`] or [`Error::Checkpoint`] if it cannot be one of this stream; not all
    /// that are none can be told. The cursor has not moved then.
    pub fn resume(&mut self, place: Checkpoint<T>) -> Result<(), Error> {
        if place.index > self.count {
            return Err(self.beyond(place.index));
        }
        if !(self.count.div_ceil(4)..=self.encoded.len()).contains(&place.offset) {
            return Err(Error::Checkpoint {
                offset: place.offset,
            });
        }
        self.index = place.index;
        self.offset = place.offset;
        self.format.start = place.previous;
        Ok(())
    }

    /// Notes the value that is now the one before the cursor.
    fn pass(&mut self, value: T) {
        if self.format.delta {
            self.format.start = value;
        }
    }

    /// The next value, as the specification says.
    fn decode_one(&mut self) -> Result<T, Error> {
        let length = self.length(self.index);
        let Some(bytes) = self.encoded[self.offset..].get(..length) else {
            return Err(self.too_short(1));
        };
        let mut stored = [0; 8];
        stored[..length].copy_from_slice(bytes);
        let value = self
            .format
            .restored(u64::from_le_bytes(stored), self.format.start);
        self.pass(value);
        self.offset += length;
        self.index += 1;
        Ok(value)
    }

    /// Bytes of data that the code of a value says.
    fn length(&self, index: usize) -> usize {
        self.format.variant.lengths()[scalar::code(self.encoded, index)]
    }

    /// The control bytes of as many values, from a whole one on, and the data from here on.
    fn ahead(&self, values: usize) -> (&'a [u8], &'a [u8]) {
        let controls = &self.encoded[self.index.div_ceil(4)..][..values.div_ceil(4)];
        (controls, &self.encoded[self.offset..])
    }

    /// Where the data begin of the value that comes after as many.
    fn offset_after(&self, values: usize) -> Result<usize, Error> {
        let single = usize::min(self.index.wrapping_neg() % 4, values);
        let mut length = 0;
        for index in self.index..self.index + single {
            length += self.length(index) as u64;
        }
        let whole = Self {
            index: self.index + single,
            ..self.clone()
        };
        let (controls, data) = whole.ahead(values - single);
        length += self
            .format
            .decoded_data_len(self.backend, controls, values - single)?;
        match length <= data.len() as u64 {
            true => Ok(self.offset + length as usize),
            false => Err(self.too_short(values)),
        }
    }

    #[cold]
    fn beyond(&self, value: usize) -> Error {
        Error::Position {
            value,
            values: self.count,
        }
    }

    /// Finds which of the next values is not all there.
    #[cold]
    fn too_short(&self, values: usize) -> Error {
        let (first, end) = (self.index, self.index + values);
        self.format.too_short(self.encoded, first..end, self.offset)
    }
}
