//! Lists of values as Arrow arrays.

use crate::dynamic::ValueType;
use crate::input::Mark;
use crate::protocol::Reader;
use crate::{Error, Items, Segment, Type};
use arrow_array::builder::GenericByteBuilder;
use arrow_array::types::{
    ArrowPrimitiveType, BinaryType, ByteArrayType, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Utf8Type,
};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use std::sync::Arc;

/// Returns the Arrow type of elements. `None` if there are no columns of them.
pub(super) fn data_type(element: &ValueType) -> Option<DataType> {
    Some(match element {
        ValueType::Bool => DataType::Boolean,
        ValueType::I8 => DataType::Int8,
        ValueType::I16 => DataType::Int16,
        ValueType::I32 | ValueType::Enum(_) => DataType::Int32,
        ValueType::I64 => DataType::Int64,
        ValueType::Float => DataType::Float32,
        ValueType::Double => DataType::Float64,
        ValueType::String => DataType::Utf8,
        ValueType::Binary => DataType::Binary,
        _ => return None,
    })
}

/// Values of a column whose null bits may still be unknown.
pub(super) enum Values<'de> {
    Bools(Vec<bool>),
    I8s(Vec<i8>),
    I16s(Vec<i16>),
    I32s(Vec<i32>),
    I64s(Vec<i64>),
    Floats(Vec<f32>),
    Doubles(Vec<f64>),
    /// Text or binary: their position, their number, and a bound for the sum of their lengths.
    Bytes(Mark<'de>, usize, usize),
}

/// Reads a list of values.
pub(super) fn read_values<'de, R: Reader<'de>>(
    element: &ValueType,
    reader: &mut R,
) -> Result<Values<'de>, Error> {
    /// Reads a list of numbers in one call.
    macro_rules! numbers {
        ($Values:ident $method:ident $T:ty) => {{
            let cost = size_of::<$T>();
            let items = reader.list_begin(Type::List, Some(element.kind()), cost)?;
            let mut values = Vec::new();
            reader.$method(items, &mut values)?;
            Values::$Values(values)
        }};
    }
    Ok(match element {
        ValueType::Bool => numbers!(Bools bools bool),
        ValueType::I8 => numbers!(I8s i8s i8),
        ValueType::I16 => numbers!(I16s i16s i16),
        ValueType::I64 => numbers!(I64s i64s i64),
        ValueType::Float => numbers!(Floats floats f32),
        ValueType::Double => numbers!(Doubles doubles f64),
        ValueType::String | ValueType::Binary => skip_bytes(reader)?,
        // An enum has the numbers of an i32.
        _ => numbers!(I32s i32s i32),
    })
}

/// Skips a list of text or binary, to find out how much memory it needs.
fn skip_bytes<'de, R: Reader<'de>>(reader: &mut R) -> Result<Values<'de>, Error> {
    let start = reader.mark();
    let mut items = reader.list_begin(Type::List, Some(Type::String), 0)?;
    let (mut count, before) = (0, reader.input().offset());
    while reader.next(&mut items)? {
        let skipped = reader.skip_string();
        skipped.map_err(|error| error.within(Segment::Index(count)))?;
        count += 1;
    }
    // No protocol stores text or binary in fewer bytes than it has.
    let bytes = reader.input().offset() - before;
    Ok(Values::Bytes(start, count, bytes))
}

impl<'de> Values<'de> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Bools(values) => values.len(),
            Self::I8s(values) => values.len(),
            Self::I16s(values) => values.len(),
            Self::I32s(values) => values.len(),
            Self::I64s(values) => values.len(),
            Self::Floats(values) => values.len(),
            Self::Doubles(values) => values.len(),
            Self::Bytes(_, count, _) => *count,
        }
    }

    /// Returns the array with these values.
    pub(super) fn finish<R: Reader<'de>>(
        self,
        element: &ValueType,
        nulls: Option<NullBuffer>,
        reader: &mut R,
    ) -> Result<ArrayRef, Error> {
        Ok(match self {
            Self::Bools(values) => Arc::new(BooleanArray::new(BooleanBuffer::from(values), nulls)),
            Self::I8s(values) => numbers::<Int8Type>(values, nulls),
            Self::I16s(values) => numbers::<Int16Type>(values, nulls),
            Self::I32s(values) => numbers::<Int32Type>(values, nulls),
            Self::I64s(values) => numbers::<Int64Type>(values, nulls),
            Self::Floats(values) => numbers::<Float32Type>(values, nulls),
            Self::Doubles(values) => numbers::<Float64Type>(values, nulls),
            Self::Bytes(start, count, bytes) => {
                let end = reader.mark();
                reader.reset(&start);
                let array = read_bytes(element, reader, nulls.as_ref(), count, bytes)?;
                reader.reset(&end);
                array
            }
        })
    }
}

fn numbers<T: ArrowPrimitiveType>(values: Vec<T::Native>, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(values.into(), nulls))
}

/// Reads a list of `count` texts or binary values, which have up to `bytes` bytes together.
fn read_bytes<'de, R: Reader<'de>>(
    element: &ValueType,
    reader: &mut R,
    nulls: Option<&NullBuffer>,
    count: usize,
    bytes: usize,
) -> Result<ArrayRef, Error> {
    if i32::try_from(bytes).is_err() {
        return Err(reader.custom_error("a column of text or binary has more than 2 GiB"));
    }
    let items = reader.list_begin(Type::List, Some(Type::String), 0)?;
    // The offsets, the null bits, and the bytes.
    reader.input().charge((count + 1) * 5 + bytes)?;
    let room = (count, bytes);
    if matches!(element, ValueType::String) {
        filled::<Utf8Type, _, _>(reader, items, nulls, room, R::string)
    } else {
        filled::<BinaryType, _, _>(reader, items, nulls, room, R::binary)
    }
}

/// Reads the elements of a list that are not null, with room for their number and the sum of their lengths.
fn filled<'de, T, R, V>(
    reader: &mut R,
    mut items: Items,
    nulls: Option<&NullBuffer>,
    (count, bytes): (usize, usize),
    read: impl Fn(&mut R) -> Result<V, Error>,
) -> Result<ArrayRef, Error>
where
    T: ByteArrayType,
    R: Reader<'de>,
    V: AsRef<T::Native>,
{
    let mut builder = GenericByteBuilder::<T>::with_capacity(count, bytes);
    let mut index = 0;
    while reader.next(&mut items)? {
        let value = if nulls.is_some_and(|nulls| nulls.is_null(index)) {
            reader.skip_string().map(|()| None)
        } else {
            read(reader).map(Some)
        };
        builder.append_option(value.map_err(|error| error.within(Segment::Index(index)))?);
        index += 1;
    }
    Ok(Arc::new(builder.finish()))
}
