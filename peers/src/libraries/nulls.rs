//! Nulls in the crate `parquet`. Its functions are private, so this calls their parts:
//! `BooleanBufferBuilder` for levels (`arrow/record_reader/definition_levels.rs`), the loop over
//! set bits from the last one on for spreading (`arrow/record_reader/buffer.rs`), and for
//! compacting `filter` of `arrow-select`, which is faster than its writer's list of indices.

use super::buffers::{Received, Work, is_fresh, show};
use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::{Array, ArrowPrimitiveType, BooleanArray, PrimitiveArray};
use arrow_buffer::bit_chunk_iterator::UnalignedBitChunk;
use arrow_buffer::{BooleanBuffer, Buffer, ScalarBuffer};
use arrow_select::filter::{FilterBuilder, FilterPredicate};
use bytelane_catalog::validity::Places;
use bytemuck::Pod;

/// Converts levels of a column with a maximum of 1 to a bitmap: as for a page that has both values
/// and nulls.
pub fn bitmap() -> Work<'static> {
    Box::new(move |levels, bytes| {
        let levels: &[i16] = bytemuck::cast_slice(levels);
        let max = std::hint::black_box(1);
        let mut nulls = BooleanBufferBuilder::new(0);
        // SAFETY: the iterator of a slice knows its length.
        unsafe { nulls.extend_trusted_len(levels.iter().map(|&level| level == max)) };
        show(nulls.finish().values(), bytes)
    })
}

/// Converts a bitmap to levels.
pub fn levels() -> Work<'static> {
    let mut bitmap = Received::default();
    Box::new(move |bytes, levels| {
        let levels: &mut [i16] = bytemuck::cast_slice_mut(levels);
        let max = std::hint::black_box(1);
        let nulls = BooleanBuffer::new(Buffer::from(bitmap.of(bytes)), 0, levels.len());
        for (level, is_valid) in levels.iter_mut().zip(&nulls) {
            *level = max - i16::from(!is_valid);
        }
        size_of_val(levels)
    })
}

/// Spreads dense values. The reader decodes them to the front of the destination; here, a copy puts
/// them there.
pub fn spread<T: Pod>(percent: usize) -> Work<'static> {
    let places = Places::new(percent as u32);
    Box::new(move |dense, bytes| {
        let is_fresh = is_fresh(bytes);
        let dense: &[T] = bytemuck::cast_slice(dense);
        let count = places.of_values(dense.len());
        let bitmap = places.bitmap(count);
        let values: &mut [T] = bytemuck::cast_slice_mut(&mut bytes[..count * size_of::<T>()]);
        values[..dense.len()].copy_from_slice(dense);
        values[dense.len()..].fill(T::zeroed());
        // Bits after the last position belong to no value.
        let set = set_from_the_last(&bitmap).skip_while(|&place| place >= count);
        for (value, place) in (0..dense.len()).rev().zip(set) {
            if place <= value {
                break;
            }
            values[place] = values[value];
        }
        if is_fresh {
            // It leaves other values in place of nulls. They are compared before timing.
            let nulls = (0..count).filter(|i| bitmap[i / 8] >> (i % 8) & 1 == 0);
            nulls.for_each(|i| values[i] = T::zeroed());
        }
        size_of_val(values)
    })
}

fn set_from_the_last(bitmap: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let bits = 8 * bitmap.len();
    let words = UnalignedBitChunk::new(bitmap, 0, bits);
    let mut end = bits + words.lead_padding() + words.trailing_padding();
    let chunks = words.chunks().iter().copied();
    let all = words
        .prefix()
        .into_iter()
        .chain(chunks)
        .chain(words.suffix());
    all.rev().flat_map(move |word| {
        let start = end - 64;
        end = start;
        let mut reversed = word.reverse_bits();
        std::iter::from_fn(move || {
            if reversed == 0 {
                return None;
            }
            let place = reversed.trailing_zeros();
            reversed &= reversed - 1;
            Some(start + (63 - place as usize))
        })
    })
}

/// Compacts values. The time in which the filter analyses its bits once is not counted, nor is the
/// copy of the input. Without nulls, the filter returns its input; a copy of it is counted, since the
/// caller of both has a destination.
pub fn compact<T: ArrowPrimitiveType>(percent: usize) -> Work<'static> {
    let places = Places::new(percent as u32);
    let mut predicate: Option<(usize, FilterPredicate)> = None;
    let mut received = Received::default();
    Box::new(move |bytes, dense| {
        let count = places.of_values(dense.len() / size_of::<T::Native>());
        if predicate.as_ref().is_none_or(|(of, _)| *of != count) {
            let bitmap = Buffer::from(places.bitmap(count).into_owned());
            let filter = BooleanArray::new(BooleanBuffer::new(bitmap, 0, count), None);
            predicate = Some((count, FilterBuilder::new(&filter).build()));
        }
        let (_, filter) = predicate.as_ref().expect("it was made");
        let input = received.of(bytes);
        let values = ScalarBuffer::new(Buffer::from(input.clone()), 0, count);
        let values = PrimitiveArray::<T>::new(values, None);
        let found = filter.filter(&values).expect("as many values as bits");
        let found = found.to_data();
        let found = found.buffers()[0].as_slice();
        if found.as_ptr() == input.as_ptr() {
            dense[..found.len()].copy_from_slice(found);
        }
        show(found, dense)
    })
}
