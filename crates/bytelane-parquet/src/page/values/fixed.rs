//! Decodes arrays of values of a fixed width: numbers, dates and times, decimals, bytes.

use super::super::byte_array::{delta, run_before};
use super::super::header::ValueEncoding;
use super::super::levels::empty_runs;
use super::array_decoder::{ArrayDecoder, Slots};
use super::value_decoder::{RunStart, ValueDecoder};
use crate::budget::{Budget, Reservation};
use crate::memory::{Fresh, Slot, compact_runs, compact_to, compact_values, slots, zeros};
use crate::types::physical;
use crate::{Error, Result};
use arrow_array::ArrayRef;
use arrow_buffer::{BooleanBuffer, NullBuffer, bit_iterator::BitSliceIterator};
use arrow_schema::DataType;
use bytelane::Detected;
use bytelane::validity::{Element, values};
use bytemuck::Pod;
use bytes::Bytes;
use parquet::basic::Type;
use parquet::schema::types::ColumnDescPtr;

/// Decoder of one column's values.
pub(crate) struct FixedDecoder {
    backend: Detected,
    data_type: DataType,
    column: ColumnDescPtr,
    /// Size of a value in the file, and of a decoded slot, in bytes.
    stored: usize,
    width: usize,
    decoder: ValueDecoder,
    /// Memory of the dictionary, of values that are decoded ahead, and of values that are to be spread.
    dictionary_memory: Reservation,
    page_memory: Reservation,
    scratch_memory: Reservation,
    page: Option<OpenPage>,
    array: Room,
    /// Values of a piece with nulls, before they are spread to the slots.
    scratch: Fresh,
}

/// Share of the rows up to which indices are compacted before they are looked up, not the values afterwards: one of so many.
const COMPACTED_FIRST: usize = 2;

/// Page that has values left.
#[derive(Debug)]
struct OpenPage {
    encoding: ValueEncoding,
    values: Bytes,
    /// Set if these are decoded slots.
    is_decoded: bool,
    valid: usize,
    /// Number of values that have been taken.
    taken: usize,
    /// Start of the run of the next index.
    run: RunStart,
}

impl OpenPage {
    /// Removes empty runs of indices. Returns whether there were any.
    fn drop_empty_runs(&mut self) -> bool {
        let (ValueEncoding::Dictionary, false, Some((width, runs))) =
            (self.encoding, self.is_decoded, self.values.split_first())
        else {
            return false;
        };
        match empty_runs::without_empty_runs(runs, u32::from(*width), self.valid) {
            Some(runs) => {
                self.run = RunStart::default();
                self.values = [&[*width], &runs[..]].concat().into();
                true
            }
            None => false,
        }
    }

    /// Decodes the next values.
    fn take<'a>(
        &mut self,
        decoder: &mut ValueDecoder,
        count: usize,
        to: &'a mut [Slot],
    ) -> Result<&'a mut [u8]> {
        let range = self.taken..self.taken + count;
        let run = self.run;
        self.skip(count)?;
        match (self.is_decoded, to.len().checked_div(count)) {
            (true, Some(width)) => {
                let values = &self.values[range.start * width..range.end * width];
                Ok(to.write_copy_of_slice(values))
            }
            _ => decoder.decode(self.encoding, &self.values, run, range, to),
        }
    }

    /// Returns whether its values are indices into the dictionary.
    fn has_indices(&self) -> bool {
        self.encoding == ValueEncoding::Dictionary && !self.is_decoded
    }

    /// Looks up those of the next indices whose bits are set.
    fn take_kept<'a>(
        &mut self,
        decoder: &mut ValueDecoder,
        bits: &BooleanBuffer,
        to: &'a mut [Slot],
    ) -> Result<&'a mut [u8]> {
        let (start, run) = (self.taken, self.run);
        self.skip(bits.len())?;
        decoder.look_up_kept(&self.values, run, start, bits, to)
    }

    /// Moves behind the next values. The headers of earlier runs of indices are not read again.
    fn skip(&mut self, count: usize) -> Result<()> {
        self.taken += count;
        let has_more_runs = self.has_indices() && self.taken < self.valid;
        if has_more_runs && let Some((width, runs)) = self.values.split_first() {
            let (bytes, values) = run_before(
                *width,
                &runs[self.run.bytes..],
                self.taken - self.run.values,
            )?;
            self.run.bytes += bytes;
            self.run.values += values;
        }
        Ok(())
    }
}

