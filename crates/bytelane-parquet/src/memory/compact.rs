//! Drops values of arrays, in place if nothing else refers to their memory.

use super::byte_array;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, GenericByteArray, OffsetSizeTrait, make_array};
use arrow_buffer::{
    ArrowNativeType, BooleanBuffer, BooleanBufferBuilder, Buffer, MutableBuffer, NullBuffer,
};
use arrow_schema::{ArrowError, DataType};
use arrow_select::filter::{FilterBuilder, FilterPredicate};
use bytelane::validity::{Element, values};
use bytelane::{Destination, Detected};
use bytemuck::Pod;
use std::cell::OnceCell;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

/// Number of values that are compacted at once, in the first-level cache.
const BLOCK: usize = 512;

/// Number of ends of strings that are moved at once.
const ENDS: usize = 64;

/// Least part of the values that must remain so that they stay in their memory: a third of it may be unused
/// then.
const IN_PLACE: [usize; 2] = [3, 4];

/// Mask of the values of arrays to keep.
pub(crate) struct Compaction {
    backend: Detected,
    /// Bitmap that starts at the lowest bit of the first byte.
    bits: BooleanBuffer,
    kept: usize,
    /// Filter of Arrow for the other types.
    others: OnceCell<FilterPredicate>,
}

impl Compaction {
    /// Keeps the values whose bits are set. `None` if all of them are.
    pub(crate) fn new(backend: Detected, bits: BooleanBuffer) -> Option<Self> {
        let kept = bits.count_set_bits();
        let bits = if bits.offset() == 0 {
            bits
        } else {
            BooleanBuffer::new(bits.sliced(), 0, bits.len())
        };
        (kept < bits.len()).then(|| Self {
            backend,
            bits,
            kept,
            others: OnceCell::new(),
        })
    }

    /// Returns the values of an array to keep.
    ///
    /// # Errors
    ///
    /// Error of Arrow for arrays with another number of values than the mask.
    pub(crate) fn apply(&self, array: ArrayRef) -> Result<ArrayRef, ArrowError> {
        let is_mostly_kept = self.kept * IN_PLACE[1] >= self.bits.len() * IN_PLACE[0];
        if !is_mostly_kept || array.offset() > 0 || array.len() != self.bits.len() {
            return self.others().filter(&array);
        }
        match array.data_type() {
            DataType::Utf8 => self.strings(array.as_string::<i32>().clone(), array),
            DataType::LargeUtf8 => self.strings(array.as_string::<i64>().clone(), array),
            DataType::Binary => self.strings(array.as_binary::<i32>().clone(), array),
            DataType::LargeBinary => self.strings(array.as_binary::<i64>().clone(), array),
            other => match other.primitive_width() {
                Some(1) => self.numbers::<u8>(array),
                Some(2) => self.numbers::<u16>(array),
                Some(4) => self.numbers::<u32>(array),
                Some(8) => self.numbers::<u64>(array),
                Some(16) => self.numbers::<u128>(array),
                _ => self.others().filter(&array),
            },
        }
    }

    fn others(&self) -> &FilterPredicate {
        self.others.get_or_init(|| {
            let mask = BooleanArray::new(self.bits.clone(), None);
            FilterBuilder::new(&mask).optimize().build()
        })
    }

    fn nulls(&self, nulls: Option<&NullBuffer>) -> Result<Option<NullBuffer>, ArrowError> {
        let Some(nulls) = nulls else {
            return Ok(None);
        };
        let bits = BooleanArray::new(nulls.inner().clone(), None);
        let bits = self.others().filter(&bits)?;
        Ok(Some(NullBuffer::new(bits.as_boolean().values().clone())))
    }

    /// Drops values of a type with this width.
    fn numbers<T: Element + Pod>(&self, array: ArrayRef) -> Result<ArrayRef, ArrowError> {
        let data = array.to_data();
        // Now the data may be the only reference to its memory.
        drop(array);
        let nulls = self.nulls(data.nulls())?;
        let mut buffers = data.buffers().to_vec();
        let data = data.into_builder().buffers(Vec::new());
        let mut values = mutable(buffers.swap_remove(0));
        let bytes = self.kept * size_of::<T>();
        let numbers = bytemuck::cast_slice_mut(values.as_slice_mut());
        compact_values::<T>(self.backend, &self.bits, numbers);
        values.truncate(bytes);
        let data = data.len(self.kept).nulls(nulls);
        Ok(make_array(data.add_buffer(values.into()).build()?))
    }

