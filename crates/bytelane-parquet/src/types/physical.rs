//! Converts values between Arrow and the form that Parquet stores, for flat columns of a fixed width.
//!
//! Most types have the same bytes in both. Small integers are widened, and FIXED_LEN_BYTE_ARRAY values have
//! their own byte order in Parquet.

use crate::types::extension::with_logical_types;
use crate::{Error, Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Int8Type, Int16Type, Int32Type,
    IntervalDayTimeType, IntervalYearMonthType, UInt8Type, UInt16Type,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, DictionaryArray, FixedSizeBinaryArray, PrimitiveArray,
    UInt64Array, downcast_integer, downcast_primitive,
};
use arrow_buffer::{
    ArrowNativeType, Buffer, IntervalDayTime, IntervalMonthDayNano, NullBuffer, i256,
};
use arrow_schema::{DataType, IntervalUnit, Schema, TimeUnit};
use arrow_select::take::take;
use parquet::arrow::ArrowSchemaConverter;
use parquet::basic::Type;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, TypePtr};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// Returns the columns of a file with this Arrow schema.
pub fn in_parquet(schema: &Schema) -> Result<SchemaDescriptor> {
    // The crate `parquet` would panic for such a type.
    let mut fields = schema.fields().iter();
    if let Some(field) = fields.find(|field| has_no_type(field.data_type())) {
        let problem = format!("Parquet has no type for {}", field.data_type());
        return Err(Error::new(Problem::Unsupported(problem)).in_column(field.name()));
    }
    with_logical_types(ArrowSchemaConverter::new().convert(schema)?, schema)
}

fn has_no_type(data_type: &DataType) -> bool {
    match data_type {
        DataType::Union(..) | DataType::FixedSizeBinary(..=0) => true,
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _)
        | DataType::RunEndEncoded(_, field) => has_no_type(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_no_type(field.data_type())),
        DataType::Dictionary(_, values) => has_no_type(values),
        _ => false,
    }
}

/// Returns whether the column, or any part of it, is a dictionary in Arrow.
pub fn has_dictionary(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(..) => true,
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => has_dictionary(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_dictionary(field.data_type())),
        _ => false,
    }
}

/// Returns the value size of a column in bytes, or `None` if it varies or is less than one.
pub fn width(column: &ColumnDescriptor) -> Option<usize> {
    match column.physical_type() {
        Type::INT32 | Type::FLOAT => Some(4),
        Type::INT64 | Type::DOUBLE => Some(8),
        Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(column.type_length()).ok(),
        Type::INT96 => Some(12),
        Type::BOOLEAN | Type::BYTE_ARRAY => None,
    }
    .filter(|width| *width > 0)
}

/// Conversion of values from an Arrow type to a physical type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Conversion {
    /// No change: the little-endian bytes are the same.
    Same,
    /// Integers of 8 or 16 bits to INT32.
    Widen,
    /// Decimals of any width to INT32 or INT64.
    Resize,
    /// Decimals of any width to big-endian bytes.
    BigEndian,
    /// Intervals to three little-endian numbers: months, days, milliseconds.
    Interval,
    /// Milliseconds of days to days in INT32.
    Days,
    /// Times as 64-bit numbers to INT32.
    Times,
    /// Times to INT96: nanoseconds of the day, and the Julian day.
    Int96,
}

/// Returns the conversion from a column to an Arrow type, if this module has one.
fn reading(data_type: &DataType, column: &ColumnDescriptor) -> Option<Conversion> {
    match (data_type, column.physical_type()) {
        (DataType::Timestamp(_, _), Type::INT96) => Some(Conversion::Int96),
        (DataType::Timestamp(_, _), Type::INT32) => Some(Conversion::Times),
        (DataType::Date64, Type::INT32) => Some(Conversion::Days),
        (DataType::Interval(IntervalUnit::MonthDayNano), Type::FIXED_LEN_BYTE_ARRAY)
            if column.type_length() == 12 =>
        {
            Some(Conversion::Interval)
        }
        _ => conversion(data_type, column),
    }
}

