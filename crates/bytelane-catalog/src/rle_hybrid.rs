//! Row of `rle_hybrid`.

use crate::stream::{AlignedBytes, StreamError};
use crate::varint::{in_order, to_little_endian};
use crate::{
    Codec, Decoded, Entry, Experiment, Failure, Parameter, Parameters, SpecificationError, numbers,
    numbers_mut,
};
use bytelane::rle_hybrid::{self, Dictionary, Effort, Format, Integer, bits};
use bytelane::{Backend, Detected, Value};
use bytemuck::Pod;
use std::io::{Read, Write};

pub(crate) const ENTRY: Entry = Entry {
    name: "rle_hybrid",
    summary: "runs that repeat or are bit-packed, as in Parquet's levels, indices and booleans",
    parameters: &[
        Parameter {
            name: "type",
            default: None,
            help: "u8, u16, u32 or bits (a bitmap); with entries also u64",
        },
        Parameter {
            name: "width",
            default: None,
            help: "bits per value, from 0 to those of the type, at most 32; 1 for bits",
        },
        Parameter {
            name: "entries",
            default: Some("none"),
            help: "for u32 and u64, the size of a dictionary of the numbers from 0 on: values are indices of it",
        },
        Parameter {
            name: "effort",
            default: Some("small"),
            help: "small: search for the shortest runs; fast, for u8, u16 and u32: take the first that will do",
        },
        Parameter {
            name: "count",
            default: Some("unknown"),
            help: "number of values to decode, which is not stored",
        },
    ],
    open: |parameters| {
        let kind: String = parameters.get("type", |kind: &String| {
            ["u8", "u16", "u32", "u64", "bits"].contains(&kind.as_str())
        })?;
        let entries = optional(parameters, "entries", |&entries: &usize| {
            ["u32", "u64"].contains(&kind.as_str()) && entries <= MOST_ENTRIES
        })?;
        let count = optional(parameters, "count", |_| true)?;
        match (kind.as_str(), entries) {
            ("u8", _) => open(count, parameters, Integers::<u8>),
            ("u16", _) => open(count, parameters, Integers::<u16>),
            ("u32", None) => open(count, parameters, Integers::<u32>),
            ("u32", Some(entries)) => open(count, parameters, |format| {
                Indices::<u32>(format, dictionary(entries))
            }),
            ("u64", Some(entries)) => open(count, parameters, |format| {
                Indices::<u64>(format, dictionary(entries))
            }),
            ("u64", None) => {
                // Without a dictionary, values have at most 32 bits.
                Err(parameters
                    .get("entries", |_: &usize| false)
                    .expect_err("no number"))
            }
            _ => {
                parameters.get("width", |&width: &u32| width == 1)?;
                parameters.get("effort", |effort: &String| effort == "small")?;
                Ok(Box::new(RleHybrid { work: Bits, count }))
            }
        }
    },
    cases: &[
        "type=u8,width=1",
        "type=u8,width=3",
        "type=u8,width=8",
        "type=u16,width=2",
        "type=u16,width=9",
        "type=u16,width=16",
        "type=u32,width=1",
        "type=u32,width=5",
        "type=u32,width=10",
        "type=u32,width=27",
        "type=u32,width=32",
        "type=u8,width=1,effort=fast",
        "type=u16,width=3,effort=fast",
        "type=u32,width=10,effort=fast",
        "type=bits,width=1",
        "type=u32,width=3,entries=8",
        "type=u32,width=4,entries=15",
        "type=u32,width=10,entries=1000",
        "type=u64,width=3,entries=8",
        "type=u64,width=10,entries=1000",
        "type=u64,width=32,entries=1000",
    ],
    experiments: &[
        experiment(
            &["type=u8,width=1", "type=bits,width=1"],
            &["bits_1", "runs_1"],
        ),
        experiment(&["type=u16,width=3"], &["bits_3", "runs_3"]),
        experiment(
            &["type=u32,width=10"],
            &["below_1000", "runs_1000", "repeats_1000"],
        ),
        experiment(
            &[
                "type=u32,width=10,entries=1000",
                "type=u64,width=10,entries=1000",
            ],
            &["below_1000", "runs_1000", "repeats_1000"],
        ),
        experiment(&["type=u64,width=3,entries=8"], &["bits_3"]),
    ],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::rle_hybrid::open),
};

/// Maximum number of entries of a dictionary here, so that a short specification does not take much
/// memory.
const MOST_ENTRIES: usize = 1 << 24;

const fn experiment(cases: &'static [&'static str], data: &'static [&'static str]) -> Experiment {
    Experiment {
        title: "Levels and indices of pages",
        cases,
        data,
        values: &[64, 1024, 20_000],
        evicted: false,
    }
}

