//! Reads chunks with damaged pages: intact pages, and placeholders for the rows that are lost.

use super::judge::Judge;
use crate::check::claims::{Claims, compare_of};
use crate::merge::join::entry::of_pages;
use crate::merge::leaf::{Leaf, StoredPage};
use crate::merge::window::Window;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::chunk::facts;
use bytelane_parquet::chunk::{Chunk, Page, Pages, stored_range};
use bytelane_parquet::format::{
    self, ColumnChunk, ColumnIndex, ColumnOrder, DataPageHeader, Encoded, Encoding, PageHeader,
    PageLocation, PageType, Statistics,
};
use bytelane_parquet::input::bytes_at;
use bytelane_parquet::{Error, Result};
use parquet::file::reader::Length;
use parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Rows of a row group that were in a damaged page.
#[derive(Clone, Debug)]
pub(crate) struct Lost {
    pub rows: Range<u64>,
    pub why: String,
}

/// Reads a chunk of a row group with `rows` rows; damaged pages have no bytes. Also returns their
/// rows.
pub(in crate::merge) fn salvaged(
    window: &Window,
    described: &ColumnChunk,
    rows: u64,
    column: &ColumnDescriptor,
    order: Option<&ColumnOrder>,
) -> Result<(Leaf, Vec<Lost>)> {
    let range = stored_range(described, window.len())?;
    let open = |described: ColumnChunk| {
        let chunk = Chunk::open(window, described, range.clone())?;
        let claims = Claims::new(window, &chunk, column, order)?;
        Ok::<_, Error>((chunk, claims))
    };
    let mut described = described.clone();
    facts::correct(
        &mut described.meta_data,
        (column, compare_of(column, order)),
        &[],
    )?;
    let (chunk, claims) = open(described.clone()).or_else(|_| {
        // Indexes may be damaged and are not needed.
        let mut described = ColumnChunk {
            offset_index_offset: None,
            column_index_offset: None,
            ..described
        };
        described.meta_data.bloom_filter_offset = None;
        open(described)
    })?;
    let mut leaf = Leaf {
        bytes: chunk.bytes(),
        chunk: without_null_pages(chunk, column),
        pages: Vec::new(),
        entries: Vec::new(),
        rows,
        bloom_filter: None,
        cut: 0,
        memory: MemoryLimit::default(),
    };
    let mut scan = Scan::new(window, column, Judge::new(&leaf, column, claims)?, rows);
    let locations = locations(&leaf.chunk, rows);
    if !locations.is_some_and(|locations| scan.by_index(&locations, range.clone())) {
        let claims = Claims::new(window, &leaf.chunk, column, order)?;
        leaf.chunk.forget_indexes(true, true);
        scan = Scan::new(window, column, Judge::new(&leaf, column, claims)?, rows);
        scan.by_headers(range)?;
    }
    if scan.lost.is_empty()
        && let Err(error) = scan.judge.finish()
    {
        (scan.row, scan.lost) = (0, vec![lost(0..rows, &error)]);
    }
    let Scan {
        page_rows,
        pages,
        lost,
        ..
    } = scan;
    leaf.pages = pages;
    leaf.entries = of_pages(&leaf, column, page_rows);
    let values = leaf.data_pages().map(|page| page.page.values()).sum();
    let pages: Vec<&Page> = leaf.pages.iter().map(|it| &it.page).collect();
    let metadata = leaf.chunk.metadata_mut();
    metadata.num_values = values;
    facts::correct(metadata, (column, compare_of(column, order)), &pages)?;
    // Nothing confirms these, and they are not needed.
    metadata.size_statistics = None;
    metadata.geospatial_statistics = None;
    metadata.key_value_metadata = None;
    // Pages in FSST have been replaced.
    metadata.symbol_table_page_offset = None;
    metadata.symbol_table_page_length = None;
    metadata.unknown_fields.clear();
    Ok((leaf, lost))
}

/// Removes the column index of a column with lists if it has null pages. The crate `parquet` calls pages of lists null
/// pages if they have as many nulls as rows.
fn without_null_pages(mut chunk: Chunk, column: &ColumnDescriptor) -> Chunk {
    let index = chunk.column_index().map(format::decode::<ColumnIndex>);
    let has_null_pages = match index {
        Some(Ok(index)) => index.null_pages.contains(&true),
        Some(Err(_)) => true,
        None => false,
    };
    if has_null_pages && column.max_rep_level() > 0 {
        chunk.forget_indexes(false, true);
    }
    chunk
}

