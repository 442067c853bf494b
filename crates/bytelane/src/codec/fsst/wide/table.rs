//! Symbol tables with codes of 16 bits, and decoding.

use super::super::strings::{Offset, Strings, check_total};
use super::super::{Error, ErrorKind, append_strings, ends_of};
use super::{CODE, ESCAPE, LONGEST, MOST};
use crate::DestinationError;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// Symbol table: up to 65,535 symbols of 1 to 16 bytes, each of which a code of two bytes stands for.
///
/// [`train`](super::train) makes one for given strings. All methods that decode are here; to encode, make an
/// [`Encoder`](super::Encoder) of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Table {
    /// Symbols of the codes, with zeros after them.
    symbols: Vec<[u8; LONGEST]>,
    /// Length of each symbol in bytes.
    lengths: Vec<u8>,
}

impl Table {
    /// Creates a table of symbols, in the order of their codes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooManySymbols`] for more than 65,535 symbols, and [`ErrorKind::SymbolLength`] if one does not have 1 to
    /// 16 bytes.
    ///
    /// ```
    /// use bytelane::fsst::wide::Table;
    ///
    /// let table = Table::new(&["https://www.", ".com"])?;
    /// assert_eq!(table.decode_to_vec(&[0, 0, 255, 255, b'x', 0, 1, 0])?, b"https://www.x.com");
    /// # Ok::<(), bytelane::fsst::Error>(())
    /// ```
    pub fn new<S: AsRef<[u8]>>(symbols: &[S]) -> Result<Self, Error> {
        let (count, most) = (symbols.len(), MOST);
        if count > most {
            return Err(Error::nowhere(ErrorKind::TooManySymbols {
                symbols: count,
                most,
            }));
        }
        let mut table = Self {
            symbols: vec![[0; LONGEST]; count],
            lengths: vec![0; count],
        };
        for (number, symbol) in symbols.iter().enumerate() {
            let (symbol, length) = (symbol.as_ref(), symbol.as_ref().len());
            if !(1..=LONGEST).contains(&length) {
                return Err(Error::nowhere(ErrorKind::SymbolLength {
                    symbol: number,
                    length,
                    most: LONGEST,
                }));
            }
            table.symbols[number][..length].copy_from_slice(symbol);
            table.lengths[number] = length as u8;
        }
        Ok(table)
    }

    /// Returns the number of symbols.
    #[must_use]
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Returns whether the table has no symbols.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Returns the symbol of a code; `None` if the table has none for it.
    #[must_use]
    pub fn symbol(&self, code: u16) -> Option<&[u8]> {
        let (symbol, length) = self.padded(code)?;
        Some(&symbol[..length])
    }

    /// Returns all symbols, in the order of their codes.
    pub fn symbols(&self) -> impl Iterator<Item = &[u8]> {
        let symbols = self.symbols.iter().zip(&self.lengths);
        symbols.map(|(symbol, &length)| &symbol[..usize::from(length)])
    }

    /// Returns the symbol of a code with zeros after it, and its length.
    #[inline(always)]
    fn padded(&self, code: u16) -> Option<(&[u8; LONGEST], usize)> {
        let code = usize::from(code);
        let (symbol, length) = (self.symbols.get(code)?, self.lengths.get(code)?);
        Some((symbol, usize::from(*length)))
    }

    /// Returns the byte after the escape code at `at`, or what is wrong with the code there, which has no symbol.
    #[cold]
    fn literal(src: &[u8], at: usize) -> Result<u8, Error> {
        match src[at..] {
            [255, 255, byte, 0, ..] => Ok(byte),
            [255, 255, low, high, ..] => {
                let code = u16::from_le_bytes([low, high]);
                Err(Error::at(at + CODE, ErrorKind::Literal { code }))
            }
            [low, high, ..] if [low, high] != ESCAPE.to_le_bytes() => {
                let code = u16::from_le_bytes([low, high]);
                Err(Error::at(at, ErrorKind::UnknownCode { code }))
            }
            [_] => Err(Error::at(at, ErrorKind::WithinCode)),
            _ => Err(Error::at(at, ErrorKind::UnexpectedEnd)),
        }
    }

    /// Decodes a string to the front of `dst`. Returns the number of bytes: at most eight for each encoded one.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed, with its offset, or if `dst` is too short.
    pub fn decode(&self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.decode_at(src, dst, 0)?.ok_or_else(|| {
            let needed = self.decoded_len(src).unwrap_or(usize::MAX);
            DestinationError::new(needed, dst.len()).into()
        })
    }

    /// Decodes a string to `dst`, from `at` on. Returns where it ends; `None` if there is too little room.
    #[inline(always)]
    fn decode_at(&self, src: &[u8], dst: &mut [u8], mut at: usize) -> Result<Option<usize>, Error> {
        let mut from = 0;
        while from < src.len() {
            let known = match src.get(from..from + CODE) {
                Some(code) => self.padded(u16::from_le_bytes([code[0], code[1]])),
                None => None,
            };
            let Some((symbol, length)) = known else {
                let byte = Self::literal(src, from)?;
                let Some(room) = dst.get_mut(at) else {
                    return Ok(None);
                };
                *room = byte;
                at += 1;
                from += 2 * CODE;
                continue;
            };
            if let Some(room) = dst.get_mut(at..at + LONGEST) {
                room.copy_from_slice(symbol);
            } else if let Some(room) = dst.get_mut(at..at + length) {
                room.copy_from_slice(&symbol[..length]);
            } else {
                return Ok(None);
            }
            at += length;
            from += CODE;
        }
        Ok(Some(at))
    }

