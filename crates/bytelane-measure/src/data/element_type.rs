//! Types of values, and their bytes.

use super::UnknownName;
use std::fmt;
use std::str::FromStr;

/// Type of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// Unsigned, 1 byte; also the bytes of text and of binary data.
    U8,
    /// Signed, 1 byte.
    I8,
    /// Unsigned, 2 bytes.
    U16,
    /// Signed, 2 bytes.
    I16,
    /// Unsigned, 4 bytes.
    U32,
    /// Signed, 4 bytes.
    I32,
    /// Unsigned, 8 bytes.
    U64,
    /// Signed, 8 bytes.
    I64,
    /// IEEE half precision, 2 bytes.
    F16,
    /// IEEE single precision, 4 bytes.
    F32,
    /// IEEE double precision, 8 bytes.
    F64,
    /// A fixed number of bytes: an integer in two's complement, most significant byte first, as
    /// Parquet stores decimals.
    Fixed(u8),
}

pub(super) const NAMED_TYPES: [(&str, ElementType); 11] = [
    ("u8", ElementType::U8),
    ("i8", ElementType::I8),
    ("u16", ElementType::U16),
    ("i16", ElementType::I16),
    ("u32", ElementType::U32),
    ("i32", ElementType::I32),
    ("u64", ElementType::U64),
    ("i64", ElementType::I64),
    ("f16", ElementType::F16),
    ("f32", ElementType::F32),
    ("f64", ElementType::F64),
];

/// Largest integer that is a half-precision float.
const MOST_F16: i64 = 65_504;

impl ElementType {
    /// Returns the number of bytes in a value.
    #[must_use]
    pub fn width(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
            Self::Fixed(width) => usize::from(width),
        }
    }

    pub(super) fn push_integer(self, value: i64, bytes: &mut Vec<u8>) {
        match self {
            Self::F16 => {
                let value = (value % (MOST_F16 + 1)) as f64;
                bytes.extend(half::f16::from_f64(value).to_le_bytes());
            }
            Self::F32 => bytes.extend((value as f32).to_le_bytes()),
            Self::F64 => bytes.extend((value as f64).to_le_bytes()),
            Self::Fixed(width) => {
                let (width, digits) = (usize::from(width), value.to_be_bytes());
                let sign = if value < 0 { 0xff } else { 0 };
                bytes.extend(std::iter::repeat_n(
                    sign,
                    width.saturating_sub(digits.len()),
                ));
                bytes.extend(&digits[digits.len().saturating_sub(width)..]);
            }
            // Two's complement: the low bytes are the value modulo the type's range.
            integer => bytes.extend(&value.to_le_bytes()[..integer.width()]),
        }
    }

    pub(super) fn push_real(self, value: f64, bytes: &mut Vec<u8>) {
        match self {
            Self::F16 => bytes.extend(half::f16::from_f64(value).to_le_bytes()),
            Self::F32 => bytes.extend((value as f32).to_le_bytes()),
            Self::F64 => bytes.extend(value.to_le_bytes()),
            // Fixed-point with three digits.
            integer => integer.push_integer((value * 1000.0).round() as i64, bytes),
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Fixed(width) = self {
            return write!(formatter, "fixed{width}");
        }
        let name = NAMED_TYPES
            .iter()
            .find(|(_, element)| element == self)
            .map_or("", |row| row.0);
        formatter.pad(name)
    }
}

impl FromStr for ElementType {
    type Err = UnknownName;

    /// Parses `u8`, `i8`, .. `f64`, or `fixedN` with N from 1 to 255.
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let named = NAMED_TYPES
            .iter()
            .find(|row| row.0 == name)
            .map(|row| row.1);
        let fixed = || {
            let width = name.strip_prefix("fixed")?.parse().ok()?;
            (width > 0).then_some(Self::Fixed(width))
        };
        named.or_else(fixed).ok_or_else(|| {
            let mut known: Vec<&str> = NAMED_TYPES.iter().map(|row| row.0).collect();
            known.push("fixedN (N bytes)");
            UnknownName {
                kind: "element type",
                name: name.to_owned(),
                known,
            }
        })
    }
}
