//! Extracts rows of a chunk: pages within the range stay unchanged, pages at its ends are cut.

use super::values::{Deleted, of_page};
use crate::merge::join::bounds;
use crate::merge::join::encoded_page;
use crate::merge::join::entry::{editor, rows_begun};
use crate::merge::leaf::{Entry, Leaf, PageBounds, StoredPage};
use bytelane::Detected;
use bytelane_parquet::budget::RowLimit;
use bytelane_parquet::format::{Encoded, PageType, SizeStatistics, Statistics};
use bytelane_parquet::page::{
    DataPage, PageEditor, PageEncoder, PageGatherer, PageKind, PageRows, Parts, read_header,
};
use bytelane_parquet::statistics::Compare;
use bytelane_parquet::{DataPageVersion, Error, Problem, Result};
use parquet::basic::{Compression, Type};
use parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Number of values of pages to cut that count as a row of the limit.
const VALUES: u64 = 64;

/// Chunk from which parts are taken, in time proportional to the pages of each part.
pub(super) struct Whole {
    leaf: Leaf,
    /// Positions of the data pages among all pages.
    data: Vec<usize>,
    /// Rows of each data page.
    spans: Vec<Span>,
    /// Number of values of the largest page.
    most_values: u64,
}

impl Whole {
    pub(super) fn new(mut leaf: Leaf, column: &ColumnDescriptor) -> Result<Self> {
        leaf.chunk.clear_locations();
        let values = leaf.data_pages().map(|it| it.page.values());
        let pages = leaf.pages.iter().enumerate();
        let data = pages.filter(|(_, page)| page.page.is_data());
        Ok(Self {
            most_values: u64::try_from(values.max().unwrap_or(0)).unwrap_or(0),
            data: data.map(|(position, _)| position).collect(),
            spans: spans(&leaf, column)?,
            leaf,
        })
    }

    /// Returns an error if cutting the chunk into parts of this many rows decodes too many values: each part decodes whole
    /// pages.
    pub(super) fn check_cuts(&self, wanted: u64, limit: RowLimit, file_bytes: u64) -> Result<()> {
        let parts = self.leaf.rows / wanted.max(1);
        let rows = self.most_values.saturating_mul(parts) / VALUES;
        limit.check(i64::try_from(rows).unwrap_or(i64::MAX), file_bytes)
    }

    /// Returns a chunk with these rows. If the others are deleted, its bounds become those of the values that are left.
    pub(super) fn part(
        &self,
        column: &ColumnDescriptor,
        wanted: &[Range<u64>],
        (compare, are_deleted): (Option<Compare>, bool),
    ) -> Result<Leaf> {
        let chunk = self.leaf.metadata().statistics.as_ref();
        let chunk = chunk.map(|it| it.decode()).transpose()?;
        let mut cutter = Cutter {
            leaf: &self.leaf,
            column,
            // Bounds of all rows also hold for some of them.
            loose: chunk.as_ref().and_then(bounds::of_some),
            open: None,
            are_deleted,
            counts_deleted: false,
            nulls: 0,
        };
        let (mut pages, mut entries, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        let (from, to) = match wanted {
            _ if are_deleted => (0, u64::MAX),
            [first, .., last] => (first.start, last.end),
            [only] => (only.start, only.end),
            [] => (0, 0),
        };
        let first = self.spans.partition_point(|it| it.end() <= from);
        let count = self.spans[first..].partition_point(|it| it.first <= to);
        let within = self.spans[first..][..count].iter();
        let within: Vec<_> = within.map(|span| span.within(wanted)).collect();
        let has_whole = within.iter().any(|it| matches!(it, Within::All));
        cutter.counts_deleted = are_deleted && has_whole;
        for (at, within) in within.into_iter().enumerate() {
            let number = first + at;
            let page = &self.leaf.pages[self.data[number]];
            let Some(entry) = self.leaf.entries.get(number) else {
                break;
            };
            let cut = match within {
                Within::None => cutter.delete(page).map(|()| None),
                Within::All => {
                    whole.push((page, entry));
                    Ok(Some((page.clone(), entry.clone())))
                }
                Within::Some(rows) => cutter
                    .cut(page, entry, &rows, &self.spans[number])
                    .map(Some),
            };
            let cut = cut.map_err(|error| error.in_page(number))?;
            pages.extend(cut.as_ref().map(|(page, _)| page.clone()));
            entries.extend(cut.map(|(_, entry)| entry));
        }
        let left = match (chunk.clone(), compare) {
            (Some(chunk), Some(compare)) if are_deleted => {
                Some(cutter.statistics(chunk, compare, &whole)?)
            }
            _ => None,
        };
        let rows = wanted.iter().map(|rows| rows.end - rows.start).sum();
        let cut = (pages.len() - whole.len()) as u64;
        let pages = (pages, entries);
        described(&self.leaf, pages, (rows, cut), (chunk, left), compare)
    }
}

/// Rows of a page.
#[derive(Debug)]
struct Span {
    /// First row that begins in it.
    first: u64,
    /// Number of rows that begin in it.
    begun: u64,
    /// Set if the page begins with a new row.
    begins: bool,
}

/// Selected rows of a page.
enum Within {
    None,
    Some(PageRows),
    All,
}

impl Span {
    fn end(&self) -> u64 {
        self.first + self.begun
    }

