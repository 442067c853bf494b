//! Decodes a leaf of the schema: from the pages of its column chunk to arrays of any number of
//! rows.

mod levels;
mod pages;
mod window;

pub(crate) use levels::Levels;
pub(crate) use pages::{PageIndex, PageReader, RowCounts};

use crate::budget::{Budget, Reservation};
use crate::page::{ArrayDecoder, DataPage, Opener, PageKind, PageLevels, Validity};
use crate::{Error, Result};
use arrow_array::ArrayRef;
use arrow_buffer::BooleanBuffer;
use bytes::Bytes;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;

/// Reads a chunk from its first row to its last.
pub(crate) struct Leaf {
    column: ColumnDescPtr,
    pages: PageReader,
    opener: Opener,
    levels: PageLevels,
    decoder: Box<dyn ArrayDecoder>,
    /// Memory of the levels and the validity bitmap of the array.
    memory: Reservation,
    slots: usize,
    /// Set if the next page may continue the last row of the current page or of the one skipped
    /// last.
    may_continue: bool,
    is_open: bool,
    validity: Validity,
    array_levels: Levels,
    /// Number of slots of the array for which capacity has been reserved.
    expected: usize,
}

/// Maximum factor by which the levels of an array grow ahead of the data.
const MOST_GROWTH: usize = 8;

/// Array of a leaf and its levels.
#[derive(Debug)]
pub(crate) struct LeafArray {
    pub(crate) array: ArrayRef,
    /// Empty if the column is not nested.
    pub(crate) levels: Levels,
}

/// Operation on rows.
#[derive(Clone, Copy)]
enum Request<'a> {
    Read,
    /// Reads the rows whose bits are set, and skips the others.
    Keep(&'a BooleanBuffer),
    Skip,
}

impl Leaf {
    pub(crate) fn new(
        column: ColumnDescPtr,
        pages: PageReader,
        opener: Opener,
        levels: PageLevels,
        decoder: Box<dyn ArrayDecoder>,
        budget: &Budget,
    ) -> Self {
        Self {
            column,
            pages,
            opener,
            levels,
            decoder,
            memory: budget.reservation(),
            slots: 0,
            may_continue: false,
            is_open: false,
            validity: Validity::default(),
            array_levels: Levels::default(),
            expected: 0,
        }
    }

