//! Decodes any range of the values of a page, in the encodings of columns of a fixed width.

use super::super::header::ValueEncoding;
use super::alp;
use crate::memory::{Fresh, Slot, compact_values, slots, write_each, zeros};
use crate::{Error, Result};
use arrow_buffer::BooleanBuffer;
use bytelane::Detected;
use bytelane::byte_stream_split::Width;
use bytelane::delta;
use bytelane::rle_hybrid::{self, Dictionary, Format};
use bytemuck::Pod;
use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;
use std::ops::Range;

/// Decoder of the pages of a column chunk, with its dictionary.
pub(crate) struct ValueDecoder {
    backend: Detected,
    physical: Type,
    /// Size of a value in the file, in bytes.
    width: usize,
    /// Set if the values are decimals that become 16-byte numbers.
    is_decimal: bool,
    dictionary: Option<Entries>,
    /// Indices into entries that no kernel supports.
    indices: Vec<u32>,
    /// Decimals in the form in which the file stores them.
    stored: Fresh,
}

/// Number of entries above which a dictionary of decimals is kept as it is stored.
const MANY: usize = 1 << 14;

/// Start of a run of indices in a page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RunStart {
    /// Number of bytes before it, after the width of the indices.
    pub(crate) bytes: usize,
    /// Number of values before it.
    pub(crate) values: usize,
}

/// Entries of a dictionary.
enum Entries {
    Four(Dictionary<u32>),
    Eight(Dictionary<u64>),
    Sixteen(Dictionary<u128>),
    /// Entries of other widths, one after the other.
    Other(Vec<u8>),
}

impl ValueDecoder {
    /// Decodes values of `width` bytes. Decimals of less than 16 bytes can become 16-byte numbers.
    pub(crate) fn new(
        backend: Detected,
        column: &ColumnDescriptor,
        width: usize,
        is_decimal: bool,
    ) -> Self {
        Self {
            backend,
            physical: column.physical_type(),
            width,
            is_decimal,
            dictionary: None,
            indices: Vec::new(),
            stored: Fresh::default(),
        }
    }

    /// Keeps a dictionary, given the decompressed bytes of its page.
    pub(crate) fn keep_dictionary(&mut self, bytes: &[u8], count: usize) -> Result<()> {
        // Some writers add bytes after the last value.
        let length = count.checked_mul(self.width);
        let Some(bytes) = length.and_then(|length| bytes.get(..length)) else {
            return Err(Error::corrupt(format!(
                "a dictionary of {} bytes instead of {count} values of {} bytes",
                bytes.len(),
                self.width
            )));
        };
        self.dictionary = Some(match self.width {
            _ if self.is_decimal && !self.is_widened_late(count) => {
                let decimals = (0..count).map(|index| self.decimal(bytes, index));
                Entries::Sixteen(Dictionary::from_values(count, decimals))
            }
            4 => Entries::Four(Dictionary::from_values(count, numbers(bytes))),
            8 => Entries::Eight(Dictionary::from_values(count, numbers(bytes))),
            16 => Entries::Sixteen(Dictionary::from_values(count, numbers(bytes))),
            _ => Entries::Other(bytes.to_vec()),
        });
        Ok(())
    }