    /// Same as [`decode`](Self::decode), but returns a new `Vec`.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed.
    pub fn decode_to_vec(&self, src: &[u8]) -> Result<Vec<u8>, Error> {
        let mut decoded = vec![0; self.decoded_len(src)?];
        self.decode(src, &mut decoded)?;
        Ok(decoded)
    }

    /// Decodes strings, one after the other, to the front of `dst`, and writes the offset of each and of the end of the last one to
    /// `offsets`, which has one offset more than there are strings. Returns the number of bytes.
    ///
    /// # Errors
    ///
    /// [`Error`] if a string is malformed, with its offset in the bytes, if `dst` is too short, if `offsets` has another length, or
    /// if an offset cannot count the bytes.
    ///
    /// ```
    /// use bytelane::fsst::{Strings, wide::Table};
    ///
    /// let table = Table::new(&["one", "two"])?;
    /// let strings = Strings::new(&[0, 0, 1, 0], &[0, 2, 2, 4])?;
    /// let (mut bytes, mut offsets) = ([0; 6], [0; 4]);
    /// assert_eq!(table.decode_strings(strings, &mut bytes, &mut offsets)?, 6);
    /// assert_eq!((&bytes, offsets), (b"onetwo", [0, 3, 3, 6]));
    /// # Ok::<(), bytelane::fsst::Error>(())
    /// ```
    pub fn decode_strings<O: Offset>(
        &self,
        strings: Strings<'_, O>,
        dst: &mut [u8],
        offsets: &mut [O],
    ) -> Result<usize, Error> {
        let ends = ends_of(offsets, strings.len(), 0)?;
        self.decode_ends(strings, dst, ends, 0)
    }

    /// Decodes strings to `dst`, from `at` on, and writes where each ends. Returns where the last one ends.
    fn decode_ends<O: Offset>(
        &self,
        strings: Strings<'_, O>,
        dst: &mut [u8],
        ends: &mut [O],
        mut at: usize,
    ) -> Result<usize, Error> {
        let start = at;
        for (number, end) in ends.iter_mut().enumerate() {
            let place = strings.range_of(number);
            let decoded = self.decode_at(&strings.bytes()[place.clone()], dst, at);
            let Some(done) = decoded.map_err(|error| error.behind(place.start))? else {
                let needed = self.decoded_strings_len(strings)?;
                return Err(DestinationError::new(needed, dst.len() - start).into());
            };
            at = done;
            *end = O::of(at);
        }
        check_total::<O>(at)?;
        Ok(at)
    }

    /// Same as [`decode_strings`](Self::decode_strings), but appends to `Vec`s. If there are no offsets yet, the first one is added, the
    /// former length of `bytes`.
    ///
    /// # Errors
    ///
    /// [`Error`] if a string is malformed, or if an offset cannot count the bytes. Both `Vec`s keep their contents then.
    pub fn decode_strings_append<O: Offset>(
        &self,
        strings: Strings<'_, O>,
        bytes: &mut Vec<u8>,
        offsets: &mut Vec<O>,
    ) -> Result<(), Error> {
        append_strings(strings, bytes, offsets, |strings, bytes, ends| {
            let start = bytes.len();
            let length = self.decoded_strings_len(strings)?;
            bytes.resize(start.saturating_add(length), 0);
            self.decode_ends(strings, bytes, ends, start).map(|_| ())
        })
    }

    /// Returns the number of bytes that an encoded string stands for.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed.
    pub fn decoded_len(&self, src: &[u8]) -> Result<usize, Error> {
        let (mut length, mut at) = (0usize, 0);
        while at < src.len() {
            let code = src.get(at..at + CODE);
            let known = code.map(|code| u16::from_le_bytes([code[0], code[1]]));
            match known.and_then(|code| self.lengths.get(usize::from(code))) {
                Some(&symbol) => length = length.saturating_add(usize::from(symbol)),
                None => {
                    Self::literal(src, at)?;
                    length = length.saturating_add(1);
                    at += CODE;
                }
            }
            at += CODE;
        }
        Ok(length)
    }

    /// Returns the number of bytes that encoded strings stand for.
    ///
    /// # Errors
    ///
    /// [`Error`] if a string is malformed, with its offset in the bytes.
    pub fn decoded_strings_len<O: Offset>(&self, strings: Strings<'_, O>) -> Result<usize, Error> {
        (0..strings.len()).try_fold(0usize, |total, number| {
            let length = self.decoded_len(strings.get(number));
            let length = length.map_err(|error| error.behind(strings.range_of(number).start))?;
            Ok(total.saturating_add(length))
        })
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbols = self.symbols().map(super::super::table::Shown);
        f.debug_list().entries(symbols).finish()
    }
}
