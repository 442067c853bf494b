//! Decodes and encodes the values of pages in ALP. The codec works on numbers, and pages are bytes.

use crate::memory::{Slot, slots};
use crate::{Error, Problem, Result};
use bytelane::Detected;
use bytelane::alp::{self, Float};
use bytemuck::Pod;
use std::borrow::Cow;
use std::ops::Range;

/// Returns an error unless a page declares `valid` values, without those of null slots.
pub(crate) fn check_count(page: &[u8], valid: usize) -> Result<()> {
    // Some writers may store no bytes if there are no values.
    if valid == 0 && page.is_empty() {
        return Ok(());
    }
    match alp::stored(page).map_err(damaged)? {
        stored if stored == valid => Ok(()),
        stored => Err(Error::corrupt(format!(
            "{stored} values in ALP instead of {valid}"
        ))),
    }
}

/// Decodes a range of values of `width` bytes, 4 or 8. `to` must be aligned for such numbers.
pub(crate) fn decode<'a>(
    backend: Detected,
    page: &[u8],
    width: usize,
    range: Range<usize>,
    to: &'a mut [Slot],
) -> Result<&'a mut [u8]> {
    let decoded = match width {
        4 => decode_as::<f32>(backend, page, range, to)?,
        _ => decode_as::<f64>(backend, page, range, to)?,
    };
    if cfg!(target_endian = "big") {
        decoded.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
    Ok(decoded)
}

fn decode_as<'a, T: Float + Pod>(
    backend: Detected,
    page: &[u8],
    range: Range<usize>,
    to: &'a mut [Slot],
) -> Result<&'a mut [u8]> {
    let decoded = alp::decode_range_with(backend, page, range, slots::<T>(to));
    decoded.map(bytemuck::cast_slice_mut).map_err(damaged)
}

fn damaged(error: alp::Error) -> Error {
    Error::corrupt(format!("values in ALP: {error}"))
}

/// Encodes little-endian values of `width` bytes, 4 or 8, to the front of a buffer, which grows as needed.
/// Returns `None` if they would not become smaller.
pub(crate) fn encode<'a>(
    backend: Detected,
    dense: &[u8],
    width: usize,
    to: &'a mut Vec<u8>,
) -> Result<Option<&'a [u8]>> {
    match width {
        4 => encode_as(backend, &numbers(dense, f32::from_le_bytes), to),
        _ => encode_as(backend, &numbers(dense, f64::from_le_bytes), to),
    }
}

fn encode_as<'a, T: Float>(
    backend: Detected,
    numbers: &[T],
    to: &'a mut Vec<u8>,
) -> Result<Option<&'a [u8]>> {
    let plain = size_of_val(numbers);
    if alp::estimated_len(numbers) >= plain {
        return Ok(None);
    }
    let most = alp::max_encoded_len::<T>(numbers.len());
    if to.len() < most {
        to.resize(most, 0);
    }
    let encoded = alp::encode_with(backend, numbers, to.as_mut_slice());
    let encoded: &[u8] = encoded.map_err(|error| Problem::Unsupported(error.to_string()))?;
    Ok((encoded.len() < plain).then_some(encoded))
}

/// Casts bytes to numbers in place where alignment and byte order allow it, and copies them otherwise.
pub(crate) fn numbers<T: Pod, const WIDTH: usize>(
    bytes: &[u8],
    number: fn([u8; WIDTH]) -> T,
) -> Cow<'_, [T]> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(numbers) if cfg!(target_endian = "little") => Cow::Borrowed(numbers),
        _ => {
            let (values, _) = bytes.as_chunks();
            Cow::Owned(values.iter().map(|value| number(*value)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Fresh;

    #[test]
    fn bytes_at_any_place_are_encoded() {
        let values: Vec<u8> = (0..2000)
            .flat_map(|i| (f64::from(i) / 100.0).to_le_bytes())
            .collect();
        let (mut scratch, mut again) = (Vec::new(), Vec::new());
        let backend = Detected::active();
        let page = encode(backend, &values, 8, &mut scratch).expect("a small page");
        let page = page.expect("short decimals").to_vec();
        let shifted = [&[0], &values[..]].concat();
        let same = encode(backend, &shifted[1..], 8, &mut again).expect("a small page");
        assert_eq!(same, Some(&page[..]));

        let mut back = Fresh::default();
        let decoded = back.append(8 * 500, |to| decode(backend, &page, 8, 700..1200, to));
        decoded.expect("its own page");
        assert_eq!(back.bytes(), &values[8 * 700..8 * 1200]);
    }

    #[test]
    fn what_would_not_become_smaller_is_refused() {
        let random = (0..2000_u64).map(|i| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let random: Vec<u8> = random.flat_map(f64::to_le_bytes).collect();
        for values in [&random[..], &[]] {
            let mut scratch = Vec::new();
            let page = encode(Detected::active(), values, 8, &mut scratch);
            assert_eq!(page.expect("a small page"), None);
        }
    }

    #[test]
    fn the_number_of_values_is_compared() {
        let page = alp::encode_to_vec(&[1.5f32, 2.5]).expect("two values");
        assert!(check_count(&page, 2).is_ok());
        assert!(check_count(&[], 0).is_ok());
        for (page, valid) in [(&page[..], 3), (&page[..], 1), (&page[..6], 2), (&[], 1)] {
            assert!(check_count(page, valid).is_err(), "{page:?} {valid}");
        }
    }
}
