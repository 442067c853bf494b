//! Compares bounds in the form in which statistics and indexes store them.

use half::f16;
use parquet::basic::{ColumnOrder, LogicalType, SortOrder, Type};
use parquet::schema::types::ColumnDescriptor;
use std::cmp::Ordering;

/// Order of the values in an index.
#[derive(Clone, Copy, Debug)]
pub enum Compare {
    /// Little-endian numbers.
    Signed,
    Unsigned,
    /// IEEE 754 total order. It matches the format's order except for zeros and NaN, where it makes bounds
    /// wider.
    Float,
    Half,
    /// Big-endian two's complement, of any length.
    Decimal,
    /// Byte by byte, unsigned.
    Bytes,
}

impl Compare {
    /// Returns the order of a column, or `None` if it is not known here.
    pub fn of(column: &ColumnDescriptor, order: ColumnOrder) -> Option<Self> {
        if order == ColumnOrder::UNKNOWN {
            return None;
        }
        Some(match (column.physical_type(), column.sort_order()) {
            (Type::FLOAT | Type::DOUBLE, _) => Self::Float,
            _ if column.logical_type_ref() == Some(&LogicalType::Float16) => Self::Half,
            (Type::BOOLEAN, _) => Self::Unsigned,
            (Type::INT32 | Type::INT64, SortOrder::SIGNED) => Self::Signed,
            (Type::INT32 | Type::INT64, SortOrder::UNSIGNED) => Self::Unsigned,
            (Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY, SortOrder::SIGNED) => Self::Decimal,
            (Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY, SortOrder::UNSIGNED) => Self::Bytes,
            _ => return None,
        })
    }

    pub fn values(self, one: &[u8], other: &[u8]) -> Ordering {
        let unsigned = |bytes: &[u8]| little_endian(bytes, 0);
        match self {
            Self::Signed => signed(one).cmp(&signed(other)),
            Self::Unsigned => unsigned(one).cmp(&unsigned(other)),
            Self::Float => float(one).total_cmp(&float(other)),
            Self::Half => half(one).total_cmp(&half(other)),
            Self::Decimal => {
                let width = one.len().max(other.len());
                extended(one, width).cmp(&extended(other, width))
            }
            Self::Bytes => one.cmp(other),
        }
    }
}

/// Reads a number of up to 8 bytes. Missing bytes are `fill`.
fn little_endian(bytes: &[u8], fill: u8) -> u64 {
    let mut number = [fill; 8];
    let length = bytes.len().min(8);
    number[..length].copy_from_slice(&bytes[..length]);
    u64::from_le_bytes(number)
}

fn signed(bytes: &[u8]) -> i64 {
    let is_negative = bytes.last().is_some_and(|last| *last >= 0x80);
    little_endian(bytes, if is_negative { 0xff } else { 0 }).cast_signed()
}

fn float(bytes: &[u8]) -> f64 {
    match *bytes {
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]).into(),
        _ => f64::from_bits(little_endian(bytes, 0)),
    }
}

fn half(bytes: &[u8]) -> f16 {
    bytes
        .first_chunk()
        .map_or(f16::NAN, |it| f16::from_le_bytes(*it))
}

/// Extends a decimal to `width` bytes and flips its sign bit, so that it has the order of unsigned bytes.
fn extended(bytes: &[u8], width: usize) -> Vec<u8> {
    let is_negative = bytes.first().is_some_and(|first| *first >= 0x80);
    let mut extended = vec![if is_negative { 0xff } else { 0 }; width - bytes.len()];
    extended.extend_from_slice(bytes);
    if let Some(first) = extended.first_mut() {
        *first ^= 0x80;
    }
    extended
}
