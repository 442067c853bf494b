//! `rewrite`.

use super::error::of_parquet;
use super::find::one;
use super::options::Options;
use super::watch::watched;
use bytelane_parquet::Replace;
use bytelane_parquet::rewrite::{Int96Unit, RewriteOptions, rewrite as rewrite_file};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use std::path::PathBuf;

/// Rewrites a file. Returns the outcome as JSON.
///
/// Calls `progress`, if given, with the bytes done and their total. An exception from it, or from a signal handler,
/// ends the work.
#[pyfunction]
#[pyo3(signature = (source, destination, options, columns, verify, force, convert_int96, memory_limit, progress))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
pub fn rewrite(
    py: Python<'_>,
    source: PathBuf,
    destination: PathBuf,
    options: Options,
    columns: Vec<(String, String)>,
    verify: bool,
    force: bool,
    convert_int96: Option<&str>,
    memory_limit: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let mut rewrite = RewriteOptions::new(options.writer(py, columns)?)
        .with_verification(verify)
        .with_replace(replace(force));
    if let Some(unit) = convert_int96 {
        let unit: Int96Unit = unit.parse().map_err(invalid)?;
        rewrite = rewrite.with_int96_converted(unit);
    }
    if let Some(compression) = options.compression()? {
        rewrite = rewrite.with_compression(compression);
    }
    if let Some(limit) = memory_limit {
        rewrite = rewrite.with_memory_limit(limit);
    }
    let source = py.detach(|| one(source, false))?;
    let rewritten = watched(py, progress, of_parquet, |report| {
        let rewrite = rewrite.with_progress(move |done, total| report(done, total));
        rewrite_file(&source, &destination, &rewrite)
    })?;
    to_json(&rewritten)
}

/// Returns which existing files may be replaced: without `force`, only those that are also read.
pub fn replace(force: bool) -> Replace {
    Replace::forced_or(force, Replace::Inputs)
}

/// Returns a result as JSON.
pub fn to_json(result: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(result).map_err(invalid)
}

fn invalid(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}
