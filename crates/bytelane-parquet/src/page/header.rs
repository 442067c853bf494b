//! What the header of a page says, checked.

use crate::format::{Encoding, PageHeader, PageType};
use crate::{Error, Problem, Result};
use flate2::Crc;

/// How the values of a page are stored.
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
    /// The hybrid of runs and packed bits, of booleans.
    Rle,
}

impl ValueEncoding {
    /// Returns it as page headers and the footer have it.
    pub(crate) fn in_format(self) -> Encoding {
        match self {
            Self::Plain => Encoding::Plain,
            Self::ByteStreamSplit => Encoding::ByteStreamSplit,
            Self::Alp => Encoding::Alp,
            Self::Dictionary => Encoding::RleDictionary,
            Self::Delta => Encoding::DeltaBinaryPacked,
            Self::DeltaLengthByteArray => Encoding::DeltaLengthByteArray,
            Self::DeltaByteArray => Encoding::DeltaByteArray,
            Self::Rle => Encoding::Rle,
        }
    }

    /// Its name in the crate `parquet`.
    pub(crate) fn in_parquet(self) -> parquet::basic::Encoding {
        use parquet::basic::Encoding;
        match self {
            Self::Plain => Encoding::PLAIN,
            Self::ByteStreamSplit => Encoding::BYTE_STREAM_SPLIT,
            Self::Alp => Encoding::ALP,
            Self::Dictionary => Encoding::RLE_DICTIONARY,
            Self::Delta => Encoding::DELTA_BINARY_PACKED,
            Self::DeltaLengthByteArray => Encoding::DELTA_LENGTH_BYTE_ARRAY,
            Self::DeltaByteArray => Encoding::DELTA_BYTE_ARRAY,
            Self::Rle => Encoding::RLE,
        }
    }
}

/// How levels of a page of the first version are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LevelEncoding {
    /// The hybrid of runs and packed bits, preceded by its length.
    Rle,
    /// Packed bits, the first level in the highest ones of a byte: BIT_PACKED, which has long been deprecated.
    BitPacked,
    /// Another one: nothing to read in columns without levels.
    Unknown,
}

/// Where the levels of a data page are: the repetition levels first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LevelLayout {
    /// Compressed with the values, in front of them.
    Inside {
        repetition: LevelEncoding,
        definition: LevelEncoding,
    },
    /// In front of the values, as many bytes of RLE, not compressed; and whether the values are.
    Before {
        repetition: usize,
        definition: usize,
        compressed: bool,
    },
}

/// A data page's header, its numbers checked for being none below zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DataPage {
    /// Values, null ones and empty lists included.
    pub(crate) slots: usize,
    /// Rows, if the header says how many, and that a row begins after the last one.
    pub(crate) rows: Option<usize>,
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
    /// Nothing that is needed: an index, or a page of a type that is not known.
    Other,
}

/// What a header says.
pub(crate) fn read(header: &PageHeader) -> Result<AnyPage> {
    Ok(AnyPage {
        compressed: size("compressed size", header.compressed_page_size)?,
        checksum: header.crc.map(i32::cast_unsigned),
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
    let uncompressed = size("uncompressed size", header.uncompressed_page_size)?;
    let (data, data_v2) = (&header.data_page_header, &header.data_page_header_v2);
    let (values, rows, encoding, levels) = match (header.page_type, data, data_v2) {
        (PageType::IndexPage | PageType::Unknown(_), _, _) => return Ok(PageKind::Other),
        (PageType::DictionaryPage, _, _) => return dictionary(header, uncompressed),
        (PageType::DataPage, Some(data), _) => {
            // RLE where a writer leaves it out.
            let repetition = data.repetition_level_encoding.unwrap_or(Encoding::Rle);
            let levels = LevelLayout::Inside {
                repetition: level_encoding(repetition),
                definition: level_encoding(data.definition_level_encoding),
            };
            (data.num_values, None, data.encoding, levels)
        }
        (PageType::DataPageV2, _, Some(data)) => {
            let length = |which, bytes| size(&format!("length of the {which} levels"), bytes);
            let levels = LevelLayout::Before {
                repetition: length("repetition", data.repetition_levels_byte_length)?,
                definition: length("definition", data.definition_levels_byte_length)?,
                compressed: data.is_compressed.unwrap_or(true),
            };
            let rows = size("number of rows", data.num_rows)?;
            (data.num_values, Some(rows), data.encoding, levels)
        }
        (other, _, _) => {
            return Err(Error::corrupt(format!(
                "a page of the type {other:?} instead of a data page, or without its header"
            )));
        }
    };
    Ok(PageKind::Data(DataPage {
        slots: size("number of values", values)?,
        rows,
        uncompressed,
        encoding: value_encoding(encoding)?,
        levels,
    }))
}

fn level_encoding(encoding: Encoding) -> LevelEncoding {
    match encoding {
        Encoding::Rle => LevelEncoding::Rle,
        Encoding::BitPacked => LevelEncoding::BitPacked,
        _ => LevelEncoding::Unknown,
    }
}

fn dictionary(header: &PageHeader, uncompressed: usize) -> Result<PageKind> {
    let Some(page) = &header.dictionary_page_header else {
        return Err(Error::corrupt("a dictionary without its header"));
    };
    if let Encoding::Unknown(number) = page.encoding {
        return Err(unknown_encoding(number));
    }
    if !matches!(page.encoding, Encoding::Plain | Encoding::PlainDictionary) {
        let encoding = i32::from(page.encoding);
        return Err(Error::corrupt(format!(
            "a dictionary with the encoding {encoding} instead of PLAIN"
        )));
    }
    Ok(PageKind::Dictionary(DictionaryPage {
        values: size("number of values", page.num_values)?,
        uncompressed,
    }))
}

fn value_encoding(encoding: Encoding) -> Result<ValueEncoding> {
    match encoding {
        Encoding::Plain => Ok(ValueEncoding::Plain),
        Encoding::PlainDictionary | Encoding::RleDictionary => Ok(ValueEncoding::Dictionary),
        Encoding::Rle => Ok(ValueEncoding::Rle),
        Encoding::DeltaBinaryPacked => Ok(ValueEncoding::Delta),
        Encoding::DeltaLengthByteArray => Ok(ValueEncoding::DeltaLengthByteArray),
        Encoding::DeltaByteArray => Ok(ValueEncoding::DeltaByteArray),
        Encoding::ByteStreamSplit => Ok(ValueEncoding::ByteStreamSplit),
        Encoding::Alp => Ok(ValueEncoding::Alp),
        Encoding::BitPacked => Err(Error::corrupt(
            "a page with the encoding 4, which no value has",
        )),
        Encoding::Unknown(number) => Err(unknown_encoding(number)),
    }
}

fn unknown_encoding(number: i32) -> Error {
    Problem::Unsupported(format!(
        "a page in the encoding {number}, which is not known"
    ))
    .into()
}

fn size(what: &str, number: i32) -> Result<usize> {
    usize::try_from(number)
        .map_err(|_| Error::corrupt(format!("the page header has a {what} of {number}")))
}
