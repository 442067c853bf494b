//! Builds arrays of offsets into the bytes of all values.

use super::super::encodings::dictionary::{Mask, Table};
use super::super::encodings::plain::Entries;
use super::super::encodings::room::Room;
use super::super::pages::Page;
use super::super::values::{Values, no_dictionary};
use crate::Result;
use crate::budget::{Budget, Reservation};
use crate::memory::{self, Content, compact_strings};
use arrow_array::{ArrayRef, GenericByteArray, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer};
use bytelane::Detected;
use std::sync::Arc;

/// Builder for an array with offsets.
pub(crate) struct Offsets<T: Content> {
    backend: Detected,
    memory: Reservation,
    /// Offsets at which the values begin and end.
    pub(crate) offsets: Vec<T::Offset>,
    pub(crate) bytes: Vec<u8>,
    /// Ends of values before they are spread to the slots.
    dense: Vec<T::Offset>,
    table: Option<Table>,
}

impl<T: Content> Offsets<T> {
    pub(crate) fn new(backend: Detected, budget: &Budget) -> Self {
        Self {
            backend,
            memory: budget.reservation(),
            offsets: vec![T::Offset::default()],
            bytes: Vec::new(),
            dense: Vec::new(),
            table: None,
        }
    }

    pub(crate) fn slots(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the remaining room for the bytes of values, with another `slots` slots.
    pub(crate) fn room(&self, slots: usize) -> Result<Room<'_>> {
        room(&self.memory, &self.offsets, slots)
    }

    /// Appends the entries that the keys refer to.
    pub(crate) fn append_entries(&mut self, entries: &Entries, keys: &[u32]) -> Result<()> {
        let room = room(&self.memory, &self.offsets, keys.len())?;
        for key in keys {
            // Nulls have the key 0, even if there are no entries.
            if let Some((_, length)) = entries.places.get(*key as usize) {
                room.check(self.bytes.len() as u64 + u64::from(*length))?;
                self.bytes.extend_from_slice(entries.get(*key as usize));
            }
            self.offsets.push(T::Offset::usize_as(self.bytes.len()));
        }
        Ok(())
    }

    /// Returns the array of all values, and starts a new one.
    pub(crate) fn take(&mut self, nulls: Option<NullBuffer>) -> Result<GenericByteArray<T>> {
        let first = vec![T::Offset::default()];
        let offsets = std::mem::replace(&mut self.offsets, first);
        let bytes = std::mem::take(&mut self.bytes);
        Ok(memory::byte_array(self.backend, offsets, bytes, nulls)?)
    }
}

/// Returns the room for the bytes of values, with another `slots` slots.
fn room<'a, O: OffsetSizeTrait>(
    memory: &'a Reservation,
    offsets: &Vec<O>,
    slots: usize,
) -> Result<Room<'a>> {
    let slots = offsets.len().saturating_add(slots);
    let expected = slots.max(offsets.capacity());
    let room = Room::new(memory, O::MAX_OFFSET as u64).beside(expected, size_of::<O>())?;
    // The first offset belongs to no slot.
    Ok(room.with_slots(slots - 1, expected - 1))
}

fn copy<O: OffsetSizeTrait>(
    page: &mut Page,
    table: &mut Option<Table>,
    ends: &mut [O],
    bytes: &mut Vec<u8>,
    room: &Room<'_>,
) -> Result<()> {
    match page {
        Page::Plain(page) => page.copy(ends, bytes, room),
        Page::DeltaLength(page) => page.copy(ends, bytes, room),
        Page::Delta(page) => page.copy(ends, bytes, room),
        Page::Indices(page) => match table {
            Some(table) => table.copy(page, None, ends, bytes, room).map(drop),
            None => Err(no_dictionary()),
        },
    }
}

impl<T: Content> Values for Offsets<T> {
    fn keep_dictionary(&mut self, entries: Entries) -> Result<()> {
        self.table = Some(Table::new(&entries));
        Ok(())
    }

    fn reserve(&mut self, slots: usize) {
        if self.room(slots).is_ok() {
            self.offsets.reserve(slots);
        }
    }

    fn append(&mut self, page: &mut Page, count: usize) -> Result<()> {
        let room = room(&self.memory, &self.offsets, count)?;
        let start = self.offsets.len();
        self.offsets.resize(start + count, T::Offset::default());
        let ends = &mut self.offsets[start..];
        copy(page, &mut self.table, ends, &mut self.bytes, &room)
    }

    fn append_kept(&mut self, page: &mut Page, bits: &BooleanBuffer) -> Result<()> {
        if let Page::Delta(_) = page {
            // Each value depends on the one before it.
            self.append(page, bits.len())?;
            self.retain(bits);
            return Ok(());
        }
        let room = room(&self.memory, &self.offsets, bits.len())?;
        let start = self.offsets.len();
        self.offsets
            .resize(start + bits.len(), T::Offset::default());
        let (ends, to) = (&mut self.offsets[start..], &mut self.bytes);
        let kept = match (page, &mut self.table) {
            (Page::Plain(page), _) => page.copy_kept(bits, ends, to, &room)?,
            (Page::DeltaLength(page), _) => page.copy_kept(bits, ends, to, &room)?,
            (Page::Indices(page), Some(table)) => {
                let backend = self.backend;
                let mask = Mask { backend, bits };
                table.copy(page, Some(&mask), ends, to, &room)?
            }
            _ => return Err(no_dictionary()),
        };
        self.offsets.truncate(start + kept);
        Ok(())
    }

    fn append_nulls(&mut self, count: usize) -> Result<()> {
        self.room(count)?;
        let end = T::Offset::usize_as(self.bytes.len());
        self.offsets.resize(self.offsets.len() + count, end);
        Ok(())
    }

    fn append_mixed(
        &mut self,
        page: &mut Page,
        bits: &[u8],
        slots: usize,
        valid: usize,
    ) -> Result<()> {
        let room = room(&self.memory, &self.offsets, slots)?;
        self.dense.clear();
        self.dense.push(T::Offset::usize_as(self.bytes.len()));
        self.dense.resize(valid + 1, T::Offset::default());
        let ends = &mut self.dense[1..];
        copy(page, &mut self.table, ends, &mut self.bytes, &room)?;
        let start = self.offsets.len();
        self.offsets.resize(start + slots, T::Offset::default());
        // A null ends where the previous value does.
        let mut values = 0;
        for (ends, bits) in self.offsets[start..].chunks_mut(8).zip(bits) {
            for (slot, end) in ends.iter_mut().enumerate() {
                values += usize::from(bits >> slot & 1);
                *end = self.dense[values];
            }
        }
        Ok(())
    }

    fn retain(&mut self, bits: &BooleanBuffer) {
        let start = self.slots() - bits.len();
        let (kept, end) = compact_strings(bits, &mut self.offsets[start..], &mut self.bytes);
        self.offsets.truncate(start + kept + 1);
        self.bytes.truncate(end);
    }

    fn release(&mut self) {
        self.memory.release();
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        Ok(Arc::new(self.take(nulls)?))
    }
}
