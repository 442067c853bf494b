//! Extracts rows of a chunk: pages within the range stay unchanged, pages at its ends are cut.

use crate::merge::join::bounds;
use crate::merge::join::entry::{editor, rows_begun};
use crate::merge::join::{encoded_page, lengths};
use crate::merge::leaf::{Entry, Leaf, PageBounds, StoredPage};
use bytelane::Detected;
use bytelane_parquet::budget::RowLimit;
use bytelane_parquet::format::{Encoded, PageType, SizeStatistics, Statistics};
use bytelane_parquet::page::{
    PageEditor, PageEncoder, PageGatherer, PageKind, PageRows, read_header,
};
use bytelane_parquet::statistics::Compare;
use bytelane_parquet::{DataPageVersion, Error, Problem, Result};
use parquet::basic::Type;
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

    /// Returns an error if cutting the chunk into parts like this one decodes too many values: each part decodes whole
    /// pages.
    pub(super) fn check_cuts(
        &self,
        wanted: &Range<u64>,
        limit: RowLimit,
        file_bytes: u64,
    ) -> Result<()> {
        let parts = self.leaf.rows / (wanted.end - wanted.start).max(1);
        let rows = self.most_values.saturating_mul(parts) / VALUES;
        limit.check(i64::try_from(rows).unwrap_or(i64::MAX), file_bytes)
    }

    /// Returns a chunk with these rows.
    pub(super) fn part(
        &self,
        column: &ColumnDescriptor,
        wanted: Range<u64>,
        compare: Option<Compare>,
    ) -> Result<Leaf> {
        let chunk = self.leaf.metadata().statistics.as_ref();
        let chunk = chunk.map(|it| it.decode()).transpose()?;
        let mut cutter = Cutter {
            leaf: &self.leaf,
            column,
            // Bounds of all rows also hold for some of them.
            loose: chunk.as_ref().and_then(bounds::of_some),
            open: None,
        };
        let mut pages = Vec::new();
        let mut entries = Vec::new();
        let first = self.spans.partition_point(|it| it.end() <= wanted.start);
        let entries_left = self.leaf.entries.get(first..).unwrap_or_default();
        let left = self.data.iter().zip(&self.spans).skip(first);
        for (at, ((position, span), entry)) in left.zip(entries_left).enumerate() {
            if span.first > wanted.end {
                break;
            }
            let (number, page) = (first + at, &self.leaf.pages[*position]);
            match span.within(&wanted) {
                Within::None => {}
                Within::All => {
                    pages.push(page.clone());
                    entries.push(entry.clone());
                }
                Within::Some(rows) => {
                    let cut = cutter.cut(page, entry, rows, &wanted, span);
                    let (page, entry) = cut.map_err(|error| error.in_page(number))?;
                    pages.push(page);
                    entries.push(entry);
                }
            }
        }
        described(&self.leaf, pages, entries, &wanted, chunk, compare)
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

    fn within(&self, wanted: &Range<u64>) -> Within {
        let start = self.first - u64::from(!self.begins && self.first > 0);
        let end = self.end();
        if end <= wanted.start || start >= wanted.end {
            return Within::None;
        }
        if start >= wanted.start && end <= wanted.end {
            return Within::All;
        }
        let from = self.first.max(wanted.start);
        Within::Some(PageRows {
            begun: start >= wanted.start,
            skip: (from - self.first) as usize,
            take: wanted.end.saturating_sub(from) as usize,
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
}

/// Decoder and encoder for the pages of a chunk.
struct Open {
    editor: PageEditor,
    gatherer: PageGatherer,
    /// Length, in bytes, of each entry of a dictionary of strings.
    lengths: Vec<u32>,
}

impl Cutter<'_> {
    fn open(&self) -> Result<Open> {
        let mut editor = editor(self.leaf, self.column)?;
        let is_text = self.column.physical_type() == Type::BYTE_ARRAY;
        let lengths = match self.leaf.dictionary() {
            Some(page) if is_text => {
                let (bytes, count) = dictionary_of(page, &mut editor)?;
                lengths(&bytes, count)?
            }
            _ => Vec::new(),
        };
        let (budget, _) = self.leaf.limits();
        Ok(Open {
            editor,
            gatherer: PageGatherer::new(self.column, &budget)?,
            lengths,
        })
    }

    fn cut(
        &mut self,
        stored: &StoredPage,
        entry: &Entry,
        rows: PageRows,
        wanted: &Range<u64>,
        span: &Span,
    ) -> Result<(StoredPage, Entry)> {
        let (checked, body) = (read_header(&stored.page.header)?, stored.body());
        checked.check(&body)?;
        let PageKind::Data(header) = checked.kind else {
            return Err(Error::corrupt("a page without data"));
        };
        if self.open.is_none() {
            self.open = Some(self.open()?);
        }
        let Some(open) = &mut self.open else {
            return Err(Error::corrupt("a page that cannot be cut"));
        };
        let parts = open.editor.open(&header, &body)?;
        open.gatherer.add(&header, parts, rows, None)?;
        let lengths = |index: &u32| open.lengths.get(*index as usize).map(|it| i64::from(*it));
        let string_bytes = open.gatherer.indices().iter().map(lengths);
        let string_bytes: Option<i64> = string_bytes.sum();
        let mut encoder = encoder_of(stored, self.leaf)?;
        let (page, gathered) = encoded_page(&mut open.gatherer, &mut encoder, &stored.page.header)?;
        let begins = span.begins || !rows.begun;
        let end = span.end().min(wanted.end);
        let rows = begins.then(|| end.saturating_sub(span.first.max(wanted.start)));
        let bounds = entry.bounds.clone().or_else(|| self.loose.clone());
        // NaN has not been counted for these rows alone.
        let bounds = bounds.map(|it| PageBounds { nans: None, ..it });
        let is_text = self.column.physical_type() == Type::BYTE_ARRAY;
        let mut new = Entry::of_gathered(gathered, rows, bounds);
        new.string_bytes = new.string_bytes.or(string_bytes.filter(|_| is_text));
        Ok((page, new))
    }
}

/// Returns an encoder of pages like one of a chunk.
fn encoder_of(like: &StoredPage, leaf: &Leaf) -> Result<PageEncoder> {
    let codec = leaf.metadata().codec;
    let compression = leaf.compression()?.ok_or_else(|| {
        let problem = format!(
            "cutting a page with the deprecated compression {codec:?}; leave out the number of rows or the size of files, or rewrite the file before"
        );
        Error::new(Problem::Unsupported(problem))
    })?;
    PageEncoder::new(Detected::active(), like.version(), compression)
}

/// Returns the values of a dictionary, and their number.
pub(in crate::merge) fn dictionary_of(
    page: &StoredPage,
    editor: &mut PageEditor,
) -> Result<(bytes::Bytes, usize)> {
    let (checked, body) = (read_header(&page.page.header)?, page.body());
    checked.check(&body)?;
    let PageKind::Dictionary(header) = checked.kind else {
        return Err(Error::corrupt("a dictionary without its header"));
    };
    Ok((editor.dictionary(&header, &body)?, header.values))
}

/// Builds a chunk from pages of another one.
fn described(
    leaf: &Leaf,
    data: Vec<StoredPage>,
    entries: Vec<Entry>,
    wanted: &Range<u64>,
    chunk: Option<Statistics>,
    compare: Option<Compare>,
) -> Result<Leaf> {
    let values = data.iter().map(|page| page.page.values()).sum();
    let bytes: u64 = data.iter().map(|page| page.bytes.len() as u64).sum();
    let rows = wanted.end - wanted.start;
    let uses_dictionary = data.iter().any(StoredPage::uses_dictionary);
    let dictionary = leaf.dictionary().filter(|_| uses_dictionary);
    let share = rows as f64 / leaf.rows.max(1) as f64;
    let share = dictionary.map_or(0.0, |it| it.bytes.len() as f64 * share);
    let pages = dictionary.cloned().into_iter().chain(data).collect();
    let joined = Entry::joined(&entries, compare);
    let mut chunk_of_part = leaf.chunk.clone();
    let metadata = chunk_of_part.metadata_mut();
    let statistics = bounds::of_part(joined.bounds, chunk, values);
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
