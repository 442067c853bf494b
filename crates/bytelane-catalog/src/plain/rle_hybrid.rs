//! Plain loops of `rle_hybrid`: runs that repeat or are bit-packed.

use super::bits::{BitWriter, read};
use super::number::{Number, get, get_varint, low_bits, numbers, numbers_mut, put, put_varint};
use super::{Loops, Plain};
use crate::{Parameters, SpecificationError};

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    let kind: String = parameters.get("type", |_| true)?;
    let entries: String = parameters.get("entries", |_| true)?;
    let width = parameters.get("width", |_| true)?;
    Ok(match (kind.as_str(), entries.parse::<usize>().ok()) {
        ("u8", _) => Box::new(Runs::<u8>::of_values(width)),
        ("u16", _) => Box::new(Runs::<u16>::of_values(width)),
        ("u32", None) => Box::new(Runs::<u32>::of_values(width)),
        ("u32", Some(entries)) => Box::new(Runs::<u32>::of_indices(width, entries)),
        ("u64", Some(entries)) => Box::new(Runs::<u64>::of_indices(width, entries)),
        _ => Box::new(Bits),
    })
}

/// Minimum number of bytes that a run must save to interrupt packed values: it takes two more
/// headers.
const WORTHWHILE: usize = 8;

/// Values, or indices of a dictionary with the numbers from 0 on.
struct Runs<T> {
    width: u32,
    dictionary: Option<Vec<T>>,
}

impl<T: Number> Runs<T> {
    fn of_values(width: u32) -> Self {
        Self {
            width,
            dictionary: None,
        }
    }

    fn of_indices(width: u32, entries: usize) -> Self {
        Self {
            width,
            dictionary: Some((0..entries as u64).map(T::of_bits).collect()),
        }
    }

    /// Returns the size of a repeated value in bytes.
    #[inline(always)]
    fn value_bytes(&self) -> usize {
        self.width.div_ceil(8) as usize
    }

    /// Returns whether `count` values are shorter as a run.
    #[inline(always)]
    fn is_worthwhile(&self, count: usize) -> bool {
        count / 8 * self.width as usize > self.value_bytes() + WORTHWHILE || self.width == 0
    }

    /// Appends a run of packed values. Returns the offset after it.
    #[inline(always)]
    fn pack(&self, values: &[T], encoded: &mut [u8], at: usize) -> Option<usize> {
        if values.is_empty() {
            return Some(at);
        }
        let groups = values.len().div_ceil(8);
        let at = put_varint(encoded, at, (groups as u64) << 1 | 1)?;
        let mut writer = BitWriter::new(encoded, at);
        for value in values {
            if value.bits() > low_bits(self.width) {
                return None;
            }
            writer.put(value.bits(), self.width)?;
        }
        let written = writer.finish()?;
        let at = at + groups * self.width as usize;
        encoded.get_mut(written..at)?.fill(0);
        Some(at)
    }

    /// Returns the value of bits.
    #[inline(always)]
    fn value(&self, bits: u64) -> Option<T> {
        match &self.dictionary {
            None => Some(T::of_bits(bits)),
            Some(dictionary) => dictionary.get(bits as usize).copied(),
        }
    }
}

