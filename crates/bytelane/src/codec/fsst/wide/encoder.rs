//! Encoding with a table.

use super::super::strings::{Offset, Strings, check_total};
use super::super::{Error, append_strings};
use super::index::Index;
use super::{CODE, ESCAPE, Table};
use alloc::vec::Vec;

/// Table that can encode: it finds the longest symbol at each place of a string. Takes 300 KiB of memory, and 64 bytes for each
/// symbol.
///
/// ```
/// use bytelane::fsst::wide::{Encoder, Table};
///
/// let encoder = Encoder::new(&Table::new(&["ab", "abc"])?);
/// assert_eq!(encoder.encode_to_vec(b"abcabd"), [1, 0, 0, 0, 255, 255, b'd', 0]);
/// # Ok::<(), bytelane::fsst::Error>(())
/// ```
#[derive(Clone)]
pub struct Encoder {
    table: Table,
    index: Index,
}

impl Encoder {
    /// Creates an encoder. Takes about 100 µs, and 1 ms for the largest tables.
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

    /// Appends an encoded string to a `Vec`. Returns the number of bytes: at most four times those of the string.
    pub fn encode_append(&self, text: &[u8], to: &mut Vec<u8>) -> usize {
        let (start, mut rest) = (to.len(), text);
        while !rest.is_empty() {
            let found = self.index.longest(rest);
            to.extend_from_slice(&found.code.to_le_bytes());
            if found.code == ESCAPE {
                to.extend_from_slice(&[rest[0], 0]);
            }
            rest = &rest[usize::from(found.length)..];
        }
        to.len() - start
    }

    /// Same as [`encode_append`](Self::encode_append), but returns a new `Vec`.
    #[must_use]
    pub fn encode_to_vec(&self, text: &[u8]) -> Vec<u8> {
        let mut encoded = Vec::new();
        self.encode_append(text, &mut encoded);
        encoded
    }

    /// Appends the encoded form of each string, one after the other, and the offset of the end of each. If there are no offsets yet,
    /// the first one is added, the former length of `bytes`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLong`](super::super::ErrorKind::TooLong) if an offset cannot count the bytes. Both `Vec`s keep their contents
    /// then, and their lengths.
    pub fn encode_strings_append<O: Offset>(
        &self,
        strings: Strings<'_, O>,
        bytes: &mut Vec<u8>,
        offsets: &mut Vec<O>,
    ) -> Result<(), Error> {
        append_strings(strings, bytes, offsets, |strings, bytes, ends| {
            for (text, end) in strings.iter().zip(ends) {
                self.encode_append(text, bytes);
                *end = O::of(bytes.len());
            }
            check_total::<O>(bytes.len())
        })
    }

    /// Returns the number of bytes of an encoded string.
    #[must_use]
    pub fn encoded_len(&self, text: &[u8]) -> usize {
        let (mut length, mut rest) = (0, text);
        while !rest.is_empty() {
            let found = self.index.longest(rest);
            length += if found.code == ESCAPE { 2 * CODE } else { CODE };
            rest = &rest[usize::from(found.length)..];
        }
        length
    }
}

impl core::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Encoder").field(&self.table).finish()
    }
}
