//! The pages of a column chunk in their order, read when they are needed, or passed over.

use super::super::input::Input;
use crate::chunk::Pages;
use crate::format::PageLocation;
use crate::page::{AnyPage, DataPage, LevelLayout, PageKind, first_level, read_header};
use crate::{Error, Result};
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// Bytes that a run of levels needs for the first of them.
const LONGEST_RUN: usize = 16;

/// Bytes after a page that may be read with its header.
const LONGEST_HEAD: u64 = 512;

/// Reads the pages of a chunk.
pub(crate) struct PageReader {
    input: Input,
    /// Where what is left of the chunk is.
    range: Range<u64>,
    /// Where the data pages are and which rows they have, if the file tells.
    index: Option<PageIndex>,
    /// Data pages that have been read or passed over.
    page: usize,
    /// The header of the next page, if it has been read, and where the page itself is.
    next: Option<(AnyPage, u64)>,
}

/// The offset index of a column chunk, checked.
#[derive(Clone, Debug)]
pub(crate) struct PageIndex {
    locations: Vec<PageLocation>,
    rows: usize,
}

impl PageIndex {
    /// Of a chunk that is in a range of the file and has so many rows; none if its pages cannot be there.
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

    /// Rows of a page.
    fn rows_of(&self, page: usize) -> Option<usize> {
        let first = self.locations.get(page)?.first_row_index as usize;
        let next = self.locations.get(page + 1);
        let end = next.map_or(self.rows, |next| next.first_row_index as usize);
        end.checked_sub(first)
    }
}

impl PageReader {
    /// Of a chunk that is in a range of the input.
    pub(crate) fn new(input: Input, range: Range<u64>, index: Option<PageIndex>) -> Self {
        Self {
            input,
            range,
            index,
            page: 0,
            next: None,
        }
    }

    /// Returns where the pages with these rows are, of those that have not been read; all if no index says it. The beginning of
    /// the chunk is that of a dictionary.
    pub(crate) fn ranges(&self, rows: &[Range<usize>]) -> Vec<Range<u64>> {
        let left = self.range_left();
        let Some(index) = &self.index else {
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

    /// Returns what is left of the chunk, and some bytes that headers are read with.
    pub(crate) fn range_left(&self) -> Range<u64> {
        let start = self
            .next
            .as_ref()
            .map_or(self.range.start, |(_, start)| *start);
        start..self.range.end + LONGEST_HEAD
    }

    /// The number of the data page that comes next, or was read last.
    pub(crate) fn page(&self) -> usize {
        self.page
    }

    /// Counts a data page that is done with.
    pub(crate) fn count(&mut self) {
        self.page += 1;
    }

    /// Returns whether the file says where the rows of pages begin: rows do so only where pages do.
    pub(crate) fn is_indexed(&self) -> bool {
        self.index.is_some()
    }

    /// The next page, which is not a data page that has been passed over; none after the last one.
    pub(crate) fn peek(&mut self) -> Result<Option<AnyPage>> {
        if self.next.is_none() {
            let page = Pages::new(&self.input, self.range.clone()).next();
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

    /// The next page and the bytes after its header, its checksum compared.
    pub(crate) fn read(&mut self) -> Result<Option<(PageKind, Bytes)>> {
        self.peek()?;
        let Some((page, start)) = self.next.take() else {
            return Ok(None);
        };
        let bytes = self.input.get_bytes(start, page.compressed)?;
        self.input.counters().pages_read.add(1);
        page.check(&bytes)?;
        Ok(Some((page.kind, bytes)))
    }

    /// Returns whether the next page does not continue the last row of the column with lists, as far as that is known before
    /// the page is read. After the last page there are no rows.
    pub(crate) fn begins_row(&mut self, max_repetition: u8) -> Result<bool> {
        if self.is_indexed() {
            return Ok(true);
        }
        self.peek()?;
        let Some((page, start)) = &self.next else {
            return Ok(true);
        };
        // Version 2 has its levels in front of the page, not compressed. Rows are to begin with its pages, but not all
        // writers keep to that.
        Ok(match page.kind {
            PageKind::Data(DataPage {
                levels: LevelLayout::Before { repetition, .. },
                slots: 1..,
                ..
            }) => {
                let length = repetition.min(page.compressed).min(LONGEST_RUN);
                let levels = self.input.get_bytes(*start, length)?;
                first_level(&levels, max_repetition) == Some(0)
            }
            _ => false,
        })
    }

    /// Whether what comes next is a dictionary, or anything but a data page.
    pub(crate) fn is_other_next(&mut self) -> Result<bool> {
        if let Some(index) = &self.index {
            // Of a dictionary it does not tell.
            let first = index.locations.first();
            if self.page > 0 || first.is_some_and(|it| it.offset as u64 == self.range.start) {
                return Ok(false);
            }
        }
        let next = self.peek()?;
        Ok(next.is_some_and(|page| !matches!(page.kind, PageKind::Data(_))))
    }

    /// The rows of the data page that comes next, if that is known before its values are read.
    pub(crate) fn rows(&mut self, has_lists: bool) -> Result<Option<usize>> {
        if let Some(index) = &self.index {
            return Ok(index.rows_of(self.page));
        }
        Ok(match self.peek()?.map(|page| page.kind) {
            Some(PageKind::Data(page)) => page.rows.or((!has_lists).then_some(page.slots)),
            _ => None,
        })
    }

    /// Passes over the next data page. With an index, nothing of it is read.
    pub(crate) fn skip(&mut self) -> Result<()> {
        match &self.index {
            Some(index) => {
                let next = index.locations.get(self.page + 1);
                let end = self.range.end;
                self.range.start = next.map_or(end, |next| next.offset as u64);
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