impl FixedDecoder {
    /// Creates a decoder for values that [`physical::from_physical`] converts to this type.
    pub(crate) fn new(
        backend: Detected,
        data_type: DataType,
        column: ColumnDescPtr,
        budget: &Budget,
    ) -> Result<Self> {
        let Some(stored) = physical::width(&column) else {
            return Err(physical::not_convertible(&data_type, &column));
        };
        // The entries of a dictionary are converted to numbers before they are looked up.
        let is_decimal = physical::is_decimal128(&data_type, &column);
        let width = if is_decimal {
            size_of::<i128>()
        } else {
            stored
        };
        Ok(Self {
            backend,
            data_type,
            stored,
            width,
            decoder: ValueDecoder::new(backend, &column, stored, is_decimal),
            column,
            dictionary_memory: budget.reservation(),
            page_memory: budget.reservation(),
            scratch_memory: budget.reservation(),
            page: None,
            array: Room::new(budget),
            scratch: Fresh::default(),
        })
    }

    /// Decodes all values of a page before the first of them are taken, if finding the later ones would cost
    /// too much.
    fn decode_ahead(&mut self, wanted: usize) -> Result<()> {
        let Some(page) = &mut self.page else {
            return Ok(());
        };
        let is_wanted = match page.encoding {
            _ if page.is_decoded => false,
            // Each value depends on the previous ones.
            ValueEncoding::Delta => wanted < page.valid,
            _ => false,
        };
        if !is_wanted {
            return Ok(());
        }
        let bytes = page.valid.saturating_mul(self.width);
        self.page_memory.cover(bytes as u64)?;
        let (mut decoded, decoder) = (Fresh::default(), &mut self.decoder);
        decoded.reserve_exact(bytes);
        decoded.append(bytes, |to| {
            let run = RunStart::default();
            decoder.decode(page.encoding, &page.values, run, 0..page.valid, to)
        })?;
        page.values = Bytes::from_owner(decoded.into_buffer());
        page.is_decoded = true;
        Ok(())
    }

    /// Takes a step in the page. After an error, retries without empty runs.
    fn retried(&mut self, step: impl Fn(&mut Self) -> Result<()>) -> Result<()> {
        let at = self.page.as_ref().map(|page| (page.taken, page.run));
        step(self).or_else(|error| match &mut self.page {
            Some(page) => {
                let (taken, run) = at.unwrap_or_default();
                page.run = run;
                if page.drop_empty_runs() {
                    page.taken = taken;
                    step(self)
                } else {
                    Err(error)
                }
            }
            None => Err(error),
        })
    }

    fn append_once(&mut self, slots: Slots<'_>) -> Result<()> {
        self.decode_ahead(slots.valid())?;
        let bytes = slots.len().saturating_mul(self.width);
        let (page, slots) = match (&mut self.page, slots) {
            (Some(page), slots @ (Slots::Valid(_) | Slots::Mixed { .. })) => (page, slots),
            _ => return self.array.append(bytes, |to| Ok(zeros(to))),
        };
        let decoder = &mut self.decoder;
        let Slots::Mixed { bits, valid, .. } = slots else {
            return self
                .array
                .append(bytes, |to| page.take(decoder, slots.len(), to));
        };
        let bytes_of_valid = valid.saturating_mul(self.width);
        self.scratch_memory.cover(bytes_of_valid as u64)?;
        let (backend, width, dense) = (self.backend, self.width, &mut self.scratch);
        dense.clear();
        dense.append(bytes_of_valid, |to| page.take(decoder, valid, to))?;
        let dense = dense.bytes();
        self.array
            .append(bytes, |to| spread(backend, dense, width, bits, to))
    }