/// Returns the conversion between an Arrow type and a column, if this module has one.
fn conversion(data_type: &DataType, column: &ColumnDescriptor) -> Option<Conversion> {
    use Conversion::{BigEndian, Interval, Resize, Same, Widen};
    let physical = column.physical_type();
    Some(match (data_type, physical) {
        (DataType::Float32, Type::FLOAT) | (DataType::Float64, Type::DOUBLE) => Same,
        (
            DataType::Int32 | DataType::UInt32 | DataType::Date32 | DataType::Time32(_),
            Type::INT32,
        )
        | (
            DataType::Int64
            | DataType::UInt64
            | DataType::Date64
            | DataType::Time64(_)
            | DataType::Timestamp(_, _)
            | DataType::Duration(_),
            Type::INT64,
        )
        | (DataType::Decimal32(_, _), Type::INT32)
        | (DataType::Decimal64(_, _), Type::INT64) => Same,
        (DataType::Int8 | DataType::UInt8 | DataType::Int16 | DataType::UInt16, Type::INT32) => {
            Widen
        }
        (
            DataType::Decimal32(_, _)
            | DataType::Decimal64(_, _)
            | DataType::Decimal128(_, _)
            | DataType::Decimal256(_, _),
            Type::INT32 | Type::INT64,
        ) => Resize,
        (
            DataType::Decimal32(_, _)
            | DataType::Decimal64(_, _)
            | DataType::Decimal128(_, _)
            | DataType::Decimal256(_, _),
            Type::FIXED_LEN_BYTE_ARRAY,
        ) => BigEndian,
        (DataType::Float16, Type::FIXED_LEN_BYTE_ARRAY) if column.type_length() == 2 => Same,
        (DataType::FixedSizeBinary(width), Type::FIXED_LEN_BYTE_ARRAY)
            if column.type_length() == *width =>
        {
            Same
        }
        (
            DataType::Interval(IntervalUnit::YearMonth | IntervalUnit::DayTime),
            Type::FIXED_LEN_BYTE_ARRAY,
        ) if column.type_length() == 12 => Interval,
        _ => return None,
    })
}

/// Returns whether a leaf is a flat column of a fixed width whose values this module converts.
pub fn is_flat(data_type: &DataType, column: &ColumnDescriptor) -> bool {
    column.max_rep_level() == 0
        && column.max_def_level() <= 1
        && column.path().parts().len() == 1
        && width(column).is_some()
        && conversion(data_type, column).is_some()
}

/// Converts an array to the bytes that the column stores, including any values in null slots. Shares the
/// array's memory where the bytes are the same.
pub fn to_physical(array: &dyn Array, column: &ColumnDescriptor) -> Result<Buffer> {
    let conversion = match (array.data_type(), column.physical_type()) {
        (DataType::Timestamp(_, _), Type::INT96) => Some(Conversion::Int96),
        (data_type, _) => conversion(data_type, column),
    };
    let Some((conversion, width)) = conversion.zip(width(column)) else {
        return Err(not_convertible(array.data_type(), column));
    };
    Ok(match conversion {
        Conversion::Same => little_endian(own_bytes(array, width), width),
        Conversion::Widen => little_endian(widen(array), width),
        Conversion::Resize | Conversion::BigEndian => {
            let mut bytes = Vec::with_capacity(array.len() * width);
            append_decimals(array, width, conversion, &mut bytes);
            Buffer::from_vec(bytes)
        }
        Conversion::Interval => intervals(array),
        Conversion::Int96 => to_int96(array.data_type(), &own_bytes(array, size_of::<i64>())),
        // These conversions are only used for reading.
        Conversion::Days | Conversion::Times => {
            return Err(not_convertible(array.data_type(), column));
        }
    })
}

/// Returns the top-level columns that have leaves, each with the range of its leaves in the whole schema.
pub fn roots(schema: &SchemaDescriptor) -> Vec<(TypePtr, Range<usize>)> {
    let mut roots: Vec<(TypePtr, Range<usize>)> = Vec::new();
    let mut last = None;
    for leaf in 0..schema.num_columns() {
        let index = schema.get_column_root_idx(leaf);
        match roots.last_mut() {
            Some((_, leaves)) if last == Some(index) => leaves.end = leaf + 1,
            _ => {
                let root = &schema.root_schema().get_fields()[index];
                roots.push((Arc::clone(root), leaf..leaf + 1));
            }
        }
        last = Some(index);
    }
    roots
}

