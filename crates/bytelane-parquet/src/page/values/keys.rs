//! Decodes columns of a fixed width to dictionary arrays, without looking up the values of slots.

use super::super::byte_array::Indices;
use super::super::header::ValueEncoding;
use super::array_decoder::{ArrayDecoder, Slots};
use super::fixed::FixedDecoder;
use super::indexed::IndexedPages;
use crate::budget::{Budget, Reservation};
use crate::memory::dictionary_array;
use crate::{Error, Result};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, PrimitiveArray, new_empty_array};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use arrow_select::concat::concat;
use arrow_select::take::take;
use bytelane::Detected;
use bytelane::validity::values;
use bytes::Bytes;
use parquet::schema::types::ColumnDescPtr;
use std::sync::Arc;

/// Decoder of a chunk whose pages all have indices, according to the footer. From the first page without
/// indices on, arrays have values instead of keys.
pub(crate) struct KeysDecoder {
    data_type: DataType,
    pages: IndexedPages,
    entries: Option<ArrayRef>,
    keys: Vec<u32>,
    /// Keys before they are spread to the slots.
    dense: Vec<u32>,
    memory: Reservation,
}

impl KeysDecoder {
    /// Creates a decoder for dictionaries with values of this type.
    pub(crate) fn new(
        backend: Detected,
        data_type: DataType,
        column: ColumnDescPtr,
        budget: &Budget,
    ) -> Result<Self> {
        let values = FixedDecoder::new(backend, data_type.clone(), column, budget)?;
        Ok(Self {
            data_type,
            pages: IndexedPages::new(backend, Box::new(values)),
            entries: None,
            keys: Vec::new(),
            dense: Vec::new(),
            memory: budget.reservation(),
        })
    }

    fn check(&self, slots: usize) -> Result<()> {
        let slots = self.keys.len().saturating_add(slots);
        self.memory.cover(2 * (slots * size_of::<u32>()) as u64)
    }

    /// Takes the keys so far.
    fn take_keys(&mut self, nulls: Option<NullBuffer>) -> Result<PrimitiveArray<Int32Type>> {
        let keys = std::mem::take(&mut self.keys);
        let count = keys.len();
        let keys = ScalarBuffer::new(Buffer::from_vec(keys), 0, count);
        Ok(PrimitiveArray::try_new(keys, nulls)?)
    }

    fn entries(&self) -> ArrayRef {
        let entries = self.entries.as_ref();
        entries.map_or_else(|| new_empty_array(&self.data_type), Arc::clone)
    }
}

/// Decodes the next keys of a page.
fn decode(page: &mut Option<Indices>, entries: &Option<ArrayRef>, keys: &mut [u32]) -> Result<()> {
    match (page, entries) {
        (Some(page), Some(entries)) => page.decode_below(entries.len(), keys),
        _ if keys.is_empty() => Ok(()),
        _ => Err(Error::corrupt("a page of indices without a dictionary")),
    }
}

impl ArrayDecoder for KeysDecoder {
    fn keep_dictionary(&mut self, values: Bytes, count: usize) -> Result<()> {
        // Keys of another dictionary are looked up before it is replaced.
        self.pages.has_values |= self.entries.is_some();
        self.pages.values.keep_dictionary(values.clone(), count)?;
        if !self.pages.has_values {
            self.entries = Some(self.pages.entries(values, count)?);
        }
        Ok(())
    }

    fn open_page(&mut self, encoding: ValueEncoding, values: Bytes, valid: usize) -> Result<()> {
        self.pages.open(encoding, values, valid)
    }

    fn close_page(&mut self) {
        self.pages.close();
    }

    fn reserve(&mut self, slots: usize) {
        if self.pages.has_values {
            self.pages.values.reserve(slots);
        } else if self.check(slots).is_ok() {
            self.keys.reserve(slots);
        }
    }

    fn append(&mut self, slots: Slots<'_>) -> Result<()> {
        if self.pages.has_values {
            return self.pages.values.append(slots);
        }
        self.check(slots.len())?;
        let start = self.keys.len();
        self.keys.resize(start + slots.len(), 0);
        let to = &mut self.keys[start..];
        match slots {
            Slots::Null(_) => Ok(()),
            Slots::Valid(_) => decode(&mut self.pages.page, &self.entries, to),
            Slots::Mixed { bits, valid, .. } => {
                self.dense.resize(valid, 0);
                decode(&mut self.pages.page, &self.entries, &mut self.dense)?;
                values::spread_with(self.pages.backend, &self.dense, bits, to)
                    .map(drop)
                    .map_err(|error| Error::corrupt(error.to_string()))
            }
        }
    }

