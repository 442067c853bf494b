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

const WIDTHS: [usize; 2] = [4, 8];

/// Further parameters, whether the buffers are evicted, and the name of the bars.
const STATES: [(&str, bool, &str); 3] = [
    ("", false, "in cache"),
    ("", true, "evicted"),
    (",stores=non_temporal", true, "evicted, non-temporal stores"),
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
    for width in WIDTHS {
        for (more, is_evicted, _) in STATES {
            let bytes = if is_evicted { evicted } else { IN_CACHE };
            let parameters = format!("width={width}{more}");
            let case = Case {
                evicted: is_evicted,
                ..Case::new(CODEC, &parameters, DATA, bytes / width)?
            };
            steps.push(Step::codec(case, settings));
        }
    }
    Ok(steps)
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    let figures = WIDTHS.iter().flat_map(|&width| {
        ["encode", "decode"].map(|operation| {
            let groups = STATES.iter().filter_map(|&(more, evicted, state)| {
                let parameters = format!("width={width}{more}");
                let rows = report.figures.of(CODEC, &parameters, operation, DATA);
                group(rows.filter(|row| row.evicted == evicted).collect(), state)
            });
            let bars = Bars {
                title: format!("f{}, {operation}", 8 * width),
                groups: groups.collect(),
            };
            bars.figure()
        })
    });
    Ok(Shown {
        message: message(report).unwrap_or_default(),
        about: ABOUT,
        figures: figures.collect(),
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

/// Returns the bars of rows in a state, without those of other experiments.
fn group(mut rows: Vec<&Row>, state: &str) -> Option<Group> {
    rows.retain(|row| {
        let bytes = row.bytes as usize;
        match row.evicted {
            true => (EVICTED_QUICK..=EVICTED).contains(&bytes),
            false => bytes == IN_CACHE,
        }
    });
    let bars = rows.iter();
    let bars = bars.map(|row| Bar::of(row, row.gb_per_s, gigabytes_per_second(row.gb_per_s)));
    Some(Group {
        name: format!("{}, {state}", bytes(rows.first()?.bytes)),
        bars: bars.collect(),
    })
}
