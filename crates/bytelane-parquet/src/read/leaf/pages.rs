//! Reads or skips the pages of a column chunk, in order.

use super::super::input::{Counters, Input};
use super::window::Window;
use crate::chunk::Pages;
use crate::format::PageLocation;
use crate::page::{AnyPage, DataPage, LevelLayout, PageKind, first_level, read_header};
use crate::{Error, Result};
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// Maximum number of bytes needed to decode the first level of a run.
const LONGEST_RUN: usize = 16;

/// Maximum number of bytes after a page that are read together with its header.
const LONGEST_HEAD: u64 = 512;

/// Reads the pages of a chunk.
pub(crate) struct PageReader {
    window: Window,
    /// Unread part of the chunk.
    range: Range<u64>,
    counts: RowCounts,
    /// Number of data pages read or skipped.
    page: usize,
    /// Header of the next page, if it has been read, and the offset of the page itself.
    next: Option<(AnyPage, u64)>,
}

/// Source of the number of rows of pages that are skipped.
#[derive(Clone, Debug)]
pub(crate) enum RowCounts {
    /// Offset index: neither the header nor the values of a skipped page are read.
    Index(PageIndex),
    /// Page headers.
    Headers,
    /// Page headers of columns without lists; pages of lists are decoded.
    Levels,
}

/// Validated offset index of a column chunk.
#[derive(Clone, Debug)]
pub(crate) struct PageIndex {
    locations: Vec<PageLocation>,
    rows: usize,
}

impl PageIndex {
    /// Validates the index of a chunk with this range of the file and number of rows; `None` if the
    /// locations cannot be right.
    pub(crate) fn new(
        locations: Vec<PageLocation>,
        range: &Range<u64>,
        rows: usize,
    ) -> Option<Self> {
        let first_row = |location: &PageLocation| usize::try_from(location.first_row_index).ok();
        let offset = |location: &PageLocation| u64::try_from(location.offset).ok();
        let rows_rise = locations.is_sorted_by(|a, b| a.first_row_index <= b.first_row_index);
        let offsets_rise = locations.is_sorted_by(|a, b| a.offset < b.offset);
        let first = first_row(locations.first()?)? == 0 && offset(&locations[0])? >= range.start;
        let last = locations.last()?;
        let ends = first_row(last)? <= rows && offset(last)? < range.end;
        (rows_rise && offsets_rise && first && ends).then_some(Self { locations, rows })
    }

    /// Returns the rows of each page.
    pub(crate) fn ranges(&self) -> Vec<Range<usize>> {
        let starts = self.locations.iter().map(|it| it.first_row_index as usize);
        let ends = starts.clone().skip(1).chain([self.rows]);
        starts.zip(ends).map(|(start, end)| start..end).collect()
    }

    /// Returns the rows of a page.
    fn rows_of(&self, page: usize) -> Option<usize> {
        let first = self.locations.get(page)?.first_row_index as usize;
        let next = self.locations.get(page + 1);
        let end = next.map_or(self.rows, |next| next.first_row_index as usize);
        end.checked_sub(first)
    }
}

impl PageReader {
    /// Creates a reader of the chunk in this range of the input.
    pub(crate) fn new(input: Input, range: Range<u64>, counts: RowCounts) -> Self {
        Self {
            window: Window::new(input, 0..0),
            range,
            counts,
            page: 0,
            next: None,
        }
    }

    /// Creates a reader of all pages of a chunk, none of which will be skipped. Small pages are read together.
    pub(crate) fn of_all(input: Input, range: Range<u64>) -> Self {
        Self {
            window: Window::new(input.clone(), range.clone()),
            ..Self::new(input, range, RowCounts::Headers)
        }
    }

    fn index(&self) -> Option<&PageIndex> {
        match &self.counts {
            RowCounts::Index(index) => Some(index),
            RowCounts::Headers | RowCounts::Levels => None,
        }
    }

    pub(super) fn counters(&self) -> &Counters {
        self.window.input().counters()
    }

    /// Returns the ranges of the unread pages that contain these rows; without an index, the unread
    /// part of the chunk. Includes the dictionary page, which is at the start of the chunk.
    pub(crate) fn ranges(&self, rows: &[Range<usize>]) -> Vec<Range<u64>> {
        let left = self.range_left();
        let Some(index) = self.index() else {
            return vec![left];
        };
        let offsets = index.locations.iter().map(|it| it.offset as u64);
        let ends = offsets.clone().skip(1).chain([self.range.end]);
        let first = offsets.clone().next().unwrap_or(left.start);
        let head = left.start..first.saturating_add(LONGEST_HEAD).min(left.end);
        let mut ranges = Vec::from_iter((left.start < first).then_some(head));
        let mut rows = rows.iter().peekable();
        let pages = index.ranges().into_iter().zip(offsets.zip(ends));
        for (page, (start, end)) in pages {
            while rows.next_if(|range| range.end <= page.start).is_some() {}
            if rows.peek().is_some_and(|range| range.start < page.end) && end > left.start {
                ranges.push(start.max(left.start)..(end + LONGEST_HEAD).min(left.end));
            }
        }
        ranges
    }