/// Returns the page locations of an undamaged offset index, if there is one.
fn locations(chunk: &Chunk, rows: u64) -> Option<Vec<PageLocation>> {
    let locations = &chunk.offset_index()?.page_locations;
    let range = chunk.start()..chunk.start() + chunk.bytes();
    let is_first = locations.first()?.first_row_index == 0;
    let ascend = locations.windows(2).all(|pair| {
        pair[0].first_row_index < pair[1].first_row_index && pair[0].offset < pair[1].offset
    });
    let are_within = locations.iter().all(|it| {
        u64::try_from(it.offset).is_ok_and(|offset| range.contains(&offset))
            && u64::try_from(it.first_row_index).is_ok_and(|row| row < rows)
    });
    (is_first && ascend && are_within).then(|| locations.clone())
}

/// Finds the pages of a chunk.
struct Scan<'a> {
    window: &'a Window,
    column: &'a ColumnDescriptor,
    judge: Judge,
    rows: u64,
    /// Next row.
    row: u64,
    page_rows: Vec<Option<u64>>,
    pages: Vec<StoredPage>,
    lost: Vec<Lost>,
}

impl<'a> Scan<'a> {
    fn new(window: &'a Window, column: &'a ColumnDescriptor, judge: Judge, rows: u64) -> Self {
        Self {
            window,
            column,
            judge,
            rows,
            row: 0,
            page_rows: Vec::new(),
            pages: Vec::new(),
            lost: Vec::new(),
        }
    }

    fn stored(&self, page: Page) -> Result<StoredPage> {
        let bytes = bytes_at(self.window, page.offset..page.offset + page.compressed())?;
        with_plain_header(StoredPage { page, bytes })
    }

    /// Reads pages at the locations of the offset index. Returns `false` if its first rows cannot be trusted: an index
    /// that is wrong contradicts at least two pages, and a page that is wrong only itself.
    fn by_index(&mut self, locations: &[PageLocation], range: Range<u64>) -> bool {
        let mut contradictions = 0;
        let first = locations[0].offset as u64;
        for page in Pages::new(self.window, range.start..first) {
            let Ok(page) = page.map_err(Error::from).and_then(|page| self.stored(page)) else {
                break;
            };
            self.dictionary(page);
        }
        for (number, location) in locations.iter().enumerate() {
            let offset = location.offset as u64;
            let next = locations.get(number + 1);
            let end = next.map_or(range.end, |it| it.offset as u64);
            let row = next.map_or(self.rows, |it| it.first_row_index as u64);
            let wanted = row - self.row;
            let page = Pages::new(self.window, offset..end).next();
            let page = page.unwrap_or_else(|| Ok(no_page(offset)));
            let page = page.map_err(Error::from).and_then(|page| {
                let size = page.compressed();
                let page = self.stored(page)?;
                if i64::from(location.compressed_page_size) != size as i64 {
                    return Err(Error::corrupt(
                        "the offset index says that the page has another size",
                    ));
                }
                let known = self.known_rows(&page.page.header);
                let judged = self.judge.judge(page, Some(number), None);
                let rows = judged.as_ref().ok().map(|(_, rows, _)| *rows).or(known);
                contradictions += usize::from(rows.is_some_and(|rows| rows != wanted));
                match judged? {
                    (_, rows, _) if rows != wanted => Err(Error::corrupt(format!(
                        "the page has {rows} rows instead of {wanted}"
                    ))),
                    (_, _, false) => Err(Error::corrupt("the page begins within a row")),
                    (page, _, true) => Ok(page),
                }
            });
            match page {
                Ok(page) => self.keep(page, wanted, true),
                Err(error) => self.lose(offset, row, &error),
            }
        }
        contradictions == 0 || (contradictions == 1 && self.lost.len() == 1)
    }

    /// Reads pages one after the other. After a damaged header, the rest is lost.
    fn by_headers(&mut self, range: Range<u64>) -> Result<()> {
        let window = self.window;
        for page in Pages::new(window, range) {
            let page = page.map_err(Error::from).and_then(|page| self.stored(page));
            let page = match page {
                Ok(page) => page,
                Err(error) => {
                    self.lose_rest(&error);
                    return Ok(());
                }
            };
            if !page.page.is_data() {
                self.dictionary(page);
                continue;
            }
            let (known, offset) = (self.known_rows(&page.page.header), page.page.offset);
            match self.judge.judge(page, None, known) {
                Ok((page, rows, begins)) if self.row + rows <= self.rows => {
                    self.keep(page, rows, begins);
                }
                Ok(_) => {
                    self.lose_all(&Error::corrupt(
                        "its pages have more rows than the row group",
                    ));
                    return Ok(());
                }
                Err(error) => match known.filter(|rows| self.row + rows <= self.rows) {
                    Some(rows) => self.lose(offset, self.row + rows, &error),
                    None => {
                        self.lose_rest(&error);
                        return Ok(());
                    }
                },
            }
        }
        if self.row < self.rows {
            self.lose_all(&Error::corrupt(
                "its pages have fewer rows than the row group",
            ));
        }
        Ok(())
    }

