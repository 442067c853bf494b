//! Plain loops of `bit_packing`: integers with the same number of bits each.

use super::bits::{BitWriter, read};
use super::number::{Number, low_bits, numbers, numbers_mut};
use super::{Loops, Plain};
use crate::{Parameters, SpecificationError};

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    let kind: String = parameters.get("type", |_| true)?;
    Ok(match kind.as_str() {
        "u8" => Box::new(BitPacking::<u8>::new(parameters)?),
        "u16" => Box::new(BitPacking::<u16>::new(parameters)?),
        "u32" => Box::new(BitPacking::<u32>::new(parameters)?),
        "u64" => Box::new(BitPacking::<u64>::new(parameters)?),
        "i32" => Box::new(BitPacking::<i32>::new(parameters)?),
        _ => Box::new(BitPacking::<i64>::new(parameters)?),
    })
}

struct BitPacking<T> {
    width: u32,
    /// Number subtracted from the values.
    frame: T,
    zigzag: bool,
}

impl<T: Number> BitPacking<T> {
    fn new(parameters: &Parameters<'_>) -> Result<Self, SpecificationError> {
        let frame: i128 = parameters.get("frame", |_| true)?;
        Ok(Self {
            width: parameters.get("width", |_| true)?,
            frame: T::of_bits(frame as u64),
            zigzag: parameters.get("zigzag", |_| true)?,
        })
    }
}

impl<T: Number> Loops for BitPacking<T> {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let most = low_bits(self.width);
        let mut writer = BitWriter::new(encoded, 0);
        for &value in numbers::<T>(values)? {
            let number = if self.zigzag {
                value.zigzag()
            } else {
                value.minus(self.frame).bits()
            };
            if number > most {
                return None;
            }
            writer.put(number, self.width)?;
        }
        writer.finish()
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let length = values.len();
        for (i, value) in numbers_mut::<T>(values)?.iter_mut().enumerate() {
            let number = read(encoded, 0, i, self.width)?;
            *value = if self.zigzag {
                T::of_zigzag(number)
            } else {
                T::of_bits(number).plus(self.frame)
            };
        }
        Some(length)
    }
}
