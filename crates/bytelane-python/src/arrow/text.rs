//! Turns imported bytes into text, after they have been validated.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteArrayType;
use arrow_array::types::{BinaryType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, GenericByteArray, LargeBinaryArray, NullArray,
    OffsetSizeTrait, StringViewArray, make_array,
};
use arrow_schema::DataType;
use bytelane::utf8;
use std::ops::Range;
use std::sync::Arc;

/// Text that is not UTF-8.
#[derive(Debug)]
pub struct Fault {
    /// First row with such text.
    pub row: usize,
}

/// Converts an array that was imported with bytes in place of text to the type that it should have.
///
/// Bytes that belong to no row, below a null for instance, may be anything: they are removed if they are not UTF-8.
pub fn with_text(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, Fault> {
    match converted(array, data_type) {
        Some(array) => Ok(array),
        None => {
            let rows: Vec<Option<usize>> = (0..array.len()).map(Some).collect();
            let clean = cleaned(array, data_type, &rows)?;
            converted(&clean, data_type).ok_or(Fault { row: 0 })
        }
    }
}

/// Returns the types of an array's parts, in the order of its child data.
fn parts(data_type: &DataType) -> Vec<&DataType> {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => vec![field.data_type()],
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::Dictionary(_, values) => vec![values],
        DataType::RunEndEncoded(ends, values) => vec![ends.data_type(), values.data_type()],
        _ => Vec::new(),
    }
}

/// Converts an array, without a copy; `None` if it has bytes that are not UTF-8.
fn converted(array: &ArrayRef, data_type: &DataType) -> Option<ArrayRef> {
    if array.data_type() == data_type {
        return Some(Arc::clone(array));
    }
    match data_type {
        DataType::Utf8 => text::<BinaryType, Utf8Type, i32>(array.as_bytes()),
        DataType::LargeUtf8 => text::<LargeBinaryType, LargeUtf8Type, i64>(array.as_bytes()),
        DataType::Utf8View => views(array.as_binary_view()),
        DataType::Null => Some(Arc::new(NullArray::new(array.len()))),
        _ => {
            let data = array.to_data();
            let parts = data.child_data().iter().zip(parts(data_type));
            let parts = parts.map(|(part, data_type)| {
                Some(converted(&make_array(part.clone()), data_type)?.to_data())
            });
            let data = data.clone().into_builder().data_type(data_type.clone());
            let data = data.child_data(parts.collect::<Option<_>>()?).build();
            data.ok().map(make_array)
        }
    }
}

/// Converts bytes with offsets.
fn text<B, T, O>(bytes: &GenericByteArray<B>) -> Option<ArrayRef>
where
    B: ByteArrayType<Offset = O, Native = [u8]>,
    T: ByteArrayType<Offset = O, Native = str>,
    O: OffsetSizeTrait,
{
    let (offsets, values, nulls) = bytes.clone().into_parts();
    let used = offsets[0].as_usize()..offsets[offsets.len() - 1].as_usize();
    let whole = values.get(used.clone())?;
    utf8::validate(whole).ok()?;
    // Bytes that continue a character begin with the bits 10.
    let continues = |byte: &u8| byte & 0xc0 == 0x80;
    let mut starts = offsets.iter().map(|offset| offset.as_usize() - used.start);
    if starts.any(|start| whole.get(start).is_some_and(continues)) {
        return None;
    }
    // SAFETY: all values together are UTF-8, and each of them begins and ends between two characters.
    let text = unsafe { GenericByteArray::<T>::new_unchecked(offsets, values, nulls) };
    Some(Arc::new(text))
}

/// Converts views, each of which is validated.
fn views(bytes: &BinaryViewArray) -> Option<ArrayRef> {
    let is_text = |row| utf8::validate(bytes.value(row)).is_ok();
    if !(0..bytes.len()).all(is_text) {
        return None;
    }
    // SAFETY: every view, those of nulls included, is UTF-8.
    let text: StringViewArray = unsafe { bytes.clone().to_string_view_unchecked() };
    Some(Arc::new(text))
}

