//! Non-null values of a leaf in the physical type of its column.

use crate::Result;
use crate::types::physical::{not_convertible, to_physical};
use arrow_array::cast::AsArray;
use arrow_array::types::ByteArrayType;
use arrow_array::{Array, ArrayRef, GenericByteArray};
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer, NullBuffer};
use arrow_cast::cast;
use arrow_schema::DataType;
use bytelane::Detected;
use bytelane::validity::Element;
use bytelane::validity::values::compact_with;
use bytemuck::Pod;
use parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Values of some rows of a leaf.
#[derive(Debug)]
pub(crate) struct LeafValues {
    array: ArrayRef,
    /// Ranges of the array's elements that belong to the rows, in order.
    ranges: Vec<Range<usize>>,
    /// Validity of the array's elements.
    nulls: Option<NullBuffer>,
}

impl LeafValues {
    /// Selects the non-null values in these ranges of an array.
    pub(super) fn new(
        array: ArrayRef,
        ranges: Vec<Range<usize>>,
        nulls: Option<NullBuffer>,
    ) -> Self {
        let all = match (ranges.first(), ranges.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        };
        let mut ranges = ranges;
        for range in &mut ranges {
            *range = range.start - all.start..range.end - all.start;
        }
        Self {
            array: array.slice(all.start, all.len()),
            nulls: nulls.map(|nulls| nulls.slice(all.start, all.len())),
            ranges,
        }
    }

    /// Returns whether there are no non-null values.
    fn is_empty(&self) -> bool {
        let is_null = |nulls: &NullBuffer| nulls.null_count() == nulls.len();
        self.array.is_empty() || self.nulls.as_ref().is_some_and(is_null)
    }

    /// Returns the distinct values of a dictionary array.
    pub(crate) fn dictionary(&self) -> Option<Self> {
        let dictionary = self.array.as_any_dictionary_opt()?;
        let entries = dictionary.values();
        let all = 0..entries.len();
        Some(Self {
            array: ArrayRef::clone(entries),
            ranges: vec![all],
            nulls: None,
        })
    }

    /// Appends the keys of the values of a dictionary array.
    pub(crate) fn keys(&self, to: &mut Vec<usize>) {
        if let Some(dictionary) = self.array.as_any_dictionary_opt()
            && !dictionary.values().is_empty()
        {
            let keys = dictionary.normalized_keys();
            self.for_each(|range| to.extend_from_slice(&keys[range]));
        }
    }

    /// Returns the same values, without dictionaries and run-end encoding.
    pub(crate) fn unpacked(self) -> Result<Self> {
        let values = match self.array.data_type() {
            DataType::Dictionary(_, values) => values.as_ref().clone(),
            DataType::RunEndEncoded(_, values) => values.data_type().clone(),
            _ => return Ok(self),
        };
        let array = cast(&self.array, &values)?;
        Self { array, ..self }.unpacked()
    }

    /// Calls a function with ranges of non-null elements.
    fn for_each(&self, mut see: impl FnMut(Range<usize>)) {
        for range in &self.ranges {
            let Some(nulls) = &self.nulls else {
                see(range.clone());
                continue;
            };
            let part = nulls.slice(range.start, range.len());
            for (start, end) in part.valid_slices() {
                see(range.start + start..range.start + end);
            }
        }
    }

    /// Returns the values of a fixed-width column in one buffer, if they are contiguous and none is
    /// null.
    pub(crate) fn contiguous(&self, column: &ColumnDescriptor) -> Result<Option<Buffer>> {
        let is_whole = self.nulls.is_none() && self.ranges.len() == 1;
        let physical = is_whole.then(|| to_physical(&self.array, column));
        physical.transpose()
    }

    /// Appends the values of a column of this width.
    pub(crate) fn fixed(
        &self,
        column: &ColumnDescriptor,
        width: usize,
        backend: Detected,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let values = to_physical(&self.array, column)?;
        if let ([whole], Some(nulls)) = (self.ranges.as_slice(), &self.nulls)
            && whole.len() == nulls.len()
            && compact(backend, &values, width, nulls, to)
        {
            return Ok(());
        }
        self.for_each(|range| {
            to.extend_from_slice(&values[range.start * width..range.end * width]);
        });
        Ok(())
    }

