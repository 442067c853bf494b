//! Decodes a column of indices to the results of a test, which is made once per entry of the dictionary.

use super::super::byte_array::Indices;
use super::super::header::ValueEncoding;
use super::array_decoder::{ArrayDecoder, Slots};
use super::indexed::IndexedPages;
use crate::budget::{Budget, Reservation};
use crate::{Error, Result};
use arrow_array::{ArrayRef, BooleanArray};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer};
use bytelane::Detected;
use bytelane::rle_hybrid::Dictionary;
use bytelane::validity::{Format, values};
use bytes::Bytes;
use std::sync::Arc;

/// Test of values, which are in an array of the column's type. Nulls have a result, too.
pub type Test = Arc<dyn Fn(ArrayRef) -> Result<BooleanBuffer> + Send + Sync>;

/// Decoder of a chunk whose pages all have indices, according to the footer. From the first page without
/// indices on, values are decoded and tested.
pub struct TestDecoder {
    test: Test,
    /// Result for nulls.
    of_null: bool,
    pages: IndexedPages,
    /// Results for the entries.
    entries: Option<Entries>,
    /// Results for the next values of a page, and for the slots of the array: a number or byte each.
    found: Vec<u32>,
    dense: Vec<u8>,
    results: Vec<u8>,
    memory: Reservation,
}

/// Results for the entries of a dictionary.
enum Entries {
    /// The same for all of them.
    Same(bool),
    Each(Dictionary<u32>),
}

impl TestDecoder {
    /// Creates a decoder for a column, given the decoder of its values. `null` is an array of a null
    /// if the column can have nulls.
    pub(crate) fn new(
        backend: Detected,
        test: Test,
        null: Option<ArrayRef>,
        values: Box<dyn ArrayDecoder>,
        budget: &Budget,
    ) -> Result<Self> {
        let of_null = match null {
            Some(null) => test(null)?.value(0),
            None => false,
        };
        Ok(Self {
            of_null,
            test,
            pages: IndexedPages::new(backend, values),
            entries: None,
            found: Vec::new(),
            dense: Vec::new(),
            results: Vec::new(),
            memory: budget.reservation(),
        })
    }

    fn check(&self, slots: usize) -> Result<()> {
        let slots = self.results.len().saturating_add(slots);
        self.memory.cover((slots * (2 + size_of::<u32>())) as u64)
    }

    /// Appends the results of the next values of a page.
    fn append_valid(&mut self, count: usize) -> Result<()> {
        let start = self.results.len();
        self.results.resize(start + count, 0);
        look_up(
            &mut self.pages.page,
            &self.entries,
            &mut self.found,
            &mut self.results[start..],
        )
    }

    fn append_mixed(&mut self, bits: &[u8], slots: usize, valid: usize) -> Result<()> {
        self.dense.resize(valid, 0);
        let dense = &mut self.dense[..];
        look_up(&mut self.pages.page, &self.entries, &mut self.found, dense)?;
        let start = self.results.len();
        self.results.resize(start + slots, 0);
        let to = &mut self.results[start..];
        values::spread_with(self.pages.backend, &self.dense, bits, to).map_err(wrong)?;
        Ok(())
    }

    /// Returns the results for the slots whose values have been looked up.
    fn take_results(&mut self, nulls: Option<&NullBuffer>) -> Result<BooleanBuffer> {
        let (count, mut bits) = (self.results.len(), Vec::new());
        if let Some(format) = Format::<u8>::new(1) {
            bits.resize(format.encoded_len(count), 0);
            let to = &mut bits[..];
            format
                .encode_with(self.pages.backend, &self.results, to)
                .map_err(wrong)?;
        }
        self.results.clear();
        let results = BooleanBuffer::new(bits.into(), 0, count);
        Ok(match nulls.filter(|_| self.of_null) {
            Some(nulls) => &results | &!nulls.inner(),
            None => results,
        })
    }
}

fn wrong(error: bytelane::validity::Error) -> Error {
    Error::corrupt(error.to_string())
}

/// Looks up the results of the next values of a page.
fn look_up(
    page: &mut Option<Indices>,
    entries: &Option<Entries>,
    found: &mut Vec<u32>,
    to: &mut [u8],
) -> Result<()> {
    match (page, entries) {
        _ if to.is_empty() => Ok(()),
        (Some(page), Some(Entries::Same(result))) => {
            to.fill(u8::from(*result));
            page.skip(to.len())
        }
        (Some(page), Some(Entries::Each(entries))) => {
            found.resize(to.len(), 0);
            page.look_up(entries, found)?;
            let pairs = to.iter_mut().zip(found);
            pairs.for_each(|(to, result)| *to = *result as u8);
            Ok(())
        }
        _ => Err(Error::corrupt("a page of indices without a dictionary")),
    }
}

