//! Encodes and decodes the definition levels of flat columns: one bit per value, in the hybrid of runs and
//! packed bits ([Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md), "Run
//! Length Encoding / Bit-Packing Hybrid").
//!
//! The packed bits are the same as Arrow's validity bitmap, so neither direction processes single values.

use super::empty_runs;
use crate::{Error, Result};
use arrow_buffer::BooleanBuffer;
use bytelane::Detected;
use bytelane::rle_hybrid::{self, Run, bits};
use bytelane::validity::values;

/// Minimum number of equal bytes of the bitmap for which a run takes less space than packed bits. A run needs
/// a header, and another one for the packed bits after it.
const LONG: usize = 8;

fn append_number(mut number: usize, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn append_run(count: usize, valid: bool, to: &mut Vec<u8>) {
    append_number(count << 1, to);
    to.push(u8::from(valid));
}

fn append_packed(bits: &[u8], to: &mut Vec<u8>) {
    if !bits.is_empty() {
        append_number(bits.len() << 1 | 1, to);
        to.extend_from_slice(bits);
    }
}

/// Appends the levels of a page in which all values are valid, or all are null.
pub(crate) fn append_uniform(count: usize, valid: bool, to: &mut Vec<u8>) {
    append_run(count, valid, to);
}

/// Appends the levels of a page.
pub(crate) fn append(valid: &BooleanBuffer, to: &mut Vec<u8>) {
    let bitmap = valid.sliced();
    let (whole, rest) = (valid.len() / 8, valid.len() % 8);
    let bytes = &bitmap.as_slice()[..whole];
    // Everything before this offset has been written.
    let mut done = 0;
    let mut at = 0;
    while at < whole {
        let byte = bytes[at];
        let equal = bytes[at..].iter().take_while(|next| **next == byte).count();
        if matches!(byte, 0 | 0xff) && equal >= LONG {
            append_packed(&bytes[done..at], to);
            append_run(equal * 8, byte != 0, to);
            done = at + equal;
        }
        at += equal;
    }
    if rest == 0 {
        append_packed(&bytes[done..], to);
    } else {
        // The bits after the last value are arbitrary in Arrow, and must be zero here.
        let mut last = bytes[done..].to_vec();
        last.push(bitmap.as_slice()[whole] & ((1 << rest) - 1));
        append_packed(&last, to);
    }
}

/// Returns the number of bits of a level, given the greatest one.
pub(crate) fn bits(greatest: i16) -> u32 {
    i16::BITS - greatest.leading_zeros()
}

/// Converts one-bit levels in BIT_PACKED to packed bits of the hybrid, by reversing the bits of each byte.
pub(crate) fn from_bit_packed(bits: &[u8]) -> Vec<u8> {
    let mut levels = Vec::with_capacity(bits.len() + 5);
    append_number(bits.len() << 1 | 1, &mut levels);
    levels.extend(bits.iter().map(|byte| byte.reverse_bits()));
    levels
}

/// Returns whether all values are valid or all are null, if a single run says so, as in most pages.
pub(crate) fn uniform(bytes: &[u8], slots: usize) -> Result<Option<bool>> {
    let uniform = empty_runs::read(bytes, 1, slots, |bytes| {
        let first = bits::format().runs(bytes, slots).next().transpose()?;
        Ok(match first {
            None => Some(true),
            Some(Run::Repeated { value, count }) if count == slots => Some(value == 1),
            Some(_) => None,
        })
    });
    uniform.map_err(damaged)
}

/// Reads the levels of a page into the front of a buffer, one bit each. The buffer grows as needed. Returns
/// the number of valid values.
pub fn read(backend: Detected, bytes: &[u8], slots: usize, to: &mut Vec<u8>) -> Result<usize> {
    to.resize(slots.div_ceil(8), 0);
    empty_runs::read(bytes, 1, slots, |bytes| {
        bits::decode_with(backend, bytes, slots, &mut to[..]).map(|_| ())
    })
    .map_err(damaged)?;
    count_valid(to, slots)
}

/// Counts the set bits among the first `slots` bits.
pub(crate) fn count_valid(bitmap: &[u8], slots: usize) -> Result<usize> {
    values::count_valid(bitmap, slots).map_err(|error| Error::corrupt(error.to_string()))
}

fn damaged(error: rle_hybrid::Error) -> Error {
    Error::corrupt(format!("the definition levels: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};

    /// Reason why bytes are not levels.
    #[derive(Clone, Copy, PartialEq)]
    enum Wrong {
        TooShort,
        Damaged,
    }

    /// Decodes levels according to the specification, value by value. Ignores runs without values.
    fn specified(bytes: &[u8], count: usize) -> Option<Vec<bool>> {
        let levels = match specified_with(bytes, count, true) {
            Err(Wrong::TooShort) => specified_with(bytes, count, false),
            levels => levels,
        };
        levels.ok()
    }

    /// Decodes levels. `has_value` is true if a repetition of length zero has a value.
    fn specified_with(
        bytes: &[u8],
        count: usize,
        has_value: bool,
    ) -> std::result::Result<Vec<bool>, Wrong> {
        let mut levels = Vec::new();
        let mut bytes = bytes.iter().copied();
        let mut next = || bytes.next().ok_or(Wrong::TooShort);
        while levels.len() < count {
            let (mut header, mut shift) = (0u128, 0);
            loop {
                let byte = next()?;
                header |= u128::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
                // Ten bytes are enough for 64 bits.
                if shift == 70 {
                    return Err(Wrong::Damaged);
                }
            }
            let run = u32::try_from(header).map_err(|_| Wrong::Damaged)? >> 1;
            if run == 0 && shift == 7 {
                if header == 0 && has_value {
                    next()?;
                }
                continue;
            }
            if run == 0 || header & 1 == 1 && run > i32::MAX as u32 / 8 {
                return Err(Wrong::Damaged);
            }
            if header & 1 == 1 {
                // Only the bytes of the requested levels must exist.
                let wanted = (count - levels.len()).div_ceil(8).min(run as usize);
                for _ in 0..wanted {
                    let packed = next()?;
                    levels.extend((0..8).map(|bit| packed >> bit & 1 == 1));
                }
            } else {
                let value = next()?;
                if value > 1 {
                    return Err(Wrong::Damaged);
                }
                let left = count.saturating_sub(levels.len());
                levels.resize(levels.len() + left.min(run as usize), value == 1);
            }
        }
        levels.truncate(count);
        Ok(levels)
    }

    /// Decodes levels with the functions under test.
    fn read(bytes: &[u8], count: usize) -> Option<Vec<bool>> {
        let mut bitmap = Vec::new();
        let uniform = uniform(bytes, count);
        let valid = super::read(Detected::active(), bytes, count, &mut bitmap).ok()?;
        if let Some(all) = uniform.expect("they were read") {
            assert_eq!(valid, if all { count } else { 0 });
        }
        let read: Vec<bool> = BooleanBuffer::new(bitmap.into(), 0, count).iter().collect();
        assert_eq!(read.iter().filter(|level| **level).count(), valid);
        Some(read)
    }

    /// Generates runs of all shapes, including empty ones.
    fn runs() -> impl Strategy<Value = Vec<u8>> {
        let same = (0..300usize, any::<bool>()).prop_map(|(count, valid)| {
            let mut bytes = Vec::new();
            append_run(count, valid, &mut bytes);
            bytes
        });
        let packed = vec(any::<u8>(), 0..70).prop_map(|bits| {
            let mut bytes = Vec::new();
            append_number(bits.len() << 1 | 1, &mut bytes);
            bytes.extend(bits);
            bytes
        });
        vec(prop_oneof![same, packed], 0..6).prop_map(|runs| runs.concat())
    }

    /// Generates validities with and without long runs.
    fn validity() -> impl Strategy<Value = Vec<bool>> {
        let stretch = prop_oneof![
            (any::<bool>(), 0..200usize).prop_map(|(valid, count)| vec![valid; count]),
            vec(any::<bool>(), 0..40),
        ];
        vec(stretch, 0..6).prop_map(|stretches| stretches.concat())
    }

    proptest! {
        #[test]
        fn what_is_written_is_what_the_specification_reads(
            validity in validity(),
            start in 0..20usize,
        ) {
            let start = start.min(validity.len());
            let bitmap = BooleanBuffer::from(validity.as_slice());
            let bitmap = bitmap.slice(start, validity.len() - start);
            let mut bytes = Vec::new();
            append(&bitmap, &mut bytes);
            let want = Some(validity[start..].to_vec());
            prop_assert_eq!(specified(&bytes, bitmap.len()), want.clone());
            prop_assert_eq!(read(&bytes, bitmap.len()), want);
        }

        #[test]
        fn runs_are_read_as_the_specification_reads_them(
            bytes in runs(),
            count in 0..1500usize,
            cut in prop_oneof![Just(0), 0..100usize],
        ) {
            let bytes = &bytes[..bytes.len().saturating_sub(cut)];
            prop_assert_eq!(read(bytes, count), specified(bytes, count));
        }

        #[test]
        fn any_bytes_are_read_as_the_specification_reads_them(
            bytes in vec(prop_oneof![0..5u8, any::<u8>()], 0..40),
            count in 0..500usize,
        ) {
            prop_assert_eq!(read(&bytes, count), specified(&bytes, count));
        }
    }

    #[test]
    fn uniform_levels_are_one_run() {
        for (count, valid) in [
            (0, true),
            (1, false),
            (63, true),
            (64, false),
            (1 << 20, true),
        ] {
            let mut bytes = Vec::new();
            append_uniform(count, valid, &mut bytes);
            assert!(bytes.len() <= 5);
            assert_eq!(specified(&bytes, count), Some(vec![valid; count]));
            assert_eq!(read(&bytes, count), Some(vec![valid; count]));
            let uniform = uniform(&bytes, count).expect("a run");
            assert_eq!(uniform, Some(valid || count == 0));
        }
    }

    #[test]
    fn errors_name_what_is_wrong() {
        for (bytes, want) in [
            (&[][..], "end"),
            (&[0x80], "end"),
            (&[0x04], "end"),
            (&[0x04, 2], "does not fit 1 bit"),
            (&[0x00, 1, 0x80, 0], "a run must have"),
            (&[0x05, 0xff], "end"),
            // A header may have more bytes than it needs.
            (&[0xbc, 0x80, 0x80, 0x80, 0x81, 0], "end"),
        ] {
            let error = super::read(Detected::active(), bytes, 20, &mut Vec::new());
            let error = error.expect_err(want).to_string();
            assert!(
                error.contains("the definition levels"),
                "{bytes:?}: {error}"
            );
            assert!(error.contains(want), "{bytes:?}: {error}");
        }
    }
}
