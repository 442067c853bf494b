//! Experiments, one file each: measurements, and how the page shows them.

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

/// Part of the report.
#[derive(Debug)]
pub struct Experiment {
    /// Name on the command line, and anchor on the page.
    pub name: &'static str,
    pub title: &'static str,
    /// Returns the steps of the measurement.
    pub steps: fn(&Settings) -> anyhow::Result<Vec<Step>>,
    /// Renders the figures.
    pub show: fn(&Report) -> anyhow::Result<Shown>,
}

/// Name of the experiment on the user's own files.
pub const FILES: &str = files::EXPERIMENT.name;

pub use files::list;

/// All experiments, in the order of the page. To add one, add a file, and a row here.
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

/// Section of the page.
#[derive(Debug, Default, Serialize)]
pub struct Shown {
    /// Result in one sentence.
    pub message: String,
    /// Description of the figures, in HTML.
    pub about: &'static str,
    /// Remark on these figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// Names whose colours need a legend: bars have labels of their own.
    pub legend: Vec<String>,
    pub figures: Vec<Figure>,
    pub tables: Vec<Table>,
    pub files: Vec<ShownFile>,
}

/// Table with names in the first column and figures in the others.
#[derive(Debug, Serialize)]
pub struct Table {
    pub caption: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}
