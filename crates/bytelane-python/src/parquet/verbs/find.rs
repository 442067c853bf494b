//! Finds the files of the arguments of a function.

use crate::parquet::error::of_parquet;
use bytelane_parquet::Error;
use bytelane_parquet_files::advise::RAW_ENDINGS;
use bytelane_store::{FindOptions, FoundFile, Problem};
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// Error number of a missing file, the same on all systems.
const NOT_FOUND: i32 = 2;

/// Returns the Parquet files at paths, in directories, and those that match patterns.
pub fn find(sources: &[PathBuf], as_files: bool) -> PyResult<Vec<FoundFile>> {
    find_but(sources, as_files, None)
}

/// Returns the same files, without those in directories whose names have one of these prefixes.
pub fn find_but(
    sources: &[PathBuf],
    as_files: bool,
    ignored: Option<Vec<String>>,
) -> PyResult<Vec<FoundFile>> {
    let mut options = FindOptions::default().with_owned(as_files);
    if let Some(prefixes) = ignored {
        options = options.with_ignored_prefixes(prefixes);
    }
    bytelane_store::find(sources, &options).map_err(of_store)
}

/// Returns the paths of the same files.
pub fn paths(sources: &[PathBuf], as_files: bool) -> PyResult<Vec<PathBuf>> {
    let files = find(sources, as_files)?.into_iter();
    Ok(files.map(|file| file.path).collect())
}

/// Returns the paths of files that can be merged, because they are in one partition.
pub fn one_partition(sources: &[PathBuf], as_files: bool) -> PyResult<Vec<PathBuf>> {
    let files = find(sources, as_files)?;
    if !as_files {
        bytelane_store::check_one_partition(&files).map_err(of_store)?;
    }
    Ok(files.into_iter().map(|file| file.path).collect())
}

/// Returns the paths of Parquet files, `.npy` files and raw numbers.
pub fn columns_at(sources: &[PathBuf], as_files: bool) -> PyResult<Vec<PathBuf>> {
    let raw = RAW_ENDINGS.iter().map(|(ending, _)| *ending);
    let options = FindOptions::default()
        .with_extensions(["npy"].into_iter().chain(raw))
        .with_owned(as_files);
    let files = bytelane_store::find(sources, &options).map_err(of_store)?;
    Ok(files.into_iter().map(|file| file.path).collect())
}

/// Returns the only file at a path, which is written to an output.
pub fn one_to(source: PathBuf, output: &Path, as_files: bool) -> PyResult<PathBuf> {
    let file = one(source.clone(), as_files)?;
    check_outputs(&[source], &[output], as_files)?;
    Ok(file)
}

/// Returns the only file at a path.
fn one(source: PathBuf, as_files: bool) -> PyResult<PathBuf> {
    let name = source.display().to_string();
    let files = paths(&[source], as_files)?;
    match &files[..] {
        [only] => Ok(only.clone()),
        several => Err(PyValueError::new_err(format!(
            "{name} has {} files; name one of them",
            several.len()
        ))),
    }
}

/// Checks that outputs are not among the files that the next call would read, and replace no file of a table format.
pub fn check_outputs(
    sources: &[PathBuf],
    outputs: &[impl AsRef<Path>],
    as_files: bool,
) -> PyResult<()> {
    let options = FindOptions::default().with_owned(as_files);
    bytelane_store::check_outputs(sources, outputs, &options).map_err(of_store)
}

/// Converts an error of finding files to an exception.
pub fn of_store(error: bytelane_store::Error) -> PyErr {
    let path = error.url.clone();
    match error.problem {
        Problem::NoFiles(message) => PyFileNotFoundError::new_err((NOT_FOUND, message, path)),
        Problem::Missing => PyFileNotFoundError::new_err(error.to_string()),
        Problem::Local(cause) => of_parquet(Error::new(cause).in_file(&PathBuf::from(path))),
        Problem::Owned(owner) => {
            let error = Error::new(bytelane_parquet::Problem::Input(owner.refusal()));
            of_parquet(error.in_file(&owner.table))
        }
        Problem::Input(problem) => {
            let error = Error::new(bytelane_parquet::Problem::Input(problem));
            of_parquet(error.in_file(&PathBuf::from(path)))
        }
        _ => PyOSError::new_err(error.to_string()),
    }
}
