//! `advise`.

use crate::arrow;
use crate::parquet::error::of_parquet;
use crate::parquet::options::{parse, to_json, warn_of_obstacles};
use crate::parquet::verbs::find::columns_at;
use crate::parquet::watch::check_signals;
use bytelane_parquet_files::advise::{Advice, AdviseOptions, Advisor};
use pyo3::prelude::*;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Returns the advice for a table or for files, as JSON.
#[pyfunction]
pub fn advise(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    as_files: bool,
    options: &str,
) -> PyResult<String> {
    let options: AdviseOptions = parse(options)?;
    if let Some(encodings) = &options.encodings {
        warn_of_obstacles(py, encodings, &options.readers)?;
    }
    let advice = if arrow::is_table(source)? {
        let rows = arrow::import(source)?;
        py.detach(|| {
            let schema = rows.schema();
            let batches = rows.collect::<PyResult<_>>()?;
            finish(Advisor::of_batches(schema, batches, &options).map_err(of_parquet)?)
        })?
    } else {
        let paths: Vec<PathBuf> = source.extract()?;
        py.detach(|| of_files(&columns_at(&paths, as_files)?, &options))?
    };
    to_json(&advice)
}

fn of_files(paths: &[PathBuf], options: &AdviseOptions) -> PyResult<Advice> {
    let advisor = match paths {
        [only] => Advisor::open(only, options),
        several => Advisor::open_all(several, options),
    };
    finish(advisor.map_err(of_parquet)?)
}

/// Finishes the advice, and checks for signals regularly, so that Ctrl-C ends it soon.
fn finish(mut advisor: Advisor) -> PyResult<Advice> {
    let raised = RefCell::new(None);
    let outcome = advisor.advise_rest(|_| match check_signals() {
        Ok(()) => ControlFlow::Continue(()),
        Err(exception) => {
            raised.replace(Some(exception));
            ControlFlow::Break(())
        }
    });
    match (raised.into_inner(), outcome) {
        (Some(exception), _) => Err(exception),
        (None, Err(error)) => Err(of_parquet(error)),
        (None, Ok(())) => Ok(advisor.advice()),
    }
}
