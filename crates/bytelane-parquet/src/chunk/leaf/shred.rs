//! Converts rows of a nested array to the levels and the non-null values of a leaf: the record
//! shredding algorithm of Dremel.
//!
//! Each nested array on the path to the leaf is visited once. A slot is open until a null or an
//! empty list ends it. Open slots have the maximum definition level from the start, so that structs
//! and lists without nulls or empty lists change no levels.

use super::{LeafPath, LeafValues, Step};
use crate::page::{Definition, Repetition, SlotLevels};
use crate::{Error, Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, OffsetSizeTrait};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::DataType;
use std::iter::once;
use std::ops::Range;

/// Returns the levels and values of a leaf for all rows of an array.
pub(crate) fn shred(array: &ArrayRef, path: &LeafPath) -> Result<(SlotLevels, LeafValues)> {
    let rows = array.len();
    if path.nodes.is_empty() {
        return flat(array, path);
    }
    if let Some(lists) = filled(array, path) {
        return Ok(lists);
    }
    let mut walk = Walk {
        path,
        level: 0,
        rep_level: 0,
        definition: vec![path.max_def; rows],
        repetition: vec![0; if path.max_rep > 0 { rows } else { 0 }],
        ranges: once(0..rows).collect(),
        is_whole: true,
    };
    let mut array = ArrayRef::clone(array);
    for node in &path.nodes {
        array = match node.step {
            Step::Field(index) => {
                walk.drop_nulls(array.nulls(), node.is_nullable)?;
                ArrayRef::clone(array.as_struct().column(index))
            }
            Step::Entries => walk.enter(&array, node.is_nullable)?,
        };
    }
    walk.finish(array)
}

/// Returns the levels and values of a column that is not nested: its levels are its validity.
fn flat(array: &ArrayRef, path: &LeafPath) -> Result<(SlotLevels, LeafValues)> {
    let slots = array.len();
    let nulls = some_nulls(array.logical_nulls());
    let null_count = nulls.as_ref().map_or(0, NullBuffer::null_count);
    let definition = if path.is_nullable {
        Definition::Validity(vec![(slots, nulls.clone())])
    } else if null_count > 0 {
        return Err(required(null_count));
    } else {
        Definition::Required
    };
    let levels = SlotLevels {
        slots,
        rows: slots,
        values: slots - null_count,
        definition,
        repetition: Repetition::Rows,
    };
    let values = LeafValues::new(ArrayRef::clone(array), once(0..slots).collect(), nulls);
    Ok((levels, values))
}

/// Returns the levels and values of lists of values, if no list is empty and nothing is null: all slots have the
/// maximum definition level, and the repetition levels are bits.
fn filled(array: &ArrayRef, path: &LeafPath) -> Option<(SlotLevels, LeafValues)> {
    let [node] = path.nodes.as_slice() else {
        return None;
    };
    if !matches!(node.step, Step::Entries) || some_nulls(array.logical_nulls()).is_some() {
        return None;
    }
    let (entries, (range, bits)) = match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            (list.values(), entries_of(list.value_offsets())?)
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            (list.values(), entries_of(list.value_offsets())?)
        }
        DataType::FixedSizeList(_, length) if *length > 0 => {
            let (length, slots) = (*length as usize, array.len() * *length as usize);
            let starts = (0..slots).step_by(length);
            let entries = array.as_fixed_size_list().values();
            (entries, (0..slots, repetition_of(slots, starts)))
        }
        _ => return None,
    };
    if some_nulls(entries.slice(range.start, range.len()).logical_nulls()).is_some() {
        return None;
    }
    let levels = SlotLevels {
        slots: range.len(),
        rows: array.len(),
        values: range.len(),
        definition: Definition::Full(path.max_def),
        repetition: Repetition::Bits(bits),
    };
    let values = LeafValues::new(ArrayRef::clone(entries), once(range).collect(), None);
    Some((levels, values))
}

