//! Reads and checks page headers.

use crate::format::{Encoding, PageHeader, PageType, SymbolTableType};
use crate::{Error, Problem, Result};
use flate2::Crc;

/// Encoding of the values of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueEncoding {
    Plain,
    ByteStreamSplit,
    Alp,
    /// Codes for frequent parts of strings: a preview.
    Fsst,
    /// Indices into the dictionary of the column chunk.
    Dictionary,
    /// DELTA_BINARY_PACKED.
    Delta,
    DeltaLengthByteArray,
    DeltaByteArray,
    /// Hybrid of runs and packed bits, for booleans.
    Rle,
}

impl ValueEncoding {
    /// Returns the encoding as page headers and the footer store it.
    pub(crate) fn in_format(self) -> Encoding {
        match self {
            Self::Plain => Encoding::Plain,
            Self::ByteStreamSplit => Encoding::ByteStreamSplit,
            Self::Alp => Encoding::Alp,
            Self::Fsst => Encoding::Fsst,
            Self::Dictionary => Encoding::RleDictionary,
            Self::Delta => Encoding::DeltaBinaryPacked,
            Self::DeltaLengthByteArray => Encoding::DeltaLengthByteArray,
            Self::DeltaByteArray => Encoding::DeltaByteArray,
            Self::Rle => Encoding::Rle,
        }
    }

    /// Returns the name in the specification.
    pub(crate) fn in_specification(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::ByteStreamSplit => "BYTE_STREAM_SPLIT",
            Self::Alp => "ALP",
            Self::Fsst => "FSST",
            Self::Dictionary => "RLE_DICTIONARY",
            Self::Delta => "DELTA_BINARY_PACKED",
            Self::DeltaLengthByteArray => "DELTA_LENGTH_BYTE_ARRAY",
            Self::DeltaByteArray => "DELTA_BYTE_ARRAY",
            Self::Rle => "RLE",
        }
    }
}

impl PageHeader {
    /// Returns whether the values or symbols are compressed if the chunk has a codec.
    pub fn is_compressed(&self) -> bool {
        let two = self.data_page_header_v2.as_ref();
        let symbols = self.symbol_table_page_header.as_ref();
        let said = two.and_then(|it| it.is_compressed);
        said.or(symbols.and_then(|it| it.is_compressed)) != Some(false)
    }

    /// Returns whether a data page has bytes that are compressed if the chunk has a codec.
    pub(crate) fn has_compressed_values(&self) -> bool {
        let two = self.data_page_header_v2.as_ref();
        let levels = two.map_or(0, |it| {
            it.repetition_levels_byte_length
                .saturating_add(it.definition_levels_byte_length)
        });
        self.is_compressed() && self.compressed_page_size > levels
    }

    /// Returns an error if the header of a page that is not compressed has two sizes.
    pub fn check_equal_sizes(&self) -> Result<()> {
        let (stored, size) = (self.compressed_page_size, self.uncompressed_page_size);
        if stored == size {
            return Ok(());
        }
        Err(Error::corrupt(format!(
            "the page has {stored} bytes, but its header says {size} without compression"
        )))
    }
}

/// Encoding of the levels of a version 1 page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LevelEncoding {
    /// Hybrid of runs and packed bits, preceded by its length.
    Rle,
    /// Packed bits, with the first level in the highest bits of a byte: BIT_PACKED, which has long been
    /// deprecated.
    BitPacked,
    /// Any other encoding, which is accepted for columns without levels.
    Unknown,
}

/// Place of the levels of a data page. Repetition levels come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LevelLayout {
    /// Levels in front of the values, compressed with them.
    Inside {
        repetition: LevelEncoding,
        definition: LevelEncoding,
    },
    /// Uncompressed RLE in front of the values, with these lengths in bytes. `compressed` is true if the
    /// values are compressed.
    Before {
        repetition: usize,
        definition: usize,
        compressed: bool,
    },
}

