//! Part of the report, and the section of the page that shows it.

use super::files::shown::ShownFile;
use super::table::Table;
use crate::commands::report::model::Report;
use crate::commands::report::plot::Figure;
use crate::commands::report::steps::{Settings, Step};
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