/// Returns the same array, still with bytes in place of text, without those that belong to no row.
///
/// `rows` has the row of each value; `None` for values that belong to none.
fn cleaned(
    array: &ArrayRef,
    data_type: &DataType,
    rows: &[Option<usize>],
) -> Result<ArrayRef, Fault> {
    let value = |place: usize, bytes: &[u8]| match rows[place] {
        Some(row) if utf8::validate(bytes).is_err() => Err(Fault { row }),
        Some(_) => Ok(bytes.to_vec()),
        None => Ok(Vec::new()),
    };
    macro_rules! values {
        ($array:expr, $of:ty) => {{
            let array = $array;
            let values = array.iter().enumerate();
            let values = values.map(|(place, bytes)| bytes.map(|it| value(place, it)).transpose());
            Ok(Arc::new(values.collect::<Result<$of, Fault>>()?))
        }};
    }
    match data_type {
        _ if array.data_type() == data_type => Ok(Arc::clone(array)),
        DataType::Utf8 => values!(array.as_binary::<i32>(), BinaryArray),
        DataType::LargeUtf8 => values!(array.as_binary::<i64>(), LargeBinaryArray),
        DataType::Utf8View => values!(array.as_binary_view(), BinaryViewArray),
        _ => {
            let data = array.to_data();
            let types = parts(data_type);
            let mut cleaned = Vec::new();
            for (part, data_type) in data.child_data().iter().zip(types) {
                let rows = rows_of_part(array, part.len(), rows);
                let part = self::cleaned(&make_array(part.clone()), data_type, &rows)?;
                cleaned.push(part.to_data());
            }
            let built = data.into_builder().child_data(cleaned).build();
            built.map(make_array).map_err(|_| Fault { row: 0 })
        }
    }
}

/// Returns the rows of the values of an array's part, which has `count` values.
fn rows_of_part(array: &ArrayRef, count: usize, rows: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut within = vec![None; count];
    let keys = array.as_any_dictionary_opt();
    let keys = keys.map_or_else(Vec::new, |it| it.normalized_keys());
    let offset = array.to_data().offset();
    let range = |place: usize| -> Range<usize> {
        match array.data_type() {
            DataType::List(_) => between(&array.as_list::<i32>().value_offsets()[place..]),
            DataType::LargeList(_) => between(&array.as_list::<i64>().value_offsets()[place..]),
            DataType::Map(..) => between(&array.as_map().value_offsets()[place..]),
            DataType::ListView(_) => {
                let list = array.as_list_view::<i32>();
                sized(list.value_offsets()[place], list.value_sizes()[place])
            }
            DataType::LargeListView(_) => {
                let list = array.as_list_view::<i64>();
                sized(list.value_offsets()[place], list.value_sizes()[place])
            }
            DataType::FixedSizeList(_, length) => {
                let length = usize::try_from(*length).unwrap_or(0);
                (offset + place) * length..(offset + place + 1) * length
            }
            DataType::Dictionary(..) => keys[place]..keys[place] + 1,
            // Runs may belong to any row of the array.
            DataType::RunEndEncoded(..) => 0..count,
            _ => offset + place..offset + place + 1,
        }
    };
    let places = (0..array.len()).filter(|place| array.is_valid(*place));
    for (place, row) in places.filter_map(|place| Some((place, rows[place]?))) {
        for within in within.get_mut(range(place)).into_iter().flatten() {
            within.get_or_insert(row);
        }
    }
    within
}

fn between<O: OffsetSizeTrait>(offsets: &[O]) -> Range<usize> {
    offsets[0].as_usize()..offsets[1].as_usize()
}

fn sized<O: OffsetSizeTrait>(start: O, size: O) -> Range<usize> {
    start.as_usize()..start.as_usize() + size.as_usize()
}