    /// Returns the unread part of the chunk, extended by the bytes that are read together with
    /// headers.
    pub(crate) fn range_left(&self) -> Range<u64> {
        let start = self
            .next
            .as_ref()
            .map_or(self.range.start, |(_, start)| *start);
        start..self.range.end + LONGEST_HEAD
    }

    /// Returns the number of the next data page, or of the one read last.
    pub(crate) fn page(&self) -> usize {
        self.page
    }

    /// Counts a finished data page.
    pub(crate) fn count(&mut self) {
        self.page += 1;
    }

    /// Returns the number of rows of the open page according to the offset index, if the file has one.
    pub(crate) fn indexed_rows(&self) -> Option<usize> {
        self.index()?.rows_of(self.page)
    }

    /// Returns whether the file has an offset index. If it has one, each page begins a new row.
    pub(crate) fn is_indexed(&self) -> bool {
        self.index().is_some()
    }

    /// Returns the next page that is not a skipped data page; `None` after the last one.
    pub(crate) fn peek(&mut self) -> Result<Option<AnyPage>> {
        if self.next.is_none() {
            let page = Pages::new(&self.window, self.range.clone()).next();
            let page = page.transpose().map_err(|error| match error {
                ParquetError::General(problem) => Error::corrupt(problem),
                other => other.into(),
            })?;
            if let Some(page) = page {
                let start = page.offset + page.header_length;
                self.next = Some((read_header(&page.header)?, start));
                self.range.start = page.offset + page.compressed();
            }
        }
        Ok(self.next.as_ref().map(|(page, _)| *page))
    }

    /// Returns the next page, with its checksum verified, and the bytes after its header.
    pub(crate) fn read(&mut self) -> Result<Option<(PageKind, Bytes)>> {
        self.peek()?;
        let Some((page, start)) = self.next.take() else {
            return Ok(None);
        };
        let bytes = self.window.page(start, page.compressed)?;
        self.counters().pages_read.add(1);
        page.check(&bytes)?;
        Ok(Some((page.kind, bytes)))
    }

    /// Returns whether the next page begins a new row of a column with lists, as far as this is
    /// known before the page is read. True after the last page.
    pub(crate) fn begins_row(&mut self, max_repetition: u8) -> Result<bool> {
        if self.is_indexed() {
            return Ok(true);
        }
        self.peek()?;
        let Some((page, start)) = &self.next else {
            return Ok(true);
        };
        // The levels of version 2 precede the values and are not compressed. Pages are required to
        // begin with a new row, but not all writers comply.
        Ok(match page.kind {
            PageKind::Data(DataPage {
                levels: LevelLayout::Before { repetition, .. },
                slots: 1..,
                ..
            }) => {
                let length = repetition.min(page.compressed).min(LONGEST_RUN);
                let levels = self.window.get_bytes(*start, length)?;
                first_level(&levels, max_repetition) == Some(0)
            }
            _ => false,
        })
    }

    /// Returns whether the next page is a dictionary, or anything but a data page.
    pub(crate) fn is_other_next(&mut self) -> Result<bool> {
        if let Some(index) = self.index() {
            // The index does not list the dictionary page.
            let first = index.locations.first();
            if self.page > 0 || first.is_some_and(|it| it.offset as u64 == self.range.start) {
                return Ok(false);
            }
        }
        let next = self.peek()?;
        Ok(next.is_some_and(|page| !matches!(page.kind, PageKind::Data(_))))
    }

    /// Returns the number of rows of the next data page, if it is known before its values are read.
    pub(crate) fn rows(&mut self, has_lists: bool) -> Result<Option<usize>> {
        if let Some(index) = self.index() {
            return Ok(index.rows_of(self.page));
        }
        let is_known = !matches!(self.counts, RowCounts::Levels);
        Ok(match self.peek()?.map(|page| page.kind) {
            Some(PageKind::Data(page)) if has_lists => page.rows.filter(|_| is_known),
            Some(PageKind::Data(page)) => Some(page.slots),
            _ => None,
        })
    }

    /// Skips the next data page. With an index, no part of it is read.
    pub(crate) fn skip(&mut self) -> Result<()> {
        match self.index() {
            Some(index) => {
                let next = index.locations.get(self.page + 1);
                self.range.start = next.map_or(self.range.end, |next| next.offset as u64);
                self.next = None;
            }
            None => {
                self.peek()?;
                self.next = None;
            }
        }
        self.page += 1;
        Ok(())
    }
}
