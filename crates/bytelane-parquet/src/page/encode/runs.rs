//! Encodes levels and dictionary indices in the hybrid of runs and packed bits
//! ([Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md), "Run Length
//! Encoding / Bit-Packing Hybrid").

use crate::{Problem, Result};
use arrow_buffer::BooleanBuffer;
use bytelane::{Detected, bit_packing, rle_hybrid};
use std::ops::Range;

/// Number of values in a packed group.
const GROUP: usize = 8;
/// Minimum number of equal values that become a run of their own before compression. A compressor
/// finds shorter repetitions in packed bits itself, and headers between them would hide the
/// patterns around them.
const LONG: usize = 64;
/// Minimum number of equal bytes of packed bits that a run can replace by fewer bytes.
const SHORT: usize = 3;

/// Choice between runs and packed bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Runs {
    /// As few bytes as possible.
    Shortest,
    /// Runs of at least [`LONG`] values, and packed bits otherwise: the page will be compressed.
    Long,
}

/// Appends values of `width` bits.
pub(super) fn append<T>(
    values: &[T],
    width: u32,
    runs: Runs,
    backend: Detected,
    to: &mut Vec<u8>,
) -> Result<()>
where
    T: rle_hybrid::Integer + bit_packing::Integer + Copy + Default + PartialEq + Into<u32>,
{
    if runs == Runs::Long && width > 0 {
        return append_long(values, width, backend, to);
    }
    let format = rle_hybrid::Format::<T>::new(width).expect("no value has more bits than its type");
    let start = to.len();
    to.resize(start + format.max_encoded_len(values.len()), 0);
    let written = format.encode_with(backend, values, &mut to[start..]);
    let written = written.map_err(|error| Problem::Unsupported(error.to_string()))?;
    let end = start + written.len();
    to.truncate(end);
    Ok(())
}

fn append_long<T>(values: &[T], width: u32, backend: Detected, to: &mut Vec<u8>) -> Result<()>
where
    T: bit_packing::Integer + Copy + Default + PartialEq + Into<u32>,
{
    let (mut done, mut at) = (0, 0);
    while let Some(run) = next_long(values, at) {
        // Only the last packed group may be incomplete.
        let start = done + (run.start - done).next_multiple_of(GROUP);
        if run.end >= start + LONG {
            append_packed(&values[done..start], width, backend, to)?;
            append_run(run.end - start, values[start], width, to);
            done = run.end;
        }
        at = run.end;
    }
    append_packed(&values[done..], width, backend, to)
}

/// Returns the next run of at least [`LONG`] equal values. Each of these contains an index that is a multiple of
/// `LONG`, so that only the neighbours of such indices are compared.
fn next_long<T: PartialEq>(values: &[T], from: usize) -> Option<Range<usize>> {
    let mut indices = (from.next_multiple_of(LONG)..values.len()).step_by(LONG);
    indices.find_map(|index| {
        let is_equal = |other: &&T| **other == values[index];
        let before = values[from..index]
            .iter()
            .rev()
            .take_while(is_equal)
            .count();
        let after = values[index..].iter().take_while(is_equal).count();
        (before + after >= LONG).then(|| index - before..index + after)
    })
}

/// Appends values of one bit.
pub(super) fn append_bits(
    bits: &BooleanBuffer,
    runs: Runs,
    backend: Detected,
    to: &mut Vec<u8>,
) -> Result<()> {
    let bitmap = bits.sliced();
    if runs == Runs::Long {
        append_long_bits(&bitmap, bits.len(), to);
        return Ok(());
    }
    if !has_runs(&bitmap) {
        append_packed_bits(&bitmap, 0..bits.len(), to);
        return Ok(());
    }
    let start = to.len();
    to.resize(start + rle_hybrid::bits::max_encoded_len(bits.len()), 0);
    let written = rle_hybrid::bits::encode_with(backend, &bitmap, bits.len(), &mut to[start..]);
    let written = written.map_err(|error| Problem::Unsupported(error.to_string()))?;
    let end = start + written.len();
    to.truncate(end);
    Ok(())
}

/// Returns whether some runs may take fewer bytes than packed bits, which need another header after a run.
fn has_runs(bitmap: &[u8]) -> bool {
    let is_run = |bytes: &[u8; SHORT]| *bytes == [0; SHORT] || *bytes == [u8::MAX; SHORT];
    bitmap.array_windows().any(is_run)
}

fn append_long_bits(bitmap: &[u8], count: usize, to: &mut Vec<u8>) {
    let (mut done, mut at) = (0, 0);
    while let Some((run, bit)) = next_long_bits(bitmap, count, at) {
        let start = done + (run.start - done).next_multiple_of(GROUP);
        if run.end >= start + LONG {
            append_packed_bits(bitmap, done..start, to);
            append_run(run.end - start, u32::from(bit), 1, to);
            done = run.end;
        }
        at = run.end;
    }
    append_packed_bits(bitmap, done..count, to);
}

