//! Encodes levels and values as compressed pages.

mod dictionary;
mod levels;
mod pieces;
mod runs;
mod table;
mod values;

pub use dictionary::DictionaryBuilder;
pub use levels::{Definition, Repetition, SlotLevels};
use pieces::PageSink;
pub use pieces::Pieces;
pub use values::{DenseValues, PageValues};

use super::codec::Compressor;
use super::header::{ValueEncoding, checksum};
use super::symbols::SymbolEncoder;
use crate::format::{
    self, DataPageHeader, DataPageHeaderV2, DictionaryPageHeader, Encoded, Encoding, PageHeader,
    PageType, SymbolTablePageHeader, SymbolTableType,
};
use crate::{DataPageVersion, Problem, Result};
use arrow_buffer::Buffer;
use bytelane::Detected;
use parquet::basic::Compression;
use runs::Runs;

/// Encoder of one column's pages. Its buffers are reused from page to page.
pub struct PageEncoder {
    backend: Detected,
    version: DataPageVersion,
    compression: Compression,
    compressor: Compressor,
    /// Set if headers have the checksum of their page.
    checksums: bool,
    /// Page before compression.
    plain: Vec<u8>,
    /// Page after compression.
    compressed: Vec<u8>,
    /// Buffer for values in ALP, whose size is only known once they are encoded, and for strings of a page in FSST.
    room: Vec<u8>,
}

/// Page that has been appended to a buffer.
pub struct EncodedPage {
    /// Actual encoding of its values: [`ValueEncoding::Plain`] if ALP would not make them smaller.
    pub(crate) encoding: ValueEncoding,
    /// Number of bytes, including the header.
    pub(crate) compressed: usize,
    /// Number of bytes before compression, including the header.
    pub(crate) uncompressed: usize,
}

impl PageEncoder {
    pub fn new(
        backend: Detected,
        version: DataPageVersion,
        compression: Compression,
    ) -> Result<Self> {
        Ok(Self {
            backend,
            version,
            compression,
            compressor: Compressor::new(compression)?,
            checksums: false,
            plain: Vec::new(),
            compressed: Vec::new(),
            room: Vec::new(),
        })
    }

    /// Sets whether headers have the checksum of their page.
    pub(crate) fn with_checksums(self, checksums: bool) -> Self {
        Self { checksums, ..self }
    }

    /// Returns how dictionary indices are encoded.
    fn runs_of_values(&self) -> Runs {
        if self.compression == Compression::UNCOMPRESSED {
            Runs::Shortest
        } else {
            Runs::Long
        }
    }

    /// Returns how levels are encoded. Those of version 2 are not compressed.
    fn runs_of_levels(&self, version: DataPageVersion) -> Runs {
        match version {
            DataPageVersion::V1 => self.runs_of_values(),
            DataPageVersion::V2 => Runs::Shortest,
        }
    }

    /// Returns the version of data pages in an encoding. FSST only exists in version 2.
    fn version(&self, encoding: ValueEncoding) -> DataPageVersion {
        match encoding {
            ValueEncoding::Fsst => DataPageVersion::V2,
            _ => self.version,
        }
    }

    /// Returns the type of data pages in an encoding.
    pub(crate) fn page_type(&self, encoding: ValueEncoding) -> PageType {
        match self.version(encoding) {
            DataPageVersion::V1 => PageType::DataPage,
            DataPageVersion::V2 => PageType::DataPageV2,
        }
    }

    /// Appends a compressed data page with its header.
    pub(crate) fn append(
        &mut self,
        page: &PageValues<'_>,
        to: &mut impl PageSink,
    ) -> Result<EncodedPage> {
        let version = self.version(page.encoding);
        let is_v1 = version == DataPageVersion::V1;
        self.plain.clear();
        let [repetition, definition] = self.append_levels(page, version)?;
        let levels = self.plain.len();
        let (backend, runs) = (self.backend, self.runs_of_values());
        let (room, plain) = (&mut self.room, &mut self.plain);
        // Values that end the page as they are need no copy.
        let is_shared = self.compression == Compression::UNCOMPRESSED;
        let shared = page
            .memory
            .filter(|_| is_shared && values::ends_with_memory(page.encoding, page.values));
        let encoding = match shared {
            Some(_) => values::append_lengths(page.encoding, page.values, backend, plain)?,
            None => values::append(page, runs, backend, room, plain)?,
        };
        // Version 2 does not compress the levels.
        let is_compressed = self.compress(if is_v1 { 0 } else { levels }, is_v1)?;
        let statistics = page.statistics.as_ref().map(Encoded::new).transpose()?;
        let SlotLevels {
            slots,
            rows,
            values,
            ..
        } = *page.levels;
        let mut header = PageHeader {
            page_type: self.page_type(page.encoding),
            ..Default::default()
        };
        if is_v1 {
            header.data_page_header = Some(DataPageHeader {
                num_values: number(slots)?,
                encoding: encoding.in_format(),
                definition_level_encoding: Encoding::Rle,
                repetition_level_encoding: Some(Encoding::Rle),
                statistics,
                ..Default::default()
            });
        } else {
            header.data_page_header_v2 = Some(DataPageHeaderV2 {
                num_values: number(slots)?,
                num_nulls: number(slots - values)?,
                num_rows: number(rows)?,
                encoding: encoding.in_format(),
                definition_levels_byte_length: number(definition)?,
                repetition_levels_byte_length: number(repetition)?,
                is_compressed: Some(is_compressed),
                statistics,
                ..Default::default()
            });
        }
        self.finish(header, encoding, shared, to)
    }

