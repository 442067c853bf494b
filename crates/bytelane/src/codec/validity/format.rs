//! Public functions for levels: methods of the greatest level.
#![forbid(unsafe_code)]

use super::error::bitmap_of;
use super::{Error, Level};
use crate::Detected;
use crate::memory::{Fill, Slot, forms};
use core::marker::PhantomData;

/// Greatest definition level of a column: the number of its optional or repeated ancestors,
/// including itself. A value with this level is valid; with a lower one, it is null.
///
/// For columns in lists, [`lists`](super::lists) produces bitmaps without the levels of empty
/// lists.
///
/// ```
/// use bytelane::validity::Format;
///
/// let optional = Format::<u8>::new(1).expect("at least 1");
/// let mut bitmap = [0; 2];
/// let valid = optional.encode(&[1, 1, 0, 1, 1, 1, 1, 1, 0, 1], &mut bitmap)?;
/// assert_eq!((bitmap, valid), ([0b1111_1011, 0b10], 8));
///
/// let mut levels = [0; 10];
/// optional.decode(&bitmap, &mut levels)?;
/// assert_eq!(levels, [1, 1, 0, 1, 1, 1, 1, 1, 0, 1]);
/// # Ok::<(), bytelane::validity::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format<T> {
    max: u16,
    of: PhantomData<T>,
}

impl<T: Level> Format<T> {
    /// Sets the greatest level. `None` for 0, since a column without optional ancestors has no
    /// levels; for more than 255 with `u8`; and for more than 32,767.
    #[must_use]
    #[inline]
    pub const fn new(max_level: u16) -> Option<Self> {
        if max_level == 0 || max_level > T::MAX {
            return None;
        }
        let (max, of) = (max_level, PhantomData);
        Some(Self { max, of })
    }

    /// Returns the greatest level.
    #[must_use]
    #[inline]
    pub const fn max_level(self) -> u16 {
        self.max
    }

    /// Returns the number of bytes that [`encode`](Self::encode) writes for `count` levels: one bit
    /// each.
    #[must_use]
    #[inline]
    pub const fn encoded_len(self, count: usize) -> usize {
        count.div_ceil(8)
    }

    forms! {
        /// Writes a bitmap to the front of `bitmap`: one bit for each level, set if the level is the
        /// greatest one. Returns the number of valid values, which is the number of set bits; the other
        /// values are nulls.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Destination`](super::ErrorKind::Destination) if the bitmap is too short;
        /// [`ErrorKind::Level`](super::ErrorKind::Level) for the first level that is too great, with
        /// its offset in memory. The contents of `bitmap` are then unspecified.
        ///
        /// ```
        /// use bytelane::validity::{ErrorKind, Format};
        ///
        /// let format = Format::<u16>::new(2).expect("at least 1");
        /// let error = format.encode(&[2, 0, 3], &mut [0]).unwrap_err();
        /// assert_eq!((error.kind(), error.offset()), (ErrorKind::Level { max: 2 }, Some(4)));
        /// ```
        encode[](self, levels: &[T]) -> bitmap: [u8] and ("number of valid values", usize), Error;
        encode_with: |backend| self.encoding(backend, levels);
        /// The bitmap starts at a new byte.
        encode_append: self.encoded_len(levels.len());
        encode_to_vec;
    }

    forms! {
        /// Writes a level for each bit of a bitmap, up to the length of `levels`: the greatest level if
        /// the bit is set, and the one below it otherwise. A null is thus attributed to the innermost
        /// optional ancestor, not to an outer one. Returns the number of bytes read.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Bitmap`](super::ErrorKind::Bitmap) if the bitmap is too short; nothing is
        /// written then.
        decode[](self, bitmap: &[u8]) -> levels: [T; count] and ("number of bytes read", usize), Error;
        decode_with: |backend| self.decoding(backend, bitmap, count)?;
        decode_append: count;
        decode_to_vec;
    }

    #[inline]
    fn encoding(self, backend: Detected, levels: &[T]) -> Encode<'_, T> {
        let max = self.max;
        Encode {
            levels,
            max,
            backend,
        }
    }

    /// Checks that the bitmap has `count` bits, before memory is allocated for their levels.
    #[inline]
    fn decoding(
        self,
        backend: Detected,
        bitmap: &[u8],
        count: usize,
    ) -> Result<Decode<'_, T>, Error> {
        Ok(Decode {
            bitmap: bitmap_of(bitmap, count)?,
            count,
            format: self,
            backend,
        })
    }
}

/// Converts levels to a bitmap.
pub(crate) struct Encode<'a, T> {
    levels: &'a [T],
    max: u16,
    backend: Detected,
}

impl<T: Level> Fill for Encode<'_, T> {
    /// Number of valid values.
    type Done = usize;
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        let bytes = self.levels.len().div_ceil(8);
        let to = crate::error::front(to, bytes)?;
        let valid = T::encode(self.levels, self.max, to, self.backend)?;
        Ok((bytes, valid))
    }
}

/// Converts a bitmap to levels.
pub(crate) struct Decode<'a, T> {
    bitmap: &'a [u8],
    count: usize,
    format: Format<T>,
    backend: Detected,
}

impl<T: Level> Fill for Decode<'_, T> {
    /// Number of bytes read.
    type Done = usize;
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        let bytes = self.count * size_of::<T>();
        let to = crate::error::front(to, bytes)?;
        T::decode(self.bitmap, self.format.max, to, self.backend);
        Ok((bytes, self.bitmap.len()))
    }
}
