//! Lists of 12,345 big-endian numbers, as in Thrift's Binary protocol.

use super::section::{Experiment, Shown};
use crate::commands::bench::Case;
use crate::commands::report::figures::{grouped, percent, times};
use crate::commands::report::measurements::gain;
use crate::commands::report::model::Report;
use crate::commands::report::plot::{Bar, Bars, Group};
use crate::commands::report::steps::{Settings, Step};
use bytelane_measure::row::Row;

pub const EXPERIMENT: Experiment = Experiment {
    name: "lists",
    title: "Thrift's binary lists of 12,345 numbers",
    steps,
    show,
};

const CODEC: &str = "big_endian";
const DATA: &str = "random";
const VALUES: usize = 12_345;
const WIDTHS: [(usize, &str); 3] = [(2, "width=2"), (4, "width=4"), (8, "width=8")];

const ABOUT: &str = "\
<p>The numbers of a list, converted in one call into existing memory, in Rust. A study of Kitex's lists in \
Go with AVX2 reported 11,875 ns before and 1,753 ns after for i64, and 12,580 and 907 ns for i32. \
<code>unvectorised</code> is a loop that swaps one value at a time. The benchmarks of the Go module are \
not part of this page: in the directory <code>go/</code>, run <code>go test -bench . ./bigendian</code> \
for the kernels and <code>compare/record.sh NAME</code> for whole lists compared with Kitex and other \
libraries.</p>";

fn steps(settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let cases = WIDTHS.iter();
    let cases = cases.map(|(_, parameters)| Case::new(CODEC, parameters, DATA, VALUES));
    Step::codecs(cases, settings)
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    let drawings = [("encode", "write"), ("decode", "read")].map(|(operation, verb)| {
        let groups = WIDTHS.iter().map(|&(width, parameters)| {
            let rows = report.figures.of(CODEC, parameters, operation, DATA);
            Group {
                name: format!("list<i{}>", 8 * width),
                bars: rows
                    .filter(|row| row.values == VALUES as u64)
                    .map(bar)
                    .collect(),
            }
        });
        let bars = Bars {
            title: format!("{verb}, nanoseconds per list: shorter is faster"),
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
    let &(width, parameters) = WIDTHS.last()?;
    let rows = report.of_active_backend(|row| {
        let of_codec = row.codec == CODEC && row.parameters.as_deref() == Some(parameters);
        of_codec && row.operation == "encode" && row.values == VALUES as u64
    });
    let row = rows.first()?;
    Some(format!(
        "A list<i{}> is written in {} ns, {} as fast as by the plain loop and at {} of memcpy’s speed.",
        8 * width,
        grouped(row.ns.round() as u64),
        times(gain(row)?),
        percent(row.of_memcpy),
    ))
}

fn bar(row: &Row) -> Bar {
    let text = format!("{} ns", grouped(row.ns.round() as u64));
    Bar::of(row, row.ns, text)
}
