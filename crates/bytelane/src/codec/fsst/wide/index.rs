//! Index that finds the longest symbol at the front of a text.

use super::{ESCAPE, LONGEST, Table};
use alloc::vec;
use alloc::vec::Vec;

/// Index of the symbols of a table. A place of a text costs a look-up for each length that symbols with its first three bytes have, so
/// at most 14, and one for its first two bytes.
#[derive(Clone)]
pub(super) struct Index {
    /// Longest symbol of up to two bytes for each byte, and for each two bytes.
    bytes: Vec<Found>,
    pairs: Vec<Found>,
    /// Lengths of the symbols of three and more bytes, as bits, by the hash of their first three bytes.
    lengths: Vec<u16>,
    /// Codes of these symbols by their hash, and the escape code in free places. At most half of the places are taken.
    places: Vec<u16>,
    symbols: Vec<Symbol>,
}

/// Symbol that was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Found {
    /// Its code, or the escape code for a byte without a symbol.
    pub code: u16,
    pub length: u8,
}

/// Symbol with zeros after its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Symbol {
    pub bytes: u128,
    pub length: u8,
}

impl Symbol {
    /// Returns the symbol of 1 to 16 bytes.
    pub(super) fn new(text: &[u8]) -> Self {
        let length = text.len() as u8;
        Self {
            bytes: word(text),
            length,
        }
    }

    #[inline(always)]
    pub(super) fn hash(self) -> usize {
        let (low, high) = (self.bytes as u64, (self.bytes >> 64) as u64);
        let mixed = low ^ high.rotate_left(32) ^ u64::from(self.length);
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
    }
}

/// Returns up to 16 bytes at the front of a text, with zeros after them.
#[inline(always)]
pub(super) fn word(text: &[u8]) -> u128 {
    match text.first_chunk::<LONGEST>() {
        Some(bytes) => u128::from_le_bytes(*bytes),
        None => {
            let mut bytes = [0; LONGEST];
            bytes[..text.len()].copy_from_slice(text);
            u128::from_le_bytes(bytes)
        }
    }
}

/// Returns the hash of the first three bytes.
#[inline(always)]
fn start(word: u128) -> usize {
    (((word as u32) << 8).wrapping_mul(0x9e37_79b1) >> (32 - STARTS)) as usize
}

/// Number of bits of the hash of three bytes.
const STARTS: u32 = 14;

impl Index {
    pub(super) fn new(table: &Table) -> Self {
        let escaped = Found {
            code: ESCAPE,
            length: 1,
        };
        let symbols: Vec<_> = table.symbols().map(Symbol::new).collect();
        let mut index = Self {
            bytes: vec![escaped; 1 << 8],
            pairs: vec![escaped; 1 << 16],
            lengths: vec![0; 1 << STARTS],
            places: vec![ESCAPE; (2 * symbols.len()).next_power_of_two()],
            symbols,
        };
        // The first of equal symbols is added last, and stays.
        for code in (0..index.symbols.len() as u16).rev() {
            let Symbol { bytes, length } = index.symbols[usize::from(code)];
            match length {
                1 => index.bytes[bytes as usize].code = code,
                2 => index.pairs[bytes as usize] = Found { code, length },
                _ => index.add(code),
            }
        }
        for (pair, found) in index.pairs.iter_mut().enumerate() {
            if found.length == 1 {
                *found = index.bytes[pair % 256];
            }
        }
        index
    }

    /// Returns the number of bytes of all symbols.
    pub(super) fn bytes(&self) -> usize {
        self.symbols.iter().map(|it| usize::from(it.length)).sum()
    }

    /// Adds a symbol of three bytes or more.
    fn add(&mut self, code: u16) {
        let symbol = self.symbols[usize::from(code)];
        self.lengths[start(symbol.bytes)] |= 1 << (symbol.length - 1);
        let last = self.places.len() - 1;
        let mut place = symbol.hash() & last;
        while let Some(other) = self.symbols.get(usize::from(self.places[place]))
            && *other != symbol
        {
            place = (place + 1) & last;
        }
        self.places[place] = code;
    }

    /// Returns the longest symbol at the front of a text, which has at least one byte; the escape code if there is none.
    #[inline(always)]
    pub(super) fn longest(&self, text: &[u8]) -> Found {
        let (word, available) = (word(text), text.len().min(LONGEST));
        let mut lengths = u32::from(self.lengths[start(word)]) & ((1 << available) - 1);
        while lengths != 0 {
            let longest = lengths.ilog2();
            let symbol = Symbol {
                bytes: word & (u128::MAX >> (8 * (LONGEST as u32 - 1 - longest))),
                length: longest as u8 + 1,
            };
            if let Some(code) = self.find(symbol) {
                let length = symbol.length;
                return Found { code, length };
            }
            lengths ^= 1 << longest;
        }
        match available {
            1 => self.bytes[usize::from(text[0])],
            _ => self.pairs[usize::from(word as u16)],
        }
    }

    #[inline(always)]
    fn find(&self, symbol: Symbol) -> Option<u16> {
        let last = self.places.len() - 1;
        let mut place = symbol.hash() & last;
        loop {
            let code = *self.places.get(place)?;
            // A free place has the escape code, which no symbol has.
            if *self.symbols.get(usize::from(code))? == symbol {
                return Some(code);
            }
            place = (place + 1) & last;
        }
    }
}
