//! Definition levels of flat columns: one bit per value, in the hybrid of runs and packed bits
//! ([Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md), "Run Length Encoding /
//! Bit-Packing Hybrid").
//!
//! The packed bits are Arrow's validity bitmap as it is, so that neither direction looks at single values.

use crate::{Error, Result};
use arrow_buffer::bit_chunk_iterator::UnalignedBitChunk;
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use std::ops::Range;

/// Equal bytes of the bitmap from which a run is shorter than the bits: its header and that of the packed bits
/// after it.
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
    // Up to here everything is written.
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
        // The bits after the last value are anything in Arrow, and zero here.
        let mut last = bytes[done..].to_vec();
        last.push(bitmap.as_slice()[whole] & ((1 << rest) - 1));
        append_packed(&last, to);
    }
}

/// A stretch of levels of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Run {
    /// As many values, all valid or all null.
    Same {
        /// Whether they are valid.
        valid: bool,
        /// How many.
        count: usize,
    },
    /// These bits of the levels' bytes.
    Packed(Range<usize>),
}

/// The levels of a page, taken run by run: nothing is allocated for what they promise.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// The first byte that no run has taken.
    next: usize,
    /// What is left of the last run.
    run: Run,
}

impl Levels {
    /// From the start of the levels.
    pub(crate) fn new() -> Self {
        Self {
            next: 0,
            run: Run::Packed(0..0),
        }
    }

    /// The next run, of one to `most` values.
    pub(crate) fn next(&mut self, bytes: &[u8], most: usize) -> Result<Run> {
        loop {
            match &mut self.run {
                Run::Same { valid, count } if *count > 0 => {
                    let taken = most.min(*count);
                    *count -= taken;
                    return Ok(Run::Same {
                        valid: *valid,
                        count: taken,
                    });
                }
                Run::Packed(bits) if bits.start < bits.end => {
                    let taken = bits.start..bits.start + most.min(bits.len());
                    bits.start = taken.end;
                    return Ok(Run::Packed(taken));
                }
                _ => self.run = self.read(bytes)?,
            }
        }
    }

    fn read(&mut self, bytes: &[u8]) -> Result<Run> {
        let header = self.number(bytes)?;
        let count = (header >> 1) as usize;
        let left = bytes.len() - self.next;
        if header & 1 == 1 {
            if count > left {
                return Err(Error::corrupt(format!(
                    "the definition levels end within {count} bytes of packed bits"
                )));
            }
            let start = self.next * 8;
            self.next += count;
            return Ok(Run::Packed(start..start + count * 8));
        }
        let Some(level) = bytes.get(self.next) else {
            return Err(Error::corrupt("the definition levels end within a run"));
        };
        self.next += 1;
        match level {
            0 | 1 => Ok(Run::Same {
                valid: *level == 1,
                count,
            }),
            level => Err(Error::corrupt(format!(
                "a definition level of {level}, in a column whose maximum is 1"
            ))),
        }
    }

    /// A ULEB128 number of up to 32 bits.
    fn number(&mut self, bytes: &[u8]) -> Result<u32> {
        let mut number = 0u64;
        for shift in (0..35).step_by(7) {
            let Some(byte) = bytes.get(self.next) else {
                return Err(Error::corrupt("too few definition levels"));
            };
            self.next += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        u32::try_from(number)
            .map_err(|_| Error::corrupt("a run of definition levels is longer than any page"))
    }

    /// Appends the validity of the next values to a bitmap, and returns how many of them are valid.
    pub(crate) fn append_to(
        &mut self,
        bytes: &[u8],
        mut count: usize,
        bitmap: &mut BooleanBufferBuilder,
    ) -> Result<usize> {
        let mut valid_values = 0;
        while count > 0 {
            let run = self.next(bytes, count)?;
            count -= run.count();
            valid_values += run.valid(bytes);
            match run {
                Run::Same { valid, count } => bitmap.append_n(count, valid),
                Run::Packed(bits) => bitmap.append_packed_range(bits, bytes),
            }
        }
        Ok(valid_values)
    }

    /// How many of the next values are valid.
    pub(crate) fn count_valid(mut self, bytes: &[u8], mut count: usize) -> Result<usize> {
        let mut valid_values = 0;
        while count > 0 {
            let run = self.next(bytes, count)?;
            count -= run.count();
            valid_values += run.valid(bytes);
        }
        Ok(valid_values)
    }
}

impl Run {
    fn count(&self) -> usize {
        match self {
            Run::Same { count, .. } => *count,
            Run::Packed(bits) => bits.len(),
        }
    }

