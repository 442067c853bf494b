//! Lookup of the longest symbol at the front of a text.
//!
//! The symbol of three bytes and more is found by a hash of the first three: a slot holds one symbol, and all eight bytes are
//! compared at once. Otherwise, an array of all pairs of bytes has the symbol of two bytes, of one, or the escape code. So a step takes
//! two lookups, which do not depend on each other, and one comparison.
//!
//! Two symbols with the same slot, such as two that begin with the same three bytes, cannot both be found. Training avoids them, and so
//! do other implementations, which have the same hash and no more slots.
#![forbid(unsafe_code)]

use super::table::{ESCAPE, Table};
use alloc::boxed::Box;
use alloc::vec;
use core::hint::select_unpredictable;

/// Number of slots.
const SLOTS: usize = 2048;

/// Symbol of at least three bytes, in its slot.
#[derive(Clone, Copy)]
pub(super) struct Long {
    /// Its bytes as a little-endian number, shifted to the top.
    top: u64,
    /// Number of bits by which it was shifted; then, from bit 16 on, its entry. Loaded as one number, so that the compiler does not choose
    /// between two loads, with a branch.
    more: u64,
}

impl Long {
    #[inline(always)]
    fn new(symbol: u64, length: usize, entry: Entry) -> Self {
        let shift = 64 - 8 * length as u32;
        Self {
            top: symbol << shift,
            more: u64::from(shift) | u64::from(entry.0) << 16,
        }
    }

    /// Returns whether a text begins with the symbol.
    #[inline(always)]
    fn begins(&self, word: u64) -> bool {
        word << (self.more & 63) == self.top
    }

    #[inline(always)]
    fn entry(&self) -> Entry {
        Entry((self.more >> 16) as u16)
    }
}

/// No text begins with it: after the shift, the lowest bit is never set.
const FREE: Long = Long { top: 1, more: 56 };

/// Result of a lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry(u16);

impl Entry {
    /// Bytes that follow an escape code themselves.
    pub(super) const ESCAPED: Self = Self(1 << 12 | 1 << 8 | ESCAPE as u16);

    #[inline(always)]
    pub(super) fn new(code: u8, length: usize) -> Self {
        Self((length as u16) << 12 | u16::from(code))
    }

    /// Returns the code.
    #[inline(always)]
    pub(super) fn code(self) -> u8 {
        self.0 as u8
    }

    /// Returns the number of bytes of the text.
    #[inline(always)]
    pub(super) fn read(self) -> usize {
        usize::from(self.0 >> 12)
    }

    /// Returns the number of bytes of the encoded string: 2 with an escape code.
    #[inline(always)]
    pub(super) fn written(self) -> usize {
        1 + usize::from(self.0 >> 8 & 1)
    }
}

/// Symbols by their first bytes.
#[derive(Clone)]
pub struct Index {
    /// Symbols of one byte.
    singles: [Entry; 256],
    /// Symbols of two bytes; of one, or none, where there are none of two.
    pairs: Box<[Entry; 1 << 16]>,
    /// Symbols of three bytes and more.
    long: Box<[Long; SLOTS]>,
}

/// Returns the slot for the first three bytes of a number.
#[inline(always)]
fn slot(word: u64) -> usize {
    /// A prime, the 47th number of Fibonacci.
    const FACTOR: u64 = 2_971_215_073;
    let product = (word & 0xff_ffff).wrapping_mul(FACTOR);
    (product ^ product >> 15) as usize % SLOTS
}

impl Index {
    /// Creates an index. `None` if two symbols have the same slot.
    pub(super) fn new(table: &Table) -> Option<Self> {
        let mut index = Self {
            singles: [Entry::ESCAPED; 256],
            pairs: array(Entry::ESCAPED),
            long: array(FREE),
        };
        // The first one of equal symbols counts.
        for code in (0..table.count).rev() {
            let symbol = u64::from_le_bytes(table.symbols[usize::from(code)]);
            let length = table.lengths[usize::from(code)].get();
            index.set(symbol, length, Entry::new(code, length))?;
        }
        index.spread();
        Some(index)
    }

