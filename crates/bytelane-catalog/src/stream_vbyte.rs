//! The row of `stream_vbyte`.

use crate::stream::{self, AlignedBytes, StreamError};
use crate::{Codec, Decoded, Entry, Experiment, Failure, Parameter, numbers, numbers_mut};
use bytelane::Backend;
use bytelane::stream_vbyte::{Format, Integer};
use bytemuck::Pod;
use std::io::{Read, Write};

pub(crate) const ENTRY: Entry = Entry {
    name: "stream_vbyte",
    summary: "integers in as few bytes as each needs, their lengths in control bytes before them",
    parameters: &[
        Parameter {
            name: "variant",
            default: Some("1234"),
            help: "bytes that a value may have: `1234` or `0124` (32 bits), `1248` (64 bits)",
        },
        Parameter {
            name: "delta",
            default: Some("false"),
            help: "`true` to store differences, the first one from 0",
        },
        Parameter {
            name: "zigzag",
            default: Some("false"),
            help: "`true` for small negative values, or differences",
        },
        Parameter {
            name: "block",
            default: Some("all"),
            help: "values in a stream of their own, 1 or more, or `all`; differences go on",
        },
        Parameter {
            name: "count",
            default: Some("unknown"),
            help: "how many values to decode, which the bytes do not say",
        },
    ],
    open: |parameters| {
        let variant: String = parameters.get("variant", |variant: &String| {
            ["1234", "0124", "1248"].contains(&variant.as_str())
        })?;
        let [delta, zigzag] = [
            parameters.get("delta", |_| true)?,
            parameters.get("zigzag", |_| true)?,
        ];
        let block = match parameters.get("block", |block: &String| block == "all") {
            Ok(_) => usize::MAX,
            Err(_) => parameters.get("block", |&values: &usize| values > 0)?,
        };
        let count = match parameters.get("count", |count: &String| count == "unknown") {
            Ok(_) => None,
            Err(_) => Some(parameters.get("count", |_: &usize| true)?),
        };
        let blocks = Blocks { block, count };
        Ok(match variant.as_str() {
            "1234" => blocks.open(Format::<u32>::V1234, delta, zigzag),
            "0124" => blocks.open(Format::<u32>::V0124, delta, zigzag),
            _ => blocks.open(Format::<u64>::V1248, delta, zigzag),
        })
    },
    cases: &[
        "variant=1234",
        "delta=true",
        "zigzag=true",
        "delta=true,zigzag=true",
        "variant=0124",
        "variant=0124,delta=true",
        "variant=0124,zigzag=true",
        "variant=0124,delta=true,zigzag=true",
        "variant=1248",
        "variant=1248,delta=true",
        "variant=1248,zigzag=true",
        "variant=1248,delta=true,zigzag=true",
        "delta=true,block=128",
        "variant=1248,block=7",
    ],
    experiments: &[
        Experiment {
            title: "A block of a posting list, one that fits the cache, and long lists",
            cases: &["variant=1234", "variant=0124", "variant=1248"],
            data: &["mixed_widths", "one_byte"],
            values: &[128, 4096, 100_000, 10_000_000],
            evicted: false,
        },
        Experiment {
            title: "Sorted ids as differences",
            cases: &["delta=true", "variant=1248,delta=true"],
            data: &["gaps", "mixed_widths"],
            values: &[128, 4096, 100_000, 10_000_000],
            evicted: false,
        },
    ],
};

/// How a list is cut.
#[derive(Clone, Copy)]
struct Blocks {
    /// Values of a block.
    block: usize,
    /// Values to decode.
    count: Option<usize>,
}

impl Blocks {
    fn open<T: Integer + Pod>(self, plain: Format<T>, delta: bool, zigzag: bool) -> Box<dyn Codec> {
        let format = if zigzag { plain.zigzag() } else { plain };
        Box::new(StreamVbyte {
            format,
            delta,
            zigzag,
            blocks: self,
        })
    }
}

struct StreamVbyte<T> {
    format: Format<T>,
    delta: bool,
    zigzag: bool,
    blocks: Blocks,
}