/// Returns the range of the entries of lists, and their repetition levels. Returns `None` if a list is empty.
fn entries_of<O: OffsetSizeTrait>(offsets: &[O]) -> Option<(Range<usize>, BooleanBuffer)> {
    let (first, last) = (offsets.first()?.as_usize(), offsets.last()?.as_usize());
    if offsets.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let starts = &offsets[..offsets.len() - 1];
    let starts = starts.iter().map(|offset| offset.as_usize() - first);
    Some((first..last, repetition_of(last - first, starts)))
}

/// Returns the repetition levels of the entries of lists that start at these entries.
fn repetition_of(slots: usize, starts: impl Iterator<Item = usize>) -> BooleanBuffer {
    let mut bits = vec![u8::MAX; slots.div_ceil(8)];
    starts.for_each(|slot| bits[slot / 8] &= !(1 << (slot % 8)));
    BooleanBuffer::new(Buffer::from_vec(bits), 0, slots)
}

fn some_nulls(nulls: Option<NullBuffer>) -> Option<NullBuffer> {
    nulls.filter(|nulls| nulls.null_count() > 0)
}

fn required(nulls: usize) -> Error {
    Error::new(Problem::Input(format!(
        "{nulls} nulls in a column that is not nullable"
    )))
}

/// Levels on the path to a leaf.
struct Walk<'a> {
    path: &'a LeafPath,
    /// Definition level of nulls in the next array.
    level: u16,
    rep_level: u16,
    /// Maximum level for open slots, final level for others.
    definition: Vec<u16>,
    /// Repetition levels; empty in columns without lists.
    repetition: Vec<u16>,
    /// Elements of the next array that belong to open slots, in order.
    ranges: Vec<Range<usize>>,
    /// Set if all slots are open.
    is_whole: bool,
}

