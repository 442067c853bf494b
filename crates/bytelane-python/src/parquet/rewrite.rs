//! `rewrite`.

use super::error::of_parquet;
use super::options::Options;
use bytelane_parquet::rewrite::{RewriteOptions, rewrite as rewrite_file};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Rewrites a file. Returns what was done, as JSON.
///
/// Calls `progress`, if there is one, with the bytes done and their total. An exception of it, or of a signal, ends the
/// work.
#[pyfunction]
#[pyo3(signature = (source, destination, options, columns, verify, force, memory_limit, progress))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
pub fn rewrite(
    py: Python<'_>,
    source: PathBuf,
    destination: PathBuf,
    options: Options,
    columns: Vec<(String, String)>,
    verify: bool,
    force: bool,
    memory_limit: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let raised = Arc::new(Mutex::new(None));
    let mut rewrite = RewriteOptions::new(options.writer(py, columns)?)
        .with_verification(verify)
        .with_force(force)
        .with_progress(watch(progress, Arc::clone(&raised)));
    if let Some(compression) = options.compression()? {
        rewrite = rewrite.with_compression(compression);
    }
    if let Some(limit) = memory_limit {
        rewrite = rewrite.with_memory_limit(limit);
    }
    let rewritten = py.detach(|| rewrite_file(&source, &destination, &rewrite));
    let mut raised = raised.lock().unwrap_or_else(PoisonError::into_inner);
    match (rewritten, raised.take()) {
        (_, Some(exception)) => Err(exception),
        (Err(error), None) => Err(of_parquet(error)),
        (Ok(rewritten), None) => serde_json::to_string(&rewritten)
            .map_err(|error| PyValueError::new_err(error.to_string())),
    }
}

/// Tells Python of the progress, and keeps the exception that ends the work.
pub fn watch(
    progress: Option<Py<PyAny>>,
    raised: Arc<Mutex<Option<PyErr>>>,
) -> impl Fn(u64, u64) -> ControlFlow<()> + Send + Sync + 'static {
    move |done, total| {
        let told = Python::attach(|py| {
            py.check_signals()?;
            match &progress {
                Some(progress) => progress.call1(py, (done, total)).map(drop),
                None => Ok(()),
            }
        });
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(exception) => {
                let mut raised = raised.lock().unwrap_or_else(PoisonError::into_inner);
                *raised = Some(exception);
                ControlFlow::Break(())
            }
        }
    }
}
