//! Collects the findings of a check.

use bytelane_parquet::error::Place;
use bytelane_parquet::input::serialize_path;
use bytelane_parquet::{Error, Problem, Result};
use serde::Serialize;
use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// Outcome of [`check`](super::check).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Checked {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of rows according to the footer.
    pub rows: u64,
    /// Number of row groups.
    pub row_groups: usize,
    /// Number of pages.
    pub pages: u64,
    /// Set if values were checked.
    pub values: bool,
    /// Result in a few words, such as `1 error, 2 warnings; values not read`.
    pub summary: String,
    /// All findings.
    pub findings: Vec<Finding>,
}

impl Checked {
    /// Sets the findings, and the summary of what was checked.
    pub(super) fn finish(mut self, findings: Findings) -> Self {
        self.findings = findings.findings;
        self.summarize();
        self
    }

    /// Adds the outcome of another file.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.bytes += other.bytes;
        self.rows = self.rows.saturating_add(other.rows);
        self.row_groups += other.row_groups;
        self.pages += other.pages;
        self.values &= other.values;
        self.findings.extend(other.findings);
        self.summarize();
        self
    }

    fn summarize(&mut self) {
        let count = |severity: Severity, name: &str| {
            let findings = self.findings.iter();
            let count = findings.filter(|it| it.severity == severity).count();
            let ending = if count == 1 { "" } else { "s" };
            format!("{count} {name}{ending}")
        };
        let found = if !self.findings.is_empty() {
            let errors = count(Severity::Error, "error");
            format!("{errors}, {}", count(Severity::Warning, "warning"))
        } else if self.values {
            "nothing is wrong".to_owned()
        } else {
            "structure is consistent".to_owned()
        };
        let limit = if self.values { "" } else { "; values not read" };
        self.summary = format!("{found}{limit}");
    }
}

/// Outcome of [`check_order`](super::check_order).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CheckedOrder {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Paths of the sorting columns of the first row group that has any, the most significant one first; `descending`
    /// follows the path.
    pub promised: Vec<String>,
    /// First row group whose rows are not sorted.
    pub findings: Vec<Finding>,
}

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// Readers may fail, or return other rows than were written.
    Error,
    /// Readers can cope with it.
    Warning,
}

/// Fault in a file.
///
/// Displayed as `FILE, row group 2, column price, page 7: error: PROBLEM`, without unknown parts of
/// the location.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// Severity of the fault.
    pub severity: Severity,
    /// Path of the file.
    #[serde(serialize_with = "serialize_path")]
    pub file: PathBuf,
    /// Row group, counted from 0.
    pub row_group: Option<usize>,
    /// Path of the column, with names separated by dots.
    pub column: Option<String>,
    /// Data page within the column chunk, counted from 0.
    pub page: Option<usize>,
    /// Description of the problem.
    pub problem: String,
}

impl Finding {
    /// Returns the location of the fault.
    #[must_use]
    pub fn place(&self) -> Place {
        let mut place = Place::default();
        place.file = Some(self.file.clone());
        place.row_group = self.row_group;
        place.column = self.column.clone();
        place.page = self.page;
        place
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: {}", self.place(), self.severity, self.problem)
    }
}

/// Maximum number of findings of each kind to report per column; more would add nothing.
const TOLD: usize = 5;

/// Findings so far, and the location being checked.
pub(super) struct Findings {
    file: PathBuf,
    row_group: Option<usize>,
    column: Option<String>,
    findings: Vec<Finding>,
    /// Texts of the findings.
    told: HashSet<String>,
}

impl Findings {
    pub(super) fn new(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            row_group: None,
            column: None,
            findings: Vec::new(),
            told: HashSet::new(),
        }
    }

    pub(super) fn enter_row_group(&mut self, index: usize) {
        self.row_group = Some(index);
        self.column = None;
    }

    pub(super) fn leave_row_group(&mut self) {
        self.row_group = None;
        self.column = None;
    }

    pub(super) fn enter_column(&mut self, column: String) {
        self.column = Some(column);
    }

    pub(super) fn leave_column(&mut self) {
        self.column = None;
    }

    pub(super) fn count(&self) -> usize {
        self.findings.len()
    }

    pub(super) fn error(&mut self, problem: impl Into<String>) {
        self.add(Severity::Error, None, problem.into());
    }

    pub(super) fn warning(&mut self, problem: impl Into<String>) {
        self.add(Severity::Warning, None, problem.into());
    }

    pub(super) fn error_in_page(&mut self, page: usize, problem: impl Into<String>) {
        self.add(Severity::Error, Some(page), problem.into());
    }

    /// Adds an error of a reader. Returns it if the file could not be read at all.
    pub(super) fn add_error(&mut self, error: Error) -> Result<()> {
        if let Problem::Io(_) | Problem::Cancelled = error.problem() {
            return Err(error);
        }
        let severity = match error.problem() {
            Problem::Unsupported(_) | Problem::MemoryLimit { .. } | Problem::TooManyRows { .. } => {
                Severity::Warning
            }
            _ => Severity::Error,
        };
        let place = error.place();
        let (column, page) = (place.column.clone(), place.page);
        let outside = self.column.take();
        self.column = column.or(outside.clone());
        self.add(severity, page, error.problem().to_string());
        self.column = outside;
        Ok(())
    }

    fn add(&mut self, severity: Severity, page: Option<usize>, problem: String) {
        let finding = Finding {
            severity,
            file: self.file.clone(),
            row_group: self.row_group,
            column: self.column.clone(),
            page,
            problem,
        };
        let here = |it: &&Finding| {
            (it.row_group, &it.column) == (finding.row_group, &finding.column)
                && it.page.is_some()
                && finding.page.is_some()
        };
        let told = self.findings.iter().rev().take_while(here).count();
        if told < TOLD && self.told.insert(finding.to_string()) {
            self.findings.push(finding);
        }
    }

    pub(super) fn finish(self) -> Vec<Finding> {
        self.findings
    }
}
