//! Generates arrays of any type that files can have.

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int32Type,
    Int64Type, TimestampMicrosecondType, UInt16Type,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray,
    LargeListArray, LargeStringArray, ListArray, MapArray, NullArray, PrimitiveArray, StringArray,
    StringViewArray, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};
use std::sync::Arc;

/// Pseudorandom numbers.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() >> 16) as usize % end
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Returns a type with at most `depth` levels around its leaves.
pub fn data_type(numbers: &mut Numbers, depth: usize) -> DataType {
    match numbers.below(if depth == 0 { LEAVES } else { LEAVES + 10 }) {
        leaf if leaf < LEAVES => leaf_type(leaf),
        nested => {
            let is_null = !numbers.below(3).is_multiple_of(2);
            let entry = |name: &str, of| {
                let is_null = is_null || of == DataType::Null;
                Arc::new(Field::new(name, of, is_null))
            };
            let within = data_type(numbers, depth - 1);
            match nested - LEAVES {
                0..3 => DataType::List(entry("item", within)),
                3 => DataType::LargeList(entry("item", within)),
                4 => DataType::FixedSizeList(entry("item", within), 3),
                5 | 6 => {
                    let key = Field::new("key", leaf_type(numbers.below(3)), false);
                    let fields = [Arc::new(key), entry("value", within)];
                    let fields = DataType::Struct(fields.into_iter().collect());
                    DataType::Map(Arc::new(Field::new("entries", fields, false)), false)
                }
                _ => {
                    let other = data_type(numbers, depth - 1);
                    let fields = [entry("a", within), entry("b", other)];
                    DataType::Struct(fields.into_iter().collect())
                }
            }
        }
    }
}

const LEAVES: usize = 18;

fn leaf_type(leaf: usize) -> DataType {
    match leaf {
        0 => DataType::Int32,
        1 => DataType::Utf8,
        2 => DataType::Int64,
        3 => DataType::Boolean,
        4 => DataType::Float32,
        5 => DataType::Float64,
        6 => DataType::Int8,
        7 => DataType::UInt16,
        8 => DataType::Date32,
        9 => DataType::Timestamp(TimeUnit::Microsecond, None),
        10 => DataType::Decimal128(25, 3),
        11 => DataType::FixedSizeBinary(5),
        12 => DataType::Binary,
        13 => DataType::LargeUtf8,
        14 => DataType::Utf8View,
        15 => DataType::Null,
        16 => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        _ => DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Int64)),
    }
}

