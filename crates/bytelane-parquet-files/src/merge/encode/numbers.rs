//! Decodes flat columns of numbers directly from the pages of all inputs, without a reader for each.

use crate::merge::input::RowGroup;
use crate::merge::join::Input;
use crate::merge::leaf::{Leaf, StoredPage};
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, Buffer, ScalarBuffer};
use arrow_schema::DataType;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::format::Encoding;
use bytelane_parquet::page::{NumberBits, NumberPages, PageKind, codec_in_parquet, read_header};
use bytelane_parquet::{Error, Result};
use parquet::schema::types::ColumnDescriptor;
use std::sync::Arc;

/// Returns the values of a column of these row groups; `None` if it does not consist of flat numbers in common
/// encodings, or exceeds the memory limit.
pub(super) fn array(
    groups: &[RowGroup],
    inputs: &[Input],
    column: &ColumnDescriptor,
    data_type: &DataType,
    memory: MemoryLimit,
) -> Result<Option<ArrayRef>> {
    let leaves = || {
        inputs.iter().filter_map(|input| match input {
            Input::Leaf(leaf) => Some(&**leaf),
            Input::Missing(_) => None,
        })
    };
    let is_common = |page: &StoredPage| {
        let encoding = page.page.encoding();
        matches!(
            encoding,
            Some(Encoding::Plain | Encoding::PlainDictionary | Encoding::RleDictionary)
        )
    };
    let is_whole = inputs.len() == leaves().count();
    if !is_whole
        || column.path().parts().len() > 1
        || !leaves().flat_map(Leaf::data_pages).all(is_common)
    {
        return Ok(None);
    }
    let chunks = groups.iter().zip(leaves());
    let array = match data_type {
        DataType::Int32 => read::<Int32Type, u32>(chunks, column, memory),
        DataType::Int64 => read::<Int64Type, u64>(chunks, column, memory),
        DataType::Float32 => read::<Float32Type, u32>(chunks, column, memory),
        DataType::Float64 => read::<Float64Type, u64>(chunks, column, memory),
        _ => Ok(None),
    };
    match array {
        Err(error) if error.is_of_memory() || error.is_obstacle() => Ok(None),
        array => array,
    }
}

fn read<'a, T: ArrowPrimitiveType, N: NumberBits + ArrowNativeType>(
    chunks: impl Iterator<Item = (&'a RowGroup, &'a Leaf)> + Clone,
    column: &ColumnDescriptor,
    memory: MemoryLimit,
) -> Result<Option<ArrayRef>> {
    let leaves = chunks.clone().map(|(_, leaf)| leaf);
    let sizes = leaves.clone().flat_map(Leaf::data_pages);
    let slots = sizes.map(|page| page.page.values().unsigned_abs());
    let slots = slots.fold(0, u64::saturating_add);
    let bytes = leaves.map(|leaf| leaf.chunk.bytes()).sum();
    if slots.saturating_mul(size_of::<N>() as u64) > memory.of_column(bytes) {
        return Ok(None);
    }
    let mut numbers: Option<NumberPages<N>> = None;
    for (group, leaf) in chunks {
        let (budget, most) = leaf.limits();
        let codec = codec_in_parquet(leaf.metadata().codec)?;
        let numbers = match &mut numbers {
            Some(numbers) => {
                numbers.next_chunk(codec, column, most, &budget)?;
                numbers
            }
            None => {
                let numbers = numbers.insert(NumberPages::new(codec, column, most, &budget)?);
                // A damaged footer may claim any number of rows.
                numbers.reserve(slots.min(bytes) as usize);
                numbers
            }
        };
        add_chunk(numbers, leaf).map_err(|error| group.located(error))?;
    }
    let Some(numbers) = numbers else {
        return Ok(None);
    };
    let (numbers, nulls) = numbers.finish();
    let rows = numbers.len();
    let numbers = ScalarBuffer::new(Buffer::from_vec(numbers), 0, rows);
    Ok(Some(Arc::new(PrimitiveArray::<T>::new(numbers, nulls))))
}

/// Adds the pages of a chunk.
fn add_chunk<N: NumberBits>(numbers: &mut NumberPages<N>, leaf: &Leaf) -> Result<()> {
    let before = numbers.rows();
    let mut number = 0;
    for stored in &leaf.pages {
        let added = add(numbers, stored);
        added.map_err(|error| error.in_page(number))?;
        number += usize::from(stored.page.is_data());
    }
    let (rows, expected) = (numbers.rows() - before, leaf.rows);
    if rows as u64 == expected {
        Ok(())
    } else {
        let problem = format!("its pages have {rows} rows, but the row group has {expected}");
        Err(Error::corrupt(problem))
    }
}

fn add<N: NumberBits>(numbers: &mut NumberPages<N>, stored: &StoredPage) -> Result<()> {
    let (checked, body) = (read_header(&stored.page.header)?, stored.body());
    checked.check(&body)?;
    match checked.kind {
        PageKind::Data(page) => numbers.add(&page, body),
        PageKind::Dictionary(page) => numbers.dictionary(&page, body),
        PageKind::Symbols(_) | PageKind::Other => Ok(()),
    }
}
