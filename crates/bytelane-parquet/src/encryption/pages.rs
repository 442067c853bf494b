//! Shows the pages of an encrypted column chunk as plain ones.

use super::aad::Module;
use super::cipher::{LENGTH, SEALED, UNTAGGED, module_length};
use super::opener::Opener;
use crate::format::{self, OffsetIndex, PageHeader, decode_prefix, encode};
use crate::input::bytes_at;
use crate::{Error, Result};
use bytes::Bytes;
use parquet::file::reader::ChunkReader;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of bytes that are read in vain rather than with another request.
const NEAR: u64 = 64 << 10;

/// Type and number of the field that makes a header longer: binary, in the long form.
const PADDING: [u8; 2] = [0x08, 126];

/// Numbers of bytes of such a field: of an empty one, of the longest one whose length takes one byte, and one between them.
const SHORTEST_FIELD: usize = 3;
const SHORT_FIELD: usize = 64;
const LONGEST_FIELD: usize = 130;

/// Pages of an encrypted column chunk. Each is shown at the offset of its first module, with a longer header.
#[derive(Debug)]
pub(super) struct SealedPages {
    pub(super) opener: Opener,
    pub(super) range: Range<u64>,
    pub(super) has_dictionary: bool,
    /// Range of the encrypted offset index.
    pub(super) offset_index: Option<Range<u64>>,
    pub(super) known: Mutex<Known>,
}

/// Parts of a chunk that were found by reading others.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Offsets of the first pages, or of all.
    starts: Vec<u64>,
    has_asked_index: bool,
    /// Page that was read in part, and where it is shown.
    page: Option<(u64, Bytes)>,
}

/// Place of a page, where it is stored and where it is shown.
struct Place {
    /// Number of the page within the chunk, with the dictionary.
    number: usize,
    header: Range<u64>,
    page: Range<u64>,
    shown: u64,
}

/// Bytes of a file that have been read.
struct Window<'a, R> {
    input: &'a R,
    start: u64,
    bytes: Bytes,
}

impl<R: ChunkReader> Window<'_, R> {
    fn load(&mut self, range: Range<u64>) -> Result<()> {
        self.start = range.start;
        self.bytes = bytes_at(self.input, range)?;
        Ok(())
    }

    fn get(&self, range: Range<u64>) -> Result<Bytes> {
        let end = self.start + self.bytes.len() as u64;
        if self.start <= range.start && range.end <= end {
            let at = |offset: u64| (offset - self.start) as usize;
            return Ok(self.bytes.slice(at(range.start)..at(range.end)));
        }
        bytes_at(self.input, range)
    }
}