    /// Returns the number of rows of a page, if its header determines it.
    fn known_rows(&self, header: &PageHeader) -> Option<u64> {
        let two = header.data_page_header_v2.as_ref().map(|it| it.num_rows);
        let one = header.data_page_header.as_ref().map(|it| it.num_values);
        let rows = two.or(one.filter(|_| self.column.max_rep_level() == 0))?;
        u64::try_from(rows).ok()
    }

    fn dictionary(&mut self, page: StoredPage) {
        let is_kept = page.page.header.page_type == PageType::DictionaryPage;
        if self.judge.dictionary(&page) && is_kept {
            self.pages.push(page);
        }
    }

    fn keep(&mut self, page: StoredPage, rows: u64, begins: bool) {
        self.pages.push(page);
        self.page_rows.push(begins.then_some(rows));
        self.row += rows;
    }

    fn lose(&mut self, offset: u64, end: u64, error: &Error) {
        let rows = self.row..end;
        self.lost.push(lost(rows.clone(), error));
        let mut page = no_page(offset);
        if let Some(header) = &mut page.header.data_page_header {
            header.num_values = i32::try_from(rows.end - rows.start).unwrap_or(i32::MAX);
        }
        let bytes = bytes::Bytes::new();
        self.keep(StoredPage { page, bytes }, rows.end - rows.start, true);
    }

    /// Marks all rows as lost, because nobody knows which of them the pages have.
    fn lose_all(&mut self, error: &Error) {
        self.page_rows.clear();
        self.pages.retain(|page| !page.page.is_data());
        self.lost.clear();
        self.row = 0;
        self.lose(0, self.rows, error);
    }

    /// Marks all remaining rows as lost; in columns with lists also the row before them, which may
    /// continue in the next page.
    fn lose_rest(&mut self, error: &Error) {
        self.lose(0, self.rows, error);
        if self.column.max_rep_level() > 0
            && let Some(lost) = self.lost.last_mut()
        {
            lost.rows.start = lost.rows.start.saturating_sub(1);
        }
    }
}

/// Encodes the header of a page again unless its bytes are those that this crate writes for the fields that it knows:
/// other readers may refuse a header with unknown fields, or without the encoding of repetition levels.
fn with_plain_header(mut stored: StoredPage) -> Result<StoredPage> {
    let header = &mut stored.page.header;
    header.unknown_fields.clear();
    let mut statistics = None;
    if let Some(data) = &mut header.data_page_header {
        data.repetition_level_encoding.get_or_insert(Encoding::Rle);
        data.unknown_fields.clear();
        statistics = Some(&mut data.statistics);
    }
    if let Some(data) = &mut header.data_page_header_v2 {
        data.unknown_fields.clear();
        statistics = Some(&mut data.statistics);
    }
    if let Some(dictionary) = &mut header.dictionary_page_header {
        dictionary.unknown_fields.clear();
    }
    if let Some(statistics) = statistics {
        let known = statistics.take().and_then(|it| it.decode().ok());
        let known = known.map(|it| Statistics {
            unknown_fields: Default::default(),
            ..it
        });
        *statistics = known.map(|it| Encoded::new(&it)).transpose()?;
    }
    let mut bytes = format::encode(header)?;
    let length = bytes.len();
    if stored.bytes.get(..length) != Some(&bytes) || stored.page.header_length != length as u64 {
        bytes.extend_from_slice(&stored.body());
        stored.page.header_length = length as u64;
        stored.bytes = bytes.into();
    }
    Ok(stored)
}

/// Returns lost rows with the reason.
fn lost(rows: Range<u64>, error: &Error) -> Lost {
    Lost {
        rows,
        why: error.problem().to_string(),
    }
}

/// Returns a placeholder for a damaged page.
fn no_page(offset: u64) -> Page {
    Page {
        offset,
        header_length: 0,
        header: PageHeader {
            page_type: PageType::DataPage,
            data_page_header: Some(DataPageHeader::default()),
            ..Default::default()
        },
    }
}
