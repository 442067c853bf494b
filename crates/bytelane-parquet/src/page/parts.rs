//! Decompresses pages and splits them into their parts.

use super::codec::{Decompressor, check_promise};
use super::header::{DataPage, DictionaryPage, LevelEncoding, LevelLayout, SymbolPage};
use super::levels::bits as levels;
use super::symbols::Symbols;
use crate::budget::{Budget, Reservation};
use crate::{Error, Problem, Result};
use bytes::Bytes;
use parquet::basic::CompressionCodec;
use parquet::schema::types::ColumnDescriptor;

/// Encoded levels of a page.
#[derive(Clone, Debug)]
pub enum LevelBytes {
    Rle(Bytes),
    BitPacked(Bytes),
}

impl LevelBytes {
    /// Returns the encoded levels.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Rle(bytes) | Self::BitPacked(bytes) => bytes,
        }
    }
}

/// Parts of a data page.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Encoded levels; empty for columns without such levels.
    pub repetition: LevelBytes,
    pub definition: LevelBytes,
    pub values: Bytes,
}

/// Opener of the pages of one column chunk. It reuses their memory.
pub struct Opener {
    decompressor: Decompressor,
    repetition_bits: u32,
    definition_bits: u32,
    /// Maximum size of a page in bytes.
    most: u64,
    /// Previous page, decompressed. Once it is not shared any more, the next page reuses its memory.
    last: Bytes,
    /// Memory of the page, and of the dictionary.
    memory: Reservation,
    dictionary: Reservation,
}

impl Opener {
    /// Opens pages of a chunk of this codec, with a decompressed size of up to `most` bytes.
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

    /// Continues with the pages of another chunk.
    pub(crate) fn next_chunk(
        &mut self,
        codec: CompressionCodec,
        column: &ColumnDescriptor,
        most: u64,
        budget: &Budget,
    ) -> Result<()> {
        if self.decompressor.codec() != codec {
            *self = Self::new(codec, column, most, budget)?;
            return Ok(());
        }
        self.most = most;
        self.memory = budget.reservation();
        self.dictionary = budget.reservation();
        Ok(())
    }

    /// Returns the values of a dictionary. `bytes` are the bytes after its header.
    pub(crate) fn open_dictionary(
        &mut self,
        header: &DictionaryPage,
        bytes: Bytes,
    ) -> Result<Bytes> {
        let values = self.decompressed(bytes, header.uncompressed)?;
        // The dictionary lives as long as the chunk.
        self.last = Bytes::new();
        std::mem::swap(&mut self.memory, &mut self.dictionary);
        self.memory.release();
        Ok(values)
    }

    /// Returns the symbols of the chunk's pages. `bytes` are the bytes after the header.
    pub(crate) fn open_symbols(&mut self, header: &SymbolPage, bytes: Bytes) -> Result<Symbols> {
        let body = if header.is_compressed {
            self.decompressed(bytes, header.uncompressed)?
        } else {
            bytes
        };
        Symbols::read(&body, header.is_wide)
    }

    /// Splits a data page into its parts. `bytes` are the bytes after its header.
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

    /// Opens a version 2 page: levels are never compressed, and values may be.
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
        // The levels keep all bytes of the page in memory. Some writers store levels even for a column
        // without lists, which does not need them.
        self.memory.cover(bytes.len() as u64)?;
        let mut values = bytes;
        let repetition = LevelBytes::Rle(values.split_to(repetition));
        let definition = LevelBytes::Rle(values.split_to(definition));
        // Some writers store no bytes if there are no values to compress.
        let values = if compressed && !values.is_empty() {
            self.decompressed(values, size)?
        } else {
            values
        };
        Ok(Parts {
            repetition,
            definition,
            values,
        })
    }

    fn decompressed(&mut self, bytes: Bytes, size: usize) -> Result<Bytes> {
        if let Decompressor::None = self.decompressor {
            if bytes.len() != size {
                let stored = bytes.len();
                return Err(Error::corrupt(format!(
                    "the page has {stored} bytes without compression, but its header says {size}"
                )));
            }
            self.memory.cover(bytes.len() as u64)?;
            return Ok(bytes);
        }
        check_promise(self.decompressor.codec(), bytes.len(), size)?;
        check_size(size as u64, self.most)?;
        self.memory.cover(size as u64)?;
        let last = std::mem::take(&mut self.last);
        let mut to = if last.is_unique() {
            Vec::from(last)
        } else {
            Vec::new()
        };
        self.decompressor.decompress(&bytes, size, &mut to)?;
        to.truncate(size);
        self.last = Bytes::from(to);
        Ok(self.last.clone())
    }
}

/// Returns an error if a page exceeds the size limit.
pub fn check_size(size: u64, limit: u64) -> Result<()> {
    if size > limit {
        Err(Error::new(Problem::PageTooLarge { size, limit }))
    } else {
        Ok(())
    }
}

/// Levels in front of the values of a version 1 page.
#[derive(Clone, Copy)]
struct Inside {
    which: &'static str,
    encoding: LevelEncoding,
    /// Number of bits of a level; 0 if the column has no such levels.
    bits: u32,
}

impl Inside {
    /// Splits the levels of `slots` slots off a page.
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
