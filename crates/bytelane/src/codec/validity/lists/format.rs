//! Public functions for lists: methods of a depth.
#![forbid(unsafe_code)]

use super::depth::Depth;
use super::{Bits, Offset, Pairs, Wanted};
use crate::codec::validity::{Error, ErrorKind, Level};
use crate::memory::{Fill, Slot, bytes, forms};
use crate::{DestinationError, Detected};
use core::marker::PhantomData;

/// Lists of one depth: an ancestor of a leaf that is a list, counted from the outermost one.
///
/// All functions take the repetition and definition levels of the leaf, the same number of both.
/// They fail if these are not levels of such lists: with [`ErrorKind::Lengths`] if their numbers
/// differ, and with [`ErrorKind::Repetition`], and the offset in memory, for the first repetition
/// level that continues a list that does not exist. This includes a first one that is not 0.
///
/// ```
/// use bytelane::validity::lists::List;
///
/// // [[[1], []], [null, [2, 3]], []], and all lists within the outermost one are optional:
/// // levels 0 and 1 of the rows, which are not null, 2 and 3 of the lists in them, 4 of the values.
/// let repetition = [0, 1, 0, 1, 2, 0u8];
/// let definition = [3, 2, 1, 3, 3, 0];
/// let rows = List::new(0).expect("a small level");
/// let inner = rows.inner(2).expect("a greater level");
/// let offsets: Vec<i64> = rows.offsets_to_vec(&repetition, &definition)?;
/// assert_eq!(offsets, [0, 2, 4, 4]);
/// let offsets: Vec<i64> = inner.offsets_to_vec(&repetition, &definition)?;
/// assert_eq!(offsets, [0, 1, 1, 1, 3]);
/// assert_eq!(inner.validity_to_vec(&repetition, &definition)?.0, [0b1011]);
/// # Ok::<(), bytelane::validity::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct List<T> {
    depth: Depth,
    of: PhantomData<T>,
}

impl<T: Level> List<T> {
    /// Describes the outermost lists. `valid_from` is the lowest definition level of a list that is
    /// not null: the number of their optional ancestors, including themselves. From the next level
    /// on, they have an entry. `None` if the type does not have that level.
    #[must_use]
    pub const fn new(valid_from: u16) -> Option<Self> {
        Self::at_depth(1, 0, valid_from)
    }

    /// Describes the lists in these lists, which are not null from definition level `valid_from`
    /// on. `None` if that is lower than the lowest level at which these lists have an entry, or
    /// greater than the type allows.
    #[must_use]
    pub const fn inner(self, valid_from: u16) -> Option<Self> {
        Self::at_depth(self.depth.repetition + 1, self.depth.entry, valid_from)
    }

    const fn at_depth(repetition: u16, place: u16, valid: u16) -> Option<Self> {
        // Kernels compare with the next greater levels.
        if repetition >= T::MAX || valid >= T::MAX || valid < place {
            return None;
        }
        let depth = Depth {
            repetition,
            place,
            valid,
            entry: valid + 1,
        };
        let of = PhantomData;
        Some(Self { depth, of })
    }

    /// Returns the repetition level that continues these lists: 1 for the outermost ones.
    #[must_use]
    pub const fn repetition_level(self) -> u16 {
        self.depth.repetition
    }

    forms! {
        /// Writes the offsets of the lists: the number of entries before each of them, followed by the
        /// total number of entries. Returns the number of offsets, one more than the number of lists.
        /// If `offsets` is longer, elements after the result may be overwritten. One more than the
        /// number of levels is always enough.
        ///
        /// # Errors
        ///
        /// The errors that all functions have; [`ErrorKind::Offsets`] if there are more entries than an
        /// offset can count; [`ErrorKind::Destination`] if `offsets` is too short. Its contents are
        /// then unspecified.
        offsets[O: Offset](self, repetition: &[T], definition: &[T]) -> offsets: [O], Error;
        offsets_with: |backend| OffsetsOf::<T, O>::new(self, repetition, definition, backend);
        ///
        /// # Errors
        ///
        /// The same as [`offsets`](Self::offsets); the `Vec` is then unchanged.
        offsets_append: repetition.len() + 1;
        offsets_to_vec;
    }

