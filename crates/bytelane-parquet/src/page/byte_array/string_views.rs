//! Arrays of views of strings.
//!
//! Arrow validates string by string where an array is made of views. It does not where views are taken from an array, or
//! made of an array with offsets, which is validated at once.

use super::offsets::Offsets;
use super::pages::Page;
use super::plain::Entries;
use super::room::Room;
use super::{Values, text};
use crate::{Error, Result};
use arrow_array::types::Utf8Type;
use arrow_array::{Array, ArrayRef, StringViewArray, UInt32Array};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use bytelane::Detected;
use bytelane::validity::values;
use std::sync::Arc;

/// Strings of an array that is being made.
pub(super) struct StringViews {
    backend: Detected,
    memory: u64,
    /// One after the other.
    pieces: Vec<Piece>,
    /// Slots of all pieces.
    slots: usize,
    /// Slots that there may be.
    expected: usize,
    /// Indices that are spread to the slots.
    dense: Vec<u32>,
    dictionary: Option<Arc<StringViewArray>>,
}

enum Piece {
    /// Entries of a dictionary.
    Entries {
        dictionary: Arc<StringViewArray>,
        indices: Vec<u32>,
    },
    /// Strings with offsets.
    Strings(Box<Offsets<Utf8Type>>),
}

impl StringViews {
    pub(super) fn new(backend: Detected, memory: u64) -> Self {
        Self {
            backend,
            memory,
            pieces: Vec::new(),
            slots: 0,
            expected: 0,
            dense: Vec::new(),
            dictionary: None,
        }
    }

    /// An error if so many slots more take too much memory.
    fn count(&mut self, slots: usize) -> Result<()> {
        self.slots = self.slots.saturating_add(slots);
        let room = Room::new(self.memory, u64::MAX);
        let width = size_of::<u128>() + size_of::<u32>();
        room.without(self.slots, width).map(drop)
    }

    /// Begins another piece if the values of the page do not belong to the last one.
    fn piece_for(&mut self, page: &Page) -> Result<&mut Piece> {
        let is_more = match (page, self.pieces.last()) {
            (Page::Indices(_), Some(Piece::Entries { dictionary, .. })) => {
                let current = self.dictionary.as_ref();
                current.is_some_and(|current| Arc::ptr_eq(current, dictionary))
            }
            (Page::Indices(_), _) => false,
            (_, last) => matches!(last, Some(Piece::Strings(_))),
        };
        if !is_more {
            let piece = match page {
                Page::Indices(_) => {
                    let Some(dictionary) = &self.dictionary else {
                        return Err(super::no_dictionary());
                    };
                    Piece::Entries {
                        dictionary: Arc::clone(dictionary),
                        indices: Vec::with_capacity(self.expected),
                    }
                }
                _ => self.strings(),
            };
            self.pieces.push(piece);
        }
        self.pieces.last_mut().ok_or_else(super::no_dictionary)
    }

    fn strings(&self) -> Piece {
        let mut strings = Offsets::new(self.backend, self.memory);
        strings.reserve(self.expected);
        Piece::Strings(Box::new(strings))
    }
}

impl Piece {
    fn slots(&self) -> usize {
        match self {
            Self::Entries { indices, .. } => indices.len(),
            Self::Strings(strings) => strings.slots(),
        }
    }

    fn finish(self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        match self {
            Self::Entries {
                dictionary,
                indices,
            } => {
                let indices = UInt32Array::try_new(ScalarBuffer::from(indices), nulls)?;
                Ok(arrow_select::take::take(
                    dictionary.as_ref(),
                    &indices,
                    None,
                )?)
            }
            Self::Strings(mut strings) => {
                let array = StringViewArray::from(&strings.take(None)?);
                text::with_nulls(&array, nulls)
            }
        }
    }
}

/// Decodes indices, each of which the dictionary has.
fn decode(page: &mut Page, entries: usize, to: &mut [u32]) -> Result<()> {
    match page {
        Page::Indices(page) => page.decode_below(entries, to),
        _ => Err(super::no_dictionary()),
    }
}

impl Values for StringViews {
    fn keep_dictionary(&mut self, entries: Entries) -> Result<()> {
        self.dictionary = Some(Arc::new(entries.string_views()?));
        Ok(())
    }

    fn reserve(&mut self, slots: usize) {
        let most = self.memory as usize / size_of::<u128>();
        self.expected = slots.min(most);
    }

    fn append(&mut self, page: &mut Page, count: usize) -> Result<()> {
        self.count(count)?;
        match self.piece_for(page)? {
            Piece::Strings(strings) => strings.append(page, count),
            Piece::Entries {
                dictionary,
                indices,
            } => {
                let start = indices.len();
                indices.resize(start + count, 0);
                decode(page, dictionary.len(), &mut indices[start..])
            }
        }
    }

    fn append_nulls(&mut self, count: usize) -> Result<()> {
        self.count(count)?;
        if self.pieces.is_empty() {
            self.pieces.push(self.strings());
        }
        match self.pieces.last_mut() {
            Some(Piece::Strings(strings)) => strings.append_nulls(count)?,
            Some(Piece::Entries { indices, .. }) => indices.resize(indices.len() + count, 0),
            None => {}
        }
        Ok(())
    }

    fn append_mixed(
        &mut self,
        page: &mut Page,
        bits: &[u8],
        slots: usize,
        valid: usize,
    ) -> Result<()> {
        self.count(slots)?;
        let (backend, mut dense) = (self.backend, std::mem::take(&mut self.dense));
        match self.piece_for(page)? {
            Piece::Strings(strings) => strings.append_mixed(page, bits, slots, valid)?,
            Piece::Entries {
                dictionary,
                indices,
            } => {
                dense.resize(valid, 0);
                decode(page, dictionary.len(), &mut dense)?;
                let start = indices.len();
                indices.resize(start + slots, 0);
                values::spread_uninit_with(backend, &dense, bits, &mut indices[start..])
                    .map_err(|error| Error::corrupt(error.to_string()))?;
            }
        }
        self.dense = dense;
        Ok(())
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        (self.slots, self.expected) = (0, 0);
        let mut at = 0;
        let mut arrays = Vec::with_capacity(self.pieces.len());
        for piece in self.pieces.drain(..) {
            let slots = piece.slots();
            let nulls = nulls.as_ref().map(|nulls| nulls.slice(at, slots));
            arrays.push(piece.finish(nulls)?);
            at += slots;
        }
        match arrays.as_slice() {
            [] => Ok(Arc::new(StringViewArray::from_iter_values::<&str, _>([]))),
            [array] => Ok(Arc::clone(array)),
            _ => {
                let arrays: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
                Ok(arrow_select::concat::concat(&arrays)?)
            }
        }
    }
}
