//! The headers of pages, and the places of pages.

use super::Parquet;
use crate::page::check_promise;
use bytelane_thrift::{ErrorKind, Message, Thrift};
use parquet::basic::{CompressionCodec, EncodingMask};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// Bytes of a page's header that are read first: most have less.
const FIRST_READ: u64 = 256;

/// A page's header with more bytes than this is not believed: its statistics would be larger than
/// any writer makes them.
const LONGEST_HEADER: u64 = 16 << 20;

/// Bytes by which the last page may exceed its chunk: old versions of parquet-java do not count the header of the
/// dictionary.
const UNCOUNTED: u64 = 100;

/// The kind of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Thrift)]
pub(crate) enum PageType {
    #[default]
    #[thrift(value = 0)]
    Data,
    #[thrift(value = 1)]
    Index,
    #[thrift(value = 2)]
    Dictionary,
    #[thrift(value = 3)]
    DataV2,
    #[thrift(unknown)]
    Unknown(i32),
}

/// What precedes a page.
#[derive(Clone, Debug, Thrift)]
pub(crate) struct PageHeader {
    #[thrift(id = 1, required)]
    pub page_type: PageType,
    #[thrift(id = 2, required)]
    pub uncompressed_size: i32,
    #[thrift(id = 3, required)]
    pub compressed_size: i32,
    #[thrift(id = 4)]
    pub checksum: Option<i32>,
    #[thrift(id = 5)]
    pub data: Option<DataPage>,
    #[thrift(id = 7)]
    pub dictionary: Option<DictionaryPage>,
    #[thrift(id = 8)]
    pub data_v2: Option<DataPageV2>,
}

/// What a header says of a data page of the first version.
#[derive(Clone, Debug, Thrift)]
pub(crate) struct DataPage {
    #[thrift(id = 1, required)]
    pub values: i32,
    #[thrift(id = 2, required)]
    pub encoding: i32,
    #[thrift(id = 3, required)]
    pub definition_level_encoding: i32,
    /// RLE where a writer leaves it out.
    #[thrift(id = 4, default = 3)]
    pub repetition_level_encoding: i32,
}

/// What a header says of a dictionary.
#[derive(Clone, Debug, Thrift)]
pub(crate) struct DictionaryPage {
    #[thrift(id = 1, required)]
    pub values: i32,
    #[thrift(id = 2, required)]
    pub encoding: i32,
}

/// What a header says of a data page of the second version.
#[derive(Clone, Debug, Thrift)]
pub(crate) struct DataPageV2 {
    #[thrift(id = 1, required)]
    pub values: i32,
    #[thrift(id = 2, required)]
    pub nulls: i32,
    #[thrift(id = 3, required)]
    pub rows: i32,
    #[thrift(id = 4, required)]
    pub encoding: i32,
    #[thrift(id = 5, required)]
    pub definition_levels_length: i32,
    #[thrift(id = 6, required)]
    pub repetition_levels_length: i32,
    #[thrift(id = 7, default = true)]
    pub is_compressed: bool,
}

/// A page in a file.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// Where the header starts.
    pub offset: u64,
    /// Bytes of the header.
    pub header_length: u64,
    pub header: PageHeader,
}

impl Page {
    /// Bytes of the header and the page.
    pub fn compressed(&self) -> u64 {
        self.header_length + self.header.compressed_size as u64
    }

    /// Bytes of the header and of the page without compression.
    pub fn uncompressed(&self) -> u64 {
        self.header_length + self.header.uncompressed_size as u64
    }

    /// Whether it holds values of the column, each with its place.
    pub fn is_data(&self) -> bool {
        matches!(self.header.page_type, PageType::Data | PageType::DataV2)
    }

    /// An error if its bytes cannot become as many as its header promises: nobody need make room for them.
    pub fn check_promise(&self, codec: CompressionCodec) -> crate::Result<()> {
        if codec == CompressionCodec::UNCOMPRESSED {
            return Ok(());
        }
        let [compressed, uncompressed] =
            [self.header.compressed_size, self.header.uncompressed_size].map(|size| size as usize);
        check_promise(codec, compressed, uncompressed)
    }

