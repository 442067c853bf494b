//! Encoding with a table.

use super::index::{Entry, Index};
use super::strings::{Offset, Strings, check_total};
use super::table::Table;
use super::{Error, append_strings, encode, encode_part, ends_of, scalar};
use crate::memory::{self, Fill, Slot};
use crate::{Backend, Destination, DestinationError, Detected};
use alloc::vec::Vec;

/// Maximum number of bytes for which memory is reserved at once.
const RESERVED: usize = 1 << 16;

/// Table that can encode: it finds the longest symbol at each place of a string. Takes about 170 KiB of memory.
///
/// ```
/// use bytelane::fsst::{Encoder, Table};
///
/// let encoder = Encoder::new(&Table::new(&["ab", "abc"])?);
/// assert_eq!(encoder.encode_to_vec(b"abcabd"), [1, 0, 255, b'd']);
/// # Ok::<(), bytelane::fsst::Error>(())
/// ```
#[derive(Clone)]
pub struct Encoder {
    pub(super) table: Table,
    /// `None` if it would not find all symbols; then the table is searched.
    pub(super) index: Option<Index>,
}

impl Encoder {
    /// Creates an encoder. Takes about 20 µs.
    #[must_use]
    pub fn new(table: &Table) -> Self {
        Self {
            table: table.clone(),
            index: Index::new(table),
        }
    }

    /// Returns the table.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Writes an encoded string to the front of `dst`. Returns the number of bytes: at most twice those of the string.
    ///
    /// # Errors
    ///
    /// [`DestinationError`] if `dst` is too short.
    ///
    /// ```
    /// use bytelane::fsst::{Encoder, Table};
    ///
    /// let encoder = Encoder::new(&Table::new(&["https://"])?);
    /// let mut encoded = [0; 3];
    /// assert_eq!(encoder.encode(b"https://x", &mut encoded)?, 3);
    /// assert_eq!(encoded, [0, 255, b'x']);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn encode(&self, text: &[u8], dst: &mut [u8]) -> Result<usize, DestinationError> {
        let written = self.encode_with(Detected::active(), text, dst)?;
        Ok(written.len())
    }

    /// Same as [`encode`](Self::encode), on a backend of the caller's choice, into memory that need not be initialised. Returns the
    /// bytes written.
    ///
    /// # Errors
    ///
    /// The same as [`encode`](Self::encode).
    #[inline]
    pub fn encode_with<'a>(
        &self,
        backend: Detected,
        text: &[u8],
        dst: impl Into<Destination<'a, u8>>,
    ) -> Result<&'a mut [u8], DestinationError> {
        let dst = dst.into();
        let given = dst.len();
        let (written, read) = match dst.fill(self.part(backend, text)) {
            Ok(done) => done,
            Err(never) => match never {},
        };
        if read < text.len() {
            let needed = self.encoded_len(text);
            return Err(DestinationError::new(needed, given));
        }
        Ok(written)
    }

    /// Same as [`encode`](Self::encode), but appends to a `Vec`. Returns the number of bytes.
    pub fn encode_append(&self, text: &[u8], to: &mut Vec<u8>) -> usize {
        let start = to.len();
        let mut rest = text;
        while !rest.is_empty() {
            let most = usize::min(rest.len().saturating_mul(2), RESERVED);
            let operation = self.part(Detected::active(), rest);
            let read = match memory::append(operation, most, to) {
                Ok((_, read)) => read,
                Err(never) => match never {},
            };
            rest = &rest[read..];
        }
        to.len() - start
    }

    /// Same as [`encode`](Self::encode), but returns a new `Vec`.
    #[must_use]
    pub fn encode_to_vec(&self, text: &[u8]) -> Vec<u8> {
        let mut encoded = Vec::new();
        self.encode_append(text, &mut encoded);
        encoded
    }

    /// Writes the encoded form of each string, one after the other, to the front of `dst`, and the offset of each and of the end of the
    /// last one to `offsets`, which has one offset more than there are strings. Returns the number of bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Destination`](super::ErrorKind::Destination) if `dst` is too short or `offsets` does not have one offset
    /// more than there are strings, and [`ErrorKind::TooLong`](super::ErrorKind::TooLong) if an offset cannot count the bytes.
    ///
    /// ```
    /// use bytelane::fsst::{Encoder, Strings, Table};
    ///
    /// let encoder = Encoder::new(&Table::new(&["one", "two"])?);
    /// let strings = Strings::new(b"oneonetwo", &[0, 6, 6, 9])?;
    /// let (mut bytes, mut offsets) = ([0; 3], [0; 4]);
    /// assert_eq!(encoder.encode_strings(strings, &mut bytes, &mut offsets)?, 3);
    /// assert_eq!((bytes, offsets), ([0, 0, 1], [0, 2, 2, 3]));
    /// # Ok::<(), bytelane::fsst::Error>(())
    /// ```
    pub fn encode_strings<O: Offset>(
        &self,
        strings: Strings<'_, O>,
        dst: &mut [u8],
        offsets: &mut [O],
    ) -> Result<usize, Error> {
        let backend = Detected::active();
        let written = self.encode_strings_with(backend, strings, dst, offsets)?;
        Ok(written.len())
    }

    /// Same as [`encode_strings`](Self::encode_strings), on a backend of the caller's choice, into memory that need not be initialised.
    /// Returns the bytes written.
    ///
    /// # Errors
    ///
    /// The same as [`encode_strings`](Self::encode_strings).
    pub fn encode_strings_with<'a, O: Offset>(
        &self,
        backend: Detected,
        strings: Strings<'_, O>,
        dst: impl Into<Destination<'a, u8>>,
        offsets: &mut [O],
    ) -> Result<&'a mut [u8], Error> {
        let dst = dst.into();
        let given = dst.len();
        let ends = ends_of(offsets, strings.len(), 0)?;
        let (written, read) = dst.fill(EncodeStrings {
            encoder: self,
            strings,
            base: 0,
            ends,
            backend,
        })?;
        if read < strings.len() {
            let needed = self.encoded_strings_len(strings);
            return Err(DestinationError::new(needed, given).into());
        }
        Ok(written)
    }

    /// Same as [`encode_strings`](Self::encode_strings), but appends to `Vec`s. If there are no offsets yet, the first one is added, the
    /// former length of `bytes`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLong`](super::ErrorKind::TooLong) if an offset cannot count the bytes. Both `Vec`s keep their contents
    /// then, and their lengths.
    pub fn encode_strings_append<O: Offset>(
        &self,
        strings: Strings<'_, O>,
        bytes: &mut Vec<u8>,
        offsets: &mut Vec<O>,
    ) -> Result<(), Error> {
        append_strings(strings, bytes, offsets, |strings, bytes, ends| {
            let mut done = 0;
            while done < strings.len() {
                let rest = strings.range(done..strings.len());
                let most = rest.total().saturating_mul(2);
                let first = rest.get(0).len().saturating_mul(2);
                let most = usize::min(most, usize::max(first, RESERVED));
                let operation = EncodeStrings {
                    encoder: self,
                    strings: rest,
                    base: bytes.len(),
                    ends: &mut ends[done..],
                    backend: Detected::active(),
                };
                let (_, read) = memory::append(operation, most, bytes)?;
                done += read;
            }
            Ok(())
        })
    }

    /// Returns the number of bytes of an encoded string.
    #[must_use]
    pub fn encoded_len(&self, text: &[u8]) -> usize {
        let mut length = 0;
        let mut read = 0;
        while let Some(entry) = self.next(&text[read..]) {
            read += entry.read();
            length += entry.written();
        }
        length
    }

    /// Returns the number of bytes of all encoded strings.
    #[must_use]
    pub fn encoded_strings_len<O: Offset>(&self, strings: Strings<'_, O>) -> usize {
        strings.iter().map(|text| self.encoded_len(text)).sum()
    }

    /// Returns the longest symbol at the front of a text; `None` if the text is empty.
    fn next(&self, text: &[u8]) -> Option<Entry> {
        if text.is_empty() {
            return None;
        }
        Some(match &self.index {
            Some(index) => index.longest_up_to(memory::pair(text)[0], text.len()),
            None => match scalar::longest(&self.table, text) {
                Some((code, length)) => Entry::new(code, length),
                None => Entry::ESCAPED,
            },
        })
    }

    fn part<'a>(&'a self, backend: Detected, text: &'a [u8]) -> EncodePart<'a> {
        EncodePart {
            encoder: self,
            text,
            backend,
        }
    }
}