/// Parses an optional number.
fn optional(
    parameters: &Parameters<'_>,
    name: &'static str,
    accept: impl Fn(&usize) -> bool,
) -> Result<Option<usize>, SpecificationError> {
    let is_absent = |value: &String| value == "none" || value == "unknown";
    match parameters.get(name, is_absent) {
        Ok(_) => Ok(None),
        Err(_) => Ok(Some(parameters.get(name, accept)?)),
    }
}

fn open<T: Integer, W: Work + 'static>(
    count: Option<usize>,
    parameters: &Parameters<'_>,
    work: impl FnOnce(Format<T>) -> W,
) -> Result<Box<dyn Codec>, SpecificationError> {
    let width = parameters.get("width", |&width: &u32| Format::<T>::new(width).is_some())?;
    let effort: String = parameters.get("effort", |effort: &String| {
        ["small", "fast"].contains(&effort.as_str())
    })?;
    let effort = if effort == "fast" {
        Effort::Fast
    } else {
        Effort::Small
    };
    let format = Format::new(width).expect("it was accepted");
    let work = work(format.effort(effort));
    Ok(Box::new(RleHybrid { work, count }))
}

/// Returns a dictionary of numbers from 0 on, each at its own index.
fn dictionary<T: rle_hybrid::Entry + TryFrom<usize>>(entries: usize) -> Dictionary<T> {
    let number = |i| T::try_from(i).unwrap_or_default();
    Dictionary::new(&(0..entries).map(number).collect::<Vec<T>>())
}

/// Operations that differ between lists, bits and dictionaries.
trait Work: Send + Sync {
    /// Type of the values.
    const ELEMENT: &'static str;

    /// Number of bytes in a value.
    const WIDTH: usize;

    /// Returns the number of bits per value.
    fn bits(&self) -> u32;

    /// Returns the data sets for this width.
    fn data(&self) -> &'static [&'static str] {
        let fits = DATA.iter().rev().find(|(needed, _)| *needed <= self.bits());
        fits.map_or(&["bits_1"], |(_, data)| data)
    }

    fn max_encoded_len(&self, values: usize) -> usize;

    fn encode(
        &self,
        backend: Detected,
        values: &[u8],
        encoded: &mut [u8],
    ) -> Result<usize, Failure>;

    /// Returns the number of values in `bytes` bytes.
    fn count(&self, bytes: usize) -> usize {
        bytes / Self::WIDTH
    }

    /// Returns the number of bytes that `count` values take.
    fn bytes(&self, count: usize) -> usize {
        count.saturating_mul(Self::WIDTH)
    }

    /// Decodes `count` values, which fill the destination. Returns the number of bytes read.
    fn decode(
        &self,
        backend: Detected,
        encoded: &[u8],
        count: usize,
        values: &mut [u8],
    ) -> Result<usize, Failure>;
}

/// Data sets by the number of bits that their values need.
const DATA: [(u32, &[&str]); 8] = [
    (1, &["bits_1", "runs_1"]),
    (3, &["bits_3", "runs_3", "runs_1"]),
    (5, &["bits_5", "runs_3"]),
    (7, &["bits_7", "runs_3"]),
    (9, &["bits_9", "runs_3"]),
    (10, &["below_1000", "runs_1000", "repeats_1000"]),
    (26, &["bits_26", "runs_1000"]),
    (32, &["random", "runs_1000"]),
];

struct Integers<T>(Format<T>);

impl<T: Integer + Pod> Work for Integers<T> {
    const ELEMENT: &'static str = match size_of::<T>() {
        1 => "u8",
        2 => "u16",
        _ => "u32",
    };
    const WIDTH: usize = size_of::<T>();

    fn bits(&self) -> u32 {
        self.0.width()
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        self.0.max_encoded_len(values / size_of::<T>())
    }

    fn encode(
        &self,
        backend: Detected,
        values: &[u8],
        encoded: &mut [u8],
    ) -> Result<usize, Failure> {
        let values = in_order(numbers::<T>(values)?);
        let written = self.0.encode_with(backend, &values, encoded)?;
        Ok(written.len())
    }

    fn decode(
        &self,
        backend: Detected,
        encoded: &[u8],
        _: usize,
        values: &mut [u8],
    ) -> Result<usize, Failure> {
        let numbers = numbers_mut::<T>(values)?;
        let (_, read) = self.0.decode_with(backend, encoded, numbers)?;
        to_little_endian::<T>(values);
        Ok(read)
    }
}

struct Bits;

impl Work for Bits {
    const ELEMENT: &'static str = "u8";
    const WIDTH: usize = 1;