    /// Its values, if it is a data page; nulls count.
    pub fn values(&self) -> i64 {
        let of_data = self.header.data.as_ref().map(|page| page.values);
        let of_data_v2 = self.header.data_v2.as_ref().map(|page| page.values);
        of_data.or(of_data_v2).map_or(0, i64::from)
    }

    /// The number of the encoding of the values, in the format's specification.
    pub fn encoding(&self) -> Option<i32> {
        let PageHeader {
            data,
            dictionary,
            data_v2,
            ..
        } = &self.header;
        let of_data = data.as_ref().map(|page| page.encoding);
        let of_data_v2 = data_v2.as_ref().map(|page| page.encoding);
        let of_dictionary = dictionary.as_ref().map(|page| page.encoding);
        of_data.or(of_data_v2).or(of_dictionary)
    }
}

/// The pages of a column chunk, found by their headers; the values are not read.
#[derive(Debug)]
pub(crate) struct Pages<'a, R> {
    reader: &'a R,
    /// What is left of the chunk.
    range: Range<u64>,
}

impl<'a, R: ChunkReader> Pages<'a, R> {
    /// The pages in a range of bytes.
    pub fn new(reader: &'a R, range: Range<u64>) -> Self {
        Self { reader, range }
    }

    fn page(&self) -> Result<Page> {
        let Range { start, end } = self.range;
        let counted = end - start;
        let end = self.reader.len().min(end + UNCOUNTED);
        let most = LONGEST_HEADER.min(end - start);
        let mut length = FIRST_READ.min(most);
        let (header, header_length) = loop {
            let bytes = self.reader.get_bytes(start, length as usize)?;
            match PageHeader::decode_prefix::<Parquet>(&bytes) {
                Ok(read) => break read,
                Err(error) if error.kind() == ErrorKind::UnexpectedEnd && length < most => {
                    length = most.min(length * 8);
                }
                Err(error) => {
                    let problem = format!("the page's header is damaged: {error}");
                    return Err(ParquetError::General(problem));
                }
            }
        };
        let page = Page {
            offset: start,
            header_length: header_length as u64,
            header,
        };
        let sizes = [page.header.compressed_size, page.header.uncompressed_size];
        if sizes.iter().any(|&size| size < 0) || page.compressed() > end - start {
            return Err(ParquetError::General(format!(
                "a page claims {} bytes, {} uncompressed, but only {} remain in the column chunk",
                sizes[0],
                sizes[1],
                counted.saturating_sub(page.header_length),
            )));
        }
        Ok(page)
    }
}

impl<R: ChunkReader> Iterator for Pages<'_, R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        if self.range.is_empty() {
            return None;
        }
        let page = self.page();
        // After an error there is no telling where a page starts.
        self.range.start = match &page {
            Ok(page) => self.range.start + page.compressed(),
            Err(_) => self.range.end,
        };
        Some(page)
    }
}

/// Where a page is, as a file's index tells it.
#[derive(Clone, Debug, PartialEq, Thrift)]
pub(crate) struct PageLocation {
    #[thrift(id = 1, required)]
    pub offset: i64,
    #[thrift(id = 2, required)]
    pub compressed_size: i32,
    #[thrift(id = 3, required)]
    pub first_row: i64,
}

/// The name of an encoding by its number in the format's specification.
pub(crate) fn encoding_name(number: i32) -> String {
    let bit = u32::try_from(number)
        .ok()
        .and_then(|number| 1_i32.checked_shl(number));
    let mask = bit.and_then(|bit| EncodingMask::try_new(bit).ok());
    match mask.and_then(|mask| mask.encodings().next()) {
        Some(encoding) => encoding.to_string().to_lowercase(),
        None => format!("encoding {number}"),
    }
}
