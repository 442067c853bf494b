//! Encodes values in each of the encodings.

use super::super::deltas::append_deltas;
use super::super::header::ValueEncoding;
use super::super::symbols::SymbolEncoder;
use super::super::values::alp;
use super::levels::SlotLevels;
use super::runs::{self, Runs};
use crate::format::Statistics;
use crate::{Problem, Result};
use arrow_buffer::{BooleanBuffer, Buffer};
use bytelane::byte_stream_split::Width;
use bytelane::{Detected, Reserved};

/// Number of bytes of the length before runs of booleans.
const LENGTH: usize = 4;

/// Non-null values in the physical type of a column.
#[derive(Clone, Copy, Debug)]
pub enum DenseValues<'a> {
    /// Fixed-width values, and their width in bytes.
    Fixed(&'a [u8], usize),
    Bits(&'a BooleanBuffer),
    Strings(&'a [&'a [u8]]),
    /// Indices of dictionary entries.
    Indices(&'a [u32]),
}

impl<'a> DenseValues<'a> {
    /// Returns the bytes of a value, or `None` if the index is out of range.
    pub(crate) fn get(self, index: usize) -> Option<&'a [u8]> {
        match self {
            Self::Fixed(bytes, width) => bytes.get(index * width..(index + 1) * width),
            Self::Strings(strings) => strings.get(index).copied(),
            Self::Bits(_) | Self::Indices(_) => None,
        }
    }
}

/// Returns whether the values in this encoding are one after the other at the end of a page, as they are in
/// memory.
pub(super) fn ends_with_memory(encoding: ValueEncoding, values: DenseValues<'_>) -> bool {
    matches!(
        (encoding, values),
        (ValueEncoding::Plain, DenseValues::Fixed(..))
            | (ValueEncoding::DeltaLengthByteArray, DenseValues::Strings(_))
    )
}

/// Appends the part of a page before values that are copied from memory: the lengths of strings. Returns the
/// encoding.
pub(super) fn append_lengths(
    encoding: ValueEncoding,
    values: DenseValues<'_>,
    backend: Detected,
    to: &mut Vec<u8>,
) -> Result<ValueEncoding> {
    if let DenseValues::Strings(strings) = values {
        let lengths = strings.iter().map(|string| length(string));
        append_deltas(&lengths.collect::<Result<Vec<i32>>>()?, backend, to);
    }
    Ok(encoding)
}

/// Appends values to a page. Returns the actual encoding: PLAIN if ALP would not make them smaller.
pub(super) fn append(
    page: &PageValues<'_>,
    runs: Runs,
    backend: Detected,
    room: &mut Vec<u8>,
    to: &mut Vec<u8>,
) -> Result<ValueEncoding> {
    use ValueEncoding as As;
    let (encoding, values) = (page.encoding, page.values);
    match (encoding, values) {
        (As::DeltaLengthByteArray, DenseValues::Strings(_)) if let Some(memory) = page.memory => {
            append_lengths(encoding, values, backend, to)?;
            to.extend_from_slice(memory);
        }
        (As::Fsst, DenseValues::Strings(strings)) if let Some(symbols) = page.symbols => {
            symbols.append(strings, backend, room, to)?;
        }
        (As::ByteStreamSplit, DenseValues::Fixed(bytes, width)) => {
            let start = to.len();
            to.resize(start + bytes.len(), 0);
            let width = Width::new(width).expect("no column has values of 0 bytes");
            width.encode_with(backend, bytes, &mut to[start..])?;
        }
        (As::Alp, DenseValues::Fixed(bytes, width)) => {
            match alp::encode(backend, bytes, width, room)? {
                Some(encoded) => to.extend_from_slice(encoded),
                None => {
                    to.extend_from_slice(bytes);
                    return Ok(As::Plain);
                }
            }
        }
        (As::Delta, DenseValues::Fixed(bytes, 4)) => {
            append_deltas::<i32>(&alp::numbers(bytes, i32::from_le_bytes), backend, to);
        }
        (As::Delta, DenseValues::Fixed(bytes, _)) => {
            append_deltas::<i64>(&alp::numbers(bytes, i64::from_le_bytes), backend, to);
        }
        (As::DeltaLengthByteArray, DenseValues::Strings(strings)) => {
            append_strings(strings, backend, to)?;
        }
        (As::DeltaByteArray, DenseValues::Strings(strings)) => {
            append_suffixes(strings, backend, to)?;
        }
        (As::DeltaByteArray, DenseValues::Fixed(bytes, width)) => {
            let strings: Vec<&[u8]> = bytes.chunks_exact(width).collect();
            append_suffixes(&strings, backend, to)?;
        }
        (As::Rle, DenseValues::Bits(bits)) => append_runs(bits, backend, to)?,
        (_, DenseValues::Indices(indices)) => {
            append_indices(indices, runs, backend, to)?;
            return Ok(As::Dictionary);
        }
        (_, values) => {
            append_plain(values, to)?;
            return Ok(As::Plain);
        }
    }
    Ok(encoding)
}

