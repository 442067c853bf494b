//! Row of `rle_hybrid`.

use crate::number_stream::{known, write_numbers};
use crate::numbers::{Number, NumberCodec};
use crate::stream::{Io, StreamError};
use crate::{Codec, Entry, Experiment, Failure, Length, Parameter, Parameters, SpecificationError};
use bytelane::rle_hybrid::{self, Dictionary, Effort, Format, Integer, bits};
use bytelane::{Detected, Value};
use bytemuck::Zeroable;

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
        let entries = parameters.optional("entries", |&entries: &usize| {
            ["u32", "u64"].contains(&kind.as_str()) && entries <= MOST_ENTRIES
        })?;
        let count = parameters.optional("count", |_| true)?;
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
    type Number: Number;

    /// Returns the number of bits per value.
    fn bits(&self) -> u32;

    /// Returns the data sets for this width.
    fn data(&self) -> &'static [&'static str] {
        let fits = DATA.iter().rev().find(|(needed, _)| *needed <= self.bits());
        fits.map_or(&["bits_1"], |(_, data)| data)
    }

    /// Returns the maximum encoded length of `count` numbers.
    fn max_encoded_len(&self, count: usize) -> usize;

    fn encode(&self, backend: Detected, numbers: &[Self::Number], to: &mut [u8]) -> Length;

    /// Returns the number of values in `numbers` numbers.
    fn values(&self, numbers: usize) -> usize {
        numbers
    }

    /// Returns the number of numbers that `values` values take.
    fn numbers(&self, values: usize) -> usize {
        values
    }

    /// Decodes some values, which fill the destination. Returns the number of bytes read.
    fn decode(&self, at: Detected, from: &[u8], values: usize, to: &mut [Self::Number]) -> Length;
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

impl<T: Integer + Number> Work for Integers<T> {
    type Number = T;

    fn bits(&self) -> u32 {
        self.0.width()
    }

    fn max_encoded_len(&self, count: usize) -> usize {
        self.0.max_encoded_len(count)
    }

    fn encode(&self, backend: Detected, numbers: &[T], to: &mut [u8]) -> Length {
        Ok(self.0.encode_with(backend, numbers, to)?.len())
    }

    fn decode(&self, backend: Detected, from: &[u8], _: usize, to: &mut [T]) -> Length {
        Ok(self.0.decode_with(backend, from, to)?.1)
    }
}

/// Bitmaps: a number has eight values.
struct Bits;

impl Work for Bits {
    type Number = u8;

    fn bits(&self) -> u32 {
        1
    }

    fn data(&self) -> &'static [&'static str] {
        &["random", "runs_1"]
    }

    fn values(&self, numbers: usize) -> usize {
        numbers.saturating_mul(8)
    }

    fn numbers(&self, values: usize) -> usize {
        values.div_ceil(8)
    }

    fn max_encoded_len(&self, count: usize) -> usize {
        bits::max_encoded_len(self.values(count))
    }

    fn encode(&self, backend: Detected, bitmap: &[u8], to: &mut [u8]) -> Length {
        Ok(bits::encode_with(backend, bitmap, 8 * bitmap.len(), to)?.len())
    }

    fn decode(&self, backend: Detected, from: &[u8], values: usize, to: &mut [u8]) -> Length {
        Ok(bits::decode_with(backend, from, values, to)?.1)
    }
}

struct Indices<T>(Format<u32>, Dictionary<T>);

impl<T: rle_hybrid::Entry + Value + Number> Work for Indices<T>
where
    u32: TryFrom<T>,
{
    type Number = T;

    fn bits(&self) -> u32 {
        let bits = match self.1.len() {
            1000.. => 10,
            entries => entries.max(1).ilog2(),
        };
        u32::min(self.0.width(), bits)
    }

    fn max_encoded_len(&self, count: usize) -> usize {
        self.0.max_encoded_len(count)
    }

    fn encode(&self, backend: Detected, numbers: &[T], to: &mut [u8]) -> Length {
        let index = |(i, value): (usize, &T)| {
            let index = u32::try_from(*value).ok();
            let index = index.filter(|&index| (index as usize) < self.1.len());
            let offset = i * size_of::<T>();
            index.ok_or_else(|| format!("offset {offset}: the dictionary does not have this value"))
        };
        let indices: Result<Vec<u32>, _> = numbers.iter().enumerate().map(index).collect();
        Ok(self.0.encode_with(backend, &indices?, to)?.len())
    }

    fn decode(&self, backend: Detected, from: &[u8], _: usize, to: &mut [T]) -> Length {
        Ok(self.1.decode_with(backend, self.0, from, to)?.1)
    }
}

struct RleHybrid<W> {
    work: W,
    count: Option<usize>,
}

impl<W: Work> NumberCodec for RleHybrid<W> {
    type Number = W::Number;

    fn data(&self) -> &'static [&'static str] {
        self.work.data()
    }

    fn max_encoded_len(&self, count: usize) -> usize {
        self.work.max_encoded_len(count)
    }

    fn max_count(&self, encoded: usize) -> usize {
        encoded.saturating_mul(32)
    }

    fn encode(&self, backend: Detected, numbers: &[W::Number], to: &mut [u8]) -> Length {
        self.work.encode(backend, numbers, to)
    }

    fn decode(&self, backend: Detected, from: &[u8], to: &mut [W::Number]) -> Length {
        let values = self.work.values(to.len());
        self.work.decode(backend, from, values, to)
    }

    /// `None`: the last group of packed values may be incomplete, so pieces cannot follow each
    /// other.
    fn piece(&self) -> Option<usize> {
        None
    }

    fn decode_stream(&self, backend: Detected, mut io: Io<'_>) -> Result<(), StreamError> {
        let values = known(self.count)?;
        let encoded = io.read_all()?;
        let mut numbers = vec![W::Number::zeroed(); self.work.numbers(values)];
        let read = self.work.decode(backend, &encoded, values, &mut numbers)?;
        if read < encoded.len() {
            let more = encoded.len() - read;
            let error = format!("offset {read}: {more} bytes follow the run of the last value");
            return Err(Failure::from(error).into());
        }
        write_numbers(io.output, &mut numbers)
    }
}
