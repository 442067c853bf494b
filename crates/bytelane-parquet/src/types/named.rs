//! Reads the names of types, in the words of pyarrow.

use crate::{Problem, Result};
use arrow_schema::{DataType, TimeUnit};

/// Returns the type with a name of pyarrow, in lower or upper case: `int64`, `double`, `string`, `date32`,
/// `timestamp[us, tz=UTC]`, `decimal128(10, 2)`. The names of Arrow and SQL are known, too: `float64`, `utf8`, `date`,
/// `decimal(10, 2)`, and `timestamp` is one of microseconds.
///
/// ```
/// use bytelane_parquet::arrow_schema::{DataType, TimeUnit};
/// use bytelane_parquet::types::named::type_of;
///
/// assert_eq!(type_of("INT64")?, DataType::Int64);
/// let zoned = DataType::Timestamp(TimeUnit::Millisecond, Some("Europe/Berlin".into()));
/// assert_eq!(type_of("timestamp[ms, tz=Europe/Berlin]")?, zoned);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
///
/// # Errors
///
/// [`Problem::Option`] if there is no such type, or it has other types within it.
pub fn type_of(text: &str) -> Result<DataType> {
    let unknown = || {
        let problem = format!(
            "there is no type {text:?}; name one as in int64, double, string, date32, timestamp[us], decimal128(10, 2)"
        );
        Problem::Option(problem).into()
    };
    let text = text.trim();
    let (name, arguments) = match text.find(['[', '(']) {
        None => (text, None),
        Some(at) => {
            let arguments = text[at + 1..].strip_suffix([']', ')']);
            (&text[..at], Some(arguments.ok_or_else(unknown)?))
        }
    };
    let name = name.trim().to_ascii_lowercase();
    let arguments = arguments.map(|it| it.split(',').map(str::trim).collect::<Vec<_>>());
    match arguments.as_deref() {
        None => plain(&name),
        Some(arguments) => with_arguments(&name, arguments),
    }
    .ok_or_else(unknown)
}

fn plain(name: &str) -> Option<DataType> {
    Some(match name {
        "bool" | "boolean" => DataType::Boolean,
        "int8" => DataType::Int8,
        "int16" => DataType::Int16,
        "int32" | "int" => DataType::Int32,
        "int64" | "bigint" => DataType::Int64,
        "uint8" => DataType::UInt8,
        "uint16" => DataType::UInt16,
        "uint32" => DataType::UInt32,
        "uint64" => DataType::UInt64,
        "halffloat" | "float16" => DataType::Float16,
        "float" | "float32" => DataType::Float32,
        "double" | "float64" => DataType::Float64,
        "string" | "utf8" => DataType::Utf8,
        "large_string" | "large_utf8" => DataType::LargeUtf8,
        "binary" => DataType::Binary,
        "large_binary" => DataType::LargeBinary,
        "date" | "date32" => DataType::Date32,
        "date64" => DataType::Date64,
        "timestamp" => DataType::Timestamp(TimeUnit::Microsecond, None),
        _ => return None,
    })
}

fn with_arguments(name: &str, arguments: &[&str]) -> Option<DataType> {
    Some(match (name, arguments) {
        ("timestamp", [unit]) => DataType::Timestamp(unit_of(unit)?, None),
        ("timestamp", [unit, zone]) => {
            let zone = zone.strip_prefix("tz=").unwrap_or(zone);
            DataType::Timestamp(unit_of(unit)?, Some(zone.into()))
        }
        ("time32", ["s"]) => DataType::Time32(TimeUnit::Second),
        ("time32", ["ms"]) => DataType::Time32(TimeUnit::Millisecond),
        ("time64", ["us"]) => DataType::Time64(TimeUnit::Microsecond),
        ("time64", ["ns"]) => DataType::Time64(TimeUnit::Nanosecond),
        ("duration", [unit]) => DataType::Duration(unit_of(unit)?),
        ("date32", ["day"]) => DataType::Date32,
        ("date64", ["ms"]) => DataType::Date64,
        ("decimal" | "decimal128", [digits, scale]) => {
            let (digits, scale) = (digits.parse::<u8>().ok()?, scale.parse::<i8>().ok()?);
            let is_one = (1..=38).contains(&digits) && (0..=digits.cast_signed()).contains(&scale);
            is_one.then_some(DataType::Decimal128(digits, scale))?
        }
        ("decimal256", [digits, scale]) => {
            let (digits, scale) = (digits.parse::<u8>().ok()?, scale.parse::<i8>().ok()?);
            let is_one = (1..=76).contains(&digits) && (0..=digits.cast_signed()).contains(&scale);
            is_one.then_some(DataType::Decimal256(digits, scale))?
        }
        ("fixed_size_binary", [width]) => DataType::FixedSizeBinary(width.parse().ok()?),
        _ => return None,
    })
}

fn unit_of(name: &str) -> Option<TimeUnit> {
    Some(match name {
        "s" => TimeUnit::Second,
        "ms" => TimeUnit::Millisecond,
        "us" => TimeUnit::Microsecond,
        "ns" => TimeUnit::Nanosecond,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::unite::words;
    use arrow_schema::Field;

    #[test]
    fn the_words_of_a_type_name_it() {
        let units = ["s", "ms", "us", "ns"];
        let of_units = units.into_iter().flat_map(|unit| {
            [
                format!("timestamp[{unit}]"),
                format!("timestamp[{unit}, tz=UTC]"),
                format!("duration[{unit}]"),
            ]
        });
        let names = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 halffloat float double string large_string \
                     binary large_binary date32[day] date64[ms] time32[s] time32[ms] time64[us] time64[ns] \
                     fixed_size_binary[16]";
        let decimals = ["decimal128(10, 2)", "decimal256(50, 0)"].map(str::to_owned);
        let names = names.split_whitespace().map(str::to_owned);
        for name in names.chain(of_units).chain(decimals) {
            let data_type = type_of(&name).unwrap();
            assert_eq!(words(&Field::new("", data_type.clone(), true)), name);
            assert_eq!(type_of(&format!(" {name} ")).unwrap(), data_type);
        }
        for name in [
            "",
            "text",
            "decimal(39, 2)",
            "decimal(3, 4)",
            "timestamp[h]",
            "list<int32>",
            "time32[us]",
            "int64)",
        ] {
            assert!(type_of(name).is_err(), "{name}");
        }
        assert_eq!(type_of("DECIMAL(3,1)").unwrap(), DataType::Decimal128(3, 1));
    }
}
