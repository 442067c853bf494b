//! Plain loops of `delta`: differences of integers, bit-packed.

use super::bits::{BitWriter, read};
use super::number::{Number, get_varint, numbers, numbers_mut, put_varint};
use super::{Loops, Plain};
use crate::{Parameters, SpecificationError};
use std::marker::PhantomData;

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    let kind: String = parameters.get("type", |_| true)?;
    Ok(match kind.as_str() {
        "i32" => Box::new(Delta::<i32>::new(parameters)?),
        _ => Box::new(Delta::<i64>::new(parameters)?),
    })
}

struct Delta<T> {
    /// Number of values per block, and number of its parts.
    block: usize,
    miniblocks: usize,
    of: PhantomData<T>,
}

impl<T: Number> Delta<T> {
    fn new(parameters: &Parameters<'_>) -> Result<Self, SpecificationError> {
        Ok(Self {
            block: parameters.get("block_values", |_| true)?,
            miniblocks: parameters.get("miniblocks", |_| true)?,
            of: PhantomData,
        })
    }

    /// Encodes the differences of values from those before them. Returns the offset after them.
    #[inline(always)]
    fn encode_block(&self, values: &[T], encoded: &mut [u8], at: usize) -> Option<usize> {
        let mut least = values[1].minus(values[0]);
        for (before, value) in values.iter().zip(&values[1..]) {
            least = T::min(least, value.minus(*before));
        }
        let widths = put_varint(encoded, at, least.zigzag())?;
        let mut at = widths + self.miniblocks;
        encoded.get_mut(widths..at)?.fill(0);
        let miniblock = self.block / self.miniblocks;
        for (i, start) in (0..values.len() - 1).step_by(miniblock).enumerate() {
            let end = usize::min(start + miniblock, values.len() - 1);
            let (before, values) = (&values[start..end], &values[start + 1..=end]);
            let mut all = 0;
            for (before, value) in before.iter().zip(values) {
                all |= value.minus(*before).minus(least).bits();
            }
            let width = u64::BITS - all.leading_zeros();
            encoded[widths + i] = width as u8;
            let mut writer = BitWriter::new(encoded, at);
            for (before, value) in before.iter().zip(values) {
                writer.put(value.minus(*before).minus(least).bits(), width)?;
            }
            let written = writer.finish()?;
            at += miniblock / 8 * width as usize;
            encoded.get_mut(written..at)?.fill(0);
        }
        Some(at)
    }
}

impl<T: Number> Loops for Delta<T> {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let values = numbers::<T>(values)?;
        let first = values.first().map_or(0, |first| first.zigzag());
        let sizes = [self.block, self.miniblocks, values.len()].map(|size| size as u64);
        let mut at = 0;
        for number in sizes.into_iter().chain([first]) {
            at = put_varint(encoded, at, number)?;
        }
        for start in (0..values.len().saturating_sub(1)).step_by(self.block) {
            let end = usize::min(start + self.block, values.len() - 1);
            at = self.encode_block(&values[start..=end], encoded, at)?;
        }
        Some(at)
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let length = values.len();
        let (block, at) = get_varint(encoded, 0, 32)?;
        let (miniblocks, at) = get_varint(encoded, at, 32)?;
        let (count, at) = get_varint(encoded, at, 64)?;
        let (first, mut at) = get_varint(encoded, at, T::BITS)?;
        let values = numbers_mut::<T>(values)?;
        let miniblock = block.checked_div(miniblocks)? as usize;
        if count != values.len() as u64 || miniblock == 0 || !miniblock.is_multiple_of(32) {
            return None;
        }
        let mut value = T::of_zigzag(first);
        let Some((to, rest)) = values.split_first_mut() else {
            return Some(0);
        };
        *to = value;
        for block in rest.chunks_mut(miniblock * miniblocks as usize) {
            let (least, widths) = get_varint(encoded, at, T::BITS)?;
            let least = T::of_zigzag(least);
            at = widths + miniblocks as usize;
            for (i, values) in block.chunks_mut(miniblock).enumerate() {
                let width = u32::from(*encoded.get(widths + i)?);
                if width > T::BITS {
                    return None;
                }
                let end = at + miniblock / 8 * width as usize;
                if end > encoded.len() {
                    return None;
                }
                for (i, to) in values.iter_mut().enumerate() {
                    let difference = T::of_bits(read(encoded, at, i, width)?);
                    value = value.plus(difference).plus(least);
                    *to = value;
                }
                at = end;
            }
        }
        Some(length)
    }
}
