//! Row of `byte_stream_split`.

use crate::{Codec, Decoded, Entry, Experiment, Failure, Length, Parameter};
use bytelane::byte_stream_split::Width;
use bytelane::{Backend, Detected};

pub(crate) const ENTRY: Entry = Entry {
    name: "byte_stream_split",
    summary: "Parquet's BYTE_STREAM_SPLIT: byte 0 of every value, then byte 1 of every value, ..",
    parameters: &[
        Parameter {
            name: "width",
            default: None,
            help: "bytes per value, 1 or more",
        },
        Parameter {
            name: "block",
            default: Some("all"),
            help: "values per block: 1 or more, or `all`. Only one block is held in \
                   memory",
        },
        Parameter {
            name: "stores",
            default: Some("auto"),
            help: "`auto`, or `non_temporal` if the result is not read soon",
        },
    ],
    open: |parameters| {
        let width = parameters.get("width", |&width| width > 0)?;
        let all = parameters.get("block", |block: &String| block == "all");
        let block = match all {
            Ok(_) => None,
            Err(_) => Some(parameters.get("block", |&values: &usize| {
                values > 0 && values.checked_mul(width).is_some()
            })?),
        };
        let stores = parameters.get("stores", |word: &String| {
            word == "auto" || word == "non_temporal"
        })?;
        let plain = Width::new(width).expect("it was checked");
        let width = match stores.as_str() {
            "non_temporal" => plain.non_temporal(),
            _ => plain,
        };
        Ok(Box::new(ByteStreamSplit { width, block }))
    },
    cases: &[
        "width=1",
        "width=2",
        "width=3",
        "width=4",
        "width=5",
        "width=6",
        "width=7",
        "width=8",
        "width=12",
        "width=16",
        "width=20",
        "width=32",
        "width=4,stores=non_temporal",
        "width=8,stores=non_temporal",
    ],
    experiments: &[
        Experiment {
            title: "The sizes of the NEON port: 1024 to 65536 values",
            cases: &["width=4", "width=8"],
            data: &["smooth"],
            values: &[1024, 4096, 32_768, 65_536],
            evicted: false,
        },
        Experiment {
            title: "1 MiB in cache",
            cases: &["width=4"],
            data: &["smooth"],
            values: &[262_144],
            evicted: false,
        },
        Experiment {
            title: "1 MiB in cache",
            cases: &["width=8"],
            data: &["smooth"],
            values: &[131_072],
            evicted: false,
        },
        Experiment {
            title: "32 MiB evicted from the caches",
            cases: &["width=4", "width=4,stores=non_temporal"],
            data: &["smooth"],
            values: &[8_388_608],
            evicted: true,
        },
        Experiment {
            title: "32 MiB evicted from the caches",
            cases: &["width=8", "width=8,stores=non_temporal"],
            data: &["smooth"],
            values: &[4_194_304],
            evicted: true,
        },
    ],
    #[cfg(feature = "plain")]
    plain: Some(crate::plain::byte_stream_split::open),
};

struct ByteStreamSplit {
    width: Width,
    block: Option<usize>,
}

impl Codec for ByteStreamSplit {
    fn element(&self) -> String {
        match self.width.get() {
            1 => "u8".to_owned(),
            2 => "f16".to_owned(),
            4 => "f32".to_owned(),
            8 => "f64".to_owned(),
            width => format!("fixed{width}"),
        }
    }

    fn width(&self) -> usize {
        self.width.get()
    }

    fn data(&self) -> &'static [&'static str] {
        &["smooth", "decimals", "random"]
    }

    fn max_encoded_len(&self, values: usize) -> usize {
        values
    }

    fn max_decoded_len(&self, encoded: usize) -> usize {
        encoded
    }

    fn encode(&self, backend: Backend, values: &[u8], to: &mut [u8]) -> Length {
        let backend = Detected::new(backend)?;
        Ok(self.width.encode_with(backend, values, to)?.len())
    }

    fn decode(&self, backend: Backend, from: &[u8], to: &mut [u8]) -> Result<Decoded, Failure> {
        let backend = Detected::new(backend)?;
        let written = self.width.decode_with(backend, from, to)?.len();
        let read = from.len();
        Ok(Decoded { read, written })
    }

    fn piece(&self) -> Option<usize> {
        self.block.map(|values| values * self.width.get())
    }
}
