//! Plain loops of `big_endian`: numbers in network byte order.

use super::number::{Number, numbers, numbers_mut};
use super::{Loops, Plain};
use crate::{Parameters, SpecificationError};
use std::marker::PhantomData;

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    Ok(match parameters.get("width", |_: &usize| true)? {
        1 => Box::new(BigEndian::<u8>(PhantomData)),
        2 => Box::new(BigEndian::<u16>(PhantomData)),
        4 => Box::new(BigEndian::<u32>(PhantomData)),
        _ => Box::new(BigEndian::<u64>(PhantomData)),
    })
}

struct BigEndian<T>(PhantomData<T>);

impl<T: Number> Loops for BigEndian<T> {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let to = encoded.get_mut(..values.len())?;
        let values = numbers::<T>(values)?;
        for (to, value) in to.chunks_exact_mut(size_of::<T>()).zip(values) {
            to.copy_from_slice(bytemuck::bytes_of(&value.swapped()));
        }
        Some(to.len())
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let values = numbers_mut::<T>(values.get_mut(..encoded.len())?)?;
        for (value, from) in values.iter_mut().zip(encoded.chunks_exact(size_of::<T>())) {
            *value = bytemuck::pod_read_unaligned::<T>(from).swapped();
        }
        Some(encoded.len())
    }
}
