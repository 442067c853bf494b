//! Builds dictionary arrays from the indices of pages, if all of them belong to one dictionary.

use super::super::encodings::plain::Entries;
use super::super::pages::Page;
use super::super::values::{Values, no_dictionary};
use super::offsets::Offsets;
use crate::budget::{Budget, Reservation};
use crate::memory::{Content, compact_values};
use crate::{Error, Problem, Result};
use arrow_array::builder::GenericByteDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::ArrowDictionaryKeyType;
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, DictionaryArray, GenericByteArray, PrimitiveArray,
    StringViewArray,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use bytelane::Detected;
use bytelane::validity::values;
use std::marker::PhantomData;
use std::sync::Arc;

/// Builder for a dictionary array with values of type `T`. It holds keys, or else values.
pub(crate) struct Keys<K, T: Content> {
    backend: Detected,
    budget: Budget,
    /// Memory of the keys.
    memory: Reservation,
    /// Data type of the values.
    value_type: DataType,
    /// Keys of the slots, as long as all belong to one dictionary.
    keys: Vec<u32>,
    /// Keys before they are spread to the slots.
    dense: Vec<u32>,
    /// Dictionary of the chunk.
    dictionary: Option<Arc<Kept>>,
    /// Dictionary of the keys.
    used: Option<Arc<Kept>>,
    /// All values so far, if keys are not sufficient.
    values: Offsets<T>,
    has_values: bool,
    of: PhantomData<fn() -> K>,
}

/// Dictionary with its values as an array.
struct Kept {
    entries: Entries,
    values: ArrayRef,
}

impl<K: ArrowDictionaryKeyType, T: Content> Keys<K, T> {
    pub(crate) fn new(backend: Detected, budget: &Budget, value_type: DataType) -> Self {
        Self {
            backend,
            budget: budget.clone(),
            memory: budget.reservation(),
            value_type,
            keys: Vec::new(),
            dense: Vec::new(),
            dictionary: None,
            used: None,
            values: Offsets::new(backend, budget),
            has_values: false,
            of: PhantomData,
        }
    }

    /// Returns an error if another `slots` slots take too much memory.
    fn check(&self, slots: usize) -> Result<()> {
        let slots = self.keys.len().saturating_add(slots);
        let width = size_of::<u32>() + size_of::<K::Native>();
        self.memory.cover(slots.saturating_mul(width) as u64)
    }

    /// Returns whether the next values of a page can be appended as keys. If not, all previous keys have been
    /// converted to values.
    fn takes_keys(&mut self, page: &Page) -> Result<bool> {
        if self.has_values {
            return Ok(false);
        }
        if let Page::Indices(_) = page {
            let Some(dictionary) = &self.dictionary else {
                return Err(no_dictionary());
            };
            let used = self.used.get_or_insert_with(|| Arc::clone(dictionary));
            if Arc::ptr_eq(used, dictionary) {
                return Ok(true);
            }
        }
        let keys = std::mem::take(&mut self.keys);
        match self.used.take() {
            Some(used) => self.values.append_entries(&used.entries, &keys)?,
            None => self.values.append_nulls(keys.len())?,
        }
        self.has_values = true;
        Ok(false)
    }

