//! Finds the pages of a file without its footer.

use bytelane_parquet::Result;
use bytelane_parquet::chunk::{Page, Pages};
use bytelane_parquet::format::{
    BloomFilterHeader, ColumnIndex, ColumnMetaData, FileMetaData, MAGIC, OffsetIndex, PageHeader,
    PageType, SchemaElement, decode_prefix,
};
use bytelane_parquet::input::{InputFile, bytes_at};
use bytelane_parquet::page::{PageKind, read_header};
use bytes::Bytes;
use parquet::file::reader::Length;
use std::ops::Range;

/// Number of bytes that are searched at a time for the next page.
const BLOCK: u64 = 1 << 20;

/// Maximum size, in bytes, of a page header that is searched for, and of other metadata between pages.
const HEADER: u64 = 1 << 12;
const METADATA: u64 = 1 << 16;

/// Size of a block of a Bloom filter, in bytes.
const FILTER_BLOCK: i32 = 32;

/// First bytes of a page header: its type, and the beginning of its size.
const STARTS: [[u8; 3]; 4] = [
    [0x15, 0, 0x15],
    [0x15, 4, 0x15],
    [0x15, 6, 0x15],
    [0x15, 8, 0x15],
];

/// Pages that follow each other.
#[derive(Debug, Default)]
pub(super) struct Segment {
    pub pages: Vec<Page>,
    /// Ends that the file itself marks, each with the number of the page before it.
    pub ends: Vec<(usize, End)>,
    /// Set if a row group begins with the first page.
    pub begins: bool,
    /// Set if a row group ends with the last page.
    pub is_whole: bool,
}

/// End of a chunk that the file marks.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum End {
    /// A copy of the metadata of the chunk follows, with the path of its column.
    Chunk(Vec<Bytes>),
    /// A Bloom filter follows, which some writers put after each row group.
    RowGroup,
}

/// Pages of a file, and the ranges that have none.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub segments: Vec<Segment>,
    pub gaps: Vec<Range<u64>>,
}

/// Finds all pages.
pub(super) fn scan(file: &InputFile) -> Result<Scanned> {
    let mut scanned = Scanned::default();
    let mut segment = Segment {
        begins: true,
        ..Segment::default()
    };
    let mut at = (MAGIC.len() as u64).min(file.len());
    while at < file.len() {
        if let Some(page) = page_at(file, at) {
            at += page.compressed();
            segment.pages.push(page);
            continue;
        }
        let bytes = bytes_at(file, at..file.len().min(at + METADATA))?;
        if let Some((length, end)) = between(&bytes, at) {
            if let Some(last) = segment.pages.len().checked_sub(1) {
                segment.ends.push((last, end));
            }
            at = at.saturating_add(length);
            continue;
        }
        if is_after_pages(&bytes, &segment) {
            segment.is_whole = true;
            break;
        }
        let next = next_page(file, at)?;
        scanned.gaps.push(at..next.unwrap_or(file.len()));
        scanned.segments.push(std::mem::take(&mut segment));
        at = next.unwrap_or(file.len());
    }
    scanned.segments.push(segment);
    scanned.segments.retain(|it| !it.pages.is_empty());
    Ok(scanned)
}

/// Returns the page at an offset, if there is one.
fn page_at(file: &InputFile, at: u64) -> Option<Page> {
    let page = Pages::new(file, at..file.len()).next()?.ok()?;
    is_page(&page.header).then_some(page)
}

/// Returns whether a header has the fields of its type, and no others.
fn is_page(header: &PageHeader) -> bool {
    let has = (
        header.data_page_header.is_some(),
        header.dictionary_page_header.is_some(),
        header.data_page_header_v2.is_some(),
        header.symbol_table_page_header.is_some(),
    );
    let fits = match header.page_type {
        PageType::DataPage => has == (true, false, false, false),
        PageType::DictionaryPage => has == (false, true, false, false),
        PageType::DataPageV2 => has == (false, false, true, false),
        PageType::SymbolTablePage => has == (false, false, false, true),
        _ => false,
    };
    fits && header.unknown_fields.is_empty()
        && header.index_page_header.is_none()
        && !matches!(
            read_header(header).map(|it| it.kind),
            Err(_) | Ok(PageKind::Other)
        )
}

