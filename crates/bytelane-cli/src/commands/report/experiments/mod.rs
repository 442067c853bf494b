//! The experiments, one file each: what each measures, and how the page shows it.

mod distributions;
mod entropy;
mod evicted;
mod files;
mod lists;
mod parquet;
mod scatter;
mod sizes;
mod thrift;
mod widths;

use super::model::Report;
use super::plot::Figure;
use super::steps::{Settings, Step};
use files::ShownFile;
use serde::Serialize;

/// One part of the report.
#[derive(Debug)]
pub struct Experiment {
    /// Its name on the command line, and the anchor on the page.
    pub name: &'static str,
    pub title: &'static str,
    /// Steps of the measurement.
    pub steps: fn(&Settings) -> anyhow::Result<Vec<Step>>,
    /// How its figures are shown.
    pub show: fn(&Report) -> anyhow::Result<Shown>,
}

/// The name of the experiment on the user's own files.
pub const FILES: &str = files::EXPERIMENT.name;

pub use files::list;

/// Every experiment, in the order of the page. A new one is a file and a row here.
pub static EXPERIMENTS: &[Experiment] = &[
    files::EXPERIMENT,
    sizes::EXPERIMENT,
    evicted::EXPERIMENT,
    parquet::EXPERIMENT,
    entropy::EXPERIMENT,
    distributions::EXPERIMENT,
    widths::EXPERIMENT,
    thrift::EXPERIMENT,
    lists::EXPERIMENT,
];

/// A section of the page.
#[derive(Debug, Default, Serialize)]
pub struct Shown {
    /// The result in one sentence.
    pub message: String,
    /// Description of the figures, in HTML.
    pub about: &'static str,
    /// Remark on these figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// Whose colours need to be named: bars name theirs.
    pub legend: Vec<String>,
    pub figures: Vec<Figure>,
    pub tables: Vec<Table>,
    pub files: Vec<ShownFile>,
}

/// A table: names in the first column, figures in the others.
#[derive(Debug, Serialize)]
pub struct Table {
    pub caption: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}