    /// Reserves capacity for an array of `rows` rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        if !self.levels.has_lists() {
            self.decoder.reserve(rows);
        }
    }

    /// Appends the next rows to the array.
    pub(crate) fn read(&mut self, rows: usize) -> Result<()> {
        let read = self.advance(rows, Request::Read);
        read.map_err(|error| self.located(error))
    }

    /// Appends those of the next rows whose bits are set to the array, if [`can_retain`](Self::can_retain).
    pub(crate) fn read_kept(&mut self, bits: &BooleanBuffer) -> Result<()> {
        let request = if bits.has_false() {
            Request::Keep(bits)
        } else {
            Request::Read
        };
        let read = self.advance(bits.len(), request);
        read.map_err(|error| self.located(error))
    }

    /// Returns whether [`retain`](Self::retain) and [`read_kept`](Self::read_kept) can drop rows.
    pub(crate) fn can_retain(&self) -> bool {
        !self.levels.is_nested() && self.decoder.can_retain()
    }

    /// Drops those of the last rows of the array whose bits are not set.
    pub(crate) fn retain(&mut self, bits: &BooleanBuffer) {
        if bits.count_set_bits() < bits.len() {
            self.decoder.retain(bits);
            self.validity.retain(bits);
        }
    }

    /// Skips the next rows.
    pub(crate) fn skip(&mut self, rows: usize) -> Result<()> {
        self.pages.counters().gaps_skipped.add(1);
        let skipped = self.advance(rows, Request::Skip);
        skipped.map_err(|error| self.located(error))
    }

    /// Returns the array of all rows read since the previous array.
    pub(crate) fn finish(&mut self) -> Result<LeafArray> {
        self.expected = 0;
        self.slots = 0;
        let validity = std::mem::take(&mut self.validity);
        let array = self.decoder.finish(validity.finish());
        Ok(LeafArray {
            array: array.map_err(|error| self.located(error))?,
            levels: std::mem::take(&mut self.array_levels),
        })
    }

    /// Returns an error if the chunk has more rows than those that were read.
    pub(crate) fn check_end(&mut self) -> Result<()> {
        let more = self.levels.left() > 0 || self.open_page().map_err(|it| self.located(it))?;
        let problem = "the column chunk has more rows than the footer claims";
        if more {
            return Err(self.located(Error::corrupt(problem)));
        }
        Ok(())
    }

    /// Returns an error if the last page that was read has more rows, or a page with values follows it. Bytes after the
    /// last page are ignored.
    pub(crate) fn check_rows(&mut self) -> Result<()> {
        let mut more = self.levels.left() > 0;
        if !more && let Ok(Some(page)) = self.pages.peek() {
            more = matches!(page.kind, PageKind::Data(DataPage { slots: 1.., .. }));
        }
        let problem = "the column chunk has more rows than the footer claims";
        if more {
            return Err(self.located(Error::corrupt(problem)));
        }
        Ok(())
    }

    /// Returns the byte ranges of the pages that contain these rows.
    pub(crate) fn ranges(&self, rows: &[Range<usize>]) -> Vec<Range<u64>> {
        self.pages.ranges(rows)
    }

    /// Returns the range of the file that has not been read.
    pub(crate) fn range_left(&self) -> Range<u64> {
        self.pages.range_left()
    }

    /// Returns the memory of the last array to the budget: the array belongs to the caller.
    pub(crate) fn release(&mut self) {
        self.memory.release();
        self.decoder.release();
    }

    fn located(&self, error: Error) -> Error {
        error
            .in_page(self.pages.page())
            .in_column(self.column.path().string())
    }

    fn advance(&mut self, rows: usize, request: Request<'_>) -> Result<()> {
        let mut left = rows;
        while left > 0 || self.continues()? {
            if self.levels.left() == 0 {
                self.close_page();
                if let Request::Skip = request {
                    left -= self.skip_pages(left)?;
                }
                if left == 0 && !self.continues()? || !self.open_page()? {
                    break;
                }
            }
            let (levels, begun) = self.levels.rows(left);
            match request {
                Request::Read => self.append(levels, None)?,
                // Columns with lists keep all rows, so there is a bit for each level.
                Request::Keep(bits) => {
                    let bits = bits.slice(rows - left, levels);
                    let bits = BooleanBuffer::new(bits.sliced(), 0, levels);
                    self.append(levels, Some(&bits))?;
                }
                Request::Skip => {
                    let valid = self.levels.skip(levels)?;
                    self.decoder.skip(valid)?;
                }
            }
            left -= begun;
            if let Request::Read = request {
                self.expect_more(rows - left, left);
            }
            if left == 0 && self.levels.left() > 0 {
                break;
            }
        }
        match left {
            0 => Ok(()),
            _ => Err(Error::corrupt(
                "the column chunk has fewer rows than the footer claims",
            )),
        }
    }

    /// Returns whether the last row may have more values in the next page.
    fn continues(&mut self) -> Result<bool> {
        Ok(self.may_continue
            && self.levels.left() == 0
            && !self.pages.begins_row(self.levels.max_repetition())?)
    }

    /// Appends the slots of the next levels; with a mask, those whose bits are set.
    fn append(&mut self, levels: usize, kept: Option<&BooleanBuffer>) -> Result<()> {
        let slots = self.levels.take(levels)?;
        self.slots += slots.len();
        self.pages.counters().values_decoded.add(slots.len());
        self.memory
            .cover(self.array_levels.bytes() + self.slots as u64 / 8)?;
        match kept {
            None => self.decoder.append(slots)?,
            Some(bits) => self.decoder.append_kept(slots, bits)?,
        }
        self.validity.append(slots);
        if let Some(bits) = kept {
            self.validity.retain(bits);
        }
        let all = &mut self.array_levels;
        if let Some(starts) = self.levels.last_starts(levels) {
            all.append_starts(starts, levels, self.levels.max_definition());
        } else if let Some([repetition, definition]) = self.levels.last(levels) {
            all.append(repetition, definition);
        }
        self.memory.cover(all.bytes() + self.slots as u64 / 8)
    }

    /// Reserves capacity for the values of lists, assuming that the remaining rows are as long as those so far: after the first page, and when
    /// little of it is left.
    fn expect_more(&mut self, rows: usize, left: usize) {
        let levels = &mut self.array_levels;
        let slots = levels.len();
        if slots + slots / MOST_GROWTH < self.expected || rows == 0 || slots == 0 || left == 0 {
            return;
        }
        let more = slots.saturating_mul(left) / rows;
        // The first rows may be the only long ones.
        let more = more.min(MOST_GROWTH.saturating_mul(slots));
        self.expected = slots.saturating_add(more);
        self.decoder.reserve(more);
        if self.memory.cover(levels.bytes() + 2 * more as u64).is_ok() {
            levels.reserve(more);
        }
    }

    fn close_page(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.decoder.close_page();
            self.pages.count();
        }
    }

    /// Returns an error if the offset index contradicts the levels of the page.
    fn check_index(&self) -> Result<()> {
        let Some(indexed) = self.pages.indexed_rows() else {
            return Ok(());
        };
        if !self.levels.begins_row() {
            return Err(Error::corrupt(
                "the page begins within a row, in contrast to the offset index",
            ));
        }
        let (_, rows) = self.levels.rows(usize::MAX);
        if rows == indexed {
            return Ok(());
        }
        Err(Error::corrupt(format!(
            "the page has {rows} rows, but {indexed} according to the offset index; `repair` rebuilds it"
        )))
    }

    /// Skips pages with at most this many rows; returns the number of rows skipped.
    fn skip_pages(&mut self, rows: usize) -> Result<usize> {
        let mut skipped = 0;
        while !self.continues()? {
            if self.pages.is_other_next()? {
                self.read_page()?;
                continue;
            }
            match self.pages.rows(self.levels.has_lists())? {
                Some(rows_of_page) if rows_of_page <= rows - skipped && skipped < rows => {
                    self.pages.skip()?;
                    self.may_continue = self.levels.has_lists();
                    skipped += rows_of_page;
                }
                _ => break,
            }
        }
        Ok(skipped)
    }

    /// Opens the next page with levels; returns whether there is one.
    fn open_page(&mut self) -> Result<bool> {
        while self.levels.left() == 0 {
            self.close_page();
            if !self.read_page()? {
                self.may_continue = false;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the next page of any kind; returns whether there is one.
    fn read_page(&mut self) -> Result<bool> {
        match self.pages.read()? {
            None => return Ok(false),
            Some((PageKind::Data(header), bytes)) => self.open_data_page(&header, bytes)?,
            Some((PageKind::Dictionary(header), bytes)) => {
                let values = self.opener.open_dictionary(&header, bytes)?;
                self.decoder.keep_dictionary(values, header.values)?;
            }
            Some((PageKind::Symbols(header), bytes)) => {
                let symbols = self.opener.open_symbols(&header, bytes)?;
                self.decoder.keep_symbols(symbols)?;
            }
            Some((PageKind::Other, _)) => {}
        }
        Ok(true)
    }

    fn open_data_page(&mut self, header: &DataPage, bytes: Bytes) -> Result<()> {
        self.is_open = true;
        self.may_continue = self.levels.has_lists();
        let parts = self.opener.open(header, bytes)?;
        self.levels
            .open(header, parts.repetition, parts.definition)?;
        self.check_index()?;
        let valid = self.levels.valid();
        self.decoder.open_page(header.encoding, parts.values, valid)
    }
}
