//! Symbol tables, and their serialised form.
#![forbid(unsafe_code)]

use super::{Error, ErrorKind};
use crate::error::front;
use crate::simd::{Stride, window};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;

/// Code that the following byte stands for itself.
pub(crate) const ESCAPE: u8 = 255;

/// Maximum number of symbols in a table.
const MOST: usize = 255;

/// Version of the serialised form, in the upper half of its first eight bytes.
const VERSION: u32 = 20_190_218;

/// Number of bytes before the symbols of a serialised table.
const HEADER: usize = 17;

/// Symbol table: up to 255 symbols of 1 to 8 bytes, each of which a code of one byte stands for.
///
/// `train` makes one for given strings. All methods that decode are here; to encode, make an
/// `Encoder` of it.
#[derive(Clone)]
pub struct Table {
    /// Symbols of the codes, with zeros after them; then, from 256 on, the bytes that follow an escape code.
    pub(crate) symbols: [[u8; 8]; 512],
    /// Length of each symbol in bytes. The escape code and codes without a symbol have length 0.
    pub(crate) lengths: [Stride<8>; 512],
    /// Length of the symbol of each code as a number of set bits, the lowest ones.
    pub(crate) masks: [u8; 256],
    /// Number of symbols, which is also the first code without one.
    pub(crate) count: u8,
    /// True if the first symbol is the end of C strings, and not in the order of the others.
    is_terminated: bool,
}

impl Table {
    /// Creates a table of symbols, in the order of their codes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooManySymbols`] for more than 255 symbols, and [`ErrorKind::SymbolLength`] if one does not have 1 to
    /// 8 bytes.
    ///
    /// ```
    /// use bytelane::fsst::Table;
    ///
    /// let table = Table::new(&["http://", "www.", "com"])?;
    /// assert_eq!(table.decode_to_vec(&[0, 1, 255, b'x', 2])?, b"http://www.xcom");
    /// # Ok::<(), bytelane::fsst::Error>(())
    /// ```
    pub fn new<S: AsRef<[u8]>>(symbols: &[S]) -> Result<Self, Error> {
        if symbols.len() > MOST {
            let (symbols, most) = (symbols.len(), MOST);
            return Err(Error::nowhere(ErrorKind::TooManySymbols { symbols, most }));
        }
        let mut table = Self::empty();
        for (number, symbol) in symbols.iter().enumerate() {
            let (symbol, length) = (symbol.as_ref(), symbol.as_ref().len());
            if !(1..=8).contains(&length) {
                let kind = ErrorKind::SymbolLength {
                    symbol: number,
                    length,
                    most: 8,
                };
                return Err(Error::nowhere(kind));
            }
            table.push(symbol);
        }
        Ok(table)
    }

    /// Creates a table without symbols.
    fn empty() -> Self {
        let mut table = Self {
            symbols: [[0; 8]; 512],
            lengths: [Stride::new(0); 512],
            masks: [0; 256],
            count: 0,
            is_terminated: false,
        };
        for byte in 0..=u8::MAX {
            table.symbols[256 + usize::from(byte)][0] = byte;
            table.lengths[256 + usize::from(byte)] = Stride::new(1);
        }
        table
    }

    /// Adds a symbol of 1 to 8 bytes to a table with room for it.
    fn push(&mut self, symbol: &[u8]) {
        let code = usize::from(self.count);
        self.symbols[code][..symbol.len()].copy_from_slice(symbol);
        self.lengths[code] = Stride::new(symbol.len());
        self.masks[code] = u8::MAX >> (8 - symbol.len());
        self.count += 1;
    }

