//! BYTE_STREAM_SPLIT in cache and from memory: figure 4 of its proposal.

use super::section::{Experiment, Shown};
use crate::commands::bench::Case;
use crate::commands::report::figures::{bytes, gigabytes_per_second, median, percent};
use crate::commands::report::model::Report;
use crate::commands::report::plot::{Bar, Bars, Group};
use crate::commands::report::steps::{Settings, Step};
use bytelane_measure::row::Row;

pub const EXPERIMENT: Experiment = Experiment {
    name: "memory",
    title: "BYTE_STREAM_SPLIT in cache and from memory",
    steps,
    show,
};

const CODEC: &str = "byte_stream_split";
const DATA: &str = "smooth";
const IN_CACHE: usize = 1 << 20;
const EVICTED: usize = 32 << 20;

/// A short run evicts less, because the eviction takes most of the time.
const EVICTED_QUICK: usize = 4 << 20;

/// Widths, each with plain stores and with stores that bypass the caches.
const WIDTHS: [(usize, &str, &str); 2] = [
    (4, "width=4", "width=4,stores=non_temporal"),
    (8, "width=8", "width=8,stores=non_temporal"),
];

const ABOUT: &str = "\
<p>Before each evicted call, input and output are flushed from every cache. The proposal of the \
encoding (M. Radev, 2019, SSE2 on a Sandy Bridge) measured the encoder at a little over half of memcpy’s \
speed in cache and the decoder close to it; evicted, all came close to memcpy. <code>unvectorised</code> \
is the slowest of its loops: a byte at a time, compiled without vector instructions. A streaming copy \
bypasses the caches, as the codec does with <code>stores=non_temporal</code>.</p>";

fn steps(settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let evicted = if settings.quick {
        EVICTED_QUICK
    } else {
        EVICTED
    };
    let mut steps = Vec::new();
    for (width, plain, non_temporal) in WIDTHS {
        for (parameters, bytes, evicted) in [
            (plain, IN_CACHE, false),
            (plain, evicted, true),
            (non_temporal, evicted, true),
        ] {
            let case = Case {
                evicted,
                ..Case::new(CODEC, parameters, DATA, bytes / width)?
            };
            steps.push(Step::codec(case, settings));
        }
    }
    Ok(steps)
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    let mut drawings = Vec::new();
    for (width, plain, non_temporal) in WIDTHS {
        for operation in ["encode", "decode"] {
            let groups = [
                group(report, plain, operation, false, "in cache"),
                group(report, plain, operation, true, "evicted"),
                group(
                    report,
                    non_temporal,
                    operation,
                    true,
                    "evicted, non-temporal stores",
                ),
            ];
            let bars = Bars {
                title: format!("f{}, {operation}", 8 * width),
                groups: groups.into_iter().flatten().collect(),
            };
            drawings.push(bars.figure()?);
        }
    }
    Ok(Shown {
        message: message(report).unwrap_or_default(),
        about: ABOUT,
        figures: drawings,
        ..Shown::default()
    })
}

fn message(report: &Report) -> Option<String> {
    let is_of_codec = |row: &Row| row.codec == CODEC && row.data == DATA;
    let in_cache = report
        .of_active_backend(|row| is_of_codec(row) && !row.evicted && row.bytes == IN_CACHE as u64);
    let evicted = report.of_active_backend(|row| is_of_codec(row) && row.evicted);
    let share = median(in_cache.iter().map(|row| row.of_memcpy))?;
    let of_best_copy = |row: &&Row| row.extra.get("of_best_copy")?.as_f64();
    let best = evicted.iter().filter_map(of_best_copy).reduce(f64::max)?;
    Some(format!(
        "In cache, the active backend reaches {} of memcpy’s speed (median); from memory, up to {} of the faster of two copies.",
        percent(share),
        percent(best),
    ))
}

fn group(
    report: &Report,
    parameters: &str,
    operation: &str,
    evicted: bool,
    state: &str,
) -> Option<Group> {
    let wanted = if evicted {
        EVICTED_QUICK..=EVICTED
    } else {
        IN_CACHE..=IN_CACHE
    };
    let rows: Vec<_> = report
        .figures
        .of(CODEC, parameters, operation, DATA)
        .filter(|row| row.evicted == evicted && wanted.contains(&(row.bytes as usize)))
        .collect();
    let first = rows.first()?;
    Some(Group {
        name: format!("{}, {state}", bytes(first.bytes)),
        bars: rows
            .iter()
            .map(|row| Bar::of(row, row.gb_per_s, gigabytes_per_second(row.gb_per_s)))
            .collect(),
    })
}