impl<T: Number> Loops for Runs<T> {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let values = numbers::<T>(values)?;
        if let Some(dictionary) = &self.dictionary
            && values
                .iter()
                .any(|value| value.bits() >= dictionary.len() as u64)
        {
            return None;
        }
        // Values before `packed` are written; those before `start` will be packed.
        let (mut at, mut packed, mut start) = (0, 0, 0);
        while start < values.len() {
            let value = values[start];
            let rest = &values[start..];
            let count = rest.iter().position(|other| *other != value);
            let count = count.unwrap_or(rest.len());
            // Packed values come in groups of eight.
            let until_group = (start - packed).next_multiple_of(8) - (start - packed);
            match count.checked_sub(until_group) {
                Some(repeated) if self.is_worthwhile(repeated) => {
                    at = self.pack(&values[packed..start + until_group], encoded, at)?;
                    at = put_varint(encoded, at, (repeated as u64) << 1)?;
                    let length = self.value_bytes();
                    if value.bits() > low_bits(self.width) {
                        return None;
                    }
                    put(encoded, at, value.bits(), length)?;
                    at += length;
                    start += count;
                    packed = start;
                }
                _ => start += count,
            }
        }
        self.pack(&values[packed..], encoded, at)
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let length = values.len();
        let mut values = numbers_mut::<T>(values)?;
        let mut at = 0;
        while !values.is_empty() {
            let (header, contents) = get_varint(encoded, at, 32)?;
            let count = (header >> 1) as usize;
            let is_packed = header & 1 == 1;
            let wanted = usize::min(if is_packed { 8 * count } else { count }, values.len());
            let run = values.split_off_mut(..wanted)?;
            if run.is_empty() {
                return None;
            }
            if is_packed {
                for (i, to) in run.iter_mut().enumerate() {
                    *to = self.value(read(encoded, contents, i, self.width)?)?;
                }
                at = contents + count * self.width as usize;
            } else {
                let length = self.value_bytes();
                let bits = get(encoded, contents, length)?;
                if bits > low_bits(self.width) {
                    return None;
                }
                run.fill(self.value(bits)?);
                at = contents + length;
            }
        }
        Some(length)
    }
}

/// A bitmap, whose bytes are packed already.
struct Bits;

impl Loops for Bits {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let (mut at, mut packed, mut start) = (0, 0, 0);
        while start < values.len() {
            let byte = values[start];
            let rest = &values[start..];
            let count = match byte {
                0 | 0xff => rest.iter().position(|other| *other != byte),
                _ => Some(1),
            };
            let count = count.unwrap_or(rest.len());
            if count > WORTHWHILE {
                at = pack_bits(&values[packed..start], encoded, at)?;
                at = put_varint(encoded, at, (8 * count as u64) << 1)?;
                *encoded.get_mut(at)? = byte & 1;
                at += 1;
                packed = start + count;
            }
            start += count;
        }
        pack_bits(&values[packed..], encoded, at)
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let total = 8 * values.len();
        values.fill(0);
        let (mut at, mut bit) = (0, 0);
        while bit < total {
            let (header, contents) = get_varint(encoded, at, 32)?;
            let count = (header >> 1) as usize;
            if count == 0 {
                return None;
            }
            if header & 1 == 1 {
                let groups = usize::min(count, (total - bit).div_ceil(8));
                let bytes = encoded.get(contents..contents + groups)?;
                for (byte, at) in bytes.iter().zip((bit..).step_by(8)) {
                    values[at / 8] |= byte << (at % 8);
                    if let Some(next) = values.get_mut(at / 8 + 1) {
                        *next |= (u16::from(*byte) << (at % 8) >> 8) as u8;
                    }
                }
                (at, bit) = (contents + count, bit + 8 * count);
            } else {
                let end = usize::min(bit + count, total);
                match encoded.get(contents)? {
                    0 => {}
                    1 => fill_bits(values, bit, end),
                    _ => return None,
                }
                (at, bit) = (contents + 1, end);
            }
        }
        Some(values.len())
    }
}

#[inline(always)]
fn pack_bits(bytes: &[u8], encoded: &mut [u8], at: usize) -> Option<usize> {
    if bytes.is_empty() {
        return Some(at);
    }
    let at = put_varint(encoded, at, (bytes.len() as u64) << 1 | 1)?;
    let end = at + bytes.len();
    encoded.get_mut(at..end)?.copy_from_slice(bytes);
    Some(end)
}

/// Sets the bits of a range.
#[inline(always)]
fn fill_bits(values: &mut [u8], start: usize, end: usize) {
    let whole = usize::min(start.next_multiple_of(8), end)..usize::max(end / 8 * 8, start);
    for bit in start..whole.start {
        values[bit / 8] |= 1 << (bit % 8);
    }
    if whole.start < whole.end {
        values[whole.start / 8..whole.end / 8].fill(0xff);
    }
    for bit in usize::max(whole.end, whole.start)..end {
        values[bit / 8] |= 1 << (bit % 8);
    }
}