    /// Appends a dictionary page with its header.
    pub(crate) fn append_dictionary(
        &mut self,
        dictionary: DictionaryBuilder,
        to: &mut impl PageSink,
    ) -> Result<EncodedPage> {
        let (entries, plain) = (dictionary.len(), dictionary.into_plain());
        self.plain.clear();
        self.compressed.clear();
        if self.compression != Compression::UNCOMPRESSED {
            self.compressor.append(&plain, &mut self.compressed)?;
        }
        let header = PageHeader {
            page_type: PageType::DictionaryPage,
            dictionary_page_header: Some(DictionaryPageHeader {
                num_values: number(entries)?,
                encoding: Encoding::Plain,
                is_sorted: Some(false),
                ..Default::default()
            }),
            ..Default::default()
        };
        self.finish(header, ValueEncoding::Plain, Some(&plain), to)
    }

    /// Appends the page of the symbols of pages in FSST, with its header.
    pub(crate) fn append_symbols(
        &mut self,
        symbols: &SymbolEncoder,
        to: &mut impl PageSink,
    ) -> Result<EncodedPage> {
        self.plain = symbols.page();
        let is_compressed = self.compress(0, false)?;
        let table_type = if symbols.is_wide() {
            SymbolTableType::Fsst16
        } else {
            SymbolTableType::Fsst
        };
        let header = PageHeader {
            page_type: PageType::SymbolTablePage,
            symbol_table_page_header: Some(SymbolTablePageHeader {
                table_type,
                is_compressed: Some(is_compressed),
                ..Default::default()
            }),
            ..Default::default()
        };
        self.finish(header, ValueEncoding::Fsst, None, to)
    }

    /// Compresses the page, except for its first `kept` bytes. Returns whether it is stored
    /// compressed: unless `is_always` is set, a page that would not become smaller is not.
    fn compress(&mut self, kept: usize, is_always: bool) -> Result<bool> {
        self.compressed.clear();
        if self.compression == Compression::UNCOMPRESSED {
            return Ok(false);
        }
        self.compressed.extend_from_slice(&self.plain[..kept]);
        let (plain, compressed) = (&self.plain[kept..], &mut self.compressed);
        self.compressor.append(plain, compressed)?;
        let is_smaller = self.compressed.len() < self.plain.len();
        if !is_always && !is_smaller {
            self.compressed.clear();
        }
        Ok(is_always || is_smaller)
    }

    /// Appends the page: its header, and either the compressed bytes, or the plain ones and those in shared
    /// memory.
    fn finish(
        &self,
        header: PageHeader,
        encoding: ValueEncoding,
        shared: Option<&Buffer>,
        to: &mut impl PageSink,
    ) -> Result<EncodedPage> {
        let memory = shared.map_or(&[][..], |memory| memory.as_slice());
        let uncompressed = self.plain.len() + memory.len();
        // The page is not compressed, or would not become smaller.
        let is_plain = self.compressed.is_empty();
        let pieces = if is_plain {
            [&self.plain[..], memory]
        } else {
            [&self.compressed[..], &[]]
        };
        let compressed = pieces.iter().map(|piece| piece.len()).sum();
        let header = format::encode(&PageHeader {
            uncompressed_page_size: number(uncompressed)?,
            compressed_page_size: number(compressed)?,
            crc: self.checksums.then(|| checksum(pieces).cast_signed()),
            ..header
        })?;
        to.copy(&header);
        if is_plain {
            to.copy(&self.plain);
            shared
                .into_iter()
                .for_each(|memory| to.share(memory.clone()));
        } else {
            to.copy(&self.compressed);
        }
        Ok(EncodedPage {
            encoding,
            compressed: header.len() + compressed,
            uncompressed: header.len() + uncompressed,
        })
    }

    /// Appends the levels; version 1 stores their length before each kind. Returns the lengths of
    /// the repetition levels and of the definition levels.
    fn append_levels(
        &mut self,
        page: &PageValues<'_>,
        version: DataPageVersion,
    ) -> Result<[usize; 2]> {
        let with_length = version == DataPageVersion::V1;
        let (greatest_def, greatest_rep) = page.greatest;
        let (levels, backend, runs) = (page.levels, self.backend, self.runs_of_levels(version));
        let mut lengths = [0; 2];
        for (is_definition, length) in [false, true].into_iter().zip(&mut lengths) {
            let greatest = if is_definition {
                greatest_def
            } else {
                greatest_rep
            };
            if greatest == 0 {
                continue;
            }
            let before = self.plain.len();
            self.plain
                .extend_from_slice(&[0; 4][..if with_length { 4 } else { 0 }]);
            let start = self.plain.len();
            if is_definition {
                levels.append_definition(greatest, runs, backend, &mut self.plain)?
            } else {
                levels.append_repetition(greatest, runs, backend, &mut self.plain)?
            }
            *length = self.plain.len() - start;
            if with_length {
                let bytes = (*length as u32).to_le_bytes();
                self.plain[before..start].copy_from_slice(&bytes);
            }
        }
        Ok(lengths)
    }
}

/// Converts a size to a number for a page header.
fn number(size: usize) -> Result<i32> {
    i32::try_from(size).map_err(|_| {
        let problem = format!(
            "a page of {size} bytes or values, more than the format can express; rows of fewer values would help"
        );
        Problem::Unsupported(problem).into()
    })
}