    fn within(&self, wanted: &[Range<u64>]) -> Within {
        let start = self.first - u64::from(!self.begins && self.first > 0);
        let end = self.end();
        let from = wanted.partition_point(|rows| rows.end <= start);
        let wanted = wanted[from..].iter().take_while(|rows| rows.start < end);
        let is_wanted = |rows: &Range<u64>| rows.start <= start;
        let Some(first) = wanted.clone().next() else {
            return Within::None;
        };
        if is_wanted(first) && end <= first.end {
            return Within::All;
        }
        let ranges = wanted.map(|rows| {
            let (start, end) = (rows.start.max(self.first), rows.end.clamp(self.first, end));
            (start - self.first) as usize..(end - self.first) as usize
        });
        Within::Some(PageRows {
            begun: is_wanted(first),
            ranges: ranges.filter(|rows| !rows.is_empty()).collect(),
        })
    }
}

/// Returns the rows of each page.
fn spans(leaf: &Leaf, column: &ColumnDescriptor) -> Result<Vec<Span>> {
    let known = leaf.entries.iter().map(|it| Some((it.rows?, true)));
    let begun = match known.collect::<Option<Vec<_>>>() {
        Some(known) => known,
        None => rows_begun(leaf, column)?,
    };
    let mut first = 0;
    let spans = begun.into_iter().map(|(begun, begins)| {
        let span = Span {
            first,
            begun,
            begins,
        };
        first += begun;
        span
    });
    let spans = spans.collect();
    if first == leaf.rows {
        Ok(spans)
    } else {
        let problem = format!(
            "its pages have {first} rows, but the row group has {}",
            leaf.rows
        );
        Err(Error::corrupt(problem))
    }
}

/// Cuts pages of a chunk.
struct Cutter<'a> {
    leaf: &'a Leaf,
    column: &'a ColumnDescriptor,
    loose: Option<PageBounds>,
    open: Option<Open>,
    /// Set if the rows that are not selected are deleted.
    are_deleted: bool,
    /// Set if they are decoded. They need not be if all pages lose rows: then, the values that are left are all known.
    counts_deleted: bool,
    /// Number of nulls that are left in pages that have lost rows.
    nulls: usize,
}

/// Decoder and encoder for the pages of a chunk.
struct Open {
    editor: PageEditor,
    gatherer: PageGatherer,
    deleted: Deleted,
    /// Compression of new pages, once there are some, and the encoder of the last one with its version.
    compression: Option<Compression>,
    encoder: Option<(DataPageVersion, PageEncoder)>,
}

