//! A compressed data page to values and their validity, in as many pieces as the reader likes.

use super::codec::Decompressor;
use super::header::{DataPage, DictionaryPage, LevelLayout, ValueEncoding};
use super::levels;
use super::values::ValueDecoder;
use crate::allowance::Allowance;
use crate::{Error, Result};
use arrow_buffer::{BooleanBufferBuilder, Buffer, bit_iterator::BitSliceIterator};
use bytelane::Detected;
use bytelane::validity::{Element, values};
use bytemuck::Pod;
use bytes::Bytes;
use parquet::basic::CompressionCodec;
use parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Parts in which a page may be taken before its indices are better decoded at once.
const FEW_TAKES: usize = 16;

/// Reads the pages of one column chunk; its buffer is kept from page to page.
pub(crate) struct PageDecoder {
    backend: Detected,
    width: usize,
    optional: bool,
    decompressor: Decompressor,
    decoder: ValueDecoder,
    /// What was decompressed of the page.
    buffer: Vec<u8>,
    /// Values of a piece with nulls, before they are spread out: where numbers of any type may begin.
    scratch: Vec<u128>,
    /// Which of its slots are valid.
    bits: BooleanBufferBuilder,
    /// Which slots of the page are valid, unless all are, or none.
    page_bits: Vec<u8>,
    /// The memory that these bits, and values that are decoded ahead, may take.
    allowance: Allowance,
    page: Option<OpenPage>,
}

/// Bytes of a page: in the buffer, or in memory of their own, which may be that of the file.
#[derive(Clone, Debug)]
enum Part {
    Buffer(Range<usize>),
    Own(Bytes),
}

/// A page of which values are left.
#[derive(Debug)]
struct OpenPage {
    encoding: ValueEncoding,
    values: Part,
    /// All values, null ones included, and those that are valid.
    slots: usize,
    valid: usize,
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
        allowance: Allowance,
    ) -> Result<Self> {
        Ok(Self {
            backend,
            width,
            optional: column.max_def_level() > 0,
            decompressor: Decompressor::new(codec)?,
            decoder: ValueDecoder::new(backend, column, width),
            buffer: Vec::new(),
            scratch: Vec::new(),
            bits: BooleanBufferBuilder::new(0),
            page_bits: Vec::new(),
            allowance,
            page: None,
        })
    }

    /// Values that are left of the page, null ones included.
    pub(crate) fn left(&self) -> usize {
        self.page.as_ref().map_or(0, |page| page.left)
    }

    /// Reads the dictionary: `bytes` are those after its header.
    pub(crate) fn open_dictionary(&mut self, header: &DictionaryPage, bytes: Bytes) -> Result<()> {
        let values = self.decompressed(bytes, header.uncompressed)?;
        let values = values.of(&self.buffer);
        self.decoder.keep_dictionary(values, header.values)
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
            LevelLayout::BitPacked if self.optional => self.open_bit_packed(header, bytes)?,
            LevelLayout::Inside | LevelLayout::BitPacked | LevelLayout::Unknown => {
                self.open_v1(header, bytes)?
            }
            LevelLayout::Before {
                bytes: levels,
                compressed,
            } => self.open_v2(header, bytes, levels, compressed)?,
        };
        let valid = match self.optional {
            true => self.read_levels(&level_bytes, header.slots)?,
            false => header.slots,
        };
        let decoder = &self.decoder;
        decoder.check(header.encoding, self.bytes(&values), valid)?;
        self.page = Some(OpenPage {
            encoding: header.encoding,
            values,
            slots: header.slots,
            valid,
            taken: 0,
            left: header.slots,
        });
        Ok(())
    }

    /// Reads which slots are valid, and returns how many.
    fn read_levels(&mut self, bytes: &Part, slots: usize) -> Result<usize> {
        let bytes = bytes.of(&self.buffer);
        if let Some(valid) = levels::uniform(bytes, slots)? {
            return Ok(if valid { slots } else { 0 });
        }
        if !self.allowance.has_room(slots as u64 / 8) {
            return Err(Error::corrupt(format!(
                "a page of {slots} values in a column chunk that has too few bytes for as many"
            )));
        }
        levels::read(self.backend, bytes, slots, &mut self.page_bits)
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

    /// As [`open_v1`](Self::open_v1), with levels of one bit each.
    fn open_bit_packed(&mut self, header: &DataPage, bytes: Bytes) -> Result<(Part, Part)> {
        let whole = self.decompressed(bytes, header.uncompressed)?;
        let inside = self.bytes(&whole);
        let length = header.slots.div_ceil(8);
        let Some(bits) = inside.get(..length) else {
            return Err(Error::corrupt("the page ends within its definition levels"));
        };
        let levels = Part::Own(levels::from_bit_packed(bits).into());
        Ok((levels, whole.slice(length..inside.len())))
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
        let level_bytes = Part::Own(values.split_to(levels));
        // Some writers compress no values to no bytes.
        let values = match compressed && !values.is_empty() {
            true => self.decompressed(values, size)?,
            false => Part::Own(values),
        };
        Ok((level_bytes, values))
    }

    fn decompressed(&mut self, bytes: Bytes, size: usize) -> Result<Part> {
        if let Decompressor::None = self.decompressor {
            return Ok(Part::Own(bytes));
        }
        self.decompressor
            .decompress(&bytes, size, &mut self.buffer)?;
        Ok(Part::Buffer(0..size))
    }

    fn bytes<'a>(&'a self, part: &'a Part) -> &'a [u8] {
        part.of(&self.buffer)
    }

    /// Takes the next values of the page into `to`, `width` bytes each; zeros for null slots.
    /// Appends their validity.
    pub(crate) fn take(&mut self, to: &mut [u8], validity: &mut Validity) -> Result<()> {
        let slots = to.len() / self.width;
        self.decode_ahead(slots)?;
        let Some(page) = &mut self.page else {
            return Ok(());
        };
        let values = page.values.of(&self.buffer);
        if page.valid == page.slots {
            let range = page.taken..page.taken + slots;
            self.decoder.decode(page.encoding, values, range, to)?;
            page.taken += slots;
            validity.append_valid(slots);
        } else if page.valid == 0 {
            to.fill(0);
            validity.bitmap().append_n(slots, false);
        } else {
            let first = page.slots - page.left;
            self.bits.truncate(0);
            self.bits
                .append_packed_range(first..first + slots, &self.page_bits);
            let valid = levels::count_valid(self.bits.as_slice(), slots)?;
            let range = page.taken..page.taken + valid;
            let bytes = valid * self.width;
            self.scratch.resize(bytes.div_ceil(size_of::<u128>()), 0);
            let dense: &mut [u8] = bytemuck::cast_slice_mut(&mut self.scratch);
            let dense = &mut dense[..bytes];
            self.decoder.decode(page.encoding, values, range, dense)?;
            page.taken += valid;
            let bits = self.bits.as_slice();
            spread(self.backend, dense, self.width, bits, to)?;
            validity.bitmap().append_packed_range(0..slots, bits);
        }
        page.left -= slots;
        Ok(())
    }

    /// Decodes all values of a page before the first of them are taken, if it would cost too much to find the others.
    fn decode_ahead(&mut self, slots: usize) -> Result<()> {
        let Some(page) = &mut self.page else {
            return Ok(());
        };
        let bytes = page.valid.saturating_mul(self.width);
        let has_room = self.allowance.has_room(bytes as u64);
        let is_needed = match page.encoding {
            // Each value depends on those before it.
            ValueEncoding::Delta if slots < page.slots && !has_room => {
                return Err(Error::corrupt(format!(
                    "a page of {} values in a column chunk that has too few bytes for as many",
                    page.slots
                )));
            }
            ValueEncoding::Delta => slots < page.slots,
            // The headers of the runs before a range are read again. Without room, runs are long, and so are few.
            ValueEncoding::Dictionary => slots < page.slots / FEW_TAKES && has_room,
            _ => false,
        };
        if !is_needed {
            return Ok(());
        }
        let mut decoded = vec![0u128; bytes.div_ceil(size_of::<u128>())];
        let to: &mut [u8] = bytemuck::cast_slice_mut(&mut decoded);
        let (values, range) = (page.values.of(&self.buffer), 0..page.valid);
        self.decoder
            .decode(page.encoding, values, range, &mut to[..bytes])?;
        let decoded = Buffer::from_vec(decoded).slice_with_length(0, bytes);
        page.values = Part::Own(Bytes::from_owner(decoded));
        page.encoding = ValueEncoding::Plain;
        Ok(())
    }
}

