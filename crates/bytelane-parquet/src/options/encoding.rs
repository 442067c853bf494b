//! Encodings of columns.

use parquet::basic::Type;
use std::fmt;

/// Encoding of a column's values, applied before compression.
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Debug,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Encoding {
    /// Values one after the other.
    Plain,
    /// Each distinct value once, then the indices of the values; PLAIN if the dictionary would become too
    /// large.
    Dictionary,
    /// Byte 0 of every value, then byte 1, and so on: for values of a fixed width.
    ByteStreamSplit,
    /// Bit-packed differences of neighbours, for INT32 and INT64.
    DeltaBinaryPacked,
    /// Lengths first, then the strings: for BYTE_ARRAY.
    DeltaLengthByteArray,
    /// Length of the prefix shared with the previous string, then the rest of the string: for BYTE_ARRAY and
    /// FIXED_LEN_BYTE_ARRAY.
    DeltaByteArray,
    /// Runs of equal values and packed bits, for BOOLEAN.
    Rle,
    /// Decimal numbers as bit-packed integers, for FLOAT and DOUBLE; PLAIN for pages that it would not make
    /// smaller. This encoding is a preview in the format: [`is_preview`](Self::is_preview).
    Alp,
    /// Codes for frequent parts of strings, whose table is a page of its own, for BYTE_ARRAY; DELTA_LENGTH_BYTE_ARRAY if the codes would
    /// not be smaller than the strings. A preview, like ALP: the proposal
    /// ([parquet-format#531](https://github.com/apache/parquet-format/issues/531)) may still change.
    Fsst,
    /// Best of the other encodings for the [`Goal`](crate::Goal), chosen for each column of each row group.
    #[default]
    Auto,
}

impl Encoding {
    /// All encodings, in the order of their declaration.
    pub const ALL: &'static [Encoding] = &[
        Encoding::Plain,
        Encoding::Dictionary,
        Encoding::ByteStreamSplit,
        Encoding::DeltaBinaryPacked,
        Encoding::DeltaLengthByteArray,
        Encoding::DeltaByteArray,
        Encoding::Rle,
        Encoding::Alp,
        Encoding::Fsst,
        Encoding::Auto,
    ];

    /// Returns the name that [`FromStr`](std::str::FromStr) reads.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Plain => "plain",
            Encoding::Dictionary => "dictionary",
            Encoding::ByteStreamSplit => "byte_stream_split",
            Encoding::DeltaBinaryPacked => "delta_binary_packed",
            Encoding::DeltaLengthByteArray => "delta_length_byte_array",
            Encoding::DeltaByteArray => "delta_byte_array",
            Encoding::Rle => "rle",
            Encoding::Alp => "alp",
            Encoding::Fsst => "fsst",
            Encoding::Auto => "auto",
        }
    }

    /// Returns whether the format calls it a preview, which most readers do not support yet.
    /// [`Encoding::Auto`] considers it only if [`Encodings`](crate::Encodings) contain it.
    #[must_use]
    pub const fn is_preview(self) -> bool {
        matches!(self, Encoding::Alp | Encoding::Fsst)
    }

    /// Returns whether the format defines it for a physical type
    /// ([Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md)).
    #[must_use]
    pub fn exists_for(self, physical: Type) -> bool {
        use Type::{BOOLEAN, BYTE_ARRAY, DOUBLE, FIXED_LEN_BYTE_ARRAY, FLOAT, INT32, INT64};
        match self {
            Encoding::Plain | Encoding::Auto => true,
            Encoding::Dictionary => physical != BOOLEAN,
            Encoding::ByteStreamSplit => {
                matches!(
                    physical,
                    INT32 | INT64 | FLOAT | DOUBLE | FIXED_LEN_BYTE_ARRAY
                )
            }
            Encoding::DeltaBinaryPacked => matches!(physical, INT32 | INT64),
            Encoding::DeltaLengthByteArray | Encoding::Fsst => physical == BYTE_ARRAY,
            Encoding::DeltaByteArray => matches!(physical, BYTE_ARRAY | FIXED_LEN_BYTE_ARRAY),
            Encoding::Rle => physical == BOOLEAN,
            Encoding::Alp => matches!(physical, FLOAT | DOUBLE),
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
