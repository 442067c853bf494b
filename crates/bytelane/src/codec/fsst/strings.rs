//! Batches of strings: bytes, and offsets into them.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use super::index::Index;
use super::{Error, ErrorKind, Table, decode_strings32, decode_strings64};
#[cfg(feature = "alloc")]
use super::{encode_strings32, encode_strings64};
use crate::Detected;
use crate::memory::{Plain, Slot};
use core::ops::Range;
use sealed::Sealed;

/// Offset type of strings: `i32`, or `i64` for large strings, as in Arrow.
pub trait Offset: Plain + Sealed {}

mod sealed {
    use super::Strings;
    use crate::Detected;
    use crate::codec::fsst::Table;
    #[cfg(feature = "alloc")]
    use crate::codec::fsst::index::Index;
    use crate::memory::Slot;

    /// Conversions of offsets, and kernels, which are compiled in this crate and not in the caller's.
    pub trait Sealed: Sized {
        /// Number of bits.
        const BITS: u32;

        /// Returns the offset as a length; one that is none becomes too large for any slice.
        fn get(self) -> usize;

        /// Returns a length as an offset, and drops the bits for which an offset has no room.
        fn of(length: usize) -> Self;

        /// Decodes strings: see `kernel::decode_strings`.
        fn decode(
            table: &Table,
            strings: Strings<'_, Self>,
            base: usize,
            to: &mut [Slot],
            ends: &mut [Self],
            backend: Detected,
        ) -> Option<usize>;

        /// Encodes strings: see `encode::strings`.
        #[cfg(feature = "alloc")]
        fn encode(
            index: &Index,
            strings: Strings<'_, Self>,
            base: usize,
            to: &mut [Slot],
            ends: &mut [Self],
            backend: Detected,
        ) -> (usize, usize);
    }
}

macro_rules! offsets {
    ($($T:ident, $decode:ident, $encode:ident;)*) => { $(
        impl Offset for $T {}
        impl Sealed for $T {
            const BITS: u32 = $T::BITS;

            #[inline(always)]
            fn get(self) -> usize {
                usize::try_from(self).unwrap_or(usize::MAX)
            }

            #[inline(always)]
            fn of(length: usize) -> Self {
                length as $T
            }

            fn decode(
                table: &Table,
                strings: Strings<'_, Self>,
                base: usize,
                to: &mut [Slot],
                ends: &mut [Self],
                backend: Detected,
            ) -> Option<usize> {
                $decode(table, strings, base, to, ends, backend)
            }

            #[cfg(feature = "alloc")]
            fn encode(
                index: &Index,
                strings: Strings<'_, Self>,
                base: usize,
                to: &mut [Slot],
                ends: &mut [Self],
                backend: Detected,
            ) -> (usize, usize) {
                $encode(index, strings, base, to, ends, backend)
            }
        }
    )* };
}
offsets! {
    i32, decode_strings32, encode_strings32;
    i64, decode_strings64, encode_strings64;
}

/// Strings one after the other, as in Arrow: string `i` has the bytes from offset `i` up to offset `i + 1`.
///
/// There is one offset more than there are strings, and the first one need not be 0.
#[derive(Clone, Copy, Debug)]
pub struct Strings<'a, O> {
    bytes: &'a [u8],
    offsets: &'a [O],
}

impl<'a, O: Offset> Strings<'a, O> {
    /// Creates a batch of strings. Takes time linear in the number of offsets.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Offset`] if the offsets decrease, or if one is beyond the end of the bytes. Without any offset, there are no
    /// strings.
    ///
    /// ```
    /// use bytelane::fsst::Strings;
    ///
    /// let strings = Strings::new(b"onethree", &[0, 3, 3, 8])?;
    /// assert_eq!(strings.iter().collect::<Vec<_>>(), [&b"one"[..], b"", b"three"]);
    /// # Ok::<(), bytelane::fsst::Error>(())
    /// ```
    pub fn new(bytes: &'a [u8], offsets: &'a [O]) -> Result<Self, Error> {
        let mut previous = 0;
        for (number, offset) in offsets.iter().enumerate() {
            let offset = offset.get();
            if offset < previous || offset > bytes.len() {
                return Err(Error::nowhere(ErrorKind::Offset { number }));
            }
            previous = offset;
        }
        Ok(Self { bytes, offsets })
    }

    /// Returns the number of strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Returns whether there are no strings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes that the offsets refer to.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns a string.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer strings.
    #[must_use]
    #[inline]
    pub fn get(&self, number: usize) -> &'a [u8] {
        &self.bytes[self.range_of(number)]
    }

    /// Returns all strings.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        self.offsets
            .windows(2)
            .map(|ends| &self.bytes[ends[0].get()..ends[1].get()])
    }

    /// Returns the strings of a range, without copying them.
    ///
    /// # Panics
    ///
    /// Panics if the range is not within the strings.
    #[must_use]
    pub fn range(&self, range: Range<usize>) -> Self {
        assert!(range.end <= self.len(), "a range beyond the last string");
        let offsets = match self.offsets {
            [] => self.offsets,
            offsets => &offsets[range.start..=range.end],
        };
        Self { offsets, ..*self }
    }

    /// Returns how many strings, from one on, have up to `bytes` bytes together: at least one.
    #[cfg(feature = "alloc")]
    pub(crate) fn count_within(&self, first: usize, bytes: usize) -> usize {
        let end = self.offsets[first].get().saturating_add(bytes);
        let rest = &self.offsets[first + 1..];
        usize::max(1, rest.partition_point(|offset| offset.get() <= end))
    }

    /// Returns how many strings at the front have up to `bytes` bytes together.
    #[cfg(feature = "alloc")]
    pub(crate) fn count_fitting(&self, bytes: usize) -> usize {
        let end = self.start().saturating_add(bytes);
        self.offsets
            .get(1..)
            .unwrap_or_default()
            .partition_point(|offset| offset.get() <= end)
    }

    /// Returns the number of the first string that begins at `place` or later; that of no string if there is none.
    #[cfg(feature = "alloc")]
    pub(crate) fn first_from(&self, place: usize) -> usize {
        let found = self.offsets.partition_point(|offset| offset.get() < place);
        usize::min(found, self.len())
    }

    /// Returns the offsets of the ends of the strings.
    pub(crate) fn ends(&self) -> &'a [O] {
        self.offsets.get(1..).unwrap_or_default()
    }

    /// Returns the place where the first string begins.
    pub(crate) fn start(&self) -> usize {
        self.offsets.first().map_or(0, |offset| offset.get())
    }

    /// Returns the place where a string begins, or where the last one ends.
    #[cfg(feature = "alloc")]
    pub(crate) fn start_of(&self, number: usize) -> usize {
        self.offsets[number].get()
    }

    /// Returns the offsets at which a string begins and ends.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer strings.
    #[must_use]
    #[inline(always)]
    pub fn range_of(&self, number: usize) -> Range<usize> {
        self.offsets[number].get()..self.offsets[number + 1].get()
    }

    /// Returns the number of bytes of all strings.
    #[must_use]
    pub fn total(&self) -> usize {
        match self.offsets {
            [first, .., last] => last.get() - first.get(),
            _ => 0,
        }
    }
}

/// Checks that offsets can count as many bytes.
pub(crate) fn check_total<O: Offset>(bytes: usize) -> Result<(), Error> {
    if O::of(bytes).get() == bytes {
        Ok(())
    } else {
        Err(Error::nowhere(ErrorKind::TooLong { bits: O::BITS }))
    }
}
