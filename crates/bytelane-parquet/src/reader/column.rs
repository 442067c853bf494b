//! A column chunk, page after page, to arrays of any length.

use super::Shared;
use crate::allowance::Allowance;
use crate::metadata::Pages;
use crate::page::{Decompressor, PageDecoder, PageKind, Validity, read_header};
use crate::{Error, Result, physical};
use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use arrow_schema::DataType;
use bytelane::Detected;
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;

/// Whether a chunk is read here: flat, of a fixed width, in encodings of such values.
pub(super) fn is_read_here(data_type: &DataType, chunk: &ColumnChunkMetaData) -> bool {
    let is_of_strings = |encoding: Encoding| {
        matches!(
            encoding,
            Encoding::DELTA_BYTE_ARRAY | Encoding::DELTA_LENGTH_BYTE_ARRAY
        )
    };
    !chunk.encodings().any(is_of_strings)
        && Decompressor::exists_for(chunk.compression_codec())
        && physical::is_readable(data_type, chunk.column_descr())
}

/// Reads a chunk from its first row to its last.
pub(super) struct ColumnReader<T> {
    input: Shared<T>,
    /// Where what is left of the chunk is.
    range: Range<u64>,
    column: ColumnDescPtr,
    data_type: DataType,
    width: usize,
    /// The page that is open or comes next.
    page: usize,
    decoder: PageDecoder,
    /// Memory for values that become an array of another type.
    spare: Vec<u128>,
}

