//! Data sets of many files. Results are JSON, which `bytelane/dataset` parses.

use crate::parquet::{
    check_outputs, of_parquet, of_store, parse, to_json, warn_of_obstacles, watched,
};
use bytelane_dataset::{Error, Plan, PlanOptions, RunOptions};
use bytelane_parquet::NewFile;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use std::io::Write;
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

/// Creates a plan, and writes it to `output`, if given.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
pub fn plan(
    py: Python<'_>,
    root: PathBuf,
    output: Option<PathBuf>,
    force: bool,
    as_files: bool,
    files: Option<Vec<String>>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options: PlanOptions = parse(options)?;
    if let Some(encodings) = &options.encodings {
        warn_of_obstacles(py, encodings, &options.readers)?;
    }
    let new = py.detach(|| {
        let outputs = output.as_slice();
        check_outputs(std::slice::from_ref(&root), outputs, as_files)?;
        let new = output.map(|path| NewFile::create_or_replace(path, force.into(), &[]));
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
pub fn run(
    py: Python<'_>,
    plan: &str,
    out: PathBuf,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let plan = Plan::parse(plan.as_bytes()).map_err(of_dataset)?;
    let options: RunOptions = parse(options)?;
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
