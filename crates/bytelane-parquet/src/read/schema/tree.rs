//! Represents columns as trees: the arrays of leaves, and the lists, structs and maps around them.
//! Levels encode the positions of lists and structs. Each optional or repeated group adds 1 to the
//! definition levels; each repeated group adds 1 to the repetition levels. For `optional group
//! (LIST) { repeated group { optional int32 } }`, they mean:
//!
//! | repetition | definition | meaning |
//! |--:|--:|---|
//! | 0 | 0 | a row whose list is null |
//! | 0 | 1 | a row whose list is empty |
//! | 0 | 2 | a row whose list begins with a null |
//! | 0 | 3 | a row whose list begins with a number |
//! | 1 | 2 | another entry of the same list: a null |
//! | 1 | 3 | another entry of the same list: a number |
//!
//! The rows `[7, null]`, `[]` and `null` thus have the repetition levels 0, 1, 0, 0 and the
//! definition levels 3, 2, 1, 0. The array of a leaf has no slots for lists that are empty or null:
//! here it is 7 and null. The tree decodes the levels to the offsets 0, 2, 2, 2 and the validity
//! bits 1, 1, 0 of the lists. For a given node, all leaves below it have equivalent levels.

use super::super::leaf::{LeafArray, Levels};
use crate::budget::Reservation;
use crate::page::bits_from;
use crate::{Error, Problem, Result};
use arrow_array::builder::UInt64Builder;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, GenericListViewArray, MapArray,
    OffsetSizeTrait, StructArray, UInt64Array, make_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, FieldRef};
use arrow_select::take::take;
use bytelane::Detected;
use bytelane::validity;
use bytelane::validity::lists::{List, Offset};
use std::sync::Arc;

/// Column, or a part of one.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) data_type: DataType,
    /// List around the node.
    pub(crate) list: Option<List<u8>>,
    /// Minimum definition level at which it is not null, if it may be null.
    pub(crate) valid_from: Option<u8>,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Number of the leaf among those that are read.
    Leaf(usize),
    Struct(Vec<Node>),
    /// Lists of any kind, and their entries. Maps are lists of structs.
    List(List<u8>, Box<Node>),
}

fn not_levels(error: validity::Error) -> Error {
    Error::corrupt(format!("the levels: {error}"))
}

impl Node {
    /// Assembles the array of a column. Takes the column's own leaves from `leaves`.
    pub(crate) fn assemble(
        &self,
        backend: Detected,
        leaves: &mut [Option<LeafArray>],
        memory: &Reservation,
    ) -> Result<ArrayRef> {
        // The levels of any leaf describe all ancestors.
        let levels = self.take_levels(leaves);
        self.array(backend, &levels, leaves, memory)
    }

    fn take_levels(&self, leaves: &mut [Option<LeafArray>]) -> Levels {
        let leaf = leaves[self.first_leaf()].as_mut();
        leaf.map(|leaf| std::mem::take(&mut leaf.levels))
            .unwrap_or_default()
    }

    /// Returns the numbers of its leaves.
    pub(crate) fn leaves(&self) -> Vec<usize> {
        match &self.kind {
            Kind::Leaf(leaf) => vec![*leaf],
            Kind::Struct(children) => children.iter().flat_map(Node::leaves).collect(),
            Kind::List(_, entries) => entries.leaves(),
        }
    }

    fn first_leaf(&self) -> usize {
        match &self.kind {
            Kind::Leaf(leaf) => *leaf,
            Kind::Struct(children) => children.first().map_or(0, Node::first_leaf),
            Kind::List(_, entries) => entries.first_leaf(),
        }
    }

    fn array(
        &self,
        backend: Detected,
        levels: &Levels,
        leaves: &mut [Option<LeafArray>],
        memory: &Reservation,
    ) -> Result<ArrayRef> {
        match &self.kind {
            Kind::Leaf(leaf) => match leaves[*leaf].take() {
                Some(leaf) => Ok(leaf.array),
                None => Err(not_readable(&self.data_type)),
            },
            Kind::Struct(children) => {
                let nulls = self.nulls(backend, levels)?;
                let arrays = children.iter().enumerate().map(|(number, child)| {
                    if number == 0 {
                        return child.array(backend, levels, leaves, memory);
                    }
                    // Levels of the same ancestors, but the lists below belong to this child.
                    let own = child.take_levels(leaves);
                    child.array(backend, &own, leaves, memory)
                });
                let arrays = arrays.collect::<Result<Vec<_>>>()?;
                self.structs(arrays, nulls)
            }
            Kind::List(list, entries) => {
                let array = entries.array(backend, levels, leaves, memory)?;
                // An offset and a bit for each level; few of them may remain.
                let levels_or_rows = levels.starts().map_or(levels.len(), |it| it.0.len());
                memory.add(9 * levels_or_rows as u64)?;
                let nulls = self.list_nulls(backend, *list, levels)?;
                if let (DataType::FixedSizeList(entry, length), Some(nulls)) =
                    (&self.data_type, &nulls)
                {
                    let bytes = bytes_of_null_lists(nulls.null_count(), *length, entry, &array)?;
                    memory.add(bytes)?;
                }
                self.lists(backend, *list, levels, array, nulls)
            }
        }
    }

