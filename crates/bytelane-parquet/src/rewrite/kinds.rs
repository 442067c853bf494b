//! What the page headers of a chunk tell.

use crate::metadata::{PageType, Pages, encoding_name};
use crate::{DataPageVersion, Encoding, Error, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// The encodings of a chunk's values, and the version of its data pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageKinds {
    /// Their numbers in the format's specification, in order of appearance.
    pub encodings: Vec<i32>,
    pub version: DataPageVersion,
    /// Data pages.
    pages: usize,
    /// Values of the largest of them.
    page_values: i64,
    values: i64,
}

impl PageKinds {
    /// How many rows the pages of a chunk of `rows` rows have: those of the largest one, if each but the last is as
    /// large; if they differ, or it is not known, their average.
    pub fn page_rows(&self, rows: usize) -> usize {
        let pages = self.pages.max(1);
        let largest = usize::try_from(self.page_values).unwrap_or(0).max(1);
        let is_flat = i64::try_from(rows) == Ok(self.values);
        match is_flat && rows.div_ceil(largest) == pages {
            true => largest,
            false => rows.div_ceil(pages).max(1),
        }
    }

    /// Whether all values are in this encoding.
    pub fn are(&self, encoding: Encoding) -> bool {
        let names: Vec<String> = self.encodings.iter().copied().map(encoding_name).collect();
        match encoding {
            Encoding::Dictionary => names == ["rle_dictionary"] || names == ["plain_dictionary"],
            other => names == [other.name()],
        }
    }

    /// Looks at the header of each page of a chunk, which must tile it and have all its values.
    pub fn of(
        reader: &impl ChunkReader,
        chunk: &ColumnChunkMetaData,
        range: Range<u64>,
    ) -> Result<Self> {
        let (mut encodings, mut version, mut values) = (Vec::new(), DataPageVersion::V1, 0);
        let (mut pages, mut page_values) = (0, 0);
        for page in Pages::new(reader, range) {
            let page = page?;
            page.check_promise(chunk.compression_codec())?;
            if page.is_data() {
                encodings.extend(
                    page.encoding()
                        .filter(|encoding| !encodings.contains(encoding)),
                );
                values += page.values();
                pages += 1;
                page_values = page_values.max(page.values());
            }
            if page.header.page_type == PageType::DataV2 {
                version = DataPageVersion::V2;
            }
        }
        if values != chunk.num_values() {
            let problem = format!(
                "its pages have {values} values, but the footer says {}",
                chunk.num_values()
            );
            return Err(Error::corrupt(problem));
        }
        Ok(Self {
            encodings,
            version,
            pages,
            page_values,
            values,
        })
    }
}
