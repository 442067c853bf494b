//! A column chunk in BYTE_STREAM_SPLIT or ALP, page after page, to arrays of any length.

use crate::page::{Decompressor, PageDecoder, Validity, read_header};
use crate::{Error, Result, physical};
use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use arrow_schema::DataType;
use bytelane::Detected;
use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::ColumnDescPtr;

/// Whether a chunk is read here: flat, of a fixed width, at least one page in BYTE_STREAM_SPLIT or ALP, no dictionary.
pub(super) fn is_read_here(data_type: &DataType, chunk: &ColumnChunkMetaData) -> bool {
    #[expect(
        deprecated,
        reason = "parquet-java names it for levels that are not there"
    )]
    let known = |encoding: Encoding| {
        matches!(
            encoding,
            Encoding::PLAIN | Encoding::RLE | Encoding::BIT_PACKED
        )
    };
    let has_kernel =
        |encoding: Encoding| matches!(encoding, Encoding::BYTE_STREAM_SPLIT | Encoding::ALP);
    chunk.encodings().any(has_kernel)
        && chunk.encodings().all(|it| known(it) || has_kernel(it))
        && chunk.dictionary_page_offset().is_none()
        && Decompressor::exists_for(chunk.compression_codec())
        && physical::is_readable(data_type, chunk.column_descr())
}

/// Reads a chunk from its first row to its last.
pub(super) struct ColumnReader {
    column: ColumnDescPtr,
    data_type: DataType,
    width: usize,
    /// What is left of the chunk.
    bytes: Bytes,
    /// The page that is open or comes next.
    page: usize,
    decoder: PageDecoder,
}

impl ColumnReader {
    /// `bytes` are the whole chunk.
    pub(super) fn new(
        chunk: &ColumnChunkMetaData,
        data_type: DataType,
        bytes: Bytes,
        backend: Detected,
    ) -> Result<Self> {
        let column = chunk.column_descr_ptr();
        let Some(width) = physical::width(&column) else {
            return Err(physical::not_convertible(&data_type, &column));
        };
        let decoder = PageDecoder::new(backend, chunk.compression_codec(), width, &column)?;
        Ok(Self {
            column,
            data_type,
            width,
            bytes,
            page: 0,
            decoder,
        })
    }

    /// The next rows, as many as asked for.
    pub(super) fn read(&mut self, rows: usize) -> Result<ArrayRef> {
        self.read_rows(rows).map_err(|error| {
            error
                .in_page(self.page)
                .in_column(self.column.path().string())
        })
    }

    fn read_rows(&mut self, rows: usize) -> Result<ArrayRef> {
        let bytes = rows * self.width;
        // Zeros of the system, and aligned for every number there is.
        let mut values = vec![0u128; bytes.div_ceil(size_of::<u128>())];
        let all: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
        let mut validity = Validity::default();
        let mut to = &mut all[..bytes];
        while !to.is_empty() {
            if self.decoder.left() == 0 {
                self.open_page()?;
            }
            let taken = (self.decoder.left() * self.width).min(to.len());
            let (piece, rest) = to.split_at_mut(taken);
            self.decoder.take(piece, &mut validity)?;
            if self.decoder.left() == 0 {
                self.page += 1;
            }
            to = rest;
        }
        let values = Buffer::from_vec(values).slice_with_length(0, bytes);
        physical::from_physical(&self.data_type, &self.column, values, validity.finish())
    }

    /// Opens the next page with values.
    fn open_page(&mut self) -> Result<()> {
        while self.decoder.left() == 0 {
            if self.bytes.is_empty() {
                return Err(Error::corrupt(
                    "the column chunk has fewer rows than the footer claims",
                ));
            }
            let (page, header) = read_header(&self.bytes)?;
            let mut bytes = self.bytes.split_off(header);
            if page.compressed > bytes.len() {
                return Err(Error::corrupt(format!(
                    "a page claims {} bytes, but only {} remain in the column chunk",
                    page.compressed,
                    bytes.len()
                )));
            }
            self.bytes = bytes.split_off(page.compressed);
            page.check(&bytes)?;
            if let Some(data) = page.data {
                self.decoder.open(&data, bytes)?;
                if data.slots == 0 {
                    self.page += 1;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::{DataPage, PageHeader, PageType, Parquet};
    use bytelane_thrift::Message;
    use flate2::Crc;
    use parquet::basic::{Repetition, Type};
    use parquet::schema::types::{SchemaDescriptor, Type as SchemaType};
    use std::sync::Arc;

    const VALUES: [u8; 16] = [7; 16];

    /// Two pages of two doubles each; the second has this checksum.
    fn pages(checksum: u32) -> Bytes {
        let page = |checksum: Option<u32>| {
            let header = PageHeader {
                page_type: PageType::Data,
                uncompressed_size: 16,
                compressed_size: 16,
                checksum: checksum.map(u32::cast_signed),
                data: Some(DataPage {
                    values: 2,
                    encoding: 9,
                    definition_level_encoding: 3,
                }),
                dictionary: None,
                data_v2: None,
            };
            let header = header.encode::<Parquet>().expect("a small header");
            [header, VALUES.to_vec()].concat()
        };
        [page(None), page(Some(checksum))].concat().into()
    }

    fn read(pages: Bytes) -> Result<ArrayRef> {
        let column = SchemaType::primitive_type_builder("x", Type::DOUBLE)
            .with_repetition(Repetition::REQUIRED)
            .build()?;
        let schema = SchemaType::group_type_builder("schema")
            .with_fields(vec![Arc::new(column)])
            .build()?;
        let column = SchemaDescriptor::new(Arc::new(schema)).column(0);
        let chunk = ColumnChunkMetaData::builder(column).build()?;
        ColumnReader::new(&chunk, DataType::Float64, pages, Detected::active())?.read(4)
    }

    #[test]
    fn checksums_are_compared_where_they_are() {
        let mut crc = Crc::new();
        crc.update(&VALUES);
        let right = crc.sum();
        assert_eq!(read(pages(right)).expect("whole pages").len(), 4);
        let error = read(pages(right ^ 1)).expect_err("another checksum");
        let want = format!(
            "column x, page 1: the page has the checksum {right:08x}, but its header says {:08x}",
            right ^ 1
        );
        assert_eq!(error.to_string(), want);
    }
}
