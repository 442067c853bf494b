//! Row of `bit_packing`.

use crate::stream::{AT_A_TIME, AlignedBytes, Lookahead, StreamError};
use crate::varint::{in_order, to_little_endian};
use crate::{
    Codec, Decoded, Entry, Experiment, Failure, Parameter, Parameters, SpecificationError, numbers,
    numbers_mut,
};
use bytelane::bit_packing::{Format, Integer, SignedInteger};
use bytelane::{Backend, Detected};
use bytemuck::Pod;
use std::io::{Read, Write};

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
            "u8" => open::<u8>("u8", parameters, plain),
            "u16" => open::<u16>("u16", parameters, plain),
            "u32" => open::<u32>("u32", parameters, plain),
            "u64" => open::<u64>("u64", parameters, plain),
            "i32" => open::<i32>("i32", parameters, signed),
            _ => open::<i64>("i64", parameters, signed),
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

fn open<T: Integer + Pod + TryFrom<i128>>(
    element: &'static str,
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
    let count = match parameters.get("count", |count: &String| count == "unknown") {
        Ok(_) => None,
        Err(_) => Some(parameters.get("count", |_: &usize| true)?),
    };
    Ok(Box::new(BitPacking {
        element,
        format: mapped(format, zigzag).expect("it was accepted"),
        is_signed: zigzag || frame < 0,
        count,
    }))
}

struct BitPacking<T> {
    element: &'static str,
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

impl<T: Integer + Pod> Codec for BitPacking<T> {
    fn element(&self) -> String {
        self.element.to_owned()
    }

    fn width(&self) -> usize {
        size_of::<T>()
    }

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

    fn max_encoded_len(&self, values: usize) -> usize {
        self.format.encoded_len(values / size_of::<T>())
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        let width = usize::max(self.format.width() as usize, 1);
        (encoded.saturating_mul(8) / width).saturating_mul(size_of::<T>())
    }

    fn encode(
        &self,
        backend: Backend,
        values: &[u8],
        encoded: &mut [u8],
    ) -> Result<usize, Failure> {
        let values = in_order(numbers::<T>(values)?);
        let backend = Detected::new(backend)?;
        Ok(self.format.encode_with(backend, &values, encoded)?.len())
    }

    fn decode(
        &self,
        backend: Backend,
        encoded: &[u8],
        values: &mut [u8],
    ) -> Result<Decoded, Failure> {
        let backend = Detected::new(backend)?;
        let numbers = numbers_mut::<T>(values)?;
        let (_, read) = self.format.decode_with(backend, encoded, numbers)?;
        to_little_endian::<T>(values);
        Ok(Decoded {
            read,
            written: values.len(),
        })
    }

    /// Returns a multiple of eight values, so that pieces end at a byte boundary.
    fn piece(&self) -> Option<usize> {
        Some(AT_A_TIME)
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let mut left = self.count.ok_or_else(|| {
            Failure::from(
                "decoding needs the parameter `count`, because the number of values is not stored",
            )
        })?;
        let backend = Detected::new(backend).map_err(Failure::from)?;
        let mut encoded = Lookahead::new(input);
        let mut values = AlignedBytes::default();
        while left > 0 {
            let count = usize::min(left, AT_A_TIME);
            encoded.fill(self.format.encoded_len(count))?;
            values.resize(count * size_of::<T>());
            let numbers = numbers_mut::<T>(&mut values)?;
            let read = self.format.decode_with(backend, encoded.bytes(), numbers);
            let offset = encoded.offset() as usize;
            let (_, read) = read.map_err(|error| Failure::from(error.behind(offset)))?;
            to_little_endian::<T>(&mut values);
            output.write_all(&values).map_err(StreamError::Write)?;
            encoded.consume(read);
            left -= count;
        }
        Ok(())
    }
}
