//! Encrypts the parts of a file as they are written. The ciphers are in another module.

use crate::chunk::{Chunk, MovedPage, Stored};
use crate::format::{
    self, BloomFilterHeader, FileMetaData, PageHeader, PageType, decode_prefix, encode,
};
use crate::input::bytes_at;
use crate::{Error, Result};
use bytes::Bytes;
use parquet::file::reader::ChunkReader;

/// Part of a column chunk that is encrypted on its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Header of the data page with this number; `None` for that of the dictionary.
    PageHeader(Option<usize>),
    Page(Option<usize>),
    ColumnIndex,
    OffsetIndex,
    BloomFilterHeader,
    BloomFilterBitset,
}

/// Numbers of a row group, and of a column in it.
pub(crate) type ChunkPlace = (usize, usize);

/// Encrypts a file as it is written.
pub(crate) trait Seal: Send {
    /// Returns the magic bytes at the start of the file.
    fn magic(&self) -> &'static [u8; 4];

    /// Returns whether a column is encrypted.
    fn seals(&self, column: usize) -> bool;

    /// Encrypts a part of a chunk.
    fn seal(&self, part: Part, chunk: ChunkPlace, bytes: &[u8]) -> Result<Vec<u8>>;

    /// Returns the end of the file, with this footer.
    fn tail(&self, footer: FileMetaData) -> Result<Vec<u8>>;
}

/// Encrypts the pages of a chunk.
pub(super) fn seal_pages(
    seal: &dyn Seal,
    place: ChunkPlace,
    chunk: &mut Chunk,
    from: &impl ChunkReader,
) -> Result<()> {
    let pages = all(chunk.pages(), from)?;
    let (mut sealed, mut moved) = (Vec::new(), Vec::new());
    let (mut at, mut to, mut number) = (0, 0, 0);
    while at < pages.len() {
        let page = pages.slice(at..);
        let (header, length) = decode_prefix::<PageHeader>(&page).map_err(format::damaged)?;
        let size = usize::try_from(header.compressed_page_size).ok();
        let body = size.and_then(|size| page.get(length..length.checked_add(size)?));
        let body = body.ok_or_else(|| Error::corrupt("a page ends after its chunk"))?;
        let is_data = matches!(header.page_type, PageType::DataPage | PageType::DataPageV2);
        let data = is_data.then_some(number);
        let sealed_body = seal.seal(Part::Page(data), place, body)?;
        let header = encode(&PageHeader {
            compressed_page_size: i32::try_from(sealed_body.len())
                .map_err(|_| Error::corrupt("a page is larger than 2 GiB"))?,
            // Pages are authenticated, or need not be.
            crc: None,
            ..header
        })?;
        let sealed_header = seal.seal(Part::PageHeader(data), place, &header)?;
        moved.push(MovedPage {
            from: at as i64,
            to: to as i64,
            bytes: (sealed_header.len() + sealed_body.len()) as i64,
        });
        at += length + body.len();
        to += sealed_header.len() + sealed_body.len();
        number += usize::from(is_data);
        sealed.extend([sealed_header.into(), sealed_body.into()]);
    }
    chunk.take_sealed(sealed, &moved)
}

/// Encrypts the Bloom filter of a chunk, if it has one.
pub(super) fn seal_filter(
    seal: &dyn Seal,
    place: ChunkPlace,
    chunk: &mut Chunk,
    from: &impl ChunkReader,
) -> Result<()> {
    let Some(filter) = chunk.bloom_filter() else {
        return Ok(());
    };
    let filter = all(filter, from)?;
    let header = decode_prefix::<BloomFilterHeader>(&filter);
    let (_, length) = header.map_err(format::damaged)?;
    let mut sealed = seal.seal(Part::BloomFilterHeader, place, &filter[..length])?;
    sealed.extend(seal.seal(Part::BloomFilterBitset, place, &filter[length..])?);
    chunk.take_bloom_filter(Some(sealed.into()));
    Ok(())
}

/// Returns all bytes of a part.
fn all(stored: &Stored, from: &impl ChunkReader) -> Result<Bytes> {
    match stored {
        Stored::File(range) => bytes_at(from, range.clone()),
        Stored::Memory(bytes) => Ok(bytes.clone()),
        Stored::Pieces(pieces) => Ok(pieces.concat().into()),
    }
}