/// Does the same as [`next_long`], for bits. Returns the bit, too.
fn next_long_bits(bitmap: &[u8], count: usize, from: usize) -> Option<(Range<usize>, bool)> {
    // Words of 64 bits, and zeros after the last byte.
    let word = |index: usize| {
        let bytes = &bitmap[8 * index..];
        let mut padded = [0; 8];
        match bytes.first_chunk() {
            Some(whole) => padded = *whole,
            None => padded[..bytes.len()].copy_from_slice(bytes),
        }
        u64::from_le_bytes(padded)
    };
    let mut indices = from.div_ceil(LONG)..count.div_ceil(LONG);
    indices.find_map(|index| {
        let start = LONG * index;
        let bit = word(index) & 1 == 1;
        // Zeros where bits are equal.
        let other = |index: usize| word(index) ^ if bit { u64::MAX } else { 0 };
        let before = match index.checked_sub(1) {
            Some(before) => (other(before).leading_zeros() as usize).min(start - from),
            None => 0,
        };
        let mut after = 0;
        for next in index..count.div_ceil(LONG) {
            let equal = other(next).trailing_zeros() as usize;
            after += equal;
            if equal < LONG {
                break;
            }
        }
        let after = after.min(count - start);
        (before + after >= LONG).then(|| (start - before..start + after, bit))
    })
}

fn append_packed_bits(bitmap: &[u8], range: Range<usize>, to: &mut Vec<u8>) {
    if range.is_empty() {
        return;
    }
    append_number(range.len().div_ceil(GROUP) << 1 | 1, to);
    let (shift, rest) = (range.start % 8, range.len() % 8);
    let bytes = &bitmap[range.start / 8..range.end.div_ceil(8)];
    let start = to.len();
    if shift == 0 {
        to.extend_from_slice(bytes);
    } else {
        let next = bytes[1..].iter().chain(&[0]);
        let pairs = bytes.iter().zip(next);
        let shifted = pairs.map(|(byte, next)| byte >> shift | next << (8 - shift));
        to.extend(shifted.take(range.len().div_ceil(8)));
    }
    if rest > 0
        && let Some(last) = to[start..].last_mut()
    {
        *last &= (1 << rest) - 1;
    }
}

/// Appends a run of equal values.
pub(super) fn append_run(count: usize, value: impl Into<u32>, width: u32, to: &mut Vec<u8>) {
    if count > 0 {
        append_number(count << 1, to);
        let bytes = value.into().to_le_bytes();
        to.extend_from_slice(&bytes[..width.div_ceil(8) as usize]);
    }
}

fn append_packed<T>(values: &[T], width: u32, backend: Detected, to: &mut Vec<u8>) -> Result<()>
where
    T: bit_packing::Integer + Copy + Default,
{
    if values.is_empty() {
        return Ok(());
    }
    append_number(values.len().div_ceil(GROUP) << 1 | 1, to);
    let format =
        bit_packing::Format::<T>::new(width).expect("no value has more bits than its type");
    let (whole, rest) = values.split_at(values.len() / GROUP * GROUP);
    let mut last = [T::default(); GROUP];
    last[..rest.len()].copy_from_slice(rest);
    for values in [whole, if rest.is_empty() { rest } else { &last }] {
        let start = to.len();
        to.resize(start + format.encoded_len(values.len()), 0);
        let written = format.encode_with(backend, values, &mut to[start..]);
        written.map_err(|error| Problem::Unsupported(error.to_string()))?;
    }
    Ok(())
}

fn append_number(mut number: usize, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_runs_are_decoded_to_the_same_values() {
        let backend = Detected::active();
        for width in [1, 2, 5, 9, 16] {
            let is_bit = width == 1;
            let most = ((1_u32 << width) - 1) as u16;
            // Runs of every length up to twice the minimum, at every position in a group.
            let values = (0..2 * LONG).flat_map(|run| {
                let value = (run as u16).wrapping_mul(40_503) & most;
                std::iter::repeat_n(value, run)
            });
            let values: Vec<u16> = values.collect();
            for count in [0, 1, 7, 8, 100, values.len() - 3, values.len()] {
                let format = rle_hybrid::Format::<u16>::new(width).expect("at most 16 bits");
                let mut lengths = Vec::new();
                for runs in [Runs::Shortest, Runs::Long] {
                    let mut encoded = Vec::new();
                    append(&values[..count], width, runs, backend, &mut encoded).expect("values");
                    let (decoded, used) = format.decode_to_vec(&encoded, count).expect("runs");
                    assert_eq!(decoded, values[..count], "{width}, {count}, {runs:?}");
                    assert_eq!(used, encoded.len(), "{width}, {count}, {runs:?}");
                    if is_bit {
                        let bits = values[..count].iter().map(|value| *value == 1);
                        let mut of_bits = Vec::new();
                        append_bits(&bits.collect(), runs, backend, &mut of_bits).expect("bits");
                        let (decoded, used) = format.decode_to_vec(&of_bits, count).expect("runs");
                        assert_eq!(decoded, values[..count], "{count}, {runs:?}");
                        assert_eq!(used, of_bits.len(), "{count}, {runs:?}");
                        // A run at the end, in place of an incomplete byte.
                        let more = usize::from(runs == Runs::Shortest);
                        assert!(of_bits == encoded || of_bits.len() <= encoded.len() + more);
                    }
                    lengths.push(encoded.len());
                }
                assert!(lengths[0] <= lengths[1], "{width}, {count}, {lengths:?}");
            }
        }
    }

    #[test]
    fn short_runs_stay_packed_and_long_ones_do_not() {
        let mut encoded = Vec::new();
        let values = [[1_u16; 63].as_slice(), &[2; 73]].concat();
        append(&values, 2, Runs::Long, Detected::active(), &mut encoded).expect("values");
        // 64 packed values, and then a run of 72.
        let packed = [[0x55; 15].as_slice(), &[0x95]].concat();
        let expected = [&[8 << 1 | 1], packed.as_slice(), &[0x90, 0x01, 2]].concat();
        assert_eq!(encoded, expected);
    }
}