    /// Builds the array of the keys and the dictionary.
    fn array_of_keys(
        &self,
        keys: Vec<u32>,
        used: &Kept,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef> {
        let greatest = used.values.len().saturating_sub(1);
        if K::Native::from_usize(greatest).is_none() {
            // Without nulls, checking the greatest key is sufficient.
            let greatest = keys.iter().max().copied().unwrap_or_default();
            if K::Native::from_usize(greatest as usize).is_none() {
                return Err(too_many::<K>());
            }
        }
        let keys = if size_of::<K::Native>() == size_of::<u32>() {
            let count = keys.len();
            ScalarBuffer::new(Buffer::from_vec(keys), 0, count)
        } else {
            let keys = keys.into_iter();
            keys.map(|key| K::Native::usize_as(key as usize)).collect()
        };
        let keys = PrimitiveArray::<K>::try_new(keys, nulls)?;
        let array = DictionaryArray::try_new(keys, Arc::clone(&used.values))?;
        Ok(Arc::new(array))
    }

    /// Builds the array of the values, with a dictionary of the distinct ones.
    fn array_of_values(&self, values: &GenericByteArray<T>) -> Result<ArrayRef> {
        let mut builder = GenericByteDictionaryBuilder::<K, T>::new();
        for value in values {
            match value {
                Some(value) => {
                    builder.append(value).map_err(|_| too_many::<K>())?;
                }
                None => builder.append_null(),
            }
        }
        let array = builder.finish();
        let values = as_type(Arc::clone(array.values()), &self.value_type);
        Ok(Arc::new(array.with_values(values)))
    }
}

fn too_many<K: ArrowDictionaryKeyType>() -> Error {
    Error::new(Problem::Unsupported(format!(
        "a dictionary of more values than keys of the type {} can have: read the column with greater keys, \
         or without a dictionary",
        K::DATA_TYPE
    )))
}

/// Converts the values of a dictionary to views if the type requires it.
fn as_type(values: ArrayRef, to: &DataType) -> ArrayRef {
    match to {
        DataType::Utf8View => Arc::new(StringViewArray::from(values.as_string::<i32>())),
        DataType::BinaryView => Arc::new(BinaryViewArray::from(values.as_binary::<i32>())),
        _ => values,
    }
}

fn append_keys(page: &mut Page, used: &Option<Arc<Kept>>, keys: &mut [u32]) -> Result<()> {
    let (Page::Indices(page), Some(used)) = (page, used) else {
        return Err(no_dictionary());
    };
    page.decode_below(used.entries.len(), keys)
}

impl<K: ArrowDictionaryKeyType, T: Content> Values for Keys<K, T> {
    fn keep_dictionary(&mut self, entries: Entries) -> Result<()> {
        let mut values = Offsets::<T>::new(self.backend, &self.budget);
        let all: Vec<u32> = (0..entries.len() as u32).collect();
        values.append_entries(&entries, &all)?;
        let values: ArrayRef = Arc::new(values.take(None)?);
        let values = as_type(values, &self.value_type);
        // Pages that cannot be appended as keys need it.
        self.values.keep_dictionary(entries.clone())?;
        self.dictionary = Some(Arc::new(Kept { entries, values }));
        Ok(())
    }

    fn reserve(&mut self, slots: usize) {
        if self.check(slots).is_ok() {
            self.keys.reserve(slots);
        }
    }

    fn append(&mut self, page: &mut Page, count: usize) -> Result<()> {
        if !self.takes_keys(page)? {
            return self.values.append(page, count);
        }
        self.check(count)?;
        let start = self.keys.len();
        self.keys.resize(start + count, 0);
        append_keys(page, &self.used, &mut self.keys[start..])
    }

    fn append_nulls(&mut self, count: usize) -> Result<()> {
        if self.has_values {
            return self.values.append_nulls(count);
        }
        self.check(count)?;
        self.keys.resize(self.keys.len() + count, 0);
        Ok(())
    }

    fn append_mixed(
        &mut self,
        page: &mut Page,
        bits: &[u8],
        slots: usize,
        valid: usize,
    ) -> Result<()> {
        if !self.takes_keys(page)? {
            return self.values.append_mixed(page, bits, slots, valid);
        }
        self.check(slots)?;
        self.dense.resize(valid, 0);
        append_keys(page, &self.used, &mut self.dense)?;
        let start = self.keys.len();
        self.keys.resize(start + slots, 0);
        let to = &mut self.keys[start..];
        values::spread_with(self.backend, &self.dense, bits, to)
            .map(drop)
            .map_err(|error| Error::corrupt(error.to_string()))
    }

    fn retain(&mut self, bits: &BooleanBuffer) {
        if self.has_values {
            return self.values.retain(bits);
        }
        let start = self.keys.len() - bits.len();
        let kept = compact_values(self.backend, bits, &mut self.keys[start..]);
        self.keys.truncate(start + kept);
    }

    fn release(&mut self) {
        self.memory.release();
        self.values.release();
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        if std::mem::take(&mut self.has_values) {
            let values = self.values.take(nulls)?;
            return self.array_of_values(&values);
        }
        let keys = std::mem::take(&mut self.keys);
        // Nulls have a dictionary, too, if the chunk has one.
        match self.used.take().or_else(|| self.dictionary.clone()) {
            Some(used) => self.array_of_keys(keys, &used, nulls),
            None => {
                self.values.append_nulls(keys.len())?;
                let values = self.values.take(nulls)?;
                self.array_of_values(&values)
            }
        }
    }
}