    fn structs(&self, arrays: Vec<ArrayRef>, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let DataType::Struct(fields) = &self.data_type else {
            return Err(not_readable(&self.data_type));
        };
        Ok(Arc::new(StructArray::try_new(
            fields.clone(),
            arrays,
            nulls,
        )?))
    }

    /// Returns the validity of structs.
    fn nulls(&self, backend: Detected, levels: &Levels) -> Result<Option<NullBuffer>> {
        let Some(from) = self.valid_from.filter(|_| levels.starts().is_none()) else {
            return Ok(None);
        };
        let (repetition, definition) = levels.all();
        let mut bits = vec![0; definition.len().div_ceil(8)];
        let found = match (self.list, repetition) {
            (None, []) => {
                let valid = bits_from(backend, from, definition, &mut bits)?;
                return Ok(null_buffer(bits, definition.len(), valid));
            }
            // Treat it as a list with one entry per row.
            (None, _) => {
                let rows = List::<u8>::new(from.into()).ok_or_else(too_deep)?;
                rows.validity_with(backend, repetition, definition, &mut bits[..])
            }
            (Some(list), _) => {
                list.entries_with(backend, from, repetition, definition, &mut bits[..])
            }
        };
        let (_, found) = found.map_err(not_levels)?;
        Ok(null_buffer(bits, found.count, found.valid))
    }

    fn list_nulls(
        &self,
        backend: Detected,
        list: List<u8>,
        levels: &Levels,
    ) -> Result<Option<NullBuffer>> {
        if self.valid_from.is_none() || levels.starts().is_some() {
            return Ok(None);
        }
        let (repetition, definition) = levels.all();
        let mut bits = vec![0; definition.len().div_ceil(8)];
        let (_, found) = list
            .validity_with(backend, repetition, definition, &mut bits[..])
            .map_err(not_levels)?;
        Ok(null_buffer(bits, found.count, found.valid))
    }

