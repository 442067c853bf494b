//! `merge`, `diff`, `check`, `repair` and `salvage`.

use super::error::of_parquet;
use super::rewrite::watch;
use bytelane_parquet::check::{CheckOptions, check as check_file};
use bytelane_parquet::diff::{DiffOptions, diff as diff_files};
use bytelane_parquet::merge::{MergeOptions, MergePages, merge as merge_files};
use bytelane_parquet::repair::{RepairOptions, repair as repair_file, salvage as salvage_file};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

fn to_json(result: serde_json::Result<String>) -> PyResult<String> {
    result.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Merges files. Returns the outcome as JSON.
///
/// Calls `progress`, if given, with the bytes done and their total. An exception from it, or from a signal handler,
/// ends the work.
#[pyfunction]
#[pyo3(signature = (sources, destination, row_group_rows, file_size, fresh, readers, verify, force, progress))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
pub fn merge(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    destination: PathBuf,
    row_group_rows: Option<u64>,
    file_size: Option<u64>,
    fresh: bool,
    readers: Option<&str>,
    verify: bool,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let raised = Arc::new(Mutex::new(None));
    let mut options = MergeOptions::default()
        .with_verification(verify)
        .with_force(force)
        .with_progress(watch(progress, Arc::clone(&raised)));
    if fresh {
        options = options.with_pages(MergePages::Fresh);
    }
    if let Some(readers) = readers {
        options = options.with_readers(readers.parse().map_err(of_parquet)?);
    }
    if let Some(rows) = row_group_rows {
        options = options.with_row_group_rows(rows);
    }
    if let Some(bytes) = file_size {
        options = options.with_file_bytes(bytes);
    }
    let merged = py.detach(|| merge_files(&sources, &destination, &options));
    let mut raised = raised.lock().unwrap_or_else(PoisonError::into_inner);
    match (merged, raised.take()) {
        (_, Some(exception)) => Err(exception),
        (Err(error), None) => Err(of_parquet(error)),
        (Ok(merged), None) => to_json(serde_json::to_string(&merged)),
    }
}

/// Compares the rows of files. Returns whether they are the same, and their differences as JSON. A signal ends the
/// work.
#[pyfunction]
#[pyo3(signature = (left, right, any_order, rows))]
pub fn diff(
    py: Python<'_>,
    left: Vec<PathBuf>,
    right: Vec<PathBuf>,
    any_order: bool,
    rows: usize,
) -> PyResult<(bool, String)> {
    let raised = Arc::new(Mutex::new(None));
    let signals = watch(None, Arc::clone(&raised));
    let options = DiffOptions::default()
        .with_any_order(any_order)
        .with_named_rows(rows)
        .with_progress(move |rows| -> ControlFlow<()> { signals(rows, rows) });
    let difference = py.detach(|| diff_files(&left, &right, &options));
    let mut raised = raised.lock().unwrap_or_else(PoisonError::into_inner);
    match (difference, raised.take()) {
        (_, Some(exception)) => Err(exception),
        (Err(error), None) => Err(of_parquet(error)),
        (Ok(difference), None) => {
            let text = to_json(serde_json::to_string(&difference))?;
            Ok((difference.is_none(), text))
        }
    }
}

/// Checks a file. Returns the findings as JSON.
#[pyfunction]
#[pyo3(signature = (path, values, memory_limit))]
pub fn check(
    py: Python<'_>,
    path: PathBuf,
    values: bool,
    memory_limit: Option<u64>,
) -> PyResult<String> {
    let mut options = CheckOptions::default().with_values(values);
    if let Some(limit) = memory_limit {
        options = options.with_memory_limit(limit);
    }
    let checked = py.detach(|| check_file(&path, &options));
    to_json(serde_json::to_string(&checked.map_err(of_parquet)?))
}

/// Adds the metadata that the writer of a file left out. Returns the outcome as JSON.
#[pyfunction]
#[pyo3(signature = (source, destination, bloom_filters, verify, force))]
pub fn repair(
    py: Python<'_>,
    source: PathBuf,
    destination: PathBuf,
    bloom_filters: Vec<String>,
    verify: bool,
    force: bool,
) -> PyResult<String> {
    let options = RepairOptions::default()
        .with_bloom_filters(bloom_filters)
        .with_verification(verify)
        .with_force(force);
    let repaired = py.detach(|| repair_file(&source, &destination, &options));
    to_json(serde_json::to_string(&repaired.map_err(of_parquet)?))
}

/// Copies the readable rows of a damaged file. Returns the outcome as JSON.
#[pyfunction]
#[pyo3(signature = (source, destination))]
pub fn salvage(py: Python<'_>, source: PathBuf, destination: PathBuf) -> PyResult<String> {
    let salvaged = py.detach(|| salvage_file(&source, &destination));
    to_json(serde_json::to_string(&salvaged.map_err(of_parquet)?))
}
