//! `merge`, `diff`, `check`, `repair` and `salvage`.

use super::dataset::types_of;
use super::error::of_parquet;
use super::find::{check_outputs, find, of_store, one_partition, one_to, paths};
use super::rewrite::{replace, to_json};
use super::watch::watched;
use bytelane_parquet::check::{CheckOptions, Checked, check as check_file};
use bytelane_parquet::diff::{DiffOptions, diff_tables};
use bytelane_parquet::merge::{MergeOptions, MergePages, merge as merge_files, part_path};
use bytelane_parquet::repair::{
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
#[pyo3(signature = (sources, as_files, destination, row_group_rows, file_size, fresh, readers, verify, force, row_limit, progress))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
pub fn merge(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    as_files: bool,
    destination: PathBuf,
    row_group_rows: Option<u64>,
    file_size: Option<u64>,
    fresh: bool,
    readers: Option<&str>,
    verify: bool,
    force: bool,
    row_limit: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let mut options = MergeOptions::default()
        .with_verification(verify)
        .with_replace(replace(force));
    if fresh {
        options = options.with_pages(MergePages::Fresh);
    }
    if let Some(readers) = readers {
        options = options.with_readers(readers.parse().map_err(of_parquet)?);
    }
    if let Some(rows) = row_group_rows {
        options = options.with_row_group_rows(rows);
    }
    if let Some(rows) = row_limit {
        options = options.with_row_limit(rows);
    }
    if let Some(bytes) = file_size {
        options = options.with_file_bytes(bytes);
    }
    let first = match file_size {
        Some(_) => part_path(&destination, 0),
        None => destination.clone(),
    };
    let sources = py.detach(|| {
        let files = one_partition(&sources, as_files)?;
        check_outputs(&sources, &[first], as_files)?;
        Ok::<_, PyErr>(files)
    })?;
    let merged = watched(py, progress, of_parquet, |report| {
        let options = options.with_progress(move |done, total| report(done, total));
        merge_files(&sources, &destination, &options)
    })?;
    to_json(&merged)
}

/// Compares the rows of files. Returns whether they are the same, and their differences as JSON. A signal ends the
/// work.
#[pyfunction]
#[pyo3(signature = (left, right, as_files, partition_types, any_order, rows, row_limit))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
pub fn diff(
    py: Python<'_>,
    left: Vec<PathBuf>,
    right: Vec<PathBuf>,
    as_files: bool,
    partition_types: Vec<(String, String)>,
    any_order: bool,
    rows: usize,
    row_limit: Option<u64>,
) -> PyResult<(bool, String)> {
    let mut options = DiffOptions::default()
        .with_any_order(any_order)
        .with_named_rows(rows);
    if let Some(rows) = row_limit {
        options = options.with_row_limit(rows);
    }
    let types = types_of(&partition_types)?;
    let [left, right] = py.detach(|| {
        let sides = [find(&left, as_files)?, find(&right, as_files)?];
        table_sides(sides, &types).map_err(of_store)
    })?;
    let difference = watched(py, None, of_parquet, |report| {
        let options = options.with_progress(move |done, total| report(done, total));
        diff_tables(&left, &right, &options)
    })?;
    Ok((difference.is_none(), to_json(&difference)?))
}

/// Checks files. Returns the findings as JSON. A signal ends the work.
#[pyfunction]
#[pyo3(signature = (sources, as_files, values, memory_limit, row_limit))]
pub fn check(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    as_files: bool,
    values: bool,
    memory_limit: Option<u64>,
    row_limit: Option<u64>,
) -> PyResult<String> {
    let mut options = CheckOptions::default().with_values(values);
    if let Some(limit) = memory_limit {
        options = options.with_memory_limit(limit);
    }
    if let Some(rows) = row_limit {
        options = options.with_row_limit(rows);
    }
    let files = py.detach(|| paths(&sources, as_files))?;
    let checked = watched(py, None, of_parquet, |report| {
        let options = options.with_progress(move |done, total| report(done, total));
        let checked = files.iter().map(|file| check_file(file, &options));
        let checked = checked.collect::<bytelane_parquet::Result<Vec<Checked>>>()?;
        Ok(checked.into_iter().reduce(Checked::and))
    })?;
    to_json(&checked)
}

/// Adds the metadata that the writer of a file left out. Returns the outcome as JSON. A signal ends the work.
#[pyfunction]
#[pyo3(signature = (source, as_files, destination, bloom_filters, verify, force))]
pub fn repair(
    py: Python<'_>,
    source: PathBuf,
    as_files: bool,
    destination: PathBuf,
    bloom_filters: Vec<String>,
    verify: bool,
    force: bool,
) -> PyResult<String> {
    let options = RepairOptions::default()
        .with_bloom_filters(bloom_filters)
        .with_verification(verify)
        .with_replace(replace(force));
    let source = py.detach(|| one_to(source, &destination, as_files))?;
    let repaired = watched(py, None, of_parquet, |report| {
        let options = options.with_progress(move |done, total| report(done, total));
        repair_file(&source, &destination, &options)
    })?;
    to_json(&repaired)
}

/// Copies the readable rows of a damaged file. Returns the outcome as JSON. A signal ends the work.
#[pyfunction]
#[pyo3(signature = (source, as_files, destination, columns, schema, row_limit, force))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
pub fn salvage(
    py: Python<'_>,
    source: PathBuf,
    as_files: bool,
    destination: PathBuf,
    columns: Option<Vec<String>>,
    schema: Option<PathBuf>,
    row_limit: Option<u64>,
    force: bool,
) -> PyResult<String> {
    let mut options = SalvageOptions::default().with_replace(replace(force));
    if let Some(columns) = columns {
        options = options.with_columns(columns);
    }
    if let Some(schema) = schema {
        options = options.with_schema(schema);
    }
    if let Some(rows) = row_limit {
        options = options.with_row_limit(rows);
    }
    let source = py.detach(|| one_to(source, &destination, as_files))?;
    let salvaged = watched(py, None, of_parquet, |report| {
        let options = options.with_progress(move |done, total| report(done, total));
        salvage_file(&source, &destination, &options)
    })?;
    to_json(&salvaged)
}
