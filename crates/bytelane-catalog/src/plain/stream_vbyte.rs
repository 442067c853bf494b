//! Plain loops of `stream_vbyte`: integers of a few bytes each, with their lengths in control
//! bytes.

use super::number::{Number, get, low_bits, numbers, numbers_mut, put};
use super::{Loops, Plain};
use crate::{Parameters, SpecificationError};
use std::marker::PhantomData;

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    let variant: String = parameters.get("variant", |_| true)?;
    Ok(match variant.as_str() {
        "1234" => Box::new(StreamVbyte::<u32>::new([1, 2, 3, 4], parameters)?),
        "0124" => Box::new(StreamVbyte::<u32>::new([0, 1, 2, 4], parameters)?),
        _ => Box::new(StreamVbyte::<u64>::new([1, 2, 4, 8], parameters)?),
    })
}

struct StreamVbyte<T> {
    /// Number of bytes per value, by code.
    lengths: [usize; 4],
    /// Greatest numbers of the first three codes.
    limits: [u64; 3],
    delta: bool,
    zigzag: bool,
    /// Number of values per stream.
    block: usize,
    of: PhantomData<T>,
}

impl<T: Number> StreamVbyte<T> {
    fn new(lengths: [usize; 4], parameters: &Parameters<'_>) -> Result<Self, SpecificationError> {
        let block: String = parameters.get("block", |_| true)?;
        let limit = |code: usize| low_bits(8 * lengths[code] as u32);
        Ok(Self {
            lengths,
            limits: [limit(0), limit(1), limit(2)],
            delta: parameters.get("delta", |_| true)?,
            zigzag: parameters.get("zigzag", |_| true)?,
            block: block.parse().unwrap_or(usize::MAX),
            of: PhantomData,
        })
    }

    /// Returns the code of the shortest length that holds a number.
    #[inline(always)]
    fn code(&self, number: u64) -> usize {
        let [first, second, third] = self.limits;
        usize::from(number > first) + usize::from(number > second) + usize::from(number > third)
    }
}

impl<T: Number> Loops for StreamVbyte<T> {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let (mut previous, mut at) = (T::zeroed(), 0);
        for block in numbers::<T>(values)?.chunks(self.block) {
            let controls = at..;
            at += block.len().div_ceil(4);
            for (control, four) in controls.zip(block.chunks(4)) {
                let mut codes = 0;
                for (i, &value) in four.iter().enumerate() {
                    let mut number = value;
                    if self.delta {
                        number = value.minus(previous);
                        previous = value;
                    }
                    let number = if self.zigzag {
                        number.zigzag()
                    } else {
                        number.bits()
                    };
                    let code = self.code(number);
                    put(encoded, at, number, self.lengths[code])?;
                    codes |= code << (2 * i);
                    at += self.lengths[code];
                }
                *encoded.get_mut(control)? = codes as u8;
            }
        }
        Some(at)
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let length = values.len();
        let (mut previous, mut at) = (T::zeroed(), 0);
        for block in numbers_mut::<T>(values)?.chunks_mut(self.block) {
            let controls = at..;
            at += block.len().div_ceil(4);
            for (control, four) in controls.zip(block.chunks_mut(4)) {
                let mut codes = usize::from(*encoded.get(control)?);
                for value in four {
                    let length = self.lengths[codes % 4];
                    codes /= 4;
                    let number = get(encoded, at, length)?;
                    at += length;
                    let mut number = if self.zigzag {
                        T::of_zigzag(number)
                    } else {
                        T::of_bits(number)
                    };
                    if self.delta {
                        number = number.plus(previous);
                        previous = number;
                    }
                    *value = number;
                }
            }
        }
        Some(length)
    }
}