    fn skip(&mut self, valid: usize) -> Result<()> {
        self.pages.skip(valid)
    }

    fn release(&mut self) {
        self.memory.release();
        self.pages.values.release();
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let entries = self.entries();
        if !self.pages.has_values {
            let keys = self.take_keys(nulls)?;
            return Ok(Arc::new(dictionary_array(keys, entries)?));
        }
        let count = self.keys.len();
        if count == 0 {
            return self.pages.values.finish(nulls);
        }
        // The first slots of the array still have keys.
        let rest = nulls
            .as_ref()
            .map(|nulls| nulls.slice(count, nulls.len() - count));
        let keys = self.take_keys(nulls.map(|nulls| nulls.slice(0, count)))?;
        let looked_up = take(&entries, &keys, None)?;
        let rest = self.pages.values.finish(rest)?;
        Ok(concat(&[&looked_up, &rest])?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{Array, Int64Array};
    use parquet::basic::Type;
    use parquet::schema::types::{ColumnDescriptor, ColumnPath, Type as SchemaType};

    fn decoder() -> KeysDecoder {
        let leaf = SchemaType::primitive_type_builder("x", Type::INT64);
        let leaf = Arc::new(leaf.build().expect("a type"));
        let column = ColumnDescriptor::new(leaf, 1, 0, ColumnPath::from("x"));
        let budget = Budget::new(1 << 20);
        let backend = Detected::active();
        KeysDecoder::new(backend, DataType::Int64, Arc::new(column), &budget).expect("a decoder")
    }

    fn plain(values: &[i64]) -> Bytes {
        values.iter().flat_map(|it| it.to_le_bytes()).collect()
    }

    /// A run of equal indices of one bit.
    fn run(index: u8, count: u8) -> Bytes {
        vec![1, count << 1, index].into()
    }

    #[test]
    fn keys_become_values_when_a_page_has_no_indices() {
        let mut decoder = decoder();
        let entries = plain(&[70, 80]);
        decoder.keep_dictionary(entries, 2).expect("a dictionary");
        let dictionary = ValueEncoding::Dictionary;
        let page = decoder.open_page(dictionary, run(1, 3), 3);
        page.expect("a page");
        decoder.append(Slots::Valid(2)).expect("keys");
        let keys = decoder.finish(None).expect("an array");
        let keys = keys.as_dictionary::<Int32Type>();
        assert_eq!(keys.keys().values(), &[1, 1]);

        decoder.append(Slots::Null(1)).expect("a null");
        decoder.append(Slots::Valid(1)).expect("a key");
        decoder.close_page();
        let page = decoder.open_page(ValueEncoding::Plain, plain(&[1, 2]), 2);
        page.expect("a page");
        decoder.append(Slots::Valid(2)).expect("values");
        let nulls = NullBuffer::from(vec![false, true, true, true]);
        let array = decoder.finish(Some(nulls)).expect("an array");
        let expected = Int64Array::from(vec![None, Some(80), Some(1), Some(2)]);
        assert_eq!(array.as_primitive::<Int64Type>(), &expected);

        decoder.close_page();
        let page = decoder.open_page(dictionary, run(0, 2), 2);
        page.expect("a page");
        decoder.skip(1).expect("a value");
        decoder.append(Slots::Valid(1)).expect("a value");
        let array = decoder.finish(None).expect("an array");
        assert_eq!(array.as_primitive::<Int64Type>().values(), &[70]);
    }

    #[test]
    fn damaged_pages_are_errors() {
        let mut decoder = decoder();
        let page = decoder.open_page(ValueEncoding::Dictionary, run(0, 2), 2);
        page.expect("a page");
        let missing = decoder.append(Slots::Valid(1)).expect_err("no dictionary");
        assert!(missing.to_string().contains("without a dictionary"));
        let entries = plain(&[70]);
        decoder.keep_dictionary(entries, 1).expect("a dictionary");
        let page = decoder.open_page(ValueEncoding::Dictionary, run(1, 2), 2);
        page.expect("a page");
        let beyond = decoder.append(Slots::Valid(2)).expect_err("no entry 1");
        assert!(beyond.to_string().contains("a dictionary of 1 values"));
        assert!(decoder.keep_dictionary(plain(&[1]), 2).is_err());
    }

    #[test]
    fn nulls_need_no_dictionary() {
        let mut decoder = decoder();
        decoder.append(Slots::Null(3)).expect("nulls");
        let array = decoder.finish(Some(NullBuffer::new_null(3)));
        assert_eq!(array.expect("an array").null_count(), 3);
    }
}