    /// How many of its values are valid.
    fn valid(&self, bytes: &[u8]) -> usize {
        match self {
            Run::Same { valid, count } => usize::from(*valid) * count,
            Run::Packed(bits) => UnalignedBitChunk::new(bytes, bits.start, bits.len()).count_ones(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};

    /// The specification, transliterated: value by value.
    fn specified(bytes: &[u8], count: usize) -> Option<Vec<bool>> {
        let mut levels = Vec::new();
        let mut bytes = bytes.iter().copied();
        while levels.len() < count {
            let (mut header, mut shift) = (0u64, 0);
            loop {
                let byte = bytes.next()?;
                header |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                // Five bytes are enough for 32 bits.
                if byte & 0x80 == 0 || shift == 35 {
                    break;
                }
            }
            let run = u32::try_from(header).ok()? >> 1;
            if header & 1 == 1 {
                for _ in 0..run {
                    let packed = bytes.next()?;
                    levels.extend((0..8).map(|bit| packed >> bit & 1 == 1));
                }
            } else {
                let value = bytes.next().filter(|value| *value <= 1)?;
                let left = count.saturating_sub(levels.len());
                levels.resize(levels.len() + left.min(run as usize), value == 1);
            }
        }
        levels.truncate(count);
        Some(levels)
    }

    /// What is read in pieces of these lengths, over and over, and counted.
    fn read(bytes: &[u8], count: usize, pieces: &[usize]) -> Option<Vec<bool>> {
        let mut levels = Levels::new();
        let mut bitmap = BooleanBufferBuilder::new(0);
        let mut valid = 0;
        let mut pieces = pieces.iter().cycle();
        while bitmap.len() < count {
            let piece = pieces.next().map_or(count, |piece| *piece);
            let piece = piece.min(count - bitmap.len());
            valid += levels.append_to(bytes, piece, &mut bitmap).ok()?;
        }
        let counted = Levels::new().count_valid(bytes, count);
        assert_eq!(counted.expect("it was read before"), valid);
        let read: Vec<bool> = bitmap.build().iter().collect();
        assert_eq!(read.iter().filter(|level| **level).count(), valid);
        Some(read)
    }

    /// Runs of all shapes, without values too.
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

    /// Validities with and without long stretches of one kind.
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
            pieces in vec(1..100usize, 1..4),
        ) {
            let start = start.min(validity.len());
            let bitmap = BooleanBuffer::from(validity.as_slice());
            let bitmap = bitmap.slice(start, validity.len() - start);
            let mut bytes = Vec::new();
            append(&bitmap, &mut bytes);
            let want = Some(validity[start..].to_vec());
            prop_assert_eq!(specified(&bytes, bitmap.len()), want.clone());
            prop_assert_eq!(read(&bytes, bitmap.len(), &pieces), want);
        }

        #[test]
        fn runs_are_read_as_the_specification_reads_them(
            bytes in runs(),
            count in 0..1500usize,
            cut in prop_oneof![Just(0), 0..100usize],
            pieces in vec(1..100usize, 1..4),
        ) {
            let bytes = &bytes[..bytes.len().saturating_sub(cut)];
            prop_assert_eq!(read(bytes, count, &pieces), specified(bytes, count));
        }

        #[test]
        fn any_bytes_are_read_as_the_specification_reads_them(
            bytes in vec(prop_oneof![0..5u8, any::<u8>()], 0..40),
            count in 0..500usize,
            pieces in vec(1..100usize, 1..4),
        ) {
            prop_assert_eq!(read(&bytes, count, &pieces), specified(&bytes, count));
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
            let run = Levels::new().next(&bytes, usize::MAX);
            match count {
                0 => assert!(run.is_err()),
                _ => assert_eq!(run.expect("a run"), Run::Same { valid, count }),
            }
        }
    }

    #[test]
    fn errors_name_what_is_wrong() {
        for (bytes, want) in [
            (&[][..], "too few definition levels"),
            (&[0x80], "too few definition levels"),
            (&[0x04], "end within a run"),
            (&[0x04, 2], "a definition level of 2"),
            (&[0x05, 0xff], "end within 2 bytes of packed bits"),
            (&[0xff, 0xff, 0xff, 0xff, 0xff], "longer than any page"),
        ] {
            let error = Levels::new().count_valid(bytes, 2).expect_err(want);
            assert!(error.to_string().contains(want), "{bytes:?}: {error}");
        }
    }
}