/// Returns the length of other data between pages, and the end that it marks.
fn between(bytes: &Bytes, at: u64) -> Option<(u64, End)> {
    if let Ok((chunk, length)) = decode_prefix::<ColumnMetaData>(bytes) {
        let path = chunk.path_in_schema.as_ref()?.decode().ok()?;
        let first = chunk.dictionary_page_offset.filter(|it| *it > 0);
        let first = first.map_or(chunk.data_page_offset, |it| it.min(chunk.data_page_offset));
        let end = first.checked_add(chunk.total_compressed_size)?;
        let is_its = first >= MAGIC.len() as i64 && u64::try_from(end).ok() == Some(at);
        return is_its.then_some((length as u64, End::Chunk(path)));
    }
    let (filter, length) = decode_prefix::<BloomFilterHeader>(bytes).ok()?;
    let size = filter.num_bytes;
    let is_filter = size > 0 && size % FILTER_BLOCK == 0 && filter.unknown_fields.is_empty();
    is_filter.then_some((length as u64 + size as u64, End::RowGroup))
}

/// Returns whether these bytes are the indexes or the footer, which follow the last page.
fn is_after_pages(bytes: &Bytes, segment: &Segment) -> bool {
    let is_index = decode_prefix::<ColumnIndex>(bytes).is_ok_and(|(index, _)| {
        let pages = index.null_pages.len();
        pages > 0 && [index.min_values.len(), index.max_values.len()] == [pages; 2]
    });
    let is_place = |offset: i64| {
        let found = |page: &Page| i64::try_from(page.offset) == Ok(offset);
        segment.pages.iter().any(found)
    };
    let is_offset_index = || {
        decode_prefix::<OffsetIndex>(bytes).is_ok_and(|(index, _)| {
            let first = index.page_locations.first();
            first.is_some_and(|first| is_place(first.offset))
        })
    };
    let is_footer = || decode_prefix::<FileMetaData>(bytes).is_ok() || is_cut_footer(bytes);
    is_index || is_offset_index() || is_footer()
}

/// Returns whether these bytes begin with the version of a footer and the root of its schema.
fn is_cut_footer(bytes: &Bytes) -> bool {
    let root = match bytes.as_ref() {
        // The version, and a list of up to 14 structs, or of more.
        [0x15, _, 0x19, list, ..] if list & 0xf == 0xc && *list < 0xf0 => 4,
        [0x15, _, 0x19, 0xfc, count @ ..] => {
            let more = count.iter().take_while(|it| **it >= 0x80).count();
            5 + more
        }
        _ => return false,
    };
    let root = bytes.slice(root.min(bytes.len())..);
    decode_prefix::<SchemaElement>(&root).is_ok_and(|(root, _)| {
        root.num_children.is_some_and(|it| it > 0) && root.physical_type.is_none()
    })
}

/// Returns the offset of the next page after damaged bytes: its checksum is right, or another page or other known
/// data follow it.
fn next_page(file: &InputFile, from: u64) -> Result<Option<u64>> {
    let mut block = from + 1;
    while block < file.len() {
        let end = file.len().min(block + BLOCK + HEADER);
        let bytes = bytes_at(file, block..end)?;
        let count = bytes.len().min(BLOCK as usize);
        for at in 0..count {
            if !STARTS.iter().any(|start| bytes[at..].starts_with(start)) {
                continue;
            }
            let header = bytes.slice(at..bytes.len().min(at + HEADER as usize));
            let is_header = decode_prefix::<PageHeader>(&header).is_ok_and(|(it, _)| is_page(&it));
            if is_header && is_confirmed(file, block + at as u64)? {
                return Ok(Some(block + at as u64));
            }
        }
        block += BLOCK;
    }
    Ok(None)
}

fn is_confirmed(file: &InputFile, at: u64) -> Result<bool> {
    let Some(page) = page_at(file, at) else {
        return Ok(false);
    };
    let end = at + page.compressed();
    if page_at(file, end).is_some() {
        return Ok(true);
    }
    let after = bytes_at(file, end..file.len().min(end + METADATA))?;
    if between(&after, end).is_some() {
        return Ok(true);
    }
    let header = read_header(&page.header)?;
    let bytes = || bytes_at(file, at + page.header_length..end);
    Ok(header.checksum.is_some() && header.check(&bytes()?).is_ok())
}