impl Open {
    /// Adds rows of a page to those that are deleted.
    fn delete(&mut self, header: &DataPage, parts: Parts, rows: &PageRows) -> Result<()> {
        self.gatherer.add(header, parts, rows, None)?;
        let (nulls, deleted) = (self.gatherer.nulls(), &mut self.deleted);
        self.gatherer.with_values(|values| {
            deleted.add(values, nulls);
            Ok(())
        })
    }

    /// Prepares the encoder of pages like one of a chunk.
    fn prepare(&mut self, like: &StoredPage, leaf: &Leaf) -> Result<()> {
        let compression = match self.compression {
            Some(compression) => compression,
            None => *self.compression.insert(compression_of_cuts(leaf)?),
        };
        let version = like.version();
        let is_other = self.encoder.as_ref().is_none_or(|(it, _)| *it != version);
        if is_other {
            let encoder = PageEncoder::new(Detected::active(), version, compression)?;
            self.encoder = Some((version, encoder));
        }
        Ok(())
    }
}

impl Cutter<'_> {
    fn open(&mut self) -> Result<&mut Open> {
        let open = match self.open.take() {
            Some(open) => open,
            None => {
                let mut editor = editor(self.leaf, self.column)?;
                let (budget, _) = self.leaf.limits();
                Open {
                    deleted: Deleted::new(self.leaf, self.column, &mut editor)?,
                    editor,
                    gatherer: PageGatherer::new(self.column, &budget)?,
                    compression: None,
                    encoder: None,
                }
            }
        };
        Ok(self.open.insert(open))
    }

    /// Deletes all rows of a page.
    fn delete(&mut self, stored: &StoredPage) -> Result<()> {
        if !self.counts_deleted {
            return Ok(());
        }
        let open = self.open()?;
        let (header, parts) = opened(&mut open.editor, stored)?;
        open.delete(&header, parts, &PageRows::all())
    }

    fn cut(
        &mut self,
        stored: &StoredPage,
        entry: &Entry,
        rows: &PageRows,
        span: &Span,
    ) -> Result<(StoredPage, Entry)> {
        let (are_deleted, counts_deleted, leaf) =
            (self.are_deleted, self.counts_deleted, self.leaf);
        let is_text = self.column.physical_type() == Type::BYTE_ARRAY;
        let open = self.open()?;
        open.prepare(stored, leaf)?;
        let (header, parts) = opened(&mut open.editor, stored)?;
        if counts_deleted {
            open.delete(&header, parts.clone(), &rows.others())?;
        }
        open.gatherer.add(&header, parts, rows, None)?;
        let indices = open.gatherer.indices().iter();
        let lengths = indices.map(|index| open.deleted.length(*index));
        let string_bytes: Option<i64> = is_text.then(|| lengths.sum()).flatten();
        let mut left = None;
        let (gatherer, deleted) = (&mut open.gatherer, &mut open.deleted);
        let encoder = open.encoder.as_mut();
        let (_, encoder) = encoder.ok_or_else(|| Error::corrupt("a page that cannot be cut"))?;
        let (page, gathered) = encoded_page(gatherer, encoder, &stored.page.header, |values| {
            left = are_deleted.then(|| deleted.keep(values));
        })?;
        self.nulls += gathered.nulls;
        let begins = span.begins || !rows.begun;
        let selected = rows.ranges.iter().map(|rows| rows.len() as u64);
        let selected = begins.then(|| selected.sum());
        let bounds = match left {
            Some(left) => {
                // A page of NaN has no bounds.
                let has_bounds = left.range().is_some() || gathered.nulls == gathered.slots;
                has_bounds.then(|| of_page(&left, entry.bounds.as_ref()))
            }
            None => {
                let bounds = entry.bounds.clone().or_else(|| self.loose.clone());
                // NaN has not been counted for these rows alone.
                bounds.map(|it| PageBounds { nans: None, ..it })
            }
        };
        let mut new = Entry::of_gathered(gathered, selected, bounds);
        new.string_bytes = new.string_bytes.or(string_bytes);
        Ok((page, new))
    }

    /// Returns the statistics of what is left of the chunk, given the pages that have lost no rows.
    fn statistics(
        &mut self,
        chunk: Statistics,
        compare: Compare,
        whole: &[(&StoredPage, &Entry)],
    ) -> Result<Statistics> {
        let nulls = self.nulls as i64;
        let Open {
            editor,
            gatherer,
            deleted,
            ..
        } = self.open()?;
        if whole.is_empty() {
            return Ok(deleted.statistics_of_left(chunk, nulls));
        }
        deleted.statistics(chunk, compare, whole, |stored| {
            let (header, parts) = opened(editor, stored)?;
            gatherer.add(&header, parts, &PageRows::all(), None)?;
            gatherer.with_values(|values| Ok(deleted.bounds_of(values)))
        })
    }
}

