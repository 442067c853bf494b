//! Defines values to compare columns with, and finds their places among the values of a column's
//! type.

use arrow_array::timezone::Tz;
use arrow_array::types::{Date32Type, IntervalMonthDayNanoType};
use arrow_buffer::i256;
use arrow_cast::parse::{
    Parser, parse_interval_month_day_nano, string_to_datetime, string_to_time_nanoseconds,
};
use arrow_schema::{DataType, TimeUnit};
use std::fmt;

const NANOSECONDS: u32 = 9;
const NANOSECONDS_PER_DAY: i128 = 86_400_000_000_000;

/// Value that a column is compared with.
///
/// Numbers of all types are compared exactly with columns of integers and decimals. A column of
/// floats is compared with the nearest float of its own type, as in DuckDB and Polars: 0.1 equals
/// the `f32` nearest to 0.1, whichever type of number it is given as.
///
/// A [`Text`](Self::Text) is also compared with binary columns, with dates, times and timestamps if
/// it can be parsed as one (`2024-12-31`, `2024-12-31T23:59:59.5`; without a time zone, it is in
/// UTC), with durations (`1 hour 30 minutes`), and with UUIDs if it is one (`57976607-d3f5-45ce-96aa-834df7f40ef0`).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Boolean.
    Boolean(bool),
    /// Integer.
    Integer(i128),
    /// Binary floating-point number.
    Float(f64),
    /// Decimal number: `digits / 10^scale`.
    Decimal {
        /// Digits as an integer.
        digits: i128,
        /// Number of digits after the decimal point.
        scale: i32,
    },
    /// Text.
    Text(String),
    /// Bytes.
    Binary(Vec<u8>),
    /// Days since 1970-01-01.
    Date(i32),
    /// Nanoseconds since midnight.
    Time(i64),
    /// Point in time, or a date with a time of day.
    Timestamp {
        /// Nanoseconds since 1970-01-01.
        nanoseconds: i128,
        /// True for a point in time in UTC, which is compared with columns that have a time zone;
        /// otherwise, it is compared with columns that have none.
        is_utc: bool,
    },
    /// Duration in nanoseconds.
    Duration(i128),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => write!(f, "the boolean {value}"),
            Self::Integer(value) => write!(f, "the integer {value}"),
            Self::Float(value) => write!(f, "the number {value}"),
            Self::Decimal { digits, scale } => {
                write!(f, "the number {digits}e{}", -i64::from(*scale))
            }
            Self::Text(value) => write!(f, "the text {value:?}"),
            Self::Binary(value) => write!(f, "{} bytes", value.len()),
            Self::Date(_) => write!(f, "a date"),
            Self::Time(_) => write!(f, "a time"),
            Self::Timestamp { is_utc: true, .. } => write!(f, "a timestamp with a time zone"),
            Self::Timestamp { is_utc: false, .. } => write!(f, "a timestamp without a time zone"),
            Self::Duration(_) => write!(f, "a duration"),
        }
    }
}

/// Place of a value among those of a type, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place<T> {
    /// Less than all values.
    Below,
    /// Equal to a value.
    At(T),
    /// Between a value and the next one.
    After(T),
    /// Between a value and the previous one.
    Before(T),
    /// Greater than all values.
    Above,
    /// Not a number.
    Unordered,
}

impl Place<i256> {
    /// Returns the place among integers of another type. Values that this type lacks are beyond all
    /// of its values.
    pub(super) fn narrow<T>(self, narrow: impl Fn(i256) -> Option<T>) -> Place<T> {
        let beyond = |value| {
            if value < i256::ZERO {
                Place::Below
            } else {
                Place::Above
            }
        };
        match self {
            Self::At(value) => narrow(value).map_or_else(|| beyond(value), Place::At),
            Self::After(value) => narrow(value).map_or_else(|| beyond(value), Place::After),
            Self::Before(value) => narrow(value).map_or_else(|| beyond(value), Place::Before),
            Self::Below => Place::Below,
            Self::Above => Place::Above,
            Self::Unordered => Place::Unordered,
        }
    }
}