    /// Returns an error unless a page has `valid` values, without those of null slots. Indices are only
    /// counted when they are decoded.
    pub(crate) fn check(&self, encoding: ValueEncoding, page: &[u8], valid: usize) -> Result<()> {
        let is = |types: [Type; 2]| types.contains(&self.physical);
        match encoding {
            ValueEncoding::Plain | ValueEncoding::ByteStreamSplit => {
                let length = valid.checked_mul(self.width);
                // Some writers add bytes after the last value. BYTE_STREAM_SPLIT has no place for them.
                let is_there = match encoding {
                    ValueEncoding::Plain => length.is_some_and(|length| length <= page.len()),
                    _ => length == Some(page.len()),
                };
                if is_there {
                    Ok(())
                } else {
                    Err(Error::corrupt(format!(
                        "{} bytes of values instead of {valid} values of {} bytes",
                        page.len(),
                        self.width
                    )))
                }
            }
            ValueEncoding::Alp if is([Type::FLOAT, Type::DOUBLE]) => alp::check_count(page, valid),
            ValueEncoding::Alp => Err(Error::corrupt("a page in ALP whose values are not floats")),
            ValueEncoding::Delta if is([Type::INT32, Type::INT64]) => check_deltas(page, valid),
            ValueEncoding::Delta => Err(Error::corrupt(
                "a page in DELTA_BINARY_PACKED whose values are not integers",
            )),
            ValueEncoding::DeltaLengthByteArray
            | ValueEncoding::DeltaByteArray
            | ValueEncoding::Fsst
            | ValueEncoding::Rle => Err(Error::corrupt(format!(
                "a page in {}, in a column of {}",
                encoding.in_specification(),
                self.physical
            ))),
            ValueEncoding::Dictionary if self.dictionary.is_some() || valid == 0 => Ok(()),
            ValueEncoding::Dictionary => Err(Error::corrupt(
                "a page of indices, but the column chunk has no dictionary before it",
            )),
        }
    }

