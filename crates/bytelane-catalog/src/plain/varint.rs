//! Plain loops of `varint`: LEB128 integers.

use super::number::{Number, get_varint, numbers, numbers_mut, put_varint};
use super::{Loops, Plain};
use crate::{Parameters, SpecificationError};
use std::marker::PhantomData;

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    let kind: String = parameters.get("type", |_| true)?;
    Ok(match kind.as_str() {
        "u32" => Box::new(Varint::<u32, false>(PhantomData)),
        "u64" => Box::new(Varint::<u64, false>(PhantomData)),
        "i32" => Box::new(Varint::<i32, true>(PhantomData)),
        _ => Box::new(Varint::<i64, true>(PhantomData)),
    })
}

/// Integers, with or without zigzag.
struct Varint<T, const ZIGZAG: bool>(PhantomData<T>);

impl<T: Number, const ZIGZAG: bool> Loops for Varint<T, ZIGZAG> {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let mut at = 0;
        for value in numbers::<T>(values)? {
            let number = if ZIGZAG { value.zigzag() } else { value.bits() };
            at = put_varint(encoded, at, number)?;
        }
        Some(at)
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let length = values.len();
        let mut at = 0;
        for value in numbers_mut::<T>(values)? {
            let (number, end) = get_varint(encoded, at, T::BITS)?;
            *value = if ZIGZAG {
                T::of_zigzag(number)
            } else {
                T::of_bits(number)
            };
            at = end;
        }
        Some(length)
    }
}
