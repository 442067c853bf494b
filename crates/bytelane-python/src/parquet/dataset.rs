//! Several files as one table.

use super::error::of_parquet;
use super::file::{Limits, ParquetFile, TextTypes, selection};
use super::options::{Columns, Count};
use super::table::Table;
use bytelane_parquet::arrow_array::types::Int32Type;
use bytelane_parquet::arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use bytelane_parquet::arrow_schema::{DataType, Field, FieldRef, Schema};
use bytelane_parquet::{Error, Problem};
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Column from the name of a directory, as in `year=2024`: its name, whether it is an integer, and the value unless it is
/// null.
type Partition = (String, bool, Option<String>);

/// Finds the Parquet files of a URL: the file itself, those below it, or those that match a pattern.
#[pyfunction]
pub fn find_objects(py: Python<'_>, url: &str) -> PyResult<Vec<String>> {
    let found = py.detach(|| bytelane_store::find(url, &|extension| extension == "parquet"));
    found.map_err(|error| {
        if error.is_missing() {
            PyFileNotFoundError::new_err(error.to_string())
        } else {
            PyOSError::new_err(error.to_string())
        }
    })
}

/// Reads the rows of files with the same columns, one after the other.
#[pyfunction]
pub fn read_files(
    py: Python<'_>,
    files: Vec<(PathBuf, Vec<Partition>)>,
    columns: Option<Columns>,
    filters: Option<Bound<'_, PyAny>>,
    types: TextTypes,
    threads: Option<Count>,
    memory_limit: Option<u64>,
) -> PyResult<Table> {
    let limits = Limits::new(threads, memory_limit)?;
    let selection = selection(py, columns, None, filters)?;
    let mut all: Option<(PathBuf, Table)> = None;
    for (path, partitions) in files {
        // A `pathlib.Path` would join the slashes of a URL.
        let source = path.as_os_str().into_pyobject(py)?;
        let mut selection = selection.clone();
        for partition in partitions {
            let (field, value) = constant(partition)?;
            selection = selection.with_constant(field, value).map_err(of_parquet)?;
        }
        let file = ParquetFile::open(source.as_any(), types.clone(), &selection)?;
        let table = py.detach(|| file.table(&selection, limits))?;
        match &mut all {
            None => all = Some((path, table)),
            Some((first, all)) => append(all, first, table, &path)?,
        }
    }
    let (_, table) = all.ok_or_else(|| PyValueError::new_err("there is no file"))?;
    Ok(table)
}

/// Returns a dictionary column with one entry, which takes little memory for any number of rows.
fn constant((name, is_integer, value): Partition) -> PyResult<(FieldRef, ArrayRef)> {
    let keys = Int32Array::from(vec![value.is_some().then_some(0)]);
    let values: ArrayRef = if is_integer {
        let value = value.as_deref().map(str::parse::<i32>).transpose();
        let value = value.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Arc::new(Int32Array::from_iter(value.map(Some)))
    } else {
        Arc::new(StringArray::from_iter(value.map(Some)))
    };
    let types = (DataType::Int32, values.data_type().clone());
    let field = Field::new_dictionary(name, types.0, types.1, true);
    Ok((
        Arc::new(field),
        Arc::new(DictionaryArray::<Int32Type>::new(keys, values)),
    ))
}

fn append(all: &mut Table, first: &Path, more: Table, path: &Path) -> PyResult<()> {
    let (one, other) = (all.schema.fields(), more.schema.fields());
    let is_same = |(one, other): (&FieldRef, &FieldRef)| {
        one.name() == other.name() && one.data_type() == other.data_type()
    };
    if one.len() != other.len() || !one.iter().zip(other).all(is_same) {
        let columns = |schema: &Schema| {
            let columns = schema
                .fields()
                .iter()
                .map(|it| format!("{}: {}", it.name(), it.data_type()));
            columns.collect::<Vec<_>>().join(", ")
        };
        let (first, own) = (first.display(), columns(&all.schema));
        let problem = format!(
            "its columns are {}, but those of {first} are {own}",
            columns(&more.schema)
        );
        return Err(of_parquet(
            Error::new(Problem::Input(problem)).in_file(path),
        ));
    }
    let fields = one.iter().zip(other).map(|(one, other)| {
        let is_nullable = one.is_nullable() || other.is_nullable();
        Arc::new(Field::clone(one).with_nullable(is_nullable))
    });
    let metadata = all.schema.metadata().clone();
    all.schema = Arc::new(Schema::new_with_metadata(
        fields.collect::<Vec<_>>(),
        metadata,
    ));
    all.batches.extend(more.batches);
    Ok(())
}
