//! Errors in tables and encoded strings.

use crate::DestinationError;
use core::fmt;

/// Error of reading a table, or of encoding or decoding strings.
pub type Error = crate::Error<ErrorKind>;

/// Kind of error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An encoded string ends after an escape code, which a byte must follow.
    UnexpectedEnd,
    /// An encoded string ends within a code of two bytes.
    WithinCode,
    /// A code for which the table has no symbol.
    UnknownCode {
        /// The code.
        code: u16,
    },
    /// A code of two bytes follows an escape code, but is no byte.
    Literal {
        /// The code.
        code: u16,
    },
    /// A serialised table ends before its last symbol.
    Truncated,
    /// A serialised table does not begin with the version that all others have.
    Version {
        /// The value found.
        version: u32,
    },
    /// A serialised table was written on a big-endian machine, or is none.
    ByteOrder,
    /// A serialised table has more than 255 symbols, or another number of them than it states.
    SymbolCount {
        /// The stated number of symbols.
        stated: u8,
        /// Sum of the numbers of symbols of each length.
        counted: usize,
    },
    /// A table was to be made of more symbols than there are codes.
    TooManySymbols {
        /// Number of symbols.
        symbols: usize,
        /// Maximum number of them.
        most: usize,
    },
    /// A symbol has no bytes, or too many.
    SymbolLength {
        /// Number of the symbol.
        symbol: usize,
        /// Its length in bytes.
        length: usize,
        /// Maximum length in bytes.
        most: usize,
    },
    /// The symbols of the table are not in the order that the serialised form requires.
    SymbolOrder,
    /// An offset is smaller than the one before it, or beyond the end of the bytes.
    Offset {
        /// Number of the offset.
        number: usize,
    },
    /// There is not one offset more than there are strings.
    OffsetCount {
        /// Number of offsets needed.
        needed: usize,
        /// Number of offsets given.
        given: usize,
    },
    /// The results have more bytes than the type of the offsets can count.
    TooLong {
        /// Number of bits of an offset.
        bits: u32,
    },
    /// The destination is too short.
    Destination(DestinationError),
}

impl From<DestinationError> for ErrorKind {
    fn from(error: DestinationError) -> Self {
        Self::Destination(error)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UnexpectedEnd => f.write_str("the string ends after an escape code"),
            Self::WithinCode => f.write_str("the string ends within a code"),
            Self::Literal { code } => write!(f, "the code {code} after an escape code is no byte"),
            Self::UnknownCode { code } => {
                write!(f, "the table has no symbol for the code {code}")
            }
            Self::Truncated => f.write_str("the table ends before its last symbol"),
            Self::Version { version } => {
                write!(f, "unknown version {version} of a symbol table")
            }
            Self::ByteOrder => f.write_str("the table is not in little-endian byte order"),
            Self::SymbolCount { stated, counted } => write!(
                f,
                "the table states {stated} symbols, but its lengths add up to {counted}"
            ),
            Self::TooManySymbols { symbols, most } => {
                write!(f, "a table has up to {most} symbols, not {symbols}")
            }
            Self::SymbolLength {
                symbol,
                length,
                most,
            } => write!(
                f,
                "symbol {symbol} has {length} bytes; symbols have 1 to {most} bytes"
            ),
            Self::SymbolOrder => f.write_str(
                "only tables whose symbols are in the order of their lengths, 2 to 8 and then 1, have a serialised form",
            ),
            Self::Offset { number } => write!(
                f,
                "offset {number} is smaller than the one before it, or beyond the end of the bytes"
            ),
            Self::OffsetCount { needed, given } => write!(
                f,
                "the strings need {needed} offsets, but there is room for {given}"
            ),
            Self::TooLong { bits } => {
                write!(f, "the strings are too long for offsets of {bits} bits")
            }
            Self::Destination(error) => error.fmt(f),
        }
    }
}
