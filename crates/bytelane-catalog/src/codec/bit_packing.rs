//! Row of `bit_packing`.

use crate::number_stream::decode_fixed;
use crate::numbers::{Number, NumberCodec};
use crate::stream::{AT_A_TIME, Io, StreamError};
use crate::{Codec, Entry, Experiment, Failure, Length, Parameter, Parameters, SpecificationError};
use bytelane::Detected;
use bytelane::bit_packing::{Format, Integer, SignedInteger};

pub(crate) const ENTRY: Entry = Entry {
    name: "bit_packing",
    summary: "integers of the same number of bits each, as in Parquet's levels and indices",
    parameters: &[
        Parameter {
            name: "type",
            default: None,
            help: "u8, u16, u32, u64, i32 or i64",
        },
        Parameter {
            name: "width",
            default: None,
            help: "bits per value, from 0 to those of the type",
        },
        Parameter {
            name: "frame",
            default: Some("0"),
            help: "a number of the type, which is subtracted from the values",
        },
        Parameter {
            name: "zigzag",
            default: Some("false"),
            help: "`true` to map small negative numbers to short ones; only for i32 and i64",
        },
        Parameter {
            name: "count",
            default: Some("unknown"),
            help: "number of values to decode, which is not stored",
        },
    ],
    open: |parameters| {
        let kind: String = parameters.get("type", |kind: &String| {
            ["u8", "u16", "u32", "u64", "i32", "i64"].contains(&kind.as_str())
        })?;
        match kind.as_str() {
            "u8" => open::<u8>(parameters, plain),
            "u16" => open::<u16>(parameters, plain),
            "u32" => open::<u32>(parameters, plain),
            "u64" => open::<u64>(parameters, plain),
            "i32" => open::<i32>(parameters, signed),
            _ => open::<i64>(parameters, signed),
        }
    },
    cases: &[
        "type=u8,width=1",
        "type=u8,width=5",
        "type=u8,width=8",
        "type=u16,width=3",
        "type=u16,width=9",
        "type=u16,width=16",
        "type=u32,width=7",
        "type=u32,width=13",
        "type=u32,width=26",
        "type=u32,width=31",
        "type=u32,width=32",
        "type=i32,width=13,zigzag=true",
        "type=i32,width=13,frame=-4096",
        "type=u64,width=3",
        "type=u64,width=33",
        "type=u64,width=57",
        "type=u64,width=63",
        "type=u64,width=64",
        "type=i64,width=13,zigzag=true",
        "type=i64,width=13,frame=-4096",
    ],
    experiments: &[
        experiment(&["type=u8,width=5"], &["bits_5"]),
        experiment(&["type=u32,width=1"], &["bits_1"]),
        experiment(&["type=u32,width=5"], &["bits_5"]),
        experiment(&["type=u32,width=13", "type=u64,width=13"], &["bits_13"]),
        experiment(&["type=u32,width=20", "type=u64,width=20"], &["bits_20"]),
        experiment(&["type=u32,width=31"], &["bits_31"]),
        experiment(&["type=u64,width=57"], &["bits_57"]),
        experiment(&["type=u64,width=63"], &["bits_63"]),
    ],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::bit_packing::open),
};

const fn experiment(cases: &'static [&'static str], data: &'static [&'static str]) -> Experiment {
    Experiment {
        title: "Groups, miniblocks and pages of packed integers",
        cases,
        data,
        values: &[8, 32, 128, 2048, 32_768],
        evicted: false,
    }
}

/// Returns the format of a specification, without zigzag.
fn plain<T: Integer>(format: Format<T>, zigzag: bool) -> Option<Format<T>> {
    (!zigzag).then_some(format)
}

/// Same as [`plain`], or with zigzag.
fn signed<T: SignedInteger>(format: Format<T>, zigzag: bool) -> Option<Format<T>> {
    Some(if zigzag { format.zigzag() } else { format })
}

fn open<T: Integer + Number + TryFrom<i128>>(
    parameters: &Parameters<'_>,
    mapped: fn(Format<T>, bool) -> Option<Format<T>>,
) -> Result<Box<dyn Codec>, SpecificationError> {
    let width = parameters.get("width", |&width: &u32| Format::<T>::new(width).is_some())?;
    let frame = parameters.get("frame", |&frame: &i128| T::try_from(frame).is_ok())?;
    let format = Format::new(width).expect("it was accepted");
    let format = format.frame(T::try_from(frame).unwrap_or_default());
    let zigzag = parameters.get("zigzag", |&zigzag: &bool| {
        mapped(format, zigzag).is_some() && !(zigzag && frame != 0)
    })?;
    Ok(Box::new(BitPacking {
        format: mapped(format, zigzag).expect("it was accepted"),
        is_signed: zigzag || frame < 0,
        count: parameters.optional("count", |_| true)?,
    }))
}

struct BitPacking<T> {
    format: Format<T>,
    /// True if values may be negative.
    is_signed: bool,
    count: Option<usize>,
}

/// Data sets by the number of bits that their values need.
const DATA: [(u32, &[&str]); 16] = [
    (1, &["bits_1"]),
    (3, &["bits_3"]),
    (5, &["bits_5"]),
    (7, &["bits_7", "one_byte"]),
    (9, &["bits_9"]),
    (13, &["bits_13", "one_byte"]),
    (16, &["bits_16"]),
    (17, &["bits_17"]),
    (20, &["bits_20"]),
    (26, &["bits_26"]),
    (31, &["bits_31"]),
    (33, &["bits_33"]),
    (48, &["bits_48"]),
    (57, &["bits_57"]),
    (59, &["bits_59"]),
    (63, &["bits_63"]),
];

impl<T: Integer + Number> NumberCodec for BitPacking<T> {
    type Number = T;

    fn data(&self) -> &'static [&'static str] {
        let width = self.format.width();
        if width as usize == 8 * size_of::<T>() {
            return &["random", "one_byte"];
        }
        if self.is_signed {
            return &["two_bytes"];
        }
        let fits = DATA.iter().rev().find(|(needed, _)| *needed <= width);
        fits.map_or(&["bits_1"], |(_, data)| data)
    }

    fn max_encoded_len(&self, count: usize) -> usize {
        self.format.encoded_len(count)
    }

    fn max_count(&self, encoded: usize) -> usize {
        encoded.saturating_mul(8) / usize::max(self.format.width() as usize, 1)
    }

    fn encode(&self, backend: Detected, numbers: &[T], to: &mut [u8]) -> Length {
        Ok(self.format.encode_with(backend, numbers, to)?.len())
    }

    fn decode(&self, backend: Detected, from: &[u8], to: &mut [T]) -> Length {
        Ok(self.format.decode_with(backend, from, to)?.1)
    }

    /// Returns a multiple of eight values, so that pieces end at a byte boundary.
    fn piece(&self) -> Option<usize> {
        Some(AT_A_TIME)
    }

    fn decode_stream(&self, backend: Detected, io: Io<'_>) -> Result<(), StreamError> {
        let encoded_len = |count| self.format.encoded_len(count);
        decode_fixed(
            self.count,
            io,
            encoded_len,
            |encoded, offset, to: &mut [T]| {
                let read = self.format.decode_with(backend, encoded, to);
                let (_, read) = read.map_err(|error| Failure::from(error.behind(offset)))?;
                Ok(read)
            },
        )?;
        Ok(())
    }
}
