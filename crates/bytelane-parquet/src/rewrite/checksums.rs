//! Checksums for pages that have none.

use super::chunk::{Chunk, damaged};
use crate::Result;
use crate::metadata::{Fields, MAGIC, Pages};
use bytes::Bytes;
use flate2::Crc;

/// The field of `PageHeader` in parquet.thrift.
const CHECKSUM: i16 = 4;

/// The pages of a chunk of the file in `bytes`, each with the CRC-32 of what follows its header. The chunk then says
/// where they are in the bytes that this returns.
pub(super) fn with_checksums(chunk: &mut Chunk, bytes: &Bytes) -> Result<Bytes> {
    // As in a file: for some writers, an offset of 0 stands for no page.
    let mut longer = MAGIC.to_vec();
    longer.reserve(chunk.bytes() as usize);
    let mut moved = Vec::new();
    for page in Pages::new(bytes, chunk.range()) {
        let page = page?;
        let start = page.offset as usize;
        let (header, page_bytes) =
            bytes[start..start + page.compressed() as usize].split_at(page.header_length as usize);
        let mut crc = Crc::new();
        crc.update(page_bytes);
        let (mut fields, _) = Fields::read(&bytes.slice_ref(header)).map_err(damaged)?;
        fields
            .set(CHECKSUM, &crc.sum().cast_signed())
            .map_err(damaged)?;
        let new_header = fields.write().map_err(damaged)?;
        moved.push(MovedPage {
            from: page.offset,
            to: longer.len() as u64,
            longer: new_header.len() as i64 - header.len() as i64,
        });
        longer.extend(new_header);
        longer.extend_from_slice(page_bytes);
    }
    chunk.set_pages(&moved, MAGIC.len() as u64..longer.len() as u64)?;
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
