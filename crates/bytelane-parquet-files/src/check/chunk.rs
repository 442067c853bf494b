//! Checks the pages of a chunk against the footer.

use super::index;
use super::outcome::Findings;
use bytelane_parquet::chunk::{Chunk, Page, Pages, encoding_name, stored_range};
use bytelane_parquet::format::{ColumnChunk, ColumnOrder, Encoding, PageType};
use bytelane_parquet::input::bytes_at;
use bytelane_parquet::page::read_header;
use bytelane_parquet::{Error, Result};
use parquet::file::reader::ChunkReader;
use parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Location and sizes of a chunk according to its pages.
pub(super) struct Found {
    pub range: Range<u64>,
    pub pages: u64,
    pub compressed: i64,
    pub uncompressed: i64,
}

/// Checks a chunk.
pub(super) fn check(
    file: &impl ChunkReader,
    described: &ColumnChunk,
    column: &ColumnDescriptor,
    rows: i64,
    order: Option<&ColumnOrder>,
    findings: &mut Findings,
) -> Result<Found> {
    let metadata = &described.meta_data;
    let mut range = stored_range(described, file.len())?;
    let (mut pages, mut data_pages) = (Vec::new(), 0);
    for page in Pages::new(file, range.clone()) {
        let page = page?;
        check_page(file, &page, data_pages, findings)?;
        data_pages += usize::from(page.is_data());
        range.end = range.end.max(page.offset + page.compressed());
        pages.push(page);
    }
    let compressed = (range.end - range.start) as i64;
    if metadata.total_compressed_size != compressed {
        let claimed = metadata.total_compressed_size;
        findings.error(format!(
            "the footer says {claimed} bytes, but its pages have {compressed}"
        ));
    }
    let uncompressed = pages.iter().map(|page| page.uncompressed() as i64).sum();
    if metadata.total_uncompressed_size != uncompressed {
        let claimed = metadata.total_uncompressed_size;
        findings.warning(format!(
            "the footer says {claimed} bytes without compression, but its pages have {uncompressed}"
        ));
    }
    check_offsets(described, &pages, findings);
    check_encodings(described, &pages, findings)?;
    let found = Found {
        pages: pages.len() as u64,
        compressed,
        uncompressed,
        range: range.clone(),
    };
    match Chunk::open(file, described.clone(), range) {
        Ok(chunk) => index::check(&chunk, &pages, column, rows, order, findings)?,
        Err(error) => findings.add_error(error)?,
    }
    Ok(found)
}

/// Checks a header, and the checksum if it has one.
fn check_page(
    file: &impl ChunkReader,
    page: &Page,
    number: usize,
    findings: &mut Findings,
) -> Result<()> {
    let in_page = |error: Error| {
        if page.is_data() {
            error.in_page(number)
        } else {
            error
        }
    };
    let header = match read_header(&page.header) {
        Ok(header) => header,
        Err(error) => return findings.add_error(in_page(error)),
    };
    if header.checksum.is_some() {
        let start = page.offset + page.header_length;
        let bytes = bytes_at(file, start..page.offset + page.compressed())?;
        if let Err(error) = header.check(&bytes) {
            findings.add_error(in_page(error))?;
        }
    }
    Ok(())
}

/// Checks the offsets of the first pages.
fn check_offsets(described: &ColumnChunk, pages: &[Page], findings: &mut Findings) {
    let metadata = &described.meta_data;
    let is_dictionary = |page: &&Page| page.header.page_type == PageType::DictionaryPage;
    let dictionary = pages.iter().find(is_dictionary).map(|it| it.offset as i64);
    let data = pages
        .iter()
        .find(|page| page.is_data())
        .map(|it| it.offset as i64);
    let claimed = metadata.dictionary_page_offset.filter(|it| *it > 0);
    if claimed.is_some() && claimed != dictionary {
        findings.error("the footer says that the dictionary is elsewhere");
    }
    if data.is_some_and(|data| data != metadata.data_page_offset) {
        let severe = metadata.data_page_offset != dictionary.unwrap_or(-1);
        if severe {
            findings.error("the footer says that the first data page is elsewhere")
        } else {
            findings.warning("the footer gives the dictionary's offset for the first data page")
        }
    }
}

/// Checks the encodings and their counts in the footer.
fn check_encodings(described: &ColumnChunk, pages: &[Page], findings: &mut Findings) -> Result<()> {
    let metadata = &described.meta_data;
    let named = metadata.encodings.decode()?;
    let mut counts: Vec<(PageType, Encoding, i32)> = Vec::new();
    let mut has_dictionary = false;
    for page in pages {
        let Some(encoding) = page.encoding() else {
            continue;
        };
        let is_index = matches!(
            encoding,
            Encoding::RleDictionary | Encoding::PlainDictionary
        );
        has_dictionary |= page.header.page_type == PageType::DictionaryPage;
        if page.is_data() && is_index && !has_dictionary {
            findings.error("a page of indices, but no dictionary before it");
        }
        if page.is_data() && !named.contains(&encoding) {
            let name = encoding_name(encoding);
            findings.warning(format!(
                "the footer does not name the encoding {name} of a page"
            ));
        }
        let key = (page.header.page_type, encoding);
        match counts.iter_mut().find(|it| (it.0, it.1) == key) {
            Some(count) => count.2 += 1,
            None => counts.push((key.0, key.1, 1)),
        }
    }
    let has_pages = |it: &&Encoding| counts.iter().any(|(_, used, _)| used == *it);
    let mut others = named.iter().filter(|it| !has_pages(it));
    if let Some(other) = others.find(|it| matches!(it, Encoding::Unknown(_))) {
        let name = encoding_name(*other);
        findings.warning(format!(
            "the footer names the encoding {name}, but no page has it"
        ));
    }
    let Some(claimed) = &metadata.encoding_stats else {
        return Ok(());
    };
    let mut claimed: Vec<(PageType, Encoding, i32)> = claimed
        .decode()?
        .iter()
        .map(|it| (it.page_type, it.encoding, it.count))
        .collect();
    claimed.sort_unstable();
    counts.sort_unstable();
    if claimed != counts {
        findings
            .warning("the footer counts other pages and encodings (encoding_stats) than there are");
    }
    Ok(())
}
