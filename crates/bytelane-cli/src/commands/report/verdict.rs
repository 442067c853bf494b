//! Verdict: one line per codec and operation, next to other libraries and published figures.

use super::model::Figures;
use super::record::{OtherLibrary, Record};
use crate::commands::bench::Case;
use bytelane::Backend;
use bytelane_catalog::plain::Level;
use bytelane_measure::row::Row;
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

/// Line of the verdict, with speeds in decoded gigabytes per second.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    pub codec: String,
    pub parameters: Option<String>,
    pub operation: String,
    #[serde(rename = "type")]
    pub element_type: String,
    pub data: String,
    pub values: u64,
    pub bytes: u64,
    pub memcpy_gb_per_s: f64,
    /// Plain loop, compiled for each level that ran, the lowest first.
    pub plain: Vec<Speed>,
    /// Backends that ran, the scalar code first.
    pub backends: Vec<Speed>,
    /// Fastest backend.
    pub best: &'static str,
    /// Backend that programs use, or the fastest one if that did not run.
    pub active: &'static str,
    /// Speed of the active backend as a share of memcpy's.
    pub of_memcpy: f64,
    /// Speed of the active backend, as a multiple of the plain loop compiled without options.
    pub gain: f64,
    /// Same gain over the loop compiled for the instruction set of the backend.
    pub gain_at_level: Option<f64>,
    /// Plain loop that the backend is compared with: that of its instruction set, if it ran.
    pub level: &'static str,
    /// Fastest other library in the newest record.
    pub other_library: Option<OtherLibrary>,
    pub published: &'static [Published],
}

impl Verdict {
    /// Returns the gain over the plain loop that the backend is compared with.
    pub fn equal_gain(&self) -> f64 {
        self.gain_at_level.unwrap_or(self.gain)
    }
}

/// Speed of a backend or a plain loop.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    pub backend: &'static str,
    pub gb_per_s: f64,
}

/// Returns the lines that have figures. `active` is the backend that programs use.
pub fn verdict(figures: &Figures, record: &Record, active: Backend) -> Vec<Verdict> {
    let lines = WORKLOADS.iter().flat_map(|workload| {
        let operations = [("encode", workload.encode), ("decode", workload.decode)];
        operations.map(|(operation, published)| {
            line((figures, record, active), workload, operation, published)
        })
    });
    lines.flatten().collect()
}

fn line(
    (figures, record, active): (&Figures, &Record, Backend),
    workload: &Workload,
    operation: &str,
    published: &'static [Published],
) -> Option<Verdict> {
    let &Workload {
        codec,
        parameters,
        data,
        values,
        ..
    } = workload;
    let rows: Vec<&Row> = figures
        .of(codec, parameters, operation, data)
        .filter(|row| !row.evicted && row.values == values as u64)
        .collect();
    let speed = |name: &str| {
        rows.iter()
            .find(|row| row.backend == name)
            .map(|row| row.gb_per_s)
    };
    let speeds = |names: &[&'static str]| -> Vec<Speed> {
        let ran = names.iter().filter_map(|&backend| {
            let gb_per_s = speed(backend)?;
            Some(Speed { backend, gb_per_s })
        });
        ran.collect()
    };
    let levels = Level::available();
    let plain = speeds(&levels.iter().map(|level| level.name()).collect::<Vec<_>>());
    let names = Backend::ALL.iter().map(|backend| backend.name());
    let backends = speeds(&names.collect::<Vec<_>>());
    let best = backends
        .iter()
        .max_by(|one, other| one.gb_per_s.total_cmp(&other.gb_per_s))?;
    let is_active = |speed: &&Speed| speed.backend == active.name();
    let used = backends.iter().find(is_active).unwrap_or(best);
    let gain_over = |level: Level| Some(used.gb_per_s / speed(level.name())?);
    let level = Level::of(used.backend.parse().ok()?);
    let first = rows.first()?;
    Some(Verdict {
        codec: first.codec.clone(),
        parameters: first.parameters.clone(),
        operation: first.operation.clone(),
        element_type: first.element_type.clone(),
        data: first.data.clone(),
        values: first.values,
        bytes: first.bytes,
        memcpy_gb_per_s: first.memcpy_gb_per_s,
        best: best.backend,
        active: used.backend,
        of_memcpy: used.gb_per_s / first.memcpy_gb_per_s,
        gain: gain_over(Level::TARGET)?,
        gain_at_level: gain_over(level),
        level: match speed(level.name()) {
            Some(_) => level.name(),
            None => Level::TARGET.name(),
        },
        other_library: record.of(workload, operation),
        plain,
        backends,
        published,
    })
}
