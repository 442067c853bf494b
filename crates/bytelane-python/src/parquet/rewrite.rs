//! `rewrite`.

use super::error::of_parquet;
use super::find::{check_outputs, find, of_store};
use super::options::Options;
use super::watch::watched;
use bytelane_parquet::rewrite::{Int96Unit, RewriteOptions, Rewritten, rewrite as rewrite_file};
use bytelane_parquet::{Error, Replace, remote_url};
use bytelane_store::outputs_of;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// Outcome for a file.
#[derive(Serialize)]
struct Done {
    input: String,
    output: String,
    #[serde(flatten)]
    rewritten: Rewritten,
}

/// Rewrites files, one after the other. Returns the outcomes as JSON.
///
/// Calls `progress`, if given, with the bytes of a file done and their total. An exception from it, or from a signal
/// handler, ends the work.
#[pyfunction]
#[pyo3(signature = (sources, as_files, destination, options, columns, verify, force, convert_int96, memory_limit, progress))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
pub fn rewrite(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    as_files: bool,
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
        .with_verify(verify)
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
    let (files, outputs) = py.detach(|| {
        let files = find(&sources, as_files)?;
        let outputs = outputs_of(&files, &destination).map_err(of_store)?;
        check_outputs(&sources, &outputs, as_files)?;
        for (file, output) in files.iter().zip(&outputs) {
            let checked = replace(force).check(output, &[&file.path]);
            checked.map_err(of_parquet)?;
        }
        Ok::<_, PyErr>((files, outputs))
    })?;
    let done = watched(py, progress, of_parquet, |report| {
        let files = files.iter().zip(&outputs);
        let done = files.map(|(file, output)| {
            if let Some(directory) = output.parent()
                && *output != destination
                && remote_url(output).is_none()
            {
                let created = fs::create_dir_all(directory);
                created.map_err(|error| Error::from(error).in_file(directory))?;
            }
            let options = rewrite.clone().with_progress(Arc::clone(&report));
            let name = |path: &PathBuf| path.to_string_lossy().into_owned();
            Ok(Done {
                input: name(&file.path),
                output: name(output),
                rewritten: rewrite_file(&file.path, output, &options)?,
            })
        });
        done.collect::<bytelane_parquet::Result<Vec<Done>>>()
    })?;
    to_json(&done)
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