impl Walk<'_> {
    /// Ends the slots that are null in the next array.
    fn drop_nulls(&mut self, nulls: Option<&NullBuffer>, is_nullable: bool) -> Result<()> {
        if let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) {
            let before = std::mem::take(&mut self.ranges);
            self.end_nulls(&before, nulls);
            let dropped = length(&before) - length(&self.ranges);
            if dropped > 0 && !is_nullable {
                return Err(required(dropped));
            }
            self.is_whole &= dropped == 0;
        }
        self.level += u16::from(is_nullable);
        Ok(())
    }

    fn end_nulls(&mut self, ranges: &[Range<usize>], nulls: &NullBuffer) {
        let (max, level) = (self.path.max_def, self.level);
        let mut slots = self.definition.iter_mut();
        for range in ranges {
            if self.is_whole {
                let part = nulls.slice(range.start, range.len());
                let mut done = 0;
                for (start, end) in part.valid_slices() {
                    slots.by_ref().take(start - done).for_each(|it| *it = level);
                    if end > start {
                        slots.nth(end - start - 1);
                    }
                    let (start, end) = (range.start + start, range.start + end);
                    push(&mut self.ranges, start..end);
                    done = end - range.start;
                }
                let rest = range.len() - done;
                slots.by_ref().take(rest).for_each(|it| *it = level);
                continue;
            }
            for index in range.clone() {
                let slot = slots.find(|slot| **slot == max);
                if nulls.is_valid(index) {
                    push(&mut self.ranges, index..index + 1)
                } else {
                    slot.into_iter().for_each(|slot| *slot = level)
                }
            }
        }
    }

    /// Replaces each open slot with one slot per entry of its list. Returns the entries.
    fn enter(&mut self, array: &ArrayRef, is_nullable: bool) -> Result<ArrayRef> {
        let nulls = array.nulls();
        let is_null = |index: usize| nulls.is_some_and(|nulls| nulls.is_null(index));
        macro_rules! by_offsets {
            ($list:expr) => {{
                let list = $list;
                let offsets = list.value_offsets();
                let range = |index: usize| offsets[index] as usize..offsets[index + 1] as usize;
                self.expand(is_nullable, is_null, range)?;
                ArrayRef::clone(list.values())
            }};
        }
        Ok(match array.data_type() {
            DataType::List(_) => by_offsets!(array.as_list::<i32>()),
            DataType::LargeList(_) => by_offsets!(array.as_list::<i64>()),
            DataType::Map(..) => {
                let map = array.as_map();
                let offsets = map.value_offsets();
                let range = |index: usize| offsets[index] as usize..offsets[index + 1] as usize;
                self.expand(is_nullable, is_null, range)?;
                std::sync::Arc::new(map.entries().clone())
            }
            DataType::FixedSizeList(_, length) => {
                let length = *length as usize;
                let range = |index: usize| index * length..(index + 1) * length;
                self.expand(is_nullable, is_null, range)?;
                ArrayRef::clone(array.as_fixed_size_list().values())
            }
            other => {
                let problem = format!("arrays of {other} are not supported where lists are");
                return Err(Problem::Unsupported(problem).into());
            }
        })
    }

    fn expand(
        &mut self,
        is_nullable: bool,
        is_null: impl Fn(usize) -> bool,
        range: impl Fn(usize) -> Range<usize>,
    ) -> Result<()> {
        let (max, null) = (self.path.max_def, self.level);
        let empty = null + u16::from(is_nullable);
        let repeated = self.rep_level + 1;
        let ranges = std::mem::take(&mut self.ranges);
        let filled = ranges.iter().filter(|lists| !lists.is_empty());
        let entries = filled.map(|lists| range(lists.end - 1).end - range(lists.start).start);
        let most = self.definition.len() + entries.sum::<usize>();
        let mut lists = ranges.into_iter().flatten();
        // Most slots are entries after the first one of a list.
        let mut definition = vec![max; most];
        let mut repetition = vec![repeated; most];
        let (mut slot, mut nulls) = (0, 0);
        for (&level, &first) in self.definition.iter().zip(&self.repetition) {
            repetition[slot] = first;
            let list = if level == max { lists.next() } else { None };
            let Some(list) = list else {
                definition[slot] = level;
                slot += 1;
                continue;
            };
            let entries = range(list);
            if is_null(list) {
                nulls += 1;
                definition[slot] = null;
                slot += 1;
            } else if entries.is_empty() {
                self.is_whole = false;
                definition[slot] = empty;
                slot += 1;
            } else {
                slot += entries.len();
                push(&mut self.ranges, entries);
            }
        }
        definition.truncate(slot);
        repetition.truncate(slot);
        if nulls > 0 && !is_nullable {
            return Err(required(nulls));
        }
        self.is_whole &= nulls == 0;
        self.level = empty + 1;
        self.rep_level = repeated;
        self.definition = definition;
        self.repetition = repetition;
        Ok(())
    }

    fn finish(mut self, array: ArrayRef) -> Result<(SlotLevels, LeafValues)> {
        let nulls = some_nulls(array.logical_nulls());
        let ranges = self.ranges.clone();
        self.drop_nulls(nulls.as_ref(), self.path.is_nullable)?;
        let is_first = |level: &&u16| **level == 0;
        let slots = self.definition.len();
        let levels = SlotLevels {
            slots,
            rows: match self.path.max_rep {
                0 => slots,
                _ => self.repetition.iter().filter(is_first).count(),
            },
            values: length(&self.ranges),
            definition: match self.path.max_def {
                0 => Definition::Required,
                max if self.is_whole => Definition::Full(max),
                _ => Definition::Levels(self.definition),
            },
            repetition: match self.path.max_rep {
                0 => Repetition::Rows,
                _ => Repetition::Levels(self.repetition),
            },
        };
        Ok((levels, LeafValues::new(array, ranges, nulls)))
    }
}

/// Returns the number of elements.
fn length(ranges: &[Range<usize>]) -> usize {
    ranges.iter().map(Range::len).sum()
}

/// Appends a range, or extends the last one if it is adjacent.
fn push(ranges: &mut Vec<Range<usize>>, next: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == next.start => last.end = next.end,
        _ => ranges.push(next),
    }
}