impl<T: Integer + Pod> StreamVbyte<T> {
    /// The format of the block behind these values.
    fn after(&self, values: &[T]) -> Format<T> {
        match self.delta {
            true => self
                .format
                .delta(values.last().copied().unwrap_or_default()),
            false => self.format,
        }
    }
}

impl<T: Integer + Pod> Codec for StreamVbyte<T> {
    fn element(&self) -> String {
        let sign = if self.zigzag { 'i' } else { 'u' };
        format!("{sign}{}", 8 * size_of::<T>())
    }

    fn width(&self) -> usize {
        size_of::<T>()
    }

    fn data(&self) -> &'static [&'static str] {
        &["mixed_widths", "gaps", "one_byte", "random"]
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        let count = values / size_of::<T>();
        let (blocks, rest) = (count / self.blocks.block, count % self.blocks.block);
        let whole = match blocks {
            0 => 0,
            many => many.saturating_mul(self.format.max_encoded_len(self.blocks.block)),
        };
        whole.saturating_add(self.format.max_encoded_len(rest))
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        encoded.saturating_mul(4 * size_of::<T>())
    }

    fn encode(
        &self,
        backend: Backend,
        values: &[u8],
        encoded: &mut [u8],
    ) -> Result<usize, Failure> {
        let mut swapped = AlignedBytes::default();
        let values = match cfg!(target_endian = "big") {
            true => {
                swapped.resize(values.len());
                swapped.copy_from_slice(values);
                swap(size_of::<T>(), &mut swapped);
                &swapped
            }
            false => values,
        };
        let values = numbers::<T>(values)?;
        let (mut from, mut at) = (0, 0);
        while from < values.len() {
            let format = self.after(&values[..from]);
            let to = usize::min(values.len(), from.saturating_add(self.blocks.block));
            at += format.encode_with(backend, &values[from..to], &mut encoded[at..])?;
            from = to;
        }
        Ok(at)
    }

    fn decode(
        &self,
        backend: Backend,
        encoded: &[u8],
        values: &mut [u8],
    ) -> Result<Decoded, Failure> {
        let numbers = numbers_mut::<T>(values)?;
        let (mut from, mut at) = (0, 0);
        while from < numbers.len() {
            let format = self.after(&numbers[..from]);
            let to = usize::min(numbers.len(), from.saturating_add(self.blocks.block));
            let read = format.decode_with(backend, &encoded[at..], &mut numbers[from..to]);
            at += read.map_err(|error| match at {
                0 => Failure::from(error),
                _ => format!("in the block at offset {at}: {error}").into(),
            })?;
            from = to;
        }
        if cfg!(target_endian = "big") {
            swap(size_of::<T>(), values);
        }
        Ok(Decoded {
            read: at,
            written: values.len(),
        })
    }

    fn piece(&self) -> Option<usize> {
        None
    }

    fn decode_stream(
        &self,
        backend: Backend,
        input: &mut dyn Read,
        output: &mut dyn Write,
    ) -> Result<(), StreamError> {
        let count = self.blocks.count.ok_or_else(|| {
            Failure::from("decoding needs `count`: the bytes do not say how many values there are")
        })?;
        stream::pieces(input, None, |encoded| {
            // Every four values of a block have a control byte.
            let possible = count.div_ceil(4) <= encoded.len();
            let room = count.checked_mul(size_of::<T>()).filter(|_| possible);
            let room = room.ok_or_else(|| {
                let length = encoded.len();
                Failure::from(format!(
                    "offset {length}: the input ends before {count} values"
                ))
            })?;
            let mut values = AlignedBytes::default();
            values.resize(room);
            let decoded = self.decode(backend, encoded, &mut values)?;
            if decoded.read < encoded.len() {
                let place = decoded.read;
                let refusal = format!("offset {place}: the input goes on after {count} values");
                return Err(Failure::from(refusal).into());
            }
            output.write_all(&values).map_err(StreamError::Write)
        })
    }
}

/// Values are little-endian here, whatever the machine, and the codec takes the machine's own.
fn swap(width: usize, values: &mut [u8]) {
    values.chunks_exact_mut(width).for_each(<[u8]>::reverse);
}
