//! `rewrite`.

use crate::parquet::error::of_parquet;
use crate::parquet::options::{parse, to_json, warn_of_obstacles};
use crate::parquet::verbs::find::{check_outputs, find, of_store};
use crate::parquet::watch::watched;
use bytelane_parquet::{Error, remote_url};
use bytelane_parquet_files::rewrite::{RewriteOptions, Rewritten, rewrite as rewrite_file};
use bytelane_store::outputs_of;
use pyo3::prelude::*;
use serde::Serialize;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// Outcome for a file.
#[derive(Serialize)]
struct Done {
    input: String,
    /// Output path; `None` if nothing was written.
    output: Option<String>,
    #[serde(flatten)]
    rewritten: Rewritten,
}

/// Rewrites files, one after the other. Returns the outcomes as JSON.
///
/// Calls `progress`, if given, with the bytes of a file done and their total. An exception from it, or from a signal
/// handler, ends the work.
#[pyfunction]
pub fn rewrite(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    as_files: bool,
    destination: PathBuf,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options = parse::<RewriteOptions>(options)?;
    if let Some(encodings) = &options.encodings {
        warn_of_obstacles(py, encodings, &options.readers)?;
    }
    let (files, outputs) = py.detach(|| {
        let files = find(&sources, as_files)?;
        let outputs = outputs_of(&files, &destination).map_err(of_store)?;
        if !options.dry_run {
            check_outputs(&sources, &outputs, as_files)?;
        }
        for (file, output) in files.iter().zip(&outputs) {
            if options.dry_run {
                break;
            }
            let checked = options.replace.check(output, &[&file.path]);
            checked.map_err(of_parquet)?;
        }
        Ok::<_, PyErr>((files, outputs))
    })?;
    let done = watched(py, progress, of_parquet, |report| {
        let files = files.iter().zip(&outputs);
        let done = files.map(|(file, output)| {
            if let Some(directory) = output.parent()
                && *output != destination
                && !options.dry_run
                && remote_url(output).is_none()
            {
                let created = fs::create_dir_all(directory);
                created.map_err(|error| Error::from(error).in_file(directory))?;
            }
            let options = options.clone().with_progress(Arc::clone(&report));
            let name = |path: &PathBuf| path.to_string_lossy().into_owned();
            Ok(Done {
                input: name(&file.path),
                output: (!options.dry_run).then(|| name(output)),
                rewritten: rewrite_file(&file.path, output, &options)?,
            })
        });
        done.collect::<bytelane_parquet::Result<Vec<Done>>>()
    })?;
    to_json(&done)
}
