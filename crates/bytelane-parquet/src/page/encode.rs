//! Values and their validity to a compressed data page.

use super::codec::Compressor;
use super::header::ValueEncoding;
use super::levels::bits as levels;
use super::values::alp;
use crate::{DataPageVersion, Result};
use arrow_buffer::NullBuffer;
use bytelane::Detected;
use bytelane::byte_stream_split::Width;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{CompressedPage, Page};
use parquet::file::statistics::Statistics;

/// Writes the pages of one column after the other; its buffers are kept from page to page.
pub(crate) struct PageEncoder {
    backend: Detected,
    version: DataPageVersion,
    compression: Compression,
    compressor: Compressor,
    /// A page before it is compressed.
    plain: Vec<u8>,
    /// The same after it.
    compressed: Vec<u8>,
    /// Room for values in ALP, whose size is known only afterwards.
    room: Vec<u8>,
}

/// What a page is made of.
pub(crate) struct PageValues<'a> {
    /// How to store the values.
    pub(crate) encoding: ValueEncoding,
    /// Values, null ones included.
    pub(crate) slots: usize,
    /// Which of them are null.
    pub(crate) nulls: Option<&'a NullBuffer>,
    /// Whether the column can have nulls, and so has definition levels.
    pub(crate) optional: bool,
    /// The values that are not null: see [`dense`].
    pub(crate) dense: &'a [u8],
    /// Bytes of a value.
    pub(crate) width: usize,
    /// Statistics for the page's header.
    pub(crate) statistics: Option<Statistics>,
}

/// The values of the valid slots, one after the other: those given, where there are no nulls.
///
/// `values` has `width` bytes for each slot.
pub(crate) fn dense<'a>(
    values: &'a [u8],
    width: usize,
    nulls: Option<&NullBuffer>,
    scratch: &'a mut Vec<u8>,
) -> &'a [u8] {
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else {
        return values;
    };
    scratch.clear();
    for (start, end) in nulls.valid_slices() {
        scratch.extend_from_slice(&values[start * width..end * width]);
    }
    scratch
}

/// A page, and what its encoder learned of it.
pub(crate) struct EncodedPage {
    pub(crate) page: CompressedPage,
    /// How its values are stored: [`ValueEncoding::Plain`] where ALP would not make them smaller.
    pub(crate) encoding: ValueEncoding,
    /// Gives the page's memory back to [`PageEncoder::recycle`] when the page is written.
    pub(crate) memory: Bytes,
}

impl PageEncoder {
    pub(crate) fn new(
        backend: Detected,
        version: DataPageVersion,
        compression: Compression,
    ) -> Result<Self> {
        Ok(Self {
            backend,
            version,
            compression,
            compressor: Compressor::new(compression)?,
            plain: Vec::new(),
            compressed: Vec::new(),
            room: Vec::new(),
        })
    }

    /// A compressed data page.
    pub(crate) fn encode(&mut self, values: &PageValues<'_>) -> Result<EncodedPage> {
        let PageValues { slots, nulls, .. } = *values;
        let null_count = nulls.map_or(0, NullBuffer::null_count);
        let v1 = self.version == DataPageVersion::V1;
        self.plain.clear();
        if values.optional {
            self.append_levels(slots, nulls, v1);
        }
        let levels = self.plain.len();
        let encoding = self.append_values(values)?;

        // Version 2 leaves the levels as they are.
        self.compressed.clear();
        let kept = if v1 { 0 } else { levels };
        self.compressed.extend_from_slice(&self.plain[..kept]);
        self.compressor
            .append(&self.plain[kept..], &mut self.compressed)?;
        let mut is_compressed = self.compression != Compression::UNCOMPRESSED;
        if !v1 && self.compressed.len() >= self.plain.len() {
            is_compressed = false;
            self.compressed.clear();
            self.compressed.extend_from_slice(&self.plain);
        }

        let memory = Bytes::from(std::mem::take(&mut self.compressed));
        let buf = memory.clone();
        let num_values = slots as u32;
        let statistics = values.statistics.clone();
        let page = if v1 {
            Page::DataPage {
                buf,
                num_values,
                encoding: encoding.in_parquet(),
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics,
            }
        } else {
            Page::DataPageV2 {
                buf,
                num_values,
                encoding: encoding.in_parquet(),
                num_nulls: null_count as u32,
                num_rows: num_values,
                def_levels_byte_len: levels as u32,
                rep_levels_byte_len: 0,
                is_compressed,
                statistics,
            }
        };
        Ok(EncodedPage {
            page: CompressedPage::new(page, self.plain.len()),
            encoding,
            memory,
        })
    }

    /// Returns how the values are stored.
    fn append_values(&mut self, values: &PageValues<'_>) -> Result<ValueEncoding> {
        let PageValues { dense, width, .. } = *values;
        let start = self.plain.len();
        match values.encoding {
            ValueEncoding::ByteStreamSplit => {
                self.plain.resize(start + dense.len(), 0);
                let split = &mut self.plain[start..];
                let width = Width::new(width).expect("no column has values of 0 bytes");
                width.encode_with(self.backend, dense, split)?;
            }
            ValueEncoding::Alp => match alp::encode(self.backend, dense, width, &mut self.room)? {
                Some(encoded) => self.plain.extend_from_slice(encoded),
                None => {
                    self.plain.extend_from_slice(dense);
                    return Ok(ValueEncoding::Plain);
                }
            },
            _ => {
                self.plain.extend_from_slice(dense);
                return Ok(ValueEncoding::Plain);
            }
        }
        Ok(values.encoding)
    }

    /// Version 1 says how many bytes the levels have.
    fn append_levels(&mut self, slots: usize, nulls: Option<&NullBuffer>, with_length: bool) {
        let start = if with_length { 4 } else { 0 };
        self.plain.resize(start, 0);
        match nulls {
            Some(nulls) if nulls.null_count() == slots => {
                levels::append_uniform(slots, false, &mut self.plain);
            }
            Some(nulls) if nulls.null_count() > 0 => {
                levels::append(nulls.inner(), &mut self.plain);
            }
            _ => levels::append_uniform(slots, true, &mut self.plain),
        }
        if with_length {
            let length = (self.plain.len() - start) as u32;
            self.plain[..start].copy_from_slice(&length.to_le_bytes());
        }
    }

    /// Takes the memory of a page back, for the next one.
    pub(crate) fn recycle(&mut self, memory: Bytes) {
        if let Ok(unique) = memory.try_into_mut() {
            self.compressed = unique.into();
        }
    }
}
