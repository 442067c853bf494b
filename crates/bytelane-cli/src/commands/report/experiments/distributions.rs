//! Stream VByte by the distribution of its integers.

use super::section::{Experiment, Shown};
use crate::commands::bench::Case;
use crate::commands::report::figures::{figure, times};
use crate::commands::report::measurements::gain;
use crate::commands::report::model::Report;
use crate::commands::report::plot::{Bar, Bars, Group};
use crate::commands::report::steps::{Settings, Step};
use bytelane_measure::row::Row;

pub const EXPERIMENT: Experiment = Experiment {
    name: "stream-vbyte",
    title: "Stream VByte by distribution",
    steps,
    show,
};

const CODEC: &str = "stream_vbyte";

/// Number of values: more than any branch predictor remembers.
const VALUES: usize = 100_000;

/// Parameters and data, from the shortest codes to the longest.
const DISTRIBUTIONS: &[(&str, &str, &str)] = &[
    ("variant=1234", "one_byte", "0 to 63"),
    ("variant=1234,delta=true", "gaps", "sorted, as differences"),
    (
        "variant=1234",
        "two_bytes",
        "-4096 to 4095, half of them small",
    ),
    ("variant=1234", "mixed_widths", "5 to 32 random bits"),
    ("variant=1234", "random", "32 random bits"),
];

const ABOUT: &str = "\
<p>100,000 integers of 32 bits per call. The scalar decoder branches on lengths that cannot be predicted; \
the vector code has no such branch. The NEON port of the format's C library was reported at 1.1 billion \
integers per second on random data, compared with 0.26 without vectors and 1.7 for memcpy (Cortex-A57; \
D. Lemire, 27 October 2017).</p>";

fn steps(settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let cases = DISTRIBUTIONS.iter();
    let cases = cases.map(|(parameters, data, _)| Case::new(CODEC, parameters, data, VALUES));
    Step::codecs(cases, settings)
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    let drawings = ["encode", "decode"].map(|operation| {
        let groups = DISTRIBUTIONS
            .iter()
            .filter_map(|&(parameters, data, about)| {
                let rows = report.figures.of(CODEC, parameters, operation, data);
                let rows: Vec<&Row> = rows.filter(|row| row.values == VALUES as u64).collect();
                let encoded = rows.first()?.extra.get("encoded_bytes")?.as_f64()?;
                let bits = figure(8.0 * encoded / VALUES as f64);
                Some(Group {
                    name: format!("{about} ({bits} bits each)"),
                    bars: rows.iter().map(|row| bar(row)).collect(),
                })
            });
        let bars = Bars {
            title: format!("{operation}, billions of integers per second"),
            groups: groups.collect(),
        };
        bars.figure()
    });
    Ok(Shown {
        message: message(report).unwrap_or_default(),
        about: ABOUT,
        figures: drawings.into(),
        ..Shown::default()
    })
}

fn message(report: &Report) -> Option<String> {
    let (parameters, data, about) = DISTRIBUTIONS.last()?;
    let rows = report.of_active_backend(|row| {
        let of_codec = row.codec == CODEC && row.parameters.as_deref() == Some(parameters);
        of_codec && row.operation == "decode" && row.data == *data && row.values == VALUES as u64
    });
    let row = rows.first()?;
    Some(format!(
        "Of {about}, the active backend decodes {} billion integers per second, {} as many as the plain loop.",
        figure(row.values as f64 / row.ns),
        times(gain(row)?),
    ))
}

fn bar(row: &Row) -> Bar {
    let billions = row.values as f64 / row.ns;
    Bar::of(row, billions, figure(billions))
}
