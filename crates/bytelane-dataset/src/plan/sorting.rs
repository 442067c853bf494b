//! Advises on sort orders: how much each would save, and whether the order that files promise is true.

use super::advice::{ClassAdvice, Spread, share};
use super::sort_sample::SortSample;
use super::{PlanOptions, Unreadable};
use crate::root::Root;
use crate::{Error, Result};
use bytelane_parquet_files::check::check_order;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Maximum number of columns of an order.
const LONGEST: usize = 3;

/// Maximum number of columns to try.
const TRIED: usize = 64;

/// Fraction of the bytes that another column in an order must save.
const WORTHWHILE: f64 = 0.01;

/// Sort order for files with the same schema and the same encodings, measured on their sample.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SortAdvice {
    /// Hash of the schema, the encodings and the compression, as in [`ClassAdvice`].
    pub class: String,
    /// Number of files.
    pub files: usize,
    /// Columns to sort by, ascending, the most significant one first; empty if no order saves anything.
    pub by: Vec<String>,
    /// Size of the sampled rows in bytes, written with the best encodings in their own order.
    pub bytes_now: u64,
    /// Size of the sampled rows in bytes, written with the best encodings and sorted.
    pub bytes_sorted: u64,
    /// Fraction of the bytes saved by the order alone, across the files of the sample.
    pub spread: Spread,
    /// Columns tried, and the fraction of the bytes that sorting by each alone saves, in the first file of the sample in which an order saves
    /// anything; negative if it costs bytes.
    pub tried: Vec<(String, f64)>,
    /// Order that the sampled files promise; `None` if none of them does.
    pub promised: Option<PromisedOrder>,
}

/// Sort order that footers promise.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromisedOrder {
    /// Columns of the first file that promises an order, the most significant one first; `descending` follows the name.
    pub by: Vec<String>,
    /// Number of sampled files that promise an order. All of their rows were checked.
    pub files: usize,
    /// Those whose rows are not sorted as promised, with the first row.
    pub broken: Vec<Unreadable>,
}

impl SortAdvice {
    /// Returns the fraction of the bytes saved by the order alone.
    #[must_use]
    pub fn saved(&self) -> f64 {
        share(self.bytes_now, self.bytes_sorted)
    }
}

/// Returns the advice for all sampled classes.
pub(super) fn advise(
    root: &Root,
    classes: &[ClassAdvice],
    options: &PlanOptions,
    progress: &(dyn Fn(usize, usize) -> ControlFlow<()> + Sync),
) -> Result<Vec<SortAdvice>> {
    let files: usize = classes.iter().map(|class| class.sample.len()).sum();
    let mut done = 0;
    let mut proceed = || {
        done += 1;
        match progress(done, 2 * files) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Cancelled),
        }
    };
    let mut all = Vec::new();
    for class in classes {
        let mut advice = SortAdvice {
            class: class.class.clone(),
            files: class.files,
            by: Vec::new(),
            bytes_now: 0,
            bytes_sorted: 0,
            spread: Spread::default(),
            tried: Vec::new(),
            promised: None,
        };
        for path in &class.sample {
            readable(advice.add_promise(root, path))?;
            if advice.by.is_empty() {
                readable(advice.search(root, path, options))?;
            }
            proceed()?;
        }
        let mut shares = Vec::new();
        for path in &class.sample {
            let measured = readable(advice.measure(root, path, options))?;
            shares.extend(measured);
            proceed()?;
        }
        advice.spread = Spread::new(shares);
        all.push(advice);
    }
    Ok(all)
}

/// Returns `None` for a file whose contents are damaged, which the advice on encodings has listed.
fn readable<T>(outcome: Result<T>) -> Result<Option<T>> {
    match outcome {
        Err(error) if error.is_of_contents() => Ok(None),
        outcome => outcome.map(Some),
    }
}

fn sample(root: &Root, path: &str, options: &PlanOptions) -> Result<SortSample> {
    let (writer, keeps) = (options.writer(), options.keeps_compression());
    SortSample::open(&root.under(path), options.sample_rows, writer, keeps)
}

impl SortAdvice {
    /// Adds the sizes of a file's rows in their own order and sorted. Returns the fraction saved.
    fn measure(&mut self, root: &Root, path: &str, options: &PlanOptions) -> Result<f64> {
        let sample = sample(root, path, options)?;
        let now = sample.bytes(&[])?;
        let sorted = if self.by.is_empty() {
            now
        } else {
            sample.bytes(&self.by)?
        };
        self.bytes_now += now;
        self.bytes_sorted += sorted;
        Ok(share(now, sorted))
    }

    /// Finds an order: the column that saves the most, then the one that saves the most in addition, and so on.
    fn search(&mut self, root: &Root, path: &str, options: &PlanOptions) -> Result<()> {
        let sample = sample(root, path, options)?;
        let now = sample.bytes(&[])?;
        self.tried.clear();
        let mut columns = sample.columns();
        columns.truncate(TRIED);
        let mut best = now;
        while self.by.len() < LONGEST {
            let mut found: Option<(u64, usize)> = None;
            for (index, column) in columns.iter().enumerate() {
                let by = [&self.by[..], std::slice::from_ref(column)].concat();
                let bytes = sample.bytes(&by)?;
                if self.by.is_empty() {
                    let saved = 1.0 - bytes as f64 / now.max(1) as f64;
                    self.tried.push((column.clone(), saved));
                }
                if found.is_none_or(|(least, _)| bytes < least) {
                    found = Some((bytes, index));
                }
            }
            let worthwhile = (best as f64 * (1.0 - WORTHWHILE)) as u64;
            let Some((bytes, index)) = found.filter(|(bytes, _)| *bytes < worthwhile) else {
                break;
            };
            best = bytes;
            self.by.push(columns.remove(index));
        }
        Ok(())
    }

    /// Checks the order that a file promises.
    fn add_promise(&mut self, root: &Root, path: &str) -> Result<()> {
        let checked = check_order(root.under(path))?;
        if checked.promised.is_empty() {
            return Ok(());
        }
        let promised = self.promised.get_or_insert_default();
        promised.files += 1;
        if promised.by.is_empty() {
            promised.by = checked.promised;
        }
        if let Some(finding) = checked.findings.into_iter().next() {
            let error = match finding.row_group {
                Some(row_group) => format!("row group {row_group}: {}", finding.problem),
                None => finding.problem,
            };
            promised.broken.push(Unreadable {
                path: path.to_owned(),
                bytes: checked.bytes,
                error,
            });
        }
        Ok(())
    }
}
