//! The header of a page
//! ([parquet.thrift](https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift),
//! `PageHeader`), without what the decoder has no use for.

use crate::{Error, Result};
use bytelane_thrift::{Compact, Message, Thrift};

#[derive(Debug, Clone, PartialEq, Thrift)]
pub(crate) struct PageHeader {
    #[thrift(id = 1, required)]
    page_type: i32,
    #[thrift(id = 2, required)]
    uncompressed_page_size: i32,
    #[thrift(id = 3, required)]
    compressed_page_size: i32,
    #[thrift(id = 5)]
    data_page_header: Option<DataPageHeader>,
    #[thrift(id = 8)]
    data_page_header_v2: Option<DataPageHeaderV2>,
}

#[derive(Debug, Clone, PartialEq, Thrift)]
struct DataPageHeader {
    #[thrift(id = 1, required)]
    num_values: i32,
    #[thrift(id = 2, required)]
    encoding: i32,
    #[thrift(id = 3, required)]
    definition_level_encoding: i32,
}

#[derive(Debug, Clone, PartialEq, Thrift)]
struct DataPageHeaderV2 {
    #[thrift(id = 1, required)]
    num_values: i32,
    #[thrift(id = 4, required)]
    encoding: i32,
    #[thrift(id = 5, required)]
    definition_levels_byte_length: i32,
    #[thrift(id = 6, required)]
    repetition_levels_byte_length: i32,
    #[thrift(id = 7, default = true)]
    is_compressed: bool,
}

/// How the values of a page are stored, of what [`PageDecoder`](super::PageDecoder) reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueEncoding {
    Plain,
    ByteStreamSplit,
}

/// Where the levels of a data page are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LevelLayout {
    /// Compressed with the values, in front of them, and preceded by their length.
    Inside,
    /// The same, in an encoding long deprecated: nothing to read in columns without nulls.
    Unknown,
    /// In front of the values, as many bytes, not compressed; and whether the values are.
    Before { bytes: usize, compressed: bool },
}

/// A data page's header, its numbers checked for being none below zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DataPage {
    /// Values, null ones included.
    pub(crate) slots: usize,
    /// Bytes of the page, levels included, when nothing of it is compressed.
    pub(crate) uncompressed: usize,
    pub(crate) encoding: ValueEncoding,
    pub(crate) levels: LevelLayout,
}

/// A page: how many bytes follow its header, and what it is if it holds values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AnyPage {
    pub(crate) compressed: usize,
    pub(crate) data: Option<DataPage>,
}

/// The numbers of parquet.thrift.
const DATA_PAGE: i32 = 0;
const INDEX_PAGE: i32 = 1;
const DATA_PAGE_V2: i32 = 3;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const BYTE_STREAM_SPLIT: i32 = 9;

/// The header at the start of `bytes`, and its length.
pub(crate) fn read(bytes: &[u8]) -> Result<(AnyPage, usize)> {
    let (header, length) = PageHeader::decode_prefix::<Compact>(bytes)
        .map_err(|error| Error::corrupt(format!("the page header: {error}")))?;
    let page = AnyPage {
        compressed: size("compressed size", header.compressed_page_size)?,
        data: header.data_page()?,
    };
    Ok((page, length))
}

impl PageHeader {
    fn data_page(&self) -> Result<Option<DataPage>> {
        let uncompressed = size("uncompressed size", self.uncompressed_page_size)?;
        match (
            self.page_type,
            &self.data_page_header,
            &self.data_page_header_v2,
        ) {
            (DATA_PAGE, Some(header), _) => Ok(Some(DataPage {
                slots: size("number of values", header.num_values)?,
                uncompressed,
                encoding: value_encoding(header.encoding)?,
                levels: match header.definition_level_encoding {
                    RLE => LevelLayout::Inside,
                    _ => LevelLayout::Unknown,
                },
            })),
            (DATA_PAGE_V2, _, Some(header)) => {
                let definition = size(
                    "length of the definition levels",
                    header.definition_levels_byte_length,
                )?;
                if header.repetition_levels_byte_length != 0 {
                    return Err(Error::corrupt("repetition levels in a flat column"));
                }
                Ok(Some(DataPage {
                    slots: size("number of values", header.num_values)?,
                    uncompressed,
                    encoding: value_encoding(header.encoding)?,
                    levels: LevelLayout::Before {
                        bytes: definition,
                        compressed: header.is_compressed,
                    },
                }))
            }
            (INDEX_PAGE, _, _) => Ok(None),
            (other, _, _) => Err(Error::corrupt(format!(
                "a page of the type {other} among data pages without a dictionary, or without its header"
            ))),
        }
    }
}

fn value_encoding(number: i32) -> Result<ValueEncoding> {
    match number {
        PLAIN => Ok(ValueEncoding::Plain),
        BYTE_STREAM_SPLIT => Ok(ValueEncoding::ByteStreamSplit),
        other => Err(Error::corrupt(format!(
            "a page in the encoding {other}, which the footer does not name"
        ))),
    }
}

fn size(what: &str, number: i32) -> Result<usize> {
    usize::try_from(number)
        .map_err(|_| Error::corrupt(format!("the page header has a {what} of {number}")))
}