/// Returns the header and the decompressed parts of a page.
fn opened(editor: &mut PageEditor, stored: &StoredPage) -> Result<(DataPage, Parts)> {
    let (checked, body) = (read_header(&stored.page.header)?, stored.body());
    checked.check(&body)?;
    let PageKind::Data(header) = checked.kind else {
        return Err(Error::corrupt("a page without data"));
    };
    let parts = editor.open(&header, &body)?;
    Ok((header, parts))
}

/// Returns the compression of new pages of a chunk.
fn compression_of_cuts(leaf: &Leaf) -> Result<Compression> {
    let codec = leaf.metadata().codec;
    leaf.compression()?.ok_or_else(|| {
        let problem = format!(
            "cutting a page with the deprecated compression {codec:?}; leave out the number of rows or the size of files, or rewrite the file before"
        );
        Error::new(Problem::Unsupported(problem))
    })
}

/// Builds a chunk from pages of another one, with the statistics of that one and, if they are known, those of these pages.
fn described(
    leaf: &Leaf,
    (data, entries): (Vec<StoredPage>, Vec<Entry>),
    (rows, cut): (u64, u64),
    (chunk, left): (Option<Statistics>, Option<Statistics>),
    compare: Option<Compare>,
) -> Result<Leaf> {
    let values = data.iter().map(|page| page.page.values()).sum();
    let bytes: u64 = data.iter().map(|page| page.bytes.len() as u64).sum();
    let uses_dictionary = data.iter().any(StoredPage::uses_dictionary);
    let dictionary = leaf.dictionary().filter(|_| uses_dictionary);
    let share = rows as f64 / leaf.rows.max(1) as f64;
    let share = dictionary.map_or(0.0, |it| it.bytes.len() as f64 * share);
    let pages = dictionary.cloned().into_iter().chain(data).collect();
    let joined = Entry::joined(&entries, compare);
    let mut chunk_of_part = leaf.chunk.clone();
    let metadata = chunk_of_part.metadata_mut();
    let statistics = left.or_else(|| bounds::of_part(joined.bounds, chunk, values));
    metadata.statistics = statistics.map(|it| Encoded::new(&it)).transpose()?;
    metadata.num_values = values;
    let [repetition, definition] = joined.levels;
    let sizes = SizeStatistics {
        unencoded_byte_array_data_bytes: joined.string_bytes,
        repetition_level_histogram: repetition,
        definition_level_histogram: definition,
        ..Default::default()
    };
    let sizes = (sizes != SizeStatistics::default()).then_some(sizes);
    metadata.size_statistics = sizes.map(|it| Encoded::new(&it)).transpose()?;
    metadata.geospatial_statistics = None;
    Ok(Leaf {
        chunk: chunk_of_part,
        pages,
        entries,
        rows,
        bloom_filter: leaf.bloom_filter.clone(),
        bytes: bytes + share as u64,
        cut,
        memory: leaf.memory,
    })
}

impl StoredPage {
    /// Returns the version of a data page.
    pub(in crate::merge) fn version(&self) -> DataPageVersion {
        if self.page.header.page_type == PageType::DataPageV2 {
            DataPageVersion::V2
        } else {
            DataPageVersion::V1
        }
    }
}