impl core::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Encoder").field(&self.table).finish()
    }
}

/// Encodes as much of a string as there is room for. Returns the number of bytes read.
pub(super) struct EncodePart<'a> {
    encoder: &'a Encoder,
    text: &'a [u8],
    backend: Detected,
}

impl Fill for EncodePart<'_> {
    type Done = usize;
    type Error = core::convert::Infallible;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Self::Error> {
        let Self {
            encoder,
            text,
            backend,
        } = self;
        let (read, written) = match &encoder.index {
            Some(index) if *backend != Backend::Scalar => encode_part(index, text, to, backend),
            _ => scalar::encode(&encoder.table, text, to),
        };
        Ok((written, read))
    }
}

/// Encodes as many strings as there is room for. Returns their number.
pub(super) struct EncodeStrings<'a, O> {
    encoder: &'a Encoder,
    strings: Strings<'a, O>,
    base: usize,
    ends: &'a mut [O],
    backend: Detected,
}

impl<O: Offset> Fill for EncodeStrings<'_, O> {
    type Done = usize;
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        let Self {
            encoder,
            strings,
            base,
            ends,
            backend,
        } = self;
        let (read, written) = match &encoder.index {
            Some(index) if *backend != Backend::Scalar => {
                O::encode(index, strings, base, to, ends, backend)
            }
            _ => encode::strings_with(strings, base, to, ends, |text, to| {
                scalar::encode(&encoder.table, text, to)
            }),
        };
        check_total::<O>(base.saturating_add(written))?;
        Ok((written, read))
    }
}
