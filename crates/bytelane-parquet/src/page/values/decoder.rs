//! Creates the decoder of a column.

use super::super::byte_array::ByteArrayDecoder;
use super::super::header::ValueEncoding;
use super::array_decoder::{ArrayDecoder, Slots};
use super::boolean::BooleanDecoder;
use super::fixed::FixedDecoder;
use super::keys::KeysDecoder;
use super::null::NullDecoder;
use crate::Result;
use crate::budget::Budget;
use crate::types::physical;
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::DataType;
use bytelane::Detected;
use bytes::Bytes;
use parquet::basic::Type;
use parquet::schema::types::ColumnDescPtr;

/// Returns the decoder that builds arrays of a type from a leaf's values.
///
/// All of its memory is taken from the budget.
pub fn decoder_of(
    backend: Detected,
    data_type: &DataType,
    column: &ColumnDescPtr,
    budget: &Budget,
) -> Result<Box<dyn ArrayDecoder>> {
    Ok(match (data_type, column.physical_type()) {
        (DataType::Null, _) => Box::new(NullDecoder::default()),
        (DataType::Boolean, Type::BOOLEAN) => Box::new(BooleanDecoder::new(backend, budget)),
        (_, Type::BYTE_ARRAY) => {
            Box::new(ByteArrayDecoder::new(backend, data_type, column, budget)?)
        }
        (DataType::Dictionary(key, values), _) => {
            let values = keys_decoder_of(backend, values, column, budget)?;
            let key = key.as_ref().clone();
            Box::new(DictionaryDecoder { values, key })
        }
        _ => {
            let (data_type, column) = (data_type.clone(), column.clone());
            Box::new(FixedDecoder::new(backend, data_type, column, budget)?)
        }
    })
}

/// Returns the decoder that builds dictionary arrays from the indices of a chunk whose pages all have indices:
/// arrays with values of the type `data_type`, unless the column has none of a dictionary.
pub fn keys_decoder_of(
    backend: Detected,
    data_type: &DataType,
    column: &ColumnDescPtr,
    budget: &Budget,
) -> Result<Box<dyn ArrayDecoder>> {
    match column.physical_type() {
        Type::BYTE_ARRAY if data_type.is_string() => {
            let (key, values) = (Box::new(DataType::Int32), Box::new(data_type.clone()));
            decoder_of(backend, &DataType::Dictionary(key, values), column, budget)
        }
        Type::BYTE_ARRAY | Type::BOOLEAN => decoder_of(backend, data_type, column, budget),
        _ => Ok(Box::new(KeysDecoder::new(
            backend,
            data_type.clone(),
            ColumnDescPtr::clone(column),
            budget,
        )?)),
    }
}

/// Decoder of dictionary arrays with values of any type except strings. They have the entries of the chunk in their order, unless
/// some pages have values.
struct DictionaryDecoder {
    values: Box<dyn ArrayDecoder>,
    key: DataType,
}

impl ArrayDecoder for DictionaryDecoder {
    fn keep_dictionary(&mut self, values: Bytes, count: usize) -> Result<()> {
        self.values.keep_dictionary(values, count)
    }

    fn open_page(&mut self, encoding: ValueEncoding, values: Bytes, valid: usize) -> Result<()> {
        self.values.open_page(encoding, values, valid)
    }

    fn close_page(&mut self) {
        self.values.close_page();
    }

    fn reserve(&mut self, slots: usize) {
        self.values.reserve(slots);
    }

    fn append(&mut self, slots: Slots<'_>) -> Result<()> {
        self.values.append(slots)
    }

    fn skip(&mut self, valid: usize) -> Result<()> {
        self.values.skip(valid)
    }

    fn can_retain(&self) -> bool {
        self.values.can_retain()
    }

    fn retain(&mut self, bits: &BooleanBuffer) {
        self.values.retain(bits);
    }

    fn release(&mut self) {
        self.values.release();
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let array = self.values.finish(nulls)?;
        match array.as_dictionary_opt::<Int32Type>() {
            Some(dictionary) => physical::with_keys(dictionary, &self.key),
            None => physical::as_dictionary(&array, &self.key),
        }
    }
}