impl Value {
    /// Returns the place among the integers that a type stores: numbers, multiples of its unit, or
    /// days. `None` if the type is not comparable with the value.
    pub(super) fn among_integers(&self, data_type: &DataType) -> Option<Place<i256>> {
        match data_type {
            DataType::Decimal32(_, scale)
            | DataType::Decimal64(_, scale)
            | DataType::Decimal128(_, scale)
            | DataType::Decimal256(_, scale) => self.number(i32::from(*scale)),
            DataType::Date32 => Some(days(self.nanoseconds(data_type)?)),
            DataType::Date64 => self.multiple(data_type, &TimeUnit::Millisecond),
            DataType::Timestamp(unit, _)
            | DataType::Time32(unit)
            | DataType::Time64(unit)
            | DataType::Duration(unit) => self.multiple(data_type, unit),
            data_type if data_type.is_integer() => self.number(0),
            _ => None,
        }
    }

    /// Returns the place of a number among multiples of `10^-scale`.
    fn number(&self, scale: i32) -> Option<Place<i256>> {
        match *self {
            Self::Integer(value) => Some(floor(value, -scale)),
            Self::Decimal { digits, scale: own } => Some(floor(digits, own.saturating_sub(scale))),
            Self::Float(value) if value.is_nan() => Some(Place::Unordered),
            Self::Float(value) if value.fract() == 0.0 && value.abs() < 1e38 => {
                Some(floor(value as i128, -scale))
            }
            Self::Float(value) => {
                // Shortest decimal number that parses as this float.
                let text = format!("{value:e}");
                let beyond = if value < 0.0 {
                    Place::Below
                } else {
                    Place::Above
                };
                Some(match parse_decimal(&text) {
                    Some((digits, own)) => floor(digits, own.saturating_sub(scale)),
                    None => beyond,
                })
            }
            _ => None,
        }
    }

    fn multiple(&self, data_type: &DataType, unit: &TimeUnit) -> Option<Place<i256>> {
        let digits = match unit {
            TimeUnit::Second => 0,
            TimeUnit::Millisecond => 3,
            TimeUnit::Microsecond => 6,
            TimeUnit::Nanosecond => NANOSECONDS,
        };
        Some(floor(
            self.nanoseconds(data_type)?,
            (NANOSECONDS - digits) as i32,
        ))
    }

    /// Returns the nanoseconds since the epoch of a type.
    pub(super) fn nanoseconds(&self, data_type: &DataType) -> Option<i128> {
        let is_date = matches!(data_type, DataType::Date32 | DataType::Date64);
        match (self, data_type) {
            (
                Self::Date(days),
                DataType::Date32 | DataType::Date64 | DataType::Timestamp(_, None),
            ) => Some(i128::from(*days) * NANOSECONDS_PER_DAY),
            (
                Self::Timestamp {
                    nanoseconds,
                    is_utc: false,
                },
                DataType::Timestamp(_, None),
            ) => Some(*nanoseconds),
            (
                Self::Timestamp {
                    nanoseconds,
                    is_utc: true,
                },
                DataType::Timestamp(_, Some(_)),
            ) => Some(*nanoseconds),
            (
                Self::Timestamp {
                    nanoseconds,
                    is_utc: false,
                },
                _,
            ) if is_date => Some(*nanoseconds),
            (Self::Time(nanoseconds), DataType::Time32(_) | DataType::Time64(_)) => {
                Some(i128::from(*nanoseconds))
            }
            (Self::Duration(nanoseconds), DataType::Duration(_)) => Some(*nanoseconds),
            (Self::Text(text), DataType::Time32(_) | DataType::Time64(_)) => {
                string_to_time_nanoseconds(text).ok().map(i128::from)
            }
            (Self::Text(text), DataType::Timestamp(..)) => timestamp(text),
            (Self::Text(text), DataType::Duration(_)) => duration(text),
            (Self::Text(text), _) if is_date => {
                let date =
                    Date32Type::parse(text).map(|days| i128::from(days) * NANOSECONDS_PER_DAY);
                date.filter(|_| text.len() <= "2024-12-31".len())
                    .or_else(|| timestamp(text))
            }
            _ => None,
        }
    }