    /// Adds or replaces a symbol. `None` if another one has its slot.
    fn set(&mut self, symbol: u64, length: usize, entry: Entry) -> Option<()> {
        match length {
            1 => self.singles[usize::from(symbol as u8)] = entry,
            2 => self.pairs[usize::from(symbol as u16)] = entry,
            _ => {
                let (to, long) = (
                    &mut self.long[slot(symbol)],
                    Long::new(symbol, length, entry),
                );
                if to.more != FREE.more && (to.top, to.more & 63) != (long.top, long.more & 63) {
                    return None;
                }
                *to = long;
            }
        }
        Some(())
    }

    /// Copies the symbols of one byte to all pairs that are none.
    fn spread(&mut self) {
        for pairs in self.pairs.as_chunks_mut::<256>().0 {
            for (pair, single) in pairs.iter_mut().zip(&self.singles) {
                if *pair == Entry::ESCAPED {
                    *pair = *single;
                }
            }
        }
    }

    /// Returns the longest symbol at the front of a text, given its first eight bytes. There is no branch: which kind of symbol comes next is
    /// hard to predict.
    #[inline(always)]
    pub(super) fn longest(&self, word: u64) -> Entry {
        let pair = self.pairs[usize::from(word as u16)];
        let long = &self.long[slot(word)];
        select_unpredictable(long.begins(word), long.entry(), pair)
    }

    /// The same for a text that may have fewer than eight bytes.
    #[inline(always)]
    pub(super) fn longest_up_to(&self, word: u64, count: usize) -> Entry {
        let long = &self.long[slot(word)];
        if long.begins(word) && long.entry().read() <= count {
            long.entry()
        } else if count > 1 {
            self.pairs[usize::from(word as u16)]
        } else {
            self.singles[usize::from(word as u8)]
        }
    }
}

/// Returns an array on the heap.
fn array<T: Clone, const N: usize>(element: T) -> Box<[T; N]> {
    match vec![element; N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("a vector of {N} elements"),
    }
}

/// Symbols by their first bytes, while a table is made: they come and go, and pairs do not have those of one byte.
pub(super) struct Growing {
    index: Index,
}

impl Growing {
    /// Creates an index without symbols.
    pub(super) fn new() -> Self {
        Self {
            index: Index {
                singles: [Entry::ESCAPED; 256],
                pairs: array(Entry::ESCAPED),
                long: array(FREE),
            },
        }
    }

    /// Adds a symbol. Returns false if another one has its slot.
    pub(super) fn add(&mut self, symbol: u64, length: usize, code: u8) -> bool {
        let is_free = length < 3 || self.index.long[slot(symbol)].more == FREE.more;
        is_free
            && self
                .index
                .set(symbol, length, Entry::new(code, length))
                .is_some()
    }

    /// Removes a symbol.
    pub(super) fn remove(&mut self, symbol: u64, length: usize) {
        match length {
            1 => self.index.singles[usize::from(symbol as u8)] = Entry::ESCAPED,
            2 => self.index.pairs[usize::from(symbol as u16)] = Entry::ESCAPED,
            _ => self.index.long[slot(symbol)] = FREE,
        }
    }

    /// Returns the longest symbol at the front of a text, of which `count` bytes are left.
    #[inline(always)]
    pub(super) fn longest(&self, word: u64, count: usize) -> Entry {
        let long = &self.index.long[slot(word)];
        if long.begins(word) && long.entry().read() <= count {
            return long.entry();
        }
        let pair = self.index.pairs[usize::from(word as u16)];
        if count > 1 && pair != Entry::ESCAPED {
            return pair;
        }
        self.index.singles[usize::from(word as u8)]
    }
}
