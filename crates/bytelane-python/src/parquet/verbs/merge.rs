//! `merge`, `diff`, `check`, `edit`, `repair` and `salvage`.

use crate::parquet::error::of_parquet;
use crate::parquet::options::{parse, to_json};
use crate::parquet::read::dataset::types_of;
use crate::parquet::verbs::find::{check_outputs, find, of_store, one_partition, one_to, paths};
use crate::parquet::watch::watched;
use bytelane_parquet_files::check::{CheckOptions, Checked, check as check_file};
use bytelane_parquet_files::diff::{DiffOptions, diff_tables};
use bytelane_parquet_files::edit::{EditOptions, edit as edit_file};
use bytelane_parquet_files::merge::{MergeOptions, merge as merge_files};
use bytelane_parquet_files::repair::{
    RepairOptions, SalvageOptions, repair as repair_file, salvage as salvage_file,
};
use bytelane_store::table_sides;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Merges files. Returns the outcome as JSON.
///
/// Calls `progress`, if given, with the bytes done and their total. An exception from it, or from a signal handler,
/// ends the work.
#[pyfunction]
pub fn merge(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    as_files: bool,
    destination: PathBuf,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options = parse::<MergeOptions>(options)?;
    let first = options.output_path(&destination, 0);
    let sources = py.detach(|| {
        let files = one_partition(&sources, as_files)?;
        check_outputs(&sources, &[first], as_files)?;
        Ok::<_, PyErr>(files)
    })?;
    let merged = watched(py, progress, of_parquet, |report| {
        merge_files(&sources, &destination, &options.with_progress(report))
    })?;
    to_json(&merged)
}

/// Compares the rows of files. Returns whether they are the same, and their differences as JSON. A signal ends the
/// work.
#[pyfunction]
pub fn diff(
    py: Python<'_>,
    left: Vec<PathBuf>,
    right: Vec<PathBuf>,
    as_files: bool,
    partition_types: Vec<(String, String)>,
    options: &str,
) -> PyResult<(bool, String)> {
    let options: DiffOptions = parse(options)?;
    let types = types_of(&partition_types)?;
    let [left, right] = py.detach(|| {
        let sides = [find(&left, as_files)?, find(&right, as_files)?];
        table_sides(sides, &types).map_err(of_store)
    })?;
    let difference = watched(py, None, of_parquet, |report| {
        diff_tables(&left, &right, &options.with_progress(report))
    })?;
    Ok((difference.is_none(), to_json(&difference)?))
}

/// Checks files. Returns the findings as JSON. A signal ends the work.
#[pyfunction]
pub fn check(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    as_files: bool,
    options: &str,
) -> PyResult<String> {
    let options: CheckOptions = parse(options)?;
    let files = py.detach(|| paths(&sources, as_files))?;
    let checked = watched(py, None, of_parquet, |report| {
        let options = options.with_progress(report);
        let checked = files.iter().map(|file| check_file(file, &options));
        let checked = checked.collect::<bytelane_parquet::Result<Vec<Checked>>>()?;
        Ok(checked.into_iter().reduce(Checked::and))
    })?;
    to_json(&checked)
}

/// Deletes rows and changes columns of a file. Returns the outcome as JSON. `progress` is that of `merge`.
#[pyfunction]
pub fn edit(
    py: Python<'_>,
    source: PathBuf,
    as_files: bool,
    destination: PathBuf,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options = parse::<EditOptions>(options)?;
    let source = py.detach(|| one_to(source, &destination, as_files))?;
    let edited = watched(py, progress, of_parquet, |report| {
        edit_file(&source, &destination, &options.with_progress(report))
    })?;
    to_json(&edited)
}

/// Adds the metadata that the writer of a file left out. Returns the outcome as JSON. A signal ends the work.
#[pyfunction]
pub fn repair(
    py: Python<'_>,
    source: PathBuf,
    as_files: bool,
    destination: PathBuf,
    options: &str,
) -> PyResult<String> {
    let options = parse::<RepairOptions>(options)?;
    let source = py.detach(|| one_to(source, &destination, as_files))?;
    let repaired = watched(py, None, of_parquet, |report| {
        repair_file(&source, &destination, &options.with_progress(report))
    })?;
    to_json(&repaired)
}

/// Copies the readable rows of a damaged file. Returns the outcome as JSON. A signal ends the work.
#[pyfunction]
pub fn salvage(
    py: Python<'_>,
    source: PathBuf,
    as_files: bool,
    destination: PathBuf,
    options: &str,
) -> PyResult<String> {
    let options = parse::<SalvageOptions>(options)?;
    let source = py.detach(|| one_to(source, &destination, as_files))?;
    let salvaged = watched(py, None, of_parquet, |report| {
        salvage_file(&source, &destination, &options.with_progress(report))
    })?;
    to_json(&salvaged)
}