fn append_plain(values: DenseValues<'_>, to: &mut Vec<u8>) -> Result<()> {
    match values {
        DenseValues::Fixed(bytes, _) => to.extend_from_slice(bytes),
        DenseValues::Bits(bits) => to.extend_from_slice(bits.sliced().as_slice()),
        DenseValues::Strings(strings) => {
            let bytes = strings.iter().map(|string| size_of::<i32>() + string.len());
            to.reserve(bytes.sum());
            let mut all = Reserved::new(std::mem::take(to));
            for string in strings {
                all.extend(&length(string)?.to_le_bytes());
                all.extend(string);
            }
            *to = all.into_bytes();
        }
        DenseValues::Indices(_) => {}
    }
    Ok(())
}

fn length(string: &[u8]) -> Result<i32> {
    i32::try_from(string.len()).map_err(|_| {
        let problem = format!("a string of {} bytes, more than 2 GiB", string.len());
        Problem::Unsupported(problem).into()
    })
}

/// Appends booleans in RLE: the length of the runs, then the runs.
fn append_runs(bits: &BooleanBuffer, backend: Detected, to: &mut Vec<u8>) -> Result<()> {
    let start = to.len();
    to.extend_from_slice(&[0; LENGTH]);
    runs::append_bits(bits, Runs::Shortest, backend, to)?;
    let runs = length(&to[start + LENGTH..])?;
    to[start..start + LENGTH].copy_from_slice(&runs.to_le_bytes());
    Ok(())
}

/// Appends strings in DELTA_LENGTH_BYTE_ARRAY: the lengths, then the strings.
fn append_strings(strings: &[&[u8]], backend: Detected, to: &mut Vec<u8>) -> Result<()> {
    let lengths = strings.iter().map(|string| length(string));
    append_deltas(&lengths.collect::<Result<Vec<i32>>>()?, backend, to);
    let bytes: usize = strings.iter().map(|string| string.len()).sum();
    append_each(strings.iter().copied(), bytes, to);
    Ok(())
}

/// Appends strings that have this number of bytes.
fn append_each<'a>(strings: impl Iterator<Item = &'a [u8]>, bytes: usize, to: &mut Vec<u8>) {
    to.reserve(bytes);
    let mut all = Reserved::new(std::mem::take(to));
    strings.for_each(|string| all.extend(string));
    *to = all.into_bytes();
}

/// Appends strings in DELTA_BYTE_ARRAY: the lengths of the prefixes that each string shares with
/// the previous one, then the suffixes.
fn append_suffixes(strings: &[&[u8]], backend: Detected, to: &mut Vec<u8>) -> Result<()> {
    let mut last: &[u8] = &[];
    let mut prefixes = Vec::with_capacity(strings.len());
    let mut suffixes = Vec::with_capacity(strings.len());
    for string in strings {
        let shared = common(last, string);
        prefixes.push(length(&string[..shared])?);
        suffixes.push(&string[shared..]);
        last = string;
    }
    append_deltas(&prefixes, backend, to);
    append_strings(&suffixes, backend, to)
}

/// Returns the length of the longest common prefix of two strings.
#[inline]
fn common(one: &[u8], other: &[u8]) -> usize {
    let most = one.len().min(other.len());
    let (one, other) = (&one[..most], &other[..most]);
    let differ = |at: usize| {
        let number = |bytes: &[u8]| bytes[at..].first_chunk().map(|it| u64::from_le_bytes(*it));
        number(one)
            .zip(number(other))
            .map(|(one, other)| one ^ other)
    };
    let mut at = 0;
    while let Some(bits) = differ(at) {
        if bits != 0 {
            return at + bits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    if at == most {
        return most;
    }
    // The last eight bytes, some of which are equal already.
    if let Some(last) = most.checked_sub(8)
        && let Some(bits) = differ(last)
    {
        return last + bits.trailing_zeros() as usize / 8;
    }
    let pairs = one[at..].iter().zip(&other[at..]);
    at + pairs.take_while(|(a, b)| a == b).count()
}

/// Appends the width of the indices as one byte, then their runs.
fn append_indices(indices: &[u32], runs: Runs, backend: Detected, to: &mut Vec<u8>) -> Result<()> {
    // The compiler vectorises this, unlike `max` of an iterator.
    let greatest = indices.iter().fold(0, |most, index| (*index).max(most));
    let width = u32::BITS - greatest.leading_zeros();
    to.push(width as u8);
    runs::append(indices, width, runs, backend, to)
}

/// Contents of a data page.
pub struct PageValues<'a> {
    /// Encoding of the values.
    pub(crate) encoding: ValueEncoding,
    pub(crate) values: DenseValues<'a>,
    /// Symbols of the chunk, if its pages are in FSST.
    pub(crate) symbols: Option<&'a SymbolEncoder>,
    /// Memory that has the values one after the other and nothing else, without lengths of strings.
    pub(crate) memory: Option<&'a Buffer>,
    pub(crate) levels: &'a SlotLevels,
    /// Maximum definition and repetition levels of the column.
    pub(crate) greatest: (u16, u16),
    /// Statistics for the page header.
    pub(crate) statistics: Option<Statistics>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_every_length_are_found() {
        for length in 0..40 {
            let one: Vec<u8> = (0..length).collect();
            for (prefix, longer) in (0..=length).flat_map(|it| [(it, 0), (it, 1), (it, 9)]) {
                let mut other = one.clone();
                other.resize(usize::from(length + longer), 7);
                if let Some(byte) = other.get_mut(usize::from(prefix)) {
                    *byte ^= 0x80;
                }
                assert_eq!(common(&one, &other), usize::from(prefix));
                assert_eq!(common(&other, &one), usize::from(prefix));
            }
        }
    }
}