    fn lists(
        &self,
        backend: Detected,
        list: List<u8>,
        levels: &Levels,
        entries: ArrayRef,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef> {
        Ok(match &self.data_type {
            DataType::List(field) => {
                let offsets = offsets::<i32>(backend, list, levels)?;
                list_array(field, offsets, entries, nulls)?
            }
            DataType::LargeList(field) => {
                let offsets = offsets::<i64>(backend, list, levels)?;
                list_array(field, offsets, entries, nulls)?
            }
            DataType::ListView(field) => {
                let offsets = offsets::<i32>(backend, list, levels)?;
                list_view_array(field, &offsets, entries, nulls)?
            }
            DataType::LargeListView(field) => {
                let offsets = offsets::<i64>(backend, list, levels)?;
                list_view_array(field, &offsets, entries, nulls)?
            }
            DataType::Map(field, sorted) => {
                let offsets = offsets::<i32>(backend, list, levels)?;
                let DataType::Struct(_) = entries.data_type() else {
                    return Err(not_readable(&self.data_type));
                };
                let entries = StructArray::from(entries.to_data());
                let map = MapArray::try_new(Arc::clone(field), offsets, entries, nulls, *sorted)?;
                Arc::new(map)
            }
            DataType::FixedSizeList(field, length) => {
                let offsets = offsets::<i64>(backend, list, levels)?;
                fixed_size_lists(field, *length, &offsets, &entries, nulls)?
            }
            other => return Err(not_readable(other)),
        })
    }
}

fn null_buffer(mut bits: Vec<u8>, count: usize, valid: usize) -> Option<NullBuffer> {
    bits.truncate(count.div_ceil(8));
    bits.shrink_to_fit();
    let nulls = || NullBuffer::new(BooleanBuffer::new(bits.into(), 0, count));
    (valid < count).then(nulls)
}

fn offsets<O: Offset + OffsetSizeTrait>(
    backend: Detected,
    list: List<u8>,
    levels: &Levels,
) -> Result<OffsetBuffer<O>> {
    if let Some((starts, count)) = levels.starts() {
        return offsets_of(starts, count);
    }
    let (repetition, definition) = levels.all();
    let mut offsets = vec![O::default(); definition.len() + 1];
    let written = list.offsets_with(backend, repetition, definition, &mut offsets[..]);
    let count = written.map_err(not_levels)?.len();
    offsets.truncate(count);
    offsets.shrink_to_fit();
    Ok(OffsetBuffer::new(offsets.into()))
}

/// Returns the offsets of lists that begin at these places, of `count` values.
fn offsets_of<O: OffsetSizeTrait>(starts: &[usize], count: usize) -> Result<OffsetBuffer<O>> {
    if starts.first() != Some(&0) {
        return Err(Error::corrupt(
            "the levels: the first one does not begin a row",
        ));
    }
    let offsets = starts.iter().chain([&count]);
    let offsets = offsets.map(|place| O::from_usize(*place));
    let offsets: Option<Vec<O>> = offsets.collect();
    let offsets =
        offsets.ok_or_else(|| Error::corrupt("lists of too many values for their offsets"))?;
    Ok(OffsetBuffer::new(offsets.into()))
}

fn list_array<O: OffsetSizeTrait>(
    field: &FieldRef,
    offsets: OffsetBuffer<O>,
    entries: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let lists = GenericListArray::try_new(Arc::clone(field), offsets, entries, nulls)?;
    Ok(Arc::new(lists))
}

fn list_view_array<O: OffsetSizeTrait>(
    field: &FieldRef,
    offsets: &OffsetBuffer<O>,
    entries: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let starts = ScalarBuffer::from(offsets[..offsets.len() - 1].to_vec());
    let sizes = offsets.windows(2).map(|pair| pair[1] - pair[0]);
    let sizes: ScalarBuffer<O> = sizes.collect();
    let lists = GenericListViewArray::try_new(Arc::clone(field), starts, sizes, entries, nulls)?;
    Ok(Arc::new(lists))
}

/// Returns the memory, in bytes, of fixed-size lists that are null and have no entries in the file,
/// including the indices of their entries.
fn bytes_of_null_lists(
    count: usize,
    length: i32,
    field: &FieldRef,
    entries: &ArrayRef,
) -> Result<u64> {
    let entry = if field.is_nullable() || entries.is_empty() {
        bytes_of_slot(entries.data_type())
    } else {
        // Null lists repeat the first entry.
        bytes_of_own(&*take(entries, &UInt64Array::from(vec![0]), None)?)
    };
    let entry = entry.saturating_add(size_of::<Option<u64>>() as u64);
    let length = u64::try_from(length).unwrap_or(0);
    Ok((count as u64).saturating_mul(length).saturating_mul(entry))
}

/// Returns the size, in bytes, of the values that an array does not share with others taken from
/// the same array.
fn bytes_of_own(values: &dyn Array) -> u64 {
    let data = values.to_data();
    match values.data_type() {
        DataType::Dictionary(..)
        | DataType::Utf8View
        | DataType::BinaryView
        | DataType::ListView(_)
        | DataType::LargeListView(_) => 16 * values.len() as u64,
        _ if data.child_data().is_empty() => data.get_slice_memory_size().unwrap_or(0) as u64,
        _ => {
            let children = data.child_data().iter().cloned().map(make_array);
            let children = children.map(|child| bytes_of_own(&*child));
            children.fold(16 * values.len() as u64, u64::saturating_add)
        }
    }
}

/// Returns the size of a null slot in an array, in bytes.
fn bytes_of_slot(data_type: &DataType) -> u64 {
    match data_type {
        DataType::FixedSizeList(entry, length) => {
            let length = u64::try_from(*length).unwrap_or(0);
            length.saturating_mul(bytes_of_slot(entry.data_type()))
        }
        DataType::FixedSizeBinary(width) => u64::try_from(*width).unwrap_or(0),
        DataType::Struct(fields) => {
            let fields = fields.iter().map(|field| bytes_of_slot(field.data_type()));
            fields.fold(1, u64::saturating_add)
        }
        other => other.primitive_width().unwrap_or(16) as u64,
    }
}

/// Assembles fixed-size lists. Null lists have no entries in the file, but they do in Arrow.
fn fixed_size_lists(
    field: &FieldRef,
    length: i32,
    offsets: &OffsetBuffer<i64>,
    entries: &ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef> {
    let count = offsets.len() - 1;
    let wanted = i64::from(length);
    let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    let other = (0..count).find(|row| {
        let found = offsets[*row + 1] - offsets[*row];
        found != if is_null(*row) { 0 } else { wanted }
    });
    if let Some(row) = other {
        return Err(Error::corrupt(format!(
            "a list of {} values where all have {length}",
            offsets[row + 1] - offsets[row]
        )));
    }
    let entries = match &nulls {
        None => Arc::clone(entries),
        Some(_) => {
            // If entries cannot be null, any entry will do.
            let other = (!field.is_nullable() && !entries.is_empty()).then_some(0);
            let slots = count.saturating_mul(usize::try_from(length).unwrap_or(0));
            let mut places = UInt64Builder::with_capacity(slots);
            for row in 0..count {
                let start = offsets[row];
                let place = |at: i64| {
                    if is_null(row) {
                        other
                    } else {
                        Some((start + at) as u64)
                    }
                };
                (0..wanted).for_each(|at| places.append_option(place(at)));
            }
            take(entries, &places.finish(), None)?
        }
    };
    let field = Arc::clone(field);
    let lists = FixedSizeListArray::try_new_with_length(field, length, entries, nulls, count)?;
    Ok(Arc::new(lists))
}

pub(crate) fn not_readable(data_type: &DataType) -> Error {
    Problem::Unsupported(format!("its groups cannot be read as {data_type}")).into()
}

pub(crate) fn too_deep() -> Error {
    Problem::Unsupported("it is nested more than 255 levels deep".to_owned()).into()
}