pub(crate) fn not_convertible(data_type: &DataType, column: &ColumnDescriptor) -> Error {
    let physical = column.physical_type();
    let length = match physical {
        Type::FIXED_LEN_BYTE_ARRAY => format!(" of {} bytes", column.type_length()),
        _ => String::new(),
    };
    Problem::Unsupported(format!(
        "{data_type} cannot be stored as {physical}{length}"
    ))
    .into()
}

/// Returns the memory of an array's values without conversion.
fn own_bytes(array: &dyn Array, width: usize) -> Buffer {
    let data = array.to_data();
    data.buffers()[0].slice_with_length(data.offset() * width, data.len() * width)
}

/// Reverses the bytes of values on a big-endian machine.
fn little_endian(bytes: Buffer, width: usize) -> Buffer {
    if cfg!(target_endian = "little") {
        return bytes;
    }
    let mut turned = bytes.to_vec();
    turned.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    Buffer::from_vec(turned)
}

fn widen(array: &dyn Array) -> Buffer {
    fn values<T: ArrowPrimitiveType>(array: &dyn Array) -> Buffer
    where
        T::Native: Into<i32>,
    {
        let values = array.as_primitive::<T>().values().iter();
        Buffer::from_vec(values.map(|value| (*value).into()).collect::<Vec<i32>>())
    }
    match array.data_type() {
        DataType::Int8 => values::<Int8Type>(array),
        DataType::UInt8 => values::<UInt8Type>(array),
        DataType::Int16 => values::<Int16Type>(array),
        _ => values::<UInt16Type>(array),
    }
}

/// Appends the values of a decimal array, in `width` bytes each. Wider values are truncated; narrower ones
/// are sign-extended.
fn append_decimals(array: &dyn Array, width: usize, conversion: Conversion, to: &mut Vec<u8>) {
    fn append<T: ArrowPrimitiveType>(
        array: &PrimitiveArray<T>,
        width: usize,
        conversion: Conversion,
        to: &mut Vec<u8>,
    ) where
        T::Native: Into<i256>,
    {
        for value in array.values() {
            let wide: i256 = (*value).into();
            let bytes = wide.to_le_bytes();
            let fill = if bytes[31] >= 0x80 { 0xff } else { 0 };
            let at = to.len();
            to.extend_from_slice(&bytes[..width.min(32)]);
            to.resize(at + width, fill);
            if conversion == Conversion::BigEndian {
                to[at..].reverse();
            }
        }
    }
    match array.data_type() {
        DataType::Decimal32(_, _) => {
            append::<Decimal32Type>(array.as_primitive(), width, conversion, to);
        }
        DataType::Decimal64(_, _) => {
            append::<Decimal64Type>(array.as_primitive(), width, conversion, to);
        }
        DataType::Decimal128(_, _) => {
            append::<Decimal128Type>(array.as_primitive(), width, conversion, to);
        }
        _ => append::<Decimal256Type>(array.as_primitive(), width, conversion, to),
    }
}

fn intervals(array: &dyn Array) -> Buffer {
    let mut bytes = Vec::with_capacity(array.len() * 12);
    if let Some(months) = array.as_primitive_opt::<IntervalYearMonthType>() {
        for value in months.values() {
            bytes.extend_from_slice(&value.to_le_bytes());
            bytes.extend_from_slice(&[0; 8]);
        }
    } else {
        for value in array.as_primitive::<IntervalDayTimeType>().values() {
            bytes.extend_from_slice(&[0; 4]);
            bytes.extend_from_slice(&value.days.to_le_bytes());
            bytes.extend_from_slice(&value.milliseconds.to_le_bytes());
        }
    }
    Buffer::from_vec(bytes)
}

