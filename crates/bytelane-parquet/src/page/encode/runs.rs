//! Encodes levels and dictionary indices in the hybrid of runs and packed bits
//! ([Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md), "Run Length
//! Encoding / Bit-Packing Hybrid").

use crate::{Problem, Result};
use bytelane::{Detected, bit_packing, rle_hybrid};
use std::ops::Range;

/// Number of values in a packed group.
const GROUP: usize = 8;
/// Minimum number of equal values that become a run of their own before compression. A compressor
/// finds shorter repetitions in packed bits itself, and headers between them would hide the
/// patterns around them.
const LONG: usize = 64;

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
