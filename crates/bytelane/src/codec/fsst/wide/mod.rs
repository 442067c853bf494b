//! FSST with codes of 16 bits, "FSST_16": symbols of up to 16 bytes, for text with many frequent parts.
//!
//! ```
//! use bytelane::fsst::wide;
//!
//! let line = |item| format!("GET /products/{item} HTTP/1.1");
//! let lines: Vec<_> = (0..1000).map(line).collect();
//! let table = wide::train(&lines);
//! let encoder = wide::Encoder::new(&table);
//!
//! let encoded = encoder.encode_to_vec(line(1234).as_bytes());
//! assert!(encoded.len() < line(1234).len() / 2);
//! assert_eq!(table.decode_to_vec(&encoded)?, line(1234).as_bytes());
//! # Ok::<(), bytelane::fsst::Error>(())
//! ```
//!
//! A [`Table`] has up to 65,535 symbols of 1 to 16 bytes. A code has two bytes, the lower one first, and the code 65,535 says that the next
//! code is a byte that stands for itself. Only symbols of more than two bytes save anything, and a table takes some ten to fifty thousand bytes, so this
//! is smaller than the codes of 8 bits for chunks of a megabyte and more whose strings have long parts in common, such as log lines and JSON, and larger for
//! identifiers. No string takes more than four times its bytes.
//!
//! The algorithm is portable: a code costs one load and one store of 16 bytes, which all instruction sets have.
//!
//! ```text
//! decode: for each code:  store the 16 bytes of its symbol, and pass its length
//! encode: at each place:  for each length that symbols with the next three bytes have, the longest first: look it up in a hash table
//! ```
//!
//! # Accepted input
//!
//! A code without a symbol, a string that ends within a code or after an escape code, and an escape code before a number that is no byte are an
//! [`Error`](super::Error) with its offset.
//!
//! Source: the proposal for Parquet, [parquet-format#531](https://github.com/apache/parquet-format/issues/531), as its implementations read it
//! (`docs/lab-notes/fsst.md`).
#![forbid(unsafe_code)]

mod encoder;
mod index;
mod table;
#[cfg(test)]
mod tests;
mod train;

pub use encoder::Encoder;
pub use table::Table;
pub use train::{train, train_sample};

/// Code that the next one is a byte.
const ESCAPE: u16 = u16::MAX;

/// Maximum number of symbols in a table.
const MOST: usize = ESCAPE as usize;

/// Maximum number of bytes of a symbol.
const LONGEST: usize = 16;

/// Number of bytes of a code.
const CODE: usize = 2;