/// Builds an array from values in the form that the column stores, including those in null slots.
///
/// `values` has the column's width for each slot, and is aligned for numbers of any type.
pub(crate) fn from_physical(
    data_type: &DataType,
    column: &ColumnDescriptor,
    values: Buffer,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let found = reading(data_type, column).zip(width(column));
    let Some((conversion, width)) = found else {
        return Err(not_convertible(data_type, column));
    };
    let values = match conversion {
        Conversion::Same => little_endian(values, width),
        Conversion::Widen => narrow(data_type, &values),
        Conversion::Resize | Conversion::BigEndian => {
            decimals(data_type, &values, width, conversion)
        }
        Conversion::Interval => from_intervals(data_type, &values, nulls.as_ref())?,
        Conversion::Days => from_i32(&values, |days| i64::from(days) * 86_400_000),
        Conversion::Times => from_i32(&values, i64::from),
        Conversion::Int96 => from_int96(data_type, &values),
    };
    if let DataType::FixedSizeBinary(width) = data_type {
        let array = FixedSizeBinaryArray::try_new(*width, values, nulls)?;
        return Ok(Arc::new(array));
    }
    macro_rules! primitive {
        ($T:ty) => {{
            let array = PrimitiveArray::<$T>::try_new(values.into(), nulls)?;
            Ok(Arc::new(array.with_data_type(data_type.clone())))
        }};
    }
    downcast_primitive! {
        data_type => (primitive),
        _ => Err(not_convertible(data_type, column)),
    }
}

/// Converts INT32 to integers of 8 or 16 bits by taking the lower bytes, as every reader does.
fn narrow(data_type: &DataType, values: &[u8]) -> Buffer {
    let values = values.as_chunks().0.iter();
    let values = values.map(|value| u32::from_le_bytes(*value));
    match data_type {
        DataType::Int8 | DataType::UInt8 => {
            Buffer::from_vec(values.map(|value| value as u8).collect::<Vec<u8>>())
        }
        _ => Buffer::from_vec(values.map(|value| value as u16).collect::<Vec<u16>>()),
    }
}

fn from_i32(values: &[u8], number: impl Fn(i32) -> i64) -> Buffer {
    let values = values.as_chunks().0.iter();
    let values = values.map(|value| number(i32::from_le_bytes(*value)));
    Buffer::from_vec(values.collect::<Vec<i64>>())
}

/// Converts nanoseconds of the day and the Julian day. Unix time starts on Julian day 2,440,588. Times that
/// do not fit wrap around, as in the crate `parquet`.
fn from_int96(data_type: &DataType, values: &[u8]) -> Buffer {
    let units = per_second(data_type);
    let times = values.as_chunks::<12>().0.iter().map(|value| {
        let (nanoseconds, day) = value.split_at(8);
        let nanoseconds = nanoseconds.as_chunks().0.first();
        let nanoseconds = i64::from_le_bytes(nanoseconds.copied().unwrap_or_default());
        let day = day.as_chunks().0.first();
        let day = i64::from(i32::from_le_bytes(day.copied().unwrap_or_default())) - EPOCH;
        let whole = day.wrapping_mul(DAY * units);
        whole.wrapping_add(nanoseconds / (1_000_000_000 / units))
    });
    Buffer::from_vec(times.collect::<Vec<i64>>())
}

/// Returns timestamps as INT96.
fn to_int96(data_type: &DataType, values: &[u8]) -> Buffer {
    let units = per_second(data_type);
    let mut bytes = Vec::with_capacity(values.len() / 8 * 12);
    for time in values.as_chunks().0 {
        let time = i64::from_le_bytes(*time);
        let (day, units_of_day) = (time.div_euclid(DAY * units), time.rem_euclid(DAY * units));
        let nanoseconds = units_of_day * (1_000_000_000 / units);
        bytes.extend_from_slice(&nanoseconds.to_le_bytes());
        // The range of Julian days is that of INT96: other timestamps wrap around.
        bytes.extend_from_slice(&((day + EPOCH) as i32).to_le_bytes());
    }
    Buffer::from_vec(bytes)
}

/// Julian day of the Unix epoch.
const EPOCH: i64 = 2_440_588;

/// Number of seconds in a day.
const DAY: i64 = 86_400;