    /// Returns the place among floats of a type, which `nearest` parses.
    pub(super) fn among_floats(&self, nearest: impl Fn(&str) -> Option<f64>) -> Option<Place<f64>> {
        let text = match self {
            Self::Integer(value) => value.to_string(),
            Self::Float(value) if value.is_nan() => return Some(Place::Unordered),
            Self::Float(value) if value.is_infinite() => return Some(Place::At(*value)),
            // The shortest decimal number that parses as this float is the one that users write.
            Self::Float(value) => format!("{value:e}"),
            Self::Decimal { digits, scale } => format!("{digits}e{}", -i64::from(*scale)),
            _ => return None,
        };
        let value = nearest(&text)?;
        Some(match value {
            // A finite number beyond the range of the type is less than infinity.
            f64::INFINITY => Place::Before(value),
            f64::NEG_INFINITY => Place::After(value),
            _ => Place::At(value),
        })
    }

    pub(super) fn as_boolean(&self) -> Option<Place<bool>> {
        match self {
            Self::Boolean(value) => Some(Place::At(*value)),
            _ => None,
        }
    }

    pub(super) fn as_text(&self) -> Option<Place<&str>> {
        match self {
            Self::Text(value) => Some(Place::At(value)),
            Self::Binary(value) => str::from_utf8(value).ok().map(Place::At),
            _ => None,
        }
    }

    pub(super) fn as_bytes(&self) -> Option<Place<&[u8]>> {
        match self {
            Self::Binary(value) => Some(Place::At(value)),
            Self::Text(value) => Some(Place::At(value.as_bytes())),
            _ => None,
        }
    }
}

/// Converts a place among nanoseconds to one among days.
fn days(nanoseconds: i128) -> Place<i256> {
    let day = i256::from_i128(nanoseconds.div_euclid(NANOSECONDS_PER_DAY));
    match nanoseconds.rem_euclid(NANOSECONDS_PER_DAY) {
        0 => Place::At(day),
        _ => Place::After(day),
    }
}

/// Parses a text as a timestamp; returns the nanoseconds since 1970.
fn timestamp(text: &str) -> Option<i128> {
    let utc: Tz = "+00:00".parse().ok()?;
    let time = string_to_datetime(&utc, text).ok()?;
    let nanoseconds = i128::from(time.timestamp_subsec_nanos());
    Some(i128::from(time.timestamp()) * 1_000_000_000 + nanoseconds)
}

/// Parses a duration such as `1 hour 30 minutes`; returns the nanoseconds. A day has 24 hours; months have no fixed length.
pub(super) fn duration(text: &str) -> Option<i128> {
    let interval = parse_interval_month_day_nano(text).ok()?;
    let (months, days, nanoseconds) = IntervalMonthDayNanoType::to_parts(interval);
    (months == 0).then(|| i128::from(days) * NANOSECONDS_PER_DAY + i128::from(nanoseconds))
}

/// Returns the place of `digits / 10^dropped` among integers.
fn floor(digits: i128, dropped: i32) -> Place<i256> {
    let digits = i256::from_i128(digits);
    let is_negative = digits < i256::ZERO;
    let power = i256::from_i128(10).checked_pow(dropped.unsigned_abs());
    if dropped <= 0 {
        let product = power.and_then(|power| digits.checked_mul(power));
        return match (product, is_negative) {
            _ if digits == i256::ZERO => Place::At(digits),
            (Some(product), _) => Place::At(product),
            (None, true) => Place::Below,
            (None, false) => Place::Above,
        };
    }
    let (quotient, remainder) = match power {
        Some(power) => (digits.wrapping_div(power), digits.wrapping_rem(power)),
        None => (i256::ZERO, digits),
    };
    match (remainder == i256::ZERO, is_negative) {
        (true, _) => Place::At(quotient),
        (false, false) => Place::After(quotient),
        (false, true) => Place::After(quotient.wrapping_sub(i256::ONE)),
    }
}

