//! What a chunk's page headers tell.

use crate::metadata::{PageType, Pages, chunk_range, encoding_name};
use crate::{DataPageVersion, Encoding, Error, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// The encodings of a chunk's values, and what its pages have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PageKinds {
    /// Their numbers in the format's specification, in order of appearance.
    pub encodings: Vec<i32>,
    /// The version of its data pages.
    pub version: DataPageVersion,
    /// Whether any of its pages has a checksum.
    pub checksums: bool,
    /// Bytes of its pages without compression.
    pub uncompressed: u64,
}

impl PageKinds {
    /// The names of the encodings.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.encodings.iter().copied().map(encoding_name)
    }

    /// Whether all values are in this encoding.
    pub fn are(&self, encoding: Encoding) -> bool {
        let names: Vec<String> = self.names().collect();
        match encoding {
            Encoding::Dictionary => names == ["rle_dictionary"] || names == ["plain_dictionary"],
            other => names == [other.name()],
        }
    }

    /// Looks at the header of each page of a chunk, which must tile it and have all its values. Returns as well where
    /// they are.
    pub fn of(
        reader: &impl ChunkReader,
        chunk: &ColumnChunkMetaData,
    ) -> Result<(Self, Range<u64>)> {
        let mut range = chunk_range(chunk, reader.len())?;
        let (mut kinds, mut values) = (Self::default(), 0);
        for page in Pages::new(reader, range.clone()) {
            let page = page?;
            page.check_promise(chunk.compression_codec())?;
            if page.is_data() {
                let new = |encoding: &i32| !kinds.encodings.contains(encoding);
                kinds.encodings.extend(page.encoding().filter(new));
                values += page.values();
            }
            if page.header.page_type == PageType::DataV2 {
                kinds.version = DataPageVersion::V2;
            }
            kinds.checksums |= page.header.checksum.is_some();
            kinds.uncompressed += page.uncompressed();
            range.end = range.end.max(page.offset + page.compressed());
        }
        if values != chunk.num_values() {
            let problem = format!(
                "its pages have {values} values, but the footer says {}",
                chunk.num_values()
            );
            return Err(Error::corrupt(problem));
        }
        Ok((kinds, range))
    }
}
