//! Checksums for pages that have none.

use super::chunk::Chunk;
use crate::Result;
use crate::format::encode;
use crate::metadata::{MAGIC, Pages};
use bytes::Bytes;
use flate2::Crc;

/// The pages of a chunk of the file in `bytes`, each with the CRC-32 of what follows its header. The chunk then says
/// where they are in the bytes that this returns.
pub(super) fn with_checksums(chunk: &mut Chunk, bytes: &Bytes) -> Result<Bytes> {
    // As in a file: for some writers, an offset of 0 stands for no page.
    let mut longer = MAGIC.to_vec();
    longer.reserve(chunk.bytes() as usize);
    let mut moved = Vec::new();
    for page in Pages::new(bytes, chunk.range()) {
        let mut page = page?;
        let start = page.offset as usize;
        let page_bytes = &bytes[start..start + page.compressed() as usize];
        let page_bytes = &page_bytes[page.header_length as usize..];
        let mut crc = Crc::new();
        crc.update(page_bytes);
        page.header.crc = Some(crc.sum().cast_signed());
        let header = encode(&page.header)?;
        moved.push(MovedPage {
            from: page.offset,
            to: longer.len() as u64,
            longer: header.len() as i64 - page.header_length as i64,
        });
        longer.extend(header);
        longer.extend_from_slice(page_bytes);
    }
    chunk.set_pages(&moved, MAGIC.len() as u64..longer.len() as u64);
    Ok(longer.into())
}

/// A page whose header has changed.
pub(super) struct MovedPage {
    /// Where it was.
    pub from: u64,
    /// Where it is.
    pub to: u64,
    /// How many bytes its header has gained.
    pub longer: i64,
}
