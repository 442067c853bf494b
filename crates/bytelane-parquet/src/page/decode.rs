//! A compressed data page to values and their validity, in as many pieces as the reader likes.

use super::alp;
use super::codec::Decompressor;
use super::header::{DataPage, LevelLayout, ValueEncoding};
use super::levels::Levels;
use crate::{Error, Result};
use arrow_buffer::{BooleanBufferBuilder, bit_iterator::BitSliceIterator};
use bytelane::Detected;
use bytelane::byte_stream_split::Width;
use bytes::Bytes;
use parquet::basic::{CompressionCodec, Type};
use parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Reads the pages of one column chunk; its buffer is kept from page to page.
pub(crate) struct PageDecoder {
    backend: Detected,
    width: usize,
    /// Whether they are FLOAT or DOUBLE.
    is_float: bool,
    optional: bool,
    decompressor: Decompressor,
    /// What was decompressed of the page.
    buffer: Vec<u8>,
    /// Values of a piece with nulls, before they are spread out: where numbers of any type may begin.
    scratch: Vec<u64>,
    page: Option<OpenPage>,
}

/// Bytes of a page: in the buffer, or in the file as they are.
#[derive(Clone, Debug)]
enum Part {
    Buffer(Range<usize>),
    File(Bytes),
}

/// A page of which values are left.
#[derive(Debug)]
struct OpenPage {
    encoding: ValueEncoding,
    values: Part,
    level_bytes: Part,
    levels: Levels,
    /// Whether no value of the page is null, so that nobody need look at the levels.
    all_valid: bool,
    /// Values that have been taken, null ones not included.
    taken: usize,
    /// Values that are left, null ones included.
    left: usize,
}

impl PageDecoder {
    /// For chunks of this codec, with values of `width` bytes of a column, and definition levels if it can have nulls.
    pub(crate) fn new(
        backend: Detected,
        codec: CompressionCodec,
        width: usize,
        column: &ColumnDescriptor,
    ) -> Result<Self> {
        Ok(Self {
            backend,
            width,
            is_float: matches!(column.physical_type(), Type::FLOAT | Type::DOUBLE),
            optional: column.max_def_level() > 0,
            decompressor: Decompressor::new(codec)?,
            buffer: Vec::new(),
            scratch: Vec::new(),
            page: None,
        })
    }

    /// Values that are left of the page, null ones included.
    pub(crate) fn left(&self) -> usize {
        self.page.as_ref().map_or(0, |page| page.left)
    }

    /// Opens the next page: `bytes` are those after its header.
    pub(crate) fn open(&mut self, header: &DataPage, bytes: Bytes) -> Result<()> {
        self.page = None;
        let (level_bytes, values) = match header.levels {
            LevelLayout::Unknown if self.optional => {
                return Err(Error::corrupt(
                    "definition levels in an encoding other than RLE",
                ));
            }
            LevelLayout::Inside | LevelLayout::Unknown => self.open_v1(header, bytes)?,
            LevelLayout::Before {
                bytes: levels,
                compressed,
            } => self.open_v2(header, bytes, levels, compressed)?,
        };
        let levels = Levels::new();
        let valid = match self.optional {
            true => levels
                .clone()
                .count_valid(self.bytes(&level_bytes), header.slots)?,
            false => header.slots,
        };
        self.check_values(header.encoding, self.bytes(&values), valid)?;
        self.page = Some(OpenPage {
            encoding: header.encoding,
            values,
            level_bytes,
            levels,
            all_valid: valid == header.slots,
            taken: 0,
            left: header.slots,
        });
        Ok(())
    }

    /// That a page has as many values, those of null slots not included.
    fn check_values(&self, encoding: ValueEncoding, values: &[u8], valid: usize) -> Result<()> {
        let found = values.len();
        match encoding {
            ValueEncoding::Alp if self.is_float => alp::check_count(values, valid),
            ValueEncoding::Alp => Err(Error::corrupt("a page in ALP whose values are not floats")),
            _ if valid.checked_mul(self.width) == Some(found) => Ok(()),
            _ => Err(Error::corrupt(format!(
                "{found} bytes of values instead of {valid} values of {} bytes",
                self.width
            ))),
        }
    }

    /// Version 1: everything is compressed together; the levels say how long they are.
    fn open_v1(&mut self, header: &DataPage, bytes: Bytes) -> Result<(Part, Part)> {
        let whole = self.decompressed(bytes, header.uncompressed)?;
        if !self.optional {
            return Ok((Part::Buffer(0..0), whole));
        }
        let inside = self.bytes(&whole);
        let levels = inside
            .split_first_chunk::<4>()
            .map(|(length, rest)| (u32::from_le_bytes(*length) as usize, rest.len()))
            .filter(|(length, rest)| length <= rest);
        let Some((length, _)) = levels else {
            return Err(Error::corrupt("the page ends within its definition levels"));
        };
        Ok((
            whole.slice(4..4 + length),
            whole.slice(4 + length..inside.len()),
        ))
    }

