//! The user's own columns.

use super::parquet::{compared, steps_of};
use super::{Experiment, Shown};
use crate::commands::bench::parquet::Input;
use crate::commands::report::model::Report;
use crate::commands::report::steps::{Settings, Step};

pub const EXPERIMENT: Experiment = Experiment {
    name: "files",
    title: "Your own columns",
    steps,
    show,
};

/// Bytes of a value in the estimate of the time that a file takes.
const WIDTH: u64 = 8;

const ABOUT: &str = "\
<p>The files that you named, each as one column of a Parquet file, written and read as in the experiment \
on Parquet columns. Which encodings suit a whole Parquet file is not part of this page; \
<code>bytelane inspect</code> shows those that it has.</p>";

fn steps(settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let mut steps = Vec::new();
    for path in &settings.files {
        let input = Input::File(path.clone());
        // What cannot be read ends the run before it begins.
        let values = input.load()?.bytes as u64 / WIDTH;
        steps.extend(steps_of(
            vec![input],
            values as usize,
            settings,
            |figures, row| {
                figures.files.push(row);
            },
        )?);
    }
    Ok(steps)
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    compared(ABOUT, report.figures.files.iter())
}