/// Parses a decimal number, with or without an exponent; returns its digits and how many of them
/// follow the decimal point. `None` if it is not a number, or has more digits than an `i128`.
pub(super) fn parse_decimal(text: &str) -> Option<(i128, i32)> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (integer, fraction) = number.split_once('.').unwrap_or((number, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = format!("{integer}{fraction}").parse().ok()?;
    let scale = i32::try_from(fraction.len()).ok()?;
    Some((digits, scale.checked_sub(exponent)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(value: i128) -> Place<i256> {
        Place::At(i256::from_i128(value))
    }

    fn after(value: i128) -> Place<i256> {
        Place::After(i256::from_i128(value))
    }

    #[test]
    fn numbers_have_exact_places() {
        let decimal = |text: &str| {
            let (digits, scale) = parse_decimal(text).unwrap();
            Value::Decimal { digits, scale }
        };
        let int = DataType::Int32;
        let cents = DataType::Decimal128(9, 2);
        let thousands = DataType::Decimal128(9, -3);
        for (value, data_type, place) in [
            (Value::Integer(7), &int, at(7)),
            (decimal("7.0"), &int, at(7)),
            (decimal("7.5"), &int, after(7)),
            (decimal("-7.5"), &int, after(-8)),
            (decimal("75e-1"), &int, after(7)),
            (decimal("0.75e3"), &int, at(750)),
            (decimal("1e-400"), &int, after(0)),
            (decimal("-1e-400"), &int, after(-1)),
            (decimal("0e400"), &int, at(0)),
            (decimal("1e400"), &int, Place::Above),
            (decimal("-1e400"), &int, Place::Below),
            (Value::Float(0.1), &cents, at(10)),
            (Value::Float(0.125), &cents, after(12)),
            (Value::Float(-0.125), &cents, after(-13)),
            (Value::Float(1152921504606846976.0), &int, at(1 << 60)),
            (Value::Float(1e300), &int, Place::Above),
            (Value::Float(f64::NEG_INFINITY), &int, Place::Below),
            (Value::Float(f64::NAN), &int, Place::Unordered),
            (Value::Integer(1), &cents, at(100)),
            (Value::Integer(2000), &thousands, at(2)),
            (Value::Integer(-2001), &thousands, after(-3)),
        ] {
            assert_eq!(value.among_integers(data_type), Some(place), "{value}");
        }
        assert_eq!(Value::Text("7".into()).among_integers(&int), None);
    }

    #[test]
    fn times_have_exact_places() {
        let text = |text: &str| Value::Text(text.into());
        let day = DataType::Date32;
        let second = DataType::Timestamp(TimeUnit::Second, None);
        let zoned = DataType::Timestamp(TimeUnit::Millisecond, Some("Europe/Berlin".into()));
        let time = DataType::Time32(TimeUnit::Second);
        for (value, data_type, place) in [
            (text("1970-01-03"), &day, at(2)),
            (text("1970-01-03T00:00:00"), &day, at(2)),
            (text("1969-12-31 12:00:00"), &day, after(-1)),
            (text("1970-01-01"), &second, at(0)),
            (text("1970-01-01 00:00:01.5"), &second, after(1)),
            (text("1970-01-01T02:00:00+02:00"), &zoned, at(0)),
            (Value::Date(1), &second, at(86_400)),
            (
                Value::Timestamp {
                    nanoseconds: 1_500_000,
                    is_utc: true,
                },
                &zoned,
                after(1),
            ),
            (text("00:01:00"), &time, at(60)),
            (Value::Time(1), &time, after(0)),
        ] {
            assert_eq!(
                value.among_integers(data_type),
                Some(place),
                "{value} {data_type}"
            );
        }
        let naive = Value::Timestamp {
            nanoseconds: 0,
            is_utc: false,
        };
        for (value, data_type) in [
            (naive, &zoned),
            (text("yesterday"), &day),
            (text("7"), &second),
        ] {
            assert_eq!(value.among_integers(data_type), None, "{value}");
        }
    }
}