    /// Decodes a range of a page's non-null values. `to` must be aligned for numbers of the values' width. If
    /// they are indices, `run` is a run that does not begin after the range.
    pub(crate) fn decode<'a>(
        &mut self,
        encoding: ValueEncoding,
        page: &[u8],
        run: RunStart,
        range: Range<usize>,
        to: &'a mut [Slot],
    ) -> Result<&'a mut [u8]> {
        let width = self.width;
        let is_wide = matches!(self.dictionary, Some(Entries::Sixteen(_)));
        if !self.is_decimal || encoding == ValueEncoding::Dictionary && is_wide {
            return self.decode_stored(encoding, page, run, range, to);
        }
        if encoding == ValueEncoding::Plain {
            let values = &page[range.start * width..range.end * width];
            return Ok(self.widen(values, to));
        }
        let mut stored = std::mem::take(&mut self.stored);
        stored.clear();
        stored.append(range.len() * width, |stored| {
            self.decode_stored(encoding, page, run, range, stored)
        })?;
        let written = self.widen(stored.bytes(), to);
        self.stored = stored;
        Ok(written)
    }

    /// Returns whether decimals that a dictionary has are converted after they have been looked up: large
    /// dictionaries fit better into the cache as they are stored.
    fn is_widened_late(&self, count: usize) -> bool {
        count > MANY && matches!(self.physical, Type::INT32 | Type::INT64)
    }

    /// Returns one of several decimals as a 16-byte number.
    #[inline(always)]
    fn decimal(&self, values: &[u8], index: usize) -> u128 {
        match self.physical {
            Type::INT32 => {
                i128::from(i32::from_le_bytes(values.as_chunks().0[index])).cast_unsigned()
            }
            Type::INT64 => {
                i128::from(i64::from_le_bytes(values.as_chunks().0[index])).cast_unsigned()
            }
            _ => decimal(values, self.width, index),
        }
    }

    /// Converts decimals to 16-byte numbers.
    fn widen<'a>(&self, values: &[u8], to: &'a mut [Slot]) -> &'a mut [u8] {
        let count = to.len() / size_of::<i128>();
        match self.physical {
            Type::INT32 => {
                let values = &values.as_chunks().0[..count];
                let value = |index: usize| i128::from(i32::from_le_bytes(values[index]));
                write_each(to, |index| value(index).cast_unsigned())
            }
            Type::INT64 => {
                let values = &values.as_chunks().0[..count];
                let value = |index: usize| i128::from(i64::from_le_bytes(values[index]));
                write_each(to, |index| value(index).cast_unsigned())
            }
            _ => write_each(to, |index| decimal(values, self.width, index)),
        }
    }

    /// Decodes values in the form in which the file stores them. Dictionary entries may have been converted.
    fn decode_stored<'a>(
        &mut self,
        encoding: ValueEncoding,
        page: &[u8],
        run: RunStart,
        range: Range<usize>,
        to: &'a mut [Slot],
    ) -> Result<&'a mut [u8]> {
        let (backend, width) = (self.backend, self.width);
        if range.is_empty() {
            return Ok(zeros(to));
        }
        match encoding {
            ValueEncoding::Plain => {
                Ok(to.write_copy_of_slice(&page[range.start * width..range.end * width]))
            }
            ValueEncoding::ByteStreamSplit => {
                let width = Width::new(width).expect("no column has values of 0 bytes");
                Ok(width.decode_range_with(backend, page, range, to)?)
            }
            ValueEncoding::Alp => alp::decode(backend, page, width, range, to),
            ValueEncoding::Delta if width == 4 => deltas::<i32>(backend, page, range, to),
            ValueEncoding::Delta => deltas::<i64>(backend, page, range, to),
            ValueEncoding::Dictionary => self.look_up(page, run, range, to),
            ValueEncoding::DeltaLengthByteArray
            | ValueEncoding::DeltaByteArray
            | ValueEncoding::Fsst
            | ValueEncoding::Rle => {
                self.check(encoding, page, range.end)?;
                Ok(zeros(to))
            }
        }
    }

    /// Returns whether it has a dictionary, with entries of this size once they are decoded.
    pub(crate) fn has_entries_of(&self, bytes: usize) -> bool {
        match self.dictionary {
            Some(Entries::Four(_)) => bytes == 4,
            Some(Entries::Eight(_)) => bytes == 8,
            Some(Entries::Sixteen(_)) => bytes == 16,
            Some(Entries::Other(_)) | None => false,
        }
    }

    /// Looks up the entries of those indices whose bits are set, the first of which is at `start`.
    pub(crate) fn look_up_kept<'a>(
        &mut self,
        page: &[u8],
        run: RunStart,
        start: usize,
        bits: &BooleanBuffer,
        to: &'a mut [Slot],
    ) -> Result<&'a mut [u8]> {
        let (format, page) = indices_of(page)?;
        let (backend, page) = (self.backend, &page[run.bytes..]);
        let start = start - run.values;
        self.indices.resize(bits.len(), 0);
        let indices = &mut self.indices[..];
        let found = format.decode_range_with(backend, page, start..start + bits.len(), indices);
        let indices = found.map_err(damaged)?;
        let kept = compact_values(backend, bits, indices);
        let indices = &indices[..kept];
        match &self.dictionary {
            Some(Entries::Four(entries)) => copy_values(entries.values(), indices, to),
            Some(Entries::Eight(entries)) => copy_values(entries.values(), indices, to),
            Some(Entries::Sixteen(entries)) => copy_values(entries.values(), indices, to),
            Some(Entries::Other(entries)) => copy_entries(entries, self.width, indices, to),
            None => Err(Error::corrupt("a page of indices without a dictionary")),
        }
    }

    /// Looks up the entries of indices.
    fn look_up<'a>(
        &mut self,
        page: &[u8],
        run: RunStart,
        range: Range<usize>,
        to: &'a mut [Slot],
    ) -> Result<&'a mut [u8]> {
        let (format, page) = indices_of(page)?;
        let (backend, page) = (self.backend, &page[run.bytes..]);
        let range = range.start - run.values..range.end - run.values;
        let looked_up = match &self.dictionary {
            Some(Entries::Four(entries)) => look_up(entries, backend, format, page, range, to),
            Some(Entries::Eight(entries)) => look_up(entries, backend, format, page, range, to),
            Some(Entries::Sixteen(entries)) => look_up(entries, backend, format, page, range, to),
            Some(Entries::Other(entries)) => {
                self.indices.resize(range.len(), 0);
                let indices = &mut self.indices[..];
                let found = format.decode_range_with(backend, page, range, indices);
                let indices = found.map_err(damaged)?;
                return copy_entries(entries, self.width, indices, to);
            }
            None => return Err(Error::corrupt("a page of indices without a dictionary")),
        };
        looked_up.map_err(damaged)
    }
}

fn look_up<'a, T: rle_hybrid::Entry + Pod>(
    entries: &Dictionary<T>,
    backend: Detected,
    format: Format<u32>,
    page: &[u8],
    range: Range<usize>,
    to: &'a mut [Slot],
) -> std::result::Result<&'a mut [u8], rle_hybrid::Error> {
    let decoded = entries.decode_range_with(backend, format, page, range, slots::<T>(to));
    decoded.map(bytemuck::cast_slice_mut)
}