    /// Appends booleans.
    pub(crate) fn bits(
        &self,
        column: &ColumnDescriptor,
        to: &mut BooleanBufferBuilder,
    ) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let Some(array) = self.array.as_boolean_opt() else {
            return Err(not_convertible(self.array.data_type(), column));
        };
        let values = array.values();
        self.for_each(|range| {
            to.append_buffer(&values.slice(range.start, range.len()));
        });
        Ok(())
    }

    /// Returns the memory of strings with offsets, if it has these strings, which are all of the leaf, one after the
    /// other and nothing else.
    pub(crate) fn joined(&self, strings: &[&[u8]]) -> Option<Buffer> {
        let (memory, start, end) = match self.array.data_type() {
            DataType::Utf8 => memory_of(self.array.as_string::<i32>()),
            DataType::LargeUtf8 => memory_of(self.array.as_string::<i64>()),
            DataType::Binary => memory_of(self.array.as_binary::<i32>()),
            DataType::LargeBinary => memory_of(self.array.as_binary::<i64>()),
            _ => return None,
        };
        // Ranges and offsets ascend, so equal lengths mean that no byte lies between two strings: neither of an
        // element outside the ranges nor of a null.
        let bytes: usize = strings.iter().map(|string| string.len()).sum();
        (bytes == end - start).then(|| memory.slice_with_length(start, bytes))
    }

    /// Appends strings.
    pub(crate) fn strings<'a>(
        &'a self,
        column: &ColumnDescriptor,
        to: &mut Vec<&'a [u8]>,
    ) -> Result<()> {
        macro_rules! append {
            ($array:expr) => {{
                let array = $array;
                self.for_each(|range| to.extend(range.map(|index| bytes(array.value(index)))))
            }};
        }
        match self.array.data_type() {
            _ if self.is_empty() => {}
            DataType::Utf8 => append!(self.array.as_string::<i32>()),
            DataType::LargeUtf8 => append!(self.array.as_string::<i64>()),
            DataType::Utf8View => append!(self.array.as_string_view()),
            DataType::Binary => append!(self.array.as_binary::<i32>()),
            DataType::LargeBinary => append!(self.array.as_binary::<i64>()),
            DataType::BinaryView => append!(self.array.as_binary_view()),
            DataType::FixedSizeBinary(_) => append!(self.array.as_fixed_size_binary()),
            other => return Err(not_convertible(other, column)),
        }
        Ok(())
    }
}

/// Appends values that are not null. Returns false if no kernel supports their width or their
/// alignment in memory.
fn compact(
    backend: Detected,
    from: &[u8],
    width: usize,
    nulls: &NullBuffer,
    to: &mut Vec<u8>,
) -> bool {
    fn numbers<T: Element + Pod>(
        backend: Detected,
        from: &[u8],
        bitmap: &[u8],
        to: &mut [u8],
    ) -> bool {
        let from = bytemuck::try_cast_slice::<u8, T>(from);
        let numbers = from
            .ok()
            .zip(bytemuck::try_cast_slice_mut::<u8, T>(to).ok());
        let written = numbers.map(|(from, to)| compact_with(backend, from, bitmap, to));
        written.is_some_and(|written| written.is_ok())
    }
    let start = to.len();
    let valid = nulls.len() - nulls.null_count();
    to.resize(start + valid * width, 0);
    let bitmap = nulls.inner().sliced();
    let room = &mut to[start..];
    let is_done = match width {
        4 => numbers::<u32>(backend, from, &bitmap, room),
        8 => numbers::<u64>(backend, from, &bitmap, room),
        16 => numbers::<u128>(backend, from, &bitmap, room),
        _ => false,
    };
    if !is_done {
        to.truncate(start);
    }
    is_done
}

/// Returns the memory of strings with offsets, and its part from the first of them to the last one.
fn memory_of<T: ByteArrayType>(array: &GenericByteArray<T>) -> (&Buffer, usize, usize) {
    let offsets = array.value_offsets();
    let ends = [offsets.first(), offsets.last()].map(|end| end.map_or(0, |end| end.as_usize()));
    (array.values(), ends[0], ends[1])
}

fn bytes<T: AsRef<[u8]> + ?Sized>(value: &T) -> &[u8] {
    value.as_ref()
}
