//! Names of Arrow types, in pyarrow's words.

use arrow_schema::{DataType, Field, Fields, IntervalUnit, TimeUnit, UnionMode};

/// Returns the name of a field's type, as pyarrow shows it.
pub fn type_name(field: &Field) -> String {
    match field.extension_type_name() {
        Some(name @ ("arrow.uuid" | "arrow.json" | "arrow.bool8")) => format!("extension<{name}>"),
        _ => data_type_name(field.data_type()),
    }
}

fn data_type_name(data_type: &DataType) -> String {
    let plain = match data_type {
        DataType::Null => "null",
        DataType::Boolean => "bool",
        DataType::Int8 => "int8",
        DataType::Int16 => "int16",
        DataType::Int32 => "int32",
        DataType::Int64 => "int64",
        DataType::UInt8 => "uint8",
        DataType::UInt16 => "uint16",
        DataType::UInt32 => "uint32",
        DataType::UInt64 => "uint64",
        DataType::Float16 => "halffloat",
        DataType::Float32 => "float",
        DataType::Float64 => "double",
        DataType::Date32 => "date32[day]",
        DataType::Date64 => "date64[ms]",
        DataType::Utf8 => "string",
        DataType::LargeUtf8 => "large_string",
        DataType::Utf8View => "string_view",
        DataType::Binary => "binary",
        DataType::LargeBinary => "large_binary",
        DataType::BinaryView => "binary_view",
        DataType::Interval(IntervalUnit::MonthDayNano) => "month_day_nano_interval",
        DataType::Interval(IntervalUnit::DayTime) => "day_time_interval",
        DataType::Interval(IntervalUnit::YearMonth) => "month_interval",
        _ => return parametric(data_type),
    };
    plain.to_owned()
}

/// Returns the name of a type that has parameters.
fn parametric(data_type: &DataType) -> String {
    match data_type {
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", unit_name(unit)),
        DataType::Timestamp(unit, Some(zone)) => {
            format!("timestamp[{}, tz={zone}]", unit_name(unit))
        }
        DataType::Time32(unit) => format!("time32[{}]", unit_name(unit)),
        DataType::Time64(unit) => format!("time64[{}]", unit_name(unit)),
        DataType::Duration(unit) => format!("duration[{}]", unit_name(unit)),
        DataType::FixedSizeBinary(width) => format!("fixed_size_binary[{width}]"),
        DataType::Decimal32(digits, scale) => format!("decimal32({digits}, {scale})"),
        DataType::Decimal64(digits, scale) => format!("decimal64({digits}, {scale})"),
        DataType::Decimal128(digits, scale) => format!("decimal128({digits}, {scale})"),
        DataType::Decimal256(digits, scale) => format!("decimal256({digits}, {scale})"),
        DataType::List(item) => format!("list<{}>", member(item)),
        DataType::LargeList(item) => format!("large_list<{}>", member(item)),
        DataType::ListView(item) => format!("list_view<{}>", member(item)),
        DataType::LargeListView(item) => format!("large_list_view<{}>", member(item)),
        DataType::FixedSizeList(item, length) => {
            format!("fixed_size_list<{}>[{length}]", member(item))
        }
        DataType::Struct(fields) => format!("struct<{}>", members(fields)),
        DataType::Map(entries, sorted) => {
            let [key, value] = match entries.data_type() {
                DataType::Struct(fields) if fields.len() == 2 => {
                    [&fields[0], &fields[1]].map(|field| type_name(field))
                }
                other => [data_type_name(other), String::new()],
            };
            let sorted = if *sorted { ", keys_sorted" } else { "" };
            format!("map<{key}, {value}{sorted}>")
        }
        DataType::Dictionary(keys, values) => format!(
            "dictionary<values={}, indices={}, ordered=0>",
            data_type_name(values),
            data_type_name(keys)
        ),
        DataType::RunEndEncoded(ends, values) => format!(
            "run_end_encoded<run_ends: {}, values: {}>",
            type_name(ends),
            type_name(values)
        ),
        DataType::Union(fields, mode) => {
            let mode = match mode {
                UnionMode::Dense => "dense",
                UnionMode::Sparse => "sparse",
            };
            let fields = fields.iter();
            let fields = fields.map(|(id, field)| format!("{}={id}", member(field)));
            format!("{mode}_union<{}>", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns the name and the type of a field in another one.
fn member(field: &Field) -> String {
    let required = if field.is_nullable() { "" } else { " not null" };
    format!("{}: {}{required}", field.name(), type_name(field))
}

fn members(fields: &Fields) -> String {
    let fields = fields.iter().map(|field| member(field));
    fields.collect::<Vec<_>>().join(", ")
}

fn unit_name(unit: &TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}