    /// Returns the number of symbols.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.count)
    }

    /// Returns whether the table has no symbols.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the symbol of a code; `None` if the table has none for it.
    #[must_use]
    pub fn symbol(&self, code: u8) -> Option<&[u8]> {
        let symbol = &self.symbols[usize::from(code)];
        (code < self.count).then(|| &symbol[..self.lengths[usize::from(code)].get()])
    }

    /// Returns all symbols, in the order of their codes.
    pub fn symbols(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count).filter_map(|code| self.symbol(code))
    }

    /// Reads a table in the serialised form of the reference implementation, the bytes that `fsst_export` writes. Returns the
    /// table and its number of bytes; more may follow.
    ///
    /// # Errors
    ///
    /// [`Error`] if the bytes are no such table.
    ///
    /// ```
    /// use bytelane::fsst::{self, Table};
    ///
    /// let table = fsst::train(&["www.example.com", "www.example.org"]);
    /// let bytes = table.write_to_vec()?;
    /// assert_eq!(Table::read(&bytes)?, (table, bytes.len()));
    /// # Ok::<(), fsst::Error>(())
    /// ```
    pub fn read(src: &[u8]) -> Result<(Self, usize), Error> {
        let Some(header) = src.first_chunk::<HEADER>() else {
            return Err(Error::at(0, ErrorKind::Truncated));
        };
        let version = u32::from_le_bytes(*window(header, 4));
        if version != VERSION {
            let kind = match u32::from_be_bytes(*window(header, 0)) {
                VERSION => ErrorKind::ByteOrder,
                _ => ErrorKind::Version { version },
            };
            return Err(Error::at(4, kind));
        }
        if header[0] != 1 {
            return Err(Error::at(0, ErrorKind::ByteOrder));
        }
        // Counts of the lengths 1 to 8.
        let counts: [u8; 8] = *window(header, 9);
        let counted = counts.iter().map(|&count| usize::from(count)).sum();
        let is_terminated = header[8] & 1 == 1;
        let stated = header[1];
        if counted != usize::from(stated) || (is_terminated && counts[0] == 0) {
            let kind = ErrorKind::SymbolCount { stated, counted };
            return Err(Error::at(9, kind));
        }
        let mut table = Self::empty();
        table.is_terminated = is_terminated;
        if is_terminated {
            table.push(&[0]);
        }
        let mut at = HEADER;
        for length in LENGTHS {
            let first = u8::from(is_terminated && length == 1);
            for _ in first..counts[length - 1] {
                let Some(symbol) = src.get(at..at + length) else {
                    return Err(Error::at(at, ErrorKind::Truncated));
                };
                table.push(symbol);
                at += length;
            }
        }
        Ok((table, at))
    }

    /// Writes the table in the serialised form of the reference implementation, which `fsst_import` reads. Returns the number
    /// of bytes: 17, and those of the symbols.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::SymbolOrder`] if the symbols are not in the order of their lengths: 2 to 8, and then 1. Tables that were
    /// trained or [read](Self::read) are. [`ErrorKind::Destination`] if `dst` is too short.
    pub fn write(&self, dst: &mut [u8]) -> Result<usize, Error> {
        let mut counts = [0; 8];
        let mut rank = 0;
        let first = usize::from(self.is_terminated);
        for symbol in self.symbols().skip(first) {
            // The position among `LENGTHS`.
            let next = (symbol.len() + 6) % 8;
            if next < rank {
                return Err(Error::nowhere(ErrorKind::SymbolOrder));
            }
            rank = next;
            counts[symbol.len() - 1] += 1;
        }
        counts[0] += u8::from(self.is_terminated);
        let needed = HEADER + self.symbols().skip(first).map(<[u8]>::len).sum::<usize>();
        let dst = front(dst, needed)?;
        dst[..4].copy_from_slice(&[1, self.count, 0, self.prefix_free()]);
        dst[4..8].copy_from_slice(&VERSION.to_le_bytes());
        dst[8] = u8::from(self.is_terminated);
        dst[9..HEADER].copy_from_slice(&counts);
        let mut at = HEADER;
        for symbol in self.symbols().skip(first) {
            dst[at..][..symbol.len()].copy_from_slice(symbol);
            at += symbol.len();
        }
        Ok(needed)
    }

    /// Same as [`write`](Self::write), but returns a new `Vec`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::SymbolOrder`], as for [`write`](Self::write).
    #[cfg(feature = "alloc")]
    pub fn write_to_vec(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = alloc::vec![0; HEADER + 8 * self.len()];
        let length = self.write(&mut bytes)?;
        bytes.truncate(length);
        Ok(bytes)
    }

    /// Returns the number of symbols at the front that have two bytes and are the beginning of no other symbol. No decoder
    /// needs it.
    fn prefix_free(&self) -> u8 {
        let begins_another = |pair: &[u8]| {
            self.symbols()
                .any(|symbol| symbol.len() > 2 && symbol.starts_with(pair))
        };
        let first = usize::from(self.is_terminated);
        let free = self
            .symbols()
            .skip(first)
            .take_while(|symbol| symbol.len() == 2 && !begins_another(symbol));
        (first + free.count()) as u8
    }
}

/// Lengths of symbols, in the order of a serialised table.
pub(crate) const LENGTHS: [usize; 8] = [2, 3, 4, 5, 6, 7, 8, 1];

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.is_terminated == other.is_terminated && self.symbols().eq(other.symbols())
    }
}

impl Eq for Table {}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.symbols().map(Shown)).finish()
    }
}

/// Symbol as a quoted string.
pub(crate) struct Shown<'a>(pub(crate) &'a [u8]);

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}