    /// Decodes values in the cache, and appends those whose bits are set. Of indices, only these are looked up if they are few.
    fn append_kept_once<T: Element + Pod>(&mut self, bits: &BooleanBuffer) -> Result<()> {
        self.decode_ahead(bits.len())?;
        let Some(page) = &mut self.page else {
            return Err(Error::corrupt("more values than the page has"));
        };
        let kept = bits.count_set_bits();
        let bytes = bits.len() * size_of::<T>();
        self.scratch_memory.cover(bytes as u64)?;
        let (backend, decoder, dense) = (self.backend, &mut self.decoder, &mut self.scratch);
        if kept * COMPACTED_FIRST <= bits.len()
            && page.has_indices()
            && decoder.has_entries_of(size_of::<T>())
        {
            return self.array.append(kept * size_of::<T>(), |to| {
                page.take_kept(decoder, bits, to)
            });
        }
        dense.clear();
        dense.append(bytes, |to| page.take(decoder, bits.len(), to))?;
        let dense: &[T] = bytemuck::cast_slice(dense.bytes());
        self.array.append(kept * size_of::<T>(), |to| {
            let kept = compact_to(backend, bits, dense, slots::<T>(to));
            Ok(bytemuck::cast_slice_mut(kept))
        })
    }

    /// Converts values in DELTA_BYTE_ARRAY, each of which depends on the previous one, to PLAIN.
    fn fixed_deltas(&mut self, values: Bytes, valid: usize) -> Result<(ValueEncoding, Bytes)> {
        if self.column.physical_type() != Type::FIXED_LEN_BYTE_ARRAY {
            return Ok((ValueEncoding::DeltaByteArray, values));
        }
        // Each value also has two lengths.
        let bytes = valid.saturating_mul(self.stored + 8);
        self.page_memory.cover(bytes as u64)?;
        let values = delta::decode_fixed(self.backend, values, valid, self.stored)?;
        Ok((ValueEncoding::Plain, values.into()))
    }
}

impl ArrayDecoder for FixedDecoder {
    fn keep_dictionary(&mut self, values: Bytes, count: usize) -> Result<()> {
        // The decoder copies the values, and decimals change their width.
        let bytes = count.min(values.len()).saturating_mul(self.width);
        self.dictionary_memory.resize(2 * bytes as u64)?;
        self.decoder.keep_dictionary(&values, count)
    }

    fn open_page(&mut self, encoding: ValueEncoding, values: Bytes, valid: usize) -> Result<()> {
        let (encoding, values) = match encoding {
            ValueEncoding::DeltaByteArray => self.fixed_deltas(values, valid)?,
            encoding => (encoding, values),
        };
        self.decoder.check(encoding, &values, valid)?;
        self.page = Some(OpenPage {
            encoding,
            values,
            is_decoded: false,
            valid,
            taken: 0,
            run: RunStart::default(),
        });
        Ok(())
    }

    fn close_page(&mut self) {
        self.page = None;
        self.page_memory.release();
    }

    fn reserve(&mut self, slots: usize) {
        let more = slots.saturating_mul(self.width);
        self.array.expected = self.array.values.len().saturating_add(more);
    }

    fn append(&mut self, slots: Slots<'_>) -> Result<()> {
        self.retried(|decoder| decoder.append_once(slots))
    }

    fn skip(&mut self, valid: usize) -> Result<()> {
        // Decode ahead as if the values were taken. Otherwise, each of the next reads would decode most of
        // them in vain.
        self.retried(|decoder| {
            decoder.decode_ahead(valid)?;
            decoder
                .page
                .as_mut()
                .map_or(Ok(()), |page| page.skip(valid))
        })
    }

    fn can_retain(&self) -> bool {
        true
    }

    fn retain(&mut self, bits: &BooleanBuffer) {
        let (backend, width) = (self.backend, self.width);
        let values = &mut self.array.values;
        let start = values.len() - bits.len() * width;
        let last = &mut values.bytes_mut()[start..];
        let kept = match width {
            4 => compact_values::<u32>(backend, bits, bytemuck::cast_slice_mut(last)),
            8 => compact_values::<u64>(backend, bits, bytemuck::cast_slice_mut(last)),
            16 => compact_values::<u128>(backend, bits, bytemuck::cast_slice_mut(last)),
            _ => compact_runs(bits, width, last),
        };
        values.truncate(start + kept * width);
    }