    fn bits(&self) -> u32 {
        1
    }

    fn data(&self) -> &'static [&'static str] {
        &["random", "runs_1"]
    }

    fn count(&self, bytes: usize) -> usize {
        bytes.saturating_mul(8)
    }

    fn bytes(&self, count: usize) -> usize {
        count.div_ceil(8)
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        bits::max_encoded_len(values.saturating_mul(8))
    }

    fn encode(
        &self,
        backend: Detected,
        values: &[u8],
        encoded: &mut [u8],
    ) -> Result<usize, Failure> {
        let written = bits::encode_with(backend, values, 8 * values.len(), encoded)?;
        Ok(written.len())
    }

    fn decode(
        &self,
        backend: Detected,
        encoded: &[u8],
        count: usize,
        values: &mut [u8],
    ) -> Result<usize, Failure> {
        Ok(bits::decode_with(backend, encoded, count, values)?.1)
    }
}

struct Indices<T>(Format<u32>, Dictionary<T>);

impl<T: rle_hybrid::Entry + Value + Pod> Work for Indices<T>
where
    u32: TryFrom<T>,
{
    const ELEMENT: &'static str = match size_of::<T>() {
        4 => "u32",
        _ => "u64",
    };
    const WIDTH: usize = size_of::<T>();

    fn bits(&self) -> u32 {
        let bits = match self.1.len() {
            1000.. => 10,
            entries => entries.max(1).ilog2(),
        };
        u32::min(self.0.width(), bits)
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        self.0.max_encoded_len(values / size_of::<T>())
    }

    fn encode(
        &self,
        backend: Detected,
        values: &[u8],
        encoded: &mut [u8],
    ) -> Result<usize, Failure> {
        let values = in_order(numbers::<T>(values)?);
        let index = |(i, value): (usize, &T)| {
            let index = u32::try_from(*value).ok();
            let index = index.filter(|&index| (index as usize) < self.1.len());
            let offset = i * size_of::<T>();
            index.ok_or_else(|| format!("offset {offset}: the dictionary does not have this value"))
        };
        let indices: Result<Vec<u32>, _> = values.iter().enumerate().map(index).collect();
        let written = self.0.encode_with(backend, &indices?, encoded)?;
        Ok(written.len())
    }

    fn decode(
        &self,
        backend: Detected,
        encoded: &[u8],
        _: usize,
        values: &mut [u8],
    ) -> Result<usize, Failure> {
        let Self(format, dictionary) = self;
        let numbers = numbers_mut::<T>(values)?;
        let (_, read) = dictionary.decode_with(backend, *format, encoded, numbers)?;
        to_little_endian::<T>(values);
        Ok(read)
    }
}

struct RleHybrid<W> {
    work: W,
    count: Option<usize>,
}

impl<W: Work> Codec for RleHybrid<W> {
    fn element(&self) -> String {
        W::ELEMENT.to_owned()
    }

    fn width(&self) -> usize {
        W::WIDTH
    }

    fn data(&self) -> &'static [&'static str] {
        self.work.data()
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        self.work.max_encoded_len(values)
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        encoded.saturating_mul(32 * W::WIDTH)
    }

    fn encode(
        &self,
        backend: Backend,
        values: &[u8],
        encoded: &mut [u8],
    ) -> Result<usize, Failure> {
        self.work.encode(Detected::new(backend)?, values, encoded)
    }

    fn decode(
        &self,
        backend: Backend,
        encoded: &[u8],
        values: &mut [u8],
    ) -> Result<Decoded, Failure> {
        let count = self.work.count(values.len());
        let read = self
            .work
            .decode(Detected::new(backend)?, encoded, count, values)?;
        Ok(Decoded {
            read,
            written: values.len(),
        })
    }

    /// `None`: the last group of packed values may be incomplete, so pieces cannot follow each
    /// other.
    fn piece(&self) -> Option<usize> {
        None
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let count = self.count.ok_or_else(|| {
            Failure::from(
                "decoding needs the parameter `count`, because the number of values is not stored",
            )
        })?;
        let backend = Detected::new(backend).map_err(Failure::from)?;
        let mut encoded = Vec::new();
        input.read_to_end(&mut encoded).map_err(StreamError::Read)?;
        let mut values = AlignedBytes::default();
        values.resize(self.work.bytes(count));
        let read = self.work.decode(backend, &encoded, count, &mut values)?;
        if read < encoded.len() {
            let more = encoded.len() - read;
            let error = format!("offset {read}: {more} bytes follow the run of the last value");
            return Err(Failure::from(error).into());
        }
        output.write_all(&values).map_err(StreamError::Write)
    }
}
