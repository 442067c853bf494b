//! The bytes of pages, decompressed and taken apart.

use super::codec::{Decompressor, check_promise};
use super::header::{DataPage, DictionaryPage, LevelEncoding, LevelLayout};
use super::levels::bits as levels;
use crate::budget::{Budget, Reservation};
use crate::{Error, Problem, Result};
use bytes::Bytes;
use parquet::basic::CompressionCodec;
use parquet::schema::types::ColumnDescriptor;

/// The levels of a page.
#[derive(Clone, Debug)]
pub(crate) enum LevelBytes {
    Rle(Bytes),
    BitPacked(Bytes),
}

impl LevelBytes {
    /// The levels as they are stored.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Rle(bytes) | Self::BitPacked(bytes) => bytes,
        }
    }
}

/// The parts of a data page.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// Those of columns without such levels have no bytes.
    pub(crate) repetition: LevelBytes,
    pub(crate) definition: LevelBytes,
    pub(crate) values: Bytes,
}

/// Takes the pages of one column chunk apart, whose memory it uses again.
pub(crate) struct Opener {
    decompressor: Decompressor,
    repetition_bits: u32,
    definition_bits: u32,
    /// The most bytes that a page may have.
    most: u64,
    /// The page before, decompressed: once nobody has it any more, its memory is for the next one.
    last: Bytes,
    /// Memory of the page, and of the dictionary.
    memory: Reservation,
    dictionary: Reservation,
}

impl Opener {
    /// Of a chunk of this codec, whose pages may have so many bytes once they are decompressed.
    pub(crate) fn new(
        codec: CompressionCodec,
        column: &ColumnDescriptor,
        most: u64,
        budget: &Budget,
    ) -> Result<Self> {
        Ok(Self {
            most,
            memory: budget.reservation(),
            dictionary: budget.reservation(),
            decompressor: Decompressor::new(codec)?,
            repetition_bits: levels::bits(column.max_rep_level()),
            definition_bits: levels::bits(column.max_def_level()),
            last: Bytes::new(),
        })
    }

    /// The values of a dictionary: `bytes` are those after its header.
    pub(crate) fn open_dictionary(
        &mut self,
        header: &DictionaryPage,
        bytes: Bytes,
    ) -> Result<Bytes> {
        let values = self.decompressed(bytes, header.uncompressed)?;
        // It lives as long as the chunk.
        self.last = Bytes::new();
        std::mem::swap(&mut self.memory, &mut self.dictionary);
        self.memory.release();
        Ok(values)
    }

    /// The parts of a data page: `bytes` are those after its header.
    pub(crate) fn open(&mut self, header: &DataPage, bytes: Bytes) -> Result<Parts> {
        match header.levels {
            LevelLayout::Inside {
                repetition,
                definition,
            } => {
                let mut rest = self.decompressed(bytes, header.uncompressed)?;
                let repetition = Inside {
                    which: "repetition",
                    encoding: repetition,
                    bits: self.repetition_bits,
                };
                let definition = Inside {
                    which: "definition",
                    encoding: definition,
                    bits: self.definition_bits,
                };
                Ok(Parts {
                    repetition: repetition.split_from(&mut rest, header.slots)?,
                    definition: definition.split_from(&mut rest, header.slots)?,
                    values: rest,
                })
            }
            LevelLayout::Before {
                repetition,
                definition,
                compressed,
            } => self.open_v2(header, bytes, [repetition, definition], compressed),
        }
    }

    /// Version 2: the levels are as they are, and the values perhaps as well.
    fn open_v2(
        &mut self,
        header: &DataPage,
        bytes: Bytes,
        [repetition, definition]: [usize; 2],
        compressed: bool,
    ) -> Result<Parts> {
        let levels = repetition.checked_add(definition);
        let levels = levels.filter(|levels| *levels <= bytes.len());
        let size = levels.and_then(|levels| header.uncompressed.checked_sub(levels));
        let Some(size) = size else {
            return Err(ends_within("definition"));
        };
        // The levels stay in memory with the bytes that they are a part of. Those of a column without lists have no
        // use, but some writers have them.
        self.memory.cover(bytes.len() as u64)?;
        let mut values = bytes;
        let repetition = LevelBytes::Rle(values.split_to(repetition));
        let definition = LevelBytes::Rle(values.split_to(definition));
        // Some writers compress no values to no bytes.
        let values = match compressed && !values.is_empty() {
            true => self.decompressed(values, size)?,
            false => values,
        };
        Ok(Parts {
            repetition,
            definition,
            values,
        })
    }

    fn decompressed(&mut self, bytes: Bytes, size: usize) -> Result<Bytes> {
        if let Decompressor::None = self.decompressor {
            self.memory.cover(bytes.len() as u64)?;
            return Ok(bytes);
        }
        check_promise(self.decompressor.codec(), bytes.len(), size)?;
        check_size(size as u64, self.most)?;
        self.memory.cover(size as u64)?;
        let last = std::mem::take(&mut self.last);
        let mut to = match last.is_unique() {
            true => Vec::from(last),
            false => Vec::new(),
        };
        self.decompressor.decompress(&bytes, size, &mut to)?;
        to.truncate(size);
        self.last = Bytes::from(to);
        Ok(self.last.clone())
    }
}

/// An error if a page has more bytes than it may.
pub(crate) fn check_size(size: u64, limit: u64) -> Result<()> {
    match size > limit {
        true => Err(Error::new(Problem::PageTooLarge { size, limit })),
        false => Ok(()),
    }
}

/// Levels in front of the values of a page of version 1.
#[derive(Clone, Copy)]
struct Inside {
    which: &'static str,
    encoding: LevelEncoding,
    /// Bits of a level; 0 if the column has no such levels.
    bits: u32,
}

impl Inside {
    /// Takes the levels of so many slots off a page.
    fn split_from(self, page: &mut Bytes, slots: usize) -> Result<LevelBytes> {
        let which = self.which;
        if self.bits == 0 {
            return Ok(LevelBytes::Rle(Bytes::new()));
        }
        match self.encoding {
            LevelEncoding::Rle => {
                let found = page.split_first_chunk::<4>();
                let found = found.map(|(bytes, rest)| (u32::from_le_bytes(*bytes), rest.len()));
                let Some((length, _)) = found.filter(|(length, rest)| *length as usize <= *rest)
                else {
                    return Err(ends_within(which));
                };
                drop(page.split_to(4));
                Ok(LevelBytes::Rle(page.split_to(length as usize)))
            }
            LevelEncoding::BitPacked => {
                let length = (slots as u64 * u64::from(self.bits)).div_ceil(8);
                match usize::try_from(length).ok().filter(|it| *it <= page.len()) {
                    Some(length) => Ok(LevelBytes::BitPacked(page.split_to(length))),
                    None => Err(ends_within(which)),
                }
            }
            LevelEncoding::Unknown => Err(Error::corrupt(format!(
                "{which} levels in an encoding other than RLE and BIT_PACKED"
            ))),
        }
    }
}

fn ends_within(which: &str) -> Error {
    Error::corrupt(format!("the page ends within its {which} levels"))
}