    /// Version 2: the levels are as they are, and the values perhaps as well.
    fn open_v2(
        &mut self,
        header: &DataPage,
        bytes: Bytes,
        levels: usize,
        compressed: bool,
    ) -> Result<(Part, Part)> {
        let Some(size) = header
            .uncompressed
            .checked_sub(levels)
            .filter(|_| levels <= bytes.len())
        else {
            return Err(Error::corrupt("the page ends within its definition levels"));
        };
        let mut values = bytes;
        let level_bytes = Part::File(values.split_to(levels));
        // Some writers compress no values to no bytes.
        let values = match compressed && !values.is_empty() {
            true => self.decompressed(values, size)?,
            false => Part::File(values),
        };
        Ok((level_bytes, values))
    }

    fn decompressed(&mut self, bytes: Bytes, size: usize) -> Result<Part> {
        if let Decompressor::None = self.decompressor {
            return Ok(Part::File(bytes));
        }
        self.decompressor
            .decompress(&bytes, size, &mut self.buffer)?;
        Ok(Part::Buffer(0..size))
    }

    fn bytes<'a>(&'a self, part: &'a Part) -> &'a [u8] {
        part.of(&self.buffer)
    }

    /// Takes the next values of the page into `to`, `width` bytes each; those of null slots stay unchanged.
    /// Returns whether any is null: then their validity is appended to `validity`.
    pub(crate) fn take(&mut self, to: &mut [u8], validity: &mut Validity) -> Result<()> {
        let Some(page) = &mut self.page else {
            return Ok(());
        };
        let slots = to.len() / self.width;
        let values = page.values.of(&self.buffer);
        if page.all_valid {
            let range = page.taken..page.taken + slots;
            decode(self.backend, page.encoding, values, self.width, range, to)?;
            page.taken += slots;
            validity.append_valid(slots);
        } else {
            let bitmap = validity.bitmap();
            let start = bitmap.len();
            let levels = page.level_bytes.of(&self.buffer);
            let valid = page.levels.append_to(levels, slots, bitmap)?;
            let range = page.taken..page.taken + valid;
            let bytes = valid * self.width;
            self.scratch.resize(bytes.div_ceil(size_of::<u64>()), 0);
            let dense: &mut [u8] = bytemuck::cast_slice_mut(&mut self.scratch);
            let dense = &mut dense[..bytes];
            decode(
                self.backend,
                page.encoding,
                values,
                self.width,
                range,
                dense,
            )?;
            page.taken += valid;
            spread(
                dense,
                self.width,
                bitmap.as_slice(),
                start..start + slots,
                to,
            );
        }
        page.left -= slots;
        Ok(())
    }
}

impl Part {
    fn of<'a>(&'a self, buffer: &'a [u8]) -> &'a [u8] {
        match self {
            Part::Buffer(range) => &buffer[range.clone()],
            Part::File(bytes) => bytes,
        }
    }

    /// A part of the part.
    fn slice(&self, range: Range<usize>) -> Part {
        match self {
            Part::Buffer(own) => Part::Buffer(own.start + range.start..own.start + range.end),
            Part::File(bytes) => Part::File(bytes.slice(range)),
        }
    }
}

/// A range of the values of a page, none of them null.
fn decode(
    backend: Detected,
    encoding: ValueEncoding,
    values: &[u8],
    width: usize,
    range: Range<usize>,
    to: &mut [u8],
) -> Result<()> {
    match encoding {
        ValueEncoding::Plain => {
            to.copy_from_slice(&values[range.start * width..range.end * width]);
        }
        ValueEncoding::ByteStreamSplit => {
            let width = Width::new(width).expect("no column has values of 0 bytes");
            width.decode_range_uninit_with(backend, values, range, to)?;
        }
        ValueEncoding::Alp => alp::decode(backend, values, width, range, to)?,
    }
    Ok(())
}

/// Moves values to the valid slots of `to`, the validity of which is a range of bits.
fn spread(dense: &[u8], width: usize, bits: &[u8], range: Range<usize>, to: &mut [u8]) {
    let mut taken = 0;
    for (start, end) in BitSliceIterator::new(bits, range.start, range.len()) {
        let bytes = (end - start) * width;
        to[start * width..end * width].copy_from_slice(&dense[taken..taken + bytes]);
        taken += bytes;
    }
}

/// The validity of an array that is being read: nothing at all, until the first null.
#[derive(Debug, Default)]
pub(crate) struct Validity {
    valid: usize,
    bitmap: Option<BooleanBufferBuilder>,
}

impl Validity {
    fn append_valid(&mut self, count: usize) {
        match &mut self.bitmap {
            Some(bitmap) => bitmap.append_n(count, true),
            None => self.valid += count,
        }
    }

    fn bitmap(&mut self) -> &mut BooleanBufferBuilder {
        self.bitmap.get_or_insert_with(|| {
            let mut bitmap = BooleanBufferBuilder::new(self.valid);
            bitmap.append_n(self.valid, true);
            bitmap
        })
    }

    /// The validity of everything taken; none if nothing is null.
    pub(crate) fn finish(self) -> Option<arrow_buffer::NullBuffer> {
        let nulls = self
            .bitmap
            .map(|bitmap| arrow_buffer::NullBuffer::new(bitmap.build()));
        nulls.filter(|nulls| nulls.null_count() > 0)
    }
}
