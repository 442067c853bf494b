//! Results of `advise` for the user's own files.

mod list;
pub mod shown;

pub use list::list;

use super::section::{Experiment, Shown};
use crate::commands::report::figures::percent;
use crate::commands::report::measurements::Figures;
use crate::commands::report::model::Report;
use crate::commands::report::steps::{Settings, Step};
use bytelane_parquet_files::advise::{Advice, AdviseOptions, Advisor};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

pub const EXPERIMENT: Experiment = Experiment {
    name: "files",
    title: "Your own files",
    steps,
    show,
};

/// Number of rows of a column to try.
const ROWS_QUICK: usize = 1 << 16;
const ROWS: usize = 1 << 18;

/// Estimated nanoseconds for trying every encoding: per byte of values, and per column.
const NANOSECONDS: u64 = 300;
const COLUMN: Duration = Duration::from_millis(5);

const ABOUT: &str = "\
<p>The results of <code>bytelane advise</code> for your files. Parts of each column were encoded in every encoding; \
sizes and choices are estimated from these, and <code>bytelane rewrite</code> makes the same choices. Entropy is in \
bits per value of a sample. The columns that save most come first. For another goal, other readers or another \
compression, see <code>bytelane advise --help</code>.</p>";

fn steps(settings: &Settings) -> anyhow::Result<Vec<Step>> {
    let rows = if settings.quick { ROWS_QUICK } else { ROWS };
    let options = AdviseOptions::default().with_rows(rows);
    let mut steps = Vec::new();
    for path in &settings.files {
        // An unreadable file ends the run before it begins.
        steps.extend(steps_of(path, Advisor::open(path, &options)?));
    }
    Ok(steps)
}

/// Returns a step for each column; the last one produces the advice.
fn steps_of(path: &Path, advisor: Advisor) -> Vec<Step> {
    // A file without columns gets advice, too.
    let count = advisor.columns().max(1);
    let times: Vec<Duration> = (0..count)
        .map(|column| COLUMN + Duration::from_nanos(NANOSECONDS * advisor.bytes_to_try(column)))
        .collect();
    let advisor = Rc::new(RefCell::new(advisor));
    let steps = times.into_iter().enumerate().map(|(column, expected)| {
        let advisor = Rc::clone(&advisor);
        let run = move |_: &Settings, figures: &mut Figures| {
            let mut advisor = advisor.borrow_mut();
            advisor.advise_next()?;
            if column + 1 == count {
                figures.files.push(advisor.advice());
            }
            Ok(())
        };
        Step {
            label: format!("{}, column {} of {count}", path.display(), column + 1),
            expected,
            run: Box::new(run),
        }
    });
    steps.collect()
}

fn show(report: &Report) -> anyhow::Result<Shown> {
    Ok(Shown {
        message: message(report).unwrap_or_default(),
        about: ABOUT,
        files: shown::of(&report.figures.files),
        ..Shown::default()
    })
}

fn message(report: &Report) -> Option<String> {
    let files = &report.figures.files;
    let now: u64 = files.iter().map(Advice::bytes_now).sum();
    let then = files.iter().map(Advice::bytes_then).sum::<u64>().min(now);
    (now > 0).then(|| {
        let saved = percent(1.0 - then as f64 / now as f64);
        format!("With the best encodings, the columns would take about {saved} less.")
    })
}