/// Header of a data page, with non-negative counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataPage {
    /// Number of values, including nulls and empty lists.
    pub slots: usize,
    /// Number of rows, if the header has it. In that case, no row continues on the next page.
    pub rows: Option<usize>,
    /// Number of nulls, if the header has it.
    pub(crate) nulls: Option<usize>,
    /// Uncompressed size of the page in bytes, including levels.
    pub uncompressed: usize,
    pub encoding: ValueEncoding,
    pub levels: LevelLayout,
}

/// Header of a dictionary page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DictionaryPage {
    pub values: usize,
    /// Uncompressed size of the page in bytes.
    pub uncompressed: usize,
}

/// Size and kind of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnyPage {
    pub(crate) compressed: usize,
    /// CRC-32 of the bytes after the header, if the writer stored it.
    pub checksum: Option<u32>,
    pub kind: PageKind,
}

/// Header of a page of symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SymbolPage {
    /// Set if codes have 16 bits instead of 8.
    pub(crate) is_wide: bool,
    pub(crate) is_compressed: bool,
    /// Uncompressed size of the page in bytes.
    pub uncompressed: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageKind {
    Data(DataPage),
    Dictionary(DictionaryPage),
    /// Symbols of the chunk's pages in FSST.
    Symbols(SymbolPage),
    /// Page that is not needed: an index, or a page of an unknown type.
    Other,
}

/// Reads a header and checks its numbers.
pub fn read(header: &PageHeader) -> Result<AnyPage> {
    Ok(AnyPage {
        compressed: size("compressed size", header.compressed_page_size)?,
        checksum: header.crc.map(i32::cast_unsigned),
        kind: kind(header)?,
    })
}

impl AnyPage {
    /// Returns an error if the bytes after the header do not match the checksum.
    pub fn check(&self, bytes: &[u8]) -> Result<()> {
        let Some(promised) = self.checksum else {
            return Ok(());
        };
        let found = checksum([bytes]);
        if found == promised {
            Ok(())
        } else {
            Err(Error::corrupt(format!(
                "the page has the checksum {found:08x}, but its header says {promised:08x}"
            )))
        }
    }
}

/// Returns the CRC-32 of the bytes of a page.
pub fn checksum<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> u32 {
    let mut crc = Crc::new();
    pieces.into_iter().for_each(|piece| crc.update(piece));
    crc.sum()
}

fn kind(header: &PageHeader) -> Result<PageKind> {
    let uncompressed = size("uncompressed size", header.uncompressed_page_size)?;
    let (data, data_v2) = (&header.data_page_header, &header.data_page_header_v2);
    let (values, counts, encoding, levels) = match (header.page_type, data, data_v2) {
        (PageType::IndexPage | PageType::Unknown(_), _, _) => return Ok(PageKind::Other),
        (PageType::DictionaryPage, _, _) => return dictionary(header, uncompressed),
        (PageType::SymbolTablePage, _, _) => return symbols(header, uncompressed),
        (PageType::DataPage, Some(data), _) => {
            // Some writers omit it, which means RLE.
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
            let nulls = size("number of nulls", data.num_nulls)?;
            (data.num_values, Some((rows, nulls)), data.encoding, levels)
        }
        (other, _, _) => {
            return Err(Error::corrupt(format!(
                "a page of the type {other:?} instead of a data page, or without its header"
            )));
        }
    };
    Ok(PageKind::Data(DataPage {
        slots: size("number of values", values)?,
        rows: counts.map(|(rows, _)| rows),
        nulls: counts.map(|(_, nulls)| nulls),
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

fn symbols(header: &PageHeader, uncompressed: usize) -> Result<PageKind> {
    let Some(page) = &header.symbol_table_page_header else {
        return Err(Error::corrupt("a page of symbols without its header"));
    };
    let is_wide = match page.table_type {
        SymbolTableType::Fsst => false,
        SymbolTableType::Fsst16 => true,
        SymbolTableType::Unknown(number) => {
            let problem = format!("a page of symbols of the type {number}, which is not known");
            return Err(Problem::Unsupported(problem).into());
        }
    };
    Ok(PageKind::Symbols(SymbolPage {
        is_wide,
        is_compressed: page.is_compressed.unwrap_or(true),
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
        Encoding::Fsst => Ok(ValueEncoding::Fsst),
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