/// Returns the format of a page of indices, and its runs.
fn indices_of(page: &[u8]) -> Result<(Format<u32>, &[u8])> {
    let Some((bits, runs)) = page.split_first() else {
        return Err(Error::corrupt("a page of indices without their width"));
    };
    let Some(format) = Format::new(u32::from(*bits)) else {
        return Err(Error::corrupt(format!("indices of {bits} bits")));
    };
    Ok((format, runs))
}

/// Copies entries one by one.
fn copy_values<'a, T: Pod>(
    entries: &[T],
    indices: &[u32],
    to: &'a mut [Slot],
) -> Result<&'a mut [u8]> {
    let most = indices.iter().copied().max();
    if let Some(most) = most.filter(|it| *it as usize >= entries.len()) {
        return Err(outside(most, entries.len()));
    }
    Ok(write_each(to, |at| entries[indices[at] as usize]))
}

fn outside(index: u32, entries: usize) -> Error {
    Error::corrupt(format!(
        "the index {index} into a dictionary of {entries} values"
    ))
}

/// Copies entries of any width.
fn copy_entries<'a>(
    entries: &[u8],
    width: usize,
    indices: &[u32],
    to: &'a mut [Slot],
) -> Result<&'a mut [u8]> {
    let to = zeros(to);
    for (to, index) in to.chunks_exact_mut(width).zip(indices) {
        let start = *index as usize * width;
        let Some(entry) = entries.get(start..start + width) else {
            return Err(outside(*index, entries.len() / width));
        };
        to.copy_from_slice(entry);
    }
    Ok(to)
}

/// Reads one of several big-endian decimals of up to 16 bytes, as the number that Arrow uses.
#[inline(always)]
fn decimal(values: &[u8], width: usize, index: usize) -> u128 {
    const WIDE: usize = size_of::<i128>();
    let from = &values[index * width..];
    // Bytes after the value are shifted out.
    let bytes = match from.first_chunk::<WIDE>() {
        Some(bytes) => *bytes,
        None => {
            let mut bytes = [0; WIDE];
            bytes[..width].copy_from_slice(&from[..width]);
            bytes
        }
    };
    let unused = 8 * (WIDE - width) as u32;
    (i128::from_be_bytes(bytes) >> unused).cast_unsigned()
}

/// Casts bytes to numbers without changing them.
fn numbers<T: Pod>(bytes: &[u8]) -> impl Iterator<Item = T> {
    let values = bytes.chunks_exact(size_of::<T>());
    values.map(bytemuck::pod_read_unaligned)
}

fn check_deltas(page: &[u8], valid: usize) -> Result<()> {
    // Some writers may store no bytes if there are no values.
    if valid == 0 && page.is_empty() {
        return Ok(());
    }
    match delta::stored(page).map_err(damaged_deltas)? {
        stored if stored == valid as u64 => Ok(()),
        stored => Err(Error::corrupt(format!(
            "{stored} values in DELTA_BINARY_PACKED instead of {valid}"
        ))),
    }
}

fn deltas<'a, T: delta::Integer + Pod>(
    backend: Detected,
    page: &[u8],
    range: Range<usize>,
    to: &'a mut [Slot],
) -> Result<&'a mut [u8]> {
    let decoded = delta::decode_range_with(backend, page, range, slots::<T>(to));
    let values: &mut [u8] = bytemuck::cast_slice_mut(decoded.map_err(damaged_deltas)?);
    if cfg!(target_endian = "big") {
        let numbers = values.chunks_exact_mut(size_of::<T>());
        numbers.for_each(<[u8]>::reverse);
    }
    Ok(values)
}

fn damaged(error: rle_hybrid::Error) -> Error {
    Error::corrupt(format!("the indices into the dictionary: {error}"))
}

fn damaged_deltas(error: delta::Error) -> Error {
    Error::corrupt(format!("values in DELTA_BINARY_PACKED: {error}"))
}
