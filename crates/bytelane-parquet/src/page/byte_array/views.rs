//! Arrays of views of strings and bytes, which point into pages.

use super::pages::Page;
use super::plain::Entries;
use super::room::Room;
use super::{Values, view};
use crate::memory::{self, ViewBuffer, ViewContent};
use crate::{Error, Result};
use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;
use bytelane::Detected;
use bytelane::rle_hybrid::Dictionary;
use bytelane::validity::values;
use bytes::Bytes;
use std::marker::PhantomData;
use std::sync::Arc;

/// Views of an array that is being made.
pub(super) struct Views<T> {
    backend: Detected,
    memory: u64,
    views: Vec<u128>,
    /// What they point into.
    buffers: Vec<ViewBuffer>,
    /// Bytes of the buffers that are not pages.
    decoded: u64,
    /// Views that are spread to the slots.
    dense: Vec<u128>,
    dictionary: Option<Viewed>,
    of: PhantomData<fn() -> T>,
}

/// A dictionary.
struct Viewed {
    /// Views of its entries, as if it were the first buffer.
    entries: Dictionary<u128>,
    page: ViewBuffer,
    has_long: bool,
    /// Its number among the buffers of the array.
    number: Option<usize>,
}

impl<T: ViewContent> Views<T> {
    pub(super) fn new(backend: Detected, memory: u64) -> Self {
        Self {
            backend,
            memory,
            views: Vec::new(),
            buffers: Vec::new(),
            decoded: 0,
            dense: Vec::new(),
            dictionary: None,
            of: PhantomData,
        }
    }

    /// What is left for bytes that are not those of pages, with so many more slots.
    fn room(&self, slots: usize) -> Result<Room> {
        let slots = self.views.len().saturating_add(slots);
        let room = Room::new(self.memory, u64::from(u32::MAX));
        let room = room.without(slots, size_of::<u128>())?;
        room.without(1, usize::try_from(self.decoded).unwrap_or(usize::MAX))
    }
}

/// The views of the next values.
fn make(
    page: &mut Page,
    dictionary: &mut Option<Viewed>,
    buffers: &mut Vec<ViewBuffer>,
    decoded: &mut u64,
    room: &Room,
    views: &mut [u128],
) -> Result<()> {
    match page {
        Page::Plain(page) => {
            let number = next_number(page.bytes(), buffers);
            if page.view(number, views)? {
                keep(page.bytes(), number, buffers);
            }
        }
        Page::DeltaLength(page) => {
            let number = next_number(page.bytes(), buffers);
            if page.view(number, views)? {
                keep(page.bytes(), number, buffers);
            }
        }
        Page::Delta(page) => {
            room.without(views.len(), size_of::<i64>())?;
            let (mut ends, mut bytes) = (vec![0i64; views.len()], Vec::new());
            page.copy(&mut ends, &mut bytes, room)?;
            let starts = std::iter::once(&0).chain(&ends);
            let lengths = starts.zip(&ends).map(|(start, end)| (end - start) as usize);
            let number = view::buffer(buffers.len())?;
            if view::consecutive(&bytes, 0, lengths, number, views) {
                *decoded += bytes.len() as u64;
                buffers.push(ViewBuffer::new(bytes.into()));
            }
        }
        Page::Indices(page) => {
            let Some(dictionary) = dictionary else {
                return Err(super::no_dictionary());
            };
            page.look_up(&dictionary.entries, views)?;
            dictionary.point(views, buffers)?;
        }
    }
    Ok(())
}

/// The number that a page has or would have among the buffers.
fn next_number(page: &Bytes, buffers: &[ViewBuffer]) -> usize {
    let is_last = |last: &ViewBuffer| {
        last.bytes().as_ptr() == page.as_ptr() && last.bytes().len() == page.len()
    };
    buffers.len() - usize::from(buffers.last().is_some_and(is_last))
}

fn keep(page: &Bytes, number: usize, buffers: &mut Vec<ViewBuffer>) {
    if number == buffers.len() {
        buffers.push(ViewBuffer::new(page.clone().into()));
    }
}

impl Viewed {
    /// Lets views of entries point to the buffer.
    fn point(&mut self, views: &mut [u128], buffers: &mut Vec<ViewBuffer>) -> Result<()> {
        let is_long = |view: u128| view::length(view) > view::INLINE;
        if !self.has_long || !views.iter().any(|view| is_long(*view)) {
            return Ok(());
        }
        let number = *self.number.get_or_insert_with(|| {
            buffers.push(self.page.clone());
            buffers.len() - 1
        });
        if number > 0 {
            let number = view::buffer(number)?;
            for view in views {
                *view |= if is_long(*view) { number } else { 0 };
            }
        }
        Ok(())
    }
}

impl<T: ViewContent> Values for Views<T> {
    fn keep_dictionary(&mut self, entries: Entries) -> Result<()> {
        let places = entries.places.iter();
        let views: Vec<u128> = places
            .map(|(start, length)| {
                let start = *start as usize;
                view::make(&entries.bytes[start..], *length as usize, 0, start)
            })
            .collect();
        let mut buffers = [ViewBuffer::new(entries.bytes.into())];
        if T::IS_TEXT {
            ViewBuffer::look_for_text(self.backend, &views, &mut buffers);
        }
        let [page] = buffers;
        self.dictionary = Some(Viewed {
            has_long: views.iter().any(|view| view::length(*view) > view::INLINE),
            entries: Dictionary::new(&views),
            page,
            number: None,
        });
        Ok(())
    }

    fn reserve(&mut self, slots: usize) {
        let most = self.memory as usize / size_of::<u128>();
        self.views.reserve(slots.min(most));
    }

    fn append(&mut self, page: &mut Page, count: usize) -> Result<()> {
        let room = self.room(count)?;
        let start = self.views.len();
        self.views.resize(start + count, 0);
        make(
            page,
            &mut self.dictionary,
            &mut self.buffers,
            &mut self.decoded,
            &room,
            &mut self.views[start..],
        )
    }

    fn append_nulls(&mut self, count: usize) -> Result<()> {
        self.room(count)?;
        self.views.resize(self.views.len() + count, 0);
        Ok(())
    }

    fn append_mixed(
        &mut self,
        page: &mut Page,
        bits: &[u8],
        slots: usize,
        valid: usize,
    ) -> Result<()> {
        let room = self.room(slots)?;
        self.dense.resize(valid, 0);
        make(
            page,
            &mut self.dictionary,
            &mut self.buffers,
            &mut self.decoded,
            &room,
            &mut self.dense,
        )?;
        let start = self.views.len();
        self.views.resize(start + slots, 0);
        let to = &mut self.views[start..];
        values::spread_uninit_with(self.backend, &self.dense, bits, to)
            .map(drop)
            .map_err(|error| Error::corrupt(error.to_string()))
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let views = std::mem::take(&mut self.views);
        let buffers = std::mem::take(&mut self.buffers);
        self.decoded = 0;
        if let Some(dictionary) = &mut self.dictionary {
            dictionary.number = None;
        }
        let array = memory::byte_view_array::<T>(self.backend, views, buffers, nulls)?;
        Ok(Arc::new(array))
    }
}