    forms! {
        /// Writes the bitmap of the lists: one bit for each, set unless the list is null. If `bitmap`
        /// is longer, bytes after the result may be overwritten. One bit per level is always enough.
        ///
        /// # Errors
        ///
        /// The errors that all functions have; [`ErrorKind::Destination`] if `bitmap` is too short. Its
        /// contents are then unspecified.
        validity[](self, repetition: &[T], definition: &[T]) -> bitmap: [u8] and ("number of bits", Bits), Error;
        validity_with: |backend| BitsOf::new(self, self.of_lists(), repetition, definition, backend);
        /// The bitmap starts at a new byte.
        validity_append: repetition.len().div_ceil(8);
        validity_to_vec;
    }

    forms! {
        /// Writes the bitmap of the entries of the lists: one bit for each, set if the entry is valid,
        /// which it is from definition level `valid_from` on. For the leaf itself, this is the greatest
        /// level. Otherwise the same as [`validity`](Self::validity).
        ///
        /// # Errors
        ///
        /// The same as [`validity`](Self::validity).
        entries[](self, valid_from: T, repetition: &[T], definition: &[T]) -> bitmap: [u8] and ("number of bits", Bits), Error;
        entries_with: |backend| BitsOf::new(self, Self::of_entries(valid_from), repetition, definition, backend);
        /// The bitmap starts at a new byte.
        entries_append: repetition.len().div_ceil(8);
        entries_to_vec;
    }

    #[inline]
    const fn of_lists(self) -> Wanted {
        let (entries, level) = (false, self.depth.valid);
        Wanted { entries, level }
    }

    #[inline]
    fn of_entries(valid_from: T) -> Wanted {
        let (entries, level) = (true, valid_from.to_u16());
        Wanted { entries, level }
    }

    /// Returns the levels, if their numbers are equal.
    fn pairs<'a>(self, repetition: &'a [T], definition: &'a [T]) -> Result<Pairs<'a>, Error> {
        if repetition.len() != definition.len() {
            let (repetition, definition) = (repetition.len(), definition.len());
            return Err(Error::nowhere(ErrorKind::Lengths {
                repetition,
                definition,
            }));
        }
        Ok(Pairs {
            repetition: bytes(repetition),
            definition: bytes(definition),
            depth: self.depth,
        })
    }
}

/// Checks that the destination had room for all bytes.
fn check_room(needed: usize, to: &[Slot]) -> Result<usize, Error> {
    if needed <= to.len() {
        Ok(needed)
    } else {
        Err(DestinationError::new(needed, to.len()).into())
    }
}

/// Converts levels to offsets.
pub(crate) struct OffsetsOf<'a, T, O> {
    list: List<T>,
    repetition: &'a [T],
    definition: &'a [T],
    backend: Detected,
    of: PhantomData<O>,
}

impl<'a, T, O> OffsetsOf<'a, T, O> {
    #[inline]
    fn new(list: List<T>, repetition: &'a [T], definition: &'a [T], backend: Detected) -> Self {
        Self {
            list,
            repetition,
            definition,
            backend,
            of: PhantomData,
        }
    }
}

impl<T: Level, O: Offset> Fill for OffsetsOf<'_, T, O> {
    type Done = ();
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        let pairs = self.list.pairs(self.repetition, self.definition)?;
        let count = O::offsets(size_of::<T>(), pairs, to, self.backend)?;
        Ok((check_room(count * size_of::<O>(), to)?, ()))
    }
}

/// Converts levels to a bitmap.
pub(crate) struct BitsOf<'a, T> {
    list: List<T>,
    wanted: Wanted,
    repetition: &'a [T],
    definition: &'a [T],
    backend: Detected,
}

impl<'a, T> BitsOf<'a, T> {
    #[inline]
    fn new(
        list: List<T>,
        wanted: Wanted,
        repetition: &'a [T],
        definition: &'a [T],
        backend: Detected,
    ) -> Self {
        Self {
            list,
            wanted,
            repetition,
            definition,
            backend,
        }
    }
}

impl<T: Level> Fill for BitsOf<'_, T> {
    type Done = Bits;
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, Bits), Error> {
        let pairs = self.list.pairs(self.repetition, self.definition)?;
        let bits = T::list_bits(pairs, self.wanted, to, self.backend)?;
        Ok((check_room(bits.count.div_ceil(8), to)?, bits))
    }
}