/// Returns an array of `slots` slots.
pub fn array(numbers: &mut Numbers, field: &Field, slots: usize) -> ArrayRef {
    let nulls = nulls(numbers, field.is_nullable(), slots);
    // Use either many or few distinct values.
    let distinct = [3, 1 << 40][numbers.below(2)];
    let mut bits = |_| numbers.next() % distinct;
    let bits: Vec<u64> = (0..slots).map(&mut bits).collect();
    let is_valid = |slot: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(slot));
    let texts = || {
        let texts = bits.iter().map(|bits| text(*bits));
        texts
            .enumerate()
            .map(|(slot, text)| is_valid(slot).then_some(text))
    };
    match field.data_type() {
        DataType::Null => Arc::new(NullArray::new(slots)),
        DataType::Boolean => {
            let values = bits.iter().map(|bits| bits % 2 == 1).collect::<Vec<_>>();
            Arc::new(BooleanArray::new(values.into(), nulls))
        }
        DataType::Int8 => primitive::<Int8Type>(&bits, nulls, |it| it as i8),
        DataType::UInt16 => primitive::<UInt16Type>(&bits, nulls, |it| it as u16),
        DataType::Int32 => primitive::<Int32Type>(&bits, nulls, |it| it as i32),
        DataType::Int64 => primitive::<Int64Type>(&bits, nulls, |it| it as i64),
        DataType::Float32 => primitive::<Float32Type>(&bits, nulls, |it| it as f32),
        DataType::Float64 => primitive::<Float64Type>(&bits, nulls, |it| it as f64 / 8.0),
        DataType::Date32 => primitive::<Date32Type>(&bits, nulls, |it| it as i32),
        DataType::Timestamp(..) => {
            primitive::<TimestampMicrosecondType>(&bits, nulls, |it| it as i64)
        }
        DataType::Decimal128(..) => {
            let values = bits.iter().map(|it| i128::from(*it) - (1 << 39));
            let array = PrimitiveArray::<Decimal128Type>::new(values.collect(), nulls);
            Arc::new(array.with_data_type(field.data_type().clone()))
        }
        DataType::FixedSizeBinary(width) => {
            let values = bits
                .iter()
                .flat_map(|it| it.to_le_bytes().into_iter().take(5));
            let values: Vec<u8> = values.collect();
            Arc::new(FixedSizeBinaryArray::new(*width, values.into(), nulls))
        }
        DataType::Utf8 => Arc::new(texts().collect::<StringArray>()),
        DataType::LargeUtf8 => Arc::new(texts().collect::<LargeStringArray>()),
        DataType::Utf8View => Arc::new(texts().collect::<StringViewArray>()),
        DataType::Binary => {
            let texts = texts().map(|text| text.map(String::into_bytes));
            Arc::new(texts.collect::<BinaryArray>())
        }
        DataType::Dictionary(key, _) if **key == DataType::Int32 => {
            let texts: Vec<Option<String>> = texts().collect();
            let texts = texts.iter().map(Option::as_deref);
            Arc::new(texts.collect::<DictionaryArray<Int32Type>>())
        }
        DataType::Dictionary(..) => {
            let values = PrimitiveArray::<Int64Type>::from_iter_values([7, -1, 1 << 50]);
            let keys = bits.iter().map(|bits| (bits % 3) as u16).collect();
            let keys = PrimitiveArray::<UInt16Type>::new(keys, nulls);
            Arc::new(DictionaryArray::new(keys, Arc::new(values)))
        }
        DataType::Struct(fields) => Arc::new(structs(numbers, fields, slots, nulls)),
        DataType::List(entry) => {
            let offsets = offsets(numbers, slots, nulls.as_ref());
            let entries = array(numbers, entry, offsets[slots] as usize);
            Arc::new(ListArray::new(Arc::clone(entry), offsets, entries, nulls))
        }
        DataType::LargeList(entry) => {
            let offsets = offsets(numbers, slots, nulls.as_ref());
            let entries = array(numbers, entry, offsets[slots] as usize);
            let offsets = offsets.iter().map(|offset| i64::from(*offset)).collect();
            let offsets = OffsetBuffer::new(offsets);
            Arc::new(LargeListArray::new(
                Arc::clone(entry),
                offsets,
                entries,
                nulls,
            ))
        }
        DataType::FixedSizeList(entry, length) => {
            let entries = array(numbers, entry, slots * *length as usize);
            Arc::new(FixedSizeListArray::new(
                Arc::clone(entry),
                *length,
                entries,
                nulls,
            ))
        }
        DataType::Map(entry, sorted) => {
            let offsets = offsets(numbers, slots, nulls.as_ref());
            let DataType::Struct(fields) = entry.data_type() else {
                panic!("a map of {entry}");
            };
            let entries = structs(numbers, fields, offsets[slots] as usize, None);
            Arc::new(MapArray::new(
                Arc::clone(entry),
                offsets,
                entries,
                nulls,
                *sorted,
            ))
        }
        other => panic!("no arrays of {other}"),
    }
}

fn primitive<T: ArrowPrimitiveType>(
    bits: &[u64],
    nulls: Option<NullBuffer>,
    value: impl Fn(u64) -> T::Native,
) -> ArrayRef {
    let values = bits.iter().map(|bits| value(*bits)).collect();
    Arc::new(PrimitiveArray::<T>::new(values, nulls))
}

/// Returns empty, short and long strings, and some with several bytes per character.
fn text(bits: u64) -> String {
    match bits % 5 {
        0 => String::new(),
        1 => format!("{bits}"),
        2 => format!("a text that is not short: {bits}"),
        _ => format!("für {bits} €"),
    }
}

fn structs(
    numbers: &mut Numbers,
    fields: &Fields,
    slots: usize,
    nulls: Option<NullBuffer>,
) -> StructArray {
    let column = |field: &FieldRef| array(numbers, field, slots);
    StructArray::new(fields.clone(), fields.iter().map(column).collect(), nulls)
}

fn offsets(numbers: &mut Numbers, lists: usize, nulls: Option<&NullBuffer>) -> OffsetBuffer<i32> {
    let most = [1, 4, 12][numbers.below(3)];
    let lengths = (0..lists).map(|list| match nulls {
        // Null lists may have entries, too.
        Some(nulls) if nulls.is_null(list) && most < 12 => 0,
        _ => numbers.below(most),
    });
    OffsetBuffer::from_lengths(lengths)
}

fn nulls(numbers: &mut Numbers, is_nullable: bool, slots: usize) -> Option<NullBuffer> {
    if !is_nullable {
        return None;
    }
    let pattern = numbers.below(5);
    let is_valid = (0..slots).map(|slot| match pattern {
        0 => true,
        1 => false,
        2 => !numbers.below(10).is_multiple_of(10),
        3 => slot / 70 % 3 > 0,
        _ => numbers.below(2) == 0,
    });
    Some(NullBuffer::from_iter(is_valid))
}