/// Returns the number of units of a timestamp in a second.
fn per_second(data_type: &DataType) -> i64 {
    match data_type {
        DataType::Timestamp(TimeUnit::Second, _) => 1,
        DataType::Timestamp(TimeUnit::Millisecond, _) => 1_000,
        DataType::Timestamp(TimeUnit::Microsecond, _) => 1_000_000,
        _ => 1_000_000_000,
    }
}

/// Returns whether a column stores decimals in another width that become 16-byte numbers.
pub(crate) fn is_decimal128(data_type: &DataType, column: &ColumnDescriptor) -> bool {
    matches!(data_type, DataType::Decimal128(_, _))
        && width(column).is_some_and(|width| width < size_of::<i128>())
}

/// Builds an array of decimals that already are 16-byte numbers.
pub(crate) fn decimals128(
    data_type: &DataType,
    values: Buffer,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let array = PrimitiveArray::<Decimal128Type>::try_new(values.into(), nulls)?;
    Ok(Arc::new(array.with_data_type(data_type.clone())))
}

/// Returns the bytes of an array's values, and the size of each. Returns `None` for strings and nested types.
fn value_bytes(array: &ArrayRef) -> Option<(Buffer, usize)> {
    let bytes = |width| Some((array.to_data().buffers().first()?.clone(), width));
    match array.data_type() {
        DataType::Boolean => {
            let values = array.as_boolean().values().iter();
            let bytes: Vec<u8> = values.map(u8::from).collect();
            Some((bytes.into(), 1))
        }
        DataType::FixedSizeBinary(width) => bytes(usize::try_from(*width).ok()?),
        other => bytes(other.primitive_width()?),
    }
}

/// Returns a dictionary with keys of this type, and the same entries if these keys suffice for them.
pub(crate) fn with_keys(
    dictionary: &DictionaryArray<Int32Type>,
    key: &DataType,
) -> Result<ArrayRef> {
    macro_rules! keys {
        ($K:ty) => {{
            type Key = <$K as ArrowPrimitiveType>::Native;
            let keys = dictionary.keys().iter();
            let keys = keys.map(|key| match key {
                Some(key) => Some(Some(usize::try_from(key).ok().and_then(Key::from_usize)?)),
                None => Some(None),
            });
            match keys.collect::<Option<PrimitiveArray<$K>>>() {
                Some(keys) => Ok(Arc::new(DictionaryArray::try_new(
                    keys,
                    Arc::clone(dictionary.values()),
                )?)),
                // Fewer entries may be used.
                None => as_dictionary(&take(dictionary.values(), dictionary.keys(), None)?, key),
            }
        }};
    }
    downcast_integer! {
        key => (keys),
        _ => Err(no_keys(key)),
    }
}

/// Converts an array to a dictionary with this key type.
pub(crate) fn as_dictionary(array: &ArrayRef, key: &DataType) -> Result<ArrayRef> {
    let Some((bytes, width)) = value_bytes(array).filter(|(_, width)| *width > 0) else {
        return Err(Problem::Unsupported(format!("dictionaries of {}", array.data_type())).into());
    };
    let (mut places, mut first) = (HashMap::new(), Vec::new());
    let keys = bytes.chunks_exact(width).enumerate().map(|(row, value)| {
        array.is_valid(row).then(|| {
            *places.entry(value).or_insert_with(|| {
                first.push(row as u64);
                first.len() - 1
            })
        })
    });
    let keys: Vec<Option<usize>> = keys.collect();
    let values = take(array, &UInt64Array::from(first), None)?;
    macro_rules! dictionary {
        ($K:ty) => {{
            type Key = <$K as ArrowPrimitiveType>::Native;
            if values.len() > 0 && Key::from_usize(values.len() - 1).is_none() {
                let problem = format!(
                    "{} distinct values, too many for keys of {key}",
                    values.len()
                );
                return Err(Problem::Unsupported(problem).into());
            }
            let keys = keys.into_iter().map(|key| key.and_then(Key::from_usize));
            let keys = PrimitiveArray::<$K>::from_iter(keys);
            Ok(Arc::new(DictionaryArray::<$K>::try_new(keys, values)?))
        }};
    }
    downcast_integer! {
        key => (dictionary),
        _ => Err(no_keys(key)),
    }
}

