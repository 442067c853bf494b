//! Adds checksums to pages that have none.

use super::{Chunk, Pages, Stored, page_offsets};
use crate::Result;
use crate::format::encode;
use crate::page::checksum;
use bytes::Bytes;

/// Stores in each page header of a chunk in memory the CRC-32 of the page's bytes.
pub fn with_checksums(mut chunk: Chunk) -> Result<Chunk> {
    let pages = match &chunk.pages {
        Stored::Memory(pages) => Bytes::clone(pages),
        Stored::Pieces(pieces) => pieces.concat().into(),
        Stored::File(_) => return Ok(chunk),
    };
    let mut longer = Vec::with_capacity(pages.len());
    let mut moved = Vec::new();
    for page in Pages::new(&pages, 0..pages.len() as u64) {
        let mut page = page?;
        let start = page.offset as usize;
        let page_bytes = &pages[start..start + page.compressed() as usize];
        let page_bytes = &page_bytes[page.header_length as usize..];
        page.header.crc = Some(checksum([page_bytes]).cast_signed());
        let header = encode(&page.header)?;
        moved.push(MovedPage {
            from: page.offset + chunk.start,
            to: longer.len() as u64 + chunk.start,
            longer: header.len() as i64 - page.header_length as i64,
        });
        longer.extend(header);
        longer.extend_from_slice(page_bytes);
    }
    set_pages(&mut chunk, &moved);
    chunk.pages = Stored::Memory(Bytes::from(longer));
    Ok(chunk)
}

/// Page whose header has changed.
struct MovedPage {
    /// Old position.
    from: u64,
    /// New position.
    to: u64,
    /// Number of bytes by which its header has grown.
    longer: i64,
}

fn set_pages(chunk: &mut Chunk, pages: &[MovedPage]) {
    let metadata = &mut chunk.metadata.meta_data;
    for offset in page_offsets(metadata) {
        if let Some(page) = pages.iter().find(|page| page.from as i64 == *offset) {
            *offset = page.to as i64;
        }
    }
    let longer: i64 = pages.iter().map(|page| page.longer).sum();
    metadata.total_uncompressed_size += longer;
    metadata.total_compressed_size += longer;
    if let Some(index) = &mut chunk.offset_index {
        let locations = &mut index.page_locations;
        // A dictionary page, if any, precedes the data pages.
        let data = &pages[pages.len().saturating_sub(locations.len())..];
        for (location, page) in locations.iter_mut().zip(data) {
            location.offset = page.to as i64;
            location.compressed_page_size += page.longer as i32;
        }
    }
}