impl Part {
    fn of<'a>(&'a self, buffer: &'a [u8]) -> &'a [u8] {
        match self {
            Part::Buffer(range) => &buffer[range.clone()],
            Part::Own(bytes) => bytes,
        }
    }

    /// A part of the part.
    fn slice(&self, range: Range<usize>) -> Part {
        match self {
            Part::Buffer(own) => Part::Buffer(own.start + range.start..own.start + range.end),
            Part::Own(bytes) => Part::Own(bytes.slice(range)),
        }
    }
}

/// Moves values to the valid slots of `to`, which have ones in a bitmap.
fn spread(backend: Detected, dense: &[u8], width: usize, bits: &[u8], to: &mut [u8]) -> Result<()> {
    match width {
        4 => return spread_numbers::<u32>(backend, dense, bits, to),
        8 => return spread_numbers::<u64>(backend, dense, bits, to),
        16 => return spread_numbers::<u128>(backend, dense, bits, to),
        _ => {}
    }
    to.fill(0);
    let mut taken = 0;
    for (start, end) in BitSliceIterator::new(bits, 0, to.len() / width) {
        let bytes = (end - start) * width;
        to[start * width..end * width].copy_from_slice(&dense[taken..taken + bytes]);
        taken += bytes;
    }
    Ok(())
}

fn spread_numbers<T: Element + Pod>(
    backend: Detected,
    dense: &[u8],
    bits: &[u8],
    to: &mut [u8],
) -> Result<()> {
    let dense: &[T] = bytemuck::cast_slice(dense);
    let to: &mut [T] = bytemuck::cast_slice_mut(to);
    let spread = values::spread_uninit_with(backend, dense, bits, to);
    spread
        .map(drop)
        .map_err(|error| Error::corrupt(error.to_string()))
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