fn no_keys(key: &DataType) -> Error {
    Problem::Unsupported(format!("dictionaries with keys of {key}")).into()
}

/// Converts decimals of `width` bytes to the Arrow type, which has at least that width.
fn decimals(data_type: &DataType, values: &[u8], width: usize, conversion: Conversion) -> Buffer {
    match data_type {
        DataType::Decimal32(_, _) => converted(values, width, conversion, |it| it as i32),
        DataType::Decimal64(_, _) => converted(values, width, conversion, |it| it as i64),
        DataType::Decimal128(_, _) => converted(values, width, conversion, |it| it),
        _ if width <= size_of::<i128>() => converted(values, width, conversion, i256::from_i128),
        _ => {
            let numbers = values.chunks_exact(width).map(|value| {
                let mut wide = [if value[0] >= 0x80 { 0xff } else { 0 }; 32];
                wide[32 - width..].copy_from_slice(value);
                i256::from_be_bytes(wide)
            });
            Buffer::from_vec(numbers.collect::<Vec<_>>())
        }
    }
}

/// Converts decimals of up to 16 bytes to numbers with `number`.
fn converted<T: ArrowNativeType>(
    values: &[u8],
    width: usize,
    conversion: Conversion,
    number: impl Fn(i128) -> T,
) -> Buffer {
    let numbers: Vec<T> = match (conversion, width) {
        (Conversion::BigEndian, _) => {
            let unused = 128 - 8 * width;
            let values = values.chunks_exact(width).map(|value| {
                let mut wide = [0; 16];
                wide[..width].copy_from_slice(value);
                number(i128::from_be_bytes(wide) >> unused)
            });
            values.collect()
        }
        (_, 4) => {
            let values = values.as_chunks().0.iter();
            let values = values.map(|value| i128::from(i32::from_le_bytes(*value)));
            values.map(number).collect()
        }
        _ => {
            let values = values.as_chunks().0.iter();
            let values = values.map(|value| i128::from(i64::from_le_bytes(*value)));
            values.map(number).collect()
        }
    };
    Buffer::from_vec(numbers)
}

/// Converts months, days and milliseconds. Returns an error if a value has parts that the type cannot hold.
fn from_intervals(
    data_type: &DataType,
    values: &[u8],
    nulls: Option<&NullBuffer>,
) -> Result<Buffer> {
    let (values, _) = values.as_chunks::<12>();
    let parts = |value: &[u8; 12]| {
        let [months, days, milliseconds] = [0, 4, 8]
            .map(|at| u32::from_le_bytes([value[at], value[at + 1], value[at + 2], value[at + 3]]));
        (months as i32, days as i32, milliseconds)
    };
    let lost = |value: &[u8; 12]| match (data_type, parts(value)) {
        (DataType::Interval(IntervalUnit::YearMonth), (_, days, time)) => days != 0 || time != 0,
        (DataType::Interval(IntervalUnit::DayTime), (months, _, _)) => months != 0,
        _ => false,
    };
    let is_valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    let mut rows = values.iter().enumerate();
    if rows.any(|(row, value)| lost(value) && is_valid(row)) {
        let problem = format!(
            "it has intervals of months and of days, which {data_type} cannot express; read it without the Arrow schema \
             in the file"
        );
        return Err(Problem::Unsupported(problem).into());
    }
    let values = values.iter().map(parts);
    Ok(match data_type {
        DataType::Interval(IntervalUnit::YearMonth) => {
            Buffer::from_vec(values.map(|(months, _, _)| months).collect::<Vec<i32>>())
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            let times = values.map(|(_, days, time)| IntervalDayTime::new(days, time as i32));
            Buffer::from_vec(times.collect::<Vec<_>>())
        }
        _ => {
            let times = values.map(|(months, days, time)| {
                IntervalMonthDayNano::new(months, days, i64::from(time) * 1_000_000)
            });
            Buffer::from_vec(times.collect::<Vec<_>>())
        }
    })
}
