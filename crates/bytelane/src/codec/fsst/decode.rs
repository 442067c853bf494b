//! Decoding: the methods of a table.

#[cfg(feature = "alloc")]
use super::append_strings;
use super::strings::{Offset, Strings, check_total};
use super::table::{ESCAPE, Table};
use super::{Error, decode_codes, ends_of, scalar};
#[cfg(feature = "alloc")]
use crate::memory;
use crate::memory::{Fill, Slot, forms};
use crate::{Destination, DestinationError, Detected};
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// Number of codes for which memory is reserved at once.
const PIECE: usize = 1 << 13;

impl Table {
    forms! {
        /// Decodes a string to the front of `dst`. Returns the number of bytes: at most eight for each encoded one.
        ///
        /// Several strings one after the other are decoded as one.
        ///
        /// # Errors
        ///
        /// [`Error`] if the string is malformed, with its offset, or if `dst` is too short.
        ///
        /// ```
        /// use bytelane::fsst::Table;
        ///
        /// let table = Table::new(&["https://", ".com"])?;
        /// let mut decoded = [0; 13];
        /// assert_eq!(table.decode(&[0, 255, b'x', 1], &mut decoded)?, 13);
        /// assert_eq!(&decoded, b"https://x.com");
        /// # Ok::<(), bytelane::fsst::Error>(())
        /// ```
        decode[](&self, src: &[u8]) -> dst: [u8], Error;
        decode_with: |backend| Decode { table: self, src, backend };
    }

    /// Same as [`decode`](Self::decode), but appends to a `Vec`. Returns the number of bytes.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed; the `Vec` keeps its contents then.
    #[cfg(feature = "alloc")]
    pub fn decode_append(&self, src: &[u8], to: &mut Vec<u8>) -> Result<usize, Error> {
        let (start, backend) = (to.len(), Detected::active());
        let mut from = 0;
        while from < src.len() {
            let piece = &src[from..][..piece(&src[from..])];
            let operation = Decode {
                table: self,
                src: piece,
                backend,
            };
            if let Err(error) = memory::append(operation, 8 * piece.len(), to) {
                to.truncate(start);
                return Err(error.behind(from));
            }
            from += piece.len();
        }
        Ok(to.len() - start)
    }

    /// Same as [`decode`](Self::decode), but returns a new `Vec`.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed.
    #[cfg(feature = "alloc")]
    pub fn decode_to_vec(&self, src: &[u8]) -> Result<Vec<u8>, Error> {
        let mut decoded = Vec::new();
        self.decode_append(src, &mut decoded)?;
        Ok(decoded)
    }

    /// Decodes strings, one after the other, to the front of `dst`, and writes the offset of each and of the end of the last one to
    /// `offsets`, which has one offset more than there are strings. Returns the number of bytes.
    ///
    /// To decode some of the strings, pass [`Strings::range`].
    ///
    /// # Errors
    ///
    /// [`Error`] if a string is malformed, with its offset in the bytes, if `dst` is too short, if `offsets` has another length, or
    /// if an offset cannot count the bytes.
    ///
    /// ```
    /// use bytelane::fsst::{Strings, Table};
    ///
    /// let table = Table::new(&["one", "two"])?;
    /// let strings = Strings::new(&[0, 1, 0, 1], &[0, 2, 2, 4])?;
    /// let (mut bytes, mut offsets) = ([0; 6], [0; 3]);
    /// assert_eq!(table.decode_strings(strings.range(1..3), &mut bytes, &mut offsets)?, 6);
    /// assert_eq!((&bytes, offsets), (b"onetwo", [0, 0, 6]));
    /// # Ok::<(), bytelane::fsst::Error>(())
    /// ```
    pub fn decode_strings<O: Offset>(
        &self,
        strings: Strings<'_, O>,
        dst: &mut [u8],
        offsets: &mut [O],
    ) -> Result<usize, Error> {
        let backend = Detected::active();
        let written = self.decode_strings_with(backend, strings, dst, offsets)?;
        Ok(written.len())
    }

