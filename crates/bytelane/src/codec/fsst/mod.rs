//! Strings as codes for their frequent parts: FSST ("fast static symbol table").
//!
//! ```
//! use bytelane::fsst::{self, Encoder, Strings};
//!
//! let urls = ["https://example.com/one", "https://example.com/two", "https://example.org/"];
//! let table = fsst::train(&urls);
//! let encoder = Encoder::new(&table);
//!
//! let encoded = encoder.encode_to_vec(b"https://example.com/three");
//! assert!(encoded.len() < 16);
//! assert_eq!(table.decode_to_vec(&encoded)?, b"https://example.com/three");
//!
//! // Many strings at once, as in Arrow: bytes and offsets.
//! let text = urls.concat();
//! let strings = Strings::new(text.as_bytes(), &[0, 23, 46, 66])?;
//! let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
//! encoder.encode_strings_append(strings, &mut bytes, &mut offsets)?;
//!
//! // Each string can be decoded alone, and compared without decoding it.
//! let encoded = Strings::new(&bytes, &offsets)?;
//! assert_eq!(table.decode_to_vec(encoded.get(1))?, b"https://example.com/two");
//! assert!(table.starts_with(encoded.get(2), b"https://example.org")?);
//! # Ok::<(), fsst::Error>(())
//! ```
//!
//! A [`Table`] has up to 255 symbols of 1 to 8 bytes; each code of an encoded string stands for one of them. The code 255 says that the next
//! byte stands for itself. `train` finds the symbols that shorten given strings most, and an `Encoder` replaces the bytes of
//! strings with codes. Text of one kind, such as URLs, log lines or comments, usually takes a half to a third of its bytes. No string
//! takes more than twice its bytes.
//!
//! # Accepted input
//!
//! A code without a symbol, and an escape code at the end of a string, are an [`Error`] with its offset. Any strings can be encoded with
//! any table. Tables and strings of the reference implementation can be read, and the other way round.
//!
//! # Encoder output
//!
//! At each place of a string, the longest symbol of the table that fits. Equal strings are equal when they are encoded.
//!
//! All functions take time linear in the number of bytes. Functions on slices do not allocate. No function reads or writes outside its
//! slices, and none needs padding.
//!
//! Source: Boncz, Neumann and Leis, [*FSST: Fast Random Access String Compression*](https://www.vldb.org/pvldb/vol13/p2649-boncz.pdf),
//! VLDB 2020; the serialised form of tables is that of the [reference implementation](https://github.com/cwida/fsst).

mod arch;
mod claims;
mod decode;
#[cfg(feature = "alloc")]
mod encode;
#[cfg(feature = "alloc")]
mod encoder;
mod error;
#[cfg(feature = "alloc")]
mod index;
mod kernel;
mod scalar;
mod search;
mod strings;
mod table;
#[cfg(test)]
mod tests;
#[cfg(feature = "alloc")]
mod train;
#[cfg(feature = "alloc")]
pub mod wide;

#[cfg(feature = "alloc")]
pub use encoder::Encoder;
pub use error::{Error, ErrorKind};
#[cfg(feature = "alloc")]
pub use search::Finder;
pub use strings::{Offset, Strings};
pub use table::Table;
#[cfg(feature = "alloc")]
pub use train::train;

use crate::backend::dispatch;
use crate::memory::Slot;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
#[cfg(feature = "alloc")]
use index::Index;

dispatch! {
    fn decode_codes(table: &Table, src: &[u8], to: &mut [Slot]) -> Option<usize> = kernel::decode, or scalar::decode;
    fn decode_strings32(table: &Table, strings: Strings<'_, i32>, base: usize, to: &mut [Slot], ends: &mut [i32]) -> Option<usize> = kernel::decode_strings, or scalar::decode_strings;
    fn decode_strings64(table: &Table, strings: Strings<'_, i64>, base: usize, to: &mut [Slot], ends: &mut [i64]) -> Option<usize> = kernel::decode_strings, or scalar::decode_strings;
}

#[cfg(feature = "alloc")]
dispatch! {
    fn encode_part(index: &Index, text: &[u8], to: &mut [Slot]) -> (usize, usize) = encode::part, or encode::portable;
    fn encode_strings32(index: &Index, strings: Strings<'_, i32>, base: usize, to: &mut [Slot], ends: &mut [i32]) -> (usize, usize) = encode::strings, or encode::portable_strings;
    fn encode_strings64(index: &Index, strings: Strings<'_, i64>, base: usize, to: &mut [Slot], ends: &mut [i64]) -> (usize, usize) = encode::strings, or encode::portable_strings;
}

/// Writes the first offset, from which the others count. Returns those of the ends of the strings.
fn ends_of<O: Offset>(offsets: &mut [O], strings: usize, base: usize) -> Result<&mut [O], Error> {
    let (needed, given) = (strings.saturating_add(1), offsets.len());
    match offsets {
        [first, ends @ ..] if needed == given => {
            *first = O::of(base);
            Ok(ends)
        }
        _ => Err(Error::nowhere(ErrorKind::OffsetCount { needed, given })),
    }
}

/// Appends strings and their offsets with a function that gets room for the latter. After an error, both have their former contents.
#[cfg(feature = "alloc")]
fn append_strings<O: Offset>(
    strings: Strings<'_, O>,
    bytes: &mut Vec<u8>,
    offsets: &mut Vec<O>,
    run: impl FnOnce(Strings<'_, O>, &mut Vec<u8>, &mut [O]) -> Result<(), Error>,
) -> Result<(), Error> {
    let (length, count) = (bytes.len(), offsets.len());
    if offsets.is_empty() {
        offsets.push(O::of(length));
    }
    let first = offsets.len();
    offsets.resize(first + strings.len(), O::default());
    let done = run(strings, bytes, &mut offsets[first..]);
    if done.is_err() {
        bytes.truncate(length);
        offsets.truncate(count);
    }
    done
}