impl SealedPages {
    /// Returns the bytes of a range within the chunk.
    pub(super) fn read(&self, input: &impl ChunkReader, range: Range<u64>) -> Result<Bytes> {
        let (mut number, mut at) = self.page_before(input, range.start);
        if let Some(found) = self.kept(&range) {
            return Ok(found);
        }
        let mut window = Window {
            input,
            start: at,
            bytes: Bytes::new(),
        };
        let mut shown = Vec::new();
        while at < range.end {
            let is_near = range.start.saturating_sub(at) <= NEAR;
            if window.bytes.is_empty() && is_near && !self.is_kept(number, at) {
                window.load(at..range.end)?;
            }
            let place = self.place(&window, number, at)?;
            at = place.page.end;
            number += 1;
            self.learn(number, at);
            if at <= range.start {
                continue;
            }
            if place.shown == range.start && at == range.end {
                return self.page(&window, &place, true);
            }
            if range.start < place.shown {
                let header = self.header(&window, &place)?;
                add(&mut shown, &range, place.header.start, &header);
            }
            if place.shown < range.end {
                let page = self.page(&window, &place, at <= range.end)?;
                add(&mut shown, &range, place.shown, &page);
            }
        }
        Ok(shown.into())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number and offset of the last page that is known to begin at an offset or before it.
    fn page_before(&self, input: &impl ChunkReader, offset: u64) -> (usize, u64) {
        let mut known = self.known();
        if known.starts.is_empty() {
            known.starts.push(self.range.start);
        }
        let is_beyond = known.starts.last().is_some_and(|last| *last < offset);
        if is_beyond && !known.has_asked_index {
            known.has_asked_index = true;
            if let Some(starts) = self.indexed(input) {
                known.starts = starts;
            }
        }
        let number = known.starts.partition_point(|start| *start <= offset) - 1;
        (number, known.starts[number])
    }

    /// Returns the offsets of all pages according to the offset index, if there is one.
    fn indexed(&self, input: &impl ChunkReader) -> Option<Vec<u64>> {
        let sealed = bytes_at(input, self.offset_index.clone()?).ok()?;
        let opened = self.opener.open(Module::OffsetIndex, None, &sealed).ok()?;
        let index: OffsetIndex = format::decode(&opened.into()).ok()?;
        let first = self.has_dictionary.then_some(Some(self.range.start));
        let offsets = index.page_locations.iter();
        let starts = first
            .into_iter()
            .chain(offsets.map(|it| u64::try_from(it.offset).ok()));
        let starts: Vec<u64> = starts.collect::<Option<_>>()?;
        let is_right = starts.first() == Some(&self.range.start)
            && starts.is_sorted_by(|one, other| one < other)
            && starts.last().is_some_and(|last| *last < self.range.end);
        is_right.then_some(starts)
    }

    /// Remembers where a page begins.
    fn learn(&self, number: usize, start: u64) {
        let mut known = self.known();
        if number == known.starts.len() && start < self.range.end {
            known.starts.push(start);
        }
    }

    /// Returns whether the page at an offset is the one that was read in part.
    fn is_kept(&self, number: usize, start: u64) -> bool {
        let known = self.known();
        let next = known.starts.get(number + 1).copied();
        let place = start..next.unwrap_or(self.range.end);
        let kept = known.page.as_ref();
        kept.is_some_and(|(shown, _)| place.contains(shown))
    }

    /// Returns bytes of the page that was read in part.
    fn kept(&self, range: &Range<u64>) -> Option<Bytes> {
        let mut known = self.known();
        let (start, page) = known.page.as_ref()?;
        let from = usize::try_from(range.start.checked_sub(*start)?).ok()?;
        let to = usize::try_from(range.end - start).ok()?;
        let (is_within, is_last) = (to <= page.len(), to == page.len());
        let found = is_within.then(|| page.slice(from..to))?;
        if is_last {
            known.page = None;
        }
        Some(found)
    }

    fn place(
        &self,
        window: &Window<'_, impl ChunkReader>,
        number: usize,
        at: u64,
    ) -> Result<Place> {
        let header = self.module(window, at)?;
        let page = self.module(window, header.end)?;
        let overhead = if self.opener.identity.has_page_tags {
            SEALED
        } else {
            UNTAGGED
        };
        let length = (page.end - page.start).checked_sub(overhead as u64);
        let length = length.ok_or_else(|| self.damaged("a page ends within its nonce"))?;
        Ok(Place {
            number,
            shown: page.end - length,
            header,
            page,
        })
    }

    /// Returns the range of the module at an offset.
    fn module(&self, window: &Window<'_, impl ChunkReader>, at: u64) -> Result<Range<u64>> {
        let end = at + LENGTH as u64;
        let length = if end <= self.range.end {
            module_length(&window.get(at..end)?)
        } else {
            None
        };
        let end = length.map(|length| at + length as u64);
        let end = end.filter(|end| *end <= self.range.end);
        let end = end.ok_or_else(|| self.damaged("an encrypted page exceeds its column chunk"))?;
        Ok(at..end)
    }

    fn header(&self, window: &Window<'_, impl ChunkReader>, place: &Place) -> Result<Vec<u8>> {
        let (_, module, page) = self.modules(place)?;
        let sealed = window.get(place.header.clone())?;
        let opened = self.opener.open(module, page, &sealed)?;
        let page = (place.page.end - place.shown) as usize;
        padded(
            &opened.into(),
            page,
            (place.shown - place.header.start) as usize,
        )
        .map_err(|error| self.opener.located(error))
    }

    /// Returns a page, and keeps it unless all of it is requested.
    fn page(
        &self,
        window: &Window<'_, impl ChunkReader>,
        place: &Place,
        is_all: bool,
    ) -> Result<Bytes> {
        if let Some(kept) = self.kept(&(place.shown..place.page.end)) {
            return Ok(kept);
        }
        let (module, _, page) = self.modules(place)?;
        let sealed = window.get(place.page.clone())?;
        let opened: Bytes = self.opener.open_page(module, page, &sealed)?.into();
        self.known().page = (!is_all).then(|| (place.shown, opened.clone()));
        Ok(opened)
    }

    /// Returns the types of the modules of a page and its header, and the ordinal of a data page.
    fn modules(&self, place: &Place) -> Result<(Module, Module, Option<i16>)> {
        if self.has_dictionary && place.number == 0 {
            return Ok((Module::DictionaryPage, Module::DictionaryPageHeader, None));
        }
        match i16::try_from(place.number - usize::from(self.has_dictionary)) {
            Ok(page) => Ok((Module::DataPage, Module::DataPageHeader, Some(page))),
            Err(_) => Err(self.damaged("an encrypted column chunk has more than 32,768 pages")),
        }
    }

    fn damaged(&self, problem: &str) -> Error {
        self.opener.located(Error::corrupt(problem))
    }
}

/// Appends the part of `bytes`, which begin at an offset, that is within a range.
fn add(shown: &mut Vec<u8>, range: &Range<u64>, offset: u64, bytes: &[u8]) {
    let at = |position: u64| (position.saturating_sub(offset) as usize).min(bytes.len());
    shown.extend(&bytes[at(range.start)..at(range.end)]);
}

/// Returns the header of a page of `page` bytes in `length` bytes. The checksum was that of the encrypted page.
fn padded(header: &Bytes, page: usize, length: usize) -> Result<Vec<u8>> {
    let (header, _) = decode_prefix::<PageHeader>(header).map_err(format::damaged)?;
    let header = encode(&PageHeader {
        crc: None,
        compressed_page_size: i32::try_from(page)
            .map_err(|_| Error::corrupt("a page is larger than 2 GiB"))?,
        ..header
    })?;
    extended(header, length)
}

/// Returns an encoded struct in this many bytes.
pub(super) fn extended(mut bytes: Vec<u8>, length: usize) -> Result<Vec<u8>> {
    let end = bytes.pop();
    let padding = length.checked_sub(bytes.len() + 1);
    let mut padding = padding.unwrap_or_default();
    // Some writers encrypt the unused end of a buffer after the header.
    while padding > LONGEST_FIELD {
        pad(&mut bytes, SHORT_FIELD);
        padding -= SHORT_FIELD;
    }
    if padding < SHORTEST_FIELD {
        return Err(Error::corrupt("an encrypted header is too short"));
    }
    pad(&mut bytes, padding);
    bytes.extend(end);
    Ok(bytes)
}

/// Appends a field of this many bytes, which readers skip.
fn pad(header: &mut Vec<u8>, bytes: usize) {
    let end = header.len() + bytes;
    header.extend(PADDING);
    header.push((bytes - SHORTEST_FIELD) as u8);
    header.resize(end, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_any_length() {
        let header = PageHeader {
            compressed_page_size: 123_456,
            ..PageHeader::default()
        };
        let encoded = encode(&header).unwrap();
        assert!(extended(encoded.clone(), encoded.len() + SHORTEST_FIELD - 1).is_err());
        for length in encoded.len() + SHORTEST_FIELD..1000 {
            let extended = extended(encoded.clone(), length).unwrap();
            let (read, end) = decode_prefix::<PageHeader>(&extended.into()).unwrap();
            assert_eq!((read.compressed_page_size, end), (123_456, length));
        }
    }
}
