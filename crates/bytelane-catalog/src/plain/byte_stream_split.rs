//! Plain loops of `byte_stream_split`: byte 0 of every value, then byte 1 of every value, and so
//! on.

use super::number::{Number, numbers};
use super::{Loops, Plain};
use crate::{Parameters, SpecificationError};
use std::array;
use std::marker::PhantomData;

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    Ok(match parameters.get("width", |_: &usize| true)? {
        2 => Box::new(Numbers::<u16, 2>(PhantomData)),
        4 => Box::new(Numbers::<u32, 4>(PhantomData)),
        8 => Box::new(Numbers::<u64, 8>(PhantomData)),
        width => Box::new(Any { width }),
    })
}

/// Numbers of a known type, one value after the other. Of several such loops, these are the fastest
/// without compiler options; for other levels, the compiler can vectorise others better.
struct Numbers<T, const WIDTH: usize>(PhantomData<T>);

impl<T: Number, const WIDTH: usize> Loops for Numbers<T, WIDTH> {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let mut rest = encoded.get_mut(..values.len())?;
        let values = numbers::<T>(values)?;
        let count = values.len();
        let streams: [&mut [u8]; WIDTH] =
            array::from_fn(|_| rest.split_off_mut(..count).unwrap_or_default());
        if streams.iter().any(|stream| stream.len() != count) {
            return None;
        }
        for i in 0..count {
            for k in 0..WIDTH {
                streams[k][i] = values[i].byte(k);
            }
        }
        Some(WIDTH * count)
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let count = encoded.len() / WIDTH;
        let values = values.as_chunks_mut::<WIDTH>().0.get_mut(..count)?;
        let streams: [&[u8]; WIDTH] = array::from_fn(|k| &encoded[k * count..][..count]);
        for i in 0..count {
            let mut value = [0; WIDTH];
            for k in 0..WIDTH {
                value[k] = streams[k][i];
            }
            values[i] = value;
        }
        Some(WIDTH * count)
    }
}

/// Values of any width, one stream after the other.
struct Any {
    width: usize,
}

impl Loops for Any {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        if !values.len().is_multiple_of(self.width) {
            return None;
        }
        let encoded = encoded.get_mut(..values.len())?;
        let count = usize::max(values.len() / self.width, 1);
        for (k, stream) in encoded.chunks_exact_mut(count).enumerate() {
            for (to, value) in stream.iter_mut().zip(values.chunks_exact(self.width)) {
                *to = value[k];
            }
        }
        Some(encoded.len())
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        if !encoded.len().is_multiple_of(self.width) {
            return None;
        }
        let values = values.get_mut(..encoded.len())?;
        let count = usize::max(encoded.len() / self.width, 1);
        for (k, stream) in encoded.chunks_exact(count).enumerate() {
            for (value, byte) in values.chunks_exact_mut(self.width).zip(stream) {
                value[k] = *byte;
            }
        }
        Some(encoded.len())
    }
}
