//! Unites types that are not nested.

use arrow_schema::{DataType, TimeUnit};

/// Returns a type for the values of both types without loss; `None` if there is none.
pub(super) fn scalar(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType::{
        Binary, BinaryView, Date32, Date64, Duration, LargeBinary, LargeUtf8, Time32, Time64,
        Timestamp, Utf8, Utf8View,
    };
    if one.equals_datatype(other) {
        return Some(one.clone());
    }
    if let Some(number) = integers(one, other).or_else(|| floats(one, other)) {
        return Some(number);
    }
    Some(match (one, other) {
        (Date32, Date64) | (Date64, Date32) => Date64,
        (Time32(unit) | Time64(unit), Time32(other) | Time64(other)) => time(finer(*unit, *other)),
        (Timestamp(unit, zone), Timestamp(other, other_zone)) if zone == other_zone => {
            Timestamp(finer(*unit, *other), zone.clone())
        }
        (Duration(unit), Duration(other)) => Duration(finer(*unit, *other)),
        (LargeUtf8, Utf8 | Utf8View) | (Utf8 | Utf8View, LargeUtf8) => LargeUtf8,
        (Utf8, Utf8View) | (Utf8View, Utf8) => Utf8View,
        (LargeBinary, Binary | BinaryView) | (Binary | BinaryView, LargeBinary) => LargeBinary,
        (Binary, BinaryView) | (BinaryView, Binary) => BinaryView,
        _ => return decimals(one, other),
    })
}

/// Returns whether a type consists of strings or bytes.
pub(super) fn is_text(data_type: &DataType) -> bool {
    data_type.is_string() || data_type.is_binary()
}

/// Returns whether Parquet stores the same values for both types, if their physical types are the same.
pub(super) fn is_stored_alike(of: &DataType, united: &DataType) -> bool {
    use DataType::{Date32, Date64, Time32, Timestamp};
    // Seconds are stored as milliseconds.
    let stored = |unit: &TimeUnit| match unit {
        TimeUnit::Second => TimeUnit::Millisecond,
        other => *other,
    };
    if of.equals_datatype(united) {
        return true;
    }
    if let (Some((bits, signed)), Some((other_bits, other_signed))) = (integer(of), integer(united))
    {
        // 32-bit values are the same in INT32, except that unsigned ones of all bits wrap.
        let fits = bits <= other_bits && (signed == other_signed || bits < 32);
        return fits && other_bits <= 32;
    }
    match (of, united) {
        (Date32, Date64) => true,
        (Time32(unit), Time32(other)) => stored(unit) == stored(other),
        (Timestamp(unit, _), Timestamp(other, _)) => stored(unit) == stored(other),
        (one, other) if is_text(one) && is_text(other) => true,
        (one, other) => decimal(one).is_some() && decimal(other).is_some(),
    }
}

/// Returns the number of bits of an integer, and whether it is signed.
fn integer(data_type: &DataType) -> Option<(u32, bool)> {
    let bits = u32::try_from(data_type.primitive_width()?).ok()? * 8;
    (data_type.is_integer()).then(|| (bits, data_type.is_signed_integer()))
}

fn integer_of(bits: u32, signed: bool) -> Option<DataType> {
    Some(match (bits, signed) {
        (8, true) => DataType::Int8,
        (16, true) => DataType::Int16,
        (32, true) => DataType::Int32,
        (64, true) => DataType::Int64,
        (8, false) => DataType::UInt8,
        (16, false) => DataType::UInt16,
        (32, false) => DataType::UInt32,
        (64, false) => DataType::UInt64,
        _ => return None,
    })
}

fn integers(one: &DataType, other: &DataType) -> Option<DataType> {
    let ((bits, signed), (other_bits, other_signed)) = (integer(one)?, integer(other)?);
    if signed == other_signed {
        return integer_of(bits.max(other_bits), signed);
    }
    let (signed_bits, unsigned_bits) = if signed {
        (bits, other_bits)
    } else {
        (other_bits, bits)
    };
    integer_of(signed_bits.max(2 * unsigned_bits), true)
}

fn floats(one: &DataType, other: &DataType) -> Option<DataType> {
    let is_float = |it: &DataType| it.is_floating();
    let wider = one.primitive_width()? >= other.primitive_width()?;
    (is_float(one) && is_float(other)).then(|| if wider { one } else { other }.clone())
}

fn finer(one: TimeUnit, other: TimeUnit) -> TimeUnit {
    let rank = |unit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    };
    if rank(one) >= rank(other) { one } else { other }
}

fn time(unit: TimeUnit) -> DataType {
    match unit {
        TimeUnit::Second | TimeUnit::Millisecond => DataType::Time32(unit),
        TimeUnit::Microsecond | TimeUnit::Nanosecond => DataType::Time64(unit),
    }
}

/// Returns width in bits, precision and scale.
fn decimal(data_type: &DataType) -> Option<(u16, u8, i8)> {
    Some(match data_type {
        DataType::Decimal32(precision, scale) => (32, *precision, *scale),
        DataType::Decimal64(precision, scale) => (64, *precision, *scale),
        DataType::Decimal128(precision, scale) => (128, *precision, *scale),
        DataType::Decimal256(precision, scale) => (256, *precision, *scale),
        _ => return None,
    })
}

fn decimals(one: &DataType, other: &DataType) -> Option<DataType> {
    let ((bits, digits, scale), (other_bits, other_digits, other_scale)) =
        (decimal(one)?, decimal(other)?);
    let digits = digits.max(other_digits);
    (scale == other_scale).then(|| match bits.max(other_bits) {
        32 => DataType::Decimal32(digits, scale),
        64 => DataType::Decimal64(digits, scale),
        128 => DataType::Decimal128(digits, scale),
        _ => DataType::Decimal256(digits, scale),
    })
}

/// Returns keys for the indices of both dictionaries. No index exceeds 63 bits.
pub(super) fn keys(one: &DataType, other: &DataType) -> Option<DataType> {
    if !one.is_integer() || !other.is_integer() {
        return None;
    }
    Some(integers(one, other).unwrap_or(DataType::Int64))
}

/// Returns keys for this many entries: these, or the next wider ones of the same sign that suffice.
pub fn wide_enough(keys: &DataType, entries: usize) -> DataType {
    let Some((bits, signed)) = integer(keys) else {
        return keys.clone();
    };
    let suffices = |bits: &u32| {
        let used = *bits - u32::from(signed);
        entries as u128 <= 1_u128 << used
    };
    let mut all = [8, 16, 32, 64].into_iter().filter(|it| *it >= bits);
    let wider = all.find(suffices);
    wider
        .and_then(|bits| integer_of(bits, signed))
        .unwrap_or_else(|| keys.clone())
}
