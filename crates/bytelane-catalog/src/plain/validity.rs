//! Plain loops of `validity`: levels as bitmaps, and values spread over the positions of a bitmap.

use super::number::{Number, numbers, numbers_mut};
use super::{Loops, Plain};
use crate::validity::Places;
use crate::{Parameters, SpecificationError};
use std::marker::PhantomData;

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    let spread: String = parameters.get("spread", |_| true)?;
    let levels: String = parameters.get("type", |_| true)?;
    let nulls = parameters.get("nulls", |_| true)?;
    let places = Places::new(nulls);
    Ok(match (spread.as_str(), levels.as_str()) {
        ("none", "u8") => Box::new(Levels::<u8>::new(parameters)?),
        ("none", _) => Box::new(Levels::<u16>::new(parameters)?),
        ("u8", _) => Box::new(Spread::<1> { places }),
        ("u16", _) => Box::new(Spread::<2> { places }),
        ("f32", _) => Box::new(Spread::<4> { places }),
        _ => Box::new(Spread::<8> { places }),
    })
}

struct Levels<T> {
    max: u64,
    of: PhantomData<T>,
}

impl<T> Levels<T> {
    fn new(parameters: &Parameters<'_>) -> Result<Self, SpecificationError> {
        let max = parameters.get("max_level", |_| true)?;
        let of = PhantomData;
        Ok(Self { max, of })
    }
}

impl<T: Number> Loops for Levels<T> {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let levels = numbers::<T>(values)?;
        let bitmap = encoded.get_mut(..levels.len().div_ceil(8))?;
        let mut greatest = 0;
        for (byte, levels) in bitmap.iter_mut().zip(levels.chunks(8)) {
            *byte = 0;
            for (i, level) in levels.iter().enumerate() {
                greatest = u64::max(greatest, level.bits());
                *byte |= u8::from(level.bits() == self.max) << i;
            }
        }
        (greatest <= self.max).then_some(bitmap.len())
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let written = values.len();
        let levels = numbers_mut::<T>(values)?;
        let bitmap = encoded.get(..levels.len().div_ceil(8))?;
        for (levels, byte) in levels.chunks_mut(8).zip(bitmap) {
            for (i, level) in levels.iter_mut().enumerate() {
                *level = T::of_bits(self.max - 1 + u64::from(byte >> i & 1));
            }
        }
        Some(written)
    }
}

/// Values of `V` bytes.
struct Spread<const V: usize> {
    places: Places,
}

impl<const V: usize> Loops for Spread<V> {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let dense = values.as_chunks::<V>().0;
        let places = self.places.of_values(dense.len());
        let bitmap = self.places.bitmap(places);
        let spread = encoded.get_mut(..V * places)?.as_chunks_mut::<V>().0;
        let mut next = 0;
        for (i, to) in spread.iter_mut().enumerate() {
            *to = if bitmap[i / 8] >> (i % 8) & 1 != 0 {
                next += 1;
                dense[next - 1]
            } else {
                [0; V]
            };
        }
        Some(V * places)
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let dense = values.as_chunks_mut::<V>().0;
        let places = self.places.of_values(dense.len());
        let bitmap = self.places.bitmap(places);
        let spread = encoded.get(..V * places)?.as_chunks::<V>().0;
        let mut next = 0;
        for (i, value) in spread.iter().enumerate() {
            if bitmap[i / 8] >> (i % 8) & 1 != 0 {
                dense[next] = *value;
                next += 1;
            }
        }
        Some(V * next)
    }
}
