//! Lookup of entries by numbers that are taken modulo the size of a table.

use super::{Plain, bytes};

/// A table of entries of `V` bytes, whose number is a power of two. Any number selects one of them.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a, const V: usize> {
    /// Entries. Their number is a power of two.
    entries: &'a [[u8; V]],
}

impl<'a, const V: usize> Table<'a, V> {
    /// Creates a table of values of `V` bytes.
    ///
    /// # Panics
    ///
    /// Panics unless their number is a power of two.
    pub(crate) fn new<T: Plain>(values: &'a [T]) -> Self {
        let entries = bytes(values).as_chunks().0;
        assert!(
            entries.len().is_power_of_two(),
            "a table of {} entries",
            entries.len()
        );
        Self { entries }
    }

    /// Returns the bytes of the table.
    #[inline(always)]
    pub(crate) fn bytes(self) -> &'a [u8] {
        super::flat(self.entries)
    }

    /// Returns the entry for a number. Otherwise, the compiler would not see that it is within the
    /// table, and check each one.
    #[inline(always)]
    pub(crate) fn at(self, number: u32) -> [u8; V] {
        let place = number as usize & (self.entries.len() - 1);
        // SAFETY: the length is a power of two, as `new` has checked, so it is at least 1, and the
        // bits of `length - 1` make no number that is greater than that.
        unsafe { *self.entries.get_unchecked(place) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_stands_for_an_entry() {
        for length in [1, 2, 8, 64] {
            let values: std::vec::Vec<u32> = (0..length).map(|i| 3 * i).collect();
            let table = Table::<4>::new(&values);
            assert_eq!(table.bytes(), bytes(&values));
            for number in (0..200).chain([u32::MAX - 1, u32::MAX]) {
                assert_eq!(table.at(number), (3 * (number % length)).to_ne_bytes());
            }
        }
    }

    #[test]
    #[should_panic(expected = "a table of 3 entries")]
    fn other_numbers_of_entries_are_refused() {
        let _ = Table::<4>::new(&[1u32, 2, 3]);
    }
}
