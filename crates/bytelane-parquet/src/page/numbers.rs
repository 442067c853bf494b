//! Decodes pages of flat columns of 32-bit or 64-bit numbers.

use super::edit::decoded_indices;
use super::header::{DataPage, DictionaryPage, ValueEncoding};
use super::levels::{LeafLevels, PageLevels, Validity};
use super::parts::{Opener, Parts};
use super::values::Slots;
use crate::budget::Budget;
use crate::{Error, Result};
use arrow_buffer::NullBuffer;
use bytelane::Detected;
use bytes::Bytes;
use parquet::basic::CompressionCodec;
use parquet::schema::types::ColumnDescriptor;

/// Bits of a number, regardless of its type.
pub trait NumberBits: Copy + Default {
    /// Appends little-endian numbers.
    fn append(bytes: &[u8], to: &mut Vec<Self>);
}

impl NumberBits for u32 {
    fn append(bytes: &[u8], to: &mut Vec<Self>) {
        to.extend(
            bytes
                .as_chunks()
                .0
                .iter()
                .map(|it| Self::from_le_bytes(*it)),
        );
    }
}

impl NumberBits for u64 {
    fn append(bytes: &[u8], to: &mut Vec<Self>) {
        to.extend(
            bytes
                .as_chunks()
                .0
                .iter()
                .map(|it| Self::from_le_bytes(*it)),
        );
    }
}

/// Numbers of pages that are PLAIN or have a dictionary.
pub struct NumberPages<N> {
    opener: Opener,
    levels: PageLevels,
    dictionary: Vec<N>,
    indices: Vec<u32>,
    /// Numbers of a page without nulls.
    dense: Vec<N>,
    /// One number per row; those of nulls are 0.
    numbers: Vec<N>,
    validity: Validity,
}

impl<N: NumberBits> NumberPages<N> {
    /// Creates a decoder for pages of a flat column, compressed with this codec, with an uncompressed size of
    /// up to `most` bytes.
    pub fn new(
        codec: CompressionCodec,
        column: &ColumnDescriptor,
        most: u64,
        budget: &Budget,
    ) -> Result<Self> {
        let of = LeafLevels {
            max_definition: u8::try_from(column.max_def_level()).unwrap_or(u8::MAX),
            max_repetition: 0,
            slot: 0,
            is_nested: false,
        };
        Ok(Self {
            opener: Opener::new(codec, column, most, budget)?,
            levels: PageLevels::new(Detected::active(), of, budget),
            dictionary: Vec::new(),
            indices: Vec::new(),
            dense: Vec::new(),
            numbers: Vec::new(),
            validity: Validity::default(),
        })
    }

    /// Continues with the chunk of another row group.
    pub fn next_chunk(
        &mut self,
        codec: CompressionCodec,
        column: &ColumnDescriptor,
        most: u64,
        budget: &Budget,
    ) -> Result<()> {
        self.opener.next_chunk(codec, column, most, budget)?;
        self.levels.renew(budget);
        self.dictionary.clear();
        Ok(())
    }

    /// Returns the number of rows so far.
    pub fn rows(&self) -> usize {
        self.numbers.len()
    }

    /// Makes room for this many rows.
    pub fn reserve(&mut self, rows: usize) {
        self.numbers.reserve(rows);
    }

    /// Reads the dictionary of a chunk. `bytes` are the bytes after its header.
    pub fn dictionary(&mut self, header: &DictionaryPage, bytes: Bytes) -> Result<()> {
        let values = self.opener.open_dictionary(header, bytes)?;
        let length = header.values.checked_mul(size_of::<N>());
        let values = length
            .and_then(|length| values.get(..length))
            .ok_or_else(|| {
                Error::corrupt("the dictionary has fewer values than its header says")
            })?;
        N::append(values, &mut self.dictionary);
        Ok(())
    }

    /// Appends the numbers of a data page. `bytes` are the bytes after its header.
    pub fn add(&mut self, page: &DataPage, bytes: Bytes) -> Result<()> {
        let Parts {
            repetition,
            definition,
            values,
        } = self.opener.open(page, bytes)?;
        self.levels.open(page, repetition, definition)?;
        let valid = self.levels.valid();
        let slots = self.levels.take(page.slots)?;
        self.validity.append(slots);
        let to = match slots {
            Slots::Valid(_) => &mut self.numbers,
            _ => {
                self.dense.clear();
                &mut self.dense
            }
        };
        if page.encoding == ValueEncoding::Dictionary {
            decoded_indices(&values, valid, &mut self.indices)?;
            append_entries(&self.indices, &self.dictionary, to)?;
        } else {
            let length = valid.checked_mul(size_of::<N>());
            let values = length
                .filter(|_| page.encoding == ValueEncoding::Plain)
                .and_then(|length| values.get(..length))
                .ok_or_else(|| Error::corrupt("the page has fewer values than it says"))?;
            N::append(values, to);
        }
        match slots {
            Slots::Valid(_) => {}
            Slots::Null(count) => self
                .numbers
                .resize(self.numbers.len() + count, N::default()),
            Slots::Mixed { bits, slots, .. } => {
                let mut dense = self.dense.iter();
                self.numbers.extend((0..slots).map(|slot| {
                    let is_valid = bits[slot / 8] >> (slot % 8) & 1 == 1;
                    let number = if is_valid { dense.next() } else { None };
                    number.copied().unwrap_or_default()
                }));
            }
        }
        Ok(())
    }

    /// Returns the numbers of all pages, and which of them are null.
    pub fn finish(self) -> (Vec<N>, Option<NullBuffer>) {
        (self.numbers, self.validity.finish())
    }
}

/// Appends the entries of a dictionary that have these indices.
fn append_entries<N: NumberBits>(indices: &[u32], dictionary: &[N], to: &mut Vec<N>) -> Result<()> {
    let greatest = indices.iter().fold(0, |most, index| (*index).max(most));
    if !indices.is_empty() && greatest as usize >= dictionary.len() {
        let length = dictionary.len();
        return Err(Error::corrupt(format!(
            "the index {greatest} into a dictionary of {length} values"
        )));
    }
    to.extend(indices.iter().map(|index| dictionary[*index as usize]));
    Ok(())
}