    /// Drops strings or bytes; `array` is the same array as `strings`.
    fn strings<T: super::Content>(
        &self,
        strings: GenericByteArray<T>,
        array: ArrayRef,
    ) -> Result<ArrayRef, ArrowError> {
        drop(array);
        let nulls = self.nulls(strings.nulls())?;
        let (offsets, bytes, _) = strings.into_parts();
        let mut bytes = mutable(bytes);
        let mut offsets = vec_of(offsets.into_inner().into_inner());
        let (_, length) = compact_strings(&self.bits, &mut offsets, bytes.as_slice_mut());
        offsets.truncate(self.kept + 1);
        bytes.truncate(length);
        let bytes = vec_of(bytes.into());
        let array = byte_array::<T>(self.backend, offsets, bytes, nulls);
        let wrong = |_| ArrowError::InvalidArgumentError("strings that are not UTF-8".to_owned());
        Ok(Arc::new(array.map_err(wrong)?))
    }
}

/// Writes the values whose bits are set to the front of a slice, and returns them. The bits begin at the lowest bit
/// of the first byte.
pub(crate) fn compact_to<'a, T: Element>(
    backend: Detected,
    bits: &BooleanBuffer,
    values: &[T],
    to: impl Into<Destination<'a, T>>,
) -> &'a mut [T] {
    let kept = values::compact_with(backend, values, bits.values(), to);
    kept.expect("a bit for each value, and room for those that are set")
}

/// Moves the values whose bits are set to the front, and returns their number. The bits begin at the lowest bit of
/// the first byte.
pub(crate) fn compact_values<T: Element + Pod>(
    backend: Detected,
    bits: &BooleanBuffer,
    values: &mut [T],
) -> usize {
    let mut block = [const { MaybeUninit::<T>::uninit() }; BLOCK];
    let mut kept = 0;
    for start in (0..bits.len()).step_by(BLOCK) {
        let end = bits.len().min(start + BLOCK);
        let bitmap = &bits.values()[start / 8..];
        let dense = values::compact_with(backend, &values[start..end], bitmap, &mut block[..]);
        let dense = dense.expect("a bit for each value, and room for all");
        values[kept..kept + dense.len()].copy_from_slice(dense);
        kept += dense.len();
    }
    kept
}

/// Moves the values of `width` bytes whose bits are set to the front, and returns their number.
pub(crate) fn compact_runs(bits: &BooleanBuffer, width: usize, values: &mut [u8]) -> usize {
    let mut kept = 0;
    for (from, to) in bits.set_slices() {
        values.copy_within(from * width..to * width, kept * width);
        kept += to - from;
    }
    kept
}

/// Drops those of the last bits of a bitmap whose bits in `kept` are not set.
pub(crate) fn compact_bits(kept: &BooleanBuffer, bitmap: &mut BooleanBufferBuilder) {
    let start = bitmap.len() - kept.len();
    let mut last = BooleanBufferBuilder::new(kept.len());
    last.append_packed_range(start..bitmap.len(), bitmap.as_slice());
    bitmap.truncate(start);
    for (from, to) in kept.set_slices() {
        bitmap.append_packed_range(from..to, last.as_slice());
    }
}

/// Moves the strings whose bits are set to the front. `offsets` has one more offset than there are bits: that at
/// which the first string begins. Returns the number of strings that are left, and the offset of their end.
pub(crate) fn compact_strings<O: OffsetSizeTrait>(
    bits: &BooleanBuffer,
    offsets: &mut [O],
    bytes: &mut [u8],
) -> (usize, usize) {
    let first = offsets.first().map_or(0, |it| it.as_usize());
    let (mut kept, mut end) = (0, first);
    for (from, to) in bits.set_slices() {
        let (start, stop) = (offsets[from], offsets[to]);
        bytes.copy_within(start.as_usize()..stop.as_usize(), end);
        let moved = O::usize_as(start.as_usize() - end);
        move_ends(offsets, from + 1..to + 1, kept + 1, moved);
        kept += to - from;
        end += stop.as_usize() - start.as_usize();
    }
    (kept, end)
}

