//! What the header of a page says, checked.

use crate::metadata::{PageHeader, PageType};
use crate::{Error, Result};
use flate2::Crc;
use parquet::basic::Encoding;

/// How the values of a page are stored, of what [`PageDecoder`](super::PageDecoder) reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValueEncoding {
    Plain,
    ByteStreamSplit,
    Alp,
    /// Indices into the dictionary of the column chunk.
    Dictionary,
    /// DELTA_BINARY_PACKED.
    Delta,
    DeltaLengthByteArray,
    DeltaByteArray,
}

impl ValueEncoding {
    /// Its name in the crate `parquet`.
    pub(crate) fn in_parquet(self) -> Encoding {
        match self {
            Self::Plain => Encoding::PLAIN,
            Self::ByteStreamSplit => Encoding::BYTE_STREAM_SPLIT,
            Self::Alp => Encoding::ALP,
            Self::Dictionary => Encoding::RLE_DICTIONARY,
            Self::Delta => Encoding::DELTA_BINARY_PACKED,
            Self::DeltaLengthByteArray => Encoding::DELTA_LENGTH_BYTE_ARRAY,
            Self::DeltaByteArray => Encoding::DELTA_BYTE_ARRAY,
        }
    }
}

/// Where the levels of a data page are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LevelLayout {
    /// Compressed with the values, in front of them, and preceded by their length.
    Inside,
    /// In front of the values as well, one bit each, the first one of a byte being the highest: BIT_PACKED, which has long
    /// been deprecated.
    BitPacked,
    /// In another encoding: nothing to read in columns without nulls.
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

/// What a dictionary's header says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DictionaryPage {
    pub(crate) values: usize,
    /// Bytes of the page when nothing of it is compressed.
    pub(crate) uncompressed: usize,
}

/// A page: how many bytes follow its header, and what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AnyPage {
    pub(crate) compressed: usize,
    /// The CRC-32 of these bytes, where the writer tells it.
    pub(crate) checksum: Option<u32>,
    pub(crate) kind: PageKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PageKind {
    Data(DataPage),
    Dictionary(DictionaryPage),
    /// Nothing that is needed.
    Index,
}

/// The numbers of encodings in parquet.thrift.
const PLAIN: i32 = 0;
const PLAIN_DICTIONARY: i32 = 2;
const RLE: i32 = 3;
const BIT_PACKED: i32 = 4;
const DELTA_BINARY_PACKED: i32 = 5;
const DELTA_LENGTH_BYTE_ARRAY: i32 = 6;
const DELTA_BYTE_ARRAY: i32 = 7;
const RLE_DICTIONARY: i32 = 8;
const BYTE_STREAM_SPLIT: i32 = 9;
const ALP: i32 = 10;

/// What a header says.
pub(crate) fn read(header: &PageHeader) -> Result<AnyPage> {
    Ok(AnyPage {
        compressed: size("compressed size", header.compressed_size)?,
        checksum: header.checksum.map(i32::cast_unsigned),
        kind: kind(header)?,
    })
}

impl AnyPage {
    /// An error if the bytes after the header are not those of which the writer made the checksum.
    pub(crate) fn check(&self, bytes: &[u8]) -> Result<()> {
        let Some(promised) = self.checksum else {
            return Ok(());
        };
        let mut found = Crc::new();
        found.update(bytes);
        match found.sum() == promised {
            true => Ok(()),
            false => Err(Error::corrupt(format!(
                "the page has the checksum {:08x}, but its header says {promised:08x}",
                found.sum()
            ))),
        }
    }
}

fn kind(header: &PageHeader) -> Result<PageKind> {
    let uncompressed = size("uncompressed size", header.uncompressed_size)?;
    let (values, encoding, levels) = match (header.page_type, &header.data, &header.data_v2) {
        (PageType::Index, _, _) => return Ok(PageKind::Index),
        (PageType::Dictionary, _, _) => return dictionary(header, uncompressed),
        (PageType::Data, Some(data), _) => {
            let levels = match data.definition_level_encoding {
                RLE => LevelLayout::Inside,
                BIT_PACKED => LevelLayout::BitPacked,
                _ => LevelLayout::Unknown,
            };
            (data.values, data.encoding, levels)
        }
        (PageType::DataV2, _, Some(data)) => {
            let what = "length of the definition levels";
            let bytes = size(what, data.definition_levels_length)?;
            if data.repetition_levels_length != 0 {
                return Err(Error::corrupt("repetition levels in a flat column"));
            }
            let compressed = data.is_compressed;
            let levels = LevelLayout::Before { bytes, compressed };
            (data.values, data.encoding, levels)
        }
        (other, _, _) => {
            return Err(Error::corrupt(format!(
                "a page of the type {other:?} instead of a data page, or without its header"
            )));
        }
    };
    Ok(PageKind::Data(DataPage {
        slots: size("number of values", values)?,
        uncompressed,
        encoding: value_encoding(encoding)?,
        levels,
    }))
}

fn dictionary(header: &PageHeader, uncompressed: usize) -> Result<PageKind> {
    let Some(page) = &header.dictionary else {
        return Err(Error::corrupt("a dictionary without its header"));
    };
    if !matches!(page.encoding, PLAIN | PLAIN_DICTIONARY) {
        let encoding = page.encoding;
        return Err(Error::corrupt(format!(
            "a dictionary with the encoding {encoding} instead of PLAIN"
        )));
    }
    Ok(PageKind::Dictionary(DictionaryPage {
        values: size("number of values", page.values)?,
        uncompressed,
    }))
}

fn value_encoding(number: i32) -> Result<ValueEncoding> {
    match number {
        PLAIN => Ok(ValueEncoding::Plain),
        PLAIN_DICTIONARY | RLE_DICTIONARY => Ok(ValueEncoding::Dictionary),
        DELTA_BINARY_PACKED => Ok(ValueEncoding::Delta),
        DELTA_LENGTH_BYTE_ARRAY => Ok(ValueEncoding::DeltaLengthByteArray),
        DELTA_BYTE_ARRAY => Ok(ValueEncoding::DeltaByteArray),
        BYTE_STREAM_SPLIT => Ok(ValueEncoding::ByteStreamSplit),
        ALP => Ok(ValueEncoding::Alp),
        other => Err(Error::corrupt(format!(
            "a page with the encoding {other}, which values of a fixed width cannot have"
        ))),
    }
}

fn size(what: &str, number: i32) -> Result<usize> {
    usize::try_from(number)
        .map_err(|_| Error::corrupt(format!("the page header has a {what} of {number}")))
}
