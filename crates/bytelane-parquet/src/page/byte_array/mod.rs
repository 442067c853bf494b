//! Decodes columns of the type BYTE_ARRAY: strings, bytes, and decimals of any length.
//!
//! A [`Page`] provides its values in order, and [`Values`] collect them in an array: with offsets, views, or
//! dictionary keys.

mod arrays;
mod encodings;
mod pages;
#[cfg(test)]
mod tests;
mod text;
mod values;

pub(super) use encodings::indices::{Indices, run_before};
pub(super) use encodings::{codes, delta};

use super::header::ValueEncoding;
use super::symbols::Symbols;
use super::values::{ArrayDecoder, Slots};
use crate::budget::{Budget, Reservation};
use crate::types::physical;
use crate::{Error, Result};
use arrays::views::Views;
use arrays::{decimal::Decimals, keys::Keys, offsets::Offsets};
use arrow_array::ArrayRef;
use arrow_array::types::{
    ArrowDictionaryKeyType, BinaryType, BinaryViewType, Decimal32Type, Decimal64Type,
    Decimal128Type, Decimal256Type, Int8Type, Int16Type, Int32Type, Int64Type, LargeBinaryType,
    LargeUtf8Type, StringViewType, UInt8Type, UInt16Type, UInt32Type, UInt64Type, Utf8Type,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use bytelane::Detected;
use bytes::Bytes;
use encodings::{plain::Entries, room::Room};
use pages::Page;
use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;
use values::{Values, no_dictionary};

/// Decoder of the pages of a column chunk of the type BYTE_ARRAY.
pub(crate) struct ByteArrayDecoder {
    backend: Detected,
    /// Memory of the dictionary, and of the parts of a page that are decoded before its values are taken.
    dictionary_memory: Reservation,
    page_memory: Reservation,
    is_text: bool,
    has_dictionary: bool,
    symbols: Option<Symbols>,
    page: Option<Page>,
    values: Box<dyn Values>,
}

impl ByteArrayDecoder {
    /// Creates a decoder for arrays of a type. Their memory is taken from a budget.
    pub(crate) fn new(
        backend: Detected,
        data_type: &DataType,
        column: &ColumnDescriptor,
        budget: &Budget,
    ) -> Result<Self> {
        let values = match column.physical_type() {
            Type::BYTE_ARRAY => values_of(backend, data_type, budget),
            _ => None,
        };
        let Some(values) = values else {
            return Err(physical::not_convertible(data_type, column));
        };
        Ok(Self {
            backend,
            dictionary_memory: budget.reservation(),
            page_memory: budget.reservation(),
            is_text: is_text(data_type),
            has_dictionary: false,
            symbols: None,
            page: None,
            values,
        })
    }
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

fn values_of(backend: Detected, data_type: &DataType, budget: &Budget) -> Option<Box<dyn Values>> {
    Some(match data_type {
        DataType::Utf8 => Box::new(Offsets::<Utf8Type>::new(backend, budget)),
        DataType::LargeUtf8 => Box::new(Offsets::<LargeUtf8Type>::new(backend, budget)),
        DataType::Binary => Box::new(Offsets::<BinaryType>::new(backend, budget)),
        DataType::LargeBinary => Box::new(Offsets::<LargeBinaryType>::new(backend, budget)),
        DataType::Utf8View => Box::new(Views::<StringViewType>::new(backend, budget)),
        DataType::BinaryView => Box::new(Views::<BinaryViewType>::new(backend, budget)),
        DataType::Decimal32(p, s) => {
            Box::new(Decimals::<Decimal32Type>::new(backend, budget, *p, *s))
        }
        DataType::Decimal64(p, s) => {
            Box::new(Decimals::<Decimal64Type>::new(backend, budget, *p, *s))
        }
        DataType::Decimal128(p, s) => {
            Box::new(Decimals::<Decimal128Type>::new(backend, budget, *p, *s))
        }
        DataType::Decimal256(p, s) => {
            Box::new(Decimals::<Decimal256Type>::new(backend, budget, *p, *s))
        }
        DataType::Dictionary(keys, values) => match keys.as_ref() {
            DataType::Int8 => dictionary::<Int8Type>(backend, values, budget)?,
            DataType::Int16 => dictionary::<Int16Type>(backend, values, budget)?,
            DataType::Int32 => dictionary::<Int32Type>(backend, values, budget)?,
            DataType::Int64 => dictionary::<Int64Type>(backend, values, budget)?,
            DataType::UInt8 => dictionary::<UInt8Type>(backend, values, budget)?,
            DataType::UInt16 => dictionary::<UInt16Type>(backend, values, budget)?,
            DataType::UInt32 => dictionary::<UInt32Type>(backend, values, budget)?,
            DataType::UInt64 => dictionary::<UInt64Type>(backend, values, budget)?,
            _ => return None,
        },
        _ => return None,
    })
}

fn dictionary<K: ArrowDictionaryKeyType>(
    backend: Detected,
    values: &DataType,
    budget: &Budget,
) -> Option<Box<dyn Values>> {
    let value_type = values.clone();
    Some(match values {
        DataType::Utf8 | DataType::Utf8View => {
            Box::new(Keys::<K, Utf8Type>::new(backend, budget, value_type))
        }
        DataType::LargeUtf8 => Box::new(Keys::<K, LargeUtf8Type>::new(backend, budget, value_type)),
        DataType::Binary | DataType::BinaryView => {
            Box::new(Keys::<K, BinaryType>::new(backend, budget, value_type))
        }
        DataType::LargeBinary => {
            Box::new(Keys::<K, LargeBinaryType>::new(backend, budget, value_type))
        }
        _ => return None,
    })
}

/// Maximum memory per dictionary entry, in bytes, apart from its bytes and a copy of these: its offset and
/// length, and the table for lookups.
const ENTRY: u64 = 48;

impl ArrayDecoder for ByteArrayDecoder {
    fn keep_dictionary(&mut self, values: Bytes, count: usize) -> Result<()> {
        let entries = (count as u64).saturating_mul(ENTRY);
        let bytes = 2 * values.len() as u64;
        self.dictionary_memory
            .resize(bytes.saturating_add(entries))?;
        let entries = Entries::read(values, count)?;
        if self.is_text {
            text::check(self.backend, &entries)?;
        }
        self.has_dictionary = true;
        self.values.keep_dictionary(entries)
    }

    fn keep_symbols(&mut self, symbols: Symbols) -> Result<()> {
        self.symbols = Some(symbols);
        Ok(())
    }

    fn open_page(&mut self, encoding: ValueEncoding, values: Bytes, valid: usize) -> Result<()> {
        self.page = None;
        if encoding == ValueEncoding::Dictionary && !self.has_dictionary && valid > 0 {
            return Err(no_dictionary());
        }
        let room = Room::new(&self.page_memory, u64::MAX);
        self.page = Some(match (encoding, &self.symbols) {
            (ValueEncoding::Fsst, Some(symbols)) => {
                Page::open_codes(self.backend, symbols, values, valid, &room)?
            }
            _ => Page::open(self.backend, encoding, values, valid, &room)?,
        });
        Ok(())
    }

    fn close_page(&mut self) {
        self.page = None;
        self.page_memory.release();
    }

    fn reserve(&mut self, slots: usize) {
        self.values.reserve(slots);
    }

    fn append(&mut self, slots: Slots<'_>) -> Result<()> {
        let page = match slots {
            Slots::Null(count) => return self.values.append_nulls(count),
            Slots::Valid(0) => return Ok(()),
            _ => self.page.as_mut(),
        };
        let Some(page) = page else {
            return Err(Error::corrupt("more values than the page has"));
        };
        match slots {
            Slots::Valid(count) => self.values.append(page, count),
            Slots::Null(count) => self.values.append_nulls(count),
            Slots::Mixed { bits, slots, valid } => {
                self.values.append_mixed(page, bits, slots, valid)
            }
        }
    }

    fn skip(&mut self, valid: usize) -> Result<()> {
        let room = Room::new(&self.page_memory, u64::MAX);
        match &mut self.page {
            Some(page) => page.skip(valid, &room),
            None => Ok(()),
        }
    }

    fn can_retain(&self) -> bool {
        true
    }

    fn retain(&mut self, bits: &BooleanBuffer) {
        self.values.retain(bits);
    }

    fn append_kept(&mut self, slots: Slots<'_>, bits: &BooleanBuffer) -> Result<()> {
        match (slots, &mut self.page) {
            (Slots::Valid(_), Some(page)) => self.values.append_kept(page, bits),
            _ => {
                self.append(slots)?;
                self.retain(bits);
                Ok(())
            }
        }
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        self.values.finish(nulls)
    }

    fn release(&mut self) {
        self.values.release();
    }
}