    /// Same as [`decode_strings`](Self::decode_strings), on a backend of the caller's choice, into memory that need not be initialised.
    /// Returns the bytes written.
    ///
    /// # Errors
    ///
    /// The same as [`decode_strings`](Self::decode_strings).
    pub fn decode_strings_with<'a, O: Offset>(
        &self,
        backend: Detected,
        strings: Strings<'_, O>,
        dst: impl Into<Destination<'a, u8>>,
        offsets: &mut [O],
    ) -> Result<&'a mut [u8], Error> {
        let ends = ends_of(offsets, strings.len(), 0)?;
        let (written, ()) = dst.into().fill(DecodeStrings {
            table: self,
            strings,
            base: 0,
            ends,
            backend,
        })?;
        Ok(written)
    }

    /// Same as [`decode_strings`](Self::decode_strings), but appends to `Vec`s. If there are no offsets yet, the first one is added, the
    /// former length of `bytes`.
    ///
    /// # Errors
    ///
    /// [`Error`] if a string is malformed, or if an offset cannot count the bytes. Both `Vec`s keep their contents then.
    #[cfg(feature = "alloc")]
    pub fn decode_strings_append<O: Offset>(
        &self,
        strings: Strings<'_, O>,
        bytes: &mut Vec<u8>,
        offsets: &mut Vec<O>,
    ) -> Result<(), Error> {
        append_strings(strings, bytes, offsets, |strings, bytes, ends| {
            let mut done = 0;
            while done < strings.len() {
                let count = strings.count_within(done, PIECE);
                let part = strings.range(done..done + count);
                let operation = DecodeStrings {
                    table: self,
                    strings: part,
                    base: bytes.len(),
                    ends: &mut ends[done..],
                    backend: Detected::active(),
                };
                memory::append(operation, part.total().saturating_mul(8), bytes)?;
                done += count;
            }
            Ok(())
        })
    }

    /// Returns the number of bytes that an encoded string stands for.
    ///
    /// # Errors
    ///
    /// [`Error`] if the string is malformed.
    pub fn decoded_len(&self, src: &[u8]) -> Result<usize, Error> {
        scalar::decoded_len(self, src)
    }

    /// Returns the number of bytes that encoded strings stand for.
    ///
    /// # Errors
    ///
    /// [`Error`] if a string is malformed, with its offset in the bytes.
    pub fn decoded_strings_len<O: Offset>(&self, strings: Strings<'_, O>) -> Result<usize, Error> {
        let mut total = 0usize;
        for i in 0..strings.len() {
            let length = scalar::decoded_len(self, strings.get(i));
            let length = length.map_err(|error| error.behind(strings.range_of(i).start))?;
            total = total.saturating_add(length);
        }
        Ok(total)
    }
}

/// Returns the length of a piece at the front of an encoded string that does not end after an escape code.
#[cfg(feature = "alloc")]
fn piece(src: &[u8]) -> usize {
    if src.len() <= PIECE {
        return src.len();
    }
    let escapes = src[..PIECE].iter().rev();
    let escapes = escapes.take_while(|&&code| code == ESCAPE).count();
    PIECE + escapes % 2
}

/// Decodes a string.
pub(super) struct Decode<'a> {
    table: &'a Table,
    src: &'a [u8],
    backend: Detected,
}

impl Fill for Decode<'_> {
    type Done = ();
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        match decode_codes(self.table, self.src, to, self.backend) {
            Some(written) => Ok((written, ())),
            None => Err(fault(self.table, self.src, to.len())),
        }
    }
}

/// Returns the error for a string that could not be decoded.
#[cold]
fn fault(table: &Table, src: &[u8], given: usize) -> Error {
    match scalar::decoded_len(table, src) {
        Ok(needed) => DestinationError::new(needed, given).into(),
        Err(error) => error,
    }
}

/// Decodes strings.
pub(super) struct DecodeStrings<'a, O> {
    table: &'a Table,
    strings: Strings<'a, O>,
    base: usize,
    ends: &'a mut [O],
    backend: Detected,
}

impl<O: Offset> Fill for DecodeStrings<'_, O> {
    type Done = ();
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        let Self {
            table,
            strings,
            base,
            ends,
            backend,
        } = self;
        let written = O::decode(table, strings, base, to, ends, backend)
            .ok_or_else(|| fault_of(table, strings, to.len()))?;
        check_total::<O>(base.saturating_add(written))?;
        Ok((written, ()))
    }
}

/// Returns the error for strings that could not be decoded.
#[cold]
fn fault_of<O: Offset>(table: &Table, strings: Strings<'_, O>, given: usize) -> Error {
    match table.decoded_strings_len(strings) {
        Ok(needed) => DestinationError::new(needed, given).into(),
        Err(error) => error,
    }
}
