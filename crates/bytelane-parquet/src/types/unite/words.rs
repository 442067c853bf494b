//! Describes types in pyarrow's words.

use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};

/// Returns the type of a field in pyarrow's words, for messages: `duration[s]`,
/// `dictionary<values=string, indices=int8, ordered=0>`.
#[must_use]
pub fn words(field: &Field) -> String {
    let stored = of_type(field.data_type(), super::is_ordered(field));
    if let Some(categories) = super::categories(field) {
        let shown: Vec<String> = categories.iter().take(5).cloned().collect();
        let more = if categories.len() > shown.len() {
            ", .."
        } else {
            ""
        };
        return format!("an Enum of [{}{more}]", shown.join(", "));
    }
    match field.extension_type_name() {
        None => stored,
        Some(name) => {
            let parameters = field.extension_type_metadata().unwrap_or_default();
            let space = if parameters.is_empty() { "" } else { " " };
            format!("extension<{name}{space}{parameters}, storage={stored}>")
        }
    }
}

fn of_type(data_type: &DataType, is_ordered: bool) -> String {
    let list = |kind: &str, item: &Field| format!("{kind}<{}>", member(item));
    match data_type {
        DataType::Boolean => "bool".to_owned(),
        DataType::Float16 => "halffloat".to_owned(),
        DataType::Float32 => "float".to_owned(),
        DataType::Float64 => "double".to_owned(),
        DataType::Utf8 => "string".to_owned(),
        DataType::LargeUtf8 => "large_string".to_owned(),
        DataType::Utf8View => "string_view".to_owned(),
        DataType::Binary => "binary".to_owned(),
        DataType::LargeBinary => "large_binary".to_owned(),
        DataType::BinaryView => "binary_view".to_owned(),
        DataType::FixedSizeBinary(width) => format!("fixed_size_binary[{width}]"),
        DataType::Date32 => "date32[day]".to_owned(),
        DataType::Date64 => "date64[ms]".to_owned(),
        DataType::Time32(unit) => format!("time32[{}]", unit_name(*unit)),
        DataType::Time64(unit) => format!("time64[{}]", unit_name(*unit)),
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", unit_name(*unit)),
        DataType::Timestamp(unit, Some(zone)) => {
            format!("timestamp[{}, tz={zone}]", unit_name(*unit))
        }
        DataType::Duration(unit) => format!("duration[{}]", unit_name(*unit)),
        DataType::Interval(IntervalUnit::YearMonth) => "month_interval".to_owned(),
        DataType::Interval(IntervalUnit::DayTime) => "day_time_interval".to_owned(),
        DataType::Interval(IntervalUnit::MonthDayNano) => "month_day_nano_interval".to_owned(),
        DataType::Decimal32(digits, scale) => format!("decimal32({digits}, {scale})"),
        DataType::Decimal64(digits, scale) => format!("decimal64({digits}, {scale})"),
        DataType::Decimal128(digits, scale) => format!("decimal128({digits}, {scale})"),
        DataType::Decimal256(digits, scale) => format!("decimal256({digits}, {scale})"),
        DataType::Dictionary(keys, values) => format!(
            "dictionary<values={}, indices={}, ordered={}>",
            of_type(values, false),
            of_type(keys, false),
            u8::from(is_ordered)
        ),
        DataType::List(item) => list("list", item),
        DataType::LargeList(item) => list("large_list", item),
        DataType::ListView(item) => list("list_view", item),
        DataType::LargeListView(item) => list("large_list_view", item),
        DataType::FixedSizeList(item, size) => format!("{}[{size}]", list("fixed_size_list", item)),
        DataType::Struct(members) => {
            let members: Vec<String> = members.iter().map(|it| member(it)).collect();
            format!("struct<{}>", members.join(", "))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(members) => {
                let types: Vec<String> = members.iter().map(|it| words(it)).collect();
                format!("map<{}>", types.join(", "))
            }
            other => format!("map<{}>", of_type(other, false)),
        },
        DataType::RunEndEncoded(ends, values) => format!(
            "run_end_encoded<run_ends: {}, values: {}>",
            words(ends),
            words(values)
        ),
        // The names of all other types are the same in lower case.
        other => other.to_string().to_lowercase(),
    }
}

fn member(field: &Field) -> String {
    let required = if field.is_nullable() { "" } else { " not null" };
    format!("{}: {}{required}", field.name(), words(field))
}

fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}