impl<T: ChunkReader> ColumnReader<T> {
    /// Of a chunk that is in a range of the input.
    pub(super) fn new(
        input: Shared<T>,
        range: Range<u64>,
        chunk: &ColumnChunkMetaData,
        data_type: DataType,
        backend: Detected,
    ) -> Result<Self> {
        let column = chunk.column_descr_ptr();
        let Some(width) = physical::width(&column) else {
            return Err(physical::not_convertible(&data_type, &column));
        };
        let allowance = Allowance::of(range.end - range.start);
        let codec = chunk.compression_codec();
        let decoder = PageDecoder::new(backend, codec, width, &column, allowance)?;
        Ok(Self {
            input,
            range,
            column,
            data_type,
            width,
            page: 0,
            decoder,
            spare: Vec::new(),
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
        // Aligned for every number there is.
        let length = bytes.div_ceil(size_of::<u128>());
        let mut values = match std::mem::take(&mut self.spare) {
            // Zeros of the system.
            spare if spare.capacity() < length => vec![0u128; length],
            spare => spare,
        };
        values.resize(length, 0);
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
        let memory = Buffer::from_vec(values);
        let values = memory.slice_with_length(0, bytes);
        let nulls = validity.finish();
        let array = physical::from_physical(&self.data_type, &self.column, values, nulls)?;
        // Only if the array does not have it.
        self.spare = memory.into_vec().unwrap_or_default();
        Ok(array)
    }

    /// Opens the next page with values.
    fn open_page(&mut self) -> Result<()> {
        while self.decoder.left() == 0 {
            let Some(page) = Pages::new(&*self.input.0, self.range.clone()).next() else {
                return Err(Error::corrupt(
                    "the column chunk has fewer rows than the footer claims",
                ));
            };
            let page = page.map_err(|error| match error {
                ParquetError::General(problem) => Error::corrupt(problem),
                other => other.into(),
            })?;
            self.range.start = page.offset + page.compressed();
            let header = read_header(&page.header)?;
            let start = page.offset + page.header_length;
            let bytes = self.input.0.get_bytes(start, header.compressed)?;
            header.check(&bytes)?;
            match header.kind {
                PageKind::Data(data) => {
                    self.decoder.open(&data, bytes)?;
                    self.page += usize::from(data.slots == 0);
                }
                PageKind::Dictionary(dictionary) => {
                    self.decoder.open_dictionary(&dictionary, bytes)?;
                }
                PageKind::Index => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::{DataPage, PageHeader, PageType, Parquet};
    use arrow_array::Float64Array;
    use bytelane_thrift::Message;
    use bytes::Bytes;
    use flate2::Crc;
    use parquet::basic::{Repetition, Type};
    use parquet::schema::types::{SchemaDescriptor, Type as SchemaType};
    use std::sync::Arc;

    const VALUES: [u8; 16] = [7; 16];
    const PLAIN: i32 = 0;
    const RLE: i32 = 3;
    const BIT_PACKED: i32 = 4;
    const RLE_DICTIONARY: i32 = 8;

    /// A data page with its header.
    fn page(
        values: i32,
        encoding: i32,
        levels: i32,
        bytes: &[u8],
        checksum: Option<u32>,
    ) -> Vec<u8> {
        let size = i32::try_from(bytes.len()).expect("a small page");
        let header = PageHeader {
            page_type: PageType::Data,
            uncompressed_size: size,
            compressed_size: size,
            checksum: checksum.map(u32::cast_signed),
            data: Some(DataPage {
                values,
                encoding,
                definition_level_encoding: levels,
            }),
            dictionary: None,
            data_v2: None,
        };
        let header = header.encode::<Parquet>().expect("a small header");
        [&header, bytes].concat()
    }

    /// Two pages of two doubles each; the second has this checksum.
    fn pages(checksum: u32) -> Vec<u8> {
        let page = |checksum| page(2, PLAIN, RLE, &VALUES, checksum);
        [page(None), page(Some(checksum))].concat()
    }

    fn read(pages: Vec<u8>, repetition: Repetition, rows: usize) -> Result<ArrayRef> {
        let column = SchemaType::primitive_type_builder("x", Type::DOUBLE)
            .with_repetition(repetition)
            .build()?;
        let schema = SchemaType::group_type_builder("schema")
            .with_fields(vec![Arc::new(column)])
            .build()?;
        let column = SchemaDescriptor::new(Arc::new(schema)).column(0);
        let chunk = ColumnChunkMetaData::builder(column).build()?;
        let range = 0..pages.len() as u64;
        let input = Shared(Arc::new(Bytes::from(pages)));
        let backend = Detected::active();
        ColumnReader::new(input, range, &chunk, DataType::Float64, backend)?.read(rows)
    }

    /// The encoding of levels before 2013: the first level is the highest bit.
    #[test]
    fn levels_of_old_files_are_read() {
        let values: Vec<u8> = (0..4).flat_map(|i| f64::from(i).to_le_bytes()).collect();
        let bytes = [&[0b1001_0000, 0b1010_0000], &values[..]].concat();
        let array = read(
            page(11, PLAIN, BIT_PACKED, &bytes, None),
            Repetition::OPTIONAL,
            11,
        );
        let array = array.expect("a page of an old file");
        let mut expected = [None; 11];
        for (value, place) in [0, 3, 8, 10].into_iter().enumerate() {
            expected[place] = Some(value as f64);
        }
        assert_eq!(array.as_ref(), &Float64Array::from(expected.to_vec()));
    }

    #[test]
    fn indices_need_a_dictionary() {
        let page = page(2, RLE_DICTIONARY, RLE, &[1, 4, 0], None);
        let error = read(page, Repetition::REQUIRED, 2).expect_err("no dictionary");
        assert_eq!(
            error.to_string(),
            "column x, page 0: a page of indices, but the column chunk has no dictionary before it"
        );
    }

    #[test]
    fn checksums_are_compared_where_they_are() {
        let mut crc = Crc::new();
        crc.update(&VALUES);
        let right = crc.sum();
        assert_eq!(
            read(pages(right), Repetition::REQUIRED, 4)
                .expect("whole pages")
                .len(),
            4
        );
        let damaged = read(pages(right ^ 1), Repetition::REQUIRED, 4);
        let error = damaged.expect_err("another checksum");
        let want = format!(
            "column x, page 1: the page has the checksum {right:08x}, but its header says {:08x}",
            right ^ 1
        );
        assert_eq!(error.to_string(), want);
    }
}
