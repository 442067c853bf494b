//! Row of `stream_vbyte`.

use crate::number_stream::{known, write_numbers};
use crate::numbers::{Number, NumberCodec, in_order, numbers};
use crate::stream::{AT_A_TIME, Io, Lookahead, StreamError, encode_pieces};
use crate::{Entry, Experiment, Failure, Length, Parameter};
use bytelane::Detected;
use bytelane::stream_vbyte::{Format, Integer};

pub(crate) const ENTRY: Entry = Entry {
    name: "stream_vbyte",
    summary: "integers of 1 to 4 (or 8) bytes each, their lengths in control bytes",
    parameters: &[
        Parameter {
            name: "variant",
            default: Some("1234"),
            help: "possible bytes per value: `1234` or `0124` (32 bits), `1248` (64 bits)",
        },
        Parameter {
            name: "delta",
            default: Some("false"),
            help: "`true` to store differences, the first from 0",
        },
        Parameter {
            name: "zigzag",
            default: Some("false"),
            help: "`true` if values or differences can be negative",
        },
        Parameter {
            name: "block",
            default: Some("all"),
            help: "values per stream: 1 or more, or `all`. Only one block is held in \
                   memory; differences continue across blocks",
        },
        Parameter {
            name: "count",
            default: Some("unknown"),
            help: "number of values to decode, which is not stored",
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
        let count = parameters.optional("count", |_| true)?;
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
            title: "A block of a posting list, a list that fits the cache, and long lists",
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
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::stream_vbyte::open),
};

/// Division of a list into blocks.
#[derive(Clone, Copy)]
struct Blocks {
    /// Number of values per block.
    block: usize,
    /// Number of values to decode.
    count: Option<usize>,
}

impl Blocks {
    fn open<T: Integer + Number>(
        self,
        plain: Format<T>,
        delta: bool,
        zigzag: bool,
    ) -> Box<dyn crate::Codec> {
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

impl<T: Integer + Number> StreamVbyte<T> {
    /// Returns the format of the block that follows the value `last`; the first block follows 0.
    fn after(&self, last: T) -> Format<T> {
        if self.delta {
            self.format.delta(last)
        } else {
            self.format
        }
    }

    /// Encodes the blocks that follow the value `last`, and updates it. Returns their length.
    fn encode_after(
        &self,
        last: &mut T,
        backend: Detected,
        numbers: &[T],
        encoded: &mut [u8],
    ) -> Length {
        let mut at = 0;
        for block in numbers.chunks(self.blocks.block) {
            let format = self.after(*last);
            let written = format.encode_with(backend, block, &mut encoded[at..])?;
            at += written.len();
            *last = block[block.len() - 1];
        }
        Ok(at)
    }

    /// Decodes the block that follows the value `last` and begins `offset` bytes into the input,
    /// and updates `last`. Returns the length of the block.
    fn decode_after(
        &self,
        last: &mut T,
        backend: Detected,
        encoded: &[u8],
        offset: u64,
        block: &mut [T],
    ) -> Length {
        let format = self.after(*last);
        let read = format.decode_with(backend, encoded, &mut *block);
        let (_, read) = read.map_err(|error| match offset {
            0 => Failure::from(error),
            _ => format!("in the block at offset {offset}: {error}").into(),
        })?;
        *last = block.last().copied().unwrap_or_default();
        Ok(read)
    }
}

impl<T: Integer + Number> NumberCodec for StreamVbyte<T> {
    type Number = T;

    fn element(&self) -> String {
        let sign = if self.zigzag { 'i' } else { 'u' };
        format!("{sign}{}", 8 * size_of::<T>())
    }

    fn data(&self) -> &'static [&'static str] {
        &["mixed_widths", "gaps", "one_byte", "random"]
    }

    fn max_encoded_len(&self, count: usize) -> usize {
        let (blocks, rest) = (count / self.blocks.block, count % self.blocks.block);
        let whole = match blocks {
            0 => 0,
            many => many.saturating_mul(self.format.max_encoded_len(self.blocks.block)),
        };
        whole.saturating_add(self.format.max_encoded_len(rest))
    }

    fn max_count(&self, encoded: usize) -> usize {
        encoded.saturating_mul(4)
    }

    fn encode(&self, backend: Detected, numbers: &[T], to: &mut [u8]) -> Length {
        self.encode_after(&mut T::default(), backend, numbers, to)
    }

    fn decode(&self, backend: Detected, from: &[u8], to: &mut [T]) -> Length {
        let (mut last, mut at) = (T::default(), 0);
        for block in to.chunks_mut(self.blocks.block) {
            at += self.decode_after(&mut last, backend, &from[at..], at as u64, block)?;
        }
        Ok(at)
    }

    /// Returns whole blocks; many of them if they are small.
    fn piece(&self) -> Option<usize> {
        let block = self.blocks.block.checked_mul(size_of::<T>())?;
        block.checked_mul(usize::max(AT_A_TIME / block, 1))
    }

    fn encode_stream(&self, backend: Detected, io: Io<'_>) -> Result<(), StreamError> {
        let mut last = T::default();
        encode_pieces(io, self.piece(), |values, encoded| {
            let numbers = in_order(numbers::<T>(values)?);
            encoded.resize(self.max_encoded_len(numbers.len()), 0);
            self.encode_after(&mut last, backend, &numbers, encoded)
        })
    }

    /// Decodes block by block. The control bytes determine the length of a block; the maximum is
    /// buffered.
    fn decode_stream(&self, backend: Detected, io: Io<'_>) -> Result<(), StreamError> {
        let count = known(self.blocks.count)?;
        let mut encoded = Lookahead::new(io.input);
        let (mut left, mut last, mut values) = (count, T::default(), Vec::new());
        while left > 0 {
            let block = usize::min(left, self.blocks.block);
            encoded.fill(self.format.max_encoded_len(block))?;
            let (bytes, offset) = (encoded.bytes(), encoded.offset());
            // Reserve no memory for values whose control bytes, one for every four, are missing.
            if bytes.len() < block.div_ceil(4) {
                let end = offset + bytes.len() as u64;
                let refusal = format!("offset {end}: the input ends before {count} values");
                return Err(Failure::from(refusal).into());
            }
            values.resize(block, T::default());
            let read = self.decode_after(&mut last, backend, bytes, offset, &mut values)?;
            encoded.consume(read);
            left -= block;
            write_numbers(io.output, &mut values)?;
        }
        encoded.fill(1)?;
        if !encoded.bytes().is_empty() {
            let place = encoded.offset();
            let refusal = format!("offset {place}: unexpected data after {count} values");
            return Err(Failure::from(refusal).into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::AlignedBytes;
    use bytelane::Backend;
    use std::io::Read;

    /// Reads a few bytes at a time.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let few = usize::min(to.len(), 4099);
            self.0.read(&mut to[..few])
        }
    }

    /// Returns numbers of all lengths, as bytes.
    fn numbers(bytes: usize) -> AlignedBytes {
        let mut state = 1_u64;
        let mut numbers = AlignedBytes::default();
        numbers.resize(bytes);
        for eight in numbers.chunks_mut(8) {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let number = (state >> (state >> 58)).to_le_bytes();
            eight.copy_from_slice(&number[..eight.len()]);
        }
        numbers
    }

    fn encode_stream(parameters: &str, values: &[u8]) -> Vec<u8> {
        let codec = ENTRY.open(parameters).unwrap();
        let mut encoded = Vec::new();
        codec
            .encode_stream(Backend::active(), &mut Trickle(values), &mut encoded)
            .unwrap();
        encoded
    }

    fn decode_stream(parameters: &str, encoded: &[u8]) -> Result<Vec<u8>, String> {
        let codec = ENTRY.open(parameters).unwrap();
        let mut values = Vec::new();
        let result = codec.decode_stream(Backend::active(), &mut Trickle(encoded), &mut values);
        result.map(|()| values).map_err(|error| error.to_string())
    }

    #[test]
    fn streams_are_what_slices_are() {
        for case in ["variant=1234", "variant=0124", "variant=1248"] {
            for transform in ["", ",delta=true", ",delta=true,zigzag=true"] {
                for block in ["1", "7", "128", "16383", "50000", "all"] {
                    for count in [0, 1, 127, 128, 129, 40_000] {
                        let parameters = format!("{case}{transform},block={block},count={count}");
                        let codec = ENTRY.open(&parameters).unwrap();
                        let values = numbers(count * codec.width());
                        let mut whole = vec![0; codec.max_encoded_len(values.len())];
                        let length = codec.encode(Backend::active(), &values, &mut whole);
                        let encoded = encode_stream(&parameters, &values);
                        assert!(encoded == whole[..length.unwrap()], "{parameters}");
                        let decoded = decode_stream(&parameters, &encoded).unwrap();
                        assert!(decoded == *values, "{parameters}");
                    }
                }
            }
        }
    }

    #[test]
    fn errors_name_the_place_in_the_input() {
        let encoded = encode_stream("block=100", &numbers(1000 * 4));
        let length = encoded.len();
        let message = |parameters, encoded| decode_stream(parameters, encoded).unwrap_err();
        assert_eq!(
            message("block=100", &encoded),
            "decoding needs the parameter `count`, because the number of values is not stored"
        );
        assert_eq!(
            message("block=100,count=1100", &encoded),
            format!("offset {length}: the input ends before 1100 values")
        );
        let last = encode_stream("block=100", &numbers(900 * 4)).len();
        assert_eq!(
            message("block=100,count=900", &encoded),
            format!("offset {last}: unexpected data after 900 values")
        );
        let cut = message("block=100,count=1000", &encoded[..length - 1]);
        assert!(
            cut.starts_with(&format!("in the block at offset {last}: offset ")),
            "{cut}"
        );
        assert!(message("count=18446744073709551615", &encoded).contains("the input ends before"));
    }
}
