//! Builds arrays of decimals from big-endian two's complement of any length.

use super::super::encodings::plain::Entries;
use super::super::pages::Page;
use super::super::values::Values;
use super::offsets::Offsets;
use crate::budget::Budget;
use crate::{Error, Result};
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, LargeBinaryType,
};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, NullBuffer, i256};
use bytelane::Detected;
use std::sync::Arc;

/// Decimal type that can be read from big-endian bytes.
pub(crate) trait FromBigEndian: DecimalType {
    /// Reads a number of up to the size of the type. Longer ones are accepted if the additional bytes only
    /// repeat the sign.
    fn from_big_endian(bytes: &[u8]) -> Option<Self::Native>;
}

macro_rules! from_big_endian {
    ($($T:ident $Native:ident $bytes:literal)*) => { $(
        impl FromBigEndian for $T {
            #[inline(always)]
            fn from_big_endian(bytes: &[u8]) -> Option<$Native> {
                extended::<$bytes>(bytes).map($Native::from_be_bytes)
            }
        }
    )* }
}

from_big_endian! {
    Decimal32Type i32 4
    Decimal64Type i64 8
    Decimal128Type i128 16
    Decimal256Type i256 32
}

/// Extends or shortens a number to `N` bytes. No bytes are zero, which is what nulls have.
#[inline(always)]
fn extended<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    let is_negative = bytes.first().is_some_and(|first| *first >= 0x80);
    let sign = if is_negative { 0xff } else { 0 };
    let mut number = [sign; N];
    if let Some(more) = bytes.len().checked_sub(N) {
        let (more, bytes) = bytes.split_at(more);
        number.copy_from_slice(bytes);
        let has_sign = number[0] & 0x80 == sign & 0x80;
        return (more.is_empty() || has_sign && more.iter().all(|byte| *byte == sign))
            .then_some(number);
    }
    number[N - bytes.len()..].copy_from_slice(bytes);
    Some(number)
}

/// Builder for an array of decimals, which holds their bytes.
pub(crate) struct Decimals<T> {
    bytes: Offsets<LargeBinaryType>,
    precision: u8,
    scale: i8,
    of: std::marker::PhantomData<fn() -> T>,
}

impl<T: FromBigEndian> Decimals<T> {
    pub(crate) fn new(backend: Detected, budget: &Budget, precision: u8, scale: i8) -> Self {
        Self {
            bytes: Offsets::new(backend, budget),
            precision,
            scale,
            of: std::marker::PhantomData,
        }
    }
}

impl<T: FromBigEndian> Values for Decimals<T> {
    fn keep_dictionary(&mut self, entries: Entries) -> Result<()> {
        self.bytes.keep_dictionary(entries)
    }

    fn reserve(&mut self, slots: usize) {
        self.bytes.reserve(slots);
    }

    fn append(&mut self, page: &mut Page, count: usize) -> Result<()> {
        self.bytes.append(page, count)
    }

    fn append_nulls(&mut self, count: usize) -> Result<()> {
        self.bytes.append_nulls(count)
    }

    fn append_mixed(
        &mut self,
        page: &mut Page,
        bits: &[u8],
        slots: usize,
        valid: usize,
    ) -> Result<()> {
        self.bytes.append_mixed(page, bits, slots, valid)
    }

    fn append_kept(&mut self, page: &mut Page, bits: &BooleanBuffer) -> Result<()> {
        self.bytes.append_kept(page, bits)
    }

    fn retain(&mut self, bits: &BooleanBuffer) {
        self.bytes.retain(bits);
    }

    fn release(&mut self) {
        self.bytes.release();
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        // The decimals and their bytes are in memory at the same time.
        let room = self
            .bytes
            .room(0)?
            .beside(self.bytes.slots(), T::BYTE_LENGTH)?;
        room.check(self.bytes.bytes.len() as u64)?;
        let array = self.bytes.take(None)?;
        let values = array.value_data();
        let decimals = array.offsets().windows(2).map(|ends| {
            let bytes = &values[ends[0] as usize..ends[1] as usize];
            T::from_big_endian(bytes).ok_or_else(|| {
                Error::corrupt(format!(
                    "a decimal of {} bytes, which is too great for the type {}: read the column with a wider one",
                    bytes.len(),
                    T::TYPE_CONSTRUCTOR(self.precision, self.scale)
                ))
            })
        });
        let decimals: Vec<_> = decimals.collect::<Result<_>>()?;
        let array = PrimitiveArray::<T>::try_new(decimals.into(), nulls)?;
        let array = array.with_precision_and_scale(self.precision, self.scale)?;
        Ok(Arc::new(array))
    }
}