/// Moves the ends of strings to the front, and subtracts the number of bytes by which the strings were moved.
///
/// Old and new places may overlap. Each block is read before it is written, so that the compiler can use vectors.
fn move_ends<O: OffsetSizeTrait>(offsets: &mut [O], from: Range<usize>, to: usize, moved: O) {
    let mut block = [O::default(); ENDS];
    for start in from.clone().step_by(ENDS) {
        let count = ENDS.min(from.end - start);
        let block = &mut block[..count];
        block.copy_from_slice(&offsets[start..start + count]);
        block.iter_mut().for_each(|end| *end = *end - moved);
        let to = to + start - from.start;
        offsets[to..to + count].copy_from_slice(block);
    }
}

/// Returns memory that may be changed: the same, unless it is shared.
fn mutable(buffer: Buffer) -> MutableBuffer {
    buffer.into_mutable().unwrap_or_else(|buffer| {
        let mut copy = MutableBuffer::new(buffer.len());
        copy.extend_from_slice(buffer.as_slice());
        copy
    })
}

fn vec_of<T: ArrowNativeType>(buffer: Buffer) -> Vec<T> {
    let values = buffer.into_vec();
    values.unwrap_or_else(|buffer| buffer.typed_data::<T>().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{
        Decimal128Array, FixedSizeBinaryArray, Int8Array, Int16Array, Int32Array, Int64Array,
        LargeBinaryArray, StringArray, StringViewArray,
    };
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    fn arrays(values: &[Option<i8>]) -> Vec<ArrayRef> {
        let each = || values.iter().copied();
        let text = || each().map(|it| it.map(|it| "é".repeat(it.unsigned_abs().into())));
        let bytes = || each().map(|it| it.map(|it| [it as u8; 3]));
        vec![
            Arc::new(Int8Array::from_iter(each())),
            Arc::new(each().map(|it| it.map(i16::from)).collect::<Int16Array>()),
            Arc::new(each().map(|it| it.map(i32::from)).collect::<Int32Array>()),
            Arc::new(each().map(|it| it.map(i64::from)).collect::<Int64Array>()),
            Arc::new(
                each()
                    .map(|it| it.map(i128::from))
                    .collect::<Decimal128Array>(),
            ),
            Arc::new(
                each()
                    .map(|it| it.map(|it| it > 0))
                    .collect::<BooleanArray>(),
            ),
            Arc::new(text().collect::<StringArray>()),
            Arc::new(text().collect::<StringViewArray>()),
            Arc::new(bytes().collect::<LargeBinaryArray>()),
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes(), 3).expect("bytes"),
            ),
        ]
    }

    proptest! {
        #[test]
        fn values_are_those_that_arrow_keeps(
            values in vec(any::<Option<i8>>(), 1..1500),
            one_of in 2..40_usize,
            skipped in 0..10_usize,
            is_shared in any::<bool>(),
        ) {
            let bits: BooleanBuffer = (0..values.len()).map(|it| (it * 7919) % one_of > 0).collect();
            let mask = BooleanArray::new(bits.clone(), None);
            for array in arrays(&values) {
                let expected = arrow_select::filter::filter(&array, &mask).expect("values");
                let other = is_shared.then(|| Arc::clone(&array));
                let compaction = Compaction::new(Detected::active(), bits.clone());
                let kept = compaction.map_or_else(|| Ok(array.clone()), |it| it.apply(array.clone()));
                prop_assert_eq!(&kept.expect("values"), &expected);
                // Slices begin within bytes and values.
                let skipped = skipped.min(values.len());
                let (array, bits) = (array.slice(skipped, values.len() - skipped), bits.slice(skipped, bits.len() - skipped));
                let mask = BooleanArray::new(bits.clone(), None);
                let expected = arrow_select::filter::filter(&array, &mask).expect("values");
                let compaction = Compaction::new(Detected::active(), bits);
                let kept = compaction.map_or_else(|| Ok(array.clone()), |it| it.apply(array.clone()));
                prop_assert_eq!(&kept.expect("values"), &expected);
                drop(other);
            }
        }
    }

    #[test]
    fn memory_is_used_again() {
        let array: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
        let start = array.to_data().buffers()[0].as_ptr();
        let bits = BooleanBuffer::collect_bool(1000, |it| it % 50 > 0);
        let compaction = Compaction::new(Detected::active(), bits).expect("values to drop");
        let kept = compaction.apply(array).expect("values");
        assert_eq!(
            (kept.len(), kept.to_data().buffers()[0].as_ptr()),
            (980, start)
        );
    }
}
