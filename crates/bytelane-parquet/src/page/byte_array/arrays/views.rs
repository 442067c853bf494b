//! Builds arrays of views of strings and bytes. The views point into pages.

use super::super::encodings::delta::Delta;
use super::super::encodings::indices::Indices;
use super::super::encodings::plain::Entries;
use super::super::encodings::room::Room;
use super::super::pages::Page;
use super::super::values::{Values, no_dictionary};
use crate::budget::{Budget, Reservation};
use crate::memory::{ViewBuilder, ViewContent, ViewDictionary};
use crate::{Error, Result};
use arrow_array::ArrayRef;
use arrow_buffer::{BooleanBuffer, NullBuffer};
use bytelane::Detected;
use bytes::Bytes;
use std::sync::Arc;

/// Builder for an array of views.
pub(crate) struct Views<T> {
    backend: Detected,
    memory: Reservation,
    views: ViewBuilder<T>,
    dictionary: Option<ViewDictionary<T>>,
}

impl<T: ViewContent> Views<T> {
    pub(crate) fn new(backend: Detected, budget: &Budget) -> Self {
        Self {
            backend,
            memory: budget.reservation(),
            views: ViewBuilder::new(backend),
            dictionary: None,
        }
    }

    /// Returns the room for bytes outside of pages, with another `slots` slots.
    fn room(&self, slots: usize) -> Result<Room<'_>> {
        room(&self.memory, &self.views, slots)
    }

    /// Appends views for the next indices.
    fn look_up(&mut self, page: &mut Indices, count: usize) -> Result<()> {
        let Some(dictionary) = &self.dictionary else {
            return Err(no_dictionary());
        };
        page.views(dictionary, &mut self.views, count)
    }
}

fn room<'a, T: ViewContent>(
    memory: &'a Reservation,
    views: &ViewBuilder<T>,
    slots: usize,
) -> Result<Room<'a>> {
    let slots = views.len().saturating_add(slots);
    // The offsets in views are signed in other libraries, and builders of views refuse longer buffers.
    let room = Room::new(memory, i32::MAX as u64).beside(slots, size_of::<u128>())?;
    room.beside(1, usize::try_from(views.held()).unwrap_or(usize::MAX))
}

/// Appends views of the next values. These depend on each other, and so need bytes of their own.
fn append_deltas<T: ViewContent>(
    page: &mut Delta,
    views: &mut ViewBuilder<T>,
    count: usize,
    room: &Room<'_>,
) -> Result<()> {
    room.beside(count, size_of::<i64>())?;
    let (mut ends, mut bytes) = (vec![0i64; count], Vec::new());
    page.copy(&mut ends, &mut bytes, room)?;
    let (mut ends, mut end) = (ends.iter(), 0);
    views.append(&Bytes::from(bytes), count, || {
        let start = end;
        end = ends.next().map_or(start, |end| *end as usize);
        Ok::<_, Error>(start..end)
    })
}

impl<T: ViewContent> Values for Views<T> {
    fn keep_dictionary(&mut self, entries: Entries) -> Result<()> {
        let dictionary = ViewDictionary::new(self.backend, &entries.bytes, &entries.places);
        self.dictionary = Some(dictionary);
        Ok(())
    }

    fn reserve(&mut self, slots: usize) {
        if self.room(slots).is_ok() {
            self.views.reserve(slots);
        }
    }

    fn append(&mut self, page: &mut Page, count: usize) -> Result<()> {
        let room = room(&self.memory, &self.views, count)?;
        match page {
            Page::Plain(page) => page.view(&mut self.views, count),
            Page::DeltaLength(page) => page.view(&mut self.views, count),
            Page::Delta(page) => append_deltas(page, &mut self.views, count, &room),
            Page::Indices(page) => self.look_up(page, count),
        }
    }

    fn append_nulls(&mut self, count: usize) -> Result<()> {
        self.room(count)?;
        self.views.append_nulls(count);
        Ok(())
    }

    fn append_mixed(
        &mut self,
        page: &mut Page,
        bits: &[u8],
        slots: usize,
        valid: usize,
    ) -> Result<()> {
        self.room(slots)?;
        self.append(page, valid)?;
        self.views.spread(bits, slots, valid);
        Ok(())
    }

    fn retain(&mut self, bits: &BooleanBuffer) {
        self.views.retain(bits);
    }

    fn release(&mut self) {
        self.memory.release();
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        Ok(Arc::new(self.views.finish(nulls)?))
    }
}