    fn append_kept(&mut self, slots: Slots<'_>, bits: &BooleanBuffer) -> Result<()> {
        match (slots, self.width) {
            (Slots::Valid(_), 4) => self.retried(|it| it.append_kept_once::<u32>(bits)),
            (Slots::Valid(_), 8) => self.retried(|it| it.append_kept_once::<u64>(bits)),
            (Slots::Valid(_), 16) => self.retried(|it| it.append_kept_once::<u128>(bits)),
            _ => {
                self.append(slots)?;
                self.retain(bits);
                Ok(())
            }
        }
    }

    fn release(&mut self) {
        self.array.memory.release();
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let values = std::mem::take(&mut self.array.values).into_buffer();
        let memory = values.clone();
        let array = if self.width == self.stored {
            physical::from_physical(&self.data_type, &self.column, values, nulls)?
        } else {
            physical::decimals128(&self.data_type, values, nulls)?
        };
        // Reuses the memory unless the array keeps it.
        self.array.values = Fresh::in_memory_of(memory);
        Ok(array)
    }
}

/// Values of an array, and their memory.
struct Room {
    values: Fresh,
    /// Probable size in bytes.
    expected: usize,
    memory: Reservation,
    /// Number of bytes of the array that are reserved.
    paid: usize,
}

impl Room {
    fn new(budget: &Budget) -> Self {
        Self {
            values: Fresh::default(),
            expected: 0,
            memory: budget.reservation(),
            paid: 0,
        }
    }

    /// Appends `bytes` bytes, which `write` writes.
    fn append(
        &mut self,
        bytes: usize,
        write: impl for<'a> FnOnce(&'a mut [Slot]) -> Result<&'a mut [u8]>,
    ) -> Result<()> {
        let start = self.values.len();
        self.pay(start, start.saturating_add(bytes))?;
        self.values.reserve_exact(self.paid);
        self.values.append(bytes, write)
    }

    /// Reserves memory up to `end`, and more if the array will probably grow.
    fn pay(&mut self, start: usize, end: usize) -> Result<()> {
        if start == 0 {
            self.paid = 0;
        }
        if end <= self.paid {
            return Ok(());
        }
        let wanted = match start {
            0 => end.max(self.expected),
            _ => end.max(self.expected).max(2 * self.paid),
        };
        // Memory that grows is copied.
        let resize = |bytes: usize| self.memory.resize(bytes as u64 + start as u64);
        self.paid = match resize(wanted) {
            Ok(()) => wanted,
            Err(_) => {
                resize(end)?;
                end
            }
        };
        Ok(())
    }
}

/// Moves values to the slots of `to` that are set in a bitmap.
fn spread<'a>(
    backend: Detected,
    dense: &[u8],
    width: usize,
    bits: &[u8],
    to: &'a mut [Slot],
) -> Result<&'a mut [u8]> {
    match width {
        4 => return spread_numbers::<u32>(backend, dense, bits, to),
        8 => return spread_numbers::<u64>(backend, dense, bits, to),
        16 => return spread_numbers::<u128>(backend, dense, bits, to),
        _ => {}
    }
    let to = zeros(to);
    let mut taken = 0;
    for (start, end) in BitSliceIterator::new(bits, 0, to.len() / width) {
        let bytes = (end - start) * width;
        to[start * width..end * width].copy_from_slice(&dense[taken..taken + bytes]);
        taken += bytes;
    }
    Ok(to)
}

fn spread_numbers<'a, T: Element + Pod>(
    backend: Detected,
    dense: &[u8],
    bits: &[u8],
    to: &'a mut [Slot],
) -> Result<&'a mut [u8]> {
    let dense: &[T] = bytemuck::cast_slice(dense);
    let spread = values::spread_with(backend, dense, bits, slots::<T>(to));
    spread
        .map(bytemuck::cast_slice_mut)
        .map_err(|error| Error::corrupt(error.to_string()))
}