impl ArrayDecoder for TestDecoder {
    fn keep_dictionary(&mut self, values: Bytes, count: usize) -> Result<()> {
        self.pages.values.keep_dictionary(values.clone(), count)?;
        if self.pages.has_values {
            return Ok(());
        }
        let entries = self.pages.entries(values, count)?;
        self.pages.values.release();
        let results = (self.test)(entries)?;
        let kept = results.count_set_bits();
        self.entries = Some(if kept == 0 || kept == results.len() {
            Entries::Same(kept > 0)
        } else {
            let results: Vec<u32> = results.iter().map(u32::from).collect();
            Entries::Each(Dictionary::new(&results))
        });
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
            self.results.reserve(slots);
        }
    }

    fn append(&mut self, slots: Slots<'_>) -> Result<()> {
        if self.pages.has_values {
            return self.pages.values.append(slots);
        }
        self.check(slots.len())?;
        match slots {
            Slots::Null(count) => self.results.resize(self.results.len() + count, 0),
            Slots::Valid(count) => self.append_valid(count)?,
            Slots::Mixed { bits, slots, valid } => self.append_mixed(bits, slots, valid)?,
        }
        Ok(())
    }

    fn skip(&mut self, valid: usize) -> Result<()> {
        self.pages.skip(valid)
    }

    fn release(&mut self) {
        self.memory.release();
        self.pages.values.release();
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let count = self.results.len();
        if !self.pages.has_values {
            let results = self.take_results(nulls.as_ref())?;
            return Ok(Arc::new(BooleanArray::new(results, None)));
        }
        // The first slots of the array may still have been looked up.
        let part = |from: usize, length: Option<usize>| {
            let part = |nulls: &NullBuffer| nulls.slice(from, length.unwrap_or(nulls.len() - from));
            nulls.as_ref().map(part)
        };
        let (first, rest) = (part(0, Some(count)), part(count, None));
        let first = self.take_results(first.as_ref())?;
        let rest = (self.test)(self.pages.values.finish(rest)?)?;
        let mut results = BooleanBufferBuilder::new(first.len() + rest.len());
        results.append_buffer(&first);
        results.append_buffer(&rest);
        Ok(Arc::new(BooleanArray::new(results.finish(), None)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::decoder_of;
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{Array, new_null_array};
    use arrow_schema::DataType;
    use parquet::basic::Type;
    use parquet::schema::types::{ColumnDescriptor, ColumnPath, Type as SchemaType};

    /// Returns a decoder that tests for values from 75 on, and for nulls if `of_null` is set.
    fn decoder(of_null: bool) -> TestDecoder {
        let leaf = SchemaType::primitive_type_builder("x", Type::INT64);
        let leaf = Arc::new(leaf.build().expect("a type"));
        let column = Arc::new(ColumnDescriptor::new(leaf, 1, 0, ColumnPath::from("x")));
        let (budget, backend) = (Budget::new(1 << 20), Detected::active());
        let values = decoder_of(backend, &DataType::Int64, &column, &budget).expect("a decoder");
        let test: Test = Arc::new(move |array| {
            let array = array.as_primitive::<Int64Type>();
            let results = array.iter().map(|it| it.map_or(of_null, |it| it >= 75));
            Ok(results.collect())
        });
        let null = new_null_array(&DataType::Int64, 1);
        TestDecoder::new(backend, test, Some(null), values, &budget).expect("a decoder")
    }

    fn plain(values: &[i64]) -> Bytes {
        values.iter().flat_map(|it| it.to_le_bytes()).collect()
    }

    /// Eight indices of one bit.
    fn indices(bits: u8) -> Bytes {
        vec![1, 3, bits].into()
    }

    fn results(decoder: &mut TestDecoder, nulls: Option<Vec<bool>>) -> Vec<bool> {
        let array = decoder
            .finish(nulls.map(NullBuffer::from))
            .expect("results");
        assert_eq!(array.null_count(), 0);
        array.as_boolean().values().iter().collect()
    }

    #[test]
    fn entries_are_tested_once() {
        for of_null in [false, true] {
            let mut decoder = decoder(of_null);
            decoder
                .keep_dictionary(plain(&[70, 80]), 2)
                .expect("a dictionary");
            let page = decoder.open_page(ValueEncoding::Dictionary, indices(0b1011_0110), 8);
            page.expect("a page");
            decoder.append(Slots::Valid(3)).expect("results");
            decoder.skip(1).expect("a value");
            decoder.append(Slots::Null(1)).expect("a null");
            let mixed = Slots::Mixed {
                bits: &[0b101],
                slots: 3,
                valid: 2,
            };
            decoder.append(mixed).expect("results");
            let valid = vec![true, true, true, false, true, false, true];
            let found = results(&mut decoder, Some(valid));
            assert_eq!(found, [false, true, true, of_null, true, of_null, true]);

            decoder.append(Slots::Valid(1)).expect("a result");
            decoder.close_page();
            let page = decoder.open_page(ValueEncoding::Plain, plain(&[1, 90]), 2);
            page.expect("a page");
            decoder.append(Slots::Valid(2)).expect("values");
            assert_eq!(results(&mut decoder, None), [false, false, true]);
        }
    }

    #[test]
    fn equal_results_need_no_indices() {
        let mut decoder = decoder(false);
        decoder
            .keep_dictionary(plain(&[7, 8]), 2)
            .expect("a dictionary");
        let page = decoder.open_page(ValueEncoding::Dictionary, indices(0b0110_0110), 8);
        page.expect("a page");
        decoder.append(Slots::Valid(8)).expect("results");
        assert_eq!(results(&mut decoder, None), [false; 8]);
    }

    #[test]
    fn damaged_pages_are_errors() {
        let mut decoder = decoder(false);
        let open = |decoder: &mut TestDecoder| {
            let page = decoder.open_page(ValueEncoding::Dictionary, vec![2, 3, 0b11, 0].into(), 8);
            page.expect("a page");
        };
        open(&mut decoder);
        assert!(decoder.append(Slots::Valid(1)).is_err(), "no dictionary");
        decoder
            .keep_dictionary(plain(&[70, 80]), 2)
            .expect("a dictionary");
        open(&mut decoder);
        assert!(decoder.append(Slots::Valid(8)).is_err(), "no entry 3");
    }
}
