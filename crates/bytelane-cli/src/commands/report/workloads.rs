//! Workloads of the verdict, one or more for each codec, with published figures.

use crate::commands::bench::Case;
use serde::Serialize;

/// Publication of a figure.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Source {
    pub name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<&'static str>,
}

const RADEV: Source = Source {
    name: "M. Radev, Arrow C++ with SSE2, Sandy Bridge i7-3930K, 2019 and 2020",
    address: Some("https://github.com/apache/arrow/pull/6679"),
};
const ALTRA: Source = Source {
    name: "NEON port of Arrow C++'s kernels, Ampere Altra",
    address: None,
};
const LEMIRE: Source = Source {
    name: "D. Lemire on the NEON port of the C library by K. Willets, Cortex-A57, 2017",
    address: None,
};
const FBTHRIFT: Source = Source {
    name: "fbthrift's ProtocolBench with NEON, Neoverse V2, 2024: whole messages",
    address: Some("https://github.com/facebook/fbthrift/pull/632"),
};
const KITEX: Source = Source {
    name: "Kitex's binary lists in Go with AVX2",
    address: None,
};

/// Figures that others have published for the same operation.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Published {
    pub figures: &'static str,
    pub source: Source,
}

const fn published(figures: &'static str, source: Source) -> Published {
    Published { figures, source }
}

/// Workload that represents its codec.
#[derive(Debug)]
pub struct Workload {
    pub codec: &'static str,
    pub parameters: &'static str,
    pub data: &'static str,
    pub values: usize,
    pub encode: &'static [Published],
    pub decode: &'static [Published],
}

/// Lines of the verdict. Published figures come from older, different machines: they show the gain
/// there, not a target for this machine.
pub static WORKLOADS: &[Workload] = &[
    workload("byte_stream_split", "width=4", "smooth", 65_536).published(
        &[
            published("a little over half of memcpy", RADEV),
            published("no gain over the compiler's vectors", ALTRA),
        ],
        &[
            published("2.76 → 21.1 GB/s at 4,096 values, nearly memcpy", RADEV),
            published("22.0 → 26.1 GB/s", ALTRA),
        ],
    ),
    workload("byte_stream_split", "width=8", "smooth", 65_536).published(
        &[
            published("a little over half of memcpy", RADEV),
            published("1.78 → 14.1 GB/s", ALTRA),
        ],
        &[
            published("nearly memcpy", RADEV),
            published("no gain over the compiler's vectors", ALTRA),
        ],
    ),
    workload("big_endian", "width=4", "random", 12_345)
        .published(&[published("12,580 → 907 ns (13.9×)", KITEX)], &[]),
    workload("big_endian", "width=8", "random", 12_345)
        .published(&[published("11,875 → 1,753 ns (6.8×)", KITEX)], &[]),
    workload("stream_vbyte", "variant=1234", "mixed_widths", 100_000).published(
        &[],
        &[published(
            "0.26 → 1.1 billion integers per second (4.2×), 0.65 of memcpy",
            LEMIRE,
        )],
    ),
    workload("varint", "type=i32", "mixed_widths", 12_345),
    workload("varint", "type=u64", "mixed_widths", 12_345),
    workload("base64", "", "random", 64 << 10).published(
        &[published("6.6× (unrolled, not vectorised)", FBTHRIFT)],
        &[published("11×", FBTHRIFT)],
    ),
    workload("json_string", "", "prose", 64 << 10).published(
        &[published("14.8×", FBTHRIFT)],
        &[published("5.6×", FBTHRIFT)],
    ),
    workload("json_string", "", "escapes_1", 64 << 10),
    workload("utf8", "", "latin", 64 << 10),
    workload("bit_packing", "type=u32,width=13", "bits_13", 32_768),
    workload("delta", "type=i64", "timestamps", 100_000),
    workload("rle_hybrid", "type=u32,width=10", "below_1000", 20_000),
];

const fn workload(
    codec: &'static str,
    parameters: &'static str,
    data: &'static str,
    values: usize,
) -> Workload {
    Workload {
        codec,
        parameters,
        data,
        values,
        encode: &[],
        decode: &[],
    }
}

impl Workload {
    const fn published(
        self,
        encode: &'static [Published],
        decode: &'static [Published],
    ) -> Workload {
        Workload {
            encode,
            decode,
            ..self
        }
    }

    /// Returns the benchmark case of the workload.
    pub fn case(&self) -> anyhow::Result<Case> {
        Case::new(self.codec, self.parameters, self.data, self.values)
    }
}
