//! Data sets of many files. Results are JSON, which `bytelane/dataset` parses.

use crate::parquet::{check_outputs, of_parquet, of_store, watched};
use bytelane_dataset::{Error, Plan, PlanOptions, RunOptions, Shard};
use bytelane_parquet::{Goal, NewFile, Replace, parse_compression};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;
use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;

/// Native half of `bytelane.dataset`.
#[pymodule]
pub mod _dataset {
    #[pymodule_export]
    use super::{delete, plan, run, swap, verify};
}

fn of_dataset(error: Error) -> PyErr {
    match error {
        Error::Parquet(error) => of_parquet(error),
        Error::Io { path, cause } => {
            let message = cause.to_string();
            let message = message.split(" (os error").next().unwrap_or_default();
            let number = cause.raw_os_error();
            PyOSError::new_err((number, message.to_owned(), path.into_os_string()))
        }
        Error::Store(error) => of_store(error),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// Returns a result as JSON.
fn to_json(outcome: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(outcome).map_err(invalid)
}

fn invalid(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Creates a plan, and writes it to `output`, if given.
#[pyfunction]
#[pyo3(signature = (root, output, force, as_files, files, target_size, row_group_rows, min_saving, sample, goal, readers, compression, sort_by, progress))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
pub fn plan(
    py: Python<'_>,
    root: PathBuf,
    output: Option<PathBuf>,
    force: bool,
    as_files: bool,
    files: Option<Vec<String>>,
    target_size: u64,
    row_group_rows: u64,
    min_saving: f64,
    sample: (usize, usize, u64),
    goal: &str,
    readers: Option<&str>,
    compression: Option<&str>,
    sort_by: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    if sort_by.is_some_and(|by| by != "auto") {
        return Err(invalid("sort_by must be \"auto\" or None"));
    }
    let mut options = PlanOptions::default()
        .with_target_bytes(target_size)
        .with_row_group_rows(row_group_rows)
        .with_min_saving(min_saving)
        .with_sample(sample.0, sample.1, sample.2)
        .with_goal(goal.parse::<Goal>().map_err(invalid)?)
        .with_sort_advice(sort_by.is_some());
    if let Some(readers) = readers {
        options = options.with_readers(&readers.parse().map_err(invalid)?);
    }
    if let Some(compression) = compression {
        options = options.with_compression(parse_compression(compression).map_err(invalid)?);
    }
    let new = py.detach(|| {
        let outputs = output.as_slice();
        check_outputs(std::slice::from_ref(&root), outputs, as_files)?;
        let new = output.map(|path| {
            NewFile::create_or_replace(path, Replace::forced_or(force, Replace::Inputs), &[])
        });
        new.transpose().map_err(of_parquet)
    })?;
    let plan = watched(py, progress, of_dataset, |report| {
        let listing = bytelane_dataset::list(&root)?;
        let listing = match &files {
            Some(files) => listing.only(files.iter().map(String::as_str))?,
            None => listing.planned(as_files)?,
        };
        bytelane_dataset::plan_files(&root, listing, &options, &|done, total| {
            report(done as u64, total as u64)
        })
    })?;
    let text = to_json(&plan)?;
    if let Some(new) = new {
        new.file().write_all(text.as_bytes())?;
        new.finish().map_err(of_parquet)?;
    }
    Ok(text)
}

/// Runs a plan, which is JSON.
#[pyfunction]
#[pyo3(signature = (plan, out, jobs, shard, retry_failed, progress))]
pub fn run(
    py: Python<'_>,
    plan: &str,
    out: PathBuf,
    jobs: usize,
    shard: &str,
    retry_failed: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let plan = Plan::parse(plan.as_bytes()).map_err(of_dataset)?;
    let jobs = NonZero::new(jobs).ok_or_else(|| invalid("jobs must be at least 1"))?;
    let options = RunOptions::default()
        .with_jobs(jobs)
        .with_shard(shard.parse::<Shard>().map_err(of_dataset)?)
        .with_failed_retried(retry_failed);
    let outcome = watched(py, progress, of_dataset, |report| {
        let options = options.with_progress(move |done| report(done.bytes, done.total));
        bytelane_dataset::run(&plan, &out, &options)
    })?;
    to_json(&outcome)
}

/// Compares the rows of two roots. Returns whether they are the same, and their differences.
#[pyfunction]
pub fn verify(py: Python<'_>, old: PathBuf, new: PathBuf) -> PyResult<(bool, String)> {
    let verified = watched(py, None, of_dataset, |report| {
        bytelane_dataset::verify(&old, &new, move |rows| report(rows, rows))
    })?;
    Ok((verified.is_same(), to_json(&verified)?))
}

/// Exchanges two roots.
#[pyfunction]
pub fn swap(py: Python<'_>, one: PathBuf, other: PathBuf) -> PyResult<()> {
    py.detach(|| bytelane_dataset::swap(&one, &other))
        .map_err(of_dataset)
}

/// Deletes the files of a root whose rows another one has.
#[pyfunction]
pub fn delete(py: Python<'_>, old: PathBuf, verified_by: PathBuf) -> PyResult<String> {
    let deleted = py.detach(|| bytelane_dataset::delete(&old, &verified_by));
    to_json(&deleted.map_err(of_dataset)?)
}
