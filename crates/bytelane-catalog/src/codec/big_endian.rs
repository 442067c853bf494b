//! Row of `big_endian`.

use crate::numbers::{numbers, numbers_mut, to_little_endian};
use crate::{Codec, Decoded, Entry, Experiment, Failure, Length, Parameter};
use bytelane::{Backend, Detected, Value, big_endian};
use bytemuck::Pod;

pub(crate) const ENTRY: Entry = Entry {
    name: "big_endian",
    summary: "numbers in network byte order, as in lists of Thrift's Binary protocol",
    parameters: &[Parameter {
        name: "width",
        default: None,
        help: "bytes per value: 1, 2, 4 or 8",
    }],
    open: |parameters| {
        let width = parameters.get("width", |width| [1, 2, 4, 8].contains(width))?;
        Ok(Box::new(BigEndian { width }))
    },
    cases: &["width=1", "width=2", "width=4", "width=8"],
    experiments: &[
        Experiment {
            title: "Lists of 16, 1000 and 12,345 numbers, and of a million",
            cases: &["width=2", "width=4", "width=8"],
            data: &["random"],
            values: &[16, 1000, 12_345, 1_000_000],
            evicted: false,
        },
        Experiment {
            title: "A long array, much larger than the caches",
            cases: &["width=4"],
            data: &["random"],
            values: &[100_000_000],
            evicted: false,
        },
    ],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::big_endian::open),
};

struct BigEndian {
    width: usize,
}

impl Codec for BigEndian {
    fn element(&self) -> String {
        format!("i{}", 8 * self.width)
    }

    fn width(&self) -> usize {
        self.width
    }

    fn data(&self) -> &'static [&'static str] {
        &["random"]
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        values
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        encoded
    }

    fn encode(&self, backend: Backend, values: &[u8], to: &mut [u8]) -> Length {
        let encode = match self.width {
            1 => encode::<u8>,
            2 => encode::<u16>,
            4 => encode::<u32>,
            _ => encode::<u64>,
        };
        encode(Detected::new(backend)?, values, to)
    }

    fn decode(&self, backend: Backend, from: &[u8], to: &mut [u8]) -> Result<Decoded, Failure> {
        let decode = match self.width {
            1 => decode::<u8>,
            2 => decode::<u16>,
            4 => decode::<u32>,
            _ => decode::<u64>,
        };
        Ok(Decoded {
            read: from.len(),
            written: decode(Detected::new(backend)?, from, to)?,
        })
    }

    fn piece(&self) -> Option<usize> {
        Some(1 << 16)
    }
}

// The codec works on the machine's own numbers: on a big-endian machine it has not changed anything
// yet, and the values are little-endian here on every machine.

fn encode<T: Value + Pod>(backend: Detected, values: &[u8], to: &mut [u8]) -> Length {
    let written = big_endian::encode_with(backend, numbers::<T>(values)?, to)?;
    to_little_endian::<T>(written);
    Ok(written.len())
}

fn decode<T: Value + Pod>(backend: Detected, from: &[u8], to: &mut [u8]) -> Length {
    let written = big_endian::decode_with(backend, from, numbers_mut::<T>(to)?)?;
    let length = size_of_val(written);
    to_little_endian::<T>(&mut to[..length]);
    Ok(length)
}
