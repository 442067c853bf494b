//! Dictionary entries, which indices refer to, and their types.
#![forbid(unsafe_code)]

use super::{Error, ErrorKind, STEP, look_up};
use crate::Detected;
use crate::codec::bit_packing::{Layout, read};
use crate::memory::{Plain, Slot, Table, flat, write};
use crate::simd::window;
pub(super) use lists::Sealed;

/// Entry of a `Dictionary`: a number of 4, 8 or 16 bytes. For strings, use their views.
pub trait Entry: Plain + Sealed {}

/// Table of a dictionary.
#[derive(Clone, Copy)]
pub(crate) struct Entries<'a, const V: usize> {
    table: Table<'a, V>,
    /// Number of entries that indices may refer to.
    count: usize,
}

impl<'a, const V: usize> Entries<'a, V> {
    /// Returns whether the entries fit in 64 bytes.
    #[inline(always)]
    pub(super) fn is_small(self) -> bool {
        self.table.bytes().len() <= 64
    }

    /// Returns the first 64 bytes of the table.
    #[inline(always)]
    pub(super) fn front(self) -> &'a [u8; 64] {
        window(self.table.bytes(), 0)
    }

    /// Returns the greatest index with an entry; `None` if there are no entries.
    #[inline(always)]
    pub(super) fn last(self) -> Option<u32> {
        let last = self.count.checked_sub(1)?;
        Some(u32::try_from(last).unwrap_or(u32::MAX))
    }

    /// Copies the entries of indices, modulo the size of the table.
    #[inline(always)]
    pub(super) fn copy(self, indices: &[[u8; 4]], to: &mut [[Slot; V]]) {
        let (steps, rest) = to.as_chunks_mut::<STEP>();
        let (indices, more) = indices.split_at(STEP * steps.len());
        for (to, indices) in steps.iter_mut().zip(indices.as_chunks::<STEP>().0) {
            // Loads two indices at once: the loop is bound by loads.
            for i in 0..STEP / 2 {
                let pair = u64::from_le_bytes(*window(flat(indices), 8 * i));
                write(&mut to[2 * i], self.table.at(pair as u32));
                write(&mut to[2 * i + 1], self.table.at((pair >> 32) as u32));
            }
        }
        for (to, index) in rest.iter_mut().zip(more) {
            write(to, self.table.at(u32::from_le_bytes(*index)));
        }
    }

    /// Returns the entry of an index.
    #[inline(always)]
    pub(super) fn get(self, index: u32) -> Option<[u8; V]> {
        ((index as usize) < self.count).then(|| self.table.at(index))
    }

    #[cold]
    pub(super) fn error(self, at: usize, index: u32) -> Error {
        let entries = self.count;
        Error::at(at, ErrorKind::Index { index, entries })
    }

    /// Returns the first of the packed indices, from an offset on, that has no entry.
    #[cold]
    #[inline(never)]
    pub(super) fn first_missing(
        self,
        layout: Layout,
        src: &[u8],
        at: usize,
        count: usize,
    ) -> Error {
        let index = |i| read(layout, &src[at..], i) as u32;
        let missing = (0..count).find(|&i| self.get(index(i)).is_none());
        let missing = missing.unwrap_or_default();
        self.error(at + layout.start(missing), index(missing))
    }
}

mod lists {
    use super::{Error, Layout};
    use crate::Detected;
    use crate::memory::Slot;

    /// Operations on tables of one type. The functions are compiled in this crate, once for each
    /// size, not in the caller's crate.
    pub trait Sealed: Sized {
        fn look_up(
            layout: Layout,
            src: &[u8],
            start: usize,
            table: &[Self],
            count: usize,
            to: &mut [Slot],
            backend: Detected,
        ) -> Result<usize, Error>;
    }
}

macro_rules! entries {
    ($($T:ident $width:literal)*) => { $(
        impl Entry for $T {}
        impl Sealed for $T {
            fn look_up(
                layout: Layout,
                src: &[u8],
                start: usize,
                table: &[Self],
                count: usize,
                to: &mut [Slot],
                backend: Detected,
            ) -> Result<usize, Error> {
                let table = Table::<$width>::new(table);
                let entries = Entries { table, count };
                look_up::<$width>(layout, src, start, entries, to, backend)
            }
        }
    )* };
}
entries! { u32 4 i32 4 f32 4 u64 8 i64 8 f64 8 u128 16 i128 16 }
